#include "artifact_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fork_gate.h"
#include "utf8.h"

enum { DEPTH_MAX = 64, PATH_MAX_BYTES = 2048, FILES_MAX = 2000000, PIECE = 256 * 1024 };

bool artifact_path_is_safe(const char *path)
{
	if (!path[0] || strlen(path) > PATH_MAX_BYTES)
		return false;
	for (const char *at = path;; at++) {
		size_t length = strcspn(at, "/");

		if (length == 0 || (length == 1 && at[0] == '.') ||
		    (length == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += length;
		if (!*at)
			return true;
	}
}

static bool is_utf8(const char *text)
{
	size_t left = strlen(text);

	while (left) {
		size_t length = utf8_length(text, left);

		if (!length)
			return false;
		text += length;
		left -= length;
	}
	return true;
}

static struct artifact_file *new_file(struct artifact_files *files)
{
	if (files->count == files->capacity) {
		size_t capacity = files->capacity ? 2 * files->capacity : 64;
		struct artifact_file *more = realloc(files->at, capacity * sizeof *more);

		if (!more)
			return NULL;
		files->at = more;
		files->capacity = capacity;
	}
	files->at[files->count] = (struct artifact_file){ .is_needed = true };
	return &files->at[files->count];
}

static enum artifact_outcome add_file(struct artifact_link *link, struct artifact_files *files,
				      const char *local, const char *path, int64_t size_bytes)
{
	struct artifact_file *file = new_file(files);

	if (!artifact_path_is_safe(path) || !is_utf8(path))
		return artifact_fail(link, ARTIFACT_LOCAL,
				     "\"%s\" cannot be a path of an artifact: expected UTF-8 of at "
				     "most %d bytes",
				     path, PATH_MAX_BYTES);
	if (files->count == FILES_MAX)
		return artifact_fail(link, ARTIFACT_LOCAL, "more than %d files", FILES_MAX);
	if (file) {
		file->path = strdup(path);
		file->local = strdup(local);
		file->size_bytes = size_bytes;
		files->count++;
	}
	if (!file || !file->path || !file->local)
		return artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	return ARTIFACT_DONE;
}

static char *joined(const char *folder, const char *name)
{
	struct text text = { 0 };

	text_str(&text, folder);
	if (folder[0] && folder[strlen(folder) - 1] != '/')
		text_str(&text, "/");
	text_str(&text, name);
	return text_take(&text);
}

static enum artifact_outcome find(struct artifact_link *link, struct artifact_files *files,
				  const char *local, const char *path, int depth);

static enum artifact_outcome find_member(struct artifact_link *link, struct artifact_files *files,
					 const char *local, const char *path, const char *name,
					 int depth)
{
	char *inner = joined(local, name), *inner_path = joined(path, name);
	enum artifact_outcome outcome;

	if (inner && inner_path)
		outcome = find(link, files, inner, inner_path, depth);
	else
		outcome = artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	free(inner);
	free(inner_path);
	return outcome;
}

static enum artifact_outcome find_below(struct artifact_link *link, struct artifact_files *files,
					const char *local, const char *path, int depth)
{
	enum artifact_outcome outcome = ARTIFACT_DONE;
	struct dirent *entry;
	DIR *folder;

	if (depth == DEPTH_MAX)
		return artifact_fail(link, ARTIFACT_LOCAL, "\"%s\" is nested too deep: a loop?",
				     local);
	folder = opendir(local);
	if (!folder)
		return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", local,
				     strerror(errno));
	while (!outcome && (errno = 0, entry = readdir(folder))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			outcome = find_member(link, files, local, path, entry->d_name, depth + 1);
	}
	if (!outcome && errno)
		outcome = artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", local,
					strerror(errno));
	closedir(folder);
	return outcome;
}

static enum artifact_outcome find(struct artifact_link *link, struct artifact_files *files,
				  const char *local, const char *path, int depth)
{
	struct stat facts;

	if (stat(local, &facts))
		return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", local,
				     strerror(errno));
	if (S_ISDIR(facts.st_mode))
		return find_below(link, files, local, path, depth);
	if (!S_ISREG(facts.st_mode))
		return artifact_fail(link, ARTIFACT_LOCAL, "\"%s\" is not a file", local);
	return add_file(link, files, local, path, facts.st_size);
}

