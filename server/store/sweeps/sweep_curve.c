#include "sweep_curve.h"

#include <math.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "sweep_hyperband.h"
#include "sweep_metric.h"

enum { MISSING_AT_ONCE = 100 };

static double read_double(const char *bytes)
{
	uint64_t bits = 0;
	double value;

	for (int i = 7; i >= 0; i--)
		bits = bits << 8 | (unsigned char)bytes[i];
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static void write_double(struct buf *b, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	buf_add_u64(b, bits);
}

static size_t reached(const struct sweep_bands *bands, int64_t steps)
{
	size_t count = 0;

	while (count < bands->count && bands->at[count] <= steps)
		count++;
	return count;
}

static struct str write_curve(const struct sweep_curves *c, const double *values, size_t count)
{
	struct buf *b = buf_new(db_arena(c->reader->db));

	for (size_t i = 0; i < count; i++)
		write_double(b, values[c->bands->at[i] - 1]);
	return buf_str(b);
}

/* The trial of that number, which are in order. */
static struct sweep_trial *find(const struct sweep_curves *c, int64_t number)
{
	size_t low = 0;
	size_t high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->trials[middle].trial < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->count && c->trials[low].trial == number ? &c->trials[low] : NULL;
}

err_t sweep_curves_begin(struct sweep_curves *c)
{
	c->bands = arena_new_of(db_arena(c->reader->db), struct sweep_bands);
	sweep_hyperband_bands(&c->config->hyperband, c->bands);
	if (!c->judges)
		return NULL;
	return sweep_store_curves(c->reader->db, c->sweep, &c->trials, &c->count);
}

/* A run that was rewound has fewer steps than it had. */
err_t sweep_curves_add(struct sweep_curves *c, struct sweep_trial *trial, bool *ret_changed)
{
	const struct sweep_metric_ask ask = { c->sweep->project_id, c->config->metric.name };
	struct sweep_history history = { .run_id = trial->run_id, .wants_values = true };
	struct sweep_trial *known = find(c, trial->trial);
	size_t count = reached(c->bands, trial->steps);
	err_t e = NULL;

	if (count != trial->curve.len / sizeof(double)) {
		e = sweep_metric_read(c->reader, &ask, &history, 1);
		count = reached(c->bands, history.steps);
		trial->curve = e || !count ? (struct str){ NULL, 0 }
					   : write_curve(c, history.values, count);
		*ret_changed = true;
	}
	if (known) {
		known->state = trial->state;
		known->steps = trial->steps;
		known->curve = trial->curve;
		known->lowest = trial->lowest;
		known->highest = trial->highest;
	}
	return e;
}

static struct sweep_progress progress_of(const struct sweep_curves *c, const struct sweep_trial *t)
{
	enum sweep_goal goal = c->config->metric.goal;
	struct sweep_progress p = {
		.is_running = t->state == SWEEP_TRIAL_RUNNING && !t->stop_at.us,
		.count = t->steps,
		.best = sweep_cost(goal, goal == SWEEP_MAXIMIZE ? t->highest : t->lowest),
	};
	size_t count = t->curve.len / sizeof(double);

	if (t->state == SWEEP_TRIAL_DELETED)
		return (struct sweep_progress){ .count = 0 };
	/* Bands beyond the curve were not reached: it is as old as the steps. */
	if (count < c->bands->count && p.count >= c->bands->at[count])
		p.count = c->bands->at[count] - 1;
	for (size_t i = 0; i < count && i < c->bands->count; i++)
		p.at_band[i] = sweep_cost(goal, read_double(t->curve.at + i * sizeof(double)));
	return p;
}

/* Ended trials have no curve when the config was changed. Some at a time. */
static err_t read_missing(struct sweep_curves *c)
{
	size_t left = MISSING_AT_ONCE;
	err_t e = NULL;

	for (size_t i = 0; i < c->count && left && !e; i++) {
		struct sweep_trial *t = &c->trials[i];
		bool is_changed = false;

		if (t->curve.len || !t->run_id || t->state == SWEEP_TRIAL_RUNNING ||
		    t->state == SWEEP_TRIAL_DELETED || !reached(c->bands, t->steps))
			continue;
		e = sweep_curves_add(c, t, &is_changed);
		if (!e && is_changed)
			e = sweep_store_save_curve(c->reader->db, t);
		left--;
	}
	return e;
}

void sweep_curves_set_stop(const struct sweep_curves *c, struct sweep_trial *trial)
{
	const struct sweep_trial *known = find(c, trial->trial);

	if (known && !trial->stop_at.us)
		trial->stop_at = known->stop_at;
}

err_t sweep_curves_judge(struct sweep_curves *c)
{
	struct arena *a = db_arena(c->reader->db);
	struct sweep_progress *progress = arena_new_array(a, struct sweep_progress, c->count + 1);
	bool *stops = arena_new_array(a, bool, c->count + 1);
	err_t e = read_missing(c);

	if (e)
		return e;
	for (size_t i = 0; i < c->count; i++)
		progress[i] = progress_of(c, &c->trials[i]);
	sweep_hyperband_judge(a, &c->config->hyperband, c->bands, progress, c->count, stops, NULL);
	for (size_t i = 0; i < c->count && !e; i++) {
		if (!stops[i])
			continue;
		c->trials[i].stop_at = c->now;
		e = sweep_store_stop_trial(c->reader->db, &c->trials[i], c->now);
	}
	return e;
}
