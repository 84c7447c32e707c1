#include "alert_api.h"

#include "alert_add.h"
#include "alert_json.h"
#include "alert_store.h"
#include "auth.h"
#include "err.h"
#include "page.h"
#include "reply.h"

static void reply_alerts(struct request *q, struct page *page, const struct alert *alerts,
			 size_t count)
{
	page_begin(q, page, count);
	for (size_t i = 0; i < page->shown; i++)
		alert_json_write(&page->out, &alerts[i]);
	if (page->has_more)
		page_set_place(q, page, "%d", alerts[page->shown - 1].number);
	page_end(q, page);
}

err_t alert_api_list(struct request *q)
{
	struct alert *alerts;
	struct page page;
	int32_t after;
	size_t count;
	err_t e;

	e = page_read_number(q, 0, &page, &after);
	if (!e)
		e = alert_store_list(q->db, q->target->run_id, after, page.limit + 1, &alerts,
				     &count);
	if (!e)
		reply_alerts(q, &page, alerts, count);
	return e;
}

/* A repeat is answered with what it repeats. */
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
