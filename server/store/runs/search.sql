-- The searched documents, by project; queries for when no server has them as columns. A change of
-- one is counted (document_count), as the last of all locks.

-- name: document_lock
-- Waits for a delete or a move in progress, and checks again after it; not
-- for flushes, nor do they wait for it.
select run_id from run_hot where run_id = $1 and project_id = $2 and deleted_at is null for key share;

-- name: document_lock_free
-- The same for several, without those that another transaction is changing.
select run_id from run_hot where run_id = any($2) and project_id = $1 and deleted_at is null
 order by run_id for key share skip locked;

-- name: document_save
-- Documents of different runs, each with a count of its own. $3 to $8, an element each: the run,
-- its seq and next_row when it was read, and the document; $2: when the first was read. If there
-- are two, the one of the newer run stays. The visibility is read from the directory, for the run
-- is locked now and was not when it was read.
with counted as (
	insert into document_count as c (project_id, change, forgotten, row_sum) values ($1, cardinality($3::int8[]), 0,
	        hash_record_extended(row($1::int8, cardinality($3::int8[])::int8, 0::int8), 0))
	on conflict (project_id) do update set change = c.change + cardinality($3::int8[]),
	    row_sum = coalesce(c.row_sum # hash_record_extended(row(c.project_id, c.change, c.forgotten), 0), 0)
	     # hash_record_extended(row(c.project_id, c.change + cardinality($3::int8[]), c.forgotten), 0)
	returning change)
insert into run_document (project_id, run_id, seq, next_row, change, visibility, deleted, size_bytes, document,
                          read_at, row_sum)
select $1::int8, u.run_id, u.seq, u.next_row, counted.change - cardinality($3::int8[]) + u.i,
       coalesce(r.visibility, u.visibility), false, u.size_bytes, u.document, $2::timestamptz,
       hash_record_extended(row($1::int8, u.run_id, u.seq, u.next_row, u.size_bytes, u.document, $2::timestamptz), 0)
        # hash_record_extended(row(counted.change - cardinality($3::int8[]) + u.i, coalesce(r.visibility, u.visibility),
            false, 0::int8), 1)
  from counted
 cross join unnest($3::int8[], $4::int8[], $5::int8[], $6::int2[], $7::int8[], $8::jsonb[]) with ordinality
       as u (run_id, seq, next_row, visibility, size_bytes, document, i)
  left join run r on r.project_id = $1 and r.run_id = u.run_id
on conflict (project_id, run_id) do update
   set seq = excluded.seq, next_row = excluded.next_row, change = excluded.change,
       visibility = excluded.visibility, deleted = false, size_bytes = excluded.size_bytes,
       document = excluded.document, read_at = excluded.read_at,
       row_sum = hash_record_extended(row(excluded.project_id, excluded.run_id, excluded.seq, excluded.next_row,
            excluded.size_bytes, excluded.document, excluded.read_at), 0)
        # hash_record_extended(row(excluded.change, excluded.visibility, excluded.deleted, run_document.shown), 1)
 where (run_document.seq, run_document.next_row) <= (excluded.seq, excluded.next_row);

