#include "alert.h"
#include "arena.h"
#include "verify_run.h"

static const struct verify_location alert_location = { .part = VERIFY_ALERT, .writer = -1 };
static const struct verify_location counter_location = { .part = VERIFY_COUNTER, .writer = -1 };

static void check_delivery(struct verify_run *v, const struct verify_alert *a)
{
	bool is_to_wait = a->delivery == ALERT_WAITING;

	if (is_to_wait != (a->due_project != 0))
		verify_tell(v, &alert_location, "alert %d is \"%s\", but %s to be sent", a->number,
			    alert_delivery_name(a->delivery),
			    a->due_project ? "waits" : "is not waiting");
	else if (is_to_wait && a->due_project != v->item->project_id)
		verify_tell(v, &alert_location,
			    "alert %d is waiting to be sent for a different project", a->number);
}

static void check_alert(struct verify_run *v, const struct verify_alert *a)
{
	if (!a->is_there) {
		verify_tell(v, &alert_location,
			    "alert %d is waiting to be sent, but does not exist", a->number);
		return;
	}
	if (a->writer >= 0 && !verify_writer(v, a->writer))
		verify_tell(v, &alert_location,
			    "alert %d belongs to a writer that does not exist in "
			    "the run",
			    a->number);
	check_delivery(v, a);
}

err_t verify_alerts(struct verify_run *v)
{
	struct verify_alert *alerts;
	int32_t next = 1;
	size_t count;
	err_t e;

	arena_reset(v->answer);
	e = verify_store_list_alerts(v->db, v->item->run_id, &alerts, &count);
	for (size_t i = 0; i < count && !e; i++) {
		check_alert(v, &alerts[i]);
		if (!alerts[i].is_there)
			continue;
		if (alerts[i].number != next)
			verify_tell(v, &alert_location, "alerts %d to %d are missing", next,
				    alerts[i].number - 1);
		next = alerts[i].number + 1;
	}
	if (!e && next != v->hot->alerts + 1)
		verify_tell(v, &counter_location,
			    "the run counts %d alerts, but the last alert is %d", v->hot->alerts,
			    next - 1);
	return e;
}
