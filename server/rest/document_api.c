#include "document_api.h"

#include "auth.h"
#include "branch_store.h"
#include "document_edit.h"
#include "etag.h"
#include "json_doc.h"
#include "json_out.h"
#include "json_pointer.h"
#include "labels.h"
#include "page.h"
#include "run_attempt.h"
#include "run_store.h"
#include "run_view.h"

/* Reads the document of an abandoned branch, as it was when the branch was left. */
static err_t read_left(struct request *q, enum document_kind kind, const struct run *run,
		       int32_t branch, struct str *ret_text)
{
	struct branch_documents *left;
	err_t e = branch_store_documents(q->db, run->run_id, branch, &left);

	if (e)
		return e;
	if (!left)
		return err_field(q->arena, ERR_NOT_FOUND, "branch", "the run has no branch %d",
				 branch);
	*ret_text = kind == DOCUMENT_CONFIG ? left->config : left->summary;
	return NULL;
}

static err_t read(struct request *q, enum document_kind kind, const struct run *run,
		  struct str *ret_text)
{
	int64_t attempt = -1;
	int64_t branch = -1;
	err_t e = NULL;

	if (q->method == GET) /* what is changed is that of now */
		e = request_query_int(q, "branch", 0, INT32_MAX - 1, -1, &branch);
	if (!e && q->method == GET)
		e = request_query_int(q, "attempt", 0, INT32_MAX - 1, -1, &attempt);
	if (e)
		return e;
	if (attempt >= 0 && branch >= 0)
		return err_field(q->arena, ERR_INVALID, "attempt",
				 "\"attempt\" and \"branch\" exclude each other");
	if (attempt >= 0 && attempt != run->attempt)
		return run_attempt_document(q, run->run_id, (int32_t)attempt, kind, ret_text);
	if (branch >= 0 && branch != run->branch)
		return read_left(q, kind, run, (int32_t)branch, ret_text);
	return run_view_document(q, kind, run, ret_text);
}

enum { POINTER_MAX = 1000 };

/* The whole, or the value that the query points at; null where there is none. */
static err_t write_part(struct request *q, struct str text, struct buf *body)
{
	struct str pointer = request_query(q, "pointer");
	const struct json_doc *doc;
	err_t e;

	if (!pointer.len) {
		buf_add_str(body, text);
		return NULL;
	}
	if (pointer.len > POINTER_MAX)
		return err_field(q->arena, ERR_INVALID, "pointer", "longer than %d bytes",
				 POINTER_MAX);
	e = json_doc_parse(q->arena, text, &doc);
	if (!e)
		e = json_pointer_find(q->arena, doc, "pointer", pointer, &doc);
	if (!e)
		json_doc_write(body, doc ? doc : json_doc_null());
	return e;
}

static err_t show(struct request *q, enum document_kind kind)
{
	struct buf *body = buf_new(q->arena);
	struct str text;
	struct run *run;
	err_t e;

	e = run_store_get(q->db, q->target->run_id, &run);
	if (!e)
		e = read(q, kind, run, &text);
	if (!e)
		e = write_part(q, text, body);
	return e ? e : etag_reply(q, "application/json", body);
}

static err_t patch(struct request *q, enum document_kind kind)
{
	const struct json_doc *edit;
	err_t e;

	e = json_doc_parse_body(q->arena, q->body, &edit);
	if (e)
		return e;
	if (!json_doc_is(edit, JSON_KIND_OBJECT))
		return err_new(q->arena, ERR_INVALID,
			       "a merge patch of a document must be an object");
	e = document_edit(q, kind, edit);
	return e ? e : show(q, kind);
}

err_t document_api_show_config(struct request *q)
{
	return show(q, DOCUMENT_CONFIG);
}

err_t document_api_patch_config(struct request *q)
{
	return patch(q, DOCUMENT_CONFIG);
}

err_t document_api_show_summary(struct request *q)
{
	return show(q, DOCUMENT_SUMMARY);
}

err_t document_api_patch_summary(struct request *q)
{
	return patch(q, DOCUMENT_SUMMARY);
}

/* ---- conflicts ---------------------------------------------------------------------------------- */

static err_t write_values(struct request *q, struct json_out *o, struct str text,
			  const struct labels *labels)
{
	const struct json_doc *values;
	err_t e;

	e = json_doc_parse(q->arena, text, &values);
	if (e)
		return e;
	json_out_key(o, "writers");
	json_out_array(o);
	for (size_t i = 0; i < values->count; i++) {
		int64_t number = -1;

		json_doc_int64(json_doc_get_named(values->items[i], "writer"), &number);
		json_out_object(o);
		json_out_put_int(o, "writer", number);
		json_out_put_text(o, "label", labels_of(labels, (int32_t)number));
		json_out_put_raw(o, "value",
				 json_doc_dump(q->arena,
					       json_doc_get_named(values->items[i], "value")));
		json_out_object_end(o);
	}
	json_out_array_end(o);
	return NULL;
}

static err_t write_conflict(struct request *q, struct json_out *o, const struct conflict_row *row,
			    const struct labels *labels)
{
	err_t e;

	json_out_object(o);
	json_out_put_text(o, "document",
			  row->kind == DOCUMENT_CONFIG ? STR("config") : STR("summary"));
	json_out_put_text(o, "key", row->key);
	json_out_put_int(o, "count", row->count);
	e = write_values(q, o, row->writers, labels);
	json_out_put_time(o, "changed_at", row->changed_at);
	json_out_object_end(o);
	return e;
}

/* A position is "<document> <key>". */
static err_t read_position(struct request *q, struct page *ret_page, int16_t *ret_kind)
{
	int64_t kind = 0;
	err_t e;

	e = page_read(q, ret_page);
	if (!e && ret_page->after.len &&
	    !str_to_int64(str_cut(&ret_page->after, ' '), DOCUMENT_CONFIG, DOCUMENT_SUMMARY, &kind))
		e = page_bad_cursor(q);
	*ret_kind = (int16_t)kind;
	return e;
}

static err_t reply_conflicts(struct request *q, struct page *page, const struct conflict_row *rows,
			     size_t count)
{
	struct labels labels;
	err_t e;

	e = labels_read(q, &labels);
	if (e)
		return e;
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown && !e; i++)
		e = write_conflict(q, &page->out, &rows[i], &labels);
	if (e)
		return e;
	if (page->has_more) {
		const struct conflict_row *last = &rows[page->shown - 1];

		page_set_cursor(q, page, "%d %.*s", last->kind, STR_ARG(last->key));
	}
	page_end(q, page);
	return NULL;
}

err_t document_api_conflicts(struct request *q)
{
	struct conflict_row *rows;
	struct page page;
	int16_t kind;
	size_t count;
	err_t e;

	e = read_position(q, &page, &kind);
	if (!e)
		e = document_store_list_conflicts(q->db, q->target->run_id, kind, page.after,
						  page.limit + 1, &rows, &count);
	return e ? e : reply_conflicts(q, &page, rows, count);
}
