-- The tail, chunks, console, keys.

-- name: flush_start
-- ahead: flusher
-- The time of a flush, by the clock that decides about runs and writers,
-- and the slot of the tail.
select clock_timestamp() + c.shift_us * interval '1 microsecond' as now, r.slot
  from server_clock c
 cross join tail_ring r
 where c.id = 1 and r.id = 1;

-- name: tail_insert
-- ahead: flusher
insert into tail (slot, run_id, seq, kind, writer, row_first, row_count, step_base, size_bytes,
                  data, marks, time_first, time_last)
select $1::int2, u.run_id, u.seq, u.kind, u.writer, u.row_first, u.row_count, u.step_base,
       u.size_bytes, u.data, nullif(u.marks, ''::bytea),
       case when u.kind = 3 then u.time_first end, case when u.kind = 3 then u.time_last end
  from unnest($2::int8[], $3::int8[], $4::int2[], $5::int4[], $6::int8[], $7::int4[], $8::int8[],
              $9::int8[], $10::bytea[], $11::bytea[], $12::int8[], $13::int8[])
       as u (run_id, seq, kind, writer, row_first, row_count, step_base, size_bytes, data, marks,
             time_first, time_last);

-- name: tail_pending
-- The blocks of a run to be compacted, oldest first: at most $3 blocks of at most $4 bytes,
-- decoded, or only the first.
with waiting as materialized (
	select t.seq, t.size_bytes
	  from tail t
	 where t.run_id = $1 and t.seq > $2
	 order by t.seq
	 limit $3),
taken as materialized (
	select max(w.seq) as seq
	  from (select seq, row_number() over (order by seq) as number,
	               sum(size_bytes) over (order by seq) as sum
	          from waiting) w
	 where w.number = 1 or w.sum <= $4)
select t.seq, t.kind, t.writer, t.row_first, t.row_count, t.step_base, t.size_bytes, t.data
  from tail t
 where t.run_id = $1 and t.seq > $2 and t.seq <= (select seq from taken)
 order by t.seq;

-- name: series_rows_of_steps
-- The rows between which steps $4 to $5 are, by the chunks of a key that every row has, and the
-- last row that is in them.
select coalesce(min(c.row_first) filter (where c.step_max >= $4 and c.step_min <= $5), 0)::int8 as first,
       coalesce(max(c.row_last) filter (where c.step_max >= $4 and c.step_min <= $5), -1)::int8 as last,
       coalesce(max(c.row_last), -1)::int8 as compacted
  from chunk c
 where c.run_id = $1 and c.stream = $2 and c.key_id = $3 and c.kind = 1;

-- name: series_read
-- ahead: worker
-- Chunks and tail of some keys in one snapshot: what was acknowledged is there exactly once. $1
-- runs, $2 stream, $3 keys, $4 the writers (empty: all). The data of a chunk are its cells. Part 3:
-- for runs that were rewound or forked, the parts of a branch: $5 - 1, the one that is written into
-- (0), none (-1). Part 4: a run of another project than $6 (0: any project), where keys have other
-- numbers. All cells come, and the tail comes whole, whatever the steps: where its cells begin is
-- counted over all values before them, and compaction keeps it short. Neither here nor below is
-- anything sorted: that costs more than the reading, and most often the order is right already. The
-- parameters are in subqueries, where the planner does not see them: plans made for their values
-- seem a little cheaper than the general one, so it would make one each time, which takes longer
-- than reading a chart.
select 1::int2 as part, c.run_id, c.key_id, c.writer, c.index_first, c.value_count,
       null::int8 as row_first, null::int8 as step_base, c.roll as data
  from chunk c
 where c.run_id = any((select $1::int8[])::int8[]) and c.stream = (select $2::int2)
   and c.key_id = any((select $3::int4[])::int4[]) and c.kind = 1
   and ((select cardinality($4::int4[]) = 0) or c.writer = any((select $4::int4[])::int4[]))
