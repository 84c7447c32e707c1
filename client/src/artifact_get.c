#include "artifact_get.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifact_files.h"
#include "artifact_unpack.h"
#include "random_id.h"

enum {
	ANSWER_MS = 60000,
	LIST_MS = 600000,
	LINE_MAX_BYTES = 256 * 1024,
	PACK_FILES = 100, /* so many files that are small on average come as one tar */
	PACK_BYTES = 64 * 1024,
	OWN_CHARACTERS = 24,
};

struct getting {
	struct artifact_link *link;
	const char *folder;
	const char *prefix; /* "": all */
	struct text base;   /* the path of the version */
	char version[16];   /* "v3" */
	struct artifact_files files;
	int64_t references;
	struct text line; /* of the manifest, that has not ended */
	_Atomic int64_t fetched_files, fetched_bytes;
};

/* ---- the list ---------------------------------------------------------------------------------------------- */

static bool read_base64(const char *text, unsigned char md5[MD5_BYTES])
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, count = 0, at = 0;

	for (; *text && *text != '='; text++) {
		const char *digit = strchr(digits, *text);

		if (!digit || at == MD5_BYTES)
			return false;
		bits = (bits << 6 | (unsigned)(digit - digits)) & 0xffffff;
		count += 6;
		if (count >= 8) {
			count -= 8;
			md5[at++] = (unsigned char)(bits >> count);
		}
	}
	return at == MD5_BYTES;
}

static bool grow(struct artifact_files *files)
{
	size_t capacity = files->capacity ? 2 * files->capacity : 256;
	struct artifact_file *more;

	if (files->count < files->capacity)
		return true;
	more = realloc(files->at, capacity * sizeof *more);
	if (more) {
		files->at = more;
		files->capacity = capacity;
	}
	return more != NULL;
}

static bool take_entry(struct getting *g, struct json entry)
{
	struct artifact_file file = {
		.path = json_text(json_member(entry, "path")),
		.is_needed = true,
	};
	char *digest = json_text(json_member(entry, "digest"));
	struct text local = { 0 };
	bool is_fine;

	if (json_is_string(json_member(entry, "ref"))) {
		g->references++;
		free(file.path);
		free(digest);
		return true;
	}
	is_fine = file.path && digest && artifact_path_is_safe(file.path) &&
		  read_base64(digest, file.md5) &&
		  json_int(json_member(entry, "bytes"), &file.size_bytes) && grow(&g->files);
	free(digest);
	if (is_fine && strncmp(file.path, g->prefix, strlen(g->prefix)) != 0) {
		free(file.path);
		return true;
	}
	if (is_fine) {
		text_format(&local, "%s/%s", g->folder, file.path);
		file.local = text_take(&local);
	}
	if (!is_fine || !file.local) {
		free(file.path);
		return false;
	}
	g->files.at[g->files.count++] = file;
	return true;
}

static bool take_line(struct getting *g)
{
	struct json entry = json_parse(g->line.data, g->line.length);
	bool is_fine = json_is_object(entry) && take_entry(g, entry);

	text_clear(&g->line, 4096);
	return is_fine;
}

static bool take_piece(void *context, const char *bytes, size_t count)
{
	struct getting *g = context;

	while (count) {
		const char *end = memchr(bytes, '\n', count);
		size_t length = end ? (size_t)(end - bytes) : count;

		text_add(&g->line, bytes, length);
		if (g->line.failed || g->line.length > LINE_MAX_BYTES || (end && !take_line(g))) {
			artifact_fail(g->link, ARTIFACT_REFUSED,
				      "the list of files has a line that is not valid");
			return false;
		}
		bytes += length + (end ? 1 : 0);
		count -= length + (end ? 1 : 0);
	}
	return true;
}

/* A repeat begins with an empty list. */
static enum artifact_rewind forget_list(void *context)
{
	struct getting *g = context;

	artifact_files_deinit(&g->files);
	text_clear(&g->line, 4096);
	g->references = 0;
	return ARTIFACT_REWIND_ANEW;
}

static enum artifact_outcome read_list(struct getting *g, struct transport *transport)
{
	struct text path = { 0 };
	struct response response = { 0 };
	struct request request = {
		.method = "GET",
		.timeout_ms = LIST_MS,
		.stall_s = g->link->stall_s,
		.on_piece = take_piece,
		.context = g,
		.read_context = g,
	};
	enum artifact_outcome outcome;

