#include "wandb_list.h"

static err_t page_end(struct gql_call *call)
{
	const struct wandb_list *list = call->parent;
	const char *last = list->items;
	const struct wandb_item *item;

	if (list->end.len)
		json_out_text(call->out, list->end);
	if (list->end.len || !list->count)
		return NULL;
	item = (const void *)(last + (list->count - 1) * list->size);
	json_out_text(call->out, item->cursor);
	return NULL;
}

static err_t page_start(struct gql_call *call)
{
	const struct wandb_list *list = call->parent;
	const struct wandb_item *item = list->items;

	if (list->count)
		json_out_text(call->out, item->cursor);
	return NULL;
}

static err_t no(struct gql_call *call)
{
	json_out_bool(call->out, false);
	return NULL;
}

static const struct gql_field page_fields[] = {
	GQL_MEMBER("hasNextPage", GQL_BOOL_MEMBER, struct wandb_list, has_more),
	GQL_VALUE_FIELD("endCursor", NULL, page_end),
	GQL_VALUE_FIELD("hasPreviousPage", NULL, no),
	GQL_VALUE_FIELD("startCursor", NULL, page_start),
};
const struct gql_type wandb_page_type = GQL_TYPE("PageInfo", page_fields);

err_t wandb_list_edges(struct gql_call *call)
{
	const struct wandb_list *list = call->parent;

	/* No items give an empty list, not null. */
	gql_give_list(call, list->items ? list->items : list, list->count, list->size);
	return NULL;
}

err_t wandb_list_node(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

err_t wandb_list_page(struct gql_call *call)
{
	gql_give(call, call->parent);
	return NULL;
}

err_t wandb_list_total(struct gql_call *call)
{
	const struct wandb_list *list = call->parent;

	if (list->total >= 0)
		json_out_int(call->out, list->total);
	return NULL;
}

static const struct gql_field nothing_fields[] = {
	GQL_VALUE_FIELD("id", NULL, page_start),
};
static const struct gql_type nothing_type = GQL_TYPE("Nothing", nothing_fields);
WANDB_LIST_FIELDS(empty, "Nothing", nothing_type);
const struct gql_type wandb_empty_type = GQL_TYPE("NothingConnection", empty_list_fields);

err_t wandb_list_empty(struct gql_call *call)
{
	static const struct wandb_list none = { .size = sizeof(struct wandb_item) };

	gql_give(call, &none);
	return NULL;
}
