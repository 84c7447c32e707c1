#ifndef WANDB_H
#define WANDB_H

#include "auth.h"
#include "gql_run.h"
#include "request.h"
#include "run_documents.h"

/*
 * Shared by the resolvers of one request. A process in shared mode names itself in a header of every request;
 * without the header processes cannot be told apart.
 */
struct wandb {
	struct request *q;
	struct str client;    /* of the process; empty: not in shared mode */
	bool derives_summary; /* the server is to make the summary of the history */
	bool has_nul;         /* U+0000 is in what was asked, "␀" in its place (odd_name.h) */
	struct str default_entity; /* of who asks; see wandb_default_entity() */
	struct run_reader reader;  /* see wandb_reader() */
};

enum { WANDB_CLIENT_MAX = 64 };

struct wandb *wandb_of(const struct gql_call *call) __attribute__((nonnull));

/* The id that a process in shared mode sends; empty when there is none. */
struct str wandb_client(const struct request *q) __attribute__((nonnull));
bool wandb_derives_summary(const struct request *q) __attribute__((nonnull));

/* The entity of whoever asks, where none is named. */
err_t wandb_default_entity(struct wandb *w, struct str *ret_entity)
	__attribute__((nonnull, warn_unused_result));

/*
 * q->target for names that stand in variables; an empty entity is that of whoever asks. *ret_there is
 * false when there is no such thing to see, which for a question is no error.
 */
err_t wandb_target(struct wandb *w, const struct auth_ask *ask)
	__attribute__((nonnull, warn_unused_result));
/* The same for a run, whose names may not be left out. */
err_t wandb_target_run(struct wandb *w, const struct auth_ask *ask)
	__attribute__((nonnull, warn_unused_result));
err_t wandb_look(struct wandb *w, const struct auth_ask *ask, bool *ret_there)
	__attribute__((nonnull, warn_unused_result));

/* Needed to read a run's documents and rows; one for the whole request. */
const struct run_reader *wandb_reader(struct wandb *w) __attribute__((nonnull, returns_nonnull));

/* Calls a resolver with memory that is given back afterwards. */
err_t wandb_resolve_large(struct gql_call *call, gql_resolve *resolve)
	__attribute__((nonnull, warn_unused_result));

/* The database's clock, once for a request. */
err_t wandb_now(struct wandb *w) __attribute__((nonnull, warn_unused_result));

#endif
