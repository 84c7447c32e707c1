#ifndef SIGN_IN_GATE_H
#define SIGN_IN_GATE_H

#include "buf.h"
#include "err.h"
#include "memory.h"
#include "str.h"

/*
 * Lets in who wants to try a password: not more at a time than there is memory for, and not more wrong
 * ones than the limits say, for a name and from an address. What is counted says nothing of whether
 * there is such a user.
 *
 * A browser that has signed in by the name before has a count of its own: who tries wrong passwords for a name
 * elsewhere does not lock its owner out.
 *
 * Names and addresses share a fixed number of slots, by a hash under a key of this server's own: nobody
 * can fill a memory, push out what was counted, or choose with whom to share. Any thread.
 */
struct sign_in_limits {
	int64_t parallel;
	int64_t name_failures;    /* in a quarter of an hour */
	int64_t address_failures; /* the same */
};

struct sign_in_gate;

struct sign_in_gate *sign_in_gate_new(const struct sign_in_limits *limits, struct memory *memory);
void sign_in_gate_free(struct sign_in_gate *gate);

struct sign_in_try {
	struct str name;
	struct str address;
	struct str
		device; /* of a browser that has signed in by this name before: counted instead of it */
};

/*
 * ERR_RATE_LIMIT or ERR_BUSY: *ret_wait_s says when to come again. Who was let in leaves again.
 */
err_t sign_in_gate_enter(struct sign_in_gate *gate, struct arena *a, const struct sign_in_try *t,
			 int64_t now_us, int64_t *ret_wait_s) __attribute__((warn_unused_result));

enum sign_in_result {
	SIGN_IN_WRONG, /* counts */
	SIGN_IN_RIGHT, /* does not; neither does what was no try at all */
};
void sign_in_gate_leave(struct sign_in_gate *gate, const struct sign_in_try *t,
			enum sign_in_result result);

/* Prometheus text: how the tries ended. */
void sign_in_gate_metrics(struct sign_in_gate *gate, struct buf *text);

#endif
