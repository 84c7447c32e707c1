#include "wandb_follow.h"

#include "app.h"
#include "arena.h"
#include "auth.h"
#include "console_lines.h"
#include "sdk_processes.h"
#include "wandb_session_cache.h"
#include "writer.h"

enum {
	SCRATCH_BYTES = 256 << 10,
	SOURCES_MAX = CONSOLE_PIECES_MAX + 1,
	UNPROVEN_MAX = 10000, /* lines, and their bytes, that restore() stores */
	UNPROVEN_MAX_BYTES = 8 << 20,
};

/* Stored lines of one process: a piece, or all lines of a writer. */
struct source {
	int32_t writer;
	int64_t at;
	int64_t from;
	int64_t end;
	bool is_own;  /* of the writer that sends */
	bool is_last; /* new lines can be appended */
	bool has_rows;
};

struct following {
	struct request *q;
	const struct wandb_follow_ask *ask;
	struct sdk_processes known; /* of the writer */
	int64_t stored;             /* its number of lines, with those that are kept */
	struct wandb_follow follow;
	bool is_noted;      /* the cache has something of this client, which may no longer hold */
	struct lines *kept; /* the lines to store, with their numbers */
	struct ingest_lines *told;
};

/* ---- comparing ------------------------------------------------------------------------------------ */

static int64_t lesser(int64_t one, int64_t other)
{
	return one < other ? one : other;
}

static void keep_below(struct lines *lines, int64_t end)
{
	while (lines->count && lines->items[lines->count - 1].number >= end)
		lines->count--;
}

/* Reads a window of stored lines into `scratch`. */
static err_t read_window(const struct following *p, const struct source *s, int64_t *from,
			 struct line_again *again, struct arena *scratch)
{
	const struct row_match *m = p->ask->match;
	const struct console_scan scan = { m->run->run_id, s->writer, *from,
					   again->sent->count > LINES_PER_CHUNK
						   ? CONSOLE_LARGE_WINDOWS
						   : CONSOLE_SMALL_WINDOWS };
	struct arena *a = db_arena(m->db);
	struct lines lines;
	int64_t next;
	err_t e;

	db_set_arena(m->db, scratch);
	e = console_lines_read(m->db, m->codec, &scan, &lines, &next);
	db_set_arena(m->db, a);
	if (e)
		return err_wrap(a, e, "cannot compare the console");
	keep_below(&lines, s->end);
	line_again_add(again, &lines);
	*from = next;
	return NULL;
}

/* Returns the position of the stream that is behind the other. */
static int64_t first_of(const struct line_again *again)
{
	if (again->next[LINE_STDERR] == again->sent->count)
		return again->position[LINE_STDOUT];
	if (again->next[LINE_STDOUT] == again->sent->count)
		return again->position[LINE_STDERR];
	return lesser(again->position[LINE_STDOUT], again->position[LINE_STDERR]);
}

static struct line_again_range range_of(const struct following *p, const struct source *s)
{
	return (struct line_again_range){ s->at, s->end, s->is_own && p->known.console.count == 1 };
}

/* The source has no more lines: a stream that was not compared to its end continues behind it. */
static void end_streams(struct line_again *again, const struct source *s)
{
	for (int i = 0; i < 2; i++) {
		if (again->next[i] < again->sent->count)
			again->position[i] = s->end;
	}
}

static err_t compare(const struct following *p, const struct source *s, enum line_evidence evidence,
		     struct line_again *again)
{
	struct arena *scratch = arena_new_beside(db_arena(p->ask->match->db), SCRATCH_BYTES);
	const struct line_again_range range = range_of(p, s);
	int64_t from = first_of(again);
	err_t e = NULL;

	while (!e && from < s->end && !line_again_is_done(again) &&
	       !line_again_has_parted(again, evidence, &range)) {
		e = read_window(p, s, &from, again, scratch);
		arena_reset(scratch);
	}
	arena_free(scratch);
	if (!e && from >= s->end)
		end_streams(again, s);
	return e;
}

/* Older SDKs lose lines when they sync a folder. The lines that are left are stored in the same order. */
static err_t compare_with_gaps(const struct following *p, const struct source *s,
			       const int64_t position[2], struct line_again *again)
{
	struct line_again gaps;
	err_t e;

	line_again_begin(&gaps, p->q->arena, again->sent, position);
	gaps.has_gaps = true;
	e = compare(p, s, LINES_REPEATED, &gaps);
	if (!e && line_again_is_done(&gaps))
		*again = gaps;
	return e;
}

