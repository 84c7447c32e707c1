#ifndef WANDB_SESSION_CACHE_H
#define WANDB_SESSION_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

/*
 * Caches facts about the SDK's processes to save work. Entries may be dropped at any time. Any thread.
 */
struct wandb_session_cache;
struct server_load;

enum { WANDB_SESSION_CACHE_SLOTS = 16384, WANDB_SESSION_CACHE_FOLLOWS = 4096 };

struct wandb_session_cache *wandb_session_cache_new(void);
void wandb_session_cache_free(struct wandb_session_cache *cache);

/*
 * A session without a client id that sends a stored console again, and where its next lines are compared. A server that
 * forgets this stores them again.
 */
struct wandb_follow_position {
	int32_t writer;      /* of the stored lines; -1: not known yet */
	int64_t at;          /* where the piece begins (line_ranges.h) */
	int64_t shift;       /* added to sent numbers for stored ones */
	int64_t position[2]; /* see line_again.h */
	int64_t next;        /* the number after the last line that was sent */
};
/*
 * The first lines of a sync equal stored ones and were dropped before its rows told whose they are. New rows, or a later
 * line that differs, prove that they are of another process.
 */
struct wandb_follow_unproven {
	bool is_there;
	bool is_refuted;
	bool has_rows; /* the process of the equal lines had stored rows: new rows are of another one */
	int64_t from; /* the number of the first line that was sent */
	int64_t to;   /* the number after the last one */
	int64_t at;   /* where the piece of the equal lines begins */
	int64_t shift; /* added to the numbers when the lines are stored after all; -1: they are not */
};
struct wandb_follow {
	int32_t session;
	bool is_repeat;   /* its first rows were stored */
	bool is_fresh;    /* its first rows were new */
	bool is_followed; /* its lines are compared */
	bool is_certain;  /* the stored lines are proven to be of the same process */
	bool is_exact;    /* each stored line has the number of the sent one plus `shift` */
	int64_t base; /* subtracted from sent numbers: a sync that resumes begins at the end of the stored lines */
	struct wandb_follow_unproven unproven;
	struct wandb_follow_position was; /* before its last request, which may be sent again */
	struct wandb_follow_position now; /* after it */
};
bool wandb_session_cache_follows(struct wandb_session_cache *cache, int64_t run_id,
				 struct str client, struct wandb_follow *ret_follow);
void wandb_session_cache_note_follow(struct wandb_session_cache *cache, int64_t run_id,
				     struct str client, const struct wandb_follow *follow);

enum wandb_note {
	WANDB_LEARNT,   /* role and label are what `detail` says */
	WANDB_PRIMARY,  /* it is a primary; told without a run, so of run 0; `detail`: by whom */
	WANDB_COMPARES, /* lines are to be compared with what is stored before they are submitted */
};

/* Whether it is noted of the process of that run. `detail` is part of what is noted; may be empty. */
bool wandb_session_cache_knows(struct wandb_session_cache *cache, enum wandb_note note,
			       int64_t run_id, struct str client, struct str detail);
void wandb_session_cache_note(struct wandb_session_cache *cache, enum wandb_note note,
			      int64_t run_id, struct str client, struct str detail);

/*
 * The lane of the writer whose rows the process sent again, or -1. A synced folder also sends its console in
 * requests of its own.
 */
void wandb_session_cache_note_repeats(struct wandb_session_cache *cache, int64_t run_id,
				      struct str client, int32_t lane);
int32_t wandb_session_cache_repeats(struct wandb_session_cache *cache, int64_t run_id,
				    struct str client);

/* The server's load; whether it is, or was within a while, so high that processes should send more seldom. */
bool wandb_session_cache_is_pressed(struct wandb_session_cache *cache,
				    const struct server_load *load, int64_t now_us);

#endif
