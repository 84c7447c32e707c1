#ifndef MANIFEST_SEND_H
#define MANIFEST_SEND_H

#include "artifact.h"
#include "request.h"

/*
 * The manifest of a version, made of its entries while it is sent.
 *
 *	WANDB    the JSON that the SDK reads
 *	LINES    {"path", "bytes", "digest", "ref"} per line
 *	LINKS    the same with a "link" to read the content by
 */
enum manifest_form { MANIFEST_WANDB, MANIFEST_LINES, MANIFEST_LINKS };

/* Answers with a stored manifest of the project; `artifact` is the version or draft that has it. */
err_t manifest_send(struct request *q, const struct artifact_manifest *manifest,
		    enum manifest_form form) __attribute__((warn_unused_result));

#endif
