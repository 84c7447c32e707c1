#ifndef SPOOL_FOLDER_H
#define SPOOL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spool.h"
#include "spool_identity.h"

/* Folders below a spool's path, and whether the processes that write them live. */

/* $CAIRN_SPOOL_DIR, else .cairn/spool in the working directory, absolute. The caller frees it; NULL without memory. */
char *spool_folder_default(void);

/* Names a writer's folder: "<run id escaped>.<client id>.<stream>". A long run id is cut and gets a hash. */
#define SPOOL_NAME_SIZE 256
void spool_folder_name(const char *run, const char *client, const char *stream,
		       char name[static SPOOL_NAME_SIZE]) __attribute__((nonnull));

/*
 * Finds the first folder below `path` that this writer has, in the same mode and in another stream than that of the
 * identity, which may be NULL. Its name without the path; false if there is none, or it cannot be looked for.
 */
bool spool_folder_find(const char *path, const struct spool_identity *identity,
		       char ret_name[static SPOOL_NAME_SIZE]) __attribute__((nonnull));

enum spool_life {
	SPOOL_ALIVE,  /* the process lives, or may: on another host, and `alive` is fresh */
	SPOOL_DEAD,   /* same boot: no such process; else `alive` is older than SPOOL_SILENT_S */
	SPOOL_UNKNOWN /* `alive` cannot be read or compared */
};

struct spool_entry {
	char *path; /* of the writer's folder */
	char *name; /* points into path */
	uint64_t segments, bytes;
	uint64_t sent; /* the hint; 0: none */
};

struct spool_entries {
	struct spool_entry *items; /* by name */
	size_t count;
	size_t refused; /* folders of other users, or that cannot be read */
};

/*
 * Lists the writers' folders below `path`, or `path` itself if it is one. Folders without a writer.json count if they
 * hold a segment. False if `path` cannot be read; `error` is a line then, and after a success the first refusal or "".
 */
bool spool_folder_list(const char *path, struct spool_entries *ret_entries,
		       char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));
void spool_entries_deinit(struct spool_entries *entries) __attribute__((nonnull));

/* Whether the process that writes this folder lives. For another host it compares `alive` with the file system's own
 * clock, that of a file which it makes next to it for a moment; where it cannot, SPOOL_UNKNOWN. */
enum spool_life spool_folder_life(const char *folder) __attribute__((nonnull));

/* Writes `alive` for this process into an open folder; later only its time. 0 or an errno value. */
int spool_folder_touch(int folder_fd, bool is_new);

/* Leaves the hint in an open folder that the server has so many records. 0 or an errno value; a failure does not
 * matter. */
int spool_folder_note_sent(int folder_fd, uint64_t records);

/*
 * Removes segments that hold only records before this index, but not the last one; with last_segment > 0 all segments up
 * to this number. Returns how many were removed. What else is in them (documents, alerts) must have been sent, too.
 */
uint64_t spool_folder_remove_segments(const char *folder, uint64_t records, uint64_t last_segment)
	__attribute__((nonnull));

/* Removes a folder of which everything was sent: segments, writer.json, alive, sent, the folder. Files that the spool
 * does not know stay, and so does the folder. False if something is left. */
bool spool_folder_remove(const char *folder) __attribute__((nonnull));

#endif
