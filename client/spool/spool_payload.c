/* Payloads of frames other than records. */
#include "spool_bytes.h"
#include "spool_reader.h"

/* The bytes behind a head of so many; false if the payload is shorter than the head. */
static bool rest(const struct spool_frame *frame, size_t head, struct spool_bytes *ret_text)
{
	if (frame->length < head)
		return false;
	*ret_text = (struct spool_bytes){ frame->payload + head, frame->length - head };
	return true;
}

static bool copy(const struct spool_frame *frame, size_t size, void *ret_struct)
{
	if (frame->length < size)
		return false;
	memcpy(ret_struct, frame->payload, size);
	return true;
}

bool spool_read_document(const struct spool_frame *frame, uint64_t *ret_version,
			 struct spool_bytes *ret_text)
{
	return copy(frame, sizeof *ret_version, ret_version) &&
	       rest(frame, sizeof *ret_version, ret_text);
}

bool spool_read_alert(const struct spool_frame *frame, uint64_t *ret_number, int64_t *ret_time_us,
		      struct spool_bytes *ret_text)
{
	if (!rest(frame, 16, ret_text))
		return false;
	*ret_number = spool_get64(frame->payload);
	*ret_time_us = (int64_t)spool_get64(frame->payload + 8);
	return true;
}

bool spool_read_drop(const struct spool_frame *frame, struct spool_drop *ret_drop)
{
	return copy(frame, sizeof *ret_drop, ret_drop);
}

bool spool_read_end(const struct spool_frame *frame, struct spool_end *ret_end,
		    struct spool_bytes *ret_reason)
{
	return copy(frame, sizeof *ret_end, ret_end) && rest(frame, sizeof *ret_end, ret_reason);
}

bool spool_read_sent(const struct spool_frame *frame, struct spool_sent *ret_sent)
{
	return copy(frame, sizeof *ret_sent, ret_sent);
}
