#ifndef DB_FILE_SYSTEM_H
#define DB_FILE_SYSTEM_H

#include <stdbool.h>

/* The name of the network file system that a directory is on: "NFS". NULL where it is on none that is known. */
const char *db_network_file_system(const char *path);
/* Whether what is in the directory ends with the machine: tmpfs, ramfs. */
bool db_is_in_memory(const char *path);

#endif
