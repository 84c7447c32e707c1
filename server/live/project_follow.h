#ifndef PROJECT_FOLLOW_H
#define PROJECT_FOLLOW_H

#include "followed_run.h"
#include "listener_event.h"
#include "project_updates.h"

/*
 * The runs of a watched project that one listener follows. It is sent how many rows they have and what happens in them,
 * without the rows and lines. At the start, and after it comes back, it is sent the current state of each run.
 */
enum { FOLLOW_MAX = 100 };

struct followed {
	char *name;
	struct followed_run *run; /* NULL: not joined yet */
	bool is_open;             /* where it stands was told */
	int64_t run_id;
	int32_t branch;
	int64_t row;
	int64_t event;
	int64_t cursors[FOLLOWED_STREAMS]; /* up to which all was told */
};

struct follow_list {
	struct followed *at;
	size_t count;
	size_t next;      /* that is told of first */
	unsigned streams; /* enum listener_stream; LISTEN_HISTORY: the number of rows */
	int64_t limit_us; /* of the project */
};

void follow_list_init(struct follow_list *list, const struct str *names, size_t count);
void follow_list_deinit(struct follow_list *list);
/* Registers the runs as followed. Repeated calls change nothing. */
void follow_list_join(struct follow_list *list, struct followed_runs *runs);
/* They are to be looked at. */
void follow_list_want(struct follow_list *list);

/*
 * Appends the updates of the runs in the list that were looked at and may be seen, up to LISTENER_BYTES. The next call goes
 * on there. After an error everything in `out` counts as sent.
 */
err_t follow_list_write(struct follow_list *list, struct follow_pass *pass,
			const struct update_view *who, struct buf *out)
	__attribute__((warn_unused_result));

#endif
