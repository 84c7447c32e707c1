#include "run_change.h"

#include "run_json.h"
#include "run_target.h"

err_t run_change(struct request *q, run_change_fn *change, const void *arg, struct run **ret_run)
{
	struct run_edit edit = { .is_unchanged = false };
	err_t e = run_target_lock(q, &edit.run);

	if (!e)
		e = change(q, &edit, arg);
	if (!e && !edit.is_unchanged)
		e = run_target_save(q, edit.run, &edit.changes);
	if (!e)
		*ret_run = edit.run;
	return e;
}

err_t run_change_and_reply(struct request *q, run_change_fn *change, const void *arg)
{
	struct run *run;
	err_t e = run_change(q, change, arg, &run);

	return e ? e : run_json_reply(q, 200, run);
}
