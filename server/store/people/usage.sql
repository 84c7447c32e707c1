-- The sizes of runs, projects and entities: kept as numbers that are read with them, never summed
-- over rows for a request.

-- name: usage_measure
-- The size as stored, so compressed, also if a value is kept out of line: only its length is read.
select ((select coalesce(sum(pg_column_size(data) + coalesce(pg_column_size(roll), 0)), 0)
           from chunk where run_id = $1)
      + (select coalesce(sum(pg_column_size(data)), 0) from console_chunk where run_id = $1)
      + (select coalesce(sum(pg_column_size(document)), 0) from run_keys where run_id = $1)
      + (select coalesce(sum(pg_column_size(document) + coalesce(pg_column_size(common), 0)), 0)
           from run_config where run_id = $1)
      + (select coalesce(sum(coalesce(pg_column_size(summary), 0)
                              + coalesce(pg_column_size(waiting), 0) + pg_column_size(ahead)
                              + coalesce(pg_column_size(common), 0)), 0) from run_sent where run_id = $1)
      + (select coalesce(sum(pg_column_size(place) + pg_column_size(path)
                             + coalesce(pg_column_size(value), 0)), 0)
           from run_leaf where run_id = $1)
      + (select coalesce(sum(pg_column_size(patch) + pg_column_size(rows) + pg_column_size(editors)), 0)
           from run_overlay where run_id = $1)
      + (select coalesce(sum(pg_column_size(parts) + coalesce(pg_column_size(config), 0)
                             + coalesce(pg_column_size(summary), 0)), 0)
           from run_branch where run_id = $1)
      + (select coalesce(sum(pg_column_size(document)), 0) from run_branch_keys where run_id = $1)
      + (select coalesce(sum(pg_column_size(config) + pg_column_size(summary)), 0) from run_attempt where run_id = $1)
       )::int8 as size_bytes;

-- name: usage_save
update run_hot set size_bytes = $2, size_seq = $3,
       row_sum = row_sum
        # hash_record_extended(row(size_bytes), 3)
        # hash_record_extended(row($2::int8), 3)
        # hash_record_extended(row(size_seq), 4)
        # hash_record_extended(row($3::int8), 4)
 where run_id = $1;

-- name: usage_add
insert into project_usage (project_id, size_bytes, deleted_bytes, heard_at, row_sum)
values ($1, $2, $3, $4,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::timestamptz), 0))
on conflict (project_id) do update
   set size_bytes = greatest(project_usage.size_bytes + excluded.size_bytes, 0),
       deleted_bytes = greatest(project_usage.deleted_bytes + excluded.deleted_bytes, 0),
       heard_at = greatest(project_usage.heard_at, excluded.heard_at),
       row_sum = coalesce(project_usage.row_sum # hash_record_extended(row(project_usage.project_id,
            project_usage.size_bytes, project_usage.deleted_bytes, project_usage.heard_at), 0), 0)
        # hash_record_extended(row(project_usage.project_id,
            greatest(project_usage.size_bytes + excluded.size_bytes, 0),
            greatest(project_usage.deleted_bytes + excluded.deleted_bytes, 0),
            greatest(project_usage.heard_at, excluded.heard_at)), 0);

-- name: usage_missed
-- Runs that were compacted since they were measured.
select run_id
  from run_hot
 where run_id > $1 and size_seq <> compact_seq and not purging
 order by run_id
 limit $2;

-- name: usage_total
select coalesce(sum(size_bytes), 0)::int8 as size_bytes from project_usage;

