#include "wandb_files.h"

#include <sodium.h>
#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "file_link.h"
#include "file_name.h"
#include "file_store.h"
#include "file_type.h"
#include "left_out_store.h"
#include "odd_name.h"
#include "run_target.h"
#include "sdk_role.h"
#include "wandb.h"
#include "wandb_change.h"
#include "wandb_id.h"
#include "wandb_input.h"
#include "wandb_list.h"
#include "wandb_run.h"
#include "wandb_writer.h"

enum { FILES_NAMED_MAX = 10000, FILES_PAGE_MAX = 1000, FILES_PAGE = 50 };

struct file {
	struct str cursor; /* its name */
	struct str asked;  /* the name as the client wrote it */
	struct str
		form; /* as which a file is stored that was put under that name; empty: its name */
	int64_t run_id;
	const struct run_file *stored; /* NULL: asked for, and not there */
	bool is_refused;               /* no file can have this name */
};

static err_t empty_list(struct gql_call *call)
{
	json_out_array(call->out);
	json_out_array_end(call->out);
	return NULL;
}

static err_t put_link(struct gql_call *call, enum signed_use use)
{
	const struct file *file = call->parent;
	struct wandb *w = wandb_of(call);
	const struct file_link_ask ask = {
		.use = use,
		.run_id = file->run_id,
		.name = file->cursor,
		.client = w->client,
	};
	struct str link;
	err_t e = wandb_now(w);

	if (!e)
		e = file_link(w->q, &ask, &link);
	if (!e)
		json_out_text(call->out, link);
	return e;
}

/* ---- links to put files by ------------------------------------------------------------------------ */

struct created {
	struct str run_id;
	struct file *files;
	size_t count;
};

/* As many as were asked for: the client gives up for another number. */
static err_t created_files(struct gql_call *call)
{
	const struct created *created = call->parent;

	gql_give_list(call, created->files, created->count, sizeof(created->files[0]));
	return NULL;
}

/* Null for a name that is left out. */
static err_t upload_url(struct gql_call *call)
{
	if (((const struct file *)call->parent)->is_refused)
		return NULL;
	return put_link(call, SIGNED_WRITE);
}

static const struct gql_field upload_fields[] = {
	GQL_MEMBER("name", GQL_TEXT_MEMBER, struct file, asked),
	GQL_VALUE_FIELD("uploadUrl", NULL, upload_url),
};
static const struct gql_type upload_type = GQL_TYPE("UploadFile", upload_fields);

static const struct gql_field created_fields[] = {
	GQL_MEMBER("runID", GQL_TEXT_MEMBER, struct created, run_id),
	GQL_VALUE_FIELD("uploadHeaders", NULL, empty_list),
	GQL_OBJECT_FIELD("files", NULL, created_files, &upload_type),
};
const struct gql_type wandb_created_files_type = GQL_TYPE("CreateRunFilesPayload", created_fields);

static err_t read_names(struct wandb *w, const struct json_doc *names, struct file **ret_files)
{
	struct arena *a = w->q->arena;
	struct file *files;

	if (!json_doc_is(names, JSON_KIND_ARRAY) || names->count > FILES_NAMED_MAX)
		return err_field(a, ERR_INVALID, "files", "expected a list of at most %d names",
				 FILES_NAMED_MAX);
	files = arena_new_array(a, struct file, names->count + 1);
	for (size_t i = 0; i < names->count; i++) {
		files[i].run_id = w->q->target->run_id;
		files[i].asked = names->items[i]->text;
	}
	*ret_files = files;
	return NULL;
}

/* Names that no file can have are left out and do not count as files; names that are too long are cut. */
static void fit_name(struct arena *a, struct file *file, struct left_out_list *left_out)
{
	struct left_out member = { LEFT_OUT_FILE, LEFT_OUT_VALUE_TOO_LARGE, file->asked,
				   file->asked, 1 };

	file->is_refused = file_name_fit(a, "files", file->asked, &file->cursor);
	if (file->is_refused) {
		file->cursor = STR("");
		member.reason = LEFT_OUT_NAME_INVALID;
	}
	if (file->is_refused || file->asked.len > FILE_NAME_MAX)
		left_out_add(left_out, a, &member);
}

static err_t save_left_out(struct request *q, const void *left_out)
{
	struct run *run;
	err_t e = run_target_lock(q, &run);

	return e ? e : left_out_store_add(q->db, run->run_id, left_out, q->now);
}

