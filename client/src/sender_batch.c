/*
 * Sends logged records in numbered batches. A batch stays the same, byte for byte, until the server has
 * answered. A batch that is refused as invalid is built again with half the records, down to the one
 * that the server refuses: that record is dropped and counted, the others are kept.
 */
#include <stdint.h>

#include "sender.h"

#define REFUSALS_PATIENCE 16 /* so many in a row look like a misunderstanding: slow down */
#define NO_MEMORY_WAIT_MS 1000

static void read_console(struct cairn_run *run)
{
	pthread_mutex_lock(&run->console_lock);
	console_flush(&run->console);
	pthread_mutex_unlock(&run->console_lock);
}

/* Writes the documents that changed into the sender's texts; versions go into the batch. */
static void read_documents(struct sender *s, uint64_t *ret_config, uint64_t *ret_summary)
{
	struct cairn_run *run = s->run;

	*ret_config = 0;
	*ret_summary = 0;
	text_clear(&s->config, DOCUMENT_MAX_BYTES);
	text_clear(&s->summary, DOCUMENT_MAX_BYTES);
	pthread_mutex_lock(&run->documents_lock);
	if (run->config.version > run->config_settled) { /* nobody else changes that */
		document_write(&run->config, &s->config);
		*ret_config = run->config.version;
	}
	if (run->summary.count > 0) {
		document_write(&run->summary, &s->summary);
		*ret_summary = run->summary.version;
	}
	pthread_mutex_unlock(&run->documents_lock);
}

static bool heartbeat_is_due(const struct sender *s)
{
	return transport_clock_us() - s->last_answer_us >= s->heartbeat_us;
}

/* How long what is logged may still gather before it is sent; 0: send now. */
static int gather_ms(struct sender *s)
{
	struct cairn_run *run = s->run;
	int64_t passed_us = transport_clock_us() - s->last_built_us;
	int64_t left_us = (int64_t)run->settings.flush_interval_ms * 1000 - passed_us;
	bool is_due;

	pthread_mutex_lock(&run->lock);
	is_due = run->is_poked || run->is_finishing || run->backlog.queued >= RUN_POKE_BYTES;
	pthread_mutex_unlock(&run->lock);
	if (is_due || left_us <= 0 || s->record_limit < BATCH_ROWS_MAX || heartbeat_is_due(s))
		return 0;
	return (int)(left_us / 1000) + 1;
}

/* Builds the next batch; STEP_IDLE when nothing waits and no heartbeat is due. */
static struct step build(struct sender *s)
{
	struct cairn_run *run = s->run;
	uint64_t config_version, summary_version, drops = 0;
	struct batch_input input = { .client_id = run->settings.client_id,
				     .session = s->session,
				     .number = s->next_number,
				     .record_limit = s->record_limit };
	bool has_records;

	s->last_built_us = transport_clock_us();
	read_console(run);
	read_documents(s, &config_version, &summary_version);
	pthread_mutex_lock(&run->lock);
	run->is_poked = false;
	has_records = run->backlog.queued > 0;
	input.begin = backlog_begin(&run->backlog);
	input.end = backlog_end(&run->backlog);
	for (int i = 0; i < RECORD_KINDS; i++) {
		input.drops[i] = run->counts[i].dropped - run->counts[i].drops_told;
		drops += input.drops[i];
	}
	pthread_mutex_unlock(&run->lock);
	if (!has_records && !config_version && !summary_version && !drops && !heartbeat_is_due(s))
		return (struct step){ STEP_IDLE, run->settings.flush_interval_ms };
	input.config = config_version ? &s->config : NULL;
	input.summary = summary_version ? &s->summary : NULL;
	if (s->config.failed || s->summary.failed || !batch_build(&s->batch, &input)) {
		sender_note(s, "out of memory: logged data is sent later");
		s->record_limit = s->batch.records > 1 ? s->batch.records / 2 : 1;
		return (struct step){ STEP_WAIT, NO_MEMORY_WAIT_MS };
	}
	s->batch.config_version = config_version;
	s->batch.summary_version = summary_version;
	return (struct step){ STEP_NEXT, 0 };
}

static void forget_summary(struct sender *s)
{
	if (!s->batch.summary_version)
		return;
	pthread_mutex_lock(&s->run->documents_lock);
	document_forget(&s->run->summary, s->batch.summary_version);
	pthread_mutex_unlock(&s->run->documents_lock);
}

