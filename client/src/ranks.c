/*
 * Launchers and batch systems are rows of two tables. A rank alone makes no worker: a batch script and the shell of
 * salloc have SLURM_PROCID=0 in jobs of any size, and a launch of one process has a rank, too.
 *
 * Processes agree on a run without a server if the environment has a name that no other launch has. Rejected: names that
 * come again. mpirun and torchrun without a job around them have process ids, ports, or ids that users copy from a manual;
 * a second training would continue the run of the first.
 */
#include "ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utf8.h"

#define LAUNCH_MAX 64 /* bytes of a launch's name */
#define JOB_MAX 64    /* bytes of a job's name, which is a part of a run's */

struct launcher {
	const char *name;
	const char *rank;
	const char *sizes[2]; /* the first that is set */
	const char *needs;    /* without it the rank does not count; NULL: nothing */
	const char *launch;   /* tells apart two launches in one job; NULL: nothing does */
	bool is_index;
};

/* A launcher that is started by another one comes first. */
static const struct launcher launchers[] = {
	{ "torchrun", "RANK", { "WORLD_SIZE" }, "WORLD_SIZE", "TORCHELASTIC_RUN_ID", false },
	{ "Open MPI",
	  "OMPI_COMM_WORLD_RANK",
	  { "OMPI_COMM_WORLD_SIZE" },
	  NULL,
	  "PMIX_NAMESPACE",
	  false },
	{ "MVAPICH2", "MV2_COMM_WORLD_RANK", { "MV2_COMM_WORLD_SIZE" }, NULL, NULL, false },
	{ "PMI", "PMI_RANK", { "PMI_SIZE" }, NULL, NULL, false },
	{ "Slurm",
	  "SLURM_PROCID",
	  { "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS" },
	  "SLURM_STEP_ID",
	  "SLURM_STEP_ID",
	  false },
	{ "PMIx", "PMIX_RANK", { NULL }, NULL, "PMIX_NAMESPACE", false },
	{ "Flux", "FLUX_TASK_RANK", { "FLUX_JOB_SIZE" }, NULL, NULL, false },
	{ "Kubernetes", "JOB_COMPLETION_INDEX", { NULL }, NULL, NULL, true },
};

#define LAUNCHERS (sizeof launchers / sizeof launchers[0])

struct batch_system {
	const char *name;
	const char *job;          /* NULL: its variable is one that other programs use, too */
	const char *array, *task; /* of an array job */
	int first_task;           /* a lower number is that of a job without an array */
	const char *cluster;      /* its name, where job numbers of several may meet; NULL: none */
};

static const struct batch_system batch_systems[] = {
	{ "slurm", "SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", 0,
	  "SLURM_CLUSTER_NAME" },
	{ "pbs", "PBS_JOBID", "PBS_JOBID", "PBS_ARRAY_INDEX", 0, NULL },
	{ "lsf", "LSB_JOBID", "LSB_JOBID", "LSB_JOBINDEX", 1, NULL },
	{ "sge", NULL, "JOB_ID", "SGE_TASK_ID", 0, NULL },
};

#define BATCH_SYSTEMS (sizeof batch_systems / sizeof batch_systems[0])

static const char *variable(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && value[0] ? value : NULL;
}

/* A whole number, 0 or more; -1: it is not set, or something else. */
static int number_of(const char *name)
{
	const char *value = variable(name);
	char *end;
	long number;

	if (!value || value[0] < '0' || value[0] > '9')
		return -1;
	number = strtol(value, &end, 10);
	return *end || number > INT_MAX ? -1 : (int)number;
}

static int size_of(const struct launcher *launcher)
{
	int size = number_of(launcher->sizes[0]);

	if (size < 0)
		size = number_of(launcher->sizes[1]);
	return size < 0 ? 0 : size;
}

static bool has_rank(const struct launcher *launcher)
{
	int rank = number_of(launcher->rank), size = size_of(launcher);

	if (rank < 0 || (size && rank >= size))
		return false;
	return !launcher->needs || variable(launcher->needs);
}

static const struct launcher *find_launcher(void)
{
	for (size_t i = 0; i < LAUNCHERS; i++) {
		if (has_rank(&launchers[i]))
			return &launchers[i];
	}
	return NULL;
}

