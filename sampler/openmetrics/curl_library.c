/* curl_library.c - see curl_library.h. */
#include "curl_library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static const struct {
	size_t offset; /* in struct curl_library */
	const char *name;
} symbols[] = {
	{ offsetof(struct curl_library, easy_init), "curl_easy_init" },
	{ offsetof(struct curl_library, easy_setopt), "curl_easy_setopt" },
	{ offsetof(struct curl_library, easy_getinfo), "curl_easy_getinfo" },
	{ offsetof(struct curl_library, easy_cleanup), "curl_easy_cleanup" },
	{ offsetof(struct curl_library, easy_strerror), "curl_easy_strerror" },
	{ offsetof(struct curl_library, multi_init), "curl_multi_init" },
	{ offsetof(struct curl_library, multi_add), "curl_multi_add_handle" },
	{ offsetof(struct curl_library, multi_remove), "curl_multi_remove_handle" },
	{ offsetof(struct curl_library, multi_perform), "curl_multi_perform" },
	{ offsetof(struct curl_library, multi_poll), "curl_multi_poll" },
	{ offsetof(struct curl_library, multi_info), "curl_multi_info_read" },
	{ offsetof(struct curl_library, multi_cleanup), "curl_multi_cleanup" },
	{ offsetof(struct curl_library, list_append), "curl_slist_append" },
	{ offsetof(struct curl_library, list_free), "curl_slist_free_all" },
};

static void *open_library(void)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

bool curl_library_load(struct curl_library *ret_library)
{
	void *library = open_library();

	if (!library)
		return false;
	for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
		void *function = dlsym(library, symbols[i].name);
		if (!function)
			return false;
		memcpy((char *)ret_library + symbols[i].offset, &function, sizeof function);
	}
	return true;
}
