#ifndef SWEEP_MEMBERS_H
#define SWEEP_MEMBERS_H

#include "buf.h"
#include "sweep_value.h"

struct sweep_faults;

/* Items and members of a list or object that is being read; their memory ends with the call of ..._end(). */
struct sweep_items {
	struct buf values;
};
void sweep_items_add(struct sweep_items *items, struct sweep_value v) __attribute__((nonnull));
void sweep_items_end(struct arena *a, struct sweep_items *items, struct sweep_value *ret_list)
	__attribute__((nonnull));

struct sweep_members {
	struct buf members;
};
void sweep_members_add(struct sweep_members *members, struct sweep_member m)
	__attribute__((nonnull));
/*
 * Among equal names the value of the last one stays, in the place of the first, as in Python; `faults`, if not NULL, gets a warning for
 * each.
 */
void sweep_members_end(struct arena *a, struct sweep_members *members,
		       struct sweep_value *ret_object, struct sweep_faults *faults)
	__attribute__((nonnull(1, 2, 3)));

#endif
