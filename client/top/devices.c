#include "devices.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name is KIND.NUMBER.REST; of a host itself it has no number. */
static const struct rule {
	const char *kind; /* NULL: of the host */
	const char *rest;
	size_t member;
	double scale;
} rules[] = {
	{ NULL, "cpu", offsetof(struct model_device, busy), 0.01 },
	{ NULL, "memory_percent", offsetof(struct model_device, memory), 0.01 },
	{ NULL, "cpu.temp", offsetof(struct model_device, temperature_c), 1 },
	{ "gpu", "gpu", offsetof(struct model_device, busy), 0.01 },
	{ "gpu", "memoryAllocated", offsetof(struct model_device, memory), 0.01 },
	{ "gpu", "temp", offsetof(struct model_device, temperature_c), 1 },
	{ "gpu", "powerWatts", offsetof(struct model_device, power_w), 1 },
	{ "gpu", "enforcedPowerLimitWatts", offsetof(struct model_device, power_limit_w), 1 },
	{ "tpu", "dutyCycle", offsetof(struct model_device, busy), 0.01 },
	{ "tpu", "memoryUsage", offsetof(struct model_device, memory), 0.01 },
	{ "hpu", "utilization", offsetof(struct model_device, busy), 0.01 },
	{ "hpu", "memoryAllocated", offsetof(struct model_device, memory), 0.01 },
	{ "hpu", "temp", offsetof(struct model_device, temperature_c), 1 },
	{ "hpu", "powerWatts", offsetof(struct model_device, power_w), 1 },
	{ "trn", "neuroncore_utilization", offsetof(struct model_device, busy), 0.01 },
	{ "ipu", "ipu utilisation (%)", offsetof(struct model_device, busy), 0.01 },
	{ "ipu", "average die temp (C)", offsetof(struct model_device, temperature_c), 1 },
	{ "ipu", "average board temp (C)", offsetof(struct model_device, temperature_c), 1 },
	{ "ipu", "ipu power (W)", offsetof(struct model_device, power_w), 1 },
	{ "ipu", "total board power (W)", offsetof(struct model_device, power_w), 1 },
};

/* The rule of a name, and the number in it (0 where there is none). */
static const struct rule *find_rule(const char *key, unsigned *ret_number)
{
	size_t kind = strcspn(key, "."), digits = 0;

	*ret_number = 0;
	if (key[kind])
		digits = strspn(key + kind + 1, "0123456789");
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		const struct rule *rule = &rules[i];

		if (!rule->kind && strcmp(rule->rest, key) == 0)
			return rule;
		if (!rule->kind || digits == 0 || digits > 4 || strlen(rule->kind) != kind ||
		    strncmp(rule->kind, key, kind) != 0)
			continue;
		if (key[kind + 1 + digits] == '.' &&
		    strcmp(key + kind + digits + 2, rule->rest) == 0) {
			*ret_number = (unsigned)strtoul(key + kind + 1, NULL, 10);
			return rule;
		}
	}
	return NULL;
}

bool devices_want(const char *key)
{
	unsigned number;

	return find_rule(key, &number) != NULL;
}

static struct model_device *find(struct devices *devices, const char *host, const char *name)
{
	struct model_device *items, *device;

	for (size_t i = 0; i < devices->count; i++) {
		if (strcmp(devices->items[i].name, name) == 0 &&
		    strcmp(devices->items[i].host, host) == 0)
			return &devices->items[i];
	}
	if (devices->count == MODEL_DEVICES_MAX)
		return NULL;
	items = realloc(devices->items, (devices->count + 1) * sizeof *items);
	if (!items)
		return NULL;
	devices->items = items;
	device = &items[devices->count];
	*device = (struct model_device){ .host = strdup(host),
					 .busy = NAN,
					 .memory = NAN,
					 .temperature_c = NAN,
					 .power_w = NAN,
					 .power_limit_w = NAN };
	snprintf(device->name, sizeof device->name, "%s", name);
	if (!device->host)
		return NULL;
	devices->count++;
	return device;
}

void devices_add(struct devices *devices, const char *host, const char *key, double value)
{
	char name[MODEL_DEVICE_NAME_SIZE];
	struct model_device *device;
	const struct rule *rule;
	unsigned number;
	double *member;

	rule = find_rule(key, &number);
	if (!rule || !isfinite(value))
		return;
	if (rule->kind)
		snprintf(name, sizeof name, "%s %u", rule->kind, number);
	else
		snprintf(name, sizeof name, "cpu");
	device = find(devices, host, name);
	if (!device)
		return;
	member = (double *)(void *)((char *)device + rule->member);
	*member = fmax(*member, value * rule->scale);
}

/* By host, the host itself first, then by kind and number. */
static int in_order(const void *a, const void *b)
{
	const struct model_device *first = a, *second = b;
	int order = strverscmp(first->host, second->host);

	return order ? order : strverscmp(first->name, second->name);
}

void devices_take(struct devices *devices, struct model *model)
{
	if (devices->count)
		qsort(devices->items, devices->count, sizeof devices->items[0], in_order);
	model_take_devices(model, devices->items, devices->count);
	*devices = (struct devices){ 0 };
}
