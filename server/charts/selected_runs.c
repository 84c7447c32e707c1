#include "selected_runs.h"

#include <math.h>
#include <string.h>

#include "app.h"
#include "auth.h"
#include "group.h"
#include "name.h"
#include "order.h"
#include "search_query.h"
#include "series_ask.h"

/* ---- by name -------------------------------------------------------------------------------------- */

static bool has_name(const struct selected_runs *runs, struct str name)
{
	for (size_t i = 0; i < runs->name_count; i++) {
		if (str_equal(runs->names[i], name))
			return true;
	}
	return false;
}

err_t selected_runs_read_names(struct request *q, size_t most, struct selected_runs *ret_runs)
{
	struct selected_runs runs = { .names = arena_new_array(q->arena, struct str, most) };
	struct str rest = request_query(q, "ids");
	bool more;

	do {
		struct str name;
		err_t e;

		more = rest.len && memchr(rest.at, ',', rest.len);
		name = str_cut(&rest, ',');
		e = name_check(q->arena, NAME_RUN, "ids", name);
		if (e)
			return e;
		if (has_name(&runs, name))
			continue;
		if (runs.name_count == most)
			return err_field(q->arena, ERR_INVALID, "ids", "more than %zu runs", most);
		runs.names[runs.name_count++] = name;
	} while (more);
	*ret_runs = runs;
	return NULL;
}

err_t selected_runs_find_named(struct request *q, struct db *db, struct selected_runs *runs)
{
	struct run_info *infos;
	size_t count;
	err_t e = run_store_list_named(db, q->target->project_id, runs->names, runs->name_count,
				       &infos, &count);

	runs->infos = arena_new_array(q->arena, const struct run_info *, runs->name_count);
	runs->count = 0;
	for (size_t i = 0; i < runs->name_count && !e; i++) {
		for (size_t k = 0; k < count; k++) {
			if (str_equal(infos[k].name, runs->names[i]))
				runs->infos[runs->count++] = &infos[k];
		}
	}
	return e;
}

/* ---- by filter ------------------------------------------------------------------------------------ */

static err_t too_many(struct request *q, uint32_t most)
{
	return err_field(q->arena, ERR_UNPROCESSABLE, "filter",
			 "cannot summarize the metrics of more than %u runs", most);
}

static err_t find_ids(struct request *q, uint32_t most, struct search_page_found *ret_found)
{
	struct search_page page = { .limit = most + 1 };
	struct search_question question;
	struct order order;
	err_t e = search_query_read(q, &question);

	if (!e)
		e = order_parse(q->arena, STR("created_at"), &order);
	if (e)
		return e;
	page.order = order.keys[0].path;
	e = search_page(q->app->search, q->primary, &question, &page, ret_found);
	search_query_tell_age(q, question.fold);
	return e || ret_found->count <= most ? e : too_many(q, most);
}

err_t selected_runs_find_filtered(struct request *q, uint32_t most, struct selected_runs *ret_runs)
{
	struct search_page_found found = { 0 };
	struct run_info *infos;
	size_t info_count = 0;
	int64_t *ids;
	err_t e = find_ids(q, most, &found);

	if (e)
		return e;
	ids = arena_new_array(q->arena, int64_t, found.count + 1);
	for (size_t i = 0; i < found.count; i++)
		ids[i] = found.runs[i].run_id;
	e = run_store_list_info(q->primary, q->target->project_id, ids, found.count, &infos,
				&info_count);
	if (e)
		return e;
	*ret_runs = (struct selected_runs){
		.infos = arena_new_array(q->arena, const struct run_info *, info_count + 1),
	};
	for (size_t i = 0; i < info_count; i++) {
		if (series_ask_may_see(q->target, &infos[i]))
			ret_runs->infos[ret_runs->count++] = &infos[i];
	}
	return NULL;
}

static void add_up(struct group_bucket *all, double number, double unit)
{
	struct bucket one = { .min = number, .max = number, .mean = number / unit, .n = 1 };

	if (isfinite(number))
		group_add(all, &one, 1);
}

struct search_numbers selected_runs_sum(const double *numbers, size_t count)
{
	struct group_bucket range = { 0 };
	struct group_bucket all = { 0 };
	double deviation;
	double unit;

	for (size_t i = 0; i < count; i++)
		add_up(&range, numbers[i], 1);
	unit = cell_unit(range.min, range.max);
	for (size_t i = 0; i < count; i++)
		add_up(&all, numbers[i], unit);
	deviation = all.runs > 1 ? group_deviation(&all) * unit : -1;
	return (struct search_numbers){ all.runs, all.min, all.max, all.mean * unit,
					isfinite(deviation) ? deviation : -1 };
}

/* ---- their values --------------------------------------------------------------------------------- */

err_t selected_runs_read_keys(struct request *q, struct selected_runs_values *ret_values)
{
	return search_query_keys(q, "keys", SELECTED_RUNS_KEYS_MAX, ret_values->keys,
				 &ret_values->key_count);
}

err_t selected_runs_find_values(struct request *q, struct selected_runs_values *values,
				const int64_t *run_ids, size_t count)
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

/* Tells values that were sent as null from values that do not exist. */
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

void selected_runs_write_values(struct json_out *o, const struct selected_runs_values *values,
				size_t run)
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
