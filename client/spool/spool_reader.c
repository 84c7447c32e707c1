/*
 * A frame is read in two steps: its head says how long it is, and only if the file has so many bytes are they read. Each
 * read begins at the file's offset anew, so that a frame that was half written, cut off and written again is read right.
 */
#include "spool_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "spool_bytes.h"
#include "spool_segment.h"

#define READ_AHEAD_BYTES (256 * 1024)

struct spool_reader {
	char *folder;
	int folder_fd;
	int fd;           /* of the segment; -1: none open, `segment` is done with */
	uint64_t segment; /* 0: none yet */
	uint64_t offset;  /* of the next frame */
	uint64_t record;  /* index of the next record */
	uint32_t frame;   /* number of the next frame */
	uint32_t repeats; /* so many frames follow that were returned already */
	bool is_begun;    /* the index is known from a head */
	bool is_closed;   /* a later segment exists: nothing is added to this one */

	char *buffer; /* bytes of the segment from `at` on */
	size_t capacity, filled;
	uint64_t at;
	char *payload; /* of the frame, aligned */
	size_t payload_capacity;

	bool has_found; /* damage that is not returned yet: */
	bool is_completing; /* `damage` is about to be returned: the next head says how many records it cost */
	struct spool_damage found, damage;
	struct spool_damage cut; /* the end of the segment before: damage if records are missing */
	struct spool_reader_counts counts;
};

/* The result of a step. */
enum found { FOUND_FRAME, FOUND_SKIPPED, FOUND_CUT, FOUND_BAD, FOUND_ERROR };

static void fail(const struct spool_reader *r, const char *what, char *error)
{
	char name[SPOOL_SEGMENT_NAME_SIZE];

	segment_name(r->segment, name);
	snprintf(error, SPOOL_ERROR_SIZE, "cannot read \"%.200s/%s\": %s", r->folder, name, what);
}

static void close_segment(struct spool_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	r->filled = 0;
	r->is_closed = false;
}

void spool_reader_close(struct spool_reader *r)
{
	if (!r)
		return;
	close_segment(r);
	if (r->folder_fd >= 0)
		close(r->folder_fd);
	free(r->folder);
	free(r->buffer);
	free(r->payload);
	free(r);
}

static bool grow(char **buffer, size_t *capacity, size_t size)
{
	char *larger;

	if (size <= *capacity)
		return true;
	larger = realloc(*buffer, size);
	if (!larger)
		return false;
	*buffer = larger;
	*capacity = size;
	return true;
}

/* ---- bytes of the segment ---------------------------------------------------------------------------- */

/* Bytes that the file has from the offset on; -1 with errno. */
static int64_t bytes_left(const struct spool_reader *r)
{
	struct stat info;

	if (fstat(r->fd, &info) != 0)
		return -1;
	return (uint64_t)info.st_size > r->offset ? info.st_size - (int64_t)r->offset : 0;
}

