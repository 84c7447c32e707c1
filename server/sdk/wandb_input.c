#include "wandb_input.h"

#include "arena.h"
#include "buf.h"
#include "json_out.h"
#include "name.h"
#include "run_json.h"
#include "writer.h"

struct str wandb_input_text(const struct json_doc *input, const char *name)
{
	const struct json_doc *value = json_doc_get_named(input, name);

	return json_doc_is(value, JSON_KIND_STRING) ? value->text : (struct str){ NULL, 0 };
}

/* Whether it is another than was sent before; from then on it is this one. */
static bool is_changed(struct arena *a, struct wandb_sent *sent, const char *name,
		       const struct json_doc *value)
{
	const struct json_doc *before = sent ? json_doc_get_named(sent->doc, name) : NULL;

	if (before && json_doc_equal(before, value))
		return false;
	if (sent) {
		sent->doc = json_doc_with(a, sent->doc, str_of(name), value);
		sent->is_other = true;
	}
	return true;
}

static void set_text(struct str *to, struct str value, bool *changed)
{
	*changed = *changed || !str_equal(*to, value);
	*to = value;
}

static void note(struct arena *a, const struct wandb_change_of_info *c, const char *field,
		 enum left_out_reason reason, struct str value)
{
	const struct left_out member = { LEFT_OUT_FIELD, reason, str_of(field), value, 1 };

	left_out_add(c->left_out, a, &member);
}

static const struct {
	const char *name;
	const char *field; /* over REST */
	enum name_kind kind;
	size_t max;
	size_t offset;
} texts[] = {
	{ "displayName", "display_name", NAME_DISPLAY, NAME_DISPLAY_MAX,
	  offsetof(struct run_info, display_name) },
	{ "groupName", "group", NAME_GROUP, NAME_GROUP_MAX, offsetof(struct run_info, group_name) },
	{ "jobType", "job_type", NAME_JOB_TYPE, NAME_JOB_TYPE_MAX,
	  offsetof(struct run_info, job_type) },
	{ "sweep", "sweep", NAME_SWEEP, NAME_SWEEP_MAX, offsetof(struct run_info, sweep) },
};

static void read_texts(struct arena *a, const struct wandb_change_of_info *c, struct run_info *info,
		       bool *changed)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct str *to = (struct str *)(void *)((char *)info + texts[i].offset);
		struct str value = wandb_input_text(c->input, texts[i].name);
		struct str fit;

		if (!value.at)
			continue;
		fit = name_fit(a, texts[i].kind, value);
		if (!is_changed(a, c->sent, texts[i].name, json_doc_text(a, fit)))
			continue;
		set_text(to, fit, changed);
		if (fit.len < value.len)
			note(a, c, texts[i].field, LEFT_OUT_VALUE_TOO_LARGE, value);
	}
}

void wandb_input_told(struct arena *a, struct wandb_sent *sent, const struct run_info *info)
{
	(void)is_changed(a, sent, "displayName", json_doc_text(a, info->display_name));
}

/* ---- tags ------------------------------------------------------------------------------------------- */

static bool has_tag(const struct json_doc *tags, const struct json_doc *tag)
{
	for (size_t i = 0; i < tags->count; i++) {
		if (json_doc_equal(tags->items[i], tag))
			return true;
	}
	return false;
}

/* Each once. */
static const struct json_doc *fit_tags(struct arena *a, const struct json_doc *tags)
{
	const struct json_doc **items =
		arena_new_array(a, const struct json_doc *, tags->count + 1);
	struct json_doc found = { .kind = JSON_KIND_ARRAY, .items = items };

	for (size_t i = 0; i < tags->count && found.count < RUN_TAGS_MAX; i++) {
		const struct json_doc *tag =
			json_doc_text(a, name_fit(a, NAME_TAG, tags->items[i]->text));

		if (tag->text.len && !has_tag(&found, tag))
			items[found.count++] = tag;
	}
	return json_doc_array(a, items, found.count);
}

/* Notes the tags that fit_tags() changed or dropped. */
static void note_tags(struct arena *a, const struct wandb_change_of_info *c,
		      const struct json_doc *sent, const struct json_doc *tags)
{
	for (size_t i = 0; i < sent->count; i++) {
		struct str text = sent->items[i]->text;
		struct str fit = name_fit(a, NAME_TAG, text);

		if (!text.len)
			note(a, c, "tags", LEFT_OUT_NAME_EMPTY, text);
		else if (fit.len < text.len)
			note(a, c, "tags", LEFT_OUT_VALUE_TOO_LARGE, text);
		else if (!has_tag(tags, json_doc_text(a, fit)))
			note(a, c, "tags", LEFT_OUT_REQUEST_FULL, text);
	}
}

/* Returns the tags it has, without those no longer sent, followed by those sent for the first time. */
static const struct json_doc *changed_tags(struct arena *a, const struct json_doc *had,
					   const struct json_doc *before,
					   const struct json_doc *after)
{
	const struct json_doc **items =
		arena_new_array(a, const struct json_doc *, had->count + after->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < had->count; i++) {
		if (!has_tag(before, had->items[i]) || has_tag(after, had->items[i]))
			items[count++] = had->items[i];
	}
	for (size_t i = 0; i < after->count; i++) {
		if (!has_tag(before, after->items[i]) && !has_tag(had, after->items[i]))
			items[count++] = after->items[i];
	}
	return json_doc_array(a, items, count);
}

