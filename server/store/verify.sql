-- What `cairnd verify` reads: all that is stored of a run, page by page, in one snapshot.

-- name: verify_tail_begin
savepoint tail;

-- name: verify_tail_hold
-- Before the snapshot: a slot that is truncated after it would be empty in it.
lock table tail in access share mode;

-- name: verify_tail_end
-- Lets go of the tail's lock; the snapshot stays.
rollback to savepoint tail;

-- name: verify_total
-- Also of what was deleted and may be restored.
select count(*) as runs, coalesce(sum(next_row + next_event), 0)::int8 as row_count
  from run_hot
 where not purging and ($1 = 0 or project_id = $1) and ($2 = 0 or run_id = $2);

-- name: verify_runs
select h.run_id, h.project_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       coalesce(r.name, '?') as name, h.next_row + h.next_event as row_count
  from run_hot h
  left join project p on p.project_id = h.project_id
  left join entity e on e.entity_id = p.entity_id
  left join run r on r.project_id = h.project_id and r.run_id = h.run_id
 where h.run_id > $1 and not h.purging and ($2 = 0 or h.project_id = $2)
   and ($3 = 0 or h.run_id = $3)
 order by h.run_id
 limit $4;

-- name: verify_lost_runs
-- Runs of the directory, but for those purged, without the row that is their lock.
select r.run_id, r.project_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       r.name, 0::int8 as row_count
  from run r
  left join project p on p.project_id = r.project_id
  left join entity e on e.entity_id = p.entity_id
 where r.purged_at is null and ($1 = 0 or r.project_id = $1)
   and not exists (select from run_hot h where h.run_id = r.run_id)
 order by r.run_id
 limit 1000;

-- name: verify_projects
-- Projects that do not have as many names of metrics as they count, or one beyond the numbers given, unless they are purged.
select 0::int8 as run_id, p.project_id, e.name as entity, p.name as project, '' as name,
       count(k.key_id) - p.key_count as row_count
  from project p
  join entity e on e.entity_id = p.entity_id
  left join project_key k on k.project_id = p.project_id
 where ($1 = 0 or p.project_id = $1)
   and (p.purge_at is null or p.purge_at > 'epoch') and p.purged_at is null
 group by p.project_id, e.name, p.name
having count(k.key_id) <> p.key_count or coalesce(max(k.key_id), 0) >= p.next_key
    or coalesce(min(k.key_id), 1) < 1
 order by p.project_id
 limit 1000;

-- name: verify_told
-- What the run's parts must not go beyond, or must be as many as.
select coalesce(p.next_key, 0) as key_limit, p.deleted_at is not null as project_deleted,
       h.console_chunks, h.console_lines
  from run_hot h
  left join project p on p.project_id = h.project_id
 where h.run_id = $1;

-- name: verify_tail
-- What is not compacted after a number, packs as they are, until they take $3 bytes. The same number may
-- be in two slots by mistake, and both are told of: pages end between numbers.
select t.seq, t.kind, t.writer, t.row_first, t.row_count, t.step_base, t.size_bytes, t.time_first,
       t.time_last, t.data
  from (select b.seq, b.kind, b.writer, b.row_first, b.row_count, b.step_base, b.size_bytes,
               b.time_first, b.time_last, b.data,
               sum(octet_length(b.data)) over (order by b.seq) as through,
               sum(octet_length(b.data)) over (partition by b.seq) as same
          from (select seq, kind, writer, row_first, row_count, step_base, size_bytes, time_first,
                       time_last, data
                  from tail
                 where run_id = $1 and seq > $2
                 order by seq
                 fetch first 1024 rows with ties) b) t
 where t.through - t.same < $3::int8
 order by t.seq;

-- name: verify_keys
-- Key lists of the writers after $3, until they take $4 bytes.
select t.writer, t.document
  from (select k.writer, k.document,
               sum(octet_length(k.document)) over (order by k.writer)
               - octet_length(k.document) as before
          from (select writer, document
                  from run_keys
                 where run_id = $1 and stream = $2::int2 and writer > $3
                 order by writer
                 limit 256) k) t
 where t.before < $4::int8
 order by t.writer;

