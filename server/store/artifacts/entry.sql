-- Manifests of artifacts and their entries.

-- ---- manifests ----

-- name: manifest_make
insert into artifact_manifest (project_id, manifest_id, artifact_id, kind, created_at, md5, base_id, row_sum)
values ($1, $2, $3, $4, $5, $6, nullif($7::int8, 0),
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::int2, $5::timestamptz), 0)
         # hash_record_extended(row($6::bytea, nullif($7::int8, 0), null::timestamptz, null::int8, null::int8, null::text,
              null::text), 1));

-- part: manifests
select m.project_id, m.manifest_id, m.artifact_id, m.kind, m.created_at, m.md5, coalesce(m.base_id, 0::int8) as base_id,
       m.stored_at, coalesce(m.entry_count, 0::int8) as entry_count, coalesce(m.size_bytes, 0::int8) as size_bytes, m.digest,
       m.config
  from artifact_manifest m

-- name: manifest_find
-- use: manifests
 where m.project_id = $1 and m.manifest_id = $2;

-- name: manifest_lock
-- It is locked while it is stored: a request that waits does not keep its worker as long.
-- use: manifests
 where m.project_id = $1 and m.manifest_id = $2
   and (select set_config('lock_timeout', coalesce(nullif(current_setting('lock_timeout'), '0'), '1s'), true)) is not null
   for update;

-- name: manifest_list
-- use: manifests
 where m.project_id = $1 and m.artifact_id = $2
 order by m.created_at, m.manifest_id
 limit $3;

-- name: manifest_commit_size
-- How many entries the commit of a draft reads and writes, at most $5 of its uploads. What it is added to: its base $3, or the
-- newest version of the collection $4.
select (coalesce((select sum(m.entry_count) from artifact_manifest m where m.project_id = $1 and m.artifact_id = $2), 0)
        + coalesce((select b.file_count from artifact b where b.project_id = $1 and b.artifact_id = $3), 0)
        + coalesce((select b.file_count from artifact b
                     where b.project_id = $1 and b.collection_id = $4 and b.state = 2
                       and exists (select from artifact_manifest m
                                    where m.project_id = $1 and m.artifact_id = $2 and m.kind = 2)
                     order by b.version desc
                     limit 1), 0)
        + (select count(*) from (select from artifact_upload u where u.project_id = $1 and u.artifact_id = $2 limit $5) u))::int8
       as number;

-- name: manifest_ask
-- Entries that were stored for another MD5 do not count any more.
update artifact_manifest
   set md5 = $3, base_id = nullif($4::int8, 0),
       stored_at = case when md5 = $3 then stored_at end, entry_count = case when md5 = $3 then entry_count end,
       size_bytes = case when md5 = $3 then size_bytes end, digest = case when md5 = $3 then digest end,
       config = case when md5 = $3 then config end,
       row_sum = row_sum
        # hash_record_extended(row(md5, base_id, stored_at, entry_count, size_bytes, digest, config), 1)
        # hash_record_extended(row($3::bytea, nullif($4::int8, 0), case when md5 = $3 then stored_at end,
             case when md5 = $3 then entry_count end, case when md5 = $3 then size_bytes end,
             case when md5 = $3 then digest end, case when md5 = $3 then config end), 1)
 where project_id = $1 and manifest_id = $2;

-- name: manifest_end
update artifact_manifest
   set stored_at = $3, entry_count = $4, size_bytes = $5, digest = $6, config = $7,
       row_sum = row_sum
        # hash_record_extended(row(md5, base_id, stored_at, entry_count, size_bytes, digest, config), 1)
        # hash_record_extended(row(md5, base_id, $3::timestamptz, $4::int8, $5::int8, $6::text, $7::text), 1)
 where project_id = $1 and manifest_id = $2;

-- name: manifest_remove
delete from artifact_manifest
 where project_id = $1 and manifest_id = $2
   and not exists (select from artifact_entry e where e.project_id = $1 and e.manifest_id = $2);

