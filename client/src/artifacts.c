/* Artifacts of a run, for the host program: both calls wait for the server, in its own thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "artifact_get.h"
#include "artifact_link.h"
#include "artifact_put.h"
#include "fork_gate.h"
#include "run.h"

enum { JOBS = 4, ANSWER_MS = 60000 };

static int fail(struct cairn_run *run, int result, const char *error)
{
	pthread_mutex_lock(&run->lock);
	snprintf(run->error, sizeof run->error, "%.*s", (int)sizeof run->error - 1, error);
	pthread_mutex_unlock(&run->lock);
	return result;
}

static int result_of(struct cairn_run *run, struct artifact_link *link,
		     enum artifact_outcome outcome)
{
	static const int results[] = { CAIRN_OK, CAIRN_REFUSED, CAIRN_TIMEOUT, CAIRN_INVALID };

	return outcome ? fail(run, results[outcome], link->error) : CAIRN_OK;
}

/* Waits until the server knows the run. *ret_entity is the caller's. */
static int begin(struct cairn_run *run, int timeout_ms, char **ret_entity)
{
	int result = run_check(run);

	if (result)
		return result;
	if (run->settings.mode == MODE_OFFLINE)
		return fail(run, CAIRN_INVALID, "artifacts are not kept in offline mode");
	result = cairn_wait_joined(run, timeout_ms);
	if (result)
		return result;
	pthread_mutex_lock(&run->lock);
	*ret_entity = run->entity ? strdup(run->entity) : NULL;
	pthread_mutex_unlock(&run->lock);
	return *ret_entity ? CAIRN_OK : CAIRN_MEMORY;
}

static int64_t deadline_after(int timeout_ms)
{
	return transport_clock_us() + (timeout_ms > 0 ? (int64_t)timeout_ms * 1000 : 0);
}

/* ---- log ------------------------------------------------------------------------------------------------- */

/* A structure of an older header ends before the members that it did not have. */
#define ARTIFACT_LEAST_BYTES sizeof(struct cairn_artifact)

/* The fault, in words; NULL: none. */
static const char *read_artifact(const char *path, const struct cairn_artifact *given,
				 struct cairn_artifact *artifact)
{
	const char *json;

	if (!given || given->size < ARTIFACT_LEAST_BYTES)
		return "the artifact was not initialized with CAIRN_ARTIFACT_INIT";
	if (given->size > sizeof *artifact)
		return "the artifact is of a newer cairn.h than this library";
	*artifact = (struct cairn_artifact)CAIRN_ARTIFACT_INIT;
	memcpy(artifact, given, given->size);
	json = artifact->metadata_json;
	if (!path || !artifact->name || !artifact->type)
		return "an artifact needs a path, a name and a type";
	if (json && !json_is_object(json_parse(json, strlen(json))))
		return "the metadata of an artifact must be a JSON object";
	return NULL;
}

static enum artifact_outcome put(struct cairn_run *run, struct artifact_link *link,
				 const char *path, const struct cairn_artifact *artifact,
				 char version[16])
{
	const struct artifact_put asked = {
		.path = path,
		.collection = artifact->name,
		.type = artifact->type,
		.aliases = artifact->aliases,
		.description = artifact->description,
		.metadata = artifact->metadata_json,
		.run = run->settings.run_id,
	};
	struct artifact_put_result made;
	enum artifact_outcome outcome = artifact_put(link, &asked, &made);

	if (!outcome && version)
		memcpy(version, made.version, sizeof made.version);
	return outcome;
}

int cairn_log_artifact(struct cairn_run *run, const char *path, const struct cairn_artifact *given,
		       int timeout_ms, char version[16])
{
	int64_t deadline_us = deadline_after(timeout_ms);
	struct cairn_artifact artifact;
	struct artifact_link link;
	const char *fault;
	char *entity = NULL;
	int result = run_check(run);

	if (version)
		version[0] = '\0';
	if (result)
		return result;
	fault = read_artifact(path, given, &artifact);
	if (fault)
		return fail(run, CAIRN_INVALID, fault);
	if (run->settings.mode == MODE_DISABLED)
		return CAIRN_OK;
	result = begin(run, timeout_ms, &entity);
	if (result)
		return result;
	fork_gate_enter();
	artifact_link_init(&link, &run->settings, entity, run->settings.project);
	link.deadline_us = deadline_us;
	link.jobs = artifact.jobs > 0 ? artifact.jobs : JOBS;
	result = result_of(run, &link, put(run, &link, path, &artifact, version));
	artifact_link_deinit(&link);
	free(entity);
	fork_gate_leave();
	return result;
}

