/*
 * scrape.h - asks all endpoints at the same time and waits for the slowest, for five seconds at most.
 *
 * Nothing is followed: a redirect is a failure, a proxy is not asked, and an answer is not unpacked.
 */
#ifndef CAIRN_SAMPLER_SCRAPE_H
#define CAIRN_SAMPLER_SCRAPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "curl_library.h"
#include "endpoints.h"

#define SCRAPE_TIMEOUT_MS 5000
#define SCRAPE_BODY_MAX (4 * 1024 * 1024)

struct scrape {
	CURL *easy;
	bool is_wanted; /* this time */
	bool is_running;
	CURLcode code;
	long status; /* of HTTP; 0: none came */
	char *body;
	size_t length;
	size_t size;
	bool is_too_long;
};

struct scraper {
	struct curl_library curl;
	CURLM *multi;
	struct curl_slist *headers;
	size_t count;
	struct scrape scrapes[ENDPOINTS_MAX];
};

/* False without memory. `ca_file` "": the system's. */
bool scraper_init(struct scraper *scraper, const struct endpoint *endpoints, size_t count,
		  const char *headers, const char *ca_file);
void scraper_deinit(struct scraper *scraper);

/* Asks those that are wanted. `stop` ends it early. */
void scraper_run(struct scraper *scraper, const atomic_bool *stop);

/* The whole body, ended with NUL, came with status 200. */
bool scrape_is_good(const struct scrape *scrape);

/* Why not. */
void scrape_explain(const struct scraper *scraper, const struct scrape *scrape, char *ret_text,
		    size_t size);

#endif
