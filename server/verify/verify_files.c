#include <string.h>

#include "arena.h"
#include "content.h"
#include "file_store.h"
#include "verify_run.h"

enum { FILES_AT_ONCE = 500 };

static const struct verify_location file_location = { .part = VERIFY_FILE, .writer = -1 };
static const struct verify_location counter_location = { .part = VERIFY_COUNTER, .writer = -1 };

err_t verify_file_count(struct verify_run *v)
{
	struct file_sum *sum;
	err_t e;

	db_set_arena(v->db, v->answer);
	e = file_store_sum(v->db, v->item->run_id, &sum);
	if (e)
		return e;
	if (sum->file_count != v->hot->file_count || sum->file_bytes != v->hot->file_bytes)
		verify_tell(v, &counter_location,
			    "it counts %lld files of %lld bytes, but has %lld of %lld bytes",
			    (long long)v->hot->file_count, (long long)v->hot->file_bytes,
			    (long long)sum->file_count, (long long)sum->file_bytes);
	return NULL;
}

/* Finds the fault of the content; NULL if there is none. */
static err_t look(struct verify_run *v, const struct run_file *file, const char **ret_fault)
{
	struct content_reader *reader;
	bool is_whole;
	err_t e;

	if (file->content.len != CONTENT_HASH_SIZE) {
		*ret_fault = "has an invalid hash";
		return NULL;
	}
	e = content_open(v->ask->content, v->one, file->content, &reader);
	if (e && e->kind == ERR_NOT_FOUND) {
		*ret_fault = "is missing";
		return NULL;
	}
	if (!e && content_size(reader) != file->size_bytes) {
		*ret_fault = "has a different size";
		return NULL;
	}
	if (!e)
		e = content_check(reader, file->content, &is_whole);
	*ret_fault = !e && !is_whole ? "does not match its hash" : NULL;
	return e;
}

/* The name may lead to another file by now, or to none. */
static err_t is_still_so(struct verify_run *v, const struct run_file *file, bool *ret_so)
{
	struct run_file *now;
	err_t e = file_store_find(v->db, v->item->run_id, file->name, &now);

	if (!e)
		*ret_so = now && str_equal(now->content, file->content);
	return e;
}

static err_t check_file(struct verify_run *v, const struct run_file *file)
{
	const char *fault;
	bool so = true;
	err_t e;

	arena_reset(v->one);
	e = look(v, file, &fault);
	if (!e && fault)
		e = is_still_so(v, file, &so);
	if (e)
		return e;
	if (fault && so)
		verify_tell(v, &file_location, "the content of \"%.*s\" %s", STR_ARG(file->name),
			    fault);
	v->sum.files++;
	v->sum.bytes += file->size_bytes;
	return NULL;
}

err_t verify_files(struct verify_run *v)
{
	struct file_ask ask = {
		.run_id = v->item->run_id,
		.after = STR(""),
		.limit = FILES_AT_ONCE,
	};
	struct run_file *files;
	size_t count = 0;
	err_t e = NULL;

	if (!v->ask->content)
		return NULL;
	db_set_arena(v->db, v->slice);
	do {
		if (count)
			ask.after = (struct str){ str_copy(v->arena, files[count - 1].name),
						  files[count - 1].name.len };
		arena_reset(v->slice);
		e = file_store_list(v->db, &ask, &files, &count);
		for (size_t i = 0; i < count && !e; i++)
			e = check_file(v, &files[i]);
	} while (!e && count == FILES_AT_ONCE);
	db_set_arena(v->db, v->answer);
	return e;
}
