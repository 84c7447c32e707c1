#include "project_follow.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "run_list.h"
#include "run_store.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Each name once. */
void follow_list_init(struct follow_list *list, const struct str *names, size_t count)
{
	struct str sorted[FOLLOW_MAX];

	list->count = 0;
	list->at = calloc(count + 1, sizeof(list->at[0]));
	if (!list->at)
		abort();
	for (size_t i = 0; i < count; i++)
		sorted[i] = names[i];
	qsort(sorted, count, sizeof(sorted[0]), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i && !str_compare(sorted[i], sorted[i - 1]))
			continue;
		list->at[list->count].name = strndup(sorted[i].at, sorted[i].len);
		if (!list->at[list->count++].name)
			abort();
	}
}

static void close_one(struct followed *f)
{
	f->is_open = false;
	f->due_us = 0;
	free(f->seen.states);
	f->seen = (struct listener_seen){ 0 };
}

void follow_list_restart(struct follow_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		close_one(&list->at[i]);
}

void follow_list_deinit(struct follow_list *list)
{
	follow_list_restart(list);
	for (size_t i = 0; i < list->count; i++)
		free(list->at[i].name);
	free(list->at);
	*list = (struct follow_list){ 0 };
}

/* ---- as they are now ------------------------------------------------------------------------------ */

static size_t collect_names(struct arena *a, const struct follow_list *const *lists, size_t count,
			    struct str **ret_names)
{
	struct str *names;
	size_t all = 0;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		all += lists[i]->count;
	names = arena_new_array(a, struct str, all + 1);
	all = 0;
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < lists[i]->count; j++)
			names[all++] = str_of(lists[i]->at[j].name);
	}
	qsort(names, all, sizeof(names[0]), by_text);
	for (size_t i = 0; i < all; i++) {
		if (!kept || str_compare(names[kept - 1], names[i]))
			names[kept++] = names[i];
	}
	*ret_names = names;
	return kept;
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct watch_name_row *)a)->name,
			   ((const struct watch_name_row *)b)->name);
}

static err_t read_runs(struct listener_view base, const struct watch_name_row *names, size_t count,
		       struct follow_view *ret_view)
{
	struct arena *a = db_arena(base.reader.db);
	int64_t *ids = arena_new_array(a, int64_t, count);
	struct run *runs;
	size_t run_count;
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = names[i].run_id;
	e = run_store_list(base.reader.db, ids, count, &runs, &run_count);
	if (e)
		return e;
	run_list_sort(runs, run_count);
	ret_view->runs = arena_new_array(a, struct listener_view, count);
	for (size_t i = 0; i < count; i++) {
		const struct run *run = run_list_find(runs, run_count, names[i].run_id);

		ret_view->runs[i] = base;
		ret_view->runs[i].name = names[i].name;
		ret_view->runs[i].run = run && !run->deleted_at.us ? run : NULL;
	}
	return NULL;
}

err_t follow_view_read(struct listener_view base, int64_t project_id,
		       const struct follow_list *const *lists, size_t count,
		       struct follow_view *ret_view)
{
	struct watch_name_row *rows;
	struct str *names;
	size_t asked;
	err_t e;

	*ret_view = (struct follow_view){ .count = 0 };
	asked = collect_names(db_arena(base.reader.db), lists, count, &names);
	if (!asked)
		return NULL;
	e = watch_store_named(base.reader.db, project_id, names, asked, &rows, &ret_view->count);
	if (e || !ret_view->count)
		return e;
	qsort(rows, ret_view->count, sizeof(rows[0]), by_name);
	ret_view->names = rows;
	return read_runs(base, rows, ret_view->count, ret_view);
}

/* NULL where there is none, or none that they may see. */
static struct listener_view *find_view(const struct follow_view *view, const struct news_view *who,
				       const struct followed *f)
{
	const struct watch_name_row one = { .name = str_of(f->name) };
	const struct watch_name_row *name =
		view->count ? bsearch(&one, view->names, view->count, sizeof(one), by_name) : NULL;

	if (!name || !view->runs[name - view->names].run ||
	    !project_news_may_see(who, name->visibility))
		return NULL;
	return &view->runs[name - view->names];
}

