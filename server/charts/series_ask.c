#include "series_ask.h"

#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "auth.h"
#include "db.h"
#include "filter.h"
#include "json_in.h"
#include "name.h"
#include "name_json.h"
#include "order.h"
#include "run_store.h"
#include "search.h"
#include "search_query.h"
#include "series_piece.h"

enum { BUCKETS_DEFAULT = 320, SEARCH_PAGE = 1000 };

/* ---- the body ----------------------------------------------------------------------------------- */

static const struct str *read_names(struct json_in *in, const char *key, size_t max,
				    enum name_kind kind, size_t max_bytes, size_t *ret_count)
{
	const struct str *names = json_in_texts(in, key, max, max_bytes, ret_count);

	for (size_t i = 0; i < *ret_count; i++)
		name_json_check(in, kind, key, names[i]);
	return names;
}

static void read_group(struct json_in *in, struct series_group *group)
{
	group->name = json_in_text(in, "name", name_max_bytes(NAME_DISPLAY));
	if (str_characters(group->name) > NAME_DISPLAY_MAX)
		json_in_refuse(in, "name", "is longer than %d characters", NAME_DISPLAY_MAX);
	if (json_in_has(in, "filter") == json_in_has(in, "runs"))
		json_in_refuse(in, "filter",
			       "a group requires exactly one of \"filter\" and "
			       "\"runs\"");
	else if (json_in_has(in, "filter"))
		group->filter = json_in_text(in, "filter", FILTER_TEXT_MAX);
	else
		group->names = read_names(in, "runs", SERIES_MEMBERS_MAX, NAME_RUN, NAME_RUN_MAX,
					  &group->name_count);
}

/* Turns the error of a rule into an error of the reader. */
static void tell(struct json_in *in, err_t e)
{
	if (e)
		json_in_refuse(in, e->field ? e->field : "x", "%s", e->message);
}

static int64_t read_position(struct json_in *in, const struct axis *axis, const char *key,
			     int64_t absent)
{
	int64_t position = absent;

	if (!json_in_has(in, key) || json_in_null(in, key))
		return absent;
	tell(in, axis_position(in->arena, axis, key, json_in_number(in, key), &position));
	return position;
}

static struct str text_or_none(struct json_in *in, const char *key)
{
	return json_in_text_or(in, key, NAME_METRIC_MAX, (struct str){ 0 });
}

static uint32_t column_bit(struct json_in *in, struct str name)
{
	for (unsigned i = 0; series_column_names[i]; i++) {
		if (str_is(name, series_column_names[i]))
			return 1u << i;
	}
	json_in_refuse(in, "columns", "unknown column \"%.*s\"", STR_ARG(name));
	return 0;
}

static uint32_t read_columns(struct json_in *in)
{
	size_t count;
	const struct str *names =
		json_in_texts(in, "columns", SERIES_COLUMNS_MAX, NAME_METRIC_MAX, &count);
	uint32_t columns = 0;

	for (size_t i = 0; i < count; i++)
		columns |= column_bit(in, names[i]);
	return columns;
}

static void read_split(struct json_in *in, struct series_panel *panel)
{
	static const char *const splits[] = { "run", "writer", "host", NULL };
	int split = json_in_choice_or(in, "split", splits, 0);

	panel->split = split == 0 ? SERIES_SPLIT_RUN : SERIES_SPLIT_WRITER;
	panel->by_host = split == 2;
	panel->is_rate = json_in_has(in, "rate") && json_in_bool(in, "rate");
	if (panel->is_rate && panel->split == SERIES_SPLIT_RUN)
		json_in_refuse(in, "rate", "a rate requires \"split\" to be writer or host");
	if (panel->is_rate && panel->axis.x.axis != SERIES_TIME &&
	    panel->axis.x.axis != SERIES_RELATIVE && !axis_is_by_rows(&panel->axis))
		json_in_refuse(in, "rate",
			       "a rate requires time as \"x\", or steps of system metrics");
}

static void read_panel(struct json_in *in, struct series_panel *panel)
{
	static const char *const streams[] = { "history", "events", NULL };
	enum stream stream;
	struct str x;

	panel->keys = read_names(in, "keys", SERIES_PANEL_KEYS_MAX, NAME_METRIC, NAME_METRIC_MAX,
				 &panel->key_count);
	if (!panel->key_count)
		json_in_refuse(in, "keys", "\"keys\" is missing");
	stream = json_in_choice_or(in, "stream", streams, 0) == 1 ? STREAM_EVENTS : STREAM_HISTORY;
	x = text_or_none(in, "x");
	tell(in, axis_read(in->arena, x, text_or_none(in, "scale"), stream, &panel->axis));
	panel->range.from = read_position(in, &panel->axis, "from", INT64_MIN);
	panel->range.to = read_position(in, &panel->axis, "to", INT64_MAX);
	panel->buckets =
		(uint32_t)json_in_int_or(in, "buckets", 1, SAMPLE_MAX_BUCKETS, BUCKETS_DEFAULT);
	read_split(in, panel);
	panel->percentiles = json_in_has(in, "percentiles") && json_in_bool(in, "percentiles");
	panel->columns = read_columns(in);
	panel->etag = json_in_text_or(in, "etag", SERIES_ETAG_MAX, (struct str){ 0 });
}

