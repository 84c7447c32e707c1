/*
 * Every allocation of libcairn fails in turn: a run is started, fed and finished again and again, and
 * the n-th time its n-th allocation finds no memory. One line of JSON tells of each time what was
 * taken; what the server has of it is compared by test_allocations.py. The linker puts the functions
 * below in front of the allocator (--wrap), for the library's own calls only.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn.h"

#define WIDE 100 /* values in a row; more than fit where rows are usually put together */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

static atomic_long until_failure = -1; /* 0: the next one; below: none */

static int is_to_fail(void)
{
	return atomic_fetch_sub(&until_failure, 1) == 0;
}

void *__wrap_malloc(size_t size)
{
	return is_to_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_to_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return is_to_fail() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text)
{
	return is_to_fail() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_to_fail() ? NULL : __real_strndup(text, length);
}

struct taken {
	int rows, lines, config, summary, wrong;
};

/* 1 when the call took what it was given. */
static int take(struct taken *taken, int result)
{
	if (result != CAIRN_OK && result != CAIRN_MEMORY)
		taken->wrong++;
	return result == CAIRN_OK;
}

static int log_wide(struct cairn_run *run)
{
	static char names[WIDE][16];
	struct cairn_metric metrics[WIDE];

	for (int i = 0; i < WIDE; i++) {
		snprintf(names[i], sizeof names[i], "k%d", i);
		metrics[i] = (struct cairn_metric){ names[i], i };
	}
	return cairn_log(run, WIDE, metrics);
}

static void feed(struct cairn_run *run, struct taken *taken)
{
	taken->config += take(taken, cairn_config_json(run, "{\"a\":1,\"b\":{\"c\":2}}"));
	taken->config += take(taken, cairn_config_number(run, "lr", 0.1));
	taken->summary += take(taken, cairn_summary_text(run, "note", "good"));
	for (int i = 0; i < 5; i++)
		taken->rows += take(taken, CAIRN_LOG(run, { "n", i }));
	taken->rows += take(taken, log_wide(run));
	take(taken, cairn_alert(run, CAIRN_ALERT_INFO, "title", "text"));
	taken->rows += take(taken, cairn_log_json(run, "{\"deep\":{\"x\":[1,2]},\"text\":\"t\"}"));
	taken->lines += take(taken, cairn_console(run, CAIRN_STDOUT, "line\n", 5));
}

/* One run with its `number`-th allocation failing; whether there were so many. */
static int live(long number)
{
	struct cairn_run *run;
	struct cairn_report report = { 0 };
	struct taken taken = { 0 };
	int started, finished = CAIRN_INVALID;

	atomic_store(&until_failure, number);
	started = cairn_run_start(NULL, &run);
	if (started == CAIRN_OK) {
		feed(run, &taken);
		take(&taken, cairn_flush(run, 20000));
		finished = cairn_finish(run, 0, 20000, &report);
	}
	printf("{\"started\":\"%s\",\"client\":\"%s\",\"finished\":\"%s\",\"rows\":%d,\"lines\":%d,"
	       "\"config\":%d,\"summary\":%d,\"wrong\":%d,\"unsent\":%" PRIu64 "}\n",
	       cairn_result_name(started), cairn_client_id(run), cairn_result_name(finished),
	       taken.rows, taken.lines, taken.config, taken.summary, taken.wrong,
	       report.history_unsent + report.console_unsent + report.documents_unsent);
	cairn_run_free(run);
	return atomic_load(&until_failure) < 0;
}

int main(void)
{
	long number = 0;

	while (live(number))
		number++;
	return 0;
}
