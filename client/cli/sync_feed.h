#ifndef SYNC_FEED_H
#define SYNC_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "backlog.h"
#include "document.h"
#include "record.h"
#include "spool_reader.h"
#include "text.h"

#define SYNC_ALERTS_MAX 100 /* that wait at once */

struct sync_alert {
	uint64_t number;
	struct text body;
};

/*
 * Frames of a spool on their way to the server: records in a backlog, as the sender of a live process has them, and with
 * them what was logged in between.
 *
 *	stored         first            first + count
 *	| skipped      | backlog        | not read yet
 *
 * Order: what is in the spool before a record is handed on before that record, or with it. So if only syncs have sent the spool
 * (is_ordered) and the server has a record, it has what came before, and a sync that was killed can go on there. A process
 * that sends itself keeps no such order: what it had confirmed says the last SPOOL_SENT, and the rest is sent.
 */
struct sync_feed {
	struct spool_reader *reader;
	struct backlog backlog;
	uint64_t stored; /* the server's records when it was joined; what is before is skipped */
	bool is_ordered; /* documents and alerts before these records are stored, too */
	uint64_t first,
		count; /* index of the first record in the backlog, and how many are there */
	bool has_mark; /* behind `mark_after` records of the backlog, a batch ends: */
	uint64_t mark_after;
	uint64_t mark_next;                /* the record behind has this index, */
	uint64_t mark_drops[RECORD_KINDS]; /* and is sent with these drops */
	uint64_t drops[RECORD_KINDS];      /* for the next batch */
	struct document summary;
	uint64_t summary_version; /* of the last frame in it */
	struct text config;
	uint64_t config_version;
	bool has_config;
	struct text metadata;
	bool has_metadata;
	struct sync_alert alerts[SYNC_ALERTS_MAX];
	size_t alert_count;
	struct spool_sent sent; /* what the process knows itself that the server has */
	bool is_preempting;     /* the process was about to lose its machine */
	bool has_end;
	struct spool_end end;
	char reason[257];
	int64_t last_time_us; /* of the newest record; 0: none */
	uint64_t damages;
	char damage[SPOOL_ERROR_SIZE]; /* the first one, as a line */
	uint64_t missing;              /* records between others */
};

/* Opens the reader of a writer's folder for all that the server does not have. It reads from the beginning, so that damage is
 * found wherever it is. */
bool sync_feed_open(struct sync_feed *feed, const char *folder, uint64_t stored, bool is_ordered,
		    char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));
void sync_feed_close(struct sync_feed *feed) __attribute__((nonnull));

enum sync_fill {
	SYNC_FILL_MORE, /* there is enough to send */
	SYNC_FILL_END,  /* all that is on disk was read */
	SYNC_FILL_FAILED
};

/* Reads until there is enough for a batch, or a batch has to end. */
enum sync_fill sync_feed_fill(struct sync_feed *feed, char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));

/* Records that the next batch may have. */
uint64_t sync_feed_limit(const struct sync_feed *feed) __attribute__((nonnull));

/* The first records of the backlog are done with; `end` is behind them. */
void sync_feed_release(struct sync_feed *feed, uint64_t records, struct backlog_cursor end)
	__attribute__((nonnull));

/* The server has the records before this index already. */
void sync_feed_skip(struct sync_feed *feed, uint64_t stored) __attribute__((nonnull));

bool sync_feed_has_drops(const struct sync_feed *feed) __attribute__((nonnull));

/* The content of a spool; the counts from a record on. */
struct sync_survey {
	uint64_t records;              /* index of the next record: so many there are */
	uint64_t counts[RECORD_KINDS]; /* from that record on */
	uint64_t bytes;                /* of their frames */
	struct spool_sent sent;
	bool has_end;
	uint64_t damages, lost_records, unfinished_bytes;
};

/* Reads through it. False if it cannot be read. */
bool sync_survey(const char *folder, uint64_t from, struct sync_survey *ret_survey,
		 char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));

#endif
