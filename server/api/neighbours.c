#include "neighbours.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "db_notice.h"
#include "log.h"
#include "thread.h"
#include "told_runs.h"

#define CHANNEL "cairn_live"

enum {
	SECOND_US = 1000 * 1000,
	TELL_PAUSE_US = SECOND_US / NEIGHBOURS_A_SECOND,
	FRESH_US = 2 * SECOND_US, /* after which nobody here listens any more */
	HEARD_US = 5 * SECOND_US, /* after which nobody elsewhere does */
	SAY_US = 5 * SECOND_US,   /* that saying may take */
	IDLE_US = 60 * SECOND_US,
	AGAIN_US = SECOND_US / 10,   /* after the connection was lost */
	LATER_US = SECOND_US,        /* when there is none */
	REFUSED_US = 60 * SECOND_US, /* where there is a pooler */
};

struct neighbours {
	struct neighbours_options options;
	pthread_t thread;
	bool is_running;
	int wake; /* an eventfd */
	struct arena *arena;
	struct db *db;
	bool has_complained;   /* since it was joined last */
	int64_t next_tell_us;  /* not before */
	int64_t said_us;       /* that somebody listens here */
	struct told_runs told; /* of here */
	_Atomic bool stop;
	_Atomic int64_t here_us;      /* when it was last known that somebody listens here */
	_Atomic int64_t elsewhere_us; /* until when somebody does elsewhere */
	_Atomic bool is_up;
	_Atomic uint64_t said;
	_Atomic uint64_t heard;
};

/* ---- any thread ------------------------------------------------------------------------------------ */

static void wake(struct neighbours *n)
{
	uint64_t one = 1;
	ssize_t written = write(n->wake, &one, sizeof(one)); /* fails only when it is awake */

	(void)written;
}

void neighbours_tell(struct neighbours *n, int64_t run_id)
{
	if (!n || clock_mono_us() >= atomic_load(&n->elsewhere_us))
		return;
	if (told_runs_add(&n->told, run_id))
		wake(n);
}

void neighbours_listening(struct neighbours *n)
{
	int64_t now_us = clock_mono_us();

	if (n && now_us - atomic_exchange(&n->here_us, now_us) > FRESH_US)
		wake(n);
}

/* ---- hearing --------------------------------------------------------------------------------------- */

static void hear_runs(struct neighbours *n, struct str text)
{
	int64_t run_id;

	while (text.len) {
		if (str_to_int64(str_cut(&text, ' '), 1, INT64_MAX, &run_id))
			n->options.heard(n->options.arg, run_id);
	}
}

/* Words of later versions are passed over. */
static void on_notice(void *arg, struct str text)
{
	struct neighbours *n = arg;
	struct str word = str_cut(&text, ' ');

	atomic_fetch_add(&n->heard, 1);
	if (str_is(word, "listening"))
		atomic_store(&n->elsewhere_us, clock_mono_us() + HEARD_US);
	else if (str_is(word, "runs"))
		hear_runs(n, text);
	else if (str_is(word, "all"))
		n->options.heard(n->options.arg, 0);
}

/* ---- saying ---------------------------------------------------------------------------------------- */

static err_t say(struct neighbours *n, const struct str *texts, size_t count)
{
	err_t e;

	db_set_deadline(n->db, clock_mono_us() + SAY_US);
	e = db_notify(n->db, CHANNEL, texts, count);
	db_set_deadline(n->db, 0);
	if (!e)
		atomic_fetch_add(&n->said, count);
	return e;
}

static int64_t listening_due_us(const struct neighbours *n, int64_t now_us)
{
	bool is_fresh = now_us - atomic_load(&n->here_us) < FRESH_US;

	return is_fresh ? n->said_us + SECOND_US : now_us + IDLE_US;
}

static err_t say_listening(struct neighbours *n, int64_t now_us)
{
	if (listening_due_us(n, now_us) > now_us)
		return NULL;
	n->said_us = now_us;
	return say(n, &STR("listening"), 1);
}

static err_t say_runs(struct neighbours *n, int64_t now_us)
{
	struct str *texts;
	size_t count;

	if (now_us < n->next_tell_us || !told_runs_has_some(&n->told))
		return NULL;
	n->next_tell_us = now_us + TELL_PAUSE_US;
	count = told_runs_take(&n->told, n->arena, &texts);
	return say(n, texts, count);
}

static int64_t next_due_us(struct neighbours *n, int64_t now_us)
{
	int64_t listening_us = listening_due_us(n, now_us);

	if (!told_runs_has_some(&n->told) || listening_us < n->next_tell_us)
		return listening_us;
	return n->next_tell_us;
}

