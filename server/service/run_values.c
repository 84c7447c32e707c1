#include "run_values.h"

#include "auth.h"
#include "search_query.h"

err_t run_values_read(struct request *q, struct run_values *ret_values)
{
	return search_query_keys(q, "keys", RUN_VALUES_KEYS_MAX, ret_values->keys,
				 &ret_values->key_count);
}

err_t run_values_find(struct request *q, struct run_values *values, const int64_t *run_ids,
		      size_t count)
{
	const struct search_values ask = {
		.project_id = q->target->project_id,
		.run_ids = run_ids,
		.run_count = count,
		.keys = values->keys,
		.key_count = values->key_count,
	};

	return values->key_count ? search_values(q->db, &ask, &values->found) : NULL;
}

/* What is sent as null is told apart from what is not there. */
static void write_nulls(struct json_out *o, const struct search_value *found, size_t count)
{
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		if (found[i].rank != SEARCH_RANK_NULL)
			continue;
		if (!begun) {
			json_out_key(o, "nulls");
			json_out_array(o);
		}
		begun = true;
		json_out_int(o, (int64_t)i);
	}
	if (begun)
		json_out_array_end(o);
}

void run_values_write(struct json_out *o, const struct run_values *values, size_t run)
{
	const struct search_value *found = &values->found[run * values->key_count];

	if (!values->key_count)
		return;
	json_out_key(o, "values");
	json_out_array(o);
	for (size_t i = 0; i < values->key_count; i++)
		search_query_write_value(o, &found[i]);
	json_out_array_end(o);
	write_nulls(o, found, values->key_count);
}
