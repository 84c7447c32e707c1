#include "disk.h"

#include <stdlib.h>

#include "arena.h"
#include "exchange.h"
#include "log.h"
#include "thread.h"
#include "watch.h"
#include "work_queue.h"

struct disk_thread {
	struct http_server *server;
	pthread_t thread;
	enum work_taker taker;
	bool is_running;
};

struct disk {
	struct work_queue *queue;
	unsigned count;
	struct disk_thread threads[];
};

/* ---- uploads ---------------------------------------------------------------------------------- */

static err_t write_piece(struct http_exchange *ex)
{
	struct upload_sink *sink = ex->q.sink;
	struct str piece = buf_str(&ex->upload.bytes);
	err_t e = piece.len ? sink->add(sink, piece) : NULL;

	buf_clear(&ex->upload.bytes);
	if (!e && ex->phase == PHASE_WORK)
		e = sink->end(sink);
	return e;
}

/* The time limit of a request starts when its body is complete. */
static void hand_to_worker(struct http_exchange *ex)
{
	const struct http_options *options = &ex->server->options;

	buf_free(&ex->upload.bytes);
	ex->q.deadline_us = clock_mono_us() + (int64_t)options->deadline_ms * 1000;
	exchange_queue(ex);
}

static void do_upload(struct http_exchange *ex)
{
	err_t e = write_piece(ex);

	if (e)
		exchange_refuse(ex, e);
	if (ex->phase == PHASE_WORK && !e) {
		atomic_store(&ex->upload.is_writing, false);
		hand_to_worker(ex);
		exchange_release(ex);
		return;
	}
	if (e && ex->phase == PHASE_WORK)
		atomic_store(&ex->answered, true);
	if (ex->phase == PHASE_BODY)
		watch_receiving(ex->link);
	atomic_store(&ex->upload.is_writing, false);
	exchange_wake(ex);
	exchange_release(ex);
}

/* ---- answers ---------------------------------------------------------------------------------- */

static void read_slice(struct http_exchange *ex)
{
	struct reply *r = &ex->reply;
	size_t size = r->file_left < REPLY_FILE_PAGE ? (size_t)r->file_left : REPLY_FILE_PAGE;
	size_t n = 0;
	err_t e;

	buf_clear(&r->slice);
	r->slice_sent = 0;
	e = r->file->read(r->file, r->file_offset, buf_reserve(&r->slice, size), size, &n);
	if (!e && n != size)
		e = err_new(ex->q.arena, ERR_INTERNAL, "the file is shorter than expected");
	if (e) {
		log_warning("response aborted", LOG_TEXT("id", ex->q.id),
			    LOG_TEXT("route", ex->q.route->path),
			    LOG_TEXT("error", err_chain(ex->q.arena, e)));
		r->failed = true;
		return;
	}
	r->slice.len = n;
	r->file_offset += (int64_t)n;
	r->file_left -= (int64_t)n;
}

static void do_slice(struct http_exchange *ex)
{
	read_slice(ex);
	exchange_wake(ex);
	exchange_release(ex);
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void free_exchange(struct http_exchange *ex)
{
	share_end(&ex->share);
	arena_free(ex->q.arena);
}

static void do_one(struct http_exchange *ex)
{
	if (!atomic_load(&ex->owners))
		free_exchange(ex);
	else if (ex->phase == PHASE_ANSWER)
		do_slice(ex);
	else
		do_upload(ex);
}

static void *run(void *p)
{
	struct disk_thread *t = p;
	struct http_exchange *ex;
	const void *nobody;

	while ((ex = work_queue_pop(t->server->disk->queue, t->taker, &nobody)))
		do_one(ex);
	return NULL;
}

err_t disk_start(struct arena *a, struct http_server *server)
{
	const struct http_options *o = &server->options;
	unsigned count = o->disk_threads > 1 ? o->disk_threads : 2;
	struct disk *disk = calloc(1, sizeof(*disk) + count * sizeof(disk->threads[0]));

	if (!disk)
		abort();
	/* Each connection is in it once, and once more when it has gone. */
	disk->queue = work_queue_new(2 * (size_t)o->connection_limit + 1);
	disk->count = count;
	server->disk = disk;
	for (unsigned i = 0; i < count; i++) {
		struct disk_thread *t = &disk->threads[i];

		t->server = server;
		t->taker = i ? TAKES_ANY : TAKES_WRITES;
		t->is_running = thread_start(&t->thread, "disk", run, t);
		if (!t->is_running)
			return err_new(a, ERR_INTERNAL, "cannot start a thread");
	}
	return NULL;
}

void disk_stop(struct http_server *server)
{
	struct disk *disk = server->disk;

	if (!disk)
		return;
	work_queue_close(disk->queue);
	for (unsigned i = 0; i < disk->count; i++) {
		if (disk->threads[i].is_running)
			pthread_join(disk->threads[i].thread, NULL);
	}
	work_queue_free(disk->queue);
	free(disk);
	server->disk = NULL;
}

void disk_queue(struct http_exchange *ex)
{
	enum work_class class = ex->phase == PHASE_ANSWER ? WORK_READS : WORK_WRITES;

	atomic_fetch_add(&ex->owners, 1);
	if (work_queue_push(ex->server->disk->queue, class, ex, NULL))
		return;
	ex->reply.failed = true;
	exchange_refuse(ex, err_new(ex->q.arena, ERR_BUSY, "the server is stopping"));
	atomic_store(&ex->answered, true);
	atomic_store(&ex->upload.is_writing, false);
	exchange_wake(ex);
	exchange_release(ex);
}

void disk_free(struct http_exchange *ex)
{
	struct disk *disk = ex->server->disk;

	if (!disk || !work_queue_push(disk->queue, WORK_WRITES, ex, NULL))
		free_exchange(ex);
}
