/* Both kinds of pieces are tables of columns; one walk writes a table as JSON, another as bytes. */
#include "series_piece.h"

#include <endian.h>
#include <math.h>
#include <string.h>

#include "arena.h"

enum { COLUMNS_MAX = 15, ALIGNMENT = 8 }; /* the most of a piece: 12 of a group and 3 percentiles */

/* Numbers that must keep all their bits stay doubles. For others floats may be enough. */
enum width { WIDTH_DOUBLE, WIDTH_ANY };

struct column {
	const char *name;
	enum width width;
	bool whole;      /* counts, and steps */
	bool spell;      /* NaN and the infinities as words in JSON; else null */
	double *numbers; /* `count` of them */
};

struct table {
	struct column columns[COLUMNS_MAX];
	size_t column_count;
	uint32_t count;
	double *room;
};

static struct table begin_table(struct pieces *p, uint32_t count)
{
	size_t need = (size_t)count * COLUMNS_MAX;

	if (need > p->room_size || !p->room) {
		p->room = arena_alloc(p->arena, need * sizeof(double));
		p->room_size = need;
	}
	return (struct table){ .count = count, .room = p->room };
}

static double *add_column(struct table *t, struct column column)
{
	column.numbers = t->room + t->column_count * t->count;
	t->columns[t->column_count++] = column;
	return column.numbers;
}

const char *const series_column_names[SERIES_COLUMNS_MAX + 1] = {
	"x_first", "x_last", "first", "last", "min",  "max",
	"mean",    "n",      "nan",   "pinf", "ninf", NULL,
};

/* "at" and the columns that are asked for, in the order of the series' columns. */
static void keep_columns(struct table *t, uint32_t columns)
{
	size_t kept = 1;

	for (size_t i = 1; i < t->column_count && columns; i++) {
		if (columns & 1u << (i - 1))
			t->columns[kept++] = t->columns[i];
	}
	t->column_count = columns ? kept : t->column_count;
}

/* ---- as JSON ------------------------------------------------------------------------------------ */

static void put_number(struct json_out *o, const struct column *c, double number)
{
	if (!c->spell && !isfinite(number))
		json_out_null(o);
	else if (c->whole)
		json_out_int(o, (int64_t)number);
	else
		json_out_real(o, number);
}

static void put_columns(struct json_out *o, const struct table *t)
{
	json_out_key(o, "columns");
	json_out_object(o);
	for (size_t i = 0; i < t->column_count; i++) {
		json_out_key(o, t->columns[i].name);
		json_out_array(o);
		for (uint32_t k = 0; k < t->count; k++)
			put_number(o, &t->columns[i], t->columns[i].numbers[k]);
		json_out_array_end(o);
	}
	json_out_object_end(o);
}

/* ---- as bytes ----------------------------------------------------------------------------------- */

