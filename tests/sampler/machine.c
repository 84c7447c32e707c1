/* machine.c - see machine.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine.h"

struct sampler_row row;

int machine_setup(void **state)
{
	struct machine *machine = calloc(1, sizeof *machine);

	*state = machine;
	fixture_begin(&machine->fixture, "machine");
	fixture_process(&machine->fixture, &(struct fixture_process){ .pid = 100, .threads = 1 });
	fixture_process(&machine->fixture,
			&(struct fixture_process){ .pid = 101, .parent = 100, .threads = 1 });
	machine->options = fixture_options(&machine->fixture, 100);
	snprintf(machine->tools, sizeof machine->tools, "%s/bin", machine->fixture.root);
	machine->options.tool_path = machine->tools;
	machine->options.tool_period_ms = 1;
	return 0;
}

int machine_teardown(void **state)
{
	struct machine *machine = *state;

	sampler_free(machine->sampler);
	fixture_end(&machine->fixture);
	free(machine);
	return 0;
}

void machine_start(struct machine *machine)
{
	machine->sampler = sampler_new(&machine->options);
	assert_non_null(machine->sampler);
}

void machine_sample(struct machine *machine)
{
	assert_int_equal(sampler_sample(machine->sampler, &row), 0);
}

static void sample_while(struct machine *machine, const char *name, bool has)
{
	double start_s = now_s();

	do
		machine_sample(machine);
	while (row_has(&row, name) == has && now_s() - start_s < PATIENCE_S);
	if (row_has(&row, name) == has)
		fail_msg("%s %s", name, has ? "does not go" : "does not come");
}

void machine_sample_until(struct machine *machine, const char *name)
{
	sample_while(machine, name, false);
}

void machine_sample_until_gone(struct machine *machine, const char *name)
{
	sample_while(machine, name, true);
}

void machine_sample_until_value(struct machine *machine, const char *name, double value)
{
	double start_s = now_s();

	do
		machine_sample(machine);
	while (row_value(&row, name) != value && now_s() - start_s < PATIENCE_S);
	EXPECT({ name, value });
}

void machine_rewrite(struct machine *machine, const char *path, const char *text)
{
	char new[400], final[800];

	fixture_write(&machine->fixture, "new", "%s", text);
	snprintf(new, sizeof new, "%s/new", machine->fixture.root);
	snprintf(final, sizeof final, "%s/%s", machine->fixture.root, path);
	assert_int_equal(rename(new, final), 0);
}

void machine_tool(struct machine *machine, const char *name, const char *script)
{
	char path[400], final[400];

	fixture_write(&machine->fixture, "bin/new", "#!/bin/sh\n%s\n", script);
	snprintf(path, sizeof path, "%s/new", machine->tools);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(final, sizeof final, "%s/%s", machine->tools, name);
	assert_int_equal(rename(path, final), 0);
}

void machine_explain(struct machine *machine, const char *name, char *ret_line, size_t size)
{
	char *text = sampler_explain(machine->sampler);

	assert_non_null(text);
	const char *line = strstr(text, name);
	assert_non_null(line);
	snprintf(ret_line, size, "%.*s", (int)strcspn(line, "\n"), line);
	free(text);
}

void expect_values(const struct expected *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double value = row_value(&row, values[i].name);
		if (isnan(values[i].value) ? !isnan(value)
					   : !(fabs(value - values[i].value) < 1e-6))
			fail_msg("%s is %.17g, not %.17g", values[i].name, value, values[i].value);
	}
}
