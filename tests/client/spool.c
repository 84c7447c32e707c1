/* The spool on disk: what a reader makes of segments that are cut, damaged or foreign, and what a writer leaves behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn.h"
#include "crc32c.h"
#include "record.h"
#include "spool_bytes.h"
#include "spool_folder.h"
#include "spool_reader.h"
#include "spool_writer.h"

#define FILE_MAX 8192

static char root[64];
static char error[SPOOL_ERROR_SIZE];
static const struct spool_limits no_limits = { .max_bytes = UINT64_MAX / 2 };

static char project[] = "p", other_project[] = "q", other_stream[] = "s2", online[] = "online",
	    offline[] = "offline", run_id[] = "r1", client[] = "c1", stream[] = "s1",
	    role[] = "worker", label[] = "rank \"0\"", notes[] = "two\nlines";
static const struct spool_identity identity = { .project = project,
						.run = run_id,
						.client = client,
						.stream = stream,
						.label = label,
						.role = role,
						.mode = offline,
						.notes = notes,
						.pid = 7,
						.started_at_us = 1700000000123456 };

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/cairn-spool-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

/* Where the folder of this writer goes on. */
static uint64_t record_of(const struct spool_identity *writer_identity)
{
	struct spool_writer *writer = spool_writer_open(root, writer_identity, &no_limits, error);
	uint64_t record;

	if (!writer)
		fail_msg("%s", error);
	record = spool_writer_record(writer);
	spool_writer_close(writer);
	return record;
}

static struct spool_writer *open_writer(const struct spool_limits *limits)
{
	struct spool_writer *writer = spool_writer_open(root, &identity, limits, error);

	if (!writer)
		fail_msg("%s", error);
	return writer;
}

static void add_record(struct spool_writer *writer, double value)
{
	const struct cairn_metric metric = { "loss", value };
	size_t size = record_metrics_size(1, &metric);
	_Alignas(8) char bytes[256];
	struct record *record = (struct record *)bytes;

	record_put_metrics(record, size, 1, &metric);
	record->kind = RECORD_HISTORY;
	record->number = RECORD_NO_STEP;
	record->time_us = 1;
	assert_true(spool_writer_add(writer, SPOOL_RECORD, NULL, 0, record, size));
}

static void write_out(struct spool_writer *writer)
{
	if (spool_writer_write(writer, error) != SPOOL_OK)
		fail_msg("%s", error);
}

static double value_of(const struct spool_frame *frame)
{
	double value;

	memcpy(&value, frame->as_record->data, sizeof value);
	return value;
}

static const char *path_of(const char *name)
{
	static char path[160];

	snprintf(path, sizeof path, "%s/r1.c1.s1/%s", root, name);
	return path;
}

static size_t read_file(const char *name, char *bytes)
{
	int fd = open(path_of(name), O_RDONLY);
	ssize_t got = read(fd, bytes, FILE_MAX);

	close(fd);
	assert_true(got >= 0);
	return (size_t)got;
}

static void write_file(const char *name, const char *bytes, size_t count)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(write(fd, bytes, count) == (ssize_t)count);
	close(fd);
}

/* Two segments: in the first three records between other frames, in the second two. */
static void write_two_segments(void)
{
	struct spool_writer *writer = open_writer(&no_limits);
	const uint64_t version = 3;
	const struct spool_end end = { .exit_code = 1, .time_us = 5 };

	assert_true(spool_writer_add(writer, SPOOL_CONFIG, &version, 8, "{\"a\":1}", 7));
	for (int i = 0; i < 3; i++)
		add_record(writer, i);
	assert_true(spool_writer_add(writer, 77, NULL, 0, "later", 5));
	write_out(writer);
	spool_writer_close(writer);
	writer = open_writer(&no_limits);
	assert_int_equal(spool_writer_record(writer), 3);
	add_record(writer, 3);
	add_record(writer, 4);
	assert_true(spool_writer_add(writer, SPOOL_END, &end, sizeof end, "why", 3));
	write_out(writer);
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK);
	spool_writer_close(writer);
}

