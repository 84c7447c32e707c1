#ifndef ARTIFACT_FILES_H
#define ARTIFACT_FILES_H

#include <stdint.h>

#include "artifact_link.h"
#include "md5.h"

/* A file of an artifact, on this host. */
struct artifact_file {
	char *path;  /* in the artifact */
	char *local; /* on this host */
	int64_t size_bytes;
	unsigned char md5[MD5_BYTES];
	bool is_needed; /* the server does not have its content */
};

struct artifact_files {
	struct artifact_file *at; /* in byte order of their paths */
	size_t count, capacity;
};

/*
 * Adds a file under its last name, or all regular files below a folder. Links are followed. What is no file, such as a socket,
 * and a path that an artifact cannot have are faults.
 */
enum artifact_outcome artifact_files_find(struct artifact_link *link, struct artifact_files *files,
					  const char *path) __attribute__((nonnull));
/* Reads all of them for their MD5s. */
enum artifact_outcome artifact_files_sum(struct artifact_link *link, struct artifact_files *files)
	__attribute__((nonnull));
/* The MD5 of a file; false with errno: ECANCELED if the link is over. */
bool artifact_file_md5(const struct artifact_link *link, const char *local,
		       unsigned char md5[MD5_BYTES]) __attribute__((nonnull));
/* The same of a part of an open file, which must have so many bytes. */
bool artifact_part_md5(const struct artifact_link *link, int fd, int64_t from, int64_t bytes,
		       unsigned char md5[MD5_BYTES]) __attribute__((nonnull));
/* The digest that a version of these files has. */
void artifact_files_digest(const struct artifact_files *files, char text[MD5_HEX_SIZE])
	__attribute__((nonnull));
void artifact_files_deinit(struct artifact_files *files) __attribute__((nonnull));

/* Whether it is a relative path without "..", so that it stays below a folder. */
bool artifact_path_is_safe(const char *path) __attribute__((nonnull));

#endif
