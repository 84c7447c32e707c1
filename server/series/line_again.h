#ifndef LINE_AGAIN_H
#define LINE_AGAIN_H

#include "lines.h"

struct arena;

/*
 * Compares console lines that were sent with the stored lines of a process, to find out whether they are its lines sent
 * again. Standard output and standard error are compared separately, line by line, because older SDKs mix them in
 * another order when they sync a folder.
 *
 * The last lines may differ, of the stored lines or of the sent ones: a line may be torn by a cut, and a progress bar
 * may have an older state.
 */
enum {
	LINE_AGAIN_TAIL =
		32, /* last lines that may differ: as many as an SDK's terminal can write again */
};

/* Evidence about the session's process, from its program and its rows. */
enum line_evidence {
	LINES_ALONE,    /* nothing: only the last stored line may differ, if it is torn */
	LINES_REPEATED, /* it is the same process: the rows are its rows, sent again */
	LINES_FRESH, /* it is another process: no sync, or its rows are new and this one has stored its rows */
};

enum line_fate_kind {
	LINE_FATE_NEW,     /* the process has stored no such line yet */
	LINE_FATE_SAME,    /* the stored line is the same, or a longer version */
	LINE_FATE_LONGER,  /* the stored line is the beginning of it */
	LINE_FATE_CHANGED, /* the stored line is another one */
};
struct line_fate {
	enum line_fate_kind kind;
	int64_t number; /* of the stored line */
};

struct line_again {
	const struct lines *sent;
	struct line_fate *fates; /* one for each line that was sent */
	uint32_t next[2];        /* for each stream: the next line to compare */
	int64_t position[2]; /* for each stream: the first stored line that is not compared yet */
	int64_t last_number[2]; /* for each stream: of the last stored line; -1: none */
	bool has_gaps;          /* some lines were not sent: stored lines that differ are skipped */
};

/* Stored lines below `position` were compared with earlier requests. */
void line_again_begin(struct line_again *m, struct arena *a, const struct lines *sent,
		      const int64_t position[2]) __attribute__((nonnull));
/* Adds stored lines, ascending; those of the next call follow them. */
void line_again_add(struct line_again *m, const struct lines *stored) __attribute__((nonnull));
/* Whether every line was compared with a stored one. */
bool line_again_is_done(const struct line_again *m) __attribute__((nonnull));

/* The process has the lines `from` to `end` - 1. `is_only`: no other process has lines. */
struct line_again_range {
	int64_t from;
	int64_t end;
	bool is_only;
};
/* The number of lines before the first one that the process did not send. */
uint32_t line_again_common(const struct line_again *m, enum line_evidence evidence,
			   const struct line_again_range *range) __attribute__((nonnull));
/* Whether the lines are of another process, whatever is read next. */
bool line_again_has_parted(const struct line_again *m, enum line_evidence evidence,
			   const struct line_again_range *range) __attribute__((nonnull));
/* Returns how many lines are the same; -1: they are lines of another process. */
int64_t line_again_rate(const struct line_again *m, enum line_evidence evidence,
			const struct line_again_range *range) __attribute__((nonnull));

#endif
