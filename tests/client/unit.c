/* The parts of libcairn that need no server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backlog.h"
#include "cairn.h"
#include "console.h"
#include "document.h"
#include "artifact_files.h"
#include "artifact_tar.h"
#include "artifact_unpack.h"
#include "json.h"
#include "md5.h"
#include "names.h"
#include "number.h"
#include "record.h"
#include "retry.h"
#include "utf8.h"

static void numbers_read_back(void **state)
{
	static const double values[] = { 0.1,
					 1,
					 1.5,
					 1e21,
					 1e23,
					 5e-324,
					 1.7976931348623157e308,
					 2.2250738585072014e-308,
					 9007199254740993.0,
					 1e-5,
					 1e16,
					 3.14159,
					 -2.5,
					 0.3,
					 12345.678,
					 1e15,
					 123456789012345.0 };

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		char text[NUMBER_TEXT_MAX];
		double back;

		assert_true(number_parse(text, number_format(values[i], text), &back));
		assert_memory_equal(&back, &values[i], sizeof back);
	}
}

static void random_numbers_read_back(void **state)
{
	uint64_t bits = 88172645463325252u;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		char text[NUMBER_TEXT_MAX + 1];
		double value;
		size_t length;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&value, &bits, sizeof value);
		if (isnan(value) || isinf(value))
			continue;
		length = number_format(value, text);
		assert_true(length <= NUMBER_TEXT_MAX);
		text[length] = '\0';
		assert_true(strtod(text, NULL) == value);
	}
}

static void numbers_are_short(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {
		{ 0, "0" },
		{ -0.0, "-0.0" },
		{ 1, "1" },
		{ 0.1, "0.1" },
		{ 1e22, "1e22" },
		{ 1e16, "1e16" },
		{ 100, "100" },
		{ 1e-7, "1e-7" },
		{ -12.5, "-12.5" },
		{ 0.001, "0.001" },
		{ 0.0001, "0.0001" },
		{ 999999999999999, "999999999999999" },
		{ 1234567890123456, "1.234567890123456e15" },
		{ 5.8791326119927696e16, "5.87913261199277e16" },
		{ 89082316753776.37, "89082316753776.38" },
		{ NAN, "NaN" },
		{ INFINITY, "Infinity" },
		{ -INFINITY, "-Infinity" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[NUMBER_TEXT_MAX + 1];

		text[number_format(cases[i].value, text)] = '\0';
		assert_string_equal(text, cases[i].text);
	}
}

static void rows_are_checked(void **state)
{
	static const struct {
		const char *text;
		enum json_error expected;
	} cases[] = {
		{ "{\"a\":1}", JSON_OK },
		{ " { \"a\" : [1, -2.5e3, null, true, \"x\\u00e9\"] } ", JSON_OK },
		{ "{\"a\":NaN,\"b\":-Infinity}", JSON_OK },
		{ "{\"a\":{\"b\":1},\"a.c\":2}", JSON_OK },
		{ "{}", JSON_OK },
		{ "{\"a\":1,\"a\":2}", JSON_REPEATED },
		{ "{\"a\":{\"b\":1},\"a.b\":2}", JSON_REPEATED },
		{ "{\"\\u0061\":1,\"a\":2}", JSON_REPEATED },
		{ "[1]", JSON_NOT_OBJECT },
		{ "{\"a\":01}", JSON_MALFORMED },
		{ "{\"a\":1,}", JSON_MALFORMED },
		{ "{\"a\":1", JSON_MALFORMED },
		{ "{\"a\":\"\x80\"}", JSON_MALFORMED },
		{ "{\"a\":\"\\ud800\"}", JSON_MALFORMED },
		{ "{\"a\":\"\n\"}", JSON_MALFORMED },
		{ "{\"a\":1} x", JSON_MALFORMED },
		{ "{\"\":1}", JSON_BAD_NAME },
		{ "{\"a\\n\\u0000\\u007f\":1}", JSON_OK },
		{ "", JSON_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct json_facts facts;

		assert_int_equal(json_check_row(cases[i].text, strlen(cases[i].text), &facts),
				 cases[i].expected);
	}
}

static void json_depth_is_bounded(void **state)
{
	char deep[200];

	(void)state;
	memset(deep, '[', 100);
	memset(deep + 100, ']', 100);
	assert_null(json_parse(deep, 200).at);
	assert_non_null(json_parse(deep + 68, 64).at);
	assert_null(json_parse(deep + 67, 66).at);
}

static void json_is_read(void **state)
{
	const char *text = "{\"a\":{\"b\":[1,{\"c\":\"x\\ty\\u20ac\"}]},\"n\":-12,\"t\":true}";
	struct json all = json_parse(text, strlen(text)), element = { 0 }, list;
	char buffer[16], small[4];
	int64_t number;

	(void)state;
	list = json_member(json_member(all, "a"), "b");
	assert_true(json_is_array(list));
	assert_true(json_next(list, &element, NULL));
	assert_true(json_int(element, &number) && number == 1);
	assert_true(json_next(list, &element, NULL));
	json_copy(json_member(element, "c"), buffer, sizeof buffer);
	assert_string_equal(buffer, "x\ty\xe2\x82\xac");
	json_copy(json_member(element, "c"), small, sizeof small);
	assert_string_equal(small, "x\ty");
	assert_false(json_next(list, &element, NULL));
	assert_true(json_int(json_member(all, "n"), &number) && number == -12);
	assert_true(json_true(json_member(all, "t")));
	assert_null(json_member(all, "missing").at);
	assert_null(json_member(json_parse("{\"a\\u0000a\":1}", 13), "a").at);
	assert_null(json_member(json_member(all, "missing"), "b").at);
}

static void strings_are_mended(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *json;
	} cases[] = {
		{ "plain", 5, "\"plain\"" },
		{ "a\"b\\c\n\t", 7, "\"a\\\"b\\\\c\\n\\t\"" },
		{ "\x1b[0m", 4, "\"\\u001b[0m\"" },
		{ "\xff\xfe", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ "\0", 1, "\"\xef\xbf\xbd\"" },
		{ "\xe2\x82\xac", 3, "\"\xe2\x82\xac\"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct text text = { 0 };

		text_json_string(&text, cases[i].bytes, cases[i].length);
		assert_string_equal(text_c_string(&text), cases[i].json);
		text_deinit(&text);
	}
}

/* Rows of growing size go in and come out in order, while others are released. */
static void backlog_keeps_order(void **state)
{
	struct backlog backlog;
	size_t written = 0, read = 0;

	(void)state;
	backlog_init(&backlog, 1024 * 1024);
	while (read < 20000) {
		struct backlog_cursor cursor, end;
		const struct record *record;
		void *room;

		for (int i = 0; i < 700; i++) {
			size_t size = sizeof(struct record) + written % 50 * 8;

			if (backlog_append(&backlog, size, &room) != BACKLOG_OK)
				break;
			*(struct record *)room = (struct record){ .size = (uint32_t)size,
								  .number = (int64_t)written++ };
		}
		cursor = backlog_begin(&backlog);
		end = backlog_end(&backlog);
		for (int i = 0; i < 500 && (record = backlog_at(&cursor, end)); i++) {
			assert_int_equal(record->number, read++);
			cursor.offset += record->size;
		}
		backlog_release(&backlog, cursor);
	}
	backlog_release(&backlog, backlog_end(&backlog));
	assert_int_equal(backlog.queued, 0);
	backlog_deinit(&backlog);
}

