/*
 * The frames that wait are one piece of memory, written with one system call behind the head of a new segment if it does
 * not fit into the one before. Rejected: frames over two segments, which a reader could not check by themselves; files of
 * a fixed size, which cost disk before they hold anything.
 */
#include "spool_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "crc32c.h"
#include "random_id.h"
#include "spool_bytes.h"
#include "spool_folder.h"
#include "spool_reader.h"
#include "spool_segment.h"

#define BUFFER_KEPT_BYTES (2 * 1024 * 1024)
#define UNSYNCED_MAX_BYTES (4 * 1024 * 1024) /* no frame is added to more than that */

struct frames {
	char *bytes;
	size_t length, capacity;
	uint64_t records;
	uint32_t count;
};

struct old_segment {
	uint64_t number, end, bytes; /* end: index behind its last record */
};

struct spool_writer {
	char *folder;
	int folder_fd;
	int fd; /* of the segment; -1: the next write makes one */
	struct spool_limits limits;
	uint64_t number;      /* of the segment, or of the last one */
	uint64_t size;        /* of it */
	uint64_t record;      /* index behind what was written */
	uint64_t bytes;       /* of all segments */
	bool is_folder_dirty; /* a file was made since the last fsync */
	bool is_touched;
	bool is_unfinished, was_overtaken;
	bool is_all_sent; /* what was before the next segment */
	bool is_ended;    /* nothing more goes into the open segment, and it is remembered */

	struct old_segment *old; /* those before, the oldest first */
	size_t old_count, old_capacity;

	struct frames waiting, aside;

	/* written since the last fsync that succeeded */
	struct frames unsynced;
	uint64_t unsynced_record;    /* index of the first record in them, or behind them */
	bool must_repeat;            /* an fsync failed: they go into a new segment */
	struct old_segment repeated; /* has nothing else and goes then; number 0: none */
	uint32_t frame;              /* number of the next frame */
};

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool fail(char *error, const char *what, const char *path, int e)
{
	snprintf(error, SPOOL_ERROR_SIZE, "%s \"%.200s\"%s%s", what, path, e ? ": " : "",
		 e ? strerror(e) : "");
	return false;
}

/* Makes the folder and those above it; some may be there. */
static bool make_folders(const char *path, char *error)
{
	char *copy = strdup(path);
	bool is_well = copy != NULL;

	for (char *at = copy ? copy + 1 : NULL; is_well && at && *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		is_well = mkdir(copy, 0700) == 0 || errno == EEXIST || errno == EROFS ||
			  errno == EACCES;
		*at = '/';
	}
	if (is_well)
		is_well = mkdir(copy, 0700) == 0 || errno == EEXIST;
	free(copy);
	return is_well || fail(error, "cannot make the spool", path, errno);
}

/* The default path lies in a folder of the user's: git should not show it. */
static void hide_from_git(const char *path)
{
	static const char tail[] = "/.cairn/spool";
	size_t length = strlen(path), kept = sizeof "/.cairn/" - 1;
	char *file;
	int fd;

	if (length < sizeof tail - 1 || strcmp(path + length - (sizeof tail - 1), tail) != 0)
		return;
	file = malloc(length + sizeof ".gitignore");
	if (!file)
		return;
	memcpy(file, path, length - (sizeof tail - 1) + kept);
	memcpy(file + length - (sizeof tail - 1) + kept, ".gitignore", sizeof ".gitignore");
	fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && write(fd, "*\n", 2) != 2)
		unlink(file);
	if (fd >= 0)
		close(fd);
	free(file);
}

/* The folder of another, or one that others may write to, is not ours to trust. */
static bool check_owner(int fd, const char *folder, char *error)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return fail(error, "cannot open the spool", folder, errno);
	if (info.st_uid != geteuid())
		return fail(error, "another user owns the spool", folder, 0);
	if (info.st_mode & (S_IWGRP | S_IWOTH))
		return fail(error, "others may write to the spool: run chmod 700 on", folder, 0);
	return true;
}

/* So that the folder itself is there after a loss of power. */
static bool sync_parent(const char *path, char *error)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int e = fd < 0 || fsync(fd) != 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return !e || e == EINVAL || fail(error, "cannot write to the spool", path, e);
}

