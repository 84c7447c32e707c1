/* cairn login: asks for a key, tries it, writes it down. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "cairn.h"
#include "command.h"
#include "credentials.h"
#include "say.h"
#include "secret.h"

const struct cli_option login_options[] = {
	{ "key-file", 'k', "FILE",
	  "Read the key from the first line of this file, or from standard input if it is -." },
	{ "ca-file", 0, "FILE", "PEM certificates to trust instead of the system's." },
	{ 0 },
};

/* A key that cannot be one: most often a part of one, or another file. */
static bool is_key(const char *key)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t length = strlen(key);

	return length >= 40 && length <= 128 && strspn(key, letters) == length;
}

static char *ask_key(const char *url)
{
	char prompt[600];

	snprintf(prompt, sizeof prompt, "API key for %.500s (input is hidden): ", url);
	return secret_ask(prompt);
}

/* *ret_key is NULL when none was given. False after saying that the file cannot be read. */
static bool read_key(const struct cli *cli, const char *url, char **ret_key)
{
	const char *path = cli_value(cli, "key-file");
	FILE *file;

	if (!path || strcmp(path, "-") == 0) {
		*ret_key = path ? secret_read_line(stdin) : ask_key(url);
		return true;
	}
	file = fopen(path, "re");
	if (!file) {
		say("cannot read the key file \"%s\": %s", path, strerror(errno));
		return false;
	}
	*ret_key = secret_read_line(file);
	fclose(file);
	return true;
}

/* Returns a text that has the form of a key, or NULL after an error message. */
static char *take_key(const struct cli *cli, const char *url)
{
	char *key = NULL;

	if (!read_key(cli, url, &key))
		return NULL;
	if (key && is_key(key))
		return key;
	if (key && key[0])
		say("invalid API key: expected 40 to 128 letters, digits, _ and -");
	else
		say("no key given; an admin can create one on the server's host: cairnd key "
		    "create --user NAME");
	free(key);
	return NULL;
}

static bool is_address(const char *url)
{
	if (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0)
		return true;
	say("the server's address must begin with http:// or https://: cairn login http://%s", url);
	return false;
}

/* The key works: who is it? */
static int try_key(struct api *api)
{
	char name[130];
	int result = api_try(api, "GET", "/api/v1/viewer", NULL);

	if (result && api->response.status == 401)
		say("%s rejected this key (status 401): it may be revoked, or from another server",
		    api->settings.url);
	else if (result)
		api_say(api);
	if (result)
		return result;
	json_line(json_member(api->answer, "name"), name, sizeof name);
	if (!name[0]) {
		say("%s is not a Cairn server", api->settings.url);
		return EXIT_REFUSED;
	}
	printf("Logged in to %s as %s.\n", api->settings.url, name);
	return EXIT_DONE;
}

static int remember(const struct settings *settings)
{
	char *path = credentials_path();
	int result = EXIT_REFUSED;

	if (!path)
		say("no home directory: set HOME or XDG_CONFIG_HOME");
	else if (credentials_write(path, settings->url, settings->api_key) != CREDENTIALS_OK)
		say("cannot write \"%s\": %s", path, strerror(errno));
	else
		result = EXIT_DONE;
	if (result == EXIT_DONE)
		printf("The key is stored in %s.\n", path);
	if (result == EXIT_DONE && settings->ca_file)
		printf("Set CAIRN_CA_FILE to %s for other commands and programs.\n",
		       settings->ca_file);
	free(path);
	return result;
}

static int open_server(struct api *api, const struct cli *cli, const char *key)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	char error[SETTINGS_ERROR_SIZE];

	*api = (struct api){ .timeout_ms = 15000 };
	options.url = cli->argv[0];
	options.api_key = key;
	options.ca_file = cli_value(cli, "ca-file");
	if (settings_load_server(&options, SETTINGS_KEY_NEEDED, &api->settings, error)) {
		say("%s", error);
		settings_deinit(&api->settings);
		return EXIT_USAGE;
	}
	api->transport = transport_new(&api->settings);
	return api->transport ? EXIT_DONE : EXIT_REFUSED;
}

int command_login(struct cli *cli)
{
	struct api api;
	char *key;
	int result;

	if (cli->argc != 1) {
		say("login requires the server's address: cairn login http://host:port");
		return EXIT_USAGE;
	}
	key = is_address(cli->argv[0]) ? take_key(cli, cli->argv[0]) : NULL;
	if (!key)
		return EXIT_USAGE;
	result = open_server(&api, cli, key);
	free(key);
	if (result)
		return result;
	result = try_key(&api);
	if (!result)
		result = remember(&api.settings);
	api_close(&api);
	return result;
}
