#include "document_fit.h"

#include <stdlib.h>

#include "arena.h"

static const struct leaves_size most = { JSON_DOC_MAX_VALUES - 1, DOCUMENT_MAX_BYTES,
					 LEAVES_MAX_PATH_BYTES };

struct member {
	size_t at;
	struct leaves_size size;
	double share; /* of the limits that are exceeded */
};

struct leaves_size leaves_excess(const struct leaves_size *size)
{
	return (struct leaves_size){ size->values - most.values, size->bytes - most.bytes,
				     size->paths - most.paths };
}

/* Measured as leaves and objects are counted; `above`: the length of the path before its name. */
static void measure(struct arena *a, const struct json_member *m, int64_t above,
		    struct leaves_size *size)
{
	bool is_object = json_doc_is(m->value, JSON_KIND_OBJECT) && m->value->count;
	int64_t len = above + (int64_t)m->name.len;

	size->values += is_object ? 1 : (int64_t)json_doc_count(m->value);
	size->bytes += (int64_t)m->name.len;
	size->bytes += is_object ? 0 : (int64_t)json_doc_dump(a, m->value).len;
	size->paths += len;
	for (size_t i = 0; is_object && i < m->value->count; i++)
		measure(a, &m->value->members[i], len + 1, size);
}

static void add(struct leaves_size *sum, const struct leaves_size *size, int sign)
{
	sum->values += sign * size->values;
	sum->bytes += sign * size->bytes;
	sum->paths += sign * size->paths;
}

static int64_t greater(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static bool is_met(const struct leaves_size *excess)
{
	return excess->values <= 0 && excess->bytes <= 0 && excess->paths <= 0;
}

static double share_of(const struct leaves_size *size, const struct leaves_size *excess)
{
	bool all = is_met(excess);
	double share = 0;

	if (all || excess->values > 0)
		share += (double)size->values / (double)most.values;
	if (all || excess->bytes > 0)
		share += (double)size->bytes / (double)most.bytes;
	if (all || excess->paths > 0)
		share += (double)size->paths / (double)most.paths;
	return share;
}

static int by_share(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;

	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* A member's own excess over the limits counts, too. */
static struct member *measure_all(struct arena *a, const struct json_doc *doc,
				  struct leaves_size *excess)
{
	struct member *members = arena_new_array(a, struct member, doc->count);
	struct leaves_size sum = { 0 };
	struct leaves_size own;

	for (size_t i = 0; i < doc->count; i++) {
		members[i] = (struct member){ .at = i };
		measure(a, &doc->members[i], 0, &members[i].size);
		add(&sum, &members[i].size, 1);
	}
	own = leaves_excess(&sum);
	excess->values = greater(excess->values, own.values);
	excess->bytes = greater(excess->bytes, own.bytes);
	excess->paths = greater(excess->paths, own.paths);
	for (size_t i = 0; i < doc->count; i++)
		members[i].share = share_of(&members[i].size, excess);
	qsort(members, doc->count, sizeof(members[0]), by_share);
	return members;
}

const struct json_doc *document_fit(struct arena *a, const struct json_doc *doc,
				    const struct leaves_size *excess, enum left_out_kind kind,
				    struct left_out_list *left_out)
{
	struct json_member *kept = arena_new_array(a, struct json_member, doc->count);
	bool *goes = arena_new_array(a, bool, doc->count);
	struct leaves_size left = *excess;
	struct member *members;
	size_t count = 0;

	if (!doc->count)
		return NULL;
	members = measure_all(a, doc, &left);
	for (size_t i = 0; i < doc->count && (i == 0 || !is_met(&left)); i++) {
		goes[members[i].at] = true;
		add(&left, &members[i].size, -1);
	}
	for (size_t i = 0; i < doc->count; i++) {
		if (goes[i])
			document_leave_out(a, &doc->members[i], kind, left_out);
		else
			kept[count++] = doc->members[i];
	}
	return count ? json_doc_object(a, kept, count) : NULL;
}
