/*
 * The loop of cairn agent: one thread, which waits for signals and the next heartbeat. Trials are processes of cairn run, which
 * talk to the server themselves, so a request that takes long delays none of them. Signals are handled during requests, too.
 */
#include "agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "say.h"
#include "transport.h"

#define BEAT_MS 5000 /* between heartbeats; tests set BEAT_VARIABLE */
#define BEAT_VARIABLE "CAIRN_TEST_AGENT_BEAT_MS"
#define REQUEST_TIMEOUT_MS 20000
#define LEAVE_TIMEOUT_MS 5000 /* once it was asked to end */
#define REPORTS_MOST 60       /* attempts to report the end of a trial, one with each heartbeat */
#define WAIT_BEATS 3          /* without a trial until that is said, and --one ends */
#define BUSY_TRIES 12         /* at the start, when many agents may come at once */

static int64_t beat_us(void)
{
	const char *text = getenv(BEAT_VARIABLE);
	long ms = text ? strtol(text, NULL, 10) : 0;

	return INT64_C(1000) * (ms > 0 && ms < BEAT_MS ? ms : BEAT_MS);
}

static size_t count_running(const struct agent *agent)
{
	size_t count = 0;

	for (size_t i = 0; i < agent->slots; i++)
		count += agent->trials[i].is_used && !agent->trials[i].has_ended;
	return count;
}

static size_t count_used(const struct agent *agent)
{
	size_t count = 0;

	for (size_t i = 0; i < agent->slots; i++)
		count += agent->trials[i].is_used;
	return count;
}

/* How many more trials it would start now. */
static size_t count_wanted(const struct agent *agent)
{
	size_t wanted = agent->slots - count_used(agent);

	if (agent->is_leaving)
		return 0;
	if (agent->count && (size_t)(agent->count - agent->started) < wanted)
		wanted = (size_t)(agent->count - agent->started);
	return wanted;
}

static void leave(struct agent *agent, int result)
{
	if (!agent->is_leaving)
		agent->result = result;
	agent->is_leaving = true;
	agent->beat_us = 0;
}

/* Whether a later attempt may succeed; says so once, and once that it did. */
static bool is_away(struct agent *agent)
{
	long status = agent->api.response.status;
	bool away = status == 0 || status == 408 || status == 429 || status >= 500;

	if (away && !agent->is_away) {
		api_say(&agent->api);
		say("trials continue; trying again every 5 seconds");
	} else if (!away && agent->is_away) {
		say("the server is back");
	}
	agent->is_away = away;
	return away;
}

/* ---- trials ---------------------------------------------------------------------------------------- */

static struct agent_trial *find_trial(struct agent *agent, const char *run)
{
	for (size_t i = 0; i < agent->slots; i++) {
		if (agent->trials[i].is_used && strcmp(agent->trials[i].run, run) == 0)
			return &agent->trials[i];
	}
	return NULL;
}

static struct agent_trial *find_slot(struct agent *agent)
{
	for (size_t i = 0; i < agent->slots; i++) {
		if (!agent->trials[i].is_used)
			return &agent->trials[i];
	}
	return NULL;
}

static void count_failure(struct agent *agent)
{
	agent->failed_in_row++;
	if (!agent->failures || agent->failed_in_row < agent->failures || agent->is_leaving)
		return;
	say("%ld trials in a row failed: the agent ends; see their console, and set --max-failures "
	    "to change the limit",
	    agent->failed_in_row);
	leave(agent, EXIT_REFUSED);
}

/* Makes the run of the trial, or finds it, so that it belongs to the sweep whatever the program does. */
static int make_run(struct agent *agent, const struct agent_trial *trial)
{
	struct text body = { 0 };
	const char *path;
	int result;

	text_format(&body, "{\"sweep\":\"%s\"}", agent->sweep);
	path = text_c_string(&body) ? api_run_path(&agent->api, trial->run, "") : NULL;
	agent->api.expected = "id";
	agent->api.response.status = 0;
	result = path ? api_try(&agent->api, "PUT", path, &body) : EXIT_REFUSED;
	text_deinit(&body);
	return result;
}

