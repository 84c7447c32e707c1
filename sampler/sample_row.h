/* sample_row.h - filling a row: bounded, finite values only. */
#ifndef CAIRN_SAMPLER_SAMPLE_ROW_H
#define CAIRN_SAMPLER_SAMPLE_ROW_H

#include "sampler.h"

void sample_row_begin(struct sampler_row *row);

/* Adds a value; NaN and infinity are left out. `name` lives as long as the sampler. */
void sample_row_add(struct sampler_row *row, const char *name, double value);

#endif
