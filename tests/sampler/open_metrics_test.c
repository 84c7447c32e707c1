/* open_metrics_test.c - texts of metrics, filters, and lists of endpoints and headers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoints.h"
#include "metrics_filter.h"
#include "metrics_text.h"
#include "sampler.h"
#include "settings.h"

/* What was read, as "name{label=value,…}=value;". */
static char seen[4096];

static void note(void *context, const struct metrics_sample *sample)
{
	(void)context;
	size_t length = strlen(seen);

	length += (size_t)snprintf(seen + length, sizeof seen - length, "%s{", sample->name);
	for (size_t i = 0; i < sample->label_count; i++)
		length += (size_t)snprintf(seen + length, sizeof seen - length, "%s%s=%s",
					   i ? "," : "", sample->labels[i].name,
					   sample->labels[i].value);
	snprintf(seen + length, sizeof seen - length, "}=%g;", sample->value);
}

static const char *read_text(const char *text)
{
	static char copy[8192];

	assert_true(strlen(text) < sizeof copy);
	strcpy(copy, text);
	seen[0] = '\0';
	metrics_text_read(copy, strlen(copy), note, NULL);
	return seen;
}

static void test_text(void **state)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{ "# TYPE a gauge\na 1\na{} 2\na{x=\"1\"} 3.5e2 1700000000000\n",
		  "a{}=1;a{}=2;a{x=1}=350;" },
		/* as Prometheus, and as OpenMetrics write a counter */
		{ "# TYPE a_total counter\na_total 4\n", "a_total{}=4;" },
		{ "# TYPE a counter\n# UNIT a s\na_total{b=\"c\"} 4 # {trace=\"t\"} 1 2\na_created 9\n# EOF\n",
		  "a_total{b=c}=4;" },
		/* labels are put in order */
		{ "# TYPE a gauge\na{z=\"1\",b=\"2\", c = \"3\" ,} 1\n", "a{b=2,c=3,z=1}=1;" },
		{ "# TYPE a gauge\na{x=\"q\\\"b\\\\n\\n}\\t,\"} 1\n", "a{x=q\"b\\n\n}\\t,}=1;" },
		{ "# TYPE a gauge\na NaN\na{b=\"1\"} +Inf\na{b=\"2\"} -Inf\na{b=\"3\"} -2\na{b=\"4\"} +3\n",
		  "a{}=nan;a{b=1}=inf;a{b=2}=-inf;a{b=3}=-2;a{b=4}=3;" },
		/* only gauges and counters, of a family that was announced */
		{ "a 1\n# TYPE b histogram\nb_bucket{le=\"1\"} 1\nb_sum 1\nb_count 1\n", "" },
		{ "# TYPE b summary\nb{quantile=\"1\"} 1\n# TYPE c untyped\nc 1\n# TYPE d info\nd 1\n",
		  "" },
		{ "# TYPE a gauge\nab 1\na_total 1\n", "" },
		{ "# TYPE a gaugex\na 1\n# TYPE b\nb 1\n#TYPE c gauge\nc 1\n", "c{}=1;" },
		/* a line that is not valid is left out alone */
		{ "# TYPE a gauge\na{ 1\na{b} 1\na{b=} 1\na{b=\"} 1\na{b=\"c\" 1\na{b=\"c\",,} 1\na{\"b\"} 1\na{b=\"c\"}\n"
		  "a 1x\na x\na\n 1\na{b=\"c\"d=\"e\"} 1\na{b=\"1\",b=\"2\"} 1\na --1\na 0x10\na 5\n",
		  "a{}=5;" },
		{ "# TYPE a gauge\r\na 1\r\n\r\n\t a 2\r\na 3", "a{}=1;a{}=2;a{}=3;" },
		{ "", "" },
		{ "\n\n#\n# \n", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_string_equal(read_text(rows[i].text), rows[i].expected);
}

static void test_label_limit(void **state)
{
	char text[2000] = "# TYPE a gauge\na{";

	(void)state;
	for (int i = 0; i < METRICS_LABELS_MAX; i++)
		snprintf(text + strlen(text), 20, "l%d=\"\",", i);
	size_t length = strlen(text);
	strcpy(text + length, "} 1\n");
	assert_non_null(strstr(read_text(text), "l9=}=1;"));
	strcpy(text + length, "more=\"\"} 1\na 2\n");
	assert_string_equal(read_text(text), "a{}=2;");
}