	text_add(&path, g->base.data, g->base.length);
	text_str(&path, "/manifest");
	request.path = text_c_string(&path);
	outcome = request.path ? artifact_ask(g->link, transport, &request, &response, forget_list)
			       : artifact_fail(g->link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome && g->line.length)
		outcome = artifact_fail(g->link, ARTIFACT_AWAY, "the list of files broke off");
	text_deinit(&path);
	text_deinit(&response.body);
	return outcome;
}

/*
 * The number of the version that an alias names now: all requests are about that one. Sets g->base and g->version.
 */
static enum artifact_outcome find_version(struct getting *g, struct transport *transport,
					  const char *collection, const char *version)
{
	struct response response = { 0 };
	struct request request = { .method = "GET", .timeout_ms = ANSWER_MS };
	enum artifact_outcome outcome;

	artifact_path(g->link, &g->base, collection);
	text_str(&g->base, "/versions/");
	text_escaped(&g->base, version);
	request.path = text_c_string(&g->base);
	outcome = request.path ? artifact_ask(g->link, transport, &request, &response, NULL)
			       : artifact_fail(g->link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome)
		json_copy(json_member(json_parse(response.body.data, response.body.length),
				      "version"),
			  g->version, sizeof g->version);
	text_deinit(&response.body);
	if (outcome)
		return outcome;
	if (!g->version[0])
		return artifact_fail(g->link, ARTIFACT_REFUSED, "the answer has no version");
	artifact_path(g->link, &g->base, collection);
	text_format(&g->base, "/versions/%s", g->version);
	return ARTIFACT_DONE;
}

/* ---- one file ------------------------------------------------------------------------------------------------- */

struct sink {
	struct artifact_link *link;
	const struct artifact_file *file;
	const char *local;
	int fd;
	int64_t offset, end;   /* where the next bytes go, and how many the file has */
	int64_t tried_at;      /* the offset at which the last try began */
	int64_t counted_bytes; /* in the progress */
	char range[64];
};

static enum artifact_outcome local_fault(struct artifact_link *link, const char *local)
{
	if (errno == ELOOP)
		return artifact_fail(
			link, ARTIFACT_LOCAL,
			"cannot write \"%s\": a folder of its path is a link, so it would be "
			"written somewhere else",
			local);
	return artifact_fail(link, ARTIFACT_LOCAL, "cannot write \"%s\": %s", local,
			     strerror(errno));
}

static void set_offset(struct sink *sink, int64_t offset)
{
	atomic_fetch_add(&sink->link->progress.bytes, offset - sink->counted_bytes);
	sink->counted_bytes = offset;
	sink->offset = offset;
}

/* An answer that does not heed Range has the whole file. */
static void begin_pieces(void *context, long status)
{
	if (status == 200)
		set_offset(context, 0);
}

static bool write_piece(void *context, const char *bytes, size_t count)
{
	struct sink *sink = context;

	if ((int64_t)count > sink->end - sink->offset) {
		artifact_fail(sink->link, ARTIFACT_REFUSED,
			      "the server sent more bytes of \"%s\" than the version says",
			      sink->file->path);
		return false;
	}
	while (count) {
		ssize_t done = pwrite(sink->fd, bytes, count, sink->offset);

		if (done < 0) {
			local_fault(sink->link, sink->local);
			return false;
		}
		bytes += done;
		count -= (size_t)done;
		set_offset(sink, sink->offset + done);
	}
	return true;
}

/* A repeat begins at the first byte that is missing. */
static enum artifact_rewind set_range(void *context)
{
	struct sink *sink = context;
	bool has_moved = sink->offset > sink->tried_at;

	snprintf(sink->range, sizeof sink->range, "Range: bytes=%lld-", (long long)sink->offset);
	sink->tried_at = sink->offset;
	return has_moved ? ARTIFACT_REWIND_ON : ARTIFACT_REWIND_ANEW;
}

