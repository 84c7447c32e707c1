#include "file_send.h"

#include "file_store.h"

err_t file_send(struct request *q, int64_t run_id, struct str name, enum file_use use)
{
	struct sent_content content;
	struct run_file *file;
	err_t e = file_store_find(q->db, run_id, name, &file);

	if (e)
		return e;
	if (!file)
		return err_new(q->arena, ERR_NOT_FOUND, "the run has no file \"%.*s\"",
			       STR_ARG(name));
	content = (struct sent_content){ file->content, file->size_bytes, file->name };
	return content_send(q, &content, use);
}
