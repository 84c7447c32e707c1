#include "run_attempt.h"

#include "attempt_store.h"
#include "auth.h"
#include "document_edit.h"
#include "json_doc.h"
#include "run_documents.h"
#include "run_store.h"
#include "run_view.h"

static bool is_empty(const struct json_doc *config, const struct json_doc *summary)
{
	return !config->count && !summary->count;
}

err_t run_attempt_keep(struct request *q, const struct run *run)
{
	const struct run_reader reader = run_view_reader(q);
	const struct attempt_info info = {
		.attempt = run->attempt,
		.state = run->state,
		.row_count = run_rows(run),
		.ended_at = run->ended_at,
		.kept_at = q->now,
	};
	struct attempt_documents documents;
	const struct json_doc *config;
	const struct json_doc *summary;
	err_t e;

	if (!run_has_ended(run) || run->state == RUN_PENDING)
		return NULL;
	e = run_documents_config(&reader, run, &config);
	if (!e)
		e = run_documents_summary(&reader, run, &summary);
	if (e || is_empty(config, summary))
		return e;
	documents = (struct attempt_documents){ json_doc_dump(q->arena, config),
						json_doc_dump(q->arena, summary) };
	return attempt_store_keep(q->db, run->run_id, &info, &documents);
}

err_t run_attempt_document(struct request *q, int64_t run_id, int32_t attempt,
			   enum document_kind kind, struct str *ret_text)
{
	struct attempt_documents *kept;
	struct err *unknown;
	err_t e = attempt_store_find(q->db, run_id, attempt, &kept);

	if (e)
		return e;
	if (kept) {
		*ret_text = kind == DOCUMENT_CONFIG ? kept->config : kept->summary;
		return NULL;
	}
	unknown = err_field(q->arena, ERR_NOT_FOUND, "attempt",
			    "the config and summary of attempt %d are not stored", attempt);
	unknown->hint = "GET .../attempts lists the attempts that are";
	return unknown;
}

/* ---- restoring ------------------------------------------------------------------------------------- */

static const struct json_doc *missing(struct arena *a, const struct json_doc *now,
				      const struct json_doc *then);

/* Returns the patch that restores the earlier value; NULL: it is the same. */
static const struct json_doc *missing_value(struct arena *a, const struct json_doc *now,
					    const struct json_doc *then)
{
	const struct json_doc *some;

	if (now && json_doc_equal(now, then))
		return NULL;
	if (!json_doc_is(now, JSON_KIND_OBJECT) || !json_doc_is(then, JSON_KIND_OBJECT))
		return then;
	some = missing(a, now, then);
	return some->count ? some : NULL;
}

/* Makes a merge patch. An earlier null, which a patch cannot set, is omitted. */
static const struct json_doc *missing(struct arena *a, const struct json_doc *now,
				      const struct json_doc *then)
{
	struct json_member *members = arena_new_array(a, struct json_member, then->count);
	size_t count = 0;

	for (size_t i = 0; i < then->count; i++) {
		const struct json_member *m = &then->members[i];
		const struct json_doc *value;

		if (json_doc_is(m->value, JSON_KIND_NULL))
			continue;
		value = missing_value(a, json_doc_get(now, m->name), m->value);
		if (value)
			members[count++] = (struct json_member){ m->name, value };
	}
	return json_doc_object(a, members, count);
}

static err_t restore(struct request *q, const struct run *run, int32_t attempt,
		     enum document_kind kind)
{
	const struct json_doc *now;
	const struct json_doc *then;
	struct str text;
	err_t e = run_view_document(q, kind, run, &text);

	if (!e)
		e = json_doc_parse(q->arena, text, &now);
	if (!e)
		e = run_attempt_document(q, run->run_id, attempt, kind, &text);
	if (!e)
		e = json_doc_parse(q->arena, text, &then);
	if (e)
		return e;
	then = missing(q->arena, now, then);
	return then->count ? document_edit(q, kind, then) : NULL;
}

err_t run_attempt_restore(struct request *q, int32_t attempt)
{
	static const enum document_kind kinds[] = { DOCUMENT_CONFIG, DOCUMENT_SUMMARY };
	struct run *run;
	err_t e = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && !e; i++) {
		e = run_store_get(q->db, q->target->run_id, &run);
		if (!e)
			e = restore(q, run, attempt, kinds[i]);
	}
	return e;
}
