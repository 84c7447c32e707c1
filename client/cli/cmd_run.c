/*
 * cairn run: starts the command first, in a process that has no other threads yet, then the run.
 * So the command never waits for the server; and the end waits for it only a stated time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn.h"
#include "child.h"
#include "command.h"
#include "end.h"
#include "json.h"
#include "names.h"
#include "notices.h"
#include "number.h"
#include "ranks.h"
#include "say.h"
#include "settings.h"
#include "shell_word.h"
#include "slurm.h"
#include "text.h"
#include "transport.h"
#include "watch.h"

#define FINISH_TIMEOUT_S 15 /* after the command, to send what is left */
#define FINISH_TIMEOUT_MOST_S 86400
/* A server that was never reached had the command's whole time. Nothing outlives us, so one last try is made. */
#define ALONE_MS 3000
#define LAST_TRY_MS 1000

const struct cli_option run_options[] = {
	{ "run", 'r', "RUN",
	  "Join this run, or create it with this id [CAIRN_RUN, else one run for all ranks of a "
	  "launch in a batch job, else a new run]." },
	{ "array", 'a', NULL,
	  "Name the run by the array job and task, such as slurm-4700_3, so that a task that is "
	  "queued again continues its run. The group is the array job, unless --group is set." },
	{ "label", 'l', "LABEL",
	  "Display name of this process [rank3 if started by a launcher, else host and a random "
	  "text]." },
	{ "name", 'n', "TEXT", "Display name of the run." },
	{ "group", 'g', "TEXT", "Group of the run." },
	{ "job-type", 'j', "TEXT", "Kind of work: train, eval ..." },
	{ "tags", 't', "A,B", "Tags, separated by commas." },
	{ "notes", 0, "TEXT", "Notes." },
	{ "config", 'c', "JSON", "Configuration of the run, as a JSON object." },
	{ "worker", 'w', NULL,
	  "Add to a run as a worker, which does not decide how the run "
	  "ends [CAIRN_ROLE, else ranks above 0 of a run that several ranks share]." },
	{ "no-console", 0, NULL, "Do not record the command's output." },
	{ "metadata", 0, "WHAT",
	  "Metadata to record about the command, its directory, git and the machine: all, "
	  "no-command (no command line; otherwise secrets in it are masked if they can be "
	  "recognized by name) or none [CAIRN_METADATA, else all]. Unless it is none, git "
	  "status is run in the directory; this may run clean filters set up by the repository, "
	  "such as those of Git LFS." },
	{ "sample-interval", 's', "SECONDS",
	  "Seconds between samples of system metrics, 0 for off [15]." },
	{ "preempt-signal", 0, "SIGNAL",
	  "Signal by which the batch system announces that it takes the machine away: TERM, USR1, "
	  "USR2, HUP, INT, QUIT or none. The run is then preempting, and preempted if the command "
	  "fails [TERM in a Slurm job or a Kubernetes pod, else none]." },
	{ "finish-timeout", 0, "SECONDS",
	  "Seconds to wait at the end until all data is sent [15; if the server was never "
	  "reached, 1, or after a command shorter than 2 seconds the rest of 3]." },
	{ "quiet", 'q', NULL, "Print no messages." },
	{ 0 },
};

static bool read_interval(const struct cli *cli, struct cairn_options *options)
{
	const char *text = cli_value(cli, "sample-interval");

	if (!text || (number_parse(text, strlen(text), &options->sample_interval_s) &&
		      options->sample_interval_s >= 0))
		return true;
	say("--sample-interval must be a number of seconds");
	return false;
}

/* The library would run the command unlogged; at a command line it is better said before. */
static bool read_config(const struct cli *cli, struct cairn_options *options)
{
	const char *text = cli_value(cli, "config");

	options->config_json = text;
	if (!text || json_is_object(json_parse(text, strlen(text))))
		return true;
	say("--config must be a JSON object, such as '{\"lr\": 0.01}'");
	return false;
}

static bool read_metadata(const struct cli *cli, enum metadata_what *ret_what)
{
	const char *name = cli_value(cli, "metadata");

	if (!name)
		name = getenv("CAIRN_METADATA");
	if (!name || !name[0] || metadata_find(name, ret_what))
		return true;
	say(cli_has(cli, "metadata") ? "--metadata must be all, no-command or none"
				     : "CAIRN_METADATA must be all, no-command or none");
	return false;
}

/* The place of this process as the environment has it: its rank, and its task in an array job. */
struct place {
	struct ranks ranks;
	struct ranks_array array;
};

static bool is_set(const char *option, const char *variable)
{
	const char *value = option ? option : getenv(variable);

	return value && value[0];
}

