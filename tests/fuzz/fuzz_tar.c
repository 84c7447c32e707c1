/*
 * Tars as anybody may send them: the files in it do not depend on the pieces in which it comes, and each has as many bytes as it
 * was announced with.
 *
 * Input: the size of a piece in a byte, the tar.
 */
#include "arena.h"
#include "buf.h"
#include "fuzz.h"
#include "tar.h"
#include "tar_read.h"

struct seen {
	struct buf *text;
	int64_t left;
};

static err_t begin(void *state, struct str name, int64_t size)
{
	struct seen *seen = state;

	FUZZ_CHECK(name.len <= TAR_READ_NAME_MAX && size >= 0 && !seen->left);
	buf_add_str(seen->text, name);
	seen->left = size;
	return NULL;
}

static err_t add(void *state, struct str piece)
{
	struct seen *seen = state;

	seen->left -= (int64_t)piece.len;
	FUZZ_CHECK(seen->left >= 0);
	buf_add_str(seen->text, piece);
	return NULL;
}

static err_t end(void *state)
{
	FUZZ_CHECK(!((struct seen *)state)->left);
	return NULL;
}

static err_t read_tar(struct arena *a, struct str tar, size_t piece, struct buf *to)
{
	static const struct tar_read_calls calls = { begin, add, end };
	struct seen seen = { to, 0 };
	struct tar_read *t = tar_read_new(a, &calls, &seen);
	err_t e = NULL;

	while (tar.len && !e) {
		size_t count = piece < tar.len ? piece : tar.len;

		e = tar_read_add(t, (struct str){ tar.at, count });
		tar.at += count;
		tar.len -= count;
	}
	return e ? e : tar_read_end(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	size_t piece = 1 + (size ? data[0] : 0);
	struct str tar = { size ? (const char *)data + 1 : "", size ? size - 1 : 0 };
	struct buf *whole = buf_new(a);
	struct buf *parts = buf_new(a);
	err_t at_once = read_tar(a, tar, FUZZ_MAX_BYTES, whole);
	err_t in_parts = read_tar(a, tar, piece, parts);

	FUZZ_CHECK((at_once == NULL) == (in_parts == NULL));
	FUZZ_CHECK(str_equal(buf_str(whole), buf_str(parts)));
	arena_free(a);
	return 0;
}

static void add_member(struct buf *b, char type, const char *name, const char *content)
{
	const struct tar_member member = { str_of(name), (int64_t)strlen(content), 0, 0644, type };
	struct tar_header h;

	tar_header_make(&h, &member);
	buf_add(b, &h, sizeof(h));
	buf_add_text(b, content);
	tar_add_zeroes(b, tar_padding(member.size));
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char types[] = "0xLg5";
	struct buf b = { 0 };
	size_t len;

	if (i >= sizeof(types) - 1)
		return 0;
	buf_add_byte(&b, (char)(i * 40));
	add_member(&b, types[i], "a", i == 1 ? "12 path=b/c\n13 comment=x\n" : "long/name");
	add_member(&b, '0', "short", "content");
	tar_add_zeroes(&b, TAR_END);
	len = b.len;
	FUZZ_CHECK(len <= size);
	memcpy(bytes, b.at, len);
	buf_free(&b);
	return len;
}
