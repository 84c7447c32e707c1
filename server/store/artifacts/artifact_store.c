#include "artifact_store.h"

#include "store_sql.h"

/* ---- types and collections ---------------------------------------------------------------------- */

static const struct db_column type_columns[] = {
	DB_COLUMN(struct artifact_type, name),       DB_COLUMN(struct artifact_type, description),
	DB_COLUMN(struct artifact_type, created_at), DB_COLUMN(struct artifact_type, collections),
	DB_COLUMN(struct artifact_type, versions),   DB_COLUMN(struct artifact_type, size_bytes),
};
static const struct db_row_table type_table = DB_ROW_TABLE(struct artifact_type, type_columns);

static const struct db_column collection_columns[] = {
	DB_COLUMN(struct artifact_collection, project_id),
	DB_COLUMN(struct artifact_collection, collection_id),
	DB_COLUMN(struct artifact_collection, kind),
	DB_COLUMN(struct artifact_collection, name),
	DB_COLUMN(struct artifact_collection, type),
	DB_NULLABLE(struct artifact_collection, description),
	DB_JSON(struct artifact_collection, tags),
	DB_COLUMN(struct artifact_collection, ttl_s),
	DB_COLUMN(struct artifact_collection, keep_last),
	DB_COLUMN(struct artifact_collection, next_version),
	DB_COLUMN(struct artifact_collection, created_by),
	DB_NULLABLE(struct artifact_collection, user),
	DB_COLUMN(struct artifact_collection, created_at),
	DB_COLUMN(struct artifact_collection, changed_at),
	DB_NULLABLE(struct artifact_collection, deleted_at),
};
static const struct db_row_table collection_table =
	DB_ROW_TABLE(struct artifact_collection, collection_columns);

static const struct db_column sums_columns[] = {
	DB_COLUMN(struct artifact_collection_sums, collection_id),
	DB_COLUMN(struct artifact_collection_sums, versions),
	DB_COLUMN(struct artifact_collection_sums, size_bytes),
	DB_COLUMN(struct artifact_collection_sums, latest),
	DB_COLUMN(struct artifact_collection_sums, latest_at),
	DB_COLUMN(struct artifact_collection_sums, has_files),
	DB_COLUMN(struct artifact_collection_sums, latest_bytes),
	DB_COLUMN(struct artifact_collection_sums, latest_files),
	DB_JSON(struct artifact_collection_sums, aliases),
	DB_JSON(struct artifact_collection_sums, alias_versions),
};
static const struct db_row_table sums_table =
	DB_ROW_TABLE(struct artifact_collection_sums, sums_columns);

/* A text that may be NULL: .at == NULL. */
static struct db_param nullable(struct str text)
{
	struct db_param p = P_STR(text);

	p.null = !text.at;
	return p;
}

static struct db_param nullable_json(struct str text)
{
	struct db_param p = P_JSONB(text);

	p.null = !text.at;
	return p;
}

static struct db_param time_or_null(timestamp_us at)
{
	struct db_param p = P_TIME(at);

	p.null = !at.us;
	return p;
}

err_t artifact_store_make_type(struct db *db, int64_t project_id, const struct artifact_type *type)
{
	return db_exec(db, &STMT_artifact_type_make,
		       DB_ARGS(P_INT8(project_id), P_STR(type->name), P_STR(type->description),
			       P_TIME(type->created_at)),
		       NULL);
}

/* Whether private runs are seen, as a parameter. */
static struct db_param sees_private(enum artifact_sees sees)
{
	struct db_param p = P_BOOL(sees == ARTIFACT_SEES_PRIVATE);

	return p;
}

err_t artifact_store_find_type(struct db *db, const struct artifact_types_ask *ask, struct str name,
			       struct artifact_type **ret_type)
{
	return db_first(db, &STMT_artifact_type_find,
			DB_ARGS(P_INT8(ask->project_id), sees_private(ask->sees), P_STR(name)),
			&type_table, (void **)ret_type);
}

err_t artifact_store_list_types(struct db *db, const struct artifact_types_ask *ask,
				struct artifact_type **ret_types, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_type_list,
		      DB_ARGS(P_INT8(ask->project_id), sees_private(ask->sees), P_STR(ask->after),
			      P_INT8(ask->limit)),
		      &type_table, (void **)ret_types, ret_count);
}

