#include "quota.h"

#include <inttypes.h>

#include "arena.h"

struct str quota_words(struct arena *a, int64_t quota)
{
	if (quota == QUOTA_STANDARD)
		return STR("as the server's");
	return quota == QUOTA_NONE ? STR("none")
				   : str_of(arena_printf(a, "%" PRId64 " bytes", quota));
}

int64_t quota_limit(int64_t own, int64_t standard)
{
	return own == QUOTA_STANDARD ? standard : own;
}

static err_t exceeded(struct arena *a, struct err *e, const char *hint, const char *giver)
{
	e->type = "quota-exceeded";
	e->hint = arena_printf(
		a, "%s: delete and purge other runs, or ask an admin %s to raise the quota", hint,
		giver);
	return e;
}

err_t quota_check(struct arena *a, const struct quota_use *use)
{
	struct err *e;

	if (use->limit == QUOTA_NONE || use->used < use->limit)
		return NULL;
	e = err_new(a, ERR_FORBIDDEN,
		    "the quota of \"%.*s\" is full: its runs and artifacts use %lld bytes of %lld",
		    STR_ARG(use->who), (long long)use->used, (long long)use->limit);
	return exceeded(a, e,
			"existing runs can continue, but new runs and artifacts cannot be created",
			use->giver);
}

static const char *coming_text(struct arena *a, int64_t coming)
{
	if (!coming)
		return "";
	return arena_printf(a, " uploads in progress use %lld,", (long long)coming);
}

err_t quota_check_more(struct arena *a, const struct quota_use *use, const struct quota_more *more)
{
	struct err *e;

	if (use->limit == QUOTA_NONE || more->bytes <= use->limit - use->used - use->coming)
		return NULL;
	e = err_new(
		a, ERR_FORBIDDEN,
		"the quota of \"%.*s\" is exceeded: its runs and artifacts use %lld bytes,%s the quota is "
		"%lld, and this %s has %lld",
		STR_ARG(use->who), (long long)use->used, coming_text(a, use->coming),
		(long long)use->limit, more->one, (long long)more->bytes);
	return exceeded(a, e,
			arena_printf(a, "rows of runs are still accepted, but %s are not",
				     more->many),
			use->giver);
}