union all
select 2::int2, t.run_id, null, t.writer, t.seq, t.row_count, t.row_first, t.step_base, t.data
  from run_hot h
  join tail t on t.run_id = h.run_id
 where h.run_id = any((select $1::int8[])::int8[]) and t.seq > h.compact_seq
   and t.kind = (select $2::int2)
   and ((select cardinality($4::int4[]) = 0) or t.writer = -1
        or t.writer = any((select $4::int4[])::int4[]))
union all
select 3::int2, b.run_id, null, 0, 0, 0, null, null, convert_to(b.parts, 'UTF8')
  from run_hot h
  join run_branch b on b.run_id = h.run_id
   and b.number = case when (select $5::int4) > 0 then (select $5::int4) - 1 else h.branch end
 where h.run_id = any((select $1::int8[])::int8[]) and h.branch > 0 and (select $5::int4) >= 0
   and (select $2::int2) = 1
union all
select 4::int2, h.run_id, null, 0, 0, 0, null, null, null
  from run_hot h
 where h.run_id = any((select $1::int8[])::int8[]) and h.project_id <> (select $6::int8) and (select $6::int8) <> 0;

-- name: series_values
-- ahead: worker
-- The numbers in chunks of some keys, parameters as above; $5..$6 steps, $7..$8 rows, $9 the project.
select 1::int2 as part, c.run_id, c.key_id, c.kind, c.writer, c.index_first, c.value_count,
       c.row_first, c.step_min as step_base, c.data
  from chunk c
 where c.run_id = any($1::int8[]) and c.stream = $2::int2 and c.key_id = any($3::int4[])
   and c.kind = 1 and (cardinality($4::int4[]) = 0 or c.writer = any($4))
   and c.step_max >= $5 and c.step_min <= $6 and c.row_last >= $7 and c.row_first <= $8
union all
select 4::int2, h.run_id, 0, 0::int2, 0, 0, 0, 0, 0, null
  from run_hot h
 where h.run_id = any($1::int8[]) and h.project_id <> $9::int8 and $9::int8 <> 0;

-- name: series_values_apart
-- The same, of each key between steps $5..$6 and rows $7..$8 of its own. One index lookup for each,
-- whatever the planner's estimates.
select 1::int2 as part, c.run_id, c.key_id, c.kind, c.writer, c.index_first, c.value_count,
       c.row_first, c.step_min as step_base, c.data
  from unnest($3::int4[], $5::int8[], $6::int8[], $7::int8[], $8::int8[])
       as u (key_id, step_first, step_last, row_first, row_last)
 cross join lateral (
       select n.run_id, n.key_id, n.kind, n.writer, n.index_first, n.value_count, n.row_first, n.step_min, n.data
         from chunk n
        where n.run_id = any($1::int8[]) and n.stream = $2::int2 and n.key_id = u.key_id
          and n.kind = 1 and (cardinality($4::int4[]) = 0 or n.writer = any($4))
          and n.step_max >= u.step_first and n.step_min <= u.step_last
          and n.row_last >= u.row_first and n.row_first <= u.row_last
       offset 0) c
union all
select 4::int2, h.run_id, 0, 0::int2, 0, 0, 0, 0, 0, null
  from run_hot h
 where h.run_id = any($1::int8[]) and h.project_id <> $9::int8 and $9::int8 <> 0;

-- name: series_rows
-- Chunks, of texts too, and tail of a run by a window of rows, for exact reads: $3..$4 rows, $5 keys
-- (empty: all), $6 writers, $7 the branch and $8 the project, as in series_read.
select 1::int2 as part, c.run_id, c.key_id, c.kind, c.writer, c.index_first, c.value_count,
       c.row_first, c.step_min as step_base, c.data
  from chunk c
 where c.run_id = $1 and c.stream = $2::int2 and c.row_last >= $3 and c.row_first < $4
   and c.kind > 0 -- see chunk_by_rows
   and (cardinality($5::int4[]) = 0 or c.key_id = any($5))
   and (cardinality($6::int4[]) = 0 or c.writer = any($6))
