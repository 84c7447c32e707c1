/* What a page of series says: its panels, their series, and what went wrong with some of them. */
#include "series_maker.h"

#include "labels.h"
#include "series_fold.h"

static void put_times(struct json_out *o, const int64_t *times, uint32_t count)
{
	json_out_key(o, "times");
	json_out_array(o);
	for (uint32_t i = 0; i < count; i++)
		json_out_real(o, (double)times[i] / 1e6);
	json_out_array_end(o);
}

void maker_write_panel(struct maker *m, struct pieces *p)
{
	const struct series_panel *panel = maker_panel(m);
	struct piece piece = piece_begin(p, "panel", m->panel);
	struct json_out *o = &piece.out;

	json_out_put_text(o, "x", panel->axis.name);
	json_out_put_int(o, "buckets", panel->buckets);
	if (m->has_etag)
		json_out_put_text(o, "etag", str_of(m->etag));
	if (m->grid.from <= m->grid.to) {
		axis_put(o, "from", &panel->axis, m->grid.from);
		axis_put(o, "to", &panel->axis, m->grid.to);
	} else {
		json_out_put_null(o, "from");
		json_out_put_null(o, "to");
	}
	axis_put_aside(o, &panel->axis, &m->aside);
	if (m->times)
		put_times(o, m->times, panel->buckets + 1);
	json_out_key(o, "missing");
	json_out_array(o);
	for (size_t i = 0; i < m->page.missing_count; i++)
		json_out_text(o, m->page.missing[i]);
	json_out_array_end(o);
	piece_end_plain(p, &piece);
}

void maker_write_same(struct maker *m, struct pieces *p)
{
	struct piece piece = piece_begin(p, "same", m->panel);

	json_out_put_text(&piece.out, "etag", str_of(m->etag));
	piece_end_plain(p, &piece);
}

void maker_write_error(struct maker *m, struct pieces *p, err_t e)
{
	struct piece piece = piece_begin(p, "error", m->panel);

	json_out_put_int(&piece.out, "status", 422);
	json_out_put_text(&piece.out, "detail", str_of(e->message));
	json_out_put_text(&piece.out, "field", str_of(e->field ? e->field : "panels"));
	piece_end_plain(p, &piece);
}

static struct str key_name(const struct maker *m, int32_t key_id)
{
	for (size_t i = 0; i < m->id_count; i++) {
		if (m->ids[i] == key_id)
			return *m->id_names[i];
	}
	return STR("");
}

static struct str run_name(const struct batch *b, int64_t run_id)
{
	for (size_t i = 0; i < b->member_count; i++) {
		if (b->members[i].run_id == run_id)
			return b->members[i].name;
	}
	return STR("");
}

static err_t label_name(struct request *q, const struct sampled *s, struct labels *labels,
			int64_t *labels_of_run, struct str *ret_label)
{
	err_t e = NULL;

	if (*labels_of_run != s->run_id)
		e = labels_read_of(q, s->run_id, labels);
	*labels_of_run = s->run_id;
	if (!e)
		*ret_label = labels_of(labels, s->writer);
	return e;
}

err_t maker_write_series(struct request *q, struct maker *m, struct pieces *p,
			 const struct batch *b, struct sampled_answer *answer)
{
	struct labels labels = { 0 };
	int64_t labels_of_run = INT64_MIN;
	const struct str *hosts = NULL;
	err_t e = series_fold(q, maker_panel(m), answer, &hosts);

	if (e)
		return e;
	p->columns = maker_panel(m)->columns;
	for (size_t i = 0; i < answer->count; i++) {
		const struct sampled *s = &answer->series[i];
		struct piece piece;
		struct str label;

		if (!s->count)
			continue;
		piece = piece_begin(p, "series", m->panel);
		json_out_put_text(&piece.out, "run", run_name(b, s->run_id));
		json_out_put_text(&piece.out, "key", key_name(m, s->key_id));
		if (hosts && hosts[i].len) {
			json_out_put_text(&piece.out, "host", hosts[i]);
		} else if (s->writer >= 0) {
			e = label_name(q, s, &labels, &labels_of_run, &label);
			if (e)
				return e;
			json_out_put_text(&piece.out, "label", label);
			json_out_put_int(&piece.out, "writer", s->writer);
		}
		piece_end_series(p, &piece, &maker_panel(m)->axis, s);
	}
	return NULL;
}
