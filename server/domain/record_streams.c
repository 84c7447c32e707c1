/*
 * At most RECORD_STREAMS_MAX times { length of the name 1, name, records 8 }, the one whose records
 * came last in front. Records are big-endian, as int8send() of PostgreSQL writes them: a migration
 * makes such lists (spooled_writers.sql).
 */
#include "record_streams.h"

#include <string.h>

#include "arena.h"

enum { COUNT_SIZE = 8 };

struct entry {
	struct str name;
	int64_t records;
	size_t size; /* in bytes */
};

static bool read_entry(struct str streams, size_t at, struct entry *ret_entry)
{
	const unsigned char *p;
	uint64_t records = 0;
	size_t size;

	if (at >= streams.len)
		return false;
	p = (const unsigned char *)streams.at + at;
	size = 1 + (size_t)*p + COUNT_SIZE;
	if (size > streams.len - at)
		return false;
	for (size_t i = size - COUNT_SIZE; i < size; i++)
		records = records << 8 | p[i];
	*ret_entry = (struct entry){ { (const char *)p + 1, *p }, (int64_t)records, size };
	return true;
}

static size_t write_entry(char *out, struct str name, int64_t records)
{
	*out++ = (char)name.len;
	if (name.len)
		memcpy(out, name.at, name.len);
	for (int i = 0; i < COUNT_SIZE; i++)
		out[name.len + (size_t)i] = (char)((uint64_t)records >> (8 * (COUNT_SIZE - 1 - i)));
	return 1 + name.len + COUNT_SIZE;
}

int64_t record_streams_find(struct str streams, struct str name)
{
	struct entry e;

	for (size_t at = 0; read_entry(streams, at, &e); at += e.size) {
		if (str_equal(e.name, name))
			return e.records;
	}
	return 0;
}

struct str record_streams_put(struct arena *a, struct str streams, struct str name, int64_t records)
{
	char *bytes;
	size_t len;
	struct entry e;
	unsigned count = 1;

	if (record_streams_find(streams, name) == records)
		return streams;
	bytes = arena_alloc(a, 1 + name.len + COUNT_SIZE + streams.len);
	len = write_entry(bytes, name, records);
	for (size_t at = 0; read_entry(streams, at, &e); at += e.size) {
		if (str_equal(e.name, name))
			continue;
		if (count++ == RECORD_STREAMS_MAX)
			break;
		memcpy(bytes + len, streams.at + at, e.size);
		len += e.size;
	}
	return (struct str){ bytes, len };
}

int64_t record_streams_sum(struct str streams)
{
	int64_t sum = 0;
	struct entry e;

	for (size_t at = 0; read_entry(streams, at, &e); at += e.size) {
		if (__builtin_add_overflow(sum, e.records, &sum))
			return INT64_MAX;
	}
	return sum;
}

bool record_streams_are_full(struct str streams)
{
	unsigned count = 0;
	struct entry e;

	for (size_t at = 0; read_entry(streams, at, &e); at += e.size)
		count++;
	return count >= RECORD_STREAMS_MAX;
}

bool record_streams_are_valid(struct str streams)
{
	unsigned count = 0;
	size_t at = 0;
	struct entry e;

	for (; read_entry(streams, at, &e); at += e.size) {
		bool named = !e.name.len || name_is_valid(NAME_STREAM, e.name);

		if (++count > RECORD_STREAMS_MAX || !named || e.records <= 0 ||
		    record_streams_find((struct str){ streams.at, at }, e.name))
			return false;
	}
	return at == streams.len;
}