union all
select 2::int2, t.run_id, 0, t.kind, t.writer, t.seq, t.row_count, t.row_first, t.step_base, t.data
  from tail t
  join run_hot h on h.run_id = t.run_id and h.run_id = $1
 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = $2::int2
   and t.row_first < $4 and t.row_first + t.row_count > $3
   and (cardinality($6::int4[]) = 0 or t.writer = -1 or t.writer = any($6))
union all
select 3::int2, b.run_id, 0, 0::int2, 0, 0, 0, 0, 0, convert_to(b.parts, 'UTF8')
  from run_hot h
  join run_branch b on b.run_id = h.run_id and b.run_id = $1
   and b.number = case when $7::int4 > 0 then $7::int4 - 1 else h.branch end
 where h.run_id = $1 and h.branch > 0 and $7::int4 >= 0 and $2::int2 = 1
union all
select 4::int2, h.run_id, 0, 0::int2, 0, 0, 0, 0, 0, null
  from run_hot h
 where h.run_id = $1 and h.project_id <> $8::int8 and $8::int8 <> 0;

-- name: series_spans
-- The rows between which the steps $4..$5 are: those of the chunks of a key that each row has ($3),
-- and all of the tail.
select coalesce(min(c.row_first), 0) as first, coalesce(max(c.row_last) + 1, 0) as last
  from chunk c
 where c.run_id = $1 and c.stream = $2::int2 and c.key_id = $3 and c.kind = 1
   and c.step_max >= $4 and c.step_min <= $5
union all
select coalesce(min(t.row_first), 0), coalesce(max(t.row_first + t.row_count), 0)
  from tail t
  join run_hot h on h.run_id = t.run_id and h.run_id = $1
 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = $2::int2;

-- name: series_keys
-- Key statistics of every writer, and the tail that is not in them yet. For a run that was rewound
-- or forked: for the writers of its branch, and what the branch inherited. $3: 0, or a branch, less
-- 1: what it inherited, and all that is in the run itself. If there are several runs, by run_id, as
-- many until those before take more than $4 bytes. $5: the project, as in series_read.
select d.run_id, d.part, d.writer, d.seq, d.row_count, d.row_first, d.step_base, d.data, d.writer_first
  from (select h.run_id, k.part, k.writer, k.seq, k.row_count, k.row_first, k.step_base, k.data,
               k.writer_first,
               sum(k.size_bytes) over (order by h.run_id
                                       groups between unbounded preceding and 1 preceding) as before
          from run_hot h
         cross join lateral (
               select 1::int2 as part, w.writer, 0::int8 as seq, 0::int4 as row_count,
                      0::int8 as row_first, 0::int8 as step_base, w.document as data,
                      0::int4 as writer_first, octet_length(w.document)::int8 as size_bytes
                 from run_keys w
                where w.run_id = h.run_id and w.stream = $2::int2
                  and (w.writer >= least(h.branch_writer, 16384) or $2::int2 <> 1 or $3::int4 > 0)
               union all
               select 1::int2, b.writer, 0::int8, 0::int4, 0::int8, 0::int8, b.document, 0::int4,
                      octet_length(b.document)::int8
                 from run_branch_keys b
                where b.run_id = h.run_id and h.branch > 0 and $2::int2 = 1
                  and b.number = case when $3::int4 > 0 then $3::int4 - 1 else h.branch end
               union all
               select 2::int2, t.writer, t.seq, t.row_count, t.row_first, t.step_base, t.data,
                      case when $2::int2 = 1 and $3::int4 = 0 then least(h.branch_writer, 16384)
                      else 0 end, t.size_bytes
                 from tail t
                where t.run_id = h.run_id and t.seq > h.compact_seq and t.kind = $2::int2
                  and (t.writer = -1 or t.writer >= least(h.branch_writer, 16384)
                       or $2::int2 <> 1 or $3::int4 > 0)
               union all
               select 4::int2, 0, 0::int8, 0, 0::int8, 0::int8, null, 0, 0::int8
                where h.project_id <> $5::int8 and $5::int8 <> 0) k
         where h.run_id = any($1::int8[])) d
 where coalesce(d.before, 0) <= $4::int8
 order by d.run_id, d.part, d.seq;

