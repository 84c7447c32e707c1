#include "metric_keys.h"

#include <stdlib.h>

#include "auth.h"
#include "metric_cache.h"
#include "series_axis.h"
#include "series_query.h"

err_t metric_keys_read(struct request *q, const char *name, size_t most,
		       struct metric_keys *ret_keys)
{
	struct metric_keys keys = { 0 };
	err_t e = series_query_keys(q, name, most, &keys.names, &keys.count);

	if (e)
		return e;
	if (!keys.count)
		return err_field(q->arena, ERR_INVALID, name, "\"%s\" is missing", name);
	for (size_t i = 0; i < keys.count; i++) {
		if (axis_is_steps(keys.names[i], STREAM_HISTORY))
			return axis_refuse_steps(q->arena, name);
	}
	*ret_keys = keys;
	return NULL;
}

static int by_id(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

err_t metric_keys_find(struct request *q, const struct run_reader *reader, struct metric_keys *keys)
{
	int32_t *found = arena_new_array(q->arena, int32_t, keys->count);
	const struct series_query asked = { .key_count = keys->count, .key_ids = found };
	err_t e = metric_cache_find(reader->metrics, q->db, q->target->project_id, keys->names,
				    keys->count, found);

	if (e)
		return e;
	keys->id_count = series_query_ids(&asked, q->arena, INT32_MAX, &keys->ids);
	keys->id_index = found;
	for (size_t i = 0; i < keys->count; i++) {
		const int32_t *at =
			bsearch(&found[i], keys->ids, keys->id_count, sizeof(*at), by_id);

		keys->id_index[i] = at ? (int32_t)(at - keys->ids) : -1;
	}
	return NULL;
}
