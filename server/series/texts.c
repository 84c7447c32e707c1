#include "texts.h"

#include "arena.h"
#include "codec_parts.h"
#include "int_column.h"

void texts_write(struct codec *c, const struct str *texts, uint32_t count)
{
	int64_t *lens = codec_ints(&c->mapped, count);

	for (uint32_t i = 0; i < count; i++) {
		lens[i] = (int64_t)texts[i].len;
		buf_add_str(&c->sections.section[SECTION_TEXT], texts[i]);
	}
	int_column_write(c, lens, count);
}

/*
 * Reads lengths into the codec's scratch, and returns the bytes of all;
 * NULL if they do not fit the section.
 */
static const unsigned char *take(struct codec *c, struct sections_reader *r, uint32_t count,
				 size_t *ret_len)
{
	int64_t *lens = codec_ints(&c->mapped, count);
	size_t left = (size_t)(r->end[SECTION_TEXT] - r->at[SECTION_TEXT]);
	size_t sum = 0;

	if (!int_column_read(r, count, lens))
		return NULL;
	for (uint32_t i = 0; i < count; i++) {
		if (lens[i] < 0 || (uint64_t)lens[i] > left - sum) {
			r->failed = true;
			return NULL;
		}
		sum += (size_t)lens[i];
	}
	*ret_len = sum;
	return sections_bytes(r, SECTION_TEXT, sum);
}

bool texts_read(struct codec *c, struct sections_reader *r, struct arena *a, uint32_t count,
		struct str *ret_texts)
{
	size_t len;
	const unsigned char *bytes = take(c, r, count, &len);
	const int64_t *lens = (const int64_t *)(const void *)c->mapped.at;
	const char *at;

	if (!bytes)
		return false;
	at = arena_copy(a, bytes, len);
	for (uint32_t i = 0; i < count; i++) {
		ret_texts[i] = (struct str){ at, (size_t)lens[i] };
		at += lens[i];
	}
	return true;
}

bool texts_skip(struct codec *c, struct sections_reader *r, uint32_t count)
{
	size_t len;

	return take(c, r, count, &len) != NULL;
}
