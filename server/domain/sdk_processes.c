/*
 * Rejected: telling processes apart by their connection, which a proxy shares, or by the clock that
 * _runtime counts from, which drifts. A list of writers, one per process, would need to know the
 * process of each request.
 */
#include "sdk_processes.h"

#include <string.h>

#include "buf.h"

/* ---- as bytes ------------------------------------------------------------------------------------- */

struct reader {
	const unsigned char *at;
	const unsigned char *end;
	bool failed;
};

static int64_t read_number(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 63 && r->at < r->end; shift += 7) {
		unsigned char byte = *r->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return (int64_t)value;
	}
	r->failed = true;
	return 0;
}

static void read_said(struct reader *r, unsigned char ret_said[static SDK_PROCESS_SAID_LEN])
{
	r->failed |= r->end - r->at < SDK_PROCESS_SAID_LEN;
	if (r->failed)
		return;
	memcpy(ret_said, r->at, SDK_PROCESS_SAID_LEN);
	r->at += SDK_PROCESS_SAID_LEN;
}

bool sdk_processes_read(struct str bytes, struct sdk_processes *ret_processes)
{
	struct reader r = { .at = (const unsigned char *)bytes.at };
	struct sdk_processes p = { .count = 0 };

	if (!bytes.len) {
		*ret_processes = p;
		return true;
	}
	r.end = r.at + bytes.len;
	p.has_blank = read_number(&r) != 0;
	p.count = (unsigned)read_number(&r);
	if (r.failed || p.count > SDK_PROCESSES_MAX)
		return false;
	for (unsigned i = 0; i < p.count; i++) {
		p.at[i].heard_at.us = read_number(&r);
		for (int file = 0; file < LINE_FILES; file++)
			p.at[i].next[file] = read_number(&r) - 1;
	}
	read_said(&r, p.last_begin);
	read_said(&r, p.last_end);
	if (r.failed)
		return false;
	if (!console_pieces_decode((struct str){ (const char *)r.at, (size_t)(r.end - r.at) },
				   &p.console))
		return false;
	*ret_processes = p;
	return true;
}

void sdk_processes_write(struct buf *out, const struct sdk_processes *p)
{
	buf_add_varint(out, p->has_blank);
	buf_add_varint(out, p->count);
	for (unsigned i = 0; i < p->count; i++) {
		buf_add_varint(out, (uint64_t)p->at[i].heard_at.us);
		for (int file = 0; file < LINE_FILES; file++)
			buf_add_varint(out, (uint64_t)(p->at[i].next[file] + 1));
	}
	buf_add(out, p->last_begin, sizeof(p->last_begin));
	buf_add(out, p->last_end, sizeof(p->last_end));
	console_pieces_encode(out, &p->console);
}

/* ---- which of them -------------------------------------------------------------------------------- */

static bool is_lost(const struct sdk_process *one, struct run_clock clock)
{
	return clock.now.us - one->heard_at.us >= clock.limit_us;
}

static void drop(struct sdk_processes *p, unsigned at)
{
	p->count--;
	memmove(&p->at[at], &p->at[at + 1], (p->count - at) * sizeof(p->at[0]));
}

static unsigned last_heard(const struct sdk_processes *p)
{
	unsigned found = 0;

	for (unsigned i = 1; i < p->count; i++) {
		if (p->at[i].heard_at.us >= p->at[found].heard_at.us)
			found = i;
	}
	return found;
}

static unsigned first_heard(const struct sdk_processes *p)
{
	unsigned found = 0;

	for (unsigned i = 1; i < p->count; i++) {
		if (p->at[i].heard_at.us < p->at[found].heard_at.us)
			found = i;
	}
	return found;
}

enum fit { FIT_NOT, FIT_UNKNOWN, FIT_REPEAT, FIT_FOLLOWS };

/* Whether the lines follow those of the process, or are a repeat of the last ones. */
static enum fit fit(const struct sdk_process *one, const struct line_range *lines)
{
	bool is_repeat = false;
	enum fit all = FIT_UNKNOWN;

	for (int file = 0; file < LINE_FILES; file++) {
		if (lines[file].to <= lines[file].from || one->next[file] < 0)
			continue;
		if (one->next[file] != lines[file].from && one->next[file] != lines[file].to)
			return FIT_NOT;
		is_repeat |= one->next[file] != lines[file].from;
		all = FIT_FOLLOWS;
	}
	return is_repeat ? FIT_REPEAT : all;
}

static bool has_lines(const struct line_range *lines)
{
	for (int file = 0; file < LINE_FILES; file++) {
		if (lines[file].to > lines[file].from)
			return true;
	}
	return false;
}

/* The process with the lines; of several that fit as well, the one that began last. */
static unsigned whose(const struct sdk_processes *p, const struct line_range *lines)
{
	enum fit best = FIT_NOT;
	unsigned found = p->count - 1;

	if (!has_lines(lines))
		return last_heard(p);
	for (unsigned i = p->count; i-- > 0;) {
		enum fit this_one = fit(&p->at[i], lines);

		if (this_one > best) {
			best = this_one;
			found = i;
		}
	}
	return found;
}

/* ---- what happens --------------------------------------------------------------------------------- */

void sdk_processes_begin(struct sdk_processes *p, const struct sdk_beginning *beginning,
			 struct run_clock clock)
{
	for (unsigned i = p->count; i-- > 0;) {
		if (is_lost(&p->at[i], clock))
			drop(p, i);
	}
	if (p->count && memcmp(p->last_begin, beginning->said, sizeof(p->last_begin)) == 0)
		return;
	memcpy(p->last_begin, beginning->said, sizeof(p->last_begin));
	p->has_blank = p->count && (p->has_blank || beginning->is_blank);
	if (p->count == SDK_PROCESSES_MAX)
		drop(p, first_heard(p));
	p->at[p->count++] = beginning->process;
	memset(p->last_end, 0, sizeof(p->last_end)); /* this one may end in the same words */
}

void sdk_processes_hear(struct sdk_processes *p, const struct line_range lines[static LINE_FILES],
			timestamp_us now)
{
	struct sdk_process *one;

	if (!p->count)
		return;
	one = &p->at[whose(p, lines)];
	if (now.us > one->heard_at.us)
		one->heard_at = now;
	for (int file = 0; file < LINE_FILES; file++) {
		if (lines[file].to > lines[file].from)
			one->next[file] = lines[file].to;
	}
}

bool sdk_processes_end(struct sdk_processes *p,
		       const unsigned char end[static SDK_PROCESS_SAID_LEN])
{
	if (memcmp(p->last_end, end, sizeof(p->last_end)) == 0)
		return false;
	memcpy(p->last_end, end, sizeof(p->last_end));
	if (p->count)
		drop(p, last_heard(p));
	return true;
}

unsigned sdk_processes_alive(const struct sdk_processes *p, struct run_clock clock)
{
	unsigned count = 0;

	for (unsigned i = 0; i < p->count; i++)
		count += !is_lost(&p->at[i], clock);
	return count;
}

timestamp_us sdk_processes_heard_at(const struct sdk_processes *p)
{
	return p->count ? p->at[last_heard(p)].heard_at : (timestamp_us){ 0 };
}
