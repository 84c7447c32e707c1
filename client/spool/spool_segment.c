#include "spool_segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "spool_bytes.h"

#define DIGITS 8
#define SUM_AT 36

void segment_name(uint64_t number, char name[static SPOOL_SEGMENT_NAME_SIZE])
{
	snprintf(name, SPOOL_SEGMENT_NAME_SIZE, "%0*u.log", DIGITS,
		 (unsigned)(number % (SPOOL_SEGMENT_NUMBER_MAX + 1)));
}

uint64_t segment_number(const char *name)
{
	if (strspn(name, "0123456789") != DIGITS || strcmp(name + DIGITS, ".log") != 0)
		return 0;
	return strtoull(name, NULL, 10);
}

int segment_each(int folder_fd, void (*take)(void *context, uint64_t number), void *context)
{
	int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!folder) {
		int e = errno;

		if (fd >= 0)
			close(fd);
		return e;
	}
	while ((entry = readdir(folder))) {
		uint64_t number = segment_number(entry->d_name);

		if (number)
			take(context, number);
	}
	closedir(folder);
	return 0;
}

struct next {
	uint64_t after, number;
};

static void take_next(void *context, uint64_t number)
{
	struct next *next = context;

	if (number > next->after && (!next->number || number < next->number))
		next->number = number;
}

int segment_find_next(int folder_fd, uint64_t after, uint64_t *ret_number)
{
	struct next next = { .after = after };
	char name[SPOOL_SEGMENT_NAME_SIZE];
	struct stat info;
	int e;

	segment_name(after + 1, name);
	if (after > 0 && fstatat(folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
		*ret_number = after + 1;
		return 0;
	}
	e = segment_each(folder_fd, take_next, &next);
	if (!e)
		*ret_number = next.number;
	return e;
}

int segment_open(int folder_fd, uint64_t number)
{
	char name[SPOOL_SEGMENT_NAME_SIZE];
	struct stat info;
	int fd;

	segment_name(number, name);
	fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

void segment_write_head(char head[static SPOOL_HEAD_BYTES], const struct segment_head *from)
{
	static const char magic[8] = SPOOL_MAGIC; /* without its end */

	memset(head, 0, SPOOL_HEAD_BYTES);
	memcpy(head, magic, sizeof magic);
	spool_put32(head + 8, SPOOL_FORMAT);
	spool_put32(head + 12, from->flags);
	spool_put64(head + 16, from->number);
	spool_put64(head + 24, from->record);
	spool_put32(head + 32, from->frame);
	spool_put32(head + SUM_AT, crc32c(0, head, SUM_AT));
}

const char *segment_read_head(const char head[static SPOOL_HEAD_BYTES], uint64_t number,
			      struct segment_head *ret_head)
{
	if (memcmp(head, SPOOL_MAGIC, 8) != 0)
		return "not a segment of a spool";
	if (spool_get32(head + 8) != SPOOL_FORMAT)
		return "another version of the format";
	if (spool_get32(head + SUM_AT) != crc32c(0, head, SUM_AT))
		return "wrong checksum of the head";
	if (spool_get64(head + 16) != number)
		return "the head of another segment";
	*ret_head = (struct segment_head){ .number = number,
					   .record = spool_get64(head + 24),
					   .flags = spool_get32(head + 12),
					   .frame = spool_get32(head + 32) };
	return NULL;
}

int segment_open_folder(const char *folder, char error[static SPOOL_ERROR_SIZE])
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct stat info;

	if (fd < 0 || fstat(fd, &info) != 0) {
		snprintf(error, SPOOL_ERROR_SIZE, "cannot open the spool \"%.200s\": %s", folder,
			 strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (geteuid() == 0 || info.st_uid == geteuid())
		return fd;
	close(fd);
	snprintf(error, SPOOL_ERROR_SIZE,
		 "the spool \"%.200s\" belongs to user %u: run the command as that user", folder,
		 (unsigned)info.st_uid);
	return -1;
}
