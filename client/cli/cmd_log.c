/*
 * cairn log: one row, as bare history. Each call is a process of its own, so it does not join as a
 * writer (a run has room for some thousands of those); an idempotency key makes its retries safe.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api.h"
#include "command.h"
#include "json.h"
#include "log_offline.h"
#include "random_id.h"
#include "retry.h"
#include "say.h"

const struct cli_option log_options[] = {
	{ "run", 'r', "RUN", "Run to add to [CAIRN_RUN]." },
	{ "step", 's', "STEP", "Step of the row [next step of the run]." },
	{ "timeout", 't', "SECONDS", "Seconds to retry while the server is unreachable [10]." },
	{ 0 },
};

/* A value that is JSON is kept as it is; NaN and the infinities are numbers; the rest is text. */
static void write_value(struct text *body, const char *value)
{
	struct json json = json_parse(value, strlen(value));

	if (json.at)
		text_add(body, json.at, json.length);
	else
		text_json_string(body, value, strlen(value));
}

static bool write_pair(struct text *body, const char *pair)
{
	const char *equals = strchr(pair, '=');

	if (!equals || equals == pair) {
		say("\"%s\" is not a KEY=VALUE pair", pair);
		return false;
	}
	text_str(body, ",");
	text_json_string(body, pair, (size_t)(equals - pair));
	text_str(body, ":");
	write_value(body, equals + 1);
	return true;
}

static bool write_row(const struct cli *cli, struct text *body)
{
	struct json_facts facts;
	struct timespec now;
	long step = -1;

	if (!cli_int(cli, "step", 0, 1L << 53, &step))
		return false;
	clock_gettime(CLOCK_REALTIME, &now);
	text_str(body, "{\"_timestamp\":");
	text_json_time(body, (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	if (step >= 0) {
		text_str(body, ",\"_step\":");
		text_int(body, step);
	}
	for (int i = 0; i < cli->argc; i++) {
		if (!write_pair(body, cli->argv[i]))
			return false;
	}
	text_str(body, "}");
	if (text_c_string(body) && json_check_row(body->data, body->length, &facts) == JSON_OK)
		return true;
	say("invalid keys: each key of a row must be unique, 1 to 2048 bytes of UTF-8");
	return false;
}

static void pause_ms(int wait_ms)
{
	struct timespec time = { wait_ms / 1000, wait_ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

/* Tries again while the server is away or busy, for as long as was allowed. */
static int post(struct api *api, const char *path, const struct text *body, int64_t deadline_us)
{
	struct request request = {
		.method = "POST", .path = path, .body = body->data, .body_length = body->length
	};
	struct retry retry;
	char key[25];

	random_id(key, sizeof key - 1);
	request.idempotency_key = key;
	retry_init(&retry, 2000);
	for (;;) {
		int64_t left_ms = (deadline_us - transport_clock_us()) / 1000;
		int wait_ms;
		long status;

		request.timeout_ms = left_ms > 100 ? (int)left_ms : 100;
		transport_perform(api->transport, &request, &api->response);
		api->expected = "rows";
		if (api_judge(api) == EXIT_DONE)
			return EXIT_DONE;
		status = api->response.status;
		wait_ms = retry_next_ms(&retry, api->response.retry_after_s);
		if ((status != 0 && status < 500 && status != 429) ||
		    transport_clock_us() + wait_ms * 1000 >= deadline_us)
			return status ? EXIT_REFUSED : EXIT_NO_ANSWER;
		pause_ms(wait_ms);
	}
}

/* Each value that is named: the row itself is stored. */
static void say_left_out(struct json answer)
{
	struct json list = json_member(answer, "left_out_first");
	struct json one = { 0 };

	while (json_next(list, &one, NULL)) {
		char *name = json_text(json_member(one, "name"));
		char *reason = json_text(json_member(one, "reason"));

		if (name && reason)
			say("the server cannot store the value of \"%s\" (%s); the others are "
			    "stored",
			    name, reason);
		free(name);
		free(reason);
	}
}

/* In a mode that uses no network. */
static int log_elsewhere(enum log_mode mode, const struct cli *cli, const struct text *row,
			 long timeout_s)
{
	if (mode == LOG_OFFLINE)
		return log_offline(cli, row, transport_clock_us() + timeout_s * 1000000);
	return mode == LOG_DISABLED ? EXIT_DONE : EXIT_USAGE;
}

int command_log(struct cli *cli)
{
	struct text body = { 0 }, path = { 0 };
	const char *run, *base;
	struct api api;
	enum log_mode mode;
	long timeout_s = 10;
	int result;

	if (cli->argc == 0) {
		say("log requires at least one KEY=VALUE");
		return EXIT_USAGE;
	}
	if (!cli_int(cli, "timeout", 0, 3600, &timeout_s) || !write_row(cli, &body)) {
		text_deinit(&body);
		return EXIT_USAGE;
	}
	mode = log_mode();
	if (mode != LOG_ONLINE) {
		result = log_elsewhere(mode, cli, &body, timeout_s);
		text_deinit(&body);
		return result;
	}
	result = api_open(&api, cli, SETTINGS_KEY_NEEDED);
	if (result) {
		text_deinit(&body);
		return result;
	}
	result = EXIT_USAGE;
	run = api_run_argument(&api, cli_value(cli, "run"));
	base = run ? api_run_path(&api, run, "/history") : NULL;
	if (base) {
		text_str(&path, base);
		result = post(&api, text_c_string(&path), &body,
			      transport_clock_us() + timeout_s * 1000000);
		if (result)
			api_say(&api);
		else
			say_left_out(api.answer);
	} else if (run) {
		result = api.failed;
	}
	text_deinit(&body);
	text_deinit(&path);
	api_close(&api);
	return result;
}