/* Which files a process writes tells its role and its label. */
static err_t learn(struct wandb *w, const struct file *files, size_t count)
{
	struct str label = STR("");
	bool is_primary = false;

	for (size_t i = 0; i < count; i++) {
		struct str told = sdk_role_file_label(files[i].cursor);

		is_primary = is_primary || sdk_role_file_is_of_primary(files[i].cursor);
		if (told.len)
			label = told;
	}
	return wandb_writer_learn(w->q, w->client, is_primary, label);
}

err_t wandb_create_files(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	const struct json_doc *names = json_doc_get_named(input, "files");
	struct created *created = arena_new_of(call->arena, struct created);
	struct left_out_list left_out = { .count = 0 };
	struct wandb *w = wandb_of(call);
	const struct auth_ask ask = {
		.access = ACCESS_WRITE,
		.entity = wandb_input_text(input, "entityName"),
		.project = wandb_input_text(input, "projectName"),
		.run = wandb_input_text(input, "runName"),
	};
	const struct target *t;
	err_t e = wandb_target_run(w, &ask);

	if (!e)
		e = read_names(w, names, &created->files);
	if (e)
		return e;
	for (size_t i = 0; i < names->count; i++)
		fit_name(call->arena, &created->files[i], &left_out);
	e = learn(w, created->files, names->count);
	if (!e && left_out.total)
		e = wandb_change(w->q, save_left_out, &left_out);
	if (e)
		return e;
	t = w->q->target;
	created->count = names->count;
	created->run_id = wandb_id_of_run(call->arena, t->entity, t->project, t->run);
	gql_give(call, created);
	return NULL;
}

/* ---- lists ---------------------------------------------------------------------------------------- */

static err_t file_id(struct gql_call *call)
{
	const struct file *file = call->parent;
	const struct target *t = wandb_of(call)->q->target;

	json_out_text(call->out,
		      wandb_id(call->arena, "RunFile",
			       str_of(arena_printf(call->arena, "%.*s:%.*s:%.*s:%.*s",
						   STR_ARG(t->run), STR_ARG(t->project),
						   STR_ARG(t->entity), STR_ARG(file->cursor)))));
	return NULL;
}

/* Only those who may write are given a link to write by. */
static err_t file_url(struct gql_call *call)
{
	const struct file *file = call->parent;
	struct wandb *w = wandb_of(call);
	struct str url;
	err_t e;

	if (gql_arg_bool(call, "upload") && w->q->target->right >= ACCESS_RIGHT_WRITE)
		return put_link(call, SIGNED_WRITE);
	e = file_link_url(w->q, file->cursor, &url);
	if (!e)
		json_out_text(call->out, url);
	return e;
}

/* A link works for whatever comes to its name: of what is not there yet those who may write get one. */
static err_t file_direct_url(struct gql_call *call)
{
	const struct file *file = call->parent;
	struct wandb *w = wandb_of(call);
	struct str url;
	err_t e;

	if (file->stored || w->q->target->right >= ACCESS_RIGHT_WRITE)
		return put_link(call, SIGNED_READ);
	e = file_link_url(w->q, file->cursor, &url);
	if (!e)
		json_out_text(call->out, url);
	return e;
}

static err_t file_size(struct gql_call *call)
{
	const struct file *file = call->parent;

	json_out_int(call->out, file->stored ? file->stored->size_bytes : 0);
	return NULL;
}

static err_t file_mimetype(struct gql_call *call)
{
	const struct file *file = call->parent;

	json_out_text(call->out, str_of(file_type_of(file->cursor).media_type));
	return NULL;
}

static err_t file_updated_at(struct gql_call *call)
{
	const struct file *file = call->parent;

	if (file->stored)
		json_out_time(call->out, file->stored->updated_at);
	return NULL;
}

/* In base64, as the SDK compares it with what it has. */
static err_t file_md5(struct gql_call *call)
{
	char text[sodium_base64_ENCODED_LEN(FILE_MD5_SIZE, sodium_base64_VARIANT_ORIGINAL)];
	const struct file *file = call->parent;

	if (!file->stored)
		return NULL;
	sodium_bin2base64(text, sizeof(text), (const unsigned char *)file->stored->md5.at,
			  FILE_MD5_SIZE, sodium_base64_VARIANT_ORIGINAL);
	json_out_text(call->out, str_of(text));
	return NULL;
}

/* Under the name that it was asked by, so that a download has that name. */
static err_t file_name(struct gql_call *call)
{
	const struct file *file = call->parent;

	json_out_text(call->out, file->form.len ? file->asked : file->cursor);
	return NULL;
}

