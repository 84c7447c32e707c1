/* cairn sweep ls, show, trials and best. */
#include <stdio.h>
#include <string.h>

#include "run_text.h"
#include "say.h"
#include "sweep.h"
#include "table.h"

enum { TEXT = 1000 };

static void add_member(struct table *table, struct json object, const char *name)
{
	char text[TEXT];

	run_text_member(object, name, text, sizeof text);
	table_add(table, text);
}

static void add_number(struct table *table, struct json object, const char *name)
{
	char text[64];

	run_text_number(object, name, text, sizeof text);
	table_add(table, text);
}

/* Trials, or points of a sweep that ends when all of them were tried: one of them may have several trials. */
static int64_t count_begun(struct json sweep, int64_t expected)
{
	int64_t count = 0, cap = -1;
	bool is_capped = expected < 0 ||
			 (json_int(json_member(sweep, "run_cap"), &cap) && cap == expected);

	json_int(json_member(json_member(sweep, "trials"), is_capped ? "total" : "points"), &count);
	return count;
}

/* "3/12", "3" if it does not end by itself */
static void write_progress(struct json sweep, char *text, size_t size)
{
	int64_t waiting = 0, running = 0, expected = -1, ended;
	struct json counts = json_member(sweep, "trials");

	json_int(json_member(counts, "waiting"), &waiting);
	json_int(json_member(counts, "running"), &running);
	json_int(json_member(sweep, "expected"), &expected);
	ended = count_begun(sweep, expected) - waiting - running;
	if (ended < 0)
		ended = 0;
	if (expected < 0)
		snprintf(text, size, "%lld", (long long)ended);
	else
		snprintf(text, size, "%lld/%lld", (long long)ended, (long long)expected);
}

static void add_sweep(struct table *table, struct json item)
{
	char text[64];

	add_member(table, item, "id");
	add_member(table, item, "display_name");
	add_member(table, item, "state");
	add_member(table, item, "method");
	write_progress(item, text, sizeof text);
	table_add(table, text);
	add_number(table, json_member(item, "trials"), "running");
	add_number(table, item, "best");
	run_text_time(item, "created_at", text, sizeof text);
	table_add(table, text);
}

/* "lr=0.1 optimizer.name=adam" */
static void write_params(struct json params, const char *prefix, char *text, size_t size)
{
	struct json value = { 0 }, name;

	while (json_next(params, &value, &name)) {
		char word[300], shown[300], whole[640];
		size_t used = strlen(text);

		json_line(name, word, sizeof word);
		snprintf(whole, sizeof whole, "%s%s", prefix, word);
		if (json_is_object(value)) {
			snprintf(whole, sizeof whole, "%s%s.", prefix, word);
			if (strlen(whole) < 300)
				write_params(value, whole, text, size);
			continue;
		}
		run_text_value(value, shown, sizeof shown);
		snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", whole, shown);
	}
}

static void add_trial(struct table *table, struct json item)
{
	char text[TEXT] = "";

	add_number(table, item, "trial");
	add_member(table, item, "state");
	add_number(table, item, "value");
	add_member(table, item, "run");
	add_member(table, item, "host");
	run_text_ago(item, "created_at", text, sizeof text);
	table_add(table, text);
	text[0] = '\0';
	write_params(json_member(item, "params"), "", text, sizeof text);
	table_add(table, text[0] ? text : "-");
}

static int print_rows(const struct api *api, const struct cli *cli, struct table *table,
		      void (*add)(struct table *table, struct json item), const char *none)
{
	struct json item = { 0 };

	if (cli_has(cli, "json")) {
		api_print_json(api);
		return EXIT_DONE;
	}
	while (json_next(json_member(api->answer, "items"), &item, NULL))
		add(table, item);
	if (table->count)
		table_print(table, 0);
	else
		printf("%s\n", none);
	if (json_is_string(json_member(api->answer, "next_cursor")))
		printf("there are more: use --limit\n");
	table_deinit(table);
	return EXIT_DONE;
}

static bool write_query(const struct cli *cli, struct text *tail)
{
	const char *state = cli_value(cli, "state");
	long limit = 50;

	if (!cli_int(cli, "limit", 1, 1000, &limit))
		return false;
	text_format(tail, "%slimit=%ld", tail->length ? "&" : "?", limit);
	if (state) {
		text_str(tail, "&state=");
		text_escaped(tail, state);
	}
	return true;
}

int sweep_list(struct api *api, const struct cli *cli)
{
	struct table table = { .titles = { "SWEEP", "NAME", "STATE", "METHOD", "ENDED", "RUNNING",
					   "BEST", "CREATED" },
			       .is_right = { false, false, false, false, true, true, true },
			       .columns = 8 };
	struct text tail = { 0 };
	int result = EXIT_USAGE;

	if (cli->argc && !api_set_project(api, cli->argv[0], strlen(cli->argv[0]))) {
		say("invalid project \"%s\": expected PROJECT or ENTITY/PROJECT", cli->argv[0]);
		return EXIT_USAGE;
	}
	if (write_query(cli, &tail) && text_c_string(&tail)) {
		api->expected = "items";
		result = sweep_ask(api, "GET", "", tail.data, NULL);
	}
	text_deinit(&tail);
	return result ? result : print_rows(api, cli, &table, add_sweep, "no sweeps");
}