/* Compares the lines with those of the source from `position` on. */
static err_t compare_from(const struct following *p, const struct source *s,
			  enum line_evidence evidence, const int64_t position[2],
			  struct line_again *again)
{
	const struct line_again_range range = range_of(p, s);
	err_t e = compare(p, s, evidence, again);

	if (!e && evidence == LINES_REPEATED && line_again_rate(again, evidence, &range) < 0)
		e = compare_with_gaps(p, s, position, again);
	return e;
}

/* ---- choosing a process --------------------------------------------------------------------------- */

static struct source piece_of(const struct following *p, unsigned i)
{
	const struct console_pieces *pieces = &p->known.console;
	const struct console_piece *piece = &pieces->of[i];

	return (struct source){
		.writer = p->ask->writer->writer,
		.at = piece->at,
		.from = piece->from,
		.end = console_pieces_end(pieces, i, p->stored),
		.is_own = true,
		.is_last = i + 1 == pieces->count,
		.has_rows = piece->has_rows,
	};
}

/*
 * Whether the rows prove that the session syncs a process of one of the pieces: they are stored as rows of this writer,
 * and every process that stored rows has a piece.
 */
static bool is_of_a_piece(const struct following *p)
{
	return p->follow.is_repeat && p->ask->writer && !p->known.console.rows_only &&
	       !p->ask->left_count && p->ask->match->found_lane == p->ask->writer->writer;
}

static enum line_evidence evidence_of(const struct following *p, const struct source *s)
{
	const bool is_of_source = s->is_own ? is_of_a_piece(p)
					    : s->writer == p->ask->match->found_lane;

	if (p->follow.is_repeat)
		return is_of_source ? LINES_REPEATED : LINES_ALONE;
	if (!p->ask->may_sync)
		return LINES_FRESH;
	return s->has_rows && p->follow.is_fresh ? LINES_FRESH : LINES_ALONE;
}

struct choice {
	struct source source;
	struct line_again again;
	enum line_evidence evidence;
	int64_t rate;   /* -1: none */
	unsigned count; /* of the sources that agree with the lines */
};

static err_t consider(const struct following *p, const struct source *s, const struct lines *sent,
		      struct choice *best)
{
	const enum line_evidence evidence = evidence_of(p, s);
	const struct line_again_range range = range_of(p, s);
	const int64_t first = s->at + (sent->items[0].number - s->from);
	const int64_t position[2] = { first, first };
	struct line_again again;
	int64_t rate;
	err_t e;

	if (first < s->at || first >= s->end || evidence == LINES_FRESH)
		return NULL;
	line_again_begin(&again, p->q->arena, sent, position);
	e = compare_from(p, s, evidence, position, &again);
	if (e)
		return e;
	rate = line_again_rate(&again, evidence, &range);
	best->count += rate >= 0;
	if (rate > best->rate)
		*best = (struct choice){ *s, again, evidence, rate, best->count };
	return NULL;
}

static err_t consider_pieces(const struct following *p, const struct lines *sent,
			     struct choice *best)
{
	err_t e = NULL;

	for (unsigned i = p->known.console.count; !e && i-- > 0;) {
		struct source s = piece_of(p, i);

		e = consider(p, &s, sent, best);
	}
	return e;
}

/* The console of a process with an id, or of a branch that was left. The rows that were sent again name it. */
static err_t consider_others(const struct following *p, const struct lines *sent,
			     struct choice *best)
{
	const struct wandb_follow_ask *ask = p->ask;
	struct source s = { .end = INT64_MAX };
	err_t e = NULL;

	if (!p->follow.is_repeat)
		return NULL;
	for (size_t i = 0; !e && i < ask->left_count && best->rate < (int64_t)sent->count; i++) {
		s.writer = ask->left[i].writer;
		s.end = ask->left[i].console_lines;
		e = consider(p, &s, sent, best);
	}
	s.writer = ask->match->found_lane;
	s.end = INT64_MAX;
	if (!e && s.writer >= 0 && (!ask->writer || s.writer != ask->writer->writer) &&
	    best->rate < (int64_t)sent->count)
		e = consider(p, &s, sent, best);
	return e;
}

/* ---- keeping lines -------------------------------------------------------------------------------- */

