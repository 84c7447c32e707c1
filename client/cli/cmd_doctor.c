/* cairn doctor: each step on the way to the server, and what to do where it ends. */
#include <math.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "cairn.h"
#include "command.h"
#include "names.h"
#include "run_text.h"
#include "say.h"

#define CLOCK_DIFFERENCE_S 60

const struct cli_option doctor_options[] = { { 0 } };

static void good(const char *step, const char *text)
{
	printf("ok    %-8s %s\n", step, text);
}

static int bad(const char *step, const char *text, const char *advice, int code)
{
	printf("FAIL  %-8s %s\n               %s\n", step, text, advice);
	return code;
}

/* The host in an address, for the resolver. */
static void host_of(const char *url, char *host, size_t size)
{
	const char *start = strstr(url, "://") + 3;
	size_t length = strcspn(start, ":/");

	if (*start == '[') {
		start++;
		length = strcspn(start, "]");
	}
	snprintf(host, size, "%.*s", (int)length, start);
}

static int check_name(struct api *api)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL;
	char host[256], text[400];
	int e;

	host_of(api->settings.url, host, sizeof host);
	e = getaddrinfo(host, NULL, &hints, &found);
	if (found)
		freeaddrinfo(found);
	if (e) {
		snprintf(text, sizeof text, "cannot resolve \"%s\": %s", host, gai_strerror(e));
		return bad("name", text,
			   "Check the spelling of the address, /etc/hosts and the name server. "
			   "Is a VPN needed?",
			   EXIT_NO_ANSWER);
	}
	snprintf(text, sizeof text, "%s is known", host);
	good("name", text);
	return EXIT_DONE;
}

/* By libcurl's and OpenSSL's words; what is not known is said last. */
static const char *advice_of_connection(const char *error)
{
	if (strstr(error, "wrong version number") || strstr(error, "packet length too long") ||
	    strstr(error, "SSL_ERROR_SYSCALL") || strstr(error, "unexpected eof"))
		return "The server does not use TLS on this port: use an address with http://.";
	if (strstr(error, "Empty reply") || strstr(error, "reset by peer") ||
	    strstr(error, "HTTP/0.9"))
		return "There is no web server on this port, or it uses TLS: then use an address "
		       "with https://.";
	if (strstr(error, "CAIRN_CA_FILE"))
		return "Set --ca-file or CAIRN_CA_FILE to a file with the authority's "
		       "certificate (PEM); ask the server's administrator for it.";
	if (strstr(error, "certificate") || strstr(error, "SSL"))
		return "The server's administrator finds help in docs/tls.md.";
	return "Is the server running on this port? A firewall or a proxy in https_proxy may "
	       "block the connection.";
}

static int check_connection(struct api *api)
{
	char text[700];
	int result = api_try(api, "GET", "/api/v1/server", NULL);

	if (result == EXIT_NO_ANSWER)
		return bad("connect", api->response.error,
			   advice_of_connection(api->response.error), EXIT_NO_ANSWER);
	snprintf(text, sizeof text, "%s, %.1f ms to connect%s, %.1f ms to answer",
		 api->response.peer, api->response.connect_s * 1000,
		 api->response.tls_s > 0 ? " with TLS" : "", api->response.total_s * 1000);
	good("connect", text);
	return EXIT_DONE;
}

static int check_server(struct api *api)
{
	char version[40], text[120];

	json_line(json_member(api->answer, "version"), version, sizeof version);
	if (api->response.status != 200 || !version[0]) {
		snprintf(text, sizeof text, "status %ld, not a response of a Cairn server",
			 api->response.status);
		return bad("server", text,
			   "Check the address. It must include the path prefix, if any: "
			   "https://host/prefix",
			   EXIT_REFUSED);
	}
	snprintf(text, sizeof text, "cairnd %s", version);
	good("server", text);
	return EXIT_DONE;
}

static int check_clock(struct api *api)
{
	char text[160];
	double theirs, ours = (double)time(NULL);

	if (!run_text_seconds(json_member(api->answer, "time"), &theirs))
		return EXIT_DONE;
	snprintf(text, sizeof text, "%.0f s from the server's clock", fabs(ours - theirs));
	if (fabs(ours - theirs) > CLOCK_DIFFERENCE_S)
		return bad("clock", text, "Rows get this machine's time: set its clock (NTP).",
			   EXIT_REFUSED);
	good("clock", text);
	return EXIT_DONE;
}

static int check_key(struct api *api)
{
	char name[130], text[160];
	int result;

	if (!api->settings.api_key)
		return bad("key", "no key is set", "Run cairn login URL, or set CAIRN_API_KEY.",
			   EXIT_USAGE);
	result = api_try(api, "GET", "/api/v1/viewer", NULL);
	json_line(json_member(api->answer, "name"), name, sizeof name);
	if (result || !name[0]) {
		snprintf(text, sizeof text, "the server rejected the key (status %ld)",
			 api->response.status);
		return bad("key", text,
			   "It may be revoked, or from another server: run cairn login URL again.",
			   EXIT_REFUSED);
	}
	snprintf(text, sizeof text, "the key belongs to %s", name);
	good("key", text);
	return EXIT_DONE;
}

static int check_project(struct api *api)
{
	const char *path = api_project_path(api, "");
	char text[NAMES_ENTITY_MAX + 1 + NAMES_PROJECT_MAX + 64];
	long status;
	int result;

	if (!path)
		return api->failed;
	result = api_try(api, "GET", path, NULL);
	status = api->response.status;
	snprintf(text, sizeof text, "%s/%s", api->settings.entity, api->settings.project);
	if (status == 404)
		strncat(text, ": does not exist; your first run creates it if permitted", 60);
	else if (result)
		return bad("project", text, "Ask an admin of the entity for a role in it.",
			   EXIT_REFUSED);
	good("project", text);
	return EXIT_DONE;
}

int command_doctor(struct cli *cli)
{
	static int (*const checks[])(struct api *) = {
		check_name, check_connection, check_server, check_clock, check_key, check_project
	};
	struct api api;
	int result;

	if (cli->argc > 0) {
		say("doctor takes no argument; use --url to check another server");
		return EXIT_USAGE;
	}
	result = api_open(&api, cli, SETTINGS_KEY_OPTIONAL);
	if (result)
		return result;
	api.timeout_ms = 10000;
	printf("%s\n", api.settings.url);
	for (size_t i = 0; !result && i < sizeof checks / sizeof checks[0]; i++)
		result = checks[i](&api);
	api_close(&api);
	return result;
}
