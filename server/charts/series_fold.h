#ifndef SERIES_FOLD_H
#define SERIES_FOLD_H

#include "request.h"
#include "series_ask.h"

/*
 * Joins the sampled series of writers on one host, which all measure the same machine, if the panel asks for it.
 * *ret_hosts: the host of each series that is left, empty if the writer sent none and was not joined; NULL: not asked
 * for.
 */
err_t series_fold(struct request *q, const struct series_panel *panel,
		  struct sampled_answer *answer, const struct str **ret_hosts)
	__attribute__((warn_unused_result));

#endif
