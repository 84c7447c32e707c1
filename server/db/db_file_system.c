/*
 * File systems by the number that statfs() gives. linux/magic.h has only
 * some of them, so they are listed here.
 */
#include "db_file_system.h"

#include <stddef.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

static const struct {
	unsigned magic;
	const char *name;
} networks[] = {
	{ 0x6969, "NFS" },        { 0x517b, "SMB" },          { 0xff534d42, "CIFS" },
	{ 0xfe534d42, "SMB2" },   { 0x0bd00bd0, "Lustre" },   { 0x47504653, "GPFS" },
	{ 0x19830326, "BeeGFS" }, { 0x00c36400, "Ceph" },     { 0x5346414f, "AFS" },
	{ 0x73757245, "Coda" },   { 0x20030528, "OrangeFS" },
};

enum { TMPFS = 0x01021994 };
static const unsigned ramfs = 0x858458f6;

static unsigned magic_of(const char *path)
{
	struct statfs st;

	return statfs(path, &st) ? 0 : (unsigned)st.f_type;
}

const char *db_network_file_system(const char *path)
{
	unsigned magic = magic_of(path);

	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++) {
		if (networks[i].magic == magic)
			return networks[i].name;
	}
	return NULL;
}

bool db_is_in_memory(const char *path)
{
	unsigned magic = magic_of(path);

	return magic == TMPFS || magic == ramfs;
}

int64_t db_free_bytes(const char *path)
{
	struct statvfs disk;

	return statvfs(path, &disk) ? INT64_MAX : (int64_t)(disk.f_bavail * disk.f_frsize);
}
