#ifndef SDK_CONSOLE_H
#define SDK_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

struct arena;

/*
 * A console line as the wandb SDK sends it, in either form:
 *
 *	[ERROR ]2026-11-20T20:49:35.172235 [rank0] text            the label only where one is set
 *	{"level": "error", "ts": "2026-11-20T20:49:35.172235", "label": "rank0", "content": "text"}
 *
 * Times are UTC. The text is kept whole, colours and all. What is of neither form is text alone.
 */
struct sdk_console_line {
	bool is_stderr;
	bool has_time;
	int64_t time_us;  /* since 1970 */
	struct str label; /* empty: none */
	struct str text;
};

/*
 * In the first form a label cannot be told from a text that begins with a bracket, so the caller says
 * what is known of the writer.
 */
enum sdk_console_labels {
	SDK_CONSOLE_NO_LABEL, /* nothing in brackets is one */
	SDK_CONSOLE_ANY_LABEL, /* a writer of shared mode always has one: what is in brackets is it */
	SDK_CONSOLE_THIS_LABEL, /* only this one is */
};
struct sdk_console_ask {
	enum sdk_console_labels labels;
	struct str label;
};

/* The result points into the line or into the arena. */
struct sdk_console_line sdk_console_read(struct arena *a, struct str line,
					 const struct sdk_console_ask *ask)
	__attribute__((nonnull));

#endif
