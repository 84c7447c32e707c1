#include "artifact_put.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact_files.h"
#include "artifact_parts.h"
#include "artifact_source.h"
#include "artifact_tar.h"
#include "random_id.h"

enum {
	ASK_FILES = 1000,        /* of one request */
	SMALL_BYTES = 64 * 1024, /* a file that travels with others */
	PACK_FILES = 1000,       /* of one tar */
	PACK_BYTES = 8 * 1024 * 1024,
	ANSWER_MS = 60000,
	CLIENT_CHARACTERS = 24,
	ROUNDS = 5, /* of files whose uploads are lost */
};

struct putting {
	const struct artifact_put *put;
	struct artifact_files files;
	struct text draft; /* its path */
	size_t *order;     /* numbers of needed files, small ones first */
	size_t small_count, large_count;
	struct artifact_parts
		*parted; /* needed files that are sent in parts, behind the others in `order` */
	size_t parted_count, part_count;
	struct pack {
		size_t first, count; /* in `order` */
	} * packs;
	size_t pack_count;
};

/* ---- the draft ---------------------------------------------------------------------------------------- */

static void write_aliases(struct text *body, const char *const *aliases)
{
	text_str(body, ",\"aliases\":[");
	for (size_t i = 0; aliases && aliases[i]; i++) {
		text_str(body, i ? "," : "");
		text_json_string(body, aliases[i], strlen(aliases[i]));
	}
	text_str(body, "]");
}

static void write_draft(struct text *body, const struct artifact_put *put, const char *digest)
{
	char client[CLIENT_CHARACTERS + 1];

	random_id(client, CLIENT_CHARACTERS);
	text_format(body, "{\"client\":\"%s\",\"digest\":\"%s\"", client, digest);
	text_json_member(body, "type", put->type);
	text_json_member(body, "description", put->description);
	text_json_member(body, "run", put->run);
	write_aliases(body, put->aliases);
	if (put->metadata)
		text_format(body, ",\"metadata\":%s", put->metadata);
	text_str(body, "}");
}

/* POST of JSON. */
static enum artifact_outcome post(struct artifact_link *link, struct transport *transport,
				  struct text *path, struct text *body, struct response *response)
{
	const struct request request = {
		.method = "POST",
		.path = text_c_string(path),
		.body = text_c_string(body),
		.body_length = body->length,
		.timeout_ms = ANSWER_MS,
	};

	if (!request.path || !request.body)
		return artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	return artifact_ask(link, transport, &request, response, NULL);
}

static struct json answer_of(const struct response *response)
{
	return json_parse(response->body.data, response->body.length);
}

static enum artifact_outcome read_version(struct artifact_link *link, struct json version,
					  const char *digest, struct artifact_put_result *result)
{
	char found[MD5_HEX_SIZE];

	json_copy(json_member(version, "version"), result->version, sizeof result->version);
	json_copy(json_member(version, "digest"), found, sizeof found);
	json_int(json_member(version, "files"), &result->files);
	json_int(json_member(version, "bytes"), &result->bytes);
	if (!result->version[0])
		return artifact_fail(link, ARTIFACT_REFUSED, "the answer has no version");
	if (strcmp(found, digest) != 0)
		return artifact_fail(
			link, ARTIFACT_LOCAL,
			"%s was made of other content: a file changed while it was sent",
			result->version);
	return ARTIFACT_DONE;
}

/* Sets the path of the draft, unless there is nothing to send: then the version is read. */
static enum artifact_outcome make_draft(struct artifact_link *link, struct transport *transport,
					struct putting *p, const char *digest,
					struct artifact_put_result *result)
{
	struct response response = { 0 };
	struct text path = { 0 }, body = { 0 };
	enum artifact_outcome outcome;
	char draft[200], state[16];
	struct json answer;

	artifact_path(link, &path, p->put->collection);
	text_str(&path, "/versions");
	write_draft(&body, p->put, digest);
	outcome = post(link, transport, &path, &body, &response);
	if (!outcome) {
		answer = answer_of(&response);
		json_copy(json_member(answer, "draft"), draft, sizeof draft);
		json_copy(json_member(answer, "state"), state, sizeof state);
		result->is_new = strcmp(state, "committed") != 0;
		artifact_path(link, &p->draft, p->put->collection);
		text_format(&p->draft, "/drafts/%s", draft);
		if (!result->is_new)
			outcome =
				read_version(link, json_member(answer, "version"), digest, result);
		else if (!draft[0])
			outcome = artifact_fail(link, ARTIFACT_REFUSED, "the answer has no draft");
	}
	text_deinit(&response.body);
	text_deinit(&path);
	text_deinit(&body);
	return outcome;
}

