#include "row_json.h"

#include "line_level.h"

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

void row_json_write(struct json_out *o, const struct exact_row *row, enum stream stream,
		    struct str label, const struct row_names *names)
{
	json_out_object(o);
	row_json_put(o, row, stream, label, names);
	json_out_object_end(o);
}

void row_json_put(struct json_out *o, const struct exact_row *row, enum stream stream,
		  struct str label, const struct row_names *names)
{
	json_out_put_int(o, "_row", row->row);
	json_out_put_text(o, "_label", label);
	if (stream == STREAM_HISTORY)
		json_out_put_int(o, "_step", row->step);
	for (uint32_t i = 0; i < row->value_count; i++) {
		struct str name = row_names_of(names, row->values[i].key_id);

		if (!name.len)
			continue;
		json_out_key_str(o, name);
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
