#include "artifact_turn.h"

#include "app.h"

_Static_assert(ARTIFACT_WORKS == sizeof(((struct app *)NULL)->artifact_work) / sizeof(_Atomic int),
	       "each kind of work is counted");

bool artifact_turn_begin(struct app *app, enum artifact_work work)
{
	int64_t limit = (app->config->workers + 3) / 4;

	if (atomic_fetch_add(&app->artifact_work[work], 1) < limit)
		return true;
	artifact_turn_end(app, work);
	return false;
}

void artifact_turn_end(struct app *app, enum artifact_work work)
{
	atomic_fetch_sub(&app->artifact_work[work], 1);
}
