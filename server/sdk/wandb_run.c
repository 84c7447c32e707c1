#include "wandb_run.h"

#include "arena.h"
#include "buf.h"
#include "json_doc.h"
#include "run_target.h"
#include "run_view.h"
#include "sdk_config.h"
#include "sdk_nested.h"
#include "sdk_role.h"
#include "wandb_console.h"
#include "wandb_files.h"
#include "wandb_history.h"
#include "wandb_id.h"
#include "wandb_list.h"
#include "wandb_project.h"
#include "wandb_run_artifacts.h"
#include "wandb_viewer.h"
#include "writer_store.h"

enum {
	SHAPES_MAX = 64,         /* processes whose summaries tell what was logged as an object, */
	SHAPES_BYTES = 16 << 20, /* as far as these take no more */
	WANDB_KEYS_MAX = 1000,   /* that are asked for by name */
};

err_t wandb_run_read(struct wandb *w, struct wandb_run **ret_run)
{
	struct request *q = w->q;
	struct wandb_run *run = arena_new_of(q->arena, struct wandb_run);
	struct run_info *info;
	struct run *hot;
	err_t e;

	e = run_target_info(q, &info);
	if (!e)
		e = run_store_get(q->db, q->target->run_id, &hot);
	if (e)
		return e;
	*run = (struct wandb_run){
		.cursor = info->name,
		.target = q->target,
		.info = info,
		.run = hot,
	};
	*ret_run = run;
	return NULL;
}

err_t wandb_run_give(struct gql_call *call, const struct auth_ask *ask)
{
	struct wandb *w = wandb_of(call);
	struct wandb_run *run;
	bool there;
	err_t e = wandb_look(w, ask, &there);

	if (!e && there)
		e = wandb_run_read(w, &run);
	if (!e && there)
		gql_give(call, run);
	return e;
}

err_t wandb_run_get(struct gql_call *call, const struct auth_ask *ask)
{
	struct wandb *w = wandb_of(call);
	struct wandb_run *run;
	err_t e = wandb_target(w, ask);

	if (!e)
		e = wandb_run_read(w, &run);
	if (!e)
		gql_give(call, run);
	return e;
}

/* ---- what it is called ---------------------------------------------------------------------------- */

static err_t run_id(struct gql_call *call)
{
	const struct target *t = ((const struct wandb_run *)call->parent)->target;

	json_out_text(call->out, wandb_id_of_run(call->arena, t->entity, t->project, t->run));
	return NULL;
}

#define TEXT_OF_INFO(name, member) \
	static err_t name(struct gql_call *call) \
	{ \
		json_out_text(call->out, ((const struct wandb_run *)call->parent)->info->member); \
		return NULL; \
	}

TEXT_OF_INFO(run_name, name)
TEXT_OF_INFO(run_display_name, display_name)
TEXT_OF_INFO(run_notes, notes)

/* A value that was never set is null. */
#define SET_OF_INFO(name, member) \
	static err_t name(struct gql_call *call) \
	{ \
		const struct str text = ((const struct wandb_run *)call->parent)->info->member; \
\
		if (text.len) \
			json_out_text(call->out, text); \
		return NULL; \
	}

SET_OF_INFO(run_group, group_name)
SET_OF_INFO(run_job_type, job_type)
SET_OF_INFO(run_sweep_name, sweep)

static err_t run_tags(struct gql_call *call)
{
	json_out_raw(call->out, ((const struct wandb_run *)call->parent)->info->tags);
	return NULL;
}

static err_t run_created_at(struct gql_call *call)
{
	json_out_time(call->out, ((const struct wandb_run *)call->parent)->info->created_at);
	return NULL;
}

static err_t run_project(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;

	gql_give(call, wandb_project_of(call->arena, run->target));
	return NULL;
}

static err_t run_entity(struct gql_call *call)
{
	const struct target *t = ((const struct wandb_run *)call->parent)->target;

	gql_give(call, wandb_entity_of(call->arena, t->entity, t->entity_id));
	return NULL;
}

/* Null where nobody is known to have made it. */
static err_t run_user(struct gql_call *call)
{
	const struct run_info *info = ((const struct wandb_run *)call->parent)->info;

	if (info->created_by.len)
		gql_give(call, wandb_user_of(call->arena, info->created_by));
	return NULL;
}

