#ifndef NOTIFY_SEND_H
#define NOTIFY_SEND_H

#include <curl/curl.h>

#include "notify_letter.h"
#include "webhook_hosts.h"

/*
 * One POST. No redirect is followed, no proxy is asked, of the answer the status alone is read; where it may
 * lead is looked at when the address is known, which is when it is connected to.
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

/* Whether it was taken: *ret_status is what was answered (0: nothing), *ret_fault why it was not. */
bool notify_send_verdict(const struct notify_send *send, CURLcode code, int32_t *ret_status,
			 struct str *ret_fault);
/* Ends it, also one under way. */
void notify_send_end(struct notify_send *send, CURLM *multi);

#endif
