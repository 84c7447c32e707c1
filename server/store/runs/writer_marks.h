#ifndef WRITER_MARKS_H
#define WRITER_MARKS_H

#include "db.h"
#include "writer_mark.h"

/*
 * Marks of writers in the tail (tail.marks): with the last block that a flush put into a run's
 * tail, those of all writers it changed. A flush that has no block for a run updates the writers'
 * rows itself. from, to: the run's version before and after the flush, so that a reader that knows
 * the writers at the one version knows them at the other.
 */
struct marks {
	int64_t run_id;
	int64_t seq; /* of the block that they are stored with */
	int64_t from;
	int64_t to;
	const struct writer_mark *at;
	size_t count;
};

/* The bytes of marks, without run and seq. */
struct str marks_encode(struct arena *a, const struct marks *m);
/* False: they are damaged. */
bool marks_decode(struct arena *a, struct str bytes, struct marks *ret_marks);

/* By run and seq, those after afters[i] of run_ids[i]. */
err_t marks_store_list(struct db *db, const int64_t *run_ids, const int64_t *afters, size_t asked,
		       struct marks **ret_marks, size_t *ret_count)
	__attribute__((warn_unused_result));
/*
 * The marks of a run that are not in the writers' rows yet. Without the run's lock, read them
 * before the rows: marks that are applied in between are then in both, which does no harm.
 */
err_t marks_store_waiting(struct db *db, int64_t run_id, struct marks **ret_marks,
			  size_t *ret_count) __attribute__((warn_unused_result));

/* The same as bytes. */
struct marks_row {
	int64_t run_id;
	int64_t seq;
	struct str marks;
};
err_t marks_store_read(struct db *db, int64_t run_id, struct marks_row **ret_rows,
		       size_t *ret_count) __attribute__((warn_unused_result));

/* Applies all marks to their writers; the writers may be in any order. */
void marks_apply(struct arena *a, const struct marks *marks, size_t mark_count,
		 struct writer *writers, size_t writer_count);

/* Run locked: updates the writers' rows from the marks. */
err_t marks_store_fold(struct db *db, int64_t run_id, const struct marks *marks, size_t count)
	__attribute__((warn_unused_result));

#endif
