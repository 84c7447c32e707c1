/*
 * curl_library.h - libcurl, loaded when the first endpoint is asked.
 *
 * It is loaded like NVIDIA's library and not linked: the sampler needs nothing but the C library where no
 * endpoint is set, and cairn-sampler starts without libcurl's megabytes. Inside libcairn it is the
 * library that libcairn has linked already. A reader of ours over sockets would have no TLS.
 */
#ifndef CAIRN_SAMPLER_CURL_LIBRARY_H
#define CAIRN_SAMPLER_CURL_LIBRARY_H

#include <stdbool.h>

#include <curl/curl.h>

/* libcurl's own declarations, as pointers. */
struct curl_library {
	__typeof__(&(curl_easy_init)) easy_init;
	__typeof__(&(curl_easy_setopt)) easy_setopt;
	__typeof__(&(curl_easy_getinfo)) easy_getinfo;
	__typeof__(&(curl_easy_cleanup)) easy_cleanup;
	__typeof__(&(curl_easy_strerror)) easy_strerror;
	__typeof__(&(curl_multi_init)) multi_init;
	__typeof__(&(curl_multi_add_handle)) multi_add;
	__typeof__(&(curl_multi_remove_handle)) multi_remove;
	__typeof__(&(curl_multi_perform)) multi_perform;
	__typeof__(&(curl_multi_poll)) multi_poll;
	__typeof__(&(curl_multi_info_read)) multi_info;
	__typeof__(&(curl_multi_cleanup)) multi_cleanup;
	__typeof__(&(curl_slist_append)) list_append;
	__typeof__(&(curl_slist_free_all)) list_free;
};

/* False when there is no libcurl, or one that lacks a function. It stays loaded. */
bool curl_library_load(struct curl_library *library);

#endif
