#ifndef CONFIG_UNKNOWN_H
#define CONFIG_UNKNOWN_H

#include <stddef.h>

struct arena;

/*
 * Variables that look like settings and are none, such as CAIRN_LOGLEVEL. A file with one is refused; the environment
 * is not ours alone, so these are only told. Those of the client and of Kubernetes, which makes CAIRN_PORT and
 * CAIRN_SERVICE_… of a service called "cairn", are let pass, and so is what is empty.
 */
struct config_unknown {
	const char *variable;
	const char *nearest; /* NULL: no setting has a name like it */
};

/* `environment` is NULL-ended, as environ is. */
size_t config_list_unknown(struct arena *a, const char *const *environment,
			   struct config_unknown **ret_list);

#endif
