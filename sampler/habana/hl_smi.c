/* hl_smi.c - see hl_smi.h. */
#include "hl_smi.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "decimal.h"

#define FIELD_MAX 64
#define INDEX_MAX 1024
#define NUMBER_MAX 1e12 /* so that bytes of it fit into 64 bits */

struct unit {
	enum hl_smi_value value;
	const char *name; /* "": a count, or a number that lost its unit ("nounits") */
	double times;
};

/* Memory is given in MiB, whether or not the unit is printed. */
static const struct unit units[] = {
	{ HL_SMI_UTILIZATION, "%", 1 },
	{ HL_SMI_UTILIZATION, "", 1 },
	{ HL_SMI_MEMORY_USED, "MiB", 1048576 },
	{ HL_SMI_MEMORY_USED, "", 1048576 },
	{ HL_SMI_MEMORY_TOTAL, "MiB", 1048576 },
	{ HL_SMI_MEMORY_TOTAL, "", 1048576 },
	{ HL_SMI_TEMP, "C", 1 },
	{ HL_SMI_TEMP, "", 1 },
	{ HL_SMI_POWER, "W", 1 },
	{ HL_SMI_POWER, "", 1 },
	{ HL_SMI_CORRECTED_ERRORS, "", 1 },
	{ HL_SMI_UNCORRECTED_ERRORS, "", 1 },
};

/* Copies a field without the blanks around it, and moves behind its comma. False when it does not fit. */
static bool take_field(const char **at, const char *end, char ret_field[FIELD_MAX])
{
	const char *start = *at, *comma = memchr(start, ',', (size_t)(end - start));
	const char *stop = comma ? comma : end;

	*at = comma ? comma + 1 : end;
	while (start < stop && (*start == ' ' || *start == '\t'))
		start++;
	while (stop > start && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r'))
		stop--;
	size_t length = (size_t)(stop - start);
	if (length >= FIELD_MAX)
		return false;
	memcpy(ret_field, start, length);
	ret_field[length] = '\0';
	return true;
}

/* NaN for "N/A", a unit that is not known, and a number that cannot be. */
static double read_value(enum hl_smi_value value, const char *field)
{
	const char *unit;
	double number;

	if (!decimal_with_unit(field, &number, &unit) || number < 0 || number > NUMBER_MAX)
		return NAN;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (units[i].value == value && strcmp(units[i].name, unit) == 0)
			return number * units[i].times;
	}
	return NAN;
}

static bool read_index(const char *field, unsigned *ret_index)
{
	const char *rest;
	double number;

	if (!decimal_with_unit(field, &number, &rest) || *rest || number < 0 ||
	    number >= INDEX_MAX || number != floor(number))
		return false;
	*ret_index = (unsigned)number;
	return true;
}

/* At least the fields of the short query, and not more than those of the long one. */
static bool read_line(const char *at, const char *end, struct hl_smi_device *ret_device)
{
	char field[FIELD_MAX];
	int count = 0;

	for (int i = 0; i < HL_SMI_VALUE_COUNT; i++)
		ret_device->values[i] = NAN;
	if (!take_field(&at, end, field) || !read_index(field, &ret_device->index))
		return false;
	for (; at < end; count++) {
		if (count == HL_SMI_VALUE_COUNT || !take_field(&at, end, field))
			return false;
		ret_device->values[count] = read_value((enum hl_smi_value)count, field);
	}
	return count > HL_SMI_POWER;
}

size_t hl_smi_parse(const char *text, struct hl_smi_device *ret_devices, size_t max)
{
	size_t count = 0;

	for (const char *end; count < max && (end = strchr(text, '\n')) != NULL; text = end + 1)
		count += read_line(text, end, &ret_devices[count]);
	return count;
}
