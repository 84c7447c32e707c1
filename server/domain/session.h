#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>

#include "clock.h"
#include "key.h"

/*
 * A user signed in with a password. The browser holds a random token in a cookie, the database its
 * keyed hash. A session goes on while it is used, up to an age at which it ends in any case.
 */
enum {
	SESSION_TEXT_SIZE = 64,         /* hex characters */
	SESSION_SEEN_US = 60 * 1000000, /* precision of the stored time of last use */
	SESSION_USER_MAX = 100,         /* at a time; the oldest end for new ones */
};

/* Microseconds. */
struct session_limits {
	int64_t idle_us;
	int64_t max_us;
};

struct session {
	int64_t user_id;
	struct str user;
	bool is_admin; /* the user, of the server */
	int64_t default_entity_id;
	timestamp_us created_at;
	timestamp_us seen_at;
	timestamp_us ends_at;
};

void session_make(char text[static SESSION_TEXT_SIZE + 1]);
/* Whether the text can be a token at all. */
bool session_is_token(struct str text);
/* Differs from the hash of a key with the same text: neither can be used for the other. */
void session_hash(const struct key_secret *secret, struct str text,
		  unsigned char hash[static KEY_HASH_SIZE]);

void session_begin(struct session *s, const struct session_limits *limits, timestamp_us now);
/* Notes a use: true if that has to be stored. */
bool session_see(struct session *s, const struct session_limits *limits, timestamp_us now);

#endif
