#ifndef DB_FILE_SYSTEM_H
#define DB_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The name of the network file system that a directory is on: "NFS". NULL
 * if it is on none that is known.
 */
const char *db_network_file_system(const char *path);
/* Whether the directory's contents are lost with the machine: tmpfs, ramfs. */
bool db_is_in_memory(const char *path);
/* Bytes that are free for users there; INT64_MAX if that cannot be found out. */
int64_t db_free_bytes(const char *path);

#endif
