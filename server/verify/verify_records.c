#include <string.h>

#include "arena.h"
#include "attempt_store.h"
#include "leaf_store.h"
#include "run_store.h"
#include "verify_run.h"

enum { STATES_AT_ONCE = 500, DOCUMENTS = 2 };

static const struct verify_location state_location = { .part = VERIFY_STATE, .writer = -1 };
static const struct verify_location document_location = { .part = VERIFY_DOCUMENT, .writer = -1 };
static const struct verify_location directory_location = { .part = VERIFY_DIRECTORY, .writer = -1 };

/* ---- changes of state ------------------------------------------------------------------------- */

/* The last one that was read. */
struct states {
	int32_t number;
	int16_t state; /* 0: none yet */
	int32_t attempt;
};

static void check_state(struct verify_run *v, struct states *s, const struct run_state_row *row)
{
	if (row->number != s->number + 1)
		verify_tell(v, &state_location, "state changes %d to %d are missing", s->number + 1,
			    row->number - 1);
	else if (row->from_state != s->state)
		verify_tell(v, &state_location,
			    "state change %d is from \"%s\", but the run was \"%s\"", row->number,
			    run_state_name(row->from_state), run_state_name(s->state));
	if (row->attempt < s->attempt || row->attempt > v->hot->attempt)
		verify_tell(v, &state_location, "state change %d is of attempt %d", row->number,
			    row->attempt);
	*s = (struct states){ row->number, row->to_state, row->attempt };
}

static err_t check_states(struct verify_run *v)
{
	struct states s = { .number = 0 };
	struct run_state_row *rows;
	size_t count;
	err_t e;

	do {
		arena_reset(v->answer);
		e = run_store_list_states(v->db, v->item->run_id, s.number, STATES_AT_ONCE, &rows,
					  &count);
		for (size_t i = 0; i < count && !e; i++)
			check_state(v, &s, &rows[i]);
	} while (!e && count == STATES_AT_ONCE);
	if (e)
		return e;
	if (s.state != v->hot->state)
		verify_tell(v, &state_location,
			    "the run is \"%s\", but its last change was to \"%s\"",
			    run_state_name(v->hot->state), run_state_name(s.state));
	if (s.number + 1 != v->hot->next_state)
		verify_tell(v, &state_location,
			    "the run's next_state is %d, but its last change is %d",
			    v->hot->next_state, s.number);
	return NULL;
}

/* ---- directory and search --------------------------------------------------------------------- */

static void check_document(struct verify_run *v, const struct verify_records *r)
{
	const char *state = run_state_name(v->hot->state);

	if (r->noted)
		return; /* it is old, and noted as such */
	if (r->document_seq < 0)
		verify_tell(v, &document_location, "the run is not in the search index");
	else if (!r->document_is_its)
		verify_tell(v, &document_location,
			    "the run has a different name in the search index");
	else if (r->document_seq > v->hot->document_seq)
		verify_tell(v, &document_location,
			    "the search index has version %lld, but the run is at "
			    "%lld",
			    (long long)r->document_seq, (long long)v->hot->document_seq);
	else if (r->document_seq < v->hot->document_seq)
		verify_tell(v, &document_location,
			    "the search index has version %lld of %lld and will not be updated",
			    (long long)r->document_seq, (long long)v->hot->document_seq);
	else if (!str_is(r->document_state, state))
		verify_tell(v, &document_location,
			    "the state in the search index is \"%.*s\", but the "
			    "run is \"%s\"",
			    STR_ARG(r->document_state), state);
}

/*
 * The runs of a deleted project are deleted one by one when it is purged, but not in the directory.
 */
static bool info_agrees(const struct verify_run *v, const struct verify_records *r)
{
	return r->info_deleted == (v->hot->deleted_at.us != 0) || v->told.project_deleted;
}

static err_t check_directory(struct verify_run *v)
{
	struct verify_records r;
	err_t e;

	arena_reset(v->answer);
	e = verify_store_records(v->db, v->item->run_id, &r);
	if (e)
		return e;
	if (!r.has_info)
		verify_tell(v, &directory_location, "the run has no name in the directory");
	else if (!info_agrees(v, &r))
		verify_tell(v, &directory_location,
			    "the run is marked as %sdeleted in the directory",
			    r.info_deleted ? "" : "not ");
	else if (!v->hot->deleted_at.us)
		check_document(v, &r);
	return NULL;
}

/* ---- merged documents ------------------------------------------------------------------------- */

static const char *document_name(int16_t kind)
{
	return kind == DOCUMENT_CONFIG ? "config" : "summary";
}

static void check_leaf(struct verify_run *v, const struct verify_leaf *row,
		       struct leaves_size sizes[static DOCUMENTS])
{
	struct leaf leaf = { .path = row->path };
	err_t e = NULL;

