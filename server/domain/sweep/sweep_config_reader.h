#ifndef SWEEP_CONFIG_READER_H
#define SWEEP_CONFIG_READER_H

#include <stdbool.h>

#include "buf.h"
#include "sweep_config.h"
#include "sweep_value.h"

/* Shared by the files that read a config. */

/* A "when" as written, until all parameters are known. */
struct sweep_when {
	const struct sweep_value *value; /* NULL: none */
	const struct sweep_when *outer;  /* of the nested object that the parameter is in */
	const struct str *prefix;        /* names of the objects that it is in */
	size_t depth;
	struct str path;
};

struct sweep_reader {
	struct arena *arena;
	struct sweep_faults *faults;
	struct sweep_config *config;
	struct buf parameters; /* struct sweep_parameter */
	struct buf whens;      /* struct sweep_when, one for each parameter */
};

/* At the place of `v`. */
void sweep_reader_error(struct sweep_reader *r, const struct sweep_value *v, struct str path,
			const char *fmt, ...) __attribute__((format(printf, 4, 5), nonnull(1, 4)));
void sweep_reader_warn(struct sweep_reader *r, const struct sweep_value *v, struct str path,
		       const char *fmt, ...) __attribute__((format(printf, 4, 5), nonnull(1, 4)));
/* "parameters.lr" */
struct str sweep_reader_path(struct sweep_reader *r, struct str outer, struct str name)
	__attribute__((nonnull));

/* Members; false: not there, or a fault was noted. Numbers are finite. */
bool sweep_reader_number(struct sweep_reader *r, const struct sweep_value *object, const char *name,
			 struct str outer, double *ret_number) __attribute__((nonnull(1, 3, 5)));
bool sweep_reader_whole(struct sweep_reader *r, const struct sweep_value *object, const char *name,
			struct str outer, int64_t min, int64_t max, int64_t *ret_whole)
	__attribute__((nonnull(1, 3, 7)));
bool sweep_reader_bool(struct sweep_reader *r, const struct sweep_value *object, const char *name,
		       struct str outer, bool *ret_truth) __attribute__((nonnull(1, 3, 5)));
/* Notes a warning for each member that is not one of the names, which end with NULL. */
void sweep_reader_check_names(struct sweep_reader *r, const struct sweep_value *object,
			      struct str outer, const char *const names[], const char *of)
	__attribute__((nonnull));

/* All of "parameters": flattened, sorted, with their conditions. */
void sweep_reader_parameters(struct sweep_reader *r, const struct sweep_value *object)
	__attribute__((nonnull));
/* One that is not nested; `p` has its names already. */
void sweep_reader_parameter(struct sweep_reader *r, const struct sweep_value *object,
			    struct str path, struct sweep_parameter *p) __attribute__((nonnull));
/* Conditions of all parameters, which are sorted; notes unknown names and cycles. */
void sweep_reader_conditions(struct sweep_reader *r, struct sweep_parameter *parameters,
			     const struct sweep_when *whens, size_t count)
	__attribute__((nonnull(1)));

#endif
