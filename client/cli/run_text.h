#ifndef RUN_TEXT_H
#define RUN_TEXT_H

#include <stddef.h>

#include "json.h"

/* Members of the server's objects as text for people; "" or "-" for what is null or absent. */
void run_text_member(struct json object, const char *name, char *text, size_t size);
void run_text_number(struct json object, const char *name, char *text, size_t size);

/* "12.5 MB", thousands of thousands; "-" for nothing */
void run_text_bytes(struct json object, const char *name, char *text, size_t size)
	__attribute__((nonnull(2, 3)));

/* "2026-07-31 12:34:56", in the time zone of this machine */
void run_text_time(struct json object, const char *name, char *text, size_t size);

/* From started_at to ended_at or now: "1h02m", "3m10s" */
void run_text_duration(struct json run, char *text, size_t size);

/* "12s", "3m10s", "1h02m", "4d03h" */
void run_text_span(double seconds, char *text, size_t size) __attribute__((nonnull));

/* "12s ago", by this machine's clock; "-" when there is no such time. */
void run_text_ago(struct json object, const char *name, char *text, size_t size)
	__attribute__((nonnull));

/* Any JSON value in one line: text without quotes, numbers short, the rest as JSON. */
void run_text_value(struct json value, char *text, size_t size);

/* Seconds since 1970 of an RFC 3339 time in UTC; false when it is none. */
bool run_text_seconds(struct json time, double *ret_seconds);

#endif
