/*
 * What HTTP and a commit cost on a machine, and nothing else: libmicrohttpd as cairnd runs it takes any
 * request, and one connection to PostgreSQL stores a number for each, of all that wait in one
 * transaction, before they are answered. Bodies are neither read nor kept; nobody is asked who they are.
 * No server on these two libraries answers more requests than this one.
 *
 *	bare_http --database URL --port-file FILE [--threads 2]
 */
#include <arpa/inet.h>
#include <getopt.h>
#include <libpq-fe.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load_report.h"

enum {
	CONNECTIONS = 4096,
	CONNECTION_MEMORY = 32 << 10, /* as cairnd has it */
	ARRAY_HEAD = 20,
	INT8_SIZE = 8,
	INT8_OID = 20,
	INT8_ARRAY_OID = 1016,
};

struct visit {
	struct visit *next;
	struct MHD_Connection *connection;
	size_t body_bytes;
	bool stored;
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct visit *first;
	struct visit **end;
} waiting = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, &waiting.first };

static struct MHD_Response *answer;

/* ---- storing ------------------------------------------------------------------------------------------ */

static void fail(PGconn *db)
{
	fprintf(stderr, "bare: %s", PQerrorMessage(db));
	exit(1);
}

static PGconn *open_table(const char *database)
{
	PGconn *db = PQconnectdb(database);
	Oid types[] = { INT8_ARRAY_OID };

	if (PQstatus(db) != CONNECTION_OK)
		fail(db);
	PQclear(PQexec(db, "set client_min_messages = warning; drop table if exists bare; "
			   "create table bare (body_bytes int8)"));
	PQclear(PQprepare(db, "put", "insert into bare select unnest($1::int8[])", 1, types));
	return db;
}

/* An array as PostgreSQL sends it: dimensions, whether it has nulls, type, length, first index. */
static char *array_of(const struct visit *first, int *ret_len)
{
	static char bytes[ARRAY_HEAD + CONNECTIONS * (4 + INT8_SIZE)];
	char *at = bytes + ARRAY_HEAD;
	uint32_t count = 0;

	for (const struct visit *v = first; v; v = v->next, count++) {
		uint32_t cell[] = { htonl(INT8_SIZE), 0, htonl((uint32_t)v->body_bytes) };

		memcpy(at, cell, sizeof(cell));
		at += sizeof(cell);
	}
	memcpy(bytes, (uint32_t[]){ htonl(1), 0, htonl(INT8_OID), htonl(count), htonl(1) },
	       ARRAY_HEAD);
	*ret_len = (int)(at - bytes);
	return bytes;
}

static void store(PGconn *db, const struct visit *first)
{
	int len;
	const char *array = array_of(first, &len);
	PGresult *result =
		PQexecPrepared(db, "put", 1, (const char *const[]){ array }, &len, &(int){ 1 }, 1);

	if (PQresultStatus(result) != PGRES_COMMAND_OK)
		fail(db);
	PQclear(result);
}

static struct visit *take_all(void)
{
	struct visit *first;

	pthread_mutex_lock(&waiting.lock);
	while (!waiting.first)
		pthread_cond_wait(&waiting.more, &waiting.lock);
	first = waiting.first;
	waiting.first = NULL;
	waiting.end = &waiting.first;
	pthread_mutex_unlock(&waiting.lock);
	return first;
}

static void *store_all(void *arg)
{
	PGconn *db = arg;

	for (;;) {
		struct visit *v = take_all();

		store(db, v);
		while (v) {
			struct visit *next = v->next;

			v->stored = true;
			MHD_resume_connection(v->connection);
			v = next;
		}
	}
	return NULL;
}

/* ---- HTTP --------------------------------------------------------------------------------------------- */

static void wait_for_commit(struct visit *v)
{
	MHD_suspend_connection(v->connection);
	pthread_mutex_lock(&waiting.lock);
	v->next = NULL;
	*waiting.end = v;
	waiting.end = &v->next;
	pthread_cond_signal(&waiting.more);
	pthread_mutex_unlock(&waiting.lock);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **slot)
{
	struct visit *v = *slot;

	(void)cls;
	(void)url;
	(void)method;
	(void)version;
	(void)data;
	if (!v) {
		v = load_alloc(sizeof(*v));
		*v = (struct visit){ .connection = connection };
		*slot = v;
		return MHD_YES;
	}
	if (*size) {
		v->body_bytes += *size;
		*size = 0;
		return MHD_YES;
	}
	if (v->stored)
		return MHD_queue_response(connection, MHD_HTTP_OK, answer);
	wait_for_commit(v);
	return MHD_YES;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **slot,
			 enum MHD_RequestTerminationCode code)
{
	(void)cls;
	(void)connection;
	(void)code;
	free(*slot);
	*slot = NULL;
}

static struct MHD_Daemon *listen_here(unsigned threads)
{
	static char text[] = "{\"session\":1}";
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };

	answer = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_PERSISTENT);
	return MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
				NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR, &address,
				MHD_OPTION_THREAD_POOL_SIZE, threads, MHD_OPTION_CONNECTION_LIMIT,
				CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				(size_t)CONNECTION_MEMORY, MHD_OPTION_NOTIFY_COMPLETED,
				on_completed, NULL, MHD_OPTION_END);
}

static void write_port(const char *path, struct MHD_Daemon *daemon)
{
	FILE *file = fopen(path, "we");

	if (!file) {
		perror(path);
		exit(1);
	}
	fprintf(file, "%u\n",
		(unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
	fclose(file);
}

struct options {
	const char *database;
	const char *port_file;
	unsigned threads;
};

static struct options read_options(int argc, char **argv)
{
	static const struct option names[] = {
		{ "database", required_argument, NULL, 'd' },
		{ "port-file", required_argument, NULL, 'p' },
		{ "threads", required_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 },
	};
	struct options o = { .threads = 2 };
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 'd')
			o.database = optarg;
		else if (c == 'p')
			o.port_file = optarg;
		else if (c == 't')
			o.threads = (unsigned)load_number("threads", optarg, 1, 64);
		else
			exit(2);
	}
	if (!o.database || !o.port_file) {
		fprintf(stderr, "bare: --database and --port-file are needed\n");
		exit(2);
	}
	return o;
}

int main(int argc, char **argv)
{
	struct options o = read_options(argc, argv);
	struct MHD_Daemon *daemon;
	pthread_t thread;

	signal(SIGPIPE, SIG_IGN);
	daemon = listen_here(o.threads);
	if (!daemon || pthread_create(&thread, NULL, store_all, open_table(o.database)) != 0) {
		fprintf(stderr, "bare: cannot start\n");
		return 1;
	}
	write_port(o.port_file, daemon);
	pthread_join(thread, NULL); /* until it is killed */
	return 0;
}
