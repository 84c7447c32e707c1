/* writer.json: one table of its texts, for writing, reading and freeing. */
#include "spool_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "names.h"
#include "spool_segment.h"

#define FILE_NAME "writer.json"

struct member {
	const char *name;
	size_t offset;
	bool is_needed;
};

#define MEMBER(name) \
	{ \
#name, offsetof(struct spool_identity, name), false \
	}
#define NEEDED(name) \
	{ \
#name, offsetof(struct spool_identity, name), true \
	}

static const struct member members[] = {
	MEMBER(url),    MEMBER(entity), NEEDED(project), MEMBER(display_name),
	NEEDED(run),    NEEDED(client), NEEDED(label),   MEMBER(group),
	NEEDED(role),   MEMBER(parent), MEMBER(host),    MEMBER(job_type),
	MEMBER(tags),   MEMBER(notes),  MEMBER(mode),    MEMBER(client_version),
	MEMBER(stream),
};
#define MEMBERS (sizeof members / sizeof members[0])

static char **text_of(const struct spool_identity *identity, size_t i)
{
	return (char **)((char *)(uintptr_t)identity + members[i].offset);
}

void spool_identity_deinit(struct spool_identity *identity)
{
	for (size_t i = 0; i < MEMBERS; i++)
		free(*text_of(identity, i));
	*identity = (struct spool_identity){ 0 };
}

/* ---- writing ------------------------------------------------------------------------------------------ */

static void describe(const struct spool_identity *identity, struct text *text)
{
	text_str(text, "{\"format\":");
	text_int(text, SPOOL_FORMAT);
	for (size_t i = 0; i < MEMBERS; i++)
		text_json_member(text, members[i].name, *text_of(identity, i));
	text_str(text, ",\"pid\":");
	text_int(text, identity->pid);
	text_str(text, ",\"started_at_us\":");
	text_int(text, identity->started_at_us);
	text_str(text, "}\n");
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count > 0) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written < 0 ? errno : EIO;
		bytes += written;
		count -= (size_t)written;
	}
	return fsync(fd) == 0 ? 0 : errno;
}

static int write_file(int folder_fd, const struct text *text)
{
	char new_name[64]; /* of this process: another one may begin the same folder */
	int fd, e;

	snprintf(new_name, sizeof new_name, FILE_NAME ".%ld", (long)getpid());
	fd = openat(folder_fd, new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (fd < 0)
		return errno;
	e = write_all(fd, text->data, text->length);
	if (close(fd) != 0 && !e)
		e = errno;
	if (!e && renameat(folder_fd, new_name, folder_fd, FILE_NAME) != 0)
		e = errno;
	if (!e && fsync(folder_fd) != 0)
		e = errno == EINVAL ? 0 : errno; /* some file systems do not do that for folders */
	if (e)
		unlinkat(folder_fd, new_name, 0);
	return e;
}

int spool_identity_write(int folder_fd, const struct spool_identity *identity)
{
	struct text text = { 0 };
	int e = ENOMEM;

	describe(identity, &text);
	if (!text.failed)
		e = write_file(folder_fd, &text);
	text_deinit(&text);
	return e;
}

/* ---- reading ------------------------------------------------------------------------------------------ */

static enum spool_identity_result fail(enum spool_identity_result result, const char *folder,
				       const char *what, char *error)
{
	snprintf(error, SPOOL_ERROR_SIZE, "\"%.200s/" FILE_NAME "\" %s", folder, what);
	return result;
}

static enum spool_identity_result fail_errno(const char *folder, char *error)
{
	snprintf(error, SPOOL_ERROR_SIZE, "cannot read \"%.200s/" FILE_NAME "\": %s", folder,
		 strerror(errno));
	return errno == ENOENT ? SPOOL_IDENTITY_MISSING : SPOOL_IDENTITY_FAILED;
}

/* All of the file, if it is a file and not too long. */
static enum spool_identity_result read_file(int folder_fd, const char *folder, struct text *text,
					    char *error)
{
	int fd = openat(folder_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char bytes[4096];
	struct stat info;
	ssize_t got = 0;

	if (fd < 0)
		return fail_errno(folder, error);
	if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) ||
	    info.st_size > SPOOL_IDENTITY_MAX_BYTES) {
		close(fd);
		return fail(SPOOL_IDENTITY_BAD, folder, "is not a file of a spool", error);
	}
	while (text->length < SPOOL_IDENTITY_MAX_BYTES && (got = read(fd, bytes, sizeof bytes)) > 0)
		text_add(text, bytes, (size_t)got);
	close(fd);
	if (got < 0)
		return fail_errno(folder, error);
	return text->failed
		       ? fail(SPOOL_IDENTITY_FAILED, folder, "is too large: out of memory", error)
		       : SPOOL_IDENTITY_OK;
}

