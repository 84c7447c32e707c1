#include "screen.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "say.h"
#include "view.h"

#include <term.h> /* last: its macros have names such as "columns" and "lines" */

#define TRUE_COLORS (1 << 24)
#define ESCAPE_MS 50 /* within which the rest of a key's sequence comes */

struct screen {
	SCREEN *terminal;
	bool has_colour;
	attr_t attributes[STYLES];
};

/* Colours of a style by what the terminal has; -1: its own. */
static const struct look {
	int few, many, all;   /* of 8, of 256, red-green-blue */
	attr_t with, without; /* attributes with colours, and without */
} looks[STYLES] = {
	[STYLE_PLAIN] = { -1, -1, -1, A_NORMAL, A_NORMAL },
	[STYLE_DIM] = { -1, 245, 0x8a8a8a, A_NORMAL, A_DIM },
	[STYLE_TITLE] = { -1, -1, -1, A_BOLD, A_BOLD },
	[STYLE_FOCUS] = { COLOR_CYAN, 45, 0x22b8cf, A_BOLD, A_BOLD | A_UNDERLINE },
	[STYLE_SELECTED] = { -1, -1, -1, A_REVERSE, A_REVERSE },
	[STYLE_GOOD] = { COLOR_GREEN, 71, 0x40a060, A_NORMAL, A_NORMAL },
	[STYLE_WARN] = { COLOR_YELLOW, 178, 0xd8a000, A_NORMAL, A_BOLD },
	[STYLE_BAD] = { COLOR_RED, 203, 0xf05050, A_BOLD, A_BOLD },
	[STYLE_INFO] = { COLOR_BLUE, 75, 0x5fa8ff, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST] = { COLOR_CYAN, 39, 0x2fa4ff, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST + 1] = { COLOR_YELLOW, 214, 0xffaf30, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST + 2] = { COLOR_GREEN, 78, 0x50d080, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST + 3] = { COLOR_MAGENTA, 176, 0xd787d7, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST + 4] = { COLOR_RED, 209, 0xff875f, A_NORMAL, A_NORMAL },
	[STYLE_LINE_FIRST + 5] = { COLOR_BLUE, 111, 0x87afff, A_NORMAL, A_NORMAL },
};

bool screen_is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

static bool wants_no_colour(void)
{
	const char *no = getenv("NO_COLOR");

	return no && no[0];
}

/* Terminals that have true colour say so in COLORTERM. ncurses uses it by a terminfo entry of its own, "xterm-direct",
 * which is used if it is installed. */
static SCREEN *open_true_colour(void)
{
	const char *colours = getenv("COLORTERM"), *term = getenv("TERM");
	char name[64];
	int error;

	if (wants_no_colour() || !colours || !term ||
	    (strcmp(colours, "truecolor") != 0 && strcmp(colours, "24bit") != 0))
		return NULL;
	snprintf(name, sizeof name, "%.*s-direct", (int)strcspn(term, "-"), term);
	if (setupterm(name, STDOUT_FILENO, &error) != OK)
		return NULL;
	del_curterm(cur_term);
	return newterm(name, stdout, stdin);
}

/* Terminals of their own names, which a host that is reached by ssh seldom knows, and what they are like. */
static const struct {
	const char *begins, *like;
} likenesses[] = {
	{ "xterm", "xterm-256color" },   { "alacritty", "xterm-256color" },
	{ "foot", "xterm-256color" },    { "wezterm", "xterm-256color" },
	{ "contour", "xterm-256color" }, { "rio", "xterm-256color" },
	{ "tmux", "screen-256color" },   { "screen", "screen-256color" },
};

static SCREEN *open_like(const char *term)
{
	for (size_t i = 0; term && i < sizeof likenesses / sizeof likenesses[0]; i++) {
		if (strncmp(term, likenesses[i].begins, strlen(likenesses[i].begins)) == 0)
			return newterm(likenesses[i].like, stdout, stdin);
	}
	return NULL;
}

/* NULL after saying why. */
static SCREEN *open_terminal(void)
{
	const char *term = getenv("TERM"), *name = term ? term : "";
	SCREEN *terminal = open_true_colour();

	if (!terminal)
		terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		terminal = open_like(term);
	if (!terminal) {
		say("unknown terminal \"%s\": set TERM to one of those in /usr/share/terminfo or "
		    "/lib/terminfo",
		    name);
		return NULL;
	}
	if (cursor_address)
		return terminal;
	endwin();
	delscreen(terminal);
	say("the terminal \"%s\" cannot move its cursor; use --once to print one screen as text",
	    name);
	return NULL;
}

