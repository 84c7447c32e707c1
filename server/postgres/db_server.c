/*
 * The settings are given on the command line: an old postgresql.conf can then
 * not contradict this version of the server. They keep full durability and are
 * otherwise tuned for a few dozen connections that write a lot of WAL: a
 * checkpoint every quarter of an hour instead of five minutes (each is followed
 * by full page images), compressed, with room on disk according to what is free.
 */
#include "db_server.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "str.h"

enum { MOST_ARGUMENTS = 200 };
enum { FAST_STOP_MS = 60000, QUICK_STOP_MS = 5000 };

struct arguments {
	struct arena *arena;
	const char **argv;
	size_t count;
};

static void add(struct arguments *a, const char *argument)
{
	if (a->count < MOST_ARGUMENTS)
		a->argv[a->count++] = argument;
}

static void set(struct arguments *a, const char *setting)
{
	add(a, "-c");
	add(a, setting);
}

/* ---- settings -------------------------------------------------------------------------------- */

static const char *const fixed_settings[] = {
	"listen_addresses=",
	"unix_socket_permissions=0700",
	"port=5432",
	/* durability, as promised */
	"fsync=on",
	"synchronous_commit=on",
	"full_page_writes=on",
	"autovacuum=on",
	/* no replication from it */
	"wal_level=minimal",
	"max_wal_senders=0",
	"max_logical_replication_workers=0",
	/* many small writes */
	"checkpoint_timeout=15min",
	"checkpoint_completion_target=0.9",
	"wal_buffers=16MB",
	"jit=off",
	"random_page_cost=1.1",
	"autovacuum_max_workers=2",
	"autovacuum_naptime=30s",
	"max_worker_processes=4",
	"max_parallel_workers=2",
	"recovery_init_sync_method=syncfs",
	/* its log */
	"logging_collector=off",
	"log_checkpoints=off",
	"log_timezone=UTC",
	"timezone=UTC",
	"log_destination=stderr",
	"log_line_prefix=%m [%p] ",
	"cluster_name=cairn",
};

static const char *const lz4_settings[] = {
	"wal_compression=lz4",
	"default_toast_compression=lz4",
};

/* PostgreSQL knows best whether it was built with lz4: it prints a setting. */
static bool has_lz4(struct arena *a, const struct db_cluster *c, const struct db_programs *p)
{
	const char *argv[] = {
		db_program(a, p, "postgres"),
		"-D",
		c->pg,
		"-c",
		lz4_settings[0],
		"-c",
		lz4_settings[1],
		"-C",
		"wal_compression",
		NULL,
	};
	struct db_spawn s = {
		.argv = argv,
		.user = &c->user,
		.workdir = c->data,
		.in = -1,
		.err = -1,
	};
	const char *line;

	return !db_spawn_line(a, &s, &line) && strcmp(line, "lz4") == 0;
}

/* A twentieth of what is free, from 256 MB to 8 GB. */
static int max_wal_mb(const struct db_cluster *c)
{
	struct statvfs fs;
	unsigned long long mb;

	if (statvfs(c->data, &fs))
		return 1024;
	mb = (unsigned long long)fs.f_bavail * fs.f_frsize / 20 >> 20;
	return mb < 256 ? 256 : mb > 8192 ? 8192 : (int)mb;
}

static void set_sizes(struct arguments *a, const struct db_cluster *c,
		      const struct db_embedded_options *o)
{
	int buffers = o->shared_buffers_mb ? o->shared_buffers_mb : 128;
	int connections = o->max_connections ? o->max_connections : 100;
	int wal = max_wal_mb(c);

	set(a, arena_printf(a->arena, "shared_buffers=%dMB", buffers));
	set(a, arena_printf(a->arena, "max_connections=%d", connections));
	set(a, arena_printf(a->arena, "max_wal_size=%dMB", wal));
	set(a, arena_printf(a->arena, "min_wal_size=%dMB", wal < 1024 ? 80 : 512));
}

