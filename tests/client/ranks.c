/* Each launcher and batch system: what the client takes from its variables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ranks.h"
#include "settings.h"

#define VARIABLES_MAX 8
#define UUID "0123abcd-0123-4567-89ab-0123456789ab"

struct expected {
	const char *variables[VARIABLES_MAX]; /* "NAME=value" */
	const char *launcher;                 /* NULL: no rank */
	int rank, size;
	const char *run_id;
};

#define JOB "SLURM_JOB_ID=4711"

static const struct expected cases[] = {
	{ { NULL }, NULL, -1, 0, "" },
	/* Slurm */
	{ { JOB, "SLURM_STEP_ID=2", "SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=4", "SLURM_NTASKS=9" },
	  "Slurm",
	  3,
	  4,
	  "slurm-4711.2" },
	{ { JOB, "SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_NTASKS=2",
	    "SLURM_CLUSTER_NAME=hpc/1" },
	  "Slurm",
	  0,
	  2,
	  "hpc-1-4711.0" },
	{ { JOB, "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_NTASKS=2", "SLURM_ARRAY_JOB_ID=4700",
	    "SLURM_ARRAY_TASK_ID=3" },
	  "Slurm",
	  1,
	  2,
	  "slurm-4700_3.0" },
	/* a batch script and the shell of salloc, in a job of many tasks; a launch of one task */
	{ { JOB, "SLURM_PROCID=0", "SLURM_NTASKS=64" }, NULL, -1, 0, "" },
	{ { JOB, "SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1" }, NULL, -1, 0, "" },
	{ { "SLURM_STEP_ID=0", "SLURM_PROCID=1", "SLURM_NTASKS=2" }, "Slurm", 1, 2, "" },
	/* torchrun */
	{ { "RANK=5", "WORLD_SIZE=8", "TORCHELASTIC_RUN_ID=none" }, "torchrun", 5, 8, "" },
	{ { "RANK=5", "WORLD_SIZE=8", "TORCHELASTIC_RUN_ID=" UUID },
	  "torchrun",
	  5,
	  8,
	  "torchrun-" UUID },
	{ { "RANK=5", "WORLD_SIZE=8", "TORCHELASTIC_RUN_ID=456" }, "torchrun", 5, 8, "" },
	{ { "RANK=5", "WORLD_SIZE=8", "TORCHELASTIC_RUN_ID=456", JOB },
	  "torchrun",
	  5,
	  8,
	  "slurm-4711.456" },
	{ { "RANK=5", "WORLD_SIZE=8", "TORCHELASTIC_RUN_ID=none", JOB, "SLURM_STEP_ID=1",
	    "SLURM_PROCID=0", "SLURM_NTASKS=1" },
	  "torchrun",
	  5,
	  8,
	  "slurm-4711.1" },
	{ { "RANK=0", "WORLD_SIZE=1", JOB, "SLURM_STEP_ID=1", "SLURM_PROCID=3", "SLURM_NTASKS=4" },
	  NULL,
	  -1,
	  0,
	  "" },
	{ { "RANK=5" }, NULL, -1, 0, "" },
	{ { "RANK=8", "WORLD_SIZE=8" }, NULL, -1, 0, "" },
	{ { "RANK=first", "WORLD_SIZE=8" }, NULL, -1, 0, "" },
	{ { "RANK=-1", "WORLD_SIZE=8" }, NULL, -1, 0, "" },
	{ { "RANK=2147483648", "WORLD_SIZE=8" }, NULL, -1, 0, "" },
	/* MPI; mpirun inside a batch script, where SLURM_PROCID is the script's */
	{ { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", "SLURM_PROCID=0", JOB,
	    "SLURM_NTASKS=4", "PMIX_NAMESPACE=prterun-n1-77@1" },
	  "Open MPI",
	  1,
	  4,
	  "slurm-4711.prterun-n1-77-1" },
	{ { "OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4", "PMIX_NAMESPACE=prterun-n1-77@1" },
	  "Open MPI",
	  1,
	  4,
	  "" },
	{ { "MV2_COMM_WORLD_RANK=1", "MV2_COMM_WORLD_SIZE=4" }, "MVAPICH2", 1, 4, "" },
	{ { "PMI_RANK=2", "PMI_SIZE=4", JOB }, "PMI", 2, 4, "" },
	{ { "PMI_RANK=2", "PMI_SIZE=4", JOB, "SLURM_STEP_ID=0", "SLURM_PROCID=2",
	    "SLURM_NTASKS=4" },
	  "PMI",
	  2,
	  4,
	  "slurm-4711.0" },
	{ { "PMI_RANK=2", "PMI_SIZE=8", JOB, "SLURM_STEP_ID=0", "SLURM_PROCID=1",
	    "SLURM_NTASKS=4" },
	  "PMI",
	  2,
	  8,
	  "" },
	{ { "PMIX_RANK=2" }, "PMIx", 2, 0, "" },
	{ { "FLUX_TASK_RANK=2", "FLUX_JOB_SIZE=4" }, "Flux", 2, 4, "" },
	{ { "JOB_COMPLETION_INDEX=2" }, "Kubernetes", 2, 0, "" },
	/* other batch systems */
	{ { "RANK=1", "WORLD_SIZE=2", "TORCHELASTIC_RUN_ID=a", "PBS_JOBID=12[4].host" },
	  "torchrun",
	  1,
	  2,
	  "pbs-12.a" },
	{ { "RANK=1", "WORLD_SIZE=2", "TORCHELASTIC_RUN_ID=a", "LSB_JOBID=12", "LSB_JOBINDEX=0" },
	  "torchrun",
	  1,
	  2,
	  "lsf-12.a" },
	{ { "RANK=1", "WORLD_SIZE=2", "TORCHELASTIC_RUN_ID=a", "JOB_ID=12",
	    "SGE_TASK_ID=undefined" },
	  "torchrun",
	  1,
	  2,
	  "" },
	/* inside cairn run, whose rank it is */
	{ { "CAIRN_PARENT_LAUNCHER=torchrun", "RANK=5", "WORLD_SIZE=8" }, NULL, -1, 0, "" },
	{ { "CAIRN_PARENT_LAUNCHER=Slurm", "RANK=5", "WORLD_SIZE=8" }, "torchrun", 5, 8, "" },
};

