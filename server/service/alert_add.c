#include "alert_add.h"

#include "alert_store.h"
#include "auth.h"
#include "run_target.h"
#include "writer_store.h"

static err_t find_writer(struct request *q, struct str client, int32_t *ret_writer)
{
	struct writer *writers;
	size_t count;
	err_t e;

	*ret_writer = -1;
	if (!client.len)
		return NULL;
	e = writer_store_find_all(q->db, &q->target->run_id, &client, 1, &writers, &count);
	if (!e && count)
		*ret_writer = writers[0].writer;
	return e;
}

static err_t insert(struct request *q, const struct run *run, const struct alert_new *made,
		    int32_t *ret_number)
{
	struct alert alert = {
		.number = run->alerts + 1,
		.title = made->title,
		.text = made->text,
		.level = (int16_t)made->level,
		.created_at = q->now,
	};
	struct webhook *webhook;
	int64_t user_id;
	err_t e;

	if (run->alerts >= ALERTS_MAX)
		return err_new(q->arena, ERR_UNPROCESSABLE, "a run can have at most %d alerts",
			       ALERTS_MAX);
	e = find_writer(q, made->client, &alert.writer);
	if (!e)
		e = auth_attributed_user(q, &user_id);
	if (!e)
		e = webhook_store_find(q->db, q->target->project_id, &webhook);
	if (e)
		return e;
	alert.delivery = webhook ? ALERT_WAITING : ALERT_NOWHERE;
	*ret_number = alert.number;
	return alert_store_insert(q->db, run->run_id, run->project_id, user_id, &alert);
}

err_t alert_add(struct request *q, const struct alert_new *made, int32_t *ret_number,
		bool *ret_is_repeat)
{
	struct alert *last;
	struct run *run;
	err_t e = run_target_lock(q, &run);

	if (!e)
		e = alert_store_find_last(q->db, run->run_id, made->title, &last);
	if (e)
		return e;
	*ret_is_repeat = last && alert_is_repeat(last->created_at, made->wait_us, q->now);
	if (!*ret_is_repeat)
		return insert(q, run, made, ret_number);
	*ret_number = last->number;
	return alert_store_repeat(q->db, run->run_id, last->number, q->now);
}
