#ifndef ARTIFACT_ID_H
#define ARTIFACT_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "str.h"

/*
 * Ids of artifacts as clients pass them on: base64 of "Artifact:PROJECT:NUMBER", so that each statement has its project. They
 * consist of letters, digits and "=" at the end, because the SDK puts them into URLs and turns them into hex.
 */
enum artifact_id_kind {
	ARTIFACT_ID_VERSION,
	ARTIFACT_ID_COLLECTION,
	ARTIFACT_ID_MANIFEST,
	ARTIFACT_ID_UPLOAD, /* of a file that comes in parts */
	ARTIFACT_ID_KINDS
};
struct artifact_id {
	int64_t project_id;
	int64_t number;
};

struct str artifact_id_write(struct arena *a, enum artifact_id_kind kind, struct artifact_id id)
	__attribute__((nonnull));
/* False: it is not an id of this kind. "%3D" at the end is "=". */
bool artifact_id_read(enum artifact_id_kind kind, struct str text, struct artifact_id *ret_id)
	__attribute__((nonnull));
/* Reads the id in hex, as in "wandb-artifact://HEX/path". */
bool artifact_id_read_hex(struct str hex, struct artifact_id *ret_id) __attribute__((nonnull));

#endif
