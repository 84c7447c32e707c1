#ifndef FILE_TYPE_H
#define FILE_TYPE_H

#include <stdbool.h>

#include "str.h"

/*
 * What a file is taken for, by the end of its name alone: what its sender says of it, or what its bytes look
 * like, would let one make a page of the server's own origin.
 */
struct file_type {
	const char *media_type; /* as it is sent, with its charset */
	bool is_inert; /* a browser may show it: nothing in it can run; else it is only saved */
};

struct file_type file_type_of(struct str name);

#endif