static void keep(struct following *p, const struct line *line, int64_t number)
{
	struct line *kept = &p->kept->items[p->kept->count++];

	*kept = *line;
	kept->number = number;
	if (number >= p->stored)
		p->stored = number + 1;
}

/* Appends lines. Their distances stay as they were sent, unless a line would have the number of a stored one. */
static void append(struct following *p, const struct lines *sent, int64_t shift)
{
	for (uint32_t i = 0; i < sent->count; i++) {
		const int64_t number = sent->items[i].number + shift;

		p->follow.is_exact &= number >= p->stored;
		keep(p, &sent->items[i], number > p->stored ? number : p->stored);
	}
	p->told->console_shift = shift;
}

/* The session is not followed any longer: its next lines belong into this piece. */
static void begin_piece(struct following *p, const struct lines *sent)
{
	const int64_t from = sent->items[0].number;
	const struct console_piece piece = { .at = p->stored > from ? p->stored : from,
					     .from = from };

	p->told->has_piece = true;
	p->told->piece = piece;
	p->follow.is_followed = false;
	append(p, sent, piece.at - piece.from);
}

static enum line_evidence evidence_now(const struct following *p)
{
	return p->follow.is_certain ? LINES_REPEATED : LINES_ALONE;
}

/*
 * Whether a line is new. A line that differs from the stored one is an older or newer state of it only if the session
 * is certain to be of the same process (line_again_common()).
 */
static bool is_new(const struct source *s, const struct line_fate *fate)
{
	return fate->kind == LINE_FATE_NEW || (!s->is_own && fate->kind != LINE_FATE_SAME);
}

static bool is_replaced(const struct source *s, const struct line_fate *fate)
{
	return fate->kind != LINE_FATE_SAME && fate->number >= s->end - LINE_AGAIN_TAIL;
}

/* Only lines of the last piece can be stored without a comparison, if this server forgets what it follows. */
static void note_shift(struct following *p, const struct source *s)
{
	if (s->is_own && s->is_last)
		p->told->console_shift = s->at - s->from;
}

/*
 * Divides the lines. Those that the source has are dropped, or replace a torn or older line at its end. *ret_rest are
 * the others, and all from the first one that the process of the source did not send.
 */
static void take(struct following *p, const struct source *s, struct line_again *again,
		 struct lines *ret_rest)
{
	const struct line_again_range range = range_of(p, s);
	const struct lines *sent = again->sent;
	const uint32_t common = line_again_common(again, evidence_now(p), &range);

	*ret_rest = (struct lines){ 0, arena_new_array(p->q->arena, struct line, sent->count + 1) };
	for (uint32_t i = 0; i < sent->count; i++) {
		const struct line_fate *fate = &again->fates[i];

		if (i >= common || is_new(s, fate)) {
			ret_rest->items[ret_rest->count++] = sent->items[i];
			continue;
		}
		p->follow.is_exact &= fate->number == sent->items[i].number + s->at - s->from;
		if (is_replaced(s, fate))
			keep(p, &sent->items[i], fate->number);
	}
	if (common < sent->count)
		again->position[0] = again->position[1] = s->end;
	note_shift(p, s);
}

/* ---- lines that were dropped without proof -------------------------------------------------------- */

/* Whether the lines are to be stored. A request that is sent again may find that they are. */
static bool is_refuted(const struct following *p)
{
	const struct wandb_follow_unproven *unproven = &p->follow.unproven;

	return unproven->is_there && unproven->is_refuted && p->ask->writer &&
	       (unproven->shift < 0 || p->ask->writer->console_shift != unproven->shift);
}

/* In the piece that was followed last, the session did not send the lines behind the position. */
static bool was_sent(const struct following *p, const struct source *s, const struct line *line)
{
	const struct wandb_follow_position *now = &p->follow.now;
	const enum line_stream stream = line->stream == LINE_STDERR ? LINE_STDERR : LINE_STDOUT;

	return s->at != now->at || line->number < now->position[stream];
}

/* Adds the lines of the piece that the session sent, too. Their numbers follow one another. */
static err_t add_sent(const struct following *p, const struct source *s, int64_t max,
		      struct lines *lines)
{
	const struct row_match *m = p->ask->match;
	const int64_t first = p->follow.unproven.from;
	int64_t next = s->at + (first > s->from ? first - s->from : 0);
	err_t e = NULL;

