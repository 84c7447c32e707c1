/* cairnd verify: the selection of runs, and the form of faults. */
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "commands.h"
#include "database.h"
#include "directory.h"
#include "files.h"
#include "json_out.h"
#include "progress.h"
#include "project_store.h"
#include "verify_report.h"

enum { STANDARD_JOBS = 2 };

/* ---- one line for each fault --------------------------------------------------------------------- */

static void put_text(struct buf *out, const struct verify_fault *f)
{
	const struct verify_item *run = f->run;

	if (run->entity.len)
		buf_printf(out, "%.*s/%.*s", STR_ARG(run->entity), STR_ARG(run->project));
	if (run->name.len)
		buf_printf(out, "/%.*s", STR_ARG(run->name));
	buf_printf(out, "%s%s%s%s", run->entity.len ? ": " : "", f->stream ? f->stream : "",
		   f->stream ? " " : "", verify_part_name(f->part));
	if (f->key.len)
		buf_printf(out, " of key \"%.*s\"", STR_ARG(f->key));
	if (f->writer >= 0)
		buf_printf(out, ", writer %d", f->writer);
	if (f->label.len)
		buf_printf(out, " \"%.*s\"", STR_ARG(f->label));
	buf_printf(out, ": %s; %s\n", f->message, verify_advice(f->part));
}

static void put_json(struct buf *out, const struct verify_fault *f)
{
	const struct verify_item *run = f->run;
	struct json_out o = json_out_begin(out);

	json_out_object(&o);
	json_out_put_text(&o, "fault", str_of(verify_part_name(f->part)));
	json_out_put_text_or_null(&o, "entity", run->entity);
	json_out_put_text_or_null(&o, "project", run->project);
	json_out_put_text_or_null(&o, "run", run->name);
	json_out_put_int_or_null(&o, "run_id", run->run_id != 0, run->run_id);
	json_out_put_text(&o, "stream",
			  (struct str){ f->stream, f->stream ? strlen(f->stream) : 0 });
	json_out_put_text_or_null(&o, "key", f->key);
	json_out_put_int_or_null(&o, "writer", f->writer >= 0, f->writer);
	json_out_put_text_or_null(&o, "label", f->label);
	json_out_put_text(&o, "message", str_of(f->message));
	json_out_put_text(&o, "advice", str_of(verify_advice(f->part)));
	json_out_object_end(&o);
	buf_add_byte(out, '\n');
}

static void tell_fault(void *context, const struct verify_fault *fault)
{
	struct verify_report *r = context;

	progress_clear(&r->progress);
	buf_clear(&r->line);
	if (r->json)
		put_json(&r->line, fault);
	else
		put_text(&r->line, fault);
	fwrite(r->line.at, 1, r->line.len, stdout);
	fflush(stdout);
}

static void tell_progress(void *context, const struct verify_sum *sum)
{
	struct verify_report *r = context;
	char what[80];
	struct progress_state state = {
		.part = sum->total.row_count + sum->total.runs
				? (double)(sum->rows + sum->runs) /
					  (double)(sum->total.row_count + sum->total.runs)
				: 1,
		.bytes = sum->bytes,
		.what = what,
	};

	snprintf(what, sizeof(what), "%lld of %lld runs, %lld faults", (long long)sum->runs,
		 (long long)sum->total.runs, (long long)sum->faults);
	progress_show(&r->progress, &state);
}

static void put_sum(const struct verify_report *r, const struct verify_sum *sum)
{
	struct buf line = { 0 };
	struct json_out o = json_out_begin(&line);
	char bytes[PROGRESS_BYTES_SIZE];

	progress_bytes(bytes, (double)sum->bytes);
	if (!r->json) {
		printf("%lld run%s with %lld rows: %lld chunks, %lld blocks of the tail, %lld "
		       "console lines, %lld file%s, %s: %lld fault%s\n",
		       (long long)sum->runs, sum->runs == 1 ? "" : "s", (long long)sum->rows,
		       (long long)sum->chunks, (long long)sum->blocks, (long long)sum->lines,
		       (long long)sum->files, sum->files == 1 ? "" : "s", bytes,
		       (long long)sum->faults, sum->faults == 1 ? "" : "s");
		return;
	}
	json_out_object(&o);
	json_out_put_int(&o, "runs", sum->runs);
	json_out_put_int(&o, "rows", sum->rows);
	json_out_put_int(&o, "chunks", sum->chunks);
	json_out_put_int(&o, "blocks", sum->blocks);
	json_out_put_int(&o, "lines", sum->lines);
	json_out_put_int(&o, "files", sum->files);
	json_out_put_int(&o, "bytes", sum->bytes);
	json_out_put_int(&o, "faults", sum->faults);
	json_out_object_end(&o);
	printf("%.*s\n", STR_ARG(buf_str(&line)));
	buf_free(&line);
}

err_t verify_report_run(struct verify_report *r, struct arena *a, const struct db_options *options,
			struct verify_ask *ask)
{
	struct verify_sum sum;
	err_t e;

	progress_begin(&r->progress);
	ask->db = options;
	ask->fault = tell_fault;
	ask->progress = tell_progress;
	ask->p = r;
	e = verify_all(a, ask, &sum);
	progress_clear(&r->progress);
	buf_free(&r->line);
	if (e)
		return e;
	put_sum(r, &sum);
	if (sum.faults)
		return err_new(a, ERR_INTERNAL, "%lld fault%s found", (long long)sum.faults,
			       sum.faults == 1 ? "" : "s");
	return NULL;
}

/* ---- which runs --------------------------------------------------------------------------------- */

static err_t find_scope(struct command_call *call, struct db *db, struct verify_scope *scope)
{
	const char *project = command_option(call, "project");
	const char *run = command_option(call, "run");
	struct target_run_row *row;
	err_t e = NULL;

	if (run && !project)
		return err_new(call->arena, ERR_INVALID, "\"verify --run\" requires --project");
	if (project)
		e = directory_find_project(call->arena, db, project, &scope->project_id);
	if (e || !run)
		return e;
	e = target_store_find_run(db, scope->project_id, str_of(run), &row);
	if (e)
		return e;
	if (!row)
		return err_new(call->arena, ERR_NOT_FOUND,
			       "the run \"%s\" does not exist in \"%s\"", run, project);
	scope->run_id = row->run_id;
	return NULL;
}

static err_t read_jobs(struct command_call *call, int *ret_jobs)
{
	const char *text = command_option(call, "jobs");
	int64_t jobs = STANDARD_JOBS;

	if (text && !str_to_int64(str_of(text), 1, VERIFY_JOBS_MAX, &jobs))
		return err_new(call->arena, ERR_INVALID, "\"--jobs\" must be a number from 1 to %d",
			       VERIFY_JOBS_MAX);
	*ret_jobs = (int)jobs;
	return NULL;
}

err_t verify_command(struct command_call *call)
{
	struct verify_report report = { .json = command_option(call, "json") != NULL };
	struct verify_ask ask = { .jobs = STANDARD_JOBS };
	struct db_options options;
	const char *url;
	struct db *db;
	err_t e;

	e = read_jobs(call, &ask.jobs);
	if (!e)
		e = directory_url(call, &url);
	if (!e)
		e = database_open_current(call->arena, call->config, url, &db);
	if (e)
		return e;
	e = find_scope(call, db, &ask.scope);
	if (!e)
		e = files_find(db, call->config, &ask.content);
	db_close(db);
	if (e)
		return e;
	options = database_options(call->config, url);
	e = verify_report_run(&report, call->arena, &options, &ask);
	content_close(ask.content);
	return e;
}
