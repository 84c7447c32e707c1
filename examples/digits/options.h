#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>

/* What `digits --help` shows. */
struct options {
	const char *project;
	const char *run_id; /* NULL: made up */
	const char *data;
	const char *checkpoint; /* NULL: none is written */
	int ranks;
	int epochs;
	int batch;
	int seed;
	int pace_ms;
	int drop_ms;
	int kill_rank; /* -1: none */
	int kill_step;
	double rate;
};

/* False: the program ends with *ret_status; what there is to say has been printed. */
bool options_read(int argc, char **argv, struct options *ret_options, int *ret_status);

#endif
