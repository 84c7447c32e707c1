#ifndef RUN_LIST_H
#define RUN_LIST_H

#include "run.h"

/* By id; and one of so many that are in this order, or NULL. */
void run_list_sort(struct run *runs, size_t count);
const struct run *run_list_find(const struct run *runs, size_t count, int64_t run_id);

#endif
