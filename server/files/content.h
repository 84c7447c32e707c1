#ifndef CONTENT_H
#define CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

/*
 * The store of files' bytes: content by its hash, whatever names refer to it. One interface, at
 * present with a folder behind it (content_folder.c). A kind of store is a row of functions
 * (content_kind.h), so another, such as an object store, is one more file.
 *
 * All calls may wait for a disk or a network: none of them belongs on an I/O thread. A store serves all
 * threads at once; a coming or a reader serves one at a time.
 */
struct content_store;
struct content_coming;
struct content_reader;

enum { CONTENT_HASH_SIZE = 32, CONTENT_MD5_SIZE = 16, CONTENT_MARK_SIZE = 32 };

/* CONTENT_MAKE: the folder is made if its parent is there. */
enum content_open { CONTENT_FIND, CONTENT_MAKE };
err_t content_folder_open(struct arena *a, const char *path, enum content_open how,
			  int64_t reserve_bytes, struct content_store **ret_store)
	__attribute__((warn_unused_result));
void content_close(struct content_store *store);

/*
 * A mark in the store, by which all servers of one database know that they have the same store;
 * empty: none yet. content_mark() writes it if there is none; the existing one counts.
 */
err_t content_read_mark(struct content_store *store, struct arena *a, struct str *ret_mark)
	__attribute__((warn_unused_result));
err_t content_mark(struct content_store *store, struct arena *a, struct str mark)
	__attribute__((warn_unused_result));

/* The space of its file system, shared by all that may write there. */
struct content_room {
	int64_t free_bytes;
	int64_t size_bytes;
	int64_t reserve_bytes; /* of the free ones: must stay free */
};
err_t content_room(struct content_store *store, struct arena *a, struct content_room *ret_room)
	__attribute__((warn_unused_result));

/* ERR_BUSY when it is too full to take that many bytes more. */
err_t content_has_room(struct content_store *store, struct arena *a, int64_t bytes)
	__attribute__((warn_unused_result));

/* ---- coming in -------------------------------------------------------------------------------- */

struct content_sums {
	unsigned char hash[CONTENT_HASH_SIZE]; /* BLAKE2b: its name here */
	unsigned char md5[CONTENT_MD5_SIZE];   /* for comparison by clients */
	int64_t size_bytes;
};

/*
 * Incoming bytes: no reader sees them before content_keep(). Bytes that were not kept are dropped
 * with the arena, and those of a server that died with the next content_sweep() of any.
 */
err_t content_begin(struct content_store *store, struct arena *a,
		    struct content_coming **ret_coming) __attribute__((warn_unused_result));
/* ERR_BUSY when there is no room; nothing more may be added then. */
err_t content_add(struct content_coming *coming, struct str piece)
	__attribute__((warn_unused_result));
/* Ends it; all bytes are there, and survive a loss of power. */
err_t content_end(struct content_coming *coming, struct content_sums *ret_sums)
	__attribute__((warn_unused_result));
/* After content_end(): makes it readable under its hash. If it exists already, nothing changes. */
err_t content_keep(struct content_coming *coming) __attribute__((warn_unused_result));

/*
 * Many small ones: content_end_later() instead of content_end(), which does not wait for the disk, and then
 * content_keep_all(), which waits once if they are many.
 */
void content_end_later(struct content_coming *coming, struct content_sums *ret_sums);
err_t content_keep_all(struct content_store *store, struct arena *a,
		       struct content_coming *const *comings, size_t count)
	__attribute__((warn_unused_result));

/* ---- there ------------------------------------------------------------------------------------ */

/* ERR_NOT_FOUND if it does not exist. The reader ends with the arena; so do its errors. */
err_t content_open(struct content_store *store, struct arena *a, struct str hash,
		   struct content_reader **ret_reader) __attribute__((warn_unused_result));
int64_t content_size(const struct content_reader *reader);
/* From the offset; fewer bytes than `size` only at the end. */
err_t content_read(struct content_reader *reader, int64_t offset, char *bytes, size_t size,
		   size_t *ret_count) __attribute__((warn_unused_result));
/* The same for a thread that must not wait: what is in memory; 0: the disk has to be read, or it is the end. */
size_t content_read_now(struct content_reader *reader, int64_t offset, char *bytes, size_t size);
/* Whether these bytes are all in memory, as those of a file, which is open as long as the reader lives. */
bool content_is_in_memory(struct content_reader *reader, int64_t offset, int64_t length,
			  int *ret_fd);
/* Whether its bytes match the hash; reads all of them. */
err_t content_check(struct content_reader *reader, struct str hash, bool *ret_whole)
	__attribute__((warn_unused_result));

/* Both sums and the size of its bytes; reads all of them. */
err_t content_sum(struct content_reader *reader, struct content_sums *ret_sums)
	__attribute__((warn_unused_result));

/* Missing content counts as removed. An open reader goes on. */
/* From one store to another, unless it is there; read whole and compared with its hash on the way. */
enum content_copied {
	CONTENT_COPIED,
	CONTENT_WAS_THERE,
	CONTENT_MISSING, /* in the first */
	CONTENT_BROKEN,  /* in the first: nothing was copied */
};
struct content_copy {
	enum content_copied what;
	int64_t bytes; /* copied */
};
err_t content_copy(struct content_store *from, struct content_store *to, struct arena *a,
		   struct str hash, struct content_copy *ret_copy)
	__attribute__((warn_unused_result));

err_t content_remove(struct content_store *store, struct arena *a, struct str hash)
	__attribute__((warn_unused_result));

/* Removes the incoming files of servers that died; *ret_count: how many. */
err_t content_sweep(struct content_store *store, struct arena *a, size_t *ret_count)
	__attribute__((warn_unused_result));

/* All content, in no order, until `see` returns an error. */
typedef err_t content_see_fn(void *state, struct str hash, int64_t size_bytes);
err_t content_walk(struct content_store *store, struct arena *a, content_see_fn *see, void *state)
	__attribute__((warn_unused_result));

#endif