-- name: verify_chunks
-- Of each of these strands (a key's values of one kind and writer) at most $10 chunks from an index
-- on, in order, until they take $11 bytes; `total` counts also those left out by that. $8..$9: rows.
select t.number, t.total, t.index_first, t.value_count, t.row_first, t.row_last, t.step_min,
       t.step_max, t.roll, t.data
  from (select u.number, c.index_first, c.value_count, c.row_first, c.row_last, c.step_min,
               c.step_max, c.roll, c.data, count(*) over () as total,
               sum(octet_length(c.data)) over (order by u.number, c.index_first)
               - octet_length(c.data) as before
          from unnest($2::int4[], $3::int2[], $4::int4[], $5::int2[], $6::int4[], $7::int8[])
               as u (number, stream, key_id, kind, writer, index_from)
         cross join lateral (
               select h.index_first, h.value_count, h.row_first, h.row_last, h.step_min,
                      h.step_max, h.roll, h.data
                 from chunk h
                where h.run_id = $1 and h.stream = u.stream and h.key_id = u.key_id
                  and h.kind = u.kind and h.writer = u.writer and h.index_first >= u.index_from
                  and h.row_last >= $8 and h.row_first < $9
                order by h.index_first
                limit $10) c) t
 where t.before < $11::int8
 order by t.number, t.index_first;

-- name: verify_chunk_count
select count(*) as chunks from chunk where run_id = $1;

-- name: verify_strands
-- Whose chunks there are, after a place of the order.
select stream, writer, key_id, kind, count(*) as chunks
  from chunk
 where run_id = $1 and (stream, writer, key_id, kind) > ($2::int2, $3::int4, $4::int4, $5::int2)
 group by stream, writer, key_id, kind
 order by stream, writer, key_id, kind
 limit 1000;

-- name: verify_console
-- Chunks of console lines after a place of the order, until they take $4 bytes.
select t.writer, t.line_first, t.line_count, t.seq_last, t.time_first, t.time_last, t.arrival_first,
       t.arrival_last, t.data
  from (select c.writer, c.line_first, c.line_count, c.seq_last, c.time_first, c.time_last,
               c.arrival_first, c.arrival_last, c.data,
               sum(octet_length(c.data)) over (order by c.writer, c.line_first)
               - octet_length(c.data) as before
          from (select writer, line_first, line_count, seq_last, time_first, time_last, arrival_first,
                       arrival_last, data
                  from console_chunk
                 where run_id = $1 and (writer, line_first) > ($2::int4, $3::int8)
                 order by writer, line_first
                 limit 256) c) t
 where t.before < $4::int8
 order by t.writer, t.line_first;

-- name: verify_records
-- What of the run stands outside its series: directory, searched document, merged documents.
select r.run_id is not null as has_info, r.deleted_at is not null as info_deleted,
       c.run_id is not null as noted, coalesce(d.seq, -1) as document_seq,
       coalesce(d.document ->> 'state', '') as document_state,
       coalesce(d.document ->> 'id', '') = r.name as document_is_its
  from run_hot h
  left join run r on r.project_id = h.project_id and r.run_id = h.run_id
  left join run_document d on d.project_id = h.project_id and d.run_id = h.run_id
  left join run_change c on c.run_id = h.run_id
 where h.run_id = $1;

-- name: verify_leaves
-- Leaves of the merged documents after a place of the order, until they take $4 bytes.
select t.kind, t.place, t.path, t.value
  from (select l.kind, l.place, l.path, l.value,
               sum(octet_length(l.path) + coalesce(octet_length(l.value), 0))
                  over (order by l.kind, l.place) as through
          from (select kind, place, path, value
                  from run_leaf
                 where run_id = $1 and (kind, place) > ($2::int2, $3::bytea)
                 order by kind, place
                 limit 1000) l) t
 where t.through - octet_length(t.path) - coalesce(octet_length(t.value), 0) < $4::int8
 order by t.kind, t.place;

-- name: verify_merged
select kind, value_count, size_bytes, path_bytes from run_merged where run_id = $1 order by kind;

-- name: verify_alerts
-- Each alert with what waits to be sent of it, and what waits that is of none.
select t.number, t.is_there, t.writer, t.delivery, t.due_project
  from (select a.number, true as is_there, coalesce(a.writer, -1) as writer, a.delivery,
               coalesce(d.project_id, 0) as due_project
          from run_alert a
          left join alert_delivery d on d.run_id = a.run_id and d.number = a.number
         where a.run_id = $1
        union all
        select d.number, false, -1, 0::int2, d.project_id
          from alert_delivery d
         where d.run_id = $1
           and not exists (select from run_alert a where a.run_id = $1 and a.number = d.number)) t
 order by t.number
 limit 1100;
