#include "wandb_labels.h"

#include <stdlib.h>

#include "arena.h"
#include "sdk_role.h"
#include "writer_store.h"

/* Only these have numbers of lines of their own. */
static bool is_shared(const struct writer *w)
{
	struct str name = w->client;

	return w->lines.len && !str_is(str_cut(&name, '@'), SDK_PLAIN_CLIENT);
}

err_t wandb_labels_read(struct db *db, int64_t run_id, struct wandb_labels *ret_labels)
{
	struct wandb_labels labels = { .count = 0 };
	struct writer *writers;
	size_t count;
	err_t e = writer_store_list_now(db, run_id, -1, WRITER_LIST_MAX, &writers, &count);

	if (e)
		return e;
	labels.at = arena_new_array(db_arena(db), struct wandb_label, count + 1);
	for (size_t i = 0; i < count; i++) {
		const char *suffix;

		if (!is_shared(&writers[i]))
			continue;
		suffix = arena_printf(db_arena(db), "/l:%.*s", STR_ARG(writers[i].label));
		labels.at[labels.count++] =
			(struct wandb_label){ writers[i].writer, str_of(suffix) };
	}
	*ret_labels = labels;
	return NULL;
}

static int by_writer(const void *a, const void *b)
{
	const struct wandb_label *x = a;
	const struct wandb_label *y = b;

	return (x->writer > y->writer) - (x->writer < y->writer);
}

struct str wandb_labels_suffix(const struct wandb_labels *labels, int32_t writer)
{
	const struct wandb_label wanted = { .writer = writer };
	const struct wandb_label *found = NULL;

	if (labels->count)
		found = bsearch(&wanted, labels->at, labels->count, sizeof(wanted), by_writer);
	return found ? found->suffix : STR("");
}

struct str wandb_labels_of_key(struct str suffix, struct str key)
{
	return str_starts(key, "_") ? STR("") : suffix;
}
