-- Artifacts, their collections, members and aliases. The parts of row_sum are named in 0021_artifacts.sql.

-- ---- private runs ----
-- A version of a private run does not exist for those who do not see the run. A run that was deleted, purged or moved away still
-- has its row in the project, with its visibility.

-- part: artifact_of_private_run
exists (select from run r where r.project_id = $1 and r.run_id = a.run_id and r.visibility = 1)

-- part: artifact_collection_shown
-- A collection that has a version to see. A version of another project counts: who may see it is known there.
exists (select from artifact_member m
          left join artifact a on a.project_id = $1 and m.source_id = $1 and a.artifact_id = m.artifact_id
         where m.project_id = $1 and m.collection_id = c.collection_id
           and (m.source_id <> $1 or a.state = 2 and not
-- use: artifact_of_private_run
               ))

-- part: artifact_alias_shown
-- An alias l of a version that is to be seen, or that is of another project.
exists (select from artifact_member m
          left join artifact a on a.project_id = $1 and m.source_id = $1 and a.artifact_id = m.artifact_id
         where m.project_id = $1 and m.collection_id = l.collection_id and m.version = l.version
           and (m.source_id <> $1 or not
-- use: artifact_of_private_run
               ))

-- ---- types ----

-- name: artifact_type_make
insert into artifact_type (project_id, name, description, created_at, row_sum)
values ($1, $2, $3, $4, hash_record_extended(row($1::int8, $2::text, $3::text, $4::timestamptz), 0))
on conflict (project_id, name) do nothing;

-- part: artifact_types
-- $2: private runs, too; else a type is there if a collection of it is.
select t.name, t.description, t.created_at, s.collections, s.versions, s.size_bytes
  from artifact_type t
  left join lateral (
       select count(distinct c.collection_id) as collections, count(a.artifact_id) as versions,
              least(coalesce(sum(a.size_bytes), 0), 9223372036854775807)::int8 as size_bytes
         from artifact_collection c
         left join artifact a on a.project_id = $1 and a.collection_id = c.collection_id and a.state = 2
                             and ($2::bool or not
-- use: artifact_of_private_run
                                 )
        where c.project_id = $1 and c.type = t.name and c.deleted_at is null
          and ($2 or
-- use: artifact_collection_shown
              )) s on true
 where t.project_id = $1 and ($2 or s.collections > 0)

-- name: artifact_type_find
-- use: artifact_types
   and t.name = $3;

-- name: artifact_type_list
-- use: artifact_types
   and t.name > $3
 order by t.name
 limit $4;

-- ---- collections ----

-- name: artifact_collection_make
insert into artifact_collection (project_id, collection_id, kind, name, type, description, tags, ttl_s, keep_last,
                                 created_by, created_at, changed_at, next_version, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, nullif($10::int8, 0), $11, $11, 0,
        hash_record_extended(row($1::int8, $2::int8, $3::int2, nullif($10::int8, 0), $11::timestamptz), 0)
         # hash_record_extended(row($4::text, $5::text, $6::text, $7::jsonb, $8::int8, $9::int4, $11::timestamptz), 1)
         # hash_record_extended(row(0::int4), 2)
         # hash_record_extended(row(null::timestamptz, null::text, null::timestamptz), 3))
on conflict (project_id, name) do nothing;

-- part: artifact_collections
select c.project_id, c.collection_id, c.kind, coalesce(c.name, c.deleted_name) as name, c.type, c.description, c.tags,
       c.ttl_s, c.keep_last, c.next_version, coalesce(c.created_by, 0::int8) as created_by, u.name as "user", c.created_at,
       c.changed_at, c.deleted_at
  from artifact_collection c
  left join entity u on u.entity_id = c.created_by

-- name: artifact_collection_find
-- use: artifact_collections
 where c.project_id = $1 and c.name = $2;

-- name: artifact_collection_get
-- use: artifact_collections
 where c.project_id = $1 and c.collection_id = $2;

-- part: bounded_wait
-- A commit may hold the lock for minutes: requests that wait do not keep their workers as long.
   and (select set_config('lock_timeout', coalesce(nullif(current_setting('lock_timeout'), '0'), '1s'), true)) is not null

-- name: artifact_collection_lock
-- use: artifact_collections
 where c.project_id = $1 and c.collection_id = $2
-- use: bounded_wait
   for update of c;

-- name: artifact_collection_save
update artifact_collection
   set name = $3, type = $4, description = $5, tags = $6, ttl_s = $7, keep_last = $8, changed_at = $9,
       row_sum = row_sum
        # hash_record_extended(row(name, type, description, tags, ttl_s, keep_last, changed_at), 1)
        # hash_record_extended(row($3::text, $4::text, $5::text, $6::jsonb, $7::int8, $8::int4, $9::timestamptz), 1)
 where project_id = $1 and collection_id = $2;

-- name: artifact_collection_look
update artifact_collection
   set look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, deleted_name, look_at), 3)
        # hash_record_extended(row(deleted_at, deleted_name, $3::timestamptz), 3)
 where project_id = $1 and collection_id = $2;

