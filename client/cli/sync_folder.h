#ifndef SYNC_FOLDER_H
#define SYNC_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Notes of cairn sync in a writer's folder, and the removal of the folder. It may belong to anybody if the caller is root:
 * nothing in it is followed or waited for, and only files of the spool are touched.
 */

/* The end of a spool. As files only grow, an end that is the same says that nothing was added. */
struct sync_place {
	uint64_t segment, bytes; /* number of the last segment, and its size */
};

bool sync_folder_place(const char *folder, struct sync_place *ret_place) __attribute__((nonnull));
bool sync_place_is_same(struct sync_place a, struct sync_place b);

/*
 * How far a sync came, in the file `sent` behind the line of the process: "records N", then "STAGE SEGMENT BYTES TARGET REFUSED". A
 * hint: without it things are asked, or sent once more.
 */
enum sync_stage {
	SYNC_STAGE_NONE,  /* of the spool: records were sent */
	SYNC_STAGE_DROPS, /* all up to the place was sent, with the drops at its end */
	SYNC_STAGE_END    /* and the end of the writer */
};

struct sync_mark {
	uint64_t records;
	enum sync_stage stage;
	struct sync_place place;
	uint64_t target;  /* hash of the server and the project that have it */
	uint64_t refused; /* records, documents and alerts that the server rejected */
};

bool sync_folder_read_mark(const char *folder, struct sync_mark *ret_mark) __attribute__((nonnull));
void sync_folder_write_mark(const char *folder, const struct sync_mark *mark)
	__attribute__((nonnull));

/* Whether the process cannot come back: it ran on this host since its last start, and is not in the process table. Only
 * for a folder of which spool_folder_life() says SPOOL_DEAD: that may be by the age of a file alone. */
bool sync_folder_is_surely_dead(const char *folder) __attribute__((nonnull));

enum sync_removal {
	SYNC_REMOVED,
	SYNC_REMOVAL_GREW,  /* something was added behind the place: nothing is removed */
	SYNC_REMOVAL_FAILED /* a file, or the folder, is left */
};

/*
 * Removes a folder of which all up to `place` was sent. It is renamed first, so that no process goes on with it, and back
 * if there is more than that. Files that are not the spool's stay, and so does the folder.
 */
enum sync_removal sync_folder_remove(const char *folder, struct sync_place place)
	__attribute__((nonnull));

#endif
