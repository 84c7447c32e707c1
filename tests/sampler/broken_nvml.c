/*
 * broken_nvml.c - libraries that call themselves the driver's and are of no use.
 *
 * Without BROKEN_UNRESOLVED one that lacks what is indispensable, with it one that needs a function
 * nobody has and so cannot be loaded. Neither may be called.
 */
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void *ret);
void cairn_test_nobody_has_this(void);

EXPORT int nvmlInit_v2(void)
{
#ifdef BROKEN_UNRESOLVED
	cairn_test_nobody_has_this();
#endif
	abort();
}

EXPORT int nvmlShutdown(void)
{
	abort();
}

EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void *ret)
{
	(void)index;
	(void)ret;
	abort();
}
