#include <string.h>

#include "arena.h"
#include "artifact_store.h"
#include "blob_store.h"
#include "content.h"
#include "entry_store.h"
#include "verify_run.h"

enum { VERSIONS_AT_ONCE = 100, BLOBS_AT_ONCE = 500 };

static bool is_over(const struct verify_artifacts *v)
{
	return v->ask->stopped && v->ask->stopped();
}

/* ---- what disagrees -------------------------------------------------------------------------------- */

static err_t check_rows(struct verify_artifacts *v)
{
	struct verify_words *faults;
	size_t count;
	err_t e = verify_store_list_artifact_faults(v->db, &v->ask->scope, &faults, &count);

	for (size_t i = 0; i < count && !e; i++) {
		const struct verify_item item = {
			.project_id = faults[i].project_id,
			.entity = faults[i].entity,
			.project = faults[i].project,
		};

		v->tell(v->p, &item, arena_printf(v->answer, "%.*s", STR_ARG(faults[i].message)));
	}
	return e;
}

/* ---- entries ----------------------------------------------------------------------------------------- */

/* It may have been deleted, and its entries with it. */
static err_t is_still_there(struct verify_artifacts *v, const struct verify_version *version,
			    bool *ret_is)
{
	struct artifact *now;
	err_t e = artifact_store_find(v->db, version->project_id, version->artifact_id, &now);

	if (!e)
		*ret_is = now && now->state == ARTIFACT_COMMITTED &&
			  now->manifest_id == version->manifest_id;
	return e;
}

static err_t compare(struct verify_artifacts *v, const struct verify_version *version)
{
	const struct verify_item item = {
		.project_id = version->project_id,
		.entity = version->entity,
		.project = version->project,
	};
	struct entry_sum *sum;
	struct entry_digest all;
	bool is = true;
	err_t e = entry_store_sum(v->db, version->project_id, version->manifest_id, &sum);

	if (!e)
		e = entry_store_digest(v->db, version->project_id, version->manifest_id, &all);
	if (e || (sum->entry_count == version->file_count &&
		  sum->size_bytes == version->size_bytes && str_equal(all.digest, version->digest)))
		return e;
	e = is_still_there(v, version, &is);
	if (!e && is)
		v->tell(v->p, &item,
			arena_printf(v->one,
				     "version %d of \"%.*s\" has %lld files of %lld bytes with the "
				     "digest %.*s, but its entries are %lld of %lld with %.*s",
				     version->version, STR_ARG(version->name),
				     (long long)version->file_count, (long long)version->size_bytes,
				     STR_ARG(version->digest), (long long)sum->entry_count,
				     (long long)sum->size_bytes, STR_ARG(all.digest)));
	return e;
}

static err_t check_entries(struct verify_artifacts *v)
{
	struct verify_place after = { 0, 0 };
	struct verify_version *versions;
	size_t count;
	err_t e;

	do {
		arena_reset(v->answer);
		e = verify_store_list_versions(v->db, &v->ask->scope, &after, VERSIONS_AT_ONCE,
					       &versions, &count);
		db_set_arena(v->db, v->one);
		for (size_t i = 0; i < count && !e && !is_over(v); i++) {
			arena_reset(v->one);
			e = compare(v, &versions[i]);
			after = (struct verify_place){ versions[i].project_id,
						       versions[i].artifact_id };
		}
		db_set_arena(v->db, v->answer);
	} while (!e && count == VERSIONS_AT_ONCE && !is_over(v));
	return e;
}

/* ---- content ------------------------------------------------------------------------------------------- */

/* Finds the fault of the content; NULL if there is none. */
static err_t look(struct verify_artifacts *v, const struct verify_blob *blob,
		  const char **ret_fault)
{
	struct content_reader *reader;
	bool is_whole;
	err_t e;

	*ret_fault = NULL;
	if (blob->content.len != CONTENT_HASH_SIZE) {
		*ret_fault = "has an invalid hash";
		return NULL;
	}
	e = content_open(v->ask->content, v->one, blob->content, &reader);
	if (e && e->kind == ERR_NOT_FOUND) {
		*ret_fault = "is missing";
		return NULL;
	}
	if (!e && content_size(reader) != blob->size_bytes) {
		*ret_fault = "has a different size";
		return NULL;
	}
	if (!e)
		e = content_check(reader, blob->content, &is_whole);
	if (!e && !is_whole)
		*ret_fault = "does not match its hash";
	return e;
}

static err_t check_blob(struct verify_artifacts *v, const struct verify_blob *blob)
{
	const struct verify_item item = {
		.project_id = blob->project_id,
		.entity = blob->entity,
		.project = blob->project,
	};
	struct artifact_blob *now = NULL;
	const char *fault;
	err_t e = look(v, blob, &fault);

	v->sum->files++;
	v->sum->bytes += blob->size_bytes;
	if (!e && fault)
		e = blob_store_find(v->db, blob->project_id, blob->blob_id, &now);
	if (!e && now)
		v->tell(v->p, &item,
			arena_printf(v->one, "the content of \"%.*s\" (blob %lld) %s",
				     STR_ARG(blob->path), (long long)blob->blob_id, fault));
	return e;
}

static err_t check_content(struct verify_artifacts *v)
{
	struct verify_place after = { 0, 0 };
	struct verify_blob *blobs;
	size_t count;
	err_t e;

	if (!v->ask->content)
		return NULL;
	do {
		arena_reset(v->answer);
		e = verify_store_list_blobs(v->db, &v->ask->scope, &after, BLOBS_AT_ONCE, &blobs,
					    &count);
		db_set_arena(v->db, v->one);
		for (size_t i = 0; i < count && !e && !is_over(v); i++) {
			arena_reset(v->one);
			e = check_blob(v, &blobs[i]);
			after = (struct verify_place){ blobs[i].project_id, blobs[i].blob_id };
		}
		db_set_arena(v->db, v->answer);
	} while (!e && count == BLOBS_AT_ONCE && !is_over(v));
	return e;
}

err_t verify_artifacts(struct verify_artifacts *v)
{
	err_t e = NULL;

	if (v->ask->scope.run_id)
		return NULL;
	db_set_arena(v->db, v->answer);
	e = check_rows(v);
	if (!e)
		e = check_entries(v);
	return e ? e : check_content(v);
}
