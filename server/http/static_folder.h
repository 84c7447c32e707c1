#ifndef STATIC_FOLDER_H
#define STATIC_FOLDER_H

#include <stdbool.h>

#include "err.h"
#include "str.h"

struct arena;
struct static_folder;

/*
 * The files of the page read from a folder at every request, for
 * development: a saved change is seen at once. No link below the folder is
 * followed, so nothing outside of it can be read. Lives in the arena.
 */
err_t static_folder_open(struct arena *a, const char *path, struct static_folder **ret_folder);
/* Whether there is such a file ("js/main.js"). */
bool static_folder_has(const struct static_folder *folder, const char *path);
/* Its bytes, in the arena. False if it is not a file, or larger than 16 MiB. */
bool static_folder_read(const struct static_folder *folder, struct arena *a, const char *path,
			struct str *ret_body);

#endif
