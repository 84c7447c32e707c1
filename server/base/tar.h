#ifndef TAR_H
#define TAR_H

#include <stdint.h>

#include "buf.h"
#include "str.h"

/*
 * The headers around the members of a tar: POSIX's headers, and records of pax before a member
 * whose name is long or not ASCII, or whose size is 8 GiB or more. In the header itself such a size
 * is written in GNU's way.
 */
enum { TAR_BLOCK = 512, TAR_NAME_MAX = 100, TAR_END = 2 * TAR_BLOCK };

struct tar_header {
	char name[TAR_NAME_MAX];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char time[12];
	char sum[8];
	char type;
	char link[100];
	char magic[8];
	char rest[247];
};
_Static_assert(sizeof(struct tar_header) == TAR_BLOCK, "a header is a block");

struct tar_member {
	struct str name;
	int64_t size;
	int64_t time_s;
	unsigned mode;
	char type; /* '0': a file */
};

/* A name that is longer keeps only its first bytes. */
void tar_header_make(struct tar_header *h, const struct tar_member *member);
unsigned tar_header_sum(const struct tar_header *h);
/* Bytes that follow a member of the size, up to a block. */
int64_t tar_padding(int64_t size);

/* All that comes before the bytes of a member. */
void tar_add_head(struct buf *b, const struct tar_member *member);
void tar_add_zeroes(struct buf *b, int64_t count);

#endif
