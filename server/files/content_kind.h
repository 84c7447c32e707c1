#ifndef CONTENT_KIND_H
#define CONTENT_KIND_H

#include <sodium.h>

#include "content.h"

/*
 * The operations of a kind of store; the common part is in content.c: the sums, the checks. A
 * kind's structs begin with those here. Only this folder includes this file.
 */
struct content_kind {
	void (*close)(struct content_store *store);
	err_t (*read_mark)(struct content_store *store, struct arena *a, struct str *ret_mark);
	err_t (*mark)(struct content_store *store, struct arena *a, struct str mark);
	err_t (*has_room)(struct content_store *store, struct arena *a, int64_t bytes);
	err_t (*room)(struct content_store *store, struct arena *a, struct content_room *ret_room);

	err_t (*begin)(struct content_store *store, struct arena *a,
		       struct content_coming **ret_coming);
	err_t (*add)(struct content_coming *coming, struct str piece);
	err_t (*end)(struct content_coming *coming);
	err_t (*keep)(struct content_coming *coming);
	/* keep() without end(), whose bytes and place are durable after sync() only */
	err_t (*place)(struct content_coming *coming);
	err_t (*sync)(struct content_store *store, struct arena *a);

	err_t (*open)(struct content_store *store, struct arena *a, struct str hash,
		      struct content_reader **ret_reader);
	err_t (*read)(struct content_reader *reader, int64_t offset, char *bytes, size_t size,
		      size_t *ret_count);
	size_t (*read_now)(struct content_reader *reader, int64_t offset, char *bytes, size_t size);
	bool (*is_in_memory)(struct content_reader *reader, int64_t offset, int64_t length,
			     int *ret_fd);
	err_t (*remove)(struct content_store *store, struct arena *a, struct str hash);
	err_t (*sweep)(struct content_store *store, struct arena *a, size_t *ret_count);
	err_t (*walk)(struct content_store *store, struct arena *a, content_see_fn *see,
		      void *state);
};

struct content_store {
	const struct content_kind *kind;
	struct aside
		*aside; /* for sums; made by the kind's open function, ended by content_close() */
};

struct content_coming {
	struct content_store *store;
	struct arena *arena;
	crypto_generichash_state *hash; /* its alignment is more than an arena's */
	void *md5;                      /* GnuTLS's */
	struct content_sums sums;
};

struct content_reader {
	struct content_store *store;
	struct arena *arena;
	int64_t size_bytes;
};

#endif