static err_t run_project_id(struct gql_call *call)
{
	json_out_int(call->out, ((const struct wandb_run *)call->parent)->target->project_id);
	return NULL;
}

static err_t run_read_only(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;

	json_out_bool(call->out, run->target->right < ACCESS_RIGHT_WRITE);
	return NULL;
}

/* ---- how it stands -------------------------------------------------------------------------------- */

static err_t run_state(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;

	json_out_text(call->out, str_of(run_state_name(run->run->state)));
	return NULL;
}

static err_t run_heartbeat_at(struct gql_call *call)
{
	json_out_time(call->out, ((const struct wandb_run *)call->parent)->run->heard_at);
	return NULL;
}

static err_t run_failed(struct gql_call *call)
{
	const struct run *run = ((const struct wandb_run *)call->parent)->run;

	json_out_bool(call->out, run->state == RUN_FAILED || run->state == RUN_CRASHED);
	return NULL;
}

static err_t run_running(struct gql_call *call)
{
	json_out_bool(call->out,
		      run_state_runs(((const struct wandb_run *)call->parent)->run->state));
	return NULL;
}

static err_t run_exit_code(struct gql_call *call)
{
	const struct run *run = ((const struct wandb_run *)call->parent)->run;

	if (run->has_exit_code)
		json_out_int(call->out, run->exit_code);
	return NULL;
}

static err_t run_stopped(struct gql_call *call)
{
	json_out_bool(call->out,
		      ((const struct wandb_run *)call->parent)->run->stop_asked_at.us != 0);
	return NULL;
}

/* The client takes it for where its own lines begin; they may begin anywhere. */
static err_t run_history_lines(struct gql_call *call)
{
	json_out_int(call->out, run_rows(((const struct wandb_run *)call->parent)->run));
	return NULL;
}

static err_t run_event_lines(struct gql_call *call)
{
	json_out_int(call->out, ((const struct wandb_run *)call->parent)->run->next_event);
	return NULL;
}

/* ---- documents ------------------------------------------------------------------------------------ */

/* As a text that holds JSON, in which the SDK reads NaN and infinities as bare words. */
static void put_document(struct gql_call *call, const struct json_doc *doc)
{
	json_out_text(call->out, json_doc_dump_bare(call->arena, doc));
}

static err_t read_config(struct gql_call *call, const struct json_doc **ret_doc)
{
	const struct wandb_run *run = call->parent;

	if (run->config.at)
		return json_doc_parse(call->arena, run->config, ret_doc);
	return run_documents_config(wandb_reader(wandb_of(call)), run->run, ret_doc);
}

static err_t read_summary(struct gql_call *call, const struct json_doc **ret_doc)
{
	const struct wandb_run *run = call->parent;
	struct searched_summary of;
	err_t e;

	if (!run->summary.at)
		return run_documents_summary(wandb_reader(wandb_of(call)), run->run, ret_doc);
	of.whole = json_doc_empty();
	e = json_doc_parse(call->arena, run->summary, &of.searched);
	if (!e && run->whole.at)
		e = json_doc_parse(call->arena, run->whole, &of.whole);
	if (!e)
		*ret_doc = searched_summary_restore(call->arena, &of);
	return e;
}

static err_t run_config(struct gql_call *call)
{
	const struct json_doc *doc;
	err_t e = read_config(call, &doc);

	if (!e)
		json_out_text(call->out, sdk_config_dump(call->arena, doc));
	return e;
}

/* Reads the objects that the processes sent last, merged. */
static err_t read_shape(struct gql_call *call, const struct json_doc **ret_shape)
{
	const struct wandb_run *run = call->parent;
	struct sent_row *rows;
	size_t count;
	err_t e = document_store_list_sent(wandb_of(call)->q->db, run->run->run_id, SHAPES_MAX,
					   SHAPES_BYTES, &rows, &count);

	*ret_shape = json_doc_empty();
	for (size_t i = 0; i < count && !e; i++) {
		const struct json_doc *one;

		e = json_doc_parse(call->arena, rows[i].summary, &one);
		if (!e)
			*ret_shape = json_doc_merge(call->arena, *ret_shape, one);
	}
	return e;
}

