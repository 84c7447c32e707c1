#include "static_files.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "exchange.h"
#include "static_folder.h"

#define FOLDER "/static/"
enum { LEVEL = 9 };

struct static_file {
	struct str address; /* "/static/0f3a…/js/main.js" */
	const char *type;
	const char *tag;      /* in quotes */
	const char *gzip_tag; /* of the same, compressed */
	struct str body;
	struct str gzip; /* empty when it would be no shorter */
};

struct static_files {
	const char *folder;               /* "/static/0f3a…"; "/static/folder" with a folder */
	const struct static_folder *from; /* NULL: the files are those compiled in */
	const struct static_source *sources;
	struct static_file *files;
	size_t count;
};

/* The page contacts no other host; only our own files are loaded or run. */
static const char page_policy[] =
	"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
	"form-action 'self'; frame-ancestors 'self'";

static const struct {
	const char *end;
	const char *type;
} types[] = {
	{ ".html", "text/html; charset=utf-8" },
	{ ".css", "text/css; charset=utf-8" },
	{ ".js", "text/javascript; charset=utf-8" },
	{ ".svg", "image/svg+xml" },
	{ ".json", "application/json" },
	{ ".png", "image/png" },
};

static const char *type_of(const char *path)
{
	const char *end = strrchr(path, '.');

	for (size_t i = 0; end && i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].end, end) == 0)
			return types[i].type;
	}
	return "application/octet-stream";
}

static struct str bytes_of(const struct static_source *source)
{
	return (struct str){ (const char *)source->bytes, source->len };
}

/* The bytes, compressed: by the build, or now. */
static struct str gzip_of(struct arena *a, const struct static_source *source)
{
	struct buf *packed;

	if (source->gzip)
		return (struct str){ (const char *)source->gzip, source->gzip_len };
	packed = buf_new(a);
	return reply_deflate(bytes_of(source), LEVEL, packed) ? buf_str(packed) : (struct str){ 0 };
}

static uint64_t version_of(const struct static_source *sources, size_t count)
{
	uint64_t hash = STR_HASH_START;

	for (size_t i = 0; i < count; i++) {
		hash = str_hash(hash, (struct str){ sources[i].path, strlen(sources[i].path) + 1 });
		hash = str_hash(hash, bytes_of(&sources[i]));
	}
	return hash;
}

static void file_init(struct arena *a, struct static_file *file, const char *folder,
		      const struct static_source *source)
{
	struct str body = bytes_of(source);
	uint64_t hash = str_hash(STR_HASH_START, body);
	struct str gzip = gzip_of(a, source);

	*file = (struct static_file){
		.address = str_of(arena_printf(a, "%s/%s", folder, source->path)),
		.type = type_of(source->path),
		.tag = arena_printf(a, "\"%016" PRIx64 "\"", hash),
		.gzip_tag = arena_printf(a, "\"%016" PRIx64 REPLY_GZIP_TAG_END, hash),
		.body = body,
	};
	if (gzip.len < body.len)
		file->gzip = gzip;
}

struct static_files *static_files_new(struct arena *a, const struct static_source *sources,
				      size_t count, const struct static_folder *from)
{
	struct static_files *f = arena_new_of(a, struct static_files);

	f->folder = from ? FOLDER "folder"
			 : arena_printf(a, FOLDER "%016" PRIx64, version_of(sources, count));
	f->from = from;
	f->sources = sources;
	f->files = arena_new_array(a, struct static_file, count);
	f->count = count;
	for (size_t i = 0; i < count; i++)
		file_init(a, &f->files[i], f->folder, &sources[i]);
	return f;
}

static const struct static_file *find(const struct static_files *f, struct str path)
{
	if (!str_starts(path, FOLDER))
		return NULL;
	for (size_t i = 0; i < f->count; i++) {
		if (str_equal(f->files[i].address, path))
			return &f->files[i];
	}
	return NULL;
}

