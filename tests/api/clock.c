/* Preloaded: programs see a clock that is CLOCK_SHIFT_S seconds away from the machine's, as on a machine whose clock is wrong. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void)
{
	const char *text = getenv("CLOCK_SHIFT_S");

	return text ? atol(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *ret_time)
{
	int failed = (int)syscall(SYS_clock_gettime, id, ret_time);

	if (!failed && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		ret_time->tv_sec += shift();
	return failed;
}

int gettimeofday(struct timeval *ret_time, void *zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	*ret_time = (struct timeval){ now.tv_sec, now.tv_nsec / 1000 };
	return 0;
}

time_t time(time_t *ret_time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret_time)
		*ret_time = now.tv_sec;
	return now.tv_sec;
}