struct readout {
	size_t records, frames, damages;
	uint64_t lost;
	struct spool_reader_counts counts;
};

/* Reads all; each record must have the index that it was written with, and its value. */
static struct readout read_all(uint64_t first)
{
	struct spool_reader *reader = spool_reader_open(path_of(""), first, error);
	struct readout out = { 0 };
	struct spool_frame frame;
	enum spool_read read;

	assert_non_null(reader);
	while ((read = spool_reader_next(reader, &frame, error)) != SPOOL_READ_END) {
		assert_true(read == SPOOL_READ_FRAME || read == SPOOL_READ_DAMAGE);
		out.damages += read == SPOOL_READ_DAMAGE;
		if (read == SPOOL_READ_DAMAGE) {
			out.lost += spool_reader_damage(reader)->records;
			continue;
		}
		out.frames++;
		if (!frame.as_record)
			continue;
		out.records++;
		assert_true(value_of(&frame) == (double)frame.record);
	}
	out.counts = *spool_reader_counts(reader);
	assert_int_equal(spool_reader_next(reader, &frame, error), SPOOL_READ_END);
	spool_reader_close(reader);
	return out;
}

static void all_comes_back(void **state)
{
	struct spool_identity back;
	struct readout out;

	(void)state;
	write_two_segments();
	out = read_all(0);
	assert_int_equal(out.records, 5);
	assert_int_equal(out.frames, 7);
	assert_int_equal(out.counts.unknown, 1);
	assert_int_equal(out.damages, 0);
	assert_int_equal(read_all(3).records, 2); /* from the second segment on */
	assert_int_equal(read_all(2).records, 5);
	assert_int_equal(spool_identity_read(path_of(""), &back, error), SPOOL_IDENTITY_OK);
	assert_true(spool_identity_is_same(&back, &identity));
	assert_string_equal(back.label, identity.label);
	assert_string_equal(back.notes, identity.notes);
	assert_string_equal(back.stream, identity.stream);
	assert_null(back.url);
	assert_true(back.started_at_us == identity.started_at_us);
	spool_identity_deinit(&back);
}

/* Ends of the frames in a segment's bytes. */
static size_t whole_frames(const char *bytes, size_t length, size_t *ret_records)
{
	size_t at = SPOOL_HEAD_BYTES, frames = 0;

	*ret_records = 0;
	while (at + SPOOL_FRAME_HEAD_BYTES <= length &&
	       at + SPOOL_FRAME_HEAD_BYTES + spool_get32(bytes + at) <= length) {
		*ret_records += spool_get32(bytes + at + 4) == SPOOL_RECORD;
		at += SPOOL_FRAME_HEAD_BYTES + spool_get32(bytes + at);
		frames++;
	}
	return frames;
}

static void last_segment_is_cut_at_every_byte(void **state)
{
	char bytes[FILE_MAX];
	size_t length, records;

	(void)state;
	write_two_segments();
	length = read_file("00000002.log", bytes);
	for (size_t cut = 0; cut <= length; cut++) {
		size_t frames = whole_frames(bytes, cut, &records);
		struct readout out;

		write_file("00000002.log", bytes, cut);
		out = read_all(0);
		assert_int_equal(out.records, 3 + records);
		assert_int_equal(out.frames, 4 + frames);
		assert_int_equal(out.damages, 0);
	}
}

/* The writer that goes on behind a cut loses nothing more, and the cut is no damage: no index is missing. */
static void writer_goes_on_behind_a_cut(void **state)
{
	char bytes[FILE_MAX];
	size_t length, records;

	(void)state;
	write_two_segments();
	length = read_file("00000002.log", bytes);
	for (size_t cut = 0; cut <= length; cut += 7) {
		struct spool_writer *writer;
		struct readout out;

		whole_frames(bytes, cut, &records);
		write_file("00000002.log", bytes, cut);
		writer = open_writer(&no_limits);
		assert_int_equal(spool_writer_record(writer), 3 + records);
		add_record(writer, 3 + (double)records);
		write_out(writer);
		spool_writer_close(writer);
		out = read_all(0);
		assert_int_equal(out.records, 4 + records);
		assert_int_equal(out.lost, 0);
		assert_int_equal(unlink(path_of("00000003.log")), 0);
	}
}

