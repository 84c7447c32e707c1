#include "quota.h"

int64_t quota_limit(int64_t own, int64_t standard)
{
	return own == QUOTA_STANDARD ? standard : own;
}

err_t quota_check(struct arena *a, struct str entity, int64_t limit, int64_t used)
{
	struct err *e;

	if (limit == QUOTA_NONE || used < limit)
		return NULL;
	e = err_new(a, ERR_FORBIDDEN, "the runs of \"%.*s\" take %lld bytes, and it may have %lld",
		    STR_ARG(entity), (long long)used, (long long)limit);
	e->type = "quota-exceeded";
	e->hint = "runs that are there go on; new ones need others to be deleted and purged, or an "
		  "admin of the server to give more";
	return e;
}

err_t quota_check_more(struct arena *a, struct str entity, int64_t limit, int64_t used,
		       int64_t more)
{
	struct err *e;

	if (limit == QUOTA_NONE || more <= limit - used)
		return NULL;
	e = err_new(
		a, ERR_FORBIDDEN,
		"the runs of \"%.*s\" take %lld bytes, it may have %lld, and this file has %lld",
		STR_ARG(entity), (long long)used, (long long)limit, (long long)more);
	e->type = "quota-exceeded";
	e->hint =
		"rows of runs are taken all the same; files need others to be deleted and purged, or "
		"an admin of the server to give more";
	return e;
}
