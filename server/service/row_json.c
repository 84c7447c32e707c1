#include "row_json.h"

#include "buf.h"
#include "line_level.h"
#include "path.h"

struct str row_names_of(const struct row_names *names, int32_t key_id)
{
	size_t low = 0;
	size_t high = names->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (names->key_ids[middle] == key_id)
			return names->names[middle];
		if (names->key_ids[middle] < key_id)
			low = middle + 1;
		else
			high = middle;
	}
	return (struct str){ "", 0 };
}

void row_json_write_value(struct json_out *o, const struct row_value *value)
{
	if (value->is_text)
		json_out_sent(o, value->text);
	else
		json_out_real(o, value->number);
}

bool row_json_is_short(const struct row_form *form, const struct row_value *value)
{
	return !form->whole && value->is_text && value->text.len > ROW_VALUE_MAX_BYTES;
}

/* A name in the parameter `keys` (key_list.h). */
static void add_key(struct buf *out, struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == ',' || name.at[i] == '\\')
			buf_add_text(out, "%5C");
		path_encode(out, (struct str){ name.at + i, 1 });
	}
}

void row_json_put_href(struct json_out *o, const char *member, int64_t row, struct str name,
		       const struct row_form *form)
{
	struct buf href = { 0 };

	buf_add_str(&href, form->base);
	buf_printf(&href, "%s?format=ndjson&texts=whole&row=%lld&keys=",
		   form->stream == STREAM_HISTORY ? "history" : "events", (long long)row);
	add_key(&href, name);
	json_out_put_text(o, member, buf_str(&href));
	buf_free(&href);
}

void row_json_write_short(struct json_out *o, const struct row_value *value, int64_t row,
			  struct str name, const struct row_form *form)
{
	json_out_object(o);
	json_out_put_text(o, "head", str_head(value->text, ROW_VALUE_HEAD_BYTES));
	json_out_put_int(o, "bytes", (int64_t)value->text.len);
	row_json_put_href(o, "href", row, name, form);
	json_out_object_end(o);
}

void row_json_write(struct json_out *o, const struct exact_row *row, const struct row_form *form,
		    struct str label, const struct row_names *names)
{
	json_out_object(o);
	row_json_put(o, row, form, label, names);
	json_out_object_end(o);
}

void row_json_put(struct json_out *o, const struct exact_row *row, const struct row_form *form,
		  struct str label, const struct row_names *names)
{
	json_out_put_int(o, "_row", row->row);
	json_out_put_text(o, "_label", label);
	if (form->stream == STREAM_HISTORY)
		json_out_put_int(o, "_step", row->step);
	for (uint32_t i = 0; i < row->value_count; i++) {
		struct str name = row_names_of(names, row->values[i].key_id);

		if (!name.len)
			continue;
		json_out_key_str(o, name);
		if (row_json_is_short(form, &row->values[i]))
			row_json_write_short(o, &row->values[i], row->row, name, form);
		else
			row_json_write_value(o, &row->values[i]);
	}
}

void row_json_put_line(struct json_out *o, const struct line *line, int32_t writer,
		       struct str label)
{
	json_out_put_text(o, "label", label);
	json_out_put_int(o, "writer", writer);
	json_out_put_int(o, "line", line->number);
	json_out_put_text(o, "stream", line->stream == LINE_STDERR ? STR("stderr") : STR("stdout"));
	json_out_put_real(o, "time", (double)line->time_us / 1e6);
	if (line_is_error(line->text))
		json_out_put_text(o, "level", STR("error"));
	json_out_put_text(o, "text", line->text);
}

void row_json_write_line(struct json_out *o, const struct line *line, int32_t writer,
			 struct str label)
{
	json_out_object(o);
	row_json_put_line(o, line, writer, label);
	json_out_object_end(o);
}
