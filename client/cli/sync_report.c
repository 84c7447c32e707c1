#include "sync_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "say.h"
#include "table.h"
#include "terminal.h"

#define MIB (1024.0 * 1024)

static const char *const stream_words[RECORD_KINDS][2] = {
	[RECORD_HISTORY] = { "row", "rows" },
	[RECORD_EVENTS] = { "system sample", "system samples" },
	[RECORD_CONSOLE] = { "line", "lines" },
};

/* "entity/project/run, label"; the folder where writer.json cannot be read. */
static void write_name(const struct sync_writer *writer, struct text *text)
{
	const struct spool_identity *identity = &writer->identity;

	if (!identity->run || !identity->project || !identity->label) {
		text_str(text, writer->folder);
		return;
	}
	text_format(text, "%s%s%s/%s %s", identity->entity ? identity->entity : "",
		    identity->entity ? "/" : "", identity->project, identity->run, identity->label);
}

static void write_counts(const struct sync_counts *counts, struct text *text)
{
	for (int i = 0; i < RECORD_KINDS; i++)
		text_format(text, "%s%llu %s", i ? ", " : "",
			    (unsigned long long)counts->records[i],
			    stream_words[i][counts->records[i] != 1]);
	if (counts->alerts)
		text_format(text, ", %llu alert%s", (unsigned long long)counts->alerts,
			    counts->alerts == 1 ? "" : "s");
	if (counts->refused)
		text_format(text, "; %llu rejected", (unsigned long long)counts->refused);
}

/* An interrupt is how watching ends. */
static bool is_failure(const struct sync *sync, const struct sync_writer *writer)
{
	if (writer->state == SYNC_STOPPED || writer->state == SYNC_NEW)
		return !sync->options->watches;
	return writer->state >= SYNC_FENCED;
}

static const char *state_words(const struct sync_writer *writer)
{
	switch (writer->state) {
	case SYNC_DONE:
		return writer->ended[0] ? writer->ended : "already synced";
	case SYNC_CURRENT:
		return "its process goes on";
	default:
		return "not synced";
	}
}

static void clear_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void print_line(const struct sync_writer *writer, const char *name)
{
	struct text text = { 0 };

	write_counts(&writer->counts, &text);
	clear_line();
	terminal_print(name, SIZE_MAX);
	printf(": %s; %s%s\n", text_c_string(&text) ? text.data : "", state_words(writer),
	       writer->was_deleted ? ", deleted" : "");
	fflush(stdout);
	text_deinit(&text);
}

void sync_report_writer(struct sync *sync, struct sync_writer *writer)
{
	struct text name = { 0 };
	bool is_said_before = strcmp(writer->line, writer->said) == 0;
	bool is_quiet =
		sync->options->is_quiet || writer->state == SYNC_PARTLY ||
		(sync->options->watches && !(writer->state == SYNC_DONE && writer->has_news));

	write_name(writer, &name);
	if (text_c_string(&name) && writer->line[0] && !is_said_before &&
	    writer->state != SYNC_STOPPED) {
		clear_line();
		say("%s: %s", name.data, writer->line);
	}
	snprintf(writer->said, sizeof writer->said, "%s", writer->line);
	if (name.data && !is_quiet && writer->state <= SYNC_CURRENT)
		print_line(writer, name.data);
	if (writer->state == SYNC_DONE)
		writer->has_news = false;
	text_deinit(&name);
}

static void sum_up(const struct sync *sync, struct sync_counts *sum, size_t *ret_settled)
{
	*sum = (struct sync_counts){ 0 };
	*ret_settled = 0;
	for (size_t i = 0; i < sync->count; i++) {
		const struct sync_writer *writer = sync->writers[i];

		for (int k = 0; k < RECORD_KINDS; k++)
			sum->records[k] += writer->counts.records[k];
		sum->bytes += writer->counts.bytes;
		sum->alerts += writer->counts.alerts;
		sum->refused += writer->counts.refused;
		*ret_settled += !writer->is_busy && writer->due_us != 0;
	}
}