-- ---- entries ----

-- part: entry_insert
insert into artifact_entry (project_id, manifest_id, path, blob_id, size_bytes, digest, ref, extra, row_sum)
select $1::int8, $2::int8, n.path, n.blob_id, n.size_bytes, n.digest, n.ref, n.extra,
       hash_record_extended(row($1::int8, $2::int8, n.path, n.size_bytes, n.digest, n.ref, n.extra), 0)
        # hash_record_extended(row(n.blob_id), 1)

-- part: entry_replace
on conflict (project_id, manifest_id, path) do update
   set blob_id = excluded.blob_id, size_bytes = excluded.size_bytes, digest = excluded.digest, ref = excluded.ref,
       extra = excluded.extra, row_sum = excluded.row_sum

-- name: entry_stage
-- The content of a file: what the draft $3 has under the path, or what the project has with this MD5 and size, if it is one.
with inserted as (
-- use: entry_insert
  from (select e.path, e.digest, nullif(e.size_bytes, -1) as size_bytes, e.ref, e.extra,
               case when e.ref is null then coalesce(own.blob_id, found.blob_id) end as blob_id
          from unnest($4::text[], $5::text[], $6::int8[], $7::text[], $8::text[], $9::bytea[])
               e (path, digest, size_bytes, ref, extra, md5)
          left join lateral (
               select b.blob_id
                 from artifact_upload u
                 join artifact_blob b on b.project_id = $1 and b.blob_id = u.blob_id
                where u.project_id = $1 and u.artifact_id = $3 and u.path = e.path and b.md5 = e.md5
                  and e.size_bytes in (b.size_bytes, -1)) own on true
          left join lateral (
               select min(b.blob_id) as blob_id
                 from artifact_blob b
                where b.project_id = $1 and b.md5 = e.md5 and e.size_bytes in (b.size_bytes, -1)
               having count(*) = 1) found on true) n
on conflict (project_id, manifest_id, path) do nothing
returning path)
select count(*) as number from inserted;

-- name: entry_merge
-- A portion of $5 entries after $4, and its last path; no row: there are fewer.
with bound as materialized (
	select path from artifact_entry
	 where project_id = $1 and manifest_id = $3 and path > $4
	 order by path offset $5 - 1 limit 1),
merged as (
-- use: entry_insert
  from artifact_entry n
 where n.project_id = $1 and n.manifest_id = $3 and n.path > $4
   and n.path <= coalesce((select path from bound), repeat(chr(1114111), 600))
-- use: entry_replace
)
select path from bound;

-- name: entry_merge_uploads
with bound as materialized (
	select path from artifact_upload
	 where project_id = $1 and artifact_id = $3 and path > $4
	 order by path offset $5 - 1 limit 1),
merged as (
-- use: entry_insert
  from (select u.path, u.blob_id, b.size_bytes, encode(b.md5, 'base64') as digest, null::text as ref, null::text as extra
          from artifact_upload u
          join artifact_blob b on b.project_id = $1 and b.blob_id = u.blob_id
         where u.project_id = $1 and u.artifact_id = $3 and u.path > $4
           and u.path <= coalesce((select path from bound), repeat(chr(1114111), 600))) n
-- use: entry_replace
)
select path from bound;

-- part: entry_open_portion
 where o.project_id = $1 and o.manifest_id = $2 and o.blob_id is null and o.ref is null
   and o.path > $3 and ($4::text = '' or o.path <= $4)

-- name: entry_open_bound
-- The last path of a portion of $4 entries without content; none: there are fewer.
select o.path
  from artifact_entry o
 where o.project_id = $1 and o.manifest_id = $2 and o.blob_id is null and o.ref is null and o.path > $3
 order by o.path
offset $4 - 1 limit 1;

