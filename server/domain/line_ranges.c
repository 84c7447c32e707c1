/*
 * As bytes: for each file the border, the number of ranges, and of each range the distance from where
 * the one before ended (from the border) and its length, all as varints. One range below a million takes
 * six bytes.
 *
 * The pieces of a console, if anything is known of them, are `rows_only` + 1, the number of pieces, and for each piece
 * the distance of `at` from that of the piece before, and `from`, doubled, plus one if it has rows.
 */
#include "line_ranges.h"

#include <assert.h>
#include <string.h>

#include "buf.h"

static int64_t larger(int64_t one, int64_t other)
{
	return one > other ? one : other;
}

static int64_t smaller(int64_t one, int64_t other)
{
	return one < other ? one : other;
}

unsigned line_ranges_missing(const struct line_ranges *ranges, int64_t from, int64_t to,
			     struct line_part ret_parts[static LINE_PARTS_MAX])
{
	unsigned count = 0;

	assert(from >= 0 && from <= to);
	if (from < ranges->border && from < to) {
		int64_t end = smaller(to, ranges->border);

		ret_parts[count++] = (struct line_part){ LINE_PART_UNKNOWN, from, end };
		from = end;
	}
	for (unsigned i = 0; i < ranges->count && from < to; i++) {
		const struct line_range *r = &ranges->at[i];

		if (r->from > from)
			ret_parts[count++] =
				(struct line_part){ LINE_PART_NEW, from, smaller(to, r->from) };
		from = larger(from, r->to);
	}
	if (from < to)
		ret_parts[count++] = (struct line_part){ LINE_PART_NEW, from, to };
	return count;
}

static void forget_lowest(struct line_ranges *ranges)
{
	ranges->border = ranges->at[0].to;
	ranges->count--;
	memmove(&ranges->at[0], &ranges->at[1], ranges->count * sizeof(ranges->at[0]));
}

/* Inserts a range that touches no other; the lowest is dropped if there is no room. */
static void insert(struct line_ranges *ranges, unsigned index, struct line_range range)
{
	if (ranges->count == LINE_RANGES_MAX) {
		if (index == 0) {
			ranges->border = range.to;
			return;
		}
		forget_lowest(ranges);
		index--;
	}
	memmove(&ranges->at[index + 1], &ranges->at[index],
		(ranges->count - index) * sizeof(ranges->at[0]));
	ranges->at[index] = range;
	ranges->count++;
}

void line_ranges_add(struct line_ranges *ranges, int64_t from, int64_t to)
{
	struct line_range range = { larger(from, ranges->border), to };
	unsigned first = 0;
	unsigned end;

	assert(from >= 0 && from <= to);
	if (range.from >= range.to)
		return;
	while (first < ranges->count && ranges->at[first].to < range.from)
		first++;
	for (end = first; end < ranges->count && ranges->at[end].from <= range.to; end++) {
		range.from = smaller(range.from, ranges->at[end].from);
		range.to = larger(range.to, ranges->at[end].to);
	}
	if (first == end) {
		insert(ranges, first, range);
		return;
	}
	ranges->at[first] = range;
	memmove(&ranges->at[first + 1], &ranges->at[end],
		(ranges->count - end) * sizeof(ranges->at[0]));
	ranges->count -= end - first - 1;
}

/* ---- pieces of a console ------------------------------------------------------------------------ */

void console_pieces_add(struct console_pieces *pieces, const struct console_piece *piece)
{
	unsigned last = pieces->count - 1;

	assert(piece->from >= 0 && piece->from <= piece->at);
	if (pieces->count && pieces->of[last].at >= piece->at) {
		pieces->of[last] = *piece;
		return;
	}
	if (pieces->count == CONSOLE_PIECES_MAX) {
		pieces->rows_only = CONSOLE_ROWS_UNKNOWN;
		memmove(&pieces->of[0], &pieces->of[1], last * sizeof(pieces->of[0]));
		pieces->count--;
	}
	pieces->of[pieces->count++] = *piece;
}

bool console_pieces_add_rows_only(struct console_pieces *pieces, int32_t session)
{
	const int32_t was = pieces->rows_only;

	if (was != session)
		pieces->rows_only = was ? CONSOLE_ROWS_UNKNOWN : session;
	return pieces->rows_only != was;
}

struct console_piece console_piece_resumed(int64_t lines, int64_t at)
{
	return (struct console_piece){ .at = at, .from = lines ? 0 : at };
}

int64_t console_pieces_end(const struct console_pieces *pieces, unsigned i, int64_t lines)
{
	return i + 1 < pieces->count ? pieces->of[i + 1].at : lines;
}

/* ---- bytes -------------------------------------------------------------------------------------- */

