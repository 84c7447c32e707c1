#include "key_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "block.h"
#include "codec_parts.h"
#include "numbers.h"
#include "texts.h"
#include "int_column.h"

enum { MAX_KEYS = 1 << 22 };

static uint32_t kind_of_text(struct str json)
{
	switch (json.len ? *json.at : '\0') {
	case '"':
		return KEY_KIND_STRING;
	case 't':
	case 'f':
		return KEY_KIND_BOOL;
	case 'n':
		return KEY_KIND_NULL;
	case '[':
		return KEY_KIND_ARRAY;
	case '{':
		return KEY_KIND_OBJECT;
	default:
		return KEY_KIND_INTEGER;
	}
}

static uint32_t kinds_of(const struct block_column *column)
{
	uint32_t kinds = 0;

	for (uint32_t i = 0; i < column->number_count; i++)
		kinds |= isfinite(column->numbers[i]) ? KEY_KIND_NUMBER : KEY_KIND_NONFINITE;
	for (uint32_t i = 0; i < column->text_count; i++)
		kinds |= kind_of_text(column->texts[i]);
	return kinds;
}

/* A big integer is two cells, its double and its digits, of one row. */
static uint64_t count_rows(const struct block_column *column)
{
	uint64_t rows = (uint64_t)column->number_count + column->text_count;
	uint32_t n = 0;

	for (uint32_t t = 0; t < column->text_count; t++) {
		uint32_t row = block_text_row(column, t);

		while (n < column->number_count && block_number_row(column, n) < row)
			n++;
		if (n == column->number_count)
			break;
		rows -= block_number_row(column, n) == row;
	}
	return rows;
}

static bool is_high_surrogate(const char *escape)
{
	return (escape[2] == 'd' || escape[2] == 'D') && strchr("89abAB", escape[3]);
}

/* Bytes of one character of a JSON text: an escape is one, and so is a pair of them. */
static size_t character_length(const char *at)
{
	size_t len = 1;

	if (at[0] == '\\' && at[1] == 'u')
		return is_high_surrogate(at) && at[6] == '\\' && at[7] == 'u' ? 12 : 6;
	if (at[0] == '\\')
		return 2;
	while ((at[len] & 0xc0) == 0x80)
		len++;
	return len;
}

static struct str short_text(struct arena *a, struct str json)
{
	size_t keep = 1;

	if (json.len <= KEY_STAT_TEXT_MAX)
		return json;
	if (json.at[0] != '"')
		return str_of(arena_printf(a, "\"(%zu bytes)\"", json.len));
	while (keep + character_length(json.at + keep) <= KEY_STAT_TEXT_MAX - 4)
		keep += character_length(json.at + keep);
	return str_of(arena_printf(a, "%.*s...\"", (int)keep, json.at));
}

bool key_stat_is_shortened(const struct key_stat *stat)
{
	struct str text = stat->text;

	if (!stat->is_text)
		return false;
	if (text.len > KEY_STAT_TEXT_MAX - 12) /* no character is longer */
		return str_ends(text, "...\"");
	return str_starts(text, "\"(") && str_ends(text, " bytes)\"");
}

/* If a row has both, a big integer, the digits are its value. */
static void take_last(struct arena *a, const struct block *block, const struct block_column *column,
		      struct key_stat *stat)
{
	int64_t number = -1, text = -1;
	int64_t last;

	if (column->number_count)
		number = block_number_row(column, column->number_count - 1);
	if (column->text_count)
		text = block_text_row(column, column->text_count - 1);
	stat->is_text = text >= number;
	if (stat->is_text)
		stat->text = short_text(a, column->texts[column->text_count - 1]);
	else
		stat->number = column->numbers[column->number_count - 1];
	last = stat->is_text ? text : number;
	stat->row_last = block->rows[last];
	stat->step_last = block->steps[last];
}

/* The smaller, the greater of two; NaN if one is: fmin() and fmax() would ignore it. */
static double smaller(double x, double y)
{
	return isnan(x) || x < y ? x : y;
}

