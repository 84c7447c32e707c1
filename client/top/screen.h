#ifndef SCREEN_H
#define SCREEN_H

#include "cells.h"

/*
 * The terminal, by ncurses: the only user of it. Colours are those that it has: true colour, 256, 8, or none (NO_COLOR,
 * TERM=vt100), when bold, dim and reverse remain.
 */
struct screen;

/* Before there are threads: ncurses is to ask the terminal for its size, also later. If a shell exports LINES and COLUMNS, it
 * would believe them. */
void screen_prepare(void);

/* Takes the terminal over. NULL after saying why. */
struct screen *screen_open(void);
/* Gives it back as it was. Accepts NULL. */
void screen_close(struct screen *screen);

void screen_size(const struct screen *screen, int *ret_width, int *ret_height)
	__attribute__((nonnull));
void screen_show(struct screen *screen, const struct cells *cells) __attribute__((nonnull));
/* Forgets what the terminal shows, and draws all of it the next time. */
void screen_redraw(struct screen *screen) __attribute__((nonnull));

struct screen_event {
	enum { SCREEN_KEY, SCREEN_MOUSE, SCREEN_RESIZE } kind;
	uint32_t key; /* a character, or one of enum view_key */
	int x, y;
	int click; /* enum view_click */
};

/* The next key or click; false when there is none now. */
bool screen_next(struct screen *screen, struct screen_event *ret_event) __attribute__((nonnull));

/* Whether the locale's characters are UTF-8; sets the locale. */
bool screen_is_utf8(void);

#endif
