/*
 * Joins the run of a training by its id, as the worker "eval", looks at each checkpoint as it comes
 * and logs how well the network reads digits it has never seen. Ends when the training does.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cairn.h"
#include "checkpoint.h"
#include "dataset.h"
#include "say.h"

enum { POLL_MS = 100, FINISH_MS = 15000 };

struct arguments {
	const char *project;
	const char *run_id;
	const char *checkpoint;
	int patience_s; /* without a new checkpoint */
};

static bool read_arguments(int argc, char **argv, struct arguments *ret_arguments)
{
	static const struct option names[] = {
		{ "project", required_argument, NULL, 'p' },
		{ "run", required_argument, NULL, 'r' },
		{ "checkpoint", required_argument, NULL, 'c' },
		{ "patience-s", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	struct arguments a = { .patience_s = 120 };
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		if (c == 'p')
			a.project = optarg;
		else if (c == 'r')
			a.run_id = optarg;
		else if (c == 'c')
			a.checkpoint = optarg;
		else if (c == 's')
			a.patience_s = (int)strtol(optarg, NULL, 10);
		else
			return false;
	}
	*ret_arguments = a;
	return a.run_id && a.checkpoint && a.patience_s > 0 && optind == argc;
}

static struct cairn_run *join_run(const struct arguments *a)
{
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct cairn_run *run;
	char error[256];

	options.project = a->project;
	options.run_id = a->run_id;
	options.label = "eval";
	options.role = CAIRN_WORKER;
	if (cairn_run_start(&options, &run) == CAIRN_OK)
		return run;
	cairn_last_error(NULL, error, sizeof(error));
	say_error(NULL, "nothing is logged: %s", error);
	return NULL;
}

/* Waits for a checkpoint of a later step; false when none comes. */
static bool await_checkpoint(const struct arguments *a, int64_t after_step,
			     struct checkpoint *ret_checkpoint)
{
	static const struct timespec poll = { 0, POLL_MS * 1000000L };

	for (int waited_ms = 0; waited_ms < a->patience_s * 1000; waited_ms += POLL_MS) {
		if (checkpoint_read(a->checkpoint, ret_checkpoint) &&
		    ret_checkpoint->step > after_step)
			return true;
		nanosleep(&poll, NULL);
	}
	return false;
}

static double evaluate(struct cairn_run *run, const struct dataset *d, const struct checkpoint *c)
{
	struct model_sums sums = model_test(&c->model, d, DATASET_TRAIN, DATASET_TEST);
	double accuracy = sums.correct / sums.images;

	(void)CAIRN_LOG_STEP(run, c->step, { "test/accuracy", accuracy },
			     { "test/loss", sums.loss / sums.images });
	say(run, "step %lld: test accuracy %.4f over %d images", (long long)c->step, accuracy,
	    DATASET_TEST);
	return accuracy;
}

/* Until the last checkpoint; false when the training went silent. */
static bool follow_training(struct cairn_run *run, const struct arguments *a,
			    const struct dataset *d)
{
	struct checkpoint c = { .step = 0 };
	double best = 0;

	while (!c.is_last) {
		double accuracy;

		if (!await_checkpoint(a, c.step, &c)) {
			say_error(run, "no checkpoint for %d s", a->patience_s);
			return false;
		}
		accuracy = evaluate(run, d, &c);
		best = accuracy > best ? accuracy : best;
	}
	(void)cairn_summary_number(run, "test/accuracy_best", best);
	return true;
}

int main(int argc, char **argv)
{
	struct arguments a;
	struct cairn_run *run;
	struct dataset *d;
	bool good;

	if (!read_arguments(argc, argv, &a)) {
		fprintf(stderr, "usage: digits-eval --run ID --checkpoint FILE [--project NAME] "
				"[--patience-s N]\n");
		return 2;
	}
	d = dataset_read(DIGITS_DATA);
	if (!d)
		return 1;
	run = join_run(&a);
	good = follow_training(run, &a, d);
	if (run && cairn_finish(run, good ? 0 : 1, FINISH_MS, NULL) != CAIRN_OK) {
		fprintf(stderr, "digits-eval: not everything was sent\n");
		good = false;
	}
	cairn_run_free(run);
	free(d);
	return good ? 0 : 1;
}