static int by_path(const void *a, const void *b)
{
	const struct artifact_file *x = a, *y = b;

	return strcmp(x->path, y->path); /* by unsigned bytes */
}

enum artifact_outcome artifact_files_find(struct artifact_link *link, struct artifact_files *files,
					  const char *path)
{
	const char *slash = strrchr(path, '/');
	enum artifact_outcome outcome;
	struct stat facts;

	if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
		outcome = find_below(link, files, path, "", 0);
	else
		outcome = find(link, files, path, slash ? slash + 1 : path, 0);
	if (!outcome && files->count)
		qsort(files->at, files->count, sizeof files->at[0], by_path);
	return outcome;
}

void artifact_files_deinit(struct artifact_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->at[i].path);
		free(files->at[i].local);
	}
	free(files->at);
	*files = (struct artifact_files){ 0 };
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

static ssize_t read_piece(const struct artifact_link *link, int fd, char *piece, int64_t from,
			  int64_t bytes)
{
	if (!artifact_is_over(link))
		return pread(fd, piece, bytes < PIECE ? (size_t)bytes : PIECE, from);
	errno = ECANCELED;
	return -1;
}

bool artifact_part_md5(const struct artifact_link *link, int fd, int64_t from, int64_t bytes,
		       unsigned char sum[MD5_BYTES])
{
	unsigned depth = fork_gate_pause(); /* a large file takes seconds */
	char *piece = malloc(PIECE);
	ssize_t count = piece ? 1 : -1;
	struct md5 md5;
	int error;

	md5_init(&md5);
	while (count > 0 && bytes > 0) {
		count = read_piece(link, fd, piece, from, bytes);
		if (count > 0)
			md5_add(&md5, piece, (size_t)count);
		from += count;
		bytes -= count;
	}
	error = !piece ? ENOMEM : count ? errno : ENODATA;
	free(piece);
	md5_end(&md5, sum);
	fork_gate_resume(depth);
	errno = error;
	return count >= 0 && bytes == 0;
}

bool artifact_file_md5(const struct artifact_link *link, const char *local,
		       unsigned char sum[MD5_BYTES])
{
	int fd = open(local, O_RDONLY | O_CLOEXEC), error;
	struct stat facts;
	bool is_read;

	is_read = fd >= 0 && fstat(fd, &facts) == 0 &&
		  artifact_part_md5(link, fd, 0, facts.st_size, sum);
	error = errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return is_read;
}

static enum artifact_outcome sum_one(struct artifact_link *link, struct transport *transport,
				     void *context, size_t number)
{
	struct artifact_files *files = context;
	struct artifact_file *file = &files->at[number];

	(void)transport;
	if (artifact_file_md5(link, file->local, file->md5))
		return ARTIFACT_DONE;
	if (errno == ECANCELED)
		return artifact_fail(link, ARTIFACT_AWAY, "the timeout ended before all was done");
	return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", file->local,
			     strerror(errno));
}

enum artifact_outcome artifact_files_sum(struct artifact_link *link, struct artifact_files *files)
{
	return artifact_work(link, sum_one, files, files->count);
}

void artifact_files_digest(const struct artifact_files *files, char text[MD5_HEX_SIZE])
{
	static const char head[] = "wandb-artifact-manifest-v1\n";
	unsigned char sum[MD5_BYTES];
	char base64[MD5_BASE64_SIZE];
	struct md5 md5;

	md5_init(&md5);
	md5_add(&md5, head, sizeof head - 1);
	for (size_t i = 0; i < files->count; i++) {
		md5_base64(files->at[i].md5, base64);
		md5_add(&md5, files->at[i].path, strlen(files->at[i].path));
		md5_add(&md5, ":", 1);
		md5_add(&md5, base64, strlen(base64));
		md5_add(&md5, "\n", 1);
	}
	md5_end(&md5, sum);
	md5_hex(sum, text);
}
