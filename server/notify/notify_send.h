#ifndef NOTIFY_SEND_H
#define NOTIFY_SEND_H

#include <curl/curl.h>

#include "notify_letter.h"
#include "webhook_hosts.h"

/*
 * One POST. No redirect is followed, no proxy is used, and only the status of the answer is read;
 * whether the address is allowed is checked when it is known, which is on connecting.
 */
struct notify_send {
	CURL *easy;
	struct curl_slist *headers;
	const struct webhook_hosts *hosts;
	bool is_named;     /* its host is allowed by name, whatever its address */
	bool was_kept_out; /* its address is not allowed */
	size_t answer_bytes;
	char reason[CURL_ERROR_SIZE]; /* libcurl's; "": none */
};

/* Begins it; the letter must live until its end. False: no memory. */
struct notify_send_rules {
	const struct webhook_hosts *hosts;
	const char *ca_file; /* PEM; "": the system's certificates */
	long timeout_ms;
};
bool notify_send_begin(struct notify_send *send, CURLM *multi, const struct notify_letter *letter,
		       const struct notify_send_rules *rules) __attribute__((warn_unused_result));

/*
 * Whether it was accepted: *ret_status is the answer's status (0: none),
 * *ret_fault the reason if not.
 */
bool notify_send_result(const struct notify_send *send, CURLcode code, int32_t *ret_status,
			struct str *ret_fault);
/* Ends it, even in progress. */
void notify_send_end(struct notify_send *send, CURLM *multi);

#endif
