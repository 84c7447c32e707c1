#include "rewound_summary.h"

#include <stdlib.h>

#include "arena.h"

static int by_text(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Names of metrics have dots where paths have NUL. */
static bool is_of_metric(struct arena *a, struct str path, const struct str *names, size_t count)
{
	char *dotted = arena_alloc(a, path.len + 1);

	for (size_t i = 0; i <= path.len; i++) {
		struct str name = { dotted, i };

		if ((i == path.len || !path.at[i]) &&
		    bsearch(&name, names, count, sizeof(names[0]), by_text))
			return true;
		if (i < path.len)
			dotted[i] = path.at[i] ? path.at[i] : '.';
	}
	return false;
}

const struct json_doc *rewound_summary(struct arena *a, const struct leaves *leaves,
				       struct str *names, size_t count)
{
	struct leaves kept = { arena_new_array(a, struct leaf, leaves->count + 1), 0 };

	if (count)
		qsort(names, count, sizeof(names[0]), by_text);
	for (size_t i = 0; i < leaves->count; i++) {
		if (!count || !is_of_metric(a, leaves->at[i].path, names, count))
			kept.at[kept.count++] = leaves->at[i];
	}
	return leaves_join(a, &kept);
}
