/*
 * recent:   at most BATCH_REMEMBERED times { batch 8, digest 16, row_first 8, rows 4 }, newest first
 * sessions: at most BATCH_SESSIONS times { session 4, batch 8 }, newest first
 * Integers are little-endian. Rejected: a table of batches, which would be a row per request.
 */
#include "batch.h"

#include <assert.h>
#include <string.h>

#include "err.h"
#include "record_streams.h"

enum { SESSION_SIZE = 4 + 8 };

static void put(char *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (char)(value >> (8 * i));
}

static uint64_t get(const char *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)(unsigned char)at[i] << (8 * i);
	return value;
}

static void read_memory(const char *at, struct batch_memory *m)
{
	m->batch = (int64_t)get(at, 8);
	memcpy(m->digest, at + 8, BATCH_DIGEST_LEN);
	m->row_first = (int64_t)get(at + 8 + BATCH_DIGEST_LEN, 8);
	m->rows = (int32_t)get(at + 16 + BATCH_DIGEST_LEN, 4);
}

static bool find_memory(const struct writer *w, int64_t batch, struct batch_memory *ret_memory)
{
	for (size_t at = 0; at + BATCH_MEMORY_LEN <= w->recent.len; at += BATCH_MEMORY_LEN) {
		read_memory(w->recent.at + at, ret_memory);
		if (ret_memory->batch == batch)
			return true;
	}
	return false;
}

enum batch_verdict batch_judge(const struct writer *w, int32_t session, int64_t batch,
			       const unsigned char digest[static BATCH_DIGEST_LEN],
			       struct batch_memory *ret_memory)
{
	if (session != w->session)
		return BATCH_FENCED;
	if (batch == w->batch + 1)
		return BATCH_NEW;
	if (batch > w->batch)
		return BATCH_GAP;
	if (!find_memory(w, batch, ret_memory))
		return BATCH_FORGOTTEN;
	return memcmp(ret_memory->digest, digest, BATCH_DIGEST_LEN) == 0 ? BATCH_REPEAT
									 : BATCH_DIFFERS;
}

bool batch_is_last(const struct writer *w, const unsigned char digest[static BATCH_DIGEST_LEN])
{
	struct batch_memory memory;

	return find_memory(w, w->batch, &memory) &&
	       memcmp(memory.digest, digest, BATCH_DIGEST_LEN) == 0;
}

static struct err *conflict(struct arena *a, const char *type, const char *field,
			    const char *message)
{
	struct err *e = err_field(a, ERR_CONFLICT, field, "%s", message);

	e->type = type;
	return e;
}

err_t batch_refusal(struct arena *a, enum batch_verdict verdict, const struct writer *w,
		    int32_t session, int64_t batch)
{
	struct err *e;

	switch (verdict) {
	case BATCH_FENCED:
		e = conflict(a, "session-fenced", "session",
			     arena_printf(a, "session %d has ended; the writer is in session %d",
					  session, w->session));
		e->hint = "join again";
		return e;
	case BATCH_GAP:
		e = conflict(a, "batch-gap", "batch",
			     arena_printf(a, "batch %lld is too high, expected %lld",
					  (long long)batch, (long long)w->batch + 1));
		e->expected = (long)(w->batch + 1);
		return e;
	case BATCH_DIFFERS:
		return conflict(a, "batch-differs", "batch",
				arena_printf(a,
					     "batch %lld was already stored with different content",
					     (long long)batch));
	case BATCH_FORGOTTEN:
		return conflict(a, "batch-forgotten", "batch",
				arena_printf(a,
					     "batch %lld is too old: only the last %d batches can "
					     "be repeated",
					     (long long)batch, BATCH_REMEMBERED));
	case BATCH_NEW:
	case BATCH_REPEAT:
		break;
	}
	return NULL;
}

err_t batch_check_records(struct arena *a, const struct writer *w,
			  const struct batch_records *records)
{
	int64_t stored = record_streams_find(w->streams, records->stream);
	struct err *e;

	if (!records->has_first || records->first >= stored)
		return NULL;
	e = conflict(a, "records-stored", "record_first",
		     arena_printf(a, "the records before %lld are stored", (long long)stored));
	e->expected = (long)stored;
	e->hint = "send the records from \"expected\" on, in a batch of the same number";
	return e;
}

