/* endpoints.c - see endpoints.h. */
#include "endpoints.h"

#include <stdio.h>
#include <string.h>

#include "json_walk.h"

#define SPACES " \t\r\n"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

static bool is_object(const char *text)
{
	return text[strspn(text, SPACES)] == '{';
}

static bool begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

static bool is_url(const char *url)
{
	if (!begins_with(url, "http://") && !begins_with(url, "https://"))
		return false;
	for (const char *at = url; *at; at++) {
		if ((unsigned char)*at <= ' ' || *at == 0x7f)
			return false;
	}
	return strlen(strstr(url, "//")) > 2;
}

static bool add(struct endpoint *endpoints, size_t *count, const char *name, const char *url)
{
	if (*count == ENDPOINTS_MAX || !name[0] || name[strspn(name, LETTERS)] || !is_url(url) ||
	    strlen(name) >= ENDPOINT_NAME_MAX || strlen(url) >= ENDPOINT_URL_MAX)
		return false;
	for (size_t i = 0; i < *count; i++) {
		if (strcmp(endpoints[i].name, name) == 0)
			return false;
	}
	struct endpoint *endpoint = &endpoints[(*count)++];
	snprintf(endpoint->name, sizeof endpoint->name, "%s", name);
	snprintf(endpoint->url, sizeof endpoint->url, "%s", url);
	return true;
}

/* A text that the walk has cut fills its room, and is too long for an endpoint. */
static bool parse_object(const char *text, struct endpoint *endpoints, size_t *count)
{
	char name[ENDPOINT_NAME_MAX + 1], url[ENDPOINT_URL_MAX + 1];
	struct json_walk walk;

	json_walk_begin(&walk, text, strlen(text));
	if (!json_walk_object(&walk))
		return false;
	while (json_walk_member(&walk, name, sizeof name)) {
		if (!json_walk_text(&walk, url, sizeof url) || !add(endpoints, count, name, url))
			return false;
	}
	return !walk.has_failed;
}

static bool parse_words(const char *text, struct endpoint *endpoints, size_t *count)
{
	char word[ENDPOINT_NAME_MAX + ENDPOINT_URL_MAX];

	for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
		size_t length = strcspn(text, SPACES);
		if (length >= sizeof word)
			return false;
		memcpy(word, text, length);
		word[length] = '\0';
		char *equals = strchr(word, '=');
		if (!equals)
			return false;
		*equals = '\0';
		if (!add(endpoints, count, word, equals + 1))
			return false;
		text += length;
	}
	return true;
}

bool endpoints_parse(const char *text, struct endpoint *ret_endpoints, size_t *ret_count)
{
	*ret_count = 0;
	return is_object(text) ? parse_object(text, ret_endpoints, ret_count)
			       : parse_words(text, ret_endpoints, ret_count);
}

/* A line break would be a header of its own. */
static bool is_header(const char *header)
{
	size_t name = strspn(header, LETTERS "!#$%&'*+.^`|~");

	if (name == 0 || header[name] != ':')
		return false;
	for (const char *at = header; *at; at++) {
		if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
			return false;
	}
	return true;
}

static bool parse_header_object(const char *text, bool (*take)(void *context, const char *header),
				void *context)
{
	char name[64], value[ENDPOINT_HEADER_MAX], header[ENDPOINT_HEADER_MAX];
	struct json_walk walk;

	json_walk_begin(&walk, text, strlen(text));
	if (!json_walk_object(&walk))
		return false;
	while (json_walk_member(&walk, name, sizeof name)) {
		if (strlen(name) == sizeof name - 1 || !json_walk_text(&walk, value, sizeof value))
			return false;
		int length = snprintf(header, sizeof header, "%s: %s", name, value);
		if (length < 0 || (size_t)length >= sizeof header || !is_header(header) ||
		    !take(context, header))
			return false;
	}
	return !walk.has_failed;
}

bool endpoint_headers_parse(const char *text, bool (*take)(void *context, const char *header),
			    void *context)
{
	char header[ENDPOINT_HEADER_MAX];

	if (is_object(text))
		return parse_header_object(text, take, context);
	for (text += strspn(text, SPACES); *text; text += strspn(text, SPACES)) {
		size_t length = strcspn(text, "\r\n");
		if (length >= sizeof header)
			return false;
		memcpy(header, text, length);
		header[length] = '\0';
		if (!is_header(header) || !take(context, header))
			return false;
		text += length;
	}
	return true;
}
