/* device_choice_test.c - lists of devices, and what they leave out of the readings. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_choice.h"
#include "readings.h"
#include "sampler.h"

static void test_lists(void **state)
{
	static const struct {
		const char *list, *kind;
		unsigned index;
		bool has;
	} rows[] = {
		{ "", "gpu", 0, true },
		{ "gpu:0,2", "gpu", 2, true },
		{ "gpu:0,2", "gpu", 1, false },
		{ "gpu:0,2", "tpu", 1, true },
		{ "gpu:0,tpu:1-3", "tpu", 3, true },
		{ "gpu:0,tpu:1-3", "tpu", 0, false },
		{ "tpu:1-3,5", "tpu", 5, true },
		{ "tpu:1-3,5", "tpu", 4, false },
		{ "ipu:none", "ipu", 0, false },
		{ "ipu:none", "ipu", 1, false },
		{ "ipu:none", "gpu", 0, true },
		{ "hpu:all", "hpu", 1000, true },
		{ "trn:1000", "trn", 1000, true },
		{ "trn:0,gpu:1,trn:2", "trn", 2, true },
		{ "gpu:GPU-1,MIG-2", "gpu", 5, true }, /* settled by the driver's UUIDs */
	};
	struct device_choice choice;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		assert_true(device_choice_parse(rows[i].list, &choice));
		if (device_choice_has(&choice, rows[i].kind, rows[i].index) != rows[i].has)
			fail_msg("%s of \"%s\"", rows[i].kind, rows[i].list);
	}
	assert_true(device_choice_parse("gpu:GPU-1,MIG-2", &choice));
	assert_string_equal(choice.gpu_names, "GPU-1,MIG-2");
}

static void test_invalid(void **state)
{
	static const char *const lists[] = {
		"gpu",        "0",         "gpu:",          "gpu:0,",  "gpu:,0",
		"gpu:3-1",    "gpu:1-",    "gpu:-1",        "xpu:0",   "gpu:1001",
		"tpu:0-1001", "tpu:GPU-1", "gpu:0 ",        "gpu:0;1", "gpu: 0",
		"gpu:0x",     "cpu:0",     "abcdefghijk:0", ",",       "gpu:nothing",
	};
	struct device_choice choice;

	(void)state;
	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		if (device_choice_parse(lists[i], &choice))
			fail_msg("\"%s\" is taken", lists[i]);
	}
}

static void test_limits(void **state)
{
	static char list[4096];
	struct device_choice choice;
	struct sampler_options options = { .devices = list };

	(void)state;
	strcpy(list, "tpu:0");
	for (int i = 1; i < DEVICE_CHOICES_MAX; i++)
		strcat(list, ",0");
	assert_true(device_choice_parse(list, &choice));
	struct sampler *sampler = sampler_new(&options);
	assert_non_null(sampler);
	sampler_free(sampler);
	strcat(list, ",0");
	assert_false(device_choice_parse(list, &choice));
	assert_null(sampler_new(&options));
	/* 100 bytes a UUID and a comma: ten fit, and eleven do not */
	strcpy(list, "gpu:");
	for (int i = 0; i < 10; i++)
		snprintf(list + strlen(list), 200, "%sGPU-%096d", i ? "," : "", i);
	assert_true(device_choice_parse(list, &choice));
	strcat(list, ",GPU-000000000000001");
	assert_false(device_choice_parse(list, &choice));
}

/* Names without a number of a device are never left out. */
static void test_readings(void **state)
{
	static struct readings readings;
	static const char *const names[] = { "tpu.1.dutyCycle",    "tpu.2.dutyCycle",
					     "gpu.process.0.temp", "gpu.process.1.temp",
					     "gpu.0.mig.1.gpu",    "tpu.hloQueueSize.1",
					     "cpu.1.cpu_percent",  "openmetrics.node.load1.0" };
	struct device_choice choice;

	(void)state;
	assert_true(device_choice_parse("tpu:2,gpu:0", &choice));
	readings.choice = &choice;
	readings_begin(&readings);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		readings_add(&readings, 1, "%s", names[i]);
	assert_int_equal(readings.dropped, 0);
	assert_int_equal(readings.count, 6);
	assert_string_equal(readings.values[0].name, "tpu.2.dutyCycle");
	assert_string_equal(readings.values[1].name, "gpu.process.0.temp");
	readings_deinit(&readings);
}

/* A kind of which nothing is chosen is not even looked for: its tools are not run. */
static void test_none(void **state)
{
	struct sampler_options options = { .devices = "tpu:none,ipu:none,gpu:none,trn:0" };
	struct sampler *sampler = sampler_new(&options);
	static const char *const lines[] = { "tpu: none: no device of this kind is chosen\n",
					     "ipu: none: no device of this kind is chosen\n",
					     "gpu_amd: none: no device of this kind is chosen\n",
					     "trainium: none: no device" };
	struct device_choice choice;

	(void)state;
	char *text = sampler_explain(sampler);
	for (size_t i = 0; i < 3; i++)
		assert_non_null(strstr(text, lines[i]));
	assert_null(strstr(text, lines[3]));
	free(text);
	sampler_free(sampler);
	assert_true(device_choice_parse("gpu:none,GPU-1,tpu:none,tpu:1", &choice));
	assert_false(device_choice_is_none(&choice, "gpu"));
	assert_false(device_choice_is_none(&choice, "tpu"));
	assert_false(device_choice_is_none(&choice, "ipu"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),  cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_readings),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
