#include "together_runs.h"

#include <math.h>

#include "app.h"
#include "auth.h"
#include "group.h"
#include "order.h"
#include "search_query.h"
#include "series_ask.h"

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

err_t together_runs_find(struct request *q, uint32_t most, struct together_runs *ret_runs)
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
	*ret_runs = (struct together_runs){
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

struct search_numbers together_runs_sum(const double *numbers, size_t count)
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
