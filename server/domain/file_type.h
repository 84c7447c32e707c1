#ifndef FILE_TYPE_H
#define FILE_TYPE_H

#include <stdbool.h>

#include "str.h"

/*
 * The type of a file, by the end of its name only: if its sender or its bytes decided, a client
 * could make a page of the server's own origin.
 */
struct file_type {
	const char *media_type; /* as it is sent, with its charset */
	bool is_inert; /* a browser may show it: nothing in it can run; else it is only saved */
};

struct file_type file_type_of(struct str name);

#endif
