#include "color.h"

#include <stdio.h>

#include "arena.h"

enum { HEX_LEN = 7 }; /* of "#rrggbb" */

int32_t color_slot(int32_t number)
{
	return number % COLOR_SLOTS;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

/* "#rrggbb", which a line style may follow. */
static bool is_own(struct str text)
{
	static const char *const dashes[] = { "", "-dash", "-dot" };

	if (text.len < HEX_LEN || text.at[0] != '#')
		return false;
	for (size_t i = 1; i < HEX_LEN; i++)
		if (!is_hex(text.at[i]))
			return false;
	for (size_t i = 0; i < sizeof(dashes) / sizeof(dashes[0]); i++)
		if (str_is((struct str){ text.at + HEX_LEN, text.len - HEX_LEN }, dashes[i]))
			return true;
	return false;
}

static bool is_slot(struct str text)
{
	char name[sizeof("slot--2147483648")];

	for (int slot = 0; slot < COLOR_SLOTS; slot++) {
		snprintf(name, sizeof(name), "slot-%d", slot);
		if (str_is(text, name))
			return true;
	}
	return false;
}

bool color_parse(struct arena *a, struct str text, struct str *ret_color)
{
	char *small;
	struct str color;

	if (text.len > COLOR_MAX)
		return false;
	small = str_copy(a, text);
	for (size_t i = 1; i < text.len && i < HEX_LEN; i++)
		if (small[i] >= 'A' && small[i] <= 'F')
			small[i] = (char)(small[i] - 'A' + 'a');
	color = (struct str){ small, text.len };
	if (!is_own(color) && !is_slot(text))
		return false;
	*ret_color = color;
	return true;
}
