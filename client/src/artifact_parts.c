#include "artifact_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "artifact_source.h"

enum {
	PARTS_MAX = 10000, /* the server's limit */
	PARTS_LEAST = 4,   /* joining takes the server as long again as receiving */
	ANSWER_MS = 60000,
	JOINED_BYTES_PER_MS = 20000, /* by a slow server */
};

static int64_t part_bytes_of(const struct artifact_link *link, const struct artifact_file *file)
{
	int64_t least = (file->size_bytes + PARTS_MAX - 1) / PARTS_MAX;

	return least > link->part_bytes ? least : link->part_bytes;
}

size_t artifact_parts_count(const struct artifact_link *link, const struct artifact_file *file)
{
	int64_t part_bytes = part_bytes_of(link, file);

	return file->size_bytes <= PARTS_LEAST * part_bytes
		       ? 1
		       : (size_t)((file->size_bytes + part_bytes - 1) / part_bytes);
}

void artifact_parts_deinit(struct artifact_parts *parts)
{
	free(parts->received);
	parts->received = NULL;
}

/* ---- the upload ------------------------------------------------------------------------------------------ */

static void read_received(struct artifact_parts *parts, struct json items)
{
	struct json item = { 0 };
	int64_t part;

	while (json_next(items, &item, NULL)) {
		if (!json_int(json_member(item, "part"), &part) || part < 1 ||
		    part > (int64_t)parts->count)
			continue;
		json_int(json_member(item, "bytes"), &parts->received[part - 1].bytes);
		json_copy(json_member(item, "md5"), parts->received[part - 1].md5,
			  sizeof parts->received[0].md5);
	}
}

static enum artifact_outcome read_upload(struct artifact_link *link, struct artifact_parts *parts,
					 const struct response *response)
{
	struct json answer = json_parse(response->body.data, response->body.length);

	json_copy(json_member(answer, "upload"), parts->upload, sizeof parts->upload);
	read_received(parts, json_member(answer, "received"));
	if (!parts->upload[0])
		return artifact_fail(link, ARTIFACT_REFUSED, "the answer has no upload");
	return ARTIFACT_DONE;
}

static enum artifact_outcome ask_upload(struct artifact_link *link, struct transport *transport,
					const struct text *draft, struct artifact_parts *parts,
					struct text *path, struct text *body)
{
	struct response response = { 0 };
	struct request request = { .method = "POST", .timeout_ms = ANSWER_MS };
	enum artifact_outcome outcome;
	char md5[MD5_HEX_SIZE];

	md5_hex(parts->file->md5, md5);
	text_add(path, draft->data, draft->length);
	text_str(path, "/uploads");
	text_format(body, "{\"md5\":\"%s\",\"parts\":%zu", md5, parts->count);
	text_json_member(body, "path", parts->file->path);
	text_str(body, "}");
	request.path = text_c_string(path);
	request.body = text_c_string(body);
	request.body_length = body->length;
	if (!request.path || !request.body)
		return artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	outcome = artifact_ask(link, transport, &request, &response, NULL);
	if (!outcome)
		outcome = read_upload(link, parts, &response);
	text_deinit(&response.body);
	return outcome;
}

enum artifact_outcome artifact_parts_open(struct artifact_link *link, struct transport *transport,
					  const struct text *draft, struct artifact_parts *parts,
					  const struct artifact_file *file)
{
	struct text path = { 0 }, body = { 0 };
	enum artifact_outcome outcome;

	parts->file = file;
	parts->part_bytes = part_bytes_of(link, file);
	parts->count = artifact_parts_count(link, file);
	parts->received = calloc(parts->count, sizeof parts->received[0]);
	atomic_init(&parts->left, parts->count);
	if (!parts->received)
		return artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	outcome = ask_upload(link, transport, draft, parts, &path, &body);
	text_deinit(&path);
	text_deinit(&body);
	return outcome;
}

/* ---- a part ---------------------------------------------------------------------------------------------- */

/* The answers about an upload that is completed, given up, or was another draft's that is committed. */
static bool means_lost(const struct response *response)
{
	return response->status == 404 || response->status == 409 || response->status == 410;
}

static enum artifact_outcome end_request(struct artifact_link *link, struct artifact_parts *parts,
					 enum artifact_outcome outcome, struct response *response)
{
	if (outcome == ARTIFACT_REFUSED && means_lost(response)) {
		atomic_store(&parts->is_lost, true);
		outcome = ARTIFACT_DONE;
	} else if (outcome == ARTIFACT_REFUSED) {
		outcome = artifact_refuse(link, response);
	}
	text_deinit(&response->body);
	return outcome;
}

