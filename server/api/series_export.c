#include "series_export.h"

#include "auth.h"
#include "json_out.h"
#include "json_scan.h"
#include "metric_cache.h"
#include "reply.h"
#include "row_json.h"
#include "run_store.h"

enum { WINDOW_ROWS = 4096 };

struct export
{
	struct run_reader reader;
	struct series_query query;
	int64_t run_id;
	int64_t next;
	int64_t end;
	int32_t *ids; /* keys read, ascending; none: all */
	size_t id_count;
	int32_t time_id; /* of _timestamp; read for every row, but no reason to show one */
	struct row_names names;
	bool header_done;
};

/* ---- rows as lines --------------------------------------------------------------------------------- */

static bool is_shown(const struct export *x, const struct exact_row *row)
{
	if (row->step < x->query.from || row->step > x->query.to)
		return false;
	if (!x->id_count)
		return row->value_count > 0;
	for (uint32_t i = 0; i < row->value_count; i++) {
		if (row->values[i].key_id != x->time_id)
			return true;
		for (size_t j = 0; j < x->query.key_count; j++) {
			if (x->query.key_ids[j] == x->time_id)
				return true;
		}
	}
	return false;
}

static void write_ndjson(struct export *x, const struct exact_row *row, struct buf *page)
{
	struct json_out out = json_out_begin(page);

	row_json_write(&out, row, x->query.stream, labels_of(&x->query.labels, row->writer),
		       &x->names);
	buf_add_byte(page, '\n');
}

/* RFC 4180: quoted where it must be. */
static void add_cell(struct buf *page, struct str text)
{
	bool quote = false;

	for (size_t i = 0; i < text.len && !quote; i++)
		quote = text.at[i] == ',' || text.at[i] == '"' || text.at[i] == '\n' ||
			text.at[i] == '\r';
	if (!quote) {
		buf_add_str(page, text);
		return;
	}
	buf_add_byte(page, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '"')
			buf_add_byte(page, '"');
		buf_add_byte(page, text.at[i]);
	}
	buf_add_byte(page, '"');
}

static void add_value(struct buf *page, const struct row_value *value)
{
	struct arena *a = arena_new(256);
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);
	struct str shown;

	row_json_write_value(&out, value);
	shown = buf_str(text);
	if (shown.len && shown.at[0] == '"') /* a text, or NaN and Infinity */
		shown = json_scan_unquote(a, shown);
	add_cell(page, shown);
	arena_free(a);
}

static void write_csv_header(struct export *x, struct buf *page)
{
	buf_add_text(page, x->query.stream == STREAM_HISTORY ? "_row,_label,_step" : "_row,_label");
	for (size_t i = 0; i < x->names.count; i++) {
		buf_add_byte(page, ',');
		add_cell(page, x->names.names[i]);
	}
	buf_add_text(page, "\r\n");
}

static void write_csv(struct export *x, const struct exact_row *row, struct buf *page)
{
	uint32_t at = 0;

	buf_printf(page, "%lld,", (long long)row->row);
	add_cell(page, labels_of(&x->query.labels, row->writer));
	if (x->query.stream == STREAM_HISTORY)
		buf_printf(page, ",%lld", (long long)row->step);
	for (size_t i = 0; i < x->names.count; i++) {
		buf_add_byte(page, ',');
		while (at < row->value_count && row->values[at].key_id < x->names.key_ids[i])
			at++;
		if (at < row->value_count && row->values[at].key_id == x->names.key_ids[i])
			add_value(page, &row->values[at]);
	}
	buf_add_text(page, "\r\n");
}

/* ---- windows --------------------------------------------------------------------------------------- */

static err_t add_window(struct request *q, struct export *x, struct buf *page)
{
	int64_t left = x->end - x->next;
	struct rows_ask ask = {
		.run_id = x->run_id,
		.stream = x->query.stream,
		.first = x->next,
		.count = (uint32_t)(left < WINDOW_ROWS ? left : WINDOW_ROWS),
		.key_ids = x->ids,
		.key_count = x->id_count,
		.writers = x->query.writers,
		.writer_count = x->query.writer_count,
	};
	struct exact_row *rows;
	err_t e;

	e = series_rows_read(q->db, x->reader.codec, &ask, &rows);
	if (e)
		return e;
	for (uint32_t i = 0; i < ask.count; i++) {
		if (!rows[i].value_count || !is_shown(x, &rows[i]))
			continue;
		if (x->query.format == SERIES_CSV)
			write_csv(x, &rows[i], page);
		else
			write_ndjson(x, &rows[i], page);
	}
	x->next += ask.count;
	return NULL;
}

static err_t next_page(struct request *q, void *state, struct buf *page, bool *ret_done)
{
	struct export *x = state;
	err_t e = NULL;

	if (!x->header_done && x->query.format == SERIES_CSV)
		write_csv_header(x, page);
	x->header_done = true;
	while (!e && x->next < x->end && page->len == 0)
		e = add_window(q, x, page);
	*ret_done = x->next >= x->end;
	return e;
}

/* ---- beginning ------------------------------------------------------------------------------------- */

static err_t name_keys(struct request *q, struct export *x)
{
	struct key_stats stats;
	struct str *names;
	int32_t *ids = x->ids;
	size_t count = x->id_count;
	err_t e;

	if (!count) {
		e = run_documents_keys(&x->reader, x->run_id, x->query.stream, &stats);
		if (e)
			return e;
		ids = arena_new_array(q->arena, int32_t, stats.count);
		for (count = 0; count < stats.count; count++)
			ids[count] = (int32_t)stats.items[count].key_id;
	}
	names = arena_new_array(q->arena, struct str, count);
	e = metric_cache_names(x->reader.metrics, q->db, q->target->project_id, ids, count, names);
	x->names = (struct row_names){ ids, names, count };
	return e;
}

static err_t find_time_id(struct request *q, struct export *x)
{
	struct str name = STR("_timestamp");

	return metric_cache_find(x->reader.metrics, q->db, q->target->project_id, &name, 1,
				 &x->time_id);
}

err_t series_export(struct request *q, const struct run_reader *reader,
		    const struct series_query *query)
{
	struct export *x = arena_new_of(q->arena, struct export);
	struct run *run;
	err_t e;

	x->reader = *reader;
	x->query = *query;
	x->run_id = q->target->run_id;
	e = run_store_get(q->db, x->run_id, &run);
	if (!e)
		e = find_time_id(q, x);
	if (e)
		return e;
	x->end = query->stream == STREAM_HISTORY ? run->next_row : run->next_event;
	if (query->key_count) {
		x->id_count = series_query_ids(query, q->arena, x->time_id, &x->ids);
		if (series_query_ids(query, q->arena, INT32_MAX, &(int32_t *){ NULL }) == 0)
			x->end = 0; /* none of the keys exists */
	}
	e = name_keys(q, x);
	if (e)
		return e;
	reply_stream(
		q, query->format == SERIES_CSV ? "text/csv; charset=utf-8" : "application/x-ndjson",
		next_page, x);
	return NULL;
}