static ssize_t read_at(int fd, char *bytes, size_t count, uint64_t offset)
{
	size_t done = 0;

	while (done < count) {
		ssize_t got = pread(fd, bytes + done, count - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

/* So many bytes from the offset on, or NULL: *ret_is_error tells a failure from the end of the file. */
static const char *look(struct spool_reader *r, size_t count, bool *ret_is_error)
{
	size_t size = count > READ_AHEAD_BYTES ? count : READ_AHEAD_BYTES;
	ssize_t got;

	*ret_is_error = false;
	if (r->filled && r->offset >= r->at && r->offset + count <= r->at + r->filled)
		return r->buffer + (r->offset - r->at);
	r->filled = 0;
	if (!grow(&r->buffer, &r->capacity, size)) {
		errno = ENOMEM;
		*ret_is_error = true;
		return NULL;
	}
	got = read_at(r->fd, r->buffer, size, r->offset);
	*ret_is_error = got < 0;
	if (got < (ssize_t)count)
		return NULL;
	r->at = r->offset;
	r->filled = (size_t)got;
	return r->buffer;
}

/* Whether the file has nothing but zeros behind the offset, as after a loss of power. */
static bool is_zero_to_end(struct spool_reader *r)
{
	char bytes[4096];
	uint64_t offset = r->offset;
	ssize_t got;

	while ((got = read_at(r->fd, bytes, sizeof bytes, offset)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			if (bytes[i])
				return false;
		}
		offset += (uint64_t)got;
	}
	return got == 0;
}

/* ---- damage ------------------------------------------------------------------------------------------- */

static struct spool_damage describe(const struct spool_reader *r, const char *what)
{
	struct spool_damage damage = { .offset = r->offset, .what = what };
	int64_t left = r->fd < 0 ? 0 : bytes_left(r);

	if (left > 0)
		damage.bytes = (uint64_t)left;
	segment_name(r->segment, damage.file);
	return damage;
}

static void note_damage(struct spool_reader *r, struct spool_damage damage)
{
	r->found = damage;
	r->has_found = true;
	r->counts.damages++;
	r->counts.damaged_bytes += damage.bytes;
}

/* A segment may begin with frames that were in another one. */
static void take_frame_number(struct spool_reader *r, const struct segment_head *head)
{
	uint32_t ahead = r->frame - head->frame;

	r->repeats = 0;
	if (r->is_begun && (head->flags & SPOOL_REPEATS) && ahead <= INT32_MAX)
		r->repeats = ahead;
	r->frame = head->frame;
}

/* A head says where it begins: what is between is lost. */
static void take_record_index(struct spool_reader *r, const struct segment_head *head)
{
	bool is_jump = r->is_begun && head->record > r->record;
	uint64_t lost = 0;

	if (is_jump && !(head->flags & SPOOL_ALL_SENT_BEFORE))
		lost = head->record - r->record;
	r->counts.lost_records += lost;
	if (lost && r->is_completing) {
		r->damage.records = lost;
	} else if (lost) {
		r->cut.records = lost;
		note_damage(r, r->cut);
	}
	take_frame_number(r, head);
	r->record = head->record;
	r->is_begun = true;
}

/* ---- segments ----------------------------------------------------------------------------------------- */

/* Whether there is a later segment; true as well if that cannot be found out, with *ret_error. */
static uint64_t later_segment(const struct spool_reader *r, int *ret_error)
{
	uint64_t next = 0;

	*ret_error = segment_find_next(r->folder_fd, r->segment, &next);
	return next;
}

/* Its writer was killed as it began the segment: it is damage only if the next head says that records are missing. The first
 * segment begins with record 0. */
static enum found pass_headless(struct spool_reader *r)
{
	r->cut = describe(r, "missing head");
	r->is_begun = true;
	close_segment(r);
	return FOUND_SKIPPED;
}

/* Opens the next segment and reads its head. FOUND_CUT: there is none yet, or its head is being written. */
static enum found open_next(struct spool_reader *r, char *error)
{
	uint64_t next, before = r->segment;
	struct segment_head fields;
	const char *head, *what;
	bool is_error;
	int e;

	next = later_segment(r, &e);
	if (e) {
		fail(r, strerror(e), error);
		return FOUND_ERROR;
	}
	r->counts.unfinished_bytes = 0;
	if (!next)
		return FOUND_CUT;
	r->offset = 0;
	r->fd = segment_open(r->folder_fd, next);
	if (r->fd < 0 && errno == ENOENT)
		return FOUND_CUT; /* removed just now: a later call finds the one behind */
	r->segment = next;
	if (r->fd < 0) {
		note_damage(r, describe(r, "it cannot be opened"));
		return FOUND_BAD;
	}
	head = look(r, SPOOL_HEAD_BYTES, &is_error);
	if (!head) {
		bool is_last = !is_error && !later_segment(r, &e) && !e;

		if (is_last) {
			r->counts.unfinished_bytes = (uint64_t)bytes_left(r);
			close_segment(r);
			r->segment = before;
			return FOUND_CUT;
		}
		what = is_error ? "it cannot be read" : "missing head";
		if (!is_error && !e && (r->is_begun || next == 1))
			return pass_headless(r);
	} else {
		what = segment_read_head(head, next, &fields);
	}
	if (what) {
		note_damage(r, describe(r, what));
		close_segment(r);
		return FOUND_BAD;
	}
	r->offset = SPOOL_HEAD_BYTES;
	r->counts.segment = next;
	take_record_index(r, &fields);
	return FOUND_SKIPPED;
}

/* ---- frames ------------------------------------------------------------------------------------------- */

static bool is_known(uint32_t type)
{
	return type >= SPOOL_RECORD && type <= SPOOL_SENT;
}

/* The payload where any type is aligned. */
static bool take_payload(struct spool_reader *r, const char *bytes, struct spool_frame *frame)
{
	if (!grow(&r->payload, &r->payload_capacity, frame->length + 1))
		return false;
	memcpy(r->payload, bytes, frame->length);
	r->payload[frame->length] = '\0';
	frame->payload = r->payload;
	return true;
}

static enum found take_frame(struct spool_reader *r, const char *bytes, uint32_t type,
			     struct spool_frame *frame)
{
	bool is_record = type == SPOOL_RECORD;

	if (!take_payload(r, bytes, frame))
		return FOUND_ERROR;
	if (is_record && !record_check(r->payload, frame->length))
		return FOUND_BAD;
	frame->type = type;
	frame->record = r->record;
	frame->segment = r->segment;
	frame->offset = r->offset;
	frame->as_record = is_record ? (const struct record *)(const void *)r->payload : NULL;
	r->offset += SPOOL_FRAME_HEAD_BYTES + frame->length;
	r->record += is_record;
	r->frame++;
	if (r->repeats > 0) {
		r->repeats--;
		return FOUND_SKIPPED;
	}
	r->counts.records += is_record;
	if (!is_known(type)) {
		r->counts.unknown++;
		return FOUND_SKIPPED;
	}
	r->counts.frames++;
	return FOUND_FRAME;
}

/* A sum that is wrong: at the end of the file the frame may be unfinished. */
static enum found judge_wrong_sum(struct spool_reader *r, size_t length)
{
	int64_t left = bytes_left(r);

	if (left == (int64_t)(SPOOL_FRAME_HEAD_BYTES + length) || is_zero_to_end(r))
		return FOUND_CUT;
	return FOUND_BAD;
}

static enum found read_frame(struct spool_reader *r, struct spool_frame *frame,
			     const char **ret_what)
{
	bool is_error;
	const char *head = look(r, SPOOL_FRAME_HEAD_BYTES, &is_error);
	uint32_t length, type, sum;
	enum found found;

	if (!head)
		return is_error ? FOUND_ERROR : FOUND_CUT;
	length = spool_get32(head);
	type = spool_get32(head + 4);
	sum = spool_get32(head + 8);
	*ret_what = "invalid length";
	if (length > SPOOL_PAYLOAD_MAX_BYTES)
		return FOUND_BAD;
	if (length > READ_AHEAD_BYTES / 2 &&
	    bytes_left(r) < (int64_t)SPOOL_FRAME_HEAD_BYTES + length)
		return FOUND_CUT; /* before there is memory for it */
	head = look(r, SPOOL_FRAME_HEAD_BYTES + length, &is_error);
	if (!head)
		return is_error ? FOUND_ERROR : FOUND_CUT;
	*ret_what = "wrong checksum";
	if (crc32c(crc32c(0, head, 8), head + SPOOL_FRAME_HEAD_BYTES, length) != sum)
		return judge_wrong_sum(r, length);
	frame->length = length;
	*ret_what = "invalid record";
	found = take_frame(r, head + SPOOL_FRAME_HEAD_BYTES, type, frame);
	if (found == FOUND_ERROR)
		errno = ENOMEM;
	return found;
}

/* The frame at the end of the segment is not whole. Returns whether there is a segment behind it. */
static enum found judge_cut(struct spool_reader *r, char *error)
{
	int64_t left = bytes_left(r);
	uint64_t next;
	int e;

	next = later_segment(r, &e);
	r->filled = 0;
	if (e) {
		fail(r, strerror(e), error);
		return FOUND_ERROR;
	}
	r->counts.unfinished_bytes = left > 0 ? (uint64_t)left : 0;
	if (!next)
		return FOUND_CUT;
	if (!r->is_closed) { /* it may have grown before the next was made: look once more */
		r->is_closed = true;
		return FOUND_SKIPPED;
	}
	r->cut = describe(r, left > 0 ? "cut frame" : "missing records");
	close_segment(r);
	return FOUND_SKIPPED;
}

static enum found step(struct spool_reader *r, struct spool_frame *frame, char *error)
{
	const char *what = NULL;
	enum found found;

	if (r->fd < 0)
		return open_next(r, error);
	found = read_frame(r, frame, &what);
	if (found == FOUND_CUT)
		return judge_cut(r, error);
	if (found == FOUND_BAD) {
		note_damage(r, describe(r, what));
		close_segment(r);
	}
	if (found == FOUND_ERROR)
		fail(r, strerror(errno), error);
	return found;
}

static bool take_found(struct spool_reader *r)
{
	bool had = r->has_found;

	if (had)
		r->damage = r->found;
	r->has_found = false;
	return had;
}

enum spool_read spool_reader_next(struct spool_reader *r, struct spool_frame *ret_frame,
				  char error[static SPOOL_ERROR_SIZE])
{
	for (;;) {
		enum found found;

		r->is_completing = r->fd < 0 && take_found(r);
		found = step(r, ret_frame, error);
		if (r->is_completing || (r->fd >= 0 && take_found(r)))
			return SPOOL_READ_DAMAGE;
		switch (found) {
		case FOUND_FRAME:
			return SPOOL_READ_FRAME;
		case FOUND_CUT:
			return SPOOL_READ_END;
		case FOUND_ERROR:
			return SPOOL_READ_FAILED;
		default:
			break;
		}
	}
}

/* ---- where it begins ---------------------------------------------------------------------------------- */

struct start {
	struct spool_reader *reader;
	uint64_t wanted; /* record */
	uint64_t segment;
};

static bool read_start(struct spool_reader *r, uint64_t number, struct segment_head *ret_head)
{
	char head[SPOOL_HEAD_BYTES];
	int fd = segment_open(r->folder_fd, number);
	bool is_well = fd >= 0 && read_at(fd, head, sizeof head, 0) == sizeof head &&
		       !segment_read_head(head, number, ret_head);

	if (fd >= 0)
		close(fd);
	return is_well;
}

/* Keeps the last segment that begins at the wanted record or before. */
static void take_start(void *context, uint64_t number)
{
	struct start *start = context;
	struct segment_head head;

	if (number > start->segment && read_start(start->reader, number, &head) &&
	    head.record <= start->wanted)
		start->segment = number;
}

struct spool_reader *spool_reader_open(const char *folder, uint64_t first_record,
				       char error[static SPOOL_ERROR_SIZE])
{
	struct spool_reader *r = calloc(1, sizeof *r);
	struct start start = { .reader = r, .wanted = first_record };

	if (r) {
		r->fd = -1;
		r->folder_fd = -1;
		r->folder = strdup(folder);
	}
	if (!r || !r->folder) {
		snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
		spool_reader_close(r);
		return NULL;
	}
	r->folder_fd = segment_open_folder(folder, error);
	if (r->folder_fd < 0) {
		spool_reader_close(r);
		return NULL;
	}
	if (first_record > 0 && segment_each(r->folder_fd, take_start, &start) == 0 &&
	    start.segment > 0)
		r->segment = start.segment - 1;
	return r;
}

/* ---- what is known ------------------------------------------------------------------------------------ */

const struct spool_damage *spool_reader_damage(const struct spool_reader *r)
{
	return &r->damage;
}

void spool_reader_describe_damage(const struct spool_reader *r, char line[static SPOOL_ERROR_SIZE])
{
	const struct spool_damage *damage = &r->damage;

	snprintf(
		line, SPOOL_ERROR_SIZE,
		"damage in \"%.180s/%s\" at offset %llu: %s; %llu bytes skipped, %llu records lost",
		r->folder, damage->file, (unsigned long long)damage->offset, damage->what,
		(unsigned long long)damage->bytes, (unsigned long long)damage->records);
}

uint64_t spool_reader_record(const struct spool_reader *r)
{
	return r->record;
}

const struct spool_reader_counts *spool_reader_counts(const struct spool_reader *r)
{
	return &r->counts;
}
