#include "starting.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"

static const char *path_in(struct arena *a, const struct config *config)
{
	return arena_printf(a, "%s/starting", config->data_dir);
}

void starting_begin(struct arena *a, const struct config *config, struct starting *ret_starting)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct starting s = { .path = path_in(a, config) };

	s.fd = open(s.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (s.fd >= 0 && fcntl(s.fd, F_OFD_SETLK, &whole)) {
		close(s.fd);
		s.fd = -1;
	}
	*ret_starting = s;
}

void starting_say(const struct starting *s, const char *fmt, ...)
{
	char line[STARTING_SIZE];
	va_list ap;

	if (!s || s->fd < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (pwrite(s->fd, line, strlen(line), 0) < 0 || ftruncate(s->fd, (off_t)strlen(line)))
		return; /* the line is only informative */
}

void starting_end(struct starting *s)
{
	if (s->fd < 0)
		return;
	unlink(s->path);
	close(s->fd);
	s->fd = -1;
}

bool starting_read(struct arena *a, const struct config *config, char ret_line[STARTING_SIZE])
{
	struct flock whole = { .l_type = F_RDLCK, .l_whence = SEEK_SET };
	int fd = open(path_in(a, config), O_RDONLY | O_CLOEXEC);
	bool is_held = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &whole) && whole.l_type != F_UNLCK;
	ssize_t len = is_held ? pread(fd, ret_line, STARTING_SIZE - 1, 0) : 0;

	if (fd >= 0)
		close(fd);
	if (len <= 0)
		return false;
	ret_line[len] = '\0';
	return true;
}
