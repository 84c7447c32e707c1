#ifndef REWOUND_SUMMARY_H
#define REWOUND_SUMMARY_H

#include "leaves.h"

/*
 * What was set explicitly in a run's summary, when the run is rewound: what stands under the name of a
 * metric (its greatest, its mean, a last value that somebody set) tells of rows that are hidden from now
 * on, and goes; the rest says nothing of rows, and stays. The document without it; `names` are the
 * metrics, in any order, and get sorted.
 */
const struct json_doc *rewound_summary(struct arena *a, const struct leaves *leaves,
				       struct str *names, size_t count);

#endif
