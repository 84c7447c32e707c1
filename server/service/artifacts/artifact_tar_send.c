#include "artifact_tar.h"

#include <string.h>

#include "artifact_path.h"
#include "db.h"
#include "entry_store.h"
#include "tar_stream.h"

_Static_assert((int)TAR_STREAM_POSITION_MAX >= (int)ARTIFACT_PATH_MAX, "a path is a position");

struct first {
	size_t len; /* 0: none was sent */
	char path[ARTIFACT_PATH_MAX];
};

struct sent {
	int64_t project_id;
	int64_t manifest_id;
	struct str prefix;
	timestamp_us committed_at;
	struct first *first;
};

/* Entries of a deleted version are removed in order of path: while the first one is there, all are. */
static err_t check_first(struct request *q, const struct sent *sent)
{
	struct artifact_entry *entry;
	err_t e = sent->first->len
			  ? entry_store_find(q->db, sent->project_id, sent->manifest_id,
					     (struct str){ sent->first->path, sent->first->len },
					     &entry)
			  : NULL;

	if (!e && sent->first->len && !entry)
		return err_new(q->arena, ERR_GONE,
			       "the version was deleted while its files were sent");
	return e;
}

static void keep_first(const struct sent *sent, struct str path)
{
	memcpy(sent->first->path, path.at, path.len);
	sent->first->len = path.len;
}

/* References have no content here. */
static err_t next_files(struct request *q, const void *what, struct str after,
			struct tar_files *ret_files)
{
	const struct sent *sent = what;
	const struct entry_ask ask = {
		.project_id = sent->project_id,
		.manifest_id = sent->manifest_id,
		.after = after,
		.prefix = sent->prefix,
		.limit = TAR_STREAM_NAMES,
	};
	struct artifact_entry *entries;
	struct tar_file *files;
	size_t entry_count;
	size_t count = 0;
	err_t e = entry_store_page(q->db, &ask, &entries, &entry_count);

	if (!e)
		e = check_first(q, sent);
	if (e)
		return e;
	if (!after.len && entry_count)
		keep_first(sent, entries[0].path);
	files = arena_new_array(db_arena(q->db), struct tar_file, entry_count + 1);
	for (size_t i = 0; i < entry_count; i++) {
		const struct artifact_entry *entry = &entries[i];

		if (entry->blob_id)
			files[count++] = (struct tar_file){
				.name = entry->path,
				.content = { entry->content, entry->size_bytes, entry->path },
				.changed_at = sent->committed_at,
			};
	}
	*ret_files = (struct tar_files){
		.at = files,
		.count = count,
		.position = entry_count ? entries[entry_count - 1].path : after,
		.is_last = entry_count < TAR_STREAM_NAMES,
	};
	return NULL;
}

/* "model-v3" */
void artifact_tar_send(struct request *q, const struct artifact *version, struct str prefix)
{
	struct sent *sent = arena_new_of(q->arena, struct sent);

	*sent = (struct sent){ version->project_id, version->manifest_id, prefix,
			       version->committed_at, arena_new_of(q->arena, struct first) };
	tar_stream(q,
		   arena_printf(q->arena, "%.*s-v%d", STR_ARG(version->collection),
				(int)version->version),
		   next_files, sent);
}
