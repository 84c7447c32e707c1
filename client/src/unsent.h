#ifndef UNSENT_H
#define UNSENT_H

#include <stdbool.h>
#include <stdint.h>

#include "backlog.h"
#include "record.h"

struct cairn_run;

/*
 * Records on their way. Each has an index, counted from 0 in the order in which they were logged:
 *
 *	0          sent               head                 end
 *	| settled  | on disk          | in memory          |
 *
 * `sent` is where the sender is, `head` where the backlog begins. Both move only here, and the lock of the run is held in
 * each function. While a thread reads the backlog without the lock, nothing of it is released; reading takes no wait.
 */
struct unsent_part {
	uint64_t first, records;
	uint64_t counts[RECORD_KINDS];
	struct backlog_cursor end; /* in the backlog that it was read from */
	bool is_from_disk;
};

enum unsent_fate { UNSENT_STORED, UNSENT_REFUSED };

void unsent_begin_read(struct cairn_run *run) __attribute__((nonnull));
void unsent_end_read(struct cairn_run *run) __attribute__((nonnull));

/* The server has these records, or refuses them. */
void unsent_settle(struct cairn_run *run, const struct unsent_part *part, enum unsent_fate fate)
	__attribute__((nonnull));

/* These records are on disk: memory lets go of them. */
void unsent_spooled(struct cairn_run *run, const struct unsent_part *part) __attribute__((nonnull));

/* The server has all records before this index already: what is in memory of them is stored. */
void unsent_skip(struct cairn_run *run, uint64_t index) __attribute__((nonnull));

/* All that was on disk is sent. Records that could not be read are refused; others that are not accounted for were
 * stored before. */
void unsent_end_disk(struct cairn_run *run, bool has_damage) __attribute__((nonnull));

/* Records dropped that the server does not know of and the spool does not hold. */
uint64_t unsent_drops(const struct cairn_run *run, enum record_kind kind) __attribute__((nonnull));

/* Records that neither the server nor the spool has. */
uint64_t unsent_in_memory(const struct cairn_run *run, enum record_kind kind)
	__attribute__((nonnull));

/* Index behind the last record that was logged. */
uint64_t unsent_end(const struct cairn_run *run) __attribute__((nonnull));

bool unsent_is_on_disk(const struct cairn_run *run) __attribute__((nonnull));

#endif
