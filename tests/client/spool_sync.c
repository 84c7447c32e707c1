/* What is on the disk when fsync fails, or the folder is removed under the process. An fsync that fails forgets here what was
 * written since the one before, as a server of files does whose quota is used up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cairn.h"
#include "run.h"
#include "spool_reader.h"
#include "spool_writer.h"

#define PATIENCE_MS 120000

static char root[64];
static char error[SPOOL_ERROR_SIZE];
static const struct spool_limits no_limits = { .max_bytes = UINT64_MAX / 2 };
static char project[] = "p", run_id[] = "r1", client[] = "c1", stream[] = "s1", role[] = "worker",
	    label[] = "rank0";
static const struct spool_identity identity = { .project = project,
						.run = run_id,
						.client = client,
						.stream = stream,
						.label = label,
						.role = role };

static atomic_int failures; /* of the next calls; -1: of all */
static atomic_int syncs_of_root;
static off_t safe_bytes; /* of the segment, forced to the disk */

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __real_fsync(int fd);
int __wrap_fsync(int fd);

int __wrap_fdatasync(int fd)
{
	struct stat info;

	if (failures == 0) {
		assert_int_equal(fstat(fd, &info), 0);
		safe_bytes = info.st_size;
		return 0;
	}
	if (failures > 0)
		failures--;
	assert_int_equal(ftruncate(fd, safe_bytes), 0);
	safe_bytes = 0; /* of the segment that comes */
	errno = EDQUOT;
	return -1;
}

int __wrap_fsync(int fd)
{
	struct stat info, top;

	if (fstat(fd, &info) == 0 && stat(root, &top) == 0 && info.st_ino == top.st_ino &&
	    info.st_dev == top.st_dev)
		syncs_of_root++;
	return 0;
}

static int make_root(void **state)
{
	(void)state;
	failures = 0;
	syncs_of_root = 0;
	safe_bytes = 0;
	snprintf(root, sizeof root, "/tmp/cairn-sync-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	return setenv("CAIRN_SPOOL_DIR", root, 1);
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

/* ---- the writer --------------------------------------------------------------------------------------- */

static struct spool_writer *open_writer(void)
{
	struct spool_writer *writer = spool_writer_open(root, &identity, &no_limits, error);

	if (!writer)
		fail_msg("%s", error);
	return writer;
}

static void write_record(struct spool_writer *writer, double value)
{
	const struct cairn_metric metric = { "loss", value };
	size_t size = record_metrics_size(1, &metric);
	const struct spool_drop drop = { { 1, 0, 0 } };
	_Alignas(8) char bytes[256];
	struct record *record = (struct record *)bytes;

	record_put_metrics(record, size, 1, &metric);
	record->kind = RECORD_HISTORY;
	record->number = RECORD_NO_STEP;
	record->time_us = 1;
	assert_true(spool_writer_add(writer, SPOOL_RECORD, NULL, 0, record, size));
	assert_true(spool_writer_add(writer, SPOOL_DROP, &drop, sizeof drop, NULL, 0));
	assert_int_equal(spool_writer_write(writer, error), SPOOL_OK);
}

/* Reads what is new: records of consecutive indices with their values, and a drop for each. */
static void read_on(struct spool_reader *reader, uint64_t first, uint64_t end)
{
	uint64_t next = first, drops = 0;
	struct spool_frame frame;
	enum spool_read read;
	double value;

	while ((read = spool_reader_next(reader, &frame, error)) == SPOOL_READ_FRAME) {
		drops += frame.type == SPOOL_DROP;
		if (!frame.as_record)
			continue;
		memcpy(&value, frame.as_record->data, sizeof value);
		assert_int_equal(frame.record, next);
		assert_true(value == (double)next);
		next++;
	}
	assert_int_equal(read, SPOOL_READ_END);
	assert_int_equal(next, end);
	assert_int_equal(drops, end - first);
}

static struct spool_reader *open_reader(const struct spool_writer *writer)
{
	struct spool_reader *reader = spool_reader_open(spool_writer_folder(writer), 0, error);

	assert_non_null(reader);
	return reader;
}

static void read_all(const struct spool_writer *writer, uint64_t first, uint64_t end)
{
	struct spool_reader *reader = open_reader(writer);

	read_on(reader, first, end);
	spool_reader_close(reader);
}

static void what_an_fsync_lost_is_written_again(void **state)
{
	struct spool_writer *writer = open_writer();
	struct spool_reader *reader = open_reader(writer);

	(void)state;
	write_record(writer, 0);
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK);
	write_record(writer, 1);
	write_record(writer, 2);
	read_on(reader, 0, 3); /* before they are lost */
	failures = 1;
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK); /* of the new segment */
	assert_int_equal(failures, 0);
	read_on(reader, 3, 3);
	write_record(writer, 3);
	read_on(reader, 3, 4);
	read_all(writer, 0, 4);
	spool_reader_close(reader);
	spool_writer_close(writer);
}

