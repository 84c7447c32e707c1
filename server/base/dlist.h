#ifndef DLIST_H
#define DLIST_H

/*
 * Doubly linked lists of structs that have the members `next` and `previous`; `first` is the list,
 * NULL when it is empty. An item in no list has NULL in both.
 */
#define DLIST_ADD(first, item) \
	do { \
		(item)->previous = NULL; \
		(item)->next = (first); \
		if ((item)->next) \
			(item)->next->previous = (item); \
		(first) = (item); \
	} while (0)

#define DLIST_REMOVE(first, item) \
	do { \
		if ((item)->next) \
			(item)->next->previous = (item)->previous; \
		if ((item)->previous) \
			(item)->previous->next = (item)->next; \
		else \
			(first) = (item)->next; \
		(item)->next = NULL; \
		(item)->previous = NULL; \
	} while (0)

#endif
