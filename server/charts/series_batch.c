#include "series_batch.h"

#include "rollup.h"
#include "series_clocks.h"

enum {
	BATCH_CELLS = 512 << 10, /* 112 bytes each */
	BATCH_BUCKETS = 64 << 10,
	BATCH_RUNS = 512,
};

static uint64_t cells_of(const struct series_panel *panel, const struct series_member *member)
{
	int64_t rows = panel->axis.stream == STREAM_EVENTS ? member->events : member->rows;

	if (axis_is_placed_by_rows(&panel->axis)) /* a clock is read beside the keys */
		rows += member->rows;
	return (uint64_t)rows / CELL_VALUES + 1;
}

/* A clock has buckets, too. */
static size_t most_runs(const struct series_panel *panel)
{
	return axis_is_placed_by_rows(&panel->axis) ? BATCH_BUCKETS / CLOCK_BUCKETS : BATCH_RUNS;
}

static size_t at_least_one(uint64_t most, size_t there)
{
	if (most < 1)
		most = 1;
	return most < there ? (size_t)most : there;
}

struct batch batch_next(const struct series_panel *panel, const int32_t *ids,
			const struct series_members *all, const struct place *at, struct span keys)
{
	uint64_t most = BATCH_BUCKETS / panel->buckets;
	uint64_t cells = cells_of(panel, &all->at[at->member]);
	size_t runs = most_runs(panel);
	struct batch b = { .members = &all->at[at->member],
			   .member_count = 1,
			   .ids = ids + at->key,
			   .id_count = keys.first + keys.count - at->key };

	b.id_count = at_least_one(most, b.id_count);
	b.id_count = at_least_one(BATCH_CELLS / cells, b.id_count);
	if (b.id_count < keys.count)
		return b;
	while (at->member + b.member_count < all->count && b.member_count < runs) {
		cells += cells_of(panel, &b.members[b.member_count]);
		if (cells * b.id_count > BATCH_CELLS || (b.member_count + 1) * b.id_count > most)
			break;
		b.member_count++;
	}
	return b;
}

void batch_pass(struct place *at, const struct batch *b, struct span keys)
{
	at->key += b->id_count;
	if (at->key < keys.first + keys.count)
		return;
	at->key = keys.first;
	at->member += b->member_count;
}

size_t batch_keys(const struct series_panel *panel, size_t left)
{
	return at_least_one(BATCH_BUCKETS / panel->buckets, left);
}
