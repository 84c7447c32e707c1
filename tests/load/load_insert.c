/*
 * The plain alternative: the same points into a table with a row per point, one multi-row INSERT
 * per request, each its own transaction, over as many connections. There is no HTTP, no key to
 * check and no merging in it: what it measures is an upper bound of a server built that way.
 *
 *	load_insert --database URL [--writers 8] [--rows 106] [--seconds 10] [--one-run]
 */
#include <getopt.h>
#include <libpq-fe.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load_report.h"

enum { METRICS = 10, VALUE_SIZE = 96 };

struct server_load {
	const char *database;
	int writers;
	int rows;
	int seconds;
	bool one_run;
	int64_t end_ns;
};

struct writer {
	const struct server_load *load;
	pthread_t thread;
	int number;
	int64_t step;
	uint64_t random;
	PGconn *connection;
	char *statement;
	struct load_report report;
};

static void check(PGconn *connection, PGresult *result)
{
	if (PQresultStatus(result) != PGRES_COMMAND_OK) {
		fprintf(stderr, "load: %s", PQerrorMessage(connection));
		exit(1);
	}
	PQclear(result);
}

static PGconn *connect_to(const char *database)
{
	PGconn *connection = PQconnectdb(database);

	if (PQstatus(connection) == CONNECTION_OK)
		return connection;
	fprintf(stderr, "load: %s", PQerrorMessage(connection));
	exit(1);
}

static void make_table(const struct server_load *l)
{
	PGconn *connection = connect_to(l->database);

	check(connection, PQexec(connection, "drop table if exists point"));
	check(connection, PQexec(connection, "create table point (run_id int8 not null, "
					     "writer int4 not null, key text not null, "
					     "step int8 not null, value float8 not null, "
					     "primary key (run_id, writer, key, step))"));
	PQfinish(connection);
}

static double next_value(struct writer *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (double)(w->random >> 11) / 9007199254740992.0;
}

static void write_statement(struct writer *w)
{
	static const char head[] = "insert into point (run_id, writer, key, step, value) values ";
	char *at = w->statement + sprintf(w->statement, "%s", head);
	int run = w->load->one_run ? 0 : w->number;

	for (int row = 0; row < w->load->rows; row++, w->step++) {
		for (int i = 0; i < METRICS; i++)
			at += sprintf(at, "(%d,%d,'train/metric_number_%d',%lld,%.16f),", run,
				      w->number, i, (long long)w->step, next_value(w));
	}
	at[-1] = '\0';
}

static void *run_writer(void *p)
{
	struct writer *w = p;
	const struct server_load *l = w->load;

	while (load_now_ns() < l->end_ns) {
		int64_t start_ns;

		write_statement(w);
		start_ns = load_now_ns();
		check(w->connection, PQexec(w->connection, w->statement));
		load_report_add(&w->report, load_now_ns() - start_ns);
		w->report.points += (uint64_t)l->rows * METRICS;
	}
	return NULL;
}

static void read_options(struct server_load *l, int argc, char **argv)
{
	static const struct option names[] = {
		{ "database", required_argument, NULL, 'd' },
		{ "writers", required_argument, NULL, 'w' },
		{ "rows", required_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "one-run", no_argument, NULL, '1' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 'd')
			l->database = optarg;
		else if (c == 'w')
			l->writers = (int)load_number("writers", optarg, 1, 1000);
		else if (c == 'n')
			l->rows = (int)load_number("rows", optarg, 1, 10000);
		else if (c == 's')
			l->seconds = (int)load_number("seconds", optarg, 1, 86400);
		else if (c == '1')
			l->one_run = true;
		else
			exit(2);
	}
	if (!l->database) {
		fprintf(stderr, "load: --database is needed\n");
		exit(2);
	}
}

static void start_writer(struct writer *w, const struct server_load *l, int number)
{
	w->load = l;
	w->number = number;
	w->random = (uint64_t)number * 0x9e3779b97f4a7c15U + 1;
	w->connection = connect_to(l->database);
	w->statement = load_alloc(256 + (size_t)l->rows * METRICS * VALUE_SIZE);
}

int main(int argc, char **argv)
{
	struct server_load l = { .writers = 8, .rows = 106, .seconds = 10 };
	struct load_report report = { 0 };
	struct writer *writers;
	int64_t start_ns;

	read_options(&l, argc, argv);
	make_table(&l);
	writers = load_alloc((size_t)l.writers * sizeof(*writers));
	for (int i = 0; i < l.writers; i++)
		start_writer(&writers[i], &l, i);
	start_ns = load_now_ns();
	l.end_ns = start_ns + (int64_t)l.seconds * 1000000000;
	for (int i = 0; i < l.writers; i++) {
		if (pthread_create(&writers[i].thread, NULL, run_writer, &writers[i]) != 0)
			return 1;
	}
	for (int i = 0; i < l.writers; i++) {
		pthread_join(writers[i].thread, NULL);
		load_report_merge(&report, &writers[i].report);
		PQfinish(writers[i].connection);
		free(writers[i].statement);
	}
	report.seconds = (double)(load_now_ns() - start_ns) / 1e9;
	load_report_print(&report, "");
	free(writers);
	return 0;
}