static double greater(double x, double y)
{
	return isnan(x) || x > y ? x : y;
}

static void take_numbers(const struct block *block, const struct block_column *column,
			 struct key_stat *stat)
{
	if (!column->number_count)
		return;
	stat->row_first = block->rows[block_number_row(column, 0)];
	stat->first = stat->min = stat->max = stat->sum = column->numbers[0];
	for (uint32_t i = 1; i < column->number_count; i++) {
		stat->min = smaller(stat->min, column->numbers[i]);
		stat->max = greater(stat->max, column->numbers[i]);
		stat->sum += column->numbers[i];
	}
}

static void add_number(struct key_stat *stat, int64_t row, double number)
{
	stat->kinds |= isfinite(number) ? KEY_KIND_NUMBER : KEY_KIND_NONFINITE;
	if (!stat->number_count++) {
		stat->row_first = row;
		stat->first = stat->min = stat->max = stat->sum = number;
		return;
	}
	stat->min = smaller(stat->min, number);
	stat->max = greater(stat->max, number);
	stat->sum += number;
}

void key_stat_add(struct arena *a, struct key_stat *stat, const struct key_value *value)
{
	uint32_t kind = value->is_text ? kind_of_text(value->text) : 0;
	double number = value->number;

	if (kind == KEY_KIND_INTEGER && !str_to_double(value->text, &number))
		number = value->text.at[0] == '-' ? -(double)INFINITY : (double)INFINITY;
	if (!value->is_text || kind == KEY_KIND_INTEGER)
		add_number(stat, value->row, number);
	stat->kinds |= kind;
	stat->row_count++;
	stat->text_count += value->is_text;
	stat->row_last = value->row;
	stat->step_last = value->step;
	stat->is_text = value->is_text;
	if (value->is_text)
		stat->text = short_text(a, value->text);
	else
		stat->number = number;
}

static int compare_stats(const void *a, const void *b)
{
	uint32_t x = ((const struct key_stat *)a)->key_id;
	uint32_t y = ((const struct key_stat *)b)->key_id;

	return (x > y) - (x < y);
}

void key_stats_of_block(struct arena *a, const struct block *block, struct key_stats *ret_stats)
{
	struct key_stats stats = { 0 };

	stats.items = arena_new_array(a, struct key_stat, block->column_count + 1);
	for (uint32_t i = 0; i < block->column_count; i++) {
		const struct block_column *column = &block->columns[i];
		struct key_stat *stat = &stats.items[stats.count];

		if (column->number_count == 0 && column->text_count == 0)
			continue;
		*stat = (struct key_stat){
			.key_id = column->key_id,
			.kinds = kinds_of(column),
			.row_count = count_rows(column),
			.number_count = column->number_count,
			.text_count = column->text_count,
		};
		take_last(a, block, column, stat);
		take_numbers(block, column, stat);
		stats.count++;
	}
	qsort(stats.items, stats.count, sizeof(*stats.items), compare_stats);
	*ret_stats = stats;
}

static void add_numbers(struct key_stat *to, const struct key_stat *x, const struct key_stat *y)
{
	const struct key_stat *first = x;

	if (!x->number_count || (y->number_count && y->row_first < x->row_first))
		first = y;
	to->row_first = first->row_first;
	to->first = first->first;
	to->min = x->number_count && y->number_count ? smaller(x->min, y->min) : first->min;
	to->max = x->number_count && y->number_count ? greater(x->max, y->max) : first->max;
	to->sum = x->sum + y->sum;
}

static struct key_stat both(const struct key_stat *x, const struct key_stat *y)
{
	struct key_stat stat = y->row_last > x->row_last ? *y : *x;

	stat.kinds = x->kinds | y->kinds;
	stat.row_count = x->row_count + y->row_count;
	stat.number_count = x->number_count + y->number_count;
	stat.text_count = x->text_count + y->text_count;
	add_numbers(&stat, x, y);
	return stat;
}

