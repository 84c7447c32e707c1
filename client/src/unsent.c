#include "unsent.h"

#include <string.h>

#include "run.h"

void unsent_begin_read(struct cairn_run *run)
{
	run->backlog_readers++;
}

void unsent_end_read(struct cairn_run *run)
{
	run->backlog_readers--;
	pthread_cond_broadcast(&run->changed);
}

uint64_t unsent_drops(const struct cairn_run *run, enum record_kind kind)
{
	const struct run_counts *counts = &run->counts[kind];
	uint64_t known = counts->drops_told + counts->drops_on_disk;

	return counts->dropped > known ? counts->dropped - known : 0;
}

uint64_t unsent_in_memory(const struct cairn_run *run, enum record_kind kind)
{
	const struct run_counts *counts = &run->counts[kind];
	uint64_t waiting = counts->accepted - counts->stored - counts->refused;

	return waiting > counts->on_disk ? waiting - counts->on_disk : 0;
}

uint64_t unsent_end(const struct cairn_run *run)
{
	uint64_t end = run->head;

	for (int i = 0; i < RECORD_KINDS; i++)
		end += unsent_in_memory(run, i);
	return end;
}

bool unsent_is_on_disk(const struct cairn_run *run)
{
	return run->sent < run->head;
}

/* Counts the records from the head to the cursor, at most so many. Returns how many there are. */
static uint64_t count(const struct cairn_run *run, struct backlog_cursor *end, uint64_t limit,
		      uint64_t counts[RECORD_KINDS])
{
	struct backlog_cursor cursor = backlog_begin(&run->backlog), stop = *end;
	const struct record *record;
	uint64_t records = 0;

	while (records < limit && (record = backlog_at(&cursor, stop))) {
		counts[record->kind]++;
		records++;
		cursor.offset += record->size;
	}
	*end = cursor;
	return records;
}

/* Lets go of what memory has of the part. The other thread may have let go of some of it before. */
static void release(struct cairn_run *run, const struct unsent_part *part,
		    uint64_t ret_released[RECORD_KINDS])
{
	uint64_t end = part->first + part->records;
	struct backlog_cursor cursor = part->end;

	memset(ret_released, 0, RECORD_KINDS * sizeof *ret_released);
	while (run->backlog_readers > 0)
		pthread_cond_wait(&run->changed, &run->lock);
	if (end <= run->head)
		return;
	if (part->first == run->head)
		memcpy(ret_released, part->counts, sizeof part->counts);
	else
		count(run, &cursor, UINT64_MAX, ret_released);
	backlog_release(&run->backlog, part->end);
	run->head = end;
}

static void take_from_disk(struct run_counts *counts, uint64_t records)
{
	counts->on_disk -= records < counts->on_disk ? records : counts->on_disk;
}

void unsent_settle(struct cairn_run *run, const struct unsent_part *part, enum unsent_fate fate)
{
	uint64_t released[RECORD_KINDS] = { 0 };

	if (part->records == 0)
		return;
	if (!part->is_from_disk)
		release(run, part, released);
	for (int i = 0; i < RECORD_KINDS; i++) {
		struct run_counts *counts = &run->counts[i];

		take_from_disk(counts, part->counts[i] - released[i]);
		if (fate == UNSENT_STORED)
			counts->stored += part->counts[i];
		else
			counts->refused += part->counts[i];
	}
	run->sent = part->first + part->records;
}

void unsent_spooled(struct cairn_run *run, const struct unsent_part *part)
{
	uint64_t released[RECORD_KINDS];

	release(run, part, released);
	for (int i = 0; i < RECORD_KINDS; i++)
		run->counts[i].on_disk += released[i];
}

void unsent_skip(struct cairn_run *run, uint64_t index)
{
	struct backlog_cursor end;
	struct unsent_part part = { 0 };

	if (run->sent < run->head) /* on disk: the one that reads it counts them at the end */
		run->sent = index < run->head ? index : run->head;
	if (run->sent >= index)
		return;
	end = backlog_end(&run->backlog);
	part.first = run->head;
	part.records = count(run, &end, index - run->sent, part.counts);
	part.end = end;
	unsent_settle(run, &part, UNSENT_STORED);
}

void unsent_end_disk(struct cairn_run *run, bool has_damage)
{
	for (int i = 0; i < RECORD_KINDS; i++) {
		struct run_counts *counts = &run->counts[i];

		if (has_damage)
			counts->refused += counts->on_disk;
		else
			counts->stored += counts->on_disk;
		counts->on_disk = 0;
	}
}
