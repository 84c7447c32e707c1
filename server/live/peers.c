#include "peers.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "db_notice.h"
#include "log.h"
#include "thread.h"

#define CHANNEL "cairn_live"

enum {
	SECOND_US = 1000 * 1000,
	NOTIFY_PAUSE_US = SECOND_US / PEERS_A_SECOND,
	LOCAL_US = 2 * SECOND_US,  /* without a report: this server has no listeners any more */
	REMOTE_US = 5 * SECOND_US, /* the same for the other servers */
	NOTIFY_US = 5 * SECOND_US, /* time limit of a NOTIFY */
	IDLE_US = 60 * SECOND_US,
	RETRY_SOON_US = SECOND_US / 10,   /* after the connection was lost */
	RETRY_US = SECOND_US,             /* after a failed attempt to connect */
	RETRY_POOLER_US = 60 * SECOND_US, /* if a pooler is in between */
	PENDING_RUNS_MAX = 2048,
	PENDING_SLOTS = 2 * PENDING_RUNS_MAX,
	RUNS_A_TEXT = 380, /* of at most 20 characters each */
	TEXTS_MAX = PENDING_RUNS_MAX / RUNS_A_TEXT + 1,
};

/* ---- pending runs: a set with a limit ------------------------------------------------------------------ */

/* Runs that the other servers are to be notified of, each once. Beyond PENDING_RUNS_MAX only the count is kept. */
struct pending_runs {
	pthread_mutex_t lock;
	int64_t slots[PENDING_SLOTS]; /* by hash; 0: free */
	uint32_t count;
};

static void pending_init(struct pending_runs *pending)
{
	memset(pending, 0, sizeof(*pending));
	pthread_mutex_init(&pending->lock, NULL);
}

static void pending_deinit(struct pending_runs *pending)
{
	pthread_mutex_destroy(&pending->lock);
}

