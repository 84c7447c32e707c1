#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"
#include "transport.h"

/* What an answer of the server means for the one who asked. */
enum verdict {
	VERDICT_OK,      /* 2xx with a JSON object */
	VERDICT_AGAIN,   /* no answer, busy, broken, or not from Cairn: try again later */
	VERDICT_DENIED,  /* 401, 403: the key may not do this */
	VERDICT_GONE,    /* 410 of Cairn: the run was deleted */
	VERDICT_UNKNOWN, /* 404: the server does not know this run or writer (any more) */
	VERDICT_FENCED,  /* 409: this session's numbers do not fit: join again */
	VERDICT_LARGE,   /* 413 of something on the way: less may get through */
	VERDICT_BAD      /* any other 4xx of Cairn: the request itself is refused */
};

/* Judges a response. On VERDICT_OK *ret_object is its body; otherwise one line for people is
 * written to `error`. */
enum verdict answer_judge(struct response *response, struct json *ret_object,
			  char error[static TRANSPORT_ERROR_SIZE]) __attribute__((nonnull));

/* The last batch that the server stored of `session`, from the answer to a join; 0: none. */
int64_t answer_stored_batch(struct json join, int64_t session);

#endif