static size_t aligned(size_t len)
{
	return (len + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool is_narrow(const struct pieces *p, const struct column *c)
{
	return p->narrow && c->width == WIDTH_ANY;
}

static size_t column_bytes(const struct pieces *p, const struct column *c, uint32_t count)
{
	return aligned(count * (is_narrow(p, c) ? sizeof(float) : sizeof(double)));
}

static size_t describe_columns(const struct pieces *p, struct json_out *o, const struct table *t)
{
	size_t offset = 0;

	json_out_key(o, "columns");
	json_out_array(o);
	for (size_t i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];

		json_out_object(o);
		json_out_put_text(o, "name", str_of(c->name));
		json_out_put_text(o, "type", is_narrow(p, c) ? STR("float32") : STR("float64"));
		json_out_put_int(o, "offset", (int64_t)offset);
		json_out_put_int(o, "count", t->count);
		json_out_object_end(o);
		offset += column_bytes(p, c, t->count);
	}
	json_out_array_end(o);
	return offset;
}

/* Both loops are plain copies on a little-endian machine. */
static void add_doubles(struct buf *slice, const double *numbers, uint32_t count)
{
	char *to = buf_reserve(slice, count * sizeof(*numbers));

	for (uint32_t i = 0; i < count; i++) {
		uint64_t bits;

		memcpy(&bits, &numbers[i], sizeof(bits));
		bits = htole64(bits);
		memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
	}
	slice->len += count * sizeof(*numbers);
}

static void add_floats(struct buf *slice, const double *numbers, uint32_t count)
{
	char *to = buf_reserve(slice, count * sizeof(float));

	for (uint32_t i = 0; i < count; i++) {
		float narrow = (float)numbers[i];
		uint32_t bits;

		memcpy(&bits, &narrow, sizeof(bits));
		bits = htole32(bits);
		memcpy(to + i * sizeof(bits), &bits, sizeof(bits));
	}
	slice->len += count * sizeof(float);
}

static void add_zeros(struct buf *slice, size_t count)
{
	while (count-- > 0)
		buf_add_byte(slice, 0);
}

static void add_bytes(const struct pieces *p, const struct table *t)
{
	for (size_t i = 0; i < t->column_count; i++) {
		const struct column *c = &t->columns[i];
		size_t end = p->slice->len + column_bytes(p, c, t->count);

		if (is_narrow(p, c))
			add_floats(p->slice, c->numbers, t->count);
		else
			add_doubles(p->slice, c->numbers, t->count);
		add_zeros(p->slice, end - p->slice->len);
	}
}

/* ---- pieces ------------------------------------------------------------------------------------- */

void pieces_begin(struct pieces *p)
{
	if (p->form == SERIES_JSON)
		buf_add_text(p->slice, "{\"pieces\":[\n");
}

void pieces_end(struct pieces *p)
{
	if (p->form == SERIES_JSON)
		buf_add_text(p->slice, "]}\n");
}

struct piece piece_begin(struct pieces *p, const char *kind, size_t panel)
{
	struct piece piece = { .head = buf_new(p->arena) };

	piece.out = json_out_begin(piece.head);
	json_out_object(&piece.out);
	json_out_put_text(&piece.out, "piece", str_of(kind));
	if (panel != SIZE_MAX)
		json_out_put_int(&piece.out, "panel", (int64_t)panel);
	return piece;
}

static void end(struct pieces *p, struct piece *piece, const struct table *t)
{
	size_t bytes = 0;

	if (t && p->form == SERIES_COLUMNS)
		bytes = describe_columns(p, &piece->out, t);
	else if (t)
		put_columns(&piece->out, t);
	json_out_object_end(&piece->out);
	if (p->form != SERIES_COLUMNS) {
		if (p->form == SERIES_JSON && p->any)
			buf_add_byte(p->slice, ',');
		buf_add_str(p->slice, buf_str(piece->head));
		buf_add_byte(p->slice, '\n');
		p->any = true;
		return;
	}
	while (piece->head->len % ALIGNMENT)
		buf_add_byte(piece->head, ' ');
	buf_add_text(p->slice, "CRN1");
	buf_add_u32(p->slice, (uint32_t)piece->head->len);
	buf_add_u64(p->slice, bytes);
	buf_add_str(p->slice, buf_str(piece->head));
	if (t)
		add_bytes(p, t);
}

void piece_end_plain(struct pieces *p, struct piece *piece)
{
	end(p, piece, NULL);
}

static struct column position_column(const struct axis *axis, const char *name)
{
	return (struct column){ .name = name, .whole = axis->x.axis == SERIES_STEP, .spell = true };
}

static const struct column count_columns[] = {
	{ .name = "n", .whole = true },
	{ .name = "nan", .whole = true },
	{ .name = "pinf", .whole = true },
	{ .name = "ninf", .whole = true },
};

void piece_end_series(struct pieces *p, struct piece *piece, const struct axis *axis,
		      const struct sampled *series)
{
	struct table t = begin_table(p, series->count);
	double *at = add_column(&t, (struct column){ .name = "at", .whole = true });
	double *x_first = add_column(&t, position_column(axis, "x_first"));
	double *x_last = add_column(&t, position_column(axis, "x_last"));
	double *first = add_column(
		&t, (struct column){ .name = "first", .width = WIDTH_ANY, .spell = true });
	double *last = add_column(
		&t, (struct column){ .name = "last", .width = WIDTH_ANY, .spell = true });
	double *min = add_column(&t, (struct column){ .name = "min", .width = WIDTH_ANY });
	double *max = add_column(&t, (struct column){ .name = "max", .width = WIDTH_ANY });
	double *mean = add_column(&t, (struct column){ .name = "mean", .width = WIDTH_ANY });
	double *counts[4];

	for (int i = 0; i < 4; i++)
		counts[i] = add_column(&t, count_columns[i]);
	for (uint32_t i = 0; i < series->count; i++) {
		const struct bucket *b = &series->buckets[i];

		at[i] = b->at;
		x_first[i] = axis_number(axis, b->step_first);
		x_last[i] = axis_number(axis, b->step_last);
		first[i] = b->first;
		last[i] = b->last;
		min[i] = b->min;
		max[i] = b->max;
		mean[i] = b->mean;
		counts[0][i] = (double)b->n;
		counts[1][i] = (double)b->nan;
		counts[2][i] = (double)b->pinf;
		counts[3][i] = (double)b->ninf;
	}
	keep_columns(&t, p->columns);
	end(p, piece, &t);
}

static uint32_t filled(const struct group_bucket *buckets, uint32_t count)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++)
		n += group_has(&buckets[i]);
	return n;
}

