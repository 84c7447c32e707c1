#ifndef SPOOL_READER_H
#define SPOOL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "spool.h"

/*
 * Reads the frames of a writer's folder in order, also while the writer writes, and while segments are removed behind
 * it. It trusts no byte: a length is believed only if the file has so many bytes, a payload only if its sum is right, a
 * record only if record_check() accepts it. Memory: one frame, at most SPOOL_PAYLOAD_MAX_BYTES.
 *
 * A frame that is cut or has a wrong sum at the end of the last segment may be one that is being written: the reader
 * stays before it and returns SPOOL_READ_END. Elsewhere it is damage, which is returned once, and the reader goes on at
 * the next segment, whose head has the index of its first record.
 */
struct spool_reader;

enum spool_read {
	SPOOL_READ_FRAME,  /* *ret_frame is valid until the next call */
	SPOOL_READ_END,    /* nothing more at present; a later call looks again */
	SPOOL_READ_DAMAGE, /* see spool_reader_damage(); the next call goes on behind it */
	SPOOL_READ_FAILED  /* the folder or a file cannot be read, or no memory: see `error` */
};

struct spool_frame {
	enum spool_type type;
	const char *payload; /* aligned for any type */
	size_t length;
	uint64_t record; /* index of this record, or for other types of the next record */
	const struct record *as_record; /* of a SPOOL_RECORD, checked; else NULL */
	uint64_t segment;
	uint64_t offset; /* of the frame in its segment */
};

struct spool_damage {
	char file[16];    /* name of the segment */
	uint64_t offset;  /* where it begins */
	uint64_t bytes;   /* that were skipped */
	uint64_t records; /* that are missing before the next record that is read; may be 0 */
	const char *what; /* "wrong checksum", "missing head" … */
};

struct spool_reader_counts {
	uint64_t frames, records, unknown; /* read; unknown: types that were skipped */
	uint64_t damages, damaged_bytes, lost_records;
	uint64_t segment;          /* the last one of which the head was read */
	uint64_t unfinished_bytes; /* behind the last whole frame, at the last SPOOL_READ_END */
};

/*
 * Begins at the first segment; with first_record > 0 at the segment that holds this record (frames before it are
 * returned, too). The folder must belong to this user or the caller be root, else it is refused with a line that
 * says so.
 */
struct spool_reader *spool_reader_open(const char *folder, uint64_t first_record,
				       char error[static SPOOL_ERROR_SIZE])
	__attribute__((nonnull));
void spool_reader_close(struct spool_reader *reader);

enum spool_read spool_reader_next(struct spool_reader *reader, struct spool_frame *ret_frame,
				  char error[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));

/* The damage that was returned last. */
const struct spool_damage *spool_reader_damage(const struct spool_reader *reader)
	__attribute__((nonnull));
/* The same as a line with the file's whole path. */
void spool_reader_describe_damage(const struct spool_reader *reader,
				  char line[static SPOOL_ERROR_SIZE]) __attribute__((nonnull));

/* Index of the next record. */
uint64_t spool_reader_record(const struct spool_reader *reader) __attribute__((nonnull));
const struct spool_reader_counts *spool_reader_counts(const struct spool_reader *reader)
	__attribute__((nonnull));

/* Readers of payloads: false if it is too short. The JSON or text behind is ret_text, not terminated. */
struct spool_bytes {
	const char *at;
	size_t length;
};
bool spool_read_document(const struct spool_frame *frame, uint64_t *ret_version,
			 struct spool_bytes *ret_text) __attribute__((nonnull));
bool spool_read_alert(const struct spool_frame *frame, uint64_t *ret_number, int64_t *ret_time_us,
		      struct spool_bytes *ret_text) __attribute__((nonnull));
bool spool_read_drop(const struct spool_frame *frame, struct spool_drop *ret_drop)
	__attribute__((nonnull));
bool spool_read_end(const struct spool_frame *frame, struct spool_end *ret_end,
		    struct spool_bytes *ret_reason) __attribute__((nonnull));
bool spool_read_sent(const struct spool_frame *frame, struct spool_sent *ret_sent)
	__attribute__((nonnull));

#endif
