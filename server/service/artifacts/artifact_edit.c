#include "artifact_edit.h"

#include "artifact_make.h"
#include "artifact_store.h"
#include "artifact_texts.h"
#include "artifact_upkeep.h"
#include "audit_note.h"
#include "auth.h"
#include "buf.h"

/* Names of what was changed, for the audit log. */
static void put_word(struct buf *words, bool is_changed, const char *word)
{
	if (is_changed)
		buf_printf(words, "%s%s", words->len ? ", " : "", word);
}

static err_t note(struct request *q, const struct artifact_target *target, struct buf *words)
{
	const struct audit_event event = {
		.action = AUDIT_ARTIFACT_CHANGE,
		.subject = artifact_target_words(q, target),
		.detail = buf_str(words),
	};

	return audit_note(q, &event);
}

/* Locks the collection of the target and reads it again; ERR_GONE if it was deleted. */
static err_t lock(struct request *q, struct artifact_target *t)
{
	struct artifact_collection *locked = NULL;
	err_t e = artifact_store_lock_collection(q->db, t->collection->project_id,
						 t->collection->collection_id, &locked);

	if (!e && (!locked || locked->deleted_at.us))
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	if (!e)
		t->collection = locked;
	return e;
}

struct tag_change {
	bool has_all;
	struct artifact_texts all;
	struct artifact_texts added;
	struct artifact_texts removed;
};

static bool changes_tags(const struct tag_change *change)
{
	return change->has_all || change->added.count || change->removed.count;
}

static err_t apply_tags(struct arena *a, const struct tag_change *change, struct str *tags)
{
	struct artifact_texts now = change->has_all ? change->all : artifact_texts_read(a, *tags);
	err_t e;

	now = artifact_texts_join(a, &now, &change->added);
	now = artifact_texts_without(a, &now, &change->removed);
	e = artifact_texts_check(a, "tags", &now, ARTIFACT_TAGS_MAX, artifact_tag_check);
	if (!e)
		*tags = artifact_texts_write(a, &now);
	return e;
}

/* ---- versions ------------------------------------------------------------------------------------- */

static err_t apply(struct request *q, const struct artifact_change *change, struct artifact *v)
{
	const struct tag_change tags = {
		.has_all = change->has_tags,
		.all = { change->tags, change->tag_count },
		.added = { change->tags_added, change->tags_added_count },
		.removed = { change->tags_removed, change->tags_removed_count },
	};
	err_t e = NULL;

	if (change->has_description) {
		v->description = change->description;
		e = artifact_description_check(q->arena, "description", v->description);
	}
	if (!e && change->has_metadata)
		e = artifact_metadata_read(q->arena, "metadata", change->metadata, &v->metadata);
	if (!e && change->has_ttl) {
		v->ttl_s = change->ttl_s;
		e = artifact_ttl_check(q->arena, "ttl_s", v->ttl_s);
	}
	if (!e && changes_tags(&tags))
		e = apply_tags(q->arena, &tags, &v->tags);
	v->changed_at = q->now;
	return e;
}

static struct buf *version_words(struct request *q, const struct artifact_change *change)
{
	struct buf *words = buf_new(q->arena);

	put_word(words, change->has_description, "description");
	put_word(words, change->has_metadata, "metadata");
	put_word(words, change->has_tags || change->tags_added_count || change->tags_removed_count,
		 "tags");
	put_word(words, change->has_ttl, "ttl_s");
	return words;
}

/* A committed version of the job's: it looks at once, for its end may have changed. */
static timestamp_us look_at(const struct request *q, const struct artifact *v)
{
	if (v->state == ARTIFACT_PENDING)
		return (timestamp_us){ v->heard_at.us + ARTIFACT_DRAFT_KEPT_US };
	return q->now;
}

