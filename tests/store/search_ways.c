#include "search_ways.h"

#include <stdlib.h>
#include <string.h>

static struct search *now;
static bool is_by_columns;

long long ways_metric(struct search *search, const char *name)
{
	struct arena *a = arena_new(4096);
	struct buf *text = buf_new(a);
	const char *at;
	long long value;

	search_metrics(search, text);
	buf_add_byte(text, '\0');
	at = strstr(text->at, arena_printf(a, "\n%s ", name));
	assert_non_null(at);
	value = strtoll(at + 1 + strlen(name), NULL, 10);
	arena_free(a);
	return value;
}

struct search *ways_loaded(struct scene *s, size_t memory)
{
	struct search *search = search_new(memory);
	static struct str path[] = { { "id", 2 } };
	struct search_page ask = { .order = { path, 1 }, .limit = 1 };
	struct search_question q = { .project_id = s->project_id };
	struct search_page_found found;
	uint64_t loaded;

	ok(filter_parse(s->a, STR(""), &q.filter));
	ok(search_page(search, s->db, &q, &ask, &found));
	ok(search_follow(search, s->db, &s->stop, &loaded));
	assert_int_equal(loaded, memory > 0);
	return search;
}

int ways_begin(struct scene *s, bool by_columns)
{
	is_by_columns = by_columns;
	now = ways_loaded(s, by_columns ? 64 << 20 : 0);
	return 0;
}

int ways_teardown(void **state)
{
	long long by_columns = ways_metric(now, "cairn_search_by_columns_total");
	long long by_sql = ways_metric(now, "cairn_search_by_sql_total");

	(void)state;
	search_free(now);
	now = NULL;
	/* The one by SQL made the columns wanted. */
	return is_by_columns ? by_sql != 1 : by_columns != 0;
}

struct search *ways_now(void)
{
	return now;
}
