#ifndef REWOUND_SUMMARY_H
#define REWOUND_SUMMARY_H

#include "leaves.h"

/*
 * The explicitly set part of a run's summary, when the run is rewound: values under the name of a
 * metric (its greatest, its mean, a last value that a client set) describe rows that are hidden
 * from now on, and are dropped; the rest does not depend on rows, and stays. The document without
 * it; `names` are the metrics, in any order, and get sorted.
 */
const struct json_doc *rewound_summary(struct arena *a, const struct leaves *leaves,
				       struct str *names, size_t count);

#endif
