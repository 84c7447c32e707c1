#include "wandb_routes.h"

#include <string.h>

#include "arena.h"
#include "wandb_artifact_get.h"
#include "wandb_graphql.h"
#include "wandb_stream.h"

enum {
	QUERY_BYTES =
		64 << 20, /* a variable may hold a config, or the 10 MB that `wandb verify` sends */
	STREAM_BYTES = 64 << 20,
};

const struct route wandb_routes[] = {
	{ POST, "/graphql", wandb_graphql, ACCESS_SIGNED, ROUTE_WANDB, QUERY_BYTES, "",
	  .reads = wandb_graphql_reads },
	{ POST, "/files/{entity}/{project}/{run}/file_stream", wandb_stream, ACCESS_WRITE,
	  ROUTE_WANDB | ROUTE_ANY_BODY, STREAM_BYTES, "" },
	{ GET, "/artifactsV2/{region}/{rest...}", wandb_artifact_get_v2, ACCESS_ASKED, ROUTE_WANDB,
	  0, "" },
	{ GET, "/artifacts/{owner}/{hash}", wandb_artifact_get_v1, ACCESS_ASKED, ROUTE_WANDB, 0,
	  "" },
};
const size_t wandb_route_count = sizeof(wandb_routes) / sizeof(wandb_routes[0]);

const struct route *wandb_routes_beside(struct arena *a, const struct route *others, size_t count,
					size_t *ret_count)
{
	struct route *all = arena_new_array(a, struct route, count + wandb_route_count);

	memcpy(all, others, count * sizeof(all[0]));
	memcpy(all + count, wandb_routes, sizeof(wandb_routes));
	*ret_count = count + wandb_route_count;
	return all;
}
