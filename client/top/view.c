#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "layout.h"

void view_deinit(struct view *view)
{
	for (size_t i = 0; i < view->pin_count; i++)
		free(view->pins[i]);
	wants_deinit(&view->wants);
	*view = (struct view){ 0 };
}

bool view_has_pane(const struct model *model, enum pane pane)
{
	switch (pane) {
	case PANE_RUNS:
		return model->kind == MODEL_PROJECT || model->kind == MODEL_SPOOL;
	case PANE_DEVICES:
		return model->device_count > 0 || model->kind == MODEL_HOST;
	case PANE_WRITERS:
	case PANE_CONSOLE:
		return model->kind != MODEL_HOST;
	default:
		return true;
	}
}

bool view_is_pinned(const struct view *view, const char *key)
{
	for (size_t i = 0; i < view->pin_count; i++) {
		if (strcmp(view->pins[i], key) == 0)
			return true;
	}
	return false;
}

/* ---- what passes a filter ---------------------------------------------------------------------- */

static bool matches(const char *filter, const char *text)
{
	return !filter[0] || strcasestr(text, filter);
}

static bool passes(const struct view *view, const struct model *model, enum pane pane, size_t i)
{
	const char *filter = view->panes[pane].filter;

	switch (pane) {
	case PANE_RUNS:
		return matches(filter, model->runs[i].id) || matches(filter, model->runs[i].name) ||
		       matches(filter, model->runs[i].state);
	case PANE_CHARTS:
		return matches(filter, model->metrics[i].key);
	case PANE_DEVICES:
		return matches(filter, model->devices[i].host) ||
		       matches(filter, model->devices[i].name);
	case PANE_WRITERS:
		return matches(filter, model->writers[i].label) ||
		       matches(filter, model->writers[i].state) ||
		       matches(filter, model->writers[i].host);
	default:
		return matches(filter, model->lines[i].label) ||
		       matches(filter, model->lines[i].text);
	}
}

static size_t count_of(const struct model *model, enum pane pane)
{
	const size_t counts[PANES] = { model->run_count, model->metric_count, model->device_count,
				       model->writer_count, model->line_count };

	return counts[pane];
}

/* Pinned metrics come first, then losses; the program's own clocks come last. */
enum { RANK_PINNED, RANK_LOSS, RANK_OTHER, RANK_CLOCK, RANKS };

static int rank_of(const struct view *view, const char *key)
{
	if (view_is_pinned(view, key))
		return RANK_PINNED;
	if (key[0] == '_')
		return RANK_CLOCK;
	return strcasestr(key, "loss") ? RANK_LOSS : RANK_OTHER;
}

size_t *view_list(const struct view *view, const struct model *model, enum pane pane,
		  size_t *ret_count)
{
	size_t all = count_of(model, pane), count = 0;
	size_t *list = all ? calloc(all, sizeof *list) : NULL;

	*ret_count = 0;
	for (int rank = 0; list && rank < (pane == PANE_CHARTS ? RANKS : 1); rank++) {
		for (size_t i = 0; i < all; i++) {
			if (pane == PANE_CHARTS && rank_of(view, model->metrics[i].key) != rank)
				continue;
			if (passes(view, model, pane, i))
				list[count++] = i;
		}
	}
	*ret_count = count;
	return list;
}

/* ---- keys --------------------------------------------------------------------------------------- */

static void move_focus(struct view *view, const struct model *model, int by)
{
	enum pane pane = view->focus;

	do
		pane = (enum pane)(((int)pane + by + PANES) % PANES);
	while (!view_has_pane(model, pane));
	view->focus = pane;
}

static void note_run(struct view *view, const struct model *model)
{
	size_t count, *list = view_list(view, model, PANE_RUNS, &count);

	if (view->panes[PANE_RUNS].selected < count) {
		const char *id = model->runs[list[view->panes[PANE_RUNS].selected]].id;

		strncpy(view->run, id, sizeof view->run - 1);
	}
	free(list);
}

