-- Config, summary, people's edits, conflicts, and the documents that are searched.

-- name: config_others
-- Every different document of other writers, in order of its latest change.
select max(writer) as writer, max(seq) as seq, document
  from run_config
 where run_id = $1 and writer <> $2
 group by document
 order by max(seq);

-- name: config_of
select writer, seq, document from run_config where run_id = $1 and writer = $2;

-- name: config_save
insert into run_config (run_id, writer, seq, document) values ($1, $2, $3, $4)
on conflict (run_id, writer) do update set seq = excluded.seq, document = excluded.document;

-- name: overlay_find
select seq, patch, rows from run_overlay where run_id = $1 and kind = $2;

-- name: overlay_save
insert into run_overlay (run_id, kind, seq, patch, rows) values ($1, $2, $3, $4, $5)
on conflict (run_id, kind) do update
   set seq = excluded.seq, patch = excluded.patch, rows = excluded.rows;

-- name: conflict_find
select kind, key, count, writers, changed_at
  from run_conflict
 where run_id = $1 and kind = $2 and key = any($3);

-- name: conflict_save
-- As many more of each key.
insert into run_conflict (run_id, kind, key, count, writers, changed_at)
select $1::int8, $2::int2, u.key, u.count, u.writers, $6::timestamptz
  from unnest($3::text[], $4::int8[], $5::text[]) as u (key, count, writers)
on conflict (run_id, kind, key) do update
   set count = run_conflict.count + excluded.count, writers = excluded.writers,
       changed_at = excluded.changed_at;

-- name: conflict_list
select kind, key, count, writers, changed_at
  from run_conflict
 where run_id = $1 and (kind, key collate "C") > ($2, $3)
 order by kind, key collate "C"
 limit $4;

-- name: document_save
-- The lock waits for a delete that is under way, and looks again after it.
insert into run_document (project_id, run_id, seq, visibility, document)
select $1::int8, h.run_id, $3::int8, $4::int2, $5::jsonb
  from run_hot h
 where h.run_id = $2 and h.deleted_at is null
   for share of h
on conflict (project_id, run_id) do update
   set seq = excluded.seq, visibility = excluded.visibility, document = excluded.document
 where run_document.seq <= excluded.seq;

-- name: document_search_up
-- One page of a project's runs in a total order: by one key ascending, missing values last, then by
-- run_id. $2 private ones too, $3 the project is public, $4 a jsonpath or null, $5 the key's path; the
-- cursor: $6 there is one, $7 the key's value of the last row (null: it had none), $8 its run_id.
with f as materialized (select $4::text::jsonpath as filter)
select d.run_id, d.document #> $5::text[] as order_value
  from run_document d
 cross join f
 where d.project_id = $1
   and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
   and (f.filter is null or coalesce(d.document @@ f.filter, false))
   and (not $6::bool
        or case when $7::jsonb is null
                then d.document #> $5::text[] is null and d.run_id > $8
                else d.document #> $5::text[] is null or d.document #> $5::text[] > $7::jsonb
                     or (d.document #> $5::text[] = $7::jsonb and d.run_id > $8) end)
 order by d.document #> $5::text[] is null, d.document #> $5::text[], d.run_id
 limit $9;

-- name: document_search_down
with f as materialized (select $4::text::jsonpath as filter)
select d.run_id, d.document #> $5::text[] as order_value
  from run_document d
 cross join f
 where d.project_id = $1
   and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
   and (f.filter is null or coalesce(d.document @@ f.filter, false))
   and (not $6::bool
        or case when $7::jsonb is null
                then d.document #> $5::text[] is null and d.run_id < $8
                else d.document #> $5::text[] is null or d.document #> $5::text[] < $7::jsonb
                     or (d.document #> $5::text[] = $7::jsonb and d.run_id < $8) end)
 order by d.document #> $5::text[] is null, d.document #> $5::text[] desc, d.run_id desc
 limit $9;

-- name: document_order_value
-- Of a run that the caller may see: $4 and $5 as above.
select d.run_id, d.document #> $3::text[] as order_value
  from run_document d
 where d.project_id = $1 and d.run_id = $2
   and ($4::bool or d.visibility = 2 or (d.visibility = 0 and $5::bool));
