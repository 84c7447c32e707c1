#include "manifest_send.h"

#include <string.h>

#include "artifact_id.h"
#include "artifact_path.h"
#include "artifact_url.h"
#include "db.h"
#include "entry_store.h"
#include "reply.h"

enum { ENTRIES_AT_ONCE = 1000 };

struct sending {
	struct artifact_manifest manifest;
	enum manifest_form form;
	bool has_begun;
	int64_t sent; /* entries */
	size_t after_len;
	char after[ARTIFACT_PATH_MAX];
};

/* ---- entries ------------------------------------------------------------------------------------------ */

static void write_wandb(struct json_out *o, struct arena *a, const struct sending *s,
			const struct artifact_entry *entry)
{
	const struct artifact_id birth = { s->manifest.project_id, entry->birth_id };

	json_out_key_str(o, entry->path);
	json_out_object(o);
	json_out_put_text(o, "digest", entry->digest);
	if (entry->blob_id)
		json_out_put_text(o, "birthArtifactID",
				  artifact_id_write(a, ARTIFACT_ID_VERSION, birth));
	if (entry->ref.at)
		json_out_put_text(o, "ref", entry->ref);
	if (entry->has_size)
		json_out_put_int(o, "size", entry->size_bytes);
	if (entry->extra.at) {
		json_out_key(o, "extra");
		json_out_sent(o, entry->extra);
	}
	json_out_object_end(o);
}

/* The URL is made in the request's arena, which ends with the answer. */
static err_t put_link(struct json_out *o, struct request *q, const struct sending *s,
		      const struct artifact_entry *entry)
{
	const struct artifact_url url = {
		.use = SIGNED_ARTIFACT_READ,
		.project_id = s->manifest.project_id,
		.number = entry->birth_id,
		.md5 = entry->md5,
		.path = entry->path,
	};
	struct arena_mark mark = arena_mark(q->arena);
	struct str link;
	err_t e = artifact_url(q, &url, &link);

	if (e)
		return e;
	json_out_put_text(o, "link", link);
	arena_rewind(q->arena, &mark);
	return NULL;
}

static err_t write_line(struct buf *slice, struct request *q, const struct sending *s,
			const struct artifact_entry *entry)
{
	struct json_out o = json_out_begin(slice);
	err_t e = NULL;

	json_out_object(&o);
	json_out_put_text(&o, "path", entry->path);
	json_out_put_int_or_null(&o, "bytes", entry->has_size, entry->size_bytes);
	json_out_put_text(&o, "digest", entry->digest);
	json_out_put_text(&o, "ref", entry->ref);
	if (s->form == MANIFEST_LINKS && entry->blob_id)
		e = put_link(&o, q, s, entry);
	else if (s->form == MANIFEST_LINKS)
		json_out_put_null(&o, "link");
	json_out_object_end(&o);
	buf_add_byte(slice, '\n');
	return e;
}

/* ---- the answer ---------------------------------------------------------------------------------------- */

static void begin(struct buf *slice, const struct sending *s)
{
	buf_add_text(slice, "{\"version\":1,\"storagePolicy\":\"wandb-storage-policy-v1\","
			    "\"storagePolicyConfig\":");
	if (s->manifest.config.at) {
		struct json_out o = json_out_begin(slice);

		json_out_sent(&o, s->manifest.config);
	} else {
		buf_add_text(slice, "{\"storageLayout\":\"V2\"}");
	}
	buf_add_text(slice, ",\"contents\":{");
}

static err_t write_entries(struct buf *slice, struct request *q, const struct sending *s,
			   const struct artifact_entry *entries, size_t count)
{
	struct json_out o = json_out_begin(slice);
	err_t e = NULL;

	o.comma = s->sent > 0;
	for (size_t i = 0; i < count && !e; i++) {
		if (s->form == MANIFEST_WANDB)
			write_wandb(&o, db_arena(q->db), s, &entries[i]);
		else
			e = write_line(slice, q, s, &entries[i]);
	}
	return e;
}

/* A call that failed has changed nothing, and is repeated. */
static err_t next_slice(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct sending *s = state;
	const struct entry_ask ask = {
		.project_id = s->manifest.project_id,
		.manifest_id = s->manifest.manifest_id,
		.after = { s->after, s->after_len },
		.prefix = STR(""),
		.limit = ENTRIES_AT_ONCE,
	};
	struct artifact_entry *entries;
	size_t count;
	err_t e = entry_store_page(q->db, &ask, &entries, &count);

	if (!e && count < ENTRIES_AT_ONCE && s->sent + (int64_t)count != s->manifest.entry_count)
		return err_new(q->arena, ERR_GONE,
			       "the version was deleted while its manifest was sent");
	if (e)
		return e;
	if (s->form == MANIFEST_WANDB && !s->has_begun)
		begin(slice, s);
	s->has_begun = true;
	e = write_entries(slice, q, s, entries, count);
	if (e)
		return e;
	*ret_done = count < ENTRIES_AT_ONCE;
	if (s->form == MANIFEST_WANDB && *ret_done)
		buf_add_text(slice, "}}");
	if (!count)
		return NULL;
	s->sent += (int64_t)count;
	s->after_len = entries[count - 1].path.len;
	memcpy(s->after, entries[count - 1].path.at, s->after_len);
	return NULL;
}

err_t manifest_send(struct request *q, const struct artifact_manifest *manifest,
		    enum manifest_form form)
{
	struct sending *s = arena_new_of(q->arena, struct sending);

	if (!manifest->stored_at.us)
		return err_new(q->arena, ERR_NOT_FOUND, "the manifest was not sent yet");
	s->manifest = *manifest;
	s->form = form;
	reply_header(q, "Cache-Control", "private, no-cache");
	reply_stream(q, form == MANIFEST_WANDB ? "application/json" : "application/x-ndjson",
		     next_slice, s);
	return NULL;
}
