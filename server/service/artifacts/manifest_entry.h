#ifndef MANIFEST_ENTRY_H
#define MANIFEST_ENTRY_H

#include "artifact.h"

/*
 * Reads an entry of a manifest as the SDK writes it: {"digest", "size", "ref", "extra", "birthArtifactID"}. ERR_INVALID names
 * the path and what is wrong. `value` is padded for json_scan_begin(); the entry is in the arena.
 */
err_t manifest_entry_read(struct arena *a, struct str path, struct str value,
			  struct artifact_entry *ret_entry) __attribute__((warn_unused_result));

#endif
