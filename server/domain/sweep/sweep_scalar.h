#ifndef SWEEP_SCALAR_H
#define SWEEP_SCALAR_H

#include "sweep_value.h"

/*
 * The type of a plain scalar of YAML 1.1, by the patterns of PyYAML: yaml/resolver.py and yaml/constructor.py. They differ from the
 * specification: a float needs a point, the exponent a sign, .5 has no sign, and -.nan is a text. A date is a text here.
 */
enum sweep_scalar_fault {
	SWEEP_SCALAR_GOOD,
	SWEEP_SCALAR_TOO_BIG,  /* an integer beyond 64 bits */
	SWEEP_SCALAR_NO_DIGITS /* "0x_", which PyYAML refuses */
};

/* Text of *ret_value is `plain` itself. */
enum sweep_scalar_fault sweep_scalar_resolve(struct arena *a, struct str plain,
					     struct sweep_value *ret_value)
	__attribute__((nonnull));
/* 1e-3: a text, although nearly everybody means a number. */
bool sweep_scalar_is_misread(struct str plain);

#endif
