#ifndef LISTENER_PLACE_H
#define LISTENER_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

/* What a listener has got: an event's id is these seven. */
struct listener_place {
	int64_t row;
	int64_t event;
	int64_t seq;    /* of the last block of the tail that was looked at */
	int32_t lines;  /* already sent of the next block with console lines */
	int32_t state;  /* number of the last change of state */
	int32_t alert;  /* of the last alert */
	int32_t branch; /* that all of it is of */
};

/* "12.3.40.0.2.0.0" */
void listener_place_write(const struct listener_place *place, struct buf *out);
bool listener_place_read(struct str text, struct listener_place *ret_place);

/* An event of the stream: its name, then its data, then the place after it; NULL: it moves none. */
void listener_event_begin(struct buf *out, const char *name);
void listener_event_end(struct buf *out, const struct listener_place *place);

#endif
