#ifndef RUN_JSON_H
#define RUN_JSON_H

#include "json_doc.h"
#include "json_out.h"
#include "request.h"
#include "run_store.h"

/* JSON of a run's fields, its states and its ends. */
enum {
	RUN_NOTES_MAX = 64 << 10,
	RUN_TAGS_MAX = 100,
	RUN_REASON_MAX = 1000,
};
#define RUN_STEP_MAX (INT64_C(1) << 53)

/* Returns a run with all fields at their defaults. */
struct run_info run_json_default(struct str name);

/*
 * Reads the body of PUT and POST into *info, where absent members do not change anything. *ret_config: the config that
 * was sent, or NULL. An empty body sets nothing.
 */
err_t run_json_read_new(struct request *q, struct run_info *info,
			const struct json_doc **ret_config) __attribute__((warn_unused_result));
/* The step of the body of rewind. */
err_t run_json_read_rewind(struct request *q, int64_t *ret_step)
	__attribute__((warn_unused_result));
/*
 * Reads the body of PATCH: a merge patch, where null restores the default. Tags can also be added and removed, so that a
 * client that adds one does not drop those of others.
 */
err_t run_json_read_patch(struct request *q, struct run_info *info)
	__attribute__((warn_unused_result));

struct run_finish_body {
	struct str client; /* empty: by hand */
	int32_t session;
	bool has_exit_code;
	struct run_finish finish;
	struct str reason;
};
err_t run_json_read_finish(struct request *q, struct run_finish_body *ret_body)
	__attribute__((warn_unused_result));
/* Reads the end of a writer by a person: a state (0: none was sent) and a reason. */
err_t run_json_read_give_up(struct request *q, struct run_hand *ret_hand)
	__attribute__((warn_unused_result));
err_t run_json_read_stop(struct request *q, struct str *ret_reason)
	__attribute__((warn_unused_result));
err_t run_json_read_state(struct request *q, enum run_state *ret_state, struct str *ret_reason)
	__attribute__((warn_unused_result));

/* The fields that people set, against which If-Match is checked. */
struct str run_json_version(const struct request *q, const struct run_info *info);

/* Within an object that has more. */
void run_json_write_members(struct json_out *o, const struct request *q,
			    const struct run_info *info, const struct run *run);
void run_json_write(struct json_out *o, const struct request *q, const struct run_info *info,
		    const struct run *run);
void run_json_write_state(struct json_out *o, const struct run_state_row *state);

/*
 * Replies with the run as it is now, and reads its directory row for that. The ETag covers only the fields that people
 * set: the others change with each row, and cannot be edited.
 */
err_t run_json_reply(struct request *q, unsigned status, const struct run *run)
	__attribute__((warn_unused_result));

#endif
