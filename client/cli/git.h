#ifndef GIT_H
#define GIT_H

#include <signal.h>

#include "text.h"
#include "inquiry.h"

/*
 * Facts from git about the current folder, read from a child process while other work goes on. Without git, or
 * outside of a repository, there are none. It changes nothing there and contacts no other host.
 */
void git_start(struct inquiry *inquiry, const sigset_t *mask) __attribute__((nonnull));

/* The member "git" of an object; nothing where git told nothing. */
void git_write(const struct inquiry *git, struct text *object) __attribute__((nonnull));

#endif
