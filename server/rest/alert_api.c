#include "alert_api.h"

#include "alert_add.h"
#include "alert_json.h"
#include "alert_store.h"
#include "auth.h"
#include "err.h"
#include "page.h"
#include "reply.h"

static err_t fetch_alerts(struct request *q, int32_t after, int64_t limit,
			  struct page_rows *ret_rows)
{
	struct alert *alerts = NULL;
	err_t e =
		alert_store_list(q->db, q->target->run_id, after, limit, &alerts, &ret_rows->count);

	ret_rows->items = alerts;
	return e;
}

static int64_t write_alert(struct request *q, struct json_out *o, const struct page_rows *rows,
			   size_t row)
{
	const struct alert *alerts = rows->items;

	(void)q;
	alert_json_write(o, &alerts[row]);
	return alerts[row].number;
}

err_t alert_api_list(struct request *q)
{
	return page_list(q, 0, fetch_alerts, write_alert);
}

/* A repeat is answered with the alert that it repeats. */
err_t alert_api_post(struct request *q)
{
	struct alert_new made;
	struct alert *alert;
	struct json_out out;
	bool is_repeat;
	int32_t number;
	size_t count;
	err_t e;

	e = alert_json_read(q, &made);
	if (!e)
		e = alert_add(q, &made, &number, &is_repeat);
	if (!e)
		e = alert_store_list(q->db, q->target->run_id, number - 1, 1, &alert, &count);
	if (e)
		return e;
	out = reply_json(q);
	alert_json_write(&out, alert);
	reply_status(q, is_repeat ? 200 : 201);
	return NULL;
}