static const struct gql_field file_fields[] = {
	GQL_VALUE_FIELD("id", NULL, file_id),
	GQL_VALUE_FIELD("name", NULL, file_name),
	GQL_VALUE_FIELD("url", "upload", file_url),
	GQL_VALUE_FIELD("directUrl", NULL, file_direct_url),
	GQL_VALUE_FIELD("sizeBytes", NULL, file_size),
	GQL_VALUE_FIELD("mimetype", NULL, file_mimetype),
	GQL_VALUE_FIELD("updatedAt", NULL, file_updated_at),
	GQL_VALUE_FIELD("md5", NULL, file_md5),
};
static const struct gql_type file_type = GQL_TYPE("File", file_fields);
WANDB_EDGE_TYPE(file, "File", file_type);

static const struct gql_field files_fields[] = {
	GQL_OBJECT_FIELD("edges", NULL, wandb_list_edges, &file_edge_type),
	GQL_OBJECT_FIELD("pageInfo", NULL, wandb_list_page, &wandb_page_type),
	GQL_VALUE_FIELD("totalCount", NULL, wandb_list_total),
	GQL_VALUE_FIELD("uploadHeaders", NULL, empty_list),
};
const struct gql_type wandb_files_type = GQL_TYPE("FileConnection", files_fields);

static int by_name(const void *name, const void *file)
{
	return str_compare(*(const struct str *)name, ((const struct run_file *)file)->name);
}

/* A name that has another form is that of a file over REST, or the SDK's name of the file that has the form. */
static err_t find_names(struct wandb *w, struct file *file)
{
	err_t e;

	if (!odd_name_is(file->asked, ODD_NAME_FILE))
		return file_name_read(w->q->arena, "files", file->asked, &file->cursor);
	e = file_name_fit(w->q->arena, "files", file->asked, &file->form);
	if (file_name_read(w->q->arena, "files", file->asked, &file->cursor))
		file->cursor = file->form;
	return e;
}

/* An edge for every name, in their order: who asks for one file takes the first. */
static err_t list_named(struct wandb *w, const struct json_doc *asked, struct wandb_list *list)
{
	struct arena *a = w->q->arena;
	struct run_file *stored;
	struct file *files;
	struct str *names;
	size_t count = 0;
	err_t e = read_names(w, asked, &files);

	names = arena_new_array(a, struct str, 2 * asked->count + 1);
	for (size_t i = 0; i < asked->count && !e; i++) {
		e = find_names(w, &files[i]);
		names[count++] = files[i].cursor;
		if (files[i].form.len)
			names[count++] = files[i].form;
	}
	if (!e)
		e = file_store_list_named(w->q->db, w->q->target->run_id, names, count, &stored,
					  &count);
	for (size_t i = 0; i < asked->count && !e && count; i++) {
		struct file *file = &files[i];

		file->stored = bsearch(&file->cursor, stored, count, sizeof(*stored), by_name);
		if (file->stored || !file->form.len)
			continue;
		file->cursor = file->form;
		file->stored = bsearch(&file->form, stored, count, sizeof(*stored), by_name);
	}
	*list = (struct wandb_list){ files, asked->count, sizeof(files[0]), false,
				     (int64_t)asked->count };
	return e;
}

static err_t list_page(struct gql_call *call, struct wandb_list *list)
{
	struct wandb *w = wandb_of(call);
	struct file_ask ask = {
		.run_id = w->q->target->run_id,
		.after = gql_arg_text(call, "after"),
		.pattern = gql_arg_text(call, "pattern"),
	};
	struct run_file *stored;
	struct file *files;
	size_t count;
	err_t e = gql_arg_int(call, "first", 0, INT32_MAX, FILES_PAGE, &ask.limit);

	if (e)
		return e;
	e = file_name_check_pattern(call->arena, ask.pattern);
	if (e)
		return e;
	if (!ask.pattern.len)
		ask.pattern = (struct str){ NULL, 0 };
	if (ask.limit > FILES_PAGE_MAX)
		ask.limit = FILES_PAGE_MAX;
	ask.limit++;
	e = file_store_list(w->q->db, &ask, &stored, &count);
	if (e)
		return e;
	files = arena_new_array(call->arena, struct file, count + 1);
	for (size_t i = 0; i < count; i++)
		files[i] = (struct file){
			.cursor = stored[i].name,
			.run_id = ask.run_id,
			.stored = &stored[i],
		};
	*list = (struct wandb_list){ .items = files, .size = sizeof(files[0]), .total = -1 };
	list->has_more = count == (size_t)ask.limit;
	list->count = count - list->has_more;
	return NULL;
}

