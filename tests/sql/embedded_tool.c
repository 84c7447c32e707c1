/*
 * The embedded PostgreSQL by hand, for test_embedded.py:
 *
 *	embedded_tool start DATADIR [SEARCHDIR]  prints the URL, runs until SIGTERM
 *	embedded_tool attach DATADIR           prints the URL or "none"
 *	embedded_tool upgrade DATADIR SEARCHDIR
 *
 * A failure is one line on stdout and exit status 1.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "db_embedded.h"

static int report(struct arena *a, err_t e)
{
	printf("%s: %s\n", err_kind_name(e->kind), err_chain(a, e));
	arena_free(a);
	return 1;
}

static int run_start(struct arena *a, const struct db_embedded_options *o)
{
	struct db_embedded *embedded;
	sigset_t set;
	int got;
	err_t e;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	e = db_embedded_start(a, o, &embedded);
	if (e)
		return report(a, e);
	printf("%s\n", db_embedded_url(embedded));
	fflush(stdout);
	sigwait(&set, &got);
	db_embedded_stop(embedded);
	arena_free(a);
	return 0;
}

static int run_attach(struct arena *a, const struct db_embedded_options *o)
{
	const char *url;
	err_t e = db_embedded_attach(a, o->data_dir, &url);

	if (e)
		return report(a, e);
	printf("%s\n", url ? url : "none");
	arena_free(a);
	return 0;
}

static int run_upgrade(struct arena *a, const struct db_embedded_options *o)
{
	err_t e = db_embedded_upgrade(a, o);

	if (e)
		return report(a, e);
	arena_free(a);
	return 0;
}

int main(int argc, char **argv)
{
	struct arena *a = arena_new(4096);
	struct db_embedded_options o = { .data_dir = argc > 2 ? argv[2] : "" };
	const char *command = argc > 2 ? argv[1] : "";

	if (!strcmp(command, "start")) {
		o.search_dir = argc > 3 ? argv[3] : NULL;
		return run_start(a, &o);
	}
	if (!strcmp(command, "upgrade") && argc > 3) {
		o.search_dir = argv[3];
		return run_upgrade(a, &o);
	}
	if (!strcmp(command, "attach"))
		return run_attach(a, &o);
	fprintf(stderr, "usage: embedded_tool start|attach|upgrade DATADIR [SEARCHDIR]\n");
	arena_free(a);
	return 2;
}