static void say_start(const struct agent_trial *trial, struct json params)
{
	struct text text = { 0 };

	agent_words_describe(params, &text);
	say("trial %lld, run %s: %s", (long long)trial->number, trial->run,
	    text_c_string(&text) ? text.data : "");
	text_deinit(&text);
}

static void start_trial(struct agent *agent, struct agent_trial *trial)
{
	size_t slot = (size_t)(trial - agent->trials);
	struct json params = json_parse(trial->params.data, trial->params.length);

	say_start(trial, params);
	trial->is_new = false;
	if (agent_trial_start(trial, &agent->program, &agent->api.settings, params,
			      agent->gpus ? agent->gpus[slot] : NULL))
		return;
	trial->has_ended = true;
	trial->status = EXIT_REFUSED << 8; /* as waitpid() has it */
}

/* Without an answer the run may be there all the same: the trial stays, and is begun at a later heartbeat. A signal during the
 * request ends it. */
static void begin_trial(struct agent *agent, struct agent_trial *trial)
{
	int result = make_run(agent, trial);

	if (!trial->is_new || (result && is_away(agent)))
		return;
	if (!result) {
		start_trial(agent, trial);
		return;
	}
	api_say(&agent->api);
	count_failure(agent);
	agent->started--;
	agent_trial_free(trial, agent->sweep);
}

/* False if the server did not answer. */
static bool begin_trials(struct agent *agent)
{
	for (size_t i = 0; i < agent->slots; i++) {
		struct agent_trial *trial = &agent->trials[i];

		if (trial->is_used && trial->is_new && agent->has_left)
			agent_trial_kill(trial);
		else if (trial->is_used && trial->is_new && agent->is_leaving)
			agent_trial_pass(trial, SIGTERM);
		else if (trial->is_used && trial->is_new)
			begin_trial(agent, trial);
		if (trial->is_used && trial->is_new && !agent->api.response.status)
			return false;
	}
	return true;
}

static void take_trial(struct agent *agent, struct json command)
{
	struct agent_trial *trial = count_wanted(agent) ? find_slot(agent) : NULL;
	struct text params = { 0 };
	char *run = json_text(json_member(command, "run"));
	struct json given = json_member(command, "params");

	text_add(&params, given.at ? given.at : "{}", given.at ? given.length : 2);
	if (!trial || !run || !text_c_string(&params) ||
	    !json_is_object(json_parse(params.data, params.length)) || find_trial(agent, run)) {
		free(run);
		text_deinit(&params);
		return;
	}
	*trial = (struct agent_trial){ .is_used = true, .is_new = true, .run = run };
	trial->params = params;
	json_int(json_member(command, "trial"), &trial->number);
	agent->started++;
	agent->beats_without_trial = 0;
	if (!agent->is_away)
		begin_trial(agent, trial);
}

static void say_end(const struct agent_trial *trial)
{
	int code = agent_trial_exit_code(trial);

	if (trial->was_killed)
		say("trial %lld was killed", (long long)trial->number);
	else if (code)
		say("trial %lld ended with exit status %d", (long long)trial->number, code);
	else
		say("trial %lld finished", (long long)trial->number);
}

static void reap(struct agent *agent)
{
	for (size_t i = 0; i < agent->slots; i++) {
		struct agent_trial *trial = &agent->trials[i];

		if (!trial->is_used || trial->has_ended)
			continue;
		agent_trial_reap(trial);
		if (!trial->has_ended)
			continue;
		say_end(trial);
		if (agent->is_one && !agent->is_leaving)
			agent->result = agent_trial_exit_code(trial);
		agent->beat_us = 0;
	}
}

/* ---- the end of a trial, as the server has it ------------------------------------------------------- */

static bool has_end(struct json run)
{
	char state[32];

	json_line(json_member(run, "state"), state, sizeof state);
	return strcmp(state, "pending") != 0 && strcmp(state, "running") != 0 &&
	       strcmp(state, "preempting") != 0;
}