-- name: entry_hold
-- Holds the blobs that entries without content may name, as blob_hold does.
with held as materialized (
	select blob_id from artifact_blob
	 where project_id = $1 and look_at < $5
	   and md5 = any (array(select decode(o.digest, 'base64') from artifact_entry o
-- use: entry_open_portion
	       ))
	 order by blob_id
	   for update)
update artifact_blob b
   set look_at = $5::timestamptz,
       row_sum = b.row_sum
        # hash_record_extended(row(b.look_at, b.counted), 1)
        # hash_record_extended(row($5::timestamptz, b.counted), 1)
  from held
 where b.project_id = $1 and b.blob_id = held.blob_id;

-- name: entry_resolve
-- As entry_stage does, for a portion of the entries that have no content yet.
with resolved as (
update artifact_entry e
   set blob_id = f.blob_id,
       row_sum = e.row_sum # hash_record_extended(row(e.blob_id), 1) # hash_record_extended(row(f.blob_id), 1)
  from (select o.path, coalesce(own.blob_id, found.blob_id) as blob_id
          from artifact_entry o
          left join lateral (
               select b.blob_id
                 from artifact_upload u
                 join artifact_blob b on b.project_id = $1 and b.blob_id = u.blob_id
                where u.project_id = $1 and u.artifact_id = $5 and u.path = o.path and b.md5 = decode(o.digest, 'base64')
                  and coalesce(o.size_bytes, b.size_bytes) = b.size_bytes) own on true
          left join lateral (
               select min(b.blob_id) as blob_id
                 from artifact_blob b
                where b.project_id = $1 and b.md5 = decode(o.digest, 'base64')
                  and coalesce(o.size_bytes, b.size_bytes) = b.size_bytes
               having count(*) = 1) found on true
-- use: entry_open_portion
       ) f
 where e.project_id = $1 and e.manifest_id = $2 and e.path = f.path and f.blob_id is not null
returning e.path)
select count(*) as number from resolved;

-- name: entry_count_open
select count(*) as number
  from artifact_entry
 where project_id = $1 and manifest_id = $2 and blob_id is null and ref is null;

-- part: entries
select e.path, e.digest, coalesce(e.size_bytes, b.size_bytes) is not null as has_size,
       coalesce(e.size_bytes, b.size_bytes, 0::int8) as size_bytes, e.ref, e.extra, coalesce(e.blob_id, 0::int8) as blob_id,
       coalesce(b.birth_id, 0::int8) as birth_id, b.content, b.md5
  from artifact_entry e
  left join artifact_blob b on b.project_id = $1 and b.blob_id = e.blob_id

-- name: entry_list_open
-- use: entries
 where e.project_id = $1 and e.manifest_id = $2 and e.blob_id is null and e.ref is null
 order by e.path
 limit $3;

-- name: entry_page
-- $4: a prefix; no path has the greatest character.
-- use: entries
 where e.project_id = $1 and e.manifest_id = $2 and e.path > $3 and e.path >= $4
   and e.path <= $4::text || repeat(chr(1114111), 600)
 order by e.path
 limit $5;

-- name: entry_find
-- use: entries
 where e.project_id = $1 and e.manifest_id = $2 and e.path = $3;

-- name: entry_find_named
-- use: entries
 where e.project_id = $1 and e.manifest_id = $2 and e.path = any($3)
 order by e.path;

-- name: entry_find_content
-- In a version that is committed, for what a draft has is not to be read yet. Of several contents with the MD5: the one that
-- the version $3 sent first, and that has the path or the name $4; none if that is not one. $5: of private runs, too.
with named as materialized (
	select x.blob_id, x.birth_id = $3 as is_born, f.manifest_id, f.path
	  from artifact_blob x
	 cross join lateral (
	       select e.manifest_id, e.path
	         from artifact_entry e
	         join artifact_manifest m on m.project_id = $1 and m.manifest_id = e.manifest_id
	         join artifact a on a.project_id = $1 and a.artifact_id = m.artifact_id and a.manifest_id = e.manifest_id
	                        and a.state = 2
	         join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id and c.deleted_at is null
	        where e.project_id = $1 and e.blob_id = x.blob_id
	          and ($5::bool or not exists (select from run r
	                                        where r.project_id = $1 and r.run_id = a.run_id and r.visibility = 1))
	        limit 1) f
	 where x.project_id = $1 and x.md5 = $2),
