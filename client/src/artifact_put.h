#ifndef ARTIFACT_PUT_H
#define ARTIFACT_PUT_H

#include "artifact_link.h"

/*
 * Sends a file or a folder as a new version. Content that the server has is not sent: neither what other versions have, nor
 * what an attempt before sent, so an attempt that broke off goes on where it was. If the newest version has these files, no
 * version is made.
 */
struct artifact_put {
	const char *path; /* on this host */
	const char *collection;
	const char *type;
	const char *const *aliases; /* NULL-ended; NULL: only "latest" */
	const char *description;    /* NULL: none */
	const char *metadata;       /* a JSON object; NULL: none */
	const char *run;            /* the run of the project that made it; NULL: none */
};
struct artifact_put_result {
	char version[16]; /* "v3" */
	bool is_new;
	int64_t files, bytes;           /* of the version */
	int64_t sent_files, sent_bytes; /* of these, what the server did not have */
};
enum artifact_outcome artifact_put(struct artifact_link *link, const struct artifact_put *put,
				   struct artifact_put_result *ret_result) __attribute__((nonnull));

#endif