	if (!str_equal(leaf_place(v->answer, row->path), row->place))
		verify_tell(v, &document_location, "a value of the %s cannot be found by its name",
			    document_name(row->kind));
	if (row->value.at)
		e = json_doc_parse(v->answer, row->value, &leaf.value);
	if (e)
		verify_tell(v, &document_location, "a value of the %s is not valid JSON: %s",
			    document_name(row->kind), e->message);
	else if (row->kind >= DOCUMENT_CONFIG && row->kind <= DOCUMENT_SUMMARY)
		leaves_count(v->answer, &sizes[row->kind - 1], &leaf, 1);
}

static err_t read_leaves(struct verify_run *v, struct leaves_size sizes[static DOCUMENTS])
{
	char place[64];
	struct verify_leaf after = { .place = { "", 0 } };
	struct verify_leaf *rows;
	size_t count;
	err_t e;

	do {
		arena_reset(v->answer);
		e = verify_store_list_leaves(v->db, v->item->run_id, &after, &rows, &count);
		for (size_t i = 0; i < count && !e; i++)
			check_leaf(v, &rows[i], sizes);
		if (e || !count)
			break;
		after.kind = rows[count - 1].kind;
		after.place.len = rows[count - 1].place.len < sizeof(place)
					  ? rows[count - 1].place.len
					  : sizeof(place);
		memcpy(place, rows[count - 1].place.at, after.place.len);
		after.place.at = place;
	} while (true);
	return e;
}

static void compare(struct verify_run *v, int16_t kind, const struct leaves_size *told,
		    const struct leaves_size *found)
{
	if (told->values != found->values || told->bytes != found->bytes ||
	    told->paths != found->paths)
		verify_tell(v, &document_location,
			    "the %s has %lld values in %lld bytes, but %lld in %lld are recorded",
			    document_name(kind), (long long)found->values, (long long)found->bytes,
			    (long long)told->values, (long long)told->bytes);
}

static err_t check_documents(struct verify_run *v)
{
	struct leaves_size found[DOCUMENTS] = { { .values = 0 } };
	struct leaves_size told[DOCUMENTS] = { { .values = 0 } };
	struct verify_merged *rows;
	size_t count;
	err_t e;

	e = read_leaves(v, found);
	if (e)
		return e;
	arena_reset(v->answer);
	e = verify_store_list_merged(v->db, v->item->run_id, &rows, &count);
	if (e)
		return e;
	for (size_t i = 0; i < count; i++)
		told[rows[i].kind - 1] = (struct leaves_size){ rows[i].value_count,
							       rows[i].size_bytes,
							       rows[i].path_bytes };
	compare(v, DOCUMENT_CONFIG, &told[0], &found[0]);
	compare(v, DOCUMENT_SUMMARY, &told[1], &found[1]);
	return NULL;
}

/* ---- documents of earlier attempts -------------------------------------------------------------- */

static void check_kept(struct verify_run *v, int32_t attempt, int16_t kind, struct str text)
{
	const struct json_doc *doc;
	err_t e = json_doc_parse(v->answer, text, &doc);

	if (e)
		verify_tell(v, &document_location, "the %s of attempt %d is not valid JSON: %s",
			    document_name(kind), attempt, e->message);
}

static err_t check_attempt(struct verify_run *v, int32_t attempt)
{
	struct attempt_documents *kept;
	err_t e = attempt_store_find(v->db, v->item->run_id, attempt, &kept);

	if (e || !kept)
		return e;
	if (attempt >= v->hot->attempt)
		verify_tell(v, &document_location,
			    "documents of attempt %d are stored, but the run is at attempt %d",
			    attempt, v->hot->attempt);
	check_kept(v, attempt, DOCUMENT_CONFIG, kept->config);
	check_kept(v, attempt, DOCUMENT_SUMMARY, kept->summary);
	return NULL;
}

static err_t check_attempts(struct verify_run *v)
{
	int32_t numbers[ATTEMPTS_KEPT + 1];
	struct attempt_info *rows;
	size_t count;
	err_t e;

	arena_reset(v->answer);
	e = attempt_store_list(v->db, v->item->run_id, -1, ATTEMPTS_KEPT + 1, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		numbers[i] = rows[i].attempt;
	for (size_t i = 0; i < count && !e; i++) {
		arena_reset(v->answer);
		e = check_attempt(v, numbers[i]);
	}
	return e;
}

err_t verify_records(struct verify_run *v)
{
	err_t e;

	e = check_states(v);
	if (!e)
		e = check_documents(v);
	if (!e)
		e = check_attempts(v);
	return e ? e : check_directory(v);
}

/* ---- rows with a checksum ---------------------------------------------------------------------- */

err_t verify_rows(struct verify_run *v)
{
	static const struct verify_location location = { .part = VERIFY_ROW, .writer = -1 };
	struct verify_row *rows;
	size_t count;
	err_t e;

	arena_reset(v->answer);
	e = verify_store_list_rows(v->db, v->item->run_id, &rows, &count);
	for (size_t i = 0; i < count && !e; i++)
		verify_tell(v, &location, VERIFY_ROW_FORMAT, VERIFY_ROW_ARGS(&rows[i]));
	return e;
}
