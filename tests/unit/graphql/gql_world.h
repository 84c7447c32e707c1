#ifndef GQL_WORLD_H
#define GQL_WORLD_H

#include "arena.h"
#include "gql_run.h"
#include "json_doc.h"

/* Three runs, a1, b2 and one without a name, and a schema of two types to ask about them. */
struct world {
	struct arena *arena;
	struct arena *own;   /* for what a test keeps while `arena` is reset */
	unsigned resolved;   /* how often `loss` was */
	bool asked_for_rows; /* whether `runs` was asked for next.rows */
	char unknown[256];   /* fields without a row, as "Type.field " each */
};

int make_world(void **state);
int end_world(void **state);

err_t try_to_ask(struct world *w, struct gql_request request, struct str *ret_answer);
/* The answer; `variables` may be NULL. */
const char *ask_with(struct world *w, const char *query, const char *variables);
const char *ask(struct world *w, const char *query);
const char *ask_named(struct world *w, struct str query, const char *operation);
void expect_refusal(struct world *w, const char *query, const char *variables, const char *message);

#endif
