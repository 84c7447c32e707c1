#include "listener_place.h"

void listener_place_write(const struct listener_place *p, struct buf *out)
{
	buf_printf(out, "%lld.%lld.%lld.%d.%d", (long long)p->row, (long long)p->event,
		   (long long)p->seq, p->lines, p->state);
}

bool listener_place_read(struct str text, struct listener_place *ret_place)
{
	struct listener_place p;
	int64_t lines;
	int64_t state;

	if (!str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.row) ||
	    !str_to_int64(str_cut(&text, '.'), 0, INT64_MAX, &p.event) ||
	    !str_to_int64(str_cut(&text, '.'), -1, INT64_MAX, &p.seq) ||
	    !str_to_int64(str_cut(&text, '.'), 0, INT32_MAX, &lines) ||
	    !str_to_int64(text, 0, INT32_MAX, &state))
		return false;
	p.lines = (int32_t)lines;
	p.state = (int32_t)state;
	*ret_place = p;
	return true;
}

void listener_event_begin(struct buf *out, const char *name)
{
	buf_printf(out, "event: %s\ndata: ", name);
}

void listener_event_end(struct buf *out, const struct listener_place *place)
{
	buf_add_text(out, "\nid: ");
	listener_place_write(place, out);
	buf_add_text(out, "\n\n");
}
