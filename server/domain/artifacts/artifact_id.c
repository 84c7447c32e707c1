#include "artifact_id.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { PLAIN_MAX = 80, TEXT_MAX = 2 * PLAIN_MAX };

static const char *const kind_names[ARTIFACT_ID_KINDS] = {
	[ARTIFACT_ID_VERSION] = "Artifact:",
	[ARTIFACT_ID_COLLECTION] = "ArtifactCollection:",
	[ARTIFACT_ID_MANIFEST] = "ArtifactManifest:",
	[ARTIFACT_ID_UPLOAD] = "ArtifactUpload:",
};

struct str artifact_id_write(struct arena *a, enum artifact_id_kind kind, struct artifact_id id)
{
	char plain[PLAIN_MAX];
	size_t len = (size_t)snprintf(plain, sizeof(plain), "%s%" PRId64 ":%" PRId64,
				      kind_names[kind], id.project_id, id.number);
	size_t size = sodium_base64_ENCODED_LEN(len, sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, size);

	sodium_bin2base64(text, size, (const unsigned char *)plain, len,
			  sodium_base64_VARIANT_ORIGINAL);
	return str_of(text);
}

static bool read_plain(enum artifact_id_kind kind, struct str plain, struct artifact_id *ret_id)
{
	const char *name = kind_names[kind];
	struct artifact_id id;
	struct str number;

	if (!str_starts(plain, name))
		return false;
	number = (struct str){ plain.at + strlen(name), plain.len - strlen(name) };
	if (!str_to_int64(str_cut(&number, ':'), 1, INT64_MAX, &id.project_id) ||
	    !str_to_int64(number, 1, INT64_MAX, &id.number))
		return false;
	*ret_id = id;
	return true;
}

/* Base64 without the "=" at its end, however these are written. */
static struct str without_end(struct str text)
{
	while (text.len) {
		if (text.at[text.len - 1] == '=')
			text.len--;
		else if (str_ends(text, "%3D") || str_ends(text, "%3d"))
			text.len -= 3;
		else
			break;
	}
	return text;
}

bool artifact_id_read(enum artifact_id_kind kind, struct str text, struct artifact_id *ret_id)
{
	unsigned char plain[PLAIN_MAX];
	size_t len;

	text = without_end(text);
	if (text.len > TEXT_MAX ||
	    sodium_base642bin(plain, sizeof(plain), text.at, text.len, NULL, &len, NULL,
			      sodium_base64_VARIANT_ORIGINAL_NO_PADDING))
		return false;
	return read_plain(kind, (struct str){ (const char *)plain, len }, ret_id);
}

bool artifact_id_read_hex(struct str hex, struct artifact_id *ret_id)
{
	unsigned char plain[PLAIN_MAX];
	size_t len;

	if (hex.len > TEXT_MAX ||
	    sodium_hex2bin(plain, sizeof(plain), hex.at, hex.len, NULL, &len, NULL))
		return false;
	return read_plain(ARTIFACT_ID_VERSION, (struct str){ (const char *)plain, len }, ret_id);
}
