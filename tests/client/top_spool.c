/* Runs that are shown from a spool: while they are written, when they ended, and when segments are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cairn.h"
#include "draw.h"
#include "record.h"
#include "series.h"
#include "spool_source.h"
#include "spool_writer.h"

#define START_US INT64_C(1700000000000000)

static char root[64], error[SPOOL_ERROR_SIZE];
static const struct spool_limits no_limits = { .max_bytes = UINT64_MAX / 2 };

struct shown {
	struct top_source *source;
	struct feed feed;
	struct view view;
	struct cells cells;
};

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/cairn-top-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf %s", root);
	return system(command);
}

/* ---- writers ---------------------------------------------------------------------------------------- */

/* Text of a literal, which the identity does not change. */
static char *literal(const char *text)
{
	union {
		const char *is_const;
		char *is_not;
	} both = { text };

	return both.is_not;
}

static struct spool_writer *open_writer(const char *run, int rank)
{
	char client[8], label[16];
	const struct spool_identity identity = { .project = literal("digits"),
						 .run = literal(run),
						 .client = client,
						 .label = label,
						 .role = literal(rank ? "worker" : "primary"),
						 .host = literal(rank ? "node8" : "node7"),
						 .display_name = literal("a try"),
						 .pid = getpid(),
						 .started_at_us = START_US };
	struct spool_writer *writer;

	snprintf(client, sizeof client, "c%d", rank);
	snprintf(label, sizeof label, "rank%d", rank);
	writer = spool_writer_open(root, &identity, &no_limits, error);
	if (!writer)
		fail_msg("%s", error);
	spool_writer_touch(writer);
	return writer;
}

static void add(struct spool_writer *writer, struct record *record, enum record_kind kind,
		int64_t number, int seconds)
{
	record->kind = (uint8_t)kind;
	record->number = number;
	record->time_us = START_US + seconds * INT64_C(1000000);
	assert_true(spool_writer_add(writer, SPOOL_RECORD, NULL, 0, record, record->size));
}

static void add_metrics(struct spool_writer *writer, enum record_kind kind, int step, size_t count,
			const struct cairn_metric *metrics)
{
	_Alignas(8) char bytes[1024];
	struct record *record = (struct record *)bytes;

	record_put_metrics(record, record_metrics_size(count, metrics), count, metrics);
	add(writer, record, kind, kind == RECORD_HISTORY ? step : RECORD_NO_STEP, step);
}

static void add_text(struct spool_writer *writer, enum record_kind kind, int64_t number,
		     int seconds, const char *text)
{
	_Alignas(8) char bytes[1024];
	struct record *record = (struct record *)bytes;

	record_put_text(record, record_text_size(strlen(text)), text, strlen(text));
	record->form = kind == RECORD_CONSOLE ? RECORD_LINE : RECORD_JSON;
	record->stream = CAIRN_STDOUT;
	add(writer, record, kind, number, seconds);
}

static void write_out(struct spool_writer *writer)
{
	if (spool_writer_write(writer, error) != SPOOL_OK)
		fail_msg("%s", error);
}

static void add_end(struct spool_writer *writer, int code)
{
	const struct spool_end end = { .exit_code = code,
				       .time_us = START_US + 3700 * INT64_C(1000000) };

	assert_true(spool_writer_add(writer, SPOOL_END, &end, sizeof end, "", 0));
	write_out(writer);
	spool_writer_close(writer);
}

static void add_rows(struct spool_writer *writer, int from, int to)
{
	for (int i = from; i < to; i++) {
		const struct cairn_metric row[] = { { "loss", 2.0 / (1 + i) }, { "lr", 0.5 } };
		const struct cairn_metric sample[] = { { "gpu.0.gpu", 50 + i % 10 },
						       { "cpu", 25 } };

		add_metrics(writer, RECORD_HISTORY, i, 2, row);
		add_metrics(writer, RECORD_EVENTS, i, 2, sample);
	}
}

/* ---- what is shown ------------------------------------------------------------------------------------ */

static void open_top(struct shown *shown)
{
	*shown = (struct shown){ .source = spool_source_new(root), .cells = { .is_utf8 = true } };
	assert_non_null(shown->source);
	assert_true(feed_init(&shown->feed) && cells_resize(&shown->cells, 90, 40));
	assert_int_equal(shown->source->open(shown->source, &shown->feed), 0);
}

/* A round of the source and of the screen. feed_tell() spares the wait. */
static char *look(struct shown *shown)
{
	for (int i = 0; i < 3; i++) {
		feed_tell(&shown->feed);
		shown->source->next(shown->source, &shown->feed);
		draw_screen(&shown->cells, &shown->view, feed_begin(&shown->feed));
		feed_want(&shown->feed, &shown->view.wants);
		feed_end(&shown->feed);
	}
	return cells_dump(&shown->cells);
}

static void sees(struct shown *shown, const char *words, bool expected)
{
	char *text = look(shown);

	if ((strstr(text, words) != NULL) != expected)
		print_error("%s\n", text);
	assert_true((strstr(text, words) != NULL) == expected);
	free(text);
}

static void close_top(struct shown *shown)
{
	shown->source->close(shown->source);
	view_deinit(&shown->view);
	cells_deinit(&shown->cells);
	feed_deinit(&shown->feed);
}