err_t artifact_store_make_collection(struct db *db, const struct artifact_collection *c,
				     bool *ret_made)
{
	int64_t made;
	err_t e = db_exec(db, &STMT_artifact_collection_make,
			  DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_INT2(c->kind),
				  P_STR(c->name), P_STR(c->type), nullable(c->description),
				  P_JSONB(c->tags), P_INT8(c->ttl_s), P_INT4(c->keep_last),
				  P_INT8(c->created_by), P_TIME(c->created_at)),
			  &made);

	if (!e)
		*ret_made = made == 1;
	return e;
}

err_t artifact_store_find_collection(struct db *db, int64_t project_id, struct str name,
				     struct artifact_collection **ret_collection)
{
	return db_first(db, &STMT_artifact_collection_find,
			DB_ARGS(P_INT8(project_id), P_STR(name)), &collection_table,
			(void **)ret_collection);
}

err_t artifact_store_get_collection(struct db *db, int64_t project_id, int64_t collection_id,
				    struct artifact_collection **ret_collection)
{
	return db_first(db, &STMT_artifact_collection_get,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id)), &collection_table,
			(void **)ret_collection);
}

err_t artifact_store_shows_collection(struct db *db, const struct artifact_collection *c,
				      bool *ret_shows)
{
	int64_t shows;
	err_t e = db_number(db, &STMT_artifact_collection_is_shown,
			    DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id)), &shows);

	if (!e)
		*ret_shows = shows;
	return e;
}

err_t artifact_store_lock_collection(struct db *db, int64_t project_id, int64_t collection_id,
				     struct artifact_collection **ret_collection)
{
	return db_first(db, &STMT_artifact_collection_lock,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id)), &collection_table,
			(void **)ret_collection);
}

err_t artifact_store_save_collection(struct db *db, const struct artifact_collection *c)
{
	return db_exec(db, &STMT_artifact_collection_save,
		       DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_STR(c->name),
			       P_STR(c->type), nullable(c->description), P_JSONB(c->tags),
			       P_INT8(c->ttl_s), P_INT4(c->keep_last), P_TIME(c->changed_at)),
		       NULL);
}

err_t artifact_store_look_collection(struct db *db, const struct artifact_collection *c,
				     timestamp_us look_at)
{
	return db_exec(db, &STMT_artifact_collection_look,
		       DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id),
			       time_or_null(look_at)),
		       NULL);
}

err_t artifact_store_delete_collection(struct db *db, const struct artifact_collection *c,
				       timestamp_us now, timestamp_us look_at)
{
	return db_exec(db, &STMT_artifact_collection_delete,
		       DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_TIME(now),
			       P_TIME(look_at)),
		       NULL);
}

err_t artifact_store_restore_collection(struct db *db, const struct artifact_collection *c)
{
	return db_exec(db, &STMT_artifact_collection_restore,
		       DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id)), NULL);
}

static err_t list_by_name(struct db *db, const struct artifact_collections_ask *ask,
			  struct artifact_collection **ret_collections, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_collection_list_by_name,
		      DB_ARGS(P_INT8(ask->project_id), P_INT2(ask->kind), P_STR(ask->type),
			      nullable(ask->pattern), nullable_json(ask->names),
			      sees_private(ask->sees), P_BOOL(ask->descending),
			      P_BOOL(ask->has_after), P_STR(ask->after_name), P_INT8(ask->limit)),
		      &collection_table, (void **)ret_collections, ret_count);
}

err_t artifact_store_list_collections(struct db *db, const struct artifact_collections_ask *ask,
				      struct artifact_collection **ret_collections,
				      size_t *ret_count)
{
	if (ask->order == ARTIFACT_BY_NAME)
		return list_by_name(db, ask, ret_collections, ret_count);
	return db_all(db, &STMT_artifact_collection_list_by_time,
		      DB_ARGS(P_INT8(ask->project_id), P_INT2(ask->kind), P_STR(ask->type),
			      nullable(ask->pattern), nullable_json(ask->names),
			      sees_private(ask->sees), P_BOOL(ask->descending),
			      P_BOOL(ask->order == ARTIFACT_BY_CHANGED), P_BOOL(ask->has_after),
			      P_TIME(ask->after_time), P_INT8(ask->after_id), P_INT8(ask->limit)),
		      &collection_table, (void **)ret_collections, ret_count);
}

err_t artifact_store_count_collections(struct db *db, const struct artifact_collections_ask *ask,
				       int64_t *ret_count)
{
	return db_number(db, &STMT_artifact_collection_count,
			 DB_ARGS(P_INT8(ask->project_id), P_INT2(ask->kind), P_STR(ask->type),
				 nullable(ask->pattern), nullable_json(ask->names),
				 sees_private(ask->sees)),
			 ret_count);
}