-- name: chunk_open
-- The chunks of these keys that are written again with the values that follow. For texts that is
-- only the last one, and only if it is not full. The lateral part is one lookup in the primary key
-- for each, whatever the planner's estimates.
select c.stream, c.key_id, c.kind, c.writer, c.index_first, c.data
  from unnest($2::int2[], $3::int4[], $4::int2[], $5::int4[], $6::int8[], $7::int8[])
       as u (stream, key_id, kind, writer, index_from, index_next)
 cross join lateral (
       select *
         from chunk
        where run_id = $1 and stream = u.stream and key_id = u.key_id and kind = u.kind
          and writer = u.writer and index_first >= u.index_from and index_first < u.index_next
        order by index_first
       offset 0) c
 where c.kind = 1 or (c.value_count < 4096 and c.index_first + c.value_count = u.index_next)
 order by c.stream, c.writer, c.key_id, c.kind, c.index_first;

-- name: chunk_drop
-- Drops the ones that chunk_save will not write over.
delete from chunk
 where run_id = $1
   and ctid = any (array(
       select c.tid
         from unnest($2::int2[], $3::int4[], $4::int2[], $5::int4[], $6::int8[], $7::int8[])
              as u (stream, key_id, kind, writer, index_from, index_next)
        cross join lateral (
              select ctid as tid
                from chunk
               where run_id = $1 and stream = u.stream and key_id = u.key_id and kind = u.kind
                 and writer = u.writer and index_first > u.index_from
                 and index_first < u.index_next
              offset 0) c));

-- name: chunk_save
insert into chunk (run_id, stream, key_id, kind, writer, index_first, value_count, row_first,
                   row_last, step_min, step_max, roll, data)
select $1::int8, u.stream, u.key_id, u.kind, u.writer, u.index_first, u.value_count, u.row_first,
       u.row_last, u.step_min, u.step_max, nullif(u.roll, ''::bytea), u.data
  from unnest($2::int2[], $3::int4[], $4::int2[], $5::int4[], $6::int8[], $7::int4[], $8::int8[],
              $9::int8[], $10::int8[], $11::int8[], $12::bytea[], $13::bytea[])
       as u (stream, key_id, kind, writer, index_first, value_count, row_first, row_last, step_min,
             step_max, roll, data)
on conflict (run_id, stream, key_id, kind, writer, index_first) do update
   set value_count = excluded.value_count, row_last = excluded.row_last,
       step_min = excluded.step_min, step_max = excluded.step_max, roll = excluded.roll,
       data = excluded.data;

-- name: keys_list
select k.stream, k.writer, k.document
  from run_keys k
  join unnest($2::int2[], $3::int4[]) as u (stream, writer)
    on k.stream = u.stream and k.writer = u.writer
 where k.run_id = $1
 order by k.stream, k.writer;

-- name: keys_save
insert into run_keys (run_id, stream, writer, document)
select $1::int8, u.* from unnest($2::int2[], $3::int4[], $4::bytea[]) as u
on conflict (run_id, stream, writer) do update set document = excluded.document;

-- name: compaction_save
-- Idempotent: two servers may release a deleted run at the same time.
update run_hot
   set compact_seq = $2, tail_rows = tail_rows - $3::int4, tail_bytes = tail_bytes - $4::int8,
       console_chunks = console_chunks + $5::int8, console_lines = console_lines + $6::int8
 where run_id = $1 and compact_seq < $2;

