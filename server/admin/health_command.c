/* cairnd healthcheck: asks the server that has this configuration whether it is ready, at the address it listens on. */
#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "health.h"
#include "listen.h"
#include "starting.h"
#include "str.h"

enum { TIMEOUT_MS = 5000 };

/* The port in port_file, for a server that took a free one. */
static err_t read_port(struct arena *a, const struct config *config, const char **ret_port)
{
	const char *path = config->port_file;
	char line[16] = "";
	int64_t port;
	FILE *f;

	if (!*path)
		return err_new(a, ERR_PRECONDITION,
			       "the port is 0 in \"%s\": set \"port_file\" to find the port in use",
			       config->listen);
	f = fopen(path, "re");
	if (!f)
		return err_new(a, ERR_INTERNAL, "cannot read \"%s\": %s", path, strerror(errno));
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	if (!str_to_int64(str_trim(str_of(line)), 1, 65535, &port))
		return err_new(a, ERR_INTERNAL, "there is no port in \"%s\"", path);
	*ret_port = arena_printf(a, "%lld", (long long)port);
	return NULL;
}

/* An address to connect to. One that means all addresses includes the loopback address. */
static const char *host_to_ask(struct arena *a, const char *host)
{
	if (!host || strcmp(host, "0.0.0.0") == 0)
		return "127.0.0.1";
	if (strcmp(host, "::") == 0)
		return "[::1]";
	return strchr(host, ':') ? arena_printf(a, "[%s]", host) : host;
}

static err_t find_url(struct arena *a, const struct config *config, const char **ret_url)
{
	const char *host;
	const char *port;
	err_t e = listen_split(a, config->listen, &host, &port);

	if (!e && strcmp(port, "0") == 0)
		e = read_port(a, config, &port);
	if (e)
		return e;
	*ret_url = arena_printf(a, "%s://%s:%s%s/ready", *config->tls_cert_file ? "https" : "http",
				host_to_ask(a, host), port, config->path_prefix);
	return NULL;
}

static size_t drop(char *bytes, size_t size, size_t count, void *context)
{
	(void)bytes;
	(void)context;
	return size * count;
}

/*
 * The certificate is not verified: it names the host that clients know, not the loopback address, and nothing secret is sent.
 */
static CURLcode get(CURL *easy, const char *url, char *reason)
{
	CURLcode code = curl_easy_setopt(easy, CURLOPT_URL, url);

	code = code ? code : curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)TIMEOUT_MS);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_PROXY, "");
	code = code ? code : curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_CERTINFO, 1L);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_USERAGENT, "cairnd/" CAIRN_VERSION);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
	code = code ? code : curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason);
	return code ? code : curl_easy_perform(easy);
}

/* "Expire date:Nov 30 10:36:43 2026 GMT" of the first certificate. */
static int64_t certificate_until(CURL *easy)
{
	static const char name[] = "Expire date:";
	struct curl_certinfo *chain = NULL;

	if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) || !chain || !chain->num_of_certs)
		return 0;
	for (const struct curl_slist *line = chain->certinfo[0]; line; line = line->next) {
		if (strncmp(line->data, name, sizeof(name) - 1) == 0)
			return curl_getdate(line->data + sizeof(name) - 1, NULL);
	}
	return 0;
}

static err_t ask(struct arena *a, struct health *health)
{
	const char *url = health->url;
	char reason[CURL_ERROR_SIZE] = "";
	CURL *easy = curl_easy_init();
	long status = 0;
	CURLcode code;

	if (!easy)
		return err_new(a, ERR_INTERNAL, "out of memory");
	code = get(easy, url, reason);
	if (code == CURLE_OK)
		curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
	health->certificate_until_s = certificate_until(easy);
	curl_easy_cleanup(easy);
	if (code)
		return err_new(a, ERR_INTERNAL, "no answer from %s: %s", url,
			       *reason ? reason : curl_easy_strerror(code));
	if (status != 200)
		return err_new(a, ERR_INTERNAL, "not ready: %s answers with status %ld", url,
			       status);
	return NULL;
}

err_t health_ask(struct arena *a, const struct config *config, struct health *ret_health)
{
	err_t e = find_url(a, config, &ret_health->url);

	return e ? e : ask(a, ret_health);
}

err_t health_command(struct command_call *call)
{
	struct health health = { 0 };
	char doing[STARTING_SIZE];
	err_t e = health_ask(call->arena, call->config, &health);

	if (e && starting_read(call->arena, call->config, doing))
		return err_new(call->arena, ERR_INTERNAL, "not ready: the server is starting: %s",
			       doing);
	if (!e)
		printf("ready: %s\n", health.url);
	return e;
}
