#ifndef WANDB_LIST_H
#define WANDB_LIST_H

#include "gql_run.h"

/*
 * A connection: { edges { node cursor } pageInfo { hasNextPage endCursor } totalCount }. What is listed
 * begins with a struct wandb_item, so that an edge can be answered whatever its node is.
 */
struct wandb_item {
	struct str cursor;
};

struct wandb_list {
	const void *items; /* structs that begin with a struct wandb_item */
	size_t count;
	size_t size; /* of one */
	bool has_more;
	int64_t total; /* -1: nobody counted */
	struct str
		end; /* where the next page begins, though it be behind none of the items; or empty */
};

/*
 * Types of a connection: its fields, and those of its edges. The node's type must have been declared. The
 * fields alone are for a type that other files know.
 */
#define WANDB_EDGE_TYPE(prefix, type_name, node_type) \
	static const struct gql_field prefix##_edge_fields[] = { \
		GQL_OBJECT_FIELD("node", NULL, wandb_list_node, &(node_type)), \
		GQL_MEMBER("cursor", GQL_TEXT_MEMBER, struct wandb_item, cursor), \
	}; \
	static const struct gql_type prefix##_edge_type = \
		GQL_TYPE(type_name "Edge", prefix##_edge_fields)
#define WANDB_LIST_FIELDS(prefix, type_name, node_type) \
	WANDB_EDGE_TYPE(prefix, type_name, node_type); \
	static const struct gql_field prefix##_list_fields[] = { \
		GQL_OBJECT_FIELD("edges", NULL, wandb_list_edges, &prefix##_edge_type), \
		GQL_OBJECT_FIELD("pageInfo", NULL, wandb_list_page, &wandb_page_type), \
		GQL_VALUE_FIELD("totalCount", NULL, wandb_list_total), \
	}
#define WANDB_LIST_TYPES(prefix, type_name, node_type) \
	WANDB_LIST_FIELDS(prefix, type_name, node_type); \
	static const struct gql_type prefix##_list_type = \
		GQL_TYPE(type_name "Connection", prefix##_list_fields)

extern const struct gql_type wandb_page_type;

/* A list of what this server does not keep yet. */
extern const struct gql_type wandb_empty_type;
gql_resolve wandb_list_empty;

gql_resolve wandb_list_edges, wandb_list_page, wandb_list_total, wandb_list_node;

#endif
