#include "run_json.h"

#include "auth.h"
#include "color.h"
#include "etag.h"
#include "json_doc.h"
#include "json_in.h"
#include "name_json.h"
#include "reply.h"
#include "run_target.h"

static const char *const visibility_words[] = { "project", "private", "public", NULL };
static const char *const end_words[] = { "finished", "failed", "killed", NULL };
static const int16_t end_states[] = { RUN_FINISHED, RUN_FAILED, RUN_KILLED };
static const char *const hand_end_words[] = { "finished", "failed", "killed", "preempted", NULL };
static const int16_t hand_end_states[] = { RUN_FINISHED, RUN_FAILED, RUN_KILLED, RUN_PREEMPTED };
static const char *const writer_end_words[] = { "finished", "failed",    "killed",
						"crashed",  "preempted", NULL };
static const int16_t writer_end_states[] = { RUN_FINISHED, RUN_FAILED, RUN_KILLED, RUN_CRASHED,
					     RUN_PREEMPTED };
static const char *const who_words[] = { "", "writer", "sweeper", "user", "server" };

struct run_info run_json_default(struct str name)
{
	return (struct run_info){
		.name = name,
		.display_name = str_head_characters(name, NAME_DISPLAY_MAX),
		.job_type = STR(""),
		.group_name = STR(""),
		.sweep = STR(""),
		.notes = STR(""),
		.tags = STR("[]"),
	};
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* A member that is null gets its default. A member that is absent does not change. */
static void read_text(struct json_in *in, const char *key, size_t max, struct str standard,
		      struct str *value)
{
	*value = json_in_null(in, key) ? standard : json_in_text_or(in, key, max, *value);
}

static void read_name(struct json_in *in, enum name_kind kind, const char *key, struct str standard,
		      struct str *value)
{
	read_text(in, key, name_max_bytes(kind), standard, value);
	name_json_check(in, kind, key, *value);
}

static bool is_repeated(const struct str *tags, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(tags[i], tags[count]))
			return true;
	}
	return false;
}

struct tags {
	const struct str *at;
	size_t count;
};

static struct tags read_tags(struct json_in *in, const char *key)
{
	struct tags tags;

	tags.at = json_in_texts(in, key, RUN_TAGS_MAX, name_max_bytes(NAME_TAG), &tags.count);
	for (size_t i = 0; i < tags.count; i++) {
		name_json_check(in, NAME_TAG, key, tags.at[i]);
		if (is_repeated(tags.at, i))
			json_in_refuse(in, key, "duplicate value \"%.*s\"", STR_ARG(tags.at[i]));
	}
	return tags;
}

static struct str tags_text(struct request *q, struct tags tags)
{
	struct buf *text = buf_new(q->arena);
	struct json_out out = json_out_begin(text);

	json_out_array(&out);
	for (size_t i = 0; i < tags.count; i++)
		json_out_text(&out, tags.at[i]);
	json_out_array_end(&out);
	return buf_str(text);
}

static bool has_tag(struct tags tags, struct str tag)
{
	for (size_t i = 0; i < tags.count; i++) {
		if (str_equal(tags.at[i], tag))
			return true;
	}
	return false;
}

/* A value that is the same keeps its old text, so that it does not count as a change. */
static err_t set_tags(struct request *q, struct run_info *info, struct tags tags)
{
	const struct json_doc *before, *after;
	struct str text = tags_text(q, tags);
	err_t e = json_doc_parse(q->arena, info->tags, &before);

	if (!e)
		e = json_doc_parse(q->arena, text, &after);
	if (!e && !json_doc_equal(before, after))
		info->tags = text;
	return e;
}

/* Returns the tags without the removed ones, followed by the added ones. */
static struct tags changed_tags(struct request *q, const struct json_doc *had, struct tags less,
				struct tags more)
{
	struct str *all = arena_new_array(q->arena, struct str, had->count + more.count + 1);
	struct tags tags = { .at = all };

	for (size_t i = 0; i < had->count; i++) {
		if (!has_tag(less, had->items[i]->text))
			all[tags.count++] = had->items[i]->text;
	}
	for (size_t i = 0; i < more.count; i++) {
		if (!has_tag(tags, more.at[i]))
			all[tags.count++] = more.at[i];
	}
	return tags;
}

