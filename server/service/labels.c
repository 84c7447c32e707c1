#include "labels.h"

#include <stdlib.h>

#include "auth.h"
#include "branch_store.h"
#include "name.h"
#include "run_store.h"
#include "writer_store.h"

#define OVERFLOW_LABEL "overflow"

err_t labels_asked(struct request *q, struct str *ret_label)
{
	*ret_label = request_query(q, "label");
	return ret_label->at ? name_check(q->arena, NAME_LABEL, "label", *ret_label) : NULL;
}

/* ---- writers of the runs that a fork goes back to -------------------------------------------------- */

static bool is_in(const struct branch_view *view, const struct writer *w)
{
	for (size_t i = 0; i < view->count; i++) {
		if (view->parts[i].run_id == w->run_id &&
		    w->writer >= view->parts[i].writer_first &&
		    w->writer < view->parts[i].writer_end)
			return true;
	}
	return false;
}

static int by_number(const void *a, const void *b)
{
	const struct writer *x = a;
	const struct writer *y = b;

	return (x->writer > y->writer) - (x->writer < y->writer);
}

static err_t add_run(struct request *q, int64_t run_id, const struct branch_view *view,
		     struct labels *labels)
{
	struct writer *found;
	struct writer *all;
	size_t count;
	err_t e = writer_store_list(q->db, run_id, -1, WRITER_LIST_MAX, &found, &count);

	if (e)
		return e;
	all = arena_new_array(q->arena, struct writer, labels->count + count);
	for (size_t i = 0; i < labels->count; i++)
		all[i] = labels->writers[i];
	labels->writers = all;
	for (size_t i = 0; i < count; i++) {
		if (is_in(view, &found[i]))
			all[labels->count++] = found[i];
	}
	return NULL;
}

static err_t add_inherited(struct request *q, const struct run *run, struct labels *labels)
{
	struct branch_view view;
	int64_t *ids;
	size_t count;
	err_t e = branch_store_view(q->db, run->run_id, run->branch, &view);

	if (e)
		return e;
	ids = arena_new_array(q->arena, int64_t, view.count);
	count = branch_runs(&view, ids);
	for (size_t i = 0; i < count && !e; i++) {
		if (ids[i] != run->run_id)
			e = add_run(q, ids[i], &view, labels);
	}
	if (labels->count)
		qsort(labels->writers, labels->count, sizeof(labels->writers[0]), by_number);
	return e;
}

/* Adds the inherited writers. A run whose first writer is in the list has none. */
static err_t complete(struct request *q, int64_t run_id, struct labels *labels)
{
	struct run *run;
	size_t count;
	err_t e;

	if (labels->count && labels->writers[0].writer == 0)
		return NULL;
	e = run_store_list(q->db, &run_id, 1, &run, &count);
	if (e || !count || !run->branch_row)
		return e;
	return add_inherited(q, run, labels);
}

/* ---- all ------------------------------------------------------------------------------------------- */

err_t labels_read_of(struct request *q, int64_t run_id, struct labels *ret_labels)
{
	err_t e = writer_store_list(q->db, run_id, -1, WRITER_LIST_MAX, &ret_labels->writers,
				    &ret_labels->count);

	return e ? e : complete(q, run_id, ret_labels);
}

err_t labels_read_now(struct request *q, struct labels *ret_labels)
{
	err_t e = writer_store_list_now(q->db, q->target->run_id, -1, WRITER_LIST_MAX,
					&ret_labels->writers, &ret_labels->count);

	return e ? e : complete(q, q->target->run_id, ret_labels);
}

err_t labels_read(struct request *q, struct labels *ret_labels)
{
	return labels_read_of(q, q->target->run_id, ret_labels);
}

struct str labels_of(const struct labels *labels, int32_t writer)
{
	size_t low = 0;
	size_t high = labels->count;

	if (writer == WRITER_OVERFLOW)
		return STR(OVERFLOW_LABEL);
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (labels->writers[middle].writer == writer)
			return labels->writers[middle].label;
		if (labels->writers[middle].writer < writer)
			low = middle + 1;
		else
			high = middle;
	}
	return STR("unknown");
}

void labels_find(const struct labels *labels, struct arena *a, struct str label,
		 int32_t **ret_numbers, size_t *ret_count)
{
	int32_t *numbers;
	size_t count = 0;

	*ret_numbers = NULL;
	*ret_count = 0;
	if (!label.len)
		return;
	numbers = arena_new_array(a, int32_t, labels->count + 2);
	for (size_t i = 0; i < labels->count; i++) {
		const struct writer *w = &labels->writers[i];

		if (w->writer < WRITER_MAX && str_equal(w->label, label))
			numbers[count++] = w->writer;
	}
	if (str_is(label, OVERFLOW_LABEL))
		numbers[count++] = WRITER_OVERFLOW;
	if (!count)
		numbers[count++] = -1;
	*ret_numbers = numbers;
	*ret_count = count;
}