-- name: document_show
-- The visibility of a run is changed with the run, not after it.
with counted as (
	insert into document_count as c (project_id, change, forgotten, row_sum) values ($1, 1, 0,
	        hash_record_extended(row($1::int8, 1::int8, 0::int8), 0))
	on conflict (project_id) do update set change = c.change + 1,
	    row_sum = coalesce(c.row_sum # hash_record_extended(row(c.project_id, c.change, c.forgotten), 0), 0)
	     # hash_record_extended(row(c.project_id, c.change + 1, c.forgotten), 0)
	returning change)
update run_document d
   set visibility = $3, change = counted.change, shown = counted.change,
       row_sum = d.row_sum
        # hash_record_extended(row(d.change, d.visibility, d.deleted, d.shown), 1)
        # hash_record_extended(row(counted.change, $3::int2, d.deleted, counted.change), 1)
  from counted
 where d.project_id = $1 and d.run_id = $2;

-- name: document_drop
with counted as (
	insert into document_count as c (project_id, change, forgotten, row_sum) values ($1, 1, 0,
	        hash_record_extended(row($1::int8, 1::int8, 0::int8), 0))
	on conflict (project_id) do update set change = c.change + 1,
	    row_sum = coalesce(c.row_sum # hash_record_extended(row(c.project_id, c.change, c.forgotten), 0), 0)
	     # hash_record_extended(row(c.project_id, c.change + 1, c.forgotten), 0)
	returning change)
update run_document d
   set deleted = true, change = counted.change, size_bytes = 2, document = '{}',
       row_sum = d.row_sum
        # hash_record_extended(row(d.project_id, d.run_id, d.seq, d.next_row, d.size_bytes, d.document, d.read_at), 0)
        # hash_record_extended(row(d.project_id, d.run_id, d.seq, d.next_row, 2::int8, '{}'::jsonb, d.read_at), 0)
        # hash_record_extended(row(d.change, d.visibility, d.deleted, d.shown), 1)
        # hash_record_extended(row(counted.change, d.visibility, true, d.shown), 1)
  from counted
 where d.project_id = $1 and d.run_id = $2;

-- name: search_recent
-- The projects with the latest request of a process, in their newest run or in one that was
-- measured since, at most $1.
select p.project_id
  from project p
  left join project_usage u on u.project_id = p.project_id
 cross join lateral (
       select h.heard_at from run_hot h where h.project_id = p.project_id order by h.run_id desc limit 1) newest
 where p.deleted_at is null
 order by greatest(newest.heard_at, u.heard_at) desc, p.project_id
 limit $1;

-- name: search_counts
-- ahead: worker
select project_id, change, forgotten from document_count where project_id = any($1);

-- name: search_noted
-- ahead: worker
-- Runs whose document lacks a noted change. Runs that are put off come
-- after $2 others, not in their place.
select run_id, seq, is_put_off
  from ((select run_id, seq, false as is_put_off
           from run_change
          where project_id = $1 and not_before is null
          order by run_id
          limit $2)
        union all
        (select run_id, seq, true
           from run_change
          where project_id = $1 and not_before is not null
          order by run_id
          limit $2)
        limit $2) n
 order by run_id;

-- name: search_noted_since
-- The time of the oldest note.
select min(noted_at) as since from run_change where project_id = $1 having min(noted_at) is not null;

-- name: search_noted_done
-- A run that was noted again in the meantime stays.
with written as materialized (
	select c.run_id
	  from run_change c
	  join unnest($1::int8[], $2::int8[]) as u (run_id, seq) on u.run_id = c.run_id
	 where c.run_id = any($1::int8[]) and c.seq <= u.seq
	 order by c.run_id
	   for update of c skip locked)
delete from run_change c using written w where c.run_id = any($1::int8[]) and c.run_id = w.run_id;

-- name: search_running
-- ahead: worker
-- The rows of all running runs, as a digest to compare with an earlier one.
select count(*) as runs, coalesce(bit_xor(hashint8extended(run_id, next_row)), 0) as digest
  from run_hot
 where project_id = $1 and state in (1, 7) and deleted_at is null;

-- name: search_running_rows
select run_id, next_row
  from run_hot
 where project_id = $1 and state in (1, 7) and deleted_at is null
 order by run_id;

-- name: search_written
-- The source state of these runs' documents.
select run_id, next_row, read_at
  from run_document
 where project_id = $1 and run_id = any($2) and not deleted
 order by run_id;

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

-- name: search_stored
-- Config and summary of runs, in the order of $2, as far as they take about $3 bytes: only of runs
-- without a note, so that they are not older than the run. The summary is the searched one: whole
-- (domain/searched_summary.h) has the members whose form differs.
select d.run_id, d.seq, coalesce((d.document ->> 'rows')::int8, -1) as rows, d.document -> 'config' as config,
       d.document -> 'summary' as summary, d.document -> 'whole' as whole
  from (select w.run_id, w.seq, w.document, w.n,
               sum(w.size_bytes) over (order by w.n) - w.size_bytes as before
          from (select r.run_id, r.seq, r.document, r.size_bytes, a.n
                  from unnest($2::int8[]) with ordinality as a (run_id, n)
                  join run_document r on r.project_id = $1 and r.run_id = a.run_id
                 where not r.deleted
                   and not exists (select from run_change n where n.run_id = r.run_id)) w) d
 where d.before < $3
 order by d.n;

-- name: search_values
-- The values of runs $2 under keys: $3 the path of each key, $4 its other
-- path (or the same), $5 outside config and summary, where an empty value
-- is missing. A run comes once for each key that it has.
select v.run_id, v.key, v.rank, case v.rank when 3 then v.found #>> '{}' else '0' end as number,
       case v.rank when 2 then left(v.found #>> '{}', 256) when 1 then '' when 3 then ''
            else left(v.found::text, 256) end as text
  from (select w.run_id, w.key, w.found,
               case jsonb_typeof(w.found) when 'null' then 1 when 'string' then 2 when 'number' then 3
                    when 'boolean' then 4 when 'array' then 5 else 6 end::int2 as rank
          from (select d.run_id, k.number::int4 - 1 as key, k.outside,
                       coalesce(jsonb_path_query_first(d.document, k.path::jsonpath, '{}', true),
                                jsonb_path_query_first(d.document, k.flat::jsonpath, '{}', true)) as found
                  from run_document d
                 cross join unnest($3::text[], $4::text[], $5::bool[]) with ordinality
                       as k (path, flat, outside, number)
                 where d.project_id = $1 and d.run_id = any($2::int8[]) and not d.deleted
                offset 0) w
         where w.found is not null and not (w.outside and w.found in ('""', '[]'))
        offset 0) v;

-- part: search_visible
-- As access_sees() of domain/access.h: $2 private runs too, $3 the project is public.
           ($2::bool or visibility = 2 or (visibility = 0 and $3::bool))

-- name: search_texts
-- The texts at a path, of the next runs by run_id: a run without one
-- comes with null. $2 private ones too, $3 the project is public, $4 the
-- path, $5 after this run, $6 about so many bytes of documents.
select d.run_id, t.value #>> '{}' as text
  from (select w.run_id, w.document, w.shown,
               sum(w.size_bytes) over (order by w.run_id) - w.size_bytes as before
          from (select run_id, size_bytes, document,
                       not deleted and
-- use: search_visible
                       as shown
                  from run_document
                 where project_id = $1 and run_id > $5
                 order by run_id
                 limit 8192) w) d
  left join lateral jsonb_path_query(d.document, $4::text::jsonpath, '{}', true) as t (value)
    on d.shown and jsonb_typeof(t.value) = 'string'
 where d.before < $6
 order by d.run_id;

-- The common part of pages, counts and groups. $1 to $14 select the runs: $2 private ones too, $3
-- the project is public, $4 a jsonpath or null; for the runs $5 the results of its expressions are
-- those of $7, by number $6; $8 only those of a group: by the key at $9, else at $10, $11 outside
-- of config and summary, with the rank $12, number $13 and text $14. $15, $16, $17: the key to
-- order by. Ranks: 1 null, 2 text, 3 number, 4 true or false, 5 list, 6 object; without a value 7,
-- or 0 where the greatest are first: last. OFFSET 0 keeps a value from being looked for once for
-- each time that it is named.

-- part: search_asked
-- The conditions $4 to $14 of a document d.
           ($4::text is null
            or coalesce(jsonb_path_match(d.document, (select $4::text::jsonpath),
                                         ($7::jsonb[])[coalesce(m.matched, 1)], true),
                        false))
       and (not $8::bool
            or ($12::int2, $13::text::numeric, $14::text)
               = (select case w.type when 'null' then 1 when 'string' then 2 when 'number' then 3
                              when 'boolean' then 4 when 'array' then 5 when 'object' then 6 else 7 end::int2,
                         case w.type when 'number' then w.found::numeric else 0 end,
                         case w.type when 'string' then left(w.found #>> '{}', 256)
                              when 'boolean' then w.found::text when 'array' then left(w.found::text, 256)
                              when 'object' then left(w.found::text, 256) else '' end collate "C"
                    from (select o.found,
                                 case when not $11::bool or o.found not in ('""', '[]')
                                      then jsonb_typeof(o.found) end as type
                            from (select coalesce(
                                             jsonb_path_query_first(d.document, (select $9::text::jsonpath), '{}', true),
                                             jsonb_path_query_first(d.document, (select $10::text::jsonpath), '{}', true))
                                         as found
                                  offset 0) o
                          offset 0) w))

-- part: search_key
       coalesce(
                  jsonb_path_query_first(d.document, (select $15::text::jsonpath), '{}', true),
                  jsonb_path_query_first(d.document, (select $16::text::jsonpath), '{}', true))
              as found

-- part: search_rank
       case v.type when 'null' then 1 when 'string' then 2 when 'number' then 3
                   when 'boolean' then 4 when 'array' then 5 when 'object' then 6

-- part: search_value
       case v.type when 'number' then v.found::numeric else 0 end as number,
       case v.type when 'string' then left(v.found #>> '{}', 256)
            when 'boolean' then v.found::text when 'array' then left(v.found::text, 256)
            when 'object' then left(v.found::text, 256) else '' end collate "C" as text

-- part: search_ordered
-- The order of a page's values: numbers at $25, missing values at $26. An infinity is a number,
-- which documents have as a text.
               case v.type when 'number' then $25::int2
                           when 'string' then case when v.found in ('"Infinity"', '"-Infinity"') then $25::int2 else 2 end
                           when 'null' then 1 when 'boolean' then 4 when 'array' then 5 when 'object' then 6
                           else $26::int2 end::int2 as sort_rank,
               case v.type when 'number' then v.found::numeric
                           when 'string' then case v.found when '"Infinity"' then 'Infinity'::numeric
                                                           when '"-Infinity"' then '-Infinity'::numeric else 0 end
                           else 0 end as number,
               case v.type when 'string' then left(v.found #>> '{}', 256)
                           when 'boolean' then v.found::text when 'array' then left(v.found::text, 256)
                           when 'object' then left(v.found::text, 256) else '' end collate "C" as text

-- part: search_rows
-- For a page, up to the order in which runs are read.
          from (select u.run_id, u.found,
                      case when not $17::bool or u.found not in ('""', '[]')
                           then jsonb_typeof(u.found) end as type
                  from (select d.run_id,
-- use: search_key
                          from (select run_id, document
                                  from run_document
                                 where project_id = $1 and not deleted
                                   and
-- use: search_visible

-- part: search_rows_found
                                offset 0) d
                          left join unnest($5::int8[], $6::int4[]) as m (run_id, matched) on m.run_id = d.run_id
                         where
-- use: search_asked
                        offset 0) u
                offset 0) v) r
 where not $18::bool

-- name: search_page_up
-- ahead: worker
-- One page of a project's runs in a total order. The cursor: $18 there is one, the
-- last row's $19 sort rank, $20 number, $21 text, $22 run_id. $23 rows after $24. $25
-- is less and $26 greater than any other sort rank, or, the greatest first, the other
-- way round. Runs are read in the order they were made, which is often that of the
-- page, or near it: a row after its last one so far is rejected by one comparison.
-- A statement for each direction, for keys of both in one would be compared both.
select r.run_id, r.rank, r.number::text as number, r.text
  from (select v.run_id,
-- use: search_rank
               else 7 end::int2 as rank,
-- use: search_ordered
-- use: search_rows
                                 order by run_id
-- use: search_rows_found
    or (r.sort_rank, r.number, r.text, r.run_id) > ($19::int2, $20::text::numeric, $21::text, $22::int8)
 order by r.sort_rank, r.number, r.text, r.run_id
 limit $23 offset $24;

-- name: search_page_down
-- ahead: worker
-- The same, the greatest first.
select r.run_id, r.rank, r.number::text as number, r.text
  from (select v.run_id,
-- use: search_rank
               else 7 end::int2 as rank,
-- use: search_ordered
-- use: search_rows
                                 order by run_id desc
-- use: search_rows_found
    or (r.sort_rank, r.number, r.text, r.run_id) < ($19::int2, $20::text::numeric, $21::text, $22::int8)
 order by r.sort_rank desc, r.number desc, r.text desc, r.run_id desc
 limit $23 offset $24;

-- name: search_count
-- ahead: worker
-- How many runs $1 to $14 find.
select count(*) as runs
  from run_document d
  left join unnest($5::int8[], $6::int4[]) as m (run_id, matched) on m.run_id = d.run_id
 where d.project_id = $1 and not d.deleted
           and
-- use: search_visible
           and
-- use: search_asked
;

-- name: search_groups
-- The groups of the runs that $1 to $14 find, by the value of the key $15, $16, $17; $18 and $19
-- the paths of the numbers for the statistics, and their other paths (or the same); $20 by how
-- many runs they have, and then by value, else by value. The cursor: $21 there is one, the last
-- group's $22 runs (or 0), $23 rank, $24 number, $25 text. $26 groups; $27 the greatest first, by
-- count or value. A group comes once for each key of $18.
with r as materialized (
        select v.numbers,
-- use: search_rank
               else case when $27::bool then 0 else 7 end end::int2 as rank,
-- use: search_value
          from (select u.found, u.numbers,
                      case when not $17::bool or u.found not in ('""', '[]')
                           then jsonb_typeof(u.found) end as type
                  from (select array(select case when jsonb_typeof(o.found) = 'number' then
                                                 case when abs(o.found::numeric) < 1e-300 then 0
                                                      when abs(o.found::numeric) <= 1e300 then o.found::numeric
                                                 end::float8
                                            end
                                       from (select k.at,
                                                    coalesce(jsonb_path_query_first(d.document, k.path, '{}', true),
                                                             jsonb_path_query_first(d.document, k.flat, '{}', true))
                                                        as found
                                               from unnest((select $18::text[]::jsonpath[]),
                                                           (select $19::text[]::jsonpath[]))
                                                    with ordinality as k (path, flat, at)
                                             offset 0) o
                                      order by o.at) as numbers,
-- use: search_key
                          from run_document d
                          left join unnest($5::int8[], $6::int4[]) as m (run_id, matched) on m.run_id = d.run_id
                         where d.project_id = $1 and not d.deleted
           and
-- use: search_visible
                           and
-- use: search_asked
                        offset 0) u
                offset 0) v),
g as materialized (
	select case when $20::bool then count(*) else 0 end as sort_runs, rank, number, text, count(*) as runs
	  from r
	 group by rank, number, text),
t as materialized (select count(*) as all_groups, coalesce(sum(runs), 0)::int8 as all_runs from g),
p as materialized (
	select g.rank, g.number, g.text, g.runs,
	       row_number() over (
	           order by case when not $27::bool then g.sort_runs end, case when $27::bool then g.sort_runs end desc,
	                    case when not $27::bool then g.rank end, case when $27::bool then g.rank end desc,
	                    case when not $27::bool then g.number end, case when $27::bool then g.number end desc,
	                    case when not $27::bool then g.text end, case when $27::bool then g.text end desc) as at
	  from g
	 where not $21::bool
	    or case when $27::bool
	            then (g.sort_runs, g.rank, g.number, g.text) < ($22::int8, $23::int2, $24::text::numeric, $25::text)
	            else (g.sort_runs, g.rank, g.number, g.text) > ($22::int8, $23::int2, $24::text::numeric, $25::text) end
	 order by at
	 limit $26),
s as materialized (
	select p.at, k.key, count(k.x) as numbers, min(k.x) as least, max(k.x) as greatest,
	       sum(k.x) / nullif(count(k.x), 0) as mean,
	       case when max(abs(k.x)) <= 1e140
	            then stddev_samp(case when abs(k.x) <= 1e140 then k.x end) end as deviation
	  from r
	  join p using (rank, number, text)
	 cross join unnest(r.numbers) with ordinality as k (x, key)
	 group by p.at, k.key)
select p.rank, p.number::text as number, p.text, p.runs, coalesce(s.key, 0) as key,
       coalesce(s.numbers, 0) as numbers, s.least, s.greatest, s.mean, coalesce(s.deviation, -1) as deviation,
       t.all_groups, t.all_runs
  from p
 cross join t
  left join s using (at)
 order by p.at, key;
