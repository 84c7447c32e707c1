#ifndef SERIES_STEPS_H
#define SERIES_STEPS_H

#include "series_lanes.h"

/*
 * Whether the writers of some keys of a run sent steps of their own, judged from lanes that were
 * read. The server itself gives each row a step above all before it: if one is not above, it was
 * sent. False: there are several writers, and none of their rows share a step or go back.
 */
err_t series_steps_are_sent(struct db *db, struct codec *codec, const struct series_ask *ask,
			    const struct lanes *lanes, bool *ret_sent)
	__attribute__((warn_unused_result));

#endif
