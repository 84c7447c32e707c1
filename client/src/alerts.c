#include "alerts.h"

#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- the queue ------------------------------------------------------------------------------------- */

void alerts_deinit(struct alerts *alerts)
{
	while (alerts->first) {
		struct alert_waiting *alert = alerts->first;

		alerts->first = alert->next;
		alert_free(alert);
	}
}

bool alerts_are_full(const struct alerts *alerts)
{
	return alerts->accepted - alerts->settled >= ALERTS_WAITING_MAX;
}

void alerts_add(struct alerts *alerts, struct alert_waiting *alert)
{
	if (alerts->first)
		alerts->last->next = alert;
	else
		alerts->first = alert;
	alerts->last = alert;
	alerts->accepted++;
}

void alerts_settle(struct alerts *alerts, bool was_refused)
{
	struct alert_waiting *alert = alerts->first;

	alerts->first = alert->next;
	alerts->settled++;
	alerts->refused += was_refused;
	alert_free(alert);
}

struct alert_waiting *alert_new(const char *client_id, const char *level, const char *title,
				const char *text)
{
	struct alert_waiting *alert = calloc(1, sizeof *alert);

	if (!alert)
		return NULL;
	alert->time_us = run_wall_clock_us();
	text_str(&alert->body, "{");
	text_json_member(&alert->body, "title", title);
	text_json_member(&alert->body, "text", text);
	text_json_member(&alert->body, "level", level);
	text_json_member(&alert->body, "writer", client_id);
	text_str(&alert->body, "}");
	if (!alert->body.failed)
		return alert;
	alert_free(alert);
	return NULL;
}

void alert_free(struct alert_waiting *alert)
{
	if (!alert)
		return;
	text_deinit(&alert->body);
	free(alert);
}

/* ---- what the host program calls ------------------------------------------------------------------- */

static const char *level_name(enum cairn_alert_level level)
{
	static const char *const names[] = { NULL, "info", "warn", "error" };

	return level >= CAIRN_ALERT_INFO && level <= CAIRN_ALERT_ERROR ? names[level] : NULL;
}

static bool is_within(const char *text, size_t least, size_t most)
{
	size_t length = strnlen(text, most + 1);

	return length >= least && text_json_length(text, length) <= most;
}

/* The sender is told: an alert does not wait for more. */
static int add(struct cairn_run *run, struct alert_waiting *alert)
{
	int result = CAIRN_OK;

	pthread_mutex_lock(&run->lock);
	if (run->is_closed) {
		result = CAIRN_FINISHED;
	} else if (alerts_are_full(&run->alerts)) {
		result = CAIRN_FULL;
	} else if (run->settings.mode == MODE_DISABLED) {
		alert_free(alert);
	} else {
		alerts_add(&run->alerts, alert);
		run->is_poked = true;
		pthread_cond_signal(&run->wake);
	}
	pthread_mutex_unlock(&run->lock);
	return result;
}

int cairn_alert(struct cairn_run *run, enum cairn_alert_level level, const char *title,
		const char *text)
{
	struct alert_waiting *alert;
	int result = run_check(run);

	if (result)
		return result;
	if (!level_name(level) || !title || !is_within(title, 1, ALERT_TITLE_MAX_BYTES) ||
	    (text && !is_within(text, 0, ALERT_TEXT_MAX_BYTES)))
		return CAIRN_INVALID;
	alert = alert_new(run->settings.client_id, level_name(level), title, text);
	if (!alert)
		return CAIRN_MEMORY;
	result = add(run, alert);
	if (result)
		alert_free(alert);
	return result;
}
