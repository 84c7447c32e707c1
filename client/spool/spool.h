#ifndef SPOOL_H
#define SPOOL_H

#include <stdint.h>

/*
 * The spool: what a writer has not sent, on disk. One folder per writer below the spool's path:
 *
 *	<path>/<run id escaped>.<client id>.<stream>/    mode 0700, files 0600
 *		writer.json      who writes; written once (spool_identity.h)
 *		00000001.log     segments, append only
 *		alive            rewritten at least every SPOOL_TOUCH_S seconds while the process lives
 *		sent             a hint: "records N" of what the server is known to have
 *
 * A segment is a head and frames. Numbers are little endian.
 *
 *	head    0  magic "CAIRNSPL"
 *		8  u32 format (SPOOL_FORMAT)
 *		12 u32 flags (SPOOL_ALL_SENT_BEFORE, SPOOL_REPEATS)
 *		16 u64 number of the segment, as in its name
 *		24 u64 index of the first record in it
 *		32 u32 number of the first frame in it, counted from 0 by the process that writes, modulo 2^32
 *		36 u32 CRC-32C of the 36 bytes before
 *	frame   0  u32 length of the payload
 *		4  u32 type
 *		8  u32 CRC-32C of the 8 bytes before and the payload
 *		12 payload
 *
 * A stream is what one process logs; its id is random. Records are counted from 0 in it, here and on the server. Only
 * frames of SPOOL_RECORD count. A process writes to no other folder than that of its stream.
 */
#define SPOOL_FORMAT 1
#define SPOOL_MAGIC "CAIRNSPL"

#define SPOOL_HEAD_BYTES 40
/* Flag of a head: the server had confirmed all before this segment, so that an index that jumps is no loss. */
#define SPOOL_ALL_SENT_BEFORE 1u
/* Its first frames are in a segment before as well, where they could not be forced to the disk: who has read some of them
 * passes over as many, by the number of the first. */
#define SPOOL_REPEATS 2u
#define SPOOL_FRAME_HEAD_BYTES 12
#define SPOOL_SEGMENT_MAX_BYTES (16 * 1024 * 1024)
/* The largest row (10 MiB of JSON) with its head fits. */
#define SPOOL_PAYLOAD_MAX_BYTES (11 * 1024 * 1024)
#define SPOOL_SEGMENT_NUMBER_MAX 99999999

#define SPOOL_STREAM_SIZE 23 /* of the id of a stream that is made, with its end */
#define SPOOL_STREAM_MAX 64  /* letters of one: A-Z a-z 0-9 _ - */

#define SPOOL_TOUCH_S 10  /* the process rewrites `alive` this often */
#define SPOOL_SILENT_S 60 /* a process of another host that did not for so long is dead */

#define SPOOL_ERROR_SIZE 320 /* of a line for people */
#define SPOOL_PATH_SIZE 4096

/* The content of a frame. Readers skip and count types that they do not know. */
enum spool_type {
	SPOOL_RECORD = 1, /* struct record (record.h), whole */
	SPOOL_CONFIG,     /* u64 version, then the whole config of the writer as JSON */
	SPOOL_SUMMARY, /* u64 version, then JSON: members set since the server took some. Later frames override
			     members of earlier ones */
	SPOOL_METADATA, /* JSON: the file wandb-metadata.json of the run */
	SPOOL_ALERT, /* u64 number of the alert from 1, i64 time in us, then the JSON body of POST …/alerts */
	SPOOL_DROP,  /* struct spool_drop: records dropped before the next record, by stream */
	SPOOL_FACTS, /* JSON: facts of the run */
	SPOOL_END,   /* struct spool_end, then the reason: text, may be empty */
	SPOOL_SENT /* struct spool_sent: what the server has already of the frames before and behind */
};

/* Records that were dropped since the last frame of this kind; they have no index. */
struct spool_drop {
	uint64_t counts[3]; /* by enum record_kind */
};

enum spool_end_state { SPOOL_END_EXIT, SPOOL_END_CRASHED, SPOOL_END_PREEMPTED };

struct spool_end {
	int32_t exit_code;
	uint32_t state;  /* enum spool_end_state */
	int64_t time_us; /* since 1970 */
};

/* The process had these confirmed itself. Each member holds for all smaller numbers, too. */
struct spool_sent {
	uint64_t alerts;          /* number of the last alert */
	uint64_t config, summary; /* versions */
	uint64_t flags;
};
#define SPOOL_SENT_METADATA 1u
#define SPOOL_SENT_END 2u

#endif