static void first_segment_is_cut_at_every_byte(void **state)
{
	char bytes[FILE_MAX];
	size_t length, records;

	(void)state;
	write_two_segments();
	length = read_file("00000001.log", bytes);
	for (size_t cut = 0; cut < length; cut++) {
		struct readout out;

		whole_frames(bytes, cut, &records);
		write_file("00000001.log", bytes, cut);
		out = read_all(0);
		assert_int_equal(out.records, records + 2);
		if (cut >= SPOOL_HEAD_BYTES) {
			assert_int_equal(out.lost, 3 - records);
			assert_int_equal(out.damages, records < 3);
		} else {
			assert_int_equal(out.damages, 1);
		}
	}
}

static void every_byte_is_flipped(void **state)
{
	char bytes[FILE_MAX];
	size_t length;

	(void)state;
	write_two_segments();
	length = read_file("00000001.log", bytes);
	for (size_t at = 0; at < length; at++) {
		struct readout out;

		bytes[at] ^= 0x41;
		write_file("00000001.log", bytes, length);
		bytes[at] ^= 0x41;
		out = read_all(0); /* checks what is returned */
		assert_true(out.records >= 2 && out.records <= 5);
		if (at >= SPOOL_HEAD_BYTES)
			assert_int_equal(out.records + out.lost, 5);
		assert_true(out.damages > 0 || out.records == 5);
	}
}

static void damage_has_file_and_offset(void **state)
{
	char bytes[FILE_MAX], line[SPOOL_ERROR_SIZE];
	struct spool_reader *reader;
	struct spool_frame frame;
	size_t length;

	(void)state;
	write_two_segments();
	length = read_file("00000001.log", bytes);
	bytes[SPOOL_HEAD_BYTES + SPOOL_FRAME_HEAD_BYTES] ^= 1; /* the config */
	write_file("00000001.log", bytes, length);
	reader = spool_reader_open(path_of(""), 0, error);
	assert_int_equal(spool_reader_next(reader, &frame, error), SPOOL_READ_DAMAGE);
	assert_string_equal(spool_reader_damage(reader)->file, "00000001.log");
	assert_int_equal(spool_reader_damage(reader)->offset, SPOOL_HEAD_BYTES);
	assert_int_equal(spool_reader_damage(reader)->records, 3);
	spool_reader_describe_damage(reader, line);
	assert_non_null(strstr(line, "00000001.log\" at offset 40: wrong checksum"));
	spool_reader_close(reader);
}

static void another_version_is_damage(void **state)
{
	char bytes[FILE_MAX];
	struct readout out;
	size_t length;

	(void)state;
	write_two_segments();
	length = read_file("00000001.log", bytes);
	spool_put32(bytes + 8, SPOOL_FORMAT + 1);
	spool_put32(bytes + 36, crc32c(0, bytes, 36));
	write_file("00000001.log", bytes, length);
	out = read_all(0);
	assert_int_equal(out.damages, 1);
	assert_int_equal(out.records, 2);
}

/* Frames whose sum is right, but not their content. */
static void contents_are_not_trusted(void **state)
{
	_Alignas(8) char bytes[256] = { 0 };
	struct record *record = (struct record *)bytes;
	const struct cairn_metric metric = { "loss", 1 };
	size_t size = record_metrics_size(1, &metric);

	(void)state;
	record_put_metrics(record, size, 1, &metric);
	record->kind = RECORD_HISTORY;
	record->number = RECORD_NO_STEP;
	record->time_us = 1;
	assert_true(record_check(record, size));
	assert_false(record_check(record, size - 8));
	record->count = 2; /* the second name is missing */
	assert_false(record_check(record, size));
	record->count = 0xffffffff;
	assert_false(record_check(record, size));
	record->count = 1;
	record->kind = RECORD_KINDS;
	assert_false(record_check(record, size));
	record->kind = RECORD_CONSOLE;
	assert_false(record_check(record, size));
	record->kind = RECORD_HISTORY;
	record->form = RECORD_JSON;
	assert_false(record_check(record, size));
	record->form = RECORD_METRICS;
	record->number = RECORD_STEP_MAX + 1;
	assert_false(record_check(record, size));
}

