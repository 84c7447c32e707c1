#include "writer_json.h"

#include <math.h>

#include "id.h"
#include "json_doc.h"
#include "line_ranges.h"
#include "name_json.h"
#include "record_streams.h"
#include "sdk_role.h"

enum { HOST_MAX = 255, PID_MAX = 4194304, RANDOM_LEN = 8 };

static struct str made_label(struct arena *a, struct str host)
{
	enum { HOST_SHOWN = NAME_LABEL_MAX - RANDOM_LEN - 1 };
	char random[RANDOM_LEN + 1];

	if (!host.len || !name_is_valid(NAME_LABEL, host))
		host = STR("writer");
	if (host.len > HOST_SHOWN)
		host.len = HOST_SHOWN;
	id_text(random, RANDOM_LEN);
	return str_of(arena_printf(a, "%.*s-%s", STR_ARG(host), random));
}

static struct str make_info(struct request *q, struct str host, struct str version, int64_t pid)
{
	struct buf *text = buf_new(q->arena);
	struct json_out out = json_out_begin(text);

	json_out_object(&out);
	if (host.len)
		json_out_put_text(&out, "host", host);
	if (version.len)
		json_out_put_text(&out, "client_version", version);
	if (pid >= 0)
		json_out_put_int(&out, "pid", pid);
	json_out_object_end(&out);
	return buf_str(text);
}

/* Reads an optional text that people see. */
static struct str read_shown(struct json_in *in, const char *name, size_t max)
{
	struct str text = json_in_text_or(in, name, max, STR(""));

	if (str_has_control(text))
		json_in_refuse(in, name, "\"%s\" must not contain control characters", name);
	return text;
}

err_t writer_json_read_join(struct request *q, struct writer_join *ret_join)
{
	static const char *const roles[] = { "primary", "worker", NULL };
	struct writer_join join = { .is_blank = false };
	struct json_in in;
	struct str host, version;
	err_t e;

	e = json_in_parse(q->arena, q->body, &in);
	if (e)
		return e;
	join.client = json_in_text(&in, "client", NAME_CLIENT_MAX);
	name_json_check(&in, NAME_CLIENT, "client", join.client);
	join.role = (enum writer_role)(WRITER_PRIMARY + json_in_choice(&in, "role", roles));
	join.label = json_in_text_or(&in, "label", NAME_LABEL_MAX, STR(""));
	if (json_in_has(&in, "label"))
		name_json_check(&in, NAME_LABEL, "label", join.label);
	join.parent = json_in_text_or(&in, "parent", NAME_CLIENT_MAX, STR(""));
	if (join.parent.len)
		name_json_check(&in, NAME_CLIENT, "parent", join.parent);
	join.stream = json_in_text_or(&in, "stream", NAME_STREAM_MAX, STR(""));
	if (json_in_has(&in, "stream"))
		name_json_check(&in, NAME_STREAM, "stream", join.stream);
	host = read_shown(&in, "host", HOST_MAX);
	version = read_shown(&in, "client_version", WRITER_VERSION_MAX);
	join.started_at = json_in_time_or(&in, "started_at", (timestamp_us){ 0 });
	if (json_in_has(&in, "started_at") && !join.started_at.us)
		join.started_at.us = -1; /* 0: none was sent; the flusher refuses both */
	join.info = make_info(q, host, version, json_in_int_or(&in, "pid", 0, PID_MAX, -1));
	e = json_in_end(&in);
	if (e)
		return e;
	if (!join.label.len)
		join.label = made_label(q->arena, host);
	*ret_join = join;
	return NULL;
}

/* The information that the writer sent about itself. */
static const struct json_doc *info_of(struct arena *a, const struct writer *w)
{
	const struct json_doc *info;

	return json_doc_parse(a, w->info, &info) ? NULL : info;
}

static struct str text_in(const struct json_doc *info, const char *name)
{
	const struct json_doc *text = json_doc_get_named(info, name);

	return json_doc_is(text, JSON_KIND_STRING) ? text->text : (struct str){ NULL, 0 };
}

struct str writer_json_host(struct arena *a, const struct writer *w)
{
	return text_in(info_of(a, w), "host");
}

static void put_info(struct json_out *o, const struct writer *w)
{
	struct arena *a = arena_new(1024);
	const struct json_doc *info = info_of(a, w);
	int64_t pid = 0;
	bool has_pid;

	json_out_put_text(o, "host", text_in(info, "host"));
	json_out_put_text(o, "client_version", text_in(info, "client_version"));
	has_pid = json_doc_int64(json_doc_get_named(info, "pid"), &pid);
	json_out_put_int_or_null(o, "pid", has_pid, pid);
	arena_free(a);
}

/* Returns the gaps in the numbers of lines, which only lines of a single process have. */
static int64_t count_gaps(const struct writer *w)
{
	struct str name = w->client;
	struct line_files files;

	if (str_is(str_cut(&name, '@'), SDK_PLAIN_CLIENT) || !line_files_decode(w->lines, &files))
		return 0;
	return line_files_gaps(&files);
}

/* The delivery of its batches: delay, missing and repeated batches. */
static void put_arrival(struct json_out *o, const struct writer *w)
{
	bool has_rows = w->history_rows || w->event_rows;

	json_out_put_finite(o, "lag_s", has_rows ? (double)w->lag_us / 1e6 : NAN);
	json_out_put_int(o, "gaps", count_gaps(w));
	json_out_put_int(o, "repeats", w->repeats);
}

void writer_json_write(struct json_out *o, const struct writer *w, const struct run *run,
		       struct run_clock clock)
{
	const char *shown = writer_state_shown(w, run_of_writers(run), clock.now, clock.limit_us);

	json_out_object(o);
	json_out_put_int(o, "number", w->writer);
	json_out_put_text(o, "client", w->client);
	json_out_put_text(o, "label", w->label);
	json_out_put_text(o, "role", str_of(writer_role_name(w->role)));
	json_out_put_text(o, "state", str_of(shown));
	json_out_put_text_or_null(o, "parent", w->parent);
	json_out_put_int(o, "attempt", w->attempt);
	json_out_put_int(o, "session", w->session);
	json_out_put_int(o, "batch", w->batch);
	json_out_put_int(o, "history_rows", w->history_rows);
	json_out_put_int(o, "event_rows", w->event_rows);
	json_out_put_int(o, "console_lines", w->console_lines);
	json_out_put_int(o, "dropped_rows", w->dropped_rows);
	json_out_put_int(o, "records", record_streams_sum(w->streams));
	put_arrival(o, w);
	json_out_put_int_or_null(o, "last_step", w->last_step >= 0, w->last_step);
	json_out_put_int_or_null(o, "exit_code", w->has_exit_code && w->state != WRITER_ALIVE,
				 w->exit_code);
	put_info(o, w);
	json_out_put_time(o, "joined_at", w->joined_at);
	json_out_put_time(o, "heard_at", w->heard_at);
	json_out_put_time(o, "data_at", w->data_at);
	json_out_put_time(o, "ended_at", w->ended_at);
	json_out_object_end(o);
}
