#ifndef ARTIFACT_UNPACK_H
#define ARTIFACT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "artifact_files.h"

/*
 * Writes the files of a version from one tar, which has them in the order of their paths: each under its local name with
 * ARTIFACT_PART_END, and under its own name once its MD5 is right. Then it is not needed any more (file->is_needed).
 */
#define ARTIFACT_PART_END ".cairn-part"

struct artifact_unpack {
	const struct artifact_files *files;
	struct artifact_progress *progress;
	size_t folder_length; /* of the folder at the beginning of all local names */
	size_t next;          /* file */
	enum { UNPACK_HEAD, UNPACK_BODY, UNPACK_SKIP, UNPACK_END } state;
	char head[512];
	size_t head_length;
	int64_t left;    /* bytes of the body, or to skip */
	int64_t padding; /* after the body */
	int fd;          /* of the file; -1: none */
	struct md5 md5;  /* of the body so far */
	struct text part;
};

void artifact_unpack_init(struct artifact_unpack *unpack, const struct artifact_files *files,
			  size_t folder_length, struct artifact_progress *progress)
	__attribute__((nonnull));
/* Takes a piece of the tar. False: it is another tar than expected, or a file cannot be written. */
bool artifact_unpack_add(void *unpack, const char *bytes, size_t count) __attribute__((nonnull));
void artifact_unpack_deinit(struct artifact_unpack *unpack) __attribute__((nonnull));

/* The name under which a file is written before it is renamed: of its own, also if its name is too long to be made longer. */
void artifact_part_name(const struct artifact_file *file, struct text *part)
	__attribute__((nonnull));
/*
 * Opens a part for one process at a time, to read and write; it is locked until it is closed. -1 with errno: EWOULDBLOCK if it is
 * in use, cannot be locked, or is itself one of the files.
 */
int artifact_part_open(const struct artifact_files *files, const char *part)
	__attribute__((nonnull));
/* Whether all was written: some file systems report what could not be written only at a close. */
bool artifact_is_written(int fd);
/*
 * Makes the folders of a path, from its byte `from` on. With ARTIFACT_LINKS_REFUSED false and ELOOP if one of them is a link: what
 * is written below it would be somewhere else.
 */
enum artifact_links { ARTIFACT_LINKS_FOLLOWED, ARTIFACT_LINKS_REFUSED };
bool artifact_make_folders(char *path, size_t from, enum artifact_links links)
	__attribute__((nonnull));

#endif
