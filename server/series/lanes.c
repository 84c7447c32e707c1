#include "lanes.h"

#include <endian.h>
#include <string.h>

enum { KEEP_BYTES = 8 << 20 }; /* of a lane, between uses */

void lanes_clear(struct lanes *l)
{
	for (int i = 0; i < LANES; i++) {
		if (l->lane[i].size > KEEP_BYTES)
			buf_free(&l->lane[i]);
		buf_clear(&l->lane[i]);
	}
}

void lanes_free(struct lanes *l)
{
	for (int i = 0; i < LANES; i++)
		buf_free(&l->lane[i]);
}

void lanes_add_byte(struct lanes *l, unsigned char byte)
{
	buf_add_byte(&l->lane[LANE_META], (char)byte);
}

void lanes_add_varint(struct lanes *l, uint64_t value)
{
	buf_add_varint(&l->lane[LANE_META], value);
}

void lanes_add_signed(struct lanes *l, int64_t value)
{
	lanes_add_varint(l, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void lanes_add_u64(struct lanes *l, uint64_t value)
{
	buf_add_u64(&l->lane[LANE_META], value);
}

void lanes_join(const struct lanes *l, struct buf *raw)
{
	for (int i = LANE_META; i < LANE_TEXT; i++)
		buf_add_varint(raw, l->lane[i].len);
	buf_add_str(raw, buf_str(&l->lane[LANE_META]));
	for (int i = LANE_TEXT - 1; i >= LANE_PLANE; i--)
		buf_add_str(raw, buf_str(&l->lane[i]));
	buf_add_str(raw, buf_str(&l->lane[LANE_TEXT]));
}

static uint64_t varint(const unsigned char **at, const unsigned char *end, bool *failed)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
		unsigned char byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return value;
	}
	*failed = true;
	return 0;
}

bool lanes_open(struct str raw, struct lanes_reader *ret_reader)
{
	const unsigned char *at = (const unsigned char *)raw.at;
	const unsigned char *end = at + raw.len;
	uint64_t len[LANES];
	bool failed = false;

	for (int i = LANE_META; i < LANE_TEXT; i++)
		len[i] = varint(&at, end, &failed);
	for (int i = 0; i < LANES; i++) {
		/* meta, then the planes from the highest down, then the text */
		int lane = i == LANE_META || i == LANE_TEXT ? i : LANE_TEXT - i;
		size_t left = (size_t)(end - at);

		if (lane == LANE_TEXT)
			len[lane] = left;
		if (failed || len[lane] > left)
			return false;
		ret_reader->at[lane] = at;
		at += len[lane];
		ret_reader->end[lane] = at;
	}
	ret_reader->failed = false;
	return true;
}

unsigned char lanes_byte(struct lanes_reader *r)
{
	const unsigned char *p = lanes_bytes(r, LANE_META, 1);

	return p ? *p : 0;
}

uint64_t lanes_varint(struct lanes_reader *r)
{
	return varint(&r->at[LANE_META], r->end[LANE_META], &r->failed);
}

int64_t lanes_signed(struct lanes_reader *r)
{
	uint64_t value = lanes_varint(r);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

uint64_t lanes_u64(struct lanes_reader *r)
{
	const unsigned char *p = lanes_bytes(r, LANE_META, 8);
	uint64_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return le64toh(value);
}

uint32_t lanes_count(struct lanes_reader *r, uint32_t max)
{
	uint64_t value = lanes_varint(r);

	if (value <= max)
		return (uint32_t)value;
	r->failed = true;
	return 0;
}

const unsigned char *lanes_bytes(struct lanes_reader *r, unsigned lane, size_t len)
{
	const unsigned char *p = r->at[lane];

	if (r->failed || (size_t)(r->end[lane] - p) < len) {
		r->failed = true;
		return NULL;
	}
	r->at[lane] = p + len;
	return p;
}

bool lanes_done(const struct lanes_reader *r)
{
	for (int i = 0; i < LANES; i++) {
		if (r->at[i] != r->end[i])
			return false;
	}
	return !r->failed;
}
