#include "artifact_query.h"

#include "auth.h"
#include "json_in.h"

err_t artifact_query_collection(struct request *q, struct artifact_target *ret_target)
{
	return artifact_target_here(q, request_param(q, "collection"), STR(""), ret_target);
}

static err_t find_committed(struct request *q, struct str version,
			    struct artifact_target *ret_target)
{
	err_t e = artifact_target_here(q, request_param(q, "collection"), version, ret_target);

	return e ? e : artifact_target_committed(q, ret_target);
}

err_t artifact_query_version(struct request *q, struct artifact_target *ret_target)
{
	return find_committed(q, request_param(q, "version"), ret_target);
}

err_t artifact_query_draft(struct request *q, struct artifact **ret_draft)
{
	return artifact_target_draft(q, request_param(q, "collection"), request_param(q, "draft"),
				     ret_draft);
}

err_t artifact_query_named(struct request *q, const char *name, struct artifact_target *ret_target)
{
	struct str version = request_query(q, name);

	if (!version.len)
		return err_field(q->arena, ERR_INVALID, name,
				 "\"%s\" is missing: expected a version such as v3 or an alias",
				 name);
	return find_committed(q, version, ret_target);
}

static err_t bad_address(struct request *q, const char *field)
{
	return err_field(q->arena, ERR_INVALID, field,
			 "expected COLLECTION:VERSION or ENTITY/PROJECT/COLLECTION:VERSION");
}

static err_t read_address(struct request *q, const char *field, struct str text,
			  struct artifact_name *ret_name)
{
	struct artifact_name name = { .entity = q->target->entity, .project = q->target->project };
	struct str collection;
	size_t slashes = 0;

	if (!str_is_utf8(text) || !artifact_name_split(text, &collection, &name.alias))
		return bad_address(q, field);
	for (size_t i = 0; i < collection.len; i++)
		slashes += collection.at[i] == '/';
	if (slashes != 0 && slashes != 2)
		return bad_address(q, field);
	if (slashes) {
		name.entity = str_cut(&collection, '/');
		name.project = str_cut(&collection, '/');
	}
	name.collection = collection;
	if (!name.entity.len || !name.project.len || !collection.len || !name.alias.len)
		return bad_address(q, field);
	*ret_name = name;
	return NULL;
}

err_t artifact_query_address(struct request *q, const char *field, struct str text,
			     struct artifact_target *ret_target)
{
	struct target *own = q->target;
	struct artifact_name name;
	err_t e = read_address(q, field, text, &name);

	if (!e)
		e = artifact_target_name(q, &name, ACCESS_READ, ret_target);
	if (!e)
		e = artifact_target_committed(q, ret_target);
	q->target = own;
	return e;
}

struct str artifact_query_metadata(struct json_in *in, const char *key)
{
	struct str metadata = json_in_raw(in, key);

	if (metadata.len > ARTIFACT_METADATA_MAX)
		json_in_refuse(in, key, "must not be larger than %d bytes", ARTIFACT_METADATA_MAX);
	else if (metadata.at && !str_starts(metadata, "{"))
		json_in_refuse(in, key, "expected an object");
	return metadata;
}

err_t artifact_query_choice(struct request *q, const char *name, const char *const *words,
			    size_t absent, size_t *ret_index)
{
	struct str value = request_query(q, name);

	if (!value.at) {
		*ret_index = absent;
		return NULL;
	}
	for (size_t i = 0; words[i]; i++) {
		if (!str_is(value, words[i]))
			continue;
		*ret_index = i;
		return NULL;
	}
	return err_field(q->arena, ERR_INVALID, name, "expected %s or %s", words[0], words[1]);
}

bool artifact_query_position(struct str after, timestamp_us *ret_time, int64_t *ret_number)
{
	struct str time = str_cut(&after, ' ');

	return str_to_int64(time, INT64_MIN, INT64_MAX, &ret_time->us) &&
	       str_to_int64(after, 0, INT64_MAX, ret_number);
}
