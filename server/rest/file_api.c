/*
 * Files of runs over REST, and by links. What both have in common, and the second front door with them, is in
 * file_put, file_send and file_link.
 */
#include "file_api.h"

#include "auth.h"
#include "file_json.h"
#include "file_link.h"
#include "file_name.h"
#include "file_put.h"
#include "file_send.h"
#include "odd_name.h"
#include "page.h"
#include "reply.h"
#include "run_target.h"
#include "signed_link.h"

static err_t read_name(struct request *q, struct str *ret_name)
{
	return file_name_read(q->arena, "name", request_param(q, "name"), ret_name);
}

/* A file of the wandb SDK is found by the name that it had there, too (odd_name.h). */
static err_t find_name(struct request *q, struct str *ret_name)
{
	struct str asked = request_param(q, "name");
	struct run_file *file = NULL;
	err_t fault = read_name(q, ret_name);
	err_t e;

	if (!odd_name_is(asked, ODD_NAME_FILE))
		return fault;
	e = fault ? NULL : file_store_find(q->db, q->target->run_id, *ret_name, &file);
	return e || file ? e : file_name_fit(q->arena, "name", asked, ret_name);
}

/* ---- list ------------------------------------------------------------------------------------- */

static err_t write_page(struct request *q, struct page *page, const struct run_file *files,
			size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++) {
		err_t e = file_json_write(&page->out, q, q->target->run_id, &files[i]);

		if (e)
			return e;
	}
	if (page->has_more)
		page_set_cursor(q, page, "%.*s", STR_ARG(files[page->shown - 1].name));
	page_end(q, page);
	return NULL;
}

err_t file_api_list(struct request *q)
{
	struct file_ask ask = {
		.run_id = q->target->run_id,
		.pattern = request_query(q, "pattern"),
	};
	struct run_file *files;
	struct page page;
	size_t count;
	err_t e = file_name_check_pattern(q->arena, ask.pattern);

	if (!e)
		e = page_read(q, &page);
	if (e)
		return e;
	ask.after = page.after.len ? page.after : STR("");
	ask.limit = page.limit + 1;
	e = file_store_list(q->db, &ask, &files, &count);
	return e ? e : write_page(q, &page, files, count);
}

/* ---- links ------------------------------------------------------------------------------------ */

static err_t write_link(struct json_out *o, struct request *q, struct str name)
{
	const struct file_link_ask ask = {
		.use = SIGNED_WRITE,
		.run_id = q->target->run_id,
		.name = name,
		.client = STR(""),
	};
	struct str link;
	err_t e = file_link(q, &ask, &link);

	if (e)
		return e;
	json_out_object(o);
	json_out_put_text(o, "name", name);
	json_out_put_text(o, "link", link);
	json_out_put_time(o, "expires_at",
			  (timestamp_us){ signed_link_expiry(q) * INT64_C(1000000) });
	json_out_object_end(o);
	return NULL;
}

err_t file_api_post(struct request *q)
{
	struct str *names;
	size_t count;
	struct json_out out;
	err_t e = file_json_read_names(q, &names, &count);

	if (e)
		return e;
	out = reply_json(q);
	json_out_object(&out);
	json_out_key(&out, "items");
	json_out_array(&out);
	for (size_t i = 0; i < count && !e; i++)
		e = write_link(&out, q, names[i]);
	json_out_array_end(&out);
	json_out_object_end(&out);
	return e;
}

/* ---- one -------------------------------------------------------------------------------------- */

err_t file_api_show(struct request *q)
{
	struct str name;
	enum file_use use;
	err_t e = find_name(q, &name);

	if (!e)
		e = content_use_read(q, &use);
	return e ? e : file_send(q, q->target->run_id, name, use);
}

err_t file_api_put_begin(struct request *q)
{
	struct file_destination destination = {
		.run_id = q->target->run_id,
		.scope = quota_scope_of(q->target),
		.user_id = q->identity->user_id,
		.client = STR(""),
	};
	err_t e = read_name(q, &destination.name);

	return e ? e : file_put_begin(q, &destination);
}

static err_t reply_put(struct request *q, int64_t run_id)
{
	struct json_out out;
	struct run_file *file;
	err_t e = file_put_end(q, &file);

	if (e)
		return e;
	out = reply_json(q);
	return file_json_write(&out, q, run_id, file);
}

err_t file_api_put(struct request *q)
{
	return reply_put(q, q->target->run_id);
}

err_t file_api_delete(struct request *q)
{
	struct str name;
	struct run *run;
	int64_t count;
	err_t e = read_name(q, &name);

	if (!e)
		e = run_target_lock(q, &run);
	if (!e)
		e = file_store_delete(q->db, run, &name, 1, q->now, &count);
	if (!e && !count)
		return err_new(q->arena, ERR_NOT_FOUND, "the run has no file \"%.*s\"",
			       STR_ARG(name));
	return e;
}

/* ---- by a link -------------------------------------------------------------------------------- */

err_t file_api_link_show(struct request *q)
{
	struct signed_url url;
	struct file_owner *owner;
	err_t e = file_link_read(q, SIGNED_READ, &url, &owner);

	return e ? e : file_send(q, url.number, url.name, FILE_USE_SAVED);
}

err_t file_api_link_put_begin(struct request *q)
{
	struct signed_url url;
	struct file_owner *owner;
	struct file_destination destination;
	err_t e = file_link_read(q, SIGNED_WRITE, &url, &owner);

	if (e)
		return e;
	destination = (struct file_destination){
		.run_id = owner->run_id,
		.scope = { owner->entity_id, owner->project_id, owner->entity, owner->project },
		.name = url.name,
		.user_id = url.user_id,
		.client = url.client,
	};
	return file_put_begin(q, &destination);
}

/* The link was checked before the body came: it may expire on the way, the right it was made from may not. */
err_t file_api_link_put(struct request *q)
{
	struct run_file *file;
	err_t e = file_link_still(q, SIGNED_WRITE);

	return e ? e : file_put_end(q, &file);
}