static bool read_place(const struct cli *cli, struct place *place, struct cairn_options *options)
{
	bool is_array = cli_has(cli, "array"), has_run = is_set(options->run_id, "CAIRN_RUN");

	ranks_find(&place->ranks);
	if (is_array && !ranks_find_array(&place->array)) {
		say("--array requires an array job: SLURM_ARRAY_JOB_ID and SLURM_ARRAY_TASK_ID, "
		    "or the variables of PBS, LSF or Grid Engine, are not set");
		return false;
	}
	if (!has_run && place->ranks.run_id[0])
		options->run_id = place->ranks.run_id;
	else if (!has_run && is_array)
		options->run_id = place->array.run_id;
	if (is_array && !is_set(options->group, "CAIRN_GROUP"))
		options->group = place->array.group;
	if (!has_run && !options->run_id && place->ranks.rank == 0 && !place->ranks.is_index &&
	    !cli_has(cli, "quiet"))
		say("each rank of %s is logged as a run of its own; to log all ranks to one run, "
		    "set CAIRN_RUN to the same id for all of them",
		    place->ranks.launcher);
	return true;
}

/* The signal that announces a preemption; 0: none. */
static bool read_signal(const struct cli *cli, int *ret_signal)
{
	const char *name = cli_value(cli, "preempt-signal");
	bool is_inside = slurm_has_job() || is_set(NULL, "KUBERNETES_SERVICE_HOST");

	*ret_signal = 0;
	if (!name) {
		*ret_signal = is_inside ? SIGTERM : 0;
		return true;
	}
	*ret_signal = watch_find_signal(name);
	if (*ret_signal || strcmp(name, "none") == 0)
		return true;
	say("--preempt-signal must be TERM, USR1, USR2, HUP, INT, QUIT or none");
	return false;
}

static bool read_options(const struct cli *cli, struct cairn_options *options)
{
	options->url = cli_value(cli, "url");
	options->api_key_file = cli_value(cli, "key-file");
	options->ca_file = cli_value(cli, "ca-file");
	options->project = cli_value(cli, "project");
	options->run_id = cli_value(cli, "run");
	options->label = cli_value(cli, "label");
	options->display_name = cli_value(cli, "name");
	options->group = cli_value(cli, "group");
	options->job_type = cli_value(cli, "job-type");
	options->tags = cli_value(cli, "tags");
	options->notes = cli_value(cli, "notes");
	if (cli_has(cli, "worker"))
		options->role = CAIRN_WORKER;
	return read_interval(cli, options) && read_config(cli, options);
}

/* Decides once who this is, so that the command and the run are told the same. */
static int decide(struct cairn_options *options, struct settings *settings)
{
	char error[SETTINGS_ERROR_SIZE];
	int result = settings_load(options, settings, error);

	if (result) {
		say("%s", error);
		return EXIT_USAGE;
	}
	options->url = settings->url;
	options->api_key = settings->api_key;
	options->api_key_file = NULL;
	options->run_id = settings->run_id;
	options->client_id = settings->client_id;
	options->label = settings->label;
	options->role = settings->role;
	return EXIT_DONE;
}

/* Returns the label that names of the command's own writers begin with: the one given to this writer. */
static const char *label_for_children(const struct cli *cli, const struct ranks *ranks)
{
	const char *label = cli_value(cli, "label");

	if (!label || !*label)
		label = getenv("CAIRN_LABEL");
	if ((!label || !*label) && ranks->label[0])
		return ranks->label;
	return label && *label ? label : getenv("CAIRN_PARENT_LABEL");
}

/* The launcher whose rank this writer has: it is not that of the command's own writers. */
static const char *launcher_for_children(const struct ranks *ranks)
{
	return ranks->launcher ? ranks->launcher : getenv("CAIRN_PARENT_LAUNCHER");
}

static int start_command(struct child *child, const struct cli *cli, const struct ranks *ranks,
			 const struct settings *settings, const struct child_signals *signals)
{
	char project[NAMES_ENTITY_MAX + 1 + NAMES_PROJECT_MAX + 1];
	const struct child_environment environment[] = {
		{ "CAIRN_URL", settings->url },
		{ "CAIRN_API_KEY", settings->api_key },
		{ "CAIRN_PROJECT", project },
		{ "CAIRN_RUN", settings->run_id },
		{ "CAIRN_PARENT", settings->client_id },
		{ "CAIRN_PARENT_LABEL", label_for_children(cli, ranks) },
		{ "CAIRN_PARENT_LAUNCHER", launcher_for_children(ranks) },
		{ "CAIRN_ROLE", "worker" },
		{ "CAIRN_CA_FILE", settings->ca_file },
		/* The first writer to arrive creates the run. */
		{ "CAIRN_NAME", settings->display_name },
		{ "CAIRN_GROUP", settings->group },
		{ "CAIRN_JOB_TYPE", settings->job_type },
		{ "CAIRN_TAGS", settings->tags },
		{ "CAIRN_NOTES", settings->notes },
		{ "CAIRN_SAMPLE_INTERVAL", "0" },            /* we sample the whole tree already */
		{ "CAIRN_SPOOL_DIR", settings->spool.path }, /* wherever it goes to */
		{ "CAIRN_LABEL", NULL },
		{ "CAIRN_CLIENT", NULL },
		{ 0 },
	};

	snprintf(project, sizeof project, "%s%s%s", settings->entity ? settings->entity : "",
		 settings->entity ? "/" : "", settings->project);
	return child_start(child, cli->argv, environment, signals);
}