	while (!e && next < s->end && lines->count < max &&
	       lines_size(lines) < UNPROVEN_MAX_BYTES) {
		const struct console_scan scan = { m->run->run_id, s->writer, next,
						   CONSOLE_SMALL_WINDOWS };
		struct lines window = { .count = 0 };

		e = console_lines_read(m->db, m->codec, &scan, &window, &next);
		keep_below(&window, s->end);
		for (uint32_t i = 0; i < window.count && lines->count < max; i++) {
			if (was_sent(p, s, &window.items[i])) {
				lines->items[lines->count] = window.items[i];
				lines->items[lines->count].number = first + lines->count;
				lines->count++;
			}
		}
	}
	return e;
}

/* They may go on in other pieces: each continues the one before, as find_next() finds them. */
static err_t add_unproven(const struct following *p, int64_t max, struct lines *lines)
{
	int64_t end = -1;
	err_t e = NULL;

	for (unsigned i = 0; !e && i < p->known.console.count; i++) {
		const struct source s = piece_of(p, i);

		if (s.at != p->follow.unproven.at && s.from != end)
			continue;
		e = add_sent(p, &s, max, lines);
		end = s.from + (s.end - s.at);
	}
	return e;
}

/* The session may send some of its lines again. */
static void add_line(struct lines *lines, int64_t first, const struct line *line)
{
	const int64_t i = line->number - first;

	if (i >= 0 && i < lines->count)
		lines->items[i] = *line;
	else
		lines->items[lines->count++] = *line;
}

/* Stores the lines after all, and those that come now, as the piece of another process. */
static err_t restore(struct following *p, const struct lines *sent)
{
	struct wandb_follow_unproven *unproven = &p->follow.unproven;
	const int64_t max = lesser(unproven->to - unproven->from, UNPROVEN_MAX);
	const size_t room = (size_t)max + sent->count + 1;
	struct lines all = { 0, arena_new_array(p->q->arena, struct line, room) };
	err_t e = add_unproven(p, max, &all);

	if (e)
		return err_wrap(p->q->arena, e, "cannot compare the console");
	for (uint32_t i = 0; i < sent->count; i++)
		add_line(&all, unproven->from, &sent->items[i]);
	p->kept->items = arena_new_array(p->q->arena, struct line, room);
	if (all.count)
		begin_piece(p, &all);
	unproven->is_refuted = true;
	unproven->shift = p->told->console_shift;
	return NULL;
}

/* ---- following a process -------------------------------------------------------------------------- */

static void note(struct following *p, const struct source *s, const struct line_again *again,
		 int64_t next)
{
	p->follow.is_followed = true;
	p->follow.now = (struct wandb_follow_position){
		.writer = s->writer,
		.at = s->at,
		.shift = s->at - s->from,
		.position = { again->position[0], again->position[1] },
		.next = next,
	};
}

/* A stream with new lines is compared behind them next. The other one may still have stored lines. */
static void note_appended(struct following *p, const struct lines *appended)
{
	for (uint32_t i = 0; i < appended->count; i++)
		p->follow.now.position[appended->items[i].stream] = p->stored;
}

/* Finds the piece that continues another one with these lines. */
static err_t find_next(const struct following *p, const struct lines *sent, struct choice *best)
{
	err_t e = NULL;

	for (unsigned i = 0; !e && i < p->known.console.count; i++) {
		struct source s = piece_of(p, i);

		if (s.from == sent->items[0].number && s.from > 0)
			e = consider(p, &s, sent, best);
	}
	return e;
}

static err_t follow(struct following *p, struct choice choice, int64_t next)
{
	struct lines *rest = arena_new_of(p->q->arena, struct lines);

	for (unsigned rounds = 0; rounds < SOURCES_MAX; rounds++) {
		struct choice other = { .rate = -1 };
		err_t e;

		note(p, &choice.source, &choice.again, next);
		take(p, &choice.source, &choice.again, rest);
		if (!rest->count)
			return NULL;
		if (choice.source.is_last) {
			append(p, rest, choice.source.at - choice.source.from);
			note_appended(p, rest);
			return NULL;
		}
		e = find_next(p, rest, &other);
		if (e)
			return e;
		if (other.rate < 0)
			break;
		choice = other;
		rest = arena_new_of(p->q->arena, struct lines);
	}
	begin_piece(p, rest);
	return NULL;
}

static void note_unproven(struct following *p, const struct choice *best, int64_t from)
{
	p->follow.unproven = (struct wandb_follow_unproven){
		.is_there = best->rate >= 0 && !p->follow.is_repeat,
		.has_rows = best->source.has_rows,
		.from = from,
		.at = best->source.at,
		.shift = -1,
	};
}

