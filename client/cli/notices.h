#ifndef NOTICES_H
#define NOTICES_H

#include <stdbool.h>
#include <stdint.h>

#include "cairn.h"

/*
 * Messages of cairn run while its command runs: in a terminal the address of the run's page, once the server has it;
 * that the server refuses the run, has not answered for a while, is back, or that data is lost. Each appears once: a
 * user should not learn only after a training of three days that nothing of it was kept.
 */
enum notice { NOTICE_NONE, NOTICE_REFUSED, NOTICE_AWAY };

struct notices {
	bool is_quiet;
	bool is_terminal;
	bool is_url_told;
	int64_t start_us;
	enum notice told;
	bool is_loss_told;
};

void notices_start(struct notices *notices, bool is_quiet) __attribute__((nonnull));

/* Looks, and says what is new. `run` may be NULL. */
void notices_look(struct notices *notices, struct cairn_run *run) __attribute__((nonnull(1)));

/* The last word: what the server does not have. */
void notices_end(struct notices *notices, struct cairn_run *run, const struct cairn_report *report)
	__attribute__((nonnull));

#endif