static void backlog_has_a_limit(void **state)
{
	struct backlog backlog;
	void *room;
	size_t count = 0;

	(void)state;
	backlog_init(&backlog, 1024 * 1024);
	while (backlog_append(&backlog, 4096, &room) == BACKLOG_OK)
		count++;
	assert_in_range(count * 4096, 900 * 1024, 1024 * 1024);
	assert_int_equal(backlog_append(&backlog, 4096, &room), BACKLOG_FULL);
	backlog_release(&backlog, backlog_end(&backlog));
	assert_int_equal(backlog_append(&backlog, 4096, &room), BACKLOG_OK);
	backlog_deinit(&backlog);
}

struct seen {
	int64_t numbers[64];
	char texts[64][32];
	size_t lengths[64];
	size_t sent[64];
	int count;
};

static bool see(void *context, const struct console_line *line)
{
	struct seen *seen = context;

	seen->numbers[seen->count] = line->number;
	seen->lengths[seen->count] = line->length;
	seen->sent[seen->count] = text_json_length(line->text, line->length);
	snprintf(seen->texts[seen->count++], 32, "%.*s",
		 (int)(line->length < 31 ? line->length : 31), line->text);
	return true;
}

static void add(struct console *console, const char *text)
{
	assert_true(console_add(console, CAIRN_STDOUT, text, strlen(text)));
}

