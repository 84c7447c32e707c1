#include "wandb_artifact_files.h"

#include <inttypes.h>
#include <sodium.h>

#include "arena.h"
#include "artifact_digest.h"
#include "artifact_store.h"
#include "artifact_target.h"
#include "artifact_url.h"
#include "buf.h"
#include "entry_store.h"
#include "file_name.h"
#include "file_type.h"
#include "path.h"
#include "wandb_id.h"
#include "wandb_list.h"

enum { NAMES_MAX = 10000, AT_ONCE = 50, AT_MOST = 5000 };

/* ---- the manifest
 * ---------------------------------------------------------------------------------
 */

/* Null for a draft that has none yet. */
err_t wandb_artifact_manifest(struct gql_call *call)
{
	const struct wandb_artifact *artifact = call->parent;

	gql_give(call, artifact->row->manifest_id ? artifact : NULL);
	return NULL;
}

static err_t manifest_id(struct gql_call *call)
{
	const struct artifact *row = ((const struct wandb_artifact *)call->parent)->row;
	const struct artifact_id id = { row->project_id, row->manifest_id };

	json_out_text(call->out, artifact_id_write(call->arena, ARTIFACT_ID_MANIFEST, id));
	return NULL;
}

static err_t manifest_name(struct gql_call *call)
{
	json_out_text(call->out, STR("wandb_manifest.json"));
	return NULL;
}

static err_t manifest_link(struct gql_call *call)
{
	const struct artifact *row = ((const struct wandb_artifact *)call->parent)->row;
	const struct artifact_url url = {
		.use = SIGNED_MANIFEST_READ,
		.project_id = row->project_id,
		.number = row->manifest_id,
	};
	struct str link;
	err_t e = artifact_url(wandb_of(call)->q, &url, &link);

	if (!e)
		json_out_text(call->out, link);
	return e;
}

static err_t manifest_digest(struct gql_call *call)
{
	json_out_text(call->out, ((const struct wandb_artifact *)call->parent)->row->digest);
	return NULL;
}

