#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/*
 * Log lines with fields, as text or JSON, one write(2) per line to stderr.
 *
 *	log_info("request", LOG_TEXT("method", "GET"), LOG_INT("status", 200));
 *
 * text:  2026-11-21T10:00:00.123456Z info request method=GET status=200
 * json:  {"time":"…","level":"info","message":"request","method":"GET","status":200}
 *
 * Log or return an error, never both. No secret is ever a field, except the token of the first
 * user, which is made to be read there. A text may be anything: characters that could end a line or
 * control a terminal are escaped, a text longer than LOG_VALUE_BYTES is cut.
 */
enum { LOG_VALUE_BYTES = 4096 };
enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };
enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

enum log_field_kind { LOG_FIELD_NONE, LOG_FIELD_STR, LOG_FIELD_INT, LOG_FIELD_REAL };

struct log_field {
	const char *key;
	enum log_field_kind kind;
	struct str text;
	int64_t number;
	double real;
};

#define LOG_TEXT(k, v) \
	{ \
		.key = (k), .kind = LOG_FIELD_STR, .text = str_of(v) \
	}
#define LOG_STR(k, v) \
	{ \
		.key = (k), .kind = LOG_FIELD_STR, .text = (v) \
	}
#define LOG_INT(k, v) \
	{ \
		.key = (k), .kind = LOG_FIELD_INT, .number = (int64_t)(v) \
	}
#define LOG_REAL(k, v) \
	{ \
		.key = (k), .kind = LOG_FIELD_REAL, .real = (v) \
	}

void log_set(enum log_level least, enum log_format format);
bool log_enabled(enum log_level level);

/* `fields` has `count` entries; those of kind LOG_FIELD_NONE are skipped. */
void log_write(enum log_level level, const char *message, const struct log_field *fields,
	       unsigned count);

#define LOG_LINE(level, message, ...) \
	do { \
		const struct log_field log_fields_[] = { { .key = "" }, ##__VA_ARGS__ }; \
		log_write((level), (message), log_fields_, \
			  sizeof(log_fields_) / sizeof(log_fields_[0])); \
	} while (0)

#define log_debug(message, ...) LOG_LINE(LOG_DEBUG, message, ##__VA_ARGS__)
#define log_info(message, ...) LOG_LINE(LOG_INFO, message, ##__VA_ARGS__)
#define log_warning(message, ...) LOG_LINE(LOG_WARNING, message, ##__VA_ARGS__)
#define log_error(message, ...) LOG_LINE(LOG_ERROR, message, ##__VA_ARGS__)

#endif