static err_t read_tag_changes(struct request *q, struct json_in *in, struct run_info *info)
{
	bool removes = json_in_has(in, "remove_tags"), adds = json_in_has(in, "add_tags");
	struct tags less = { .count = 0 }, more = { .count = 0 }, tags;
	const struct json_doc *had;
	err_t e;

	if (!removes && !adds)
		return NULL;
	if (json_in_has(in, "tags"))
		json_in_refuse(in, "tags", "\"tags\" excludes \"add_tags\" and \"remove_tags\"");
	if (removes)
		less = read_tags(in, "remove_tags");
	if (adds)
		more = read_tags(in, "add_tags");
	e = json_doc_parse(q->arena, info->tags, &had);
	if (e)
		return e;
	tags = changed_tags(q, had, less, more);
	if (tags.count > RUN_TAGS_MAX)
		json_in_refuse(in, "add_tags", "a run can have at most %d tags", RUN_TAGS_MAX);
	return set_tags(q, info, tags);
}

static void read_color(struct request *q, struct json_in *in, struct run_info *info)
{
	struct str color;

	if (json_in_null(in, "color")) {
		info->color = STR("");
		return;
	}
	if (!json_in_has(in, "color"))
		return;
	color = json_in_text(in, "color", COLOR_MAX);
	if (!json_in_error(in) && !color_parse(q->arena, color, &info->color))
		json_in_refuse(in, "color", "\"color\" must be like \"#1f77b4\" or \"slot-5\"");
}

static err_t read_all_tags(struct request *q, struct json_in *in, struct run_info *info)
{
	if (json_in_null(in, "tags"))
		return set_tags(q, info, (struct tags){ .count = 0 });
	return json_in_has(in, "tags") ? set_tags(q, info, read_tags(in, "tags")) : NULL;
}

static err_t read_fields(struct request *q, struct json_in *in, struct run_info *info)
{
	struct run_info standard = run_json_default(info->name);

	read_name(in, NAME_DISPLAY, "display_name", standard.display_name, &info->display_name);
	read_name(in, NAME_GROUP, "group", standard.group_name, &info->group_name);
	read_name(in, NAME_JOB_TYPE, "job_type", standard.job_type, &info->job_type);
	read_name(in, NAME_SWEEP, "sweep", standard.sweep, &info->sweep);
	read_text(in, "notes", RUN_NOTES_MAX, standard.notes, &info->notes);
	if (json_in_null(in, "visibility")) {
		info->visibility = standard.visibility;
	} else {
		info->says_visibility = json_in_has(in, "visibility");
		info->visibility = (int16_t)json_in_choice_or(in, "visibility", visibility_words,
							      info->visibility);
	}
	read_color(q, in, info);
	if (json_in_null(in, "expected_writers"))
		info->expected_writers = 0;
	else
		info->expected_writers = (int32_t)json_in_int_or(
			in, "expected_writers", 1, WRITER_MAX, info->expected_writers);
	return read_all_tags(q, in, info);
}

/* Reads the origin, which only a new run can have. */
static void read_origin(struct json_in *in, struct run_info *info)
{
	struct json_in *origin;

	if (!json_in_has(in, "forked_from") || json_in_null(in, "forked_from"))
		return;
	origin = json_in_object(in, "forked_from");
	info->forked_from = json_in_text(origin, "run", NAME_RUN_MAX);
	name_json_check(origin, NAME_RUN, "run", info->forked_from);
	info->forked_step = json_in_int(origin, "step", 0, RUN_STEP_MAX);
}

/* Reads when a new run began, by the clock of its client. */
static void read_start(struct request *q, struct json_in *in, struct run_info *info)
{
	err_t e;

	if (!json_in_has(in, "started_at"))
		return;
	info->started_at = json_in_time_or(in, "started_at", (timestamp_us){ 0 });
	e = run_check_start(q->arena, info->started_at, q->now);
	if (e && !json_in_error(in))
		json_in_refuse(in, "started_at", "%s", e->message);
}

err_t run_json_read_rewind(struct request *q, int64_t *ret_step)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	*ret_step = json_in_int(&in, "step", 0, RUN_STEP_MAX);
	return json_in_end(&in);
}

err_t run_json_read_new(struct request *q, struct run_info *info,
			const struct json_doc **ret_config)
{
	struct json_in in;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	e = read_fields(q, &in, info);
	if (e)
		return e;
	read_origin(&in, info);
	read_start(q, &in, info);
	*ret_config = json_in_doc_object(&in, "config");
	return json_in_end(&in);
}

err_t run_json_read_patch(struct request *q, struct run_info *info)
{
	struct json_in in;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	e = read_fields(q, &in, info);
	if (!e)
		e = read_tag_changes(q, &in, info);
	return e ? e : json_in_end(&in);
}

/* Reads an optional reason; empty: none. */
static struct str read_reason(struct json_in *in, size_t max)
{
	struct str reason = json_in_text_or(in, "reason", max, STR(""));

	if (!json_in_error(in) && str_has_control(reason))
		json_in_refuse(in, "reason", "\"reason\" must not contain control characters");
	return reason;
}

