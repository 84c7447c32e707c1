/* gaudi_test.c - Habana's Gaudi by what hl-smi prints, and a hl-smi that misbehaves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hl_smi.h"
#include "machine.h"

#define MIB 1048576.0
#define VENDOR "sys/bus/pci/devices/0000:19:00.0/vendor"

static size_t parse_sample(const char *name, struct hl_smi_device *ret_devices, size_t max)
{
	static char text[4096];
	char path[400];

	snprintf(path, sizeof path, "%s/hl_smi/%s.csv", FIXTURES, name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = '\0';
	fclose(file);
	return hl_smi_parse(text, ret_devices, max);
}

static void expect_device(const struct hl_smi_device *device, unsigned index,
			  const double values[HL_SMI_VALUE_COUNT])
{
	assert_int_equal(device->index, index);
	for (int i = 0; i < HL_SMI_VALUE_COUNT; i++) {
		if (isnan(values[i]) ? !isnan(device->values[i]) : device->values[i] != values[i])
			fail_msg("device %u: value %d is %g, not %g", index, i, device->values[i],
				 values[i]);
	}
}

static void test_columns_and_units(void **state)
{
	struct hl_smi_device devices[8];

	(void)state;
	assert_int_equal(parse_sample("gaudi2", devices, 8), 4);
	expect_device(&devices[0], 0, (double[]){ 87, 77824 * MIB, 98304 * MIB, 41, 438, 3, 0 });
	expect_device(&devices[2], 2, (double[]){ NAN, NAN, 98304 * MIB, NAN, NAN, NAN, NAN });
	expect_device(&devices[3], 7, (double[]){ 100, 98304 * MIB, 98304 * MIB, 66, 600, 0, 1 });
	assert_int_equal(parse_sample("gaudi2", devices, 3), 3);
	assert_int_equal(parse_sample("gaudi1_short", devices, 8), 2);
	expect_device(&devices[1], 1, (double[]){ 12, 512 * MIB, 32768 * MIB, 33, 96, NAN, NAN });
}

struct line {
	const char *text;
	size_t devices;
};

/* Lines that are no device's, or not whole. */
static void test_odd_lines(void **state)
{
	static const struct line lines[] = {
		{ "", 0 },
		{ "\n\n", 0 },
		{ "index, utilization.aip [%], memory.used [MiB], memory.total [MiB], a, b\n", 0 },
		{ "ERROR: no devices, 1, 2, 3, 4, 5\n", 0 },
		{ "0, 1 %, 2 MiB, 3 MiB, 4 C\n", 0 },
		{ "0, 1 %, 2 MiB, 3 MiB, 4 C, 5 W", 0 },
		{ "0, 1 %, 2 MiB, 3 MiB, 4 C, 5 W\n1, 1 %, 2 M", 1 },
		{ "0, 1 %, 2 MiB, 3 MiB, 4 C, 5 W\r\n", 1 },
		{ "\t0,1%,2MiB,3MiB,4C,5W,6,7\n", 1 },
		{ "0, 1, 2, 3, 4, 5, 6, 7, 8\n", 0 },
		{ "-1, 1, 2, 3, 4, 5\n1.5, 1, 2, 3, 4, 5\n1024, 1, 2, 3, 4, 5\n", 0 },
		{ "1023, 1, 2, 3, 4, 5\n", 1 },
	};
	struct hl_smi_device devices[4];

	(void)state;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		size_t count = hl_smi_parse(lines[i].text, devices, 4);
		if (count != lines[i].devices)
			fail_msg("%zu devices in \"%s\"", count, lines[i].text);
	}
	assert_int_equal(hl_smi_parse("0, -1 %, 1e13 MiB, 5 apples, 4 F, 1e999 W\n", devices, 4),
			 1);
	expect_device(devices, 0, (double[]){ NAN, NAN, NAN, NAN, NAN, NAN, NAN });
}

static void set_tool(struct machine *machine, const char *condition, const char *sample)
{
	char script[1200];

	snprintf(script, sizeof script,
		 "[ \"$1 $3 $4\" = '-Q -f csv,noheader' ] && %s && cat %s/hl_smi/%s.csv", condition,
		 FIXTURES, sample);
	machine_tool(machine, "hl-smi", script);
}

