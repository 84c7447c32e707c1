/* drm_busy.c - see drm_busy.h. */
#include "drm_busy.h"

#include <math.h>
#include <string.h>

static const struct drm_engine *engine_before(const struct drm_busy *busy, const char *name)
{
	for (size_t i = 0; i < busy->engine_count; i++) {
		if (strcmp(busy->engines[i].name, name) == 0)
			return &busy->engines[i];
	}
	return NULL;
}

static double share(uint64_t before, uint64_t now, uint64_t passed)
{
	return now < before || passed == 0 ? NAN : (double)(now - before) / (double)passed;
}

static double engine_percent(const struct drm_engine *before, const struct drm_engine *now,
			     uint64_t passed_ns)
{
	uint64_t capacity = now->capacity ? now->capacity : 1;
	double busy;

	if (now->passed_cycles > 0)
		busy = share(before->busy_cycles, now->busy_cycles,
			     now->passed_cycles > before->passed_cycles
				     ? now->passed_cycles - before->passed_cycles
				     : 0);
	else
		busy = share(before->busy_ns, now->busy_ns, passed_ns);
	return 100 * busy / (double)capacity;
}

double drm_busy_percent(struct drm_busy *busy, const struct drm_use *use, uint64_t now_ns)
{
	double most = NAN;
	uint64_t passed_ns = now_ns - busy->now_ns;
	bool is_same = strcmp(busy->address, use->address) == 0 && passed_ns > 0;

	for (size_t i = 0; is_same && i < use->engine_count; i++) {
		const struct drm_engine *before = engine_before(busy, use->engines[i].name);
		if (before)
			most = fmax(most, engine_percent(before, &use->engines[i], passed_ns));
	}
	memcpy(busy->address, use->address, sizeof busy->address);
	memcpy(busy->engines, use->engines, sizeof busy->engines);
	busy->engine_count = use->engine_count;
	busy->now_ns = now_ns;
	return most > 100 ? 100 : most;
}