static void set_all(const char *const *variables)
{
	static const char *const kept[] = { "PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=" };
	char *values[sizeof kept / sizeof kept[0]] = { NULL };
	char name[64];

	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(kept[i], "="), kept[i]);
		values[i] = getenv(name) ? strdup(getenv(name)) : NULL;
	}
	clearenv();
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(kept[i], "="), kept[i]);
		if (values[i])
			setenv(name, values[i], 1);
		free(values[i]);
	}
	for (size_t i = 0; i < VARIABLES_MAX && variables[i]; i++) {
		snprintf(name, sizeof name, "%.*s", (int)strcspn(variables[i], "="), variables[i]);
		setenv(name, strchr(variables[i], '=') + 1, 1);
	}
}

static void launchers_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct expected *expected = &cases[i];
		struct ranks ranks;
		char label[32] = "";

		set_all(expected->variables);
		ranks_find(&ranks);
		if (expected->launcher)
			snprintf(label, sizeof label, "rank%d", expected->rank);
		if (!expected->launcher)
			assert_null(ranks.launcher);
		else
			assert_string_equal(ranks.launcher, expected->launcher);
		assert_int_equal(ranks.rank, expected->rank);
		assert_int_equal(ranks.size, expected->size);
		assert_string_equal(ranks.label, label);
		assert_string_equal(ranks.run_id, expected->run_id);
	}
}

static void a_local_rank_is_a_label(void **state)
{
	static const char *const variables[VARIABLES_MAX] = { "MPI_LOCALRANKID=3" };
	char host[65] = "", label[96];
	struct ranks ranks;

	(void)state;
	set_all(variables);
	gethostname(host, sizeof host - 1);
	snprintf(label, sizeof label, "%s-local3", host);
	ranks_find(&ranks);
	assert_string_equal(ranks.label, label);
	assert_int_equal(ranks.rank, -1);
	assert_false(ranks_is_worker(&ranks, "r1"));
}

static void names_have_a_limit(void **state)
{
	static const char *const variables[VARIABLES_MAX] = { "RANK=1", "WORLD_SIZE=2", JOB };
	char id[65];
	struct ranks ranks;

	(void)state;
	set_all(variables);
	memset(id, 'x', sizeof id);
	id[63] = '\0';
	setenv("TORCHELASTIC_RUN_ID", id, 1);
	ranks_find(&ranks);
	assert_int_equal(strlen(ranks.run_id), strlen("slurm-4711.") + 63);
	id[63] = 'x';
	id[64] = '\0';
	setenv("TORCHELASTIC_RUN_ID", id, 1);
	ranks_find(&ranks);
	assert_string_equal(ranks.run_id, "");
}