/* ---- use -------------------------------------------------------------------------------------------------- */

/* The project and the name of the version that was found: "latest" may be another one by the next request. */
struct used {
	char *entity, *project, *collection, *version;
};

static void used_deinit(struct used *used)
{
	free(used->entity);
	free(used->project);
	free(used->collection);
	free(used->version);
}

static enum artifact_outcome read_used(struct artifact_link *link, const struct response *response,
				       struct used *used)
{
	struct json answer = json_parse(response->body.data, response->body.length);
	struct json version = json_member(answer, "version");

	used->entity = json_text(json_member(version, "entity"));
	used->project = json_text(json_member(version, "project"));
	used->collection = json_text(json_member(version, "collection"));
	used->version = json_text(json_member(version, "version"));
	if (used->entity && used->project && used->collection && used->version)
		return ARTIFACT_DONE;
	return artifact_fail(link, ARTIFACT_REFUSED, "the answer has no version");
}

static enum artifact_outcome note_use(struct artifact_link *link, const char *run_id,
				      const char *artifact, struct used *used)
{
	struct transport *transport = transport_new(link->settings);
	struct text path = { 0 }, body = { 0 };
	struct response response = { 0 };
	struct request request = { .method = "POST", .timeout_ms = ANSWER_MS };
	enum artifact_outcome outcome;

	text_str(&path, "/api/v1/projects/");
	text_escaped(&path, link->entity);
	text_str(&path, "/");
	text_escaped(&path, link->project);
	text_str(&path, "/runs/");
	text_escaped(&path, run_id);
	text_str(&path, "/artifacts");
	text_str(&body, "{");
	text_json_member(&body, "artifact", artifact);
	text_str(&body, "}");
	request.path = text_c_string(&path);
	request.body = text_c_string(&body);
	request.body_length = body.length;
	outcome = transport && request.path && request.body
			  ? artifact_ask(link, transport, &request, &response, NULL)
			  : artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome)
		outcome = read_used(link, &response, used);
	text_deinit(&response.body);
	text_deinit(&path);
	text_deinit(&body);
	transport_free(transport);
	return outcome;
}

static enum artifact_outcome fetch(struct artifact_link *link, const struct used *used,
				   const char *folder)
{
	const struct artifact_get get = {
		.collection = used->collection,
		.version = used->version,
		.folder = folder,
	};
	struct artifact_get_result got;

	link->entity = used->entity;
	link->project = used->project;
	return artifact_get(link, &get, &got);
}

int cairn_use_artifact(struct cairn_run *run, const char *artifact, const char *folder,
		       int timeout_ms)
{
	int64_t deadline_us = deadline_after(timeout_ms);
	struct used used = { 0 };
	struct artifact_link link;
	enum artifact_outcome outcome;
	char *entity = NULL;
	int result = run_check(run);

	if (result)
		return result;
	if (!artifact || !artifact[0] || (folder && !folder[0]))
		return fail(run, CAIRN_INVALID,
			    "an artifact is used by its name: \"name:version\"");
	if (run->settings.mode == MODE_DISABLED)
		return CAIRN_OK;
	result = begin(run, timeout_ms, &entity);
	if (result)
		return result;
	fork_gate_enter();
	artifact_link_init(&link, &run->settings, entity, run->settings.project);
	link.deadline_us = deadline_us;
	link.jobs = JOBS;
	outcome = note_use(&link, run->settings.run_id, artifact, &used);
	if (!outcome && folder)
		outcome = fetch(&link, &used, folder);
	result = result_of(run, &link, outcome);
	artifact_link_deinit(&link);
	used_deinit(&used);
	free(entity);
	fork_gate_leave();
	return result;
}