/* ---- what the server has ---------------------------------------------------------------------------------- */

static void write_asked(struct text *body, const struct artifact_file *files, size_t count)
{
	char md5[MD5_HEX_SIZE];

	text_str(body, "{\"files\":[");
	for (size_t i = 0; i < count; i++) {
		md5_hex(files[i].md5, md5);
		text_format(body, "%s{\"md5\":\"%s\"", i ? "," : "", md5);
		text_json_member(body, "path", files[i].path);
		text_str(body, "}");
	}
	text_str(body, "]}");
}

/* In the order of the request; null is a file that need not be sent. */
static enum artifact_outcome read_told(struct artifact_link *link, const struct response *response,
				       struct artifact_file *files, size_t count)
{
	struct json items = json_member(answer_of(response), "items"), item = { 0 };
	size_t told = 0;

	for (; told < count && json_next(items, &item, NULL); told++) {
		files[told].is_needed = json_is_string(json_member(item, "link"));
		if (files[told].is_needed)
			continue;
		atomic_fetch_add(&link->progress.files, 1);
		atomic_fetch_add(&link->progress.bytes, files[told].size_bytes);
	}
	if (told < count)
		return artifact_fail(link, ARTIFACT_REFUSED, "the answer lacks files");
	return ARTIFACT_DONE;
}

static enum artifact_outcome ask_some(struct artifact_link *link, struct transport *transport,
				      void *context, size_t number)
{
	struct putting *p = context;
	struct artifact_file *files = p->files.at + number * ASK_FILES;
	size_t left = p->files.count - number * ASK_FILES;
	size_t count = left < ASK_FILES ? left : ASK_FILES;
	struct response response = { 0 };
	struct text path = { 0 }, body = { 0 };
	enum artifact_outcome outcome;

	text_add(&path, p->draft.data, p->draft.length);
	text_str(&path, "/files");
	write_asked(&body, files, count);
	outcome = post(link, transport, &path, &body, &response);
	if (!outcome)
		outcome = read_told(link, &response, files, count);
	text_deinit(&response.body);
	text_deinit(&path);
	text_deinit(&body);
	return outcome;
}

/* ---- one file ------------------------------------------------------------------------------------------------ */

static enum artifact_outcome send_open(struct artifact_link *link, struct transport *transport,
				       struct putting *p, const struct artifact_file *file, int fd)
{
	struct artifact_source source = { link, file->local, fd, 0, file->size_bytes, 0 };
	struct response response = { 0 };
	struct text path = { 0 };
	enum artifact_outcome outcome;

	text_add(&path, p->draft.data, p->draft.length);
	text_str(&path, "/files/");
	artifact_path_add(&path, file->path);
	outcome = artifact_source_put(&source, transport, &path, file->md5, &response);
	if (outcome == ARTIFACT_REFUSED)
		outcome = artifact_refuse(link, &response);
	text_deinit(&response.body);
	text_deinit(&path);
	return outcome;
}

static enum artifact_outcome send_file(struct artifact_link *link, struct transport *transport,
				       struct putting *p, const struct artifact_file *file)
{
	int fd = open(file->local, O_RDONLY | O_CLOEXEC);
	enum artifact_outcome outcome;

	if (fd < 0)
		return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", file->local,
				     strerror(errno));
	outcome = send_open(link, transport, p, file, fd);
	close(fd);
	if (!outcome)
		atomic_fetch_add(&link->progress.files, 1);
	return outcome;
}

/* ---- many small files --------------------------------------------------------------------------------------- */

static enum artifact_outcome pack_files(struct artifact_link *link, const struct putting *p,
					const struct pack *pack, struct text *tar)
{
	for (size_t i = 0; i < pack->count; i++) {
		const struct artifact_file *file = &p->files.at[p->order[pack->first + i]];

		if (!artifact_tar_add(tar, file->path, file->local, file->size_bytes))
			return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s",
					     file->local,
					     errno ? strerror(errno) : "its size changed");
	}
	artifact_tar_end(tar);
	return tar->failed ? artifact_fail(link, ARTIFACT_LOCAL, "out of memory") : ARTIFACT_DONE;
}

