/* The audit log, read: pages from the latest on, or all of it as lines. */
#include <inttypes.h>

#include "audit_note.h"
#include "page.h"
#include "reply.h"

enum { LINES_AT_ONCE = 1000 };
#define NEVER_US (INT64_MAX / 2)

static void write_entry(struct json_out *o, const struct audit_entry *entry)
{
	json_out_object(o);
	json_out_put_int(o, "id", entry->audit_id);
	json_out_put_time(o, "at", entry->at);
	json_out_put_text_or_null(o, "actor", entry->actor);
	json_out_put_text(o, "way", str_of(audit_way_name((enum audit_way)entry->way)));
	json_out_put_int_or_null(o, "key", entry->key_id, entry->key_id);
	json_out_put_text_or_null(o, "address", entry->address);
	json_out_put_text(o, "action", entry->action);
	json_out_put_text_or_null(o, "entity", entry->entity);
	json_out_put_text_or_null(o, "project", entry->project);
	json_out_put_text_or_null(o, "run", entry->run);
	json_out_put_text_or_null(o, "subject", entry->subject);
	json_out_put_text(o, "detail", entry->detail);
	json_out_object_end(o);
}

/* ---- what is asked ------------------------------------------------------------------------------ */

static struct str asked(const struct request *q, const char *name)
{
	struct str value = request_query(q, name);

	return value.at ? value : STR("");
}

static err_t read_times(struct request *q, struct audit_ask *ask)
{
	err_t e = request_query_seconds(q, "since", 0, &ask->since.us);

	if (!e)
		e = request_query_seconds(q, "until", NEVER_US, &ask->until.us);
	return e;
}

static err_t read_ask(struct request *q, struct audit_ask *ask)
{
	*ask = (struct audit_ask){
		.before = INT64_MAX,
		.before_at = { NEVER_US },
		.actor = asked(q, "actor"),
		.action = asked(q, "action"),
		.entity = asked(q, "entity"),
		.project = asked(q, "project"),
	};
	if (ask->action.len && !audit_is_action(ask->action))
		return err_field(
			q->arena, ERR_INVALID, "action",
			"unknown action: expected an action such as \"project.delete\" or a kind "
			"such as \"project\"");
	return read_times(q, ask);
}

static void go_on_behind(struct audit_ask *ask, const struct audit_entry *last)
{
	ask->before_at = last->at;
	ask->before = last->audit_id;
}

/* ---- lines -------------------------------------------------------------------------------------- */

static err_t next_lines(struct request *q, void *state, struct buf *slice, bool *ret_done)
{
	struct audit_ask *ask = state;
	struct audit_entry *entries;
	size_t count;
	err_t e = audit_store_list(q->db, ask, &entries, &count);

	if (e)
		return e;
	for (size_t i = 0; i < count; i++) {
		struct json_out out = json_out_begin(slice);

		write_entry(&out, &entries[i]);
		buf_add_byte(slice, '\n');
	}
	if (count)
		go_on_behind(ask, &entries[count - 1]);
	*ret_done = count < LINES_AT_ONCE;
	return NULL;
}

static err_t reply_lines(struct request *q, struct audit_ask *ask)
{
	static const char *const of_pages[] = { "limit", "cursor" };
	struct audit_ask *kept = arena_new_of(q->arena, struct audit_ask);

	for (size_t i = 0; i < 2; i++) {
		if (request_query(q, of_pages[i]).at)
			return err_field(q->arena, ERR_INVALID, of_pages[i],
					 "\"%s\" requires format=json", of_pages[i]);
	}
	*kept = *ask;
	kept->limit = LINES_AT_ONCE;
	reply_stream(q, "application/x-ndjson", next_lines, kept);
	return NULL;
}

/* ---- a page ------------------------------------------------------------------------------------- */

/* "<at> <id>" of the last entry. */
static bool read_position(struct str after, struct audit_ask *ask)
{
	struct str at = str_cut(&after, ' ');

	return str_to_int64(at, 0, NEVER_US, &ask->before_at.us) &&
	       str_to_int64(after, 0, INT64_MAX, &ask->before);
}

static err_t reply_page(struct request *q, struct audit_ask *ask)
{
	struct audit_entry *entries;
	struct page page;
	size_t count;
	err_t e = page_read(q, &page);

	if (e)
		return e;
	if (page.after.len && !read_position(page.after, ask))
		return page_bad_cursor(q);
	ask->limit = page.limit + 1;
	e = audit_store_list(q->db, ask, &entries, &count);
	if (e)
		return e;
	page_begin(q, &page, count);
	for (size_t i = 0; i < page.shown; i++)
		write_entry(&page.out, &entries[i]);
	if (page.has_more)
		page_set_cursor(q, &page, "%" PRId64 " %" PRId64, entries[page.shown - 1].at.us,
				entries[page.shown - 1].audit_id);
	page_end(q, &page);
	return NULL;
}

err_t audit_api_list(struct request *q)
{
	struct str format = request_query(q, "format");
	struct audit_ask ask;
	err_t e = read_ask(q, &ask);

	if (e)
		return e;
	if (str_is(format, "ndjson"))
		return reply_lines(q, &ask);
	if (format.at && !str_is(format, "json"))
		return err_field(q->arena, ERR_INVALID, "format", "must be json or ndjson");
	return reply_page(q, &ask);
}