static void console_numbers_lines(void **state)
{
	struct seen seen = { 0 };
	struct console console;

	(void)state;
	console_init(&console, see, &seen);
	add(&console, "one\ntw");
	add(&console, "o\r\n\n10%\r20%\r");
	add(&console, "30%");
	console_flush(&console);
	console_flush(&console);
	add(&console, "\r100%\nend");
	console_flush(&console);
	assert_int_equal(seen.count, 6);
	assert_string_equal(seen.texts[0], "one");
	assert_string_equal(seen.texts[1], "two");
	assert_string_equal(seen.texts[2], "");
	assert_string_equal(seen.texts[3], "30%");
	assert_string_equal(seen.texts[4], "100%");
	assert_string_equal(seen.texts[5], "end");
	assert_int_equal(seen.numbers[3], 3);
	assert_int_equal(seen.numbers[4], 3); /* the same line, rewritten */
	assert_int_equal(seen.numbers[5], 4);
	console_deinit(&console);
}

static void check_seen(const struct seen *seen, const char *const *expect, int count)
{
	for (int i = 0; i < count && i < seen->count; i++) {
		char line[64];

		snprintf(line, sizeof line, "%lld %s", (long long)seen->numbers[i], seen->texts[i]);
		assert_string_equal(line, expect[i]);
	}
	assert_int_equal(seen->count, count);
}

/* As tqdm moves between its bars; the sequence may come in parts, and colours are none. */
static void console_redraws_lines_above(void **state)
{
	static const char *const expect[] = { "0 a 10%", "1 b 10%", "0 a 20%", "1 \x1b[32mb\x1b[0m",
					      "0 a 30%", "2 done",  "0 top" };
	struct seen seen = { 0 };
	struct console console;

	(void)state;
	console_init(&console, see, &seen);
	add(&console, "\ra 10%\n\rb 10%\x1b[A");
	add(&console, "\ra 20%\n\r\x1b[32mb\x1b[0m\x1b");
	add(&console, "[");
	add(&console, "A\ra 30%");
	console_flush(&console);
	add(&console, "\n\ndone\n\x1b[9Atop\n\n\n");
	console_flush(&console);
	check_seen(&seen, expect, 7);
	console_deinit(&console);
}

/* Of 64 lines with the one that is begun; none is lost that is no row any more. */
static void console_knows_so_many_rows(void **state)
{
	static const char *const ups[] = { "\x1b[62A", "\x1b[63A", "\x1b[64A", "\x1b[99999A",
					   "\x1b[999999A" };
	static const char *const expect[] = { "8 x", "7 x", "7 x", "7 x", "70 \x1b[999999Ax" };

	(void)state;
	for (size_t i = 0; i < sizeof ups / sizeof ups[0]; i++) {
		struct seen seen = { 0 };
		struct console console;

		console_init(&console, see, &seen);
		for (int n = 0; n < 70; n++) {
			seen.count = 0;
			add(&console, "line\n");
		}
		seen.count = 0;
		add(&console, ups[i]);
		add(&console, "x");
		console_flush(&console);
		check_seen(&seen, &expect[i], 1);
		console_deinit(&console);
	}
}

static void long_lines_are_cut_between_characters(void **state)
{
	struct seen seen = { 0 };
	struct console console;
	size_t total = 0;

	(void)state;
	console_init(&console, see, &seen);
	add(&console, "x");
	for (int i = 0; i < 50000; i++)
		add(&console, "\xe2\x82\xac");
	add(&console, "\n");
	for (int i = 0; i < seen.count; i++) {
		assert_true(seen.lengths[i] <= RECORD_LINE_MAX_BYTES);
		assert_int_equal((seen.lengths[i] - (i == 0)) % 3, 0);
		assert_int_equal(seen.numbers[i], i);
		total += seen.lengths[i];
	}
	assert_int_equal(total, 150001);
	console_deinit(&console);
}

