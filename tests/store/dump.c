#include "dump.h"

#include <stdio.h>
#include <string.h>

#include "console_lines.h"
#include "metric_cache.h"
#include "record_streams.h"
#include "run_documents.h"
#include "series_rows.h"
#include "series_sampled.h"
#include "writer_store.h"

enum { WINDOW = 1000, CHARTED = 12 };

static struct run_reader reader(struct scene *s)
{
	return (struct run_reader){ s->db, s->codec, s->metrics };
}

static const char *text_of(struct buf *out)
{
	buf_add_byte(out, '\0');
	return out->at;
}

/* What is read on the way to a text is forgotten with it. */
struct scratch {
	struct arena *own;
	struct arena *arena;
};

static struct scratch scratch_begin(struct scene *s)
{
	struct scratch x = { s->a, arena_new(1 << 16) };

	s->a = x.arena;
	db_set_arena(s->db, x.arena);
	return x;
}

static const char *scratch_end(struct scene *s, struct scratch *x, const char *text)
{
	s->a = x->own;
	db_set_arena(s->db, s->a);
	text = arena_strdup(s->a, text);
	arena_free(x->arena);
	return text;
}

/* ---- rows ------------------------------------------------------------------------------------------ */

static void add_row(struct scene *s, const struct exact_row *row, struct buf *out)
{
	int32_t *ids = arena_new_array(s->a, int32_t, row->value_count);
	struct str *names = arena_new_array(s->a, struct str, row->value_count);

	buf_printf(out, "%lld w%d s%lld", (long long)row->row, row->writer, (long long)row->step);
	for (uint32_t i = 0; i < row->value_count; i++)
		ids[i] = row->values[i].key_id;
	ok(metric_cache_names(s->metrics, s->db, s->project_id, ids, row->value_count, names));
	for (uint32_t i = 0; i < row->value_count; i++) {
		const struct row_value *v = &row->values[i];

		if (str_is(names[i], "_timestamp"))
			continue;
		buf_printf(out, " %.*s=", STR_ARG(names[i]));
		if (v->is_text)
			buf_add_str(out, v->text);
		else
			buf_printf(out, "%a", v->number);
	}
	buf_add_byte(out, '\n');
}

const char *dump_rows(struct scene *s, enum stream stream)
{
	struct run run = scene_run(s);
	int64_t end = stream == STREAM_HISTORY ? run.next_row : run.next_event;
	struct buf *out = buf_new(s->a);

	for (int64_t first = 0; first < end; first += WINDOW) {
		struct rows_ask ask = {
			.run_id = s->run_id, .stream = stream, .first = first, .count = WINDOW
		};
		struct exact_row *rows;

		ok(series_rows_read(s->db, s->codec, &ask, &rows));
		for (int i = 0; i < WINDOW; i++) {
			if (rows[i].value_count)
				add_row(s, &rows[i], out);
		}
	}
	return text_of(out);
}

/* ---- charts ---------------------------------------------------------------------------------------- */

static void add_bucket(const struct bucket *b, struct buf *out)
{
	buf_printf(out, " s%lld-%lld r%lld-%lld %a %a %a %a %a n%llu nan%llu +%llu -%llu\n",
		   (long long)b->step_first, (long long)b->step_last, (long long)b->row_first,
		   (long long)b->row_last, b->first, b->last, b->min, b->max, b->mean,
		   (unsigned long long)b->n, (unsigned long long)b->nan,
		   (unsigned long long)b->pinf, (unsigned long long)b->ninf);
}

static void add_charts(struct scene *s, const struct sampled_ask *ask, struct buf *out)
{
	struct sampled_answer answer;

	ok(series_sampled(s->db, s->codec, ask, &answer));
	for (size_t i = 0; i < answer.count; i++) {
		const struct sampled *series = &answer.series[i];

		buf_printf(out, "chart k%d w%d of %u\n", series->key_id, series->writer,
			   ask->buckets);
		for (uint32_t k = 0; k < series->count; k++)
			add_bucket(&series->buckets[k], out);
	}
}

const char *dump_charts(struct scene *s, enum stream stream)
{
	static const uint32_t buckets[] = { 3, 40, 1000 };
	struct run_reader r = reader(s);
	struct buf *out = buf_new(s->a);
	struct key_stats stats;
	uint32_t count;
	int32_t *ids;

	ok(run_documents_keys(&r, s->project_id, s->run_id, stream, &stats));
	count = stats.count < CHARTED ? stats.count : CHARTED;
	ids = arena_new_array(s->a, int32_t, count);
	for (uint32_t i = 0; i < count; i++)
		ids[i] = (int32_t)stats.items[i].key_id;
	for (int i = 0; i < 12; i++) {
		struct sampled_ask ask = {
			.series = { &s->run_id, 1, stream, ids, count, NULL, 0 },
			.range = { i < 6 ? INT64_MIN : 100, i < 6 ? INT64_MAX : 5000 },
			.buckets = buckets[i % 3],
			.split = i % 2 ? SERIES_SPLIT_RUN : SERIES_SPLIT_WRITER,
		};

		add_charts(s, &ask, out);
	}
	return text_of(out);
}