static enum artifact_outcome fetch_rest(struct getting *g, struct transport *transport,
					const char *path, struct sink *sink,
					struct response *response)
{
	const struct request request = {
		.method = "GET",
		.path = path,
		.header = sink->range,
		.timeout_ms = artifact_time_for(sink->end),
		.stall_s = g->link->stall_s,
		.on_begin = begin_pieces,
		.on_piece = write_piece,
		.context = sink,
		.read_context = sink,
	};

	set_range(sink);
	return artifact_try(g->link, transport, &request, response, set_range);
}

static enum artifact_outcome fetch_into(struct getting *g, struct transport *transport,
					struct sink *sink)
{
	struct response response = { 0 };
	struct text path = { 0 };
	enum artifact_outcome outcome = ARTIFACT_DONE;

	text_add(&path, g->base.data, g->base.length);
	text_str(&path, "/files/");
	artifact_path_add(&path, sink->file->path);
	if (!text_c_string(&path))
		outcome = artifact_fail(g->link, ARTIFACT_LOCAL, "out of memory");
	else if (sink->offset < sink->end)
		outcome = fetch_rest(g, transport, path.data, sink, &response);
	if (outcome == ARTIFACT_REFUSED && response.status == 416 && sink->offset) {
		set_offset(sink, 0);
		outcome = fetch_rest(g, transport, path.data, sink, &response);
	}
	if (outcome == ARTIFACT_REFUSED)
		outcome = artifact_refuse(g->link, &response);
	text_deinit(&path);
	text_deinit(&response.body);
	return outcome;
}

static bool has_content(const struct artifact_link *link, const char *local,
			const struct artifact_file *file)
{
	unsigned char md5[MD5_BYTES];
	struct stat facts;

	return stat(local, &facts) == 0 && S_ISREG(facts.st_mode) &&
	       facts.st_size == file->size_bytes && artifact_file_md5(link, local, md5) &&
	       memcmp(md5, file->md5, MD5_BYTES) == 0;
}

struct part {
	int fd;
	const char *name;
};

/* Fills the part from where an earlier fetch left it, or anew. */
static enum artifact_outcome fill_part(struct getting *g, struct transport *transport,
				       const struct artifact_file *file, const struct part *part,
				       bool anew)
{
	struct sink sink = {
		.link = g->link,
		.file = file,
		.local = part->name,
		.fd = part->fd,
		.end = file->size_bytes,
	};
	enum artifact_outcome outcome;
	struct stat facts;

	if ((anew && ftruncate(part->fd, 0)) || fstat(part->fd, &facts))
		return local_fault(g->link, part->name);
	set_offset(&sink, facts.st_size <= file->size_bytes ? facts.st_size : 0);
	outcome = fetch_into(g, transport, &sink);
	if (!outcome && (ftruncate(part->fd, file->size_bytes) || !artifact_is_written(part->fd)))
		outcome = local_fault(g->link, part->name);
	return outcome;
}

static enum artifact_outcome fetch_part(struct getting *g, struct transport *transport,
					const struct artifact_file *file, const struct part *part)
{
	enum artifact_outcome outcome = fill_part(g, transport, file, part, false);

	if (!outcome && !has_content(g->link, part->name, file)) {
		atomic_fetch_sub(&g->link->progress.bytes, file->size_bytes);
		outcome = fill_part(g, transport, file, part, true);
	}
	if (outcome)
		return outcome;
	if (artifact_is_over(g->link))
		return artifact_fail(g->link, ARTIFACT_AWAY,
				     "the timeout ended before all was done");
	if (!has_content(g->link, part->name, file))
		return artifact_fail(g->link, ARTIFACT_REFUSED,
				     "the content of \"%s\" has another MD5 than the version says",
				     file->path);
	if (rename(part->name, file->local))
		return local_fault(g->link, file->local);
	atomic_fetch_add(&g->fetched_files, 1);
	atomic_fetch_add(&g->fetched_bytes, file->size_bytes);
	return ARTIFACT_DONE;
}

/* A part with a random name, which no other process uses and no later fetch goes on with. */
static int open_own(const struct artifact_file *file, struct text *name)
{
	const char *slash = strrchr(file->local, '/');
	char id[OWN_CHARACTERS + 1];

	random_id(id, OWN_CHARACTERS);
	text_clear(name, 4096);
	text_add(name, file->local, slash ? (size_t)(slash + 1 - file->local) : 0);
	text_format(name, ".%s%s", id, ARTIFACT_PART_END);
	errno = ENOMEM;
	return text_c_string(name)
		       ? open(name->data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)
		       : -1;
}