void sync_report_progress(struct sync *sync)
{
	struct text text = { 0 };
	struct sync_counts sum;
	size_t settled;

	if (sync->options->is_quiet || !isatty(STDERR_FILENO))
		return;
	pthread_mutex_lock(&sync->lock);
	sum_up(sync, &sum, &settled);
	write_counts(&sum, &text);
	fprintf(stderr, "\r\033[K%zu of %zu writers, %s, %.1f MiB", settled, sync->count,
		text_c_string(&text) ? text.data : "", (double)sum.bytes / MIB);
	fflush(stderr);
	pthread_mutex_unlock(&sync->lock);
	text_deinit(&text);
}

void sync_report_clear(struct sync *sync)
{
	if (!sync->options->is_quiet)
		clear_line();
}

int sync_report_end(struct sync *sync)
{
	size_t failed = 0, away = 0, damaged = 0, settled;
	struct text text = { 0 };
	struct sync_counts sum;

	sum_up(sync, &sum, &settled);
	for (size_t i = 0; i < sync->count; i++) {
		const struct sync_writer *writer = sync->writers[i];

		failed += is_failure(sync, writer);
		away += writer->state == SYNC_AWAY;
		damaged += writer->damages > 0;
	}
	write_counts(&sum, &text);
	if (!sync->options->is_quiet && text_c_string(&text))
		printf("%zu writer%s: %s%s\n", sync->count, sync->count == 1 ? "" : "s", text.data,
		       failed ? "" : "; all synced");
	text_deinit(&text);
	if (failed)
		say("%zu of %zu writers not synced", failed, sync->count);
	if (failed && failed == away)
		return EXIT_NO_ANSWER;
	return failed || damaged || sum.refused ? EXIT_REFUSED : EXIT_DONE;
}

/* ---- the dry run -------------------------------------------------------------------------------------- */

static const char *life_words(const struct sync_writer *writer, const struct sync_survey *survey)
{
	bool is_offline = writer->identity.mode && strcmp(writer->identity.mode, "offline") == 0;
	enum spool_life life = spool_folder_life(writer->folder);

	if (survey->has_end)
		return "ended";
	if (life == SPOOL_DEAD)
		return "ended without a finish";
	return is_offline ? "running" : "running, sends it itself";
}

static void add_number(struct table *table, uint64_t number)
{
	char text[32];

	snprintf(text, sizeof text, "%llu", (unsigned long long)number);
	table_add(table, text);
}

static bool add_row(struct table *table, struct sync_writer *writer, uint64_t sent)
{
	struct sync_survey survey;

	if (spool_identity_read(writer->folder, &writer->identity, writer->line) !=
		    SPOOL_IDENTITY_OK ||
	    !sync_survey(writer->folder, sent, &survey, writer->line)) {
		say("%s", writer->line);
		return false;
	}
	table_add(table, writer->identity.run);
	table_add(table, writer->identity.label);
	for (int i = 0; i < RECORD_KINDS; i++)
		add_number(table, survey.counts[i]);
	add_number(table, survey.bytes);
	table_add(table, life_words(writer, &survey));
	if (survey.damages)
		say("%s: %llu damaged places, %llu records lost", writer->folder,
		    (unsigned long long)survey.damages, (unsigned long long)survey.lost_records);
	return survey.damages == 0;
}

/* The hint of what the server has. */
static uint64_t sent_of(const char *folder)
{
	char error[SPOOL_ERROR_SIZE];
	struct spool_entries entries;
	uint64_t sent = 0;

	if (spool_folder_list(folder, &entries, error) && entries.count > 0)
		sent = entries.items[0].sent;
	spool_entries_deinit(&entries);
	return sent;
}

int sync_report_dry(struct sync *sync)
{
	struct table table = { .titles = { "RUN", "WRITER", "ROWS", "SAMPLES", "LINES", "BYTES",
					   "STATE" },
			       .is_right = { [2] = true, [3] = true, [4] = true, [5] = true },
			       .columns = 7 };
	bool is_well = true;

	for (size_t i = 0; i < sync->count; i++) {
		struct sync_writer *writer = sync->writers[i];

		is_well &= add_row(&table, writer, sent_of(writer->folder));
	}
	table_print(&table, 0);
	table_deinit(&table);
	return is_well ? EXIT_DONE : EXIT_REFUSED;
}
