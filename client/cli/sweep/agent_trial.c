#include "agent_trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "say.h"
#include "transport.h"
#include "watch.h"

#define STOP_MS 30000 /* from SIGTERM to SIGKILL; tests set STOP_VARIABLE */
#define STOP_VARIABLE "CAIRN_TEST_AGENT_STOP_MS"
#define EXIT_CANNOT_EXECUTE 126
#define FINISH_TIMEOUT "600" /* seconds: there are no new trials while the server is away */

/* ---- files: parameters for programs that read them from one --------------------------------------- */

#define PARAMS_END ".json"
#define WANDB_END ".yaml"

static void put_path(struct text *path, const char *sweep, const char *run, const char *end)
{
	char *here = realpath(".", NULL);

	text_format(path, "%s/.cairn/sweeps/%s%s%s%s", here ? here : ".", sweep, run[0] ? "/" : "",
		    run, end);
	free(here);
}

static void make_folder(const char *sweep)
{
	struct text path = { 0 };

	mkdir(".cairn", 0777);
	mkdir(".cairn/sweeps", 0777);
	put_path(&path, sweep, "", "");
	if (text_c_string(&path))
		mkdir(path.data, 0777);
	text_deinit(&path);
}

void agent_trial_remove_folder(const char *sweep)
{
	struct text path = { 0 };

	put_path(&path, sweep, "", "");
	if (text_c_string(&path))
		rmdir(path.data); /* unless another agent has files there */
	text_deinit(&path);
}

static bool write_file(const char *path, const struct text *content)
{
	FILE *file = fopen(path, "we");
	bool is_written = file &&
			  fwrite(content->data, 1, content->length, file) == content->length;

	if (file && fclose(file) != 0)
		is_written = false;
	return is_written;
}

/* {"wandb_version": 1, "lr": {"value": 0.1}}, which is YAML, too */
static void put_wandb(struct text *content, struct json params)
{
	struct json value = { 0 }, name;

	text_str(content, "{\"wandb_version\": 1");
	while (json_next(params, &value, &name)) {
		text_str(content, ", ");
		text_add(content, name.at, name.length);
		text_str(content, ": {\"value\": ");
		text_add(content, value.at, value.length);
		text_str(content, "}");
	}
	text_str(content, "}\n");
}

static bool write_both(struct json params, const char *json_path, const char *wandb_path)
{
	struct text content = { 0 };
	bool is_written;

	text_add(&content, params.at, params.length);
	text_str(&content, "\n");
	is_written = !content.failed && write_file(json_path, &content);
	text_clear(&content, content.capacity);
	put_wandb(&content, params);
	is_written = is_written && !content.failed && write_file(wandb_path, &content);
	text_deinit(&content);
	return is_written;
}

/* Another agent in this folder may remove it at its end: it is made again. */
static bool write_params(struct json params, const char *sweep, const char *json_path,
			 const char *wandb_path)
{
	for (int i = 0; i < 3; i++) {
		make_folder(sweep);
		if (write_both(params, json_path, wandb_path))
			return true;
		if (errno != ENOENT)
			break;
	}
	say("cannot write the parameters to %s: %s", json_path, strerror(errno));
	return false;
}

/* ---- the process ----------------------------------------------------------------------------------- */

/* Memory of one start, until the process is there. */
struct start {
	struct text params, project, params_path, wandb_path;
	struct agent_words words;
};

static void deinit(struct start *start)
{
	text_deinit(&start->params);
	text_deinit(&start->project);
	text_deinit(&start->params_path);
	text_deinit(&start->wandb_path);
	agent_words_deinit(&start->words);
}

/* "cairn run --run RUN --config {…} -- COMMAND" */
static void build_words(struct start *start, const struct agent_trial *trial,
			const struct agent_program *program, struct json params)
{
	const struct agent_facts facts = { program->program, params, start->params_path.data };
	const char *const own[] = { "cairn",
				    "run",
				    "--run",
				    trial->run,
				    "--config",
				    start->params.data,
				    "--finish-timeout",
				    FINISH_TIMEOUT,
				    "--" };

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		agent_words_add(&start->words, own[i]);
	for (size_t i = 0; program->command[i]; i++)
		agent_words_expand(&start->words, program->command[i], &facts);
}

static bool prepare(struct start *start, const struct agent_trial *trial,
		    const struct agent_program *program, const struct settings *settings,
		    struct json params)
{
	text_add(&start->params, params.at, params.length);
	text_format(&start->project, "%s/%s", settings->entity, settings->project);
	put_path(&start->params_path, program->sweep, trial->run, PARAMS_END);
	put_path(&start->wandb_path, program->sweep, trial->run, WANDB_END);
	if (text_c_string(&start->params) && text_c_string(&start->project) &&
	    text_c_string(&start->params_path) && text_c_string(&start->wandb_path)) {
		build_words(start, trial, program, params);
		if (!start->words.failed)
			return write_params(params, program->sweep, start->params_path.data,
					    start->wandb_path.data);
	}
	say("out of memory");
	return false;
}

static const char *unless_set(const char *name, const char *value)
{
	const char *own = getenv(name);

	return own && own[0] ? own : value;
}

