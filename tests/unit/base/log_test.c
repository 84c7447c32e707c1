/* Log lines: what is in them cannot end them, drive a terminal or fill a disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "buf.h"
#include "log.h"

/* The line that is written for a text, from its first field on. */
static void logged(struct str text, enum log_format format, struct buf *ret_line)
{
	FILE *file = tmpfile();
	int before = dup(STDERR_FILENO);
	size_t start;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	log_set(LOG_INFO, format);
	log_info("said", LOG_STR("text", text), LOG_INT("n", 7));
	dup2(before, STDERR_FILENO);
	close(before);
	buf_reserve(ret_line, 3 * text.len + 200);
	rewind(file);
	ret_line->len = fread(ret_line->at, 1, ret_line->size, file);
	fclose(file);
	start = (size_t)((const char *)memmem(ret_line->at, ret_line->len, "text", 4) -
			 ret_line->at);
	memmove(ret_line->at, ret_line->at + start, ret_line->len - start);
	ret_line->len -= start;
}

static void a_text_cannot_leave_its_field(void **state)
{
	static const struct {
		struct str text;
		const char *as_text;
		const char *as_json;
	} cases[] = {
		{ STR("plain"), "text=plain n=7\n", "text\":\"plain\",\"n\":7}\n" },
		{ STR(""), "text=\"\" n=7\n", "text\":\"\",\"n\":7}\n" },
		{ STR("a\nb\r\0\x1b[2J"), "text=\"a\\u000ab\\u000d\\u0000\\u001b[2J\" n=7\n",
		  "text\":\"a\\u000ab\\u000d\\u0000\\u001b[2J\",\"n\":7}\n" },
		{ STR("a n=8"), "text=\"a n=8\" n=7\n", "text\":\"a n=8\",\"n\":7}\n" },
		{ STR("\"\\"), "text=\"\\\"\\\\\" n=7\n", "text\":\"\\\"\\\\\",\"n\":7}\n" },
		{ STR("\xc3\xbc"), "text=\"\xc3\xbc\" n=7\n", "text\":\"\xc3\xbc\",\"n\":7}\n" },
		{ STR("\xff\xc3"), "text=\"\\ufffd\\ufffd\" n=7\n",
		  "text\":\"\\ufffd\\ufffd\",\"n\":7}\n" },
		/* U+009B is a terminal's "escape [" in one character */
		{ STR("\xc2\x9b"
		      "2J\xc2\xa0"),
		  "text=\"\\u009b2J\xc2\xa0\" n=7\n", "text\":\"\\u009b2J\xc2\xa0\",\"n\":7}\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf line = { 0 };

		logged(cases[i].text, LOG_FORMAT_TEXT, &line);
		assert_true(str_is(buf_str(&line), cases[i].as_text));
		buf_clear(&line);
		logged(cases[i].text, LOG_FORMAT_JSON, &line);
		assert_true(str_is(buf_str(&line), cases[i].as_json));
		buf_free(&line);
	}
}

static void a_long_text_is_cut(void **state)
{
	static const char *const characters[] = { "x", "\xc3\xbc", "\xf0\x9f\x98\x80" };

	(void)state;
	for (size_t i = 0; i < sizeof(characters) / sizeof(characters[0]); i++) {
		struct buf text = { 0 };
		struct buf line = { 0 };

		buf_add_byte(&text, 'y');
		while (text.len < 1000000)
			buf_add_text(&text, characters[i]);
		logged(buf_str(&text), LOG_FORMAT_TEXT, &line);
		assert_in_range(line.len, LOG_VALUE_BYTES, LOG_VALUE_BYTES + 40);
		assert_true(str_is_utf8(buf_str(&line)));
		assert_non_null(memmem(line.at, line.len, " bytes)\" n=7\n", 13));
		buf_clear(&line);
		text.len = LOG_VALUE_BYTES;
		logged((struct str){ text.at, LOG_VALUE_BYTES }, LOG_FORMAT_JSON, &line);
		assert_null(memmem(line.at, line.len, " bytes)", 7));
		buf_free(&text);
		buf_free(&line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_cannot_leave_its_field),
		cmocka_unit_test(a_long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
