#ifndef SENDER_H
#define SENDER_H

#include "answer.h"
#include "batch.h"
#include "retry.h"
#include "run.h"
#include "spool_reader.h"

/*
 * Tries of the next alert. A try counts as failed only if the server accepted something else since the previous
 * one: a server that is away accepts nothing, and the sender waits for it.
 */
struct alert_tries {
	struct retry retry;
	int64_t last_us;     /* of the last one */
	int wait_ms;         /* from then on; 0: it is due */
	bool is_asked_for;   /* the wait: by the server */
	bool yields;         /* a batch has its turn before */
	bool is_server_well; /* it took something since the last one */
	int failed;
};

#define ALERT_TRIES_MAX 12 /* with their waits about two minutes */

/* Tries of the metadata. A try counts as failed under the same condition as that of an alert. */
struct metadata_tries {
	struct retry retry;
	int64_t next_us; /* not before; 0: not thought of yet */
	int failed;
	bool is_server_well; /* it took something else since the last try */
	bool is_whole;
	struct text text; /* the whole */
	bool is_settled;  /* the server has it, or will not have it */
};

/*
 * The background thread of a run and what only it touches. Each step does one request at most and
 * says what comes next; a step that fails is simply taken again, for as long as the process lives.
 *
 *	entity known? -> run made? -> joined? -> alert, batch, metadata to send? -> finishing? -> over
 *	     ^---------------^-----------^------------+ unknown or fenced
 */
struct sender {
	struct cairn_run *run;
	struct response response;
	struct batch batch;
	struct text scratch, config, summary;
	struct retry retry;
	bool is_made;
	int64_t session; /* 0: not joined */
	int64_t next_number;
	int64_t heartbeat_us;
	int64_t last_answer_us; /* when the server last took a batch or a join */
	int64_t last_built_us;
	int64_t joined_us;
	int fences;          /* in a row, without a session of some length between */
	size_t record_limit; /* fewer after a refusal; 0: only documents */
	int refusals;        /* records refused in a row */
	struct alert_tries alert;
	struct metadata_tries metadata;

	/* records, see sender_source.c */
	struct backlog replay; /* those read from the spool; the first one is run->sent */
	struct spool_reader *reader;
	unsigned removals;  /* of the folder that is read, see struct run_spool */
	bool has_damage;    /* not all could be read */
	bool is_streamless; /* the server is from before streams */
	bool knows_records; /* the server counts them */
	uint64_t known;     /* so many it has */
};

/* The result of a step. */
enum step_kind {
	STEP_NEXT, /* go on at once */
	STEP_IDLE, /* nothing to do until something is logged, or wait_ms */
	STEP_WAIT, /* try again after wait_ms */
	STEP_OVER  /* the run is finished, or gone */
};

struct step {
	enum step_kind kind;
	int wait_ms;
	bool is_asked_for; /* the wait: by the server, with Retry-After */
};

/* A wait as it is for a run that finishes, which has little time: a server that comes back should be
 * noticed in it, unless it asked for the wait. The lock is held. */
int sender_wait_ms(const struct cairn_run *run, int wait_ms, bool is_asked_for)
	__attribute__((nonnull));

/* NULL without memory. */
struct sender *sender_new(struct cairn_run *run) __attribute__((nonnull));
void sender_free(struct sender *sender);

/* Starts the thread; it holds a reference to the run and ends by itself. 0 or an errno value. */
int sender_start(struct sender *sender) __attribute__((nonnull));

/* Steps, one file each. */
struct step sender_join(struct sender *s) __attribute__((nonnull));     /* entity, run, session */
struct step sender_alert(struct sender *s) __attribute__((nonnull));    /* what others are told */
struct step sender_batch(struct sender *s) __attribute__((nonnull));    /* what was logged */
struct step sender_metadata(struct sender *s) __attribute__((nonnull)); /* what it runs in */
struct step sender_finish(struct sender *s) __attribute__((nonnull));   /* the end */

/* Whether that has waited so long that it has its turn between two batches, of which there is no end. */
bool sender_metadata_is_overdue(struct sender *s) __attribute__((nonnull));

/*
 * The origin of the next records: where they are in memory or, read for this call, from the spool. The records before
 * s->known are skipped. False if the spool cannot be read now.
 */
struct sender_source {
	struct backlog *backlog; /* of the run, or of the replay */
	bool is_from_disk;
	bool has_records;
	uint64_t first; /* index of its first record */
};
bool sender_find_source(struct sender *s, struct sender_source *ret_source)
	__attribute__((nonnull));
void sender_source_deinit(struct sender *s) __attribute__((nonnull));

/* Reads from the answer to a join how many records of this stream the server has. */
void sender_take_records(struct sender *s, struct json join) __attribute__((nonnull));

/* The pending batch is stored: forgets what it stood for. */
void sender_batch_stored(struct sender *s) __attribute__((nonnull));

/* The session is no more: joins again, at once or, when that happens often, after a while. */
struct step sender_rejoin(struct sender *s, enum outcome outcome) __attribute__((nonnull));

/* The server took a batch or a join: all is well again. */
void sender_answered(struct sender *s) __attribute__((nonnull));

/* Sends one JSON body to a path below the run's ("" is the run itself), or one below /api/. */
enum outcome sender_ask(struct sender *s, const char *method, const char *path,
			const struct text *body, struct json *ret_object) __attribute__((nonnull));

/* Stores a file of the run, under a name that needs no escapes. It is worth little of anybody's time: a server that
 * does not answer soon is not waited for, and of what finishing has left it takes half at most. */
enum outcome sender_put_file(struct sender *s, const char *name, const struct text *body)
	__attribute__((nonnull));

/* Returns the step that follows a failed request; the same for every kind of step. */
struct step sender_retry(struct sender *s, enum outcome outcome) __attribute__((nonnull));

/* Notes a sentence as the run's last error. */
void sender_note(struct sender *s, const char *error) __attribute__((nonnull));

#endif
