/*
 * Text that grows, and the leaves of JSON written into it. Numbers are in number.h. Nothing here
 * depends on the locale of the host process.
 */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "utf8.h"

#define TEXT_LEAST_BYTES 256

uint64_t text_hash(const char *string)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

void text_deinit(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

void text_clear(struct text *text, size_t keep_bytes)
{
	if (text->capacity > keep_bytes)
		text_deinit(text);
	text->length = 0;
	text->failed = false;
}

/* Room for `count` more bytes and a terminator. */
static bool text_reserve(struct text *text, size_t count)
{
	size_t capacity = text->capacity ? text->capacity : TEXT_LEAST_BYTES;
	char *data;

	if (text->failed)
		return false;
	if (text->capacity - text->length > count && text->data)
		return true;
	while (capacity - text->length <= count) {
		if (capacity > SIZE_MAX / 4)
			goto failed;
		capacity *= 2;
	}
	data = realloc(text->data, capacity);
	if (!data)
		goto failed;
	text->data = data;
	text->capacity = capacity;
	return true;
failed:
	text->failed = true;
	return false;
}

void text_add(struct text *text, const char *bytes, size_t count)
{
	if (count == 0 || !text_reserve(text, count))
		return;
	memcpy(text->data + text->length, bytes, count);
	text->length += count;
}

void text_str(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_escaped(struct text *text, const char *string)
{
	for (; *string; string++) {
		unsigned char byte = (unsigned char)*string;

		if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z')
			text_add(text, string, 1);
		else if (strchr("0123456789-_.~", byte))
			text_add(text, string, 1);
		else
			text_format(text, "%%%02X", byte);
	}
}

void text_int(struct text *text, int64_t number)
{
	char digits[NUMBER_TEXT_MAX];

	text_add(text, digits, number_write_int(number, digits));
}

void text_format(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length < 0 || !text_reserve(text, (size_t)length))
		return;
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	va_end(args);
	text->length += (size_t)length;
}

static void add_escape(struct text *text, unsigned char byte)
{
	static const char hex[] = "0123456789abcdef";
	char escape[6] = { '\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15] };

	switch (byte) {
	case '"':
		text_add(text, "\\\"", 2);
		break;
	case '\\':
		text_add(text, "\\\\", 2);
		break;
	case '\n':
		text_add(text, "\\n", 2);
		break;
	case '\t':
		text_add(text, "\\t", 2);
		break;
	case 0:
		text_add(text, "\xef\xbf\xbd", 3);
		break;
	default:
		text_add(text, escape, sizeof escape);
	}
}

/* Length of the beginning of `bytes` that stands in a JSON string as it is. */
static size_t plain_length(const char *bytes, size_t count)
{
	size_t i = 0;

	while (i < count) {
		unsigned char byte = (unsigned char)bytes[i];
		size_t length = byte >= 0x80 ? utf8_length(bytes + i, count - i) : 1;

		if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f || length == 0)
			break;
		i += length;
	}
	return i;
}

size_t text_json_length(const char *bytes, size_t count)
{
	size_t length = 0;

	for (size_t i = 0; i < count;) {
		size_t whole = bytes[i] ? utf8_length(bytes + i, count - i) : 0;

		length += whole ? whole : 3;
		i += whole ? whole : 1;
	}
	return length;
}

void text_json_string(struct text *text, const char *bytes, size_t count)
{
	size_t i = 0;

	text_add(text, "\"", 1);
	while (i < count) {
		size_t plain = plain_length(bytes + i, count - i);

		text_add(text, bytes + i, plain);
		i += plain;
		if (i == count)
			break;
		if ((unsigned char)bytes[i] >= 0x80)
			text_add(text, "\xef\xbf\xbd", 3);
		else
			add_escape(text, (unsigned char)bytes[i]);
		i++;
	}
	text_add(text, "\"", 1);
}

void text_json_member(struct text *text, const char *name, const char *value)
{
	if (!value)
		return;
	text_format(text, "%s\"%s\":", text->length > 1 ? "," : "", name);
	text_json_string(text, value, strlen(value));
}

void text_json_number(struct text *text, double number)
{
	char digits[NUMBER_TEXT_MAX];

	text_add(text, digits, number_format(number, digits));
}

void text_json_time(struct text *text, int64_t time_us)
{
	char decimals[6];
	int64_t rest = time_us % 1000000;

	if (time_us < 0) {
		text_json_number(text, (double)time_us / 1e6);
		return;
	}
	for (int i = 5; i >= 0; i--, rest /= 10)
		decimals[i] = (char)('0' + rest % 10);
	text_int(text, time_us / 1000000);
	text_add(text, ".", 1);
	text_add(text, decimals, sizeof decimals);
}

const char *text_c_string(struct text *text)
{
	if (!text_reserve(text, 0))
		return NULL;
	text->data[text->length] = '\0';
	return text->data;
}

char *text_take(struct text *text)
{
	char *data = NULL;

	if (text_c_string(text)) {
		data = text->data;
		text->data = NULL;
	}
	text_deinit(text);
	return data;
}