static void test_rows(void **state)
{
	struct machine *machine = *state;
	char line[800];

	fixture_write(&machine->fixture, VENDOR, "0x1da3\n");
	set_tool(machine, "[ \"$2\" = '" HL_SMI_QUERY "' ]", "gaudi2");
	machine_start(machine);
	machine_explain(machine, "gaudi", line, sizeof line);
	assert_non_null(strstr(line, "gaudi: found: by "));
	machine_sample_until(machine, "hpu.0.utilization");
	EXPECT({ "hpu.0.utilization", 87 }, { "hpu.0.memoryAllocated", 100 * 77824.0 / 98304 },
	       { "hpu.0.memoryAllocatedBytes", 77824 * MIB }, { "hpu.0.temp", 41 },
	       { "hpu.0.powerWatts", 438 }, { "hpu.0.correctedMemoryErrors", 3 },
	       { "hpu.0.uncorrectedMemoryErrors", 0 }, { "hpu.7.memoryAllocated", 100 },
	       { "hpu.2.utilization", NAN }, { "hpu.2.memoryAllocated", NAN },
	       { "hpu.3.utilization", NAN });
	char *text = sampler_metadata_json(machine->sampler, PATIENCE_S * 1000);
	assert_non_null(strstr(text, "\"hpu\":{\"vendor\":\"Habana\",\"count\":4,"
				     "\"memoryTotal\":\"103079215104\"}"));
	free(text);
}

/* A release that refuses queries which it does not know is asked fewer. */
static void test_older_release(void **state)
{
	struct machine *machine = *state;

	fixture_write(&machine->fixture, VENDOR, "0x1da3\n");
	set_tool(machine, "[ \"$2\" = '" HL_SMI_QUERY_SHORT "' ]", "gaudi1_short");
	machine_start(machine);
	machine_sample_until(machine, "hpu.1.utilization");
	EXPECT({ "hpu.0.memoryAllocated", 100 * 512.0 / 32768 }, { "hpu.1.temp", 33 },
	       { "hpu.0.correctedMemoryErrors", NAN });
	set_tool(machine, "[ \"$2\" = '" HL_SMI_QUERY "' ]", "gaudi2"); /* it was replaced */
	machine_sample_until(machine, "hpu.0.correctedMemoryErrors");
}

/* While the tool fails or hangs the other values come, and it is asked again. */
static void test_tool_misbehaves(void **state)
{
	static const char *const scripts[] = {
		"exit 1",
		"printf '0, 87 %%, 77824 MiB, 98'",
		"head -c 2000000 /dev/zero",
		"cat ${0%/*}/../gone; sleep 1000",
	};
	struct machine *machine = *state;

	fixture_write(&machine->fixture, VENDOR, "0x1da3\n");
	for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
		machine_tool(machine, "hl-smi", scripts[i]);
		machine_start(machine);
		for (int n = 0; n < 3; n++) {
			machine_sample(machine);
			EXPECT({ "hpu.0.utilization", NAN });
			assert_true(row_has(&row, "memory_percent"));
		}
		machine_tool(machine, "hl-smi", "echo '0, 7 %, 1 MiB, 2 MiB, 3 C, 4 W'");
		machine_sample_until(machine, "hpu.0.utilization");
		EXPECT({ "hpu.0.utilization", 7 });
		sampler_free(machine->sampler);
		machine->sampler = NULL;
	}
}

static void test_explanation(void **state)
{
	struct machine *machine = *state;
	char line[800], expected[800];

	machine_start(machine);
	machine_explain(machine, "gaudi", line, sizeof line);
	snprintf(expected, sizeof expected,
		 "gaudi: none: no device of vendor 0x1da3 in %s/bus/pci/devices",
		 machine->fixture.sys);
	assert_string_equal(line, expected);
	sampler_free(machine->sampler);
	fixture_write(&machine->fixture, VENDOR, "0x1da3\n");
	machine_start(machine);
	machine_explain(machine, "gaudi", line, sizeof line);
	assert_string_equal(line, "gaudi: none: there are devices, but no hl-smi in PATH");
	sampler_free(machine->sampler);
	machine->options.flags |= SAMPLER_NO_GPU;
	machine_start(machine);
	machine_explain(machine, "gaudi", line, sizeof line);
	assert_string_equal(line, "gaudi: none: switched off by --no-gpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_and_units),
		cmocka_unit_test(test_odd_lines),
		ON_MACHINE(test_rows),
		ON_MACHINE(test_older_release),
		ON_MACHINE(test_tool_misbehaves),
		ON_MACHINE(test_explanation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