err_t artifact_edit(struct request *q, struct artifact_target *target,
		    const struct artifact_change *change)
{
	struct artifact *v;
	err_t e = artifact_target_source(q, ACCESS_WRITE, target);

	if (!e)
		e = lock(q, target);
	if (!e)
		e = artifact_store_find(q->db, target->artifact->project_id,
					target->artifact->artifact_id, &v);
	if (!e && (!v || v->state == ARTIFACT_DELETED))
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	if (!e)
		e = apply(q, change, v);
	if (!e)
		e = artifact_store_save(q->db, v, look_at(q, v));
	if (!e)
		e = artifact_store_find(q->db, v->project_id, v->artifact_id, &target->artifact);
	return e ? e : note(q, target, version_words(q, change));
}

/* ---- aliases ---------------------------------------------------------------------------------------- */

static struct buf *alias_words(struct request *q, const struct artifact_alias_change *change)
{
	struct buf *words = buf_new(q->arena);

	for (size_t i = 0; i < change->added_count; i++)
		buf_printf(words, "%salias %.*s", words->len ? ", " : "",
			   STR_ARG(change->added[i]));
	for (size_t i = 0; i < change->removed_count; i++)
		buf_printf(words, "%swithout alias %.*s", words->len ? ", " : "",
			   STR_ARG(change->removed[i]));
	return words;
}

static err_t save_aliases(struct request *q, const struct artifact_member *m,
			  const struct artifact_alias_change *change)
{
	struct artifact_aliases aliases = {
		.project_id = m->project_id,
		.collection_id = m->collection_id,
		.version = m->version,
		.aliases = change->removed,
		.count = change->removed_count,
		.now = q->now,
	};
	err_t e = auth_attributed_user(q, &aliases.user_id);

	if (!e)
		e = artifact_store_remove_aliases(q->db, &aliases);
	aliases.aliases = change->added;
	aliases.count = change->added_count;
	return e ? e : artifact_set_aliases(q, &aliases);
}

/* The member again, under the lock, and its version, which must be committed. */
static err_t read_member(struct request *q, struct artifact_target *t)
{
	struct artifact_member *now = NULL;
	err_t e;

	if (!t->member)
		return err_new(q->arena, ERR_CONFLICT, "the artifact has not been committed");
	e = artifact_store_find_member(q->db, t->member->project_id, t->member->collection_id,
				       t->member->version, &now);
	if (!e && !now)
		return err_new(q->arena, ERR_GONE, "the link was removed");
	if (!e)
		t->member = now;
	if (!e)
		e = artifact_store_find(q->db, t->member->source_id, t->member->artifact_id,
					&t->artifact);
	if (!e && !t->artifact)
		return err_new(q->arena, ERR_GONE, "the artifact was deleted");
	return e ? e : artifact_target_committed(q, t);
}

err_t artifact_edit_aliases(struct request *q, struct artifact_target *target,
			    const struct artifact_alias_change *change)
{
	const struct artifact_texts added = { change->added, change->added_count };
	err_t e = artifact_texts_check(q->arena, "aliases", &added, ARTIFACT_ALIASES_MAX,
				       artifact_alias_check);

	if (!e)
		e = lock(q, target);
	if (!e)
		e = read_member(q, target);
	if (!e)
		e = save_aliases(q, target->member, change);
	if (!e)
		e = read_member(q, target);
	return e ? e : note(q, target, alias_words(q, change));
}

/* ---- collections -------------------------------------------------------------------------------------- */

static err_t rename_to(struct request *q, struct artifact_collection *c, struct str name)
{
	struct artifact_collection *other;
	err_t e = artifact_name_check(q->arena, "name", name);

	if (!e)
		e = artifact_store_find_collection(q->db, c->project_id, name, &other);
	if (!e && other && other->collection_id != c->collection_id)
		return err_new(q->arena, ERR_CONFLICT,
			       "the project has an artifact \"%.*s\" already", STR_ARG(name));
	if (!e)
		c->name = name;
	return e;
}