static enum artifact_outcome send_pack(struct artifact_link *link, struct transport *transport,
				       struct putting *p, const struct pack *pack)
{
	struct text tar = { 0 }, path = { 0 };
	struct response response = { 0 };
	struct request request = {
		.method = "PUT",
		.content_type = "application/x-tar",
	};
	enum artifact_outcome outcome = pack_files(link, p, pack, &tar);

	text_add(&path, p->draft.data, p->draft.length);
	text_str(&path, "/files.tar");
	request.path = text_c_string(&path);
	request.body = tar.data;
	request.body_length = tar.length;
	request.timeout_ms = artifact_time_for((int64_t)tar.length);
	if (!outcome && !request.path)
		outcome = artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome)
		outcome = artifact_ask(link, transport, &request, &response, NULL);
	for (size_t i = 0; i < pack->count && !outcome; i++) {
		atomic_fetch_add(&link->progress.files, 1);
		atomic_fetch_add(&link->progress.bytes,
				 p->files.at[p->order[pack->first + i]].size_bytes);
	}
	text_deinit(&response.body);
	text_deinit(&path);
	text_deinit(&tar);
	return outcome;
}

/* ---- large files in parts --------------------------------------------------------------------------------- */

static enum artifact_outcome open_parts(struct artifact_link *link, struct transport *transport,
					void *context, size_t number)
{
	struct putting *p = context;

	return artifact_parts_open(
		link, transport, &p->draft, &p->parted[number],
		&p->files.at[p->order[p->small_count + p->large_count + number]]);
}

static enum artifact_outcome send_part(struct artifact_link *link, struct transport *transport,
				       struct putting *p, size_t number)
{
	struct artifact_parts *parts = p->parted;

	for (; number >= parts->count; parts++)
		number -= parts->count;
	return artifact_parts_send(link, transport, &p->draft, parts, number);
}

static bool has_lost(const struct putting *p)
{
	for (size_t i = 0; i < p->parted_count; i++) {
		if (atomic_load(&p->parted[i].is_lost))
			return true;
	}
	return false;
}

