#include "row_axes.h"

#include <math.h>
#include <string.h>

#include "arena.h"

/* All these names have one beginning, which few others have. */
static struct json_column *find(struct json_rows *rows, const char *name)
{
	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct str is = rows->columns[i].name;

		if (is.at[0] == name[0] && str_is(is, name))
			return &rows->columns[i];
	}
	return NULL;
}

/* Renames a column that clients may not have, unless a client sent the other name itself. */
static void rename_reserved(struct json_rows *rows, const char *name, const char *name_sent)
{
	struct json_column *c = find(rows, name);

	if (!c)
		return;
	if (find(rows, name_sent))
		json_rows_leave_out_column(rows, (uint32_t)(c - rows->columns),
					   LEFT_OUT_NAME_RESERVED);
	else
		c->name = str_of(name_sent);
}

/* Values that a client sent under its name are left out. */
static void add_column(struct json_rows *rows, const struct json_column *column)
{
	struct json_column *sent = find(rows, column->name.at);
	struct json_column *grown;

	if (sent)
		json_rows_leave_out_column(rows, (uint32_t)(sent - rows->columns),
					   LEFT_OUT_NAME_RESERVED);
	grown = arena_alloc(rows->arena, (rows->column_count + 1) * sizeof(*grown));
	if (rows->column_count)
		memcpy(grown, rows->columns, rows->column_count * sizeof(*grown));
	grown[rows->column_count++] = *column;
	rows->columns = grown;
	rows->cell_count += column->number_count + column->text_count;
}

/* ---- time --------------------------------------------------------------------------------------- */

static bool is_time(double value)
{
	return isfinite(value) && value >= 0 && value <= AXES_TIME_MAX;
}

/* Valid times go to `times`, the others to the column `sent`. */
static void part_times(struct json_rows *rows, const struct json_column *c, double *times,
		       struct json_column *sent)
{
	uint32_t *sent_rows = arena_new_array(rows->arena, uint32_t, c->number_count);
	double *sent_numbers = arena_new_array(rows->arena, double, c->number_count);
	uint32_t *text_rows = arena_new_array(rows->arena, uint32_t, c->text_count);

	for (uint32_t i = 0; i < c->number_count; i++) {
		uint32_t row = json_column_number_row(c, i);

		if (is_time(c->numbers[i])) {
			times[row] = c->numbers[i];
			rows->newest_s = fmax(rows->newest_s, c->numbers[i]);
			continue;
		}
		sent_rows[sent->number_count] = row;
		sent_numbers[sent->number_count++] = c->numbers[i];
	}
	for (uint32_t i = 0; i < c->text_count; i++)
		text_rows[i] = json_column_text_row(c, i);
	sent->number_rows = sent_rows;
	sent->numbers = sent_numbers;
	sent->text_count = c->text_count;
	sent->text_rows = text_rows;
	sent->texts = c->texts;
}

static void fill_times(struct json_rows *rows, double now_s)
{
	struct json_column sent = { .name = STR("_timestamp_sent") };
	struct json_column column = { .name = STR("_timestamp"), .number_count = rows->row_count };
	double *times = arena_new_array(rows->arena, double, rows->row_count);
	struct json_column *c = find(rows, "_timestamp");

	for (uint32_t i = 0; i < rows->row_count; i++)
		times[i] = now_s;
	column.numbers = times;
	if (!c) {
		add_column(rows, &column);
		return;
	}
	part_times(rows, c, times, &sent);
	rows->cell_count += column.number_count;
	rows->cell_count -= c->number_count + c->text_count;
	*c = column;
	if (sent.number_count || sent.text_count)
		add_column(rows, &sent);
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* Steps that were sent, as a column of values. */
static void keep_steps(struct json_rows *rows, const char *name)
{
	struct json_column column = { .name = str_of(name) };
	uint32_t *at = arena_new_array(rows->arena, uint32_t, rows->row_count);
	double *steps = arena_new_array(rows->arena, double, rows->row_count);

	for (uint32_t i = 0; i < rows->row_count; i++) {
		if (rows->steps[i] == JSON_STEP_NONE)
			continue;
		at[column.number_count] = i;
		steps[column.number_count++] = (double)rows->steps[i];
	}
	column.number_rows = at;
	column.numbers = steps;
	if (column.number_count)
		add_column(rows, &column);
}

/* ---- both ---------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	const char *name_sent;
} reserved[] = {
	{ "_step", "_step_sent" }, /* a value that is not a step */
	{ "_row", "_row_sent" },
	{ "_label", "_label_sent" },
};

static void rename_all(struct json_rows *rows)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		rename_reserved(rows, reserved[i].name, reserved[i].name_sent);
}

void row_axes_history(struct json_rows *rows, double now_s)
{
	rename_all(rows);
	fill_times(rows, now_s);
}

void row_axes_events(struct json_rows *rows, double now_s)
{
	rename_all(rows);
	keep_steps(rows, "_step");
	fill_times(rows, now_s);
	json_rows_step_by_time(rows);
}