static void limits_are_kept(void **state)
{
	const struct spool_limits small = { .max_bytes = 200 };
	const struct spool_limits reserve = { .max_bytes = UINT64_MAX / 2,
					      .reserve_part = 1.0,
					      .reserve_bytes = INT64_MAX / 2 };
	struct spool_writer *writer = open_writer(&small);

	(void)state;
	add_record(writer, 0);
	write_out(writer);
	add_record(writer, 1);
	add_record(writer, 1);
	assert_int_equal(spool_writer_write(writer, error), SPOOL_FULL);
	assert_non_null(strstr(error, "limit"));
	assert_int_equal(spool_writer_record(writer), 1);
	spool_writer_close(writer);
	writer = open_writer(&reserve);
	add_record(writer, 1);
	assert_int_equal(spool_writer_write(writer, error), SPOOL_FULL);
	assert_non_null(strstr(error, "stay free"));
	spool_writer_close(writer);
	assert_int_equal(read_all(0).records, 1);
}

/* A disk that is full in the middle of a write: what was there stays whole, and it goes on when there is room. */
static void full_disk_leaves_whole_frames(void **state)
{
	struct spool_writer *writer = open_writer(&no_limits);
	struct rlimit before, little;

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	add_record(writer, 0);
	write_out(writer);
	getrlimit(RLIMIT_FSIZE, &before);
	little = (struct rlimit){ .rlim_cur = 150, .rlim_max = before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &little);
	add_record(writer, 1);
	add_record(writer, 2);
	assert_int_equal(spool_writer_write(writer, error), SPOOL_FULL);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(read_all(0).records, 1);
	assert_int_equal(read_all(0).counts.unfinished_bytes, 0);
	add_record(writer, 1);
	write_out(writer);
	spool_writer_close(writer);
	assert_int_equal(read_all(0).records, 2);
}

static void foreign_folders_are_refused(void **state)
{
	(void)state;
	write_two_segments();
	assert_int_equal(chmod(path_of(""), 0777), 0);
	assert_null(spool_writer_open(root, &identity, &no_limits, error));
	assert_non_null(strstr(error, "others may write"));
	assert_int_equal(chmod(path_of(""), 0700), 0);
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path_of(""), 12345, 12345), 0);
	assert_null(spool_writer_open(root, &identity, &no_limits, error));
	assert_non_null(strstr(error, "another user"));
	assert_int_equal(chown(path_of(""), 0, 0), 0);
}

/* Each stream has its folder; who names none goes on with the one of this writer and mode. */
static void streams_are_told_apart(void **state)
{
	struct spool_identity other = identity;
	struct spool_entries entries;

	(void)state;
	write_two_segments();
	other.stream = other_stream;
	assert_int_equal(record_of(&other), 0);
	other.stream = NULL;
	assert_int_equal(record_of(&other), 3 + 2); /* r1.c1.s1 comes before r1.c1.s2 */
	other.mode = online;
	assert_int_equal(record_of(&other), 0);
	assert_true(spool_folder_list(root, &entries, error));
	assert_int_equal(entries.count, 3);
	spool_entries_deinit(&entries);
	other.mode = offline;
	other.project = other_project;
	assert_int_equal(record_of(&other), 0);
	assert_int_equal(record_of(&other), 0); /* the same folder once more */
	assert_true(spool_folder_list(root, &entries, error));
	assert_int_equal(entries.count, 4);
	spool_entries_deinit(&entries);
	other.stream = stream;
	assert_null(spool_writer_open(root, &other, &no_limits, error));
	assert_non_null(strstr(error, "another writer has the spool"));
}