/* The lock is held. */
static void settle_documents(struct sender *s)
{
	if (s->batch.config_version)
		s->run->config_settled = s->batch.config_version;
	if (s->batch.summary_version)
		s->run->summary_settled = s->batch.summary_version;
}

void sender_batch_stored(struct sender *s)
{
	struct cairn_run *run = s->run;
	struct batch *batch = &s->batch;

	forget_summary(s);
	pthread_mutex_lock(&run->lock);
	settle_documents(s);
	if (batch->records)
		backlog_release(&run->backlog, batch->end);
	for (int i = 0; i < RECORD_KINDS; i++) {
		run->counts[i].stored += batch->counts[i];
		run->counts[i].drops_told += batch->drops[i];
	}
	run->batches++;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
	batch->is_pending = false;
}

/* Servers that are older do not say. */
static void count_left_out(struct cairn_run *run, struct json answer)
{
	int64_t left_out;

	if (!json_int(json_member(answer, "left_out"), &left_out) || left_out <= 0)
		return;
	pthread_mutex_lock(&run->lock);
	run->values_left_out += (uint64_t)left_out;
	pthread_mutex_unlock(&run->lock);
}

/* The server has it, and says so itself. */
static struct step confirm(struct sender *s, struct json answer)
{
	int64_t number;

	if (!json_int(json_member(answer, "batch"), &number) || number != s->batch.number) {
		sender_note(s, "the server's response to a batch does not contain the batch "
			       "number");
		return sender_retry(s, OUTCOME_AGAIN);
	}
	if (json_true(json_member(answer, "stop")))
		atomic_store(&s->run->stop_asked, true);
	count_left_out(s->run, answer);
	sender_batch_stored(s);
	s->next_number++;
	s->refusals = 0;
	if (s->record_limit == 0)
		s->record_limit = 1;
	else if (s->record_limit < BATCH_ROWS_MAX)
		s->record_limit *= 2;
	sender_answered(s);
	return (struct step){ STEP_NEXT, 0 };
}

/* One record stands alone and is refused. */
static void give_up_record(struct sender *s)
{
	struct cairn_run *run = s->run;

	pthread_mutex_lock(&run->lock);
	backlog_release(&run->backlog, s->batch.end);
	for (int i = 0; i < RECORD_KINDS; i++)
		run->counts[i].refused += s->batch.counts[i];
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

static void give_up_documents(struct sender *s)
{
	struct cairn_run *run = s->run;

	forget_summary(s);
	pthread_mutex_lock(&run->lock);
	settle_documents(s);
	run->was_document_refused = true;
	pthread_cond_broadcast(&run->changed);
	pthread_mutex_unlock(&run->lock);
}

/* The server will not have this batch. It was not stored, so its number is used again. */
static struct step divide(struct sender *s)
{
	struct batch *batch = &s->batch;
	bool has_documents = batch->config_version || batch->summary_version;

	batch->is_pending = false;
	if (batch->records > 1) {
		s->record_limit = batch->records / 2;
		return (struct step){ STEP_NEXT, 0 };
	}
	if (batch->records == 0 && !has_documents)
		return sender_retry(s, OUTCOME_AGAIN);
	if (batch->records == 1 && has_documents) {
		s->record_limit = 0;
		return (struct step){ STEP_NEXT, 0 };
	}
	if (batch->records == 1)
		give_up_record(s);
	else
		give_up_documents(s);
	s->record_limit = 1;
	if (++s->refusals > REFUSALS_PATIENCE)
		return sender_retry(s, OUTCOME_AGAIN);
	return (struct step){ STEP_NEXT, 0 };
}

static struct step send_batch(struct sender *s)
{
	struct json answer;
	enum outcome outcome = sender_ask(s, "POST", "/batch", &s->batch.body, &answer);

	switch (outcome) {
	case OUTCOME_OK:
		return confirm(s, answer);
	case OUTCOME_BAD:
		return divide(s);
	case OUTCOME_LARGE:
		return s->batch.records > 1 ? divide(s) : sender_retry(s, OUTCOME_AGAIN);
	case OUTCOME_UNKNOWN:
	case OUTCOME_FENCED:
		return sender_rejoin(s, outcome);
	default:
		return sender_retry(s, outcome);
	}
}

struct step sender_batch(struct sender *s)
{
	if (!s->batch.is_pending) {
		int wait_ms = gather_ms(s);
		struct step step = wait_ms ? (struct step){ STEP_IDLE, wait_ms } : build(s);

		if (step.kind != STEP_NEXT)
			return step;
	}
	return send_batch(s);
}
