/*
 * The searches of sweeps without a server: reads commands, one a line, and answers on standard output.
 *
 *   sweep SEED CONFIG      begins another sweep; the config is JSON in the line
 *   trial VALUE PARAMS     adds a finished trial, params as JSON
 *   next                   suggests a trial, which is then running: "NUMBER NANOSECONDS PARAMS NOTE", with tabs between
 *   value NUMBER VALUE     ends that trial
 *   drop NUMBER            deletes it
 *
 * Nanoseconds are those of the processor that the suggestion took.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "err.h"
#include "str.h"
#include "sweep_config.h"
#include "sweep_next.h"
#include "sweep_value.h"

struct search {
	struct arena *arena; /* of the sweep */
	const struct sweep_config *config;
	int64_t seed;
	struct sweep_trial_fact *trials;
	size_t count, size;
};

static void fail(const char *what, const char *line)
{
	fprintf(stderr, "sweep_search: %s: %.200s\n", what, line);
	exit(1);
}

static void check(struct search *s, err_t e, const char *line)
{
	if (e)
		fail(err_chain(s->arena, e), line);
}

static int64_t processor_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static struct sweep_trial_fact *add(struct search *s, struct str params)
{
	struct sweep_trial_fact *t;

	if (s->count == s->size)
		s->trials = arena_grow(s->arena, s->trials, &s->size, sizeof *s->trials);
	t = &s->trials[s->count++];
	*t = (struct sweep_trial_fact){
		.trial = (int64_t)s->count,
		.point = SWEEP_POINT_NONE,
		.state = SWEEP_TRIAL_RUNNING,
		.source = SWEEP_SOURCE_SEARCH,
		.tries = 1,
		.min = NAN,
		.max = NAN,
		.latest = NAN,
		.summary = NAN,
	};
	check(s, sweep_value_read_json(s->arena, params, &t->params), params.at);
	return t;
}

static void set_value(struct sweep_trial_fact *t, double value)
{
	t->state = SWEEP_TRIAL_FINISHED;
	t->min = t->max = t->latest = t->summary = value;
}

static void begin(struct search *s, char *line)
{
	struct sweep_faults faults = { 0 };
	char *config;

	arena_free(s->arena);
	*s = (struct search){ .arena = arena_new(1 << 16) };
	s->seed = strtoll(line, &config, 10);
	config += strspn(config, " ");
	config = arena_strdup(s->arena, config);
	check(s, sweep_config_read(s->arena, str_of(config), &s->config, &faults), config);
}

static void suggest(struct search *s)
{
	struct arena *a = arena_new(1 << 20);
	const struct sweep_asked asked = { .seed = s->seed,
					   .trial = (int64_t)s->count + 1,
					   .is_only_host = true };
	struct sweep_suggestion found;
	struct sweep_trial_fact *t;
	int64_t began = processor_ns(), took;
	struct str params;

	check(s, sweep_next(a, s->config, s->trials, s->count, &asked, &found), "next");
	took = processor_ns() - began;
	if (found.kind != SWEEP_NEXT_TRIAL) {
		printf("0\t%lld\t\t%s\n", (long long)took, found.why);
	} else {
		params = (struct str){ str_copy(s->arena, found.params), found.params.len };
		t = add(s, params);
		t->point = found.point;
		printf("%lld\t%lld\t%.*s\t%.*s\n", (long long)t->trial, (long long)took,
		       STR_ARG(params), STR_ARG(found.note));
	}
	fflush(stdout);
	arena_free(a);
}

static struct sweep_trial_fact *trial_of(struct search *s, const char *line, char **ret_rest)
{
	unsigned long long number = strtoull(line, ret_rest, 10);

	if (number < 1 || number > s->count)
		fail("no such trial", line);
	return &s->trials[number - 1];
}

static void obey(struct search *s, char *line)
{
	char *rest;

	if (strncmp(line, "sweep ", 6) == 0) {
		begin(s, line + 6);
	} else if (!s->config) {
		fail("no sweep yet", line);
	} else if (strcmp(line, "next") == 0) {
		suggest(s);
	} else if (strncmp(line, "trial ", 6) == 0) {
		double value = strtod(line + 6, &rest);

		set_value(add(s, str_of(rest + strspn(rest, " "))), value);
	} else if (strncmp(line, "value ", 6) == 0) {
		struct sweep_trial_fact *t = trial_of(s, line + 6, &rest);

		set_value(t, strtod(rest, NULL));
	} else if (strncmp(line, "drop ", 5) == 0) {
		trial_of(s, line + 5, &rest)->state = SWEEP_TRIAL_DELETED;
	} else {
		fail("unknown command", line);
	}
}

int main(void)
{
	struct search s = { .arena = arena_new(1 << 12) };
	char *line = NULL;
	size_t size = 0;
	ssize_t length;

	while ((length = getline(&line, &size, stdin)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		obey(&s, line);
	}
	free(line);
	arena_free(s.arena);
	return 0;
}
