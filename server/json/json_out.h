#ifndef JSON_OUT_H
#define JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "str.h"

struct buf;

/*
 * Writes JSON into a buf call by call; no tree is built. Commas come by themselves. The output is
 * valid UTF-8 whatever the input is (invalid bytes become U+FFFD), and every number is valid JSON:
 * NaN and the infinities are written as the strings "NaN", "Infinity" and "-Infinity".
 *
 *	struct json_out out = json_out_begin(buf);
 *
 *	json_out_object(&out);
 *	json_out_put_text(&out, "name", run->name);
 *	json_out_key(&out, "rows");
 *	json_out_array(&out);
 *	…
 *	json_out_array_end(&out);
 *	json_out_object_end(&out);
 */
struct json_out {
	struct buf *buf;
	bool comma; /* a value comes before */
};

struct json_out json_out_begin(struct buf *b) __attribute__((nonnull));

void json_out_object(struct json_out *o) __attribute__((nonnull));
void json_out_object_end(struct json_out *o) __attribute__((nonnull));
void json_out_array(struct json_out *o) __attribute__((nonnull));
void json_out_array_end(struct json_out *o) __attribute__((nonnull));

void json_out_key(struct json_out *o, const char *key) __attribute__((nonnull));
void json_out_key_str(struct json_out *o, struct str key) __attribute__((nonnull(1)));

void json_out_text(struct json_out *o, struct str text) __attribute__((nonnull(1)));
void json_out_int(struct json_out *o, int64_t value) __attribute__((nonnull));
void json_out_real(struct json_out *o, double value) __attribute__((nonnull));
void json_out_bool(struct json_out *o, bool value) __attribute__((nonnull));
void json_out_null(struct json_out *o) __attribute__((nonnull));
/* RFC 3339, UTC, microseconds. */
void json_out_time(struct json_out *o, timestamp_us t) __attribute__((nonnull));
/* Text that is JSON already; an empty one, which a stored block can have only when it is damaged, as null. */
void json_out_raw(struct json_out *o, struct str json) __attribute__((nonnull(1)));
/* Text as a client sent it: JSON with NaN and infinities, possibly of several lines. */
void json_out_sent(struct json_out *o, struct str json) __attribute__((nonnull(1)));

/* A member in one line. Text whose .at is NULL, and the time 0, are written as null. */
void json_out_put_text(struct json_out *o, const char *key, struct str text)
	__attribute__((nonnull(1, 2)));
void json_out_put_int(struct json_out *o, const char *key, int64_t value) __attribute__((nonnull));
void json_out_put_real(struct json_out *o, const char *key, double value) __attribute__((nonnull));
/* NaN and the infinities as null. */
void json_out_put_finite(struct json_out *o, const char *key, double value)
	__attribute__((nonnull));
void json_out_put_bool(struct json_out *o, const char *key, bool value) __attribute__((nonnull));
void json_out_put_null(struct json_out *o, const char *key) __attribute__((nonnull));
void json_out_put_time(struct json_out *o, const char *key, timestamp_us t)
	__attribute__((nonnull));
void json_out_put_raw(struct json_out *o, const char *key, struct str json)
	__attribute__((nonnull(1, 2)));
/* Null if there is no value: an empty text, a number that is absent. */
void json_out_put_text_or_null(struct json_out *o, const char *key, struct str text)
	__attribute__((nonnull(1, 2)));
void json_out_put_int_or_null(struct json_out *o, const char *key, bool is_there, int64_t value)
	__attribute__((nonnull));

#endif
