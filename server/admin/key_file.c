#include "key_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"

enum { LINE_MAX_BYTES = 4096 };

err_t key_file_make(struct arena *a, const char *path, struct key_file *ret_file)
{
	struct key_file file = { .path = path, .fd = STDOUT_FILENO };

	if (path) {
		file.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (file.fd < 0)
			return err_new(a, ERR_INVALID, "cannot make the key file \"%s\": %s", path,
				       strerror(errno));
	}
	*ret_file = file;
	return NULL;
}

err_t key_file_write(struct arena *a, struct key_file *file, const char *key)
{
	const char *line = arena_printf(a, "%s\n", key);
	size_t len = strlen(line);
	bool written = write(file->fd, line, len) == (ssize_t)len;
	int reason = errno;

	if (file->path && (fsync(file->fd) || close(file->fd)))
		written = false;
	if (written)
		return NULL;
	return err_new(a, ERR_INTERNAL, "cannot write the key: %s", strerror(reason));
}

void key_file_drop(struct key_file *file)
{
	if (!file->path)
		return;
	close(file->fd);
	unlink(file->path);
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
