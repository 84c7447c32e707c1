#ifndef AUDIT_H
#define AUDIT_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "project.h"
#include "str.h"

/*
 * The audit log: who did what, for administrators. An entry is written in the transaction of its
 * action, so neither exists without the other. It has names, numbers, words of ours and, as given,
 * the reason of a stop or a state; no secrets: no key, no password, no address of a webhook. A name
 * from a failed sign-in is stored only if it is a user's, for it may be a password in the wrong
 * field.
 */
enum audit_action {
	AUDIT_SIGN_IN,
	AUDIT_SIGN_IN_REFUSED,
	AUDIT_SIGN_OUT,
	AUDIT_SESSION_END,
	AUDIT_PASSWORD,
	AUDIT_KEY_MAKE,
	AUDIT_KEY_REVOKE,
	AUDIT_USER_MAKE,
	AUDIT_USER_DISABLE,
	AUDIT_USER_ENABLE,
	AUDIT_USER_DEFAULT,
	AUDIT_USER_ADMIN,
	AUDIT_LINK_MAKE,
	AUDIT_LINK_REVOKE,
	AUDIT_TEAM_MAKE,
	AUDIT_MEMBER_SAVE,
	AUDIT_MEMBER_REMOVE,
	AUDIT_QUOTA,
	AUDIT_PROJECT_MAKE,
	AUDIT_PROJECT_CHANGE,
	AUDIT_PROJECT_DELETE,
	AUDIT_PROJECT_RESTORE,
	AUDIT_WEBHOOK_SAVE,
	AUDIT_WEBHOOK_REMOVE,
	AUDIT_RUN_VISIBILITY,
	AUDIT_RUN_STATE,
	AUDIT_RUN_STOP,
	AUDIT_RUN_MOVE,
	AUDIT_RUN_DELETE,
	AUDIT_RUN_RESTORE,
	AUDIT_WRITER_END,
	AUDIT_ARTIFACT_CHANGE,
	AUDIT_ARTIFACT_DELETE,
	AUDIT_ARTIFACT_RESTORE,
	AUDIT_ARTIFACT_LINK,
	AUDIT_ARTIFACT_UNLINK,
	AUDIT_SWEEP_MAKE,
	AUDIT_SWEEP_CHANGE,
	AUDIT_SWEEP_STATE,
	AUDIT_SWEEP_DELETE,
	AUDIT_ACTIONS,
};

/* The way in which the user was identified. */
enum audit_way {
	AUDIT_BY_NOBODY = 1, /* the user is not known */
	AUDIT_BY_KEY = 2,
	AUDIT_BY_SESSION = 3,
	AUDIT_BY_COMMAND = 4, /* of cairnd, on the server's host */
};

enum { AUDIT_DETAIL_MAX = 512 /* bytes; what is longer is cut */ };

/* Texts are empty if they do not apply. */
struct audit_entry {
	int64_t audit_id;
	timestamp_us at;
	struct str actor;
	int16_t way;
	int64_t key_id;
	struct str address;
	struct str action;
	struct str entity;
	struct str project;
	struct str run;
	struct str
		subject; /* the user, the number of the key, link or writer, the session, the other project */
	struct str detail;
};

/* "project.delete": the part before the dot is its kind. */
struct str audit_action_name(enum audit_action action);
/* The name of an action, or a kind of them. */
bool audit_is_action(struct str name);
const char *audit_way_name(enum audit_way way);

/* A project's change in words: "visibility public, crash_after_s 60". Texts are only named. */
struct str audit_project_words(struct arena *a, const struct project_change *change);

#endif
