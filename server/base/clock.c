#include "clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_mono_us(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_boot_us(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

timestamp_us clock_wall_us(void)
{
	return (timestamp_us){ read_clock(CLOCK_REALTIME) };
}

void clock_sleep_us(int64_t us)
{
	struct timespec t = clock_timespec(us);

	nanosleep(&t, NULL);
}

void clock_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

struct timespec clock_timespec(int64_t us)
{
	return (struct timespec){ .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
}

/* Lists contain hundreds of times: printf would take longer than the rest of writing them. */
static char *put_digits(char *to, int value, int count, char behind)
{
	for (int i = count - 1; i >= 0; i--, value /= 10)
		to[i] = (char)('0' + value % 10);
	to[count] = behind;
	return to + count + 1;
}

void clock_format(timestamp_us t, char text[static CLOCK_TEXT_SIZE])
{
	time_t seconds = (time_t)(t.us / 1000000);
	int us = (int)(t.us % 1000000);
	struct tm tm;

	if (us < 0) {
		us += 1000000;
		seconds--;
	}
	gmtime_r(&seconds, &tm);
	text = put_digits(text, tm.tm_year + 1900, 4, '-');
	text = put_digits(text, tm.tm_mon + 1, 2, '-');
	text = put_digits(text, tm.tm_mday, 2, 'T');
	text = put_digits(text, tm.tm_hour, 2, ':');
	text = put_digits(text, tm.tm_min, 2, ':');
	text = put_digits(text, tm.tm_sec, 2, '.');
	text = put_digits(text, us, 6, 'Z');
	*text = '\0';
}

/* Reads two to four digits at p; -1 if one of them is not a digit. */
static int digits(const char *p, int count)
{
	int value = 0;

	for (int i = 0; i < count; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		value = value * 10 + (p[i] - '0');
	}
	return value;
}

static bool read_fraction(const char **p, int64_t *ret_us)
{
	int64_t us = 0;
	int count = 0;

	if (**p != '.') {
		*ret_us = 0;
		return true;
	}
	(*p)++;
	for (; **p >= '0' && **p <= '9'; (*p)++, count++) {
		if (count < 6)
			us = us * 10 + (**p - '0');
	}
	for (int i = count; i < 6; i++)
		us *= 10;
	*ret_us = us;
	return count >= 1 && count <= 9;
}

static bool read_offset(const char *p, int *ret_seconds)
{
	int hours;
	int minutes;

	if ((*p == 'Z' || *p == 'z') && p[1] == '\0') {
		*ret_seconds = 0;
		return true;
	}
	if ((*p != '+' && *p != '-') || strlen(p) != 6 || p[3] != ':')
		return false;
	hours = digits(p + 1, 2);
	minutes = digits(p + 4, 2);
	if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
		return false;
	*ret_seconds = (*p == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
	return true;
}

static bool is_day(const struct tm *tm)
{
	struct tm day = { .tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday };

	timegm(&day);
	return day.tm_mday == tm->tm_mday; /* the 30th of February would be the 2nd of March */
}

bool clock_parse(struct str in, timestamp_us *ret_time)
{
	char text[48];
	const char *p = text;
	struct tm tm = { 0 };
	int64_t us;
	int offset;

	if (in.len < 20 || in.len >= sizeof(text) || memchr(in.at, 0, in.len))
		return false;
	memcpy(text, in.at, in.len);
	text[in.len] = '\0';
	tm.tm_year = digits(p, 4) - 1900;
	tm.tm_mon = digits(p + 5, 2) - 1;
	tm.tm_mday = digits(p + 8, 2);
	tm.tm_hour = digits(p + 11, 2);
	tm.tm_min = digits(p + 14, 2);
	tm.tm_sec = digits(p + 17, 2);
	if (p[4] != '-' || p[7] != '-' || (p[10] != 'T' && p[10] != 't' && p[10] != ' ') ||
	    p[13] != ':' || p[16] != ':')
		return false;
	if (tm.tm_year < -1900 || tm.tm_mon < 0 || tm.tm_mon > 11 || tm.tm_mday < 1 ||
	    tm.tm_mday > 31 || tm.tm_hour < 0 || tm.tm_hour > 23 || tm.tm_min < 0 ||
	    tm.tm_min > 59 || tm.tm_sec < 0 || tm.tm_sec > 60 || !is_day(&tm))
		return false;
	p += 19;
	if (!read_fraction(&p, &us) || !read_offset(p, &offset))
		return false;
	*ret_time = (timestamp_us){ ((int64_t)timegm(&tm) - offset) * 1000000 + us };
	return true;
}
