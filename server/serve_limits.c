/* Raises the limits of the process. */
#include "serve_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "app.h"
#include "log.h"
#include "open_files.h"

/* A process is mostly given 1024, and may take more. */
static bool raise_to(struct rlimit *limit, rlim_t needed)
{
	struct rlimit raised = *limit;

	if (limit->rlim_cur >= needed)
		return true;
	raised.rlim_cur = limit->rlim_max < needed ? limit->rlim_max : needed;
	if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
		*limit = raised;
	return limit->rlim_cur >= needed;
}

/* Too few are no reason not to start: a server of few clients never needs them. */
err_t raise_file_limit(struct app *app)
{
	int64_t needed = open_files_needed(app->config);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit)) {
		log_warning("cannot read the limit of open files",
			    LOG_TEXT("error", strerror(errno)));
		return NULL;
	}
	if (!raise_to(&limit, (rlim_t)needed))
		log_warning("the limit of open files is too low for the settings",
			    LOG_INT("limit", limit.rlim_cur), LOG_INT("needed", needed),
			    LOG_TEXT("hint",
				     "raise it (LimitNOFILE of systemd, ulimit -n) or lower "
				     "connection_limit"));
	return NULL;
}
