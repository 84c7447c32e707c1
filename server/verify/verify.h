#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "db.h"
#include "verify_store.h"

/*
 * Whether all that is stored is whole and agrees with itself. Run by run, each in one snapshot, so that
 * servers may go on writing; in constant memory, by several threads. Nothing is changed.
 *
 * What is compared: every form of ours with its checksum; columns beside it with what was decoded;
 * rollups with the values they stand for, bit for bit; indexes of values with each other, and counts and
 * last values with the key lists; rows with their writers and steps, none missing and none twice; the tail
 * with the run's counters; writers, changes of state, documents and the directory with the run; alerts with
 * what waits to be sent; files with their hashes; and rows of every table with the checksums beside them.
 */
struct content_store;

enum verify_part {
	VERIFY_CHUNK,
	VERIFY_ROLLUP,
	VERIFY_TAIL,
	VERIFY_KEYS,
	VERIFY_CONSOLE,
	VERIFY_ROWS,
	VERIFY_COUNTER,
	VERIFY_WRITER,
	VERIFY_STATE,
	VERIFY_DOCUMENT,
	VERIFY_DIRECTORY,
	VERIFY_FILE,
	VERIFY_ALERT,
	VERIFY_ROW,     /* a row whose checksum differs */
	VERIFY_STORAGE, /* PostgreSQL cannot read it */
};

struct verify_fault {
	enum verify_part part;
	const struct verify_item *run;
	const char *stream; /* "history", "events", "console"; NULL: none */
	struct str key;     /* name; empty: none */
	int32_t writer;     /* -1: none */
	struct str label;
	const char *message;
};
/* "chunk", "rollup": what is stored. */
const char *verify_part_name(enum verify_part part);
/* What a person does about it. */
const char *verify_advice(enum verify_part part);

struct verify_sum {
	struct verify_total total; /* what was there in the beginning */
	int64_t runs;              /* done; none that was given up */
	int64_t rows;              /* of history and events, done */
	int64_t chunks;
	int64_t blocks; /* of the tail */
	int64_t lines;  /* of console chunks */
	int64_t files;
	int64_t bytes; /* of all that was decoded, as stored */
	int64_t faults;
};

struct verify_ask {
	const struct db_options *db;
	struct content_store *content; /* what files hold; NULL: not looked at */
	struct verify_scope scope;
	int jobs;
	/*
	 * Monotonic; 0: all is looked at. No run is begun later, one that is being looked at is given up some seconds later,
	 * and nothing but runs is looked at.
	 */
	int64_t until_us;
	bool (*stopped)(void); /* true: the same at once; may be NULL */
	int64_t map_rows; /* of a run looked at together; 0: as many as a map holds (row_map.h) */
	/* Both are called by one thread at a time; progress some times a second. */
	void (*fault)(void *p, const struct verify_fault *fault);
	void (*progress)(void *p, const struct verify_sum *sum);
	void *p;
};
enum { VERIFY_JOBS_MAX = 64 };

/* An error is that it could not be found out; faults are in the sum. */
err_t verify_all(struct arena *a, const struct verify_ask *ask, struct verify_sum *ret_sum)
	__attribute__((warn_unused_result, nonnull));

#endif
