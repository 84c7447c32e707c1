#ifndef RECORD_STREAMS_H
#define RECORD_STREAMS_H

#include <stdint.h>

#include "name.h"
#include "str.h"

struct arena;

/*
 * A writer's records are its rows and lines. Each process that is the writer logs a stream of them,
 * counted from 0 in the order in which it logged them. writer.streams has how many of each stream
 * are stored, by the name of the stream; that of batches that name none is "". It is the only truth
 * of it: a client that kept records on disk sends those from there on. Those before are stored, or
 * the client gave them up.
 */
enum {
	RECORD_STREAMS_MAX =
		256, /* of a writer; the one whose records came longest ago is forgotten */
	RECORD_STREAMS_MAX_BYTES = RECORD_STREAMS_MAX * (1 + NAME_STREAM_MAX + 8),
};

/* How many records of the stream are stored; 0 if it is not known. */
int64_t record_streams_find(struct str streams, struct str name);

/* The same list, in which the stream has that many. New bytes come from the arena. */
struct str record_streams_put(struct arena *a, struct str streams, struct str name,
			      int64_t records);

/* How many records of all streams are stored. */
int64_t record_streams_sum(struct str streams);

/* Whether streams may have been forgotten. */
bool record_streams_are_full(struct str streams);

/* Whether the bytes are a list that record_streams_put() makes. */
bool record_streams_are_valid(struct str streams);

#endif
