/*
 * Bodies of file_stream, as anybody may send them: all are taken. Lines are numbered as many as there are,
 * what was not read can be stored, and what was read does not depend on who sends it.
 */
#include <string.h>

#include "arena.h"
#include "fuzz.h"
#include "json_scan.h"
#include "wandb_body.h"

static void check_texts(const struct ingest_batch *batch)
{
	for (size_t i = 0; i < batch->unread_count && i < RUN_UNREAD_MAX; i++) {
		struct str text = batch->unread[i].text;

		FUZZ_CHECK(str_is_utf8(text) && text.len <= RUN_UNREAD_MAX_BYTES);
		FUZZ_CHECK(!text.len || !memchr(text.at, 0, text.len));
	}
}

static void check_rows(const struct batch_rows *rows, const struct line_range *range)
{
	FUZZ_CHECK(range->from >= 0 && range->to - range->from == (int64_t)rows->count);
	for (size_t i = 0; i < rows->count; i++)
		FUZZ_CHECK(!rows->lines[i].len || rows->lines[i].at);
}

static void check_console(const struct lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->items[i];

		FUZZ_CHECK(line->number >= 0 && line->number <= INT32_MAX);
		FUZZ_CHECK(line->number == lines->items[0].number + i);
		FUZZ_CHECK(line->time_us >= 0 && line->text.len <= 64 << 10);
	}
}

static void read_as(struct arena *a, struct str text, struct str client, struct wandb_body *body)
{
	struct ingest_batch *batch = arena_new_of(a, struct ingest_batch);
	const struct wandb_body_ask ask = { a, batch, client };

	batch->arena = a;
	FUZZ_CHECK(!wandb_body_read(&ask, text, body));
	check_texts(batch);
	check_rows(&body->parts.history, &body->lines[LINE_FILE_HISTORY]);
	check_rows(&body->parts.events, &body->lines[LINE_FILE_EVENTS]);
	check_console(&body->parts.console);
	FUZZ_CHECK(!body->summary || json_doc_is(body->summary, JSON_KIND_OBJECT));
	FUZZ_CHECK(body->exit_code >= -255 && body->exit_code <= 255);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *a = arena_new(4096);
	char *copy = arena_zalloc(a, size + JSON_SCAN_PADDING, 1);
	struct wandb_body plain, shared;

	if (size)
		memcpy(copy, data, size);
	read_as(a, (struct str){ copy, size }, STR(""), &plain);
	read_as(a, (struct str){ copy, size }, STR("c1"), &shared);
	FUZZ_CHECK(plain.parts.history.count == shared.parts.history.count);
	FUZZ_CHECK(plain.parts.console.count == shared.parts.console.count);
	FUZZ_CHECK(plain.is_complete == shared.is_complete);
	arena_free(a);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char *const seeds[] = {
		"{}",
		"{\"files\":{\"wandb-history.jsonl\":{\"offset\":3,\"content\":[\"{\\\"a\\\":NaN}\"]}}}",
		"{\"files\":{\"wandb-events.jsonl\":{\"content\":[\"{\\\"c/l:rank0\\\":1}\",7]}},\"x\":1}",
		"{\"files\":{\"output.log\":{\"offset\":2,\"content\":[\"ERROR 2026-11-20T20:49:35 [r] x\"]}}}",
		"{\"files\":{\"output.log\":{\"content\":[\"{\\\"ts\\\":\\\"2026-11-20T20:49:35\\\"}\"]}}}",
		"{\"files\":{\"wandb-summary.json\":{\"offset\":0,\"content\":[\"{\\\"best\\\":1}\"]}}}",
		"{\"files\":{\"output.log\":{\"content\":[\"a\",\"b\"],\"offset\":2147483647}}}",
		"{\"files\":{\"wandb-history.jsonl\":{\"offset\":1e18,\"content\":[\"{}\",null,[1]]}}}",
		"{\"files\":{\"wandb-history.jsonl\":{\"offset\":0,\"content\":[\"{}\",\"cut",
		"{\"preempting\":true,\"files\":{\"wandb-history.jsonl\":{\"content\":[\"\xff\"]}}}",
		"{\"complete\":true,\"exitcode\":1,\"uploaded\":[\"a\\u0000b\"]}",
		NULL,
	};

	return fuzz_seed_text(seeds, i, bytes, size);
}
