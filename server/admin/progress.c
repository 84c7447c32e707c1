#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "starting.h"

enum {
	BAR = 24,
	LINE_SIZE = 160,
	PERIOD_US = 200 * 1000,
	SURE_AFTER_US = 2 * 1000 * 1000,
	LOG_US = 10 * 1000 * 1000,
	SAY_US = 1000 * 1000
};

void progress_bytes(char text[PROGRESS_BYTES_SIZE], double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
	size_t unit = 0;

	while (bytes >= 1023.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, PROGRESS_BYTES_SIZE, unit && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes,
		 units[unit]);
}

static void put_rest(char *text, size_t size, double part, int64_t elapsed_us)
{
	double left_s;

	text[0] = '\0';
	if (part <= 0.001 || part >= 1 || elapsed_us < SURE_AFTER_US)
		return;
	left_s = (double)elapsed_us / 1e6 * (1 - part) / part;
	left_s = left_s < 1e8 ? left_s : 1e8;
	if (left_s >= 3600)
		snprintf(text, size, ", %d:%02d:%02d left", (int)left_s / 3600,
			 (int)left_s / 60 % 60, (int)left_s % 60);
	else
		snprintf(text, size, ", %d:%02d left", (int)left_s / 60, (int)left_s % 60);
}

void progress_line(char *line, size_t size, const struct progress_state *state, int64_t elapsed_us)
{
	char bar[BAR + 1];
	char percent[16] = "";
	char bytes[PROGRESS_BYTES_SIZE];
	char rate[PROGRESS_BYTES_SIZE + 8] = "";
	char rest[40];
	double part = state->part > 1 ? 1 : state->part;
	int full = part > 0 ? (int)(part * BAR) : 0;

	memset(bar, ' ', BAR);
	memset(bar, '#', (size_t)full);
	bar[BAR] = '\0';
	if (part >= 0)
		snprintf(percent, sizeof(percent), " %3d %%", (int)(part * 100));
	progress_bytes(bytes, elapsed_us ? (double)state->bytes * 1e6 / (double)elapsed_us : 0);
	if (state->bytes >= 0)
		snprintf(rate, sizeof(rate), ", %s/s", bytes);
	put_rest(rest, sizeof(rest), part, elapsed_us);
	snprintf(line, size, "[%s]%s  %s%s%s", bar, percent, state->what, rate, rest);
}

void progress_begin(struct progress *p)
{
	int64_t now_us = clock_mono_us();

	*p = (struct progress){
		.log = p->log,
		.starting = p->starting,
		.shown = isatty(STDERR_FILENO),
		.began_us = now_us,
		.last_us = p->log ? now_us : 0,
	};
}

void progress_show(struct progress *p, const struct progress_state *state)
{
	int64_t now_us = clock_mono_us();
	char line[LINE_SIZE];

	if (p->starting && now_us - p->said_us >= SAY_US) {
		p->said_us = now_us;
		starting_say(p->starting, "%s: %s", p->log, state->what);
	}
	if ((!p->shown && !p->log) || now_us - p->last_us < (p->shown ? PERIOD_US : LOG_US))
		return;
	p->last_us = now_us;
	if (!p->shown) {
		log_info(p->log, LOG_TEXT("done", state->what),
			 LOG_INT("seconds", (now_us - p->began_us) / 1000000));
		return;
	}
	p->there = true;
	progress_line(line, sizeof(line), state, now_us - p->began_us);
	fprintf(stderr, "\r\033[K%s", line);
	fflush(stderr);
}

void progress_count(void *progress, struct str table, size_t done, size_t count)
{
	char what[LINE_SIZE / 2];
	const struct progress_state state = { (double)done / (double)count, -1, what };

	snprintf(what, sizeof(what), "rows of %.*s counted", STR_ARG(table));
	progress_show(progress, &state);
}

void progress_clear(struct progress *p)
{
	if (!p->there)
		return;
	p->there = false;
	fputs("\r\033[K", stderr);
	fflush(stderr);
}