/* Adds what the SDK's summaries say about the run: its step and its run time. */
static const struct json_doc *with_own(struct arena *a, const struct json_doc *summary,
				       const struct run *run)
{
	const struct json_doc *runtime = json_doc_get_named(summary, "_runtime");
	const struct json_member member = { STR("runtime"), runtime };

	if (runtime && !json_doc_get_named(summary, "_wandb"))
		summary = json_doc_with(a, summary, STR("_wandb"), json_doc_object(a, &member, 1));
	if (run->last_step >= 0)
		summary = json_doc_with(a, summary, STR("_step"),
					json_doc_of_int64(a, run->last_step));
	return summary;
}

static err_t run_summary(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;
	const struct json_doc *shape = json_doc_empty();
	const struct json_doc *doc;
	err_t e = read_summary(call, &doc);

	if (!e && sdk_nested_needs_shape(doc))
		e = read_shape(call, &shape);
	if (e)
		return e;
	doc = sdk_nested(call->arena, doc, shape);
	doc = with_own(call->arena, doc, run->run);
	json_out_text(call->out, json_doc_dump_bare(call->arena, doc));
	return NULL;
}

static bool is_among(const struct json_member *members, size_t count, struct str name)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(members[i].name, name))
			return true;
	}
	return false;
}

/* Each once, however often it is asked for: a few names may not make an answer of any size. */
static const struct json_doc *only(struct arena *a, const struct json_doc *doc,
				   const struct json_doc *keys)
{
	struct json_member *members = arena_new_array(a, struct json_member, keys->count + 1);
	size_t count = 0;

	for (size_t i = 0; i < keys->count; i++) {
		struct str name = keys->items[i]->text;
		const struct json_doc *value = json_doc_get(doc, name);

		if (value && !is_among(members, count, name))
			members[count++] = (struct json_member){ name, value };
	}
	return json_doc_object(a, members, count);
}

/* Gives the requested members of config._wandb. A run without "t" has not been started yet. */
static err_t run_wandb_config(struct gql_call *call)
{
	const struct json_doc *keys = json_doc_get_named(call->args, "keys");
	const struct json_doc *doc;
	err_t e = read_config(call, &doc);

	if (e)
		return e;
	doc = json_doc_get_named(doc, "_wandb");
	if (json_doc_is(keys, JSON_KIND_ARRAY) && keys->count > WANDB_KEYS_MAX)
		return err_field(call->arena, ERR_INVALID, "keys",
				 "expected a list of at most %d names", WANDB_KEYS_MAX);
	if (json_doc_is(keys, JSON_KIND_ARRAY))
		doc = only(call->arena, doc, keys);
	put_document(call, doc ? doc : json_doc_empty());
	return NULL;
}

/* ---- where a process goes on that resumes it -------------------------------------------------------- */

/*
 * A text that holds a list of texts, each a line. Of the last row the client reads its step, from which it
 * counts on, and how long the run had run; so that is what the one line has.
 */
static err_t run_history_tail(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;
	struct buf *line = buf_new(call->arena);
	struct buf *list = buf_new(call->arena);
	struct json_out out = json_out_begin(line);
	struct json_out lines = json_out_begin(list);
	const struct json_doc *summary, *runtime;
	err_t e = read_summary(call, &summary);

	if (e)
		return e;
	runtime = json_doc_get_named(summary, "_runtime");
	json_out_object(&out);
	json_out_put_int(&out, "_step", run->run->last_step);
	if (json_doc_is(runtime, JSON_KIND_NUMBER))
		json_out_put_raw(&out, "_runtime", runtime->text);
	json_out_object_end(&out);
	json_out_array(&lines);
	if (run_rows(run->run) && run->run->last_step >= 0)
		json_out_text(&lines, buf_str(line));
	json_out_array_end(&lines);
	json_out_text(call->out, buf_str(list));
	return NULL;
}

static err_t run_events_tail(struct gql_call *call)
{
	json_out_text(call->out, STR("[]"));
	return NULL;
}

/* Counts the lines of the processes that share one name; other processes begin at 0. */
static err_t run_log_lines(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;
	struct writer *writer;
	err_t e = writer_store_find_now(wandb_of(call)->q->db, run->run->run_id,
					STR(SDK_PLAIN_CLIENT), &writer);

	if (!e)
		json_out_int(call->out, writer ? writer->console_lines : 0);
	return e;
}

