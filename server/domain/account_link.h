#ifndef ACCOUNT_LINK_H
#define ACCOUNT_LINK_H

#include <stdbool.h>

#include "clock.h"
#include "key.h"
#include "str.h"

/*
 * One-time links that an admin of the server sends to a person: an invitation, whose holder chooses a name and a
 * password, or a link with which a user sets a new password. A link has a random token; the database has only its
 * keyed hash. The token is the fragment of the address, which browsers do not send, so that it is in no log.
 */
enum {
	ACCOUNT_LINK_TEXT_SIZE = 64, /* hex characters */
	ACCOUNT_LINKS_MAX = 1000,    /* valid ones at a time */
	ACCOUNT_LINK_HOURS_MAX = 30 * 24,
	ACCOUNT_LINK_HOURS_INVITATION = 7 * 24, /* by default */
	ACCOUNT_LINK_HOURS_PASSWORD = 24,
};
#define ACCOUNT_LINK_PATH "/login/link" /* of the page that uses it */

enum account_link_kind {
	ACCOUNT_LINK_INVITATION = 1,
	ACCOUNT_LINK_PASSWORD = 2,
};

/* Numbers are 0 and texts empty where they do not apply. */
struct account_link {
	int64_t link_id;
	int16_t kind;
	int64_t user_id; /* whose password it sets */
	struct str user;
	bool is_admin;   /* an invited user becomes an admin of the server */
	int64_t team_id; /* and gets the role in the team */
	struct str team;
	int16_t role;
	struct str note;
	int64_t made_by; /* 0: on the server's host */
	struct str maker;
	timestamp_us created_at;
	timestamp_us ends_at;
};

const char *account_link_kind_name(enum account_link_kind kind);
void account_link_make(char text[static ACCOUNT_LINK_TEXT_SIZE + 1]);
/* Whether the text can be a token at all. */
bool account_link_is_token(struct str text);
/* Differs from the hashes of a key and of a session with the same text. */
void account_link_hash(const struct key_secret *secret, struct str text,
		       unsigned char hash[static KEY_HASH_SIZE]);
/* "https://cairn.example/login/link#TOKEN", or without a base the path. */
const char *account_link_url(struct arena *a, struct str base, const char *token);
/* The effect of the link, for the audit log: "admin of the server, member of lab", "password of ann". */
struct str account_link_words(struct arena *a, const struct account_link *link);

#endif