static void arrays_are_found(void **state)
{
	static const struct {
		const char *variables[VARIABLES_MAX];
		const char *run_id, *group; /* NULL: not an array job */
	} arrays[] = {
		{ { JOB }, NULL, NULL },
		{ { JOB, "SLURM_ARRAY_JOB_ID=4700", "SLURM_ARRAY_TASK_ID=0" },
		  "slurm-4700_0",
		  "slurm-4700" },
		{ { JOB, "SLURM_ARRAY_JOB_ID=4700", "SLURM_ARRAY_TASK_ID=3",
		    "SLURM_CLUSTER_NAME=hpc1" },
		  "hpc1-4700_3",
		  "hpc1-4700" },
		{ { "PBS_JOBID=12[3].host", "PBS_ARRAY_INDEX=3" }, "pbs-12_3", "pbs-12" },
		{ { "PBS_JOBID=12.host" }, NULL, NULL },
		{ { "LSB_JOBID=12", "LSB_JOBINDEX=1" }, "lsf-12_1", "lsf-12" },
		{ { "LSB_JOBID=12", "LSB_JOBINDEX=0" }, NULL, NULL },
		{ { "JOB_ID=12", "SGE_TASK_ID=3" }, "sge-12_3", "sge-12" },
		{ { "JOB_ID=12", "SGE_TASK_ID=undefined" }, NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
		struct ranks_array array;

		set_all(arrays[i].variables);
		assert_int_equal(ranks_find_array(&array), arrays[i].run_id != NULL);
		if (!arrays[i].run_id)
			continue;
		assert_string_equal(array.run_id, arrays[i].run_id);
		assert_string_equal(array.group, arrays[i].group);
	}
}

/* The settings of the library, which derive a role from a rank only for a run that has an id. */
static void settings_follow(void **state)
{
	static const struct {
		const char *variables[VARIABLES_MAX];
		enum cairn_role role;
		const char *label; /* NULL: by the host */
	} settings_cases[] = {
		{ { "RANK=1", "WORLD_SIZE=2" }, CAIRN_PRIMARY, "rank1" },
		{ { "RANK=1", "WORLD_SIZE=2", "CAIRN_RUN=r1" }, CAIRN_WORKER, "rank1" },
		{ { "RANK=0", "WORLD_SIZE=2", "CAIRN_RUN=r1" }, CAIRN_PRIMARY, "rank0" },
		{ { "RANK=1", "WORLD_SIZE=2", "CAIRN_RUN=r1", "CAIRN_ROLE=primary",
		    "CAIRN_LABEL=a" },
		  CAIRN_PRIMARY,
		  "a" },
		{ { "RANK=0", "WORLD_SIZE=2", "CAIRN_RUN=r1", "CAIRN_ROLE=worker" },
		  CAIRN_WORKER,
		  "rank0" },
		{ { JOB, "SLURM_PROCID=0", "SLURM_NTASKS=4", "CAIRN_RUN=r1" },
		  CAIRN_PRIMARY,
		  NULL },
		{ { "JOB_COMPLETION_INDEX=2", "CAIRN_RUN=sweep-2" }, CAIRN_PRIMARY, "rank2" },
		{ { "JOB_COMPLETION_INDEX=2", "CAIRN_RUN=sweep-12" }, CAIRN_WORKER, "rank2" },
		{ { "RANK=2", "WORLD_SIZE=4", "CAIRN_RUN=sweep-2" }, CAIRN_WORKER, "rank2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof settings_cases / sizeof settings_cases[0]; i++) {
		struct settings settings;
		char error[SETTINGS_ERROR_SIZE];

		set_all(settings_cases[i].variables);
		setenv("CAIRN_URL", "http://127.0.0.1:1", 1);
		setenv("CAIRN_API_KEY", "k", 1);
		assert_int_equal(settings_load(NULL, &settings, error), CAIRN_OK);
		assert_int_equal(settings.role, settings_cases[i].role);
		if (settings_cases[i].label)
			assert_string_equal(settings.label, settings_cases[i].label);
		else
			assert_null(strstr(settings.label, "rank"));
		settings_deinit(&settings);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launchers_are_found), cmocka_unit_test(a_local_rank_is_a_label),
		cmocka_unit_test(names_have_a_limit),  cmocka_unit_test(arrays_are_found),
		cmocka_unit_test(settings_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
