-- Content of artifacts: blobs, uploads of drafts, and files that come in parts.

-- name: blob_put
-- Content that the project has already is kept, and not looked at: the caller gives it a name in the same transaction.
-- No row: the number is that of other content. blob_id is by content, so one unique index holds both: with another one,
-- transactions that insert the same content at the same time would fail.
insert into artifact_blob (project_id, blob_id, content, md5, size_bytes, birth_id, came_at, counted, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, false,
        hash_record_extended(row($1::int8, $2::int8, $3::bytea, $4::bytea, $5::int8, $6::int8, $7::timestamptz), 0)
         # hash_record_extended(row(null::timestamptz, false), 1))
on conflict (project_id, blob_id) do update
   set look_at = null,
       row_sum = artifact_blob.row_sum
        # hash_record_extended(row(artifact_blob.look_at, artifact_blob.counted), 1)
        # hash_record_extended(row(null::timestamptz, artifact_blob.counted), 1)
 where artifact_blob.content = excluded.content
returning blob_id;

-- part: blobs
select b.blob_id, b.content, b.md5, b.size_bytes, b.birth_id, b.came_at

-- name: blob_find
-- use: blobs
  from artifact_blob b
 where b.project_id = $1 and b.blob_id = $2;

-- name: blob_find_md5
-- use: blobs
  from artifact_blob b
 where b.project_id = $1 and b.md5 = any($2)
 order by b.md5, b.blob_id;

-- name: blob_find_elsewhere
-- One blob of each content. $5: that a committed version has.
select distinct on (b.content) b.blob_id, b.content, b.md5, b.size_bytes, b.birth_id, b.came_at
  from project p
  join artifact_blob b on b.project_id = p.project_id
 where p.entity_id = $1 and p.project_id <> $2 and p.deleted_at is null and ($3::bool or p.visibility = 2)
   and b.md5 = any($4)
   and (not $5::bool
        or exists (select from artifact_entry e
                     join artifact_manifest m on m.project_id = p.project_id and m.manifest_id = e.manifest_id
                     join artifact a on a.project_id = p.project_id and a.artifact_id = m.artifact_id
                                    and a.manifest_id = e.manifest_id and a.state = 2
                     join artifact_collection c on c.project_id = p.project_id and c.collection_id = a.collection_id
                                               and c.deleted_at is null
                    where e.project_id = p.project_id and e.blob_id = b.blob_id
                      and ($3 or not exists (select from run r where r.project_id = p.project_id and r.run_id = a.run_id
                                                and r.visibility = 1))))
 order by b.content, b.blob_id;

-- part: blob_look
update artifact_blob b
   set look_at = greatest(b.look_at, $3::timestamptz),
       row_sum = b.row_sum
        # hash_record_extended(row(b.look_at, b.counted), 1)
        # hash_record_extended(row(greatest(b.look_at, $3::timestamptz), b.counted), 1)
  from held
 where b.project_id = $1 and b.blob_id = held.blob_id

-- name: blob_hold
-- Holds blobs that are to be looked at sooner. They are locked in order, for other transactions may lock some of the same.
with held as materialized (
	select blob_id from artifact_blob
	 where project_id = $1 and md5 = any($2) and look_at < $3
	 order by blob_id
	   for update)
-- use: blob_look
;

-- name: blob_look_later
with held as materialized (
	select blob_id from artifact_blob where project_id = $1 and blob_id = any($2) order by blob_id for update)
-- use: blob_look
;

-- ---- what a draft has ----

-- name: upload_save
insert into artifact_upload (project_id, artifact_id, path, blob_id, came_at, row_sum)
select $1::int8, $2::int8, n.path, n.blob_id, $5::timestamptz,
       hash_record_extended(row($1::int8, $2::int8, n.path, n.blob_id, $5::timestamptz), 0)
  from unnest($3::text[], $4::int8[]) n (path, blob_id)
on conflict (project_id, artifact_id, path) do update
   set blob_id = excluded.blob_id, came_at = excluded.came_at, row_sum = excluded.row_sum;

-- name: upload_hold_draft
-- A commit waits for those that hold the draft, and they for it. The row is read again after the wait.
select a.state from artifact a where a.project_id = $1 and a.artifact_id = $2 for share;

-- part: uploads
select u.path, u.blob_id, b.md5, b.content, b.size_bytes, b.birth_id
  from artifact_upload u
  join artifact_blob b on b.project_id = $1 and b.blob_id = u.blob_id

-- name: upload_list
-- use: uploads
 where u.project_id = $1 and u.artifact_id = $2 and u.path > $3
 order by u.path
 limit $4;

-- name: upload_count
-- At most $3.
select count(*) as number
  from (select from artifact_upload u where u.project_id = $1 and u.artifact_id = $2 limit $3) u;

-- name: upload_find
-- use: uploads
 where u.project_id = $1 and u.artifact_id = $2 and u.path = any($3)
 order by u.path;

-- name: upload_drop
delete from artifact_upload where project_id = $1 and artifact_id = $2 and path = any($3) returning blob_id;

-- name: upload_purge
delete from artifact_upload
 where project_id = $1 and artifact_id = $2
   and path <= coalesce((select path from artifact_upload where project_id = $1 and artifact_id = $2
                          order by path offset $3 - 1 limit 1), repeat(chr(1114111), 600))
returning blob_id;

-- ---- files in parts ----

-- name: multipart_make
insert into artifact_multipart (project_id, upload_id, artifact_id, path, md5, part_count, state, heard_at, row_sum)
values ($1, $2, $3, $4, $5, $6, 1, $7,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::text, $5::bytea, $6::int4), 0)
         # hash_record_extended(row(1::int2, null::int8, $7::timestamptz), 1));

