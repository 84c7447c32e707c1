/*
 * fuzz_grpc.c - any answer of what listens on the port of libtpu's metric service: frames of HTTP/2 through the connection,
 * and the messages of protobuf by themselves.
 */
#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "grpc_call.h"
#include "monotonic.h"
#include "tpu_metric.h"

#define FRAME(length, type, flags) "\0\0" length type flags "\0\0\0\1"

static const struct seed {
	const char *bytes;
	size_t size;
} seeds[] = {
#define SEED(text) \
	{ \
		text, sizeof text - 1 \
	}
	SEED("\0\0\0\4\0\0\0\0\0" FRAME("\1", "\1", "\4") "\x88" FRAME("\7", "\0",
								       "\1") "\0\0\0\0\2\x0a\0"),
	SEED("\0\0\x08\6\0\0\0\0\0pingpong" FRAME("\4", "\3", "\0") "\0\0\0\0"),
	SEED("\0\0\x08\7\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	SEED("\x0a\x1c\x1a\x1a\x0a\x0f\x0a\x09"
	     "device-id\x12\2\x18\x08\x1a\x09\x09\0\0\0\0\0\0\x59\x40"),
};

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	if (i >= sizeof seeds / sizeof seeds[0] || seeds[i].size > size)
		return 0;
	memcpy(bytes, seeds[i].bytes, seeds[i].size);
	return seeds[i].size;
}

static void check_value(void *context, const struct tpu_value *value)
{
	(void)context;
	FUZZ_CHECK(strlen(value->label) < TPU_LABEL_MAX);
	FUZZ_CHECK(value->distribution.bucket_count <= TPU_BUCKETS_MAX);
	if (value->is_distribution)
		tpu_percentile(&value->distribution, 0.95);
}

/* The bytes wait in the socket before the call is made, and it ends behind them. */
static void try_connection(const uint8_t *data, size_t size)
{
	static struct grpc_connection connection;
	const uint8_t *message;
	size_t length;
	int ends[2];

	FUZZ_CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
	FUZZ_CHECK(write(ends[1], data, size) == (ssize_t)size);
	shutdown(ends[1], SHUT_WR);
	connection.fd = ends[0];
	connection.stream = 1;
	if (grpc_call(&connection, "/a", "b", 1, monotonic_ns() + 60 * NS_PER_S, &message,
		      &length) == GRPC_OK)
		tpu_metric_read(message, length, check_value, NULL);
	grpc_close(&connection);
	close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		try_connection(data, size);
	tpu_metric_read(data, size, check_value, NULL);
	return 0;
}
