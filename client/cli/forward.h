#ifndef FORWARD_H
#define FORWARD_H

#include <stdbool.h>

#include "child.h"
#include "relay.h"

/*
 * The command has ended, but a process that it left behind still has its output open: a server that it started in the
 * background, a notifier. Without cairn run that process would write on to our terminal or file. So a process of ours
 * stays behind and copies until nobody has the output open any more. It keeps nothing: the run has ended.
 *
 * Rejected: to give such a process our own streams, for nobody can change the streams of another process; and to wait
 * for it, for the shell would not.
 */

/* Starts that process, if one is needed; the streams are its own from then on. The signals that cairn run passes on must
 * be blocked. False when there can be no process, with the reason in errno. */
bool forward_start(const struct child *child, struct relay relays[static 2])
	__attribute__((nonnull));

#endif