static void change_environment(const struct agent_program *program, const struct agent_trial *trial,
			       const struct settings *settings, const struct start *start,
			       const char *gpus)
{
	const struct child_environment changes[] = {
		{ "CAIRN_URL", settings->url },
		{ "CAIRN_API_KEY", settings->api_key },
		{ "CAIRN_CA_FILE", settings->ca_file },
		{ "CAIRN_PROJECT", start->project.data },
		{ "CAIRN_RUN", trial->run },
		{ "CAIRN_SWEEP", program->sweep },
		{ "CAIRN_PARAMS", start->params.data },
		{ "CAIRN_ROLE",
		  "primary" }, /* also where a launcher gave the agent a higher rank */
		{ "CAIRN_MODE", "online" },
		/* of a run that the agent itself is in */
		{ "CAIRN_PARENT", NULL },
		{ "CAIRN_PARENT_LABEL", NULL },
		{ "CAIRN_CLIENT", NULL },
		{ "CAIRN_NAME", NULL },
		{ "CAIRN_SAMPLE_INTERVAL",
		  getenv("CAIRN_PARENT") ? NULL : getenv("CAIRN_SAMPLE_INTERVAL") },
		{ "WANDB_SWEEP_ID", program->sweep },
		{ "WANDB_RUN_ID", trial->run },
		{ "WANDB_ENTITY", settings->entity },
		{ "WANDB_PROJECT", settings->project },
		{ "WANDB_SWEEP_PARAM_PATH", start->wandb_path.data },
		{ "WANDB_BASE_URL", unless_set("WANDB_BASE_URL", settings->url) },
		{ "WANDB_API_KEY", unless_set("WANDB_API_KEY", settings->api_key) },
		{ "CUDA_VISIBLE_DEVICES", gpus ? gpus : getenv("CUDA_VISIBLE_DEVICES") },
	};

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		if (changes[i].value)
			setenv(changes[i].name, changes[i].value, 1);
		else
			unsetenv(changes[i].name);
	}
}

/*
 * In the child. What is typed does not reach a group in the background: it reads nothing. It is asked to end if the agent is
 * killed: the next agent needs its GPUs.
 */
static void become(pid_t parent, const struct start *start, const sigset_t *mask)
{
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool is_bound = prctl(PR_SET_PDEATHSIG, SIGTERM) == 0;

	if (getppid() != parent)
		_exit(EXIT_CANNOT_EXECUTE); /* it was killed before the call */
	if (is_bound && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && setpgid(0, 0) == 0) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		execv("/proc/self/exe", start->words.at);
	}
	say("cannot start the trial: %s", strerror(errno));
	_exit(EXIT_CANNOT_EXECUTE);
}

bool agent_trial_start(struct agent_trial *trial, const struct agent_program *program,
		       const struct settings *settings, struct json params, const char *gpus)
{
	struct start start = { 0 };
	bool is_ready = prepare(&start, trial, program, settings, params);
	pid_t parent = getpid();

	fflush(NULL);
	trial->pid = is_ready ? fork() : -1;
	if (trial->pid == 0) {
		change_environment(program, trial, settings, &start, gpus);
		become(parent, &start, program->mask);
	}
	if (is_ready && trial->pid < 0)
		say("cannot start a process: %s", strerror(errno));
	if (trial->pid > 0)
		setpgid(trial->pid, trial->pid); /* whichever of us comes first */
	deinit(&start);
	return trial->pid > 0;
}

static int64_t stop_us(void)
{
	const char *text = getenv(STOP_VARIABLE);
	long ms = text ? strtol(text, NULL, 10) : 0;

	return INT64_C(1000) * (ms > 0 && ms < STOP_MS ? ms : STOP_MS);
}

/* A trial without a process ends at once. */
static bool end_new(struct agent_trial *trial)
{
	if (!trial->is_new)
		return false;
	trial->is_new = false;
	trial->has_ended = true;
	trial->was_killed = true;
	trial->status = EXIT_REFUSED << 8; /* as waitpid() has it */
	return true;
}

void agent_trial_stop(struct agent_trial *trial)
{
	const union sigval value = { .sival_int = WATCH_STOP_VALUE };

	trial->was_stopped = true;
	if (end_new(trial) || trial->has_ended || trial->kill_us)
		return;
	trial->kill_us = transport_clock_us() + stop_us();
	sigqueue(trial->pid, SIGTERM, value);
}

void agent_trial_pass(struct agent_trial *trial, int number)
{
	union sigval value = { .sival_int = WATCH_LEAVE_VALUE };

	trial->was_stopped = true;
	if (trial->has_ended)
		return;
	if (trial->kill_us)
		value.sival_int = 0; /* it is to end for good */
	else
		trial->is_handed_on = true;
	if (!end_new(trial))
		sigqueue(trial->pid, number, value);
}

void agent_trial_kill(struct agent_trial *trial)
{
	trial->was_stopped = true;
	if (end_new(trial) || trial->has_ended)
		return;
	trial->was_killed = true;
	kill(-trial->pid, SIGKILL);
}

void agent_trial_reap(struct agent_trial *trial)
{
	siginfo_t info = { .si_pid = 0 };

	if (trial->has_ended || trial->is_new ||
	    waitid(P_PID, (id_t)trial->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	    !info.si_pid)
		return;
	kill(-trial->pid, SIGKILL); /* before it is reaped: no other group has its number */
	trial->has_ended = waitpid(trial->pid, &trial->status, 0) == trial->pid;
}

int agent_trial_exit_code(const struct agent_trial *trial)
{
	return WIFSIGNALED(trial->status) ? 128 + WTERMSIG(trial->status)
					  : WEXITSTATUS(trial->status);
}

void agent_trial_free(struct agent_trial *trial, const char *sweep)
{
	static const char *const ends[] = { PARAMS_END, WANDB_END };
	struct text path = { 0 };

	for (size_t i = 0; trial->run && i < sizeof ends / sizeof ends[0]; i++) {
		text_clear(&path, 4096);
		put_path(&path, sweep, trial->run, ends[i]);
		if (text_c_string(&path))
			unlink(path.data);
	}
	text_deinit(&path);
	free(trial->run);
	text_deinit(&trial->params);
	*trial = (struct agent_trial){ 0 };
}