static err_t give_same(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

static const struct gql_field manifest_file_fields[] = {
	GQL_VALUE_FIELD("id", NULL, manifest_id),
	GQL_VALUE_FIELD("name", NULL, manifest_name),
	GQL_VALUE_FIELD("displayName", NULL, manifest_name),
	GQL_VALUE_FIELD("directUrl", NULL, manifest_link),
};
static const struct gql_type manifest_file_type = GQL_TYPE("ManifestFile", manifest_file_fields);

static const struct gql_field manifest_fields[] = {
	GQL_VALUE_FIELD("id", NULL, manifest_id),
	GQL_VALUE_FIELD("digest", NULL, manifest_digest),
	GQL_OBJECT_FIELD("file", NULL, give_same, &manifest_file_type),
};
const struct gql_type wandb_artifact_manifest_type = GQL_TYPE("ArtifactManifest", manifest_fields);

/* ---- an entry
 * -------------------------------------------------------------------------------------
 */

struct entry {
	struct str cursor; /* its path */
	const struct artifact_entry *row;
	const struct wandb_artifact *artifact;
};

static const struct entry *entry_of(const struct gql_call *call)
{
	return call->parent;
}

static err_t entry_id(struct gql_call *call)
{
	const struct entry *entry = entry_of(call);
	const struct artifact *row = entry->artifact->row;

	json_out_text(call->out,
		      wandb_id(call->arena, "ArtifactFile",
			       str_of(arena_printf(call->arena, "%" PRId64 ":%" PRId64 ":%.*s",
						   row->project_id, row->artifact_id,
						   STR_ARG(entry->cursor)))));
	return NULL;
}

static err_t entry_size(struct gql_call *call)
{
	const struct artifact_entry *row = entry_of(call)->row;

	json_out_int(call->out, row->has_size ? row->size_bytes : 0);
	return NULL;
}

static err_t entry_mimetype(struct gql_call *call)
{
	json_out_text(call->out, str_of(file_type_of(entry_of(call)->cursor).media_type));
	return NULL;
}

static err_t entry_updated_at(struct gql_call *call)
{
	json_out_time(call->out, entry_of(call)->artifact->row->committed_at);
	return NULL;
}

static err_t entry_digest(struct gql_call *call)
{
	json_out_text(call->out, entry_of(call)->row->digest);
	return NULL;
}

/* The content is named by the version that sent it first. */
static struct artifact_url url_of(const struct entry *entry)
{
	return (struct artifact_url){
		.use = SIGNED_ARTIFACT_READ,
		.project_id = entry->artifact->row->project_id,
		.number = entry->row->birth_id,
		.md5 = entry->row->md5,
		.path = entry->cursor,
	};
}

static bool is_file(const struct entry *entry)
{
	return !entry->row->ref.at && entry->row->md5.len == ARTIFACT_MD5_SIZE;
}

static err_t entry_md5(struct gql_call *call)
{
	const struct artifact_entry *row = entry_of(call)->row;

	if (is_file(entry_of(call)))
		json_out_text(call->out, artifact_md5_write(call->arena, row->md5));
	return NULL;
}

static err_t entry_storage_path(struct gql_call *call)
{
	const struct entry *entry = entry_of(call);
	const struct artifact_url url = url_of(entry);

	if (is_file(entry))
		json_out_text(call->out, artifact_url_storage_path(call->arena, &url));
	return NULL;
}

static err_t entry_link(struct gql_call *call)
{
	const struct entry *entry = entry_of(call);
	const struct artifact_url url = url_of(entry);
	struct str link = entry->row->ref;
	err_t e = NULL;

	if (is_file(entry))
		e = artifact_url(wandb_of(call)->q, &url, &link);
	if (!e)
		json_out_text(call->out, link);
	return e;
}

/* Adds the address for a key that may read the project: see wandb_artifact_get.h. */
static void add_address(struct buf *b, struct arena *a, const struct entry *entry)
{
	const struct wandb_artifact *artifact = entry->artifact;
	const struct artifact_id birth = { artifact->row->project_id, entry->row->birth_id };
	const struct str parts[] = {
		artifact->target->entity,
		artifact->target->project,
		artifact->row->collection,
		artifact_id_write(a, ARTIFACT_ID_VERSION, birth),
		artifact_md5_write_hex(a, entry->row->md5),
		file_name_base(entry->cursor),
	};

	buf_add_text(b, "/artifactsV2/default");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buf_add_byte(b, '/');
		path_encode(b, parts[i]);
	}
}

/* The SDK downloads single files by it, with its key. */
static err_t entry_url(struct gql_call *call)
{
	const struct entry *entry = entry_of(call);
	struct buf *b = buf_new(call->arena);

	if (!is_file(entry)) {
		json_out_text(call->out, entry->row->ref);
		return NULL;
	}
	buf_add_str(b, request_base(wandb_of(call)->q));
	add_address(b, call->arena, entry);
	json_out_text(call->out, buf_str(b));
	return NULL;
}

static const struct gql_field entry_fields[] = {
	GQL_VALUE_FIELD("id", NULL, entry_id),
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct entry, cursor),
	GQL_MEMBER("displayName", GQL_TEXT_MEMBER, struct entry, cursor),
	GQL_VALUE_FIELD("url", NULL, entry_url),
	GQL_VALUE_FIELD("directUrl", NULL, entry_link),
	GQL_VALUE_FIELD("sizeBytes", NULL, entry_size),
	GQL_VALUE_FIELD("storagePath", NULL, entry_storage_path),
	GQL_VALUE_FIELD("mimetype", NULL, entry_mimetype),
	GQL_VALUE_FIELD("updatedAt", NULL, entry_updated_at),
	GQL_VALUE_FIELD("digest", NULL, entry_digest),
	GQL_VALUE_FIELD("md5", NULL, entry_md5),
};
static const struct gql_type entry_type = GQL_TYPE("File", entry_fields);
WANDB_LIST_FIELDS(entry, "File", entry_type);
const struct gql_type wandb_artifact_files_type = GQL_TYPE("FileConnection", entry_list_fields);