/* The name as a part of a run's id; false if it cannot be one. */
static bool copy_name(char *part, size_t size, const char *name)
{
	static const char kept[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	size_t length = strlen(name);

	if (length == 0 || length >= size)
		return false;
	for (size_t i = 0; i <= length; i++)
		part[i] = name[i] && !strchr(kept, name[i]) ? '-' : name[i];
	return true;
}

/* The digits that it begins with: PBS has "4711[3].server". */
static bool copy_number(char *number, size_t size, const char *name)
{
	const char *value = variable(name);
	size_t length = value ? strspn(value, "0123456789") : 0;

	if (length == 0 || length >= size)
		return false;
	memcpy(number, value, length);
	number[length] = '\0';
	return true;
}

static void write_system(const struct batch_system *system, char name[static JOB_MAX])
{
	const char *cluster = variable(system->cluster);

	if (!cluster || !copy_name(name, JOB_MAX, cluster))
		snprintf(name, JOB_MAX, "%s", system->name);
}

static bool read_array(const struct batch_system *system, struct ranks_array *array)
{
	char name[JOB_MAX], job[24], task[24];

	if (!copy_number(job, sizeof job, system->array) ||
	    !copy_number(task, sizeof task, system->task) ||
	    number_of(system->task) < system->first_task)
		return false;
	write_system(system, name);
	snprintf(array->group, sizeof array->group, "%s-%s", name, job);
	snprintf(array->run_id, sizeof array->run_id, "%s-%s_%s", name, job, task);
	return true;
}

bool ranks_find_array(struct ranks_array *ret_array)
{
	for (size_t i = 0; i < BATCH_SYSTEMS; i++) {
		if (read_array(&batch_systems[i], ret_array))
			return true;
	}
	return false;
}

/* The job around, or the task of an array: "slurm-4711", "slurm-4700_3". */
static bool find_job(char job[static RANKS_JOB_SIZE])
{
	struct ranks_array array;
	char name[JOB_MAX], number[24];

	if (ranks_find_array(&array)) {
		snprintf(job, RANKS_JOB_SIZE, "%s", array.run_id);
		return true;
	}
	for (size_t i = 0; i < BATCH_SYSTEMS; i++) {
		if (!copy_number(number, sizeof number, batch_systems[i].job))
			continue;
		write_system(&batch_systems[i], name);
		snprintf(job, RANKS_JOB_SIZE, "%s-%s", name, number);
		return true;
	}
	return false;
}

/* As torchrun --standalone makes it; an id that is given to it may come again. */
static bool is_uuid(const char *text)
{
	for (int i = 0; i < 36; i++) {
		const char *allowed = i == 8 || i == 13 || i == 18 || i == 23 ? "-"
									      : "0123456789abcdef";

		if (!text[i] || !strchr(allowed, text[i]))
			return false;
	}
	return text[36] == '\0';
}

/* The launch's name, unless it is torchrun's word for none. */
static bool copy_launch(const struct launcher *launcher, char launch[static LAUNCH_MAX])
{
	const char *name = variable(launcher->launch);

	return name && strcmp(name, "none") != 0 && copy_name(launch, LAUNCH_MAX, name);
}

/* Whether that launcher started as many processes as the inner one: srun --mpi=pmi2 sets PMI_RANK, too. torchrun is
 * started once on each node. */
static bool is_around(const struct launcher *outer, const struct launcher *inner)
{
	bool is_same = number_of(outer->rank) == number_of(inner->rank) &&
		       size_of(outer) == size_of(inner);

	return has_rank(outer) && (is_same || inner == launchers);
}

/* The name by which the launcher, or one around it, tells this launch from others in the same job. */
static bool find_launch(const struct launcher *launcher, char launch[static LAUNCH_MAX])
{
	if (copy_launch(launcher, launch))
		return true;
	for (const struct launcher *outer = launcher + 1; outer < launchers + LAUNCHERS; outer++) {
		if (is_around(outer, launcher) && copy_launch(outer, launch))
			return true;
	}
	return false;
}

static void find_run(const struct launcher *launcher, struct ranks *ranks)
{
	char job[RANKS_JOB_SIZE], launch[LAUNCH_MAX];
	const char *id = variable("TORCHELASTIC_RUN_ID");

	if (find_job(job)) {
		if (find_launch(launcher, launch))
			snprintf(ranks->run_id, sizeof ranks->run_id, "%s.%s", job, launch);
	} else if (launcher == launchers && id && is_uuid(id)) {
		snprintf(ranks->run_id, sizeof ranks->run_id, "torchrun-%s", id);
	}
}

/* Intel MPI's number of a process on its host. */
static void find_local(struct ranks *ranks)
{
	int local = number_of("MPI_LOCALRANKID");
	char host[65] = "";

	if (local < 0 || variable("CAIRN_PARENT_LAUNCHER") ||
	    gethostname(host, sizeof host - 1) != 0 ||
	    !utf8_is_name(host, strlen(host), sizeof host - 1))
		return;
	ranks->launcher = "MPI";
	snprintf(ranks->label, sizeof ranks->label, "%s-local%d", host, local);
}

/* The rank is that of the cairn run around, whose processes have names of their own. */
static bool is_taken(const struct launcher *launcher)
{
	const char *taken = variable("CAIRN_PARENT_LAUNCHER");

	return taken && strcmp(launcher->name, taken) == 0;
}

void ranks_find(struct ranks *ret_ranks)
{
	const struct launcher *launcher = find_launcher();

	*ret_ranks = (struct ranks){ .rank = -1 };
	if (!launcher) {
		find_local(ret_ranks);
		return;
	}
	if (size_of(launcher) == 1 || is_taken(launcher))
		return;
	ret_ranks->launcher = launcher->name;
	ret_ranks->rank = number_of(launcher->rank);
	ret_ranks->size = size_of(launcher);
	ret_ranks->is_index = launcher->is_index;
	snprintf(ret_ranks->label, sizeof ret_ranks->label, "rank%d", ret_ranks->rank);
	find_run(launcher, ret_ranks);
}

/* "sweep-3": a run for each index. */
static bool ends_with_rank(const char *run_id, int rank)
{
	char number[16];
	size_t length = strlen(run_id);
	size_t digits = (size_t)snprintf(number, sizeof number, "%d", rank);

	return length > digits && strcmp(run_id + length - digits, number) == 0 &&
	       !strchr("0123456789", run_id[length - digits - 1]);
}

bool ranks_is_worker(const struct ranks *ranks, const char *run_id)
{
	if (ranks->rank <= 0)
		return false;
	return !ranks->is_index || !ends_with_rank(run_id, ranks->rank);
}
