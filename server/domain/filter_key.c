/* The keys of filters and orders, and their paths in a run's document. */
#include <string.h>

#include "buf.h"
#include "filter_build.h"

static const char known_keys[] =
	"keys are id, name, display_name, state, group, job_type, sweep, tags, notes, user, "
	"created_at, ended_at, duration, rows, writers, writers_lost, host, config.<name> and "
	"summary.<name>";

static const char known_artifact_keys[] =
	"keys are type, collection, version, alias, tag, digest, bytes, files, created_at, user, "
	"run, description and metadata.<name>";

struct key_name {
	const char *name;
	const char *member;
	enum filter_key_kind kind;
};

static const struct key_name artifact_keys[] = {
	{ "type", "type", FILTER_KEY_TEXT },
	{ "collection", "collection", FILTER_KEY_TEXT },
	{ "name", "collection", FILTER_KEY_TEXT },
	{ "version", "version", FILTER_KEY_ANY },
	{ "alias", "aliases", FILTER_KEY_TEXT },
	{ "aliases", "aliases", FILTER_KEY_TEXT },
	{ "tag", "tags", FILTER_KEY_TEXT },
	{ "tags", "tags", FILTER_KEY_TEXT },
	{ "digest", "digest", FILTER_KEY_TEXT },
	{ "bytes", "bytes", FILTER_KEY_ANY },
	{ "size", "bytes", FILTER_KEY_ANY },
	{ "files", "files", FILTER_KEY_ANY },
	{ "created_at", "created_at", FILTER_KEY_TIME },
	{ "user", "user", FILTER_KEY_TEXT },
	{ "run", "run", FILTER_KEY_TEXT },
	{ "description", "description", FILTER_KEY_TEXT },
};
enum { ARTIFACT_KEYS = sizeof(artifact_keys) / sizeof(artifact_keys[0]) };

/* Spellings of the SDK and ours. */
static const struct key_name keys[] = {
	{ "id", "id", FILTER_KEY_TEXT },
	{ "name", "id", FILTER_KEY_TEXT },
	{ "display_name", "display_name", FILTER_KEY_TEXT },
	{ "displayName", "display_name", FILTER_KEY_TEXT },
	{ "state", "state", FILTER_KEY_TEXT },
	{ "group", "group", FILTER_KEY_TEXT },
	{ "job_type", "job_type", FILTER_KEY_TEXT },
	{ "jobType", "job_type", FILTER_KEY_TEXT },
	{ "tags", "tags", FILTER_KEY_TEXT },
	{ "notes", "notes", FILTER_KEY_TEXT },
	{ "description", "notes", FILTER_KEY_TEXT },
	{ "user", "user", FILTER_KEY_TEXT },
	{ "username", "user", FILTER_KEY_TEXT },
	{ "user.username", "user", FILTER_KEY_TEXT },
	{ "created_at", "created_at", FILTER_KEY_TIME },
	{ "createdAt", "created_at", FILTER_KEY_TIME },
	{ "ended_at", "ended_at", FILTER_KEY_TIME },
	{ "duration", "duration", FILTER_KEY_ANY },
	{ "rows", "rows", FILTER_KEY_ANY },
	{ "heartbeat_at", "heard_at", FILTER_KEY_TIME },
	{ "heartbeatAt", "heard_at", FILTER_KEY_TIME },
	{ "updated_at", "heard_at", FILTER_KEY_TIME },
	{ "updatedAt", "heard_at", FILTER_KEY_TIME },
	{ "sweep", "sweep", FILTER_KEY_TEXT },
	{ "sweep_name", "sweep", FILTER_KEY_TEXT },
	{ "writers", "writers", FILTER_KEY_ANY },
	{ "writers_lost", "writers_lost", FILTER_KEY_ANY },
	{ "host", "host", FILTER_KEY_TEXT },
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* Names that mean a field if no section has them. */
static const struct {
	const char *name;
	const char *field;
} aliases[] = {
	{ "status", "state" },
	{ "tag", "tags" },
};

/* Documents, whose members are named by what follows the dot. */
static const struct {
	const char *name;
	const char *member;
} documents[] = {
	{ "config", "config" },
	{ "summary", "summary" },
	{ "summary_metrics", "summary" },
	{ "summaryMetrics", "summary" },
};

static err_t unknown(struct arena *a, struct str name, const char *known)
{
	struct err *e = name.len ? err_field(a, ERR_INVALID, "filter", "unknown key \"%.*s\"",
					     (int)(name.len < 100 ? name.len : 100), name.at)
				 : err_field(a, ERR_INVALID, "filter", "expected a key");

	e->hint = known;
	return e;
}

static err_t unknown_key(struct arena *a, struct str name)
{
	return unknown(a, name, known_keys);
}

static struct str path_joined(struct arena *a, const struct filter_path *path)
{
	struct buf *b = buf_new(a);

	for (size_t i = 0; i < path->count; i++) {
		if (i)
			buf_add_byte(b, '.');
		buf_add_str(b, path->names[i]);
	}
	return buf_str(b);
}

static bool find_document(struct filter_path path, struct filter_key *ret_key)
{
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++) {
		if (!str_is(path.names[0], documents[i].name))
			continue;
		path.names[0] = str_of(documents[i].member);
		*ret_key = (struct filter_key){ .kind = FILTER_KEY_ANY, .path = path };
		return true;
	}
	return false;
}

