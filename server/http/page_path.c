#include "page_path.h"

#include <stddef.h>
#include <string.h>

/* First segments that the server uses or may use, and paths that browsers request by themselves. */
static const char *const own[] = {
	"api",        "artifacts", "artifactsV2", "authorize", "favicon.ico", "files",
	"graphql",    "healthz",   "login",       "metrics",   "oidc",        "ready",
	"robots.txt", "sdk",       "static",      "storage",
};

bool page_path_is_free(struct str path)
{
	struct str word;

	if (!str_starts(path, "/"))
		return false;
	path.at++;
	path.len--;
	word = str_cut(&path, '/');
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_is(word, own[i]))
			return false;
	}
	return true;
}

bool page_path_is_asked_for(struct str accept)
{
	static const char html[] = "text/html";
	const size_t len = sizeof(html) - 1;

	return accept.at && memmem(accept.at, accept.len, html, len);
}