/* Several processes may fetch into one folder: the part is locked until it is renamed. */
static enum artifact_outcome fetch_file(struct getting *g, struct transport *transport,
					const struct artifact_file *file, struct text *name)
{
	struct part part = { .fd = artifact_part_open(&g->files, name->data) };
	bool is_own = part.fd < 0 && errno == EWOULDBLOCK;
	enum artifact_outcome outcome;

	if (is_own)
		part.fd = open_own(file, name);
	part.name = text_c_string(name);
	if (part.fd < 0)
		return local_fault(g->link, file->local);
	outcome = fetch_part(g, transport, file, &part);
	if (outcome && is_own)
		unlink(part.name);
	close(part.fd);
	return outcome;
}

static enum artifact_outcome get_one(struct artifact_link *link, struct transport *transport,
				     void *context, size_t number)
{
	struct getting *g = context;
	const struct artifact_file *file = &g->files.at[number];
	enum artifact_outcome outcome = ARTIFACT_DONE;
	struct text part = { 0 };

	if (!file->is_needed) /* it came in the tar */
		return ARTIFACT_DONE;
	artifact_part_name(file, &part);
	if (!text_c_string(&part))
		outcome = artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	else if (has_content(link, file->local, file))
		atomic_fetch_add(&link->progress.bytes, file->size_bytes);
	else if (!artifact_make_folders(file->local, strlen(g->folder) + 1, ARTIFACT_LINKS_REFUSED))
		outcome = local_fault(link, file->local);
	else
		outcome = fetch_file(g, transport, file, &part);
	text_deinit(&part);
	if (!outcome)
		atomic_fetch_add(&link->progress.files, 1);
	return outcome;
}

/* ---- many small files ------------------------------------------------------------------------------------------- */

static bool is_for_a_tar(const struct getting *g)
{
	if (g->files.count < PACK_FILES ||
	    g->link->progress.all_bytes > (int64_t)g->files.count * PACK_BYTES)
		return false;
	for (size_t i = 0; i < g->files.count; i++) {
		if (access(g->files.at[i].local, F_OK) == 0)
			return false;
	}
	return true;
}

static void count_unpacked(struct getting *g)
{
	for (size_t i = 0; i < g->files.count; i++) {
		if (g->files.at[i].is_needed)
			continue;
		atomic_fetch_add(&g->fetched_files, 1);
		atomic_fetch_add(&g->fetched_bytes, g->files.at[i].size_bytes);
	}
}

/* Only saves requests: what does not come so is fetched file by file. */
static void fetch_tar(struct getting *g, struct transport *transport)
{
	struct artifact_unpack unpack;
	struct response response = { 0 };
	struct text path = { 0 };
	struct request request = {
		.method = "GET",
		.timeout_ms = artifact_time_for(g->link->progress.all_bytes),
		.stall_s = g->link->stall_s,
		.on_piece = artifact_unpack_add,
		.context = &unpack,
	};

	artifact_unpack_init(&unpack, &g->files, strlen(g->folder), &g->link->progress);
	text_add(&path, g->base.data, g->base.length);
	text_str(&path, "/files.tar?prefix=");
	text_escaped(&path, g->prefix);
	request.path = text_c_string(&path);
	if (request.path)
		transport_perform(transport, &request, &response);
	artifact_unpack_deinit(&unpack);
	count_unpacked(g);
	text_deinit(&response.body);
	text_deinit(&path);
}

