#ifndef VERIFY_H
#define VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "db.h"
#include "verify_store.h"

/*
 * Checks all stored data for corruption and inconsistency. Run by run, each in one snapshot, so
 * that servers may go on writing; in constant memory, by several threads. Nothing is changed.
 *
 * It compares: every format of ours with its checksum; the columns next to it with
 * the decoded data; rollups with their values, bit for bit; indexes of values with
 * each other, and counts and last values with the key lists; rows with their writers
 * and steps, none missing and none twice; the tail with the run's counters; writers,
 * changes of state, documents and the directory with the run; alerts with what waits
 * to be sent; files with their hashes; versions of artifacts with their entries, and these with
 * their content; sweeps with their agents and trials; and rows of every table with their checksums.
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
	VERIFY_ARTIFACT,
	VERIFY_SWEEP,
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
/* "chunk", "rollup": the kind of stored data. */
const char *verify_part_name(enum verify_part part);
/* Returns the advice to an administrator. */
const char *verify_advice(enum verify_part part);

struct verify_sum {
	struct verify_total total; /* the totals at the beginning */
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
	struct content_store *content; /* the content of files; NULL: not checked */
	struct verify_scope scope;
	int jobs;
	/*
	 * Monotonic; 0: all is checked. After it no run is begun, a run in progress is given up
	 * some seconds later, and only runs are checked.
	 */
	int64_t until_us;
	bool (*stopped)(void); /* true: ends at once; may be NULL */
	int64_t map_rows; /* of a run checked together; 0: as many as a map holds (row_map.h) */
	/* Both are called by one thread at a time; progress some times a second. */
	void (*fault)(void *p, const struct verify_fault *fault);
	void (*progress)(void *p, const struct verify_sum *sum);
	void *p;
};
enum { VERIFY_JOBS_MAX = 64 };

/* An error means that the check was not possible; faults are in the totals. */
err_t verify_all(struct arena *a, const struct verify_ask *ask, struct verify_sum *ret_sum)
	__attribute__((warn_unused_result, nonnull));

#endif
