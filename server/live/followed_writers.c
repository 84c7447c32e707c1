#include "followed_writers.h"

#include <stdlib.h>

#include "arena.h"
#include "listener_send.h"

void followed_writers_deinit(struct followed_writers *w)
{
	free(w->at);
	*w = (struct followed_writers){ 0 };
}

/* ---- as they are now ------------------------------------------------------------------------------ */

/* Writers change only when the run is saved, and when they fall silent. */
static bool is_old(const struct followed_writers *w, const struct listener_view *view)
{
	return !w->was_read || w->version != view->run->version || view->now.us >= w->due_us;
}

bool followed_writers_may_tell(const struct followed_writers *w, const struct listener_view *view,
			       int64_t change)
{
	return is_old(w, view) || change < w->change;
}

static void grow(struct followed_writers *w, size_t need)
{
	if (need <= w->count)
		return;
	w->at = realloc(w->at, need * sizeof(w->at[0]));
	if (!w->at)
		abort();
	for (size_t i = w->count; i < need; i++)
		w->at[i] = (struct followed_writer){ 0 };
	w->count = need;
}

static int64_t next_loss_us(const struct labels *labels, int64_t limit_us, timestamp_us now)
{
	int64_t next_us = INT64_MAX;

	for (size_t i = 0; i < labels->count; i++) {
		const struct writer *w = &labels->writers[i];
		int64_t due_us = w->heard_at.us + limit_us;

		if (w->state == WRITER_ALIVE && due_us > now.us && due_us < next_us)
			next_us = due_us;
	}
	return next_us;
}

/* A writer that was there at the first reading is not a change. */
static void take(struct followed_writers *w, const struct listener_view *view, int64_t limit_us)
{
	for (size_t i = 0; i < view->labels.count; i++) {
		const struct writer *writer = &view->labels.writers[i];
		const char *shown =
			writer_state_shown(writer, run_of_writers(view->run), view->now, limit_us);
		struct followed_writer *followed;

		grow(w, (size_t)writer->writer + 1);
		followed = &w->at[writer->writer];
		if (followed->state != shown && w->was_read)
			followed->change = ++w->change;
		followed->state = shown;
	}
	w->was_read = true;
	w->version = view->run->version;
	w->due_us = next_loss_us(&view->labels, limit_us, view->now);
}

/* ---- what is told --------------------------------------------------------------------------------- */

struct changed {
	int64_t change;
	const struct writer *writer;
};

static int by_change(const void *a, const void *b)
{
	const struct changed *x = a;
	const struct changed *y = b;

	return (x->change > y->change) - (x->change < y->change);
}

static size_t list_changed(const struct followed_writers *w, const struct listener_view *view,
			   int64_t after, struct changed **ret_changed)
{
	struct arena *a = db_arena(view->reader.db);
	struct changed *changed = arena_new_array(a, struct changed, view->labels.count);
	size_t count = 0;

	for (size_t i = 0; i < view->labels.count; i++) {
		const struct writer *writer = &view->labels.writers[i];
		const struct followed_writer *followed = &w->at[writer->writer];

		if (followed->change > after)
			changed[count++] = (struct changed){ followed->change, writer };
	}
	qsort(changed, count, sizeof(changed[0]), by_change);
	*ret_changed = changed;
	return count;
}

err_t followed_writers_tell(struct followed_writers *w, struct listener_view *view,
			    int64_t limit_us, int64_t *change, struct buf *out)
{
	size_t before = out->len;
	struct changed *changed;
	size_t count;
	size_t i;
	err_t e;

	e = listener_view_labels(view);
	if (e)
		return e;
	take(w, view, limit_us);
	count = list_changed(w, view, *change, &changed);
	for (i = 0; i < count && out->len - before < LISTENER_BYTES; i++)
		listener_send_writer(view, limit_us, NULL, changed[i].writer, out);
	*change = i < count ? changed[i - 1].change : w->change;
	return NULL;
}
