/*
 * All files of a run as one tar. A file that is added or removed during the download may be in it or not. A file that is
 * replaced is the one of when its name was read: content is not deleted so soon (FILE_GRACE_US).
 */
#include "file_tar.h"

#include "auth.h"
#include "file_store.h"
#include "tar_stream.h"

static struct str name_in(const struct file_folder *folders, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (folders[i].beside.len && str_equal(folders[i].name, name))
			return folders[i].beside;
	}
	return name;
}

/* A disk cannot have a file and a folder of one name, so such a file gets another name. */
static err_t find_folders(struct request *q, const struct run_file *files, size_t count,
			  struct file_folder **ret_folders, size_t *ret_count)
{
	struct str *names = arena_new_array(db_arena(q->db), struct str, count + 1);

	for (size_t i = 0; i < count; i++)
		names[i] = files[i].name;
	return file_store_list_folders(q->db, q->target->run_id, names, count, ret_folders,
				       ret_count);
}

static err_t next_files(struct request *q, const void *what, struct str after,
			struct tar_files *ret_files)
{
	const struct file_ask ask = {
		.run_id = q->target->run_id,
		.after = after,
		.limit = TAR_STREAM_NAMES,
	};
	struct file_folder *folders;
	struct run_file *files;
	struct tar_file *members;
	size_t folder_count;
	size_t count;
	err_t e = file_store_list(q->db, &ask, &files, &count);

	(void)what;
	if (!e)
		e = find_folders(q, files, count, &folders, &folder_count);
	if (e)
		return e;
	members = arena_new_array(db_arena(q->db), struct tar_file, count + 1);
	for (size_t i = 0; i < count; i++)
		members[i] = (struct tar_file){
			.name = name_in(folders, folder_count, files[i].name),
			.content = { files[i].content, files[i].size_bytes, files[i].name },
			.changed_at = files[i].updated_at,
		};
	*ret_files = (struct tar_files){
		.at = members,
		.count = count,
		.position = count ? files[count - 1].name : after,
		.is_last = count < TAR_STREAM_NAMES,
	};
	return NULL;
}

/* "run-7-files" */
err_t file_tar_show(struct request *q)
{
	tar_stream(q, arena_printf(q->arena, "%.*s-files", STR_ARG(q->target->run)), next_files,
		   NULL);
	return NULL;
}
