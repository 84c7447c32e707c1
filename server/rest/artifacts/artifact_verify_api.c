/*
 * Reads the files of a version again and compares them with what its manifest says. A request reads for a limited time, and
 * its cursor continues: a client that stops asking keeps no worker.
 */
#include "artifact_verify_api.h"

#include <string.h>

#include "app.h"
#include "artifact_query.h"
#include "artifact_turn.h"
#include "auth.h"
#include "clock.h"
#include "content.h"
#include "entry_store.h"
#include "page.h"

enum { FILES = 1000, FILES_MAX = 10000, TIME_MAX_US = 10 * 1000 * 1000, FILE_ARENA = 4096 };

struct verifying {
	struct request *q;
	struct page page;
	int64_t files; /* that were read; references have no content */
	int64_t bytes;
};

static const char *compare(const struct artifact_entry *entry, const struct content_sums *sums)
{
	if (sums->size_bytes != entry->size_bytes)
		return "size";
	if (memcmp(sums->hash, entry->content.at, CONTENT_HASH_SIZE) != 0)
		return "hash";
	return memcmp(sums->md5, entry->md5.at, CONTENT_MD5_SIZE) != 0 ? "md5" : NULL;
}

/* An open file ends with the arena. */
static err_t read_file(struct verifying *v, struct arena *a, const struct artifact_entry *entry,
		       const char **ret_fault)
{
	struct content_reader *reader;
	struct content_sums sums;
	err_t e = content_open(v->q->app->content, a, entry->content, &reader);

	if (e && e->kind == ERR_NOT_FOUND) {
		*ret_fault = "missing";
		return NULL;
	}
	if (!e)
		e = content_sum(reader, &sums);
	if (e)
		return err_wrap(v->q->arena, e, "verify");
	*ret_fault = compare(entry, &sums);
	v->bytes += sums.size_bytes;
	return NULL;
}

static err_t verify(struct verifying *v, const struct artifact_entry *entry)
{
	struct json_out *o = &v->page.out;
	const char *fault = NULL;
	struct arena *a;
	err_t e;

	if (!entry->blob_id)
		return NULL;
	a = arena_new_beside(v->q->arena, FILE_ARENA);
	e = read_file(v, a, entry, &fault);
	arena_free(a);
	v->files++;
	if (e || !fault)
		return e;
	json_out_object(o);
	json_out_put_text(o, "path", entry->path);
	json_out_put_text(o, "fault", str_of(fault));
	json_out_object_end(o);
	return NULL;
}

static err_t verify_page(struct verifying *v, const struct artifact_entry *entries, size_t count)
{
	const int64_t end_us = clock_mono_us() + TIME_MAX_US;
	struct page *page = &v->page;
	size_t done = 0;
	err_t e = NULL;

	page_begin(v->q, page, count);
	while (done < page->shown && !e && (!done || clock_mono_us() < end_us))
		e = verify(v, &entries[done++]);
	if (e)
		return e;
	if (done < count)
		page_set_cursor(v->q, page, "%.*s", STR_ARG(entries[done - 1].path));
	page_end_items(v->q, page);
	json_out_put_int(&page->out, "files", v->files);
	json_out_put_int(&page->out, "bytes", v->bytes);
	json_out_object_end(&page->out);
	return NULL;
}

static err_t verify_in_turn(struct verifying *v, const struct artifact *version)
{
	const struct entry_ask ask = {
		.project_id = version->project_id,
		.manifest_id = version->manifest_id,
		.after = v->page.after.len ? v->page.after : STR(""),
		.prefix = STR(""),
		.limit = v->page.limit + 1,
	};
	struct artifact_entry *entries;
	size_t count;
	err_t e;

	if (!artifact_turn_begin(v->q->app, ARTIFACT_STORES))
		return err_new(v->q->arena, ERR_BUSY,
			       "too many artifacts are being verified or stored");
	e = entry_store_page(v->q->db, &ask, &entries, &count);
	if (!e)
		e = verify_page(v, entries, count);
	artifact_turn_end(v->q->app, ARTIFACT_STORES);
	return e;
}

err_t artifact_verify_api_post(struct request *q)
{
	struct verifying *v = arena_new_of(q->arena, struct verifying);
	struct artifact_target target;
	err_t e = page_read_limited(q, FILES, FILES_MAX, &v->page);

	v->q = q;
	if (!e)
		e = artifact_query_version(q, &target);
	return e ? e : verify_in_turn(v, target.artifact);
}
