/*
 * fuzz_metrics_text.c - any answer of an endpoint of metrics, any filters, endpoints and headers: names and labels are texts within
 * the answer, in order, and a filter ends.
 */
#include "endpoints.h"
#include "fuzz.h"
#include "metrics_filter.h"
#include "metrics_text.h"

static const char *const seeds[] = {
	"# HELP a x\n# TYPE a gauge\na{b=\"c\\\"\\\\\\n\",d=\"e\"} 1.5e3 1700000000\na NaN\n# EOF\n",
	"# TYPE a counter\na_total{x=\"\"} +Inf # {trace=\"t\"} 1\na_created 5\n",
	"# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\n",
	"{\"node\\\\..*\": {\"mode\": \"^(?:idle|\\\\d+)$\"}}",
	"[\"^node\", \"dcgm[\\\\d]\"]",
	"node=http://localhost:9100/metrics dcgm=https://h/",
	"{\"node\": \"http://h/\"}",
	"Authorization: Bearer x\nX-Y: z",
	NULL,
};

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	return fuzz_seed_text(seeds, i, bytes, size);
}

struct bounds {
	const char *text;
	const char *end;
	struct metrics_filters filters;
};

static void check_text(const struct bounds *bounds, const char *text)
{
	FUZZ_CHECK(text >= bounds->text && text + strlen(text) <= bounds->end);
}

static void check_sample(void *context, const struct metrics_sample *sample)
{
	const struct bounds *bounds = context;

	check_text(bounds, sample->name);
	FUZZ_CHECK(sample->label_count <= METRICS_LABELS_MAX);
	for (size_t i = 0; i < sample->label_count; i++) {
		check_text(bounds, sample->labels[i].name);
		check_text(bounds, sample->labels[i].value);
		FUZZ_CHECK(i == 0 ||
			   strcmp(sample->labels[i - 1].name, sample->labels[i].name) < 0);
	}
	metrics_filters_match(&bounds->filters, "node", sample);
}

static bool take_header(void *context, const char *header)
{
	(void)context;
	FUZZ_CHECK(strlen(header) < ENDPOINT_HEADER_MAX && !strpbrk(header, "\r\n"));
	return true;
}

/* Repetitions that nest, as "a{999}{999}", take a library's whole memory; filters are the user's own. */
static bool is_tame(const char *text)
{
	for (const char *at = text; (at = strchr(at, '{')) != NULL; at++) {
		if (strchr("0123456789,", at[1]))
			return false;
	}
	return true;
}

static void try_settings(const char *text)
{
	struct endpoint endpoints[ENDPOINTS_MAX];
	struct metrics_filters filters;
	size_t count;

	if (endpoints_parse(text, endpoints, &count))
		FUZZ_CHECK(count <= ENDPOINTS_MAX);
	endpoint_headers_parse(text, take_header, NULL);
	if (is_tame(text) && metrics_filters_init(&filters, text))
		metrics_filters_deinit(&filters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct bounds bounds = { .text = text, .end = text + size };

	FUZZ_CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	try_settings(text);
	FUZZ_CHECK(metrics_filters_init(&bounds.filters, "{\"^node\\\\.a\": {\"b\": \"c|d\"}}"));
	metrics_text_read(text, size, check_sample, &bounds);
	metrics_filters_deinit(&bounds.filters);
	free(text);
	return 0;
}
