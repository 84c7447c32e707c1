#include "sections.h"

#include <endian.h>
#include <string.h>

enum { KEEP_BYTES = 8 << 20 }; /* of a section, between uses */

void sections_clear(struct sections *l)
{
	for (int i = 0; i < SECTIONS; i++) {
		if (l->section[i].size > KEEP_BYTES)
			buf_free(&l->section[i]);
		buf_clear(&l->section[i]);
	}
}

void sections_free(struct sections *l)
{
	for (int i = 0; i < SECTIONS; i++)
		buf_free(&l->section[i]);
}

void sections_add_byte(struct sections *l, unsigned char byte)
{
	buf_add_byte(&l->section[SECTION_META], (char)byte);
}

void sections_add_varint(struct sections *l, uint64_t value)
{
	buf_add_varint(&l->section[SECTION_META], value);
}

void sections_add_signed(struct sections *l, int64_t value)
{
	sections_add_varint(l, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

void sections_add_u64(struct sections *l, uint64_t value)
{
	buf_add_u64(&l->section[SECTION_META], value);
}

void sections_join(const struct sections *l, struct buf *raw)
{
	for (int i = SECTION_META; i < SECTION_TEXT; i++)
		buf_add_varint(raw, l->section[i].len);
	buf_add_str(raw, buf_str(&l->section[SECTION_META]));
	for (int i = SECTION_TEXT - 1; i >= SECTION_PLANE; i--)
		buf_add_str(raw, buf_str(&l->section[i]));
	buf_add_str(raw, buf_str(&l->section[SECTION_TEXT]));
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

bool sections_open(struct str raw, struct sections_reader *ret_reader)
{
	const unsigned char *at = (const unsigned char *)raw.at;
	const unsigned char *end = at + raw.len;
	uint64_t len[SECTIONS];
	bool failed = false;

	for (int i = SECTION_META; i < SECTION_TEXT; i++)
		len[i] = varint(&at, end, &failed);
	for (int i = 0; i < SECTIONS; i++) {
		/* meta, then the planes from the highest down, then the text */
		int section = i == SECTION_META || i == SECTION_TEXT ? i : SECTION_TEXT - i;
		size_t left = (size_t)(end - at);

		if (section == SECTION_TEXT)
			len[section] = left;
		if (failed || len[section] > left)
			return false;
		ret_reader->at[section] = at;
		at += len[section];
		ret_reader->end[section] = at;
	}
	ret_reader->failed = false;
	return true;
}

unsigned char sections_byte(struct sections_reader *r)
{
	const unsigned char *p = sections_bytes(r, SECTION_META, 1);

	return p ? *p : 0;
}

uint64_t sections_varint(struct sections_reader *r)
{
	return varint(&r->at[SECTION_META], r->end[SECTION_META], &r->failed);
}

int64_t sections_signed(struct sections_reader *r)
{
	uint64_t value = sections_varint(r);

	return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

uint64_t sections_u64(struct sections_reader *r)
{
	const unsigned char *p = sections_bytes(r, SECTION_META, 8);
	uint64_t value = 0;

	if (p)
		memcpy(&value, p, sizeof(value));
	return le64toh(value);
}

uint32_t sections_count(struct sections_reader *r, uint32_t max)
{
	uint64_t value = sections_varint(r);

	if (value <= max)
		return (uint32_t)value;
	r->failed = true;
	return 0;
}

const unsigned char *sections_bytes(struct sections_reader *r, unsigned section, size_t len)
{
	const unsigned char *p = r->at[section];

	if (r->failed || (size_t)(r->end[section] - p) < len) {
		r->failed = true;
		return NULL;
	}
	r->at[section] = p + len;
	return p;
}

bool sections_done(const struct sections_reader *r)
{
	for (int i = 0; i < SECTIONS; i++) {
		if (r->at[i] != r->end[i])
			return false;
	}
	return !r->failed;
}