void key_stats_merge(struct arena *a, const struct key_stats *one, const struct key_stats *other,
		     struct key_stats *ret_stats)
{
	struct key_stats stats = { 0 };
	uint32_t i = 0, j = 0;

	stats.items = arena_new_array(a, struct key_stat, one->count + (size_t)other->count + 1);
	while (i < one->count || j < other->count) {
		const struct key_stat *x = i < one->count ? &one->items[i] : NULL;
		const struct key_stat *y = j < other->count ? &other->items[j] : NULL;
		struct key_stat *to = &stats.items[stats.count++];

		if (!y || (x && x->key_id < y->key_id)) {
			*to = *x;
			i++;
		} else if (!x || y->key_id < x->key_id) {
			*to = *y;
			j++;
		} else {
			*to = both(x, y);
			i++;
			j++;
		}
	}
	*ret_stats = stats;
}

void key_stats_copy(struct arena *a, const struct key_stats *stats, struct key_stats *ret_stats)
{
	struct key_stats copy = { .count = stats->count };

	copy.items = arena_new_array(a, struct key_stat, stats->count + (size_t)1);
	for (uint32_t i = 0; i < stats->count; i++) {
		const struct key_stat *from = &stats->items[i];

		copy.items[i] = *from;
		if (from->is_text)
			copy.items[i].text =
				(struct str){ str_copy(a, from->text), from->text.len };
	}
	*ret_stats = copy;
}

const struct key_stat *key_stats_find(const struct key_stats *stats, uint32_t key_id)
{
	struct key_stat wanted = { .key_id = key_id };

	if (stats->count == 0)
		return NULL;
	return bsearch(&wanted, stats->items, stats->count, sizeof(*stats->items), compare_stats);
}

/* Integer members as they are kept; is_text is a bit above the kinds. */
enum {
	FIELD_KEY,
	FIELD_KINDS,
	FIELD_ROWS,
	FIELD_NUMBERS,
	FIELD_TEXTS,
	FIELD_ROW,
	FIELD_STEP,
	FIELD_FIRST,
	FIELDS
};
enum { KIND_IS_TEXT = 1 << 16 };

static int64_t field_of(const struct key_stat *s, int field)
{
	switch (field) {
	case FIELD_KEY:
		return s->key_id;
	case FIELD_KINDS:
		return s->kinds | (s->is_text ? KIND_IS_TEXT : 0);
	case FIELD_ROWS:
		return (int64_t)s->row_count;
	case FIELD_NUMBERS:
		return (int64_t)s->number_count;
	case FIELD_TEXTS:
		return (int64_t)s->text_count;
	case FIELD_ROW:
		return s->row_last;
	case FIELD_FIRST:
		return s->row_first;
	default:
		return s->step_last;
	}
}

static void set_field(struct key_stat *s, int field, int64_t value)
{
	switch (field) {
	case FIELD_KEY:
		s->key_id = (uint32_t)value;
		break;
	case FIELD_KINDS:
		s->is_text = value & KIND_IS_TEXT;
		s->kinds = (uint32_t)value & ~(uint32_t)KIND_IS_TEXT;
		break;
	case FIELD_ROWS:
		s->row_count = (uint64_t)value;
		break;
	case FIELD_NUMBERS:
		s->number_count = (uint64_t)value;
		break;
	case FIELD_TEXTS:
		s->text_count = (uint64_t)value;
		break;
	case FIELD_ROW:
		s->row_last = value;
		break;
	case FIELD_FIRST:
		s->row_first = value;
		break;
	default:
		s->step_last = value;
	}
}

/* The sums of numbers, a column for each; 0 if a key has none. */
static double *sum_of(struct key_stat *s, int which)
{
	double *const sums[] = { &s->first, &s->min, &s->max, &s->sum };

	return sums[which];
}
enum { SUMS = 4 };