static void a_folder_left_is_found(void **state)
{
	struct spool_identity other = identity;
	char name[SPOOL_NAME_SIZE];

	(void)state;
	assert_false(spool_folder_find("/nowhere", &identity, name));
	write_two_segments();
	assert_false(spool_folder_find(root, &identity, name));
	other.stream = other_stream;
	assert_true(spool_folder_find(root, &other, name));
	assert_string_equal(name, "r1.c1.s1");
	other.project = other_project;
	assert_false(spool_folder_find(root, &other, name));
}

static void names_fit_into_a_file_system(void **state)
{
	char name[SPOOL_NAME_SIZE], run[600];

	(void)state;
	spool_folder_name("../a b", "c", "s", name);
	assert_string_equal(name, "%2E.%2Fa%20b.c.s");
	memset(run, '/', 512);
	run[512] = '\0';
	spool_folder_name(run, run + 400,
			  "0123456789012345678901234567890123456789012345678901234567890123", name);
	assert_true(strlen(name) < 255);
	assert_string_equal(name + strlen(name) - 4, "0123");
}

static void sent_segments_go(void **state)
{
	struct spool_writer *writer;
	struct spool_entries entries;

	(void)state;
	write_two_segments();
	writer = open_writer(&no_limits);
	add_record(writer, 5);
	write_out(writer);
	spool_writer_forget(
		writer,
		4); /* record 4 is in the second one: all are kept as one of unknown bounds */
	assert_true(spool_folder_list(root, &entries, error));
	assert_int_equal(entries.items[0].segments, 3);
	spool_entries_deinit(&entries);
	assert_int_equal(spool_folder_remove_segments(path_of(""), 3, 0), 1);
	spool_writer_forget(writer, 5);
	assert_int_equal(read_all(0).records, 1);
	spool_writer_begin_at(writer,
			      8); /* 6 and 7 were sent from memory: their absence is no damage */
	add_record(writer, 8);
	write_out(writer);
	assert_int_equal(read_all(0).records, 2);
	assert_int_equal(read_all(0).damages, 0);
	spool_writer_remove(writer);
	spool_writer_close(writer);
	assert_int_equal(access(path_of(""), F_OK), -1);
}

/* Another machine with the name of this one, and with the same number of its first namespace. */
static void write_alive_of_another_boot(void)
{
	char host[128] = "", space[64] = "", line[512];

	gethostname(host, sizeof host - 1);
	assert_true(readlink("/proc/self/ns/pid", space, sizeof space - 1) > 0);
	snprintf(line, sizeof line, "other-boot %s 1 1 %s\n", space, host);
	write_file("alive", line, strlen(line));
}

static void the_dead_are_told_from_the_living(void **state)
{
	const struct timespec old[2] = { { .tv_sec = 1000000 }, { .tv_sec = 1000000 } };
	static const char elsewhere[] = "boot space 1 1 other\n";
	pid_t pid;

	(void)state;
	write_two_segments();
	assert_int_equal(spool_folder_life(path_of("")), SPOOL_ALIVE);
	pid = fork();
	if (pid == 0)
		_exit(open_writer(&no_limits) ? 0 : 1);
	waitpid(pid, NULL, 0);
	assert_int_equal(spool_folder_life(path_of("")), SPOOL_DEAD);
	write_alive_of_another_boot();
	assert_int_equal(spool_folder_life(path_of("")), SPOOL_ALIVE);
	write_file("alive", elsewhere, strlen(elsewhere));
	assert_int_equal(spool_folder_life(path_of("")), SPOOL_ALIVE);
	assert_int_equal(utimensat(AT_FDCWD, path_of("alive"), old, 0), 0);
	assert_int_equal(spool_folder_life(path_of("")), SPOOL_DEAD);
}

/* As the first header has them. */
struct first_report {
	uint64_t history_unsent, events_unsent, console_unsent;
	uint64_t history_lost, events_lost, console_lost;
	uint64_t alerts_unsent, values_left_out;
	bool documents_unsent, end_unsent;
	char error[256];
};
int first_finish(struct cairn_run *run, int exit_code, int timeout_ms,
		 struct first_report *ret_report) __asm__("cairn_finish");

#define GUARD_BYTES 4096
struct guarded {
	struct first_report report;
	unsigned char guard[GUARD_BYTES];
};

