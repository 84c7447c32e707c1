-- Statements of the artifact job: for drafts that were given up, versions that expire or were deleted, and their collections.

-- name: artifact_jobs_due
select project_id, collection_id, artifact_id from artifact where look_at <= $1 order by look_at limit $2;

-- name: artifact_collection_jobs_due
select project_id, collection_id, 0::int8 as artifact_id from artifact_collection where look_at <= $1 order by look_at limit $2;

-- name: artifact_is_due
-- Under the lock of its collection.
select exists (select from artifact where project_id = $1 and artifact_id = $2 and look_at <= $3) as there;

-- name: artifact_collection_is_due
select exists (select from artifact_collection where project_id = $1 and collection_id = $2 and look_at <= $3) as there;

-- name: artifact_look
update artifact
   set look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, $3::timestamptz, heard_at), 3)
 where project_id = $1 and artifact_id = $2;

-- name: artifact_look_all
-- The TTL of their collection may have changed.
update artifact
   set look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, $3::timestamptz, heard_at), 3)
 where project_id = $1 and collection_id = $2 and state = 2 and ttl_s is null and look_at is distinct from $3;

-- name: artifact_protection
-- Only links in projects of the same entity count: other entities cannot prevent a deletion.
select not exists (select from artifact n
                    where n.project_id = $1 and n.collection_id = $2 and n.state = 2 and n.version > $3) as is_newest,
       exists (select from artifact_member m
                 join artifact_collection c on c.project_id = m.project_id and c.collection_id = m.collection_id
                 join project p on p.project_id = m.project_id
                 join project own on own.project_id = $1 and own.entity_id = p.entity_id
                where m.source_id = $1 and m.artifact_id = $4 and m.collection_id <> $2
                  and c.deleted_at is null and p.deleted_at is null) as is_linked,
       (select count(*) from artifact_alias l
         where l.project_id = $1 and l.collection_id = $2 and l.version = $3 and l.alias <> 'latest') as other_aliases;

-- name: artifact_members_left
-- In collections of all projects, deleted ones too, in the order in which collections are locked.
select m.project_id, m.collection_id, m.version
  from artifact_member m
 where m.source_id = $1 and m.artifact_id = $2
 order by m.project_id, m.collection_id
 limit $3;

-- name: artifact_beyond
-- Versions beyond the last $3 that have no alias, after one.
select a.artifact_id as number
  from artifact a
 where a.project_id = $1 and a.collection_id = $2 and a.state = 2 and a.artifact_id > $4
   and not exists (select from artifact_alias l
                    where l.project_id = $1 and l.collection_id = $2 and l.version = a.version)
   and a.version < (select min(k.version)
                      from (select l.version from artifact l
                             where l.project_id = $1 and l.collection_id = $2 and l.state = 2
                             order by l.version desc
                             limit $3) k)
 order by a.artifact_id
 limit $5;

-- name: artifact_delete_all
-- Versions and drafts of a deleted collection, a portion of them.
update artifact
   set state = 3, deleted_at = $3, look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(3::int2, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row($3::timestamptz, $3::timestamptz, heard_at), 3)
 where project_id = $1 and collection_id = $2 and state < 3
   and artifact_id = any (array(select artifact_id from artifact
                                 where project_id = $1 and collection_id = $2 and state < 3
                                 order by artifact_id limit $4));

-- name: artifact_collection_begin
-- From here on it cannot be restored: it seems to have been deleted long ago.
update artifact_collection
   set deleted_at = deleted_at - interval '1 day',
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, deleted_name, look_at), 3)
        # hash_record_extended(row(deleted_at - interval '1 day', deleted_name, look_at), 3)
 where project_id = $1 and collection_id = $2 and deleted_at > $3::timestamptz - interval '1 day';

-- name: artifact_collection_clear_aliases
delete from artifact_alias
 where project_id = $1 and collection_id = $2
   and alias <= coalesce((select alias from artifact_alias where project_id = $1 and collection_id = $2
                           order by alias offset $3 - 1 limit 1), repeat(chr(1114111), 600));

-- name: artifact_collection_clear_members
delete from artifact_member
 where project_id = $1 and collection_id = $2
   and version <= coalesce((select version from artifact_member where project_id = $1 and collection_id = $2
                             order by version offset $3 - 1 limit 1), 2147483647);

-- name: artifact_gone
-- A deleted version keeps its row, for its id is in histories; a draft that was given up does not.
update artifact
   set manifest_id = null, look_at = null,
       row_sum = row_sum
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(state, version, digest, null::int8, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, null::timestamptz, heard_at), 3)
 where project_id = $1 and artifact_id = $2 and version is not null;

-- name: artifact_forget_draft
delete from artifact where project_id = $1 and artifact_id = $2 and version is null and state = 3;