static err_t decide(struct following *p, const struct lines *sent)
{
	struct choice best = { .rate = -1 };
	err_t e = consider_pieces(p, sent, &best);

	if (!e)
		e = consider_others(p, sent, &best);
	if (e)
		return e;
	p->follow.was =
		(struct wandb_follow_position){ .writer = -1, .next = sent->items[0].number };
	p->follow.is_certain = best.evidence == LINES_REPEATED && best.count == 1;
	p->follow.is_exact = true;
	note_unproven(p, &best, sent->items[0].number);
	if (best.rate >= 0)
		return follow(p, best, sent->items[sent->count - 1].number + 1);
	begin_piece(p, sent);
	return NULL;
}

/* ---- later requests ------------------------------------------------------------------------------- */

static bool find_source(const struct following *p, const struct wandb_follow_position *at,
			struct source *ret_source)
{
	for (unsigned i = 0; i < p->known.console.count; i++) {
		if (p->known.console.of[i].at != at->at)
			continue;
		*ret_source = piece_of(p, i);
		if (ret_source->writer == at->writer)
			return true;
	}
	*ret_source = (struct source){ .writer = at->writer, .end = INT64_MAX };
	return !p->ask->writer || at->writer != p->ask->writer->writer;
}

/* Whether lines that the session sends again, as a progress bar does, can replace the stored ones. */
static bool can_rewrite(const struct following *p, const struct source *s, const struct lines *sent)
{
	const int64_t first = sent->items[0].number;

	return first >= p->follow.now.next ||
	       (s->is_own && p->follow.is_certain && p->follow.is_exact && first >= s->from);
}

/* Replaces lines that the session sends again. Returns their number. */
static uint32_t rewrite(struct following *p, const struct source *s, const struct lines *sent)
{
	const int64_t shift = s->at - s->from;
	const int64_t end = lesser(p->follow.now.next, s->is_last ? INT64_MAX : s->end - shift);
	uint32_t count = 0;

	for (; count < sent->count && sent->items[count].number < end; count++) {
		if (s->is_own)
			keep(p, &sent->items[count], sent->items[count].number + shift);
	}
	note_shift(p, s);
	return count;
}

/* The last request is sent again: it is compared as it was before. */
static bool is_last_again(const struct following *p, const struct lines *sent)
{
	return sent->items[0].number == p->follow.was.next;
}

static bool has_parted(const struct following *p, const struct choice *choice)
{
	const struct line_again_range range = range_of(p, &choice->source);

	return line_again_has_parted(&choice->again, evidence_now(p), &range);
}

static err_t go_on(struct following *p, const struct lines *sent)
{
	struct choice choice = { .rate = 0 };
	struct wandb_follow_position *at = &p->follow.now;
	struct lines rest = *sent;
	uint32_t again;
	err_t e;

	if (is_last_again(p, sent))
		*at = p->follow.was;
	if (at->writer < 0 || !find_source(p, at, &choice.source))
		return decide(p, sent);
	if (!can_rewrite(p, &choice.source, sent)) {
		begin_piece(p, sent);
		return NULL;
	}
	again = rewrite(p, &choice.source, sent);
	if (again == sent->count)
		return NULL;
	rest.items += again;
	rest.count -= again;
	if (rest.items[0].number > at->next)
		at->position[0] = at->position[1] = rest.items[0].number + at->shift;
	p->follow.was = *at;
	line_again_begin(&choice.again, p->q->arena, &rest, at->position);
	e = compare_from(p, &choice.source, evidence_now(p), p->follow.was.position, &choice.again);
	if (!e && p->follow.unproven.is_there && has_parted(p, &choice))
		return restore(p, &rest);
	return e ? e : follow(p, choice, rest.items[rest.count - 1].number + 1);
}

/* ---- all ------------------------------------------------------------------------------------------ */

static void shift_all(struct following *p, const struct lines *sent, int64_t shift)
{
	for (uint32_t i = 0; i < sent->count; i++)
		keep(p, &sent->items[i], sent->items[i].number + shift);
	p->told->console_shift = shift;
}

