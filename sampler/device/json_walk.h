/*
 * json_walk.h - reads a tool's JSON in one pass, without allocating: RFC 8259, plus NaN and
 * Infinity as some tools print them.
 *
 * A walk stops for good at the first byte that is not JSON: every function is false from there on,
 * so a text that is cut gives what came before the cut and never a part of a number.
 */
#ifndef CAIRN_SAMPLER_JSON_WALK_H
#define CAIRN_SAMPLER_JSON_WALK_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_WALK_DEPTH_MAX 64

struct json_walk {
	const char *at;
	const char *end;
	bool has_failed;
	unsigned depth;
};

void json_walk_begin(struct json_walk *walk, const char *text, size_t length);

/* Steps into an object or array if the next value is one; false, and nothing is read, when it is
 * another one. */
bool json_walk_object(struct json_walk *walk);
bool json_walk_array(struct json_walk *walk);

/* The name of the next member; a name that does not fit is cut. False at the end of the object,
 * which is left. */
bool json_walk_member(struct json_walk *walk, char *ret_name, size_t size);

/* True when the array has another element; false at its end, which is left. */
bool json_walk_element(struct json_walk *walk);

/* Reads the next value if it is a number, or a text; else false and nothing is read. */
bool json_walk_number(struct json_walk *walk, double *ret_number);
bool json_walk_text(struct json_walk *walk, char *ret_text, size_t size);

/* Reads the next value, whatever it is. */
void json_walk_skip(struct json_walk *walk);

#endif