err_t artifact_store_sum_collections(struct db *db, const struct artifact_sums_ask *ask,
				     struct artifact_collection_sums **ret_sums, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_collection_sums,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->collection_ids, ask->count),
			      sees_private(ask->sees)),
		      &sums_table, (void **)ret_sums, ret_count);
}

/* ---- versions ------------------------------------------------------------------------------------- */

static const struct db_column artifact_columns[] = {
	DB_COLUMN(struct artifact, project_id),
	DB_COLUMN(struct artifact, artifact_id),
	DB_COLUMN(struct artifact, collection_id),
	DB_COLUMN(struct artifact, collection),
	DB_COLUMN(struct artifact, type),
	DB_COLUMN(struct artifact, collection_ttl_s),
	DB_COLUMN(struct artifact, base_id),
	DB_NULLABLE(struct artifact, distributed),
	DB_NULLABLE(struct artifact, region),
	DB_COLUMN(struct artifact, has_history_step),
	DB_COLUMN(struct artifact, history_step),
	DB_COLUMN(struct artifact, run_id),
	DB_COLUMN(struct artifact, user_id),
	DB_NULLABLE(struct artifact, user),
	DB_COLUMN(struct artifact, created_at),
	DB_COLUMN(struct artifact, state),
	DB_COLUMN(struct artifact, has_version),
	DB_COLUMN(struct artifact, version),
	DB_COLUMN(struct artifact, digest),
	DB_COLUMN(struct artifact, manifest_id),
	DB_COLUMN(struct artifact, size_bytes),
	DB_COLUMN(struct artifact, file_count),
	DB_NULLABLE(struct artifact, committed_at),
	DB_JSON(struct artifact, asked),
	DB_NULLABLE(struct artifact, description),
	DB_NULLABLE(struct artifact, metadata),
	DB_JSON(struct artifact, tags),
	DB_JSON(struct artifact, aliases),
	DB_COLUMN(struct artifact, ttl_s),
	DB_COLUMN(struct artifact, changed_at),
	DB_COLUMN(struct artifact, heard_at),
	DB_NULLABLE(struct artifact, deleted_at),
	DB_COLUMN(struct artifact, is_private),
};
static const struct db_row_table artifact_table = DB_ROW_TABLE(struct artifact, artifact_columns);

err_t artifact_store_find(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_find, DB_ARGS(P_INT8(project_id), P_INT8(artifact_id)),
			&artifact_table, (void **)ret_artifact);
}

err_t artifact_store_hold(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_hold, DB_ARGS(P_INT8(project_id), P_INT8(artifact_id)),
			&artifact_table, (void **)ret_artifact);
}

err_t artifact_store_lock(struct db *db, int64_t project_id, int64_t artifact_id,
			  struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_lock, DB_ARGS(P_INT8(project_id), P_INT8(artifact_id)),
			&artifact_table, (void **)ret_artifact);
}

err_t artifact_store_list_ids(struct db *db, int64_t project_id, const int64_t *artifact_ids,
			      size_t count, struct artifact **ret_artifacts, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_list_ids,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, artifact_ids, count)),
		      &artifact_table, (void **)ret_artifacts, ret_count);
}

static const struct db_column node_columns[] = {
	DB_COLUMN(struct artifact, project_id),  DB_COLUMN(struct artifact, artifact_id),
	DB_COLUMN(struct artifact, collection),  DB_COLUMN(struct artifact, type),
	DB_COLUMN(struct artifact, created_at),  DB_COLUMN(struct artifact, state),
	DB_COLUMN(struct artifact, has_version), DB_COLUMN(struct artifact, version),
	DB_COLUMN(struct artifact, size_bytes),  DB_JSON(struct artifact, aliases),
};
static const struct db_row_table node_table = DB_ROW_TABLE(struct artifact, node_columns);

err_t artifact_store_list_nodes(struct db *db, const struct artifact_nodes_ask *ask,
				struct artifact **ret_artifacts, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_list_nodes,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->artifact_ids, ask->count),
			      P_INT8(ask->limit), sees_private(ask->sees)),
		      &node_table, (void **)ret_artifacts, ret_count);
}

struct id_row {
	int64_t number;
};
static const struct db_column id_columns[] = { DB_COLUMN(struct id_row, number) };
static const struct db_row_table id_table = DB_ROW_TABLE(struct id_row, id_columns);

