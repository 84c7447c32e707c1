#include "artifact_tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 512, NAME_BYTES = 100 };

struct head {
	char name[NAME_BYTES];
	char mode[8], uid[8], gid[8], size[12], time[12], sum[8];
	char type;
	char link[100];
	char magic[8]; /* "ustar", NUL, "00" */
	char user[32], group[32], major[8], minor[8], prefix[155];
	char rest[12];
};
_Static_assert(sizeof(struct head) == BLOCK, "the head of a member is a block");

static void pad(struct text *tar)
{
	static const char zeros[BLOCK];

	text_add(tar, zeros, (BLOCK - tar->length % BLOCK) % BLOCK);
}

static void add_head(struct text *tar, const char *name, char type, int64_t size_bytes)
{
	struct head head = { .type = type };
	unsigned sum = 0;
	const unsigned char *bytes = (const unsigned char *)&head;

	memcpy(head.magic,
	       "ustar\0"
	       "00",
	       8);
	memcpy(head.name, name, strnlen(name, NAME_BYTES));
	snprintf(head.mode, sizeof head.mode, "%07o", 0644U);
	snprintf(head.uid, sizeof head.uid, "%07o", 0U);
	snprintf(head.gid, sizeof head.gid, "%07o", 0U);
	snprintf(head.size, sizeof head.size, "%011llo", (unsigned long long)size_bytes);
	snprintf(head.time, sizeof head.time, "%011o", 0U);
	memset(head.sum, ' ', sizeof head.sum);
	for (size_t i = 0; i < sizeof head; i++)
		sum += bytes[i];
	snprintf(head.sum, sizeof head.sum, "%06o", sum);
	text_add(tar, (const char *)&head, sizeof head);
}

/* A record "LENGTH path=PATH\n", whose length counts itself. */
static void add_long_name(struct text *tar, const char *path)
{
	size_t rest = strlen(" path=\n") + strlen(path), length = rest;
	char digits[24];

	for (size_t before = 0; before != length;) {
		before = length;
		length = rest + (size_t)snprintf(digits, sizeof digits, "%zu", before);
	}
	add_head(tar, "pax", 'x', (int64_t)length);
	text_format(tar, "%zu path=", length);
	text_str(tar, path);
	text_str(tar, "\n");
	pad(tar);
}

static bool add_content(struct text *tar, int fd, int64_t size_bytes)
{
	char piece[16 * 1024];
	int64_t left = size_bytes;
	ssize_t got;

	while ((got = read(fd, piece, sizeof piece)) > 0 && got <= left) {
		text_add(tar, piece, (size_t)got);
		left -= got;
	}
	if (got >= 0)
		errno = 0;
	return got == 0 && left == 0;
}

bool artifact_tar_add(struct text *tar, const char *path, const char *local, int64_t size_bytes)
{
	int fd = open(local, O_RDONLY | O_CLOEXEC), error;
	bool is_whole;

	if (fd < 0)
		return false;
	if (strlen(path) > NAME_BYTES)
		add_long_name(tar, path);
	add_head(tar, path, '0', size_bytes);
	is_whole = add_content(tar, fd, size_bytes);
	error = errno;
	pad(tar);
	close(fd);
	errno = error;
	return is_whole;
}

void artifact_tar_end(struct text *tar)
{
	static const char zeros[2 * BLOCK];

	text_add(tar, zeros, sizeof zeros);
}
