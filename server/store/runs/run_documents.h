#ifndef RUN_DOCUMENTS_H
#define RUN_DOCUMENTS_H

#include "db.h"
#include "document_store.h"
#include "json_doc.h"
#include "key_stats.h"
#include "run.h"
#include "searched_summary.h"

struct codec;
struct keys_row;
struct metric_cache;

/*
 * A run's documents as they are now: writers' parts merged, users' edits on top, the summary's
 * history keys from statistics and tail, so that all acknowledged data is in them.
 */
struct run_reader {
	struct db *db;
	struct codec *codec;
	struct metric_cache *metrics;
};

err_t run_documents_config(const struct run_reader *r, const struct run *run,
			   const struct json_doc **ret_doc) __attribute__((warn_unused_result));
err_t run_documents_summary(const struct run_reader *r, const struct run *run,
			    const struct json_doc **ret_doc) __attribute__((warn_unused_result));

/*
 * Both, and the last values of history keys that the summary lacks, so
 * that lists of keys have them.
 */
struct run_documents {
	const struct json_doc *config;
	struct searched_summary summary;
	const struct json_doc *logged;
};
err_t run_documents_shown(const struct run_reader *r, const struct run *run,
			  struct run_documents *ret_documents) __attribute__((warn_unused_result));

/* Statistics of a stream's keys over all writers, compacted or not; by the numbers that keys have in the project. */
err_t run_documents_keys(const struct run_reader *r, int64_t project_id, int64_t run_id, int stream,
			 struct key_stats *ret_stats) __attribute__((warn_unused_result));

/* The same from rows of a run read by series_store_read_keys(), possibly among others. */
err_t run_documents_sum_keys(const struct run_reader *r, const struct keys_row *rows, size_t count,
			     struct key_stats *ret_stats) __attribute__((warn_unused_result));

/* The keys that a branch may have, and other keys of the run; `branch` as in series_ask. */
err_t run_documents_keys_of_branch(const struct run_reader *r, int64_t project_id, int64_t run_id,
				   int32_t branch, struct key_stats *ret_stats)
	__attribute__((warn_unused_result));

/*
 * The searched document: { id, display_name, state, job_type, group, sweep, tags, notes, user,
 * created_at, started_at, ended_at, heard_at, rows, writers, writers_lost, host, config, summary,
 * whole, logged }, the last two only if they are not empty. summary, whole: searched_summary.h.
 */
struct run_info;
err_t run_documents_searched(const struct run_reader *r, const struct run *run,
			     const struct run_info *info, timestamp_us now, struct str *ret_text)
	__attribute__((warn_unused_result));

#endif
