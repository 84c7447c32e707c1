#include "wandb_history.h"

#include <stdlib.h>

#include "arena.h"
#include "json_doc.h"
#include "run_documents.h"
#include "series_store.h"
#include "wandb_kinds.h"
#include "wandb_labels.h"
#include "wandb_rows.h"
#include "wandb_run.h"

enum { SPECS_MAX = 100, SPEC_KEYS_MAX = 1000 };

static const struct run *run_of(const struct gql_call *call)
{
	return ((const struct wandb_run *)call->parent)->run;
}

static bool is_given(const struct gql_call *call, const char *name)
{
	return json_doc_is(json_doc_get_named(call->args, name), JSON_KIND_NUMBER);
}

/* ---- rows as texts -------------------------------------------------------------------------------- */

static void give_texts(struct gql_call *call, const struct wandb_rows *rows)
{
	json_out_array(call->out);
	for (size_t i = 0; i < rows->count; i++)
		json_out_text(call->out, rows->texts[i]);
	json_out_array_end(call->out);
}

/* `maxStep` is not among them. With both bounds it is one page of many, and exact: `samples` is the steps of a page. */
static err_t read_range(const struct gql_call *call, struct wandb_rows_ask *ask)
{
	bool is_page = is_given(call, "minStep") && is_given(call, "maxStep");
	int64_t samples;
	int64_t end;
	err_t e = gql_arg_int(call, "samples", 1, is_page ? INT64_MAX : INT32_MAX, WANDB_SAMPLES,
			      &samples);

	if (!e)
		e = gql_arg_int(call, "minStep", INT64_MIN, INT64_MAX, INT64_MIN, &ask->steps.from);
	if (!e)
		e = gql_arg_int(call, "maxStep", INT64_MIN, INT64_MAX, INT64_MAX, &end);
	if (e)
		return e;
	ask->steps.to = is_given(call, "maxStep") && end > INT64_MIN ? end - 1 : end;
	ask->samples = is_page                       ? 0
		       : samples > WANDB_SAMPLES_MAX ? WANDB_SAMPLES_MAX
						     : (size_t)samples;
	return NULL;
}

static err_t give_rows(struct gql_call *call, enum stream stream)
{
	struct wandb_rows_ask ask = { .run = run_of(call),
				      .stream = stream,
				      .numbers = SDK_NUMBERS_BARE };
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	struct wandb_rows rows;
	err_t e = read_range(call, &ask);

	if (!e)
		e = wandb_rows_read(reader, &ask, &rows);
	if (!e)
		give_texts(call, &rows);
	return e;
}

err_t wandb_run_history(struct gql_call *call)
{
	return give_rows(call, STREAM_HISTORY);
}

err_t wandb_run_events(struct gql_call *call)
{
	return give_rows(call, STREAM_EVENTS);
}

/* ---- rows of some keys ---------------------------------------------------------------------------- */

static err_t wrong_spec(struct gql_call *call, const char *what)
{
	return err_field(call->arena, ERR_INVALID, "specs", "\"specs\" %s", what);
}

static err_t read_keys(struct gql_call *call, const struct json_doc *doc,
		       struct wandb_rows_ask *ask)
{
	struct str *keys;

	if (!doc || json_doc_is(doc, JSON_KIND_NULL))
		return NULL;
	if (!json_doc_is(doc, JSON_KIND_ARRAY) || doc->count > SPEC_KEYS_MAX)
		return wrong_spec(call, "must have a list of at most 1000 keys");
	keys = arena_new_array(call->arena, struct str, doc->count + 1);
	for (size_t i = 0; i < doc->count; i++) {
		if (!json_doc_is(doc->items[i], JSON_KIND_STRING))
			return wrong_spec(call, "must have keys that are strings");
		keys[i] = doc->items[i]->text;
	}
	ask->keys = keys;
	ask->key_count = doc->count;
	return NULL;
}

/*
 * With both bounds one page of many: newer clients send the last step of the page as `maxStep`, older
 * ones the first of the next, and both as `samples` how many steps a page has.
 */
