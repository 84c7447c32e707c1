#include "quota_claim.h"

#include "app.h"
#include "upload_room.h"

struct quota_claim {
	struct arena *arena;
	struct quota_scope scope;
	struct upload_claim *claim;
	struct quota_use uses[QUOTA_LEVELS]; /* when it began; when it ends, then */
	struct upload_others others;
	bool is_limited;
};

enum { SETTLING_WAIT_MS = 2000 };

typedef enum upload_answer claim_fn(struct upload_claim *claim, const struct upload_ask *ask,
				    struct upload_others *ret_others);

_Static_assert((int)QUOTA_OF_ENTITY == (int)UPLOAD_OF_ENTITY &&
		       (int)QUOTA_OF_PROJECT == (int)UPLOAD_OF_PROJECT &&
		       (int)QUOTA_LEVELS == (int)UPLOAD_LEVELS,
	       "the levels of both are the same");

/* Uploads in progress may break off and free their room, so the client is asked to try again. */
static err_t told(struct quota_claim *c, enum upload_answer answer, int64_t bytes)
{
	const struct quota_more more = { bytes, "file", "files" };
	struct quota_use use = c->uses[c->others.level];
	err_t e;

	if (answer == UPLOAD_FITS)
		return NULL;
	if (answer == UPLOAD_LATE)
		return err_new(c->arena, ERR_BUSY,
			       "uploads of other files of \"%.*s\" take too long",
			       STR_ARG(c->scope.entity));
	e = quota_check_more(c->arena, &use, &more);
	if (e)
		return e;
	use.coming = c->others.bytes;
	e = quota_check_more(c->arena, &use, &more);
	return e ? err_new(c->arena, ERR_BUSY, "%s", e->message) : NULL;
}

/* A worker waits here, so not for as long as the request may take. */
static int64_t settling_wait_ms(const struct request *q)
{
	int64_t left_ms = request_left_ms(q);

	return left_ms < SETTLING_WAIT_MS ? left_ms : SETTLING_WAIT_MS;
}

/* False: nothing limits it. */
static bool find_free(const struct quota_claim *c, struct upload_ask *ask)
{
	bool is_limited = false;

	for (size_t i = 0; i < QUOTA_LEVELS; i++) {
		const struct quota_use *use = &c->uses[i];

		ask->free_bytes[i] = use->limit == QUOTA_NONE ? INT64_MAX : use->limit - use->used;
		is_limited |= use->limit != QUOTA_NONE;
	}
	return is_limited;
}

/* For a file of so many bytes. */
static err_t claim(struct request *q, struct quota_claim *c, claim_fn *ask_for, int64_t bytes)
{
	struct upload_ask ask = { .bytes = bytes };
	enum upload_answer answer;

	do {
		err_t e;

		ask.seen = upload_claim_seen(c->claim);
		e = quota_room_read(q, &c->scope, c->uses);
		c->is_limited = !e && find_free(c, &ask);
		if (!c->is_limited)
			return e;
		ask.deadline_ms = settling_wait_ms(q);
		answer = ask_for(c->claim, &ask, &c->others);
	} while (answer == UPLOAD_ASK_AGAIN);
	return told(c, answer, bytes);
}

err_t quota_claim_begin(struct request *q, const struct quota_scope *scope, int64_t bytes,
			struct quota_claim **ret_claim)
{
	struct quota_claim *c = arena_new_of(q->arena, struct quota_claim);
	const int64_t ids[] = { scope->entity_id, scope->project_id };
	err_t e;

	c->arena = q->arena;
	c->scope = *scope;
	c->claim = upload_claim_new(q->app->upload_room, q->arena, ids);
	e = claim(q, c, upload_claim_begin, bytes);
	if (!e)
		*ret_claim = c;
	return e;
}

err_t quota_claim_grow(struct quota_claim *c, int64_t bytes)
{
	struct upload_ask ask = { .bytes = bytes };

	if (!find_free(c, &ask))
		return NULL;
	return told(c, upload_claim_grow(c->claim, &ask, &c->others), ask.bytes);
}

err_t quota_claim_settle(struct request *q, struct quota_claim *c, int64_t bytes)
{
	return c->is_limited ? claim(q, c, upload_claim_settle, bytes) : NULL;
}

void quota_claim_release(struct quota_claim *c)
{
	upload_claim_release(c->claim);
}