err_t artifact_store_list_committed(struct db *db, const struct artifact_nodes_ask *ask,
				    int64_t **ret_ids, size_t *ret_count)
{
	_Static_assert(sizeof(struct id_row) == sizeof(int64_t), "rows are numbers");

	return db_all(db, &STMT_artifact_list_committed,
		      DB_ARGS(P_INT8(ask->project_id),
			      P_ARRAY(DB_INT8_ARRAY, ask->artifact_ids, ask->count),
			      sees_private(ask->sees)),
		      &id_table, (void **)ret_ids, ret_count);
}

err_t artifact_store_list_numbers(struct db *db, const struct artifact_collection *c, int64_t after,
				  int64_t limit, int64_t **ret_ids, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_numbers_of,
		      DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_INT8(after),
			      P_INT8(limit)),
		      &id_table, (void **)ret_ids, ret_count);
}

err_t artifact_store_find_draft(struct db *db, int64_t project_id, int64_t collection_id,
				struct str distributed, struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_find_draft,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id), P_STR(distributed)),
			&artifact_table, (void **)ret_artifact);
}

err_t artifact_store_find_newest(struct db *db, int64_t project_id, int64_t collection_id,
				 enum artifact_sees sees, struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_find_newest,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id), sees_private(sees)),
			&artifact_table, (void **)ret_artifact);
}

err_t artifact_store_had_newer(struct db *db, const struct artifact *version, timestamp_us at,
			       bool *ret_had)
{
	int64_t had;
	err_t e = db_number(db, &STMT_artifact_had_newer,
			    DB_ARGS(P_INT8(version->project_id), P_INT8(version->collection_id),
				    P_INT4(version->version), P_TIME(at)),
			    &had);

	if (!e)
		*ret_had = had;
	return e;
}

err_t artifact_store_find_digest(struct db *db, int64_t project_id, int64_t collection_id,
				 struct str digest, struct artifact **ret_artifact)
{
	return db_first(db, &STMT_artifact_find_digest,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id), P_STR(digest)),
			&artifact_table, (void **)ret_artifact);
}

static timestamp_us draft_end(timestamp_us heard_at)
{
	return (timestamp_us){ heard_at.us + ARTIFACT_DRAFT_KEPT_US };
}

err_t artifact_store_insert(struct db *db, const struct artifact *v)
{
	struct db_param step = P_INT8(v->history_step);

	step.null = !v->has_history_step;
	return db_exec(db, &STMT_artifact_insert,
		       DB_ARGS(P_INT8(v->project_id), P_INT8(v->artifact_id),
			       P_INT8(v->collection_id), P_INT8(v->base_id),
			       P_STR_OR_NULL(v->distributed), P_STR_OR_NULL(v->region), step,
			       P_INT8(v->run_id), P_INT8(v->user_id), P_TIME(v->created_at),
			       P_STR(v->digest), P_JSONB(v->asked), nullable(v->description),
			       nullable(v->metadata), P_JSONB(v->tags), P_INT8(v->ttl_s),
			       P_TIME(draft_end(v->created_at))),
		       NULL);
}

err_t artifact_store_hear(struct db *db, const struct artifact *draft, timestamp_us now,
			  bool *ret_is_draft)
{
	int64_t count;
	err_t e = db_exec(db, &STMT_artifact_hear,
			  DB_ARGS(P_INT8(draft->project_id), P_INT8(draft->artifact_id),
				  P_TIME(now), P_TIME(draft_end(now))),
			  &count);

	if (!e)
		*ret_is_draft = count == 1;
	return e;
}

err_t artifact_store_ask(struct db *db, const struct artifact *draft, struct str asked)
{
	return db_exec(db, &STMT_artifact_ask,
		       DB_ARGS(P_INT8(draft->project_id), P_INT8(draft->artifact_id),
			       P_JSONB(asked)),
		       NULL);
}

err_t artifact_store_commit(struct db *db, const struct artifact *v, timestamp_us look_at)
{
	const struct artifact_member member = {
		.project_id = v->project_id,
		.collection_id = v->collection_id,
		.version = v->version,
		.source_id = v->project_id,
		.artifact_id = v->artifact_id,
		.added_by = v->user_id,
		.added_at = v->committed_at,
	};
	err_t e = db_exec(db, &STMT_artifact_commit,
			  DB_ARGS(P_INT8(v->project_id), P_INT8(v->artifact_id), P_INT4(v->version),
				  P_STR(v->digest), P_INT8(v->manifest_id), P_INT8(v->size_bytes),
				  P_INT8(v->file_count), P_TIME(v->committed_at),
				  time_or_null(look_at)),
			  NULL);

	return e ? e : artifact_store_add_member(db, &member);
}

