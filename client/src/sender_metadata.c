/*
 * What the program runs in: once, as the file in which the wandb SDK sends the same, for that is where the page looks.
 * It is worth no wait of what was logged: where it fails a batch has its turn before it is tried again, and a run that
 * finishes does so without it.
 */
#include <stdlib.h>
#include <string.h>

#include "fork_gate.h"
#include "sampling.h"
#include "sender.h"

#define FILE_NAME "wandb-metadata.json"
#define DRIVERS_MS 2000 /* of GPUs: so long they may take to tell of themselves */
#define TRIES_MAX 8

/* Of what the sampler tells; the environment is not told of, for it may hold secrets. */
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

/* Half of the time that is left, if it is less. */
static unsigned drivers_ms(struct sender *s)
{
	int64_t left_ms = INT64_MAX;

	pthread_mutex_lock(&s->run->lock);
	if (s->run->is_finishing)
		left_ms = (s->run->deadline_us - transport_clock_us()) / 1000;
	pthread_mutex_unlock(&s->run->lock);
	if (left_ms < 0)
		return 0;
	return left_ms / 2 < DRIVERS_MS ? (unsigned)(left_ms / 2) : DRIVERS_MS;
}

static void complete(struct sender *s, struct text *metadata)
{
	unsigned wait_ms = drivers_ms(s), depth = fork_gate_pause();
	char *facts = sampling_describe(s->run, wait_ms);
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
	s->metadata.is_whole = true;
}

static struct step settle(struct sender *s)
{
	s->metadata.is_settled = true;
	text_deinit(&s->run->metadata);
	return (struct step){ STEP_NEXT, 0 };
}

static struct step put_off(struct sender *s)
{
	struct metadata_tries *tries = &s->metadata;
	int wait_ms = retry_next_ms(&tries->retry, s->response.retry_after_s);

	tries->failed += s->response.status != 0;
	if (tries->failed >= TRIES_MAX)
		return settle(s);
	tries->next_us = transport_clock_us() + (int64_t)wait_ms * 1000;
	return (struct step){ STEP_NEXT, 0 };
}

static bool is_due(struct sender *s)
{
	bool is_there;

	if (s->metadata.is_settled || transport_clock_us() < s->metadata.next_us)
		return false;
	pthread_mutex_lock(&s->run->lock);
	is_there = s->run->has_metadata;
	pthread_mutex_unlock(&s->run->lock);
	return is_there;
}

struct step sender_metadata(struct sender *s)
{
	struct text *metadata = &s->run->metadata;
	enum verdict verdict;

	if (!is_due(s))
		return (struct step){ STEP_IDLE, 0 };
	if (!s->metadata.is_whole)
		complete(s, metadata);
	if (metadata->failed)
		return settle(s);
	verdict = sender_put_file(s, FILE_NAME, metadata);
	if (verdict == VERDICT_GONE)
		return sender_retry(s, verdict);
	return verdict == VERDICT_AGAIN ? put_off(s) : settle(s);
}