static bool find_name(struct arena *a, const struct key_name *names, size_t count, struct str name,
		      struct filter_key *ret_key)
{
	for (size_t i = 0; i < count; i++) {
		if (!str_is(name, names[i].name))
			continue;
		*ret_key = (struct filter_key){ .kind = names[i].kind };
		ret_key->path.names = arena_new_of(a, struct str);
		ret_key->path.names[0] = str_of(names[i].member);
		ret_key->path.count = 1;
		return true;
	}
	return false;
}

static bool find_column(struct arena *a, struct str name, struct filter_key *ret_key)
{
	return find_name(a, keys, KEYS, name, ret_key);
}

static err_t artifact_key(struct arena *a, struct filter_path path, struct filter_key *ret_key)
{
	const struct str name = path_joined(a, &path);

	if (find_name(a, artifact_keys, ARTIFACT_KEYS, name, ret_key))
		return NULL;
	for (size_t i = 0; i < path.count; i++) {
		if (!path.names[i].len)
			return unknown(a, name, known_artifact_keys);
	}
	if (path.count < 2 || !str_is(path.names[0], "metadata"))
		return unknown(a, name, known_artifact_keys);
	*ret_key = (struct filter_key){ .kind = FILTER_KEY_ANY, .path = path };
	return NULL;
}

/* ---- keys without a section ---------------------------------------------------------------------- */

static const struct {
	enum filter_section section;
	const char *name;
} sections[] = {
	{ FILTER_CONFIG, "config" },
	{ FILTER_SUMMARY, "summary" },
};
enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

struct filter_path filter_path_within(struct arena *a, enum filter_section section,
				      const struct filter_path *path)
{
	struct filter_path within = { arena_new_array(a, struct str, path->count + 1),
				      path->count + 1 };

	within.names[0] = str_of(sections[section == FILTER_SUMMARY].name);
	for (size_t i = 0; i < path->count; i++)
		within.names[i + 1] = path->names[i];
	return within;
}

static const char *alias_of(struct str name)
{
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (str_is(name, aliases[i].name))
			return aliases[i].field;
	}
	return NULL;
}

static bool is_same_path(const struct filter_path *a, const struct filter_path *b)
{
	bool is_same = a->count == b->count;

	for (size_t i = 0; i < a->count && is_same; i++)
		is_same = str_equal(a->names[i], b->names[i]);
	return is_same;
}

static struct filter_bare_key *bare_key_of(struct filter_bare *bare, const struct filter_path *path)
{
	for (size_t i = 0; i < bare->count; i++) {
		if (is_same_path(&bare->keys[i].path, path))
			return &bare->keys[i];
	}
	return NULL;
}

/* "lr" is a key of config and of summary: write config.lr or summary.lr */
static err_t ambiguous_key(struct arena *a, struct str name, unsigned found, const char *field)
{
	struct str shown = str_head(name, 100);
	struct buf *b = buf_new(a);

	buf_printf(b, "\"%.*s\" is a key of ", STR_ARG(shown));
	buf_add_text(b, found == (FILTER_CONFIG | FILTER_SUMMARY) ? "config and of summary"
			: found == FILTER_CONFIG                  ? "config"
								  : "summary");
	if (field)
		buf_printf(b, " and another name of %s", field);
	buf_add_text(b, ": write ");
	for (size_t i = 0, count = 0; i < SECTIONS; i++) {
		if (found & sections[i].section)
			buf_printf(b, "%s%s.%.*s", count++ ? " or " : "", sections[i].name,
				   STR_ARG(filter_term(a, shown)));
	}
	if (field)
		buf_printf(b, " or %s", field);
	return err_field(a, ERR_INVALID, "filter", "%.*s", STR_ARG(buf_str(b)));
}

static err_t collect_key(struct arena *a, struct filter_bare *bare, const struct filter_path *path)
{
	if (bare_key_of(bare, path))
		return NULL;
	if (bare->count == FILTER_BARE_MAX)
		return err_field(a, ERR_INVALID, "filter",
				 "more than %d different keys without \"config.\" or \"summary.\"",
				 FILTER_BARE_MAX);
	bare->keys[bare->count++] = (struct filter_bare_key){ .path = *path };
	return NULL;
}

