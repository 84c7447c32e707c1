#ifndef SWEEP_YAML_H
#define SWEEP_YAML_H

#include "sweep_config.h"
#include "sweep_value.h"

/*
 * YAML into a value, as PyYAML's safe_load() reads it: YAML 1.1. Plain scalars are resolved by its rules: yes, no, on, off are
 * bools, 010 is 8, 0x1f is 31, 1:30 is 90, 1_000 is 1000, 1.0e-05 is a float, but 1e-3, which has no point, is a text. What
 * differs: a date is a text, a name that is not a text becomes one as json.dumps() makes it (true, null, 1), and tags other than
 * those of these kinds are refused.
 *
 * Anchors, aliases and merges (<<) work; what an alias repeats counts in SWEEP_VALUES_MAX. A duplicate name gives a warning, and
 * the last one counts. An empty text is null.
 *
 * The error is ERR_INVALID and is also the last of the faults.
 */
err_t sweep_yaml_read(struct arena *a, struct str yaml, const struct sweep_value **ret_value,
		      struct sweep_faults *faults) __attribute__((nonnull, warn_unused_result));

#endif
