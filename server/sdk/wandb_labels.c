#include "wandb_labels.h"

#include <stdlib.h>

#include "arena.h"
#include "run.h"
#include "sdk_role.h"
#include "series_store.h"
#include "writer_marks.h"
#include "writer_store.h"

/* Only these have numbers of lines of their own. */
static bool is_shared(const struct writer *w)
{
	struct str name = w->client;

	return w->lines.len && !str_is(str_cut(&name, '@'), SDK_PLAIN_CLIENT);
}

static int by_writer(const void *a, const void *b)
{
	const struct wandb_label *x = a;
	const struct wandb_label *y = b;

	if (x->run_id != y->run_id)
		return (x->run_id > y->run_id) - (x->run_id < y->run_id);
	return (x->writer > y->writer) - (x->writer < y->writer);
}

static struct wandb_labels labels_of(struct arena *a, const struct writer *writers, size_t count)
{
	struct wandb_labels labels = { .at = arena_new_array(a, struct wandb_label, count + 1) };

	for (size_t i = 0; i < count; i++) {
		const struct writer *w = &writers[i];
		const char *suffix;

		if (!is_shared(w))
			continue;
		suffix = arena_printf(a, "/l:%.*s", STR_ARG(w->label));
		labels.at[labels.count++] =
			(struct wandb_label){ w->run_id, w->writer, str_of(suffix) };
	}
	if (labels.count)
		qsort(labels.at, labels.count, sizeof(labels.at[0]), by_writer);
	return labels;
}

err_t wandb_labels_read(struct db *db, int64_t run_id, struct wandb_labels *ret_labels)
{
	struct writer *writers;
	size_t count;
	err_t e = writer_store_list_now(db, run_id, -1, WRITER_LIST_MAX, &writers, &count);

	if (!e)
		*ret_labels = labels_of(db_arena(db), writers, count);
	return e;
}

/* ---- of several runs ------------------------------------------------------------------------------- */

/* The writers of the rows, each once. */
struct pairs {
	int64_t *run_ids;
	int32_t *numbers;
	size_t count;
};

static struct pairs pairs_of(struct arena *a, const struct keys_row *rows, size_t count)
{
	struct wandb_label *all = arena_new_array(a, struct wandb_label, count);
	struct pairs pairs = { arena_new_array(a, int64_t, count),
			       arena_new_array(a, int32_t, count), 0 };

	for (size_t i = 0; i < count; i++)
		all[i] = (struct wandb_label){ .run_id = rows[i].run_id, .writer = rows[i].writer };
	qsort(all, count, sizeof(all[0]), by_writer);
	for (size_t i = 0; i < count; i++) {
		if (i && !by_writer(&all[i - 1], &all[i]))
			continue;
		pairs.run_ids[pairs.count] = all[i].run_id;
		pairs.numbers[pairs.count++] = all[i].writer;
	}
	return pairs;
}

/* Marks come before the rows that they become part of (writer_marks.h). */
static err_t read_marks(struct db *db, const struct wandb_labels_ask *ask, struct marks **ret_marks,
			size_t *ret_count)
{
	int64_t *run_ids = arena_new_array(db_arena(db), int64_t, ask->run_count);
	int64_t *afters = arena_new_array(db_arena(db), int64_t, ask->run_count);

	for (size_t i = 0; i < ask->run_count; i++) {
		run_ids[i] = ask->runs[i]->run_id;
		afters[i] = ask->runs[i]->compact_seq;
	}
	return marks_store_list(db, run_ids, afters, ask->run_count, ret_marks, ret_count);
}

err_t wandb_labels_read_of_rows(struct db *db, const struct wandb_labels_ask *ask,
				struct wandb_labels *ret_labels)
{
	struct writer *writers;
	struct marks *marks;
	struct pairs pairs;
	size_t mark_count;
	size_t count;
	err_t e;

	*ret_labels = (struct wandb_labels){ .count = 0 };
	if (!ask->row_count)
		return NULL;
	pairs = pairs_of(db_arena(db), ask->rows, ask->row_count);
	e = read_marks(db, ask, &marks, &mark_count);
	if (!e)
		e = writer_store_list_pairs(db, pairs.run_ids, pairs.numbers, pairs.count, &writers,
					    &count);
	if (e)
		return e;
	marks_apply(db_arena(db), marks, mark_count, writers, count);
	*ret_labels = labels_of(db_arena(db), writers, count);
	return NULL;
}

/* ---- looking up ------------------------------------------------------------------------------------ */

struct str wandb_labels_suffix(const struct wandb_labels *labels, int64_t run_id, int32_t writer)
{
	const struct wandb_label wanted = { .run_id = run_id, .writer = writer };
	const struct wandb_label *found = NULL;

	if (labels->count)
		found = bsearch(&wanted, labels->at, labels->count, sizeof(wanted), by_writer);
	return found ? found->suffix : STR("");
}

struct str wandb_labels_of_key(struct str suffix, struct str key)
{
	return str_starts(key, "_") ? STR("") : suffix;
}
