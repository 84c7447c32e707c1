/*
 * endpoints.h - the endpoints of metrics that the settings name, and the headers that they are sent.
 */
#ifndef CAIRN_SAMPLER_ENDPOINTS_H
#define CAIRN_SAMPLER_ENDPOINTS_H

#include <stdbool.h>
#include <stddef.h>

#define ENDPOINTS_MAX 8
#define ENDPOINT_NAME_MAX 33  /* bytes with the NUL */
#define ENDPOINT_URL_MAX 1024 /* bytes with the NUL */
#define ENDPOINT_HEADERS_MAX 16
#define ENDPOINT_HEADER_MAX 4096 /* bytes of a header, with the NUL */

struct endpoint {
	char name[ENDPOINT_NAME_MAX]; /* letters, digits, "_" and "-" */
	char url[ENDPOINT_URL_MAX];   /* http:// or https:// */
};

/* `text` is "NAME=URL NAME=URL", or a JSON object {NAME: URL}. False when it is neither, beyond the limits,
 * or names an endpoint twice. */
bool endpoints_parse(const char *text, struct endpoint *ret_endpoints, size_t *ret_count);

/* Calls back with "NAME: VALUE" for each line "NAME: VALUE", or each member of a JSON object. False when
 * the text is not such a list, the callback returns false, or a header has control characters. */
bool endpoint_headers_parse(const char *text, bool (*take)(void *context, const char *header),
			    void *context);

#endif
