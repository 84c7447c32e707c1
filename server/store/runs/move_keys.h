#ifndef MOVE_KEYS_H
#define MOVE_KEYS_H

#include "db.h"
#include "db_row.h"

struct codec;

/* The keys of a run and their new numbers. */
struct key_move {
	int32_t old_id;
	int32_t new_id;
};

/*
 * Renumbers the keys of a run wherever they occur. The run is locked, and nothing waits in its
 * tail. `moves` has each of them, ascending by old_id; those that keep theirs may be among them.
 */
err_t move_keys(struct db *db, struct codec *codec, int64_t run_id, const struct key_move *moves,
		size_t count) __attribute__((warn_unused_result));

extern const struct db_stmt_check move_keys_checks[];
extern const size_t move_keys_check_count;

#endif