/* The rest of a path below the folder that is read from; else NULL. */
static const char *path_in_folder(const struct static_files *f, struct arena *a, struct str path)
{
	size_t len = strlen(f->folder);

	if (!f->from || !str_starts(path, f->folder) || path.len <= len + 1 || path.at[len] != '/')
		return NULL;
	return str_copy(a, (struct str){ path.at + len + 1, path.len - len - 1 });
}

bool static_files_has(const struct static_files *files, struct arena *a, struct str path)
{
	const char *inner = path_in_folder(files, a, path);

	return (inner && static_folder_has(files->from, inner)) || find(files, path);
}

static bool is_known(const struct request *q, const char *tag)
{
	struct str list = request_header_list(q, "If-None-Match");

	while (list.len) {
		struct str item = str_trim(str_cut(&list, ','));

		if (str_starts(item, "W/"))
			item = (struct str){ item.at + 2, item.len - 2 };
		if (str_is(item, tag) || str_is(item, "*"))
			return true;
	}
	return false;
}

static bool reply_from_folder(const struct static_files *files, struct request *q)
{
	const char *inner = path_in_folder(files, q->arena, q->path);
	struct str body;

	if (!inner || !static_folder_read(files->from, q->arena, inner, &body))
		return false;
	reply_status(q, 200);
	reply_text(q, type_of(inner), body);
	return true;
}

static void reply_compiled_in(const struct static_file *file, struct request *q)
{
	bool packed = file->gzip.len && reply_takes_gzip(q);
	const char *tag = packed ? file->gzip_tag : file->tag;

	reply_header(q, "Cache-Control", "public, max-age=31536000, immutable");
	reply_header(q, "ETag", tag);
	if (file->gzip.len)
		reply_header(q, "Vary", "Accept-Encoding");
	if (is_known(q, tag)) {
		reply_status(q, 304);
		return;
	}
	reply_status(q, 200);
	if (packed)
		reply_header(q, "Content-Encoding", "gzip");
	reply_text(q, file->type, packed ? file->gzip : file->body);
}

bool static_files_reply(const struct static_files *files, struct request *q)
{
	const struct static_file *file;

	if (reply_from_folder(files, q))
		return true;
	file = find(files, q->path);
	if (file)
		reply_compiled_in(file, q);
	return file;
}

/* ---- pages --------------------------------------------------------------------------------------- */

/* Escapes text that comes from a proxy. */
static void add_escaped(struct buf *b, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (strchr("<>&\"'", text.at[i]))
			buf_printf(b, "&#%d;", text.at[i]);
		else
			buf_add_byte(b, text.at[i]);
	}
}

static void add_filled(struct buf *b, struct str text, struct str prefix, const char *folder)
{
	while (text.len) {
		if (str_starts(text, "{root}")) {
			add_escaped(b, prefix);
			text = (struct str){ text.at + 6, text.len - 6 };
		} else if (str_starts(text, "{static}")) {
			add_escaped(b, prefix);
			buf_add_text(b, folder);
			text = (struct str){ text.at + 8, text.len - 8 };
		} else {
			buf_add_byte(b, *text.at++);
			text.len--;
		}
	}
}

static const struct static_source *find_source(const struct static_files *f, const char *path)
{
	size_t i = 0;

	while (i < f->count && strcmp(f->sources[i].path, path) != 0)
		i++;
	assert(i < f->count);
	return &f->sources[i];
}

void static_files_reply_page(struct request *q, const char *path)
{
	const struct static_files *f = q->exchange->server->files;
	struct buf *body = buf_new(q->arena);
	struct str text;

	if (!f->from || !static_folder_read(f->from, q->arena, path, &text))
		text = bytes_of(find_source(f, path));
	add_filled(body, text, q->prefix, f->folder);
	reply_status(q, 200);
	reply_header(q, "Content-Security-Policy", page_policy);
	reply_body(q, type_of(path), body);
}
