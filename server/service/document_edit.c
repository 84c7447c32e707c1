#include "document_edit.h"

#include "app.h"
#include "auth.h"
#include "document.h"
#include "edit_log.h"
#include "etag.h"
#include "leaf_store.h"
#include "run_target.h"
#include "run_view.h"
#include "sdk_lists.h"

static err_t require(struct request *q, enum document_kind kind, const struct run *run)
{
	struct str text;
	err_t e;

	if (!request_header(q, "If-Match").at)
		return NULL;
	e = run_view_document(q, kind, run, &text);
	return e ? e : etag_require(q, text);
}

/* The edits of people so far. */
struct overlay {
	const struct json_doc *patch;
	const struct json_doc *rows;
	const struct json_doc *editors;
	bool is_there;
};

/* The position of each edited key: the run's next row. */
static const struct json_doc *note_rows(struct arena *a, const struct json_doc *rows,
					const struct json_doc *edit, int64_t next_row)
{
	const struct json_doc *at = json_doc_of_int64(a, next_row);

	for (size_t i = 0; i < edit->count; i++)
		rows = json_doc_with(a, rows, edit->members[i].name, at);
	return rows;
}

/* The document of the writers, without the edits of people. */
static err_t read_base(struct request *q, enum document_kind kind, const struct run *run,
		       const struct json_doc **ret_base)
{
	const struct leaf_document of = { run->run_id, kind };
	struct leaves leaves;
	err_t e;

	e = leaf_store_list(q->db, &of, &leaves);
	if (e)
		return e;
	*ret_base = leaves_join(q->arena, &leaves);
	if (kind == DOCUMENT_CONFIG)
		*ret_base = sdk_lists_close(q->arena, *ret_base);
	return NULL;
}

static err_t read_overlay(struct request *q, enum document_kind kind, const struct run *run,
			  struct overlay *ret_overlay)
{
	struct overlay_row *row;
	err_t e = document_store_find_overlay(q->db, run->run_id, kind, &row);

	*ret_overlay = (struct overlay){ json_doc_empty(), json_doc_empty(), json_doc_empty(),
					 row != NULL };
	if (!e && row)
		e = json_doc_parse(q->arena, row->patch, &ret_overlay->patch);
	if (!e && row)
		e = json_doc_parse(q->arena, row->rows, &ret_overlay->rows);
	if (!e && row)
		e = json_doc_parse(q->arena, row->editors, &ret_overlay->editors);
	return e;
}

static err_t add_to_overlay(struct request *q, enum document_kind kind, const struct run *run,
			    const struct json_doc *edit)
{
	const struct edit by = { q->identity->name, q->now };
	const struct json_doc *base = json_doc_empty();
	struct overlay_row save;
	struct overlay is;
	err_t e;

	e = read_overlay(q, kind, run, &is);
	if (!e && is.is_there)
		e = read_base(q, kind, run, &base);
	if (e)
		return e;
	is.patch = document_overlay_add(q->arena, is.patch, edit, base);
	is.rows = note_rows(q->arena, is.rows, edit, run->next_row);
	is.editors = edit_log_after(q->arena, is.editors, edit, is.patch, &by);
	save = (struct overlay_row){
		.seq = run->document_seq + 1,
		.rows = json_doc_dump(q->arena, is.rows),
		.editors = json_doc_dump(q->arena, is.editors),
	};
	e = document_dump(q->arena, kind == DOCUMENT_CONFIG ? "config" : "summary", is.patch,
			  &save.patch);
	if (e)
		return e;
	return document_store_save_overlay(q->db, run->run_id, kind, &save);
}

err_t document_edit(struct request *q, enum document_kind kind, const struct json_doc *edit)
{
	struct run_changes none = { .count = 0 };
	struct run *run;
	err_t e;

	e = run_target_lock(q, &run);
	if (!e)
		e = require(q, kind, run);
	if (!e)
		e = add_to_overlay(q, kind, run, edit);
	if (!e)
		e = run_target_save(q, run, &none);
	return e;
}
