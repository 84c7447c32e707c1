#include "news.h"

#include <stdio.h>
#include <unistd.h>

#include "say.h"
#include "settings.h"
#include "text.h"
#include "transport.h"

#define REFUSED_US 2000000 /* a command that is over sooner has the last word alone */
#define AWAY_US 10000000
#define URL_SIZE 8192

void news_start(struct news *news, bool is_quiet)
{
	*news = (struct news){ .is_quiet = is_quiet,
			       .is_terminal = isatty(STDERR_FILENO),
			       .start_us = transport_clock_us() };
}

static enum news_told judge(const struct news *news, struct cairn_run *run)
{
	int64_t passed_us = transport_clock_us() - news->start_us;
	int result = cairn_wait_joined(run, 0);

	if (result == CAIRN_REFUSED && passed_us > REFUSED_US)
		return NEWS_REFUSED;
	if (result == CAIRN_TIMEOUT && passed_us > AWAY_US)
		return NEWS_AWAY;
	return result == CAIRN_OK ? NEWS_NOTHING : news->told;
}

static void tell(enum news_told what, struct cairn_run *run)
{
	char error[SETTINGS_ERROR_SIZE];

	cairn_last_error(run, error, sizeof error);
	if (what == NEWS_NOTHING)
		say("run %s: the server now has all data", cairn_run_id(run));
	else if (what == NEWS_REFUSED)
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
static void tell_url(struct news *news, struct cairn_run *run)
{
	char url[URL_SIZE];

	if (news->is_url_told || !news->is_terminal || news->is_quiet)
		return;
	news->is_url_told = true;
	if (cairn_run_url(run, url, sizeof url) < sizeof url && url[0])
		say("run %s: %s", cairn_run_id(run), url);
}

static void look_for_loss(struct news *news, struct cairn_run *run)
{
	struct cairn_stats stats;

	cairn_stats(run, &stats);
	if (news->is_loss_told ||
	    !(stats.history.dropped || stats.events.dropped || stats.console.dropped))
		return;
	news->is_loss_told = true;
	say("run %s: the buffer for unsent data is full (CAIRN_BUFFER_MIB); new data is dropped "
	    "until some is sent",
	    cairn_run_id(run));
}

void news_look(struct news *news, struct cairn_run *run)
{
	enum news_told now;

	if (!run || news->is_quiet)
		return;
	look_for_loss(news, run);
	now = judge(news, run);
	if (now != news->told)
		tell(now, run);
	if (cairn_wait_joined(run, 0) == CAIRN_OK)
		tell_url(news, run);
	news->told = now;
}

static void add(struct text *list, uint64_t count, const char *one)
{
	if (count)
		text_format(list, "%s%llu %s%s", list->length ? ", " : "",
			    (unsigned long long)count, one, count == 1 ? "" : "s");
}

void news_end(struct news *news, struct cairn_run *run, const struct cairn_report *report)
{
	struct text list = { 0 };
	struct cairn_stats stats;

	cairn_stats(run, &stats);
	if (stats.joins)
		tell_url(news, run);

	add(&list, report->history_unsent + report->history_lost, "row");
	add(&list, report->events_unsent + report->events_lost, "system sample");
	add(&list, report->alerts_unsent, "alert");
	add(&list, report->console_unsent + report->console_lost, "console line");
	if (report->documents_unsent)
		text_format(&list, "%sconfig or summary", list.length ? ", " : "");
	if (report->end_unsent)
		text_format(&list, "%sits end", list.length ? ", " : "");
	if (list.length && !news->is_quiet && text_c_string(&list))
		say("the server does not have all data of run %s; not sent: %s%s%s",
		    cairn_run_id(run), list.data, report->error[0] ? "; " : "", report->error);
	text_deinit(&list);
	if (report->values_left_out && !news->is_quiet)
		say("the server cannot store %llu value%s of run %s; the run's page lists them",
		    (unsigned long long)report->values_left_out,
		    report->values_left_out == 1 ? "" : "s", cairn_run_id(run));
}
