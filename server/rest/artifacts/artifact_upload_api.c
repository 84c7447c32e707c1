/* The files of a draft: links to upload them by, and uploads without a link. */
#include "artifact_upload_api.h"

#include "artifact_digest.h"
#include "artifact_draft.h"
#include "artifact_multipart.h"
#include "artifact_path.h"
#include "artifact_query.h"
#include "artifact_tar.h"
#include "artifact_upload.h"
#include "auth.h"
#include "json_in.h"
#include "reply.h"

enum { FILES_MAX = 1000 /* of one request */, MD5_TEXT = 2 * ARTIFACT_MD5_SIZE };

/* ---- links ------------------------------------------------------------------------------------------ */

static void read_wanted(struct request *q, struct json_in *item, struct artifact_wanted *wanted)
{
	unsigned char *md5 = arena_alloc(q->arena, ARTIFACT_MD5_SIZE);
	struct str text;

	wanted->path = json_in_text(item, "path", ARTIFACT_PATH_MAX);
	text = json_in_text(item, "md5", MD5_TEXT);
	if (!json_in_error(item) && !artifact_md5_read_hex(text, md5))
		json_in_refuse(item, "md5", "expected 32 hexadecimal digits");
	wanted->md5 = (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
}

static err_t read_files(struct request *q, struct artifact_wanted **ret_wanted, size_t *ret_count)
{
	struct artifact_wanted *wanted;
	struct json_in in;
	size_t count;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	count = json_in_array(&in, "files", FILES_MAX);
	wanted = arena_new_array(q->arena, struct artifact_wanted, count + 1);
	for (size_t i = 0; i < count; i++)
		read_wanted(q, json_in_item(&in, "files", i), &wanted[i]);
	if (!json_in_error(&in) && !count)
		json_in_refuse(&in, "files", "\"files\" contains no file");
	e = json_in_end(&in);
	for (size_t i = 0; i < count && !e; i++)
		e = artifact_path_check(q->arena, arena_printf(q->arena, "files[%zu].path", i),
					wanted[i].path);
	*ret_wanted = wanted;
	*ret_count = count;
	return e;
}

static void write_links(struct request *q, const struct artifact_wanted *wanted,
			const struct artifact_told *told, size_t count)
{
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_key(&o, "items");
	json_out_array(&o);
	for (size_t i = 0; i < count; i++) {
		json_out_object(&o);
		json_out_put_text(&o, "path", wanted[i].path);
		json_out_put_text(&o, "link", told[i].url);
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
}

err_t artifact_upload_api_ask(struct request *q)
{
	struct artifact_wanted *wanted;
	struct artifact *draft;
	struct artifact_told *told;
	size_t count;
	err_t e = read_files(q, &wanted, &count);

	if (!e)
		e = artifact_query_draft(q, &draft);
	if (!e)
		e = artifact_upload_ask(q, draft, wanted, count, &told);
	if (e)
		return e;
	write_links(q, wanted, told, count);
	return NULL;
}

/* ---- files ------------------------------------------------------------------------------------------- */

/* A repeat that says what it sends is told from another content before the body comes. */
static struct str announced_md5(struct request *q)
{
	unsigned char *md5 = arena_alloc(q->arena, ARTIFACT_MD5_SIZE);

	if (!artifact_md5_read(request_header(q, "Content-MD5"), md5))
		return STR("");
	return (struct str){ (const char *)md5, ARTIFACT_MD5_SIZE };
}

err_t artifact_upload_api_put_begin(struct request *q)
{
	struct artifact_destination destination = {
		.scope = quota_scope_of(q->target),
		.path = request_param(q, "path"),
		.md5 = announced_md5(q),
	};
	struct artifact *draft;
	err_t e = artifact_path_check(q->arena, "path", destination.path);

	if (!e)
		e = artifact_query_draft(q, &draft);
	if (e)
		return e;
	return artifact_upload_begin(q, draft, &destination);
}

err_t artifact_upload_api_put(struct request *q)
{
	struct artifact_upload upload;
	struct json_out o;
	err_t e = artifact_upload_end(q, &upload);

	if (e)
		return e;
	o = reply_json(q);
	json_out_object(&o);
	json_out_put_text(&o, "path", upload.path);
	json_out_put_int(&o, "bytes", upload.size_bytes);
	json_out_put_text(&o, "md5", artifact_md5_write_hex(q->arena, upload.md5));
	json_out_object_end(&o);
	return NULL;
}

/* ---- many files --------------------------------------------------------------------------------------- */

err_t artifact_upload_api_put_tar_begin(struct request *q)
{
	struct artifact_tar_destination destination = { .scope = quota_scope_of(q->target) };
	struct artifact *draft;
	err_t e = artifact_query_draft(q, &draft);

	if (e)
		return e;
	destination.artifact_id = draft->artifact_id;
	return artifact_tar_begin(q, &destination);
}

err_t artifact_upload_api_put_tar(struct request *q)
{
	struct artifact_tar_sum sum;
	struct json_out o;
	err_t e = artifact_tar_end(q, &sum);

	if (e)
		return e;
	o = reply_json(q);
	json_out_object(&o);
	json_out_put_int(&o, "files", sum.count);
	json_out_put_int(&o, "bytes", sum.size_bytes);
	json_out_object_end(&o);
	return NULL;
}

/* ---- a file in parts ----------------------------------------------------------------------------------- */

static err_t read_opened(struct request *q, struct artifact_wanted *wanted)
{
	struct json_in in;
	err_t e = json_in_parse(q->arena, q->body, &in);

	if (e)
		return e;
	read_wanted(q, &in, wanted);
	wanted->part_count = (int32_t)json_in_int(&in, "parts", 1, ARTIFACT_PARTS_MAX);
	return json_in_end(&in);
}

static void write_opened(struct request *q, const struct artifact_multipart_parts *open)
{
	const struct artifact_multipart *u = open->upload;
	const struct artifact_id id = { u->project_id, u->upload_id };
	struct json_out o = reply_json(q);

	json_out_object(&o);
	json_out_put_text(&o, "upload", artifact_id_write(q->arena, ARTIFACT_ID_UPLOAD, id));
	json_out_put_text(&o, "path", u->path);
	json_out_put_int(&o, "parts", u->part_count);
	json_out_key(&o, "received");
	json_out_array(&o);
	for (size_t i = 0; i < open->count; i++) {
		const struct artifact_part *part = &open->parts[i];

		json_out_object(&o);
		json_out_put_int(&o, "part", part->part);
		json_out_put_int(&o, "bytes", part->size_bytes);
		json_out_put_text(&o, "md5", artifact_md5_write_hex(q->arena, part->md5));
		json_out_object_end(&o);
	}
	json_out_array_end(&o);
	json_out_object_end(&o);
}

err_t artifact_upload_api_open(struct request *q)
{
	struct artifact_wanted *wanted = arena_new_of(q->arena, struct artifact_wanted);
	struct artifact_multipart_parts open;
	struct artifact *draft;
	err_t e = read_opened(q, wanted);

	if (!e)
		e = artifact_query_draft(q, &draft);
	if (!e)
		e = artifact_multipart_open(q, draft, wanted, &open);
	if (e)
		return e;
	write_opened(q, &open);
	return NULL;
}

/* The {draft} and the {upload} of the path, which are of one project. */
static err_t find_upload(struct request *q, struct artifact **ret_draft, int64_t *ret_upload_id)
{
	struct artifact_id id;
	err_t e = artifact_query_draft(q, ret_draft);

	if (e)
		return e;
	if (!artifact_id_read(ARTIFACT_ID_UPLOAD, request_param(q, "upload"), &id) ||
	    id.project_id != (*ret_draft)->project_id)
		return err_new(q->arena, ERR_NOT_FOUND, "the upload does not exist");
	*ret_upload_id = id.number;
	return NULL;
}

err_t artifact_upload_api_put_part_begin(struct request *q)
{
	struct part_destination destination = { .scope = quota_scope_of(q->target) };
	struct artifact *draft;
	int64_t part;
	err_t e = NULL;

	if (!str_to_int64(request_param(q, "part"), 1, ARTIFACT_PARTS_MAX, &part))
		e = err_field(q->arena, ERR_INVALID, "part", "expected a number from 1 to %d",
			      ARTIFACT_PARTS_MAX);
	if (!e)
		e = find_upload(q, &draft, &destination.upload_id);
	if (!e)
		e = artifact_draft_keep(q, draft);
	if (e)
		return e;
	destination.part = (int32_t)part;
	return artifact_part_begin(q, &destination);
}

err_t artifact_upload_api_put_part(struct request *q)
{
	const char *etag;
	err_t e = artifact_part_end(q, &etag);

	if (e)
		return e;
	reply_header(q, "ETag", etag);
	reply_status(q, 204);
	return NULL;
}

/* The body may be empty, or an object without members. */
static err_t read_nothing(struct request *q)
{
	struct json_in in;
	err_t e = q->body.len ? json_in_parse(q->arena, q->body, &in) : NULL;

	return e || !q->body.len ? e : json_in_end(&in);
}

err_t artifact_upload_api_complete(struct request *q)
{
	struct artifact *draft;
	struct artifact_wanted file;
	struct json_out o;
	int64_t upload_id;
	err_t e = read_nothing(q);

	if (!e)
		e = find_upload(q, &draft, &upload_id);
	if (!e)
		e = artifact_multipart_finish(q, draft, upload_id, &file);
	if (e)
		return e;
	o = reply_json(q);
	json_out_object(&o);
	json_out_put_text(&o, "path", file.path);
	json_out_put_text(&o, "md5", artifact_md5_write_hex(q->arena, file.md5));
	json_out_object_end(&o);
	return NULL;
}

err_t artifact_upload_api_abort(struct request *q)
{
	struct artifact *draft;
	int64_t upload_id;
	err_t e = find_upload(q, &draft, &upload_id);

	if (!e)
		e = artifact_multipart_abort(q, upload_id);
	if (!e)
		reply_status(q, 204);
	return e;
}
