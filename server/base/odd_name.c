#include "odd_name.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

enum { HASH_LEN = 16, HASH_SHOWN = 2 * HASH_LEN, CHARACTER_MAX = 4 };

static const struct str quote = STR("\u201b");
static const struct str backslash_sign = STR("\uff3c");
static const struct str ellipsis = STR("\u2026");

static const char hex_digits[] = "0123456789ABCDEF";

static bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

/*
 * U+2400 to U+241F and U+2421 are E2 90 80 to E2 90 9F and E2 90 A1; *ret_control is the character
 * it represents.
 */
static bool is_picture(struct str sign, char *ret_control)
{
	unsigned char low = sign.len == 3 ? (unsigned char)sign.at[2] : 0;

	if (sign.len != 3 || memcmp(sign.at, "\xe2\x90", 2) != 0 || (low >= 0xa0 && low != 0xa1))
		return false;
	*ret_control = (char)(low == 0xa1 ? 0x7f : low - 0x80);
	return true;
}

/* A sign of the form; *ret_byte is the byte it represents, and is not changed for the quote. */
static bool is_sign(struct str sign, enum odd_name_kind kind, char *ret_byte)
{
	*ret_byte = '\\';
	return (kind == ODD_NAME_FILE && str_equal(sign, backslash_sign)) ||
	       is_picture(sign, ret_byte);
}

static bool has_form(struct str character, enum odd_name_kind kind)
{
	char byte;

	if (character.len == 1)
		return is_control((unsigned char)*character.at) ||
		       (kind == ODD_NAME_FILE && *character.at == '\\');
	return str_equal(character, quote) || is_sign(character, kind, &byte);
}

static void add_hex(struct buf *out, unsigned char byte)
{
	buf_add_byte(out, hex_digits[byte >> 4]);
	buf_add_byte(out, hex_digits[byte & 15]);
}

static void add_form(struct buf *out, struct str character)
{
	unsigned char byte = (unsigned char)*character.at;

	if (character.len > 1) {
		buf_add_str(out, quote);
		buf_add_str(out, character);
	} else if (byte == '\\') {
		buf_add_str(out, backslash_sign);
	} else {
		buf_add(out, "\xe2\x90", 2);
		buf_add_byte(out, (char)(byte == 0x7f ? 0xa1 : 0x80 + byte));
	}
}

bool odd_name_is(struct str name, enum odd_name_kind kind)
{
	for (size_t i = 0; i < name.len;) {
		size_t size = str_utf8_sequence(name.at + i, name.len - i);

		if (!size || has_form((struct str){ name.at + i, size }, kind))
			return true;
		i += size;
	}
	return false;
}

/* A name that could be taken for a shortened one. */
static bool looks_shortened(struct str form, size_t max)
{
	struct str hash = { form.at + form.len - HASH_SHOWN, HASH_SHOWN };

	if (form.len + CHARACTER_MAX <= max ||
	    memcmp(hash.at - ellipsis.len, ellipsis.at, ellipsis.len) != 0)
		return false;
	for (size_t i = 0; i < HASH_SHOWN; i++) {
		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
		if (!memchr(hex_digits, hash.at[i], 16))
			return false;
	}
	return true;
}

static struct str shortened(struct arena *a, struct str name, struct str form, size_t max)
{
	unsigned char hash[HASH_LEN];
	struct buf *out = buf_new(a);

	crypto_generichash(hash, sizeof(hash), (const unsigned char *)name.at, name.len, NULL, 0);
	buf_add_str(out, str_head(form, max - ellipsis.len - HASH_SHOWN));
	buf_add_str(out, ellipsis);
	for (size_t i = 0; i < sizeof(hash); i++)
		add_hex(out, hash[i]);
	return buf_str(out);
}

struct str odd_name_form(struct arena *a, struct str name, enum odd_name_kind kind, size_t max)
{
	struct str form = name;

	assert(max > ellipsis.len + HASH_SHOWN);
	if (odd_name_is(name, kind)) {
		struct buf *out = buf_new(a);

		/* bytes beyond `max` are cut off again, so they need not be made */
		for (size_t i = 0; i < name.len && out->len <= max;) {
			struct str one = { name.at + i,
					   str_utf8_sequence(name.at + i, name.len - i) };

			if (!one.len) {
				buf_add_str(out, quote);
				add_hex(out, (unsigned char)name.at[i++]);
				continue;
			}
			if (has_form(one, kind))
				add_form(out, one);
			else
				buf_add_str(out, one);
			i += one.len;
		}
		form = buf_str(out);
	}
	if (form.len > max || looks_shortened(form, max))
		form = shortened(a, name, form, max);
	return form;
}

/* ---- and back ------------------------------------------------------------------------------------- */

static bool read_hex(const char *p, size_t left, char *ret_byte)
{
	const char *high, *low;

	if (left < 2)
		return false;
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	high = memchr(hex_digits, p[0], 16);
	/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): bytes, not a string */
	low = memchr(hex_digits, p[1], 16);
	if (!high || !low)
		return false;
	*ret_byte = (char)((high - hex_digits) << 4 | (low - hex_digits));
	return true;
}

/* Reads what follows a quote; returns its length, or 0 if the form puts nothing like it there. */
static size_t read_quoted(struct buf *out, struct str rest, enum odd_name_kind kind)
{
	size_t size = str_utf8_sequence(rest.at, rest.len);
	struct str sign = { rest.at, size };
	char byte;

	if (str_equal(sign, quote) || is_sign(sign, kind, &byte)) {
		buf_add_str(out, sign);
		return size;
	}
	if (!read_hex(rest.at, rest.len, &byte))
		return 0;
	buf_add_byte(out, byte);
	return 2;
}

struct str odd_name_read(struct arena *a, struct str form, enum odd_name_kind kind)
{
	struct buf *out;

	if (!odd_name_is(form, kind))
		return form;
	out = buf_new(a);
	for (size_t i = 0; i < form.len;) {
		size_t size = str_utf8_sequence(form.at + i, form.len - i);
		struct str one = { form.at + i, size ? size : 1 };
		char byte;

		i += one.len;
		if (is_sign(one, kind, &byte)) {
			buf_add_byte(out, byte);
		} else if (str_equal(one, quote)) {
			size = read_quoted(out, (struct str){ form.at + i, form.len - i }, kind);
			i += size;
			if (!size)
				buf_add_str(out, one);
		} else {
			buf_add_str(out, one);
		}
	}
	return buf_str(out);
}

/* ---- texts ------------------------------------------------------------------------------------------ */

static const struct str nul_sign = STR("\u2400");

static bool stands_at(struct str text, size_t at, struct str sign)
{
	return text.len - at >= sign.len && memcmp(text.at + at, sign.at, sign.len) == 0;
}

struct str odd_text_form(struct arena *a, struct str text)
{
	struct buf *out;

	if (!text.len || !memchr(text.at, 0, text.len))
		return text;
	out = buf_new(a);
	for (size_t i = 0; i < text.len; i++) {
		if (stands_at(text, i, nul_sign) || stands_at(text, i, quote))
			buf_add_str(out, quote);
		if (text.at[i])
			buf_add_byte(out, text.at[i]);
		else
			buf_add_str(out, nul_sign);
	}
	return buf_str(out);
}
