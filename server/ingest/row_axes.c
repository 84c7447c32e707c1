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

static struct err *reserved(struct json_rows *rows, const char *name)
{
	struct err *e = err_field(rows->arena, ERR_INVALID, name,
				  "the key \"%s\" is the server's own", name);

	e->hint = "choose another name";
	return e;
}

static err_t refuse_reserved(struct json_rows *rows)
{
	if (find(rows, "_row"))
		return reserved(rows, "_row");
	if (find(rows, "_label"))
		return reserved(rows, "_label");
	return NULL;
}

static err_t add_column(struct json_rows *rows, const struct json_column *column)
{
	struct json_column *grown;

	if (find(rows, column->name.at))
		return reserved(rows, column->name.at);
	grown = arena_alloc(rows->arena, (rows->column_count + 1) * sizeof(*grown));
	if (rows->column_count)
		memcpy(grown, rows->columns, rows->column_count * sizeof(*grown));
	grown[rows->column_count++] = *column;
	rows->columns = grown;
	rows->cell_count += column->number_count + column->text_count;
	return NULL;
}

/* ---- time --------------------------------------------------------------------------------------- */

static bool is_time(double value)
{
	return isfinite(value) && value >= 0 && value <= AXES_TIME_MAX;
}

/* Good times go to `times`, the others to the column `sent`. */
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

static err_t fill_times(struct json_rows *rows, double now_s)
{
	struct json_column sent = { .name = STR("_timestamp_sent") };
	struct json_column column = { .name = STR("_timestamp"), .number_count = rows->row_count };
	double *times = arena_new_array(rows->arena, double, rows->row_count);
	struct json_column *c = find(rows, "_timestamp");

	for (uint32_t i = 0; i < rows->row_count; i++)
		times[i] = now_s;
	column.numbers = times;
	if (!c)
		return add_column(rows, &column);
	part_times(rows, c, times, &sent);
	rows->cell_count += column.number_count;
	rows->cell_count -= c->number_count + c->text_count;
	*c = column;
	return sent.number_count || sent.text_count ? add_column(rows, &sent) : NULL;
}

/* ---- steps -------------------------------------------------------------------------------------- */

/* Steps that were sent, as a column of values. */
static err_t keep_steps(struct json_rows *rows, const char *name)
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
	return column.number_count ? add_column(rows, &column) : NULL;
}

/* A `_step` that is no step is kept under another name. */
static err_t rename_odd_steps(struct json_rows *rows)
{
	struct json_column *odd = find(rows, "_step");

	if (!odd)
		return NULL;
	if (find(rows, "_step_sent"))
		return reserved(rows, "_step_sent");
	odd->name = STR("_step_sent");
	return NULL;
}

err_t row_axes_history(struct json_rows *rows, double now_s)
{
	err_t e;

	e = refuse_reserved(rows);
	if (e)
		return e;
	e = rename_odd_steps(rows);
	return e ? e : fill_times(rows, now_s);
}

err_t row_axes_events(struct json_rows *rows, double now_s)
{
	err_t e;

	e = refuse_reserved(rows);
	if (e)
		return e;
	e = rename_odd_steps(rows);
	if (!e)
		e = keep_steps(rows, "_step");
	if (!e)
		e = fill_times(rows, now_s);
	if (!e)
		json_rows_step_by_time(rows);
	return e;
}
