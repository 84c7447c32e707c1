/* The loop of cairn top: keys, clicks, signals and changes of the model come to one poll(), after each the screen is drawn. */
#include "top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "draw.h"
#include "say.h"
#include "screen.h"
#include "terminal.h"
#include "transport.h"

#define TICK_MS 1000 /* durations change */
#define FRAME_MS 50  /* the screen is drawn so often at most when the model changes */
#define ONCE_US 10000000
#define ONCE_HEIGHT 24

struct top {
	struct top_source *source;
	struct feed feed;
	struct view view;
	struct cells cells;
	struct screen *screen;
	pthread_t thread;
	int signals;  /* a signalfd */
	int ended_by; /* a signal; 0: none */
};

static void *run_source(void *context)
{
	struct top *top = context;

	while (!feed_is_done(&top->feed))
		top->source->next(top->source, &top->feed);
	return NULL;
}

/* Signals that end us come as bytes, so that the terminal is given back first. */
static bool block_signals(struct top *top)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &mask, NULL))
		return false;
	signal(SIGPIPE, SIG_IGN);
	top->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	return top->signals >= 0;
}

/* Other signals, of the terminal, are for this thread. */
static int start_source(struct top *top)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&top->thread, NULL, run_source, top);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

static void stop_source(struct top *top)
{
	feed_finish(&top->feed);
	top->source->interrupt(top->source);
	pthread_join(top->thread, NULL);
}

/* Draws into the cells, and tells the source what is seen. */
static void draw(struct top *top)
{
	struct model *model = feed_begin(&top->feed);

	draw_screen(&top->cells, &top->view, model);
	feed_want(&top->feed, &top->view.wants);
	pthread_mutex_unlock(&top->feed.lock);
}

/* ---- on a terminal ------------------------------------------------------------------------------------ */

static void fit(struct top *top)
{
	int width, height;

	screen_size(top->screen, &width, &height);
	if (width != top->cells.width || height != top->cells.height)
		cells_resize(&top->cells, width, height);
}

static void take_event(struct top *top, const struct screen_event *event)
{
	struct model *model;

	if (event->kind == SCREEN_RESIZE)
		return;
	if (event->kind == SCREEN_KEY && event->key == ('L' & 0x1f)) {
		screen_redraw(top->screen);
		return;
	}
	model = &top->feed.model;
	pthread_mutex_lock(&top->feed.lock);
	if (event->kind == SCREEN_MOUSE)
		view_mouse(&top->view, model, event->x, event->y, (enum view_click)event->click);
	else
		view_key(&top->view, model, event->key);
	pthread_mutex_unlock(&top->feed.lock);
}

static void take_signals(struct top *top)
{
	struct signalfd_siginfo info;

	while (read(top->signals, &info, sizeof info) == sizeof info)
		top->ended_by = (int)info.ssi_signo;
}

/* After each key the screen is drawn, so that the next one finds what it acts on. */
static void take_events(struct top *top)
{
	struct screen_event event;

	while (!top->view.is_done && screen_next(top->screen, &event)) {
		take_event(top, &event);
		fit(top);
		draw(top);
	}
}

/* Waits for anything; what changes the model often is drawn a few times a second. */
static void wait_for_anything(struct top *top)
{
	struct pollfd fds[3] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .fd = top->signals, .events = POLLIN },
				 { .fd = top->feed.wake_fd, .events = POLLIN } };

	poll(fds, 2, FRAME_MS);
	if (!fds[0].revents && !fds[1].revents)
		poll(fds, 3, TICK_MS);
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		top->ended_by = SIGHUP; /* the terminal is gone */
	feed_take_wake(&top->feed);
	take_signals(top);
}

static int show(struct top *top)
{
	top->screen = screen_open();
	if (!top->screen)
		return 1;
	while (!top->view.is_done && !top->ended_by) {
		fit(top);
		draw(top);
		screen_show(top->screen, &top->cells);
		wait_for_anything(top);
		take_events(top);
	}
	screen_close(top->screen);
	return top->ended_by && top->ended_by != SIGINT ? 128 + top->ended_by : 0;
}

/* ---- one screen as text ------------------------------------------------------------------------------- */

static bool has_points(const struct model *model, const char *key)
{
	for (size_t i = 0; i < model->metric_count; i++) {
		if (strcmp(model->metrics[i].key, key) == 0)
			return model->metrics[i].points != NULL;
	}
	return true;
}

/* Whether the model has what is seen, or the reason why it does not come. */
static bool is_ready(struct top *top)
{
	const struct model *model = feed_begin(&top->feed);
	const struct wants *wants = &top->feed.wants;
	bool is_ready = model->is_whole && model->link != LINK_CONNECTING;

	if (model->kind == MODEL_PROJECT && wants->column_count && !model->columns[0])
		is_ready = false;
	for (size_t i = 0; is_ready && i < wants->key_count; i++)
		is_ready = has_points(model, wants->keys[i]);
	is_ready |= model->link == LINK_LOST;
	pthread_mutex_unlock(&top->feed.lock);
	return is_ready;
}

static int terminal_height(void)
{
	const char *lines = getenv("LINES");
	long height = lines ? strtol(lines, NULL, 10) : 0;

	return height >= 4 && height <= CELLS_HEIGHT_MAX ? (int)height : ONCE_HEIGHT;
}

static int print(struct top *top)
{
	int64_t until_us = transport_clock_us() + ONCE_US;
	bool is_lost;
	char *text;

	cells_resize(&top->cells, terminal_width(), terminal_height());
	draw(top);
	while (!is_ready(top) && transport_clock_us() < until_us && !top->ended_by) {
		struct pollfd fds[2] = { { .fd = top->feed.wake_fd, .events = POLLIN },
					 { .fd = top->signals, .events = POLLIN } };

		poll(fds, 2, 200);
		feed_take_wake(&top->feed);
		take_signals(top);
		draw(top);
	}
	draw(top);
	text = cells_dump(&top->cells);
	fputs(text ? text : "", stdout);
	free(text);
	is_lost = feed_begin(&top->feed)->link == LINK_LOST;
	pthread_mutex_unlock(&top->feed.lock);
	return top->ended_by ? 128 + top->ended_by : is_lost ? 3 : 0;
}

/* ---- both ---------------------------------------------------------------------------------------------- */

static int run(struct top *top, const struct top_options *options)
{
	int result = top->source->open(top->source, &top->feed);

	if (result)
		return result;
	top->view.focus = PANE_RUNS; /* or the charts, if there are none */
	if (!block_signals(top) || start_source(top)) {
		say("cannot start: %s", strerror(errno));
		return 1;
	}
	result = options->mode == TOP_ONCE ? print(top) : show(top);
	stop_source(top);
	return result;
}

int top_run(struct top_source *source, const struct top_options *options)
{
	struct top top = { .source = source, .signals = -1 };
	int result = 1;

	if (options->mode == TOP_SCREEN && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		say("top needs a terminal; use --once to print one screen as text");
		source->close(source);
		return 2;
	}
	if (options->mode == TOP_SCREEN)
		screen_prepare();
	top.cells.is_utf8 = screen_is_utf8() && !options->is_ascii;
	if (feed_init(&top.feed) && cells_resize(&top.cells, 80, 24))
		result = run(&top, options);
	source->close(source);
	view_deinit(&top.view);
	cells_deinit(&top.cells);
	feed_deinit(&top.feed);
	if (top.signals >= 0)
		close(top.signals);
	return result;
}
