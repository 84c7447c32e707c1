#include "open_files.h"

#include "upload_room.h"

enum {
	FILES_OF_CONNECTION = 2, /* its socket, and a file that it sends or receives */
	FILES_OF_IO_THREAD = 4,
	FILES_OF_REST = 256, /* jobs, listeners, webhooks, commands, logs, the server itself */
};

int64_t open_files_needed(const struct config *c)
{
	int64_t databases = *c->read_database_url ? 2 : 1;

	return c->connection_limit * FILES_OF_CONNECTION + c->workers * databases + c->flushers +
	       c->disk_threads + c->io_threads * FILES_OF_IO_THREAD + UPLOAD_FILES_MAX +
	       FILES_OF_REST;
}
