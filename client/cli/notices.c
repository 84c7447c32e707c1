#include "notices.h"

#include <stdio.h>
#include <unistd.h>

#include "say.h"
#include "settings.h"
#include "text.h"
#include "transport.h"

#define REFUSED_US 2000000 /* a command that is over sooner has the last word alone */
#define AWAY_US 10000000
#define URL_SIZE 8192

void notices_start(struct notices *notices, bool is_quiet)
{
	*notices = (struct notices){ .is_quiet = is_quiet,
				     .is_terminal = isatty(STDERR_FILENO),
				     .start_us = transport_clock_us() };
}

static enum notice judge(const struct notices *notices, struct cairn_run *run)
{
	int64_t passed_us = transport_clock_us() - notices->start_us;
	int result = cairn_wait_joined(run, 0);

	if (result == CAIRN_REFUSED && passed_us > REFUSED_US)
		return NOTICE_REFUSED;
	if (result == CAIRN_TIMEOUT && passed_us > AWAY_US)
		return NOTICE_AWAY;
	return result == CAIRN_OK ? NOTICE_NONE : notices->told;
}

static void tell(enum notice what, struct cairn_run *run)
{
	char error[SETTINGS_ERROR_SIZE];

	cairn_last_error(run, error, sizeof error);
	if (what == NOTICE_NONE)
		say("run %s: the server now has all data", cairn_run_id(run));
	else if (what == NOTICE_REFUSED)
		say("run %s is not stored because the server rejects it: %s\n"
		    "  The command continues, and its data is offered again from time to time. "
		    "Run cairn doctor to find the reason.",
		    cairn_run_id(run), error);
	else
		say("run %s is not stored yet: %s\n"
		    "  The command continues, and its data waits for the server. Run cairn "
		    "doctor to find the reason.",
		    cairn_run_id(run), error);
}

/* Terminals make a link of it. */
static void tell_url(struct notices *notices, struct cairn_run *run)
{
	char url[URL_SIZE];

	if (notices->is_url_told || !notices->is_terminal || notices->is_quiet)
		return;
	notices->is_url_told = true;
	if (cairn_run_url(run, url, sizeof url) < sizeof url && url[0])
		say("run %s: %s", cairn_run_id(run), url);
}

static void look_for_loss(struct notices *notices, struct cairn_run *run)
{
	struct cairn_stats stats;

	cairn_stats(run, &stats);
	if (notices->is_loss_told ||
	    !(stats.history.dropped || stats.events.dropped || stats.console.dropped))
		return;
	notices->is_loss_told = true;
	say("run %s: the buffer for unsent data is full (CAIRN_BUFFER_MIB); new data is dropped "
	    "until some is sent",
	    cairn_run_id(run));
}

void notices_look(struct notices *notices, struct cairn_run *run)
{
	enum notice now;

	if (!run || notices->is_quiet)
		return;
	look_for_loss(notices, run);
	now = judge(notices, run);
	if (now != notices->told)
		tell(now, run);
	if (cairn_wait_joined(run, 0) == CAIRN_OK)
		tell_url(notices, run);
	notices->told = now;
}

static void add(struct text *list, uint64_t count, const char *one)
{
	if (count)
		text_format(list, "%s%llu %s%s", list->length ? ", " : "",
			    (unsigned long long)count, one, count == 1 ? "" : "s");
}

/* Data on disk is not lost, but has to be sent later. */
static void tell_spooled(const struct notices *notices, struct cairn_run *run,
			 const struct cairn_report *report)
{
	struct text list = { 0 };

	add(&list, report->history_spooled, "row");
	add(&list, report->events_spooled, "system sample");
	add(&list, report->alerts_spooled, "alert");
	add(&list, report->console_spooled, "console line");
	if (report->end_spooled)
		text_format(&list, "%sits end", list.length ? ", " : "");
	if (list.length && !notices->is_quiet && text_c_string(&list))
		say("run %s is not sent yet: %s are in %s; send them with: cairn sync%s%s",
		    cairn_run_id(run), list.data, report->spool, report->error[0] ? "; " : "",
		    report->error);
	text_deinit(&list);
}

void notices_end(struct notices *notices, struct cairn_run *run, const struct cairn_report *report)
{
	struct text list = { 0 };
	struct cairn_stats stats;

	cairn_stats(run, &stats);
	if (stats.joins)
		tell_url(notices, run);
	add(&list, report->history_unsent + report->history_lost, "row");
	add(&list, report->events_unsent + report->events_lost, "system sample");
	add(&list, report->alerts_unsent, "alert");
	add(&list, report->console_unsent + report->console_lost, "console line");
	if (report->documents_unsent)
		text_format(&list, "%sconfig or summary", list.length ? ", " : "");
	if (report->end_unsent)
		text_format(&list, "%sits end", list.length ? ", " : "");
	if (list.length && !notices->is_quiet && text_c_string(&list))
		say("the server does not have all data of run %s; not sent: %s%s%s",
		    cairn_run_id(run), list.data, report->error[0] ? "; " : "", report->error);
	text_deinit(&list);
	tell_spooled(notices, run, report);
	if (report->values_left_out && !notices->is_quiet)
		say("the server cannot store %llu value%s of run %s; the run's page lists them",
		    (unsigned long long)report->values_left_out,
		    report->values_left_out == 1 ? "" : "s", cairn_run_id(run));
}
