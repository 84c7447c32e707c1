#ifndef SWEEP_CONFIG_H
#define SWEEP_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct sweep_value;

/*
 * The config of a sweep, as wandb writes it, and our additions: seed, "method: tpe", retry, host_failures, repeat, and "when" of a
 * parameter. docs/sweeps.md is its reference.
 */
enum sweep_method {
	SWEEP_GRID = 1,
	SWEEP_RANDOM = 2,
	SWEEP_BAYES = 3,
	SWEEP_TPE = 4,
	SWEEP_CUSTOM = 5
};
enum sweep_goal { SWEEP_MINIMIZE = 1, SWEEP_MAXIMIZE = 2 };
enum sweep_impute {
	SWEEP_IMPUTE_NONE = 0,
	SWEEP_IMPUTE_WORST = 1,
	SWEEP_IMPUTE_BEST = 2,
	SWEEP_IMPUTE_LATEST = 3
};

/* In the order in which the schema of wandb tries them, except that nested ones are flattened and never appear here. */
enum sweep_distribution {
	SWEEP_Q_BETA = 1,
	SWEEP_BETA,
	SWEEP_CATEGORICAL, /* with or without probabilities */
	SWEEP_INT_UNIFORM,
	SWEEP_UNIFORM,
	SWEEP_LOG_NORMAL,
	SWEEP_LOG_UNIFORM,     /* min and max are exponents of e */
	SWEEP_INV_LOG_UNIFORM, /* exponents; log(1/x) is uniform */
	SWEEP_NORMAL,
	SWEEP_Q_LOG_NORMAL,
	SWEEP_Q_LOG_UNIFORM,
	SWEEP_Q_NORMAL,
	SWEEP_Q_UNIFORM,
	SWEEP_CONSTANT,
	SWEEP_INV_LOG_UNIFORM_VALUES,
	SWEEP_LOG_UNIFORM_VALUES, /* min and max are the bounds themselves */
	SWEEP_Q_LOG_UNIFORM_VALUES,
};

/* Holds when parameters[parameter] is given and has one of the values (sweep_value_equal()). All of a parameter must hold. */
struct sweep_condition {
	size_t parameter;
	const struct sweep_value *values;
	size_t value_count;
};

struct sweep_parameter {
	struct str name;        /* "opt.lr", for users */
	const struct str *path; /* "opt", "lr" */
	size_t depth;
	struct str key; /* path joined by wandb's delimiter */
	enum sweep_distribution kind;
	/* As written, where the kind has them, else 0: exponents stay exponents. */
	double min, max, q, mu, sigma, a, b;
	int64_t whole_min,
		whole_max; /* of SWEEP_INT_UNIFORM, and of others that have whole bounds */
	bool q_is_int;     /* quantised results are integers */
	bool is_int;       /* min, max and q are: a grid of SWEEP_Q_UNIFORM has integers */
	/* One of a constant, those of a categorical one: as written, duplicates too. */
	const struct sweep_value *values;
	const double *probabilities; /* NULL: all equal; else they sum to 1 */
	size_t value_count;
	const struct sweep_condition *conditions;
	size_t condition_count;
	unsigned line, column;
};

struct sweep_metric {
	struct str name; /* empty: the config has no metric */
	enum sweep_goal goal;
	bool has_target;
	double target;
	enum sweep_impute impute;         /* of trials that ended badly */
	enum sweep_impute impute_running; /* SWEEP_IMPUTE_NONE: running ones are pending */
};

/* The bands are min_iter eta^i, or max_iter / eta^i of s steps; see sweep_hyperband.h. */
struct sweep_hyperband {
	int64_t min_iter; /* 0: max_iter and s are given */
	int64_t max_iter;
	int64_t s;
	double eta;
	bool is_strict;
};

struct sweep_place {
	struct str name; /* empty: none */
	unsigned line, column;
};