/* ---- lists
 * ----------------------------------------------------------------------------------------
 */

static void give_entries(struct gql_call *call, const struct wandb_artifact *artifact,
			 const struct artifact_entry *rows, size_t count, struct wandb_list *list)
{
	struct entry *entries = arena_new_array(call->arena, struct entry, count + 1);

	for (size_t i = 0; i < count; i++)
		entries[i] = (struct entry){ rows[i].path, &rows[i], artifact };
	list->items = entries;
	list->size = sizeof(entries[0]);
	list->count = count - list->has_more;
	gql_give(call, list);
}

static err_t list_page(struct gql_call *call, const struct wandb_artifact *artifact)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct entry_ask ask = {
		.project_id = artifact->row->project_id,
		.manifest_id = artifact->row->manifest_id,
		.after = gql_arg_text(call, "after"),
		.prefix = STR(""),
	};
	struct artifact_entry *rows = NULL;
	size_t count = 0;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, AT_ONCE, &ask.limit);

	if (ask.limit > AT_MOST)
		ask.limit = AT_MOST;
	ask.limit++;
	if (!e && ask.manifest_id)
		e = entry_store_page(wandb_of(call)->q->db, &ask, &rows, &count);
	if (e)
		return e;
	list->total = artifact->row->file_count;
	list->has_more = count == (size_t)ask.limit;
	give_entries(call, artifact, rows, count, list);
	return NULL;
}

static err_t bad_names(struct gql_call *call, const char *field)
{
	return err_field(call->arena, ERR_INVALID, field,
			 "invalid %s: expected a list of at most %d names", field, NAMES_MAX);
}

/* In one page: only those that exist. */
static err_t list_named(struct gql_call *call, const struct wandb_artifact *artifact,
			const struct str *names, size_t name_count)
{
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct artifact_entry *rows = NULL;
	size_t count = 0;
	err_t e = NULL;

	if (artifact->row->manifest_id)
		e = entry_store_find_named(wandb_of(call)->q->db, artifact->row->project_id,
					   artifact->row->manifest_id, names, name_count, &rows,
					   &count);
	if (e)
		return e;
	list->total = (int64_t)count;
	give_entries(call, artifact, rows, count, list);
	return NULL;
}

/* Pages of names go on after the cursor, too. */
static size_t names_after(struct gql_call *call, const struct json_doc *list, struct str *names)
{
	struct str after = gql_arg_text(call, "after");
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!after.len || str_compare(list->items[i]->text, after) > 0)
			names[count++] = list->items[i]->text;
	}
	return count;
}

static err_t files_of(struct gql_call *call, const struct wandb_artifact *artifact)
{
	const struct json_doc *list = json_doc_get_named(call->args, "names");
	struct str *names;

	if (!json_doc_is(list, JSON_KIND_ARRAY))
		return list_page(call, artifact);
	if (list->count > NAMES_MAX)
		return bad_names(call, "names");
	names = arena_new_array(call->arena, struct str, list->count + 1);
	return list_named(call, artifact, names, names_after(call, list, names));
}

err_t wandb_artifact_files(struct gql_call *call)
{
	return files_of(call, call->parent);
}

err_t wandb_member_files(struct gql_call *call)
{
	return files_of(call, ((const struct wandb_member *)call->parent)->artifact);
}

err_t wandb_artifact_files_of_entries(struct gql_call *call)
{
	const struct json_doc *entries = json_doc_get_named(call->args, "entries");
	struct str *names;

	if (!json_doc_is(entries, JSON_KIND_ARRAY) || entries->count > NAMES_MAX)
		return bad_names(call, "entries");
	names = arena_new_array(call->arena, struct str, entries->count + 1);
	for (size_t i = 0; i < entries->count; i++) {
		const struct json_doc *name = json_doc_get_named(entries->items[i], "name");

		names[i] = json_doc_is(name, JSON_KIND_STRING) ? name->text : STR("");
	}
	return list_named(call, call->parent, names, entries->count);
}
