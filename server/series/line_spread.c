#include "line_spread.h"

#include "buf.h"
#include "line_level.h"

void line_spread_make(const struct lines *lines, int64_t time_first, int64_t time_last,
		      struct line_spread *ret_spread)
{
	*ret_spread = (struct line_spread){ .time_first = time_first, .time_last = time_last };
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->items[i];
		uint32_t part =
			line_spread_part(time_first, time_last, LINE_SPREAD_PARTS, line->time_us);
		struct line_counts *counts = &ret_spread->parts[part][line->stream];

		counts->lines++;
		counts->errors += line_is_error(line->text);
	}
}

void line_spread_write(const struct line_spread *spread, struct buf *out)
{
	for (int i = 0; i < 2 * LINE_SPREAD_PARTS; i++) {
		const struct line_counts *counts = &spread->parts[i / 2][i % 2];

		buf_add_varint(out, (uint64_t)counts->lines);
		buf_add_varint(out, (uint64_t)counts->errors);
	}
}

/* Counts of a chunk take two bytes at most. */
static bool read_count(struct str *bytes, int64_t *ret_count)
{
	unsigned char first = bytes->len ? (unsigned char)bytes->at[0] : 0x80;
	size_t size = first & 0x80 ? 2 : 1;

	if (bytes->len < size)
		return false;
	*ret_count = first & 0x7f;
	if (size == 2)
		*ret_count |= (int64_t)(unsigned char)bytes->at[1] << 7;
	*bytes = (struct str){ bytes->at + size, bytes->len - size };
	return *ret_count <= LINES_PER_CHUNK;
}

bool line_spread_read(struct str bytes, struct line_spread *spread)
{
	for (int i = 0; i < 2 * LINE_SPREAD_PARTS; i++) {
		struct line_counts *counts = &spread->parts[i / 2][i % 2];

		if (!read_count(&bytes, &counts->lines) || !read_count(&bytes, &counts->errors))
			return false;
	}
	return !bytes.len;
}
