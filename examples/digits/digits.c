/*
 * Trains a small network on handwritten digits, data-parallel over several processes, and logs it
 * through libcairn: rank 0 as the primary of one run, the other ranks as its workers. See
 * `digits --help`; digits_eval.c joins the same run from outside.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dataset.h"
#include "options.h"
#include "reduce.h"
#include "train.h"

enum { RUN_ID_LENGTH = 8 };

/* All ranks must name the same run before any of them has joined it. */
static bool choose_run_id(struct options *o, char made[static RUN_ID_LENGTH + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	unsigned char bits[RUN_ID_LENGTH];

	if (!o->run_id)
		o->run_id = getenv("CAIRN_RUN");
	if (o->run_id && *o->run_id)
		return true;
	if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
		return false;
	for (int i = 0; i < RUN_ID_LENGTH; i++)
		made[i] = letters[bits[i] % (sizeof(letters) - 1)];
	made[RUN_ID_LENGTH] = '\0';
	o->run_id = made;
	return true;
}

static bool fork_ranks(const struct options *o, const struct dataset *d, struct reduce *reduce,
		       pid_t *pids)
{
	for (int rank = 0; rank < o->ranks; rank++) {
		pids[rank] = fork();
		if (pids[rank] < 0) {
			fprintf(stderr, "digits: fork: %s\n", strerror(errno));
			return false;
		}
		if (pids[rank] == 0)
			exit(train_rank(o, d, reduce, rank));
	}
	return true;
}

/* The training ended as rank 0 did; the loss of a worker is survived. */
static int await_ranks(const struct options *o, const pid_t *pids)
{
	int result = 1;

	for (int rank = 0; rank < o->ranks; rank++) {
		int status;

		if (pids[rank] <= 0 || waitpid(pids[rank], &status, 0) < 0)
			continue;
		if (WIFSIGNALED(status))
			fprintf(stderr, "digits: rank %d was ended by signal %d\n", rank,
				WTERMSIG(status));
		if (rank == 0)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return result;
}

int main(int argc, char **argv)
{
	char made[RUN_ID_LENGTH + 1];
	pid_t pids[REDUCE_RANKS_MAX] = { 0 };
	struct reduce *reduce;
	struct dataset *d;
	struct options o;
	bool forked;
	int status;

	if (!options_read(argc, argv, &o, &status))
		return status;
	d = dataset_read(o.data);
	reduce = reduce_new(o.ranks, o.drop_ms + o.pace_ms);
	if (!d || !reduce || !choose_run_id(&o, made))
		return 1;
	printf("digits: run %s\n", o.run_id);
	fflush(stdout);
	forked = fork_ranks(&o, d, reduce, pids);
	status = await_ranks(&o, pids);
	free(d);
	return forked ? status : 1;
}
