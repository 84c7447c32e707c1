#ifndef SAY_H
#define SAY_H

struct cairn_run;

/* A line to our own output and to the run's console. `run` may be NULL. */
void say(struct cairn_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_error(struct cairn_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
