/* The files of a version: lists, one file, all of them, and the differences between two versions. */
#include "artifact_file_api.h"

#include "artifact_digest.h"
#include "artifact_json.h"
#include "artifact_path.h"
#include "artifact_query.h"
#include "artifact_tar.h"
#include "artifact_url.h"
#include "auth.h"
#include "content_send.h"
#include "entry_store.h"
#include "file_type.h"
#include "manifest_send.h"
#include "page.h"
#include "reply.h"

/* ---- lists ---------------------------------------------------------------------------------------- */

static err_t read_prefix(struct request *q, struct str *ret_prefix)
{
	struct str prefix = request_query(q, "prefix");

	*ret_prefix = prefix.at ? prefix : STR("");
	if (!str_is_utf8(*ret_prefix) || prefix.len > ARTIFACT_PATH_MAX)
		return err_field(q->arena, ERR_INVALID, "prefix",
				 "expected at most %d bytes of UTF-8", ARTIFACT_PATH_MAX);
	return NULL;
}

static err_t read_link(struct request *q, const struct artifact *artifact,
		       const struct artifact_entry *entry, struct str *ret_link)
{
	const struct artifact_url url = {
		.use = SIGNED_ARTIFACT_READ,
		.project_id = artifact->project_id,
		.number = entry->birth_id,
		.md5 = entry->md5,
		.path = entry->path,
	};

	*ret_link = (struct str){ NULL, 0 };
	return entry->blob_id ? artifact_url(q, &url, ret_link) : NULL;
}

static err_t write_file(struct request *q, struct json_out *o, const struct artifact *artifact,
			const struct artifact_entry *entry)
{
	const bool is_file = entry->blob_id != 0;
	struct str link;
	err_t e = read_link(q, artifact, entry, &link);

	json_out_object(o);
	json_out_put_text(o, "path", entry->path);
	json_out_put_text(o, "kind", is_file ? STR("file") : STR("reference"));
	json_out_put_int(o, "files", 1);
	json_out_put_int_or_null(o, "bytes", entry->has_size, entry->size_bytes);
	json_out_put_text(o, "digest", entry->digest);
	json_out_put_text(o, "md5",
			  is_file ? artifact_md5_write_hex(q->arena, entry->md5)
				  : (struct str){ NULL, 0 });
	json_out_put_text(o, "ref", entry->ref);
	json_out_put_text(o, "content_type", str_of(file_type_of(entry->path).media_type));
	json_out_put_text(o, "link", link);
	json_out_object_end(o);
	return e;
}

static err_t list_all(struct request *q, const struct artifact *artifact, struct entry_ask *ask,
		      struct page *page)
{
	struct artifact_entry *entries;
	size_t count;
	err_t e = entry_store_page(q->db, ask, &entries, &count);

	if (e)
		return e;
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown && !e; i++)
		e = write_file(q, &page->out, artifact, &entries[i]);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(entries[page->shown - 1].path));
	page_end(q, page);
	return e;
}

/* ---- a folder ---------------------------------------------------------------------------------------- */

static void write_folder(struct json_out *o, struct str path, const struct entry_folder_item *item)
{
	json_out_object(o);
	json_out_put_text(o, "path", path);
	json_out_put_text(o, "kind", STR("folder"));
	json_out_put_int(o, "files", item->files);
	json_out_put_int(o, "bytes", item->size_bytes);
	json_out_put_null(o, "digest");
	json_out_put_null(o, "md5");
	json_out_put_null(o, "ref");
	json_out_put_null(o, "content_type");
	json_out_put_null(o, "link");
	json_out_object_end(o);
}

static struct str path_of(struct request *q, const struct entry_ask *ask,
			  const struct entry_folder_item *item)
{
	return str_of(arena_printf(q->arena, "%.*s%.*s%s", STR_ARG(ask->prefix),
				   STR_ARG(item->name), item->is_folder ? "/" : ""));
}

/* The entries of the files of a folder: its items have no links. */
static err_t find_files(struct request *q, const struct entry_ask *ask,
			const struct entry_folder_item *items, size_t count,
			struct artifact_entry **ret_entries, size_t *ret_count)
{
	struct str *paths = arena_new_array(q->arena, struct str, count + 1);
	size_t path_count = 0;

	for (size_t i = 0; i < count; i++) {
		if (!items[i].is_folder)
			paths[path_count++] = path_of(q, ask, &items[i]);
	}
	*ret_count = 0;
	if (!path_count)
		return NULL;
	return entry_store_find_named(q->db, ask->project_id, ask->manifest_id, paths, path_count,
				      ret_entries, ret_count);
}