-- name: usage_of_entity
-- ahead: worker
-- With its own quota, and that of the project $2 (0: none). Deleted data counts until it is purged, and parts of files until they
-- are joined or given up.
select coalesce(e.quota_bytes, -1::int8) as quota_bytes,
       coalesce(here.quota_bytes, 0::int8) as project_quota_bytes,
       coalesce(taken.size_bytes, 0::int8)
       + (select coalesce(sum(a.size_bytes), 0)::int8 from artifact_part a where a.project_id = $2) as project_bytes,
       (select coalesce(sum(u.size_bytes), 0)::int8
          from project p
          join project_usage u on u.project_id = p.project_id
         where p.entity_id = e.entity_id)
       + (select coalesce(sum(a.size_bytes), 0)::int8
            from project p
            join artifact_part a on a.project_id = p.project_id
           where p.entity_id = e.entity_id) as size_bytes
  from entity e
  left join project here on here.project_id = $2
  left join project_usage taken on taken.project_id = $2
 where e.entity_id = $1;

-- name: usage_hold
-- Until this transaction ends, no other adds to the sum that it sees.
select entity_id from entity where entity_id = $1 for no key update;

-- name: quota_save
-- No row if it is the same.
update entity
   set quota_bytes = case when $2::int8 >= 0 then $2::int8 end,
       row_sum = row_sum
        # hash_record_extended(row(quota_bytes), 1)
        # hash_record_extended(row(case when $2::int8 >= 0 then $2::int8 end), 1)
 where entity_id = $1 and quota_bytes is distinct from case when $2::int8 >= 0 then $2::int8 end;

-- name: disk_sample_insert
-- The first of its day stays.
insert into disk_sample (day, at, disk_bytes, used_bytes, row_sum)
values (($1::timestamptz at time zone 'UTC')::date, $1, $2, $3,
        hash_record_extended(row(($1::timestamptz at time zone 'UTC')::date, $1::timestamptz, $2::int8, $3::int8), 0))
on conflict (day) do nothing;

-- name: disk_sample_first
-- From $1 on, of a disk that has $2: after it was made larger the count starts again.
select at, used_bytes
  from disk_sample
 where at >= $1 and disk_bytes = $2
 order by at
 limit 1;

-- name: disk_sample_forget
delete from disk_sample where at < $1;

-- name: usage_of_project
select size_bytes, artifact_bytes from project_usage where project_id = $1;

-- name: usage_of_collections
-- The versions of collections $2, and the sizes of their contents, each counted once. only_here: no version of another
-- collection has the content. $3: private runs, too.
with versions as (
	select a.collection_id, a.manifest_id, a.file_count
	  from artifact a
	 where a.project_id = $1 and a.collection_id = any($2) and a.state = 2
	   and ($3::bool or not exists (select from run r
	                                 where r.project_id = $1 and r.run_id = a.run_id and r.visibility = 1))),
named as (
	select distinct v.collection_id, e.blob_id
	  from versions v
	  join artifact_entry e on e.project_id = $1 and e.manifest_id = v.manifest_id and e.blob_id is not null),
sized as (
	select n.collection_id, b.size_bytes,
	       not exists (select from artifact_entry o
	                     join artifact_manifest m on m.project_id = $1 and m.manifest_id = o.manifest_id
	                     join artifact a on a.project_id = $1 and a.artifact_id = m.artifact_id
	                    where o.project_id = $1 and o.blob_id = n.blob_id and a.state = 2
	                      and a.manifest_id = m.manifest_id and a.collection_id <> n.collection_id
	                      and ($3 or not exists (select from run r
	                                              where r.project_id = $1 and r.run_id = a.run_id and r.visibility = 1)))
	       as only_here
	  from named n
	  join artifact_blob b on b.project_id = $1 and b.blob_id = n.blob_id)
select c.collection_id, v.versions, v.files, coalesce(s.size_bytes, 0::int8) as size_bytes,
       coalesce(s.only_here, 0::int8) as only_here
  from unnest($2::int8[]) as c (collection_id)
 cross join lateral (
       select count(*) as versions, coalesce(sum(file_count), 0)::int8 as files
         from versions x where x.collection_id = c.collection_id) v
  left join lateral (
       select sum(x.size_bytes)::int8 as size_bytes, coalesce(sum(x.size_bytes) filter (where x.only_here), 0)::int8 as only_here
         from sized x where x.collection_id = c.collection_id) s
    on true;
