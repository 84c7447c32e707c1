#include "color.h"

#include "arena.h"

int32_t color_slot(int32_t number)
{
	return number % COLOR_SLOTS;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool color_parse(struct arena *a, struct str text, struct str *ret_color)
{
	char *small;

	if (text.len != COLOR_LEN || text.at[0] != '#')
		return false;
	small = str_copy(a, text);
	for (size_t i = 1; i < COLOR_LEN; i++) {
		if (small[i] >= 'A' && small[i] <= 'F')
			small[i] = (char)(small[i] - 'A' + 'a');
		if (!is_hex(small[i]))
			return false;
	}
	*ret_color = (struct str){ small, COLOR_LEN };
	return true;
}