static void test_filters(void **state)
{
	static const struct {
		const char *filters;
		bool matches; /* "node.up" with a="12" and b="x" */
	} rows[] = {
		{ "", true },
		{ " ", true },
		{ "up", true },
		{ "^node\\.u.$", true },
		{ "^up", false },
		{ "node", true },
		{ "[\"dcgm\", \"^node\"]", true },
		{ "[\"dcgm\"]", false },
		{ "[]", true },
		{ "[nz]ode", true },
		{ "{\"up\": {}}", true },
		{ "{\"up\": {\"a\": \"^\\\\d+$\", \"b\": \"x\"}}", true },
		{ "{\"up\": {\"a\": \"^[\\\\d]$\"}}", false },
		{ "{\"up\": {\"c\": \".*\"}}", false },
		{ "{\"up\": {\"c\": \"\\\\w\"}, \"node\": {\"b\": \"(?:x|y)\"}}", true },
		{ "{\"down\": {\"a\": \"1\"}}", false },
	};
	const struct metrics_sample sample = { .name = "up",
					       .label_count = 2,
					       .labels = { { "a", "12" }, { "b", "x" } } };
	struct metrics_filters filters;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (!metrics_filters_init(&filters, rows[i].filters))
			fail_msg("%s is refused", rows[i].filters);
		if (metrics_filters_match(&filters, "node", &sample) != rows[i].matches)
			fail_msg("%s", rows[i].filters);
		metrics_filters_deinit(&filters);
	}
}

static void test_invalid_filters(void **state)
{
	static const char *const rows[] = {
		"[",
		"(",
		"a{2",
		"[\"(\"]",
		"[\"a\", 5]",
		"[\"a\"",
		"{\"a\": 5}",
		"{\"a\": {\"b\": \"(\"}}",
		"{\"a\": {\"b\": 1}}",
		"{\"(\": {}}",
		"[\"\"]",
		"{\"a\"",
	};
	static char many[METRICS_FILTERS_MAX * 5 + 20];
	struct metrics_filters filters;

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		if (metrics_filters_init(&filters, rows[i]))
			fail_msg("%s is taken", rows[i]);
	}
	strcpy(many, "[\"a\"");
	for (int i = 1; i < METRICS_FILTERS_MAX; i++)
		strcat(many, ",\"a\"");
	size_t length = strlen(many);
	strcpy(many + length, "]");
	assert_true(metrics_filters_init(&filters, many));
	metrics_filters_deinit(&filters);
	strcpy(many + length, ",\"a\"]");
	assert_false(metrics_filters_init(&filters, many));
}

static void test_long_expression(void **state)
{
	char expression[METRICS_EXPRESSION_MAX + 1];
	struct metrics_filters filters;

	(void)state;
	memset(expression, 'a', sizeof expression);
	expression[METRICS_EXPRESSION_MAX - 1] = '\0';
	assert_true(metrics_filters_init(&filters, expression));
	metrics_filters_deinit(&filters);
	expression[METRICS_EXPRESSION_MAX - 1] = 'a';
	expression[METRICS_EXPRESSION_MAX] = '\0';
	assert_false(metrics_filters_init(&filters, expression));
}

static void test_endpoints(void **state)
{
	static const char *const valid[] = {
		"node=http://localhost:9100/metrics?a=b dcgm=https://h/",
		"{\"node\": \"http://localhost:9100/metrics?a=b\", \"dcgm\": \"https://h/\"}",
		"\n node=http://localhost:9100/metrics?a=b\n\tdcgm=https://h/\n",
	};
	static const char *const invalid[] = {
		"node",
		"node=",
		"=http://h/",
		"node=ftp://h/",
		"node=http://",
		"no.de=http://h/",
		"node=http://h/ node=http://i/",
		"{\"node\": 5}",
		"{\"node\": \"http://h/ x\"}",
		"{\"node\"",
		"node=http://h/\x01",
		"{\"no/de\": \"http://h/\"}",
	};
	struct endpoint endpoints[ENDPOINTS_MAX];
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof valid / sizeof valid[0]; i++) {
		assert_true(endpoints_parse(valid[i], endpoints, &count));
		assert_int_equal(count, 2);
		assert_string_equal(endpoints[0].name, "node");
		assert_string_equal(endpoints[0].url, "http://localhost:9100/metrics?a=b");
		assert_string_equal(endpoints[1].url, "https://h/");
	}
	assert_true(endpoints_parse("", endpoints, &count) && count == 0);
	for (size_t i = 0; i < sizeof invalid / sizeof invalid[0]; i++) {
		if (endpoints_parse(invalid[i], endpoints, &count))
			fail_msg("%s is taken", invalid[i]);
	}
}

