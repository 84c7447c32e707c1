#ifndef VIEW_H
#define VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "err.h"
#include "str.h"

struct json_doc;

/*
 * Saved views: settings for looking at the runs of a project. Their content (filter, columns,
 * panels) is the page's; here it is an object of bounded size. Three come with each project and are
 * not stored; admins may replace the default one of them.
 *
 *	kind      who sees it         who changes it
 *	given     readers             no one
 *	mine      its owner           its owner
 *	project   readers             members
 *	default   readers             admins
 *	draft     holders of its id   no one: an address refers to it, and it expires
 *
 * A view may reveal the runs that its maker saw. So where there are private runs and its maker saw
 * them, a draft or a view of the project is closed to readers who do not see them. An admin who
 * saves a view of the project opens it to all readers.
 */
enum view_kind { VIEW_GIVEN, VIEW_MINE, VIEW_PROJECT, VIEW_DEFAULT, VIEW_DRAFT };

enum {
	VIEW_STATE_MAX = 64 << 10, /* bytes, written compactly */
	VIEW_MINE_MAX = 100,       /* of one user in one project */
	VIEW_PROJECT_MAX = 200,
	VIEW_DRAFT_MAX = 200,        /* of one user in one project: the oldest makes room */
	VIEW_DRAFT_USER_MAX = 1000,  /* in all projects: a job deletes the oldest */
	VIEW_DRAFT_USER_FULL = 2000, /* the limit for new ones until the job has run */
	VIEW_DRAFT_DAYS = 90,
	VIEW_ID_LEN = 8,
};
#define VIEW_DRAFT_KEPT_US (INT64_C(86400) * 1000000 * VIEW_DRAFT_DAYS)

struct view {
	struct str id; /* within its project */
	int16_t kind;  /* enum view_kind */
	struct str name;
	int64_t owner_id; /* 0: none */
	struct str owner;
	struct str state; /* JSON, an object */
	bool is_closed;   /* view_is_closed() when it was saved; not read */
	int32_t version;  /* how often it was saved; 0: it is not stored */
	timestamp_us created_at;
	timestamp_us changed_at;
	struct str changed_by;
};

/* The views that come with each project, the default first. */
extern const struct view views_given[];
extern const size_t views_given_count;
/* NULL when none has the id. */
const struct view *view_given(struct str id);

/* Makes a new id; that of a draft is distinguishable. `id` takes VIEW_ID_LEN + 2 bytes. */
void view_make_id(enum view_kind kind, char *id) __attribute__((nonnull));

/* The caller, and their rights in the project. */
struct view_person {
	int64_t user_id; /* 0: not signed in */
	enum access_right right;
	enum key_scope scope;
};

/*
 * ERR_UNAUTHORIZED or ERR_FORBIDDEN unless the user may make a view of the
 * kind, or change one to that kind.
 */
err_t view_check_make(struct arena *a, enum view_kind kind, struct view_person who)
	__attribute__((nonnull, warn_unused_result));
err_t view_check_change(struct arena *a, const struct view *view, struct view_person who)
	__attribute__((nonnull, warn_unused_result));
err_t view_check_delete(struct arena *a, const struct view *view, struct view_person who)
	__attribute__((nonnull, warn_unused_result));

/*
 * has_private: there are runs that not every reader of the project sees, or only members may read
 * it.
 */
bool view_is_closed(const struct view *view, enum access_right right, bool sees_private,
		    bool has_private);

/* The fields that a request sets; the others stay. */
struct view_change {
	bool has_name, has_kind;
	struct str name;
	enum view_kind kind;
	const struct json_doc *state; /* NULL: none */
	bool merges;                  /* the state: a merge patch, else all of it */
};

/*
 * ERR_INVALID with the field: an invalid name, a state that is too large, a kind that it cannot be.
 */
err_t view_apply(struct arena *a, struct view *view, const struct view_change *change)
	__attribute__((nonnull, warn_unused_result));

#endif
