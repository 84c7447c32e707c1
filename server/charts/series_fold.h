#ifndef SERIES_FOLD_H
#define SERIES_FOLD_H

#include "request.h"
#include "series_ask.h"

/*
 * What a panel asks to be made of sampled series: of writers on one host, who all measure the same
 * machine, one series. *ret_hosts: of each series that is left its host, empty
 * where the writer did not tell one and stands for itself; NULL: not asked for.
 */
err_t series_fold(struct request *q, const struct series_panel *panel,
		  struct sampled_answer *answer, const struct str **ret_hosts)
	__attribute__((warn_unused_result));

#endif
