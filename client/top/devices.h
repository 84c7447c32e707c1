#ifndef DEVICES_H
#define DEVICES_H

#include "model.h"

/* Devices made of system metrics, by their names: "gpu.0.gpu" is how busy GPU 0 is. docs/metrics.md lists the names. */
struct devices {
	struct model_device *items;
	size_t count;
};

/* Whether a metric tells about a device, so that its value is wanted. */
bool devices_want(const char *key) __attribute__((nonnull));

/* Adds a value of a host. Of several values of one device, as of several processes of a host, the greatest counts. */
void devices_add(struct devices *devices, const char *host, const char *key, double value)
	__attribute__((nonnull));

/* Hands them over to the model, by host and name. */
void devices_take(struct devices *devices, struct model *model) __attribute__((nonnull));

#endif
