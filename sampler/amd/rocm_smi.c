/* rocm_smi.c - see rocm_smi.h. */
#include "rocm_smi.h"

#include <string.h>

#include "decimal.h"
#include "json_walk.h"

#define NAME_MAX_BYTES 96
#define VALUE_MAX_BYTES 64

/* Values that are kept only to compute or choose others. */
enum helper { JUNCTION = AMD_METRIC_COUNT, EDGE, VRAM_TOTAL, FIELD_COUNT };

struct field {
	const char *name;
	int value;        /* enum amd_metric or enum helper */
	const char *unit; /* NULL: any; else what must begin the unit */
};

static const struct field fields[] = {
	{ "GPU use (%)", AMD_GPU },
	{ "GPU Memory Allocated (VRAM%)", AMD_MEMORY_ALLOCATED },
	{ "GPU memory use (%)", AMD_MEMORY_ACTIVITY }, /* up to ROCm 6.0 */
	{ "GPU Memory Read/Write Activity (%)", AMD_MEMORY_ACTIVITY },
	{ "GPU Memory OverDrive value (%)", AMD_MEMORY_OVERDRIVE },
	{ "Temperature (Sensor memory) (C)", AMD_TEMP },
	{ "Temperature (Sensor junction) (C)", JUNCTION },
	{ "Temperature (Sensor edge) (C)", EDGE },
	{ "Average Graphics Package Power (W)", AMD_POWER_WATTS },
	{ "Current Socket Graphics Package Power (W)", AMD_POWER_WATTS },
	{ "Max Graphics Package Power (W)", AMD_POWER_LIMIT_WATTS },
	{ "VRAM Total Used Memory (B)", AMD_MEMORY_ALLOCATED_BYTES },
	{ "VRAM Total Memory (B)", VRAM_TOTAL },
	{ "sclk clock speed:", AMD_SHADER_CLOCK }, /* "(800Mhz)" */
	{ "mclk clock speed:", AMD_MEMORY_CLOCK },
	{ "Fan speed (%)", AMD_FAN_SPEED },
	{ "Fan Level", AMD_FAN_SPEED, "%" }, /* "42%"; a bare number is a level of 255 */
};

static const struct field *field_of(const char *name)
{
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	}
	return NULL;
}

/* Numbers are texts in all known releases; "N/A (Secondary die)" is none. */
static double read_value(struct json_walk *walk, const char *wanted_unit)
{
	char text[VALUE_MAX_BYTES];
	const char *at = text, *unit;
	double number;

	if (json_walk_number(walk, &number))
		return number;
	if (!json_walk_text(walk, text, sizeof text)) {
		json_walk_skip(walk);
		return NAN;
	}
	at += *at == '(';
	if (!decimal_with_unit(at, &number, &unit))
		return NAN;
	return !wanted_unit || *unit == *wanted_unit ? number : NAN;
}

static void choose(const double *values, struct amd_reading *ret_reading)
{
	double *v = ret_reading->values;

	memcpy(v, values, sizeof ret_reading->values);
	if (isnan(v[AMD_TEMP]))
		v[AMD_TEMP] = isnan(values[JUNCTION]) ? values[EDGE] : values[JUNCTION];
	if (values[VRAM_TOTAL] > 0 && !isnan(v[AMD_MEMORY_ALLOCATED_BYTES]))
		v[AMD_MEMORY_ALLOCATED] = 100 * v[AMD_MEMORY_ALLOCATED_BYTES] / values[VRAM_TOTAL];
	amd_reading_complete(ret_reading);
}

/* False when the text ends within the card. */
static bool read_card(struct json_walk *walk, struct amd_reading *ret_reading)
{
	double values[FIELD_COUNT];
	char name[NAME_MAX_BYTES];

	for (int i = 0; i < FIELD_COUNT; i++)
		values[i] = NAN;
	while (json_walk_member(walk, name, sizeof name)) {
		const struct field *field = field_of(name);
		if (!field) {
			json_walk_skip(walk);
			continue;
		}
		double value = read_value(walk, field->unit);
		if (!isnan(value))
			values[field->value] = value;
	}
	choose(values, ret_reading);
	return !walk->has_failed;
}

/* "card12": 12. */
static bool index_of(const char *name, unsigned *ret_index)
{
	double number;
	const char *at = name + 4;

	if (strncmp(name, "card", 4) != 0 || !decimal_read(&at, &number) || *at || number < 0 ||
	    number > 1e6)
		return false;
	*ret_index = (unsigned)number;
	return true;
}

/* Warnings of the tool come before the line that begins the object. */
static const char *find_object(const char *text, const char *end)
{
	for (const char *line = text; line < end;) {
		if (*line == '{')
			return line;
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			break;
		line = newline + 1;
	}
	return NULL;
}

size_t rocm_smi_parse(const char *text, size_t length, struct rocm_smi_card *ret_cards, size_t max)
{
	const char *end = text + length, *begin = find_object(text, end);
	char name[NAME_MAX_BYTES];
	struct json_walk walk;
	size_t count = 0;

	if (!begin)
		return 0;
	json_walk_begin(&walk, begin, (size_t)(end - begin));
	if (!json_walk_object(&walk))
		return 0;
	while (json_walk_member(&walk, name, sizeof name)) {
		unsigned index;
		bool is_card = index_of(name, &index) && count < max && json_walk_object(&walk);
		if (!is_card)
			json_walk_skip(&walk);
		else if (read_card(&walk, &ret_cards[count].reading))
			ret_cards[count++].index = index;
	}
	return count;
}
