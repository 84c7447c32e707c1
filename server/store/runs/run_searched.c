/* A run's searched document, with all that lists of runs filter, order and group by. */
#include "buf.h"
#include "json_out.h"
#include "run_documents.h"
#include "run_store.h"
#include "writer_store.h"

enum { HOSTS_MAX = 64 };

/* The duration of a running run is up to its last request. */
static double duration_s(const struct run *run)
{
	int64_t end_us = run->ended_at.us ? run->ended_at.us : run->heard_at.us;

	return end_us > run->started_at.us ? (double)(end_us - run->started_at.us) / 1e6 : 0;
}

/* The hosts of its processes, each once. */
static err_t put_hosts(const struct run_reader *r, const struct run *run, struct json_out *out)
{
	struct writer_host *hosts;
	size_t count;
	err_t e = writer_store_list_hosts(r->db, run->run_id, HOSTS_MAX, &hosts, &count);

	if (e || !count)
		return e;
	json_out_key(out, "host");
	json_out_array(out);
	for (size_t i = 0; i < count; i++)
		json_out_text(out, hosts[i].host);
	json_out_array_end(out);
	return NULL;
}

/* Left out if none is lost, as in documents that were written before this was counted. */
static err_t put_lost(const struct run_reader *r, const struct run *run, timestamp_us now,
		      struct json_out *out)
{
	int64_t limit_s;
	int64_t lost;
	err_t e = run_store_crash_after(r->db, run->project_id, &limit_s);

	if (!e)
		e = writer_store_count_lost(r->db, run,
					    (struct run_clock){ now, limit_s * 1000000 }, &lost);
	if (!e && lost)
		json_out_put_int(out, "writers_lost", lost);
	return e;
}

/* The numbers of a fork continue after those of the run that it was forked from. */
static err_t put_writers(const struct run_reader *r, const struct run *run, struct json_out *out)
{
	int64_t count = run->next_writer;
	err_t e = run->branch ? writer_store_count(r->db, run->run_id, &count) : NULL;

	json_out_put_int(out, "writers", count);
	return e;
}

err_t run_documents_searched(const struct run_reader *r, const struct run *run,
			     const struct run_info *info, timestamp_us now, struct str *ret_text)
{
	struct arena *a = db_arena(r->db);
	struct buf *text = buf_new(a);
	struct json_out out = json_out_begin(text);
	struct run_documents documents;
	err_t e;

	e = run_documents_shown(r, run, &documents);
	if (e)
		return e;
	json_out_object(&out);
	json_out_put_text(&out, "id", info->name);
	json_out_put_text(&out, "display_name", info->display_name);
	json_out_put_text(&out, "state", str_of(run_state_name(run->state)));
	json_out_put_text(&out, "job_type", info->job_type);
	json_out_put_text(&out, "group", info->group_name);
	json_out_put_text(&out, "sweep", info->sweep);
	json_out_put_raw(&out, "tags", info->tags);
	json_out_put_text(&out, "notes", info->notes);
	if (info->created_by.len)
		json_out_put_text(&out, "user", info->created_by);
	json_out_put_time(&out, "created_at", info->created_at);
	json_out_put_time(&out, "started_at", run->started_at);
	json_out_put_time(&out, "heard_at", run->heard_at);
	if (run->ended_at.us)
		json_out_put_time(&out, "ended_at", run->ended_at);
	json_out_key(&out, "duration");
	json_out_real(&out, duration_s(run));
	json_out_put_int(&out, "rows", run_rows(run));
	e = put_writers(r, run, &out);
	if (!e)
		e = put_lost(r, run, now, &out);
	if (!e)
		e = put_hosts(r, run, &out);
	if (e)
		return e;
	json_out_put_raw(&out, "config", json_doc_dump(a, documents.config));
	json_out_put_raw(&out, "summary", json_doc_dump(a, documents.summary.searched));
	if (documents.summary.whole->count)
		json_out_put_raw(&out, "whole", json_doc_dump(a, documents.summary.whole));
	if (documents.logged->count)
		json_out_put_raw(&out, "logged", json_doc_dump(a, documents.logged));
	json_out_object_end(&out);
	*ret_text = buf_str(text);
	return NULL;
}
