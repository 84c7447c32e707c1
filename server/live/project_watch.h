#ifndef PROJECT_WATCH_H
#define PROJECT_WATCH_H

#include "buf.h"
#include "clock.h"
#include "db.h"
#include "followed_run.h"

/*
 * What this server knows of a project that somebody watches, as of its last look: which of its runs write,
 * and how often its documents were changed. Everything but rows and heartbeats changes a run's document, so
 * that a look asks for what was changed behind a count, and for the few numbers of the runs that run now;
 * how many others there are costs nothing.
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

/* What a watcher was told: all changes up to that count, and what ran up to that time of the database. */
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

/* WATCH_NAMES_ANEW: who may see those that run is asked again. */
err_t project_watch_look(struct project_watch *w, struct db *db, enum watch_names names)
	__attribute__((warn_unused_result));

/* "41.1772355601000000", the id of an event. */
void watch_cursor_write(const struct watch_cursor *cursor, struct buf *out);
bool watch_cursor_read(struct str text, struct watch_cursor *ret_cursor);

#endif