err_t artifact_store_save(struct db *db, const struct artifact *v, timestamp_us look_at)
{
	return db_exec(db, &STMT_artifact_save,
		       DB_ARGS(P_INT8(v->project_id), P_INT8(v->artifact_id),
			       nullable(v->description), nullable(v->metadata), P_JSONB(v->tags),
			       P_INT8(v->ttl_s), P_TIME(v->changed_at), time_or_null(look_at)),
		       NULL);
}

static err_t mark(struct db *db, const struct artifact *v, enum artifact_state state,
		  timestamp_us look_at)
{
	return db_exec(db, &STMT_artifact_mark,
		       DB_ARGS(P_INT8(v->project_id), P_INT8(v->artifact_id), P_INT2(state),
			       P_JSONB(v->asked), time_or_null(v->deleted_at),
			       time_or_null(look_at)),
		       NULL);
}

err_t artifact_store_delete(struct db *db, const struct artifact *artifact, timestamp_us look_at)
{
	return mark(db, artifact, ARTIFACT_DELETED, look_at);
}

err_t artifact_store_restore(struct db *db, const struct artifact *artifact, timestamp_us look_at)
{
	struct artifact restored = *artifact;

	restored.asked = STR("[]");
	restored.deleted_at = (timestamp_us){ 0 };
	return mark(db, &restored, ARTIFACT_COMMITTED, look_at);
}

static const struct db_column size_columns[] = {
	DB_COLUMN(struct artifact_size, artifact_id),
	DB_COLUMN(struct artifact_size, size_bytes),
};
static const struct db_row_table size_table = DB_ROW_TABLE(struct artifact_size, size_columns);

static err_t list(struct db *db, const struct db_stmt *stmt,
		  const struct artifact_versions_ask *ask, const struct db_row_table *table,
		  void **ret_rows, size_t *ret_count)
{
	return db_all(db, stmt,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->collection_id), P_STR(ask->type),
			      P_BOOL(ask->committed_only), P_STR(ask->alias), P_STR(ask->tag),
			      P_STR(ask->digest), P_INT8(ask->run_id), P_STR(ask->jsonpath),
			      sees_private(ask->sees), P_BOOL(ask->oldest_first),
			      P_BOOL(ask->has_after), P_TIME(ask->after_time),
			      P_INT8(ask->after_id), P_INT8(ask->limit)),
		      table, ret_rows, ret_count);
}

err_t artifact_store_list(struct db *db, const struct artifact_versions_ask *ask,
			  struct artifact **ret_artifacts, size_t *ret_count)
{
	return list(db, &STMT_artifact_list, ask, &artifact_table, (void **)ret_artifacts,
		    ret_count);
}

err_t artifact_store_list_sizes(struct db *db, const struct artifact_versions_ask *ask,
				struct artifact_size **ret_sizes, size_t *ret_count)
{
	return list(db, &STMT_artifact_list_sizes, ask, &size_table, (void **)ret_sizes, ret_count);
}

err_t artifact_store_find_sizes(struct db *db, int64_t project_id, const int64_t *artifact_ids,
				size_t count, struct artifact_size **ret_sizes, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_find_sizes,
		      DB_ARGS(P_INT8(project_id), P_ARRAY(DB_INT8_ARRAY, artifact_ids, count)),
		      &size_table, (void **)ret_sizes, ret_count);
}

err_t artifact_store_count(struct db *db, const struct artifact_versions_ask *ask,
			   int64_t *ret_count)
{
	return db_number(db, &STMT_artifact_count,
			 DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->collection_id),
				 P_STR(ask->type), P_BOOL(ask->committed_only), P_STR(ask->alias),
				 P_STR(ask->tag), P_STR(ask->digest), P_INT8(ask->run_id),
				 P_STR(ask->jsonpath), sees_private(ask->sees)),
			 ret_count);
}

/* ---- client ids ------------------------------------------------------------------------------------ */

static const struct db_column client_columns[] = {
	DB_COLUMN(struct artifact_client, client),
	DB_COLUMN(struct artifact_client, kind),
	DB_COLUMN(struct artifact_client, project_id),
	DB_COLUMN(struct artifact_client, target_id),
};
static const struct db_row_table client_table =
	DB_ROW_TABLE(struct artifact_client, client_columns);

err_t artifact_store_find_client(struct db *db, enum artifact_client_kind kind, struct str client,
				 struct artifact_client **ret_client)
{
	return db_first(db, &STMT_artifact_client_find, DB_ARGS(P_STR(client), P_INT2(kind)),
			&client_table, (void **)ret_client);
}