/* Cairn run reports the end of its command. What has none, since it was killed or could not start, is ended here. True if there
 * is no more to do. */
static bool report(struct agent *agent, struct agent_trial *trial)
{
	const char *path = api_run_path(&agent->api, trial->run, "");
	struct text body = { 0 };

	agent->api.expected = "state";
	if (!path || api_try(&agent->api, "GET", path, NULL))
		return path && !is_away(agent); /* deleted, or not ours any more */
	trial->was_stopped |= json_is_string(json_member(agent->api.answer, "stop_requested_at"));
	if (has_end(agent->api.answer))
		return true;
	if (trial->is_handed_on)
		text_str(
			&body,
			"{\"state\":\"preempted\",\"reason\":\"the agent of the sweep was ended\"}");
	else if (trial->was_killed)
		text_str(&body,
			 "{\"state\":\"killed\",\"reason\":\"killed by the agent of the sweep\"}");
	else
		text_format(&body, "{\"exit_code\":%d}", agent_trial_exit_code(trial));
	path = text_c_string(&body) ? api_run_path(&agent->api, trial->run, "/finish") : NULL;
	if (path)
		api_try(&agent->api, "POST", path, &body);
	text_deinit(&body);
	return path && !is_away(agent);
}

/* An end that a user or the search asked for is no failure. */
static void conclude(struct agent *agent, struct agent_trial *trial)
{
	if (!agent_trial_exit_code(trial))
		agent->failed_in_row = 0;
	else if (!trial->was_stopped)
		count_failure(agent);
	agent_trial_free(trial, agent->sweep);
}

/* False if the server did not answer: it is not asked for the others then. */
static bool report_ends(struct agent *agent)
{
	bool answers = true;

	for (size_t i = 0; i < agent->slots; i++) {
		struct agent_trial *trial = &agent->trials[i];
		bool is_done;

		if (!trial->is_used || !trial->has_ended)
			continue;
		is_done = answers && report(agent, trial);
		answers = is_done || (answers && agent->api.response.status);
		if (is_done || ++trial->reports >= REPORTS_MOST || agent->is_hurried)
			conclude(agent, trial);
	}
	return answers;
}

/* ---- heartbeats ------------------------------------------------------------------------------------ */

static void build_beat(const struct agent *agent, struct text *body)
{
	size_t running = count_running(agent), capacity = running + count_wanted(agent);
	bool is_first = true;

	text_format(body, "{\"capacity\":%zu,\"runs\":[", capacity);
	for (size_t i = 0; i < agent->slots; i++) {
		const struct agent_trial *trial = &agent->trials[i];

		if (!trial->is_used || trial->has_ended)
			continue;
		text_str(body, is_first ? "" : ",");
		text_json_string(body, trial->run, strlen(trial->run));
		is_first = false;
	}
	text_str(body, "]}");
}

static void kill_all(struct agent *agent)
{
	for (size_t i = 0; i < agent->slots; i++) {
		if (agent->trials[i].is_used)
			agent_trial_kill(&agent->trials[i]);
	}
}

static void stop_all(struct agent *agent)
{
	for (size_t i = 0; i < agent->slots; i++) {
		if (agent->trials[i].is_used)
			agent_trial_stop(&agent->trials[i]);
	}
}

static void stop_run(struct agent *agent, struct json command)
{
	char *run = json_text(json_member(command, "run"));
	struct agent_trial *trial = run ? find_trial(agent, run) : NULL;

	if (trial && !trial->kill_us)
		say("trial %lld is asked to stop", (long long)trial->number);
	if (trial)
		agent_trial_stop(trial);
	free(run);
}

static void obey(struct agent *agent, struct json command)
{
	char type[16];

	json_copy(json_member(command, "type"), type, sizeof type);
	if (strcmp(type, "run") == 0 || strcmp(type, "resume") == 0) {
		take_trial(agent, command);
	} else if (strcmp(type, "stop") == 0) {
		stop_run(agent, command);
	} else if (strcmp(type, "exit") == 0) {
		say("the sweep has ended");
		stop_all(agent);
		agent->has_left = true;
		leave(agent, agent->is_one ? agent->result : EXIT_DONE);
	}
}

