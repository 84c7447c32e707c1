/* What the system lets the process have. */
#include "serve_parts.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "app.h"
#include "log.h"

enum {
	FILES_OF_CONNECTION = 2, /* its socket, and a file that it sends or receives */
	FILES_OF_IO_THREAD = 4,
	FILES_OF_REST = 256, /* jobs, listeners, webhooks, commands, logs, the server itself */
};

static int64_t files_needed(const struct config *c)
{
	int64_t databases = *c->read_database_url ? 2 : 1;

	return c->connection_limit * FILES_OF_CONNECTION + c->workers * databases + c->flushers +
	       c->disk_threads + c->io_threads * FILES_OF_IO_THREAD + FILES_OF_REST;
}

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
	int64_t needed = files_needed(app->config);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit)) {
		log_warning("the limit of open files is not known",
			    LOG_TEXT("error", strerror(errno)));
		return NULL;
	}
	if (!raise_to(&limit, (rlim_t)needed))
		log_warning("the limit of open files is too low for the settings",
			    LOG_INT("limit", limit.rlim_cur), LOG_INT("needed", needed),
			    LOG_TEXT("hint",
				     "raise it (LimitNOFILE of systemd, ulimit -n), or lower "
				     "connection_limit"));
	return NULL;
}