err_t artifact_store_save_client(struct db *db, const struct artifact_client *client,
				 timestamp_us now, struct artifact_client **ret_client)
{
	err_t e = db_exec(db, &STMT_artifact_client_save,
			  DB_ARGS(P_STR(client->client), P_INT2(client->kind),
				  P_INT8(client->project_id), P_INT8(client->target_id),
				  P_TIME(now), P_INT8(client->replaces)),
			  NULL);

	if (e)
		return e;
	return artifact_store_find_client(db, (enum artifact_client_kind)client->kind,
					  client->client, ret_client);
}

/* ---- members --------------------------------------------------------------------------------------- */

static const struct db_column member_columns[] = {
	DB_COLUMN(struct artifact_member, project_id),
	DB_COLUMN(struct artifact_member, collection_id),
	DB_COLUMN(struct artifact_member, version),
	DB_COLUMN(struct artifact_member, source_id),
	DB_COLUMN(struct artifact_member, artifact_id),
	DB_COLUMN(struct artifact_member, added_by),
	DB_COLUMN(struct artifact_member, added_at),
	DB_COLUMN(struct artifact_member, kind),
	DB_COLUMN(struct artifact_member, collection),
	DB_COLUMN(struct artifact_member, type),
	DB_COLUMN(struct artifact_member, entity),
	DB_COLUMN(struct artifact_member, project),
	DB_JSON(struct artifact_member, aliases),
};
static const struct db_row_table member_table =
	DB_ROW_TABLE(struct artifact_member, member_columns);

err_t artifact_store_find_member(struct db *db, int64_t project_id, int64_t collection_id,
				 int32_t version, struct artifact_member **ret_member)
{
	return db_first(db, &STMT_artifact_member_find,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id), P_INT4(version)),
			&member_table, (void **)ret_member);
}

err_t artifact_store_resolve(struct db *db, const struct artifact_collection *c, struct str alias,
			     enum artifact_sees sees, struct artifact_member **ret_member)
{
	int32_t version;
	err_t e;

	if (artifact_version_read(alias, &version))
		return artifact_store_find_member(db, c->project_id, c->collection_id, version,
						  ret_member);
	e = db_first(db, &STMT_artifact_resolve,
		     DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id), P_STR(alias),
			     sees_private(sees)),
		     &member_table, (void **)ret_member);
	if (e || *ret_member || !str_is(alias, ARTIFACT_LATEST))
		return e;
	return db_first(db, &STMT_artifact_member_newest,
			DB_ARGS(P_INT8(c->project_id), P_INT8(c->collection_id),
				sees_private(sees)),
			&member_table, (void **)ret_member);
}

err_t artifact_store_find_link(struct db *db, int64_t project_id, int64_t collection_id,
			       int64_t source_id, int64_t artifact_id,
			       struct artifact_member **ret_member)
{
	return db_first(db, &STMT_artifact_member_link,
			DB_ARGS(P_INT8(project_id), P_INT8(collection_id), P_INT8(source_id),
				P_INT8(artifact_id)),
			&member_table, (void **)ret_member);
}

err_t artifact_store_list_members(struct db *db, const struct artifact_members_ask *ask,
				  struct artifact_member **ret_members, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_member_list,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->collection_id),
			      P_BOOL(ask->descending), P_BOOL(ask->has_after), P_INT4(ask->after),
			      P_INT8(ask->limit)),
		      &member_table, (void **)ret_members, ret_count);
}

err_t artifact_store_count_members(struct db *db, int64_t project_id, int64_t collection_id,
				   int64_t *ret_count)
{
	return db_number(db, &STMT_artifact_member_count,
			 DB_ARGS(P_INT8(project_id), P_INT8(collection_id)), ret_count);
}

err_t artifact_store_list_memberships(struct db *db, int64_t source_id, int64_t artifact_id,
				      int64_t limit, struct artifact_member **ret_members,
				      size_t *ret_count)
{
	return db_all(db, &STMT_artifact_members_of,
		      DB_ARGS(P_INT8(source_id), P_INT8(artifact_id), P_INT8(limit)), &member_table,
		      (void **)ret_members, ret_count);
}

err_t artifact_store_list_links(struct db *db, int64_t project_id, int64_t collection_id,
				int64_t limit, struct artifact_member **ret_members,
				size_t *ret_count)
{
	return db_all(db, &STMT_artifact_links_of,
		      DB_ARGS(P_INT8(project_id), P_INT8(collection_id), P_INT8(limit)),
		      &member_table, (void **)ret_members, ret_count);
}

