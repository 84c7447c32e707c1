-- Config, summary, users' edits, conflicts.

-- name: config_others
-- Every different document of other writers, in order of its latest change.
select max(writer) as writer, max(seq) as seq, document, null::text as common
  from run_config
 where run_id = $1 and writer <> $2
 group by document
 order by max(seq);

-- name: config_of
select writer, seq, document, common from run_config where run_id = $1 and writer = $2;

-- name: config_save
insert into run_config (run_id, writer, seq, document, common, row_sum) values ($1, $2, $3, $4, $5,
        hash_record_extended(row($1::int8, $2::int4, $3::int8, $4::text, $5::text), 0))
on conflict (run_id, writer) do update
   set seq = excluded.seq, document = excluded.document, common = excluded.common, row_sum = excluded.row_sum;

-- name: sent_find
select run_id, writer, summary, waiting, ahead, session, common
  from run_sent
 where (run_id, writer) in (select * from unnest($1::int8[], $2::int4[]));

-- name: sent_list
-- The first of the run's writers, as far as they take about $3 bytes.
select s.run_id, s.writer, s.summary, s.waiting, s.ahead, s.session, s.common
  from (select r.run_id, r.writer, r.summary, r.waiting, r.ahead, r.session, r.common,
               sum(octet_length(r.summary) + coalesce(octet_length(r.waiting), 0) + coalesce(octet_length(r.ahead), 0))
               over (order by r.writer rows between unbounded preceding and 1 preceding) as before
          from run_sent r
         where r.run_id = $1 and r.summary is not null
         order by r.writer
         limit $2) s
 where coalesce(s.before, 0) < $3
 order by s.writer;

-- name: sent_save
insert into run_sent (run_id, writer, summary, waiting, ahead, session, common, row_sum)
select u.run_id, u.writer, u.summary, u.waiting, u.ahead, u.session, u.common,
       hash_record_extended(row(u.run_id, u.writer, u.summary, u.waiting, u.ahead, u.session, u.common), 0)
  from unnest($1::int8[], $2::int4[], $3::text[], $4::text[], $5::text[], $6::int4[], $7::text[])
       as u (run_id, writer, summary, waiting, ahead, session, common)
on conflict (run_id, writer) do update
   set summary = excluded.summary, waiting = excluded.waiting, ahead = excluded.ahead, session = excluded.session,
       common = excluded.common, row_sum = excluded.row_sum;

-- name: overlay_find
select seq, patch, rows, editors from run_overlay where run_id = $1 and kind = $2;

-- name: overlay_save
insert into run_overlay (run_id, kind, seq, patch, rows, editors, row_sum) values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::int2, $3::int8, $4::text, $5::text, $6::text), 0))
on conflict (run_id, kind) do update
   set seq = excluded.seq, patch = excluded.patch, rows = excluded.rows, editors = excluded.editors,
       row_sum = excluded.row_sum;

-- name: conflict_find
select kind, key, count, writers, changed_at
  from run_conflict
 where run_id = $1 and kind = $2 and key = any($3);

-- name: conflict_save
-- Adds to the count of each key.
insert into run_conflict (run_id, kind, key, count, writers, changed_at, row_sum)
select $1::int8, $2::int2, u.key, u.count, u.writers, $6::timestamptz,
       hash_record_extended(row($1::int8, $2::int2, u.key, u.count, $6::timestamptz), 0)
        # hash_record_extended(row(u.writers), 1)
  from unnest($3::text[], $4::int8[], $5::text[]) as u (key, count, writers)
on conflict (run_id, kind, key) do update
   set count = run_conflict.count + excluded.count, writers = excluded.writers,
       changed_at = excluded.changed_at,
       row_sum = hash_record_extended(row(excluded.run_id, excluded.kind, excluded.key,
            run_conflict.count + excluded.count, excluded.changed_at), 0)
        # hash_record_extended(row(excluded.writers), 1);

-- name: conflict_list
select kind, key, count, writers, changed_at
  from run_conflict
 where run_id = $1 and (kind, key collate "C") > ($2, $3)
 order by kind, key collate "C"
 limit $4;