/* Large files first: the last of them decides when all is done. */
static enum artifact_outcome send_one(struct artifact_link *link, struct transport *transport,
				      void *context, size_t number)
{
	struct putting *p = context;

	if (number < p->part_count)
		return send_part(link, transport, p, number);
	number -= p->part_count;
	if (number < p->large_count)
		return send_file(link, transport, p,
				 &p->files.at[p->order[p->small_count + number]]);
	return send_pack(link, transport, p, &p->packs[number - p->large_count]);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static void add_to_pack(struct putting *p, size_t at, int64_t *pack_bytes)
{
	int64_t bytes = p->files.at[p->order[at]].size_bytes + 1024;
	struct pack *last = p->pack_count ? &p->packs[p->pack_count - 1] : NULL;

	if (!last || last->count == PACK_FILES || *pack_bytes + bytes > PACK_BYTES) {
		p->packs[p->pack_count++] = (struct pack){ at, 1 };
		*pack_bytes = bytes;
		return;
	}
	last->count++;
	*pack_bytes += bytes;
}

enum file_kind { FILE_SMALL, FILE_LARGE, FILE_PARTED, FILE_KINDS };

static enum file_kind kind_of(const struct artifact_link *link, const struct artifact_file *file)
{
	if (artifact_parts_count(link, file) > 1)
		return FILE_PARTED;
	return file->size_bytes > SMALL_BYTES ? FILE_LARGE : FILE_SMALL;
}

static void end_plan(struct putting *p)
{
	for (size_t i = 0; i < p->parted_count; i++)
		artifact_parts_deinit(&p->parted[i]);
	free(p->parted);
	free(p->order);
	free(p->packs);
	p->parted = NULL;
	p->order = NULL;
	p->packs = NULL;
	p->parted_count = p->part_count = p->pack_count = 0;
}

static bool plan(struct artifact_link *link, struct putting *p)
{
	size_t count = p->files.count, at = 0, ends[FILE_KINDS];
	int64_t pack_bytes = 0;

	p->order = malloc((count + 1) * sizeof p->order[0]);
	p->packs = malloc((count + 1) * sizeof p->packs[0]);
	if (!p->order || !p->packs)
		return false;
	for (enum file_kind kind = FILE_SMALL; kind < FILE_KINDS; kind++) {
		for (size_t i = 0; i < count; i++) {
			if (p->files.at[i].is_needed && kind_of(link, &p->files.at[i]) == kind)
				p->order[at++] = i;
		}
		ends[kind] = at;
	}
	p->small_count = ends[FILE_SMALL];
	p->large_count = ends[FILE_LARGE] - ends[FILE_SMALL];
	p->parted = calloc(at - ends[FILE_LARGE] + 1, sizeof p->parted[0]);
	if (!p->parted)
		return false;
	p->parted_count = at - ends[FILE_LARGE];
	for (size_t i = 0; i < p->small_count; i++)
		add_to_pack(p, i, &pack_bytes);
	return true;
}

static void count_needed(const struct putting *p, struct artifact_put_result *result)
{
	for (size_t i = 0; i < p->files.count; i++) {
		result->sent_files += p->files.at[i].is_needed;
		result->sent_bytes += p->files.at[i].is_needed ? p->files.at[i].size_bytes : 0;
	}
}

static void subtract_kept(const struct putting *p, struct artifact_put_result *result)
{
	for (size_t i = 0; i < p->parted_count; i++)
		result->sent_bytes -= p->parted[i].kept_bytes;
}

/* All files that the server lacks. */
static enum artifact_outcome send_needed(struct artifact_link *link, struct putting *p)
{
	enum artifact_outcome outcome = artifact_work(link, open_parts, p, p->parted_count);

	for (size_t i = 0; i < p->parted_count; i++)
		p->part_count += p->parted[i].count;
	return outcome ? outcome
		       : artifact_work(link, send_one, p,
				       p->part_count + p->large_count + p->pack_count);
}

/* Asks what the server lacks, and sends it. */
static enum artifact_outcome send_round(struct artifact_link *link, struct putting *p,
					struct artifact_put_result *result, int round)
{
	enum artifact_outcome outcome;

	end_plan(p);
	atomic_store(&link->progress.files, 0);
	atomic_store(&link->progress.bytes, 0);
	outcome = artifact_work(link, ask_some, p, (p->files.count + ASK_FILES - 1) / ASK_FILES);
	if (!outcome && round == 0)
		count_needed(p, result);
	if (!outcome && !plan(link, p))
		outcome = artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	if (!outcome)
		outcome = send_needed(link, p);
	subtract_kept(p, result);
	return outcome;
}

static enum artifact_outcome commit(struct artifact_link *link, struct transport *transport,
				    struct putting *p, const char *digest,
				    struct artifact_put_result *result)
{
	struct response response = { 0 };
	struct text path = { 0 }, body = { 0 };
	enum artifact_outcome outcome;

	text_add(&path, p->draft.data, p->draft.length);
	text_str(&path, "/commit");
	text_str(&body, "{}");
	outcome = post(link, transport, &path, &body, &response);
	if (!outcome)
		outcome = read_version(link, answer_of(&response), digest, result);
	text_deinit(&response.body);
	text_deinit(&path);
	text_deinit(&body);
	return outcome;
}

static enum artifact_outcome send_all(struct artifact_link *link, struct transport *transport,
				      struct putting *p, struct artifact_put_result *result)
{
	char digest[MD5_HEX_SIZE];
	enum artifact_outcome outcome;
	int round = 0;

	artifact_files_digest(&p->files, digest);
	outcome = make_draft(link, transport, p, digest, result);
	if (outcome || !result->is_new)
		return outcome;
	do
		outcome = send_round(link, p, result, round);
	while (!outcome && has_lost(p) && ++round < ROUNDS);
	if (!outcome && has_lost(p))
		outcome = artifact_fail(link, ARTIFACT_REFUSED,
					"the server gave up an upload again and again");
	return outcome ? outcome : commit(link, transport, p, digest, result);
}

enum artifact_outcome artifact_put(struct artifact_link *link, const struct artifact_put *put,
				   struct artifact_put_result *ret_result)
{
	struct putting p = { .put = put };
	struct transport *transport = transport_new(link->settings);
	enum artifact_outcome outcome;

	*ret_result = (struct artifact_put_result){ 0 };
	outcome = transport ? artifact_files_find(link, &p.files, put->path)
			    : artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	link->progress.all_files = (int64_t)p.files.count;
	for (size_t i = 0; i < p.files.count; i++)
		link->progress.all_bytes += p.files.at[i].size_bytes;
	if (!outcome)
		outcome = artifact_files_sum(link, &p.files);
	if (!outcome)
		outcome = send_all(link, transport, &p, ret_result);
	end_plan(&p);
	artifact_files_deinit(&p.files);
	text_deinit(&p.draft);
	transport_free(transport);
	return outcome;
}