static void read_form(struct request *q, struct json_in *in, struct series_question *question)
{
	static const char *const forms[] = { "json", "ndjson", "columns", NULL };
	static const char *const numbers[] = { "float64", "float32", NULL };
	static const char *const types[] = { "application/json", "application/x-ndjson",
					     "application/vnd.cairn.columns", NULL };

	question->form = (enum series_form)json_in_choice_or(in, "format", forms,
							     (int)request_accepts(q, types));
	question->narrow = json_in_choice_or(in, "numbers", numbers, 0) == 1;
}

/* Checks the limits of a request as a whole, which the contract names. */
static err_t check_size(struct request *q, const struct series_question *question)
{
	uint64_t series = 0;
	uint64_t buckets = 0;

	for (size_t i = 0; i < question->panel_count; i++) {
		uint64_t here = question->panels[i].key_count *
				(question->name_count + question->group_count);

		series += here;
		buckets += here * question->panels[i].buckets;
	}
	if (series > SERIES_SERIES_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "panels",
				 "keys times runs and groups make %llu series, the limit is %d",
				 (unsigned long long)series, SERIES_SERIES_MAX);
	if (buckets > SERIES_BUCKETS_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "buckets",
				 "all series together have %llu buckets, the limit is %d",
				 (unsigned long long)buckets, SERIES_BUCKETS_MAX);
	return NULL;
}

err_t series_ask_read(struct request *q, struct series_question *ret_question)
{
	struct series_question question = { 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	question.names = read_names(&in, "runs", SERIES_RUNS_MAX, NAME_RUN, NAME_RUN_MAX,
				    &question.name_count);
	question.group_count = json_in_array(&in, "groups", SERIES_GROUPS_MAX);
	question.groups = arena_new_array(q->arena, struct series_group, question.group_count);
	for (size_t i = 0; i < question.group_count; i++)
		read_group(json_in_item(&in, "groups", i), &question.groups[i]);
	question.panel_count = json_in_array(&in, "panels", SERIES_PANELS_MAX);
	question.panels = arena_new_array(q->arena, struct series_panel, question.panel_count);
	for (size_t i = 0; i < question.panel_count; i++)
		read_panel(json_in_item(&in, "panels", i), &question.panels[i]);
	read_form(q, &in, &question);
	if (!question.panel_count)
		json_in_refuse(&in, "panels", "\"panels\" is missing");
	e = json_in_end(&in);
	if (e)
		return e;
	*ret_question = question;
	return check_size(q, &question);
}

/* ---- runs --------------------------------------------------------------------------------------- */

/* The searched document may be older than the run, so visibility is checked on the run itself. */
bool series_ask_may_see(const struct target *t, const struct run_info *info)
{
	return !info->deleted_at.us &&
	       access_sees(t->sees_private, t->visibility, (enum visibility)info->visibility);
}

static int by_id(const void *a, const void *b)
{
	const struct series_member *x = a;
	const struct series_member *y = b;

	return (x->run_id > y->run_id) - (x->run_id < y->run_id);
}

/* Makes members of the runs that may be seen, with their numbers of rows: ascending, each once. */
static err_t make_members(struct request *q, const struct run_info *infos, size_t count,
			  struct series_members *members)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, count);
	struct run *runs;
	size_t run_count;
	size_t kept = 0;
	err_t e;

	members->at = arena_new_array(q->arena, struct series_member, count);
	members->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (series_ask_may_see(q->target, &infos[i]))
			members->at[members->count++] =
				(struct series_member){ .run_id = infos[i].run_id,
							.name = infos[i].name };
	}
	if (members->count)
		qsort(members->at, members->count, sizeof(members->at[0]), by_id);
	for (size_t i = 0; i < members->count; i++) {
		if (!kept || members->at[kept - 1].run_id != members->at[i].run_id)
			members->at[kept++] = members->at[i];
	}
	members->count = kept;
	for (size_t i = 0; i < kept; i++)
		ids[i] = members->at[i].run_id;
	e = run_store_list(q->primary, ids, kept, &runs, &run_count);
	if (e)
		return e;
	for (size_t i = 0; i < run_count; i++) {
		struct series_member wanted = { .run_id = runs[i].run_id };
		struct series_member *member =
			bsearch(&wanted, members->at, kept, sizeof(wanted), by_id);

		if (!member)
			continue;
		member->rows = runs[i].next_row;
		member->events = runs[i].next_event;
		member->version = runs[i].version;
		member->branch = runs[i].branch;
		member->writers = runs[i].next_writer;
	}
	return NULL;
}

