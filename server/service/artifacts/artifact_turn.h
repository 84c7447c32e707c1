#ifndef ARTIFACT_TURN_H
#define ARTIFACT_TURN_H

#include <stdbool.h>

/*
 * Work on artifacts that keeps a worker for long. A quarter of the workers may do each kind of it, so that requests of runs find
 * a worker whatever comes. Never waits: false when there is none left.
 */
struct app;

enum artifact_work {
	ARTIFACT_STORES, /* or commits many entries */
	ARTIFACT_WAITS,  /* for a lock that another request holds for long */
	ARTIFACT_WORKS,
};
bool artifact_turn_begin(struct app *app, enum artifact_work work);
void artifact_turn_end(struct app *app, enum artifact_work work);

#endif
