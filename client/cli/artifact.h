#ifndef ARTIFACT_H
#define ARTIFACT_H

#include "api.h"
#include "command.h"

/* Shared by the verbs of `cairn artifact`. */
struct artifact_words {
	char name[520];    /* of the collection */
	char version[520]; /* "" : none was given */
};

/* Takes "name", "name:version" or "entity/project/name:version"; false after saying what is wrong. */
bool artifact_take_name(struct api *api, const char *word, struct artifact_words *ret_words)
	__attribute__((nonnull));
/* "/artifacts/{name}" and, if a version is given, "/versions/{version}"; a part of a path. */
void artifact_tail(struct text *tail, const struct artifact_words *words) __attribute__((nonnull));

/* "3.1 MB" */
const char *artifact_bytes(int64_t bytes, char text[32]) __attribute__((nonnull));
/* "missing: a/b.txt". A path may hold any character: none of them steers the terminal or begins a line. */
void artifact_say_file(void *context, const char *what, const char *path)
	__attribute__((nonnull(2, 3)));

/* The verbs, once the server is known; the exit code. */
int artifact_list(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_show(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_remove(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_link_words(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_restore(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_send(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_fetch(struct api *api, const struct cli *cli) __attribute__((nonnull));
int artifact_verify(struct api *api, const struct cli *cli) __attribute__((nonnull));
/* The server reads its files of the version again; takes the number of the version that an alias names. */
int artifact_verify_stored(struct api *api, struct artifact_words *words) __attribute__((nonnull));

#endif
