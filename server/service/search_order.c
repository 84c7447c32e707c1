#include "search_order.h"

#include <inttypes.h>
#include <string.h>

#include "app.h"
#include "search_query.h"

_Static_assert(ORDER_KEYS_MAX == 1 + SEARCH_ORDERS_MORE, "a page has room for all keys");

void search_order_set(const struct order *order, struct search_page *page)
{
	page->order = order->keys[0].path;
	page->descending = order->keys[0].descending;
	page->more_count = 0;
	for (size_t i = 1; i < order->count; i++)
		page->more[page->more_count++] =
			(struct search_order){ order->keys[i].path, order->keys[i].descending };
}

static err_t take_order(struct arena *a, const struct order *order, struct search_page *page)
{
	if (!order->count)
		return err_field(a, ERR_INVALID, "order", "expected a key to order by");
	search_order_set(order, page);
	return NULL;
}

typedef err_t parse_fn(struct arena *a, struct str text, struct filter_bare *bare,
		       struct order *ret_order);

static err_t read_order(struct request *q, const struct search_question *question, struct str text,
			parse_fn *parse, struct order *ret_order)
{
	struct filter_bare bare = { .count = 0 };
	err_t e = parse(q->arena, text, &bare, ret_order);

	if (!e && bare.count)
		e = search_bare(q->app->search, q->db, question, &bare);
	return e || !bare.count ? e : parse(q->arena, text, &bare, ret_order);
}

err_t search_order_read(struct request *q, const struct search_question *question, struct str text,
			struct search_page *page)
{
	struct order order;
	err_t e = read_order(q, question, text, order_parse_bare, &order);

	return e ? e : take_order(q->arena, &order, page);
}

err_t search_order_read_metrics(struct request *q, const struct search_question *question,
				struct str text, struct search_page *page, struct order *ret_order)
{
	err_t e = read_order(q, question, text, order_parse_metrics_bare, ret_order);

	return e ? e : take_order(q->arena, ret_order, page);
}

/* "<run> <bytes> <value><bytes> <value>…": a value for each key of the order. */
static void add_value(struct buf *text, struct request *q, const struct search_value *value)
{
	const char *written = search_query_value_text(q, value);

	buf_printf(text, "%zu %s", strlen(written), written);
}

const char *search_order_position(struct request *q, const struct search_found_run *row,
				  size_t more_count)
{
	struct buf *text = buf_new(q->arena);

	buf_printf(text, "%" PRId64 " ", row->run_id);
	add_value(text, q, &row->value);
	for (size_t i = 0; i < more_count; i++)
		add_value(text, q, &row->more[i]);
	return arena_printf(q->arena, "%.*s", STR_ARG(buf_str(text)));
}

static bool take_value(struct request *q, struct str *rest, struct search_value *ret_value)
{
	const struct str number = str_cut(rest, ' ');
	int64_t bytes;
	struct str text;

	if (!str_to_int64(number, 0, (int64_t)rest->len, &bytes))
		return false;
	text = (struct str){ rest->at, (size_t)bytes };
	*rest = (struct str){ rest->at + bytes, rest->len - (size_t)bytes };
	return !search_query_value(q, "cursor", text, ret_value);
}

bool search_order_take_position(struct request *q, struct str position, struct search_page *page)
{
	const struct str run_id = str_cut(&position, ' ');
	bool is_taken = str_to_int64(run_id, 0, INT64_MAX, &page->cursor_run_id) &&
			take_value(q, &position, &page->cursor);

	for (size_t i = 0; i < page->more_count && is_taken; i++)
		is_taken = take_value(q, &position, &page->cursor_more[i]);
	page->has_cursor = is_taken && !position.len;
	return page->has_cursor;
}
