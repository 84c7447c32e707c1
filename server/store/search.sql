-- The documents that are searched, by project; what is asked of them when no server has them as columns.
-- Whoever changes one counts (document_count), last of all locks.

-- name: document_lock
-- Waits for a delete that is under way, and looks again after it.
select run_id from run_hot where run_id = $1 and deleted_at is null for share;

-- name: document_save
with counted as (
	insert into document_count as c (project_id, change, forgotten) values ($1, 1, 0)
	on conflict (project_id) do update set change = c.change + 1
	returning change)
insert into run_document (project_id, run_id, seq, change, visibility, deleted, size_bytes, document)
select $1::int8, $2::int8, $3::int8, counted.change, $4::int2, false, $6::int8, $5::jsonb
  from counted
on conflict (project_id, run_id) do update
   set seq = excluded.seq, change = excluded.change, visibility = excluded.visibility,
       deleted = false, size_bytes = excluded.size_bytes, document = excluded.document
 where run_document.seq <= excluded.seq;

-- name: document_show
-- Who may see a run is changed with the run, not after it.
with counted as (
	insert into document_count as c (project_id, change, forgotten) values ($1, 1, 0)
	on conflict (project_id) do update set change = c.change + 1
	returning change)
update run_document d
   set visibility = $3, change = counted.change
  from counted
 where d.project_id = $1 and d.run_id = $2;

-- name: document_drop
with counted as (
	insert into document_count as c (project_id, change, forgotten) values ($1, 1, 0)
	on conflict (project_id) do update set change = c.change + 1
	returning change)
update run_document d
   set deleted = true, change = counted.change, size_bytes = 2, document = '{}'
  from counted
 where d.project_id = $1 and d.run_id = $2;

-- name: search_counts
select project_id, change, forgotten from document_count where project_id = any($1);

-- name: search_load
-- The next documents by run_id, of about $3 bytes.
select run_id, change, visibility, deleted, document
  from (select w.run_id, w.change, w.visibility, w.deleted, w.document,
               sum(w.size_bytes) over (order by w.run_id) - w.size_bytes as before
          from (select run_id, change, visibility, deleted, size_bytes, document
                  from run_document
                 where project_id = $1 and run_id > $2
                 order by run_id
                 limit 8192) w) d
 where before < $3
 order by run_id;

-- name: search_changed
-- The next documents by change, of about $3 bytes and at most $4.
select run_id, change, visibility, deleted, document
  from (select w.run_id, w.change, w.visibility, w.deleted, w.document,
               sum(w.size_bytes) over (order by w.change, w.run_id) - w.size_bytes as before
          from (select run_id, change, visibility, deleted, size_bytes, document
                  from run_document
                 where project_id = $1 and change > $2
                 order by change, run_id
                 limit $4) w) d
 where before < $3
 order by change, run_id;

-- name: search_texts
-- The texts at a place, of the next runs by run_id: a run without one comes with null. $2 private ones
-- too, $3 the project is public, $4 the place, $5 behind this run, $6 about so many bytes of documents.
select d.run_id, t.value #>> '{}' as text
  from (select w.run_id, w.document, w.shown,
               sum(w.size_bytes) over (order by w.run_id) - w.size_bytes as before
          from (select run_id, size_bytes, document,
                       not deleted and ($2::bool or visibility = 2 or (visibility = 0 and $3::bool))
                       as shown
                  from run_document
                 where project_id = $1 and run_id > $5
                 order by run_id
                 limit 8192) w) d
  left join lateral jsonb_path_query(d.document, $4::text::jsonpath, '{}', true) as t (value)
    on d.shown and jsonb_typeof(t.value) = 'string'
 where d.before < $6
 order by d.run_id;

-- name: search_page_up
-- One page of a project's runs in a total order. $2 private ones too, $3 the project is public, $4 a
-- jsonpath or null; of the runs $5 the expressions in it are, by number $6, what $7 says; the key to order
-- by stands at $8, else at $9, $10: outside of config and summary. The cursor: $11 there is one, the last
-- row's $12 rank, $13 number, $14 text, $15 run_id. $16 rows.
-- Ranks: 1 null, 2 text, 3 number, 4 true or false, 5 list, 6 object; without a value 7, last.
with f as materialized (
	select $4::text::jsonpath as filter, $8::text::jsonpath as place, $9::text::jsonpath as flat),
m as materialized (
	select run_id, matched from unnest($5::int8[], $6::int4[]) as u (run_id, matched))
