#ifndef PROJECT_PAUSE_H
#define PROJECT_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Projects whose webhook just failed: this server leaves them alone for a moment, a longer one each
 * time, so that a dead webhook with many alerts does not take the places of others. If there is no
 * room for more, the one that would be tried first is dropped.
 */
enum { PROJECT_PAUSES = 64 };

struct project_pause {
	struct {
		int64_t project_id;
		int64_t until_us; /* monotonic; 0: free */
		unsigned failures;
	} at[PROJECT_PAUSES];
};

void project_pause_note(struct project_pause *pause, int64_t project_id, bool went_well,
			int64_t now_us);
/* The projects to be left alone now. */
size_t project_pause_list(const struct project_pause *pause, int64_t now_us,
			  int64_t ids[static PROJECT_PAUSES]);

#endif
