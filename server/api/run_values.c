#include "run_values.h"

#include "auth.h"
#include "search_query.h"

static err_t read_key(struct request *q, struct str text, struct filter_path *ret_path)
{
	struct order order;
	err_t e = order_parse(q->arena, text, &order);

	if (e)
		return err_field(q->arena, ERR_INVALID, "keys", "%s", e->message);
	if (order.count != 1 || text.at[0] == '-' || text.at[0] == '+')
		return err_field(q->arena, ERR_INVALID, "keys",
				 "keys with commas between are expected");
	*ret_path = order.keys[0].path;
	return NULL;
}

err_t run_values_read(struct request *q, struct run_values *ret_values)
{
	struct str rest = request_query(q, "keys");
	err_t e = NULL;

	ret_values->key_count = 0;
	while (rest.len && !e) {
		if (ret_values->key_count == RUN_VALUES_KEYS_MAX)
			return err_field(q->arena, ERR_INVALID, "keys", "more than %d keys",
					 RUN_VALUES_KEYS_MAX);
		e = read_key(q, str_cut(&rest, ','), &ret_values->keys[ret_values->key_count++]);
	}
	return e;
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

void run_values_write(struct json_out *o, const struct run_values *values, size_t run)
{
	if (!values->key_count)
		return;
	json_out_key(o, "values");
	json_out_array(o);
	for (size_t i = 0; i < values->key_count; i++)
		search_query_write_value(o, &values->found[run * values->key_count + i]);
	json_out_array_end(o);
}