static void move_by(struct view *view, const struct model *model, long by)
{
	struct pane_view *pane = &view->panes[view->focus];
	long at, last = pane->count ? (long)pane->count - 1 : 0;

	if (view->focus == PANE_CONSOLE) { /* away from the latest line */
		view->has_anchor = false;
		at = (long)pane->first - by;
		last = pane->count > pane->page ? (long)(pane->count - pane->page) : 0;
		pane->first = (size_t)(at < 0 ? 0 : at > last ? last : at);
		return;
	}
	at = (long)pane->selected + by;
	pane->selected = (size_t)(at < 0 ? 0 : at > last ? last : at);
	if (view->focus == PANE_RUNS)
		note_run(view, model);
}

static void move(struct view *view, const struct model *model, int dx, int dy)
{
	if (view->focus == PANE_CHARTS)
		move_by(view, model,
			dx + (long)dy * (view->chart_columns > 0 ? view->chart_columns : 1));
	else
		move_by(view, model, dy);
}

static void move_page(struct view *view, const struct model *model, int by)
{
	size_t page = view->panes[view->focus].page;

	move_by(view, model, by * (long)(page ? page : 1));
}

static void remove_pin(struct view *view, size_t i)
{
	free(view->pins[i]);
	view->pin_count--;
	memmove(&view->pins[i], &view->pins[i + 1], (view->pin_count - i) * sizeof view->pins[0]);
}

static void change_pin(struct view *view, const char *key)
{
	for (size_t i = 0; i < view->pin_count; i++) {
		if (strcmp(view->pins[i], key) == 0) {
			remove_pin(view, i);
			return;
		}
	}
	if (view->pin_count == VIEW_PINS_MAX)
		return;
	view->pins[view->pin_count] = strdup(key);
	view->pin_count += view->pins[view->pin_count] != NULL;
}

/* The metric moves, and the selection with it. */
static void toggle_pin(struct view *view, const struct model *model)
{
	struct pane_view *pane = &view->panes[PANE_CHARTS];
	size_t count, *list = view_list(view, model, PANE_CHARTS, &count), metric;

	if (pane->selected >= count) {
		free(list);
		return;
	}
	metric = list[pane->selected];
	free(list);
	change_pin(view, model->metrics[metric].key);
	list = view_list(view, model, PANE_CHARTS, &count);
	for (size_t i = 0; i < count; i++) {
		if (list[i] == metric)
			pane->selected = i;
	}
	free(list);
}

/* Removes the last character of a text of UTF-8. */
static void shorten(char *text)
{
	size_t length = strlen(text);

	while (length && (text[--length] & 0xc0) == 0x80)
		;
	text[length] = '\0';
}

static void lengthen(char *text, uint32_t code)
{
	size_t length = strlen(text), i = 0;
	char bytes[4];

	if (code < 0x80) {
		bytes[i++] = (char)code;
	} else if (code < 0x800) {
		bytes[i++] = (char)(0xc0 | code >> 6);
		bytes[i++] = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		bytes[i++] = (char)(0xe0 | code >> 12);
		bytes[i++] = (char)(0x80 | (code >> 6 & 0x3f));
		bytes[i++] = (char)(0x80 | (code & 0x3f));
	} else {
		return;
	}
	if (length + i >= VIEW_FILTER_SIZE)
		return;
	memcpy(text + length, bytes, i);
	text[length + i] = '\0';
}

static void edit(struct view *view, uint32_t key)
{
	struct pane_view *pane = &view->panes[view->focus];

	if (key == '\n' || key == '\r' || key == '\t' || key == '\033')
		view->is_editing = false;
	if (key == '\033')
		pane->filter[0] = '\0';
	else if (key == VIEW_KEY_BACKSPACE || key == 0x7f || key == '\b')
		shorten(pane->filter);
	else if (key >= ' ' && key < VIEW_KEY_UP)
		lengthen(pane->filter, key);
	pane->selected = pane->first = 0;
	view->has_anchor = false;
}

static void resize_charts(struct view *view, int by)
{
	int size = view->size + by;

	if (size >= -VIEW_SIZE_MOST && size <= VIEW_SIZE_MOST)
		view->size = size;
}

/* A run is opened as its metrics alone, of these the selected one; any other pane is shown alone, and back. */
static void enter(struct view *view)
{
	if (view->is_zoomed && view->focus == PANE_CHARTS) {
		view->is_one = !view->is_one;
		return;
	}
	view->came_from_runs = view->focus == PANE_RUNS;
	view->is_zoomed = !view->is_zoomed || view->came_from_runs;
	if (view->came_from_runs)
		view->focus = PANE_CHARTS;
}

