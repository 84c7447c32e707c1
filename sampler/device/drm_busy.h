/* drm_busy.h - how busy the process tree kept a graphics card between two rows. */
#ifndef CAIRN_SAMPLER_DRM_BUSY_H
#define CAIRN_SAMPLER_DRM_BUSY_H

#include "drm_clients.h"

/* The counters of the tree's clients on one card at the last row. All zero is none. */
struct drm_busy {
	char address[PCI_ADDRESS_MAX];
	uint64_t now_ns;
	size_t engine_count;
	struct drm_engine engines[DRM_ENGINES_MAX];
};

/* Per cent of the time since the last row in which the tree's work ran on its busiest class of
 * engines. A client that ended took its counters with it: then it is NaN, as in the first row. */
double drm_busy_percent(struct drm_busy *busy, const struct drm_use *use, uint64_t now_ns);

#endif
