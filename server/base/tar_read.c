#include "tar_read.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "tar.h"

enum place {
	IN_HEADER, /* gathered in `head` */
	IN_EXTRA,  /* gathered in `extra`: for the next header */
	IN_FILE,
	IN_SKIPPED, /* what no one needs, and zeroes after a member */
	AFTER_END,  /* what follows the last member does not count */
};

struct tar_read {
	struct arena *arena;
	struct tar_read_calls calls;
	void *state;
	enum place place;
	int64_t offset; /* of the tar, for errors */
	size_t head_len;
	char head[TAR_BLOCK];
	int64_t left;    /* bytes of the place */
	int64_t padding; /* and zeroes after it */
	char extra_type;
	struct buf *extra;
	struct buf *name; /* that the records before the header gave; empty: none */
	int64_t size;     /* the same; -1: none */
};

struct tar_read *tar_read_new(struct arena *a, const struct tar_read_calls *calls, void *state)
{
	struct tar_read *t = arena_new_of(a, struct tar_read);

	t->arena = a;
	t->calls = *calls;
	t->state = state;
	t->extra = buf_new(a);
	t->name = buf_new(a);
	t->size = -1;
	return t;
}

static err_t wrong(const struct tar_read *t, const char *why)
{
	return err_new(t->arena, ERR_INVALID, "invalid tar: %s, before byte %lld", why,
		       (long long)t->offset);
}

/* ---- fields ----------------------------------------------------------------------------------------- */

static struct str field_text(const char *field, size_t size)
{
	return (struct str){ field, strnlen(field, size) };
}

/* Octal digits between blanks. */
static bool read_octal(const char *field, size_t size, int64_t *ret_number)
{
	struct str text = str_trim(field_text(field, size));
	int64_t number = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] < '0' || text.at[i] > '7' || number > INT64_MAX >> 3)
			return false;
		number = number << 3 | (text.at[i] - '0');
	}
	*ret_number = number;
	return text.len > 0;
}

/* GNU's form of a size that has too many digits: bytes, after a first one of 0x80. */
static bool read_size(const char field[static 12], int64_t *ret_size)
{
	uint64_t size = 0;

	if ((unsigned char)field[0] != 0x80)
		return read_octal(field, 12, ret_size);
	for (int i = 1; i < 12; i++) {
		if (size >> 55)
			return false;
		size = size << 8 | (unsigned char)field[i];
	}
	*ret_size = (int64_t)size;
	return true;
}

/* ---- records before a header -------------------------------------------------------------------------- */

static err_t take_name(struct tar_read *t, struct str name)
{
	if (name.len > TAR_READ_NAME_MAX)
		return wrong(t, "the name of a member is too long");
	buf_clear(t->name);
	buf_add_str(t->name, name);
	return NULL;
}

static err_t take_record(struct tar_read *t, struct str key, struct str value)
{
	if (str_is(key, "path"))
		return take_name(t, value);
	if (str_starts(key, "GNU.sparse."))
		return wrong(t, "a member is a sparse file");
	if (str_is(key, "size") && !str_to_int64(value, 0, INT64_MAX, &t->size))
		return wrong(t, "the size of a member is not a number");
	return NULL;
}

/* "LENGTH KEY=VALUE\n", where the length counts itself. */
static err_t read_records(struct tar_read *t)
{
	struct str left = buf_str(t->extra);
	err_t e = NULL;

	while (left.len && !e) {
		struct str line = left;
		struct str digits = str_cut(&line, ' ');
		int64_t len;

		if (!str_to_int64(digits, 1, (int64_t)left.len, &len) ||
		    (size_t)len < digits.len + 2 || left.at[len - 1] != '\n')
			return wrong(t, "the records before a member are damaged");
		line.len = (size_t)len - digits.len - 2;
		left.at += len;
		left.len -= (size_t)len;
		if (memchr(line.at, '=', line.len)) {
			struct str key = str_cut(&line, '=');

			e = take_record(t, key, line);
		}
	}
	return e;
}

static err_t end_extra(struct tar_read *t)
{
	if (t->extra_type == 'x')
		return read_records(t);
	return take_name(t, field_text(buf_str(t->extra).at, t->extra->len));
}

/* ---- headers ------------------------------------------------------------------------------------------- */

static void skip(struct tar_read *t, int64_t bytes)
{
	t->place = bytes ? IN_SKIPPED : IN_HEADER;
	t->left = bytes;
	t->padding = 0;
}

static void enter(struct tar_read *t, enum place place, int64_t size)
{
	t->place = place;
	t->left = size;
	t->padding = tar_padding(size);
}

static err_t end_place(struct tar_read *t)
{
	enum place place = t->place;
	err_t e = NULL;

	skip(t, t->padding);
	if (place == IN_FILE)
		e = t->calls.end(t->state);
	else if (place == IN_EXTRA)
		e = end_extra(t);
	return e;
}