struct sweep_config {
	enum sweep_method method;
	struct str name, description, program; /* empty: none */
	struct sweep_place entity, project;    /* where `wandb sweep` makes it, and `cairn sweep` */
	const struct sweep_value *command;     /* list; NULL: none */
	struct sweep_metric metric;
	const struct sweep_parameter *parameters; /* by path, name by name, in byte order */
	size_t parameter_count;
	int64_t run_cap; /* 0: none */
	bool has_hyperband;
	struct sweep_hyperband hyperband;
	bool has_seed;
	int64_t seed;
	int64_t retry_times; /* how often a point of a failed, crashed or lost trial is given again */
	bool retry_other_host; /* to another host, if one asks */
	int64_t host_failures; /* in a row, until a host is set aside; 0: never */
	bool repeat;           /* points may be repeated in finite spaces */
	bool is_controlled;    /* controller.type is "local": a client's controller suggests */
	const struct sweep_value *document; /* all of it */
};

enum {
	SWEEP_PARAMETERS_MAX = 1000,
	SWEEP_PARAMETER_VALUES_MAX = 100000, /* of one parameter */
	SWEEP_CONDITIONS_MAX = 8,            /* of one parameter */
	SWEEP_NAME_MAX = 512,                /* bytes of a flattened name */
	SWEEP_FAULTS_MAX = 100,              /* more are left out */
	SWEEP_RETRY_MAX = 100,
	SWEEP_SEARCHED_MAX = 100, /* parameters of bayes and tpe, without constants */
};
/* Bounds of int_uniform and seeds are within this, positive or negative: all of them are exact in a double. */
#define SWEEP_INT_MAX (INT64_C(1) << 53)
/* Steps of q from 0 to a bound: in a grid an error beyond; a space with more has no indexes. */
#define SWEEP_STEPS_MAX 0x1p52
#define SWEEP_RETRY_TIMES 1 /* defaults */
#define SWEEP_HOST_FAILURES 3

/* Something wrong with a config (is_error: it cannot be used), or only suspicious. */
struct sweep_fault {
	unsigned line, column; /* from 1; 0: no single place */
	bool is_error;
	struct str path; /* "parameters.lr.min"; empty: the whole */
	struct str text; /* in the form of messages of err_t */
};
struct sweep_faults {
	struct sweep_fault *items; /* in the order found */
	size_t count, size;
	bool has_error;
};
/* After SWEEP_FAULTS_MAX warnings are dropped, and an error takes the place of the last fault. */
void sweep_fault_add(struct arena *a, struct sweep_faults *faults, struct sweep_fault fault)
	__attribute__((nonnull));
/* The first error among them: the path as its field, "line 3, column 5" in its message; has_error must be set. */
err_t sweep_faults_error(struct arena *a, const struct sweep_faults *faults)
	__attribute__((nonnull, returns_nonnull));

/*
 * Reads and validates a config: YAML, or JSON when it begins with "{" and is JSON. ERR_INVALID: the first error among the faults,
 * with its path as field and "line 3, column 5" in the message. *ret_faults is always set, on failure too. A config without
 * parameters is valid, with a warning, since wandb accepts it; it has no trials.
 *
 * Unknown keys and values that wandb replaces by defaults (a wrong goal) give warnings. What cannot be searched is an error:
 * an unknown method or distribution, min above max, probabilities that do not fit, a grid of a continuous parameter.
 */
err_t sweep_config_read(struct arena *a, struct str text, const struct sweep_config **ret_config,
			struct sweep_faults *ret_faults)
	__attribute__((nonnull, warn_unused_result));

/* "grid"; as in configs. */
const char *sweep_method_name(enum sweep_method method) __attribute__((returns_nonnull));
const char *sweep_distribution_name(enum sweep_distribution kind) __attribute__((returns_nonnull));
/* Not a constant. */
bool sweep_parameter_is_searched(const struct sweep_parameter *p) __attribute__((nonnull));

/* The metric's value as a cost: negated for maximize. */
double sweep_cost(enum sweep_goal goal, double value);

#endif
