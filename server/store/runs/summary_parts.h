#ifndef SUMMARY_PARTS_H
#define SUMMARY_PARTS_H

#include "leaves.h"
#include "run_documents.h"
#include "series_store.h"

/* The parts of a run's summary, for finding the origin of its values. */
struct summary_parts {
	const struct json_doc *summary; /* as it is shown */
	const struct json_doc *derived; /* of history */
	struct leaves set;              /* explicitly */
	const struct json_doc *patch;   /* users' edits that apply; NULL: none */
	const struct json_doc *editors; /* of them, edit_log.h */
	struct keys_row *rows;          /* the rows that are summed up in */
	size_t row_count;
	struct key_stats stats;
	struct str *names; /* of the keys */
};

/* The parts of a run's config. */
struct config_parts {
	const struct json_doc *config; /* as it is shown */
	struct leaves set;
	const struct json_doc *patch;   /* users' edits; NULL: none */
	const struct json_doc *editors; /* of them */
};
err_t run_documents_config_parts(const struct run_reader *r, const struct run *run,
				 struct config_parts *ret_parts)
	__attribute__((warn_unused_result));

/* The config says how some keys are summarized. */
err_t run_documents_summary_parts(const struct run_reader *r, const struct run *run,
				  const struct json_doc *config, struct summary_parts *ret_parts)
	__attribute__((warn_unused_result));

/* One of these rows; in the arena. */
err_t run_documents_decode_keys(const struct run_reader *r, struct arena *a,
				const struct keys_row *row, struct key_stats *ret_stats)
	__attribute__((warn_unused_result));

#endif