/* The columns of percentiles, after those of every group. */
static const struct {
	const char *name;
	double share;
} percentiles[] = { { "p10", 0.1 }, { "p50", 0.5 }, { "p90", 0.9 } };
enum { PERCENTILES = sizeof(percentiles) / sizeof(percentiles[0]) };

static void add_percentiles(struct table *t, const struct group_sums *sums)
{
	double *columns[PERCENTILES];
	uint32_t to = 0;

	for (size_t i = 0; i < PERCENTILES; i++)
		columns[i] = add_column(t, (struct column){ .name = percentiles[i].name,
							    .width = WIDTH_ANY });
	for (uint32_t at = 0; at < sums->count; at++) {
		double *values = sums->kept + at * sums->most;
		const size_t runs = sums->buckets[at].n ? sums->buckets[at].runs : 0;

		if (!group_has(&sums->buckets[at]))
			continue;
		group_order(values, runs);
		for (size_t i = 0; i < PERCENTILES; i++)
			columns[i][to] = runs ? group_percentile(values, runs, percentiles[i].share)
					      : (double)NAN;
		to++;
	}
}

void piece_end_group(struct pieces *p, struct piece *piece, const struct axis *axis,
		     const struct group_sums *sums)
{
	struct table t = begin_table(p, filled(sums->buckets, sums->count));
	double *at = add_column(&t, (struct column){ .name = "at", .whole = true });
	double *x_first = add_column(&t, position_column(axis, "x_first"));
	double *x_last = add_column(&t, position_column(axis, "x_last"));
	double *runs = add_column(&t, (struct column){ .name = "runs", .whole = true });
	double *n = add_column(&t, (struct column){ .name = "n", .whole = true });
	double *min = add_column(&t, (struct column){ .name = "min", .width = WIDTH_ANY });
	double *max = add_column(&t, (struct column){ .name = "max", .width = WIDTH_ANY });
	double *mean = add_column(&t, (struct column){ .name = "mean", .width = WIDTH_ANY });
	double *std = add_column(&t, (struct column){ .name = "std", .width = WIDTH_ANY });
	double *counts[3];
	uint32_t to = 0;

	for (int i = 0; i < 3; i++)
		counts[i] = add_column(&t, count_columns[i + 1]);
	for (uint32_t i = 0; i < sums->count; i++) {
		const struct group_bucket *b = &sums->buckets[i];

		if (!group_has(b))
			continue;
		at[to] = i;
		x_first[to] = axis_number(axis, b->step_first);
		x_last[to] = axis_number(axis, b->step_last);
		runs[to] = b->n ? b->runs : 0;
		n[to] = (double)b->n;
		min[to] = b->n ? b->min : (double)NAN;
		max[to] = b->n ? b->max : (double)NAN;
		mean[to] = b->n ? b->mean : (double)NAN;
		std[to] = b->n ? group_deviation(b) : (double)NAN;
		counts[0][to] = (double)b->nan;
		counts[1][to] = (double)b->pinf;
		counts[2][to++] = (double)b->ninf;
	}
	if (sums->kept)
		add_percentiles(&t, sums);
	end(p, piece, &t);
}