/* The name of records comes first; that of POSIX's header has two parts. */
static struct str name_of(struct tar_read *t, const struct tar_header *h)
{
	struct str name = field_text(h->name, sizeof(h->name));
	struct str prefix = field_text(h->rest + 80, 155);

	if (t->name->len)
		return buf_str(t->name);
	if (memcmp(h->magic, "ustar", 6) != 0 || !prefix.len)
		return name;
	return str_of(arena_printf(t->arena, "%.*s/%.*s", STR_ARG(prefix), STR_ARG(name)));
}

static err_t begin_file(struct tar_read *t, const struct tar_header *h, int64_t size)
{
	struct arena_mark mark = arena_mark(t->arena);
	struct str name = name_of(t, h);
	bool is_folder = h->type == '5' || str_ends(name, "/");
	struct str kept = { arena_copy(t->arena, name.at, name.len), name.len };
	err_t e;

	buf_clear(t->name);
	t->size = -1;
	if (is_folder) {
		arena_rewind(t->arena, &mark);
		enter(t, IN_SKIPPED, size);
		return t->left ? NULL : end_place(t);
	}
	e = t->calls.begin(t->state, kept, size);
	enter(t, IN_FILE, size);
	return e || size ? e : end_place(t);
}

static err_t begin_extra(struct tar_read *t, char type, int64_t size)
{
	if (size > TAR_READ_EXTRA_MAX)
		return wrong(t, "the records before a member are too long");
	t->extra_type = type;
	buf_clear(t->extra);
	enter(t, IN_EXTRA, size);
	return size ? NULL : end_place(t);
}

static err_t read_header(struct tar_read *t)
{
	const struct tar_header *h = (const struct tar_header *)t->head;
	int64_t size;
	int64_t sum;

	if (!read_octal(h->sum, sizeof(h->sum), &sum) || sum != (int64_t)tar_header_sum(h))
		return wrong(t, "the checksum of a header is wrong");
	if (!read_size(h->size, &size))
		return wrong(t, "the size of a member is not a number");
	switch (h->type) {
	case '\0':
	case '0':
	case '5':
	case '7':
		return begin_file(t, h, t->size >= 0 ? t->size : size);
	case 'L':
	case 'x':
		return begin_extra(t, h->type, size);
	case 'K': /* of a link, which is refused when it comes */
	case 'g':
		enter(t, IN_SKIPPED, size);
		return size ? NULL : end_place(t);
	default:
		return wrong(t, "a member is not a regular file");
	}
}

static bool is_zero(const char block[static TAR_BLOCK])
{
	static const char zeroes[TAR_BLOCK];

	return memcmp(block, zeroes, TAR_BLOCK) == 0;
}

static err_t end_header(struct tar_read *t)
{
	t->head_len = 0;
	if (!is_zero(t->head))
		return read_header(t);
	t->place = AFTER_END;
	return NULL;
}

/* ---- pieces --------------------------------------------------------------------------------------------- */

static size_t take_head(struct tar_read *t, struct str piece)
{
	size_t count = TAR_BLOCK - t->head_len;

	count = piece.len < count ? piece.len : count;
	memcpy(t->head + t->head_len, piece.at, count);
	t->head_len += count;
	return count;
}

static err_t take_place(struct tar_read *t, struct str piece, size_t *ret_count)
{
	struct str part = { piece.at, (int64_t)piece.len < t->left ? piece.len : (size_t)t->left };
	err_t e = NULL;

	*ret_count = part.len;
	t->left -= (int64_t)part.len;
	if (t->place == IN_FILE)
		e = t->calls.add(t->state, part);
	else if (t->place == IN_EXTRA)
		buf_add_str(t->extra, part);
	return e || t->left ? e : end_place(t);
}

static err_t take(struct tar_read *t, struct str piece, size_t *ret_count)
{
	if (t->place == AFTER_END) {
		*ret_count = piece.len;
		return NULL;
	}
	if (t->place != IN_HEADER)
		return take_place(t, piece, ret_count);
	*ret_count = take_head(t, piece);
	return t->head_len == TAR_BLOCK ? end_header(t) : NULL;
}

err_t tar_read_add(struct tar_read *t, struct str piece)
{
	while (piece.len) {
		size_t count;
		err_t e = take(t, piece, &count);

		if (e)
			return e;
		t->offset += (int64_t)count;
		piece.at += count;
		piece.len -= count;
	}
	return NULL;
}

/* Some programs leave out the zeroes at the end. */
err_t tar_read_end(struct tar_read *t)
{
	if (t->place == AFTER_END || (t->place == IN_HEADER && !t->head_len && t->offset))
		return NULL;
	return wrong(t, "it breaks off");
}