static void check_guard(const struct guarded *guarded)
{
	for (size_t i = 0; i < GUARD_BYTES; i++)
		assert_int_equal(guarded->guard[i], 0xa5);
}

/* A program that was built before there was a spool: nothing behind its structures is read or written. */
static void programs_of_the_first_header_are_safe(void **state)
{
	const size_t options_size = offsetof(struct cairn_options, mode);
	struct cairn_options init = CAIRN_OPTIONS_INIT, *options = malloc(options_size);
	struct guarded guarded;
	struct cairn_run *run;

	(void)state;
	init.size = options_size;
	init.sample_interval_s = 0;
	init.project = "p";
	memcpy(options, &init, options_size);
	setenv("CAIRN_MODE", "offline", 1);
	setenv("CAIRN_SPOOL_DIR", root, 1);
	memset(&guarded, 0xa5, sizeof guarded);
	assert_int_equal(first_finish(NULL, 0, 0, &guarded.report), CAIRN_INVALID);
	assert_int_equal(guarded.report.history_unsent, 0);
	check_guard(&guarded);
	assert_int_equal(cairn_run_start(options, &run), CAIRN_OK);
	free(options);
	assert_int_equal(CAIRN_LOG(run, { "n", 1 }), CAIRN_OK);
	memset(&guarded, 0xa5, sizeof guarded);
	assert_int_equal(first_finish(run, 0, 60000, &guarded.report), CAIRN_OK);
	assert_int_equal(guarded.report.history_unsent, 1); /* it knows no spool */
	assert_true(guarded.report.end_unsent);
	assert_string_equal(guarded.report.error, "");
	check_guard(&guarded);
	assert_int_equal(first_finish(run, 0, 0, NULL), CAIRN_OK);
	cairn_run_free(run);
	unsetenv("CAIRN_MODE");
}

static void programs_of_this_header_get_all(void **state)
{
	struct cairn_report report;
	struct cairn_run *run;

	(void)state;
	setenv("CAIRN_MODE", "offline", 1);
	setenv("CAIRN_SPOOL_DIR", root, 1);
	setenv("CAIRN_SAMPLE_INTERVAL", "0", 1);
	memset(&report, 0xa5, sizeof report);
	assert_int_equal(cairn_finish(NULL, 0, 0, &report), CAIRN_INVALID);
	assert_string_equal(report.spool, "");
	assert_int_equal(cairn_run_start(NULL, &run), CAIRN_OK);
	assert_int_equal(CAIRN_LOG(run, { "n", 1 }), CAIRN_OK);
	assert_int_equal(cairn_finish(run, 0, 60000, &report), CAIRN_OK);
	assert_int_equal(report.history_unsent, 0);
	assert_int_equal(report.history_spooled, 1);
	assert_true(report.end_spooled && !report.end_unsent);
	assert_int_equal(strncmp(report.spool, root, strlen(root)), 0);
	cairn_run_free(run);
	unsetenv("CAIRN_MODE");
}

static void sums_are_those_of_the_standard(void **state)
{
	(void)state;
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283u);
	assert_int_equal(crc32c(crc32c(0, "1234", 4), "56789", 5), 0xe3069283u);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_the_standard),
		cmocka_unit_test(contents_are_not_trusted),
		TEST(all_comes_back),
		TEST(last_segment_is_cut_at_every_byte),
		TEST(first_segment_is_cut_at_every_byte),
		TEST(writer_goes_on_behind_a_cut),
		TEST(every_byte_is_flipped),
		TEST(damage_has_file_and_offset),
		TEST(another_version_is_damage),
		TEST(limits_are_kept),
		TEST(full_disk_leaves_whole_frames),
		TEST(foreign_folders_are_refused),
		TEST(streams_are_told_apart),
		TEST(a_folder_left_is_found),
		cmocka_unit_test(names_fit_into_a_file_system),
		TEST(sent_segments_go),
		TEST(the_dead_are_told_from_the_living),
		TEST(programs_of_the_first_header_are_safe),
		TEST(programs_of_this_header_get_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
