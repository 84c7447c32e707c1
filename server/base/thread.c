#include "thread.h"

#include <stdio.h>

enum { NAME_SIZE = 16 };

bool thread_start(pthread_t *ret_thread, const char *name, void *(*run)(void *), void *arg)
{
	char kept[NAME_SIZE];

	if (pthread_create(ret_thread, NULL, run, arg))
		return false;
	snprintf(kept, sizeof(kept), "%s", name);
	pthread_setname_np(*ret_thread, kept);
	return true;
}
