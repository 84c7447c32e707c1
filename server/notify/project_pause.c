#include "project_pause.h"

enum { FIRST_US = 500 * 1000, LONGEST_US = 30 * 1000 * 1000, DOUBLINGS = 6 };

static size_t find(const struct project_pause *pause, int64_t project_id)
{
	size_t first = 0;

	for (size_t i = 0; i < PROJECT_PAUSES; i++) {
		if (pause->at[i].until_us && pause->at[i].project_id == project_id)
			return i;
		if (pause->at[i].until_us < pause->at[first].until_us)
			first = i;
	}
	return first;
}

void project_pause_note(struct project_pause *pause, int64_t project_id, bool went_well,
			int64_t now_us)
{
	size_t i = find(pause, project_id);
	bool is_known = pause->at[i].until_us && pause->at[i].project_id == project_id;
	int64_t wait_us = FIRST_US;

	if (went_well) {
		if (is_known)
			pause->at[i].until_us = 0;
		return;
	}
	pause->at[i].failures = is_known ? pause->at[i].failures + 1 : 1;
	pause->at[i].project_id = project_id;
	for (unsigned f = 1; f < pause->at[i].failures && f < DOUBLINGS; f++)
		wait_us *= 2;
	pause->at[i].until_us = now_us + (wait_us < LONGEST_US ? wait_us : LONGEST_US);
}

size_t project_pause_list(const struct project_pause *pause, int64_t now_us,
			  int64_t ids[static PROJECT_PAUSES])
{
	size_t count = 0;

	for (size_t i = 0; i < PROJECT_PAUSES; i++) {
		if (pause->at[i].until_us > now_us)
			ids[count++] = pause->at[i].project_id;
	}
	return count;
}