static void write_path(struct text *path, const struct text *draft,
		       const struct artifact_parts *parts)
{
	text_add(path, draft->data, draft->length);
	text_str(path, "/uploads/");
	text_escaped(path, parts->upload);
}

static enum artifact_outcome put_part(struct artifact_source *source, struct transport *transport,
				      const struct text *draft, struct artifact_parts *parts,
				      size_t number)
{
	const struct artifact_received_part *received = &parts->received[number];
	struct response response = { 0 };
	struct text path = { 0 };
	enum artifact_outcome outcome;
	unsigned char md5[MD5_BYTES];
	char hex[MD5_HEX_SIZE];

	if (!artifact_part_md5(source->link, source->fd, source->from, source->bytes, md5))
		return artifact_fail(source->link,
				     errno == ECANCELED ? ARTIFACT_AWAY : ARTIFACT_LOCAL,
				     "cannot read \"%s\": %s", source->local, strerror(errno));
	md5_hex(md5, hex);
	if (received->bytes == source->bytes && strcmp(received->md5, hex) == 0) {
		atomic_fetch_add(&source->link->progress.bytes, source->bytes);
		atomic_fetch_add(&parts->kept_bytes, source->bytes);
		return ARTIFACT_DONE;
	}
	write_path(&path, draft, parts);
	text_format(&path, "/%zu", number + 1);
	outcome = artifact_source_put(source, transport, &path, md5, &response);
	text_deinit(&path);
	return end_request(source->link, parts, outcome, &response);
}

static enum artifact_outcome send_part(struct artifact_link *link, struct transport *transport,
				       const struct text *draft, struct artifact_parts *parts,
				       size_t number)
{
	int64_t from = (int64_t)number * parts->part_bytes;
	int64_t rest = parts->file->size_bytes - from;
	struct artifact_source source = {
		.link = link,
		.local = parts->file->local,
		.fd = open(parts->file->local, O_RDONLY | O_CLOEXEC),
		.from = from,
		.bytes = rest < parts->part_bytes ? rest : parts->part_bytes,
	};
	enum artifact_outcome outcome;

	if (source.fd < 0)
		return artifact_fail(link, ARTIFACT_LOCAL, "cannot read \"%s\": %s", source.local,
				     strerror(errno));
	outcome = put_part(&source, transport, draft, parts, number);
	close(source.fd);
	return outcome;
}

/* ---- the end --------------------------------------------------------------------------------------------- */

struct completing {
	const struct response *response;
	int64_t until_us;
};

/* While parts are joined, for another request or this one, the server says that it is busy: it is not away. */
static enum artifact_rewind wait_for_join(void *context)
{
	const struct completing *completing = context;

	return completing->response->status && transport_clock_us() < completing->until_us
		       ? ARTIFACT_REWIND_ON
		       : ARTIFACT_REWIND_ANEW;
}

static enum artifact_outcome complete(struct artifact_link *link, struct transport *transport,
				      const struct text *draft, struct artifact_parts *parts)
{
	int time_ms = ANSWER_MS + (int)(parts->file->size_bytes / JOINED_BYTES_PER_MS);
	struct response response = { 0 };
	struct completing completing = { &response, transport_clock_us() + time_ms * 1000LL };
	struct request request = {
		.method = "POST",
		.body = "{}",
		.body_length = 2,
		.timeout_ms = time_ms,
		.read_context = &completing,
	};
	struct text path = { 0 };
	enum artifact_outcome outcome;

	write_path(&path, draft, parts);
	text_str(&path, "/complete");
	request.path = text_c_string(&path);
	outcome = request.path ? artifact_try(link, transport, &request, &response, wait_for_join)
			       : artifact_fail(link, ARTIFACT_LOCAL, "out of memory");
	text_deinit(&path);
	outcome = end_request(link, parts, outcome, &response);
	if (!outcome && !atomic_load(&parts->is_lost))
		atomic_fetch_add(&link->progress.files, 1);
	return outcome;
}

enum artifact_outcome artifact_parts_send(struct artifact_link *link, struct transport *transport,
					  const struct text *draft, struct artifact_parts *parts,
					  size_t number)
{
	enum artifact_outcome outcome = ARTIFACT_DONE;

	if (!atomic_load(&parts->is_lost))
		outcome = send_part(link, transport, draft, parts, number);
	if (!outcome && atomic_fetch_sub(&parts->left, 1) == 1 && !atomic_load(&parts->is_lost))
		outcome = complete(link, transport, draft, parts);
	return outcome;
}