-- name: artifact_collection_delete
-- Its name is free from now on.
update artifact_collection
   set name = null, deleted_name = name, deleted_at = $3, look_at = $4,
       row_sum = row_sum
        # hash_record_extended(row(name, type, description, tags, ttl_s, keep_last, changed_at), 1)
        # hash_record_extended(row(null::text, type, description, tags, ttl_s, keep_last, changed_at), 1)
        # hash_record_extended(row(deleted_at, deleted_name, look_at), 3)
        # hash_record_extended(row($3::timestamptz, name, $4::timestamptz), 3)
 where project_id = $1 and collection_id = $2 and deleted_at is null;

-- name: artifact_collection_restore
update artifact_collection
   set name = deleted_name, deleted_name = null, deleted_at = null, look_at = null,
       row_sum = row_sum
        # hash_record_extended(row(name, type, description, tags, ttl_s, keep_last, changed_at), 1)
        # hash_record_extended(row(deleted_name, type, description, tags, ttl_s, keep_last, changed_at), 1)
        # hash_record_extended(row(deleted_at, deleted_name, look_at), 3)
        # hash_record_extended(row(null::timestamptz, null::text, null::timestamptz), 3)
 where project_id = $1 and collection_id = $2 and deleted_at is not null;

-- name: artifact_collection_is_shown
select (
-- use: artifact_collection_shown
       )::int4::int8 as number
  from artifact_collection c
 where c.project_id = $1 and c.collection_id = $2;

-- part: artifact_collections_where
-- $6: private runs, too.
 where c.project_id = $1 and c.name is not null
   and ($2::int2 = 0 or c.kind = $2)
   and ($3::text = '' or c.type = $3)
   and ($4::text is null or c.name like $4)
   and ($5::jsonb is null or $5 ? c.name)
   and ($6::bool or
-- use: artifact_collection_shown
       )

-- name: artifact_collection_list_by_name
-- use: artifact_collections
-- use: artifact_collections_where
   and (not $8::bool or case when $7::bool then c.name < $9::text else c.name > $9 end)
 order by case when $7 then c.name end desc, case when not $7 then c.name end
 limit $10;

-- name: artifact_collection_list_by_time
-- $8: by changed_at, else by created_at.
-- use: artifact_collections
-- use: artifact_collections_where
   and (not $9::bool
        or case when $7::bool then (case when $8::bool then c.changed_at else c.created_at end, c.collection_id)
                                 < ($10::timestamptz, $11::int8)
                else (case when $8 then c.changed_at else c.created_at end, c.collection_id) > ($10, $11) end)
 order by case when $7 then case when $8 then c.changed_at else c.created_at end end desc,
          case when $7 then c.collection_id end desc,
          case when $8 then c.changed_at else c.created_at end, c.collection_id
 limit $12;

-- name: artifact_collection_count
select count(*) as number
  from artifact_collection c
-- use: artifact_collections_where
;