static enum artifact_outcome fetch_small(struct artifact_link *link, struct transport *transport,
					 void *context, size_t number)
{
	struct getting *g = context;

	(void)link;
	(void)number;
	if (is_for_a_tar(g))
		fetch_tar(g, transport);
	return ARTIFACT_DONE;
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static enum artifact_outcome begin(struct getting *g, const char *collection, const char *version)
{
	struct transport *transport = transport_new(g->link->settings);
	enum artifact_outcome outcome;

	outcome = transport ? find_version(g, transport, collection, version)
			    : artifact_fail(g->link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome)
		outcome = read_list(g, transport);
	transport_free(transport);
	g->link->progress.all_files = (int64_t)g->files.count;
	for (size_t i = 0; i < g->files.count; i++)
		g->link->progress.all_bytes += g->files.at[i].size_bytes;
	return outcome;
}

static void end(struct getting *g)
{
	artifact_files_deinit(&g->files);
	text_deinit(&g->base);
	text_deinit(&g->line);
}

static enum artifact_outcome make_folder(struct artifact_link *link, const char *folder)
{
	char *path = strdup(folder);
	bool is_made = path && artifact_make_folders(path, 0, ARTIFACT_LINKS_FOLLOWED) &&
		       (mkdir(path, 0777) == 0 || errno == EEXIST);

	free(path);
	return is_made ? ARTIFACT_DONE : local_fault(link, folder);
}

enum artifact_outcome artifact_get(struct artifact_link *link, const struct artifact_get *get,
				   struct artifact_get_result *ret_result)
{
	struct getting g = {
		.link = link,
		.folder = get->folder,
		.prefix = get->prefix ? get->prefix : "",
	};
	enum artifact_outcome outcome = begin(&g, get->collection, get->version);

	if (!outcome)
		outcome = make_folder(link, get->folder);
	if (!outcome)
		outcome = artifact_work(link, fetch_small, &g, 1);
	if (!outcome)
		outcome = artifact_work(link, get_one, &g, g.files.count);
	*ret_result = (struct artifact_get_result){
		.files = (int64_t)g.files.count,
		.bytes = link->progress.all_bytes,
		.fetched_files = g.fetched_files,
		.fetched_bytes = g.fetched_bytes,
		.references = g.references,
	};
	memcpy(ret_result->version, g.version, sizeof g.version);
	end(&g);
	return outcome;
}

/* ---- comparison ----------------------------------------------------------------------------------------------------- */

struct checking {
	struct getting g;
	const struct artifact_check *check;
	_Atomic int64_t faults;
};

static void tell(struct checking *c, const char *what, const char *path)
{
	atomic_fetch_add(&c->faults, 1);
	pthread_mutex_lock(&c->g.link->lock);
	c->check->tell(c->check->context, what, path);
	pthread_mutex_unlock(&c->g.link->lock);
}

static enum artifact_outcome check_one(struct artifact_link *link, struct transport *transport,
				       void *context, size_t number)
{
	struct checking *c = context;
	const struct artifact_file *file = &c->g.files.at[number];

	(void)transport;
	if (access(file->local, F_OK))
		tell(c, "missing", file->path);
	else if (!has_content(link, file->local, file))
		tell(c, "different", file->path);
	atomic_fetch_add(&link->progress.files, 1);
	atomic_fetch_add(&link->progress.bytes, file->size_bytes);
	return ARTIFACT_DONE;
}

/* Both lists are in byte order of their paths. */
static enum artifact_outcome tell_others(struct checking *c)
{
	struct artifact_files there = { 0 };
	enum artifact_outcome outcome = artifact_files_find(c->g.link, &there, c->check->folder);
	size_t next = 0;

	for (size_t i = 0; i < there.count && !outcome; i++) {
		int order = -1;

		while (next < c->g.files.count &&
		       (order = strcmp(c->g.files.at[next].path, there.at[i].path)) < 0)
			next++;
		if (next == c->g.files.count || order != 0)
			tell(c, "not in the version", there.at[i].path);
	}
	artifact_files_deinit(&there);
	return outcome;
}

enum artifact_outcome artifact_check(struct artifact_link *link, const struct artifact_check *check,
				     struct artifact_get_result *ret_result)
{
	struct checking c = {
		.g = { .link = link, .folder = check->folder, .prefix = "" },
		.check = check,
	};
	enum artifact_outcome outcome = begin(&c.g, check->collection, check->version);

	if (!outcome)
		outcome = artifact_work(link, check_one, &c, c.g.files.count);
	if (!outcome)
		outcome = tell_others(&c);
	*ret_result = (struct artifact_get_result){
		.files = (int64_t)c.g.files.count,
		.bytes = link->progress.all_bytes,
		.references = c.g.references,
	};
	if (!outcome && c.faults)
		outcome = artifact_fail(link, ARTIFACT_REFUSED, "%lld files differ from %s:%s",
					(long long)c.faults, check->collection, check->version);
	end(&c.g);
	return outcome;
}