/* Both are in the order of their paths. */
static err_t write_items(struct request *q, struct json_out *o, const struct artifact *artifact,
			 const struct entry_ask *ask, const struct entry_folder_item *items,
			 size_t count)
{
	struct artifact_entry *entries;
	size_t entry_count;
	size_t next = 0;
	err_t e = find_files(q, ask, items, count, &entries, &entry_count);

	for (size_t i = 0; i < count && !e; i++) {
		const struct str path = path_of(q, ask, &items[i]);

		if (items[i].is_folder)
			write_folder(o, path, &items[i]);
		else if (next < entry_count && str_equal(entries[next].path, path))
			e = write_file(q, o, artifact, &entries[next++]);
	}
	return e;
}

static err_t list_folder(struct request *q, const struct artifact *artifact, struct entry_ask *ask,
			 struct page *page)
{
	struct entry_folder_item *items;
	size_t count;
	err_t e;

	if (ask->prefix.len && !str_ends(ask->prefix, "/"))
		return err_field(
			q->arena, ERR_INVALID, "prefix",
			"with \"delimiter\", expected a folder: a path that ends with \"/\"");
	e = entry_store_folder(q->db, ask, &items, &count);
	if (e)
		return e;
	page_begin(q, page, count);
	e = write_items(q, &page->out, artifact, ask, items, page->shown);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(path_of(q, ask, &items[page->shown - 1])));
	page_end(q, page);
	return e;
}

err_t artifact_file_api_list(struct request *q)
{
	struct str delimiter = request_query(q, "delimiter");
	struct artifact_target target;
	struct entry_ask ask = { 0 };
	struct page page;
	err_t e = page_read(q, &page);

	if (!e)
		e = read_prefix(q, &ask.prefix);
	if (!e && delimiter.at && !str_is(delimiter, "/"))
		e = err_field(q->arena, ERR_INVALID, "delimiter", "expected /");
	if (!e)
		e = artifact_query_version(q, &target);
	if (e)
		return e;
	ask.project_id = target.artifact->project_id;
	ask.manifest_id = target.artifact->manifest_id;
	ask.after = page.after.len ? page.after : STR("");
	ask.limit = page.limit + 1;
	return delimiter.at ? list_folder(q, target.artifact, &ask, &page)
			    : list_all(q, target.artifact, &ask, &page);
}

/* ---- content ------------------------------------------------------------------------------------------- */

static err_t find_file(struct request *q, const struct artifact *artifact, struct str path,
		       struct artifact_entry **ret_entry)
{
	struct artifact_entry *entry;
	err_t e = artifact_path_check(q->arena, "path", path);

	if (!e)
		e = entry_store_find(q->db, artifact->project_id, artifact->manifest_id, path,
				     &entry);
	if (e)
		return e;
	if (!entry)
		return err_new(q->arena, ERR_NOT_FOUND, "the version has no file \"%.*s\"",
			       STR_ARG(path));
	if (!entry->blob_id)
		return err_new(q->arena, ERR_CONFLICT,
			       "\"%.*s\" is a reference, whose content is not on this server: "
			       "get it from %.*s",
			       STR_ARG(path), STR_ARG(str_head(entry->ref, 1024)));
	*ret_entry = entry;
	return NULL;
}

err_t artifact_file_api_show(struct request *q)
{
	struct artifact_target target;
	struct artifact_entry *entry;
	struct sent_content content;
	enum file_use use;
	err_t e = content_use_read(q, &use);

	if (!e)
		e = artifact_query_version(q, &target);
	if (!e)
		e = find_file(q, target.artifact, request_param(q, "path"), &entry);
	if (e)
		return e;
	content = (struct sent_content){ entry->content, entry->size_bytes, entry->path };
	return content_send(q, &content, use);
}

/* ---- all files ------------------------------------------------------------------------------------------- */

err_t artifact_file_api_tar(struct request *q)
{
	struct artifact_target target;
	struct str prefix;
	err_t e = read_prefix(q, &prefix);

	if (!e)
		e = artifact_query_version(q, &target);
	if (e)
		return e;
	artifact_tar_send(q, target.artifact, prefix);
	return NULL;
}