static err_t read_steps(struct gql_call *call, const struct json_doc *spec,
			struct wandb_rows_ask *ask)
{
	bool has_from = json_doc_int64(json_doc_get_named(spec, "minStep"), &ask->steps.from);
	bool has_to = json_doc_int64(json_doc_get_named(spec, "maxStep"), &ask->steps.to);
	int64_t samples = WANDB_SAMPLES;
	int64_t last;

	if (json_doc_int64(json_doc_get_named(spec, "samples"), &samples) && samples < 1)
		return wrong_spec(call, "must request at least one sample");
	if (!has_from)
		ask->steps.from = INT64_MIN;
	if (!has_to)
		ask->steps.to = INT64_MAX;
	ask->samples = samples > WANDB_SAMPLES_MAX ? WANDB_SAMPLES_MAX : (size_t)samples;
	if (!has_from || !has_to)
		return NULL;
	ask->samples = 0;
	if (!__builtin_add_overflow(ask->steps.from, samples - 1, &last) && last < ask->steps.to)
		ask->steps.to = last;
	return NULL;
}

static err_t put_sampled(struct gql_call *call, const struct json_doc *text)
{
	struct wandb_rows_ask ask = { .run = run_of(call), .stream = STREAM_HISTORY };
	struct wandb *w = wandb_of(call);
	const struct json_doc *spec;
	struct wandb_rows rows;
	err_t e;

	if (!json_doc_is(text, JSON_KIND_STRING))
		return wrong_spec(call, "must be strings that contain JSON objects");
	e = json_doc_parse(call->arena, text->text, &spec);
	if (e || !json_doc_is(spec, JSON_KIND_OBJECT))
		return wrong_spec(call, "must be strings that contain JSON objects");
	e = read_keys(call, json_doc_get_named(spec, "keys"), &ask);
	if (!e)
		e = read_steps(call, spec, &ask);
	ask.numbers = sdk_numbers_of(request_header(w->q, "User-Agent"), !ask.samples);
	if (!e)
		e = wandb_rows_read(wandb_reader(w), &ask, &rows);
	if (e)
		return e;
	json_out_array(call->out);
	for (size_t i = 0; i < rows.count; i++)
		json_out_raw(call->out, rows.texts[i]);
	json_out_array_end(call->out);
	return NULL;
}

err_t wandb_run_sampled_history(struct gql_call *call)
{
	const struct json_doc *specs = json_doc_get_named(call->args, "specs");
	err_t e = NULL;

	if (json_doc_is(specs, JSON_KIND_STRING)) /* a single one where a list is expected */
		specs = json_doc_array(call->arena, &specs, 1);
	if (!json_doc_is(specs, JSON_KIND_ARRAY) || specs->count > SPECS_MAX)
		return wrong_spec(call, "must be a list of at most 100");
	json_out_array(call->out);
	for (size_t i = 0; i < specs->count && !e; i++) {
		e = put_sampled(call, specs->items[i]);
		if (!e)
			e = gql_check_memory(call);
	}
	json_out_array_end(call->out);
	return e;
}

/* ---- keys ----------------------------------------------------------------------------------------- */

static void put_count(struct json_out *out, struct str type, uint64_t count)
{
	json_out_object(out);
	json_out_put_text(out, "type", type);
	json_out_put_int(out, "count", (int64_t)count);
	json_out_object_end(out);
}

static void put_counts(struct json_out *out, const struct wandb_kinds *kinds)
{
	json_out_key(out, "typeCounts");
	json_out_array(out);
	for (int i = 0; i < WANDB_KINDS; i++) {
		if (kinds->counts[i])
			put_count(out, str_of(wandb_kind_name((enum wandb_kind)i)),
				  kinds->counts[i]);
	}
	json_out_array_end(out);
}

static void put_last(struct json_out *out, const struct key_stat *stat)
{
	const struct row_value last = { .is_text = stat->is_text,
					.number = stat->number,
					.text = stat->text };

	json_out_key(out, "previousValue");
	wandb_columns_value(out, SDK_NUMBERS_QUOTED, &last);
}

static err_t put_key(struct gql_call *call, struct str name, const struct key_stat *stat)
{
	struct json_out *out = call->out;
	struct wandb_kinds kinds;
	err_t e = wandb_kinds_count(wandb_reader(wandb_of(call)), run_of(call), stat, &kinds);

	if (e)
		return e;
	json_out_key_str(out, name);
	json_out_object(out);
	put_counts(out, &kinds);
	json_out_put_bool(out, "monotonic", false);
	put_last(out, stat);
	json_out_object_end(out);
	return NULL;
}

