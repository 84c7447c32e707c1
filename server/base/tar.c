#include "tar.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define OCTAL_MAX ((INT64_C(1) << 33) - 1)

unsigned tar_header_sum(const struct tar_header *h)
{
	const unsigned char *bytes = (const unsigned char *)h;
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++) {
		bool own = i >= offsetof(struct tar_header, sum) &&
			   i < offsetof(struct tar_header, type);

		sum += own ? ' ' : bytes[i];
	}
	return sum;
}

int64_t tar_padding(int64_t size)
{
	return (TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK;
}

static void put_size(char field[static 12], int64_t size)
{
	if (size <= OCTAL_MAX) {
		snprintf(field, 12, "%011llo", (unsigned long long)size);
		return;
	}
	memset(field, 0, 12);
	field[0] = (char)0x80;
	for (int i = 0; i < 8; i++)
		field[11 - i] = (char)((uint64_t)size >> (8 * i));
}

void tar_header_make(struct tar_header *h, const struct tar_member *member)
{
	size_t len = member->name.len < TAR_NAME_MAX ? member->name.len : TAR_NAME_MAX;

	memset(h, 0, sizeof(*h));
	memcpy(h->name, member->name.at, len);
	snprintf(h->mode, sizeof(h->mode), "%07o", member->mode);
	snprintf(h->uid, sizeof(h->uid), "%07o", 0);
	snprintf(h->gid, sizeof(h->gid), "%07o", 0);
	put_size(h->size, member->size);
	put_size(h->time, member->time_s);
	h->type = member->type;
	memcpy(h->magic,
	       "ustar\0"
	       "00",
	       sizeof(h->magic));
	snprintf(h->sum, sizeof(h->sum), "%06o", tar_header_sum(h));
	h->sum[7] = ' ';
}

void tar_add_zeroes(struct buf *b, int64_t count)
{
	static const char zeroes[TAR_END];

	for (; count > 0; count -= TAR_END)
		buf_add(b, zeroes, (size_t)(count < TAR_END ? count : TAR_END));
}

/* ---- what a header has no room for -------------------------------------------------------------- */

static bool is_plain(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		if ((unsigned char)name.at[i] >= 0x80)
			return false;
	}
	return name.len <= TAR_NAME_MAX;
}

static size_t digits(size_t number)
{
	size_t count = 1;

	while (number /= 10)
		count++;
	return count;
}

/* "LENGTH KEY=VALUE", and a line's end, where the length counts itself. */
static void add_record(struct buf *b, const char *key, struct str value)
{
	size_t rest = strlen(key) + value.len + 3;
	size_t size = rest + digits(rest);

	size = rest + digits(size);
	buf_printf(b, "%zu %s=%.*s\n", size, key, STR_ARG(value));
}

static void add_header(struct buf *b, const struct tar_member *member)
{
	struct tar_header h;

	tar_header_make(&h, member);
	buf_add(b, &h, sizeof(h));
}

static void add_pax(struct buf *b, const struct tar_member *member)
{
	const struct tar_header none = { 0 };
	struct tar_member pax = *member;
	size_t at = b->len;
	char size[24];

	buf_add(b, &none, sizeof(none));
	if (!is_plain(member->name))
		add_record(b, "path", member->name);
	snprintf(size, sizeof(size), "%lld", (long long)member->size);
	if (member->size > OCTAL_MAX)
		add_record(b, "size", str_of(size));
	pax.name = STR("pax");
	pax.size = (int64_t)(b->len - at - sizeof(none));
	pax.type = 'x';
	tar_add_zeroes(b, tar_padding(pax.size));
	tar_header_make((struct tar_header *)(b->at + at), &pax);
}

void tar_add_head(struct buf *b, const struct tar_member *member)
{
	if (!is_plain(member->name) || member->size > OCTAL_MAX)
		add_pax(b, member);
	add_header(b, member);
}
