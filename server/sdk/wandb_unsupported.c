#include "wandb_unsupported.h"

#include "err.h"

const struct gql_type wandb_unsupported_type = { .name = "Missing" };

static err_t missing(struct gql_call *call, const char *what)
{
	struct err *e = err_new(
		call->arena, ERR_UNPROCESSABLE,
		"%s are not supported by this server yet; the run itself is not affected", what);

	e->type = "not-yet";
	return e;
}

err_t wandb_no_scheduler(struct gql_call *call)
{
	return missing(call, "sweep schedulers of the client");
}

err_t wandb_no_charts(struct gql_call *call)
{
	return missing(call, "custom charts");
}

err_t wandb_no_launch(struct gql_call *call)
{
	return missing(call, "launch queues");
}

err_t wandb_no_automations(struct gql_call *call)
{
	return missing(call, "automations");
}

err_t wandb_no_registries(struct gql_call *call)
{
	return missing(call, "registries");
}
