#include "batch.h"

#include <string.h>

static const char *const part_names[RECORD_KINDS] = { "history", "events", "console" };

static void clear(struct batch *batch)
{
	text_clear(&batch->body, 2 * BATCH_TARGET_BYTES);
	for (int i = 0; i < RECORD_KINDS; i++)
		text_clear(&batch->parts[i], BATCH_TARGET_BYTES);
	batch->part = (struct unsent_part){ 0 };
	batch->config_version = 0;
	batch->summary_version = 0;
	batch->is_pending = false;
}

static bool has_room(const struct batch *batch, size_t record_limit)
{
	size_t bytes = 0;

	for (int i = 0; i < RECORD_KINDS; i++)
		bytes += batch->parts[i].length;
	return bytes < BATCH_TARGET_BYTES && batch->part.records < BATCH_ROWS_MAX &&
	       batch->part.records < record_limit;
}

static bool write_records(struct batch *batch, const struct batch_input *input)
{
	struct backlog_cursor cursor = input->begin;
	const struct record *record;

	while (has_room(batch, input->record_limit)) {
		struct text *part;

		record = backlog_at(&cursor, input->end);
		if (!record)
			break;
		part = &batch->parts[record->kind];
		text_str(part, part->length ? "," : "");
		if (!record_write(record, &batch->names, part))
			return false;
		batch->part.counts[record->kind]++;
		batch->part.records++;
		cursor.offset += record->size;
	}
	batch->part.end = cursor;
	return true;
}

static void write_drops(struct batch *batch, struct text *body)
{
	const char *comma = "";

	if (batch->drops[0] + batch->drops[1] + batch->drops[2] == 0)
		return;
	text_str(body, ",\"dropped\":{");
	for (int i = 0; i < RECORD_KINDS; i++) {
		if (batch->drops[i] == 0)
			continue;
		text_format(body, "%s\"%s\":", comma, part_names[i]);
		text_int(body, (int64_t)batch->drops[i]);
		comma = ",";
	}
	text_str(body, "}");
}

static void write_body(struct batch *batch, const struct batch_input *input)
{
	struct text *body = &batch->body;

	text_format(body, "{\"writer\":\"%s\",\"session\":", input->client_id);
	text_int(body, input->session);
	text_str(body, ",\"batch\":");
	text_int(body, input->number);
	text_json_member(body, "stream", input->record_first >= 0 ? input->stream : NULL);
	if (input->record_first >= 0) {
		text_str(body, ",\"record_first\":");
		text_int(body, input->record_first);
	}
	for (int i = 0; i < RECORD_KINDS; i++) {
		if (batch->parts[i].length == 0)
			continue;
		text_format(body, ",\"%s\":[", part_names[i]);
		text_add(body, batch->parts[i].data, batch->parts[i].length);
		text_str(body, "]");
	}
	if (input->config) {
		text_str(body, ",\"config\":");
		text_add(body, input->config->data, input->config->length);
	}
	if (input->summary) {
		text_str(body, ",\"summary\":");
		text_add(body, input->summary->data, input->summary->length);
	}
	write_drops(batch, body);
	if (input->is_preempting)
		text_str(body, ",\"preempting\":true");
	text_str(body, "}");
}

bool batch_build(struct batch *batch, const struct batch_input *input)
{
	clear(batch);
	memcpy(batch->drops, input->drops, sizeof batch->drops);
	if (!write_records(batch, input))
		return false;
	write_body(batch, input);
	if (batch->body.failed)
		return false;
	batch->is_preempting = input->is_preempting;
	batch->session = input->session;
	batch->number = input->number;
	batch->is_pending = true;
	return true;
}

void batch_deinit(struct batch *batch)
{
	text_deinit(&batch->body);
	for (int i = 0; i < RECORD_KINDS; i++)
		text_deinit(&batch->parts[i]);
	name_set_deinit(&batch->names);
}
