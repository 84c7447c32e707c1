#ifndef PROJECT_FOLLOW_H
#define PROJECT_FOLLOW_H

#include "followed_run.h"
#include "listener_event.h"
#include "project_news.h"

/*
 * Runs of a watched project that one listener follows: where their rows stand, and what happens in them, told
 * without the rows and lines themselves. Who begins, or comes back, is told where each stands.
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
	unsigned streams; /* enum listener_stream; LISTEN_HISTORY is for where the rows stand */
	int64_t limit_us; /* of the project */
};

void follow_list_init(struct follow_list *list, const struct str *names, size_t count);
void follow_list_deinit(struct follow_list *list);
/* From now on they are among those that somebody follows; again and again is as good as once. */
void follow_list_join(struct follow_list *list, struct followed_runs *runs);
/* They are to be looked at. */
void follow_list_want(struct follow_list *list);

/*
 * Appends what is new of those in the list that were looked at and may be seen, as far as LISTENER_BYTES
 * go; the next time it goes on there. After an error all in `out` counts as told.
 */
err_t follow_list_write(struct follow_list *list, struct follow_pass *pass,
			const struct news_view *who, struct buf *out)
	__attribute__((warn_unused_result));

#endif
