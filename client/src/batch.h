#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "backlog.h"
#include "record.h"
#include "text.h"
#include "unsent.h"

#define BATCH_TARGET_BYTES (1024 * 1024) /* no record is begun beyond this */
#define BATCH_ROWS_MAX 50000

/* The content of the next request. */
struct batch_input {
	const char *client_id;
	int64_t session;
	int64_t number;
	bool is_preempting; /* the machine is about to be taken away */
	const char *stream; /* what its records are counted in; NULL: no name is told */
	int64_t record_first; /* index of the first record in the stream; -1: the server does not ask */
	struct backlog_cursor begin, end;
	size_t record_limit;
	uint64_t drops[RECORD_KINDS];        /* since the last confirmed batch */
	const struct text *config, *summary; /* NULL: unchanged */
};

/* One request: its text, and what it stands for when it is confirmed. It is kept, byte for byte,
 * until the server has answered. */
struct batch {
	struct text body;
	struct text parts[RECORD_KINDS];
	struct name_set names;
	struct unsent_part
		part; /* the records; its first index and origin are kept by the sender */
	uint64_t drops[RECORD_KINDS];
	uint64_t config_version, summary_version; /* 0: not in it; kept by the sender */
	int64_t session, number;
	bool is_preempting;
	bool is_pending;
};

/* False when memory ran out; the batch is not pending then. */
bool batch_build(struct batch *batch, const struct batch_input *input) __attribute__((nonnull));

void batch_deinit(struct batch *batch) __attribute__((nonnull));

#endif