static void put_sums(struct codec *c, const struct key_stats *stats)
{
	for (int which = 0; which < SUMS; which++) {
		double *numbers = (double *)codec_ints(&c->fields, stats->count);

		for (uint32_t i = 0; i < stats->count; i++) {
			struct key_stat s = stats->items[i];

			numbers[i] = *sum_of(&s, which);
		}
		numbers_write(c, numbers, stats->count);
	}
}

static bool get_sums(struct codec *c, struct arena *a, struct sections_reader *r,
		     struct key_stats *stats)
{
	double *numbers = arena_alloc(a, (stats->count + (size_t)1) * sizeof(*numbers));

	for (int which = 0; which < SUMS; which++) {
		if (!numbers_read(c, r, stats->count, numbers))
			return false;
		for (uint32_t i = 0; i < stats->count; i++)
			*sum_of(&stats->items[i], which) = numbers[i];
	}
	return true;
}

/* The number column holds 0 for texts and the text column an empty text for numbers. */
static void put_values(struct codec *c, const struct key_stats *stats)
{
	struct buf texts = { 0 };
	double *numbers = (double *)codec_ints(&c->fields, stats->count);

	for (uint32_t i = 0; i < stats->count; i++) {
		const struct key_stat *s = &stats->items[i];
		struct str text = s->is_text ? s->text : STR("");

		numbers[i] = s->is_text ? 0 : s->number;
		buf_add(&texts, &text, sizeof(text));
	}
	numbers_write(c, numbers, stats->count);
	texts_write(c, (const struct str *)(const void *)texts.at, stats->count);
	buf_free(&texts);
}

void key_stats_encode(struct codec *c, const struct key_stats *stats, struct buf *out)
{
	sections_add_varint(&c->sections, stats->count);
	for (int f = 0; f < FIELDS; f++) {
		int64_t *column = codec_ints(&c->fields, stats->count);

		for (uint32_t i = 0; i < stats->count; i++)
			column[i] = field_of(&stats->items[i], f);
		int_column_write(c, column, stats->count);
	}
	put_sums(c, stats);
	put_values(c, stats);
	frame_write(c, FRAME_KEY_STATS, out);
}

static bool get_fields(struct codec *c, struct sections_reader *r, struct key_stats *stats)
{
	for (int f = 0; f < FIELDS; f++) {
		int64_t *column = codec_ints(&c->fields, stats->count);

		if (!int_column_read(r, stats->count, column))
			return false;
		for (uint32_t i = 0; i < stats->count; i++)
			set_field(&stats->items[i], f, column[i]);
	}
	for (uint32_t i = 1; i < stats->count; i++) {
		if (stats->items[i].key_id <= stats->items[i - 1].key_id)
			return false;
	}
	return true;
}

static bool get_values(struct codec *c, struct arena *a, struct sections_reader *r,
		       struct key_stats *stats)
{
	double *numbers = arena_alloc(a, (stats->count + (size_t)1) * sizeof(*numbers));
	struct str *texts = arena_alloc(a, (stats->count + (size_t)1) * sizeof(*texts));

	if (!numbers_read(c, r, stats->count, numbers) || !texts_read(c, r, a, stats->count, texts))
		return false;
	for (uint32_t i = 0; i < stats->count; i++) {
		stats->items[i].number = numbers[i];
		stats->items[i].text = texts[i];
	}
	return true;
}

err_t key_stats_decode(struct codec *c, struct arena *a, struct str bytes,
		       struct key_stats *ret_stats)
{
	struct sections_reader r;
	struct key_stats stats = { 0 };
	err_t e = frame_read(c, a, FRAME_KEY_STATS, bytes, &r);

	if (e)
		return e;
	stats.count = sections_count(&r, MAX_KEYS);
	stats.items = arena_new_array(a, struct key_stat, stats.count + 1);
	if (!get_fields(c, &r, &stats) || !get_sums(c, a, &r, &stats) ||
	    !get_values(c, a, &r, &stats) || !sections_done(&r))
		return frame_damaged(a, FRAME_KEY_STATS);
	*ret_stats = stats;
	return NULL;
}
