/*
 * The server's answers, judged in one place. An answer that is no JSON object is not believed, for
 * proxies and login pages say 200, too: data is forgotten only when the server itself confirms it.
 */
#include "answer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static enum outcome outcome_of_status(long status)
{
	switch (status) {
	case 401:
	case 403:
		return OUTCOME_DENIED;
	case 404:
		return OUTCOME_UNKNOWN;
	case 409:
		return OUTCOME_FENCED;
	case 410:
		return OUTCOME_GONE;
	case 408:
	case 425:
	case 429:
		return OUTCOME_AGAIN;
	default:
		return status >= 400 && status < 500 ? OUTCOME_BAD : OUTCOME_AGAIN;
	}
}

static bool is_success(const struct response *response)
{
	return response->status >= 200 && response->status < 300;
}

bool answer_is_object(const struct response *response, struct json body)
{
	static const char type[] = "application/json";
	size_t length = sizeof type - 1;

	return strncasecmp(response->content_type, type, length) == 0 &&
	       strchr("; ", response->content_type[length]) && json_is_object(body);
}

void answer_describe_other(const struct response *response, char *line, size_t size)
{
	const char *type = response->content_type;
	int length = (int)strspn(
		type, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-/");

	snprintf(
		line, size,
		"%.100s returned status %ld and %.*s instead of JSON of a Cairn server: check the address; "
		"it may lead to a login page",
		response->url, response->status, length ? length : 7, length ? type : "no type");
}

static void describe(const struct response *response, struct json problem, char *error)
{
	char title[80], detail[140];

	json_line(json_member(problem, "title"), title, sizeof title);
	json_line(json_member(problem, "detail"), detail, sizeof detail);
	if (response->status == 0)
		snprintf(error, TRANSPORT_ERROR_SIZE, "no response from the server: %.200s",
			 response->error);
	else if (!json_is_object(problem) || is_success(response))
		answer_describe_other(response, error, TRANSPORT_ERROR_SIZE);
	else
		snprintf(error, TRANSPORT_ERROR_SIZE, "status %ld: %s%s%s", response->status, title,
			 title[0] && detail[0] ? ": " : "", detail);
}

/* Whether the server itself speaks; a proxy's 400 or 410 is no reason to forget data. */
static bool is_problem(struct json body)
{
	static const char prefix[] = "urn:cairn:problem:";
	char type[sizeof prefix];

	if (!json_is_object(body))
		return false;
	json_copy(json_member(body, "type"), type, sizeof type);
	return strcmp(type, prefix) == 0;
}

enum outcome answer_judge(struct response *response, struct json *ret_object,
			  char error[static TRANSPORT_ERROR_SIZE])
{
	struct json body = json_parse(response->body.data, response->body.length);

	if (is_success(response) && answer_is_object(response, body)) {
		*ret_object = body;
		return OUTCOME_OK;
	}
	describe(response, body, error);
	if (is_problem(body) || response->status == 401 || response->status == 403)
		return outcome_of_status(response->status);
	return response->status == 413 ? OUTCOME_LARGE : OUTCOME_AGAIN;
}

bool answer_refuses_stream(const struct response *response)
{
	struct json body = json_parse(response->body.data, response->body.length);
	char field[sizeof "stream" + 1]; /* a longer name does not become this one */

	if (response->status != 400 || !json_is_object(body))
		return false;
	json_copy(json_member(body, "field"), field, sizeof field);
	return strcmp(field, "stream") == 0;
}

bool answer_expected_records(const struct response *response, int64_t *ret_records)
{
	static const char records_stored[] = "urn:cairn:problem:records-stored";
	struct json body = json_parse(response->body.data, response->body.length);
	char type[sizeof records_stored + 1];

	if (response->status != 409 || !json_is_object(body))
		return false;
	json_copy(json_member(body, "type"), type, sizeof type);
	return strcmp(type, records_stored) == 0 &&
	       json_int(json_member(body, "expected"), ret_records) && *ret_records >= 0;
}

/* The entry of a session in the answer to a join; absent if it has none. */
static struct json find_session(struct json join, int64_t session)
{
	struct json sessions = json_member(join, "sessions"), entry = { 0 };
	int64_t number;

	while (json_next(sessions, &entry, NULL)) {
		if (json_int(json_member(entry, "session"), &number) && number == session)
			return entry;
	}
	return (struct json){ 0 };
}

int64_t answer_stored_batch(struct json join, int64_t session)
{
	int64_t batch;

	return json_int(json_member(find_session(join, session), "batch"), &batch) ? batch : 0;
}