static void encode(struct buf *out, const struct line_ranges *ranges)
{
	int64_t end = ranges->border;

	buf_add_varint(out, (uint64_t)ranges->border);
	buf_add_varint(out, ranges->count);
	for (unsigned i = 0; i < ranges->count; i++) {
		const struct line_range *r = &ranges->at[i];

		buf_add_varint(out, (uint64_t)(r->from - end));
		buf_add_varint(out, (uint64_t)(r->to - r->from));
		end = r->to;
	}
}

static bool has_pieces(const struct console_pieces *pieces)
{
	return pieces->count || pieces->rows_only;
}

void console_pieces_encode(struct buf *out, const struct console_pieces *pieces)
{
	int64_t end = 0;

	if (!has_pieces(pieces))
		return;
	buf_add_varint(out, (uint64_t)((int64_t)pieces->rows_only + 1));
	buf_add_varint(out, pieces->count);
	for (unsigned i = 0; i < pieces->count; i++) {
		const struct console_piece *p = &pieces->of[i];

		buf_add_varint(out, (uint64_t)(p->at - end));
		buf_add_varint(out, (uint64_t)p->from << 1 | p->has_rows);
		end = p->at;
	}
}

static bool is_empty(const struct line_ranges *ranges)
{
	return !ranges->border && !ranges->count;
}

int64_t line_files_gaps(const struct line_files *files)
{
	int64_t missing = 0;

	for (int file = 0; file < LINE_FILES; file++) {
		const struct line_ranges *ranges = &files->of[file];

		for (unsigned i = 1; i < ranges->count; i++)
			missing += ranges->at[i].from - ranges->at[i - 1].to;
	}
	return missing;
}

void line_files_encode(struct buf *out, const struct line_files *files)
{
	if (is_empty(&files->of[LINE_FILE_HISTORY]) && is_empty(&files->of[LINE_FILE_EVENTS]))
		return;
	for (unsigned i = 0; i < LINE_FILES; i++)
		encode(out, &files->of[i]);
}

struct reader {
	const unsigned char *at;
	const unsigned char *end;
	bool failed;
};

static int64_t read_number(struct reader *r, int64_t max)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 63 && r->at < r->end; shift += 7) {
		unsigned char byte = *r->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (value > (uint64_t)max)
			break;
		return (int64_t)value;
	}
	r->failed = true;
	return 0;
}

/* Reads a range after `end`, with at least `gap` numbers between. */
static struct line_range read_range(struct reader *r, int64_t end, int64_t gap)
{
	struct line_range range;
	int64_t distance = read_number(r, INT64_MAX - end);

	range.from = end + distance;
	range.to = range.from + read_number(r, INT64_MAX - range.from);
	r->failed |= distance < gap || range.to == range.from;
	return range;
}

static void decode(struct reader *r, struct line_ranges *ranges)
{
	int64_t end;

	ranges->border = end = read_number(r, INT64_MAX);
	ranges->count = (unsigned)read_number(r, LINE_RANGES_MAX);
	for (unsigned i = 0; i < ranges->count && !r->failed; i++) {
		ranges->at[i] = read_range(r, end, i > 0);
		end = ranges->at[i].to;
	}
}

static void decode_pieces(struct reader *r, struct console_pieces *pieces)
{
	int64_t end = 0;

	pieces->rows_only = (int32_t)(read_number(r, INT32_MAX) - 1);
	pieces->count = (unsigned)read_number(r, CONSOLE_PIECES_MAX);
	r->failed |= !has_pieces(pieces);
	for (unsigned i = 0; i < pieces->count && !r->failed; i++) {
		int64_t distance = read_number(r, INT64_MAX / 2 - end);
		int64_t from = read_number(r, INT64_MAX);

		end += distance;
		pieces->of[i] = (struct console_piece){ end, from >> 1, from & 1 };
		r->failed |= (i > 0 && !distance) || pieces->of[i].from > end;
	}
}

bool line_files_decode(struct str bytes, struct line_files *ret_files)
{
	struct reader r = { .at = (const unsigned char *)bytes.at };
	struct line_files files = { .of = { { .border = 0 } } };

	if (bytes.len) {
		r.end = r.at + bytes.len;
		for (unsigned i = 0; i < LINE_FILES && !r.failed; i++)
			decode(&r, &files.of[i]);
		if (r.failed || r.at != r.end)
			return false;
	}
	*ret_files = files;
	return true;
}

bool console_pieces_decode(struct str bytes, struct console_pieces *ret_pieces)
{
	struct reader r = { .at = (const unsigned char *)bytes.at };
	struct console_pieces pieces = { .count = 0 };

	if (bytes.len) {
		r.end = r.at + bytes.len;
		decode_pieces(&r, &pieces);
		if (r.failed || r.at != r.end)
			return false;
	}
	*ret_pieces = pieces;
	return true;
}
