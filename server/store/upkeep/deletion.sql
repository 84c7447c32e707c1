-- Runs and projects that are deleted and may still be restored.

-- name: run_delete_hot
update run_hot set deleted_at = $2, purge_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at, purging), 2)
        # hash_record_extended(row($2::timestamptz, $3::timestamptz, purging), 2)
 where run_id = $1;

-- name: run_delete_info
update run
   set deleted_at = $3, deleted_who = $4, deleted_by = nullif($5::int8, 0), delete_reason = $6,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, deleted_who, deleted_by, delete_reason), 6)
        # hash_record_extended(row($3::timestamptz, $4::int2, nullif($5::int8, 0), $6::text), 6)
 where project_id = $1 and run_id = $2;

-- name: run_restore_hot
update run_hot set deleted_at = null, purge_at = null,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at, purging), 2)
        # hash_record_extended(row(null::timestamptz, null::timestamptz, purging), 2)
 where run_id = $1;

-- name: run_restore_info
update run
   set deleted_at = null, deleted_who = null, deleted_by = null, delete_reason = null,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, deleted_who, deleted_by, delete_reason), 6)
        # hash_record_extended(row(null::timestamptz, null::int2, null::int8, null::text), 6)
 where project_id = $1 and run_id = $2;

-- name: run_deleted_usage
-- Adds to the part of the project's size that deleted runs take.
update project_usage
   set deleted_bytes = greatest(deleted_bytes + $2::int8, 0),
       row_sum = coalesce(row_sum # hash_record_extended(row(project_id, size_bytes, deleted_bytes, heard_at), 0), 0)
        # hash_record_extended(row(project_id, size_bytes, greatest(deleted_bytes + $2::int8, 0), heard_at), 0)
 where project_id = $1;

-- name: run_deleted_list
-- Runs that may be restored, the latest first; $3, $4: after this place, $2: by the clock.
select r.run_id, r.deleted_at
  from run r
  join run_hot h on h.run_id = r.run_id and h.project_id = $1
 where r.project_id = $1 and r.deleted_at is not null and r.purged_at is null and h.purge_at > $2 and not h.purging
   and (r.deleted_at, r.run_id) < ($3::timestamptz, $4::int8)
 order by r.deleted_at desc, r.run_id desc
 limit $5;

-- name: project_contents
-- Counts runs and versions of a project that are not deleted, and the size of all its data.
select (select count(*) from run r where r.project_id = $1 and r.deleted_at is null) as runs,
       (select count(*)
          from artifact a
          join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
         where a.project_id = $1 and a.state = 2 and c.deleted_at is null) as versions,
       (select coalesce(sum(u.size_bytes), 0)::int8 from project_usage u where u.project_id = $1) as size_bytes;

-- name: project_links
-- Links of its versions in other projects.
select count(*) as links
  from artifact a
  join artifact_member m on m.source_id = $1 and m.artifact_id = a.artifact_id and m.project_id <> $1
  join artifact_collection c on c.project_id = m.project_id and c.collection_id = m.collection_id
  join project p on p.project_id = m.project_id
 where a.project_id = $1 and a.state = 2 and c.deleted_at is null and p.deleted_at is null;

-- name: project_delete
update project set deleted_at = $2, purge_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at), 4)
        # hash_record_extended(row($2::timestamptz, $3::timestamptz), 4)
 where project_id = $1 and deleted_at is null;

-- name: project_restore
-- No row when its time is over.
update project
   set deleted_at = null, purge_at = null,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at), 4)
        # hash_record_extended(row(null::timestamptz, null::timestamptz), 4)
 where project_id = $1 and deleted_at is not null and purge_at > $2 and purged_at is null;
