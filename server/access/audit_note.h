#ifndef AUDIT_NOTE_H
#define AUDIT_NOTE_H

#include "audit_store.h"
#include "request.h"

/* An event for the audit log. The actor, the address, the project and the run are those of the request. */
struct audit_event {
	enum audit_action action;
	struct str subject;
	struct str detail;
	struct str entity; /* where the request has no target */
};

/* In the transaction of the event. Where the request has no q->now, the database's clock is read. */
err_t audit_note(struct request *q, const struct audit_event *event)
	__attribute__((warn_unused_result));
/* The same by somebody who has just signed in, or who tried to. */
err_t audit_note_of(struct request *q, const struct audit_event *event, struct str actor)
	__attribute__((warn_unused_result));
/* Records that a user set the state of a run. */
err_t audit_note_state(struct request *q, int16_t state, struct str reason)
	__attribute__((warn_unused_result));
/* Records a failed sign-in as `name`. The name is stored only if there is such a user. */
err_t audit_note_refused(struct request *q, struct str name) __attribute__((warn_unused_result));

/* GET /api/v1/audit */
err_t audit_api_list(struct request *q);

#endif