/* How to look at it where it runs; where its page is, is said once the server has it. */
static void say_start(struct cairn_run *run, const struct settings *settings)
{
	struct text name = { 0 }, line = { 0 };

	if (settings->mode == MODE_OFFLINE) {
		say("run %s is written to %s; send it with: cairn sync", cairn_run_id(run),
		    settings->spool.path);
		return;
	}
	text_format(&name, "%s%s%s/%s", settings->entity ? settings->entity : "",
		    settings->entity ? "/" : "", settings->project, cairn_run_id(run));
	if (text_c_string(&name))
		shell_word(&line, name.data);
	if (text_c_string(&line))
		say("run %s; show it with: cairn show %s%s", cairn_run_id(run),
		    line.data[0] == '-' ? "-- " : "", line.data);
	text_deinit(&name);
	text_deinit(&line);
}

static int finish_ms(const struct cli *cli, const struct notices *notices, struct cairn_run *run)
{
	int64_t left_ms = ALONE_MS - (transport_clock_us() - notices->start_us) / 1000;
	struct cairn_stats stats;
	long asked_s = 0;

	if (cli_has(cli, "finish-timeout")) {
		cli_int(cli, "finish-timeout", 0, FINISH_TIMEOUT_MOST_S, &asked_s);
		return (int)asked_s * 1000;
	}
	cairn_stats(run, &stats);
	if (stats.joins > 0)
		return FINISH_TIMEOUT_S * 1000;
	return left_ms > LAST_TRY_MS ? (int)left_ms : LAST_TRY_MS;
}

/* The end, within its time. One line tells what the server does not have. */
static void finish(const struct cli *cli, struct watch *watch, struct cairn_run *run, int code)
{
	int64_t end_us = transport_clock_us();
	int timeout_ms = finish_ms(cli, &watch->notices, run);
	struct cairn_report report;

	end_set(watch, code, run);
	metadata_end(&watch->metadata, timeout_ms / 2, run);
	timeout_ms -= (int)((transport_clock_us() - end_us) / 1000);
	cairn_finish(run, code, timeout_ms, &report);
	metadata_step(&watch->metadata, NULL, run); /* a tool that had to be ended is over by now */
	notices_end(&watch->notices, run, &report);
}

static int run_command(const struct cli *cli, const struct ranks *ranks,
		       struct cairn_options *options, const struct settings *settings)
{
	struct watch watch = { .keeps_console = !cli_has(cli, "no-console") };
	struct cairn_run *run;
	int code;

	if (!read_metadata(cli, &watch.metadata.what) || !read_signal(cli, &watch.preempt_signal))
		return EXIT_USAGE;
	/* of a run with many processes, that of the one that leads */
	if (settings->role != CAIRN_PRIMARY)
		watch.metadata.what = METADATA_NONE;
	if (!watch_prepare(&watch))
		return EXIT_REFUSED;
	code = start_command(&watch.child, cli, ranks, settings, &watch.before);
	if (code)
		return code;
	metadata_begin(&watch.metadata, cli->argv, &watch.before.mask);
	options->sample_pid = watch.child.pid;
	if (cairn_run_start(options, &run) != CAIRN_OK && !cli_has(cli, "quiet")) {
		char error[SETTINGS_ERROR_SIZE];

		cairn_last_error(NULL, error, sizeof error);
		say("the command runs without logging: %s", error);
	}
	if (run && isatty(STDERR_FILENO) && !cli_has(cli, "quiet") &&
	    settings->mode != MODE_DISABLED)
		say_start(run, settings);
	notices_start(&watch.notices, cli_has(cli, "quiet"));
	code = watch_until_end(&watch, run);
	watch_stop(&watch);
	if (run)
		finish(cli, &watch, run, code);
	else
		metadata_end(&watch.metadata, 0, NULL);
	cairn_run_free(run);
	return code;
}

int command_run(struct cli *cli)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct settings settings;
	struct place place;
	long ignored = 0;
	int result;

	if (cli->argc == 0) {
		say("run requires a command: cairn run -- COMMAND");
		return EXIT_USAGE;
	}
	if (!read_options(cli, &options) || !read_place(cli, &place, &options) ||
	    !cli_int(cli, "finish-timeout", 0, FINISH_TIMEOUT_MOST_S, &ignored))
		return EXIT_USAGE;
	result = decide(&options, &settings);
	if (!result)
		result = run_command(cli, &place.ranks, &options, &settings);
	settings_deinit(&settings);
	return result;
}
