/*
 * One object of a request, field by field. The first error is kept in a state that all readers of
 * the same document share, and so are the readers themselves: json_in_end() of the outermost looks
 * in all of them for members that no caller read.
 */
#include "json_in.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "arena.h"
#include "json_doc.h"

struct json_in_state {
	err_t error;
	struct json_in *readers; /* newest first */
};

static const char *kind_text(enum json_kind kind)
{
	static const char *const texts[] = {
		[JSON_KIND_END] = "nothing",     [JSON_KIND_OBJECT] = "an object",
		[JSON_KIND_ARRAY] = "an array",  [JSON_KIND_STRING] = "a string",
		[JSON_KIND_NUMBER] = "a number", [JSON_KIND_BOOL] = "true or false",
		[JSON_KIND_NULL] = "null",
	};

	return texts[kind];
}

static const char *path_of(const struct json_in *in, const char *key)
{
	return *in->path ? arena_printf(in->arena, "%s.%s", in->path, key) : key;
}

static void refuse_path(struct json_in *in, const char *path, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
static void refuse_path(struct json_in *in, const char *path, const char *fmt, va_list ap)
{
	const char *message;

	if (in->state->error)
		return;
	message = arena_vprintf(in->arena, fmt, ap);
	in->state->error = err_field(in->arena, ERR_INVALID, path, "%s", message);
}

void json_in_refuse(struct json_in *in, const char *key, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	refuse_path(in, path_of(in, key), fmt, ap);
	va_end(ap);
}

static struct json_in reader_of(struct arena *a, struct json_in_state *state, const char *path,
				const struct json_doc *object)
{
	struct json_in in = { .arena = a, .path = path, .object = object, .state = state };

	in.taken = arena_new_array(a, bool, object ? object->count : 0);
	return in;
}

/* A reader of a part; the state remembers it, so that its unknown members are seen. */
static struct json_in *sub_reader(struct json_in *in, const char *path,
				  const struct json_doc *object)
{
	struct json_in *sub = arena_new_of(in->arena, struct json_in);

	*sub = reader_of(in->arena, in->state, path, object);
	sub->next = in->state->readers;
	in->state->readers = sub;
	return sub;
}

err_t json_in_begin(struct arena *a, const struct json_doc *doc, struct json_in *ret_in)
{
	if (doc->kind != JSON_KIND_OBJECT)
		return err_new(a, ERR_INVALID, "expected a JSON object, not %s",
			       kind_text(doc->kind));
	*ret_in = reader_of(a, arena_new_of(a, struct json_in_state), "", doc);
	return NULL;
}

err_t json_in_parse(struct arena *a, struct str body, struct json_in *ret_in)
{
	const struct json_doc *doc = json_doc_empty();

	if (str_trim(body).len) {
		err_t e = json_doc_parse_body(a, body, &doc);

		if (e)
			return e;
	}
	return json_in_begin(a, doc, ret_in);
}

static void refuse_unknown(struct json_in *in)
{
	if (!in->object)
		return;
	for (size_t i = 0; i < in->object->count; i++) {
		struct str name = json_scan_name_shown(in->arena, in->object->members[i].name);

		if (!in->taken[i])
			json_in_refuse(in, name.at, "unknown field \"%s\"", name.at);
	}
}

err_t json_in_end(struct json_in *in)
{
	refuse_unknown(in);
	for (struct json_in *r = in->state->readers; r; r = r->next)
		refuse_unknown(r);
	return in->state->error;
}

err_t json_in_error(const struct json_in *in)
{
	return in->state->error;
}

bool json_in_has(const struct json_in *in, const char *key)
{
	return json_doc_get_named(in->object, key) != NULL;
}

/* Takes the member; NULL if it is missing or after an earlier error. */
static const struct json_doc *take_any(struct json_in *in, const char *key)
{
	if (in->state->error || !in->object)
		return NULL;
	for (size_t i = 0; i < in->object->count; i++) {
		if (str_is(in->object->members[i].name, key)) {
			in->taken[i] = true;
			return in->object->members[i].value;
		}
	}
	return NULL;
}

static const struct json_doc *take_or_null(struct json_in *in, const char *key)
{
	const struct json_doc *v = take_any(in, key);

	return json_doc_is(v, JSON_KIND_NULL) ? NULL : v;
}

/* The member if it is of the kind; missing and null are NULL without an error. */
static const struct json_doc *take_or(struct json_in *in, const char *key, enum json_kind kind)
{
	const struct json_doc *v = take_or_null(in, key);

	if (!v || v->kind == kind)
		return v;
	json_in_refuse(in, key, "must be %s, not %s", kind_text(kind), kind_text(v->kind));
	return NULL;
}

/* The same, and missing is an error. */
static const struct json_doc *take(struct json_in *in, const char *key, enum json_kind kind)
{
	const struct json_doc *v = take_or(in, key, kind);

	if (!v && in->object)
		json_in_refuse(in, key, "\"%s\" is missing", key);
	return v;
}

bool json_in_null(struct json_in *in, const char *key)
{
	if (!json_doc_is(json_doc_get_named(in->object, key), JSON_KIND_NULL))
		return false;
	return take_any(in, key) != NULL;
}

static const struct str no_text = { "", 0 };

static struct str text_within(struct json_in *in, const char *key, const struct json_doc *v,
			      size_t max_bytes)
{
	if (v->text.len <= max_bytes)
		return v->text;
	json_in_refuse(in, key, "is longer than %zu bytes", max_bytes);
	return no_text;
}

struct str json_in_text(struct json_in *in, const char *key, size_t max_bytes)
{
	const struct json_doc *v = take(in, key, JSON_KIND_STRING);

	return v ? text_within(in, key, v, max_bytes) : no_text;
}

struct str json_in_text_or(struct json_in *in, const char *key, size_t max_bytes, struct str absent)
{
	const struct json_doc *v = take_or(in, key, JSON_KIND_STRING);

	return v ? text_within(in, key, v, max_bytes) : absent;
}

static int64_t int_within(struct json_in *in, const char *key, const struct json_doc *v,
			  const int64_t bounds[2])
{
	int64_t value;

	if (!json_doc_int64(v, &value))
		json_in_refuse(in, key, "must be an integer");
	else if (value < bounds[0] || value > bounds[1])
		json_in_refuse(in, key, "must be between %" PRId64 " and %" PRId64, bounds[0],
			       bounds[1]);
	else
		return value;
	return 0;
}

int64_t json_in_int(struct json_in *in, const char *key, int64_t min, int64_t max)
{
	const struct json_doc *v = take(in, key, JSON_KIND_NUMBER);

	return v ? int_within(in, key, v, (int64_t[]){ min, max }) : 0;
}

int64_t json_in_int_or(struct json_in *in, const char *key, int64_t min, int64_t max,
		       int64_t absent)
{
	const struct json_doc *v = take_or(in, key, JSON_KIND_NUMBER);

	return v ? int_within(in, key, v, (int64_t[]){ min, max }) : absent;
}

static double finite_number(struct json_in *in, const char *key, const struct json_doc *v)
{
	double value;

	if (json_doc_double(v, &value) && isfinite(value))
		return value;
	json_in_refuse(in, key, "must be a finite number");
	return 0;
}

double json_in_number(struct json_in *in, const char *key)
{
	const struct json_doc *v = take(in, key, JSON_KIND_NUMBER);

	return v ? finite_number(in, key, v) : 0;
}

bool json_in_bool(struct json_in *in, const char *key)
{
	const struct json_doc *v = take(in, key, JSON_KIND_BOOL);

	return v && v->truth;
}

static const char *word_list(struct arena *a, const char *const *words)
{
	const char *list = "";

	for (size_t i = 0; words[i]; i++)
		list = arena_printf(a, "%s%s\"%s\"", list, i ? ", " : "", words[i]);
	return list;
}

static int choose(struct json_in *in, const char *key, const struct json_doc *v,
		  const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (str_is(v->text, words[i]))
			return i;
	}
	json_in_refuse(in, key, "must be one of %s", word_list(in->arena, words));
	return 0;
}