/* A byte that is no UTF-8 is sent as three: the line is measured as the server will. */
static void lines_are_cut_by_what_is_sent(void **state)
{
	static const char *const pieces[] = { "x", "\xff", "x\xff\xfe", "\xe2\x82", "\x82" };
	clock_t start = clock();

	(void)state;
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		struct seen seen = { 0 };
		struct console console;

		console_init(&console, see, &seen);
		for (int j = 0; j < 3 * RECORD_LINE_MAX_BYTES; j++)
			add(&console, pieces[i]);
		add(&console, "\n");
		for (int j = 0; j < seen.count; j++) {
			assert_true(seen.sent[j] <= RECORD_LINE_MAX_BYTES);
			assert_true(j == seen.count - 1 ||
				    seen.sent[j] > RECORD_LINE_MAX_BYTES - 6);
		}
		console_deinit(&console);
	}
	assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
}

/* Halves of characters, tails without a head, and what looks like both. */
static void any_bytes_make_lines_of_the_right_length(void **state)
{
	static const char bytes[] = "x\xff\xe2\x82\xac\xf0\x9f\x98\x80\x80\x80\xc3\xed\xa0";
	uint64_t random = 88172645463325252u;
	struct seen seen = { 0 };
	struct console console;

	(void)state;
	console_init(&console, see, &seen);
	for (int i = 0; i < 8 * RECORD_LINE_MAX_BYTES; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		assert_true(console_add(&console, CAIRN_STDOUT, &bytes[random % (sizeof bytes - 1)],
					1));
	}
	assert_in_range(seen.count, 8, 24);
	for (int i = 0; i < seen.count; i++)
		assert_in_range(seen.sent[i], RECORD_LINE_MAX_BYTES - 16, RECORD_LINE_MAX_BYTES);
	console_deinit(&console);
}

static void documents_merge_and_forget(void **state)
{
	struct document document = { 0 };
	struct text text = { 0 };
	uint64_t version;

	(void)state;
	assert_int_equal(document_merge(&document, "{\"a\":1,\"b\":{\"c\":2}}"), DOCUMENT_OK);
	version = document.version;
	assert_int_equal(document_merge(&document, "{\"\\u0061\":3}"), DOCUMENT_OK);
	assert_int_equal(document_set(&document, "d", "true", 4), DOCUMENT_OK);
	assert_int_equal(document_merge(&document, "[1]"), DOCUMENT_INVALID);
	document_write(&document, &text);
	assert_string_equal(text_c_string(&text), "{\"a\":3,\"b\":{\"c\":2},\"d\":true}");
	document_forget(&document, version);
	text_clear(&text, 1000);
	document_write(&document, &text);
	assert_string_equal(text_c_string(&text), "{\"a\":3,\"d\":true}");
	text_deinit(&text);
	document_deinit(&document);
}

/* A document of its greatest size is merged, changed and forgotten in no time. */
static void large_documents_are_quick(void **state)
{
	struct document document = { 0 };
	struct text object = { 0 };
	clock_t start = clock();

	(void)state;
	for (int i = 0; i < 60000; i++)
		text_format(&object, "%s\"k%05d\":%d", i ? "," : "{", i, i % 10);
	text_str(&object, "}");
	assert_int_equal(document_merge(&document, text_c_string(&object)), DOCUMENT_OK);
	assert_int_equal(document.count, 60000);
	for (int i = 0; i < 60000; i++) {
		char name[16];

		snprintf(name, sizeof name, "k%05d", i);
		assert_int_equal(document_set(&document, name, "1", 1), DOCUMENT_OK);
	}
	assert_int_equal(document.count, 60000);
	document_forget(&document, document.version - 1);
	assert_int_equal(document.count, 1);
	assert_string_equal(document.members[0].name, "\"k59999\"");
	assert_int_equal(document_set(&document, "k59999", "2", 1), DOCUMENT_OK);
	assert_int_equal(document.count, 1);
	assert_true(clock() - start < 5 * CLOCKS_PER_SEC);
	text_deinit(&object);
	document_deinit(&document);
}

