#include "artifact_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZE_AT = 124, SIZE_DIGITS = 11, TYPE_AT = 156, NAME_BYTES = 255 };

void artifact_unpack_init(struct artifact_unpack *unpack, const struct artifact_files *files,
			  size_t folder_length, struct artifact_progress *progress)
{
	*unpack = (struct artifact_unpack){
		.files = files,
		.progress = progress,
		.folder_length = folder_length,
		.fd = -1,
	};
}

static void close_part(struct artifact_unpack *unpack)
{
	if (unpack->fd >= 0)
		close(unpack->fd);
	unpack->fd = -1;
}

void artifact_unpack_deinit(struct artifact_unpack *unpack)
{
	close_part(unpack);
	text_deinit(&unpack->part);
}

void artifact_part_name(const struct artifact_file *file, struct text *part)
{
	const char *slash = strrchr(file->local, '/'), *name = slash ? slash + 1 : file->local;
	unsigned char sum[MD5_BYTES];
	char hex[MD5_HEX_SIZE];
	struct md5 md5;

	if (strlen(name) + strlen(ARTIFACT_PART_END) <= NAME_BYTES) {
		text_str(part, file->local);
	} else {
		md5_init(&md5);
		md5_add(&md5, file->path, strlen(file->path));
		md5_end(&md5, sum);
		md5_hex(sum, hex);
		text_add(part, file->local, (size_t)(name - file->local));
		text_str(part, hex);
	}
	text_str(part, ARTIFACT_PART_END);
}

/* The process that had the lock before may have renamed the file after it was opened here. */
static bool has_name(int fd, const char *name)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && lstat(name, &named) == 0 &&
	       opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

static int compare_local(const void *local, const void *file)
{
	return strcmp(local, ((const struct artifact_file *)file)->local);
}

/* All local names begin with the same folder, so they have the order of the paths. */
static bool is_a_file(const struct artifact_files *files, const char *local)
{
	return files->count &&
	       bsearch(local, files->at, files->count, sizeof files->at[0], compare_local);
}

int artifact_part_open(const struct artifact_files *files, const char *part)
{
	bool is_taken = is_a_file(files, part);
	int fd = is_taken ? -1 : open(part, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

	if (is_taken)
		errno = EWOULDBLOCK;
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (has_name(fd, part))
			return fd;
	} else if (errno != EWOULDBLOCK) {
		unlink(part); /* a file system without locks: nobody fills it */
	}
	close(fd);
	errno = EWOULDBLOCK;
	return -1;
}

bool artifact_is_written(int fd)
{
	int copy = dup(fd);

	return copy >= 0 && close(copy) == 0;
}

/* errno says why not. */
static bool make_folder(const char *path, enum artifact_links links)
{
	struct stat facts;

	if (mkdir(path, 0777) == 0)
		return true;
	if (errno != EEXIST)
		return false;
	if (links == ARTIFACT_LINKS_REFUSED && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode)) {
		errno = ELOOP;
		return false;
	}
	return true;
}

bool artifact_make_folders(char *path, size_t from, enum artifact_links links)
{
	for (char *at = path + from; (at = strchr(at, '/')); at++) {
		bool is_made;

		*at = '\0';
		is_made = !path[0] || make_folder(path, links);
		*at = '/';
		if (!is_made)
			return false;
	}
	return true;
}

/* Sizes from 8 GiB on are written in another way: such a file is fetched alone. */
static bool read_size(const char *head, int64_t *ret_size)
{
	int64_t size = 0;

	for (const char *at = head + SIZE_AT; at < head + SIZE_AT + SIZE_DIGITS; at++) {
		if (*at < '0' || *at > '7')
			return false;
		size = size * 8 + (*at - '0');
	}
	*ret_size = size;
	return true;
}

static bool open_next(struct artifact_unpack *u, int64_t size)
{
	const struct artifact_file *file = &u->files->at[u->next];

	if (u->next == u->files->count || file->size_bytes != size)
		return false;
	text_clear(&u->part, 4096);
	artifact_part_name(file, &u->part);
	if (text_c_string(&u->part) &&
	    artifact_make_folders(u->part.data, u->folder_length + 1, ARTIFACT_LINKS_REFUSED))
		u->fd = artifact_part_open(u->files, u->part.data);
	md5_init(&u->md5);
	return u->fd >= 0 && ftruncate(u->fd, 0) == 0;
}

/* A file with other content stays a part, which is fetched again. */
static void end_body(struct artifact_unpack *u)
{
	struct artifact_file *file = &u->files->at[u->next];
	unsigned char sum[MD5_BYTES];

	md5_end(&u->md5, sum);
	if (memcmp(sum, file->md5, MD5_BYTES) == 0 && artifact_is_written(u->fd) &&
	    rename(u->part.data, file->local) == 0) {
		file->is_needed = false;
		atomic_fetch_add(&u->progress->files, 1);
		atomic_fetch_add(&u->progress->bytes, file->size_bytes);
	}
	close_part(u);
	u->next++;
	u->left = u->padding;
	u->state = UNPACK_SKIP;
}

static bool take_head(struct artifact_unpack *u)
{
	char type = u->head[TYPE_AT];
	int64_t size;

	u->head_length = 0;
	if (!u->head[0]) { /* the zeros at the end */
		u->state = UNPACK_END;
		return true;
	}
	if (!read_size(u->head, &size))
		return false;
	u->padding = (512 - size % 512) % 512;
	u->left = size;
	if (type == '0') {
		u->state = UNPACK_BODY;
		if (!open_next(u, size))
			return false;
		if (!size)
			end_body(u);
		return true;
	}
	u->left += u->padding; /* a long name, which the list has too */
	u->state = UNPACK_SKIP;
	return true;
}

static bool take_body(struct artifact_unpack *u, const char *bytes, size_t count)
{
	while (count) {
		ssize_t done = write(u->fd, bytes, count);

		if (done <= 0)
			return false;
		md5_add(&u->md5, bytes, (size_t)done);
		bytes += done;
		count -= (size_t)done;
		u->left -= done;
	}
	if (!u->left)
		end_body(u);
	return true;
}

bool artifact_unpack_add(void *unpack, const char *bytes, size_t count)
{
	struct artifact_unpack *u = unpack;

	while (count && u->state != UNPACK_END) {
		size_t wanted = u->state == UNPACK_HEAD ? sizeof u->head - u->head_length
							: (size_t)u->left;
		size_t part = wanted < count ? wanted : count;

		if (u->state == UNPACK_HEAD) {
			memcpy(u->head + u->head_length, bytes, part);
			u->head_length += part;
			if (u->head_length == sizeof u->head && !take_head(u))
				return false;
		} else if (u->state == UNPACK_BODY) {
			if (!take_body(u, bytes, part))
				return false;
		} else {
			u->left -= (int64_t)part;
		}
		if (u->state == UNPACK_SKIP && !u->left)
			u->state = UNPACK_HEAD;
		bytes += part;
		count -= part;
	}
	return true;
}