static void leave(struct view *view)
{
	if (view->is_one) {
		view->is_one = false;
		return;
	}
	if (view->is_zoomed && view->came_from_runs)
		view->focus = PANE_RUNS;
	if (view->is_zoomed)
		view->is_zoomed = false;
	else
		view->panes[view->focus].filter[0] = '\0';
}

static void move_to(struct view *view, const struct model *model, enum view_key end)
{
	long all = (long)view->panes[view->focus].count + 1;

	move_by(view, model, end == VIEW_KEY_HOME ? -all : all);
}

/* False if it is not a key that moves. */
static bool move_key(struct view *view, const struct model *model, uint32_t key)
{
	if (key == VIEW_KEY_UP || key == 'k')
		move(view, model, 0, -1);
	else if (key == VIEW_KEY_DOWN || key == 'j')
		move(view, model, 0, 1);
	else if (key == VIEW_KEY_LEFT || key == 'h')
		move(view, model, -1, 0);
	else if (key == VIEW_KEY_RIGHT || key == 'l')
		move(view, model, 1, 0);
	else if (key == VIEW_KEY_PAGE_UP || key == 'b')
		move_page(view, model, -1);
	else if (key == VIEW_KEY_PAGE_DOWN || key == 'f')
		move_page(view, model, 1);
	else if (key == VIEW_KEY_HOME || key == 'g')
		move_to(view, model, VIEW_KEY_HOME);
	else if (key == VIEW_KEY_END || key == 'G')
		move_to(view, model, VIEW_KEY_END);
	else if (key == '\t')
		move_focus(view, model, 1);
	else if (key == VIEW_KEY_BACK_TAB)
		move_focus(view, model, -1);
	else
		return false;
	return true;
}

static void command_key(struct view *view, const struct model *model, uint32_t key)
{
	switch (key) {
	case 'q':
	case 'Q':
		view->is_done = true;
		break;
	case '?':
		view->has_help = true;
		break;
	case '/':
		view->is_editing = true;
		break;
	case '+':
	case '=':
		resize_charts(view, 1);
		break;
	case '-':
		resize_charts(view, -1);
		break;
	case '\n':
	case '\r':
		enter(view);
		break;
	case 'z':
		view->is_zoomed = !view->is_zoomed;
		view->is_one = false;
		break;
	case '\033':
		leave(view);
		break;
	case ' ':
		toggle_pin(view, model);
		break;
	case 'y':
		view->is_log = !view->is_log;
		break;
	case 'x':
		view->is_relative = !view->is_relative;
		break;
	case 's':
		view->is_system = !view->is_system;
		view->panes[PANE_CHARTS].selected = 0;
		break;
	default:
		if (key >= '1' && key < '1' + PANES && view_has_pane(model, (enum pane)(key - '1')))
			view->focus = (enum pane)(key - '1');
	}
}

void view_key(struct view *view, const struct model *model, uint32_t key)
{
	if (view->has_help) {
		view->has_help = false;
		view->is_done = key == 'q';
		return;
	}
	if (view->is_editing)
		edit(view, key);
	else if (!move_key(view, model, key))
		command_key(view, model, key);
}

/* ---- the mouse ---------------------------------------------------------------------------------- */

static bool is_inside(const struct box *box, int x, int y)
{
	return x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
}

void view_mouse(struct view *view, const struct model *model, int x, int y, enum view_click click)
{
	for (int pane = 0; pane < PANES; pane++) {
		struct pane_view *list = &view->panes[pane];
		long at;

		if (!is_inside(&view->boxes[pane], x, y))
			continue;
		view->focus = (enum pane)pane;
		if (click == VIEW_WHEEL_UP || click == VIEW_WHEEL_DOWN) {
			move(view, model, 0, click == VIEW_WHEEL_UP ? -1 : 1);
			return;
		}
		at = layout_item_at(view, (enum pane)pane, x, y);
		if (at >= 0 && (size_t)at < list->count && pane != PANE_CONSOLE) {
			list->selected = (size_t)at;
			if (pane == PANE_RUNS)
				note_run(view, model);
		}
		if (click == VIEW_CLICK_TWICE)
			enter(view);
		return;
	}
}