static err_t find_bare(struct arena *a, struct filter_bare *bare, struct filter_path path,
		       struct filter_key *ret_key)
{
	const struct str name = path_joined(a, &path);
	const char *field = alias_of(name);
	const struct filter_bare_key *key;
	unsigned found = FILTER_CONFIG;
	err_t e;

	if (path.count == FILTER_PATH_MAX)
		return unknown_key(a, name);
	e = bare->is_known ? NULL : collect_key(a, bare, &path);
	if (e)
		return e;
	key = bare_key_of(bare, &path);
	if (bare->is_known)
		found = key ? key->sections : 0;
	if (!found && field && find_column(a, str_of(field), ret_key))
		return NULL;
	if (!found)
		return unknown_key(a, name);
	if (bare->is_known && (field || found == (FILTER_CONFIG | FILTER_SUMMARY)))
		return ambiguous_key(a, name, found, field);
	*ret_key = (struct filter_key){
		.kind = FILTER_KEY_ANY,
		.path = filter_path_within(a, (enum filter_section)found, &path),
	};
	return NULL;
}

err_t filter_key_of_path(struct arena *a, struct filter_path path, struct filter_bare *bare,
			 struct filter_key *ret_key)
{
	struct str name = path_joined(a, &path);

	if (bare && bare->of_artifacts)
		return artifact_key(a, path, ret_key);
	if (find_column(a, name, ret_key))
		return NULL;
	for (size_t i = 0; i < path.count; i++) {
		if (!path.names[i].len)
			return unknown_key(a, name);
	}
	if (path.count > 1 && find_document(path, ret_key))
		return NULL;
	if (path.count < 2 || !str_is(path.names[0], "tags"))
		return bare ? find_bare(a, bare, path, ret_key) : unknown_key(a, name);
	(void)find_column(a, STR("tags"), ret_key);
	ret_key->kind = FILTER_KEY_TAG;
	ret_key->tag = (struct str){ name.at + strlen("tags."), name.len - strlen("tags.") };
	return NULL;
}

/*
 * The SDK's spellings of paths. Its server keeps each config value in an object of its own, so
 * users write config.lr.value, config.model.value.depth or config.model.depth.value; and its
 * statistics of history keys show whether they exist, as their last values do.
 */
static void sdk_path(struct filter_path *path)
{
	if (path->count >= 3 && str_is(path->names[0], "config")) {
		size_t at = str_is(path->names[2], "value") ? 2 : path->count - 1;

		if (!str_is(path->names[at], "value"))
			return;
		for (path->count--; at < path->count; at++)
			path->names[at] = path->names[at + 1];
	} else if (path->count >= 3 && str_is(path->names[0], "keys_info") &&
		   str_is(path->names[1], "keys")) {
		path->names++;
		path->count--;
		path->names[0] = STR("summary");
	}
}

err_t filter_key_find(struct arena *a, struct str name, struct filter_bare *bare,
		      struct filter_key *ret_key)
{
	struct filter_path path = { arena_new_array(a, struct str, FILTER_PATH_MAX), 0 };
	struct str rest = name;
	bool more;

	do {
		if (path.count == FILTER_PATH_MAX)
			return unknown_key(a, name);
		more = rest.len && memchr(rest.at, '.', rest.len);
		path.names[path.count++] = str_cut(&rest, '.');
	} while (more);
	sdk_path(&path);
	return filter_key_of_path(a, path, bare, ret_key);
}

err_t filter_path_parse(struct arena *a, struct str name, struct filter_bare *bare,
			struct filter_path *ret_path)
{
	struct filter_key key;
	err_t e = filter_key_find(a, name, bare, &key);

	if (!e)
		*ret_path = key.path;
	return e;
}

struct str filter_name_of_member(struct str member)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (str_is(member, keys[i].member))
			return str_of(keys[i].name);
	}
	return (struct str){ "", 0 };
}

static void add_name(struct buf *b, struct str name)
{
	bool is_plain = name.len > 0;

	for (size_t i = 0; i < name.len; i++)
		is_plain = is_plain && !strchr(" \t\n\r()\":=!<>", name.at[i]);
	if (is_plain) {
		buf_add_str(b, name);
		return;
	}
	buf_add_byte(b, '"');
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == '"' || name.at[i] == '\\')
			buf_add_byte(b, '\\');
		buf_add_byte(b, name.at[i]);
	}
	buf_add_byte(b, '"');
}

struct str filter_term(struct arena *a, struct str name)
{
	struct buf *b = buf_new(a);
	bool more;

	do {
		more = name.len && memchr(name.at, '.', name.len);
		add_name(b, str_cut(&name, '.'));
		if (more)
			buf_add_byte(b, '.');
	} while (more);
	return buf_str(b);
}
