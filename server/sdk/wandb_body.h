#ifndef WANDB_BODY_H
#define WANDB_BODY_H

#include "batch_scan.h"
#include "json_doc.h"

/* The body of a request to file_stream. */
struct wandb_body {
	struct batch_parts parts;            /* history, events and console, lines as they came */
	struct line_range lines[LINE_FILES]; /* the numbers of the first two */
	const struct json_doc *summary;      /* whole, as its writer sees it; NULL: none came */
	struct str label; /* of the writer, where a line tells it; empty: none does */
	bool is_complete; /* the process ended */
	int32_t exit_code;
	bool is_preempting;
};

/* `client`: the process in shared mode, whose console lines all have a label; empty: it is not. */
struct wandb_body_ask {
	struct arena *arena; /* of what is needed until the lines were scanned */
	struct ingest_batch
		*batch; /* summary and label live as long, and it gets what cannot be read */
	struct str client;
};
err_t wandb_body_read(const struct wandb_body_ask *ask, struct str text,
		      struct wandb_body *ret_body) __attribute__((warn_unused_result));

#endif