static void retries_grow_and_listen(void **state)
{
	struct retry retry;

	(void)state;
	retry_init(&retry, 1000);
	for (int i = 0; i < 20; i++)
		assert_in_range(retry_next_ms(&retry, 0), i > 4 ? 500 : 50, 1000);
	assert_int_equal(retry_next_ms(&retry, 7), 7000);
	retry_reset(&retry);
	assert_in_range(retry_next_ms(&retry, 0), 50, 100);
}

static void names_are_checked(void **state)
{
	struct cairn_metric metric = { "train/loss", 1 };
	char big[RECORD_NAME_MAX_BYTES + 2];
	static const char *const bad[] = { "", "\x80", "_step", "_timestamp" };
	static const char *const odd[] = { "a\nb", "\x7f", "\xc2\x85" };
	struct cairn_metric *many = calloc(RECORD_METRICS_MAX, sizeof *many);

	(void)state;
	assert_int_not_equal(record_metrics_size(1, &metric), 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		metric.name = bad[i];
		assert_int_equal(record_metrics_size(1, &metric), 0);
	}
	for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
		metric.name = odd[i];
		assert_int_not_equal(record_metrics_size(1, &metric), 0);
	}
	memset(big, 'a', sizeof big);
	big[sizeof big - 1] = '\0';
	metric.name = big;
	assert_int_equal(record_metrics_size(1, &metric), 0);
	big[sizeof big - 2] = '\0';
	assert_int_not_equal(record_metrics_size(1, &metric), 0);
	assert_int_equal(record_metrics_size(0, &metric), 0);
	metric.name = NULL;
	assert_int_equal(record_metrics_size(1, &metric), 0);
	/* as JSON the row has at most 10 MiB */
	for (size_t i = 0; i < RECORD_METRICS_MAX; i++)
		many[i] = (struct cairn_metric){ big, 1 };
	assert_int_not_equal(record_metrics_size(RECORD_METRICS_MAX / 2, many), 0);
	assert_int_equal(record_metrics_size(RECORD_METRICS_MAX, many), 0);
	free(many);
}

static void repeated_names_keep_the_last_value(void **state)
{
	const struct cairn_metric metrics[] = { { "a", 1 }, { "b", 2 }, { "a", 3 } };
	size_t size = record_metrics_size(3, metrics);
	struct record *record = malloc(size);
	struct name_set names = { 0 };
	struct text text = { 0 };

	(void)state;
	record_put_metrics(record, size, 3, metrics);
	record->number = 7;
	record->time_us = 1500000;
	assert_true(record_write(record, &names, &text));
	assert_string_equal(text_c_string(&text),
			    "{\"_timestamp\":1.500000,\"_step\":7,\"a\":3,\"b\":2}");
	text_deinit(&text);
	name_set_deinit(&names);
	free(record);
}