static void no_success_is_told_before_it_is_one(void **state)
{
	struct spool_writer *writer = open_writer();
	struct spool_reader *reader = open_reader(writer);

	(void)state;
	write_record(writer, 0);
	write_record(writer, 1);
	read_on(reader, 0, 2);
	failures = 6; /* each try has one for the segment that comes, the first one more */
	for (int i = 0; i < 5; i++) {
		assert_int_not_equal(spool_writer_sync(writer, error), SPOOL_OK);
		assert_non_null(strstr(error, "quota"));
	}
	assert_int_equal(failures, 0);
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK);
	write_record(writer, 2);
	read_on(reader, 2, 3);
	read_all(writer, 0, 3);
	assert_int_equal(spool_writer_record(writer), 3);
	spool_reader_close(reader);
	spool_writer_close(writer);
}

/* Records that the server confirmed meanwhile leave a gap, which is no damage. */
static void an_index_that_jumps_after_a_failure(void **state)
{
	struct spool_writer *writer = open_writer();
	struct spool_reader *reader;
	struct spool_frame frame;
	enum spool_read read;
	uint64_t last = 0;

	(void)state;
	write_record(writer, 0);
	write_record(writer, 1);
	failures = 2;
	assert_int_not_equal(spool_writer_sync(writer, error), SPOOL_OK);
	spool_writer_begin_at(writer, 10);
	write_record(writer, 10);
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK);
	reader = open_reader(writer);
	while ((read = spool_reader_next(reader, &frame, error)) == SPOOL_READ_FRAME)
		last = frame.as_record ? frame.record : last;
	assert_int_equal(read, SPOOL_READ_END);
	assert_int_equal(last, 10);
	assert_int_equal(spool_reader_counts(reader)->records, 3);
	assert_int_equal(spool_reader_counts(reader)->damages, 0);
	spool_reader_close(reader);
	spool_writer_close(writer);
}

static void the_folder_of_folders_is_synced_once(void **state)
{
	(void)state;
	spool_writer_close(open_writer());
	assert_int_equal(syncs_of_root, 1);
	spool_writer_close(open_writer());
	assert_int_equal(syncs_of_root, 1);
}

static void remove_folder(const char *folder)
{
	char command[SPOOL_PATH_SIZE];

	snprintf(command, sizeof command, "rm -r %.200s", folder);
	assert_int_equal(system(command), 0);
}

static void a_folder_that_is_removed_is_made_again(void **state)
{
	struct spool_writer *writer = open_writer();

	(void)state;
	write_record(writer, 0);
	assert_int_equal(spool_writer_sync(writer, error), SPOOL_OK);
	write_record(writer, 1); /* not synced */
	assert_false(spool_writer_is_gone(writer));
	remove_folder(spool_writer_folder(writer));
	assert_true(spool_writer_is_gone(writer));
	assert_int_equal(spool_writer_begin_again(writer, root, &identity, error), SPOOL_OK);
	assert_false(spool_writer_is_gone(writer));
	write_record(writer, 2);
	read_all(writer, 1, 3);
	spool_writer_close(writer);
}

