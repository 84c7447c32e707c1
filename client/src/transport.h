#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"
#include "text.h"

#define TRANSPORT_ERROR_SIZE 256
#define TRANSPORT_ANSWER_MAX_BYTES (64 * 1024 * 1024)

/*
 * One connection to the server, used by one thread at a time; only transport_set_deadline() may come
 * from another one. Requests and answers are whole texts, unless a request says that they come in pieces.
 */
struct transport;

struct request {
	const char *method;
	const char *path; /* behind the server's address: "/api/v1/viewer" */
	const char *body; /* NULL: none */
	size_t body_length;
	const char *content_type;    /* NULL: JSON */
	const char *idempotency_key; /* NULL: none */
	const char *header;          /* one more, "Range: bytes=10-"; NULL: none */
	int timeout_ms;
	int stall_s;      /* the request fails after so long without a byte; 0: no such limit */
	bool leaves_half; /* of the time that is left once there is a deadline */
	/* Pieces of the answer's body as they come, instead of collecting them; NULL: collect. */
	bool (*on_piece)(void *context, const char *bytes, size_t count);
	/* Before the first of them; may be NULL. */
	void (*on_begin)(void *context, long status);
	void *context;
	/* The body in pieces, body_length bytes in all, instead of `body`: fills `bytes`, returns how many, 0 for a failure. */
	size_t (*read_piece)(void *context, char *bytes, size_t count);
	void *read_context;
	/* During the request, once wake_fd can be read, and at least each second; NULL: none. */
	void (*on_wake)(void *context);
	int wake_fd;
	void *wake_context;
};

struct response {
	long status;           /* 0: no answer; `error` says why */
	int64_t retry_after_s; /* 0: not said */
	struct text body;      /* without on_piece, or if the status is not a success */
	char error[TRANSPORT_ERROR_SIZE];
	double name_s, connect_s, tls_s, total_s; /* seconds from the start to the end of each */
	char peer[64];                            /* the address that was connected */
	char content_type[80];                    /* "": none was said */
	char url[200];                            /* that was asked, cut at its end */
};

/* NULL without memory. Copies what it needs of the settings. */
struct transport *transport_new(const struct settings *settings) __attribute__((nonnull));
void transport_free(struct transport *transport);

/* Blocks until the answer, the time-out or an interruption. `response` is filled in every case and
 * must have been zeroed, or used before: its memory is used again. */
void transport_perform(struct transport *transport, const struct request *request,
		       struct response *response) __attribute__((nonnull));

/* From any thread: no request goes on after this moment of the monotonic clock. */
void transport_set_deadline(struct transport *transport, int64_t deadline_us)
	__attribute__((nonnull));

int64_t transport_clock_us(void);

#endif
