#include "project_json.h"

#include "buf.h"
#include "json_in.h"
#include "name.h"
#include "name_json.h"
#include "quota.h"

static void put_days(struct json_out *o, const char *key, int32_t days)
{
	json_out_put_int_or_null(o, key, days != 0, days);
}

static void write_retention(struct json_out *o, const struct project *p)
{
	json_out_key(o, "retention");
	json_out_object(o);
	put_days(o, "finished_days", p->keep_finished_days);
	put_days(o, "failed_days", p->keep_failed_days);
	put_days(o, "crashed_days", p->keep_crashed_days);
	put_days(o, "killed_days", p->keep_killed_days);
	json_out_object_end(o);
}

static void write_quota(struct json_out *o, const struct project *p)
{
	json_out_put_int_or_null(o, "quota_bytes", p->quota_bytes != QUOTA_NONE, p->quota_bytes);
}

static void write_usage(struct json_out *o, const struct project *p)
{
	bool deleted = p->deleted_at.us;

	json_out_put_int_or_null(o, "bytes", p->tells_usage, p->size_bytes);
	json_out_put_int_or_null(o, "deleted_bytes", p->tells_usage,
				 deleted ? p->size_bytes : p->deleted_bytes);
	if (!deleted) {
		json_out_put_null(o, "deleted");
		return;
	}
	json_out_key(o, "deleted");
	json_out_object(o);
	json_out_put_time(o, "at", p->deleted_at);
	json_out_put_time(o, "purge_at", p->purge_at);
	json_out_object_end(o);
}

static void write_members(struct json_out *o, const struct project *p, enum project_json what)
{
	json_out_put_text(o, "entity", p->entity);
	json_out_put_text(o, "name", p->name);
	json_out_put_text(o, "description", p->description);
	json_out_put_text(o, "visibility", str_of(visibility_name((enum visibility)p->visibility)));
	json_out_put_int(o, "crash_after_s", p->crash_after_s);
	write_retention(o, p);
	write_quota(o, p);
	if (what != PROJECT_LISTED)
		json_out_put_raw(o, "directions", p->directions);
	json_out_put_time(o, "created_at", p->created_at);
	if (what != PROJECT_VERSION)
		write_usage(o, p);
}

void project_json_write(struct json_out *o, const struct project *p, enum project_json what)
{
	json_out_object(o);
	write_members(o, p, what);
	json_out_object_end(o);
}

void project_json_write_shown(struct json_out *o, const struct project *p, int64_t grace_s)
{
	json_out_object(o);
	write_members(o, p, PROJECT_SHOWN);
	json_out_put_int(o, "grace_s", grace_s);
	json_out_object_end(o);
}

static void write_activity(struct json_out *o, const struct project_activity *activity)
{
	if (!activity->is_told) {
		json_out_put_null(o, "activity");
		return;
	}
	json_out_key(o, "activity");
	json_out_object(o);
	json_out_put_int(o, "runs", activity->runs);
	json_out_put_int(o, "running", activity->running);
	json_out_put_time(o, "heard_at", activity->heard_at);
	json_out_object_end(o);
}

void project_json_write_active(struct json_out *o, const struct project *p,
			       const struct project_activity *activity)
{
	json_out_object(o);
	write_members(o, p, PROJECT_LISTED);
	write_activity(o, activity);
	json_out_object_end(o);
}

/* Null, and a member that is null, mean for ever. */
static int32_t read_days(struct json_in *in, const char *key, bool *ret_has)
{
	*ret_has = json_in_has(in, key);
	if (json_in_null(in, key))
		return 0;
	return (int32_t)json_in_int_or(in, key, 1, PROJECT_KEEP_MAX_DAYS, 0);
}

static void read_retention(struct json_in *in, struct project_change *c)
{
	struct json_in *r;

	if (json_in_null(in, "retention")) {
		c->has_keep_finished = c->has_keep_failed = true;
		c->has_keep_crashed = c->has_keep_killed = true;
		return;
	}
	if (!json_in_has(in, "retention"))
		return;
	r = json_in_object(in, "retention");
	c->keep_finished_days = read_days(r, "finished_days", &c->has_keep_finished);
	c->keep_failed_days = read_days(r, "failed_days", &c->has_keep_failed);
	c->keep_crashed_days = read_days(r, "crashed_days", &c->has_keep_crashed);
	c->keep_killed_days = read_days(r, "killed_days", &c->has_keep_killed);
}

static void write_direction(struct json_out *o, struct str key, const char *better)
{
	json_out_object(o);
	json_out_put_text(o, "key", key);
	json_out_put_text(o, "better", str_of(better));
	json_out_object_end(o);
}

static void refuse_twice(struct json_in *in, const struct str *keys, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (str_equal(keys[i], keys[at]))
			json_in_refuse(in, "key", "duplicate value: \"%.*s\"", STR_ARG(keys[at]));
	}
}

/* Returns the JSON as it is stored; null: none. */
static struct str read_directions(struct arena *a, struct json_in *in)
{
	static const char *const words[] = { "lower", "higher", NULL };
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);
	struct str keys[PROJECT_DIRECTIONS_MAX];
	size_t count = 0;

	if (!json_in_null(in, "directions"))
		count = json_in_array(in, "directions", PROJECT_DIRECTIONS_MAX);
	json_out_array(&out);
	for (size_t i = 0; i < count; i++) {
		struct json_in *item = json_in_item(in, "directions", i);

		keys[i] = json_in_text(item, "key", NAME_METRIC_MAX);
		name_json_check(item, NAME_METRIC, "key", keys[i]);
		refuse_twice(item, keys, i);
		write_direction(&out, keys[i], words[json_in_choice(item, "better", words)]);
	}
	json_out_array_end(&out);
	return buf_str(text);
}

err_t project_json_read_change(struct request *q, struct project_change *ret_change)
{
	static const char *const words[] = { "private", "public", NULL };
	struct project_change c = { 0 };
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	c.has_visibility = json_in_has(&in, "visibility");
	c.has_crash_after = json_in_has(&in, "crash_after_s");
	c.has_description = json_in_has(&in, "description");
	c.has_directions = json_in_has(&in, "directions");
	c.has_quota = json_in_has(&in, "quota_bytes");
	c.visibility = (enum visibility)(VISIBILITY_PRIVATE +
					 json_in_choice_or(&in, "visibility", words, 0));
	c.crash_after_s = (int32_t)json_in_int_or(&in, "crash_after_s", PROJECT_CRASH_AFTER_MIN_S,
						  PROJECT_CRASH_AFTER_MAX_S, PROJECT_CRASH_AFTER_S);
	c.description = json_in_text_or(&in, "description", PROJECT_DESCRIPTION_MAX, STR(""));
	c.quota_bytes = json_in_int_or(&in, "quota_bytes", 1, QUOTA_MAX, QUOTA_NONE);
	c.directions = read_directions(q->arena, &in);
	read_retention(&in, &c);
	e = json_in_end(&in);
	if (e)
		return e;
	*ret_change = c;
	return NULL;
}