err_t wandb_run_files(struct gql_call *call)
{
	const struct json_doc *names = json_doc_get_named(call->args, "names");
	const struct wandb_run *run = call->parent;
	struct wandb_list *list = arena_new_of(call->arena, struct wandb_list);
	struct wandb *w = wandb_of(call);
	err_t e;

	w->q->target = run->target;
	if (json_doc_is(names, JSON_KIND_ARRAY) && names->count)
		e = list_named(w, names, list);
	else
		e = list_page(call, list);
	if (!e)
		gql_give(call, list);
	return e;
}

err_t wandb_run_file_count(struct gql_call *call)
{
	json_out_int(call->out, ((const struct wandb_run *)call->parent)->run->file_count);
	return NULL;
}

/* ---- their end ------------------------------------------------------------------------------------ */

struct done {
	bool success;
};
static const struct done success = { true };

static const struct gql_field done_fields[] = {
	GQL_MEMBER("success", GQL_BOOL_MEMBER, struct done, success),
};
const struct gql_type wandb_deleted_files_type = GQL_TYPE("DeleteFilesPayload", done_fields);
const struct gql_type wandb_uploaded_files_type =
	GQL_TYPE("MarkRunFilesUploadedPayload", done_fields);

/* "RUN:PROJECT:ENTITY:NAME"; none of the first three holds a colon. */
static err_t read_id(struct wandb *w, struct str id, struct auth_ask *ask, struct str *ret_name)
{
	struct str rest;

	if (!wandb_id_read(w->q->arena, id, "RunFile", &rest))
		return err_field(w->q->arena, ERR_INVALID, "files", "invalid file id");
	*ask = (struct auth_ask){ .access = ACCESS_WRITE };
	ask->run = str_cut(&rest, ':');
	ask->project = str_cut(&rest, ':');
	ask->entity = str_cut(&rest, ':');
	*ret_name = rest;
	return NULL;
}

struct named_file {
	struct auth_ask run;
	struct str name;
};

static int by_run(const void *a, const void *b)
{
	const struct auth_ask *x = &((const struct named_file *)a)->run;
	const struct auth_ask *y = &((const struct named_file *)b)->run;
	int order = str_compare(x->run, y->run);

	if (!order)
		order = str_compare(x->project, y->project);
	return order ? order : str_compare(x->entity, y->entity);
}

static err_t read_ids(struct wandb *w, const struct json_doc *ids, struct named_file **ret_files)
{
	struct named_file *files = arena_new_array(w->q->arena, struct named_file, ids->count + 1);
	err_t e = NULL;

	for (size_t i = 0; i < ids->count && !e; i++)
		e = read_id(w, ids->items[i]->text, &files[i].run, &files[i].name);
	if (!e && ids->count)
		qsort(files, ids->count, sizeof(files[0]), by_run);
	*ret_files = files;
	return e;
}

struct names {
	const struct str *at;
	size_t count;
};

static err_t delete_names(struct request *q, const void *what)
{
	const struct names *names = what;
	struct run *run;
	int64_t count;
	err_t e = run_target_lock(q, &run);

	return e ? e : file_store_delete(q->db, run, names->at, names->count, q->now, &count);
}

/* Deletes the files of the first file's run, which are next to one another. */
static err_t delete_of_run(struct wandb *w, const struct named_file *files, size_t count,
			   size_t *ret_done)
{
	struct str *at = arena_new_array(w->q->arena, struct str, count);
	struct names names = { at, 0 };
	err_t e;

	while (names.count < count && !by_run(&files[0], &files[names.count])) {
		at[names.count] = files[names.count].name;
		names.count++;
	}
	*ret_done = names.count;
	e = wandb_target(w, &files[0].run);
	return e ? e : wandb_change(w->q, delete_names, &names);
}

err_t wandb_delete_files(struct gql_call *call)
{
	const struct json_doc *input = json_doc_get_named(call->args, "input");
	const struct json_doc *ids = json_doc_get_named(input, "files");
	struct wandb *w = wandb_of(call);
	struct named_file *files;
	size_t done = 0;
	err_t e;

	if (!json_doc_is(ids, JSON_KIND_ARRAY) || ids->count > FILES_NAMED_MAX)
		return err_field(call->arena, ERR_INVALID, "files", "expected a list of ids");
	e = read_ids(w, ids, &files);
	for (size_t i = 0; !e && i < ids->count; i += done)
		e = delete_of_run(w, &files[i], ids->count - i, &done);
	if (!e)
		gql_give(call, &success);
	return e;
}

/* A file is there once its last byte is: nothing is left to mark. */
err_t wandb_mark_files(struct gql_call *call)
{
	gql_give(call, &success);
	return NULL;
}