/* ---- what is told --------------------------------------------------------------------------------- */

static bool has_rows(const struct followed *f, const struct run *run)
{
	return !f->is_open || f->run_id != run->run_id || f->place.branch != run->branch ||
	       f->place.row != run->next_row || f->place.event != run->next_event;
}

static void write_rows(struct json_out *json, const struct followed *f, const struct run *run)
{
	json_out_object(json);
	json_out_put_text(json, "run", str_of(f->name));
	json_out_put_int(json, "row_next", run->next_row);
	json_out_put_int(json, "event_next", run->next_event);
	json_out_put_int_or_null(json, "last_step", run->last_step >= 0, run->last_step);
	json_out_put_int(json, "branch", run->branch);
	json_out_object_end(json);
}

/* What is open goes on from its place; what is not, or was rewound, from where it stands. */
static void take_place(struct followed *f, const struct run *run)
{
	if (!f->is_open || f->run_id != run->run_id) {
		close_one(f);
		f->place = listener_place_now(run);
	} else if (f->place.branch != run->branch) {
		f->place = listener_place_now(run);
	}
	f->is_open = true;
	f->run_id = run->run_id;
	f->place.row = run->next_row;
	f->place.event = run->next_event;
}

/* Of those that cannot be seen any more nothing is kept. */
static size_t write_each(struct follow_list *list, const struct follow_view *view,
			 const struct news_view *who, struct json_out *json)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct followed *f = &list->at[i];
		const struct listener_view *run = find_view(view, who, f);

		if (!run) {
			close_one(f);
			continue;
		}
		if (has_rows(f, run->run)) {
			write_rows(json, f, run->run);
			count++;
		}
		take_place(f, run->run);
	}
	return count;
}

/* All in one event. */
static void write_all_rows(struct follow_list *list, const struct follow_view *view,
			   const struct news_view *who, struct buf *out)
{
	size_t start = out->len;
	struct json_out json;
	size_t count;

	listener_event_begin(out, "rows");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_key(&json, "items");
	json_out_array(&json);
	count = write_each(list, view, who, &json);
	json_out_array_end(&json);
	json_out_object_end(&json);
	listener_event_end(out, NULL);
	if (!count || !(list->streams & LISTEN_HISTORY))
		out->len = start;
}

static int64_t next_loss_us(const struct labels *labels, int64_t limit_us, timestamp_us now)
{
	int64_t next_us = INT64_MAX;

	for (size_t i = 0; i < labels->count; i++) {
		const struct writer *w = &labels->writers[i];
		int64_t due_us = w->heard_at.us + limit_us;

		if (w->state == WRITER_ALIVE && due_us > now.us && due_us < next_us)
			next_us = due_us;
	}
	return next_us;
}

/* Nothing changes of writers but with the run, and when they fall silent. */
static err_t tell_writers(struct follow_list *list, struct followed *f, struct listener_view *run,
			  struct buf *out)
{
	err_t e;

	if (f->version == run->run->version && run->now.us < f->due_us && !f->seen.is_behind)
		return NULL;
	e = listener_send_writers(run, list->limit_us, NULL, &f->seen, out);
	if (e)
		return e;
	f->version = run->run->version;
	f->due_us = next_loss_us(&run->labels, list->limit_us, run->now);
	return NULL;
}

err_t follow_list_write(struct follow_list *list, const struct follow_view *view,
			const struct news_view *who, struct buf *out)
{
	err_t e = NULL;

	write_all_rows(list, view, who, out);
	for (size_t i = 0; i < list->count && !e; i++) {
		struct followed *f = &list->at[i];
		struct listener_view *run = f->is_open ? find_view(view, who, f) : NULL;

		if (!run)
			continue;
		e = listener_tell(run, list->streams, &f->place, out);
		if (!e && list->streams & LISTEN_WRITER)
			e = tell_writers(list, f, run, out);
	}
	return e;
}