static bool take_texts(struct json object, struct spool_identity *identity)
{
	for (size_t i = 0; i < MEMBERS; i++) {
		*text_of(identity, i) = json_text(json_member(object, members[i].name));
		if (members[i].is_needed && !*text_of(identity, i))
			return false;
	}
	return true;
}

static bool is_client(const char *client)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";

	return client[0] && strlen(client) <= 64 && strspn(client, letters) == strlen(client);
}

static bool is_stream(const char *stream)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

	return stream[0] && strlen(stream) <= SPOOL_STREAM_MAX &&
	       strspn(stream, letters) == strlen(stream);
}

static bool is_valid(const struct spool_identity *identity)
{
	return names_is_run(identity->run) && names_is_project(identity->project) &&
	       is_client(identity->client) && (!identity->stream || is_stream(identity->stream)) &&
	       (!identity->entity || names_is_entity(identity->entity)) &&
	       (!identity->parent || is_client(identity->parent)) &&
	       (strcmp(identity->role, "primary") == 0 || strcmp(identity->role, "worker") == 0);
}

static enum spool_identity_result parse(const char *folder, const struct text *text,
					struct spool_identity *identity, char *error)
{
	struct json object = json_parse(text->data ? text->data : "", text->length);
	int64_t format = 0;

	if (!json_is_object(object) || !json_int(json_member(object, "format"), &format))
		return fail(SPOOL_IDENTITY_BAD, folder, "is damaged", error);
	if (format != SPOOL_FORMAT)
		return fail(SPOOL_IDENTITY_BAD, folder,
			    "has another version of the format: use a newer cairn", error);
	if (!take_texts(object, identity) || !is_valid(identity))
		return fail(SPOOL_IDENTITY_BAD, folder,
			    "lacks a member, or one of them is not valid", error);
	json_int(json_member(object, "pid"), &identity->pid);
	json_int(json_member(object, "started_at_us"), &identity->started_at_us);
	return SPOOL_IDENTITY_OK;
}

enum spool_identity_result spool_identity_read(const char *folder,
					       struct spool_identity *ret_identity,
					       char error[static SPOOL_ERROR_SIZE])
{
	enum spool_identity_result result;
	struct text text = { 0 };
	int folder_fd;

	*ret_identity = (struct spool_identity){ 0 };
	folder_fd = segment_open_folder(folder, error);
	if (folder_fd < 0)
		return SPOOL_IDENTITY_FAILED;
	result = read_file(folder_fd, folder, &text, error);
	if (!result)
		result = parse(folder, &text, ret_identity, error);
	text_deinit(&text);
	close(folder_fd);
	return result;
}

/* A text that only one of them has does not tell them apart. */
static bool may_be_same(const char *a, const char *b)
{
	return !a || !b || strcmp(a, b) == 0;
}

static bool is_same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool spool_identity_is_same(const struct spool_identity *a, const struct spool_identity *b)
{
	return may_be_same(a->url, b->url) && may_be_same(a->entity, b->entity) &&
	       is_same_text(a->project, b->project) && is_same_text(a->run, b->run) &&
	       is_same_text(a->client, b->client);
}
