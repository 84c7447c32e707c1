#ifndef ANSWER_H
#define ANSWER_H

#include <stdbool.h>
#include <stdint.h>

#include "json.h"
#include "transport.h"

/* The meaning of an answer for the caller. */
enum outcome {
	OUTCOME_OK,      /* 2xx with a JSON object as application/json */
	OUTCOME_AGAIN,   /* no answer, busy, broken, or not from Cairn: try again later */
	OUTCOME_DENIED,  /* 401, 403: the key may not do this */
	OUTCOME_GONE,    /* 410 of Cairn: the run was deleted */
	OUTCOME_UNKNOWN, /* 404: the server does not know this run or writer (any more) */
	OUTCOME_FENCED,  /* 409: this session's numbers do not fit: join again */
	OUTCOME_LARGE,   /* 413 of something on the way: less may get through */
	OUTCOME_BAD      /* any other 4xx of Cairn: the request itself is refused */
};

/* Whether it is JSON of a server's, and not the page of something on the way: an object, and called so. */
bool answer_is_object(const struct response *response, struct json body) __attribute__((nonnull));

/* Says in a line that something else than Cairn answered. */
void answer_describe_other(const struct response *response, char *line, size_t size)
	__attribute__((nonnull));

/* Judges a response. On OUTCOME_OK *ret_object is its body; otherwise one line for people is
 * written to `error`. */
enum outcome answer_judge(struct response *response, struct json *ret_object,
			  char error[static TRANSPORT_ERROR_SIZE]) __attribute__((nonnull));

/* Whether the answer refuses the field `stream`: the server is from before it. */
bool answer_refuses_stream(const struct response *response) __attribute__((nonnull));

/* Whether the answer is a 409 because the server has records of the batch already; then how many it has. */
bool answer_expected_records(const struct response *response, int64_t *ret_records)
	__attribute__((nonnull));

/* The last batch that the server stored of `session`, from the answer to a join; 0: none. */
int64_t answer_stored_batch(struct json join, int64_t session);

#endif
