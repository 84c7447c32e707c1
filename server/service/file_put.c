#include "file_put.h"

#include "content_put.h"
#include "replica.h"
#include "run_store.h"
#include "server_store.h"

err_t file_put_begin(struct request *q, const struct file_destination *destination)
{
	struct file_destination *kept = arena_new_of(q->arena, struct file_destination);

	*kept = *destination;
	return content_put_begin(q, &kept->scope, kept);
}

static err_t put_locked(struct request *q, timestamp_us now)
{
	const struct file_destination *destination = content_put_what(q);
	const struct content_sums *sums = content_put_sums(q);
	const struct run_file file = {
		.name = destination->name,
		.size_bytes = sums->size_bytes,
		.md5 = { (const char *)sums->md5, CONTENT_MD5_SIZE },
		.content = { (const char *)sums->hash, CONTENT_HASH_SIZE },
		.user_id = destination->user_id,
		.client = destination->client,
		.updated_at = now,
	};
	struct run *run;
	err_t e = run_store_lock(q->db, destination->run_id, &run);

	return e ? e : file_store_put(q->db, run, &file);
}

static err_t put(struct request *q)
{
	timestamp_us now;
	err_t e = server_store_begin_now(q->db, (int)request_left_ms(q), &now);

	if (!e)
		e = put_locked(q, now);
	if (!e)
		return db_commit(q->db);
	db_rollback(q->db);
	return e;
}

err_t file_put_end(struct request *q, struct run_file **ret_file)
{
	const struct file_destination *destination = content_put_what(q);
	err_t e = content_put_end(q);

	if (!e)
		e = put(q);
	content_put_release(q);
	if (e)
		return e;
	replica_tell_written(q, db_written(q->db));
	e = file_store_find(q->db, destination->run_id, destination->name, ret_file);
	if (!e && !*ret_file)
		return err_new(q->arena, ERR_CONFLICT, "the file was deleted during the upload");
	return e;
}
