#ifndef PROJECT_FOLLOW_H
#define PROJECT_FOLLOW_H

#include "listener_send.h"
#include "project_news.h"
#include "watch_store.h"

/*
 * Runs of a watched project that somebody looks at: where their rows stand, and what happens in them, told
 * without the rows and lines themselves. Who begins, or comes back, is told where each stands.
 */
enum { FOLLOW_MAX = 100 };

struct followed {
	char *name;
	bool is_open; /* where it stands was told */
	int64_t run_id;
	struct listener_place place;
	struct listener_seen seen;
	int64_t version; /* of the run, when its writers were looked at last */
	int64_t due_us;  /* when one of them may be lost without the run being saved */
};

struct follow_list {
	struct followed *at;
	size_t count;
	unsigned streams; /* enum listener_stream; LISTEN_HISTORY is for where the rows stand */
	int64_t limit_us; /* of the project */
};

void follow_list_init(struct follow_list *list, const struct str *names, size_t count);
void follow_list_deinit(struct follow_list *list);
/* What was told may not have come: each is told anew where it stands. */
void follow_list_restart(struct follow_list *list);

/* The runs that any of the lists names, as they are now. */
struct follow_view {
	const struct watch_name_row *names; /* by name */
	struct listener_view *runs;         /* of each; .run NULL: it is gone */
	size_t count;
};
err_t follow_view_read(struct listener_view base, int64_t project_id,
		       const struct follow_list *const *lists, size_t count,
		       struct follow_view *ret_view) __attribute__((warn_unused_result));

/* Appends what is new of those in the list that may be seen. */
err_t follow_list_write(struct follow_list *list, const struct follow_view *view,
			const struct news_view *who, struct buf *out)
	__attribute__((warn_unused_result));

#endif
