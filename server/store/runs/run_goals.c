#include "run_goals.h"

#include "arena.h"
#include "db_row.h"
#include "leaves.h"
#include "sdk_lists.h"
#include "sdk_made.h"
#include "store_sql.h"

enum { AT_ONCE_BYTES = 2 << 20, SCRATCH_BYTES = 64 << 10 };

/* A leaf of the config; without a path the edit of "_wandb". */
struct definition_row {
	int64_t run_id;
	struct str path;
	struct str value;
};
static const struct db_column definition_columns[] = {
	DB_COLUMN(struct definition_row, run_id),
	DB_BYTES(struct definition_row, path),
	DB_COLUMN(struct definition_row, value),
};
const struct db_row_table definition_table =
	DB_ROW_TABLE(struct definition_row, definition_columns);

/* ---- of one run ---------------------------------------------------------------------------------- */

static err_t edit(struct arena *a, struct str text, const struct json_doc **config)
{
	struct json_member member = { STR("_wandb"), NULL };
	err_t e = json_doc_parse(a, text, &member.value);

	if (!e)
		*config = json_doc_patch(a, *config, json_doc_object(a, &member, 1));
	return e;
}

/* Builds the part of its config that there are rows of. */
static err_t read_config(struct arena *a, const struct definition_row *rows, size_t count,
			 const struct json_doc **ret_config)
{
	const bool is_edited = !rows[0].path.len;
	struct leaves leaves = { arena_new_array(a, struct leaf, count), 0 };
	err_t e = NULL;

	for (size_t i = is_edited; i < count && !e; i++) {
		struct leaf *leaf = &leaves.at[leaves.count++];

		leaf->path = rows[i].path;
		e = json_doc_parse(a, rows[i].value, &leaf->value);
	}
	if (e)
		return e;
	*ret_config = sdk_lists_close(a, leaves_join(a, &leaves));
	return is_edited ? edit(a, rows[0].value, ret_config) : NULL;
}

static void set_goal(const struct run_goals_ask *ask, int64_t run_id, enum best_goal goal,
		     enum best_goal *goals)
{
	for (size_t i = 0; i < ask->run_count; i++) {
		if (ask->run_ids[i] == run_id)
			goals[i] = goal;
	}
}

static err_t take_run(struct arena *a, const struct run_goals_ask *ask,
		      const struct definition_row *rows, size_t count, enum best_goal *goals)
{
	const struct json_doc *config;
	struct sdk_made made;
	err_t e = read_config(a, rows, count, &config);

	if (e)
		return e;
	sdk_made_init(&made, a, config);
	set_goal(ask, rows[0].run_id,
		 sdk_made_goal(&made, ask->key) == SDK_GOAL_MIN ? BEST_MIN : BEST_MAX, goals);
	return NULL;
}

/* ---- of all -------------------------------------------------------------------------------------- */

static size_t rows_of_one(const struct definition_row *rows, size_t count)
{
	size_t same = 1;

	while (same < count && rows[same].run_id == rows[0].run_id)
		same++;
	return same;
}

/* For the next runs after *after, which is set past all runs if there are no more. */
static err_t read_some(struct db *db, const struct run_goals_ask *ask, int64_t *after,
		       enum best_goal *goals)
{
	struct definition_row *rows;
	size_t count;
	size_t of_run;
	err_t e = db_all(db, &STMT_leaf_definitions,
			 DB_ARGS(P_ARRAY(DB_INT8_ARRAY, ask->run_ids, ask->run_count),
				 P_INT8(*after), P_INT8(AT_ONCE_BYTES)),
			 &definition_table, (void **)&rows, &count);

	if (e)
		return e;
	*after = count ? rows[count - 1].run_id : INT64_MAX;
	for (size_t i = 0; i < count && !e; i += of_run) {
		of_run = rows_of_one(rows + i, count - i);
		e = take_run(db_arena(db), ask, rows + i, of_run, goals);
	}
	return e;
}

static void free_scratch(void *p)
{
	arena_free(p);
}

err_t run_goals_read(struct db *db, const struct run_goals_ask *ask, enum best_goal *ret_goals)
{
	struct arena *home = db_arena(db);
	struct arena *scratch = arena_new_beside(home, SCRATCH_BYTES);
	int64_t after = INT64_MIN;
	err_t e = NULL;

	arena_defer(home, free_scratch, scratch); /* an error lives in it */
	for (size_t i = 0; i < ask->run_count; i++)
		ret_goals[i] = BEST_MAX;
	db_set_arena(db, scratch);
	while (after < INT64_MAX && !e) {
		e = read_some(db, ask, &after, ret_goals);
		if (!e)
			arena_reset(scratch);
	}
	db_set_arena(db, home);
	return e;
}