int json_in_choice(struct json_in *in, const char *key, const char *const *words)
{
	const struct json_doc *v = take(in, key, JSON_KIND_STRING);

	return v ? choose(in, key, v, words) : 0;
}

int json_in_choice_or(struct json_in *in, const char *key, const char *const *words, int absent)
{
	const struct json_doc *v = take_or(in, key, JSON_KIND_STRING);

	return v ? choose(in, key, v, words) : absent;
}

timestamp_us json_in_time_or(struct json_in *in, const char *key, timestamp_us absent)
{
	const struct json_doc *v = take_or(in, key, JSON_KIND_STRING);
	timestamp_us t = { 0 };

	if (!v)
		return absent;
	if (!clock_parse(v->text, &t))
		json_in_refuse(in, key, "must be a time such as \"2026-01-31T10:00:00Z\"");
	return t;
}

/* The array's items; the count is 0 if it is absent, too long, or after an error. */
static const struct json_doc *const *take_items(struct json_in *in, const char *key,
						size_t max_count, size_t *ret_count)
{
	const struct json_doc *v = take_or(in, key, JSON_KIND_ARRAY);

	*ret_count = 0;
	if (!v)
		return NULL;
	if (v->count > max_count) {
		json_in_refuse(in, key, "has more than %zu items", max_count);
		return NULL;
	}
	*ret_count = v->count;
	return v->items;
}