select run_id, rank, number::text as number, text
  from (select d.run_id,
               coalesce(array_position(
                   array['null', 'string', 'number', 'boolean', 'array', 'object'],
                   jsonb_typeof(v.value)), 7)::int2 as rank,
               case when jsonb_typeof(v.value) = 'number' then v.value::numeric else 0 end as number,
               case jsonb_typeof(v.value) when 'string' then left(v.value #>> '{}', 256)
                    when 'boolean' then v.value::text when 'array' then left(v.value::text, 256)
                    when 'object' then left(v.value::text, 256) else '' end collate "C" as text
          from run_document d
         cross join f
          left join m on m.run_id = d.run_id
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.place, '{}', true),
                               jsonb_path_query_first(d.document, f.flat, '{}', true)) as found) u
         cross join lateral (
               select case when not $10::bool or u.found not in ('""', '[]') then u.found end
                      as value) v
         where d.project_id = $1 and not d.deleted
           and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
           and (f.filter is null
                or coalesce(jsonb_path_match(d.document, f.filter,
                                             ($7::jsonb[])[coalesce(m.matched, 1)], true),
                            false))) r
 where not $11::bool
    or (rank, number, text, run_id) > ($12::int2, $13::text::numeric, $14::text, $15::int8)
 order by r.rank, r.number, r.text, r.run_id -- not the column that is answered
 limit $16;

-- name: search_page_down
-- The same, the greatest first; without a value the rank is 0, last again.
with f as materialized (
	select $4::text::jsonpath as filter, $8::text::jsonpath as place, $9::text::jsonpath as flat),
m as materialized (
	select run_id, matched from unnest($5::int8[], $6::int4[]) as u (run_id, matched))
select run_id, rank, number::text as number, text
  from (select d.run_id,
               coalesce(array_position(
                   array['null', 'string', 'number', 'boolean', 'array', 'object'],
                   jsonb_typeof(v.value)), 0)::int2 as rank,
               case when jsonb_typeof(v.value) = 'number' then v.value::numeric else 0 end as number,
               case jsonb_typeof(v.value) when 'string' then left(v.value #>> '{}', 256)
                    when 'boolean' then v.value::text when 'array' then left(v.value::text, 256)
                    when 'object' then left(v.value::text, 256) else '' end collate "C" as text
          from run_document d
         cross join f
          left join m on m.run_id = d.run_id
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.place, '{}', true),
                               jsonb_path_query_first(d.document, f.flat, '{}', true)) as found) u
         cross join lateral (
               select case when not $10::bool or u.found not in ('""', '[]') then u.found end
                      as value) v
         where d.project_id = $1 and not d.deleted
           and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
           and (f.filter is null
                or coalesce(jsonb_path_match(d.document, f.filter,
                                             ($7::jsonb[])[coalesce(m.matched, 1)], true),
                            false))) r
 where not $11::bool
    or (rank, number, text, run_id) < ($12::int2, $13::text::numeric, $14::text, $15::int8)
 order by r.rank desc, r.number desc, r.text desc, r.run_id desc
 limit $16;

-- name: search_count
-- How many runs a filter finds: $1 to $7 as above.
with f as materialized (select $4::text::jsonpath as filter),
m as materialized (
	select run_id, matched from unnest($5::int8[], $6::int4[]) as u (run_id, matched))
select count(*) as runs
  from run_document d
 cross join f
  left join m on m.run_id = d.run_id
 where d.project_id = $1 and not d.deleted
   and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
   and (f.filter is null
        or coalesce(jsonb_path_match(d.document, f.filter,
                                     ($7::jsonb[])[coalesce(m.matched, 1)], true), false));

-- name: search_groups_up
-- The groups of the runs that a filter finds, by a key's value: $1 to $10 as above; $11 and $12 where the
-- number of the statistics stands, or null; $13 by how many runs they have, and then by value, else by
-- value. The cursor: $14 there is one, the last group's $15 runs (or 0), $16 rank, $17 number, $18 text.
with f as materialized (
	select $4::text::jsonpath as filter, $8::text::jsonpath as place, $9::text::jsonpath as flat,
	       $11::text::jsonpath as of_place, $12::text::jsonpath as of_flat),
m as materialized (
	select run_id, matched from unnest($5::int8[], $6::int4[]) as u (run_id, matched)),
