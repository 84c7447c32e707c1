#ifndef WATCH_STORE_H
#define WATCH_STORE_H

#include "db.h"
#include "db_row.h"

/* Changes among the runs of a project, for clients that watch all of them. */

struct watch_running_row {
	int64_t run_id;
	int64_t rows;
	int64_t event_rows;
	int64_t last_step;
	timestamp_us heard_at;
};
/* At most so many, the newest running runs; by run_id. */
err_t watch_store_running(struct db *db, int64_t project_id, int64_t limit,
			  struct watch_running_row **ret_rows, size_t *ret_count);

struct watch_changed_row {
	int64_t run_id;
	int64_t change; /* the project's count when its document was changed last */
	int64_t shown;  /* and when its visibility was */
};
struct watch_changed_ask {
	int64_t project_id;
	int64_t after;
	int64_t up_to;
	int64_t limit;
};
/* By change; deleted ones, too. */
err_t watch_store_changed(struct db *db, const struct watch_changed_ask *ask,
			  struct watch_changed_row **ret_rows, size_t *ret_count);

struct watch_name_row {
	int64_t run_id;
	struct str name;
	int16_t visibility;
	bool deleted;
};
/* By run_id. */
err_t watch_store_names(struct db *db, int64_t project_id, const int64_t *run_ids, size_t asked,
			struct watch_name_row **ret_rows, size_t *ret_count);
/* The runs with these names, in any order. */
err_t watch_store_named(struct db *db, int64_t project_id, const struct str *names, size_t asked,
			struct watch_name_row **ret_rows, size_t *ret_count);

extern const struct db_stmt_check watch_store_checks[];
extern const size_t watch_store_check_count;

#endif
