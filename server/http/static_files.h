#ifndef STATIC_FILES_H
#define STATIC_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "str.h"

struct arena;
struct request;
struct static_folder;

/*
 * Files that are served as they are, compiled in. All of them together have one version, a hash of
 * their contents, which is part of their addresses: PREFIX/static/VERSION/js/main.js. So an answer
 * may be cached for ever, a module finds the others next to itself, and a page never mixes two
 * versions. They are compressed once, at the start or by the build, and answered on the I/O thread.
 *
 * A page (index.html) has no version in its address: it is not cached, and names the others. {root}
 * and {static} in it are replaced by the prefix and the folder as this client sees them.
 */
struct static_source {
	const char *path; /* "js/main.js" */
	const unsigned char *bytes;
	size_t len;
	const unsigned char *gzip; /* of the bytes, compressed by the build; or NULL */
	size_t gzip_len;
};

/* Made by the build of web-static/. */
extern const struct static_source web_files[];
extern const size_t web_file_count;

struct static_files;
/*
 * Lives in the arena; the sources must stay. With a folder its files come first, under the version
 * "folder", and are not cached.
 */
struct static_files *static_files_new(struct arena *a, const struct static_source *sources,
				      size_t count, const struct static_folder *from);

/* Whether there is one at the decoded path, which has no prefix. */
bool static_files_has(const struct static_files *files, struct arena *a, struct str path);
/* Answers a GET for an existing one. */
bool static_files_reply(const struct static_files *files, struct request *q);

/* For handlers: answers with the page, which must exist. */
void static_files_reply_page(struct request *q, const char *path);

#endif
