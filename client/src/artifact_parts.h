#ifndef ARTIFACT_PARTS_H
#define ARTIFACT_PARTS_H

#include "artifact_files.h"

/*
 * A large file that is sent in parts, by several workers. The server keeps parts that came, also if this process ends: the next
 * one opens the same upload, and sends what is missing. The upload may be lost meanwhile: completed by another process that sends
 * the same file, or given up. Then it is asked for anew whether the server needs the file.
 */
struct artifact_received_part {
	int64_t bytes; /* 0: did not come */
	char md5[MD5_HEX_SIZE];
};
struct artifact_parts {
	const struct artifact_file *file;
	int64_t part_bytes; /* of all but the last */
	size_t count;
	char upload[200];
	struct artifact_received_part *received; /* before this process sent any */
	atomic_size_t left;                      /* parts that are not sent */
	atomic_bool is_lost;
	_Atomic int64_t kept_bytes; /* of the received ones, not sent again */
};

/* 1: the file is sent in one piece. */
size_t artifact_parts_count(const struct artifact_link *link, const struct artifact_file *file)
	__attribute__((nonnull));
/* Opens the upload. `draft`: its path. */
enum artifact_outcome artifact_parts_open(struct artifact_link *link, struct transport *transport,
					  const struct text *draft, struct artifact_parts *parts,
					  const struct artifact_file *file)
	__attribute__((nonnull));
/* Sends a part, from 0, and completes the file after the last one. ARTIFACT_DONE also if the upload is lost. */
enum artifact_outcome artifact_parts_send(struct artifact_link *link, struct transport *transport,
					  const struct text *draft, struct artifact_parts *parts,
					  size_t number) __attribute__((nonnull));
void artifact_parts_deinit(struct artifact_parts *parts) __attribute__((nonnull));

#endif
