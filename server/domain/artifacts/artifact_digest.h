#ifndef ARTIFACT_DIGEST_H
#define ARTIFACT_DIGEST_H

#include <stdbool.h>

#include "arena.h"
#include "str.h"

/*
 * The digest of a manifest as the wandb SDK computes it: the MD5 of "wandb-artifact-manifest-v1\n" and a line "path:digest\n"
 * for each entry, in byte order of the paths.
 */
struct artifact_digest;

enum { ARTIFACT_DIGEST_TEXT_SIZE = 32 };
#define ARTIFACT_DIGEST_EMPTY "64e7c61456b10382e2f3b571ac24b659" /* of no entries */

/* Ends with the arena. */
struct artifact_digest *artifact_digest_begin(struct arena *a)
	__attribute__((nonnull, returns_nonnull));
/* Paths come in order, and are at most ARTIFACT_PATH_MAX bytes. */
void artifact_digest_add(struct artifact_digest *d, struct str path, struct str digest)
	__attribute__((nonnull(1)));
/* Once; hex and NUL. */
void artifact_digest_end(struct artifact_digest *d, char text[static ARTIFACT_DIGEST_TEXT_SIZE + 1])
	__attribute__((nonnull(1)));

/* The first path that is a file and also the folder of another one; .at == NULL: none is. */
struct str artifact_digest_folder(const struct artifact_digest *d) __attribute__((nonnull));

/* The 16 bytes of an MD5 in base64, as digests of files are written; false: it is not one. */
enum { ARTIFACT_MD5_SIZE = 16 };
bool artifact_md5_read(struct str base64, unsigned char md5[static ARTIFACT_MD5_SIZE]);
/* The same in hex, as in URLs. */
bool artifact_md5_read_hex(struct str hex, unsigned char md5[static ARTIFACT_MD5_SIZE]);
struct str artifact_md5_write(struct arena *a, struct str md5);
struct str artifact_md5_write_hex(struct arena *a, struct str md5);

#endif
