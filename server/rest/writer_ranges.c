#include "writer_ranges.h"

static bool read_range(struct str text, struct writer_range *ret_range)
{
	struct str last = text;
	struct str first = str_cut(&last, '-');
	bool is_one = first.len == text.len;
	int64_t from;
	int64_t to;

	if (!str_to_int64(first, 0, INT32_MAX, &from))
		return false;
	if (is_one)
		to = from;
	else if (!str_to_int64(last, from, INT32_MAX, &to))
		return false;
	*ret_range = (struct writer_range){ (int32_t)from, (int32_t)to };
	return true;
}

err_t writer_ranges_read(struct request *q, struct writer_ranges *ret_ranges)
{
	struct str rest = request_query(q, "writers");
	struct writer_ranges ranges = { 0 };

	*ret_ranges = ranges;
	if (!rest.at)
		return NULL;
	ranges.items = arena_new_array(q->arena, struct writer_range, WRITER_RANGES_MAX);
	do {
		if (ranges.count == WRITER_RANGES_MAX ||
		    !read_range(str_cut(&rest, ','), &ranges.items[ranges.count++]))
			return err_field(q->arena, ERR_INVALID, "writers",
					 "must be numbers or ranges of writers, such as 0-33,40, "
					 "at most %d",
					 WRITER_RANGES_MAX);
	} while (rest.len);
	*ret_ranges = ranges;
	return NULL;
}

bool writer_ranges_has(const struct writer_ranges *ranges, int32_t writer)
{
	for (size_t i = 0; i < ranges->count; i++) {
		if (writer >= ranges->items[i].first && writer <= ranges->items[i].last)
			return true;
	}
	return !ranges->count;
}

void writer_ranges_find(const struct writer_ranges *ranges, const struct labels *labels,
			struct arena *a, int32_t **ret_numbers, size_t *ret_count)
{
	int32_t *numbers = arena_new_array(a, int32_t, labels->count + 2);
	size_t count = 0;

	for (size_t i = 0; i < labels->count; i++) {
		if (writer_ranges_has(ranges, labels->writers[i].writer))
			numbers[count++] = labels->writers[i].writer;
	}
	if (writer_ranges_has(ranges, WRITER_OVERFLOW))
		numbers[count++] = WRITER_OVERFLOW;
	if (!count)
		numbers[count++] = -1;
	*ret_numbers = numbers;
	*ret_count = count;
}
