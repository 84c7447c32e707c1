#include "project_follow.h"

#include <stdlib.h>
#include <string.h>

#include "listeners.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Each name once. */
void follow_list_init(struct follow_list *list, const struct str *names, size_t count)
{
	struct str sorted[FOLLOW_MAX];

	*list = (struct follow_list){ .at = calloc(count + 1, sizeof(list->at[0])) };
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

void follow_list_deinit(struct follow_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->at[i].run)
			followed_run_leave(list->at[i].run);
		free(list->at[i].name);
	}
	free(list->at);
	*list = (struct follow_list){ 0 };
}

void follow_list_join(struct follow_list *list, struct followed_runs *runs)
{
	runs->limit_us = list->limit_us;
	for (size_t i = 0; i < list->count; i++) {
		if (!list->at[i].run)
			list->at[i].run = followed_runs_join(runs, list->at[i].name);
	}
}

void follow_list_want(struct follow_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		followed_run_want(list->at[i].run);
}

/* ---- where they stand ----------------------------------------------------------------------------- */

/* Returns NULL if there is none, or none that they may see. */
static const struct run *run_seen(const struct followed *f, const struct update_view *who)
{
	const struct followed_look *look = followed_run_look(f->run);

	return look->run && project_updates_may_see(who, look->visibility) ? look->run : NULL;
}

static bool has_rows(const struct followed *f, const struct run *run)
{
	return !f->is_open || f->run_id != run->run_id || f->branch != run->branch ||
	       f->row != run->next_row || f->event != run->next_event;
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

/* A run that was followed goes on from its cursors. One that was not, or was rewound, starts at its newest. */
static void take_cursors(struct followed *f, const struct run *run)
{
	if (!f->is_open || f->run_id != run->run_id || f->branch != run->branch)
		followed_run_newest(f->run, f->cursors);
	f->is_open = true;
	f->run_id = run->run_id;
	f->branch = run->branch;
	f->row = run->next_row;
	f->event = run->next_event;
}

/* A run that cannot be seen any more starts again when it can. */
static size_t write_each(struct follow_list *list, const struct update_view *who,
			 struct json_out *json)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct followed *f = &list->at[i];
		const struct run *run = run_seen(f, who);

		if (!followed_run_look(f->run)->was_looked)
			continue;
		if (!run) {
			f->is_open = false;
			continue;
		}
		if (has_rows(f, run)) {
			write_rows(json, f, run);
			count++;
		}
		take_cursors(f, run);
	}
	return count;
}

/* All in one event. */
static void write_all_rows(struct follow_list *list, const struct update_view *who, struct buf *out)
{
	size_t start = out->len;
	struct json_out json;
	size_t count;

	listener_event_begin(out, "rows");
	json = json_out_begin(out);
	json_out_object(&json);
	json_out_key(&json, "items");
	json_out_array(&json);
	count = write_each(list, who, &json);
	json_out_array_end(&json);
	json_out_object_end(&json);
	listener_event_end(out, NULL);
	if (!count || !(list->streams & LISTEN_HISTORY))
		out->len = start;
}

/* ---- all ------------------------------------------------------------------------------------------ */

err_t follow_list_write(struct follow_list *list, struct follow_pass *pass,
			const struct update_view *who, struct buf *out)
{
	size_t first = list->next;
	size_t start;
	err_t e = NULL;

	write_all_rows(list, who, out);
	start = out->len;
	for (size_t i = 0; i < list->count && !e; i++) {
		struct followed *f = &list->at[(first + i) % list->count];

		if (!run_seen(f, who))
			continue;
		if (out->len - start >= LISTENER_BYTES) {
			list->next = (first + i) % list->count;
			break;
		}
		e = follow_pass_tell(pass, f->run, list->streams, f->cursors, out);
	}
	return e;
}
