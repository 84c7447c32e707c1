#include "line_again.h"

#include <string.h>

#include "arena.h"

static uint32_t next_of(const struct lines *sent, uint32_t i, enum line_stream stream)
{
	while (i < sent->count && sent->items[i].stream != stream)
		i++;
	return i;
}

static bool begins_with(struct str text, struct str beginning)
{
	return beginning.len && text.len >= beginning.len &&
	       memcmp(text.at, beginning.at, beginning.len) == 0;
}

void line_again_begin(struct line_again *m, struct arena *a, const struct lines *sent,
		      const int64_t position[2])
{
	*m = (struct line_again){
		.sent = sent,
		.fates = arena_new_array(a, struct line_fate, sent->count + 1),
		.position = { position[0], position[1] },
		.next = { next_of(sent, 0, LINE_STDOUT), next_of(sent, 0, LINE_STDERR) },
		.last_number = { -1, -1 },
	};
}

/* The last line of a stream is torn if it is the beginning of the stored one. */
static enum line_fate_kind compare(struct str sent, struct str stored, bool is_last)
{
	if (str_equal(sent, stored) || (is_last && begins_with(stored, sent)))
		return LINE_FATE_SAME;
	return begins_with(sent, stored) ? LINE_FATE_LONGER : LINE_FATE_CHANGED;
}

static void add(struct line_again *m, const struct line *stored)
{
	enum line_stream stream = stored->stream == LINE_STDERR ? LINE_STDERR : LINE_STDOUT;
	uint32_t i = m->next[stream];
	enum line_fate_kind kind;
	uint32_t following;

	if (stored->number < m->position[stream])
		return;
	m->last_number[stream] = stored->number;
	if (i == m->sent->count)
		return;
	m->position[stream] = stored->number + 1;
	following = next_of(m->sent, i + 1, stream);
	kind = compare(m->sent->items[i].text, stored->text, following == m->sent->count);
	if (m->has_gaps && kind != LINE_FATE_SAME)
		return;
	m->next[stream] = following;
	m->fates[i] = (struct line_fate){ kind, stored->number };
}

void line_again_add(struct line_again *m, const struct lines *stored)
{
	for (uint32_t i = 0; i < stored->count; i++)
		add(m, &stored->items[i]);
}

bool line_again_is_done(const struct line_again *m)
{
	return m->next[0] == m->sent->count && m->next[1] == m->sent->count;
}

/* Whether a line that differs may still be another version of the stored one. */
static bool is_at_an_end(const struct line_again *m, uint32_t i, enum line_evidence evidence,
			 const struct line_again_range *range)
{
	const struct line_fate *fate = &m->fates[i];

	if (evidence == LINES_ALONE)
		return fate->kind == LINE_FATE_LONGER &&
		       fate->number == m->last_number[m->sent->items[i].stream] &&
		       fate->number >= range->end - LINE_AGAIN_TAIL;
	return fate->number >= range->end - LINE_AGAIN_TAIL ||
	       m->sent->count - i <= LINE_AGAIN_TAIL;
}

static bool is_same(const struct line_fate *fate)
{
	return fate->kind == LINE_FATE_NEW || fate->kind == LINE_FATE_SAME;
}

uint32_t line_again_common(const struct line_again *m, enum line_evidence evidence,
			   const struct line_again_range *range)
{
	uint32_t i = 0;

	if (evidence == LINES_FRESH)
		return 0;
	while (i < m->sent->count && (is_same(&m->fates[i]) || is_at_an_end(m, i, evidence, range)))
		i++;
	return i;
}

bool line_again_has_parted(const struct line_again *m, enum line_evidence evidence,
			   const struct line_again_range *range)
{
	return line_again_common(m, evidence, range) < m->sent->count;
}

int64_t line_again_rate(const struct line_again *m, enum line_evidence evidence,
			const struct line_again_range *range)
{
	int64_t same = 0;
	int64_t changed = 0;

	if (line_again_has_parted(m, evidence, range))
		return -1;
	for (uint32_t i = 0; i < m->sent->count; i++) {
		enum line_fate_kind kind = m->fates[i].kind;

		same += kind == LINE_FATE_SAME || kind == LINE_FATE_LONGER;
		changed += kind == LINE_FATE_CHANGED;
	}
	if (same)
		return same;
	/* No line is the same: the process printed only a progress bar so far, or only on the other stream. */
	if (evidence != LINES_REPEATED || !range->is_only)
		return -1;
	return !changed || range->end - range->from == 1 ? 0 : -1;
}