static struct str read_required_reason(struct json_in *in)
{
	struct str reason = json_in_text(in, "reason", RUN_REASON_MAX);

	if (!json_in_error(in) && !reason.len)
		json_in_refuse(in, "reason", "\"reason\" must not be empty");
	if (!json_in_error(in) && str_has_control(reason))
		json_in_refuse(in, "reason", "\"reason\" must not contain control characters");
	return reason;
}

/* The end of a writer: by an exit code, or by a state. */
static void read_writer_end(struct json_in *in, struct run_finish_body *body)
{
	struct run_finish *finish = &body->finish;
	int state;

	body->client = json_in_text(in, "writer", NAME_CLIENT_MAX);
	name_json_check(in, NAME_CLIENT, "writer", body->client);
	body->session = (int32_t)json_in_int(in, "session", 1, INT32_MAX);
	if (body->has_exit_code)
		finish->exit_code = (int32_t)json_in_int(in, "exit_code", -255, 255);
	finish->has_no_exit_code = !body->has_exit_code;
	state = json_in_choice_or(in, "state", writer_end_words, -1);
	finish->state = state < 0 ? 0 : writer_end_states[state];
	finish->ended_at = json_in_time_or(in, "ended_at", (timestamp_us){ 0 });
	if (json_in_has(in, "ended_at") && finish->ended_at.us <= 0)
		finish->ended_at.us = 1; /* 0: none was sent */
	finish->reason = read_reason(in, RUN_END_REASON_MAX);
}

static void read_hand_end(struct json_in *in, struct run_finish_body *body)
{
	int state;

	body->finish.exit_code = (int32_t)json_in_int_or(in, "exit_code", -255, 255, 0);
	state = json_in_choice_or(in, "state", hand_end_words, -1);
	body->finish.state = state < 0 ? 0 : hand_end_states[state];
	body->reason = read_reason(in, RUN_REASON_MAX);
}

err_t run_json_read_finish(struct request *q, struct run_finish_body *ret_body)
{
	struct run_finish_body body = { .session = 0 };
	struct json_in in;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	body.has_exit_code = json_in_has(&in, "exit_code") && !json_in_null(&in, "exit_code");
	if (json_in_has(&in, "writer"))
		read_writer_end(&in, &body);
	else
		read_hand_end(&in, &body);
	e = json_in_end(&in);
	if (!e && !body.has_exit_code && !body.finish.state)
		e = err_field(q->arena, ERR_INVALID, "exit_code",
			      "\"exit_code\" or \"state\" is required");
	*ret_body = body;
	return e;
}

err_t run_json_read_give_up(struct request *q, struct run_hand *ret_hand)
{
	struct str reason;
	struct json_in in;
	int state;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	state = json_in_choice_or(&in, "state", end_words, -1);
	reason = read_required_reason(&in);
	*ret_hand = (struct run_hand){
		.finish = { .state = state < 0 ? 0 : end_states[state] },
		.user_id = q->identity->user_id,
		.reason = reason.at,
	};
	return json_in_end(&in);
}

err_t run_json_read_stop(struct request *q, struct str *ret_reason)
{
	struct json_in in;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	*ret_reason = read_reason(&in, RUN_REASON_MAX);
	return json_in_end(&in);
}

err_t run_json_read_state(struct request *q, enum run_state *ret_state, struct str *ret_reason)
{
	static const char *const words[] = { "running", "finished", "failed", "crashed",
					     "killed",  "pending",  NULL };
	struct json_in in;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	*ret_state = (enum run_state)(RUN_RUNNING + json_in_choice(&in, "state", words));
	*ret_reason = read_required_reason(&in);
	return json_in_end(&in);
}

/* ---- writing ------------------------------------------------------------------------------------ */

static void write_deletion(struct json_out *o, const struct run_info *info, const struct run *run)
{
	if (!run->deleted_at.us) {
		json_out_put_null(o, "deleted");
		return;
	}
	json_out_key(o, "deleted");
	json_out_object(o);
	json_out_put_time(o, "at", run->deleted_at);
	json_out_put_time(o, "purge_at", run->purge_at);
	json_out_put_text(o, "who", str_of(who_words[info->deleted_who]));
	json_out_put_text_or_null(o, "user", info->deleted_by);
	json_out_put_text(o, "reason", info->delete_reason);
	json_out_object_end(o);
}

/* Omits the name of a run that the caller may not see. */
static void write_origin(struct json_out *o, const struct target *t, const struct run_info *info)
{
	if (!info->forked_from.len || !access_sees(t->sees_private, t->visibility,
						   (enum visibility)info->source_visibility)) {
		json_out_put_null(o, "forked_from");
		return;
	}
	json_out_key(o, "forked_from");
	json_out_object(o);
	json_out_put_text(o, "run", info->forked_from);
	json_out_put_int(o, "step", info->forked_step);
	json_out_object_end(o);
}