static bool open_folder(struct spool_writer *w, const char *path, char *error)
{
	bool is_new = mkdir(w->folder, 0700) == 0;
	int e;

	if (!is_new && errno != EEXIST)
		return fail(error, "cannot make the spool", w->folder, errno);
	w->folder_fd = open(w->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	e = errno;
	if (w->folder_fd < 0)
		return fail(error, "cannot open the spool", w->folder, e);
	return check_owner(w->folder_fd, w->folder, error) && (!is_new || sync_parent(path, error));
}

/* Whether the folder is that of this stream; a new one becomes it. */
static bool claim(struct spool_writer *w, const struct spool_identity *identity, char *error)
{
	struct spool_identity there;
	bool is_ours = false;
	int e;

	switch (spool_identity_read(w->folder, &there, error)) {
	case SPOOL_IDENTITY_OK:
		is_ours = (spool_identity_is_same(&there, identity) && there.stream &&
			   strcmp(there.stream, identity->stream) == 0) ||
			  fail(error, "another writer has the spool", w->folder, 0);
		break;
	case SPOOL_IDENTITY_MISSING:
		e = spool_identity_write(w->folder_fd, identity);
		is_ours = !e || fail(error, "cannot write to the spool", w->folder, e);
		break;
	case SPOOL_IDENTITY_BAD:
	case SPOOL_IDENTITY_FAILED:
		break;
	}
	spool_identity_deinit(&there);
	return is_ours;
}

/* ---- a folder that goes on ---------------------------------------------------------------------------- */

static bool remember(struct spool_writer *w, uint64_t number, uint64_t end, uint64_t bytes)
{
	if (w->old_count == w->old_capacity) {
		size_t capacity = w->old_capacity ? w->old_capacity * 2 : 16;
		struct old_segment *old = realloc(w->old, capacity * sizeof *old);

		if (!old)
			return false;
		w->old = old;
		w->old_capacity = capacity;
	}
	w->old[w->old_count++] = (struct old_segment){ number, end, bytes };
	return true;
}

static void take_old(void *context, uint64_t number)
{
	struct spool_writer *w = context;
	char name[SPOOL_SEGMENT_NAME_SIZE];
	struct stat info;

	segment_name(number, name);
	if (fstatat(w->folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
		w->bytes += info.st_size > 0 ? (uint64_t)info.st_size : 0;
	if (number > w->number)
		w->number = number;
}

/* Reads the last segment to its end: there the records go on. */
static bool find_end(struct spool_writer *w, char *error)
{
	struct spool_reader *reader = spool_reader_open(w->folder, UINT64_MAX, error);
	const struct spool_reader_counts *counts;
	struct spool_frame frame;
	enum spool_read read;

	if (!reader)
		return false;
	while ((read = spool_reader_next(reader, &frame, error)) == SPOOL_READ_FRAME ||
	       read == SPOOL_READ_DAMAGE)
		;
	w->record = spool_reader_record(reader);
	counts = spool_reader_counts(reader);
	w->is_unfinished = counts->unfinished_bytes > 0 || counts->segment < w->number;
	spool_reader_close(reader);
	return read == SPOOL_READ_END;
}

static bool continue_folder(struct spool_writer *w, char *error)
{
	int e = segment_each(w->folder_fd, take_old, w);

	if (e)
		return fail(error, "cannot read the spool", w->folder, e);
	if (w->number == 0)
		return true;
	if (!find_end(w, error))
		return false;
	return remember(w, w->number, w->record, w->bytes) ||
	       fail(error, "out of memory for the spool", w->folder, 0);
}

/* Opens the folder of a stream. */
static bool open_stream(struct spool_writer *w, const char *path,
			const struct spool_identity *identity, char *error)
{
	char name[SPOOL_NAME_SIZE];
	size_t size = strlen(path) + sizeof name + 1;
	char *folder = malloc(size);

	if (!folder)
		return fail(error, "out of memory for the spool", path, 0);
	spool_folder_name(identity->run, identity->client, identity->stream, name);
	snprintf(folder, size, "%s/%s", path, name);
	free(w->folder);
	w->folder = folder;
	return open_folder(w, path, error) && claim(w, identity, error) &&
	       continue_folder(w, error);
}

/* Without a stream: goes on with the one that the writer has, or begins one. */
static bool find_stream(struct spool_writer *w, const char *path,
			const struct spool_identity *identity, char *error)
{
	struct spool_identity own = *identity;
	char name[SPOOL_NAME_SIZE], stream[SPOOL_STREAM_MAX + 1];

	if (identity->stream)
		return open_stream(w, path, identity, error);
	if (spool_folder_find(path, identity, name))
		snprintf(stream, sizeof stream, "%s", strrchr(name, '.') + 1);
	else
		random_id(stream, SPOOL_STREAM_SIZE - 1);
	own.stream = stream;
	return open_stream(w, path, &own, error);
}

struct spool_writer *spool_writer_open(const char *path, const struct spool_identity *identity,
				       const struct spool_limits *limits,
				       char error[static SPOOL_ERROR_SIZE])
{
	struct spool_writer *w = calloc(1, sizeof *w);

	if (!w) {
		fail(error, "out of memory for the spool", path, 0);
		return NULL;
	}
	w->folder_fd = -1;
	w->fd = -1;
	w->limits = *limits;
	if (make_folders(path, error) && find_stream(w, path, identity, error)) {
		hide_from_git(path);
		spool_writer_touch(w);
		return w;
	}
	spool_writer_close(w);
	return NULL;
}

void spool_writer_close(struct spool_writer *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		close(w->fd);
	if (w->folder_fd >= 0)
		close(w->folder_fd);
	free(w->folder);
	free(w->old);
	free(w->waiting.bytes);
	free(w->aside.bytes);
	free(w->unsynced.bytes);
	free(w);
}

/* ---- frames ------------------------------------------------------------------------------------------- */

static bool make_room(struct frames *frames, size_t size)
{
	size_t capacity = frames->capacity ? frames->capacity : 64 * 1024;
	char *bytes;

	if (frames->length + size <= frames->capacity)
		return true;
	if (frames->length + size > SPOOL_SEGMENT_MAX_BYTES - SPOOL_HEAD_BYTES)
		return false;
	while (capacity < frames->length + size)
		capacity *= 2;
	bytes = realloc(frames->bytes, capacity);
	if (!bytes)
		return false;
	frames->bytes = bytes;
	frames->capacity = capacity;
	return true;
}

static void clear(struct frames *frames)
{
	frames->length = 0;
	frames->records = 0;
	frames->count = 0;
	if (frames->capacity > BUFFER_KEPT_BYTES) {
		free(frames->bytes);
		*frames = (struct frames){ 0 };
	}
}

static bool join(struct frames *frames, const struct frames *others)
{
	if (!make_room(frames, others->length))
		return false;
	if (others->length)
		memcpy(frames->bytes + frames->length, others->bytes, others->length);
	frames->length += others->length;
	frames->records += others->records;
	frames->count += others->count;
	return true;
}

bool spool_writer_add(struct spool_writer *w, enum spool_type type, const void *head,
		      size_t head_length, const void *body, size_t body_length)
{
	size_t length = head_length + body_length;
	char *frame;

	if (length > SPOOL_PAYLOAD_MAX_BYTES ||
	    !make_room(&w->waiting, SPOOL_FRAME_HEAD_BYTES + length))
		return false;
	frame = w->waiting.bytes + w->waiting.length;
	spool_put32(frame, (uint32_t)length);
	spool_put32(frame + 4, type);
	if (head_length)
		memcpy(frame + SPOOL_FRAME_HEAD_BYTES, head, head_length);
	if (body_length)
		memcpy(frame + SPOOL_FRAME_HEAD_BYTES + head_length, body, body_length);
	spool_put32(frame + 8, crc32c(crc32c(0, frame, 8), frame + SPOOL_FRAME_HEAD_BYTES, length));
	w->waiting.length += SPOOL_FRAME_HEAD_BYTES + length;
	w->waiting.records += type == SPOOL_RECORD;
	w->waiting.count++;
	return true;
}

size_t spool_writer_waiting(const struct spool_writer *w)
{
	return w->waiting.length;
}

void spool_writer_set_aside(struct spool_writer *w)
{
	struct frames empty = w->aside;

	w->aside = w->waiting;
	w->waiting = empty;
}

bool spool_writer_take_back(struct spool_writer *w)
{
	if (w->aside.length > 0 && !join(&w->waiting, &w->aside))
		return false;
	clear(&w->aside);
	return true;
}

void spool_writer_discard(struct spool_writer *w)
{
	clear(&w->waiting);
	clear(&w->aside);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static int64_t reserve_of(const struct spool_writer *w, const struct statvfs *disk)
{
	double part = w->limits.reserve_part * (double)disk->f_blocks * (double)disk->f_frsize;

	return part < (double)w->limits.reserve_bytes ? (int64_t)part : w->limits.reserve_bytes;
}

/* Whether the limit and the disk have room for so many bytes. */
static enum spool_result check_room(const struct spool_writer *w, size_t bytes, char *error)
{
	struct statvfs disk;
	int64_t free_bytes;

	if (w->bytes + bytes > w->limits.max_bytes) {
		snprintf(error, SPOOL_ERROR_SIZE,
			 "the spool \"%.200s\" has reached its limit of %llu MiB", w->folder,
			 (unsigned long long)(w->limits.max_bytes >> 20));
		return SPOOL_FULL;
	}
	if (fstatvfs(w->folder_fd, &disk) != 0)
		return SPOOL_OK; /* the write will say more */
	free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
	if (free_bytes - (int64_t)bytes >= reserve_of(w, &disk))
		return SPOOL_OK;
	snprintf(
		error, SPOOL_ERROR_SIZE,
		"the disk of the spool \"%.200s\" is full: %lld MiB are free, and %lld MiB stay free",
		w->folder, (long long)(free_bytes >> 20), (long long)(reserve_of(w, &disk) >> 20));
	return SPOOL_FULL;
}

static enum spool_result failed(const struct spool_writer *w, int e, char *error)
{
	fail(error, "cannot write to the spool", w->folder, e);
	return e == ENOSPC || e == EDQUOT || e == EFBIG ? SPOOL_FULL : SPOOL_FAILED;
}

/* All of the pieces, or an errno value. */
static int write_all(int fd, struct iovec *pieces, int count)
{
	while (count > 0) {
		ssize_t written = writev(fd, pieces, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : ENOSPC;
		while (count > 0 && (size_t)written >= pieces->iov_len) {
			written -= (ssize_t)pieces->iov_len;
			pieces++;
			count--;
		}
		if (count > 0) {
			pieces->iov_base = (char *)pieces->iov_base + written;
			pieces->iov_len -= (size_t)written;
		}
	}
	return 0;
}

static int begin_segment(struct spool_writer *w)
{
	char name[SPOOL_SEGMENT_NAME_SIZE];

	if (w->number >= SPOOL_SEGMENT_NUMBER_MAX)
		return EFBIG;
	segment_name(w->number + 1, name);
	w->fd = openat(w->folder_fd, name,
		       O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (w->fd < 0)
		return errno;
	w->number++;
	w->size = 0;
	w->is_folder_dirty = true;
	return 0;
}

/* Writes frames to the segment, behind its head if it is new. It may be left with a part of them. */
static int write_frames(struct spool_writer *w, const struct frames *frames,
			const struct segment_head *from)
{
	char head[SPOOL_HEAD_BYTES];
	struct iovec pieces[2] = { { head, sizeof head }, { frames->bytes, frames->length } };
	bool is_new = w->size == 0;
	int e;

	segment_write_head(head, from);
	e = write_all(w->fd, is_new ? pieces : pieces + 1, is_new ? 2 : 1);
	if (e)
		return e;
	w->size += frames->length + (is_new ? sizeof head : 0);
	w->bytes += frames->length + (is_new ? sizeof head : 0);
	return 0;
}

static bool remove_file(struct spool_writer *w, uint64_t number, uint64_t bytes)
{
	char name[SPOOL_SEGMENT_NAME_SIZE];

	segment_name(number, name);
	if (unlinkat(w->folder_fd, name, 0) != 0)
		return false;
	w->bytes -= bytes < w->bytes ? bytes : w->bytes;
	return true;
}

static bool remove_segment(struct spool_writer *w)
{
	close(w->fd);
	w->fd = -1;
	return remove_file(w, w->number, w->size);
}

/* Writes what may not be on the disk into a new segment. The number of one that fails is not used again: a reader may
 * have it open. */
static int repeat(struct spool_writer *w)
{
	const struct segment_head from = { .number = w->number + 1,
					   .record = w->unsynced_record,
					   .flags = SPOOL_REPEATS,
					   .frame = w->frame - w->unsynced.count };
	uint64_t end = w->unsynced_record + w->unsynced.records;
	int e = begin_segment(w);

	if (e)
		return e;
	e = write_frames(w, &w->unsynced, &from);
	if (!e && fdatasync(w->fd) != 0)
		e = errno;
	if (e) {
		remove_segment(w);
		return e;
	}
	w->must_repeat = false;
	clear(&w->unsynced);
	if (w->repeated.number)
		remove_file(w, w->repeated.number, w->repeated.bytes);
	if (end != w->record) /* those that come have a higher index */
		w->is_ended = remember(w, w->number, end, w->size);
	return 0;
}

/* Forces the segment to the disk, or its last frames as those of another one. */
static int sync_segment(struct spool_writer *w)
{
	if (w->must_repeat)
		return repeat(w);
	if (w->unsynced.length == 0)
		return 0;
	if (fdatasync(w->fd) == 0) {
		clear(&w->unsynced);
		return 0;
	}
	w->must_repeat = true;
	w->repeated = (struct old_segment){ 0 };
	if (w->size == SPOOL_HEAD_BYTES + w->unsynced.length && !w->is_ended)
		w->repeated = (struct old_segment){ w->number, w->record, w->size };
	else if (!w->is_ended)
		remember(w, w->number, w->record, w->size);
	close(w->fd);
	w->fd = -1;
	w->is_ended = false;
	return repeat(w);
}

/* The segment is done with: it is on disk, and remembered until its records are sent. */
static int end_segment(struct spool_writer *w)
{
	uint64_t number = w->number;
	int e = sync_segment(w);

	if (e || w->fd < 0 || w->number != number)
		return e;
	if (!w->is_ended && !remember(w, w->number, w->record, w->size))
		return ENOMEM;
	close(w->fd);
	w->fd = -1;
	w->is_ended = false;
	return 0;
}

/* Cuts off what a write left behind; where that fails, the next write goes into a new segment. */
static void undo(struct spool_writer *w)
{
	if (w->size == 0) {
		if (remove_segment(w))
			w->number--;
	} else if (ftruncate(w->fd, (off_t)w->size) != 0 && !w->is_ended) {
		w->is_ended = remember(w, w->number, w->record, w->size);
	}
}

static int append(struct spool_writer *w)
{
	const struct segment_head from = { .number = w->number,
					   .record = w->record,
					   .flags = w->is_all_sent ? SPOOL_ALL_SENT_BEFORE : 0,
					   .frame = w->frame };
	int e;

	if (!make_room(&w->unsynced, w->waiting.length))
		return ENOMEM;
	e = write_frames(w, &w->waiting, &from);
	if (e) {
		undo(w);
		return e;
	}
	if (w->unsynced.length == 0)
		w->unsynced_record = w->record;
	join(&w->unsynced, &w->waiting);
	w->record += w->waiting.records;
	w->frame += w->waiting.count;
	w->is_all_sent = false;
	return 0;
}

static bool must_end(const struct spool_writer *w)
{
	return w->fd >= 0 && (w->is_ended || w->size + w->waiting.length > SPOOL_SEGMENT_MAX_BYTES);
}

static enum spool_result write_waiting(struct spool_writer *w, char *error)
{
	bool is_much = w->unsynced.length > 0 &&
		       w->unsynced.length + w->waiting.length > UNSYNCED_MAX_BYTES;
	int e = w->must_repeat || is_much ? sync_segment(w) : 0;

	while (!e && must_end(w))
		e = end_segment(w);
	if (!e && w->fd < 0)
		e = begin_segment(w);
	if (!e)
		e = append(w);
	w->was_overtaken = e == EEXIST;
	return e ? failed(w, e, error) : SPOOL_OK;
}

enum spool_result spool_writer_write(struct spool_writer *w, char error[static SPOOL_ERROR_SIZE])
{
	enum spool_result result;

	if (w->waiting.length == 0)
		return SPOOL_OK;
	result = check_room(w, w->waiting.length + SPOOL_HEAD_BYTES, error);
	if (!result)
		result = write_waiting(w, error);
	clear(&w->waiting);
	return result;
}

enum spool_result spool_writer_write_last(struct spool_writer *w,
					  char error[static SPOOL_ERROR_SIZE])
{
	enum spool_result result = write_waiting(w, error);

	clear(&w->waiting);
	return result;
}

enum spool_result spool_writer_sync(struct spool_writer *w, char error[static SPOOL_ERROR_SIZE])
{
	int e = sync_segment(w);

	if (e)
		return failed(w, e, error);
	if (w->is_folder_dirty && fsync(w->folder_fd) != 0 && errno != EINVAL)
		return failed(w, errno, error);
	w->is_folder_dirty = false;
	return SPOOL_OK;
}

void spool_writer_touch(struct spool_writer *w)
{
	if (spool_folder_touch(w->folder_fd, !w->is_touched) == 0)
		w->is_touched = true;
}

bool spool_writer_is_gone(const struct spool_writer *w)
{
	struct stat held, named;

	if (w->folder_fd < 0 || (w->fd >= 0 && fstat(w->fd, &held) == 0 && held.st_nlink == 0))
		return true;
	if (stat(w->folder, &named) != 0)
		return errno == ENOENT;
	return fstat(w->folder_fd, &held) == 0 &&
	       (held.st_ino != named.st_ino || held.st_dev != named.st_dev);
}

enum spool_result spool_writer_begin_again(struct spool_writer *w, const char *path,
					   const struct spool_identity *identity,
					   char error[static SPOOL_ERROR_SIZE])
{
	uint64_t record = w->record;
	bool is_well;

	if (w->fd >= 0)
		close(w->fd);
	if (w->folder_fd >= 0)
		close(w->folder_fd);
	w->fd = w->folder_fd = -1;
	w->number = w->size = w->bytes = 0;
	w->old_count = 0;
	w->is_ended = w->is_touched = false;
	w->must_repeat = w->unsynced.length > 0;
	w->repeated = (struct old_segment){ 0 };
	is_well = make_folders(path, error) && find_stream(w, path, identity, error);
	w->record = record;
	if (!is_well)
		return SPOOL_FAILED;
	spool_writer_touch(w);
	return SPOOL_OK;
}

/* ---- what was sent ------------------------------------------------------------------------------------ */

void spool_writer_forget(struct spool_writer *w, uint64_t records)
{
	size_t gone = 0;

	while (gone < w->old_count && w->old[gone].end <= records) {
		remove_file(w, w->old[gone].number, w->old[gone].bytes);
		gone++;
	}
	if (gone == 0)
		return;
	w->old_count -= gone;
	memmove(w->old, w->old + gone, w->old_count * sizeof *w->old);
	spool_folder_note_sent(w->folder_fd, records);
}

void spool_writer_remove(struct spool_writer *w)
{
	spool_folder_remove(w->folder);
}

const char *spool_writer_folder(const struct spool_writer *w)
{
	return w->folder;
}

uint64_t spool_writer_record(const struct spool_writer *w)
{
	return w->record;
}

void spool_writer_begin_at(struct spool_writer *w, uint64_t record)
{
	if (record == w->record)
		return;
	if (w->fd >= 0 && !w->is_ended)
		w->is_ended = remember(w, w->number, w->record, w->size);
	w->record = record;
	w->is_all_sent = true;
}

bool spool_writer_is_unfinished(const struct spool_writer *w)
{
	return w->is_unfinished;
}

bool spool_writer_was_overtaken(const struct spool_writer *w)
{
	return w->was_overtaken;
}

uint64_t spool_writer_bytes(const struct spool_writer *w)
{
	return w->bytes;
}