int sweep_trials(struct api *api, const struct cli *cli)
{
	struct table table = { .titles = { "TRIAL", "STATE", "VALUE", "RUN", "HOST", "AGE",
					   "PARAMETERS" },
			       .is_right = { true, false, true },
			       .columns = 7 };
	char name[SWEEP_WORD_SIZE];
	struct text tail = { 0 };
	int result = EXIT_USAGE;

	if (!sweep_take_name(api, cli->argv[0], name))
		return EXIT_USAGE;
	text_str(&tail, "/trials?order=-trial");
	if (write_query(cli, &tail) && text_c_string(&tail)) {
		api->expected = "items";
		result = sweep_ask(api, "GET", name, tail.data, NULL);
	}
	text_deinit(&tail);
	return result ? result : print_rows(api, cli, &table, add_trial, "no trials");
}

/* ---- one ------------------------------------------------------------------------------------------- */

static void print_line(const char *title, const char *text)
{
	if (text[0] && strcmp(text, "-") != 0)
		printf("%-12s %s\n", title, text);
}

static void print_member(struct json object, const char *title, const char *name)
{
	char text[TEXT];

	json_line(json_member(object, name), text, sizeof text);
	print_line(title, text);
}

static void print_metric(struct json metric)
{
	char name[300], goal[32], target[64], text[TEXT];

	if (!json_is_object(metric))
		return;
	json_line(json_member(metric, "name"), name, sizeof name);
	json_line(json_member(metric, "goal"), goal, sizeof goal);
	run_text_number(metric, "target", target, sizeof target);
	snprintf(text, sizeof text, "%s %s%s%s", goal, name,
		 strcmp(target, "-") != 0 ? ", target " : "",
		 strcmp(target, "-") != 0 ? target : "");
	print_line("metric", text);
}

static void print_counts(struct json counts)
{
	static const char *const names[] = { "waiting", "running", "finished", "failed",
					     "killed",  "lost",    "prior" };
	char text[TEXT] = "";

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t used = strlen(text);
		int64_t count = 0;

		if (json_int(json_member(counts, names[i]), &count) && count)
			snprintf(text + used, sizeof text - used, "%s%lld %s", used ? ", " : "",
				 (long long)count, names[i]);
	}
	print_line("trials", text[0] ? text : "none");
}

static void print_sweep(const struct api *api, const char *name)
{
	struct json sweep = api->answer;
	struct text address = { 0 };
	char text[TEXT];

	print_member(sweep, "sweep", "id");
	print_member(sweep, "name", "display_name");
	print_member(sweep, "description", "description");
	print_member(sweep, "state", "state");
	print_member(sweep, "because", "why_ended");
	print_member(sweep, "method", "method");
	print_metric(json_member(sweep, "metric"));
	write_progress(sweep, text, sizeof text);
	print_line("ended", text);
	print_counts(json_member(sweep, "trials"));
	run_text_number(sweep, "best", text, sizeof text);
	print_line("best", text);
	print_member(sweep, "seed", "seed");
	print_member(sweep, "by", "user");
	run_text_time(sweep, "created_at", text, sizeof text);
	print_line("created", text);
	sweep_address(api, name, &address);
	if (text_c_string(&address))
		print_line("page", address.data);
	text_deinit(&address);
}

int sweep_show(struct api *api, const struct cli *cli)
{
	char name[SWEEP_WORD_SIZE];
	int result;

	if (!sweep_take_name(api, cli->argv[0], name))
		return EXIT_USAGE;
	api->expected = "state";
	result = sweep_ask(api, "GET", name, "", NULL);
	if (!result && cli_has(cli, "json"))
		api_print_json(api);
	else if (!result)
		print_sweep(api, name);
	return result;
}

int sweep_best(struct api *api, const struct cli *cli)
{
	char name[SWEEP_WORD_SIZE], value[64], text[TEXT] = "";
	struct json trial = { 0 };
	int result;

	if (!sweep_take_name(api, cli->argv[0], name))
		return EXIT_USAGE;
	api->expected = "items";
	result = sweep_ask(api, "GET", name, "/trials?order=best&limit=1", NULL);
	if (result)
		return result;
	json_next(json_member(api->answer, "items"), &trial, NULL);
	run_text_number(trial, "value", value, sizeof value);
	if (!trial.at || strcmp(value, "-") == 0) {
		say("no trial of %s has a value of the metric yet", name);
		return EXIT_REFUSED;
	}
	if (cli_has(cli, "json")) {
		api->answer = trial;
		api_print_json(api);
		return EXIT_DONE;
	}
	print_line("value", value);
	print_member(trial, "trial", "trial");
	print_member(trial, "run", "run");
	print_member(trial, "state", "state");
	write_params(json_member(trial, "params"), "", text, sizeof text);
	print_line("parameters", text);
	return EXIT_DONE;
}