/* ---- a run in offline mode ---------------------------------------------------------------------------- */

static struct cairn_run *start(void)
{
	struct cairn_run *run;

	assert_int_equal(cairn_run_start(NULL, &run), CAIRN_OK);
	return run;
}

static void a_flush_waits_for_an_fsync_that_succeeds(void **state)
{
	struct cairn_run *run = start();
	char text[512];

	(void)state;
	failures = -1;
	assert_int_equal(CAIRN_LOG(run, { "n", 1 }), CAIRN_OK);
	assert_int_equal(cairn_flush(run, 2500),
			 CAIRN_TIMEOUT); /* it is tried twice in that time */
	cairn_last_error(run, text, sizeof text);
	assert_non_null(strstr(text, "quota"));
	failures = 0;
	assert_int_equal(cairn_flush(run, PATIENCE_MS), CAIRN_OK);
	cairn_last_error(run, text, sizeof text);
	assert_string_equal(text, "");
	assert_int_equal(cairn_finish(run, 0, PATIENCE_MS, NULL), CAIRN_OK);
	cairn_run_free(run);
}

static void a_finish_does_not_believe_the_second_fsync(void **state)
{
	struct cairn_run *run = start();

	(void)state;
	failures = -1;
	assert_int_equal(CAIRN_LOG(run, { "n", 1 }), CAIRN_OK);
	assert_int_equal(cairn_finish(run, 0, 500, NULL), CAIRN_TIMEOUT);
	cairn_run_free(run);
}

struct content {
	uint64_t first, end;
	bool has_config;
};

static struct content content_of(const char *folder)
{
	struct spool_reader *reader = spool_reader_open(folder, 0, error);
	struct content content = { .first = UINT64_MAX };
	struct spool_frame frame;

	assert_non_null(reader);
	while (spool_reader_next(reader, &frame, error) == SPOOL_READ_FRAME) {
		content.has_config |= frame.type == SPOOL_CONFIG;
		if (frame.as_record && frame.record < content.first)
			content.first = frame.record;
	}
	content.end = spool_reader_record(reader);
	spool_reader_close(reader);
	return content;
}

static void a_run_goes_on_when_its_folder_is_removed(void **state)
{
	struct cairn_run *run = start();
	struct cairn_report report;
	struct content content;
	char text[512];

	(void)state;
	assert_int_equal(cairn_config_number(run, "lr", 1), CAIRN_OK);
	for (int i = 0; i < 10; i++)
		assert_int_equal(CAIRN_LOG(run, { "n", i }), CAIRN_OK);
	assert_int_equal(cairn_flush(run, PATIENCE_MS), CAIRN_OK);
	pthread_mutex_lock(&run->lock);
	remove_folder(run->spool.folder);
	pthread_mutex_unlock(&run->lock);
	for (int i = 10; i < 15; i++)
		assert_int_equal(CAIRN_LOG(run, { "n", i }), CAIRN_OK);
	assert_int_equal(cairn_flush(run, PATIENCE_MS), CAIRN_OK);
	cairn_last_error(run, text, sizeof text);
	assert_non_null(strstr(text, "was removed while this process wrote to it"));
	assert_int_equal(cairn_finish(run, 0, PATIENCE_MS, &report), CAIRN_OK);
	content = content_of(report.spool);
	assert_int_equal(content.first, 10);
	assert_int_equal(content.end, 15);
	assert_true(content.has_config);
	cairn_run_free(run);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_root, remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_an_fsync_lost_is_written_again),
		TEST(no_success_is_told_before_it_is_one),
		TEST(an_index_that_jumps_after_a_failure),
		TEST(the_folder_of_folders_is_synced_once),
		TEST(a_folder_that_is_removed_is_made_again),
		TEST(a_flush_waits_for_an_fsync_that_succeeds),
		TEST(a_finish_does_not_believe_the_second_fsync),
		TEST(a_run_goes_on_when_its_folder_is_removed),
	};

	setenv("CAIRN_MODE", "offline", 1);
	setenv("CAIRN_SAMPLE_INTERVAL", "0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