static void a_run_is_followed_while_it_is_written(void **state)
{
	struct spool_writer *writers[] = { open_writer("r1", 0), open_writer("r1", 1) };
	struct shown shown;

	(void)state;
	add_rows(writers[0], 0, 100);
	add_text(writers[0], RECORD_CONSOLE, 0, 1, "first line");
	add_text(writers[1], RECORD_CONSOLE, 0, 2, "\033[31mof rank1\033[0m");
	add_text(writers[1], RECORD_HISTORY, 5, 5,
		 "{\"eval\":{\"f1\":0.75},\"_step\":200,\"note\":\"x\"}");
	write_out(writers[0]);
	write_out(writers[1]);
	open_top(&shown);
	sees(&shown, "1 run, 1 running", true);
	sees(&shown, "a try digits/r1", true);
	sees(&shown, "running ", true);
	sees(&shown, " 200 ", true);
	sees(&shown, "eval.f1", true);
	sees(&shown, "node7 gpu 0", true);
	sees(&shown, "59%", true);
	sees(&shown, "rank0 first line\nrank1 of rank1", true);
	add_metrics(writers[0], RECORD_HISTORY, 100, 1,
		    (const struct cairn_metric[]){ { "loss", 0.625 } });
	add_text(writers[0], RECORD_CONSOLE, 0, 3, "written again");
	write_out(writers[0]);
	sees(&shown, "0.625", true);
	sees(&shown, "first line", false);
	sees(&shown, "rank0 written again", true);
	add_end(writers[0], 3);
	sees(&shown, "failed", true);
	sees(&shown, "1h01m", true);
	add_end(writers[1], 0);
	sees(&shown, "1 run, 0 running", true);
	close_top(&shown);
}

static void runs_are_told_apart(void **state)
{
	struct spool_writer *first = open_writer("r1", 0), *second = open_writer("r2", 0);
	struct shown shown;

	(void)state;
	add_rows(first, 0, 10);
	write_out(first);
	add_end(first, 0);
	add_rows(second, 0, 20);
	write_out(second);
	open_top(&shown);
	sees(&shown, "2 runs, 1 running", true);
	sees(&shown, "finished           9   1h01m         0.2 ", true);
	sees(&shown, "running           19 ", true);
	view_key(&shown.view, &shown.feed.model, 's');
	sees(&shown, "System metrics", true);
	sees(&shown, "gpu.0.gpu", true);
	spool_writer_remove(second); /* all was sent */
	spool_writer_close(second);
	for (int tries = 0; tries < 100 && shown.feed.model.run_count > 1; tries++) {
		usleep(100000);
		free(look(&shown));
	}
	sees(&shown, "1 run, 0 running", true);
	close_top(&shown);
}

static void damage_is_said(void **state)
{
	struct spool_writer *writer = open_writer("r1", 0);
	struct shown shown;
	char path[200];
	int fd;

	(void)state;
	add_rows(writer, 0, 10);
	write_out(writer);
	spool_writer_close(writer);
	writer = open_writer("r1", 0);
	add_rows(writer, 10, 20);
	write_out(writer);
	snprintf(path, sizeof path, "%s/00000001.log", spool_writer_folder(writer));
	fd = open(path, O_WRONLY);
	assert_true(fd >= 0 && pwrite(fd, "damage", 6, 600) == 6);
	close(fd);
	open_top(&shown);
	sees(&shown, "1 damaged parts were skipped", true);
	sees(&shown, "running           19 ", true);
	spool_writer_close(writer);
	close_top(&shown);
}

static void an_empty_or_missing_folder(void **state)
{
	struct top_source *source = spool_source_new("/nonexistent/spool");
	struct shown shown;
	struct feed feed;

	(void)state;
	assert_true(feed_init(&feed));
	assert_int_not_equal(source->open(source, &feed), 0);
	source->close(source);
	feed_deinit(&feed);
	open_top(&shown);
	sees(&shown, "No runs.", true);
	close_top(&shown);
}

/* However many values there are, a series has at most so many stretches, and the extremes stay. */
static void series_are_bounded(void **state)
{
	static const int counts[] = { 0,     1, SERIES_POINTS - 1, SERIES_POINTS, SERIES_POINTS + 1,
				      100000 };

	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		struct series_set set = { 0 };
		struct series *series = series_get(&set, "lossy", 4);
		struct chart_point *points = NULL;
		double high = 0, sum = 0;
		size_t count = 0;

		assert_string_equal(series->key, "loss");
		for (int k = 0; k < counts[i]; k++)
			series_add(series, k, k, k == counts[i] / 3 ? 1000 : k % 7);
		series_add(series, counts[i], 0, NAN);
		assert_true(series->count <= SERIES_POINTS && isnan(series->last));
		assert_true(series_append(series, SERIES_BY_STEP, 0, &points, &count));
		for (size_t k = 0; k < count; k++) {
			high = fmax(high, points[k].high);
			sum += series->stretches[k].count;
			assert_true(points[k].low <= points[k].mean &&
				    points[k].mean <= points[k].high);
			assert_true(k == 0 || points[k].x > points[k - 1].x);
		}
		assert_true(sum == counts[i] && (counts[i] == 0 || high == 1000));
		free(points);
		series_set_deinit(&set);
	}
}

static void a_writer_has_so_many_series(void **state)
{
	struct series_set set = { 0 };
	char key[16];

	(void)state;
	for (int i = 0; i < SERIES_MAX + 5; i++) {
		int length = snprintf(key, sizeof key, "k%d", i);

		assert_int_equal(series_get(&set, key, (size_t)length) != NULL, i < SERIES_MAX);
	}
	assert_ptr_equal(series_get(&set, "k7", 2), &set.items[7]);
	series_set_deinit(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_run_is_followed_while_it_is_written, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(runs_are_told_apart, make_root, remove_root),
		cmocka_unit_test_setup_teardown(damage_is_said, make_root, remove_root),
		cmocka_unit_test_setup_teardown(an_empty_or_missing_folder, make_root, remove_root),
		cmocka_unit_test(series_are_bounded),
		cmocka_unit_test(a_writer_has_so_many_series),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
