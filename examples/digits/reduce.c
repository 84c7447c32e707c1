#include "reduce.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { POLL_NS = 50000 };

struct part {
	_Atomic int64_t step;    /* written last: the rest is complete up to this step */
	_Atomic int64_t beat_us; /* when the rank was last seen alive */
	struct model_sums sums;
	float gradient[MODEL_WEIGHTS];
};

struct reduce {
	int ranks;
	int64_t timeout_us;
	_Atomic uint32_t members;
	_Atomic int64_t last_step; /* 0: not known yet */
	struct part total;
	struct part parts[];
};

static int64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static void pause_and_beat(struct part *own)
{
	static const struct timespec poll = { 0, POLL_NS };

	atomic_store(&own->beat_us, now_us());
	nanosleep(&poll, NULL);
}

struct reduce *reduce_new(int ranks, int timeout_ms)
{
	size_t size = sizeof(struct reduce) + (size_t)ranks * sizeof(struct part);
	struct reduce *r =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		return NULL;
	r->ranks = ranks;
	r->timeout_us = (int64_t)timeout_ms * 1000;
	atomic_store(&r->members, (uint32_t)((UINT64_C(1) << ranks) - 1));
	for (int i = 0; i < ranks; i++)
		atomic_store(&r->parts[i].beat_us, now_us());
	atomic_store(&r->total.beat_us, now_us());
	return r;
}

uint32_t reduce_members(const struct reduce *r)
{
	return atomic_load(&r->members);
}

void reduce_end_at(struct reduce *r, int64_t step)
{
	atomic_store(&r->last_step, step);
}

bool reduce_ends(const struct reduce *r, int64_t step)
{
	int64_t last = atomic_load(&r->last_step);

	return last && step >= last;
}

static bool is_silent(const struct reduce *r, const struct part *part)
{
	return now_us() - atomic_load(&part->beat_us) > r->timeout_us;
}

/* Rank 0: until the rank has arrived at the step; false when it is given up. */
static bool await_rank(struct reduce *r, int rank, int64_t step)
{
	struct part *part = &r->parts[rank];

	while (atomic_load(&part->step) < step) {
		if (is_silent(r, part))
			return false;
		pause_and_beat(&r->parts[0]);
	}
	return true;
}

static void add_part(struct part *total, const struct part *part)
{
	total->sums.loss += part->sums.loss;
	total->sums.correct += part->sums.correct;
	total->sums.images += part->sums.images;
	for (int i = 0; i < MODEL_WEIGHTS; i++)
		total->gradient[i] += part->gradient[i];
}

/* Parts are added in the order of ranks, so that the sum is the same in every training. */
static void lead(struct reduce *r, int64_t step)
{
	uint32_t members = atomic_load(&r->members);

	for (int rank = 1; rank < r->ranks; rank++) {
		if ((members >> rank & 1) && !await_rank(r, rank, step))
			members &= ~(UINT32_C(1) << rank);
	}
	r->total.sums = (struct model_sums){ 0 };
	memset(r->total.gradient, 0, sizeof(r->total.gradient));
	for (int rank = 0; rank < r->ranks; rank++) {
		if (members >> rank & 1)
			add_part(&r->total, &r->parts[rank]);
	}
	atomic_store(&r->members, members);
	atomic_store(&r->total.step, step);
}

static enum reduce_result follow(struct reduce *r, int rank, int64_t step)
{
	while (atomic_load(&r->total.step) < step) {
		if (is_silent(r, &r->parts[0]))
			return REDUCE_ALONE;
		pause_and_beat(&r->parts[rank]);
	}
	return atomic_load(&r->members) >> rank & 1 ? REDUCE_OK : REDUCE_DROPPED;
}

enum reduce_result reduce_sum(struct reduce *r, int rank, int64_t step,
			      float gradient[MODEL_WEIGHTS], struct model_sums *sums)
{
	struct part *own = &r->parts[rank];
	enum reduce_result result = REDUCE_OK;

	own->sums = *sums;
	memcpy(own->gradient, gradient, sizeof(own->gradient));
	atomic_store(&own->beat_us, now_us());
	atomic_store(&own->step, step);
	if (rank == 0)
		lead(r, step);
	else
		result = follow(r, rank, step);
	*sums = r->total.sums;
	memcpy(gradient, r->total.gradient, sizeof(r->total.gradient));
	return result;
}