/* Half of the slots are always free, so the search ends. */
static int64_t *slot_of(struct pending_runs *pending, int64_t run_id)
{
	uint64_t at = (uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	while (pending->slots[at % PENDING_SLOTS] && pending->slots[at % PENDING_SLOTS] != run_id)
		at++;
	return &pending->slots[at % PENDING_SLOTS];
}

/* Returns true if there was none before. */
static bool pending_add(struct pending_runs *pending, int64_t run_id)
{
	int64_t *slot;
	bool is_first;

	pthread_mutex_lock(&pending->lock);
	is_first = !pending->count;
	slot = pending->count <= PENDING_RUNS_MAX ? slot_of(pending, run_id) : NULL;
	if (slot && !*slot) {
		pending->count++;
		if (pending->count <= PENDING_RUNS_MAX)
			*slot = run_id;
	}
	pthread_mutex_unlock(&pending->lock);
	return is_first;
}

static bool pending_has_some(struct pending_runs *pending)
{
	bool has_some;

	pthread_mutex_lock(&pending->lock);
	has_some = pending->count > 0;
	pthread_mutex_unlock(&pending->lock);
	return has_some;
}

static size_t write_texts(const struct pending_runs *pending, struct arena *a, struct str *texts)
{
	struct buf *text = NULL;
	size_t count = 0;
	uint32_t runs = 0;

	for (uint32_t i = 0; i < PENDING_SLOTS; i++) {
		if (!pending->slots[i])
			continue;
		if (runs++ % RUNS_A_TEXT == 0) {
			text = buf_new(a);
			buf_add_text(text, "runs");
			count++;
		}
		buf_printf(text, " %" PRId64, pending->slots[i]);
		texts[count - 1] = buf_str(text);
	}
	return count;
}

/* Empties the set. Returns how many texts of fewer than 8000 bytes it was written as: "runs 12 345" or "all". */
static size_t pending_take(struct pending_runs *pending, struct arena *a, struct str **ret_texts)
{
	struct str *texts = arena_new_array(a, struct str, TEXTS_MAX);
	size_t count = 1;

	pthread_mutex_lock(&pending->lock);
	texts[0] = STR("all");
	if (pending->count <= PENDING_RUNS_MAX)
		count = write_texts(pending, a, texts);
	if (pending->count)
		memset(pending->slots, 0, sizeof(pending->slots));
	pending->count = 0;
	pthread_mutex_unlock(&pending->lock);
	*ret_texts = texts;
	return count;
}

struct peers {
	struct peers_options options;
	pthread_t thread;
	bool is_running;
	int wake; /* an eventfd */
	struct arena *arena;
	struct db *db;
	bool has_complained;         /* since the connection was last up */
	int64_t next_notify_us;      /* earliest time of the next notification of runs */
	int64_t listening_us;        /* when "listening" was sent last */
	struct pending_runs pending; /* changed here; the other servers are not notified yet */
	_Atomic bool stop;
	_Atomic int64_t local_us;  /* when this server last reported a listener of its own */
	_Atomic int64_t remote_us; /* until when other servers count as having listeners */
	_Atomic bool is_up;
	_Atomic uint64_t sent;
	_Atomic uint64_t received;
};

/* ---- any thread ------------------------------------------------------------------------------------ */

static void wake(struct peers *p)
{
	uint64_t one = 1;
	ssize_t written = write(p->wake, &one, sizeof(one)); /* fails only when it is awake */

	(void)written;
}

void peers_notify(struct peers *p, int64_t run_id)
{
	if (!p || clock_mono_us() >= atomic_load(&p->remote_us))
		return;
	if (pending_add(&p->pending, run_id))
		wake(p);
}

void peers_listening(struct peers *p)
{
	int64_t now_us = clock_mono_us();

	if (p && now_us - atomic_exchange(&p->local_us, now_us) > LOCAL_US)
		wake(p);
}

/* ---- receiving --------------------------------------------------------------------------------------- */

static void receive_runs(struct peers *p, struct str text)
{
	int64_t run_id;

	while (text.len) {
		if (str_to_int64(str_cut(&text, ' '), 1, INT64_MAX, &run_id))
			p->options.changed(p->options.arg, run_id);
	}
}

/* Ignores words of later versions. */
static void on_notice(void *arg, struct str text)
{
	struct peers *p = arg;
	struct str word = str_cut(&text, ' ');

	atomic_fetch_add(&p->received, 1);
	if (str_is(word, "listening"))
		atomic_store(&p->remote_us, clock_mono_us() + REMOTE_US);
	else if (str_is(word, "runs"))
		receive_runs(p, text);
	else if (str_is(word, "all"))
		p->options.changed(p->options.arg, 0);
}

/* ---- sending ---------------------------------------------------------------------------------------- */

static err_t send(struct peers *p, const struct str *texts, size_t count)
{
	err_t e;

	db_set_deadline(p->db, clock_mono_us() + NOTIFY_US);
	e = db_notify(p->db, CHANNEL, texts, count);
	db_set_deadline(p->db, 0);
	if (!e)
		atomic_fetch_add(&p->sent, count);
	return e;
}

static int64_t listening_due_us(const struct peers *p, int64_t now_us)
{
	bool has_local = now_us - atomic_load(&p->local_us) < LOCAL_US;

	return has_local ? p->listening_us + SECOND_US : now_us + IDLE_US;
}

static err_t send_listening(struct peers *p, int64_t now_us)
{
	if (listening_due_us(p, now_us) > now_us)
		return NULL;
	p->listening_us = now_us;
	return send(p, &STR("listening"), 1);
}

static err_t send_runs(struct peers *p, int64_t now_us)
{
	struct str *texts;
	size_t count;

	if (now_us < p->next_notify_us || !pending_has_some(&p->pending))
		return NULL;
	p->next_notify_us = now_us + NOTIFY_PAUSE_US;
	count = pending_take(&p->pending, p->arena, &texts);
	return send(p, texts, count);
}

static int64_t next_due_us(struct peers *p, int64_t now_us)
{
	int64_t due_us = listening_due_us(p, now_us);

	if (!pending_has_some(&p->pending) || due_us < p->next_notify_us)
		return due_us;
	return p->next_notify_us;
}

/* ---- the thread ------------------------------------------------------------------------------------ */

static void clear_wake(struct peers *p)
{
	uint64_t count;
	ssize_t got = read(p->wake, &count, sizeof(count)); /* nothing if something else woke it */

	(void)p;
	(void)got;
}

static err_t serve_once(struct peers *p)
{
	int64_t now_us = clock_mono_us();
	err_t e = send_listening(p, now_us);

	if (!e)
		e = send_runs(p, now_us);
	if (!e)
		e = db_hear(p->db, p->wake, next_due_us(p, now_us), on_notice, p);
	clear_wake(p);
	return e;
}

/* Notifications that were sent before the connection was up are lost: any run may have changed. */
static err_t link_up(struct peers *p)
{
	err_t e = db_open(p->arena, &p->options.database, &p->db);

	if (e)
		return e;
	db_set_deadline(p->db, clock_mono_us() + NOTIFY_US);
	e = db_listen(p->db, CHANNEL);
	db_set_deadline(p->db, 0);
	if (e)
		return e;
	log_info("LISTEN is available; other servers' changes are received at once");
	atomic_store(&p->is_up, true);
	p->has_complained = false;
	p->listening_us = 0;
	p->options.changed(p->options.arg, 0);
	return NULL;
}

/* Returns how long to wait until the next attempt. */
static int64_t complain(struct peers *p, err_t e)
{
	bool is_again = p->has_complained;

	if (!is_again)
		log_warning(
			"LISTEN is unavailable; polling for other servers' changes every second",
			LOG_TEXT("error", err_chain(p->arena, e)));
	p->has_complained = true;
	if (e->kind == ERR_PRECONDITION)
		return RETRY_POOLER_US;
	return is_again ? RETRY_US : RETRY_SOON_US;
}

static void pause_us(struct peers *p, int64_t us)
{
	int64_t until_us = clock_mono_us() + us;

	while (!atomic_load(&p->stop) && clock_mono_us() < until_us)
		clock_sleep_us(RETRY_SOON_US);
}

static void *peers_main(void *arg)
{
	struct peers *p = arg;

	while (!atomic_load(&p->stop)) {
		err_t e = link_up(p);

		while (!e && !atomic_load(&p->stop)) {
			arena_reset(p->arena);
			e = serve_once(p);
		}
		atomic_store(&p->is_up, false);
		if (e)
			pause_us(p, complain(p, e));
		db_close(p->db);
		p->db = NULL;
		arena_reset(p->arena);
	}
	return NULL;
}

/* ---- start and stop -------------------------------------------------------------------------------- */

err_t peers_start(struct arena *a, const struct peers_options *options, struct peers **ret_peers)
{
	struct peers *p = arena_new_of(a, struct peers);

	p->options = *options;
	p->local_us = clock_mono_us() - LOCAL_US - 1;
	p->arena = arena_new(4096);
	pending_init(&p->pending);
	p->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	p->is_running = p->wake >= 0 && thread_start(&p->thread, "peers", peers_main, p);
	if (!p->is_running) {
		peers_stop(p);
		return err_new(a, ERR_INTERNAL, "cannot start a thread");
	}
	*ret_peers = p;
	return NULL;
}

void peers_stop(struct peers *p)
{
	if (!p)
		return;
	atomic_store(&p->stop, true);
	if (p->is_running) {
		wake(p);
		pthread_join(p->thread, NULL);
	}
	if (p->wake >= 0)
		close(p->wake);
	pending_deinit(&p->pending);
	arena_free(p->arena);
}

/* ---- metrics ---------------------------------------------------------------------------- */

void peers_metrics(struct peers *p, struct buf *text)
{
	if (!p)
		return;
	buf_printf(
		text,
		"# HELP cairn_live_link_up Whether changes of other servers are received at once.\n"
		"# TYPE cairn_live_link_up gauge\ncairn_live_link_up %d\n"
		"# HELP cairn_live_notices_said_total Notifications sent to other servers.\n"
		"# TYPE cairn_live_notices_said_total counter\n"
		"cairn_live_notices_said_total %llu\n"
		"# HELP cairn_live_notices_heard_total Notifications received from other servers.\n"
		"# TYPE cairn_live_notices_heard_total counter\n"
		"cairn_live_notices_heard_total %llu\n",
		atomic_load(&p->is_up), (unsigned long long)atomic_load(&p->sent),
		(unsigned long long)atomic_load(&p->received));
}
