#ifndef PROJECT_WATCH_H
#define PROJECT_WATCH_H

#include "buf.h"
#include "clock.h"
#include "db.h"
#include "followed_run.h"

/*
 * The state of a watched project at the last look: which of its runs are running, and how often its documents were
 * changed. Everything except rows and heartbeats changes the document of a run. So a look reads the documents that
 * changed behind a count, and a few numbers of the running runs. Its cost does not depend on the number of other runs.
 */
struct watched_run {
	int64_t run_id;
	int64_t rows;
	int64_t event_rows;
	int64_t last_step;
	int64_t heard_us;
	int64_t moved_us;  /* the look that saw one of these differ */
	int64_t turned_us; /* that saw it begin or cease to run; 0: before the first */
	int64_t shown_us;  /* that saw others be allowed to see it */
	int16_t visibility;
	bool runs;
	char *name;
};

/* The cursor of a watcher: all changes up to this count, and running runs up to this time of the database, were sent. */
struct watch_cursor {
	int64_t change;
	int64_t time_us;
};

enum {
	WATCH_RUNNING_MAX =
		10000,       /* of a project; of older ones only changes of the document are told */
	WATCH_NEW_MAX = 500, /* that a look takes in, but for the first */
};

enum watch_names { WATCH_NAMES_KNOWN, WATCH_NAMES_ANEW };

struct project_watch {
	struct project_watch *next;
	int64_t project_id;
	struct watched_run *runs; /* by run_id */
	size_t count;
	struct watch_cursor cursor;
	int64_t forgotten;      /* see search_count_row */
	enum watch_names names; /* of the last look */
	bool was_looked;
	bool is_used;
	struct followed_runs followed;
	size_t turn; /* the listener that is told first of them in the next pass */
};

struct project_watch *project_watch_new(int64_t project_id);
void project_watch_free(struct project_watch *w);

/* WATCH_NAMES_ANEW: the visibility of running runs is read again. */
err_t project_watch_look(struct project_watch *w, struct db *db, enum watch_names names)
	__attribute__((warn_unused_result));

/* "41.1772355601000000", the id of an event. */
void watch_cursor_write(const struct watch_cursor *cursor, struct buf *out);
bool watch_cursor_read(struct str text, struct watch_cursor *ret_cursor);

#endif