/* Text that says the same another way is no change: nobody has edited it then. */
static err_t set_tags(struct arena *a, const struct wandb_change_of_info *c,
		      const struct json_doc *before, const struct json_doc *after,
		      struct run_info *info, bool *changed)
{
	const struct json_doc *had;
	err_t e = json_doc_parse(a, info->tags, &had);

	if (e)
		return e;
	if (before)
		after = changed_tags(a, had, before, after);
	for (size_t i = RUN_TAGS_MAX; i < after->count; i++)
		note(a, c, "tags", LEFT_OUT_REQUEST_FULL, after->items[i]->text);
	if (after->count > RUN_TAGS_MAX)
		after = json_doc_array(a, after->items, RUN_TAGS_MAX);
	if (json_doc_equal(had, after))
		return NULL;
	*changed = true;
	info->tags = json_doc_dump(a, after);
	return NULL;
}

/* [] is a list like any other. */
static err_t read_tags(struct arena *a, const struct wandb_change_of_info *c, struct run_info *info,
		       bool *changed)
{
	const struct json_doc *before = c->sent ? json_doc_get_named(c->sent->doc, "tags") : NULL;
	const struct json_doc *sent = json_doc_get_named(c->input, "tags");
	const struct json_doc *tags;

	if (!json_doc_is(sent, JSON_KIND_ARRAY))
		return NULL;
	tags = fit_tags(a, sent);
	if (!is_changed(a, c->sent, "tags", tags))
		return NULL;
	note_tags(a, c, sent, tags);
	return set_tags(a, c, before, tags, info, changed);
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static void read_notes(struct arena *a, const struct wandb_change_of_info *c, struct run_info *info,
		       bool *changed)
{
	struct str notes = wandb_input_text(c->input, "notes");
	struct str fit;

	if (!notes.at)
		notes = wandb_input_text(c->input, "description");
	if (!notes.at)
		return;
	fit = str_head(notes, RUN_NOTES_MAX);
	if (!is_changed(a, c->sent, "notes", json_doc_text(a, fit)))
		return;
	set_text(&info->notes, fit, changed);
	if (fit.len < notes.len)
		note(a, c, "notes", LEFT_OUT_VALUE_TOO_LARGE, notes);
}

err_t wandb_input_info(struct arena *a, const struct wandb_change_of_info *c, struct run_info *info,
		       bool *ret_changed)
{
	*ret_changed = false;
	read_texts(a, c, info, ret_changed);
	read_notes(a, c, info, ret_changed);
	return read_tags(a, c, info, ret_changed);
}

/* The SDK's, which it tells in its config. */
static void put_version(struct arena *a, const struct json_doc *config, struct json_out *out)
{
	const struct json_doc *version =
		json_doc_get_named(json_doc_get_named(config, "_wandb"), "cli_version");

	if (!json_doc_is(version, JSON_KIND_STRING) || version->text.len > WRITER_VERSION_MAX)
		return;
	json_out_put_text(out, "client_version",
			  str_of(arena_printf(a, "wandb %.*s", STR_ARG(version->text))));
}

struct str wandb_input_process(struct arena *a, const struct json_doc *input,
			       const struct json_doc *config)
{
	static const char *const names[][2] = { { "host", "host" },
						{ "jobProgram", "program" },
						{ "jobRepo", "repo" },
						{ "commit", "commit" } };
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);

	json_out_object(&out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct str value = wandb_input_text(input, names[i][0]);

		if (value.len)
			json_out_put_text(&out, names[i][1], value);
	}
	put_version(a, config, &out);
	json_out_object_end(&out);
	return buf_str(text);
}

/* Returns a member of the patch; NULL: nothing changes there. */
static const struct json_doc *patch_member(struct arena *a, const struct json_doc *before,
					   const struct json_doc *after)
{
	if (json_doc_equal(before, after))
		return NULL;
	if (json_doc_is(before, JSON_KIND_OBJECT) && json_doc_is(after, JSON_KIND_OBJECT))
		return wandb_input_patch(a, before, after);
	return after;
}

const struct json_doc *wandb_input_patch(struct arena *a, const struct json_doc *before,
					 const struct json_doc *after)
{
	struct json_member *members =
		arena_new_array(a, struct json_member, before->count + after->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < after->count; i++) {
		const struct json_member *m = &after->members[i];
		const struct json_doc *value =
			patch_member(a, json_doc_get(before, m->name), m->value);

		if (value)
			members[count++] = (struct json_member){ m->name, value };
	}
	for (size_t i = 0; i < before->count; i++) {
		const struct json_member *m = &before->members[i];

		if (!str_starts(m->name, "_") && !json_doc_get(after, m->name))
			members[count++] = (struct json_member){ m->name, json_doc_null() };
	}
	return json_doc_object(a, members, count);
}
