#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backlog.h"
#include "cairn.h"
#include "text.h"

/* One row or line as it waits in the backlog. */
enum record_kind { RECORD_HISTORY, RECORD_EVENTS, RECORD_CONSOLE, RECORD_KINDS };

enum record_form {
	RECORD_METRICS, /* `count` doubles, then as many names, each terminated */
	RECORD_JSON,    /* `count` bytes: a checked object */
	RECORD_LINE     /* `count` bytes of text */
};

#define RECORD_NO_STEP (-1)
#define RECORD_HAS_TIME 1 /* flag: the object has a _timestamp of its own */

struct record {
	uint32_t size; /* with this head, a multiple of 8 */
	uint32_t count;
	uint8_t kind;
	uint8_t form;
	uint8_t flags;
	uint8_t stream;  /* enum cairn_stream of a line */
	uint32_t unused; /* 0 */
	int64_t number;  /* step or RECORD_NO_STEP; line number */
	int64_t time_us;
	_Alignas(8) char data[];
};

#define RECORD_METRICS_MAX 10000
#define RECORD_ROW_MAX_BYTES (10 * 1024 * 1024)
#define RECORD_LINE_MAX_BYTES (64 * 1024)
#define RECORD_NAME_MAX_BYTES 2048 /* the server keeps longer ones than 512 in a shorter form */
#define RECORD_STEP_MAX (INT64_C(1) << 53)
#define RECORD_TIME_MAX_US (INT64_C(253402300800) * 1000000) /* the year 10000 */

/* Bytes of a record of these metrics; 0 when a name, the number of them or the size of the row is not allowed. */
size_t record_metrics_size(size_t count, const struct cairn_metric *metrics);
size_t record_text_size(size_t length);

/* Fills `record`, which has room for the size above; the caller sets kind, number and time. */
void record_put_metrics(struct record *record, size_t size, size_t count,
			const struct cairn_metric *metrics);
void record_put_text(struct record *record, size_t size, const char *bytes, size_t length);

/* Whether these bytes, as they come from a spool, are a record that the functions here can read: its length, kind, form,
 * names and numbers are valid. `bytes` is aligned as the struct. */
bool record_check(const void *bytes, size_t size) __attribute__((nonnull));

/* Finds names that come twice in a row. All zero is a good start. */
struct name_set {
	uint32_t *slots; /* index + 1 of a name */
	size_t capacity;
};
void name_set_deinit(struct name_set *set) __attribute__((nonnull));

/* Appends the record as JSON; false when there was no memory (then look at text->failed, too). */
bool record_write(const struct record *record, struct name_set *names, struct text *text)
	__attribute__((nonnull));

#endif