ranked as (
	select n.manifest_id, n.path, n.is_born,
	       (select count(*) from named) > 1
	       and exists (select from artifact_entry e
	                    where e.project_id = $1 and e.blob_id = n.blob_id
	                      and right('/' || e.path, length($4) + 1) = '/' || $4::text) as has_path
	  from named n),
best as materialized (
	select manifest_id, path, count(*) over (partition by is_born, has_path) as same
	  from ranked
	 order by is_born desc, has_path desc
	 limit 1)
-- use: entries
  join best on best.manifest_id = e.manifest_id and best.path = e.path and best.same = 1
 where e.project_id = $1;

-- name: entry_folder
-- $3: after this path, which is a folder's if "/" is at its end; $4: the folder, "" or with "/" at its end. From one item the
-- next is looked up behind all that is in it.
with recursive items as (
	select (select e.path from artifact_entry e
	         where e.project_id = $1 and e.manifest_id = $2
	           and e.path > case when $3::text = '' then $4::text when $3 like '%/' then $3 || repeat(chr(1114111), 600) else $3 end
	         order by e.path limit 1) as path, 1 as number
	union all
	select (select e.path from artifact_entry e
	         where e.project_id = $1 and e.manifest_id = $2
	           and e.path > case when strpos(substr(i.path, length($4) + 1), '/') > 0
	                             then left(i.path, length($4) + strpos(substr(i.path, length($4) + 1), '/'))
	                                  || repeat(chr(1114111), 600)
	                             else i.path end
	         order by e.path limit 1), i.number + 1
	  from items i
	 where i.number < $5::int8 and i.path <= $4 || repeat(chr(1114111), 600))
select case when p.at > 0 then left(p.rest, p.at - 1) else p.rest end as name, p.at > 0 as is_folder, s.files, s.size_bytes,
       coalesce(s.digest, '') as digest, s.ref
  from (select i.path, substr(i.path, length($4) + 1) as rest, strpos(substr(i.path, length($4) + 1), '/') as at
          from items i
         where i.path <= $4 || repeat(chr(1114111), 600)) p
 cross join lateral (
       select count(*) as files, least(coalesce(sum(e.size_bytes), 0), 9223372036854775807)::int8 as size_bytes,
              min(e.digest) filter (where p.at = 0) as digest, min(e.ref) filter (where p.at = 0) as ref
         from artifact_entry e
        where e.project_id = $1 and e.manifest_id = $2
          and e.path >= case when p.at > 0 then left(p.path, length($4) + p.at) else p.path end
          and e.path <= case when p.at > 0 then left(p.path, length($4) + p.at) || repeat(chr(1114111), 600) else p.path end) s
 order by p.path;

-- name: entry_count
select count(*) as number
  from artifact_entry e
 where e.project_id = $1 and e.manifest_id = $2 and e.path >= $3 and e.path <= $3::text || repeat(chr(1114111), 600);

-- name: entry_sum
-- A file whose size the client did not say has that of its content.
select count(*) as entry_count,
       least(coalesce(sum(coalesce(e.size_bytes, (select b.size_bytes from artifact_blob b
                                                   where b.project_id = $1 and b.blob_id = e.blob_id))), 0),
             9223372036854775807)::int8 as size_bytes
  from artifact_entry e
 where e.project_id = $1 and e.manifest_id = $2;

-- name: entry_digests
select e.path, e.digest
  from artifact_entry e
 where e.project_id = $1 and e.manifest_id = $2 and e.path > $3
 order by e.path
 limit $4;

