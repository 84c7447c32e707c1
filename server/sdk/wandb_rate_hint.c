/*
 * The SDK learns by its answers: every five requests it looks how much less remains than before, so what a
 * request costs, and from then on sends as many as what remains allows for until the reset. Where as much
 * remains as before, or more, or a reset is over, it sends as it likes at once.
 *
 * Cost does not matter here but time: of an hour's units as many are gone in a second, whoever asked how often,
 * and the reset is told to be SLOWER times as far as it is. So each look comes to a SLOWER-th of what was sent, in
 * the SDK's smoothing a bit more. What remains when nothing is to be slowed is so much more that the first look
 * after it comes to about a request in a second.
 *
 * Rejected: units that requests use up. They would be used up in the end: at 0 the SDK divides by it, and what
 * stays at 1 is no less than before. A reset soon: each lets everybody send as they like again.
 */
#include "wandb_rate_hint.h"

#include "app.h"
#include "ingest.h"
#include "server_load.h"
#include "reply.h"
#include "wandb_session_cache.h"

enum {
	SDK_MOST_A_SECOND =
		65536, /* its own limit: so a unit is a request, where nothing is slowed */
	FULL_RESET_S = 60,
	PERIOD_S = 3600,
	UNITS_A_SECOND = 20,
	SLOWER = 4,
};

struct wandb_rate_hint wandb_rate_hint_full(void)
{
	return (struct wandb_rate_hint){ SDK_MOST_A_SECOND * FULL_RESET_S, FULL_RESET_S };
}

struct wandb_rate_hint wandb_rate_hint_slow(timestamp_us now)
{
	const int64_t period_us = (int64_t)PERIOD_S * 1000000;
	int64_t left_us = period_us - now.us % period_us;

	return (struct wandb_rate_hint){
		.remaining = 1 + left_us * UNITS_A_SECOND / 1000000,
		.reset_s = SLOWER * (1 + left_us / 1000000),
	};
}

static bool is_pressed(struct app *app)
{
	const struct server_load load = {
		.memory = atomic_load_explicit(&app->memory.used, memory_order_relaxed),
		.memory_limit = app->memory.limit,
		.waiting = ingest_waiting(app->ingest),
		.waiting_limit = ingest_queue_limit(app->ingest),
	};

	return wandb_session_cache_is_pressed(app->wandb, &load, clock_mono_us());
}

static void tell(struct request *q, const char *name, int64_t value)
{
	reply_header(q, name, arena_printf(q->arena, "%lld", (long long)value));
}

void wandb_rate_hint(struct request *q)
{
	struct wandb_rate_hint hint = is_pressed(q->app) ? wandb_rate_hint_slow(clock_wall_us())
							 : wandb_rate_hint_full();

	tell(q, "RateLimit-Remaining", hint.remaining);
	tell(q, "RateLimit-Reset", hint.reset_s);
}