g as materialized (
	select case when $13::bool then count(*) else 0 end as place, rank, number, text,
	       count(*) as runs, count(statistic) as numbers, min(statistic) as least,
	       max(statistic) as greatest, sum(statistic) / nullif(count(statistic), 0) as mean
	  from (
       select coalesce(array_position(
                   array['null', 'string', 'number', 'boolean', 'array', 'object'],
                   jsonb_typeof(v.value)), 7)::int2 as rank,
               case when jsonb_typeof(v.value) = 'number' then v.value::numeric else 0 end as number,
               case jsonb_typeof(v.value) when 'string' then left(v.value #>> '{}', 256)
                    when 'boolean' then v.value::text when 'array' then left(v.value::text, 256)
                    when 'object' then left(v.value::text, 256) else '' end collate "C" as text,
               case when jsonb_typeof(x.value) = 'number' then
                    case when abs(x.value::numeric) < 1e-300 then 0
                         when abs(x.value::numeric) <= 1e300 then x.value::numeric end::float8
               end as statistic
          from run_document d
         cross join f
          left join m on m.run_id = d.run_id
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.place, '{}', true),
                               jsonb_path_query_first(d.document, f.flat, '{}', true)) as found) u
         cross join lateral (
               select case when not $10::bool or u.found not in ('""', '[]') then u.found end
                      as value) v
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.of_place, '{}', true),
                               jsonb_path_query_first(d.document, f.of_flat, '{}', true)) as value) x
         where d.project_id = $1 and not d.deleted
           and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
           and (f.filter is null
                or coalesce(jsonb_path_match(d.document, f.filter,
                                             ($7::jsonb[])[coalesce(m.matched, 1)], true),
                            false))) r
	 group by rank, number, text),
t as materialized (select count(*) as all_groups, coalesce(sum(runs), 0)::int8 as all_runs from g)
select g.rank, g.number::text as number, g.text, g.runs, g.numbers, g.least, g.greatest, g.mean,
       t.all_groups, t.all_runs
  from g
 cross join t
 where not $14::bool
    or (g.place, g.rank, g.number, g.text) > ($15::int8, $16::int2, $17::text::numeric, $18::text)
 order by g.place, g.rank, g.number, g.text
 limit $19;

-- name: search_groups_down
with f as materialized (
	select $4::text::jsonpath as filter, $8::text::jsonpath as place, $9::text::jsonpath as flat,
	       $11::text::jsonpath as of_place, $12::text::jsonpath as of_flat),
m as materialized (
	select run_id, matched from unnest($5::int8[], $6::int4[]) as u (run_id, matched)),
g as materialized (
	select case when $13::bool then count(*) else 0 end as place, rank, number, text,
	       count(*) as runs, count(statistic) as numbers, min(statistic) as least,
	       max(statistic) as greatest, sum(statistic) / nullif(count(statistic), 0) as mean
	  from (
       select coalesce(array_position(
                   array['null', 'string', 'number', 'boolean', 'array', 'object'],
                   jsonb_typeof(v.value)), 0)::int2 as rank,
               case when jsonb_typeof(v.value) = 'number' then v.value::numeric else 0 end as number,
               case jsonb_typeof(v.value) when 'string' then left(v.value #>> '{}', 256)
                    when 'boolean' then v.value::text when 'array' then left(v.value::text, 256)
                    when 'object' then left(v.value::text, 256) else '' end collate "C" as text,
               case when jsonb_typeof(x.value) = 'number' then
                    case when abs(x.value::numeric) < 1e-300 then 0
                         when abs(x.value::numeric) <= 1e300 then x.value::numeric end::float8
               end as statistic
          from run_document d
         cross join f
          left join m on m.run_id = d.run_id
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.place, '{}', true),
                               jsonb_path_query_first(d.document, f.flat, '{}', true)) as found) u
         cross join lateral (
               select case when not $10::bool or u.found not in ('""', '[]') then u.found end
                      as value) v
         cross join lateral (
               select coalesce(jsonb_path_query_first(d.document, f.of_place, '{}', true),
                               jsonb_path_query_first(d.document, f.of_flat, '{}', true)) as value) x
         where d.project_id = $1 and not d.deleted
           and ($2::bool or d.visibility = 2 or (d.visibility = 0 and $3::bool))
           and (f.filter is null
                or coalesce(jsonb_path_match(d.document, f.filter,
                                             ($7::jsonb[])[coalesce(m.matched, 1)], true),
                            false))) r
	 group by rank, number, text),
t as materialized (select count(*) as all_groups, coalesce(sum(runs), 0)::int8 as all_runs from g)
select g.rank, g.number::text as number, g.text, g.runs, g.numbers, g.least, g.greatest, g.mean,
       t.all_groups, t.all_runs
  from g
 cross join t
 where not $14::bool
    or (g.place, g.rank, g.number, g.text) < ($15::int8, $16::int2, $17::text::numeric, $18::text)
 order by g.place desc, g.rank desc, g.number desc, g.text desc
 limit $19;