static void test_endpoint_limits(void **state)
{
	struct endpoint endpoints[ENDPOINTS_MAX];
	char text[2000] = "", name[ENDPOINT_NAME_MAX + 1];
	size_t count;

	(void)state;
	for (int i = 0; i < ENDPOINTS_MAX; i++)
		snprintf(text + strlen(text), 40, "e%d=http://h/ ", i);
	assert_true(endpoints_parse(text, endpoints, &count));
	strcat(text, "more=http://h/");
	assert_false(endpoints_parse(text, endpoints, &count));
	memset(name, 'n', sizeof name);
	for (int extra = 0; extra < 2; extra++) {
		name[ENDPOINT_NAME_MAX - 1 + extra] = '\0';
		snprintf(text, sizeof text, "%s=http://h/", name);
		assert_true(endpoints_parse(text, endpoints, &count) == (extra == 0));
		snprintf(text, sizeof text, "{\"%s\": \"http://h/\"}", name);
		assert_true(endpoints_parse(text, endpoints, &count) == (extra == 0));
		name[ENDPOINT_NAME_MAX - 1] = 'n';
		snprintf(text, sizeof text, "a=http://%0*d", ENDPOINT_URL_MAX - 1 - 7 + extra, 0);
		assert_true(endpoints_parse(text, endpoints, &count) == (extra == 0));
	}
}

static bool collect(void *context, const char *header)
{
	char *all = context;

	strcat(all, header);
	strcat(all, "|");
	return true;
}

static void test_headers(void **state)
{
	static const struct {
		const char *text, *expected; /* NULL: refused */
	} rows[] = {
		{ "", "" },
		{ "Authorization: Bearer x", "Authorization: Bearer x|" },
		{ "A: 1\r\nB: 2\n", "A: 1|B: 2|" },
		{ "{\"A\": \"1\", \"B\": \"2\"}", "A: 1|B: 2|" },
		{ "A", NULL },
		{ "A b: 1", NULL },
		{ ": 1", NULL },
		{ "{\"A\": \"1\\r\\nB: 2\"}", NULL },
		{ "{\"A\": 1}", NULL },
		{ "{\"A: x\\nB\": \"1\"}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char all[200] = "";
		bool is_good = endpoint_headers_parse(rows[i].text, collect, all);
		assert_int_equal(is_good, rows[i].expected != NULL);
		if (is_good)
			assert_string_equal(all, rows[i].expected);
	}
}

static void test_lengths(struct sampler_options *options)
{
	static char text[SETTINGS_LIST_MAX + 1];

	for (int i = 0; i < ENDPOINT_HEADERS_MAX; i++)
		strcat(text, "A: 1\n");
	options->open_metrics_headers = text;
	assert_null(sampler_options_fault(options));
	strcat(text, "A: 1\n");
	assert_non_null(sampler_options_fault(options));
	memset(text, ' ', sizeof text - 1);
	options->open_metrics_headers = NULL;
	options->open_metrics = text;
	text[SETTINGS_LIST_MAX - 1] = '\0';
	assert_null(sampler_options_fault(options));
	text[SETTINGS_LIST_MAX - 1] = ' ';
	assert_non_null(strstr(sampler_options_fault(options), "longer than 4095 bytes"));
	assert_null(sampler_new(options));
	options->open_metrics = NULL;
}

/* Options that make no sense are refused with a reason; so is what the environment says. */
static void test_options(void **state)
{
	struct sampler_options options = { .open_metrics = "a=http://127.0.0.1:1/" };

	(void)state;
	assert_null(sampler_options_fault(&options));
	assert_null(sampler_options_fault(NULL));
	options.open_metrics_filters = "(";
	assert_non_null(strstr(sampler_options_fault(&options), "invalid filters"));
	assert_null(sampler_new(&options));
	options.open_metrics_filters = NULL;
	setenv("CAIRN_OPEN_METRICS_HEADERS", "no header", 1);
	assert_non_null(strstr(sampler_options_fault(&options), "invalid headers"));
	setenv("CAIRN_OPEN_METRICS_HEADERS", "A: 1\nA: 2", 1);
	assert_null(sampler_options_fault(&options));
	unsetenv("CAIRN_OPEN_METRICS_HEADERS");
	setenv("CAIRN_OPEN_METRICS", "http://h/", 1);
	assert_non_null(strstr(sampler_options_fault(NULL), "invalid endpoints"));
	assert_null(sampler_options_fault(&options));
	unsetenv("CAIRN_OPEN_METRICS");
	test_lengths(&options);
	options.devices = "gpu";
	assert_non_null(strstr(sampler_options_fault(&options), "invalid devices"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_label_limit),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_invalid_filters),
		cmocka_unit_test(test_long_expression),
		cmocka_unit_test(test_endpoints),
		cmocka_unit_test(test_endpoint_limits),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
