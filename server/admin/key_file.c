#include "key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"

enum { LINE_MAX_BYTES = 4096 };

static err_t cannot_create(struct arena *a, const char *path)
{
	struct err *e;

	if (errno != EEXIST)
		return err_new(a, ERR_INVALID, "cannot create the key file \"%s\": %s", path,
			       strerror(errno));
	e = err_new(a, ERR_INVALID, "the key file \"%s\" already exists", path);
	e->hint = "choose another name, or remove the file if its key is not used";
	return e;
}

err_t key_file_check(struct arena *a, const char *path)
{
	struct stat st;

	if (!path || lstat(path, &st))
		return NULL;
	errno = EEXIST;
	return cannot_create(a, path);
}

err_t key_file_begin(struct arena *a, const char *path, struct key_file *ret_file)
{
	int fd = STDOUT_FILENO;

	if (path)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return cannot_create(a, path);
	ret_file->path = path;
	ret_file->fd = fd;
	key_make(ret_file->key);
	return NULL;
}

/* With a line end in place of its NUL. */
static bool hand_out(struct key_file *file)
{
	file->key[KEY_TEXT_SIZE] = '\n';
	if (write(file->fd, file->key, sizeof(file->key)) != (ssize_t)sizeof(file->key))
		return false;
	return !file->path || fsync(file->fd) == 0;
}

err_t key_file_end(struct arena *a, struct key_file *file, err_t stored)
{
	err_t e = stored;

	if (!e && !hand_out(file))
		e = err_new(a, ERR_INTERNAL, "cannot write the key: %s", strerror(errno));
	sodium_memzero(file->key, sizeof(file->key));
	if (file->path)
		close(file->fd);
	if (file->path && stored)
		unlink(file->path);
	return e;
}

err_t key_file_read(struct arena *a, const char *path, struct str *ret_line)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	struct buf *text = buf_new(a);
	struct str all;
	ssize_t got = 1;

	if (fd < 0)
		return err_new(a, ERR_INVALID, "cannot read \"%s\": %s", path, strerror(errno));
	while (got > 0 && text->len < LINE_MAX_BYTES &&
	       !(text->len && memchr(text->at, '\n', text->len))) {
		got = read(fd, buf_reserve(text, LINE_MAX_BYTES), LINE_MAX_BYTES - text->len);
		if (got > 0)
			text->len += (size_t)got;
	}
	if (path)
		close(fd);
	if (got < 0)
		return err_new(a, ERR_INVALID, "cannot read \"%s\": %s", path ? path : "stdin",
			       strerror(errno));
	all = buf_str(text);
	all = str_cut(&all, '\n');
	if (all.len && all.at[all.len - 1] == '\r')
		all.len--;
	*ret_line = all;
	return NULL;
}
