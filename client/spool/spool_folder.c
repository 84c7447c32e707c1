#include "spool_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spool_segment.h"
#include "text.h"

#define DEFAULT_PATH ".cairn/spool"
#define RUN_NAME_MAX 100 /* bytes of an escaped run id that are kept: the name has at most 255 */

/* ---- names -------------------------------------------------------------------------------------------- */

char *spool_folder_default(void)
{
	const char *set = getenv("CAIRN_SPOOL_DIR");
	struct text path = { 0 };
	char *here = NULL;

	if (!set || !set[0])
		set = DEFAULT_PATH;
	if (set[0] != '/')
		here = getcwd(NULL, 0);
	if (here)
		text_format(&path, "%s%s", here, here[1] ? "/" : "");
	text_str(&path, set);
	free(here);
	return text_take(&path);
}

static bool is_plain(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-' || (c == '.' && !is_first);
}

void spool_folder_name(const char *run, const char *client, const char *stream,
		       char name[static SPOOL_NAME_SIZE])
{
	char escaped[RUN_NAME_MAX + 32];
	size_t length = 0;

	for (const char *c = run; *c; c++) {
		if (length + 3 > RUN_NAME_MAX) {
			snprintf(escaped + length, sizeof escaped - length, "~%016llx",
				 (unsigned long long)text_hash(run));
			length = strlen(escaped);
			break;
		}
		if (is_plain(*c, c == run))
			escaped[length++] = *c;
		else
			length += (size_t)snprintf(escaped + length, 4, "%%%02X",
						   (unsigned)(unsigned char)*c);
	}
	snprintf(name, SPOOL_NAME_SIZE, "%.*s.%.64s.%.64s", (int)length, escaped, client, stream);
}

/* Whether the folder is one of this writer, in another stream. */
static bool is_of_writer(const char *path, const char *name, const struct spool_identity *identity)
{
	char folder[SPOOL_PATH_SIZE], error[SPOOL_ERROR_SIZE];
	struct spool_identity there;
	bool is_his;

	if (snprintf(folder, sizeof folder, "%s/%s", path, name) >= (int)sizeof folder)
		return false;
	is_his = spool_identity_read(folder, &there, error) == SPOOL_IDENTITY_OK &&
		 spool_identity_is_same(&there, identity) && there.stream &&
		 strcmp(there.mode ? there.mode : "", identity->mode ? identity->mode : "") == 0 &&
		 (!identity->stream || strcmp(there.stream, identity->stream) != 0);
	spool_identity_deinit(&there);
	return is_his;
}

bool spool_folder_find(const char *path, const struct spool_identity *identity,
		       char ret_name[static SPOOL_NAME_SIZE])
{
	char begin[SPOOL_NAME_SIZE];
	const struct dirent *entry;
	DIR *directory = opendir(path);

	ret_name[0] = '\0';
	if (!directory)
		return false;
	spool_folder_name(identity->run, identity->client, "", begin);
	while ((entry = readdir(directory))) {
		const char *name = entry->d_name;

		if (strncmp(name, begin, strlen(begin)) == 0 && strlen(name) < SPOOL_NAME_SIZE &&
		    (!ret_name[0] || strcmp(name, ret_name) < 0) &&
		    is_of_writer(path, name, identity))
			snprintf(ret_name, SPOOL_NAME_SIZE, "%s", name);
	}
	closedir(directory);
	return ret_name[0] != '\0';
}

/* ---- listing ------------------------------------------------------------------------------------------ */

struct sizes {
	int folder_fd;
	uint64_t segments, bytes;
};

