#ifndef KEY_H
#define KEY_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "clock.h"
#include "err.h"
#include "str.h"

/*
 * API keys. A key is shown once and never stored: only its keyed hash is, under a secret that every
 * server of one database shares in a file. A stolen database gives no access.
 */
enum {
	KEY_SECRET_SIZE = 32,
	KEY_HASH_SIZE = 32,
	KEY_TEXT_SIZE =
		40, /* of a key made here: 40 hex characters, for old clients take no other */
	KEY_IMPORT_MIN = 40, /* of a key that a user brings */
	KEY_IMPORT_MAX = 128,
	KEY_DISTINCT_MIN = 8, /* different characters of such a key */
	KEY_HEAD_SIZE = 6,
	KEY_HINT_SIZE = 4,
	KEY_FINGERPRINT_SIZE = 32, /* hex characters */
};

struct key_secret {
	unsigned char bytes[KEY_SECRET_SIZE];
};

struct key {
	int64_t key_id;
	int64_t user_id;
	struct str user;
	struct str name;
	struct str head; /* its first characters */
	struct str hint; /* its last ones */
	int16_t scope;   /* enum key_scope */
	timestamp_us created_at;
	timestamp_us last_used_at; /* 0: never; kept to the minute */
	struct str last_address;   /* of its last user; behind trusted proxies the client's own */
	timestamp_us revoked_at;   /* 0: works */
};

void key_make(char text[static KEY_TEXT_SIZE + 1]);
/* ERR_INVALID unless it is 40 to 128 of A-Z a-z 0-9 _ - */
err_t key_check(struct arena *a, struct str text) __attribute__((warn_unused_result, nonnull));
/*
 * For a key that a user brings: ERR_INVALID if it was clearly not made at random, that is when it
 * has fewer than KEY_DISTINCT_MIN different characters, repeats a part of itself to its end, or
 * counts up or down for more than half of its length. A random key of 40 hex characters is refused
 * once in 70 million times.
 */
err_t key_check_strength(struct arena *a, struct str text)
	__attribute__((warn_unused_result, nonnull));
void key_hash(const struct key_secret *secret, struct str text,
	      unsigned char hash[static KEY_HASH_SIZE]);
/* The beginning by which its owner recognizes it. */
struct str key_head(struct str text);
struct str key_hint(struct str text);

/* Distinguishes two secrets without revealing either. */
void key_secret_fingerprint(const struct key_secret *secret,
			    char text[static KEY_FINGERPRINT_SIZE + 1]);

#endif
