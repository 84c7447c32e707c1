#include "followed_run.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "listener_send.h"
#include "listeners_parts.h"
#include "log.h"
#include "run.h"
#include "run_store.h"
#include "watch_store.h"

/* The update of a stream behind a cursor, for all followers that are there. */
struct followed_update {
	struct followed_update *next;
	enum followed_stream stream;
	int64_t from;
	int64_t to;
	struct str bytes;
};

/* A stream that could not be read waits before it is tried again, and the others go on. */
struct followed_rest {
	int64_t until_us;
	unsigned failure_count; /* in a row */
};

struct followed_run {
	char *name;
	size_t followers;
	bool is_wanted;
	struct followed_look look;
	int64_t run_id; /* that writers are of */
	struct followed_writers writers;
	struct followed_update *updates; /* of this pass */
	struct followed_rest rests[FOLLOWED_STREAMS];
};

/* ---- followers ---------------------------------------------------------------------------------- */

/* Returns the index of the run, or where to insert it. */
static size_t index_of(const struct followed_runs *runs, const char *name)
{
	size_t low = 0;
	size_t high = runs->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (strcmp(runs->at[middle]->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct followed_run *new_run(const char *name)
{
	struct followed_run *run = calloc(1, sizeof(*run));

	if (!run)
		abort();
	run->name = strdup(name);
	if (!run->name)
		abort();
	return run;
}

static void free_run(struct followed_run *run)
{
	followed_writers_deinit(&run->writers);
	free(run->name);
	free(run);
}

static void make_room(struct followed_runs *runs)
{
	if (runs->count < runs->size)
		return;
	runs->size = runs->size ? 2 * runs->size : 64;
	runs->at = realloc(runs->at, runs->size * sizeof(struct followed_run *));
	if (!runs->at)
		abort();
}

struct followed_run *followed_runs_join(struct followed_runs *runs, const char *name)
{
	size_t i = index_of(runs, name);

	if (i == runs->count || strcmp(runs->at[i]->name, name) != 0) {
		make_room(runs);
		memmove(&runs->at[i + 1], &runs->at[i],
			(runs->count - i) * sizeof(struct followed_run *));
		runs->at[i] = new_run(name);
		runs->count++;
	}
	runs->at[i]->followers++;
	return runs->at[i];
}

void followed_run_leave(struct followed_run *run)
{
	run->followers--;
}

void followed_runs_tidy(struct followed_runs *runs)
{
	size_t kept = 0;
	size_t next = 0;

	for (size_t i = 0; i < runs->count; i++) {
		if (i == runs->next)
			next = kept;
		if (runs->at[i]->followers)
			runs->at[kept++] = runs->at[i];
		else
			free_run(runs->at[i]);
	}
	runs->count = kept;
	runs->next = next;
}

void followed_runs_deinit(struct followed_runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		free_run(runs->at[i]);
	free(runs->at);
	*runs = (struct followed_runs){ 0 };
}

/* ---- a pass --------------------------------------------------------------------------------------- */

/* So much of all as its runs are of all runs. */
static size_t share(size_t all, size_t part, size_t total, size_t least)
{
	size_t n = all * part / (total ? total : 1);

	return n > least ? n : least;
}

struct follow_pass follow_pass_begin(struct followed_runs *runs, struct listener_view base,
				     struct arena *scratch, size_t total)
{
	return (struct follow_pass){
		.runs = runs,
		.base = base,
		.scratch = scratch,
		.looks = share(FOLLOWED_AT_ONCE, runs->count, total, 1),
		.bytes = share(FOLLOWED_BYTES, runs->count, total,
			       FOLLOWED_STREAMS * FOLLOWED_READ_BYTES),
	};
}

void follow_pass_end(struct follow_pass *pass)
{
	for (size_t i = 0; i < pass->runs->count; i++) {
		struct followed_run *run = pass->runs->at[i];

		run->is_wanted = false;
		run->look = (struct followed_look){ 0 };
		run->updates = NULL;
	}
}

void followed_run_want(struct followed_run *run)
{
	run->is_wanted = true;
}

/* Chooses the runs of this turn. */
static size_t choose(struct follow_pass *pass, enum follow_turn turn, struct followed_run **chosen)
{
	struct followed_runs *runs = pass->runs;
	size_t first_late = 0;
	size_t count = 0;

	for (size_t i = 0; i < runs->count; i++) {
		size_t nth = (runs->next + i) % runs->count;

		if (!runs->at[nth]->is_wanted)
			continue;
		if (count < pass->looks)
			chosen[count++] = runs->at[nth];
		else if (!pass->late++)
			first_late = nth;
	}
	if (pass->late && turn == FOLLOW_TURN)
		runs->next = first_late;
	return count;
}

static int by_name(const void *a, const void *b)
{
	return str_compare(((const struct watch_name_row *)a)->name,
			   ((const struct watch_name_row *)b)->name);
}

static const struct watch_name_row *find_row(const struct watch_name_row *rows, size_t count,
					     const char *name)
{
	const struct watch_name_row one = { .name = str_of(name) };

	return count ? bsearch(&one, rows, count, sizeof(one), by_name) : NULL;
}

static err_t read_runs(struct follow_pass *pass, const struct watch_name_row *rows, size_t count,
		       struct run **ret_runs, size_t *ret_count)
{
	struct db *db = pass->base.reader.db;
	int64_t *ids = arena_new_array(db_arena(db), int64_t, count);
	err_t e;

	for (size_t i = 0; i < count; i++)
		ids[i] = rows[i].run_id;
	e = run_store_list(db, ids, count, ret_runs, ret_count);
	if (!e)
		run_list_sort(*ret_runs, *ret_count);
	return e;
}

static void take_look(struct followed_run *run, int16_t visibility, const struct run *row)
{
	if (row && row->deleted_at.us)
		row = NULL;
	run->look = (struct followed_look){ true, visibility, row };
	if (!row || run->run_id == row->run_id)
		return;
	run->run_id = row->run_id;
	followed_writers_deinit(&run->writers);
}

err_t follow_pass_look(struct follow_pass *pass, int64_t project_id, enum follow_turn turn)
{
	struct db *db = pass->base.reader.db;
	struct followed_run **chosen =
		arena_new_array(db_arena(db), struct followed_run *, pass->looks);
	size_t count = choose(pass, turn, chosen);
	struct str *names = arena_new_array(db_arena(db), struct str, count);
	struct watch_name_row *rows;
	struct run *runs;
	size_t row_count;
	size_t run_count;
	err_t e;

	if (!count)
		return NULL;
	for (size_t i = 0; i < count; i++)
		names[i] = str_of(chosen[i]->name);
	e = watch_store_named(db, project_id, names, count, &rows, &row_count);
	if (!e)
		e = read_runs(pass, rows, row_count, &runs, &run_count);
	if (e)
		return e;
	qsort(rows, row_count, sizeof(rows[0]), by_name);
	for (size_t i = 0; i < count; i++) {
		const struct watch_name_row *row = find_row(rows, row_count, chosen[i]->name);

		take_look(chosen[i], row ? row->visibility : 0,
			  row ? run_list_find(runs, run_count, row->run_id) : NULL);
	}
	return NULL;
}

const struct followed_look *followed_run_look(const struct followed_run *run)
{
	return &run->look;
}

/* ---- what is new of a run ------------------------------------------------------------------------- */

static const enum listener_stream streams_of[FOLLOWED_STREAMS] = {
	[FOLLOWED_STATE] = LISTEN_STATE,
	[FOLLOWED_ALERT] = LISTEN_ALERT,
	[FOLLOWED_CONSOLE] = LISTEN_CONSOLE,
	[FOLLOWED_WRITER] = LISTEN_WRITER,
};

void followed_run_newest(const struct followed_run *run, int64_t cursors[FOLLOWED_STREAMS])
{
	for (enum followed_stream s = 0; s < FOLLOWED_STREAMS; s++)
		cursors[s] = s == FOLLOWED_WRITER ? run->writers.change
						  : listener_newest(run->look.run, streams_of[s]);
}

static bool may_be_new(const struct followed_run *run, const struct listener_view *view,
		       enum followed_stream stream, int64_t from)
{
	if (stream == FOLLOWED_WRITER)
		return followed_writers_may_tell(&run->writers, view, from);
	return from < listener_newest(run->look.run, streams_of[stream]);
}

static struct followed_update *find_update(const struct followed_run *run,
					   enum followed_stream stream, int64_t from)
{
	struct followed_update *update = run->updates;

	while (update && (update->stream != stream || update->from != from))
		update = update->next;
	return update;
}

static void spend(struct follow_pass *pass, size_t bytes)
{
	if (bytes < FOLLOWED_READ_BYTES)
		bytes = FOLLOWED_READ_BYTES;
	pass->bytes -= bytes < pass->bytes ? bytes : pass->bytes;
}

static err_t make_update(struct follow_pass *pass, struct followed_run *run,
			 struct listener_view *view, enum followed_stream stream, int64_t from,
			 struct followed_update **ret_update)
{
	struct buf *out = buf_new(pass->scratch);
	struct followed_update *update;
	int64_t to = from;
	err_t e;

	db_set_deadline(view->reader.db, clock_mono_us() + LISTENER_READ_US);
	if (stream == FOLLOWED_WRITER)
		e = followed_writers_tell(&run->writers, view, pass->runs->limit_us, &to, out);
	else
		e = listener_tell(view, streams_of[stream], &to, out);
	if (e)
		return e;
	update = arena_new_of(pass->base.arena, struct followed_update);
	*update = (struct followed_update){
		.next = run->updates,
		.stream = stream,
		.from = from,
		.to = to,
		.bytes = { arena_copy(pass->base.arena, buf_str(out).at, out->len), out->len },
	};
	run->updates = update;
	pass->made++;
	spend(pass, out->len);
	*ret_update = update;
	return NULL;
}

static err_t put_off(struct follow_pass *pass, struct followed_run *run,
		     enum followed_stream stream, err_t e)
{
	struct followed_rest *rest = &run->rests[stream];

	if (!rest->failure_count)
		log_warning("followed run delayed", LOG_INT("run", run->run_id),
			    LOG_TEXT("error", err_chain(pass->scratch, e)));
	rest->until_us = clock_mono_us() + listener_wait_us(rest->failure_count++);
	if (db_is_up(pass->base.reader.db))
		return NULL;
	return err_new(pass->base.arena, e->kind, "%s", err_chain(pass->scratch, e));
}

/* *ret_update: NULL if there is no update, or it has to wait. */
static err_t get_update(struct follow_pass *pass, struct followed_run *run,
			struct listener_view *view, enum followed_stream stream, int64_t from,
			struct followed_update **ret_update)
{
	err_t e;

	*ret_update = find_update(run, stream, from);
	if (*ret_update || !may_be_new(run, view, stream, from) ||
	    clock_mono_us() < run->rests[stream].until_us)
		return NULL;
	if (!pass->bytes) {
		pass->is_full = true;
		pass->late++;
		return NULL;
	}
	e = make_update(pass, run, view, stream, from, ret_update);
	if (e)
		return put_off(pass, run, stream, e);
	run->rests[stream].failure_count = 0;
	return NULL;
}

static err_t tell(struct follow_pass *pass, struct followed_run *run, unsigned streams,
		  int64_t cursors[FOLLOWED_STREAMS], struct buf *out)
{
	struct listener_view view = pass->base;
	err_t e = NULL;

	view.arena = pass->scratch;
	view.name = str_of(run->name);
	view.run = run->look.run;
	for (enum followed_stream s = 0; s < FOLLOWED_STREAMS && !e; s++) {
		struct followed_update *update = NULL;

		if (streams & streams_of[s])
			e = get_update(pass, run, &view, s, cursors[s], &update);
		if (!update)
			continue;
		buf_add_str(out, update->bytes);
		cursors[s] = update->to;
	}
	return e;
}

err_t follow_pass_tell(struct follow_pass *pass, struct followed_run *run, unsigned streams,
		       int64_t cursors[FOLLOWED_STREAMS], struct buf *out)
{
	struct db *db = pass->base.reader.db;
	struct arena *a = db_arena(db);
	err_t e;

	db_set_arena(db, pass->scratch);
	e = tell(pass, run, streams, cursors, out);
	db_set_arena(db, a);
	arena_reset(pass->scratch);
	return e;
}