-- name: artifact_collection_sums
-- A version of another project counts: whether it is deleted is known there. $3: private runs, too.
select c.collection_id, s.versions, s.size_bytes, n.latest, s.newest_at as latest_at, f.size_bytes is not null as has_files,
       coalesce(f.size_bytes, 0::int8) as latest_bytes, coalesce(f.file_count, 0::int8) as latest_files,
       coalesce(x.names, '[]') as aliases, coalesce(x.versions, '[]') as alias_versions
  from artifact_collection c
  join lateral (
       select count(*) as versions, max(m.version) as newest, max(m.added_at) as newest_at,
              least(coalesce(sum(a.size_bytes) filter (where a.collection_id = c.collection_id), 0), 9223372036854775807)::int8
              as size_bytes
         from artifact_member m
         left join artifact a on a.project_id = $1 and m.source_id = $1 and a.artifact_id = m.artifact_id
        where m.project_id = $1 and m.collection_id = c.collection_id and (m.source_id <> $1 or a.state = 2)
          and ($3::bool or m.source_id <> $1 or not
-- use: artifact_of_private_run
              )) s
    on s.versions > 0
  join lateral (
       select coalesce((select l.version from artifact_alias l
                         where l.project_id = $1 and l.collection_id = c.collection_id and l.alias = 'latest'
                           and ($3 or
-- use: artifact_alias_shown
                               )), s.newest)
              as latest) n
    on true
  left join lateral (
       select a.size_bytes, a.file_count
         from artifact_member m
         join artifact a on a.project_id = $1 and a.artifact_id = m.artifact_id
        where m.project_id = $1 and m.collection_id = c.collection_id and m.version = n.latest and m.source_id = $1) f
    on true
  left join lateral (
       select jsonb_agg(l.alias) as names,
              jsonb_agg(jsonb_build_object('alias', l.alias, 'version', 'v' || l.version)) as versions
         from (select l.alias, l.version from artifact_alias l
                where l.project_id = $1 and l.collection_id = c.collection_id
                  and ($3 or
-- use: artifact_alias_shown
                      )
                order by l.alias <> 'latest', l.alias
                limit 100) l) x
    on true
 where c.project_id = $1 and c.collection_id = any($2);

-- ---- versions ----

-- part: artifact_columns
select a.project_id, a.artifact_id, a.collection_id, coalesce(c.name, c.deleted_name) as collection, c.type,
       c.ttl_s as collection_ttl_s, coalesce(a.base_id, 0::int8) as base_id, a.distributed, a.region,
       a.history_step is not null as has_history_step, coalesce(a.history_step, 0::int8) as history_step,
       coalesce(a.run_id, 0::int8) as run_id, coalesce(a.user_id, 0::int8) as user_id, u.name as "user", a.created_at,
       case when c.deleted_at is not null then 3::int2 else a.state end as state,
       a.version is not null as has_version, coalesce(a.version, 0) as version, a.digest,
       coalesce(a.manifest_id, 0::int8) as manifest_id, a.size_bytes, a.file_count, a.committed_at, a.asked, a.description,
       a.metadata, a.tags,
       coalesce((select jsonb_agg(l.alias order by l.alias <> 'latest', l.alias)
                   from artifact_alias l
                  where l.project_id = $1 and l.collection_id = a.collection_id and l.version = a.version), '[]') as aliases,
       coalesce(a.ttl_s, -1::int8) as ttl_s, a.changed_at, a.heard_at, coalesce(a.deleted_at, c.deleted_at) as deleted_at,
-- use: artifact_of_private_run
       as is_private
  from artifact a
  join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
  left join entity u on u.entity_id = a.user_id

-- name: artifact_find
-- use: artifact_columns
 where a.project_id = $1 and a.artifact_id = $2;

-- name: artifact_hold
-- A commit waits for those that hold the draft, and they for it. The row is read again after the wait.
-- use: artifact_columns
 where a.project_id = $1 and a.artifact_id = $2
-- use: bounded_wait
   for share of a;

-- name: artifact_lock
-- Under the lock of the collection, so one request waits, and it may wait longer from here on. The row is read again after the
-- wait for those that hold it.
-- use: artifact_columns
 where a.project_id = $1 and a.artifact_id = $2 and (select set_config('lock_timeout', '5s', true)) is not null
   for update of a;

-- name: artifact_list_ids
-- use: artifact_columns
 where a.project_id = $1 and a.artifact_id = any($2);

-- name: artifact_list_nodes
-- Versions as nodes of a graph, without their metadata, which may be large. $4: private runs, too.
select a.project_id, a.artifact_id, coalesce(c.name, c.deleted_name) as collection, c.type, a.created_at,
       case when c.deleted_at is not null then 3::int2 else a.state end as state,
       a.version is not null as has_version, a.version, a.size_bytes,
       coalesce((select jsonb_agg(l.alias order by l.alias <> 'latest', l.alias)
                   from artifact_alias l
                  where l.project_id = $1 and l.collection_id = a.collection_id and l.version = a.version), '[]') as aliases
  from artifact a
  join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
 where a.project_id = $1 and a.artifact_id = any($2) and a.state <> 1 and a.version is not null
   and ($4::bool or not
-- use: artifact_of_private_run
       )
 order by a.artifact_id
 limit $3;

