#ifndef RANKS_H
#define RANKS_H

#include <stdbool.h>

/*
 * The place of this process among those that a launcher (srun, torchrun, mpirun …) started, as the environment has it,
 * and the batch job around it. docs/batch.md has the tables of variables and the rules.
 */
#define RANKS_LABEL_SIZE 96
#define RANKS_JOB_SIZE 128
#define RANKS_RUN_SIZE 200

struct ranks {
	const char *launcher;         /* NULL: none, or of one process only */
	int rank;                     /* -1: known is only which process of this host it is */
	int size;                     /* processes; 0: not known */
	bool is_index;                /* a number that may as well be that of an independent task */
	char label[RANKS_LABEL_SIZE]; /* "rank3"; "": none */
	char run_id
		[RANKS_RUN_SIZE]; /* the same in all processes of the launch; "": they have none in common */
};

void ranks_find(struct ranks *ret_ranks) __attribute__((nonnull));

/* Whether the process is a worker of the run with this id, which its processes share. */
bool ranks_is_worker(const struct ranks *ranks, const char *run_id) __attribute__((nonnull));

/* A task of an array job. */
struct ranks_array {
	char run_id[RANKS_JOB_SIZE]; /* "slurm-4700_3" */
	char group[RANKS_JOB_SIZE];  /* "slurm-4700" */
};

/* False if this is not a task of an array job. */
bool ranks_find_array(struct ranks_array *ret_array) __attribute__((nonnull));

#endif