err_t db_server_prepare(struct arena *arena, const struct db_cluster *c,
			const struct db_embedded_options *options,
			const struct db_programs *programs, struct db_server *ret_server)
{
	struct arguments a = {
		.arena = arena,
		.argv = arena_new_array(arena, const char *, MOST_ARGUMENTS + 1),
	};

	add(&a, db_program(arena, programs, "postgres"));
	add(&a, "-D");
	add(&a, c->pg);
	set(&a, arena_printf(arena, "unix_socket_directories=%s", c->socket));
	for (size_t i = 0; i < sizeof(fixed_settings) / sizeof(fixed_settings[0]); i++)
		set(&a, fixed_settings[i]);
	set_sizes(&a, c, options);
	if (has_lz4(arena, c, programs)) {
		set(&a, lz4_settings[0]);
		set(&a, lz4_settings[1]);
	}
	for (const char *const *s = options->settings; s && *s; s++)
		set(&a, *s);
	if (a.count == MOST_ARGUMENTS)
		return err_new(arena, ERR_PRECONDITION, "too many settings for PostgreSQL");
	*ret_server = (struct db_server){ .cluster = c, .argv = a.argv };
	return NULL;
}

/* ---- the process ----------------------------------------------------------------------------- */

err_t db_server_spawn(struct arena *a, struct db_server *s)
{
	const struct db_cluster *c = s->cluster;
	struct db_spawn spawn = {
		.argv = s->argv,
		.user = &c->user,
		.workdir = c->data,
		.death_signal = SIGINT,
		.in = -1,
		.out = c->log,
		.err = c->log,
	};

	db_cluster_clear_stale(c);
	s->log_from = lseek(c->log, 0, SEEK_END);
	return db_spawn(a, &spawn, &s->pid);
}

bool db_server_has_ended(struct db_server *s)
{
	if (!s->pid)
		return true;
	if (waitpid(s->pid, &s->status, WNOHANG) != s->pid)
		return false;
	s->pid = 0;
	return true;
}

enum db_server_state db_server_look(struct db_server *s)
{
	if (db_server_has_ended(s))
		return DB_SERVER_ENDED;
	return PQping(s->cluster->url) == PQPING_OK ? DB_SERVER_READY : DB_SERVER_STARTING;
}

/* The pause grows: each early connection costs PostgreSQL a process and a line in its log. */
err_t db_server_start(struct arena *a, struct db_server *s)
{
	int64_t pause_us = 5000;
	err_t e = db_server_spawn(a, s);

	while (!e) {
		enum db_server_state state = db_server_look(s);

		if (state == DB_SERVER_READY)
			return NULL;
		if (state == DB_SERVER_ENDED)
			return err_new(a, ERR_PRECONDITION, "PostgreSQL failed to start: %s",
				       db_server_last_words(a, s));
		clock_sleep_us(pause_us);
		pause_us = pause_us < 80000 ? pause_us * 5 / 4 : pause_us;
	}
	return e;
}

void db_server_stop(struct db_server *s)
{
	static const struct {
		int signal;
		int wait_ms;
	} steps[] = {
		{ SIGINT, FAST_STOP_MS },
		{ SIGQUIT, QUICK_STOP_MS },
		{ SIGKILL, QUICK_STOP_MS },
	};

	for (size_t i = 0; s->pid && i < sizeof(steps) / sizeof(steps[0]); i++) {
		kill(s->pid, steps[i].signal);
		if (db_spawn_wait_ms(s->pid, steps[i].wait_ms, &s->status))
			s->pid = 0;
	}
}

/* Messages caused by early connections are not a reason. */
static bool is_noise(struct str line)
{
	return !line.len || memmem(line.at, line.len, "is starting up", 14) ||
	       memmem(line.at, line.len, "is shutting down", 16) ||
	       memmem(line.at, line.len, "is shut down", 12);
}

static bool is_fatal(struct str line)
{
	return memmem(line.at, line.len, "FATAL", 5) || memmem(line.at, line.len, "PANIC", 5);
}

const char *db_server_last_words(struct arena *a, const struct db_server *s)
{
	char text[4096];
	off_t last = lseek(s->cluster->log, 0, SEEK_END) - (off_t)sizeof(text);
	ssize_t len =
		pread(s->cluster->log, text, sizeof(text), s->log_from > last ? s->log_from : last);
	struct str rest = { text, len > 0 ? (size_t)len : 0 };
	struct str words = STR("no output");
	bool fatal = false;

	while (rest.len) {
		struct str line = str_cut(&rest, '\n');

		if (is_noise(line) || (fatal && !is_fatal(line)))
			continue;
		fatal = is_fatal(line);
		words = line;
	}
	return arena_printf(a, "%.*s (see \"%s/postgres.log\")", STR_ARG(words), s->cluster->data);
}