-- name: artifact_list_committed
-- $3: private runs, too.
select a.artifact_id as number
  from artifact a
  join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
 where a.project_id = $1 and a.artifact_id = any($2) and a.state = 2 and c.deleted_at is null
   and ($3::bool or not
-- use: artifact_of_private_run
       )
 order by a.artifact_id;

-- name: artifact_numbers_of
-- Versions of a sequence that are not deleted, and its drafts, after one.
select a.artifact_id as number from artifact a
 where a.project_id = $1 and a.collection_id = $2 and a.state < 3 and a.artifact_id > $3
 order by a.artifact_id
 limit $4;

-- name: artifact_find_draft
-- use: artifact_columns
 where a.project_id = $1 and a.collection_id = $2 and a.distributed = $3 and a.state = 1
 order by a.artifact_id
 limit 1;

-- name: artifact_find_newest
-- $3: private runs, too.
-- use: artifact_columns
 where a.project_id = $1 and a.collection_id = $2 and a.state = 2
   and ($3::bool or not
-- use: artifact_of_private_run
       )
 order by a.version desc
 limit 1;

-- name: artifact_had_newer
-- Whether the collection had a newer version than $3 at a time.
select exists (select from artifact a
                where a.project_id = $1 and a.collection_id = $2 and a.version > $3 and a.committed_at <= $4
                  and (a.deleted_at is null or a.deleted_at > $4))::int4::int8 as number;

-- name: artifact_find_digest
-- use: artifact_columns
 where a.project_id = $1 and a.collection_id = $2 and a.digest = $3 and a.state = 2
 order by a.version desc
 limit 1;

-- name: artifact_insert
insert into artifact (project_id, artifact_id, collection_id, base_id, distributed, region, history_step, run_id, user_id,
                      created_at, state, digest, size_bytes, file_count, asked, description, metadata, tags, ttl_s, changed_at,
                      heard_at, look_at, row_sum)
values ($1, $2, $3, nullif($4::int8, 0), $5, $6, $7, nullif($8::int8, 0), nullif($9::int8, 0), $10, 1, $11, 0, 0, $12, $13, $14,
        $15, nullif($16::int8, -1), $10, $10, $17,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, nullif($4::int8, 0), $5::text, $6::text, $7::int8,
             nullif($8::int8, 0), nullif($9::int8, 0), $10::timestamptz), 0)
         # hash_record_extended(row(1::int2, null::int4, $11::text, null::int8, 0::int8, 0::int8, null::timestamptz,
              $12::jsonb), 1)
         # hash_record_extended(row($13::text, $14::text, $15::jsonb, nullif($16::int8, -1), $10::timestamptz), 2)
         # hash_record_extended(row(null::timestamptz, $17::timestamptz, $10::timestamptz), 3));

-- name: artifact_hear
update artifact
   set heard_at = $3, look_at = $4,
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, $4::timestamptz, $3::timestamptz), 3)
 where project_id = $1 and artifact_id = $2 and state = 1
-- use: bounded_wait
;

-- name: artifact_ask
-- Under the lock of the collection: the aliases that the commit sets.
update artifact
   set asked = $3,
       row_sum = row_sum
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, $3::jsonb), 1)
 where project_id = $1 and artifact_id = $2 and state = 1;

-- name: artifact_commit
update artifact
   set state = 2, version = $3, digest = $4, manifest_id = $5, size_bytes = $6, file_count = $7, committed_at = $8, asked = '[]',
       look_at = $9,
       row_sum = row_sum
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row(2::int2, $3::int4, $4::text, $5::int8, $6::int8, $7::int8, $8::timestamptz, '[]'::jsonb), 1)
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, $9::timestamptz, heard_at), 3)
 where project_id = $1 and artifact_id = $2;

-- name: artifact_collection_next
update artifact_collection
   set next_version = $3,
       row_sum = row_sum
        # hash_record_extended(row(next_version), 2)
        # hash_record_extended(row($3::int4), 2)
 where project_id = $1 and collection_id = $2;

