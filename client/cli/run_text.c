#include "run_text.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

void run_text_member(struct json object, const char *name, char *text, size_t size)
{
	json_copy(json_member(object, name), text, size);
}

void run_text_number(struct json object, const char *name, char *text, size_t size)
{
	struct json value = json_member(object, name);
	double number;

	if (json_number(value, &number))
		snprintf(text, size, "%.*s", (int)value.length, value.at);
	else
		snprintf(text, size, "-");
}

void run_text_bytes(struct json object, const char *name, char *text, size_t size)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	size_t unit = 0;
	double number;

	snprintf(text, size, "-");
	if (!json_number(json_member(object, name), &number) || number <= 0)
		return;
	for (; number >= 1000 && unit + 1 < sizeof units / sizeof units[0]; unit++)
		number /= 1000;
	snprintf(text, size, "%.*f %s", unit ? 1 : 0, number, units[unit]);
}

bool run_text_seconds(struct json time, double *ret_seconds)
{
	char text[40];
	struct tm tm = { 0 };
	const char *rest;
	double part = 0;

	json_copy(time, text, sizeof text);
	rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return false;
	for (double digit = 0.1; *rest == '.' || (*rest >= '0' && *rest <= '9'); rest++) {
		if (*rest == '.')
			continue;
		part += (*rest - '0') * digit;
		digit /= 10;
	}
	*ret_seconds = (double)timegm(&tm) + part;
	return true;
}

void run_text_time(struct json object, const char *name, char *text, size_t size)
{
	double seconds;
	struct tm tm;
	time_t time;

	snprintf(text, size, "-");
	if (!run_text_seconds(json_member(object, name), &seconds))
		return;
	time = (time_t)seconds;
	if (localtime_r(&time, &tm))
		strftime(text, size, "%Y-%m-%d %H:%M:%S", &tm);
}

void run_text_span(double seconds, char *text, size_t size)
{
	long span = seconds > 0 ? (long)(seconds + 0.5) : 0;

	if (span < 60)
		snprintf(text, size, "%lds", span);
	else if (span < 3600)
		snprintf(text, size, "%ldm%02lds", span / 60, span % 60);
	else if (span < 100 * 3600)
		snprintf(text, size, "%ldh%02ldm", span / 3600, span / 60 % 60);
	else
		snprintf(text, size, "%ldd%02ldh", span / 86400, span / 3600 % 24);
}

void run_text_duration(struct json run, char *text, size_t size)
{
	double start, end;

	snprintf(text, size, "-");
	if (!run_text_seconds(json_member(run, "started_at"), &start))
		return;
	if (!run_text_seconds(json_member(run, "ended_at"), &end))
		end = (double)time(NULL);
	run_text_span(end - start, text, size);
}

void run_text_ago(struct json object, const char *name, char *text, size_t size)
{
	double seconds;
	char span[32];

	snprintf(text, size, "-");
	if (!run_text_seconds(json_member(object, name), &seconds))
		return;
	run_text_span((double)time(NULL) - seconds, span, sizeof span);
	snprintf(text, size, "%s ago", span);
}

void run_text_value(struct json value, char *text, size_t size)
{
	double number;

	if (json_is_string(value))
		json_copy(value, text, size);
	else if (json_number(value, &number) && value.length > 12)
		snprintf(text, size, "%.6g", number);
	else
		snprintf(text, size, "%.*s", (int)value.length, value.at ? value.at : "");
}