static void take_size(void *context, uint64_t number)
{
	struct sizes *sizes = context;
	char name[SPOOL_SEGMENT_NAME_SIZE];
	struct stat info;

	segment_name(number, name);
	if (fstatat(sizes->folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	sizes->segments++;
	sizes->bytes += info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

static uint64_t read_sent(int folder_fd)
{
	int fd = openat(folder_fd, "sent", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char text[64];
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	text[got < 0 ? 0 : got] = '\0';
	return strncmp(text, "records ", 8) == 0 ? strtoull(text + 8, NULL, 10) : 0;
}

void spool_entries_deinit(struct spool_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		free(entries->items[i].path);
	free(entries->items);
	*entries = (struct spool_entries){ 0 };
}

/* Takes over `path`. */
static bool add_entry(struct spool_entries *entries, char *path, const struct sizes *sizes)
{
	struct spool_entry *items =
		realloc(entries->items, (entries->count + 1) * sizeof *entries->items);
	char *slash = strrchr(path, '/');

	if (!items) {
		free(path);
		return false;
	}
	entries->items = items;
	items[entries->count++] = (struct spool_entry){ .path = path,
							.name = slash ? slash + 1 : path,
							.segments = sizes->segments,
							.bytes = sizes->bytes,
							.sent = read_sent(sizes->folder_fd) };
	return true;
}

static bool has_identity(int folder_fd)
{
	struct stat info;

	return fstatat(folder_fd, "writer.json", &info, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A line for the caller if it is the first one. */
static void refuse(struct spool_entries *entries, const char *line, char *error)
{
	entries->refused++;
	if (!error[0])
		snprintf(error, SPOOL_ERROR_SIZE, "%s", line);
}

/* Adds the folder if it is a writer's. False without memory. */
static bool look_at(struct spool_entries *entries, const char *path, char *error)
{
	char line[SPOOL_ERROR_SIZE];
	struct sizes sizes = { .folder_fd = segment_open_folder(path, line) };
	bool is_well = true;
	char *own;
	int e;

	if (sizes.folder_fd < 0) {
		refuse(entries, line, error);
		return true;
	}
	e = segment_each(sizes.folder_fd, take_size, &sizes);
	if (e) {
		snprintf(line, sizeof line, "cannot read the spool \"%.200s\": %s", path,
			 strerror(e));
		refuse(entries, line, error);
	} else if (sizes.segments > 0 || has_identity(sizes.folder_fd)) {
		own = strdup(path);
		is_well = own && add_entry(entries, own, &sizes);
	}
	close(sizes.folder_fd);
	return is_well;
}

static bool is_folder(int fd, const struct dirent *entry)
{
	struct stat info;

	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
	       fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

static bool look_below(struct spool_entries *entries, const char *path, DIR *folder, char *error)
{
	struct dirent *entry;
	bool is_well = true;

	while (is_well && (entry = readdir(folder))) {
		struct text inner = { 0 };

		if (!is_folder(dirfd(folder), entry))
			continue;
		text_format(&inner, "%s/%s", path, entry->d_name);
		is_well = text_c_string(&inner) && look_at(entries, inner.data, error);
		text_deinit(&inner);
	}
	return is_well;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct spool_entry *)a)->path, ((const struct spool_entry *)b)->path);
}

bool spool_folder_list(const char *path, struct spool_entries *ret_entries,
		       char error[static SPOOL_ERROR_SIZE])
{
	DIR *folder = opendir(path);
	bool is_well;

	*ret_entries = (struct spool_entries){ 0 };
	error[0] = '\0';
	if (!folder) {
		snprintf(error, SPOOL_ERROR_SIZE, "cannot open the spool \"%.200s\": %s", path,
			 strerror(errno));
		return false;
	}
	is_well = has_identity(dirfd(folder)) ? look_at(ret_entries, path, error)
					      : look_below(ret_entries, path, folder, error);
	closedir(folder);
	if (!is_well) {
		spool_entries_deinit(ret_entries);
		snprintf(error, SPOOL_ERROR_SIZE, "out of memory");
		return false;
	}
	if (ret_entries->count > 1)
		qsort(ret_entries->items, ret_entries->count, sizeof *ret_entries->items, by_name);
	return true;
}

/* ---- what was sent ------------------------------------------------------------------------------------ */

int spool_folder_note_sent(int folder_fd, uint64_t records)
{
	int fd = openat(folder_fd, "sent.new",
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	char text[64];
	int length = snprintf(text, sizeof text, "records %llu\n", (unsigned long long)records);
	bool is_written;

	if (fd < 0)
		return errno;
	is_written = write(fd, text, (size_t)length) == length;
	close(fd);
	if (is_written && renameat(folder_fd, "sent.new", folder_fd, "sent") == 0)
		return 0;
	unlinkat(folder_fd, "sent.new", 0);
	return EIO;
}

struct removal {
	int folder_fd;
	uint64_t up_to; /* number of the last segment that goes */
	uint64_t removed;
};

static void take_removal(void *context, uint64_t number)
{
	struct removal *removal = context;
	char name[SPOOL_SEGMENT_NAME_SIZE];

	segment_name(number, name);
	if (number <= removal->up_to && unlinkat(removal->folder_fd, name, 0) == 0)
		removal->removed++;
}

/* The last segment behind which one begins at `records` or before. */
static uint64_t last_sent_segment(int folder_fd, uint64_t records)
{
	uint64_t number = 0, before = 0, last = 0;
	struct segment_head fields;
	char head[SPOOL_HEAD_BYTES];

	while (segment_find_next(folder_fd, number, &number) == 0 && number) {
		int fd = segment_open(folder_fd, number);
		bool is_well = fd >= 0 && pread(fd, head, sizeof head, 0) == sizeof head &&
			       !segment_read_head(head, number, &fields);

		if (fd >= 0)
			close(fd);
		if (is_well && fields.record > records)
			break;
		if (is_well)
			last = before;
		before = number;
	}
	return last;
}

uint64_t spool_folder_remove_segments(const char *folder, uint64_t records, uint64_t last_segment)
{
	char error[SPOOL_ERROR_SIZE];
	struct removal removal = { .folder_fd = segment_open_folder(folder, error) };

	if (removal.folder_fd < 0)
		return 0;
	removal.up_to = last_segment ? last_segment : last_sent_segment(removal.folder_fd, records);
	segment_each(removal.folder_fd, take_removal, &removal);
	close(removal.folder_fd);
	return removal.removed;
}

/* Files of the spool, and those that are renamed to them. */
static bool is_ours(const char *name)
{
	static const char *const names[] = { "alive", "sent", "writer.json", "clock" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(name, names[i], length) == 0 &&
		    (name[length] == '\0' || name[length] == '.'))
			return true;
	}
	return segment_number(name) > 0;
}

bool spool_folder_remove(const char *folder)
{
	char error[SPOOL_ERROR_SIZE];
	int fd = segment_open_folder(folder, error);
	DIR *entries = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!entries) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(entries))) {
		if (is_ours(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	}
	closedir(entries);
	return rmdir(folder) == 0;
}
