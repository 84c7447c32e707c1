/* protobuf.h - a walk over the fields of a protobuf message, which allocates nothing. */
#ifndef CAIRN_SAMPLER_PROTOBUF_H
#define CAIRN_SAMPLER_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct protobuf {
	const uint8_t *at;
	const uint8_t *end;
};

/* One field. Of a nested message, or a text, `bytes` has the content. */
struct protobuf_field {
	uint32_t number;
	uint8_t wire; /* 0: varint, 1: 64 bits, 2: bytes, 5: 32 bits */
	uint64_t value;
	struct protobuf bytes;
};

/* False at the end, and at what is no field: groups are not known. */
bool protobuf_next(struct protobuf *message, struct protobuf_field *ret_field);

/* A number packed into `bytes`. */
bool protobuf_varint(struct protobuf *message, uint64_t *ret_number);

double protobuf_double(uint64_t bits);

#endif
