#ifndef SDK_SUMMARY_H
#define SDK_SUMMARY_H

#include <stdbool.h>

#include "json_doc.h"

/*
 * A process of the wandb SDK sends its whole summary each time: the last value of each key it
 * logged, what was set by hand, what define_metric() made of others. Ours is the last values of
 * history and, on top of them, what was set explicitly, so for each document received it is decided
 * what was set. Value by value; the later of a logged and a set value holds, whichever process sent
 * it:
 *
 *	it is                                       then
 *	of a key that was logged since              logged: what was set before gives way
 *	what history says last                      logged
 *	as it was sent before                       nothing
 *	another one                                 set
 *	sent before, and no more                    gone: if it is still what this writer set
 *	_step, _timestamp                           nothing: they follow from history
 *	_runtime, and runtime in _wandb             set when it is greater than what is there
 *
 * Rows and summaries are sent each at its own pace, so a summary may be older than the rows sent
 * with it, or come after them. Its _timestamp is that of the last row in it: what is newer was
 * logged since, and is remembered until a summary comes that has it.
 *
 * A process whose server derives the summary (see `derived`) sends only what was set. It sends that
 * again with each change of another value, so what it sends as before gives way to what was logged
 * since.
 */
struct sdk_summary_ask {
	const struct json_doc *sent;
	const struct json_doc *before; /* this writer's last summary; NULL: not known */
	/*
	 * If several processes send as this writer: the part of that which each of them has sent
	 * before (sdk_common.h); then only that can be gone. NULL: all of `before`.
	 */
	const struct json_doc *common;
	/*
	 * The last values of what it logged and when, {"train/loss": [1795207775.25, 0.1], "d.x": …}: of
	 * the rows that came with it, and of those before it that are remembered. NULL: none.
	 */
	const struct json_doc *last;
	const struct json_doc *explicit_now; /* set now, by all writers; NULL: nothing */
	bool derived;
	/*
	 * For sdk_summary_deleted(): the part of `last` that this process has logged itself, and
	 * whether `before` is its own.
	 */
	const struct json_doc *last_own;
	bool before_is_own;
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

/*
 * The logged keys that the process has deleted: it logged them before the summary that is sent, and
 * they are not in it any more; as a merge patch, {"train/loss": null}. Another process begins with
 * an empty summary, and one whose server derives the summary has no logged values in it: neither of
 * them deletes anything by that.
 */
const struct json_doc *sdk_summary_deleted(struct arena *a, const struct sdk_summary_ask *ask)
	__attribute__((nonnull, returns_nonnull));

/*
 * The summary covers rows that have not arrived yet, so it cannot be judged: it waits, but no
 * longer than until the writer's next request, for rows may be lost on the way.
 */
bool sdk_summary_waits(const struct sdk_summary_ask *ask) __attribute__((nonnull));

/*
 * The values of `last` that are not in the summary yet, and are to be remembered; NULL for no
 * summary: all of it.
 */
const struct json_doc *sdk_summary_ahead(struct arena *a, const struct json_doc *last,
					 const struct json_doc *sent)
	__attribute__((nonnull(1), returns_nonnull));

/*
 * Keys in which processes may differ without a conflict: "_runtime", and "acc.max", which
 * define_metric() makes of what each process logged.
 */
bool sdk_summary_may_differ(struct str key);

#endif