-- name: console_read
-- A window of a writer's console from a line on, in one snapshot: chunks (at most
-- $4), and what the tail has before their end. If that is more than $5 bytes,
-- decoded, the blocks that begin later are left out, and part 3 has the line at
-- which the first of them begins: the window ends there. Data is read only of the
-- blocks taken: all blocks that wait are sorted for it, and may be thousands.
with chunks as materialized (
	select writer, line_first, data
	  from console_chunk
	 where run_id = $1 and writer = $2 and line_first > $3 - 1024
	 order by line_first
	 limit $4),
blocks as materialized (
	select t.row_first, t.seq, t.slot,
	       sum(t.size_bytes) over (order by t.row_first, t.seq) - t.size_bytes >= $5
	       and t.row_first > $3 as is_late
	  from tail t
	  join run_hot h on h.run_id = t.run_id and h.run_id = $1
	 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = 3 and t.writer = $2
	   and t.step_base >= $3
	   and t.row_first < coalesce((select max(line_first) + 1024 from chunks
	                               having count(*) = $4), 9223372036854775807))
select 1::int2 as part, c.writer, c.line_first, c.line_first as seq, c.data
  from chunks c
union all
select 2::int2, $2::int4, b.row_first, b.seq, d.data
  from blocks b
 cross join lateral (
       select t.data from tail t where t.run_id = $1 and t.seq = b.seq and t.slot = b.slot offset 0) d
 where not b.is_late
union all
select 3::int2, $2::int4, min(b.row_first), 0::int8, null::bytea
  from blocks b
 where b.is_late
having count(*) > 0
 order by 1, 4;

-- name: console_line_before
-- The line from which on a writer's chunks have at least $3 lines; 0 if they never do.
select coalesce((
	select n.line_first
	  from (select c.line_first, sum(c.line_count) over (order by c.line_first desc) as lines
	          from (select line_first, line_count
	                  from console_chunk
	                 where run_id = $1 and writer = $2
	                 order by line_first desc
	                 limit $3) c) n
	 where n.lines >= $3
	 order by n.line_first desc
	 limit 1), 0) as line_first;

-- name: console_blocks_last
-- The positions of a writer's blocks that are not compacted, the last to begin first, at most $3.
select t.row_first as line_first, t.step_base as line_last, t.row_count as line_count
  from tail t
  join run_hot h on h.run_id = t.run_id and h.run_id = $1
 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = 3 and t.writer = $2
 order by t.row_first desc
 limit $3;

-- name: console_tail
-- The blocks of the run's console that are not compacted; $2 the writers (empty: all).
select t.seq, t.kind, t.writer, t.row_first, t.row_count, t.step_base, t.size_bytes, t.data
  from tail t
  join run_hot h on h.run_id = t.run_id and h.run_id = $1
 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = 3
   and (cardinality($2::int4[]) = 0 or t.writer = any($2))
 order by t.writer, t.seq;

-- name: console_waiting
-- The positions of its blocks; one from before times were kept may have any time.
select t.seq, t.slot, t.writer, t.row_first as line_first, t.step_base as line_last, t.size_bytes,
       coalesce(t.time_first, '-9223372036854775808'::int8) as time_first,
       coalesce(t.time_last, 9223372036854775807) as time_last
  from tail t
  join run_hot h on h.run_id = t.run_id and h.run_id = $1
 where t.run_id = $1 and t.seq > h.compact_seq and t.kind = 3
   and (cardinality($2::int4[]) = 0 or t.writer = any($2))
 order by t.writer, t.seq;

-- name: console_held
-- The data of some of them: $2 and $3 are their positions.
select t.seq, t.kind, t.writer, t.row_first, t.row_count, t.step_base, t.size_bytes, t.data
  from unnest($2::int8[], $3::int2[]) as u (seq, slot)
  join tail t on t.run_id = $1 and t.seq = u.seq and t.slot = u.slot
 order by t.seq;

