#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reduce.h"

enum kind { TEXT, INTEGER, REAL };

static const struct row {
	const char *name;
	enum kind kind;
	size_t offset;
	double min, max;
	const char *initial;
	const char *help;
} rows[] = {
	{ "ranks", INTEGER, offsetof(struct options, ranks), 1, REDUCE_RANKS_MAX, "4",
	  "processes that train together" },
	{ "epochs", INTEGER, offsetof(struct options, epochs), 1, 100000, "30",
	  "passes over the training images" },
	{ "batch", INTEGER, offsetof(struct options, batch), 1, DATASET_TRAIN, "64",
	  "images in one step, over all ranks" },
	{ "rate", REAL, offsetof(struct options, rate), 1e-9, 10, "0.15",
	  "greatest learning rate" },
	{ "seed", INTEGER, offsetof(struct options, seed), 0, 2147483647, "1",
	  "of weights and the order of images" },
	{ "project", TEXT, offsetof(struct options, project), 0, 0, NULL,
	  "project of the run (else CAIRN_PROJECT)" },
	{ "run", TEXT, offsetof(struct options, run_id), 0, 0, NULL,
	  "id of the run (else CAIRN_RUN, else made up)" },
	{ "data", TEXT, offsetof(struct options, data), 0, 0, DIGITS_DATA, "the images" },
	{ "checkpoint", TEXT, offsetof(struct options, checkpoint), 0, 0, NULL,
	  "file the network is written to after each epoch" },
	{ "pace-ms", INTEGER, offsetof(struct options, pace_ms), 0, 60000, "0",
	  "rest before each step, to have something to watch" },
	{ "drop-after-ms", INTEGER, offsetof(struct options, drop_ms), 100, 600000, "3000",
	  "a rank silent for so long (and the pace) is dropped" },
	{ "kill-rank", INTEGER, offsetof(struct options, kill_rank), -1, REDUCE_RANKS_MAX - 1, "-1",
	  "rank that kills itself with SIGKILL on the way" },
	{ "kill-at-step", INTEGER, offsetof(struct options, kill_step), 1, 2147483647, "100",
	  "step at which it does" },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static void print_help(void)
{
	printf("usage: digits [OPTION VALUE]...\n"
	       "Trains a small network on handwritten digits over several processes and logs it to\n"
	       "the Cairn server of CAIRN_URL, as one run.\n\n");
	for (int i = 0; i < ROWS; i++) {
		printf("  --%-14s %s", rows[i].name, rows[i].help);
		if (rows[i].initial && rows[i].kind != TEXT)
			printf(" (%s)", rows[i].initial);
		printf("\n");
	}
}

static bool set_number(const struct row *row, const char *text, struct options *o)
{
	char *end;
	double number;

	errno = 0;
	number = strtod(text, &end);
	if (errno || end == text || *end || !(number >= row->min && number <= row->max)) {
		fprintf(stderr, "digits: --%s: a number from %g to %g is expected\n", row->name,
			row->min, row->max);
		return false;
	}
	if (row->kind == REAL)
		memcpy((char *)o + row->offset, &number, sizeof(number));
	else
		memcpy((char *)o + row->offset, &(int){ (int)number }, sizeof(int));
	return true;
}

static bool set(const struct row *row, const char *text, struct options *o)
{
	if (row->kind != TEXT)
		return set_number(row, text, o);
	memcpy((char *)o + row->offset, &text, sizeof(text));
	return true;
}

bool options_read(int argc, char **argv, struct options *ret_options, int *ret_status)
{
	struct option names[ROWS + 2] = { [ROWS] = { "help", no_argument, NULL, 'h' } };
	int which;
	int c;

	memset(ret_options, 0, sizeof(*ret_options));
	*ret_status = 2;
	for (int i = 0; i < ROWS; i++) {
		names[i] = (struct option){ rows[i].name, required_argument, NULL, 0 };
		if (rows[i].initial && !set(&rows[i], rows[i].initial, ret_options))
			return false;
	}
	while ((c = getopt_long(argc, argv, "h", names, &which)) != -1) {
		if (c == 'h') {
			print_help();
			*ret_status = 0;
			return false;
		}
		if (c != 0 || !set(&rows[which], optarg, ret_options))
			return false;
	}
	if (optind == argc)
		return true;
	fprintf(stderr, "digits: \"%s\" is not expected\n", argv[optind]);
	return false;
}