/* ---- keys and documents ------------------------------------------------------------------------------ */

const char *dump_keys(struct scene *s, enum stream stream)
{
	struct run_reader r = reader(s);
	struct buf *out = buf_new(s->a);
	struct key_stats stats;

	ok(run_documents_keys(&r, s->project_id, s->run_id, stream, &stats));
	for (uint32_t i = 0; i < stats.count; i++) {
		const struct key_stat *k = &stats.items[i];

		buf_printf(out, "k%u kinds %x numbers %llu texts %llu row %lld step %lld ",
			   k->key_id, k->kinds, (unsigned long long)k->number_count,
			   (unsigned long long)k->text_count, (long long)k->row_last,
			   (long long)k->step_last);
		if (k->is_text)
			buf_add_str(out, k->text);
		else
			buf_printf(out, "%a", k->number);
		buf_add_byte(out, '\n');
	}
	return text_of(out);
}

const char *dump_summary(struct scene *s)
{
	struct run_reader r = reader(s);
	struct run run = scene_run(s);
	const struct json_doc *doc;

	ok(run_documents_summary(&r, &run, &doc));
	return str_copy(s->a, json_doc_dump(s->a, doc));
}

const char *dump_config(struct scene *s)
{
	struct run_reader r = reader(s);
	struct run run = scene_run(s);
	const struct json_doc *doc;

	ok(run_documents_config(&r, &run, &doc));
	return str_copy(s->a, json_doc_dump(s->a, doc));
}

/* ---- console ------------------------------------------------------------------------------------------- */

static void add_lines(struct scene *s, int32_t writer, struct buf *out)
{
	struct console_scan scan = { s->run_id, writer, 0, CONSOLE_SMALL_WINDOWS };

	while (scan.from != INT64_MAX) {
		struct lines lines;
		int64_t next;

		ok(console_lines_read(s->db, s->codec, &scan, &lines, &next));
		scan.from = next;
		for (uint32_t i = 0; i < lines.count; i++)
			buf_printf(out, "%d:%lld %.*s\n", writer, (long long)lines.items[i].number,
				   STR_ARG(lines.items[i].text));
	}
}

const char *dump_console(struct scene *s)
{
	struct buf *out = buf_new(s->a);
	struct writer *writers;
	size_t count;

	ok(writer_store_list(s->db, s->run_id, -1, WRITER_LIST_MAX, &writers, &count));
	for (size_t i = 0; i < count; i++)
		add_lines(s, writers[i].writer, out);
	return text_of(out);
}

/* ---- writers --------------------------------------------------------------------------------------------- */

static const char *dump_writers(struct scene *s)
{
	struct buf *out = buf_new(s->a);
	struct writer *writers;
	size_t count;

	ok(writer_store_list_now(s->db, s->run_id, -1, WRITER_LIST_MAX, &writers, &count));
	for (size_t i = 0; i < count; i++) {
		const struct writer *w = &writers[i];

		buf_printf(out, "%d %.*s %d %lld %lld %lld %lld %lld %lld %lld", w->writer,
			   STR_ARG(w->client), w->attempt, (long long)w->batch,
			   (long long)w->history_rows, (long long)w->event_rows,
			   (long long)w->console_lines, (long long)w->dropped_rows,
			   (long long)w->last_step, (long long)record_streams_sum(w->streams));
		for (size_t j = 0; j < w->recent.len; j++)
			buf_printf(out, "%s%02x", j ? "" : " ", (unsigned char)w->recent.at[j]);
		buf_add_byte(out, '\n');
	}
	return text_of(out);
}

/* ---- all ------------------------------------------------------------------------------------------------- */

const char *dump_run(struct scene *s)
{
	struct scratch x = scratch_begin(s);
	struct buf *out = buf_new(s->a);

	buf_add_text(out, dump_rows(s, STREAM_HISTORY));
	buf_add_text(out, dump_rows(s, STREAM_EVENTS));
	buf_add_text(out, dump_charts(s, STREAM_HISTORY));
	buf_add_text(out, dump_charts(s, STREAM_EVENTS));
	buf_add_text(out, dump_keys(s, STREAM_HISTORY));
	buf_add_text(out, dump_keys(s, STREAM_EVENTS));
	buf_printf(out, "%s\n%s\n", dump_summary(s), dump_config(s));
	buf_add_text(out, dump_console(s));
	buf_add_text(out, dump_writers(s));
	return scratch_end(s, &x, text_of(out));
}

void assert_same_text(const char *what, const char *is, const char *expected)
{
	size_t line = 1;

	if (strcmp(is, expected) == 0)
		return;
	while (*is && *expected) {
		size_t a = strcspn(is, "\n"), b = strcspn(expected, "\n");

		if (a != b || memcmp(is, expected, a) != 0)
			fail_msg("%s, line %zu:\n%.*s\nis not\n%.*s", what, line,
				 (int)(a < 300 ? a : 300), is, (int)(b < 300 ? b : 300), expected);
		is += a + (is[a] != 0);
		expected += b + (expected[b] != 0);
		line++;
	}
	fail_msg("%s: %s at line %zu", what, *is ? "more" : "less", line);
}