/* An object with a type: counted as that type, by its "_type", whose last value is a text in quotes. */
static void put_object_key(struct gql_call *call, const struct wandb_column *type,
			   const struct key_stat *stat)
{
	const struct json_doc *name;
	struct json_out *out = call->out;

	json_out_key_str(out, type->top);
	json_out_object(out);
	json_out_key(out, "typeCounts");
	json_out_array(out);
	if (stat->is_text && !json_doc_parse(call->arena, stat->text, &name))
		put_count(out, name->text, stat->row_count);
	json_out_array_end(out);
	json_out_put_bool(out, "monotonic", false);
	json_out_object_end(out);
}

static void put_step(struct json_out *out, const struct run *run)
{
	json_out_key(out, "_step");
	json_out_object(out);
	json_out_key(out, "typeCounts");
	json_out_array(out);
	put_count(out, STR("number"), (uint64_t)run_rows(run));
	json_out_array_end(out);
	json_out_put_bool(out, "monotonic", true);
	json_out_put_int(out, "previousValue", run->last_step);
	json_out_object_end(out);
}

static err_t put_keys(struct gql_call *call, const struct wandb_keys *keys)
{
	err_t e = NULL;

	put_step(call->out, run_of(call));
	for (size_t i = 0; i < keys->count && !e; i++) {
		const struct wandb_column *column = &keys->items[i];

		if (!column->rest.len)
			e = put_key(call, column->name, keys->stats[i]);
		else if (str_is(column->rest, "_type"))
			put_object_key(call, column, keys->stats[i]);
	}
	return e;
}

static err_t read_stats(struct gql_call *call, struct key_stats *ret_stats)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	const struct wandb_run *run = call->parent;
	const struct wandb_key_rows *ready = &run->history_keys;

	if (ready->count)
		return run_documents_sum_keys(reader, ready->rows, ready->count, ret_stats);
	return run_documents_keys(reader, run->run->project_id, run->run->run_id, STREAM_HISTORY,
				  ret_stats);
}

static err_t read_all_keys(struct gql_call *call, struct wandb_keys *ret_keys)
{
	struct key_stats stats;
	err_t e = read_stats(call, &stats);

	return e ? e
		 : wandb_keys_read(wandb_reader(wandb_of(call)), run_of(call), &stats, ret_keys);
}

err_t wandb_run_history_keys(struct gql_call *call)
{
	const struct run *run = run_of(call);
	struct wandb_keys keys;
	err_t e;

	if (!run_rows(run))
		return NULL;
	e = read_all_keys(call, &keys);
	if (e)
		return e;
	json_out_object(call->out);
	json_out_key(call->out, "sets");
	json_out_array(call->out);
	json_out_array_end(call->out);
	json_out_key(call->out, "keys");
	json_out_object(call->out);
	e = put_keys(call, &keys);
	json_out_object_end(call->out);
	json_out_put_int(call->out, "lastStep", run->last_step);
	json_out_object_end(call->out);
	return e;
}

/* ---- system metrics -------------------------------------------------------------------------------- */

/* Rows of the keys, and the labels of their writers. */
struct event_keys {
	struct keys_row *rows;
	size_t count;
	struct wandb_labels labels;
};

static err_t read_event_keys(struct gql_call *call, struct event_keys *ret_keys)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	const struct run *run = run_of(call);
	const struct keys_ask ask = { .run_ids = &run->run_id,
				      .run_count = 1,
				      .stream = STREAM_EVENTS,
				      .bytes = INT64_MAX,
				      .project_id = run->project_id };
	struct wandb_labels_ask labels = { .runs = &run, .run_count = 1 };
	err_t e = series_store_read_keys(reader->db, reader->codec, &ask, &ret_keys->rows,
					 &ret_keys->count);

	labels.rows = ret_keys->rows;
	labels.row_count = ret_keys->count;
	return e ? e : wandb_labels_read_of_rows(reader->db, &labels, &ret_keys->labels);
}

