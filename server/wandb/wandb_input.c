#include "wandb_input.h"

#include "arena.h"
#include "buf.h"
#include "json_out.h"
#include "name.h"
#include "run_json.h"
#include "sdk_config.h"
#include "writer.h"

struct str wandb_input_text(const struct json_doc *input, const char *name)
{
	const struct json_doc *value = json_doc_get_named(input, name);

	return json_doc_is(value, JSON_KIND_STRING) ? value->text : (struct str){ NULL, 0 };
}

static const struct {
	const char *name;
	enum name_kind kind;
	size_t offset;
} texts[] = {
	{ "displayName", NAME_DISPLAY, offsetof(struct run_info, display_name) },
	{ "groupName", NAME_GROUP, offsetof(struct run_info, group_name) },
	{ "jobType", NAME_JOB_TYPE, offsetof(struct run_info, job_type) },
	{ "sweep", NAME_SWEEP, offsetof(struct run_info, sweep) },
};

static err_t read_texts(struct arena *a, const struct json_doc *input, struct run_info *info,
			bool *changed)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct str *to = (struct str *)(void *)((char *)info + texts[i].offset);
		struct str value = wandb_input_text(input, texts[i].name);
		err_t e;

		if (!value.at)
			continue;
		e = name_check(a, texts[i].kind, texts[i].name, value);
		if (e)
			return e;
		*changed = *changed || !str_equal(*to, value);
		*to = value;
	}
	return NULL;
}

static bool is_repeated(const struct json_doc *tags, size_t which)
{
	for (size_t i = 0; i < which; i++) {
		if (json_doc_equal(tags->items[i], tags->items[which]))
			return true;
	}
	return false;
}

/* Text that says the same another way is no change: each process of a run sends them, and nobody has edited it then. */
static err_t set_tags(struct arena *a, struct str tags, struct run_info *info, bool *changed)
{
	const struct json_doc *before, *after;
	err_t e = json_doc_parse(a, info->tags, &before);

	if (!e)
		e = json_doc_parse(a, tags, &after);
	if (e || json_doc_equal(before, after))
		return e;
	*changed = true;
	info->tags = tags;
	return NULL;
}

/* [] is a list like any other. */
static err_t read_tags(struct arena *a, const struct json_doc *tags, struct run_info *info,
		       bool *changed)
{
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);
	err_t e = NULL;

	if (tags->count > RUN_TAGS_MAX)
		return err_field(a, ERR_INVALID, "tags", "more than %d tags", RUN_TAGS_MAX);
	json_out_array(&out);
	for (size_t i = 0; i < tags->count && !e; i++) {
		struct str tag = tags->items[i]->text;

		e = name_check(a, NAME_TAG, "tags", tag);
		if (!is_repeated(tags, i))
			json_out_text(&out, tag);
	}
	json_out_array_end(&out);
	return e ? e : set_tags(a, buf_str(text), info, changed);
}

static err_t read_notes(struct arena *a, const struct json_doc *input, struct run_info *info,
			bool *changed)
{
	struct str notes = wandb_input_text(input, "notes");

	if (!notes.at)
		notes = wandb_input_text(input, "description");
	if (!notes.at)
		return NULL;
	if (notes.len > RUN_NOTES_MAX)
		return err_field(a, ERR_INVALID, "notes", "more than %d bytes", RUN_NOTES_MAX);
	*changed = *changed || !str_equal(info->notes, notes);
	info->notes = notes;
	return NULL;
}

err_t wandb_input_info(struct arena *a, const struct json_doc *input, struct run_info *info,
		       bool *ret_changed)
{
	const struct json_doc *tags = json_doc_get_named(input, "tags");
	err_t e;

	*ret_changed = false;
	e = read_texts(a, input, info, ret_changed);
	if (!e)
		e = read_notes(a, input, info, ret_changed);
	if (!e && json_doc_is(tags, JSON_KIND_ARRAY))
		e = read_tags(a, tags, info, ret_changed);
	return e;
}

/* The SDK's, which it tells in its config; one that cannot be read is refused elsewhere. */
static void put_version(struct arena *a, const struct json_doc *input, struct json_out *out)
{
	struct str text = wandb_input_text(input, "config");
	const struct json_doc *config, *version;

	if (!text.at || sdk_config_read(a, text, &config))
		return;
	version = json_doc_get_named(json_doc_get_named(config, "_wandb"), "cli_version");
	if (!json_doc_is(version, JSON_KIND_STRING) || version->text.len > WRITER_VERSION_MAX)
		return;
	json_out_put_text(out, "client_version",
			  str_of(arena_printf(a, "wandb %.*s", STR_ARG(version->text))));
}

struct str wandb_input_process(struct arena *a, const struct json_doc *input)
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
	put_version(a, input, &out);
	json_out_object_end(&out);
	return buf_str(text);
}

/* One member of the patch; NULL: nothing changes there. */
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