/* The session writes the last piece. Lines that would replace those of another one begin a new one. */
static void go_on_last(struct following *p, const struct lines *sent, int64_t shift)
{
	const struct console_pieces *pieces = &p->known.console;

	if (pieces->count && sent->items[0].number + shift < pieces->of[pieces->count - 1].at)
		begin_piece(p, sent);
	else
		shift_all(p, sent, shift);
}

/* A process that resumes continues behind all lines. */
static void begin_resumed(struct following *p, const struct lines *sent)
{
	p->told->has_piece = true;
	p->told->piece = console_piece_resumed(p->stored, sent->items[0].number);
	shift_all(p, sent, 0);
}

/*
 * The sync of a process with resume="allow" resumes the run, too. Its first line has the number at which the stored ones
 * end, but it is the first line of the folder.
 */
static int64_t base_of(const struct following *p, const struct lines *sent)
{
	const struct writer *w = p->ask->writer;
	const int64_t before = w && w->console_shift < 0 ? -1 - w->console_shift : 0;

	return p->follow.is_repeat && sent->items[0].number >= before ? before : 0;
}

static void subtract_base(struct following *p, const struct lines *sent)
{
	if (!p->follow.is_followed && !p->follow.base)
		p->follow.base = base_of(p, sent);
	if (sent->items[0].number < p->follow.base)
		p->follow = (struct wandb_follow){ .session = p->follow.session };
	for (uint32_t i = 0; i < sent->count; i++)
		sent->items[i].number -= p->follow.base;
}

static err_t number_lines(struct following *p, const struct lines *sent)
{
	const struct writer *w = p->ask->writer;
	int64_t shift = 0;

	if (p->follow.is_followed)
		return go_on(p, sent);
	if (w && w->console_shift >= 0) {
		go_on_last(p, sent, w->console_shift);
		return NULL;
	}
	if (p->follow.is_repeat || (w && writer_console_shift(w, sent->items[0].number, &shift)))
		return decide(p, sent);
	begin_resumed(p, sent);
	return NULL;
}

/* Lines behind those that were dropped belong to them. */
static void note_sent(struct following *p, const struct lines *sent)
{
	struct wandb_follow_unproven *unproven = &p->follow.unproven;
	const int64_t to = sent->items[sent->count - 1].number + 1;

	if (!unproven->is_refuted && to > unproven->to)
		unproven->to = to;
}

static void begin(struct following *p)
{
	const struct writer *w = p->ask->writer;
	const int32_t session = w ? w->session : 0;
	struct wandb_session_cache *cache = p->q->app->wandb;

	p->is_noted = wandb_session_cache_follows(cache, p->q->target->run_id, p->ask->client,
						  &p->follow);
	if (!p->is_noted || p->follow.session != session)
		p->follow = (struct wandb_follow){ .session = session };
	p->follow.was.next = p->follow.is_followed ? p->follow.was.next : -1;
	p->follow.is_repeat |= p->ask->repeats && !p->follow.is_fresh;
	p->follow.is_fresh |= p->ask->brings_new && !p->follow.is_repeat;
	p->follow.unproven.is_there &= !p->follow.is_repeat;
	p->follow.unproven.is_refuted |= p->follow.is_fresh && p->follow.unproven.has_rows;
	p->told->is_repeat = p->follow.is_repeat;
}

err_t wandb_follow_lines(struct request *q, const struct wandb_follow_ask *ask, struct lines *lines,
			 struct ingest_lines *ret_lines)
{
	const struct lines sent = *lines;
	struct following p = { .q = q, .ask = ask, .kept = lines, .told = ret_lines };
	err_t e = NULL;

	if (ask->writer && !writer_processes(ask->writer, &p.known))
		return err_new(q->arena, ERR_INTERNAL, "cannot read what the writer stored");
	p.stored = ask->writer ? ask->writer->console_lines : 0;
	begin(&p);
	ret_lines->console_shift = ask->writer ? ask->writer->console_shift : 0;
	lines->count = 0;
	lines->items = arena_new_array(q->arena, struct line, sent.count + 1);
	if (is_refuted(&p)) {
		e = restore(&p, &sent);
	} else if (sent.count) {
		subtract_base(&p, &sent);
		e = number_lines(&p, &sent);
		note_sent(&p, &sent);
	}
	if (!e && (p.is_noted || p.follow.is_repeat || p.follow.is_fresh || p.follow.is_followed ||
		   p.follow.unproven.is_there))
		wandb_session_cache_note_follow(q->app->wandb, q->target->run_id, ask->client,
						&p.follow);
	return e;
}
