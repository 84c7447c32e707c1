#ifndef CONFIG_UNKNOWN_H
#define CONFIG_UNKNOWN_H

#include <stddef.h>

struct arena;

/*
 * Variables that look like settings but are not, such as CAIRN_LOGLEVEL. A file with one is
 * refused; the environment is not only ours, so these are only reported. Variables of the client
 * and of Kubernetes, which makes CAIRN_PORT and CAIRN_SERVICE_… of a service called "cairn", are
 * ignored, and so are empty ones.
 */
struct config_unknown {
	const char *variable;
	const char *nearest; /* NULL: no setting has a name like it */
};

/* `environment` is NULL-ended, as environ is. */
size_t config_list_unknown(struct arena *a, const char *const *environment,
			   struct config_unknown **ret_list);

#endif
