#include "told_runs.h"

#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "buf.h"

enum {
	RUNS_A_TEXT = 380, /* of at most 20 characters each */
	TEXTS_MAX = TOLD_RUNS_MAX / RUNS_A_TEXT + 1,
};

void told_runs_init(struct told_runs *told)
{
	memset(told, 0, sizeof(*told));
	pthread_mutex_init(&told->lock, NULL);
}

void told_runs_deinit(struct told_runs *told)
{
	pthread_mutex_destroy(&told->lock);
}

/* Half of the places are always free, so there is an end. */
static int64_t *place_of(struct told_runs *told, int64_t run_id)
{
	uint64_t at = (uint64_t)run_id * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	while (told->places[at % TOLD_RUNS_PLACES] && told->places[at % TOLD_RUNS_PLACES] != run_id)
		at++;
	return &told->places[at % TOLD_RUNS_PLACES];
}

/* Beyond the limit nothing is kept but the count. */
bool told_runs_add(struct told_runs *told, int64_t run_id)
{
	int64_t *place;
	bool is_first;

	pthread_mutex_lock(&told->lock);
	is_first = !told->count;
	place = told->count <= TOLD_RUNS_MAX ? place_of(told, run_id) : NULL;
	if (place && !*place) {
		told->count++;
		if (told->count <= TOLD_RUNS_MAX)
			*place = run_id;
	}
	pthread_mutex_unlock(&told->lock);
	return is_first;
}

bool told_runs_has_some(struct told_runs *told)
{
	bool has_some;

	pthread_mutex_lock(&told->lock);
	has_some = told->count > 0;
	pthread_mutex_unlock(&told->lock);
	return has_some;
}

static size_t write_texts(const struct told_runs *told, struct arena *a, struct str *texts)
{
	struct buf *text = NULL;
	size_t count = 0;
	uint32_t runs = 0;

	for (uint32_t i = 0; i < TOLD_RUNS_PLACES; i++) {
		if (!told->places[i])
			continue;
		if (runs++ % RUNS_A_TEXT == 0) {
			text = buf_new(a);
			buf_add_text(text, "runs");
			count++;
		}
		buf_printf(text, " %" PRId64, told->places[i]);
		texts[count - 1] = buf_str(text);
	}
	return count;
}

size_t told_runs_take(struct told_runs *told, struct arena *a, struct str **ret_texts)
{
	struct str *texts = arena_new_array(a, struct str, TEXTS_MAX);
	size_t count = 1;

	pthread_mutex_lock(&told->lock);
	texts[0] = STR("all");
	if (told->count <= TOLD_RUNS_MAX)
		count = write_texts(told, a, texts);
	if (told->count)
		memset(told->places, 0, sizeof(told->places));
	told->count = 0;
	pthread_mutex_unlock(&told->lock);
	*ret_texts = texts;
	return count;
}
