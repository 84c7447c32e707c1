#ifndef RUN_H
#define RUN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alerts.h"
#include "backlog.h"
#include "cairn.h"
#include "console.h"
#include "document.h"
#include "record.h"
#include "settings.h"
#include "spool.h"
#include "transport.h"
#include "unsent.h"

/*
 * A run, shared by the threads of the host program and the sender.
 *
 * Locks, in the order in which they may be taken: console_lock, documents_lock, lock. `lock` is
 * held for the time of copying a record or moving a pointer, never while something is formatted,
 * sent or waited for; the two others are the callers' and the sender's for longer.
 *
 * It lives until both the host program (cairn_run_free) and the sender's thread have let go.
 */
struct run_counts {
	uint64_t accepted, stored, dropped, refused;
	uint64_t drops_told;    /* of dropped, what the server knows */
	uint64_t on_disk;       /* of accepted, in the spool and not settled yet */
	uint64_t drops_on_disk; /* of dropped, in the spool and not read from there */
};

/* The state of the spool that its thread reports to the others. All guarded by the lock of the run. */
struct run_spool {
	size_t poke_bytes; /* so much waiting wakes the thread; SIZE_MAX: there is none */
	bool is_poked;
	bool is_asked;     /* to write and sync at once, by a flush */
	bool is_over;      /* there is no thread, or it has ended */
	char *folder;      /* of this process; NULL: nothing is on disk */
	unsigned removals; /* of it by somebody else: what was on disk is not there any more */
	uint64_t synced;   /* index behind the last record that is on disk and synced */
	uint64_t config, summary, alerts; /* versions and number that are */
	bool has_end;                     /* the end is */
	char error[TRANSPORT_ERROR_SIZE]; /* why it cannot be used, empty if it can */
};

enum run_phase {
	RUN_JOINING,
	RUN_JOINED,
	RUN_DENIED, /* the server said no to something only a person can mend; asked again slowly */
	RUN_OVER    /* the sender has ended */
};

/* How a run ends, other than by its exit code. */
enum run_end_state { RUN_END_EXIT, RUN_END_CRASHED, RUN_END_PREEMPTED };
#define RUN_REASON_SIZE 257 /* with its end */

struct sender;
struct sampling;
struct spooling;

struct cairn_run {
	/* fixed once the run is started */
	struct settings settings;
	unsigned generation;         /* of the process, see registry.h */
	struct transport *transport; /* used by the sender */
	struct sender *sender;
	struct sampling *sampling; /* NULL: off */
	struct spooling *spooling; /* NULL: off */
	int64_t started_us;        /* since 1970 */

	pthread_mutex_t lock;   /* guards all from here to the next comment */
	pthread_cond_t wake;    /* the sender waits here */
	pthread_cond_t changed; /* callers wait here */
	struct backlog backlog;
	struct run_counts counts[RECORD_KINDS];
	struct alerts alerts;
	struct text metadata; /* an object without its end; fixed once has_metadata is set */
	bool has_metadata;
	uint64_t config_settled, summary_settled; /* versions that the server has, or refused */
	uint64_t batches, retries, joins;
	enum run_phase phase;
	char *entity; /* NULL: the server has not told yet */
	char error[TRANSPORT_ERROR_SIZE];
	bool is_poked;   /* the sender should look at once */
	bool is_hurried; /* and not wait until the next try either, if the server asked for no wait */
	bool is_closed; /* finished: nothing more is taken */
	bool is_finishing;
	bool is_end_sent;
	uint64_t values_left_out; /* by the server, of what it stored */
	bool was_document_refused;
	bool was_refused; /* the sender ended because the server said no */
	bool is_deleted;  /* it said that the run was deleted */
	bool has_end;     /* cairn_finish() was called: the exit code holds */
	bool is_metadata_sent;
	bool has_report;
	int exit_code;
	enum run_end_state end_state;
	char end_reason[RUN_REASON_SIZE]; /* "": none */
	bool is_preempting;               /* the machine is about to be taken away */
	bool is_preempting_told;          /* and the server knows */
	int finish_result;
	struct cairn_report report;
	int64_t deadline_us;       /* of finishing */
	pthread_cond_t spool_wake; /* the spool's thread waits here */
	uint64_t sent, head;       /* indices of records: see unsent.h */
	unsigned backlog_readers;  /* likewise */
	struct run_spool spool;

	pthread_mutex_t documents_lock;
	struct document config, summary;

	pthread_mutex_t console_lock;
	struct console console;

	atomic_bool stop_asked;
	atomic_int references;

	struct cairn_run *next, *previous; /* in the registry, by its lock */

	char stream
		[SPOOL_STREAM_SIZE]; /* of this process, fixed; not between what each call touches */
};

#define RUN_POKE_BYTES (256 * 1024) /* so much waiting wakes the sender early */

/* The run may be used: it is there, and not a copy in a forked child. CAIRN_OK or why not. */
int run_check(const struct cairn_run *run);

/* One row into a stream, with the time of now. */
int run_add_metrics(struct cairn_run *run, enum record_kind kind, int64_t step,
		    const struct cairn_metric *metrics, size_t count) __attribute__((nonnull(1)));

/* Takes what the sender keeps as the run's metadata: an object without its last bracket, to which it adds what it
 * knows of the machine. Once in a run; `members` is empty then. */
void run_put_metadata(struct cairn_run *run, struct text *members) __attribute__((nonnull));

/* Completes a copy of the members by what the sampler knows of the machine, for which it may wait two seconds. */
void run_complete_metadata(struct cairn_run *run, struct text *members) __attribute__((nonnull));

/* The console's sink. */
bool run_put_line(void *run, const struct console_line *line) __attribute__((nonnull));

int64_t run_wall_clock_us(void);

/* Waits on `changed` until the moment; false when it has passed. The lock is held. */
bool run_wait_changed(struct cairn_run *run, int64_t deadline_us) __attribute__((nonnull));

/* Why and as what the run ends, for the finish that follows. A state counts only for a primary. */
void run_set_end(struct cairn_run *run, enum run_end_state state, const char *reason)
	__attribute__((nonnull));

/* Begins to finish; the first call decides. Takes the lock. */
void run_begin_finish(struct cairn_run *run, int exit_code, int64_t deadline_us)
	__attribute__((nonnull));

/* Waits for what run_begin_finish() began. */
int run_wait_finish(struct cairn_run *run) __attribute__((nonnull));

/* Lets go of the run; the last one frees it. */
void run_release(struct cairn_run *run) __attribute__((nonnull));

#endif