-- name: console_spans_up
-- Chunks with lines of a span of time ($3..$4), by when they begin: those
-- after ($5, $6, $7), at most $8.
select c.writer, c.line_first, c.time_first as span_first, c.time_last as span_last
  from console_chunk c
 where c.run_id = $1 and (cardinality($2::int4[]) = 0 or c.writer = any($2))
   and c.time_last >= $3 and c.time_first <= $4 and c.time_first >= $5
   and (c.time_first, c.writer, c.line_first) > ($5, $6::int4, $7)
 order by c.time_first, c.writer, c.line_first
 limit $8;

-- name: console_spans_down
-- The same by when they end, the latest first.
select c.writer, c.line_first, c.time_first as span_first, c.time_last as span_last
  from console_chunk c
 where c.run_id = $1 and (cardinality($2::int4[]) = 0 or c.writer = any($2))
   and c.time_last >= $3 and c.time_first <= $4 and c.time_last <= $5
   and (c.time_last, c.writer, c.line_first) < ($5, $6::int4, $7)
 order by c.time_last desc, c.writer desc, c.line_first desc
 limit $8;

-- name: console_arrivals_up
-- Chunks with lines of a span of arrival ($3..$4), by when the first of them came: those after ($5,
-- $6, $7), at most $8.
select c.writer, c.line_first, c.arrival_first as span_first, c.arrival_last as span_last
  from console_chunk c
 where c.run_id = $1 and (cardinality($2::int4[]) = 0 or c.writer = any($2))
   and c.arrival_last >= $3 and c.arrival_first <= $4 and c.arrival_first >= $5
   and (c.arrival_first, c.writer, c.line_first) > ($5, $6::int4, $7)
 order by c.arrival_first, c.writer, c.line_first
 limit $8;

-- name: console_arrivals_down
-- The same by when the last of them came, the latest first.
select c.writer, c.line_first, c.arrival_first as span_first, c.arrival_last as span_last
  from console_chunk c
 where c.run_id = $1 and (cardinality($2::int4[]) = 0 or c.writer = any($2))
   and c.arrival_last >= $3 and c.arrival_first <= $4 and c.arrival_last <= $5
   and (c.arrival_last, c.writer, c.line_first) < ($5, $6::int4, $7)
 order by c.arrival_last desc, c.writer desc, c.line_first desc
 limit $8;

-- name: console_range
-- The first and the last time of the lines in chunks; 0 and -1 without any.
select coalesce((select c.time_first from console_chunk c where c.run_id = $1
                  order by c.time_first limit 1), 0) as time_first,
       coalesce((select c.time_last from console_chunk c where c.run_id = $1
                  order by c.time_last desc limit 1), -1) as time_last;

-- name: console_spreads
-- The distribution of chunks' lines over time, those after ($2, $3), at most $4.
select c.writer, c.line_first, c.time_first, c.time_last, c.spread
  from console_chunk c
 where c.run_id = $1 and (c.writer, c.line_first) > ($2::int4, $3::int8)
 order by c.writer, c.line_first
 limit $4;

-- name: tail_console_after
-- Console blocks from a number on, compacted or not, as long as their slot is not emptied; so many that
-- those before the last take fewer bytes than asked for.
select t.seq, t.kind, t.writer, t.row_first, t.row_count, t.step_base, t.size_bytes, t.data
  from (select b.seq, b.kind, b.writer, b.row_first, b.row_count, b.step_base, b.size_bytes, b.data,
               sum(b.size_bytes) over (order by b.seq) - b.size_bytes as before
          from (select c.seq, c.kind, c.writer, c.row_first, c.row_count, c.step_base, c.size_bytes,
                       c.data
                  from tail c
                 where c.run_id = $1 and c.seq > $2 and c.kind = 3
                 order by c.seq
                 limit $3) b) t
 where t.before < $4::int8
 order by t.seq;