/* As the server takes them (server/domain/name.c). */
static void names_of_paths_are_checked(void **state)
{
	static const char *const good[] = { "p",   "my project", "\xc3\xa4rzte (v2)", "_x", "-x",
					    "...", "a'b" };
	static const char *const bad[] = { "",    ".",   "..",  " p",  "p ",   "a/b", "a\\b",
					   "a#b", "a?b", "a%b", "a:b", "a\nb", "\xff" };
	char longest[NAMES_PROJECT_MAX + 2] = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_true(names_is_project(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(names_is_project(bad[i]));
	assert_true(names_is_run("my run") && names_is_run("a\\b"));
	assert_false(names_is_run("a'b") || names_is_run("a;b") || names_is_run("a,b"));
	memset(longest, 'p', NAMES_PROJECT_MAX);
	assert_true(names_is_project(longest) && names_is_run(longest));
	longest[NAMES_PROJECT_MAX] = 'p';
	assert_false(names_is_project(longest) || names_is_run(longest));
	longest[NAMES_ENTITY_MAX] = '\0';
	assert_true(names_is_entity(longest));
	longest[NAMES_ENTITY_MAX] = 'p';
	longest[NAMES_ENTITY_MAX + 1] = '\0';
	assert_false(names_is_entity(longest) || names_is_entity("my team") ||
		     names_is_entity("-x"));
}

static void md5_of_pieces(void **state)
{
	static const struct {
		const char *text, *hex, *base64;
	} cases[] = {
		{ "", "d41d8cd98f00b204e9800998ecf8427e", "1B2M2Y8AsgTpgAmY7PhCfg==" },
		{ "hello", "5d41402abc4b2a76b9719d911017c592", "XUFAKrxLKna5cZ2REBfFkg==" },
		{ "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b",
		  "w/zT12GS5AB9+0lsymfhOw==" },
		{ "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		  "57edf4a22be3c955ac49da2e2107b67a", "V+30oivjyVWsSdouIQe2eg==" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		/* in two pieces, cut at each place */
		for (size_t cut = 0; cut <= strlen(cases[i].text); cut++) {
			char hex[MD5_HEX_SIZE], base64[MD5_BASE64_SIZE];
			unsigned char sum[MD5_BYTES];
			struct md5 md5;

			md5_init(&md5);
			md5_add(&md5, cases[i].text, cut);
			md5_add(&md5, cases[i].text + cut, strlen(cases[i].text) - cut);
			md5_end(&md5, sum);
			md5_hex(sum, hex);
			md5_base64(sum, base64);
			assert_string_equal(hex, cases[i].hex);
			assert_string_equal(base64, cases[i].base64);
		}
	}
}

static void paths_of_artifacts(void **state)
{
	static const char *const fine[] = { "a", "a/b", ".a", "..a", "a/...", "a b/\xc3\xbc" };
	static const char *const bad[] = { "", "/a", "a/", "a//b", "..", "a/../b", ".", "./a" };

	(void)state;
	for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
		assert_true(artifact_path_is_safe(fine[i]));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_false(artifact_path_is_safe(bad[i]));
}

static void digest_of_no_files(void **state)
{
	struct artifact_files none = { 0 };
	char text[MD5_HEX_SIZE];

	(void)state;
	artifact_files_digest(&none, text);
	assert_string_equal(text, "64e7c61456b10382e2f3b571ac24b659");
}

enum { PACKED = 4 };

static void write_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (size_t i = 0; i < size; i++)
		fputc((int)(i % 251), file);
	fclose(file);
}

static void sum_of(size_t size, unsigned char sum[MD5_BYTES])
{
	struct md5 md5;

	md5_init(&md5);
	for (size_t i = 0; i < size; i++)
		md5_add(&md5, &(char){ (char)(i % 251) }, 1);
	md5_end(&md5, sum);
}

static void assert_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(fgetc(file), (int)(i % 251));
	assert_int_equal(fgetc(file), EOF);
	fclose(file);
}

static bool unpack_by(const struct text *tar, const struct artifact_files *files, size_t folder,
		      size_t piece)
{
	struct artifact_progress progress = { 0 };
	struct artifact_unpack unpack;
	bool is_fine = true;

	artifact_unpack_init(&unpack, files, folder, &progress);
	for (size_t at = 0; at < tar->length && is_fine; at += piece) {
		size_t left = tar->length - at;

		is_fine = artifact_unpack_add(&unpack, tar->data + at, left < piece ? left : piece);
	}
	artifact_unpack_deinit(&unpack);
	return is_fine;
}

/* What is packed here is unpacked in pieces of any size, and another tar than the expected one is not. */
static void tar_of_files(void **state)
{
	static const size_t sizes[PACKED] = { 0, 1, 512, 70000 },
			    pieces[] = { 1, 7, 511, 513, 100000 };
	char folder[] = "/tmp/cairn-tar.XXXXXX", source[64], local[PACKED][400], paths[PACKED][300];
	struct artifact_file at[PACKED] = { 0 };
	struct artifact_files files = { at, PACKED, PACKED };
	struct text tar = { 0 }, none = { 0 }, part = { 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	for (int i = 0; i < PACKED; i++) {
		snprintf(source, sizeof source, "%s/source%d", folder, i);
		snprintf(paths[i], sizeof paths[i], "in/%0*d", i == 2 ? 250 : 5, i);
		snprintf(local[i], sizeof local[i], "%s/%s", folder, paths[i]);
		at[i] = (struct artifact_file){ .path = paths[i],
						.local = local[i],
						.size_bytes = (int64_t)sizes[i],
						.is_needed = true };
		write_file(source, sizes[i]);
		sum_of(sizes[i], at[i].md5);
		assert_true(artifact_tar_add(&tar, paths[i], source, (int64_t)sizes[i]));
	}
	assert_false(artifact_tar_add(&none, "a", "/nonexistent/a", 0));
	artifact_tar_end(&tar);
	for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
		assert_true(unpack_by(&tar, &files, strlen(folder), pieces[i]));
		for (int j = 0; j < PACKED; j++) {
			assert_file(local[j], sizes[j]);
			assert_false(at[j].is_needed);
			at[j].is_needed = true;
			unlink(local[j]);
		}
	}
	at[2].md5[0] ^= 1; /* other content than the version says stays a part */
	assert_true(unpack_by(&tar, &files, strlen(folder), 1000));
	assert_true(at[2].is_needed && !at[3].is_needed);
	assert_int_not_equal(access(local[2], F_OK), 0);
	artifact_part_name(&at[2], &part);
	assert_file(text_c_string(&part), sizes[2]);
	text_deinit(&part);
	at[3].size_bytes = 69999;
	assert_false(unpack_by(&tar, &files, strlen(folder), 1000));
	text_deinit(&tar);
}

/* Programs that were compiled with another header, and without a server. */
static void structure_of_an_artifact(void **state)
{
	struct cairn_artifact artifact = CAIRN_ARTIFACT_INIT;
	struct cairn_options options = CAIRN_OPTIONS_INIT;
	struct cairn_run *run;
	char version[16] = "rubbish", error[200];

	(void)state;
	artifact.name = "net";
	artifact.type = "model";
	options.mode = "disabled";
	assert_int_equal(cairn_run_start(&options, &run), CAIRN_OK);
	assert_int_equal(cairn_log_artifact(run, "/tmp", &artifact, 1000, version), CAIRN_OK);
	assert_string_equal(version, "");
	artifact.size++;
	assert_int_equal(cairn_log_artifact(run, "/tmp", &artifact, 1000, NULL), CAIRN_INVALID);
	cairn_last_error(run, error, sizeof error);
	assert_non_null(strstr(error, "newer cairn.h"));
	artifact.size = 0;
	assert_int_equal(cairn_log_artifact(run, "/tmp", &artifact, 1000, NULL), CAIRN_INVALID);
	cairn_last_error(run, error, sizeof error);
	assert_non_null(strstr(error, "CAIRN_ARTIFACT_INIT"));
	cairn_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(md5_of_pieces),
		cmocka_unit_test(paths_of_artifacts),
		cmocka_unit_test(digest_of_no_files),
		cmocka_unit_test(tar_of_files),
		cmocka_unit_test(structure_of_an_artifact),
		cmocka_unit_test(numbers_read_back),
		cmocka_unit_test(random_numbers_read_back),
		cmocka_unit_test(numbers_are_short),
		cmocka_unit_test(rows_are_checked),
		cmocka_unit_test(json_depth_is_bounded),
		cmocka_unit_test(json_is_read),
		cmocka_unit_test(strings_are_mended),
		cmocka_unit_test(backlog_keeps_order),
		cmocka_unit_test(backlog_has_a_limit),
		cmocka_unit_test(console_numbers_lines),
		cmocka_unit_test(console_redraws_lines_above),
		cmocka_unit_test(console_knows_so_many_rows),
		cmocka_unit_test(long_lines_are_cut_between_characters),
		cmocka_unit_test(lines_are_cut_by_what_is_sent),
		cmocka_unit_test(any_bytes_make_lines_of_the_right_length),
		cmocka_unit_test(documents_merge_and_forget),
		cmocka_unit_test(large_documents_are_quick),
		cmocka_unit_test(retries_grow_and_listen),
		cmocka_unit_test(names_are_checked),
		cmocka_unit_test(names_of_paths_are_checked),
		cmocka_unit_test(repeated_names_keep_the_last_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