static err_t run_commit(struct gql_call *call)
{
	const struct wandb_run *run = call->parent;
	struct writer_commit *commits;
	struct str commit = run->commit;
	size_t count;
	err_t e = NULL;

	if (!run->has_commit) {
		e = writer_store_list_commits(wandb_of(call)->q->db, &run->run->run_id, 1, &commits,
					      &count);
		commit = !e && count ? commits[0].commit : (struct str){ NULL, 0 };
	}
	if (!e && commit.at)
		json_out_text(call->out, commit);
	return e;
}

static const struct gql_field run_fields[] = {
	GQL_VALUE_FIELD("id", NULL, run_id),
	GQL_VALUE_FIELD("name", NULL, run_name),
	GQL_VALUE_FIELD("displayName", NULL, run_display_name),
	GQL_VALUE_FIELD("description", NULL, run_notes),
	GQL_VALUE_FIELD("notes", NULL, run_notes),
	GQL_VALUE_FIELD("group", NULL, run_group),
	GQL_VALUE_FIELD("groupName", NULL, run_group),
	GQL_VALUE_FIELD("jobType", NULL, run_job_type),
	GQL_VALUE_FIELD("tags", NULL, run_tags),
	GQL_VALUE_FIELD("sweepName", NULL, run_sweep_name),
	GQL_VALUE_FIELD("createdAt", NULL, run_created_at),
	GQL_VALUE_FIELD("heartbeatAt", NULL, run_heartbeat_at),
	GQL_VALUE_FIELD("state", NULL, run_state),
	GQL_VALUE_FIELD("stopped", NULL, run_stopped),
	GQL_VALUE_FIELD("shouldStop", NULL, run_stopped),
	GQL_VALUE_FIELD("failed", NULL, run_failed),
	GQL_VALUE_FIELD("running", NULL, run_running),
	GQL_VALUE_FIELD("exitcode", NULL, run_exit_code),
	GQL_VALUE_FIELD("readOnly", NULL, run_read_only),
	GQL_VALUE_FIELD("projectId", NULL, run_project_id),
	GQL_OBJECT_FIELD("project", NULL, run_project, &wandb_project_type),
	GQL_OBJECT_FIELD("entity", NULL, run_entity, &wandb_entity_type),
	GQL_LARGE_FIELD("config", NULL, run_config),
	GQL_LARGE_FIELD("summaryMetrics", NULL, run_summary),
	GQL_LARGE_FIELD("wandbConfig", "keys", run_wandb_config),
	GQL_VALUE_FIELD("historyLineCount", NULL, run_history_lines),
	GQL_VALUE_FIELD("eventsLineCount", NULL, run_event_lines),
	GQL_VALUE_FIELD("logLineCount", NULL, run_log_lines),
	GQL_LARGE_FIELD("historyTail", NULL, run_history_tail),
	GQL_VALUE_FIELD("eventsTail", NULL, run_events_tail),
	GQL_OBJECT_FIELD("files", "names after first pattern", wandb_run_files, &wandb_files_type),
	GQL_VALUE_FIELD("fileCount", NULL, wandb_run_file_count),
	GQL_OBJECT_FIELD("user", NULL, run_user, &wandb_user_type),
	GQL_VALUE_FIELD("commit", NULL, run_commit),
	GQL_OBJECT_FIELD("inputArtifacts", "first after", wandb_run_inputs, &wandb_run_inputs_type),
	GQL_OBJECT_FIELD("outputArtifacts", "first after", wandb_run_outputs,
			 &wandb_run_outputs_type),
	GQL_LARGE_FIELD("history", "minStep maxStep samples", wandb_run_history),
	GQL_LARGE_FIELD("events", "minStep maxStep samples", wandb_run_events),
	GQL_LARGE_FIELD("sampledHistory", "specs", wandb_run_sampled_history),
	GQL_LARGE_FIELD("historyKeys", NULL, wandb_run_history_keys),
	GQL_LARGE_FIELD("systemMetrics", NULL, wandb_run_system_metrics),
	GQL_OBJECT_FIELD("logLines", "first after last useImprovedPagination", wandb_run_lines,
			 &wandb_lines_type),
	GQL_OBJECT_FIELD("parquetHistory", "liveKeys", wandb_run_parquet, &wandb_parquet_type),
};
const struct gql_type wandb_run_type = GQL_TYPE("Run", run_fields);