static void set_colours(struct screen *screen)
{
	screen->has_colour = !wants_no_colour() && has_colors() && start_color() == OK &&
			     use_default_colors() == OK;
	for (int i = 0; i < STYLES; i++) {
		const struct look *look = &looks[i];
		int colour = COLORS >= TRUE_COLORS ? look->all
			     : COLORS >= 256       ? look->many
						   : look->few;

		screen->attributes[i] = screen->has_colour ? look->with : look->without;
		if (screen->has_colour && colour >= 0)
			init_extended_pair(i + 1, colour, -1);
		else if (screen->has_colour)
			init_extended_pair(i + 1, -1, -1);
	}
}

void screen_prepare(void)
{
	unsetenv("LINES");
	unsetenv("COLUMNS");
}

struct screen *screen_open(void)
{
	struct screen *screen = calloc(1, sizeof *screen);

	if (!screen) {
		say("out of memory");
		return NULL;
	}
	screen->terminal = open_terminal();
	if (!screen->terminal) {
		free(screen);
		return NULL;
	}
	set_term(screen->terminal);
	set_escdelay(ESCAPE_MS);
	set_colours(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, true);
	nodelay(stdscr, true);
	curs_set(0);
	mousemask(BUTTON1_CLICKED | BUTTON1_PRESSED | BUTTON1_DOUBLE_CLICKED | BUTTON4_PRESSED |
			  BUTTON5_PRESSED,
		  NULL);
	mouseinterval(200);
	return screen;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	erase(); /* terminals without a second screen would keep what was drawn */
	refresh();
	endwin();
	delscreen(screen->terminal);
	free(screen);
}

void screen_size(const struct screen *screen, int *ret_width, int *ret_height)
{
	(void)screen;
	getmaxyx(stdscr, *ret_height, *ret_width);
}

static void show_cell(struct screen *screen, int x, int y, const struct cell *cell)
{
	wchar_t text[2] = { (wchar_t)cell->code, 0 };
	int pair = screen->has_colour ? cell->style + 1 : 0;
	cchar_t out;

	if (setcchar(&out, text, screen->attributes[cell->style], 0, &pair) == OK)
		mvadd_wch(y, x, &out);
}

void screen_show(struct screen *screen, const struct cells *cells)
{
	int width, height;

	screen_size(screen, &width, &height);
	erase();
	for (int y = 0; y < cells->height && y < height; y++) {
		for (int x = 0; x < cells->width && x < width; x++) {
			const struct cell *cell = &cells->at[y * cells->width + x];

			if (cell->code && !(cell->code == ' ' && cell->style == STYLE_PLAIN))
				show_cell(screen, x, y, cell);
		}
	}
	refresh();
}

void screen_redraw(struct screen *screen)
{
	(void)screen;
	clearok(stdscr, true);
}

static const struct {
	wint_t theirs;
	uint32_t ours;
} keys[] = {
	{ KEY_UP, VIEW_KEY_UP },
	{ KEY_DOWN, VIEW_KEY_DOWN },
	{ KEY_LEFT, VIEW_KEY_LEFT },
	{ KEY_RIGHT, VIEW_KEY_RIGHT },
	{ KEY_PPAGE, VIEW_KEY_PAGE_UP },
	{ KEY_NPAGE, VIEW_KEY_PAGE_DOWN },
	{ KEY_HOME, VIEW_KEY_HOME },
	{ KEY_END, VIEW_KEY_END },
	{ KEY_BTAB, VIEW_KEY_BACK_TAB },
	{ KEY_BACKSPACE, VIEW_KEY_BACKSPACE },
	{ KEY_ENTER, '\n' },
};

static bool read_mouse(struct screen_event *event)
{
	MEVENT mouse;

	if (getmouse(&mouse) != OK)
		return false;
	event->kind = SCREEN_MOUSE;
	event->x = mouse.x;
	event->y = mouse.y;
	if (mouse.bstate & BUTTON4_PRESSED)
		event->click = VIEW_WHEEL_UP;
	else if (mouse.bstate & BUTTON5_PRESSED)
		event->click = VIEW_WHEEL_DOWN;
	else
		event->click = mouse.bstate & BUTTON1_DOUBLE_CLICKED ? VIEW_CLICK_TWICE
								     : VIEW_CLICK;
	return true;
}

/* False for a key that means nothing here. */
static bool read_special(wint_t key, struct screen_event *event)
{
	if (key == KEY_MOUSE)
		return read_mouse(event);
	if (key == KEY_RESIZE) {
		event->kind = SCREEN_RESIZE;
		return true;
	}
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (keys[i].theirs == key) {
			event->key = keys[i].ours;
			return true;
		}
	}
	return false;
}

bool screen_next(struct screen *screen, struct screen_event *ret_event)
{
	wint_t key;
	int kind;

	(void)screen;
	while ((kind = get_wch(&key)) != ERR) {
		*ret_event = (struct screen_event){ .kind = SCREEN_KEY, .key = key };
		if (kind == OK || read_special(key, ret_event))
			return true;
	}
	return false;
}