-- part: entry_differences
  from (select path, digest, size_bytes, ref
          from artifact_entry
         where project_id = $1 and manifest_id = $2 and path > $4) f
  full join (select path, digest, size_bytes, ref
               from artifact_entry
              where project_id = $1 and manifest_id = $3 and path > $4) t on t.path = f.path

-- name: entry_compare
select coalesce(t.path, f.path) as path,
       case when f.path is null then 1::int2 when t.path is null then 2::int2 else 3::int2 end as change,
       f.size_bytes is not null as has_from, t.size_bytes is not null as has_to,
       coalesce(f.size_bytes, 0::int8) as from_bytes, coalesce(t.size_bytes, 0::int8) as to_bytes,
       f.digest as from_digest, t.digest as to_digest, f.ref as from_ref, t.ref as to_ref
-- use: entry_differences
 where f.digest is distinct from t.digest or f.size_bytes is distinct from t.size_bytes or f.ref is distinct from t.ref
 order by coalesce(t.path, f.path)
 limit $5;

-- name: entry_compare_counts
select count(*) filter (where f.path is null) as added, count(*) filter (where t.path is null) as removed,
       count(*) filter (where f.path = t.path and (f.digest <> t.digest or f.size_bytes is distinct from t.size_bytes
                                                    or f.ref is distinct from t.ref)) as changed,
       count(*) filter (where f.path = t.path and f.digest = t.digest and f.size_bytes is not distinct from t.size_bytes
                          and f.ref is not distinct from t.ref) as same
-- use: entry_differences
;

-- ---- deletion ----

-- name: entry_purge
-- Blobs are locked in order, for other transactions may lock some of the same.
with gone as (
	delete from artifact_entry
	 where project_id = $1 and manifest_id = $2
	   and path <= coalesce((select path from artifact_entry where project_id = $1 and manifest_id = $2
	                          order by path offset $3 - 1 limit 1), repeat(chr(1114111), 600))
	returning blob_id),
held as materialized (
	select blob_id from artifact_blob
	 where project_id = $1 and blob_id = any (array(select blob_id from gone where blob_id is not null))
	 order by blob_id
	   for update),
looked as (
	update artifact_blob b
	   set look_at = greatest(b.look_at, $4::timestamptz),
	       row_sum = b.row_sum
	        # hash_record_extended(row(b.look_at, b.counted), 1)
	        # hash_record_extended(row(greatest(b.look_at, $4::timestamptz), b.counted), 1)
	  from held
	 where b.project_id = $1 and b.blob_id = held.blob_id)
select count(*) as number from gone;

-- name: entry_freed
-- Blobs that the versions name, and no manifest of another version and no draft.
with doomed as (
	select m.manifest_id from artifact_manifest m where m.project_id = $1 and m.artifact_id = any($2)),
blobs as (
	select distinct e.blob_id
	  from artifact_entry e
	 where e.project_id = $1 and e.manifest_id = any (array(select manifest_id from doomed)) and e.blob_id is not null)
select least(coalesce(sum(b.size_bytes), 0), 9223372036854775807)::int8 as number
  from artifact_blob b
 where b.project_id = $1 and b.blob_id = any (array(select blob_id from blobs))
   and not exists (select from artifact_entry o
                    where o.project_id = $1 and o.blob_id = b.blob_id
                      and o.manifest_id not in (select manifest_id from doomed))
   and not exists (select from artifact_upload u
                    where u.project_id = $1 and u.blob_id = b.blob_id and u.artifact_id <> all ($2));

-- name: entry_freed_sums
-- entries: of all their manifests.
select coalesce(sum(a.file_count), 0)::int8 as files,
       least(coalesce(sum(a.size_bytes), 0), 9223372036854775807)::int8 as size_bytes,
       coalesce((select sum(m.entry_count) from artifact_manifest m
                  where m.project_id = $1 and m.artifact_id = any($2)), 0)::int8 as entries
  from artifact a
 where a.project_id = $1 and a.artifact_id = any($2);