-- name: artifact_save
update artifact
   set description = $3, metadata = $4, tags = $5, ttl_s = nullif($6::int8, -1), changed_at = $7, look_at = $8,
       row_sum = row_sum
        # hash_record_extended(row(description, metadata, tags, ttl_s, changed_at), 2)
        # hash_record_extended(row($3::text, $4::text, $5::jsonb, nullif($6::int8, -1), $7::timestamptz), 2)
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row(deleted_at, $8::timestamptz, heard_at), 3)
 where project_id = $1 and artifact_id = $2;

-- name: artifact_mark
-- $3: its state from now on, 2 or 3, or 1 for a draft; $4: the aliases that it had.
update artifact
   set state = $3, asked = $4, deleted_at = $5, look_at = $6,
       row_sum = row_sum
        # hash_record_extended(row(state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked), 1)
        # hash_record_extended(row($3::int2, version, digest, manifest_id, size_bytes, file_count, committed_at, $4::jsonb), 1)
        # hash_record_extended(row(deleted_at, look_at, heard_at), 3)
        # hash_record_extended(row($5::timestamptz, $6::timestamptz, heard_at), 3)
 where project_id = $1 and artifact_id = $2;

-- part: artifact_where
-- $10: private runs, too.
 where a.project_id = $1
   and ($2::int8 = 0 or a.collection_id = $2)
   and ($3::text = '' or c.type = $3)
   and (not $4::bool or a.state = 2 and c.deleted_at is null)
   and ($5::text = '' or exists (select from artifact_alias l
                                  where l.project_id = $1 and l.collection_id = a.collection_id and l.version = a.version
                                    and l.alias = $5))
   and ($6::text = '' or a.tags ? $6)
   and ($7::text = '' or a.digest = $7)
   and ($8::int8 = 0 or a.run_id = $8)
   and ($10::bool or not
-- use: artifact_of_private_run
       )
   and ($9::text = '' or jsonb_build_object('type', c.type, 'collection', coalesce(c.name, c.deleted_name),
            'version', jsonb_build_array(a.version, 'v' || a.version), 'digest', a.digest, 'bytes', a.size_bytes, 'files', a.file_count,
            'created_at', to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
            'user', u.name, 'description', a.description, 'tags', a.tags,
            'run', (select r.name from run r
                     where r.project_id = $1 and r.run_id = a.run_id),
            'aliases', coalesce((select jsonb_agg(l.alias) from artifact_alias l
                                where l.project_id = $1 and l.collection_id = a.collection_id and l.version = a.version), '[]'),
            'metadata', a.metadata::jsonb) @@ $9::jsonpath)

-- part: artifact_order
-- $11: oldest first; $12: after ($13, $14).
   and (not $12::bool or case when $11::bool then (a.created_at, a.artifact_id) > ($13::timestamptz, $14::int8)
                              else (a.created_at, a.artifact_id) < ($13, $14) end)
 order by case when $11 then a.created_at end, case when $11 then a.artifact_id end, a.created_at desc, a.artifact_id desc
 limit $15

-- name: artifact_list
-- use: artifact_columns
-- use: artifact_where
-- use: artifact_order
;

-- part: artifact_size
select a.artifact_id, (coalesce(octet_length(a.metadata), 0) + coalesce(octet_length(a.description), 0))::int8 as size_bytes
  from artifact a

-- name: artifact_list_sizes
-- use: artifact_size
  join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
  left join entity u on u.entity_id = a.user_id
-- use: artifact_where
-- use: artifact_order
;

-- name: artifact_find_sizes
-- use: artifact_size
 where a.project_id = $1 and a.artifact_id = any($2);

-- name: artifact_count
select count(*) as number
  from artifact a
  join artifact_collection c on c.project_id = $1 and c.collection_id = a.collection_id
  left join entity u on u.entity_id = a.user_id
-- use: artifact_where
;

-- ---- client ids ----

-- name: artifact_client_find
select client, kind, project_id, target_id from artifact_client where client = $1 and kind = $2;

-- name: artifact_client_save
-- $6: the draft that it named and that is gone, 0: none.
insert into artifact_client (client, kind, project_id, target_id, created_at, row_sum)
values ($1, $2, $3, $4, $5, hash_record_extended(row($1::text, $2::int2, $3::int8, $4::int8, $5::timestamptz), 0))
on conflict (client, kind) do update
   set project_id = excluded.project_id, target_id = excluded.target_id, created_at = excluded.created_at,
       row_sum = excluded.row_sum
 where artifact_client.target_id = $6::int8;