static const char *item_path(struct json_in *in, const char *key, size_t index)
{
	return arena_printf(in->arena, "%s[%zu]", path_of(in, key), index);
}

static void refuse_item(struct json_in *in, const char *path, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void refuse_item(struct json_in *in, const char *path, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	refuse_path(in, path, fmt, ap);
	va_end(ap);
}

/* The index of the first item that is not of the kind; `count` if all are. */
static size_t first_other(const struct json_doc *const *items, size_t count, enum json_kind kind)
{
	size_t i = 0;

	while (i < count && items[i]->kind == kind)
		i++;
	return i;
}

const struct str *json_in_texts(struct json_in *in, const char *key, size_t max_count,
				size_t max_bytes, size_t *ret_count)
{
	size_t count;
	const struct json_doc *const *items = take_items(in, key, max_count, &count);
	struct str *texts = arena_new_array(in->arena, struct str, count + 1);

	*ret_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (items[i]->kind != JSON_KIND_STRING)
			refuse_item(in, item_path(in, key, i), "must be a string, not %s",
				    kind_text(items[i]->kind));
		else if (items[i]->text.len > max_bytes)
			refuse_item(in, item_path(in, key, i), "is longer than %zu bytes",
				    max_bytes);
		texts[i] = items[i]->text;
	}
	if (!in->state->error)
		*ret_count = count;
	return texts;
}

struct json_in *json_in_object(struct json_in *in, const char *key)
{
	return sub_reader(in, path_of(in, key), take_or(in, key, JSON_KIND_OBJECT));
}

size_t json_in_array(struct json_in *in, const char *key, size_t max_count)
{
	size_t count;
	const struct json_doc *const *items = take_items(in, key, max_count, &count);
	size_t other = first_other(items, count, JSON_KIND_OBJECT);

	if (other == count)
		return count;
	refuse_item(in, item_path(in, key, other), "must be an object, not %s",
		    kind_text(items[other]->kind));
	return 0;
}

struct json_in *json_in_item(struct json_in *in, const char *key, size_t index)
{
	const struct json_doc *v = json_doc_get_named(in->object, key);

	assert(v && index < v->count);
	return sub_reader(in, item_path(in, key, index), v->items[index]);
}

const struct json_doc *json_in_doc_object(struct json_in *in, const char *key)
{
	return take_or(in, key, JSON_KIND_OBJECT);
}

struct str json_in_raw(struct json_in *in, const char *key)
{
	const struct json_doc *v = take_any(in, key);

	return v ? json_doc_dump(in->arena, v) : (struct str){ NULL, 0 };
}
