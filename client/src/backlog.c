/*
 * A ring made of segments of 64 KiB, taken when they are needed and kept for reuse, so that a run
 * that logs little holds little. Rejected: one block of the full limit (resident memory that most
 * runs never need), and two buffers that are swapped (a batch that is refused and halved would have
 * to be put back in front).
 */
#include "backlog.h"

#include <stdlib.h>

#define SEGMENT_BYTES (64 * 1024 - sizeof(struct segment))
#define SPARE_MAX 8

void backlog_init(struct backlog *backlog, size_t limit_bytes)
{
	*backlog = (struct backlog){ .limit_bytes = limit_bytes };
}

static void free_list(struct segment *segment)
{
	while (segment) {
		struct segment *next = segment->next;

		free(segment);
		segment = next;
	}
}

void backlog_deinit(struct backlog *backlog)
{
	free_list(backlog->head);
	free_list(backlog->spare);
	*backlog = (struct backlog){ 0 };
}

static struct segment *take_segment(struct backlog *backlog, size_t size)
{
	struct segment *segment = backlog->spare;

	if (segment && size <= segment->size) {
		backlog->spare = segment->next;
		backlog->spare_count--;
	} else {
		if (size < SEGMENT_BYTES)
			size = SEGMENT_BYTES;
		segment = malloc(sizeof *segment + size);
		if (!segment)
			return NULL;
		segment->size = size;
	}
	segment->next = NULL;
	segment->used = 0;
	return segment;
}

static enum backlog_result add_segment(struct backlog *backlog, size_t size)
{
	size_t least = size < SEGMENT_BYTES ? SEGMENT_BYTES : size;
	struct segment *segment;

	if (backlog->bytes + least > backlog->limit_bytes)
		return BACKLOG_FULL;
	segment = take_segment(backlog, size);
	if (!segment)
		return BACKLOG_NO_MEMORY;
	if (backlog->tail)
		backlog->tail->next = segment;
	else
		backlog->head = segment;
	backlog->tail = segment;
	backlog->bytes += segment->size;
	return BACKLOG_OK;
}

enum backlog_result backlog_append(struct backlog *backlog, size_t size, void **ret_record)
{
	struct segment *tail = backlog->tail;

	if (!tail || tail->size - tail->used < size) {
		enum backlog_result result = add_segment(backlog, size);

		if (result)
			return result;
		tail = backlog->tail;
	}
	*ret_record = tail->data + tail->used;
	tail->used += size;
	backlog->queued += size;
	return BACKLOG_OK;
}

struct backlog_cursor backlog_begin(const struct backlog *backlog)
{
	return (struct backlog_cursor){ backlog->head, backlog->head_offset };
}

struct backlog_cursor backlog_end(const struct backlog *backlog)
{
	return (struct backlog_cursor){ backlog->tail, backlog->tail ? backlog->tail->used : 0 };
}

const void *backlog_at(struct backlog_cursor *cursor, struct backlog_cursor end)
{
	while (cursor->segment != end.segment && cursor->offset == cursor->segment->used) {
		cursor->segment = cursor->segment->next;
		cursor->offset = 0;
	}
	if (cursor->segment == end.segment && cursor->offset == end.offset)
		return NULL;
	return cursor->segment->data + cursor->offset;
}

/* Keeps ordinary segments for reuse, a few of them. */
static void give_back(struct backlog *backlog, struct segment *segment)
{
	if (segment->size != SEGMENT_BYTES || backlog->spare_count >= SPARE_MAX) {
		free(segment);
		return;
	}
	segment->next = backlog->spare;
	backlog->spare = segment;
	backlog->spare_count++;
}

void backlog_release(struct backlog *backlog, struct backlog_cursor cursor)
{
	while (backlog->head != cursor.segment) {
		struct segment *old = backlog->head;

		backlog->queued -= old->used - backlog->head_offset;
		backlog->bytes -= old->size;
		backlog->head = old->next;
		backlog->head_offset = 0;
		give_back(backlog, old);
	}
	if (!backlog->head)
		return;
	backlog->queued -= cursor.offset - backlog->head_offset;
	backlog->head_offset = cursor.offset;
	if (backlog->head == backlog->tail && backlog->head_offset == backlog->tail->used) {
		backlog->head->used = 0; /* empty: begin again at the front of the same memory */
		backlog->head_offset = 0;
	}
}
