#ifndef SIGNED_URL_H
#define SIGNED_URL_H

#include <stdbool.h>

#include "clock.h"
#include "err.h"
#include "key.h"
#include "str.h"

/*
 * Links that need no key: a holder may read or write the one file the link names, until it expires.
 * A link to write may be used again: a client whose answer was lost sends the same once more, and
 * one whose file has changed sends the new content; the name leads to what came last.
 *
 * The signature covers all of the link, under a key made of the server's secret for this purpose.
 */
enum signed_use {
	SIGNED_READ = 1, /* a file of a run */
	SIGNED_WRITE = 2,
	SIGNED_ARTIFACT_READ = 3, /* a file of an artifact */
	SIGNED_ARTIFACT_WRITE = 4,
	SIGNED_MANIFEST_READ = 5,
	SIGNED_MANIFEST_WRITE = 6,
	SIGNED_PART_WRITE = 7, /* a part of a file of an artifact */
};
bool signed_use_writes(enum signed_use use);

struct signed_url {
	enum signed_use use;
	int64_t number; /* of the run, or of the project of an artifact */
	struct str
		name; /* of the file; file_name_read() has seen it. Of an artifact: see artifact_url.h */
	int64_t expires_s; /* since 1970, by the database's clock */
	int64_t user_id;   /* the user the link was made for; 0: none */
	struct str by;     /* the key or session it was made with; empty: none */
	struct str client; /* the writer it was made for; NAME_CLIENT, or empty */
};

enum { SIGNED_URL_TEXT_SIZE = 43 }; /* of a signature: 32 bytes in base64 */

void signed_url_sign(const struct key_secret *secret, const struct signed_url *url,
		     char text[static SIGNED_URL_TEXT_SIZE + 1]);

/* ERR_FORBIDDEN when the signature is not this link's, or it has expired. */
err_t signed_url_check(struct arena *a, const struct key_secret *secret,
		       const struct signed_url *url, struct str signature, timestamp_us now)
	__attribute__((warn_unused_result));

#endif
