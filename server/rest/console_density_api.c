/* How many lines there are, and when they came: what a page shows before it reads any. */
#include "auth.h"
#include "console_api.h"
#include "console_ask.h"
#include "console_density.h"
#include "db.h"
#include "reply.h"
#include "run_view.h"

enum { BUCKETS = 240, BUCKETS_MAX = 2000 };

static err_t read_query(struct request *q, struct writer_ranges *ranges,
			struct console_density_ask *ask)
{
	int64_t buckets;
	err_t e = writer_ranges_read(q, ranges);

	if (!e)
		e = console_ask_read_streams(q, ask->streams);
	if (!e)
		e = request_query_int(q, "buckets", 1, BUCKETS_MAX, BUCKETS, &buckets);
	if (!e)
		ask->bucket_count = (uint32_t)buckets;
	return e;
}

static void put_lines(struct json_out *o, const struct console_density *d, uint32_t count)
{
	json_out_key(o, "lines");
	json_out_array(o);
	for (uint32_t i = 0; i < count; i++)
		json_out_int(o, d->buckets[i].lines);
	json_out_array_end(o);
	json_out_key(o, "errors");
	json_out_array(o);
	for (uint32_t i = 0; i < count; i++)
		json_out_int(o, d->buckets[i].errors);
	json_out_array_end(o);
}

static void write_tally(struct json_out *o, const struct console_tally *t, struct str label)
{
	const struct line_counts *streams = t->streams;

	json_out_object(o);
	json_out_put_int(o, "writer", t->writer);
	json_out_put_text(o, "label", label);
	json_out_put_int(o, "lines", streams[LINE_STDOUT].lines + streams[LINE_STDERR].lines);
	json_out_put_int(o, "errors", streams[LINE_STDOUT].errors + streams[LINE_STDERR].errors);
	json_out_put_int(o, "stderr_lines", streams[LINE_STDERR].lines);
	json_out_put_int(o, "stderr_errors", streams[LINE_STDERR].errors);
	json_out_object_end(o);
}

static void put_time(struct json_out *o, const char *name, bool is_there, int64_t time_us)
{
	if (is_there)
		json_out_put_real(o, name, (double)time_us / 1e6);
	else
		json_out_put_null(o, name);
}

static void write_density(struct request *q, const struct labels *labels,
			  const struct console_density *d, uint32_t bucket_count)
{
	bool is_there = d->to_us >= d->from_us;
	struct json_out o = reply_json(q);

	json_out_object(&o);
	put_time(&o, "time_first", is_there, d->from_us);
	put_time(&o, "time_last", is_there, d->to_us);
	put_lines(&o, d, bucket_count);
	json_out_key(&o, "writers");
	json_out_array(&o);
	for (size_t i = 0; i < d->tally_count; i++)
		write_tally(&o, &d->tallies[i], labels_of(labels, d->tallies[i].writer));
	json_out_array_end(&o);
	json_out_object_end(&o);
}

err_t console_api_density(struct request *q)
{
	struct console_density_ask ask = { .run_id = q->target->run_id };
	struct writer_ranges ranges;
	struct console_density density;
	struct labels labels = { 0 };
	err_t e = read_query(q, &ranges, &ask);

	if (!e)
		e = labels_read(q, &labels);
	if (!e && ranges.count) {
		int32_t *writers;

		writer_ranges_find(&ranges, &labels, q->arena, &writers, &ask.writer_count);
		ask.writers = writers;
	}
	if (!e)
		e = console_density_read(q->db, run_view_reader(q).codec, &ask, &density);
	if (e)
		return e;
	write_density(q, &labels, &density, ask.bucket_count);
	return NULL;
}
