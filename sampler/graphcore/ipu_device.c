/* ipu_device.c - see ipu_device.h. */
#include "ipu_device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "json_walk.h"

#define LINE_MAX_BYTES 256
#define ID_MAX 1e6

struct unit {
	const char *ending; /* of the attribute's name */
	const char *unit;   /* after the number, maybe with a space before it */
};

/* The session's utilisation also ends with a word of the table. */
static const struct unit units[] = {
	{ "temp", "C" },
	{ "clock", "MHz" },
	{ "power", "W" },
	{ "utilisation", "%" },
	{ "utilisation (session)", "%" },
	{ "speed", "GT/s" },
};

static const char *const varying[] = {
	"average board temp",
	"average die temp",
	"clock",
	"ipu power",
	"total board power",
	"ipu utilisation",
	"ipu utilisation (session)",
};

static bool ends_with(const char *text, const char *ending)
{
	size_t length = strlen(text), tail = strlen(ending);

	return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static const char *unit_of(const char *name)
{
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (ends_with(name, units[i].ending))
			return units[i].unit;
	}
	return NULL;
}

static bool varies(const char *name)
{
	for (size_t i = 0; i < sizeof varying / sizeof varying[0]; i++) {
		if (strcmp(name, varying[i]) == 0)
			return true;
	}
	return false;
}

/* "36.2 C", "1300MHz", "8"; not "1.3.0", "0000:1a:00.0", "0 1" or "N/A". */
static bool read_number(const char *text, const char *unit, double *ret_number)
{
	const char *rest;

	if (!decimal_with_unit(text, ret_number, &rest))
		return false;
	return *rest == '\0' || (unit && strcmp(rest, unit) == 0);
}

static void add_value(struct ipu_device *device, const char *name, const char *unit, double number)
{
	if (device->count == IPU_VALUES_MAX)
		return;
	struct ipu_value *value = &device->values[device->count];
	int length = snprintf(value->name, sizeof value->name, unit ? "%s (%s)" : "%s", name, unit);
	if ((size_t)length >= sizeof value->name)
		return;
	value->varies = varies(name);
	value->value = number;
	device->count++;
}

static void add_attribute(struct ipu_device *device, const char *name, const char *text)
{
	const char *unit = unit_of(name);
	double number;

	if (strcmp(name, "board type") == 0)
		snprintf(device->board, sizeof device->board, "%s", text);
	if (!read_number(text, unit, &number))
		return;
	if (strcmp(name, "id") == 0 && number >= 0 && number < ID_MAX) {
		device->has_id = true;
		device->id = (unsigned)number;
	} else if (strcmp(name, "user process id") == 0 && number > 0 && number < INT_MAX) {
		device->user = (pid_t)number;
	} else {
		add_value(device, name, unit, number);
	}
}

bool ipu_device_from_text(const char *text, struct ipu_device *ret_device)
{
	char line[LINE_MAX_BYTES];

	*ret_device = (struct ipu_device){ 0 };
	while (*text) {
		size_t length = strcspn(text, "\n");
		if (length < sizeof line) {
			snprintf(line, sizeof line, "%.*s", (int)length, text);
			char *name = line + strspn(line, " \t");
			char *value = strstr(name, ": ");
			if (value) {
				*value = '\0';
				add_attribute(ret_device, name, value + 2);
			}
		}
		text += length + (text[length] == '\n');
	}
	return ret_device->has_id;
}

struct inventory {
	struct ipu_device *devices;
	size_t count;
	size_t max;
};

static void read_value(struct json_walk *walk, struct inventory *inventory);

/* An object is a device if it has an id; what lies deeper is looked at in any case. */
static void read_object(struct json_walk *walk, struct inventory *inventory)
{
	char name[IPU_VALUE_NAME_MAX], text[LINE_MAX_BYTES];
	struct ipu_device device = { 0 };
	double number;

	while (json_walk_member(walk, name, sizeof name)) {
		if (json_walk_text(walk, text, sizeof text)) {
			add_attribute(&device, name, text);
		} else if (json_walk_number(walk, &number)) {
			snprintf(text, sizeof text, "%.15g", number);
			add_attribute(&device, name, text);
		} else {
			read_value(walk, inventory);
		}
	}
	if (device.has_id && !walk->has_failed && inventory->count < inventory->max)
		inventory->devices[inventory->count++] = device;
}

static void read_value(struct json_walk *walk, struct inventory *inventory)
{
	if (json_walk_object(walk)) {
		read_object(walk, inventory);
	} else if (json_walk_array(walk)) {
		while (json_walk_element(walk))
			read_value(walk, inventory);
	} else {
		json_walk_skip(walk);
	}
}

size_t ipu_devices_from_json(const char *text, size_t length, struct ipu_device *ret_devices,
			     size_t max)
{
	struct inventory inventory = { .devices = ret_devices, .max = max };
	struct json_walk walk;

	json_walk_begin(&walk, text, length);
	read_value(&walk, &inventory);
	return inventory.count;
}

size_t ipu_ids_from_list(const char *text, unsigned *ret_ids, size_t max)
{
	static const char word[] = "-+- Id: [";
	size_t count = 0;

	for (const char *at = text; count < max && (at = strstr(at, word)) != NULL;) {
		at += strlen(word);
		size_t length = strcspn(at, "\n");
		const char *several = strstr(at, "Multi IPU");
		double id;
		if (several && several < at + length)
			continue;
		if (decimal_read(&at, &id) && *at == ']' && id >= 0 && id < ID_MAX)
			ret_ids[count++] = (unsigned)id;
	}
	return count;
}
