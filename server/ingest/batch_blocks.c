#include "batch_blocks.h"

#include "arena.h"
#include "batch_names.h"
#include "buf.h"
#include "checksum.h"
#include "clock.h"

double batch_now_s(void)
{
	return (double)clock_wall_us().us / 1e6;
}

static void make_block(struct ingest *ingest, const struct json_rows *rows, const uint32_t *key_ids,
		       struct ingest_batch *batch, struct ingest_stream *ret_stream)
{
	struct buf *data = buf_new(batch->arena);
	struct codec *codec;

	if (!rows->row_count)
		return;
	codec = ingest_take_codec(ingest, arena_share(batch->arena));
	block_encode_rows(codec, rows, key_ids, data, &ret_stream->facts);
	ingest_give_codec(ingest, codec);
	ret_stream->data = buf_str(data);
	ret_stream->newest_s = rows->newest_s;
	batch->bytes += data->len;
}

err_t batch_make_blocks(struct ingest *ingest, struct db *db, struct json_rows *history,
			struct json_rows *events, struct ingest_batch *batch)
{
	struct batch_names names;
	err_t e;

	e = batch_names_number(ingest, db, batch, history, events, &names);
	if (e)
		return e;
	batch->records.count = (int64_t)history->row_count + events->row_count;
	left_out_join(&batch->left_out, batch->arena, &history->left_out);
	left_out_join(&batch->left_out, batch->arena, &events->left_out);
	make_block(ingest, history, names.history, batch, &batch->history);
	make_block(ingest, events, names.events, batch, &batch->events);
	return NULL;
}

void batch_make_lines(struct ingest *ingest, struct arena *scratch, const struct lines *sent,
		      struct ingest_batch *batch)
{
	struct buf *data = buf_new(batch->arena);
	struct codec *codec = ingest_take_codec(ingest, arena_share(batch->arena));
	struct lines lines;

	lines_merge(scratch, sent, 1, &lines);
	lines_encode(codec, &lines, data);
	ingest_give_codec(ingest, codec);
	batch->console = buf_str(data);
	batch->line_first = lines.items[0].number;
	batch->line_last = lines.items[lines.count - 1].number;
	lines_span(&lines, LINES_BY_TIME, &batch->line_time_first, &batch->line_time_last);
	batch->line_count = (int32_t)lines.count;
	batch->records.count += sent->count;
	batch->line_bytes = lines_size(&lines);
	batch->bytes += data->len;
}

void batch_digest(struct str body, unsigned char ret_digest[static BATCH_DIGEST_LEN])
{
	_Static_assert((int)BATCH_DIGEST_LEN == (int)CHECKSUM128_LEN, "length of a digest");
	checksum128(body.at ? body.at : "", body.len, ret_digest);
}

void batch_take_digest(struct ingest_batch *batch, struct str body)
{
	batch_digest(body, batch->digest);
}