err_t artifact_store_count_own_links(struct db *db, int64_t project_id, int64_t collection_id,
				     int64_t *ret_count)
{
	return db_number(db, &STMT_artifact_links_count_own,
			 DB_ARGS(P_INT8(project_id), P_INT8(collection_id)), ret_count);
}

err_t artifact_store_add_member(struct db *db, const struct artifact_member *m)
{
	err_t e = db_exec(db, &STMT_artifact_member_add,
			  DB_ARGS(P_INT8(m->project_id), P_INT8(m->collection_id),
				  P_INT4(m->version), P_INT8(m->source_id), P_INT8(m->artifact_id),
				  P_INT8(m->added_by), P_TIME(m->added_at)),
			  NULL);

	if (e)
		return e;
	return db_exec(db, &STMT_artifact_collection_next,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->collection_id),
			       P_INT4(m->version + 1)),
		       NULL);
}

err_t artifact_store_remove_member(struct db *db, const struct artifact_member *m)
{
	const struct artifact_aliases all = {
		.project_id = m->project_id,
		.collection_id = m->collection_id,
		.version = m->version,
	};
	struct str gone;
	err_t e = artifact_store_clear_aliases(db, &all, &gone);

	if (e)
		return e;
	return db_exec(db, &STMT_artifact_member_remove,
		       DB_ARGS(P_INT8(m->project_id), P_INT8(m->collection_id), P_INT4(m->version)),
		       NULL);
}

/* ---- aliases ---------------------------------------------------------------------------------------- */

struct aliases_row {
	struct str aliases;
};
static const struct db_column aliases_columns[] = { DB_JSON(struct aliases_row, aliases) };
static const struct db_row_table aliases_table = DB_ROW_TABLE(struct aliases_row, aliases_columns);

static const struct db_column alias_columns[] = {
	DB_COLUMN(struct artifact_alias, alias),
	DB_COLUMN(struct artifact_alias, version),
	DB_COLUMN(struct artifact_alias, set_at),
};
static const struct db_row_table alias_table = DB_ROW_TABLE(struct artifact_alias, alias_columns);

err_t artifact_store_set_aliases(struct db *db, const struct artifact_aliases *s)
{
	if (!s->count)
		return NULL;
	return db_exec(db, &STMT_artifact_alias_set,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->collection_id),
			       P_ARRAY(DB_TEXT_ARRAY, s->aliases, s->count), P_INT4(s->version),
			       P_INT8(s->user_id), P_TIME(s->now)),
		       NULL);
}

err_t artifact_store_count_aliases(struct db *db, const struct artifact_aliases *s,
				   int64_t *ret_count)
{
	return db_number(db, &STMT_artifact_alias_count,
			 DB_ARGS(P_INT8(s->project_id), P_INT8(s->collection_id),
				 P_INT4(s->version)),
			 ret_count);
}

err_t artifact_store_remove_aliases(struct db *db, const struct artifact_aliases *s)
{
	if (!s->count)
		return NULL;
	return db_exec(db, &STMT_artifact_alias_remove,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->collection_id),
			       P_ARRAY(DB_TEXT_ARRAY, s->aliases, s->count), P_INT4(s->version)),
		       NULL);
}

err_t artifact_store_clear_aliases(struct db *db, const struct artifact_aliases *s,
				   struct str *ret_aliases)
{
	struct aliases_row *row;
	err_t e = db_first(db, &STMT_artifact_alias_clear,
			   DB_ARGS(P_INT8(s->project_id), P_INT8(s->collection_id),
				   P_INT4(s->version)),
			   &aliases_table, (void **)&row);

	if (!e)
		*ret_aliases = row->aliases;
	return e;
}

err_t artifact_store_set_free_aliases(struct db *db, const struct artifact_aliases *s,
				      struct str names)
{
	return db_exec(db, &STMT_artifact_alias_set_free,
		       DB_ARGS(P_INT8(s->project_id), P_INT8(s->collection_id), P_JSONB(names),
			       P_INT4(s->version), P_INT8(s->user_id), P_TIME(s->now)),
		       NULL);
}

err_t artifact_store_list_aliases(struct db *db, const struct artifact_aliases_ask *ask,
				  struct artifact_alias **ret_aliases, size_t *ret_count)
{
	return db_all(db, &STMT_artifact_alias_list,
		      DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->collection_id),
			      P_STR(ask->after), P_INT8(ask->limit), sees_private(ask->sees)),
		      &alias_table, (void **)ret_aliases, ret_count);
}