/* A portfolio has links to versions of its type alone. */
static err_t move_type(struct request *q, struct artifact_collection *c, struct str type)
{
	int64_t links = 0;
	err_t e;

	if (str_equal(c->type, type))
		return NULL;
	if (c->kind == ARTIFACT_PORTFOLIO)
		e = artifact_store_count_members(q->db, c->project_id, c->collection_id, &links);
	else
		e = artifact_store_count_own_links(q->db, c->project_id, c->collection_id, &links);
	if (!e && links)
		return err_new(q->arena, ERR_CONFLICT,
			       "the type of \"%.*s\" cannot change: there are links of that type, "
			       "remove them first",
			       STR_ARG(c->name));
	if (!e)
		e = artifact_make_type(q, type, STR(""));
	if (!e)
		c->type = type;
	return e;
}

static err_t set_keeping(struct request *q, struct artifact_collection *c,
			 const struct artifact_collection_change *change)
{
	err_t e = NULL;

	if (!change->has_ttl && !change->has_keep_last)
		return NULL;
	if (c->kind == ARTIFACT_PORTFOLIO)
		return err_new(q->arena, ERR_CONFLICT,
			       "\"%.*s\" has links: they stay as long as their versions",
			       STR_ARG(c->name));
	if (change->has_ttl) {
		c->ttl_s = change->ttl_s == ARTIFACT_TTL_INHERIT ? ARTIFACT_TTL_NONE
								 : change->ttl_s;
		e = artifact_ttl_check(q->arena, "ttl_s", c->ttl_s);
		if (!e)
			e = artifact_upkeep_look_all(
				q->db, &(struct artifact_due){ c->project_id, c->collection_id, 0 },
				q->now);
	}
	if (!e && change->has_keep_last) {
		c->keep_last = change->keep_last;
		if (c->keep_last < 0 || c->keep_last > ARTIFACT_KEEP_LAST_MAX)
			return err_field(q->arena, ERR_INVALID, "keep_last", "expected 0 to %d",
					 ARTIFACT_KEEP_LAST_MAX);
	}
	return e ? e : artifact_store_look_collection(q->db, c, q->now);
}

static err_t apply_to_collection(struct request *q, struct artifact_collection *c,
				 const struct artifact_collection_change *change)
{
	const struct tag_change tags = {
		.has_all = change->has_tags,
		.all = { change->tags, change->tag_count },
		.added = { change->tags_added, change->tags_added_count },
		.removed = { change->tags_removed, change->tags_removed_count },
	};
	err_t e = NULL;

	if (change->has_name)
		e = rename_to(q, c, change->name);
	if (!e && change->has_type)
		e = move_type(q, c, change->type);
	if (!e && change->has_description) {
		c->description = change->description;
		e = artifact_description_check(q->arena, "description", c->description);
	}
	if (!e && changes_tags(&tags))
		e = apply_tags(q->arena, &tags, &c->tags);
	c->changed_at = q->now;
	return e ? e : set_keeping(q, c, change);
}

static struct buf *collection_words(struct request *q,
				    const struct artifact_collection_change *change)
{
	struct buf *words = buf_new(q->arena);

	if (change->has_name)
		buf_printf(words, "name %.*s", STR_ARG(change->name));
	put_word(words, change->has_type, "type");
	put_word(words, change->has_description, "description");
	put_word(words, change->has_tags || change->tags_added_count || change->tags_removed_count,
		 "tags");
	put_word(words, change->has_ttl, "ttl_s");
	put_word(words, change->has_keep_last, "keep_last");
	return words;
}

err_t artifact_edit_collection(struct request *q, struct artifact_target *target,
			       const struct artifact_collection_change *change)
{
	struct artifact_target before = { .collection = target->collection };
	err_t e = lock(q, target);

	if (!e)
		e = apply_to_collection(q, target->collection, change);
	if (!e)
		e = artifact_store_save_collection(q->db, target->collection);
	if (db_err_is(e, DB_UNIQUE_VIOLATION))
		return err_new(q->arena, ERR_CONFLICT,
			       "the project has an artifact \"%.*s\" already",
			       STR_ARG(change->name));
	return e ? e : note(q, &before, collection_words(q, change));
}
