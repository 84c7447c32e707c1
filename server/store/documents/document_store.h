#ifndef DOCUMENT_STORE_H
#define DOCUMENT_STORE_H

#include "db.h"
#include "db_row.h"
#include "document.h"

/* Config, summary, users' edits and conflicts as stored; documents are JSON text. */

enum document_kind { DOCUMENT_CONFIG = 1, DOCUMENT_SUMMARY = 2 };

struct config_row {
	int32_t writer;
	int64_t seq;
	struct str document;
	struct str common; /* .at NULL: the document (sdk_common.h) */
};
/* Every different document, in order of last change; equal ones of many writers come once. */
err_t document_store_list_other_configs(struct db *db, int64_t run_id, int32_t writer,
					struct config_row **ret_rows, size_t *ret_count);
/* *ret_row is NULL if the writer sent none. */
err_t document_store_find_config(struct db *db, int64_t run_id, int32_t writer,
				 struct config_row **ret_row);
err_t document_store_save_config(struct db *db, int64_t run_id, const struct config_row *row);

/* The last whole summary of a writer, and what it logged since. */
struct sent_row {
	int64_t run_id;
	int32_t writer;
	struct str summary; /* .at NULL: none yet */
	struct str waiting; /* .at NULL: none */
	struct str ahead;
	int32_t session;   /* of the writer */
	struct str common; /* .at NULL: the summary (sdk_common.h) */
};
/* For pairs of a run and a writer; writers that sent nothing yet are left out. */
err_t document_store_find_sent(struct db *db, const int64_t *run_ids, const int32_t *writers,
			       size_t count, struct sent_row **ret_rows, size_t *ret_count);
/* For the first writers that sent one, as far as they take so many bytes. */
err_t document_store_list_sent(struct db *db, int64_t run_id, int64_t limit, int64_t bytes,
			       struct sent_row **ret_rows, size_t *ret_count);
/* The parameters of sent_save for rows, each of another writer. */
struct db_args document_store_sent_args(struct arena *a, const struct sent_row *rows, size_t count);

struct overlay_row {
	int64_t seq;
	struct str patch;   /* merge patch; null is a tombstone */
	struct str rows;    /* {"key": the run's next row when it was edited} */
	struct str editors; /* edit_log.h */
};
err_t document_store_find_overlay(struct db *db, int64_t run_id, enum document_kind kind,
				  struct overlay_row **ret_row);
err_t document_store_save_overlay(struct db *db, int64_t run_id, enum document_kind kind,
				  const struct overlay_row *row);

struct conflict_row {
	int16_t kind;
	struct str key;
	int64_t count;
	struct str writers; /* [{"writer":0,"value":…},…] */
	timestamp_us changed_at;
};
/* The conflicts of these keys that are known. */
err_t document_store_find_conflicts(struct db *db, int64_t run_id, enum document_kind kind,
				    const struct conflicts *of, struct conflict_row **ret_rows,
				    size_t *ret_count);
/* Each key once; `count` more of it. */
err_t document_store_save_conflicts(struct db *db, int64_t run_id, enum document_kind kind,
				    const struct conflict_row *rows, size_t count,
				    timestamp_us now);
/* By document and key, those after (kind, key). */
err_t document_store_list_conflicts(struct db *db, int64_t run_id, int16_t kind, struct str key,
				    int64_t limit, struct conflict_row **ret_rows,
				    size_t *ret_count);

#endif
