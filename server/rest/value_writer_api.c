#include "value_writer_api.h"

#include "auth.h"
#include "etag.h"
#include "json_out.h"
#include "labels.h"
#include "leaves.h"
#include "run_store.h"
#include "run_view.h"
#include "value_writers.h"

static void write_path(struct json_out *o, struct str path)
{
	json_out_key(o, "path");
	json_out_array(o);
	for (size_t from = 0; from <= path.len; from++) {
		struct str name = leaf_name_at(path, from);

		json_out_text(o, name);
		from += name.len;
	}
	json_out_array_end(o);
}

static void write_value(struct json_out *o, const struct value_writer *v,
			const struct labels *labels)
{
	bool is_writers = v->writer != VALUE_OF_NONE;

	json_out_object(o);
	write_path(o, v->path);
	json_out_put_int_or_null(o, "writer", is_writers, v->writer);
	json_out_put_text_or_null(o, "label", is_writers ? labels_of(labels, v->writer) : STR(""));
	json_out_put_bool(o, "shared", v->shared);
	json_out_put_bool(o, "edited", v->is_edited);
	json_out_put_text_or_null(o, "user", v->edit.user);
	json_out_put_time(o, "edited_at", v->edit.at);
	json_out_object_end(o);
}

static err_t list(struct request *q, enum document_kind kind)
{
	struct buf *body = buf_new(q->arena);
	struct json_out out = json_out_begin(body);
	struct run_reader reader = run_view_reader(q);
	struct value_writer *values;
	struct labels labels;
	struct run *run;
	size_t count;
	err_t e;

	e = run_store_get(q->db, q->target->run_id, &run);
	if (!e)
		e = value_writers_list(&reader, run, kind, &values, &count);
	if (!e)
		e = labels_read_now(q, &labels);
	if (e)
		return e;
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < count; i++)
		write_value(&out, &values[i], &labels);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return etag_reply(q, "application/json", body);
}

err_t value_writer_api_config(struct request *q)
{
	return list(q, DOCUMENT_CONFIG);
}

err_t value_writer_api_summary(struct request *q)
{
	return list(q, DOCUMENT_SUMMARY);
}