-- part: multiparts
select m.project_id, m.upload_id, m.artifact_id, m.path, m.md5, m.part_count, m.state, coalesce(m.blob_id, 0::int8) as blob_id,
       m.heard_at
  from artifact_multipart m

-- name: multipart_find
-- use: multiparts
 where m.project_id = $1 and m.upload_id = $2;

-- name: multipart_lock
-- use: multiparts
 where m.project_id = $1 and m.upload_id = $2
   for update;

-- name: multipart_find_of
-- use: multiparts
 where m.project_id = $1 and m.artifact_id = $2 and m.path = $3 and m.md5 = $4 and m.part_count = $5
 order by m.upload_id desc
 limit 1;

-- name: multipart_find_like
-- Also of other drafts: one that broke off and is sent again is another draft.
-- use: multiparts
 where m.project_id = $1 and m.path = $3 and m.md5 = $4 and m.part_count = $5 and m.state = 1
   and exists (select from artifact a where a.project_id = $1 and a.artifact_id = m.artifact_id and a.state = 1)
 order by m.artifact_id = $2 desc, m.heard_at desc
 limit 1;

-- name: multipart_count_open
select count(*) as number from artifact_multipart m where m.project_id = $1 and m.artifact_id = $2 and m.state < 3;

-- name: multipart_save
update artifact_multipart
   set state = $4, blob_id = nullif($5::int8, 0), heard_at = $6,
       row_sum = row_sum
        # hash_record_extended(row(state, blob_id, heard_at), 1)
        # hash_record_extended(row($4::int2, nullif($5::int8, 0), $6::timestamptz), 1)
 where project_id = $1 and upload_id = $2 and state = $3;

-- name: multipart_heard
update artifact_multipart
   set heard_at = greatest(heard_at, $3),
       row_sum = row_sum
        # hash_record_extended(row(state, blob_id, heard_at), 1)
        # hash_record_extended(row(state, blob_id, greatest(heard_at, $3::timestamptz)), 1)
 where project_id = $1 and upload_id = $2;

-- name: multipart_list_of
-- use: multiparts
 where m.project_id = $1 and m.artifact_id = $2
 limit $3;

-- name: multipart_due
-- use: multiparts
 where m.heard_at < $1
 order by m.heard_at
 limit $2;

-- name: multipart_delete
delete from artifact_multipart m
 where m.project_id = $1 and m.upload_id = $2
   and not exists (select from artifact_part p where p.project_id = $1 and p.upload_id = $2);

-- part: parts
select p.part, p.content, p.md5, p.size_bytes from artifact_part p