/* ---- the thread ------------------------------------------------------------------------------------ */

static void sleep_off(struct neighbours *n)
{
	uint64_t count;
	ssize_t got = read(n->wake, &count, sizeof(count)); /* nothing: it was something else */

	(void)n;
	(void)got;
}

static err_t turn(struct neighbours *n)
{
	int64_t now_us = clock_mono_us();
	err_t e = say_listening(n, now_us);

	if (!e)
		e = say_runs(n, now_us);
	if (!e)
		e = db_hear(n->db, n->wake, next_due_us(n, now_us), on_notice, n);
	sleep_off(n);
	return e;
}

/* What was said while we were away is not known. */
static err_t join(struct neighbours *n)
{
	err_t e = db_open(n->arena, &n->options.database, &n->db);

	if (e)
		return e;
	db_set_deadline(n->db, clock_mono_us() + SAY_US);
	e = db_listen(n->db, CHANNEL);
	db_set_deadline(n->db, 0);
	if (e)
		return e;
	log_info("LISTEN is available; other servers' changes are received at once");
	atomic_store(&n->is_up, true);
	n->has_complained = false;
	n->said_us = 0;
	n->options.heard(n->options.arg, 0);
	return NULL;
}

/* How long to wait until the next try. */
static int64_t complain(struct neighbours *n, err_t e)
{
	bool is_again = n->has_complained;

	if (!is_again)
		log_warning("LISTEN is unavailable; polling for other servers' changes every "
			    "second",
			    LOG_TEXT("error", err_chain(n->arena, e)));
	n->has_complained = true;
	if (e->kind == ERR_PRECONDITION)
		return REFUSED_US;
	return is_again ? LATER_US : AGAIN_US;
}

static void pause_us(struct neighbours *n, int64_t us)
{
	int64_t until_us = clock_mono_us() + us;

	while (!atomic_load(&n->stop) && clock_mono_us() < until_us)
		clock_sleep_us(AGAIN_US);
}

static void *neighbours_main(void *arg)
{
	struct neighbours *n = arg;

	while (!atomic_load(&n->stop)) {
		err_t e = join(n);

		while (!e && !atomic_load(&n->stop)) {
			arena_reset(n->arena);
			e = turn(n);
		}
		atomic_store(&n->is_up, false);
		if (e)
			pause_us(n, complain(n, e));
		db_close(n->db);
		n->db = NULL;
		arena_reset(n->arena);
	}
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------------- */

err_t neighbours_start(struct arena *a, const struct neighbours_options *options,
		       struct neighbours **ret_neighbours)
{
	struct neighbours *n = arena_new_of(a, struct neighbours);

	n->options = *options;
	n->here_us = clock_mono_us() - FRESH_US - 1;
	n->arena = arena_new(4096);
	told_runs_init(&n->told);
	n->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	n->is_running = n->wake >= 0 && thread_start(&n->thread, "neighbours", neighbours_main, n);
	if (!n->is_running) {
		neighbours_stop(n);
		return err_new(a, ERR_INTERNAL, "cannot start a thread");
	}
	*ret_neighbours = n;
	return NULL;
}

void neighbours_stop(struct neighbours *n)
{
	if (!n)
		return;
	atomic_store(&n->stop, true);
	if (n->is_running) {
		wake(n);
		pthread_join(n->thread, NULL);
	}
	if (n->wake >= 0)
		close(n->wake);
	told_runs_deinit(&n->told);
	arena_free(n->arena);
}

/* ---- what operators see ---------------------------------------------------------------------------- */

void neighbours_metrics(struct neighbours *n, struct buf *text)
{
	if (!n)
		return;
	buf_printf(text,
		   "# HELP cairn_live_link_up Whether changes of other servers are received at "
		   "once.\n"
		   "# TYPE cairn_live_link_up gauge\n"
		   "cairn_live_link_up %d\n"
		   "# HELP cairn_live_notices_said_total Notifications sent to other servers.\n"
		   "# TYPE cairn_live_notices_said_total counter\n"
		   "cairn_live_notices_said_total %llu\n"
		   "# HELP cairn_live_notices_heard_total Notifications received from other "
		   "servers.\n"
		   "# TYPE cairn_live_notices_heard_total counter\n"
		   "cairn_live_notices_heard_total %llu\n",
		   atomic_load(&n->is_up), (unsigned long long)atomic_load(&n->said),
		   (unsigned long long)atomic_load(&n->heard));
}
