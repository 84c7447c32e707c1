#include "file_type.h"

#include <string.h>
#include <strings.h>

#define TEXT "text/plain; charset=utf-8"

static const struct {
	const char *end;
	struct file_type type;
} types[] = {
	{ ".json", { "application/json", true } },
	{ ".yaml", { TEXT, true } },
	{ ".yml", { TEXT, true } },
	{ ".txt", { TEXT, true } },
	{ ".log", { TEXT, true } },
	{ ".md", { TEXT, true } },
	{ ".py", { TEXT, true } },
	{ ".sh", { TEXT, true } },
	{ ".toml", { TEXT, true } },
	{ ".ini", { TEXT, true } },
	{ ".cfg", { TEXT, true } },
	{ ".patch", { TEXT, true } },
	{ ".diff", { TEXT, true } },
	{ ".ipynb", { "application/json", true } },
	{ ".csv", { "text/csv; charset=utf-8", true } },
	{ ".tsv", { "text/tab-separated-values; charset=utf-8", true } },
	{ ".png", { "image/png", true } },
	{ ".jpg", { "image/jpeg", true } },
	{ ".jpeg", { "image/jpeg", true } },
	{ ".gif", { "image/gif", true } },
	{ ".webp", { "image/webp", true } },
	{ ".bmp", { "image/bmp", true } },
	{ ".tif", { "image/tiff", true } },
	{ ".tiff", { "image/tiff", true } },
	{ ".ico", { "image/x-icon", true } },
	{ ".wav", { "audio/wav", true } },
	{ ".mp3", { "audio/mpeg", true } },
	{ ".ogg", { "audio/ogg", true } },
	{ ".flac", { "audio/flac", true } },
	{ ".mp4", { "video/mp4", true } },
	{ ".webm", { "video/webm", true } },
	{ ".gltf", { "model/gltf+json", true } },
	{ ".glb", { "model/gltf-binary", true } },
	{ ".obj", { "model/obj", true } },
	{ ".stl", { "model/stl", true } },
	/* Files that a browser would run, or read as a document that holds code. */
	{ ".html", { "text/html; charset=utf-8", false } },
	{ ".htm", { "text/html; charset=utf-8", false } },
	{ ".xhtml", { "application/xhtml+xml", false } },
	{ ".svg", { "image/svg+xml", false } },
	{ ".xml", { "application/xml", false } },
	{ ".js", { "text/javascript; charset=utf-8", false } },
	{ ".mjs", { "text/javascript; charset=utf-8", false } },
	{ ".css", { "text/css; charset=utf-8", false } },
	{ ".wasm", { "application/wasm", false } },
	{ ".pdf", { "application/pdf", false } },
	{ ".zip", { "application/zip", false } },
	{ ".gz", { "application/gzip", false } },
	{ ".tar", { "application/x-tar", false } },
};

static bool ends_with(struct str name, const char *end)
{
	size_t len = strlen(end);

	return name.len > len && strncasecmp(name.at + name.len - len, end, len) == 0;
}

struct file_type file_type_of(struct str name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (ends_with(name, types[i].end))
			return types[i].type;
	}
	return (struct file_type){ "application/octet-stream", false };
}