/* The answer is copied: each command may make requests of its own. */
static void obey_all(struct agent *agent)
{
	struct text copy = { 0 };
	struct json commands = json_member(agent->api.answer, "commands"), command = { 0 };

	text_add(&copy, commands.at, commands.length);
	commands = text_c_string(&copy) ? json_parse(copy.data, copy.length) : (struct json){ 0 };
	while (json_next(commands, &command, NULL))
		obey(agent, command);
	text_deinit(&copy);
}

static void refuse(struct agent *agent)
{
	long status = agent->api.response.status;

	if (status == 404 || status == 410)
		say("the sweep or its project was deleted, or the agent was removed: it ends after its trials");
	else
		api_say(&agent->api);
	agent->has_left = true;
	leave(agent, EXIT_REFUSED);
}

static void say_waiting(struct agent *agent)
{
	if (agent->is_one) {
		say("the sweep has no trial for this agent now");
		leave(agent, EXIT_DONE);
		return;
	}
	say("waiting for a trial: none is handed out now; cairn sweep show %s has the state",
	    agent->sweep);
}

/* Without a trial or room for one it would be given what it cannot start; without a sweep there is no more to hear. */
static bool has_reason_to_beat(const struct agent *agent)
{
	return !agent->has_left && (count_running(agent) || count_wanted(agent));
}

/*
 * The sweep may have a trial, but others are given theirs: a heartbeat after one to three fifths of the usual time. Agents that
 * started at once ask again at different times.
 */
static void wait_for_others(struct agent *agent)
{
	const int64_t fifth_us = agent->every_us / 5;

	agent->beat_us = transport_clock_us() + fifth_us +
			 strtoll(agent->name, NULL, 10) % (2 * fifth_us);
}

static void beat(struct agent *agent)
{
	long started = agent->started;
	struct text body = { 0 }, tail = { 0 };
	int result = EXIT_REFUSED;

	build_beat(agent, &body);
	text_format(&tail, "/agents/%s/heartbeat", agent->name);
	agent->api.expected = "commands";
	if (text_c_string(&body) && text_c_string(&tail))
		result = sweep_try(&agent->api, "POST", agent->sweep, tail.data, &body);
	text_deinit(&body);
	text_deinit(&tail);
	if (is_away(agent))
		return;
	if (result) {
		refuse(agent);
		return;
	}
	if (json_true(json_member(agent->api.answer, "busy")))
		wait_for_others(agent);
	else
		agent->beats_without_trial++;
	obey_all(agent);
	if (agent->started > started && count_wanted(agent))
		agent->beat_us = 0;
	if (agent->beats_without_trial == WAIT_BEATS && !count_used(agent) && !agent->is_leaving)
		say_waiting(agent);
}

/* ---- signals and time ------------------------------------------------------------------------------- */

static void handle_signal(struct agent *agent, int number)
{
	if (number == SIGCHLD)
		return; /* reap() looks */
	if (agent->signal) {
		agent->is_hurried = true;
		kill_all(agent);
		return;
	}
	agent->signal = number;
	agent->api.timeout_ms = LEAVE_TIMEOUT_MS;
	if (count_running(agent))
		say("the agent ends after its trials, and those that do not finish go to another "
		    "one; a second signal kills them");
	leave(agent, 128 + number);
	for (size_t i = 0; i < agent->slots; i++) {
		if (agent->trials[i].is_used)
			agent_trial_pass(&agent->trials[i], number);
	}
}

static void read_signals(struct agent *agent)
{
	struct signalfd_siginfo info;

	while (read(agent->signals, &info, sizeof info) == sizeof info)
		handle_signal(agent, (int)info.ssi_signo);
}

