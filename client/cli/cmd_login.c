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
	  "Read the key from the first line of this file; - is standard input." },
	{ "ca-file", 0, "FILE", "PEM certificates to trust instead of the system's." },
	{ 0 },
};

static char *ask_key(const char *url)
{
	char prompt[600];

	snprintf(prompt, sizeof prompt, "API key for %.500s (it is not shown): ", url);
	return secret_ask(prompt);
}

static char *get_key(const struct cli *cli, const char *url)
{
	const char *path = cli_value(cli, "key-file");
	FILE *file;
	char *key;

	if (!path)
		return ask_key(url);
	if (strcmp(path, "-") == 0)
		return secret_read_line(stdin);
	file = fopen(path, "re");
	if (!file) {
		say("the key file \"%s\" cannot be read: %s", path, strerror(errno));
		return NULL;
	}
	key = secret_read_line(file);
	fclose(file);
	return key;
}

/* The key works: who is it? */
static int try_key(struct api *api)
{
	char name[130];
	int result = api_ask(api, "GET", "/api/v1/viewer", NULL);

	if (result)
		return result;
	json_copy(json_member(api->answer, "name"), name, sizeof name);
	if (!name[0]) {
		say("%s answers, but not as a Cairn server does", api->settings.url);
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
		say("there is no home directory: set HOME or XDG_CONFIG_HOME");
	else if (credentials_write(path, settings->url, settings->api_key) != CREDENTIALS_OK)
		say("\"%s\" cannot be written: %s", path, strerror(errno));
	else
		result = EXIT_DONE;
	if (result == EXIT_DONE)
		printf("The key is in %s.\n", path);
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
		say("login needs the server's address: cairn login http://host:port");
		return EXIT_USAGE;
	}
	key = get_key(cli, cli->argv[0]);
	if (!key || !key[0]) {
		say("no key was given; make one with \"cairnd key create\"");
		free(key);
		return EXIT_USAGE;
	}
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