-- name: tail_has_all
-- Whether all blocks after a number, up to another, still exist: slots are emptied in any order.
select count(*) = $3::int8 - $2::int8 as there from tail where run_id = $1 and seq > $2 and seq <= $3;

-- name: console_chunks
select c.writer, c.line_first, c.seq_last, c.data
  from console_chunk c
  join unnest($2::int4[], $3::int8[]) as u (writer, line_first)
    on c.writer = u.writer and c.line_first = u.line_first
 where c.run_id = $1
 order by c.writer, c.line_first;

-- name: console_save
insert into console_chunk (run_id, writer, line_first, line_count, seq_last, time_first, time_last,
                           arrival_first, arrival_last, spread, data, row_sum)
select $1::int8, u.*,
       hash_record_extended(row($1::int8, u.writer, u.line_first, u.seq_last, u.spread), 0)
  from unnest($2::int4[], $3::int8[], $4::int4[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
              $9::int8[], $10::bytea[], $11::bytea[])
       as u (writer, line_first, line_count, seq_last, time_first, time_last, arrival_first, arrival_last, spread, data)
on conflict (run_id, writer, line_first) do update
   set line_count = excluded.line_count, seq_last = excluded.seq_last,
       time_first = excluded.time_first, time_last = excluded.time_last,
       arrival_first = excluded.arrival_first, arrival_last = excluded.arrival_last,
       spread = excluded.spread, data = excluded.data, row_sum = excluded.row_sum;

-- name: tail_ring_read
select slot, opened_at from tail_ring where id = 1;

-- name: tail_ring_lock
select slot, opened_at from tail_ring where id = 1 for update;

-- name: tail_ring_move
update tail_ring set slot = $1, opened_at = $2,
       row_sum = hash_record_extended(row(id, $1::int2, $2::timestamptz), 0)
 where id = 1;

-- name: tail_slot_runs
-- Runs with something in the slot that is not compacted yet: from run to run by the index, and of each
-- only the last block, for a slot holds some hundred thousand blocks.
with recursive r as (
	(select t.run_id from tail t where t.slot = $1 order by t.run_id limit 1)
	union all
	select (select t.run_id from tail t
	         where t.slot = $1 and t.run_id > r.run_id
	         order by t.run_id limit 1)
	  from r
	 where r.run_id is not null)
select r.run_id
  from r
  join run_hot h on h.run_id = r.run_id
 where h.compact_seq < (select t.seq from tail t
                         where t.slot = $1 and t.run_id = r.run_id
                         order by t.seq desc limit 1)
 limit $2;

-- name: tail_slot_used
select exists (select from tail where slot = $1) as there;

-- name: tail_slot_bytes
select pg_total_relation_size(format('tail_%s', $1::int2)::regclass) as bytes;

-- name: tail_lock_0
lock table tail_0 in share row exclusive mode;
-- name: tail_lock_1
lock table tail_1 in share row exclusive mode;
-- name: tail_lock_2
lock table tail_2 in share row exclusive mode;
-- name: tail_lock_3
lock table tail_3 in share row exclusive mode;
-- name: tail_lock_4
lock table tail_4 in share row exclusive mode;
-- name: tail_lock_5
lock table tail_5 in share row exclusive mode;
-- name: tail_lock_6
lock table tail_6 in share row exclusive mode;
-- name: tail_lock_7
lock table tail_7 in share row exclusive mode;
-- name: tail_truncate_0
truncate table tail_0;
-- name: tail_truncate_1
truncate table tail_1;
-- name: tail_truncate_2
truncate table tail_2;
-- name: tail_truncate_3
truncate table tail_3;
-- name: tail_truncate_4
truncate table tail_4;
-- name: tail_truncate_5
truncate table tail_5;
-- name: tail_truncate_6
truncate table tail_6;
-- name: tail_truncate_7
truncate table tail_7;
