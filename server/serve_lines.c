/* Prints, for people who start "serve" by hand, its address and the shell lines that clients need. */
#include "serve_lines.h"

#include <string.h>
#include <unistd.h>

#include "app.h"
#include "background.h"
#include "http_server.h"
#include "listen.h"
#include "network.h"
#include "serve.h"
#include "str.h"

enum { HOST_SIZE = 256 };

/* A word of a shell. */
static const char *quoted(struct arena *a, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+-[]";
	char *word, *to;

	if (*text && !text[strspn(text, plain)])
		return text;
	to = word = arena_alloc(a, strlen(text) * 4 + 3);
	*to++ = '\'';
	for (; *text; text++) {
		if (*text == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *text;
	}
	strcpy(to, "'");
	return word;
}

static bool is_any(const char *host)
{
	return !host || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
}

static bool is_loopback(const char *host)
{
	return host && (strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
			strcmp(host, "::1") == 0);
}

/* The name of this machine stands for all its addresses. */
static const char *host_of_url(struct arena *a, const char *host)
{
	static const char unknown[] = "localhost";
	char name[HOST_SIZE] = "";

	if (!is_any(host))
		return strchr(host, ':') ? arena_printf(a, "[%s]", host) : host;
	return gethostname(name, sizeof(name) - 1) || !*name ? unknown : arena_strdup(a, name);
}

static const char *url_of(struct arena *a, const struct app *app, const char *host)
{
	const struct config *c = app->config;

	if (*c->public_url)
		return c->public_url;
	return arena_printf(a, "%s://%s:%u%s", *c->tls_cert_file ? "https" : "http",
			    host_of_url(a, host), http_server_port(app->http), c->path_prefix);
}

err_t serve_print_lines(struct arena *a, const struct app *app, FILE *out)
{
	const struct serve_options *o = app->options;
	const char *key = o->key_file && access(o->key_file, R_OK) == 0 ? quoted(a, o->key_file)
									: NULL;
	const char *data = quoted(a, app->config->data_dir);
	const char *host, *port, *url;
	err_t e = listen_split(a, app->config->listen, &host, &port);

	if (e)
		return e;
	url = quoted(a, url_of(a, app, host));
	fprintf(out, "\nCairn %s is ready: %s\n", CAIRN_VERSION, url);
	if (o->background)
		fprintf(out, "The log is %s; stop the server with \"cairnd stop --data-dir %s\".\n",
			background_log_file(a, app->config), data);
	if (is_loopback(host) && !*app->config->public_url)
		fprintf(out, "Only this machine can reach it. Use --listen :%s to allow others.\n",
			port);
	fprintf(out,
		"Environment of programs that log to it:\n"
		"\n"
		"export CAIRN_URL=%s WANDB_BASE_URL=%s\n",
		url, url);
	if (key)
		fprintf(out, "export CAIRN_API_KEY_FILE=%s WANDB_API_KEY=\"$(cat %s)\"\n\n", key,
			key);
	else
		fprintf(out,
			"export CAIRN_API_KEY_FILE=FILE WANDB_API_KEY=\"$(cat FILE)\"   # made "
			"by: cairnd user add NAME --admin --data-dir %s --key-file FILE\n"
			"\n",
			data);
	fflush(out);
	return NULL;
}