/* Kills what was asked to stop long ago. Returns the time of the next thing to do. */
static int64_t look_at_time(struct agent *agent)
{
	int64_t now = transport_clock_us(), next = agent->beat_us;

	for (size_t i = 0; i < agent->slots; i++) {
		struct agent_trial *trial = &agent->trials[i];

		if (!trial->is_used || trial->has_ended || !trial->kill_us || trial->was_killed)
			continue;
		if (now >= trial->kill_us)
			agent_trial_kill(trial);
		else if (trial->kill_us < next)
			next = trial->kill_us;
	}
	return next;
}

/* During a request. */
static void look_around(void *context)
{
	struct agent *agent = context;

	read_signals(agent);
	reap(agent);
	look_at_time(agent);
}

static void wait_until(const struct agent *agent, int64_t next_us)
{
	struct pollfd fd = { .fd = agent->signals, .events = POLLIN };
	int64_t left_us = next_us - transport_clock_us();

	poll(&fd, 1, left_us > 0 ? (int)(left_us / 1000) + 1 : 0);
}

static bool prepare_signals(struct agent *agent)
{
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	if (sigaction(SIGCHLD, &usual, NULL) == 0 &&
	    sigprocmask(SIG_BLOCK, &mask, &agent->mask) == 0) {
		agent->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
		if (agent->signals >= 0)
			return true;
	}
	say("cannot wait for signals: %s", strerror(errno));
	return false;
}

/* ---- from the first to the last request ------------------------------------------------------------ */

static bool is_busy(const struct agent *agent)
{
	long status = agent->api.response.status;

	return status == 429 || status >= 500;
}

int agent_ask(struct agent *agent, const char *method, const char *tail, const struct text *body)
{
	const char *expected = agent->api.expected;
	int result = sweep_try(&agent->api, method, agent->sweep, tail, body);

	for (int i = 1; result && is_busy(agent) && i < BUSY_TRIES; i++) {
		usleep((useconds_t)beat_us());
		agent->api.expected = expected;
		result = sweep_try(&agent->api, method, agent->sweep, tail, body);
	}
	if (result)
		api_say(&agent->api);
	return result;
}

static int enroll(struct agent *agent)
{
	struct text body = { 0 };
	char host[256] = "unknown";
	int result;

	gethostname(host, sizeof host - 1);
	text_str(&body, "{");
	text_json_member(&body, "host", host);
	text_str(&body, "}");
	agent->api.expected = "agent";
	result = agent_ask(agent, "POST", "/agents", &body);
	text_deinit(&body);
	if (!result)
		json_copy(json_member(agent->api.answer, "agent"), agent->name, sizeof agent->name);
	return result;
}

static void withdraw(struct agent *agent)
{
	struct text tail = { 0 };

	text_format(&tail, "/agents/%s", agent->name);
	if (!agent->has_left && text_c_string(&tail))
		sweep_try(&agent->api, "DELETE", agent->sweep, tail.data, NULL);
	text_deinit(&tail);
}

static bool is_over(const struct agent *agent)
{
	if (count_used(agent))
		return false;
	return agent->is_leaving || (agent->count && agent->started >= agent->count);
}

int agent_run(struct agent *agent)
{
	int result = enroll(agent);

	if (result)
		return result;
	if (!prepare_signals(agent)) {
		withdraw(agent);
		return EXIT_REFUSED;
	}
	agent->every_us = beat_us();
	agent->api.timeout_ms = REQUEST_TIMEOUT_MS;
	agent->program.mask = &agent->mask;
	say("agent %s of sweep %s", agent->name, agent->sweep);
	agent->api.wake_fd = agent->signals;
	agent->api.on_wake = look_around;
	agent->api.wake_context = agent;
	for (;;) {
		bool answers;

		read_signals(agent);
		reap(agent);
		if (transport_clock_us() >= agent->beat_us) {
			agent->beat_us = transport_clock_us() + agent->every_us;
			answers = report_ends(agent) && begin_trials(agent);
			if (is_over(agent))
				break;
			if (answers && has_reason_to_beat(agent))
				beat(agent);
			continue; /* signals of meanwhile come first */
		}
		wait_until(agent, look_at_time(agent));
	}
	withdraw(agent);
	agent_trial_remove_folder(agent->sweep);
	close(agent->signals);
	return agent->result;
}
