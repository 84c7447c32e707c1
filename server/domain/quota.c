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

err_t quota_check(struct arena *a, struct str entity, int64_t limit, int64_t used)
{
	struct err *e;

	if (limit == QUOTA_NONE || used < limit)
		return NULL;
	e = err_new(a, ERR_FORBIDDEN,
		    "the quota of \"%.*s\" is full: its runs take %lld bytes, and it may have %lld",
		    STR_ARG(entity), (long long)used, (long long)limit);
	e->type = "quota-exceeded";
	e->hint = "runs that are there go on; new ones need others to be deleted and purged, or an "
		  "admin of the server to give more";
	return e;
}

static const char *coming_text(struct arena *a, int64_t coming)
{
	if (!coming)
		return "";
	return arena_printf(a, " files that are coming %lld,", (long long)coming);
}

err_t quota_check_more(struct arena *a, struct str entity, const struct quota_use *use,
		       int64_t more)
{
	struct err *e;

	if (use->limit == QUOTA_NONE || more <= use->limit - use->used - use->coming)
		return NULL;
	e = err_new(
		a, ERR_FORBIDDEN,
		"the quota of \"%.*s\" is too small: its runs take %lld bytes,%s it may have %lld, and this file has %lld",
		STR_ARG(entity), (long long)use->used, coming_text(a, use->coming),
		(long long)use->limit, (long long)more);
	e->type = "quota-exceeded";
	e->hint =
		"rows of runs are taken all the same; files need others to be deleted and purged, or "
		"an admin of the server to give more";
	return e;
}
