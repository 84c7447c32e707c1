/*
 * ipu_device.h - the attributes of a Graphcore IPU, as gc-info prints them and gc-inventory gives
 * them as JSON.
 *
 * Graphcore's "Device attributes" lists them. Numbers carry units; the unit becomes part of the
 * metric's name, as "clock (MHz)", since the names are in use that way.
 */
#ifndef CAIRN_SAMPLER_IPU_DEVICE_H
#define CAIRN_SAMPLER_IPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define IPU_VALUES_MAX 64
#define IPU_VALUE_NAME_MAX 64

struct ipu_value {
	char name[IPU_VALUE_NAME_MAX]; /* with its unit */
	bool varies;                   /* worth a value in each row */
	double value;
};

struct ipu_device {
	bool has_id;
	unsigned id;
	pid_t user; /* the process that uses it; 0: none */
	char board[32];
	size_t count;
	struct ipu_value values[IPU_VALUES_MAX];
};

/* "key: value" lines of `gc-info -d N --device-info`. False without an id. */
bool ipu_device_from_text(const char *text, struct ipu_device *ret_device);

/* Every object within the JSON that has an "id"; other members are skipped. The count; at most `max`. */
size_t ipu_devices_from_json(const char *text, size_t length, struct ipu_device *ret_devices,
			     size_t max);

/* The ids of `gc-info --list-devices`. Groups of several IPUs are left out: their values are lists. */
size_t ipu_ids_from_list(const char *text, unsigned *ret_ids, size_t max);

#endif
