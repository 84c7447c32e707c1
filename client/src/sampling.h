#ifndef SAMPLING_H
#define SAMPLING_H

struct cairn_run;

/* System metrics into the events of a run, by the sampler's own thread. */
struct sampling;

/* NULL when the sampler cannot be had (no memory): the run goes on without. */
struct sampling *sampling_start(struct cairn_run *run) __attribute__((nonnull));

/* Returns what sampler_metadata_json() knows of the machine, also for a run without system metrics. */
char *sampling_describe(const struct cairn_run *run, unsigned wait_ms) __attribute__((nonnull));

/* Takes the last sample and ends the thread; a second call does nothing. Accepts NULL. */
void sampling_stop(struct sampling *sampling);

void sampling_free(struct sampling *sampling);

#endif