-- name: part_find
-- use: parts
 where p.project_id = $1 and p.upload_id = $2 and p.part = $3;

-- name: part_put
insert into artifact_part (project_id, upload_id, part, content, md5, size_bytes, row_sum)
values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::int8, $3::int4, $4::bytea, $5::bytea, $6::int8), 0))
on conflict (project_id, upload_id, part) do update
   set content = excluded.content, md5 = excluded.md5, size_bytes = excluded.size_bytes, row_sum = excluded.row_sum;

-- name: part_list
-- use: parts
 where p.project_id = $1 and p.upload_id = $2 and p.part > $3
 order by p.part
 limit $4;

-- name: part_purge
delete from artifact_part
 where project_id = $1 and upload_id = $2
   and part <= coalesce((select part from artifact_part where project_id = $1 and upload_id = $2
                          order by part offset $3 - 1 limit 1), 2147483647)
returning content;

-- ---- jobs ----

-- name: artifact_blob_due
select project_id, blob_id from artifact_blob where look_at <= $1 order by look_at limit $2;

-- name: blob_lock
-- Locks blobs. Those that another transaction holds, or gave a name since, are left out.
select b.blob_id
  from artifact_blob b
 where b.project_id = $1 and b.blob_id = any($2) and b.look_at <= $3
 order by b.blob_id
   for update skip locked;

-- name: blob_forget
-- A separate statement, under the lock: the locking one may have read an old state.
delete from artifact_blob b
 where b.project_id = $1 and b.blob_id = any($2)
   and not exists (select from artifact_entry e where e.project_id = $1 and e.blob_id = b.blob_id)
   and not exists (select from artifact_upload u where u.project_id = $1 and u.blob_id = b.blob_id)
returning b.content, case when b.counted then b.size_bytes else 0 end as counted_bytes;

-- name: blob_settle
update artifact_blob
   set look_at = null,
       row_sum = row_sum
        # hash_record_extended(row(look_at, counted), 1)
        # hash_record_extended(row(null::timestamptz, counted), 1)
 where project_id = $1 and blob_id = any($2);

-- name: artifact_blob_new
-- Counts them, by project in order; those that are locked come at the next pass.
with new as materialized (
	select project_id, blob_id from artifact_blob where not counted order by project_id, blob_id limit $1
	   for update skip locked),
done as (
	update artifact_blob b
	   set counted = true,
	       row_sum = b.row_sum
	        # hash_record_extended(row(b.look_at, b.counted), 1)
	        # hash_record_extended(row(b.look_at, true), 1)
	  from new
	 where b.project_id = new.project_id and b.blob_id = new.blob_id
	returning b.project_id, b.size_bytes)
select project_id, count(*) as blobs, sum(size_bytes)::int8 as size_bytes from done group by project_id order by project_id;

-- name: artifact_usage_add
insert into project_usage (project_id, size_bytes, deleted_bytes, heard_at, artifact_bytes, row_sum)
values ($1, greatest($2::int8, 0), 0, 'epoch', greatest($2::int8, 0),
        hash_record_extended(row($1::int8, greatest($2::int8, 0), 0::int8, 'epoch'::timestamptz), 0)
         # case when $2::int8 > 0 then hash_record_extended(row($2::int8), 1) else 0 end)
on conflict (project_id) do update
   set size_bytes = greatest(project_usage.size_bytes + $2::int8, 0),
       artifact_bytes = greatest(project_usage.artifact_bytes + $2::int8, 0),
       row_sum = coalesce(project_usage.row_sum
             # hash_record_extended(row(project_usage.project_id, project_usage.size_bytes, project_usage.deleted_bytes,
                  project_usage.heard_at), 0)
             # case when project_usage.artifact_bytes > 0 then hash_record_extended(row(project_usage.artifact_bytes), 1)
                    else 0 end, 0)
        # hash_record_extended(row(project_usage.project_id, greatest(project_usage.size_bytes + $2::int8, 0),
             project_usage.deleted_bytes, project_usage.heard_at), 0)
        # case when project_usage.artifact_bytes + $2::int8 > 0
               then hash_record_extended(row(project_usage.artifact_bytes + $2::int8), 1) else 0 end;