/* ---- the owner of a link ------------------------------------------------------------------------------ */

static const struct db_column owner_columns[] = {
	DB_COLUMN(struct artifact_owner, entity_id),  DB_COLUMN(struct artifact_owner, entity),
	DB_COLUMN(struct artifact_owner, project_id), DB_COLUMN(struct artifact_owner, project),
	DB_COLUMN(struct artifact_owner, visibility), DB_COLUMN(struct artifact_owner, is_known),
	DB_COLUMN(struct artifact_owner, is_admin),   DB_COLUMN(struct artifact_owner, role),
	DB_COLUMN(struct artifact_owner, scope),
};
static const struct db_row_table owner_table = DB_ROW_TABLE(struct artifact_owner, owner_columns);

static const struct db_column place_columns[] = {
	DB_COLUMN(struct artifact_place, project_id),
	DB_COLUMN(struct artifact_place, entity),
	DB_COLUMN(struct artifact_place, project),
	DB_COLUMN(struct artifact_place, is_deleted),
};
static const struct db_row_table place_table = DB_ROW_TABLE(struct artifact_place, place_columns);

err_t artifact_store_owner(struct db *db, const struct artifact_owner_ask *ask,
			   struct artifact_owner **ret_owner)
{
	return db_first(db, &STMT_artifact_owner,
			DB_ARGS(P_INT8(ask->project_id), P_INT8(ask->user_id), P_INT8(ask->key_id),
				P_STR(ask->session), P_TIME(ask->now)),
			&owner_table, (void **)ret_owner);
}

err_t artifact_store_place(struct db *db, int64_t project_id, struct artifact_place **ret_place)
{
	return db_first(db, &STMT_artifact_place, DB_ARGS(P_INT8(project_id)), &place_table,
			(void **)ret_place);
}

const struct db_stmt_check artifact_store_checks[] = {
	{ &STMT_artifact_type_find, &type_table },
	{ &STMT_artifact_type_list, &type_table },
	{ &STMT_artifact_collection_find, &collection_table },
	{ &STMT_artifact_collection_get, &collection_table },
	{ &STMT_artifact_collection_is_shown, &db_number_table },
	{ &STMT_artifact_collection_lock, &collection_table },
	{ &STMT_artifact_collection_list_by_name, &collection_table },
	{ &STMT_artifact_collection_list_by_time, &collection_table },
	{ &STMT_artifact_collection_count, &db_number_table },
	{ &STMT_artifact_collection_sums, &sums_table },
	{ &STMT_artifact_find, &artifact_table },
	{ &STMT_artifact_hold, &artifact_table },
	{ &STMT_artifact_lock, &artifact_table },
	{ &STMT_artifact_had_newer, &db_number_table },
	{ &STMT_artifact_list_ids, &artifact_table },
	{ &STMT_artifact_list_nodes, &node_table },
	{ &STMT_artifact_list_committed, &id_table },
	{ &STMT_artifact_find_draft, &artifact_table },
	{ &STMT_artifact_find_newest, &artifact_table },
	{ &STMT_artifact_find_digest, &artifact_table },
	{ &STMT_artifact_list, &artifact_table },
	{ &STMT_artifact_count, &db_number_table },
	{ &STMT_artifact_client_find, &client_table },
	{ &STMT_artifact_resolve, &member_table },
	{ &STMT_artifact_member_newest, &member_table },
	{ &STMT_artifact_member_find, &member_table },
	{ &STMT_artifact_member_link, &member_table },
	{ &STMT_artifact_member_list, &member_table },
	{ &STMT_artifact_member_count, &db_number_table },
	{ &STMT_artifact_members_of, &member_table },
	{ &STMT_artifact_links_of, &member_table },
	{ &STMT_artifact_links_count_own, &db_number_table },
	{ &STMT_artifact_numbers_of, &id_table },
	{ &STMT_artifact_list_sizes, &size_table },
	{ &STMT_artifact_find_sizes, &size_table },
	{ &STMT_artifact_alias_count, &db_number_table },
	{ &STMT_artifact_alias_clear, &aliases_table },
	{ &STMT_artifact_alias_list, &alias_table },
	{ &STMT_artifact_owner, &owner_table },
	{ &STMT_artifact_place, &place_table },
};
const size_t artifact_store_check_count = sizeof(artifact_store_checks) /
					  sizeof(artifact_store_checks[0]);