-- ---- members ----

-- part: artifact_member_columns
select m.project_id, m.collection_id, m.version, m.source_id, m.artifact_id, coalesce(m.added_by, 0::int8) as added_by,
       m.added_at, c.kind, coalesce(c.name, c.deleted_name) as collection, c.type, e.name as entity, p.name as project,

-- part: artifact_member_from
       coalesce((select jsonb_agg(l.alias order by l.alias <> 'latest', l.alias)
                   from artifact_alias l
                  where l.project_id = $1 and l.collection_id = m.collection_id and l.version = m.version), '[]') as aliases
  from artifact_member m
  join artifact_collection c on c.project_id = $1 and c.collection_id = m.collection_id
  join project p on p.project_id = m.project_id
  join entity e on e.entity_id = p.entity_id

-- name: artifact_resolve
-- $4: private runs, too.
-- use: artifact_member_columns
-- use: artifact_member_from
  join artifact_alias l on l.project_id = $1 and l.collection_id = $2 and l.alias = $3 and l.version = m.version
 where m.project_id = $1 and m.collection_id = $2
   and ($4::bool or
-- use: artifact_alias_shown
       );

-- name: artifact_member_newest
-- The newest that is not deleted; whether one of another project is, is known there. $3: private runs, too.
-- use: artifact_member_columns
-- use: artifact_member_from
  left join artifact a on a.project_id = $1 and m.source_id = $1 and a.artifact_id = m.artifact_id
 where m.project_id = $1 and m.collection_id = $2 and (m.source_id <> $1 or a.state = 2)
   and ($3::bool or m.source_id <> $1 or not
-- use: artifact_of_private_run
       )
 order by m.version desc
 limit 1;

-- name: artifact_member_find
-- use: artifact_member_columns
-- use: artifact_member_from
 where m.project_id = $1 and m.collection_id = $2 and m.version = $3;

-- name: artifact_member_link
-- use: artifact_member_columns
-- use: artifact_member_from
 where m.project_id = $1 and m.collection_id = $2 and m.source_id = $3 and m.artifact_id = $4;

-- name: artifact_member_list
-- use: artifact_member_columns
-- use: artifact_member_from
 where m.project_id = $1 and m.collection_id = $2
   and (not $4::bool or case when $3::bool then m.version < $5::int4 else m.version > $5 end)
 order by case when $3 then m.version end desc, m.version
 limit $6;

-- name: artifact_member_count
select count(*) as number
  from artifact_member m
  left join artifact a on a.project_id = $1 and m.source_id = $1 and a.artifact_id = m.artifact_id
 where m.project_id = $1 and m.collection_id = $2 and (m.source_id <> $1 or a.state = 2);

-- name: artifact_members_of
-- Its own sequence is the first.
-- use: artifact_member_columns
       coalesce((select jsonb_agg(l.alias order by l.alias <> 'latest', l.alias)
                   from artifact_alias l
                  where l.project_id = m.project_id and l.collection_id = m.collection_id and l.version = m.version),
                '[]') as aliases
  from artifact_member m
  join artifact_collection c on c.project_id = m.project_id and c.collection_id = m.collection_id
  join project p on p.project_id = m.project_id
  join entity e on e.entity_id = p.entity_id
 where m.source_id = $1 and m.artifact_id = $2 and c.deleted_at is null and p.deleted_at is null
 order by c.kind, m.added_at, m.project_id, m.collection_id
 limit $3;

-- name: artifact_links_of
-- Members of portfolios that are versions of the sequence $2.
-- use: artifact_member_columns
       '[]'::jsonb as aliases
  from artifact a
  join artifact_member m on m.source_id = $1 and m.artifact_id = a.artifact_id and m.collection_id <> a.collection_id
  join artifact_collection c on c.project_id = m.project_id and c.collection_id = m.collection_id
  join project p on p.project_id = m.project_id
  join entity e on e.entity_id = p.entity_id
 where a.project_id = $1 and a.collection_id = $2 and a.state = 2 and c.deleted_at is null and p.deleted_at is null
 order by m.added_at
 limit $3;

