#include "static_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"

enum { FILE_LIMIT = 16 << 20 };

struct static_folder {
	int fd;
};

static void folder_close(void *folder)
{
	close(((struct static_folder *)folder)->fd);
}

err_t static_folder_open(struct arena *a, const char *path, struct static_folder **ret_folder)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct static_folder *folder;

	if (fd < 0)
		return err_new(a, ERR_INVALID, "web_dir \"%s\": %s", path, strerror(errno));
	folder = arena_new_of(a, struct static_folder);
	folder->fd = fd;
	arena_defer(a, folder_close, folder);
	*ret_folder = folder;
	return NULL;
}

static bool is_name(struct str name)
{
	return name.len && name.len <= NAME_MAX && name.at[0] != '.' &&
	       !memchr(name.at, '\0', name.len);
}

/* One step down; `at` is closed unless it is the folder itself. */
static int step(const struct static_folder *folder, int at, struct str name, int flags)
{
	char ended[NAME_MAX + 1];
	int fd = -1;

	if (is_name(name)) {
		memcpy(ended, name.at, name.len);
		ended[name.len] = '\0';
		fd = openat(at, ended, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags);
	}
	if (at != folder->fd)
		close(at);
	return fd;
}

static int open_file(const struct static_folder *folder, const char *path, size_t *ret_size)
{
	struct str rest = str_of(path);
	int fd = folder->fd;
	struct stat st;

	while (fd >= 0 && memchr(rest.at, '/', rest.len))
		fd = step(folder, fd, str_cut(&rest, '/'), O_DIRECTORY);
	if (fd >= 0)
		fd = step(folder, fd, rest, 0);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_LIMIT) {
		*ret_size = (size_t)st.st_size;
		return fd;
	}
	close(fd);
	return -1;
}

bool static_folder_has(const struct static_folder *folder, const char *path)
{
	size_t size;
	int fd = open_file(folder, path, &size);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool static_folder_read(const struct static_folder *folder, struct arena *a, const char *path,
			struct str *ret_body)
{
	size_t size;
	size_t have = 0;
	int fd = open_file(folder, path, &size);
	char *bytes;

	if (fd < 0)
		return false;
	bytes = arena_new_array(a, char, size + 1);
	while (have < size) {
		ssize_t n = read(fd, bytes + have, size - have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	close(fd);
	*ret_body = (struct str){ bytes, have };
	return true;
}