void batch_count_records(struct arena *a, struct writer *w, const struct batch_records *records)
{
	int64_t first = records->has_first ? records->first
					   : record_streams_find(w->streams, records->stream);
	int64_t stored;

	if (__builtin_add_overflow(first, records->count, &stored))
		stored = INT64_MAX;
	w->streams = record_streams_put(a, w->streams, records->stream, stored);
}

/* Puts an entry in front of a list of at most `most` entries. */
static struct str push_front(struct arena *a, struct str list, const char *entry, size_t size,
			     size_t most)
{
	size_t keep = list.len < size * (most - 1) ? list.len : size * (most - 1);
	char *bytes = arena_alloc(a, size + keep);

	memcpy(bytes, entry, size);
	if (keep)
		memcpy(bytes + size, list.at, keep);
	return (struct str){ bytes, size + keep };
}

void batch_remember(struct arena *a, struct writer *w, const struct batch_memory *m)
{
	char entry[BATCH_MEMORY_LEN];

	assert(m->batch == w->batch + 1);
	put(entry, (uint64_t)m->batch, 8);
	memcpy(entry + 8, m->digest, BATCH_DIGEST_LEN);
	put(entry + 8 + BATCH_DIGEST_LEN, (uint64_t)m->row_first, 8);
	put(entry + 16 + BATCH_DIGEST_LEN, (uint64_t)m->rows, 4);
	w->recent = push_front(a, w->recent, entry, sizeof(entry), BATCH_REMEMBERED);
	w->batch = m->batch;
}

void batch_remember_session(struct arena *a, struct writer *w)
{
	char entry[SESSION_SIZE];

	if (!w->session)
		return;
	put(entry, (uint64_t)w->session, 4);
	put(entry + 4, (uint64_t)w->batch, 8);
	w->sessions = push_front(a, w->sessions, entry, sizeof(entry), BATCH_SESSIONS);
}

unsigned batch_sessions(const struct writer *w, struct batch_session out[static BATCH_SESSIONS])
{
	unsigned count = 0;

	for (size_t at = 0; at + SESSION_SIZE <= w->sessions.len && count < BATCH_SESSIONS;
	     at += SESSION_SIZE) {
		out[count].session = (int32_t)get(w->sessions.at + at, 4);
		out[count++].batch = (int64_t)get(w->sessions.at + at + 4, 8);
	}
	return count;
}

/* ---- whether it can be true -------------------------------------------------------------------- */

/* The newest is the writer's last batch, and each is one above the next. */
static const char *check_recent(struct arena *a, const struct writer *w, int64_t next_row)
{
	size_t count = w->recent.len / BATCH_MEMORY_LEN;
	struct batch_memory m;

	if (w->recent.len % BATCH_MEMORY_LEN || count > BATCH_REMEMBERED)
		return arena_printf(a, "%zu bytes of remembered batches are not a valid list",
				    w->recent.len);
	if (!count && w->batch)
		return arena_printf(a, "batch %lld is not remembered", (long long)w->batch);
	for (size_t i = 0; i < count; i++) {
		read_memory(w->recent.at + i * BATCH_MEMORY_LEN, &m);
		if (m.batch != w->batch - (int64_t)i || m.batch < 1)
			return arena_printf(a, "batch %lld is remembered in the place of %lld",
					    (long long)m.batch, (long long)w->batch - (long long)i);
		if (m.rows < 0 || m.row_first < 0 || m.row_first > next_row - m.rows)
			return arena_printf(a, "batch %lld is remembered with rows %lld to %lld",
					    (long long)m.batch, (long long)m.row_first,
					    (long long)m.row_first + m.rows - 1);
	}
	return NULL;
}

const char *batch_check_memory(struct arena *a, const struct writer *w, int64_t next_row)
{
	struct batch_session sessions[BATCH_SESSIONS];
	unsigned count = batch_sessions(w, sessions);
	int32_t below = w->session;

	if (w->sessions.len % SESSION_SIZE || w->sessions.len / SESSION_SIZE > BATCH_SESSIONS)
		return arena_printf(a, "%zu bytes of remembered sessions are not a valid list",
				    w->sessions.len);
	for (unsigned i = 0; i < count; i++) {
		if (sessions[i].session >= below || sessions[i].session < 1 ||
		    sessions[i].batch < 0)
			return arena_printf(a, "session %d is remembered before session %d",
					    sessions[i].session, below);
		below = sessions[i].session;
	}
	return check_recent(a, w, next_row);
}
