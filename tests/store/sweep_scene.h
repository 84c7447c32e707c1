#ifndef SWEEP_SCENE_H
#define SWEEP_SCENE_H

#include "artifact_scene.h"
#include "sweep_make.h"
#include "sweep_suggest.h"

/* Sweeps, agents and the runs of trials, as requests and processes would make them. */
int sweep_group_teardown(void **state);
struct caller *sweep_caller(struct scene *s, struct arena *a, struct db *db);

struct sweep *make_sweep(struct caller *c, const char *config);
struct sweep_target new_agent(struct caller *c, struct sweep *sweep, const char *host);
/* A heartbeat: the agent has the run, or none (NULL). */
struct sweep_commands beat(struct caller *c, struct sweep_target *agent, const char *run);
/* The same, which must bring one trial; its run. */
const char *beat_run(struct caller *c, struct sweep_target *agent, const char *run);
/* Nothing, or exit. */
void beat_nothing(struct caller *c, struct sweep_target *agent, const char *run);
void beat_exit(struct caller *c, struct sweep_target *agent, const char *run);

/* The process of a trial begins: its run is s->run_id from now on. */
void begin_run(struct scene *s, const char *name, const struct sweep *sweep);
/* Logs "loss" and ends. */
void log_losses(struct scene *s, const double *losses, size_t count);
void end_run(struct scene *s, enum run_state state);

struct sweep_trial trial_of(struct caller *c, const struct sweep *sweep, const char *run);
struct sweep *sweep_now(struct caller *c, const struct sweep *sweep);
/* A pass of the sweep job, as if its time had come for all sweeps. */
void sweep_job_pass(struct scene *s);

#endif
