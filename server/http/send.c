/* Sends a reply: at once if it is complete, else piece by piece as the library asks for them. */
#include "send.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "live.h"
#include "watch.h"

enum {
	STREAM_BLOCK = 16 << 10,
	FILE_BLOCK = 256 << 10,
	/* From that size on a body is sent block by block, and its reader watched. */
	FED_BYTES = 64 << 10,
};

/*
 * Pages of a stream or of a file; the next one is made by a worker, or read by a disk thread, while the
 * connection sleeps.
 */
static ssize_t read_slice(struct http_exchange *ex, char *bytes, size_t size, bool is_last,
			  void (*queue)(struct http_exchange *ex))
{
	struct reply *r = &ex->reply;
	size_t left = r->slice.len - r->slice_sent;
	size_t n = left < size ? left : size;

	if (r->failed)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (n) {
		memcpy(bytes, r->slice.at + r->slice_sent, n);
		r->slice_sent += n;
		return (ssize_t)n;
	}
	if (is_last)
		return MHD_CONTENT_READER_END_OF_STREAM;
	watch_idle(ex->link);
	if (!exchange_park(ex))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	queue(ex);
	return 0;
}

static ssize_t read_body(const struct http_exchange *ex, uint64_t position, char *bytes,
			 size_t size)
{
	size_t left = ex->reply.body.len - (size_t)position;
	size_t n = left < size ? left : size;

	memcpy(bytes, ex->reply.body.at + position, n);
	return (ssize_t)n;
}

static bool is_endless(const struct reply *r)
{
	return r->is_live || r->next;
}

/* The rest of a stream's file comes before its next slice. */
static ssize_t read_stream(struct http_exchange *ex, char *bytes, size_t size)
{
	const struct reply *r = &ex->reply;

	if (r->file_left)
		return read_slice(ex, bytes, size, false, disk_queue);
	return read_slice(ex, bytes, size, r->is_last_slice, exchange_queue);
}

/* Bytes in memory go straight to the connection; for others a disk thread makes a slice. */
static ssize_t read_file(struct http_exchange *ex, char *bytes, size_t size)
{
	struct reply *r = &ex->reply;
	size_t most = (uint64_t)r->file_left < size ? (size_t)r->file_left : size;
	size_t n = 0;

	if (r->file->read_now && most && r->slice_sent == r->slice.len && !r->failed)
		n = r->file->read_now(r->file, r->file_offset, bytes, most);
	if (!n)
		return read_slice(ex, bytes, size, !r->file_left, disk_queue);
	r->file_offset += (int64_t)n;
	r->file_left -= (int64_t)n;
	return (ssize_t)n;
}

static ssize_t read_some(struct http_exchange *ex, uint64_t position, char *bytes, size_t size)
{
	const struct reply *r = &ex->reply;

	if (r->is_live)
		return live_read(ex, bytes, size);
	if (r->next)
		return read_stream(ex, bytes, size);
	if (r->file)
		return read_file(ex, bytes, size);
	return read_body(ex, position, bytes, size);
}

static ssize_t on_read(void *cls, uint64_t position, char *bytes, size_t size)
{
	struct http_exchange *ex = cls;
	ssize_t n;

	if (atomic_load(&ex->abandoned))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	n = read_some(ex, position, bytes, size);
	if (ex->reply.is_live && n == LIVE_END)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n > 0)
		ex->reply.sent_bytes += (uint64_t)n;
	if (n > 0 && !ex->reply.is_live)
		watch_sent(ex->link, (size_t)n);
	return n;
}

/* Without copies. TLS must encrypt the bytes. NULL: the other way. */
static struct MHD_Response *by_kernel(struct http_exchange *ex)
{
	struct reply *r = &ex->reply;
	struct MHD_Response *response;
	int own;

	if (!r->file->has_fd || ex->server->certificate)
		return NULL;
	own = fcntl(r->file->fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return NULL;
	response = MHD_create_response_from_fd_at_offset64((uint64_t)r->file_length, own,
							   (uint64_t)r->file_offset);
	r->is_sent_by_kernel = response != NULL;
	if (!response)
		close(own);
	return response;
}

static struct MHD_Response *make_response(struct http_exchange *ex)
{
	const struct reply *r = &ex->reply;
	struct MHD_Response *response = r->file && !r->next ? by_kernel(ex) : NULL;

	if (response)
		return response;
	if (r->file && !r->next) {
		share_grow(&ex->share, FILE_BLOCK);
		return MHD_create_response_from_callback((uint64_t)r->file_length, FILE_BLOCK,
							 on_read, ex, NULL);
	}

	if (is_endless(r) || r->body.len > FED_BYTES) {
		response = MHD_create_response_from_callback(is_endless(r) ? MHD_SIZE_UNKNOWN
									   : r->body.len,
							     STREAM_BLOCK, on_read, ex, NULL);
		/*
		 * Else it would send an empty last chunk, which is not part of an answer to HEAD.
		 */
		if (response && ex->is_head && is_endless(r))
			MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT,
						 MHD_RO_END);
		return response;
	}
	return MHD_create_response_from_buffer(r->body.len, (void *)(uintptr_t)r->body.at,
					       MHD_RESPMEM_PERSISTENT);
}

enum MHD_Result send_reply(struct http_exchange *ex)
{
	struct MHD_Response *response = make_response(ex);
	enum MHD_Result done;

	if (!response)
		return MHD_NO;
	ex->phase = PHASE_ANSWER;
	if (ex->reply.is_live)
		watch_idle(ex->link); /* live.c watches listeners that do not read */
	else if (ex->reply.is_sent_by_kernel)
		watch_sending_by_kernel(ex->link);
	else
		watch_sending(ex->link);
	reply_add_defaults(&ex->q);
	for (const struct reply_header *h = ex->reply.headers; h; h = h->next)
		MHD_add_response_header(response, h->name, h->value);
	done = MHD_queue_response(ex->connection, ex->reply.status, response);
	MHD_destroy_response(response);
	if (!ex->is_head && !is_endless(&ex->reply) && !ex->reply.file &&
	    ex->reply.body.len <= FED_BYTES)
		ex->reply.sent_bytes = ex->reply.body.len;
	return done;
}
