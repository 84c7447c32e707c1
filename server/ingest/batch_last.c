#include "batch_last.h"

#include "arena.h"

static int64_t last_row(const uint32_t *rows, uint32_t count)
{
	if (!count)
		return -1;
	return rows ? rows[count - 1] : count - 1;
}

/* If a row has both, a big integer, its digits are the value. */
static const struct json_doc *last_value(struct arena *a, const struct json_column *c,
					 int64_t *ret_row)
{
	int64_t number = last_row(c->number_rows, c->number_count);
	int64_t text = last_row(c->text_rows, c->text_count);
	const struct json_doc *value = NULL;

	*ret_row = number > text ? number : text;
	if (number > text)
		return json_doc_of_double(a, c->numbers[c->number_count - 1]);
	if (text >= 0 && json_doc_parse_texts(a, c->texts[c->text_count - 1], &value))
		return NULL;
	return value;
}

/* Every row has one. */
static const double *times_of(const struct json_rows *rows)
{
	for (uint32_t i = 0; i < rows->column_count; i++) {
		if (str_is(rows->columns[i].name, "_timestamp"))
			return rows->columns[i].numbers;
	}
	return NULL;
}

const struct json_doc *batch_last_values(struct arena *a, const struct json_rows *rows)
{
	struct json_member *members = arena_new_array(a, struct json_member, rows->column_count);
	const double *times = times_of(rows);
	size_t count = 0;

	for (uint32_t i = 0; times && i < rows->column_count; i++) {
		const struct json_doc *pair[2];
		int64_t row;

		pair[1] = last_value(a, &rows->columns[i], &row);
		if (!pair[1])
			continue;
		pair[0] = json_doc_of_double(a, times[row]);
		members[count].name = rows->columns[i].name;
		members[count++].value = json_doc_array(a, pair, 2);
	}
	return json_doc_object(a, members, count);
}
