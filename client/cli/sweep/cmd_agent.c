/* cairn agent: reads the command line and the sweep, then runs the agent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "say.h"

#define SLOTS_MAX 256 /* trials at the same time */
#define GPUS_MAX 1024

const struct cli_option agent_options[] = {
	{ "count", 'c', "COUNT", "End after this many trials [no limit]." },
	{ "one", 'o', NULL,
	  "Run one trial and end with its exit status, as a task of an array job does. If the sweep has "
	  "no trial for about ten seconds, end with 0." },
	{ "parallel", 'j', "COUNT",
	  "Trials at the same time, up to 256 [1, or one for each GPU of --gpus]." },
	{ "gpus", 'g', "LIST",
	  "GPUs to share among the trials, such as 0,1,2,3: each has its part of them in "
	  "CUDA_VISIBLE_DEVICES. With fewer trials than GPUs each trial has several, with more "
	  "trials several share a GPU." },
	{ "max-failures", 0, "COUNT",
	  "Failed trials in a row after which the agent ends; 0: never [5]." },
	{ 0 },
};

/* ---- the command ----------------------------------------------------------------------------------- */

static bool add_words_of_config(struct agent *agent, struct json command)
{
	static const char *const usual[] = { "${env}", "${interpreter}", "${program}", "${args}" };
	struct json item = { 0 };

	if (!agent->program_word && !json_is_array(command)) {
		say("the config of sweep %s has no program: give the command behind --, such as cairn "
		    "agent %s -- python3 train.py",
		    agent->sweep, agent->sweep);
		return false;
	}
	for (size_t i = 0; !json_is_array(command) && i < sizeof usual / sizeof usual[0]; i++)
		agent_words_add(&agent->command, usual[i]);
	while (json_is_array(command) && json_next(command, &item, NULL)) {
		char *word = json_text(item);

		agent_words_add(&agent->command, word ? word : "");
		free(word);
	}
	return true;
}

static void add_words_of_line(struct agent *agent, const struct cli *cli)
{
	bool has_args = false;

	for (int i = 1; i < cli->argc; i++) {
		agent_words_add(&agent->command, cli->argv[i]);
		has_args |= agent_words_is_args(cli->argv[i]);
	}
	if (!has_args)
		agent_words_add(&agent->command, "${args}");
}

static bool check_words(const struct agent *agent)
{
	if (agent->command.failed)
		say("out of memory");
	for (size_t i = 0; i < agent->command.count; i++) {
		if (!agent_words_check(agent->command.at[i], agent->program_word))
			return false;
	}
	return !agent->command.failed;
}

static int read_command(struct agent *agent, const struct cli *cli)
{
	struct json command;
	int result;

	agent->api.expected = "state";
	result = agent_ask(agent, "GET", "", NULL);
	if (result)
		return result;
	agent->program_word = json_text(json_member(agent->api.answer, "program"));
	command = json_member(agent->api.answer, "command");
	if (cli->argc > 1)
		add_words_of_line(agent, cli);
	else if (!add_words_of_config(agent, command))
		return EXIT_USAGE;
	agent->program = (struct agent_program){ agent->sweep, agent->command.at,
						 agent->program_word, NULL };
	return check_words(agent) ? EXIT_DONE : EXIT_USAGE;
}

/* ---- slots ----------------------------------------------------------------------------------------- */

static size_t count_items(const char *list)
{
	size_t count = 1;

	for (; *list; list++)
		count += *list == ',';
	return count;
}

/* Copies `count` items of the list from the one at `first` on. */
static char *copy_items(const char *list, size_t first, size_t count)
{
	const char *end;

	for (; first; first--)
		list = strchr(list, ',') + 1;
	for (end = list; count; count--)
		end += strcspn(end, ",") + (count > 1);
	return strndup(list, (size_t)(end - list));
}

static bool share_gpus(struct agent *agent, const char *list)
{
	size_t gpus = count_items(list), slots = agent->slots;
	size_t each = gpus >= slots ? gpus / slots : 1;

	if (gpus >= slots ? gpus % slots : slots % gpus) {
		say("%zu GPUs cannot be shared evenly by %zu trials: change --gpus or --parallel",
		    gpus, slots);
		return false;
	}
	agent->gpus = calloc(slots, sizeof *agent->gpus);
	for (size_t i = 0; agent->gpus && i < slots; i++)
		agent->gpus[i] = copy_items(list, i * each % gpus, each);
	return agent->gpus != NULL;
}

static bool read_slots(struct agent *agent, const struct cli *cli)
{
	const char *gpus = cli_value(cli, "gpus");
	long slots = 1;

	if (gpus && (!gpus[0] || strstr(gpus, ",,") || gpus[0] == ',' ||
		     gpus[strlen(gpus) - 1] == ',' || count_items(gpus) > GPUS_MAX)) {
		say("--gpus must be a list of GPUs, separated by commas, such as 0,1");
		return false;
	}
	if (gpus && !agent->is_one)
		slots = (long)count_items(gpus);
	if (!cli_int(cli, "parallel", 1, SLOTS_MAX, &slots))
		return false;
	agent->slots = (size_t)(slots < SLOTS_MAX ? slots : SLOTS_MAX);
	if (agent->is_one && agent->slots > 1) {
		say("--one runs one trial: leave --parallel out");
		return false;
	}
	agent->trials = calloc(agent->slots, sizeof *agent->trials);
	return agent->trials && (!gpus || share_gpus(agent, gpus));
}

static bool read_options(struct agent *agent, const struct cli *cli)
{
	agent->is_one = cli_has(cli, "one");
	agent->count = agent->is_one;
	agent->failures = 5;
	return cli_int(cli, "count", 1, 1000000000, &agent->count) &&
	       cli_int(cli, "max-failures", 0, 1000000, &agent->failures) && read_slots(agent, cli);
}

static void deinit(struct agent *agent)
{
	for (size_t i = 0; agent->gpus && i < agent->slots; i++)
		free(agent->gpus[i]);
	free(agent->gpus);
	free(agent->trials);
	free(agent->program_word);
	agent_words_deinit(&agent->command);
}

int command_agent(struct cli *cli)
{
	struct agent agent = { .signals = -1 };
	int result;

	if (!cli->argc) {
		say("expected a sweep: cairn agent SWEEP; cairn sweep ls lists them");
		return EXIT_USAGE;
	}
	if (!read_options(&agent, cli)) {
		deinit(&agent);
		return EXIT_USAGE;
	}
	result = api_open(&agent.api, cli, SETTINGS_KEY_NEEDED);
	if (!result) {
		result = sweep_take_name(&agent.api, cli->argv[0], agent.sweep)
				 ? read_command(&agent, cli)
				 : EXIT_USAGE;
		if (!result)
			result = agent_run(&agent);
		api_close(&agent.api);
	}
	deinit(&agent);
	return result;
}
