/* protobuf.c - see protobuf.h. The encoding is that of the "Encoding" page of Protocol Buffers. */
#include "protobuf.h"

#include <string.h>

bool protobuf_varint(struct protobuf *message, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && message->at < message->end; shift += 7) {
		uint8_t byte = *message->at++;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret_number = number;
			return true;
		}
	}
	return false;
}

static bool take_fixed(struct protobuf *message, size_t size, uint64_t *ret_value)
{
	*ret_value = 0;
	if ((size_t)(message->end - message->at) < size)
		return false;
	for (size_t i = 0; i < size; i++)
		*ret_value |= (uint64_t)message->at[i] << 8 * i;
	message->at += size;
	return true;
}

static bool take_bytes(struct protobuf *message, struct protobuf *ret_bytes)
{
	uint64_t length;

	if (!protobuf_varint(message, &length) || length > (uint64_t)(message->end - message->at))
		return false;
	*ret_bytes = (struct protobuf){ .at = message->at, .end = message->at + length };
	message->at += length;
	return true;
}

bool protobuf_next(struct protobuf *message, struct protobuf_field *ret_field)
{
	uint64_t key;

	*ret_field = (struct protobuf_field){ 0 };
	if (!protobuf_varint(message, &key) || key >> 3 > UINT32_MAX)
		return false;
	ret_field->number = (uint32_t)(key >> 3);
	ret_field->wire = key & 7;
	switch (ret_field->wire) {
	case 0:
		return protobuf_varint(message, &ret_field->value);
	case 1:
		return take_fixed(message, 8, &ret_field->value);
	case 2:
		return take_bytes(message, &ret_field->bytes);
	case 5:
		return take_fixed(message, 4, &ret_field->value);
	default:
		return false;
	}
}

double protobuf_double(uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof number);
	return number;
}
