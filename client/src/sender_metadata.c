/*
 * Sends the metadata once, as the file that the wandb SDK uses for it, because the page reads that file.
 * Logged data comes first: metadata is sent when no batch is due, or if batches have been due for a while without a
 * pause; the wait for its answer is short; if it fails several times while the server accepts other requests it is
 * dropped. A run finishes without waiting for it.
 */
#include <stdlib.h>
#include <string.h>

#include "fork_gate.h"
#include "sampling.h"
#include "sender.h"

#define FILE_NAME "wandb-metadata.json"
#define DRIVERS_MS 2000 /* of GPUs: so long they may take to tell of themselves */
#define TRIES_MAX 8
#define OVERDUE_US 10000000 /* so long batches without a pause come before it */
#define PAUSE_TIMES 4       /* as long as a try without an answer took is waited for the next one */

/* Members taken from the sampler. The environment is not sent, because it may contain secrets. */
static const char *const of_machine[] = {
	"os",   "host", "cpu_count", "cpu_count_logical", "memory",
	"disk", "gpu",  "gpu_count", "gpu_nvidia",        "cudaVersion"
};

void run_put_metadata(struct cairn_run *run, struct text *members)
{
	pthread_mutex_lock(&run->lock);
	if (!run->has_metadata) {
		run->metadata = *members;
		*members = (struct text){ 0 };
		run->has_metadata = true;
		run->is_poked = true;
		pthread_cond_signal(&run->wake);
	}
	pthread_mutex_unlock(&run->lock);
	text_deinit(members);
}

/* While the run goes on they had their time already, where the sampler runs. Else half of what is left, if it is
 * less. */
static unsigned drivers_ms(struct cairn_run *run)
{
	int64_t left_ms = run->sampling ? 0 : INT64_MAX;

	pthread_mutex_lock(&run->lock);
	if (run->is_finishing)
		left_ms = (run->deadline_us - transport_clock_us()) / 1000;
	pthread_mutex_unlock(&run->lock);
	if (left_ms < 0)
		return 0;
	return left_ms / 2 < DRIVERS_MS ? (unsigned)(left_ms / 2) : DRIVERS_MS;
}

void run_complete_metadata(struct cairn_run *run, struct text *metadata)
{
	unsigned wait_ms = drivers_ms(run), depth = fork_gate_pause();
	char *facts = sampling_describe(run, wait_ms);
	struct json machine = { 0 };

	fork_gate_resume(depth);
	if (facts)
		machine = json_parse(facts, strlen(facts));
	for (size_t i = 0; i < sizeof of_machine / sizeof of_machine[0]; i++) {
		struct json value = json_member(machine, of_machine[i]);

		if (value.at)
			text_format(metadata, "%s\"%s\":%.*s", metadata->length > 1 ? "," : "",
				    of_machine[i], (int)value.length, value.at);
	}
	text_str(metadata, "}");
	free(facts);
}

static void complete(struct sender *s)
{
	const struct text *members = &s->run->metadata;

	text_add(&s->metadata.text, members->data, members->length);
	run_complete_metadata(s->run, &s->metadata.text);
	s->metadata.is_whole = true;
}

static struct step settle(struct sender *s)
{
	s->metadata.is_settled = true;
	text_deinit(&s->metadata.text);
	pthread_mutex_lock(&s->run->lock);
	s->run->is_metadata_sent = true;
	pthread_mutex_unlock(&s->run->lock);
	return (struct step){ STEP_NEXT, 0 };
}

static struct step put_off(struct sender *s, int64_t begun_us)
{
	struct metadata_tries *tries = &s->metadata;
	int64_t now_us = transport_clock_us();
	int64_t pause_us = (int64_t)retry_next_ms(&tries->retry, s->response.retry_after_s) * 1000;

	tries->failed += tries->is_server_well;
	tries->is_server_well = false;
	if (tries->failed >= TRIES_MAX)
		return settle(s);
	if (s->response.status == 0 && pause_us < (now_us - begun_us) * PAUSE_TIMES)
		pause_us = (now_us - begun_us) * PAUSE_TIMES;
	tries->next_us = now_us + pause_us;
	return (struct step){ STEP_NEXT, 0 };
}

/* When its next try is; INT64_MAX: never, or it is not there yet. */
static int64_t next_us(struct sender *s)
{
	struct metadata_tries *tries = &s->metadata;
	bool is_there, is_last;

	pthread_mutex_lock(&s->run->lock);
	is_there = s->run->has_metadata;
	is_last = s->run->is_finishing && !tries->is_whole;
	pthread_mutex_unlock(&s->run->lock);
	if (!is_there || tries->is_settled)
		return INT64_MAX;
	if (!tries->next_us)
		tries->next_us = transport_clock_us() + DRIVERS_MS * 1000;
	return is_last ? 0 : tries->next_us;
}

bool sender_metadata_is_overdue(struct sender *s)
{
	return !s->batch.is_pending && next_us(s) < transport_clock_us() - OVERDUE_US;
}

struct step sender_metadata(struct sender *s)
{
	struct text *metadata = &s->metadata.text;
	enum outcome outcome;
	int64_t begun_us;

	if (next_us(s) > transport_clock_us())
		return (struct step){ STEP_IDLE, 0 };
	if (!s->metadata.is_whole)
		complete(s);
	if (metadata->failed)
		return settle(s);
	begun_us = transport_clock_us();
	outcome = sender_put_file(s, FILE_NAME, metadata);
	if (outcome == OUTCOME_GONE)
		return sender_retry(s, outcome);
	return outcome == OUTCOME_AGAIN ? put_off(s, begun_us) : settle(s);
}
