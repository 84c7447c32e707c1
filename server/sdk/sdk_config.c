/*
 * Only the members of the outermost object are wrapped, so both ways are one walk over them, and the
 * values are shared.
 */
#include "sdk_config.h"

#include "arena.h"
#include "document.h"

/* {"value": …}, with or without a "desc" beside it. */
static const struct json_doc *unwrapped(const struct json_doc *member)
{
	const struct json_doc *value = json_doc_get_named(member, "value");
	size_t known = 1 + (json_doc_get_named(member, "desc") != NULL);

	return value && member->count == known ? value : member;
}

static const struct json_doc *wrapped(struct arena *a, const struct json_doc *value)
{
	const struct json_member member = { STR("value"), value };

	return json_doc_object(a, &member, 1);
}

const struct json_doc *sdk_config_unwrap(struct arena *a, const struct json_doc *wire)
{
	struct json_member *members = arena_new_array(a, struct json_member, wire->count);

	for (size_t i = 0; i < wire->count; i++) {
		members[i].name = wire->members[i].name;
		members[i].value = unwrapped(wire->members[i].value);
	}
	return json_doc_object(a, members, wire->count);
}

const struct json_doc *sdk_config_wrap(struct arena *a, const struct json_doc *config)
{
	struct json_member *members = arena_new_array(a, struct json_member, config->count);

	for (size_t i = 0; i < config->count; i++) {
		members[i].name = config->members[i].name;
		members[i].value = wrapped(a, config->members[i].value);
	}
	return json_doc_object(a, members, config->count);
}

err_t sdk_config_read(struct arena *a, struct str text, struct left_out_list *left_out,
		      const struct json_doc **ret_config)
{
	const struct json_doc_members how = { LEFT_OUT_CONFIG, DOCUMENT_MAX_BYTES, true, left_out };
	const struct json_doc *wire;
	err_t e = json_doc_parse_members(a, text, &how, &wire);

	if (e)
		return err_wrap(a, e, "cannot read the config");
	if (!json_doc_is(wire, JSON_KIND_OBJECT))
		return err_field(a, ERR_INVALID, "config", "the config must be a JSON object");
	*ret_config = sdk_config_unwrap(a, wire);
	return NULL;
}

struct str sdk_config_dump(struct arena *a, const struct json_doc *config)
{
	return json_doc_dump_bare(a, sdk_config_wrap(a, config));
}
