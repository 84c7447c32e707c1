#include "writer_change.h"

#include "batch.h"
#include "buf.h"
#include "run_target.h"
#include "sdk_processes.h"
#include "sdk_role.h"
#include "writer_json.h"
#include "writer_store.h"

/* The writers that decide with one of them, as they are and as they were. */
struct deciders {
	struct writer *writers;
	const struct writer *before;
	size_t count;
	struct writer *one;
};

static err_t unknown(struct request *q, struct str client)
{
	struct err *e = err_field(q->arena, ERR_NOT_FOUND, "writer",
				  "the writer \"%.*s\" has not joined this run", STR_ARG(client));

	e->type = "writer-unknown";
	return e;
}

static err_t read(struct request *q, const struct run *run, struct str client, struct deciders *d)
{
	err_t e = writer_store_list_deciders(q->db, run->run_id, client, run->fallback_state != 0,
					     &d->writers, &d->count);

	if (e)
		return e;
	d->before = arena_copy(q->arena, d->writers, d->count * sizeof(d->writers[0]));
	for (size_t i = 0; i < d->count; i++) {
		d->one = &d->writers[i];
		if (str_equal(d->one->client, client))
			return NULL;
	}
	return unknown(q, client);
}

static bool is_changed(const struct writer *a, const struct writer *b)
{
	return a->state != b->state || a->role != b->role || a->heard_at.us != b->heard_at.us ||
	       !str_equal(a->label, b->label) || !str_equal(a->lines, b->lines);
}

static err_t save(struct request *q, const struct deciders *d)
{
	err_t e = NULL;

	for (size_t i = 0; i < d->count && !e; i++) {
		if (is_changed(&d->writers[i], &d->before[i]))
			e = writer_store_save(q->db, &d->writers[i]);
	}
	return e;
}

err_t writer_change_end(struct request *q, struct run *run, const struct writer_change *end,
			struct run_changes *changes)
{
	struct deciders d;
	err_t e = read(q, run, end->client, &d);

	if (e)
		return e;
	if (end->session != WRITER_ANY_SESSION && end->session != d.one->session)
		return batch_refusal(q->arena, BATCH_FENCED, d.one, end->session, 0);
	e = run_finish(q->arena, run, d.writers, d.count, (size_t)(d.one - d.writers), &end->finish,
		       run_target_clock(q), changes);
	return e ? e : save(q, &d);
}

err_t writer_change_end_process(struct request *q, struct run *run, const struct writer_change *end,
				struct run_changes *changes)
{
	struct run_finish finish = end->finish;
	struct buf *out = buf_new(q->arena);
	struct sdk_processes processes;
	struct deciders d;
	err_t e = read(q, run, end->client, &d);

	if (e)
		return e;
	if (!sdk_processes_read(d.one->lines, &processes))
		return err_new(q->arena, ERR_INTERNAL, "cannot read the processes of writer %d",
			       d.one->writer);
	if (!sdk_processes_end(&processes, end->digest))
		return NULL;
	finish.others_heard_at = sdk_processes_heard_at(&processes);
	sdk_processes_write(out, &processes);
	d.one->lines = buf_str(out);
	e = run_finish(q->arena, run, d.writers, d.count, (size_t)(d.one - d.writers), &finish,
		       run_target_clock(q), changes);
	return e ? e : save(q, &d);
}

static err_t find_client(struct request *q, const struct run *run, int32_t number,
			 struct str *ret_client)
{
	struct writer *found;
	size_t count;
	err_t e = writer_store_list_numbers(q->db, run->run_id, &number, 1, &found, &count);

	if (e)
		return e;
	if (!count)
		return unknown(q, request_param(q, "writer"));
	*ret_client = found[0].client;
	return NULL;
}

/* Names the writer in the reason, which is shown among the changes of state. */
static const char *given_up(struct request *q, const struct writer *w, const char *reason)
{
	return arena_printf(q->arena, "the lost writer \"%.*s\" was ended: %s", STR_ARG(w->label),
			    reason);
}

err_t writer_change_give_up(struct request *q, struct run *run, int32_t number,
			    const struct run_hand *hand, struct run_changes *changes)
{
	struct run_hand noted = *hand;
	struct str client;
	struct deciders d;
	err_t e = find_client(q, run, number, &client);

	if (!e)
		e = read(q, run, client, &d);
	if (e)
		return e;
	noted.reason = given_up(q, d.one, hand->reason);
	e = run_give_up(q->arena, run, d.writers, d.count, (size_t)(d.one - d.writers), &noted,
			run_target_clock(q), changes);
	return e ? e : save(q, &d);
}

err_t writer_change_preempt(struct request *q, struct run *run, const struct writer_change *change,
			    struct run_changes *changes)
{
	struct deciders d;
	err_t e = read(q, run, change->client, &d);

	if (e)
		return e;
	run_hear(run, d.one, run_target_clock(q), changes);
	run_preempt(run, d.one, changes);
	return save(q, &d);
}

struct str writer_change_label(struct arena *a, const struct writer *w, struct str told)
{
	struct str made = sdk_label_made(a, writer_json_host(a, w), w->client);

	return sdk_label_learn(a, w->label, made, told);
}

err_t writer_change_learn(struct request *q, struct run *run, const struct writer_change *learnt,
			  struct run_changes *changes)
{
	struct run_clock clock = run_target_clock(q);
	struct deciders d;
	struct str label;
	err_t e = read(q, run, learnt->client, &d);

	if (e)
		return e;
	label = writer_change_label(q->arena, d.one, learnt->label);
	if (!str_equal(label, d.one->label))
		run_label(d.one, label, d.writers, d.count, clock);
	if (learnt->is_primary && d.one->role == WRITER_WORKER) {
		run_hear(run, d.one, clock, changes);
		run_promote(run, d.one, d.writers, d.count, clock, changes);
	}
	return save(q, &d);
}
