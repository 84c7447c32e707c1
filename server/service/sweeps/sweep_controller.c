#include "sweep_controller.h"

#include "arena.h"
#include "json_doc.h"
#include "json_out.h"

enum { ENTRIES_MAX = 1000, KNOWN_MAX = 2 * ENTRIES_MAX, ID_MAX = 256 };

/* ids and runs of entries, old and new. */
struct scheduled {
	struct str *ids;
	struct str *runs;
	size_t count;
};

static err_t bad(struct sweep_work *w, const char *what)
{
	return err_field(w->q->arena, ERR_INVALID, "controller", "%s", what);
}

static bool is_text(const struct json_doc *doc)
{
	return doc && json_doc_is(doc, JSON_KIND_STRING) && doc->text.len <= ID_MAX;
}

/* An array, or nothing. */
static err_t read_list(struct sweep_work *w, const struct json_doc *doc, const char *name,
		       const struct json_doc **ret_list)
{
	const struct json_doc *list = json_doc_get_named(doc, name);

	if (list && json_doc_is(list, JSON_KIND_NULL))
		list = NULL;
	if (list && (!json_doc_is(list, JSON_KIND_ARRAY) || list->count > ENTRIES_MAX))
		return err_field(w->q->arena, ERR_INVALID, "controller",
				 "\"%s\" is not an array of at most %d items", name, ENTRIES_MAX);
	*ret_list = list;
	return NULL;
}

static bool is_among(const struct str *ids, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(ids[i], id))
			return true;
	}
	return false;
}

/* The ids of its entries; an entry without one has the empty text. */
static struct str *ids_of(struct arena *a, const struct json_doc *schedule)
{
	size_t count = schedule ? schedule->count : 0;
	struct str *ids = arena_new_array(a, struct str, count + 1);

	for (size_t i = 0; i < count; i++) {
		const struct json_doc *id = json_doc_get_named(schedule->items[i], "id");

		if (is_text(id))
			ids[i] = id->text;
	}
	return ids;
}

/* Reads the entries of the scheduler that the controller still names. A scheduler that cannot be read is empty. */
static err_t keep_known(struct sweep_work *w, const struct json_doc *schedule,
			struct scheduled *known)
{
	const struct str *named = ids_of(w->q->arena, schedule);
	const struct json_doc *doc = NULL;
	const struct json_doc *list;

	if (w->sweep->scheduler.len && json_doc_parse(w->q->arena, w->sweep->scheduler, &doc))
		return NULL;
	list = json_doc_get_named(doc, "scheduled");
	if (!list || !json_doc_is(list, JSON_KIND_ARRAY))
		return NULL;
	if (list->count > KNOWN_MAX)
		return err_field(w->q->arena, ERR_INVALID, "scheduler",
				 "\"scheduled\" has more than %d items", KNOWN_MAX);
	for (size_t i = 0; i < list->count && known->count < ENTRIES_MAX; i++) {
		const struct json_doc *id = json_doc_get_named(list->items[i], "id");
		const struct json_doc *run = json_doc_get_named(list->items[i], "runid");

		if (!is_text(id) || !is_text(run) || !schedule ||
		    !is_among(named, schedule->count, id->text))
			continue;
		known->ids[known->count] = id->text;
		known->runs[known->count++] = run->text;
	}
	return NULL;
}

/* {"lr": {"value": 0.1}} as {"lr": 0.1} */
static struct str params_of(struct arena *a, const struct json_doc *args)
{
	struct json_member *members = arena_new_array(a, struct json_member, args->count + 1);

	for (size_t i = 0; i < args->count; i++) {
		const struct json_doc *value = json_doc_get_named(args->members[i].value, "value");

		members[i] = args->members[i];
		if (value)
			members[i].value = value;
	}
	return json_doc_dump_bare(a, json_doc_object(a, members, args->count));
}

static err_t add_trial(struct sweep_work *w, struct str id, const struct json_doc *args,
		       struct scheduled *known)
{
	struct sweep_trial trial;
	err_t e;

	if (!json_doc_is(args, JSON_KIND_OBJECT))
		return bad(w, "\"args\" of a scheduled run is not an object");
	trial = sweep_work_trial(w, SWEEP_SOURCE_CONTROLLER, params_of(w->q->arena, args));
	e = sweep_work_find_point(w, &trial);
	if (!e)
		e = sweep_work_insert(w, &trial);
	known->ids[known->count] = id;
	known->runs[known->count++] = trial.run_name;
	return e;
}

static err_t end(struct sweep_work *w)
{
	if (w->sweep->state == SWEEP_STATE_FINISHED || w->sweep->state == SWEEP_STATE_CANCELED)
		return NULL;
	return sweep_work_event(w, SWEEP_EVENT_ENDED, "controller");
}

static err_t add_entry(struct sweep_work *w, const struct json_doc *entry, struct scheduled *known)
{
	const struct json_doc *id = json_doc_get_named(entry, "id");
	const struct json_doc *args = json_doc_get_named(json_doc_get_named(entry, "data"), "args");

	if (!is_text(id))
		return bad(w, "a scheduled run has no \"id\"");
	if (is_among(known->ids, known->count, id->text))
		return NULL;
	if (!args || json_doc_is(args, JSON_KIND_NULL))
		return end(w);
	return add_trial(w, id->text, args, known);
}

static err_t stop(struct sweep_work *w, const struct json_doc *name)
{
	struct sweep_trial *trial;
	err_t e;

	if (!is_text(name))
		return bad(w, "\"earlystop\" has an item that is not the id of a run");
	e = sweep_store_find_trial_of_run(w->q->db, w->sweep, name->text, &trial);
	return e || !trial ? e : sweep_store_stop_trial(w->q->db, trial, w->q->now);
}

static struct str write_scheduled(struct sweep_work *w, const struct scheduled *known)
{
	struct buf *text = buf_new(w->q->arena);
	struct json_out o = json_out_begin(text);

	json_out_object(&o);
	json_out_key(&o, "scheduled");
	json_out_array(&o);
	for (size_t i = 0; i < known->count; i++) {
		json_out_object(&o);
		json_out_put_text(&o, "id", known->ids[i]);
		json_out_put_text(&o, "runid", known->runs[i]);
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
	return buf_str(text);
}

static err_t add_schedule(struct sweep_work *w, const struct json_doc *schedule)
{
	struct arena *a = w->q->arena;
	struct scheduled known = {
		.ids = arena_new_array(a, struct str, KNOWN_MAX + 1),
		.runs = arena_new_array(a, struct str, KNOWN_MAX + 1),
	};
	err_t e = keep_known(w, schedule, &known);

	for (size_t i = 0; schedule && i < schedule->count && !e; i++)
		e = add_entry(w, schedule->items[i], &known);
	w->sweep->scheduler = write_scheduled(w, &known);
	return e;
}

err_t sweep_controller_apply(struct sweep_work *w)
{
	const struct json_doc *doc, *schedule, *stops;
	err_t e;

	if (!w->sweep->controller.len)
		return NULL;
	e = json_doc_parse(w->q->arena, w->sweep->controller, &doc);
	if (e)
		return bad(w, "it is not JSON");
	if (json_doc_is(doc, JSON_KIND_NULL))
		return NULL;
	e = read_list(w, doc, "schedule", &schedule);
	if (!e)
		e = read_list(w, doc, "earlystop", &stops);
	if (!e)
		e = add_schedule(w, schedule);
	for (size_t i = 0; !e && stops && i < stops->count; i++)
		e = stop(w, stops->items[i]);
	return e ? e : sweep_store_save_controller(w->q->db, w->sweep);
}
