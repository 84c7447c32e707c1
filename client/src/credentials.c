/*
 * The login file. It is written to a neighbour and renamed, so that a reader never meets half a
 * file.
 */
#include "credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

#define CREDENTIALS_MAX_BYTES (64 * 1024)

char *credentials_path(void)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	struct text path = { 0 };

	if (config && config[0] == '/')
		text_format(&path, "%s/cairn/credentials", config);
	else if (home && home[0])
		text_format(&path, "%s/.config/cairn/credentials", home);
	else
		return NULL;
	return text_take(&path);
}

/* Up to size - 1 bytes of a file, terminated; -1 and errno. */
static ssize_t read_all(int fd, char *buffer, size_t size)
{
	size_t used = 0;
	ssize_t got = 1;

	while (got > 0 && used < size - 1) {
		got = read(fd, buffer + used, size - 1 - used);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got < 0)
			return -1;
		else
			used += (size_t)got;
	}
	buffer[used] = '\0';
	return (ssize_t)used;
}

static enum credentials_result load(const char *path, char **ret_text)
{
	enum credentials_result result = CREDENTIALS_FAILED;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = NULL;
	struct stat facts;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? CREDENTIALS_NONE : CREDENTIALS_FAILED;
	if (fstat(fd, &facts) != 0)
		goto out;
	if (facts.st_mode & (S_IRWXG | S_IRWXO)) {
		result = CREDENTIALS_OPEN;
		goto out;
	}
	text = malloc(CREDENTIALS_MAX_BYTES);
	if (!text || read_all(fd, text, CREDENTIALS_MAX_BYTES) < 0)
		goto out;
	*ret_text = text;
	text = NULL;
	result = CREDENTIALS_OK;
out:
	free(text);
	close(fd);
	return result;
}

enum credentials_result credentials_read(const char *path, const char *url, char **ret_url,
					 char **ret_key)
{
	char *text, *rest = NULL;
	enum credentials_result result = load(path, &text);

	if (result)
		return result;
	result = CREDENTIALS_NONE;
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *key = strchr(line, ' ');

		if (line[0] == '#' || !key)
			continue;
		*key++ = '\0';
		if (url && strcmp(url, line) != 0)
			continue;
		*ret_url = strdup(line);
		*ret_key = strdup(key);
		result = *ret_url && *ret_key ? CREDENTIALS_OK : CREDENTIALS_FAILED;
		break;
	}
	free(text);
	return result;
}

/* The lines of the file but those of `url`. */
static void keep_others(char *old, const char *url, struct text *text)
{
	size_t length = strlen(url);
	char *rest = NULL;

	for (char *line = strtok_r(old, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] == '#' || (strncmp(line, url, length) == 0 && line[length] == ' '))
			continue;
		text_format(text, "%s\n", line);
	}
}

static bool make_folders(const char *path)
{
	char *copy = strdup(path);
	bool made = copy != NULL;

	for (char *p = copy ? strchr(copy + 1, '/') : NULL; p && made; p = strchr(p + 1, '/')) {
		*p = '\0';
		made = mkdir(copy, 0700) == 0 || errno == EEXIST;
		*p = '/';
	}
	free(copy);
	return made;
}

static bool write_file(const char *path, const char *text)
{
	size_t length = strlen(text), done = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written;

	if (fd < 0)
		return false;
	written = fchmod(fd, 0600) == 0;
	while (written && done < length) {
		ssize_t count = write(fd, text + done, length - done);
		written = count >= 0 || errno == EINTR;
		done += count > 0 ? (size_t)count : 0;
	}
	written = written && fsync(fd) == 0;
	return close(fd) == 0 && written;
}

enum credentials_result credentials_write(const char *path, const char *url, const char *key)
{
	enum credentials_result result = CREDENTIALS_FAILED;
	struct text text = { 0 }, neighbour = { 0 };
	const char *temporary, *content;
	char *old = NULL;

	text_format(&text,
		    "# Written by cairn login: server address and API key; the first entry is "
		    "the default.\n");
	text_format(&text, "%s %s\n", url, key);
	if (load(path, &old) == CREDENTIALS_OK)
		keep_others(old, url, &text);
	text_format(&neighbour, "%s.%ld", path, (long)getpid());
	temporary = text_c_string(&neighbour);
	content = text_c_string(&text);
	if (!temporary || !content || !make_folders(path))
		goto out;
	if (write_file(temporary, content) && rename(temporary, path) == 0)
		result = CREDENTIALS_OK;
	else
		unlink(temporary);
out:
	free(old);
	text_deinit(&text);
	text_deinit(&neighbour);
	return result;
}