-- name: artifact_links_count_own
-- The same in projects of its entity: other entities cannot prevent a change.
select count(*) as number
  from artifact a
  join artifact_member m on m.source_id = $1 and m.artifact_id = a.artifact_id and m.collection_id <> a.collection_id
  join artifact_collection c on c.project_id = m.project_id and c.collection_id = m.collection_id
  join project p on p.project_id = m.project_id
  join project own on own.project_id = $1 and own.entity_id = p.entity_id
 where a.project_id = $1 and a.collection_id = $2 and a.state = 2 and c.deleted_at is null and p.deleted_at is null;

-- name: artifact_member_add
insert into artifact_member (project_id, collection_id, version, source_id, artifact_id, added_by, added_at, row_sum)
values ($1, $2, $3, $4, $5, nullif($6::int8, 0), $7,
        hash_record_extended(row($1::int8, $2::int8, $3::int4, $4::int8, $5::int8, nullif($6::int8, 0), $7::timestamptz), 0));

-- name: artifact_member_remove
delete from artifact_member where project_id = $1 and collection_id = $2 and version = $3;

-- ---- aliases ----

-- name: artifact_alias_set
insert into artifact_alias (project_id, collection_id, alias, version, set_by, set_at, row_sum)
select $1::int8, $2::int8, x.alias, $4::int4, nullif($5::int8, 0), $6::timestamptz,
       hash_record_extended(row($1::int8, $2::int8, x.alias, $4::int4, nullif($5::int8, 0), $6::timestamptz), 0)
  from (select distinct n as alias from unnest($3::text[]) n) x
on conflict (project_id, collection_id, alias) do update
   set version = excluded.version, set_by = excluded.set_by, set_at = excluded.set_at, row_sum = excluded.row_sum;

-- name: artifact_alias_set_free
insert into artifact_alias (project_id, collection_id, alias, version, set_by, set_at, row_sum)
select $1::int8, $2::int8, x.alias, $4::int4, nullif($5::int8, 0), $6::timestamptz,
       hash_record_extended(row($1::int8, $2::int8, x.alias, $4::int4, nullif($5::int8, 0), $6::timestamptz), 0)
  from (select distinct n as alias from jsonb_array_elements_text($3::jsonb) n) x
on conflict (project_id, collection_id, alias) do nothing;

-- name: artifact_alias_count
select count(*) as number from artifact_alias where project_id = $1 and collection_id = $2 and version = $3;

-- name: artifact_alias_remove
delete from artifact_alias where project_id = $1 and collection_id = $2 and alias = any($3) and version = $4;

-- name: artifact_alias_clear
with gone as (
	delete from artifact_alias where project_id = $1 and collection_id = $2 and version = $3
	returning alias)
select coalesce(jsonb_agg(alias order by alias <> 'latest', alias), '[]') as aliases from gone;

-- name: artifact_alias_list
-- "latest" comes before all others. $5: private runs, too.
select l.alias, l.version, l.set_at
  from artifact_alias l
 where l.project_id = $1 and l.collection_id = $2
   and ($3::text = '' or $3 = 'latest' and l.alias <> 'latest' or l.alias > $3 and l.alias <> 'latest')
   and ($5::bool or
-- use: artifact_alias_shown
       )
 order by l.alias <> 'latest', l.alias
 limit $4;

-- ---- the owner of a link ----

-- name: artifact_owner
-- The owner of the project, and the current role of the user $2, by the key $3 or the session $4 at $5. No row when the project
-- is deleted.
select e.entity_id, e.name as entity, p.project_id, p.name as project, p.visibility,
       a.user_id is not null and (k.key_id is not null or s.there is not null) as is_known,
       coalesce(a.is_admin, false) as is_admin, coalesce(k.scope, 3::int2) as scope,
       case when e.entity_id = $2 then 3::int2 else coalesce(m.role, 0::int2) end as role
  from project p
  join entity e on e.entity_id = p.entity_id
  left join account a on a.user_id = $2 and a.disabled_at is null
  left join api_key k on k.key_id = $3 and k.user_id = $2 and k.revoked_at is null
  left join lateral (
       select true as there
         from account_session s
        where s.user_id = $2 and encode(substr(s.token_hash, 1, 8), 'hex') = $4 and s.ends_at > $5
        limit 1) s on true
  left join team_member m on m.team_id = e.entity_id and m.user_id = $2
 where p.project_id = $1 and p.deleted_at is null;

-- name: artifact_place
select p.project_id, e.name as entity, p.name as project, p.deleted_at is not null as is_deleted
  from project p
  join entity e on e.entity_id = p.entity_id
 where p.project_id = $1;
