#ifndef SDK_SUMMARY_H
#define SDK_SUMMARY_H

#include "json_doc.h"

/*
 * A process of the wandb SDK sends its whole summary each time: the last value of each key it logged,
 * what was set by hand, what define_metric() made of others. Ours is the last values of history and,
 * on top of them, what was set explicitly, so of each document that comes it is decided what was set.
 * Value by value; the later of a logged and a set value holds, whoever it came from:
 *
 *	it is                                       then
 *	what history says last                      logged: what was set before gives way
 *	as it was sent before                       nothing
 *	another one                                 set
 *	sent before, and no more                    gone: if it is still what this writer set
 *	_step, _timestamp                           nothing: they follow from history
 *	_runtime, and runtime in _wandb             set when it is greater than what is there
 *
 * A process whose server derives the summary (see `derived`) sends only what was set. It sends that
 * again with each change of another value, so what it sends as before gives way to what was logged
 * since.
 */
struct sdk_summary_ask {
	const struct json_doc *sent;
	const struct json_doc *before; /* what this writer sent last; NULL: not known */
	/*
	 * The last values of history, {"train/loss": 0.1, "d.x": 1}: of the rows that came with it; when
	 * `before` is not known, of the whole run. NULL: none.
	 */
	const struct json_doc *last;
	const struct json_doc *explicit_now; /* what is set now, by all writers; NULL: nothing */
	bool derived;
};

/* Documents of the same shape as the summary; of `gone` and `logged` only the shape counts. */
struct sdk_summary_change {
	const struct json_doc *set;
	const struct json_doc *gone;
	const struct json_doc *logged;
};

/* `sent`, `before`, `last` and `explicit_now` are objects. */
void sdk_summary_judge(struct arena *a, const struct sdk_summary_ask *ask,
		       struct sdk_summary_change *ret_change) __attribute__((nonnull));

#endif