err_t artifact_file_api_manifest(struct request *q)
{
	struct artifact_manifest *manifest;
	struct artifact_target target;
	bool has_links;
	err_t e = request_query_bool(q, "links", &has_links);

	if (!e)
		e = artifact_query_version(q, &target);
	if (!e)
		e = entry_store_find_manifest(q->db, target.artifact->project_id,
					      target.artifact->manifest_id, &manifest);
	if (!e && !manifest)
		e = err_new(q->arena, ERR_NOT_FOUND, "the version has no manifest");
	return e ? e : manifest_send(q, manifest, has_links ? MANIFEST_LINKS : MANIFEST_LINES);
}

/* ---- differences ------------------------------------------------------------------------------------------ */

static const char *const changes[] = { "", "added", "removed", "changed" };

struct side {
	struct str digest;
	struct str ref;
	bool has_size;
	int64_t size_bytes;
};

static void write_side(struct json_out *o, const char *key, const struct side *side)
{
	if (!side->digest.at) {
		json_out_put_null(o, key);
		return;
	}
	json_out_key(o, key);
	json_out_object(o);
	json_out_put_int_or_null(o, "bytes", side->has_size, side->size_bytes);
	json_out_put_text(o, "digest", side->digest);
	json_out_put_text(o, "ref", side->ref);
	json_out_object_end(o);
}

static void write_difference(struct json_out *o, const struct entry_difference *d)
{
	const struct side from = { d->from_digest, d->from_ref, d->has_from, d->from_bytes };
	const struct side to = { d->to_digest, d->to_ref, d->has_to, d->to_bytes };

	json_out_object(o);
	json_out_put_text(o, "path", d->path);
	json_out_put_text(o, "change", str_of(changes[d->change]));
	write_side(o, "from", &from);
	write_side(o, "to", &to);
	json_out_object_end(o);
}

static void write_counts(struct json_out *o, const struct entry_counts *counts)
{
	json_out_key(o, "counts");
	json_out_object(o);
	json_out_put_int(o, "added", counts->added);
	json_out_put_int(o, "removed", counts->removed);
	json_out_put_int(o, "changed", counts->changed);
	json_out_put_int(o, "same", counts->same);
	json_out_object_end(o);
}

struct comparison {
	struct artifact_target from, to;
	struct entry_compare_ask ask;
	bool counts;
	struct page page;
};

static err_t read_comparison(struct request *q, struct comparison *c)
{
	err_t e = page_read(q, &c->page);

	if (!e)
		e = request_query_bool(q, "count", &c->counts);
	if (!e)
		e = artifact_query_named(q, "from", &c->from);
	if (!e)
		e = artifact_query_named(q, "to", &c->to);
	if (e)
		return e;
	if (c->from.artifact->project_id != c->to.artifact->project_id)
		return err_field(q->arena, ERR_INVALID, "to",
				 "versions of different projects cannot be compared");
	c->ask = (struct entry_compare_ask){
		.project_id = c->from.artifact->project_id,
		.from_id = c->from.artifact->manifest_id,
		.to_id = c->to.artifact->manifest_id,
		.after = c->page.after.len ? c->page.after : STR(""),
		.limit = c->page.limit + 1,
	};
	return NULL;
}

static err_t write_versions(struct request *q, struct comparison *c)
{
	const struct artifact_shown from = { c->from.artifact, c->from.member };
	const struct artifact_shown to = { c->to.artifact, c->to.member };
	struct json_out *o = &c->page.out;
	err_t e = artifact_json_put(q, o, "from", &from);

	return e ? e : artifact_json_put(q, o, "to", &to);
}

static err_t reply_comparison(struct request *q, struct comparison *c,
			      const struct entry_difference *differences, size_t count)
{
	struct page *page = &c->page;
	struct entry_counts *counts;
	err_t e = NULL;

	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		write_difference(&page->out, &differences[i]);
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(differences[page->shown - 1].path));
	page_end_items(q, page);
	if (c->counts)
		e = entry_store_compare_counts(q->db, &c->ask, &counts);
	if (!e && c->counts)
		write_counts(&page->out, counts);
	if (!e)
		e = write_versions(q, c);
	json_out_object_end(&page->out);
	return e;
}

err_t artifact_file_api_compare(struct request *q)
{
	struct comparison *c = arena_new_of(q->arena, struct comparison);
	struct entry_difference *differences;
	size_t count;
	err_t e = read_comparison(q, c);

	if (!e)
		e = entry_store_compare(q->db, &c->ask, &differences, &count);
	return e ? e : reply_comparison(q, c, differences, count);
}