static void write_edit(struct json_out *o, const struct run_info *info)
{
	if (!info->edited_at.us) {
		json_out_put_null(o, "edited");
		return;
	}
	json_out_key(o, "edited");
	json_out_object(o);
	json_out_put_time(o, "at", info->edited_at);
	json_out_put_text_or_null(o, "user", info->edited_by);
	json_out_object_end(o);
}

/* The fields that people set, except for the slot of its color. */
static void write_said(struct json_out *o, const struct run_info *info)
{
	json_out_put_text(o, "display_name", info->display_name);
	json_out_put_text(o, "group", info->group_name);
	json_out_put_text(o, "job_type", info->job_type);
	json_out_put_text(o, "sweep", info->sweep);
	json_out_put_text(o, "notes", info->notes);
	json_out_put_raw(o, "tags", info->tags);
	json_out_put_text(o, "visibility", str_of(visibility_words[info->visibility]));
	json_out_put_int(o, "color_slot", color_slot(info->color_number));
	json_out_put_text_or_null(o, "color", info->color);
	json_out_put_int_or_null(o, "expected_writers", info->expected_writers,
				 info->expected_writers);
}

struct str run_json_version(const struct request *q, const struct run_info *info)
{
	struct buf *text = buf_new(q->arena);
	struct json_out out = json_out_begin(text);

	json_out_object(&out);
	write_said(&out, info);
	json_out_object_end(&out);
	return buf_str(text);
}

void run_json_write_members(struct json_out *o, const struct request *q,
			    const struct run_info *info, const struct run *run)
{
	json_out_put_text(o, "id", info->name);
	json_out_put_text(o, "entity", q->target->entity);
	json_out_put_text(o, "project", q->target->project);
	write_said(o, info);
	json_out_put_text(o, "state", str_of(run_state_name(run->state)));
	json_out_put_int(o, "attempt", run->attempt);
	json_out_put_int_or_null(o, "exit_code", run->has_exit_code, run->exit_code);
	json_out_put_text_or_null(o, "end_reason", run_has_ended(run) ? run->end_reason : STR(""));
	json_out_put_time(o, "stop_requested_at", run->stop_asked_at);
	json_out_put_text_or_null(o, "stop_reason", run->stop_reason);
	json_out_put_int(o, "rows", run_rows(run));
	json_out_put_int(o, "event_rows", run->next_event);
	json_out_put_int(o, "unread_lines", run->unread_lines);
	json_out_put_int(o, "left_out", run->left_out);
	json_out_put_int(o, "files", run->file_count);
	json_out_put_int_or_null(o, "last_step", run->last_step >= 0, run->last_step);
	json_out_put_text_or_null(o, "user", info->created_by);
	json_out_put_time(o, "created_at", info->created_at);
	json_out_put_time(o, "started_at", run->started_at);
	json_out_put_time(o, "heard_at", run->heard_at);
	json_out_put_time(o, "ended_at", run->ended_at);
	json_out_put_int(o, "bytes", run->size_bytes);
	json_out_put_int(o, "branch", run->branch);
	write_origin(o, q->target, info);
	write_edit(o, info);
	write_deletion(o, info, run);
}

void run_json_write(struct json_out *o, const struct request *q, const struct run_info *info,
		    const struct run *run)
{
	json_out_object(o);
	run_json_write_members(o, q, info, run);
	json_out_object_end(o);
}

void run_json_write_state(struct json_out *o, const struct run_state_row *s)
{
	json_out_object(o);
	json_out_put_int(o, "number", s->number);
	json_out_put_text_or_null(o, "from",
				  s->from_state ? str_of(run_state_name(s->from_state)) : STR(""));
	json_out_put_text(o, "to", str_of(run_state_name(s->to_state)));
	json_out_put_int(o, "attempt", s->attempt);
	json_out_put_time(o, "at", s->changed_at);
	json_out_put_text(o, "who", str_of(who_words[s->who]));
	json_out_put_int_or_null(o, "writer", s->writer >= 0, s->writer);
	json_out_put_text_or_null(o, "label", s->label);
	json_out_put_text_or_null(o, "user", s->user_name);
	json_out_put_text(o, "reason", s->reason);
	json_out_object_end(o);
}

err_t run_json_reply(struct request *q, unsigned status, const struct run *run)
{
	struct json_out out = reply_json(q);
	struct run_info *info;
	err_t e;

	e = run_target_info(q, &info);
	if (e)
		return e;
	etag_put(q, run_json_version(q, info));
	run_json_write(&out, q, info, run);
	reply_status(q, status);
	return NULL;
}