static err_t find_named(struct request *q, const struct str *names, size_t count,
			struct series_members *members)
{
	struct run_info *infos;
	size_t info_count;
	err_t e;

	e = run_store_list_named(q->primary, q->target->project_id, names, count, &infos,
				 &info_count);
	return e ? e : make_members(q, infos, info_count, members);
}

/* Adds page by page, since a search returns no more at once. */
static err_t add_found(struct request *q, const struct search_question *question,
		       struct search_page *page, int64_t *ids, size_t *count)
{
	struct search_page_found found;
	err_t e;

	do {
		found = (struct search_page_found){ 0 };
		e = search_page(q->app->search, q->primary, question, page, &found);
		if (e)
			return e;
		if (*count + found.count > SERIES_MEMBERS_MAX)
			return err_field(q->arena, ERR_UNPROCESSABLE, "groups",
					 "more than %d runs are in the groups", SERIES_MEMBERS_MAX);
		for (size_t i = 0; i < found.count; i++)
			ids[(*count)++] = found.runs[i].run_id;
		if (!found.count)
			return NULL;
		page->has_cursor = true;
		page->cursor_run_id = found.runs[found.count - 1].run_id;
		page->cursor = found.runs[found.count - 1].value;
	} while (found.count == SEARCH_PAGE);
	return NULL;
}

static err_t find_filtered(struct request *q, struct series_group *group)
{
	int64_t *ids = arena_new_array(q->arena, int64_t, SERIES_MEMBERS_MAX);
	struct search_question question = {
		.project_id = q->target->project_id,
		.sees_private = q->target->sees_private,
		.project_public = q->target->visibility == VISIBILITY_PUBLIC,
		.deadline_us = q->deadline_us,
		.fold = search_query_fold(q),
	};
	struct search_page page = { .limit = SEARCH_PAGE };
	struct run_info *infos;
	struct order order;
	size_t info_count;
	size_t count = 0;
	err_t e;

	e = search_query_filter(q, group->filter, &question);
	if (!e)
		e = order_parse(q->arena, STR("created_at"), &order);
	if (e)
		return e;
	page.order = order.keys[0].path;
	e = add_found(q, &question, &page, ids, &count);
	search_query_tell_age(q, question.fold);
	if (!e)
		e = run_store_list_info(q->primary, q->target->project_id, ids, count, &infos,
					&info_count);
	return e ? e : make_members(q, infos, info_count, &group->members);
}

static bool has_name(const struct series_members *members, struct str name)
{
	for (size_t i = 0; i < members->count; i++) {
		if (str_equal(members->at[i].name, name))
			return true;
	}
	return false;
}

static void find_missing(struct request *q, struct series_question *question)
{
	question->missing = arena_new_array(q->arena, struct str, question->name_count);
	for (size_t i = 0; i < question->name_count; i++) {
		if (!has_name(&question->shown, question->names[i]))
			question->missing[question->missing_count++] = question->names[i];
	}
}

/* A filter does not know its group, so the field of its error is extended to that of the body. */
static err_t in_group(struct request *q, size_t i, err_t e)
{
	struct err *placed;

	if (!e || !e->field || strncmp(e->field, "filter", strlen("filter")) != 0)
		return e;
	placed = err_field(q->arena, e->kind, arena_printf(q->arena, "groups[%zu].%s", i, e->field),
			   "%s", e->message);
	placed->hint = e->hint;
	return placed;
}

err_t series_ask_find_runs(struct request *q, struct series_question *question)
{
	size_t members = 0;
	err_t e = find_named(q, question->names, question->name_count, &question->shown);

	for (size_t i = 0; i < question->group_count && !e; i++) {
		struct series_group *group = &question->groups[i];

		e = group->filter.at
			    ? in_group(q, i, find_filtered(q, group))
			    : find_named(q, group->names, group->name_count, &group->members);
		members += e ? 0 : group->members.count;
	}
	if (e)
		return e;
	find_missing(q, question);
	if (members > SERIES_MEMBERS_MAX)
		return err_field(q->arena, ERR_UNPROCESSABLE, "groups",
				 "%zu runs are in the groups, the limit is %d", members,
				 SERIES_MEMBERS_MAX);
	return NULL;
}

err_t series_ask_still(struct request *q, const struct series_member *members, size_t count,
		       int64_t *run_ids, size_t *ret_count)
{
	struct run_info *infos;
	size_t info_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		run_ids[i] = members[i].run_id;
	e = run_store_list_info(q->primary, q->target->project_id, run_ids, count, &infos,
				&info_count);
	*ret_count = 0;
	for (size_t i = 0; i < count && !e; i++) {
		for (size_t j = 0; j < info_count; j++) {
			if (infos[j].run_id == members[i].run_id &&
			    series_ask_may_see(q->target, &infos[j]))
				run_ids[(*ret_count)++] = members[i].run_id;
		}
	}
	return e;
}
