#include "labels.h"

#include "auth.h"
#include "name.h"
#include "writer_store.h"

#define OVERFLOW_LABEL "overflow"

err_t labels_asked(struct request *q, struct str *ret_label)
{
	*ret_label = request_query(q, "label");
	return ret_label->at ? name_check(q->arena, NAME_LABEL, "label", *ret_label) : NULL;
}

err_t labels_read_of(struct request *q, int64_t run_id, struct labels *ret_labels)
{
	return writer_store_list(q->db, run_id, -1, WRITER_LIST_MAX, &ret_labels->writers,
				 &ret_labels->count);
}

err_t labels_read_now(struct request *q, struct labels *ret_labels)
{
	return writer_store_list_now(q->db, q->target->run_id, -1, WRITER_LIST_MAX,
				     &ret_labels->writers, &ret_labels->count);
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