static err_t event_keys_of(struct gql_call *call, struct event_keys *ret_keys)
{
	const struct wandb_run *run = call->parent;
	const struct wandb_key_rows *ready = &run->event_keys;

	if (!ready->count)
		return read_event_keys(call, ret_keys);
	ret_keys->rows =
		arena_copy(call->arena, ready->rows, ready->count * sizeof(ready->rows[0]));
	ret_keys->count = ready->count;
	ret_keys->labels = *run->event_labels;
	return NULL;
}

/* Writers without a label together, as one of number -1; of each what came later behind what came before. */
static int by_writer(const void *a, const void *b)
{
	const struct keys_row *x = a;
	const struct keys_row *y = b;

	if (x->writer != y->writer)
		return (x->writer > y->writer) - (x->writer < y->writer);
	if (x->part != y->part)
		return (x->part > y->part) - (x->part < y->part);
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static err_t put_metrics(struct gql_call *call, struct json_out *out, const struct keys_row *rows,
			 size_t count, struct str suffix)
{
	const struct run_reader *reader = wandb_reader(wandb_of(call));
	struct key_stats stats;
	struct wandb_keys keys;
	err_t e = run_documents_sum_keys(reader, rows, count, &stats);

	if (!e)
		e = wandb_keys_read(reader, run_of(call), &stats, &keys);
	for (size_t i = 0; !e && i < keys.count; i++) {
		const struct key_stat *stat = keys.stats[i];
		const struct row_value last = { .is_text = stat->is_text,
						.number = stat->number,
						.text = stat->text };
		struct str name = keys.items[i].name;

		if (!str_starts(name, "system."))
			continue;
		json_out_key(out,
			     arena_printf(call->arena, "%.*s%.*s", STR_ARG(name), STR_ARG(suffix)));
		wandb_columns_value(out, SDK_NUMBERS_BARE, &last);
	}
	return e ? e : gql_check_memory(call);
}

static err_t put_by_label(struct gql_call *call, struct json_out *out,
			  const struct event_keys *keys)
{
	const int64_t run_id = run_of(call)->run_id;
	struct keys_row *rows = keys->rows;
	err_t e = NULL;

	for (size_t i = 0; i < keys->count; i++) {
		if (!wandb_labels_suffix(&keys->labels, run_id, rows[i].writer).len)
			rows[i].writer = -1;
	}
	if (keys->count)
		qsort(rows, keys->count, sizeof(rows[0]), by_writer);
	for (size_t i = 0, end; i < keys->count && !e; i = end) {
		for (end = i; end < keys->count && rows[end].writer == rows[i].writer;)
			end++;
		e = put_metrics(call, out, rows + i, end - i,
				wandb_labels_suffix(&keys->labels, run_id, rows[i].writer));
	}
	return e;
}

/* The last value of each of its system metrics, as a text that holds JSON. */
err_t wandb_run_system_metrics(struct gql_call *call)
{
	struct buf *text = buf_new(call->arena);
	struct json_out out = json_out_begin(text);
	struct event_keys keys = { .count = 0 };
	err_t e = NULL;

	json_out_object(&out);
	if (run_of(call)->next_event)
		e = event_keys_of(call, &keys);
	if (!e)
		e = put_by_label(call, &out, &keys);
	if (e)
		return e;
	json_out_object_end(&out);
	json_out_text(call->out, buf_str(text));
	return NULL;
}

/* ---- parquet -------------------------------------------------------------------------------------- */

/* There are no such files: clients read rows as they are, from the step of the first one on. */
static err_t parquet_urls(struct gql_call *call)
{
	json_out_array(call->out);
	json_out_array_end(call->out);
	return NULL;
}

static err_t parquet_live(struct gql_call *call)
{
	json_out_array(call->out);
	if (run_rows(run_of(call))) {
		json_out_object(call->out);
		json_out_put_int(call->out, "_step", 0);
		json_out_object_end(call->out);
	}
	json_out_array_end(call->out);
	return NULL;
}

static const struct gql_field parquet_fields[] = {
	GQL_VALUE_FIELD("parquetUrls", NULL, parquet_urls),
	GQL_VALUE_FIELD("liveData", NULL, parquet_live),
};
const struct gql_type wandb_parquet_type = GQL_TYPE("ParquetHistory", parquet_fields);

err_t wandb_run_parquet(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}
