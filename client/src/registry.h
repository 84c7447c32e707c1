#ifndef REGISTRY_H
#define REGISTRY_H

struct cairn_run;

/*
 * The runs of this process, for the two moments that concern all of them: fork() and exit(). It is
 * the one piece of state of the library that is not part of a run.
 */

/* Rises by one in a forked child: runs of another generation are copies and must not be touched. */
unsigned registry_generation(void);

/* Before anything of a run is made: from here on fork() is watched. */
void registry_prepare(void);

void registry_add(struct cairn_run *run) __attribute__((nonnull));
void registry_remove(struct cairn_run *run) __attribute__((nonnull));

#endif
