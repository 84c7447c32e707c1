/*
 * Sends logged records in numbered batches. A batch stays the same, byte for byte, until the server has
 * answered. A batch that is refused as invalid is built again with half the records, down to the one
 * that the server refuses: that record is dropped and counted, the others are kept.
 */
#include <stdint.h>

#include "sender.h"

#define REFUSALS_PATIENCE 16 /* so many in a row look like a misunderstanding: slow down */
#define NO_MEMORY_WAIT_MS 1000
#define SPOOL_WAIT_MS 1000 /* until it can be read again */

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
	is_due = run->is_poked || run->is_finishing || run->backlog.queued >= RUN_POKE_BYTES ||
		 unsent_is_on_disk(run);
	pthread_mutex_unlock(&run->lock);
	if (is_due || left_us <= 0 || s->record_limit < BATCH_ROWS_MAX || heartbeat_is_due(s))
		return 0;
	return (int)(left_us / 1000) + 1;
}

/* Drops that the server does not know; those in the spool are told when they are read. The lock is held. */
static bool take_drops(const struct cairn_run *run, uint64_t ret_drops[RECORD_KINDS])
{
	uint64_t all = 0;

	for (int i = 0; i < RECORD_KINDS; i++) {
		ret_drops[i] = unsent_drops(run, i);
		all += ret_drops[i];
	}
	return all > 0;
}

/* The records that the batch may hold. What is read of the run's backlog stays until end_input(). False if the spool has
 * taken some of them out of memory just now. */
static bool begin_input(struct sender *s, const struct sender_source *source,
			struct batch_input *input, bool *ret_has_drops)
{
	struct cairn_run *run = s->run;
	bool is_there;

	pthread_mutex_lock(&run->lock);
	is_there = source->is_from_disk || run->head == source->first;
	if (is_there && !source->is_from_disk)
		unsent_begin_read(run);
	run->is_poked = false;
	input->begin = backlog_begin(source->backlog);
	input->end = backlog_end(source->backlog);
	*ret_has_drops = take_drops(run, input->drops);
	input->is_preempting = s->knows_records && run->is_preempting && !run->is_preempting_told;
	pthread_mutex_unlock(&run->lock);
	if (s->knows_records)
		input->record_first = (int64_t)source->first;
	return is_there;
}

static void end_input(struct sender *s, const struct sender_source *source)
{
	if (source->is_from_disk)
		return;
	pthread_mutex_lock(&s->run->lock);
	unsent_end_read(s->run);
	pthread_mutex_unlock(&s->run->lock);
}

static struct step write_batch(struct sender *s, const struct sender_source *source,
			       struct batch_input *input)
{
	bool has_drops, is_built;

	if (!begin_input(s, source, input, &has_drops))
		return (struct step){ STEP_NEXT, 0 };
	if (!source->has_records && !input->config && !input->summary && !has_drops &&
	    !input->is_preempting && !heartbeat_is_due(s)) {
		end_input(s, source);
		return (struct step){ STEP_IDLE, s->run->settings.flush_interval_ms };
	}
	/* after an absence the present first: what is on disk is older */
	if (source->is_from_disk && (input->config || input->summary))
		input->record_limit = 0;
	is_built = !s->config.failed && !s->summary.failed && batch_build(&s->batch, input);
	end_input(s, source);
	if (!is_built) {
		uint64_t records = s->batch.part.records;

		sender_note(s, "out of memory: logged data is sent later");
		s->record_limit = records > 1 ? records / 2 : 1;
		return (struct step){ STEP_WAIT, NO_MEMORY_WAIT_MS };
	}
	s->batch.part.first = source->first;
	s->batch.part.is_from_disk = source->is_from_disk;
	return (struct step){ STEP_NEXT, 0 };
}

/* Builds the next batch; STEP_IDLE when nothing waits and no heartbeat is due. */
static struct step build(struct sender *s)
{
	uint64_t config_version, summary_version;
	struct batch_input input = { .client_id = s->run->settings.client_id,
				     .stream = s->run->stream,
				     .session = s->session,
				     .number = s->next_number,
				     .record_first = -1,
				     .record_limit = s->record_limit };
	struct sender_source source;
	struct step step;

	s->last_built_us = transport_clock_us();
	read_console(s->run);
	if (!sender_find_source(s, &source))
		return (struct step){ STEP_WAIT, SPOOL_WAIT_MS };
	read_documents(s, &config_version, &summary_version);
	input.config = config_version ? &s->config : NULL;
	input.summary = summary_version ? &s->summary : NULL;
	step = write_batch(s, &source, &input);
	if (s->batch.is_pending) {
		s->batch.config_version = config_version;
		s->batch.summary_version = summary_version;
	}
	return step;
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

/* The lock is held. */
static void settle_records(struct sender *s, enum unsent_fate fate)
{
	const struct unsent_part *part = &s->batch.part;

	if (part->is_from_disk && part->records)
		backlog_release(&s->replay, part->end);
	unsent_settle(s->run, part, fate);
}

void sender_batch_stored(struct sender *s)
{
	struct cairn_run *run = s->run;
	struct batch *batch = &s->batch;

	forget_summary(s);
	pthread_mutex_lock(&run->lock);
	settle_documents(s);
	settle_records(s, UNSENT_STORED);
	for (int i = 0; i < RECORD_KINDS; i++)
		run->counts[i].drops_told += batch->drops[i];
	run->batches++;
	run->is_preempting_told |= batch->is_preempting;
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
	settle_records(s, UNSENT_REFUSED);
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
	if (batch->part.records > 1) {
		s->record_limit = batch->part.records / 2;
		return (struct step){ STEP_NEXT, 0 };
	}
	if (batch->part.records == 0 && !has_documents)
		return sender_retry(s, OUTCOME_AGAIN);
	if (batch->part.records == 1 && has_documents) {
		s->record_limit = 0;
		return (struct step){ STEP_NEXT, 0 };
	}
	if (batch->part.records == 1)
		give_up_record(s);
	else
		give_up_documents(s);
	s->record_limit = 1;
	if (++s->refusals > REFUSALS_PATIENCE)
		return sender_retry(s, OUTCOME_AGAIN);
	return (struct step){ STEP_NEXT, 0 };
}

/* The server has some of its records already: they are passed over, and the number is used again. */
static bool takes_other_records(struct sender *s)
{
	uint64_t end;
	int64_t expected;

	pthread_mutex_lock(&s->run->lock);
	end = unsent_end(s->run);
	pthread_mutex_unlock(&s->run->lock);
	if (!answer_expected_records(&s->response, &expected) ||
	    (uint64_t)expected <= s->batch.part.first || (uint64_t)expected > end)
		return false;
	s->known = (uint64_t)expected;
	s->batch.is_pending = false;
	return true;
}

static struct step send_batch(struct sender *s)
{
	struct json answer;
	enum outcome outcome;

	outcome = sender_ask(s, "POST", "/batch", &s->batch.body, &answer);
	switch (outcome) {
	case OUTCOME_OK:
		return confirm(s, answer);
	case OUTCOME_BAD:
		return divide(s);
	case OUTCOME_LARGE:
		return s->batch.part.records > 1 ? divide(s) : sender_retry(s, OUTCOME_AGAIN);
	case OUTCOME_FENCED:
		if (takes_other_records(s))
			return (struct step){ STEP_NEXT, 0 };
		return sender_rejoin(s, outcome);
	case OUTCOME_UNKNOWN:
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

		if (step.kind != STEP_NEXT || !s->batch.is_pending)
			return step;
	}
	return send_batch(s);
}
