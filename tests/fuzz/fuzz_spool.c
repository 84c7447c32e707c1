/*
 * fuzz_spool.c - a writer's folder in the spool with any bytes: the first segment, or with right sums so that what is
 * behind them is reached, and writer.json.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "crc32c.h"
#include "fuzz.h"
#include "spool_bytes.h"
#include "spool_folder.h"
#include "spool_identity.h"
#include "spool_reader.h"
#include "spool_segment.h"

enum { KIND_SEGMENT, KIND_SUMMED, KIND_IDENTITY, KINDS };

static char folder[64];

static void remove_folder(void)
{
	spool_folder_remove(folder);
}

static void write_file(const char *name, const void *bytes, size_t count)
{
	char path[128];
	int fd;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, count) == (ssize_t)count);
	close(fd);
}

/* A segment of one record behind the other: it must be reached whatever the first one holds. */
static void write_last_segment(void)
{
	static const struct cairn_metric metric = { "loss", 1 };
	char bytes[256] = { 0 };
	char *frame = bytes + SPOOL_HEAD_BYTES;
	size_t size = record_metrics_size(1, &metric);
	_Alignas(8) char room[128] = { 0 };
	struct record *record = (struct record *)(void *)room;

	segment_write_head(bytes, &(struct segment_head){ .number = 2, .record = 1000000 });
	record_put_metrics(record, size, 1, &metric);
	record->number = RECORD_NO_STEP;
	memcpy(frame + SPOOL_FRAME_HEAD_BYTES, record, size);
	spool_put32(frame, (uint32_t)size);
	spool_put32(frame + 4, SPOOL_RECORD);
	spool_put32(frame + 8, crc32c(crc32c(0, frame, 8), frame + SPOOL_FRAME_HEAD_BYTES, size));
	write_file("00000002.log", bytes, SPOOL_HEAD_BYTES + SPOOL_FRAME_HEAD_BYTES + size);
}

static void make_folder(void)
{
	if (folder[0])
		return;
	snprintf(folder, sizeof folder, "%s/fuzz-spool-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	FUZZ_CHECK(mkdtemp(folder) != NULL);
	atexit(remove_folder);
	write_last_segment();
}

/* Frames with the lengths and types of the input, and right sums. */
static void write_summed(const uint8_t *data, size_t size)
{
	static char bytes[SPOOL_HEAD_BYTES + FUZZ_MAX_BYTES];
	size_t at = SPOOL_HEAD_BYTES, end = SPOOL_HEAD_BYTES + size;

	FUZZ_CHECK(size <= FUZZ_MAX_BYTES);
	segment_write_head(bytes, &(struct segment_head){ .number = 1 });
	memcpy(bytes + at, data, size);
	while (at + SPOOL_FRAME_HEAD_BYTES <= end) {
		size_t length = spool_get32(bytes + at) % 512;

		if (at + SPOOL_FRAME_HEAD_BYTES + length > end)
			break;
		spool_put32(bytes + at, (uint32_t)length);
		spool_put32(bytes + at + 4, spool_get32(bytes + at + 4) % 12);
		spool_put32(bytes + at + 8, crc32c(crc32c(0, bytes + at, 8),
						   bytes + at + SPOOL_FRAME_HEAD_BYTES, length));
		at += SPOOL_FRAME_HEAD_BYTES + length;
	}
	write_file("00000001.log", bytes, end);
}

static void check_record(const struct record *record)
{
	static struct name_set names;
	struct text text = { 0 };

	record_write(record, &names, &text);
	FUZZ_CHECK(text.length > 0);
	text_deinit(&text);
}

static void check_frame(const struct spool_frame *frame)
{
	struct spool_bytes rest = { frame->payload, 0 };
	struct spool_sent sent;
	struct spool_drop drop;
	struct spool_end end;
	uint64_t number;
	int64_t time_us;

	FUZZ_CHECK(frame->length <= SPOOL_PAYLOAD_MAX_BYTES);
	FUZZ_CHECK((frame->type == SPOOL_RECORD) == (frame->as_record != NULL));
	if (frame->as_record)
		check_record(frame->as_record);
	spool_read_document(frame, &number, &rest);
	spool_read_alert(frame, &number, &time_us, &rest);
	spool_read_end(frame, &end, &rest);
	spool_read_drop(frame, &drop);
	spool_read_sent(frame, &sent);
	FUZZ_CHECK(rest.at + rest.length <= frame->payload + frame->length);
}

/* Whatever is in the first segment, the record of the second one comes, and everything is counted. */
static void read_all(size_t size)
{
	char error[SPOOL_ERROR_SIZE];
	struct spool_reader *reader = spool_reader_open(folder, 0, error);
	struct spool_frame frame;
	uint64_t last = UINT64_MAX, damages = 0;
	enum spool_read read;

	FUZZ_CHECK(reader != NULL);
	while ((read = spool_reader_next(reader, &frame, error)) != SPOOL_READ_END) {
		FUZZ_CHECK(read == SPOOL_READ_FRAME || read == SPOOL_READ_DAMAGE);
		if (read == SPOOL_READ_FRAME) {
			check_frame(&frame);
			last = frame.record;
			continue;
		}
		spool_reader_describe_damage(reader, error);
		FUZZ_CHECK(++damages <= size + 2);
	}
	FUZZ_CHECK(last == 1000000);
	spool_reader_close(reader);
}

size_t fuzz_seed(unsigned i, uint8_t *bytes, size_t size)
{
	static const char identity[] =
		"\2{\"format\":1,\"project\":\"p\",\"run\":\"r\",\"client\":\"c\",\"label\":\"l\","
		"\"role\":\"worker\",\"pid\":7,\"started_at_us\":1}";
	static const char *const texts[] = { identity, "\2{\"format\":2}", "\1\x10" };

	FUZZ_CHECK(size > 1024);
	if (i == 0) {
		bytes[0] = KIND_SEGMENT;
		segment_write_head((char *)bytes + 1, &(struct segment_head){ .number = 1 });
		memset(bytes + 1 + SPOOL_HEAD_BYTES, 0, 64);
		return 1 + SPOOL_HEAD_BYTES + 64;
	}
	if (i > sizeof texts / sizeof texts[0])
		return 0;
	memset(bytes, 0, 256);
	memcpy(bytes, texts[i - 1], strlen(texts[i - 1]));
	return strlen(texts[i - 1]) + (i == 3 ? 40 : 0); /* zeros as payload */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct spool_identity identity;
	char error[SPOOL_ERROR_SIZE];

	if (size == 0 || size - 1 > FUZZ_MAX_BYTES)
		return 0;
	make_folder();
	if (data[0] % KINDS == KIND_IDENTITY) {
		write_file("writer.json", data + 1, size - 1);
		spool_identity_read(folder, &identity, error);
		spool_identity_deinit(&identity);
		return 0;
	}
	if (data[0] % KINDS == KIND_SUMMED)
		write_summed(data + 1, size - 1);
	else
		write_file("00000001.log", data + 1, size - 1);
	read_all(size);
	return 0;
}
