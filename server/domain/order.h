#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "filter.h"
#include "str.h"

/* The order of a list of runs: "-summary.loss,created_at", or by aggregates of metrics:
 * "-max(acc),created_at". Lists as in key_list.h. */

enum { ORDER_KEYS_MAX = 4 };

enum order_of { ORDER_OF_DOCUMENT, ORDER_OF_LAST, ORDER_OF_MIN, ORDER_OF_MAX, ORDER_OF_MEAN };

struct order_key {
	enum order_of of;
	/*
	 * The path in the document, see filter.h: a text[] for `document #> $1`. Empty for a
	 * metric.
	 */
	struct filter_path path;
	struct str metric;
	bool descending;
};

struct order {
	struct order_key keys[ORDER_KEYS_MAX];
	size_t count;
};

/*
 * Reads the keys, the most important first; `-` before one is descending, `+` or nothing ascending.
 * An empty text is no keys. Errors are ERR_INVALID with field "order". The code that orders puts
 * missing values last and the run's id at the end, which makes the order total.
 */
err_t order_parse(struct arena *a, struct str text, struct order *ret_order)
	__attribute__((nonnull, warn_unused_result));
/* The same with keys without a section, of which `bare` knows, or learns. */
err_t order_parse_bare(struct arena *a, struct str text, struct filter_bare *bare,
		       struct order *ret_order) __attribute__((nonnull(1, 4), warn_unused_result));

/* Also reads "min(loss)": an aggregate of a metric over a run's history. */
err_t order_parse_metrics(struct arena *a, struct str text, struct order *ret_order)
	__attribute__((nonnull, warn_unused_result));
err_t order_parse_metrics_bare(struct arena *a, struct str text, struct filter_bare *bare,
			       struct order *ret_order)
	__attribute__((nonnull(1, 4), warn_unused_result));
/* One key of a document, taken from a list; blanks around it do not count. */
err_t order_parse_key(struct arena *a, struct str name, struct filter_bare *bare,
		      struct filter_path *ret_path)
	__attribute__((nonnull(1, 4), warn_unused_result));

/* The path as a literal of PostgreSQL's text[]: {"summary","val/loss"}. */
struct str order_path_text(struct arena *a, const struct filter_path *path)
	__attribute__((nonnull));

#endif
