-- The reads of `cairnd verify`: all that is stored of a run, page by page, in one snapshot.

-- name: verify_tail_begin
savepoint tail;

-- name: verify_tail_hold
-- Before the snapshot: a slot that is truncated after it would be empty in it.
lock table tail in access share mode;

-- name: verify_tail_end
-- Releases the tail's lock; the snapshot stays.
rollback to savepoint tail;

-- name: verify_total
-- Also for deleted data that may be restored.
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
-- Projects whose count of metric names is wrong, or with a number that was
-- not given yet, unless they are purged.
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
-- The limits and counts that the run's parts must match.
select coalesce(p.next_key, 0) as key_limit, p.deleted_at is not null as project_deleted,
       h.console_chunks, h.console_lines
  from run_hot h
  left join project p on p.project_id = h.project_id
 where h.run_id = $1;

-- name: verify_tail
-- The blocks after a number that are not compacted, packs as they are, until they take $3 bytes.
-- The same number may be in two slots by mistake, and both are returned: pages end between numbers.
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
-- For each of these strands (a key's values of one kind and writer) at
-- most $10 chunks from an index on, in order, until they take $11 bytes;
-- `total` counts also those left out by that. $8..$9: rows.
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
-- The strands that have chunks, after a place of the order.
select stream, writer, key_id, kind, count(*) as chunks
  from chunk
 where run_id = $1 and (stream, writer, key_id, kind) > ($2::int2, $3::int4, $4::int4, $5::int2)
 group by stream, writer, key_id, kind
 order by stream, writer, key_id, kind
 limit 1000;

-- name: verify_console
-- Chunks of console lines after a place of the order, until they take $4 bytes.
select t.writer, t.line_first, t.line_count, t.seq_last, t.time_first, t.time_last, t.arrival_first,
       t.arrival_last, t.spread, t.data
  from (select c.writer, c.line_first, c.line_count, c.seq_last, c.time_first, c.time_last,
               c.arrival_first, c.arrival_last, c.spread, c.data,
               sum(octet_length(c.data)) over (order by c.writer, c.line_first)
               - octet_length(c.data) as before
          from (select writer, line_first, line_count, seq_last, time_first, time_last, arrival_first,
                       arrival_last, spread, data
                  from console_chunk
                 where run_id = $1 and (writer, line_first) > ($2::int4, $3::int8)
                 order by writer, line_first
                 limit 256) c) t
 where t.before < $4::int8
 order by t.writer, t.line_first;

-- name: verify_records
-- The records of the run outside its series: directory, searched document, merged documents.
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
-- Each alert with its pending delivery, and deliveries without an alert.
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

-- name: verify_rows
-- Rows of the run whose columns do not match their checksum. Rows without one were written before
-- there were checksums.
select t.table_name, t.row_name
  from (select 'run_config' as table_name, format('writer %s', t.writer) as row_name
          from run_config t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.writer, t.seq, t.document, t.common), 0)
        union all
        select 'run_sent' as table_name, format('writer %s', t.writer) as row_name
          from run_sent t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.writer, t.summary, t.waiting, t.ahead, t.session,
                               t.common), 0)
        union all
        select 'run_overlay' as table_name, format('kind %s', t.kind) as row_name
          from run_overlay t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.kind, t.seq, t.patch, t.rows, t.editors), 0)
        union all
        select 'run_conflict' as table_name, format('kind %s, key %s', t.kind, t.key) as row_name
          from run_conflict t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.kind, t.key, t.count, t.changed_at), 0)
                           # hash_record_extended(row(t.writers), 1)
        union all
        select 'run_leaf' as table_name, format('kind %s, place %s', t.kind, encode(t.place, 'hex')) as row_name
          from run_leaf t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.kind, t.place, t.path, t.writer, t.shared,
                               t.value), 0)
        union all
        select 'run_merged' as table_name, format('kind %s', t.kind) as row_name
          from run_merged t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.kind, t.value_count, t.size_bytes, t.path_bytes,
                               t.tangled), 0)
        union all
        select 'run_change' as table_name, '' as row_name
          from run_change t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.project_id, t.seq, t.not_before, t.noted_at), 0)
        union all
        select 'run_file' as table_name, format('name %s', t.name) as row_name
          from run_file t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.name, t.size_bytes, t.md5, t.content, t.user_id,
                               t.client, t.updated_at), 0)
        union all
        select 'run_artifact' as table_name, format('way %s, artifact_id %s', t.way, t.artifact_id) as row_name
          from run_artifact t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.way, t.project_id, t.artifact_id, t.used_as, t.at), 0)
        union all
        select 'run_idempotency' as table_name, format('key %s', t.key) as row_name
          from run_idempotency t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.key, t.digest, t.row_first, t.row_count,
                               t.created_at), 0)
        union all
        select 'run_attempt' as table_name, format('attempt %s', t.attempt) as row_name
          from run_attempt t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.attempt, t.state, t.row_count, t.ended_at, t.kept_at,
                               t.config, t.summary), 0)
        union all
        select 'run_left_out' as table_name, format('number %s', t.number) as row_name
          from run_left_out t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.kind, t.reason, t.name, t.first_at,
                               t.sample), 0)
                           # hash_record_extended(row(t.count, t.last_at), 1)
        union all
        select 'run_unread' as table_name, format('number %s', t.number) as row_name
          from run_unread t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.writer, t.stream, t.text, t.came_at), 0)
        union all
        select 'run_state' as table_name, format('number %s', t.number) as row_name
          from run_state t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.from_state, t.to_state, t.attempt,
                               t.changed_at, t.who, t.user_id, t.reason), 0)
                           # hash_record_extended(row(t.writer), 1)
        union all
        select 'run_branch' as table_name, format('number %s', t.number) as row_name
          from run_branch t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.source_id, t.source_branch, t.step,
                               t.sources, t.row_first, t.made_at, t.user_id), 0)
                           # hash_record_extended(row(t.parts, t.left_at, t.row_count, t.last_step, t.config,
                               t.summary), 1)
        union all
        select 'run_alert' as table_name, format('number %s', t.number) as row_name
          from run_alert t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.title, t.text, t.level, t.user_id,
                               t.created_at), 0)
                           # hash_record_extended(row(t.writer), 1)
                           # hash_record_extended(row(t.repeats, t.repeated_at), 2)
                           # hash_record_extended(row(t.delivery, t.tries, t.tried_at, t.status, t.fault), 3)
        union all
        select 'alert_delivery' as table_name, format('number %s', t.number) as row_name
          from alert_delivery t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.number, t.project_id, t.due_at, t.tries), 0)
        union all
        select 'run_writer' as table_name, format('writer %s', t.writer) as row_name
          from run_writer t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.client, t.joined_at), 0)
                           # hash_record_extended(row(t.writer), 1)
                           # hash_record_extended(row(t.label), 2)
                           # hash_record_extended(row(t.state, t.ended_at), 3)
                           # hash_record_extended(row(t.attempt, t.batch, t.history_rows, t.event_rows,
                               t.console_lines, t.dropped_rows, t.last_step, t.recent, t.heard_at, t.data_at,
                               t.last_event, t.lines, t.console_shift, t.lag_us, t.repeats, t.streams), 4)
                           # hash_record_extended(row(t.role, t.parent, t.session, t.exit_code, t.end_state,
                               t.sessions, t.info, t.end_reason, t.late), 5)
        union all
        select 'console_chunk' as table_name, format('writer %s, line_first %s', t.writer, t.line_first) as row_name
          from console_chunk t
         where t.run_id = $1
           and t.row_sum <> hash_record_extended(row(t.run_id, t.writer, t.line_first, t.seq_last, t.spread), 0)) t
 limit 1000;

-- name: verify_directory_rows
-- The same for rows that are found by project; of the project $1 or of
-- all, of the run $2 or of all.
select t.table_name, t.row_name, t.project_id, t.run_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       r.name
  from (select 'run' as table_name, format('project_id %s, run_id %s', t.project_id, t.run_id) as row_name, t.project_id, t.run_id as run_id
          from run t
         where ($1 = 0 or t.project_id = $1) and ($2 = 0 or t.run_id = $2)
           and t.row_sum <> hash_record_extended(row(t.project_id, t.name, t.run_id, t.color_number, t.created_by,
                               t.created_at), 0)
                           # hash_record_extended(row(t.display_name, t.job_type, t.group_name, t.sweep, t.notes,
                               t.tags, t.color, t.expected_writers), 1)
                           # hash_record_extended(row(t.edited_at, t.edited_by), 2)
                           # hash_record_extended(row(t.visibility), 3)
                           # hash_record_extended(row(t.sent), 4)
                           # hash_record_extended(row(t.forked_from, t.forked_step), 5)
                           # hash_record_extended(row(t.deleted_at, t.deleted_who, t.deleted_by, t.delete_reason), 6)
                           # hash_record_extended(row(t.purged_at, t.moved_to), 7)
        union all
        select 'run_hot' as table_name, format('run_id %s', t.run_id) as row_name, t.project_id, t.run_id
          from run_hot t
         where ($1 = 0 or t.project_id = $1) and ($2 = 0 or t.run_id = $2)
           and t.row_sum <> hash_record_extended(row(t.run_id, t.version, t.next_row, t.next_event, t.next_seq,
                               t.last_step, t.heard_at, t.state, t.attempt, t.fallback_state, t.end_pending,
                               t.next_writer, t.next_state, t.document_seq, t.unread_lines, t.hidden_rows,
                               t.started_at, t.ended_at, t.exit_code, t.stop_asked_at, t.stop_reason,
                               t.end_reason, t.end_told), 0)
                           # hash_record_extended(row(t.project_id, t.kept_until), 1)
                           # hash_record_extended(row(t.deleted_at, t.purge_at, t.purging), 2)
                           # hash_record_extended(row(t.size_bytes), 3)
                           # hash_record_extended(row(t.size_seq), 4)
                           # hash_record_extended(row(t.branch, t.branch_writer, t.branch_row), 5)
                           # hash_record_extended(row(t.left_out), 6)
        union all
        select 'run_document' as table_name, format('project_id %s, run_id %s', t.project_id, t.run_id) as row_name,
               t.project_id, t.run_id as run_id
          from run_document t
         where ($1 = 0 or t.project_id = $1) and ($2 = 0 or t.run_id = $2)
           and t.row_sum <> hash_record_extended(row(t.project_id, t.run_id, t.seq, t.next_row, t.size_bytes,
                               t.document, t.read_at), 0)
                           # hash_record_extended(row(t.change, t.visibility, t.deleted, t.shown), 1)
        union all
        select 'project' as table_name, format('project_id %s', t.project_id) as row_name,
               t.project_id, 0::int8 as run_id
          from project t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.entity_id, t.name, t.created_at), 0)
                           # hash_record_extended(row(t.description), 1)
                           # hash_record_extended(row(t.visibility, t.crash_after_s, t.keep_finished_days,
                               t.keep_failed_days, t.keep_crashed_days, t.keep_killed_days, t.directions,
                               t.quota_bytes), 2)
                           # hash_record_extended(row(t.retain_at), 3)
                           # hash_record_extended(row(t.deleted_at, t.purge_at), 4)
                           # hash_record_extended(row(t.purged_at), 5)
                           # hash_record_extended(row(t.next_key), 6)
                           # hash_record_extended(row(t.names_at), 7)
        union all
        select 'document_count' as table_name, format('project_id %s', t.project_id) as row_name,
               t.project_id, 0::int8 as run_id
          from document_count t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.change, t.forgotten), 0)
        union all
        select 'project_usage' as table_name, format('project_id %s', t.project_id) as row_name,
               t.project_id, 0::int8 as run_id
          from project_usage t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.size_bytes, t.deleted_bytes, t.heard_at), 0)
                           # case when t.artifact_bytes = 0 then 0
                                  else hash_record_extended(row(t.artifact_bytes), 1) end
        union all
        select 'project_view' as table_name, format('project_id %s, id %s', t.project_id, t.id) as row_name,
               t.project_id, 0::int8 as run_id
          from project_view t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.id, t.created_at), 0)
                           # hash_record_extended(row(t.kind, t.name, t.owner_id, t.state, t.version, t.changed_at,
                               t.changed_by, t.is_closed), 1)
        union all
        select 'project_webhook' as table_name, format('project_id %s', t.project_id) as row_name,
               t.project_id, 0::int8 as run_id
          from project_webhook t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.url, t.secret, t.changed_at), 0)
        union all
        select 'project_key' as table_name, format('project_id %s, key_id %s', t.project_id, t.key_id) as row_name,
               t.project_id, 0::int8 as run_id
          from project_key t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.key_id, t.name, t.run_id, t.made_at), 0)
                           # hash_record_extended(row(t.whole_name), 1)
                           # hash_record_extended(row(t.unused_at), 2)) t
  left join project p on p.project_id = t.project_id
  left join entity e on e.entity_id = p.entity_id
  left join run r on r.project_id = t.project_id and r.run_id = t.run_id
 order by t.table_name, t.row_name
 limit 1000;

-- name: verify_artifact_rows
-- The same for artifacts.
select t.table_name, t.row_name, t.project_id, t.run_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       null::text as name
  from (select 'artifact_type' as table_name, format('project_id %s, name %s', t.project_id, t.name) as row_name, t.project_id, 0::int8 as run_id
          from artifact_type t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.name, t.description, t.created_at), 0)
        union all
        select 'artifact_collection' as table_name, format('project_id %s, collection_id %s', t.project_id, t.collection_id) as row_name, t.project_id, 0::int8 as run_id
          from artifact_collection t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.collection_id, t.kind, t.created_by, t.created_at),
                               0)
                           # hash_record_extended(row(t.name, t.type, t.description, t.tags, t.ttl_s, t.keep_last,
                               t.changed_at), 1)
                           # hash_record_extended(row(t.next_version), 2)
                           # hash_record_extended(row(t.deleted_at, t.deleted_name, t.look_at), 3)
        union all
        select 'artifact' as table_name, format('project_id %s, artifact_id %s', t.project_id, t.artifact_id) as row_name, t.project_id, 0::int8 as run_id
          from artifact t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.artifact_id, t.collection_id, t.base_id,
                               t.distributed, t.region, t.history_step, t.run_id, t.user_id,
                               t.created_at), 0)
                           # hash_record_extended(row(t.state, t.version, t.digest, t.manifest_id, t.size_bytes,
                               t.file_count, t.committed_at, t.asked), 1)
                           # hash_record_extended(row(t.description, t.metadata, t.tags, t.ttl_s, t.changed_at), 2)
                           # hash_record_extended(row(t.deleted_at, t.look_at, t.heard_at), 3)
        union all
        select 'artifact_client' as table_name, format('client %s, kind %s', t.client, t.kind) as row_name, t.project_id, 0::int8 as run_id
          from artifact_client t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.client, t.kind, t.project_id, t.target_id, t.created_at), 0)
        union all
        select 'artifact_member' as table_name, format('project_id %s, collection_id %s, version %s', t.project_id, t.collection_id, t.version) as row_name, t.project_id, 0::int8 as run_id
          from artifact_member t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.collection_id, t.version, t.source_id,
                               t.artifact_id, t.added_by, t.added_at), 0)
        union all
        select 'artifact_alias' as table_name, format('project_id %s, collection_id %s, alias %s', t.project_id, t.collection_id, t.alias) as row_name, t.project_id, 0::int8 as run_id
          from artifact_alias t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.collection_id, t.alias, t.version, t.set_by,
                               t.set_at), 0)
        union all
        select 'artifact_manifest' as table_name, format('project_id %s, manifest_id %s', t.project_id, t.manifest_id) as row_name, t.project_id, 0::int8 as run_id
          from artifact_manifest t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.manifest_id, t.artifact_id, t.kind, t.created_at),
                               0)
                           # hash_record_extended(row(t.md5, t.base_id, t.stored_at, t.entry_count, t.size_bytes,
                               t.digest, t.config), 1)
        union all
        select 'artifact_entry' as table_name, format('project_id %s, manifest_id %s, path %s', t.project_id, t.manifest_id, t.path) as row_name, t.project_id, 0::int8 as run_id
          from artifact_entry t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.manifest_id, t.path, t.size_bytes, t.digest, t.ref,
                               t.extra), 0)
                           # hash_record_extended(row(t.blob_id), 1)
        union all
        select 'artifact_upload' as table_name, format('project_id %s, artifact_id %s, path %s', t.project_id, t.artifact_id, t.path) as row_name, t.project_id, 0::int8 as run_id
          from artifact_upload t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.artifact_id, t.path, t.blob_id, t.came_at), 0)
        union all
        select 'artifact_blob' as table_name, format('project_id %s, blob_id %s', t.project_id, t.blob_id) as row_name, t.project_id, 0::int8 as run_id
          from artifact_blob t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.blob_id, t.content, t.md5, t.size_bytes,
                               t.birth_id, t.came_at), 0)
                           # hash_record_extended(row(t.look_at, t.counted), 1)
        union all
        select 'artifact_multipart' as table_name, format('project_id %s, upload_id %s', t.project_id, t.upload_id) as row_name, t.project_id, 0::int8 as run_id
          from artifact_multipart t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.upload_id, t.artifact_id, t.path, t.md5,
                               t.part_count), 0)
                           # hash_record_extended(row(t.state, t.blob_id, t.heard_at), 1)
        union all
        select 'artifact_part' as table_name, format('project_id %s, upload_id %s, part %s', t.project_id, t.upload_id, t.part) as row_name, t.project_id, 0::int8 as run_id
          from artifact_part t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.upload_id, t.part, t.content, t.md5, t.size_bytes),
                               0)) t
  left join project p on p.project_id = t.project_id
  left join entity e on e.entity_id = p.entity_id
 order by t.table_name, t.row_name
 limit 1000;

-- name: verify_artifacts
-- Artifacts that disagree with what else is stored of them; of the project $1 or of all.
select t.project_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project, t.message
  from (select a.project_id, format('version %s of "%s" has %s files of %s bytes with the digest %s, but its manifest %s of %s'
                                    ' with the digest %s', a.version, coalesce(c.name, c.deleted_name), a.file_count,
                                    a.size_bytes, a.digest, coalesce(m.entry_count::text, 'none'),
                                    coalesce(m.size_bytes::text, 'none'), coalesce(m.digest, 'none')) as message
          from artifact a
          left join artifact_collection c on c.project_id = a.project_id and c.collection_id = a.collection_id
          left join artifact_manifest m on m.project_id = a.project_id and m.manifest_id = a.manifest_id
         where ($1 = 0 or a.project_id = $1) and a.state = 2
           and (m.stored_at is null or m.entry_count <> a.file_count or m.size_bytes <> a.size_bytes or m.digest <> a.digest)
        union all
        select a.project_id, format('artifact %s is in no collection', a.artifact_id)
          from artifact a
         where ($1 = 0 or a.project_id = $1)
           and not exists (select from artifact_collection c
                            where c.project_id = a.project_id and c.collection_id = a.collection_id)
        union all
        select a.project_id, format('version %s of "%s" is not in its collection', a.version, c.name)
          from artifact a
          join artifact_collection c on c.project_id = a.project_id and c.collection_id = a.collection_id
         where ($1 = 0 or a.project_id = $1) and a.state = 2 and c.deleted_at is null
           and not exists (select from artifact_member m
                            where m.project_id = a.project_id and m.collection_id = a.collection_id
                              and m.version = a.version and m.source_id = a.project_id and m.artifact_id = a.artifact_id)
        union all
        select m.project_id, format('number %s of collection %s leads to an artifact that does not exist', m.version,
                                    m.collection_id)
          from artifact_member m
         where ($1 = 0 or m.project_id = $1)
           and not exists (select from artifact a where a.project_id = m.source_id and a.artifact_id = m.artifact_id)
        union all
        select l.project_id, format('the alias "%s" of collection %s is of version %s, which is not in it', l.alias,
                                    l.collection_id, l.version)
          from artifact_alias l
         where ($1 = 0 or l.project_id = $1)
           and not exists (select from artifact_member m
                            where m.project_id = l.project_id and m.collection_id = l.collection_id
                              and m.version = l.version)
        union all
        select c.project_id, format('the next version of "%s" is %s, but a version %s exists',
                                    coalesce(c.name, c.deleted_name), c.next_version, max(m.version))
          from artifact_collection c
          join artifact_member m on m.project_id = c.project_id and m.collection_id = c.collection_id
         where ($1 = 0 or c.project_id = $1)
         group by c.project_id, c.collection_id
        having max(m.version) >= c.next_version
        union all
        select a.project_id, format('version %s of "%s" has a file "%s" without content', a.version,
                                    coalesce(c.name, c.deleted_name), n.path)
          from artifact_entry n
          join artifact a on a.project_id = n.project_id and a.manifest_id = n.manifest_id and a.state = 2
          join artifact_collection c on c.project_id = a.project_id and c.collection_id = a.collection_id
         where ($1 = 0 or n.project_id = $1) and n.blob_id is null and n.ref is null
        union all
        select n.project_id, format('the content of "%s" in manifest %s is of a blob that does not exist', n.path,
                                    n.manifest_id)
          from artifact_entry n
         where ($1 = 0 or n.project_id = $1) and n.blob_id is not null
           and not exists (select from artifact_blob b where b.project_id = n.project_id and b.blob_id = n.blob_id)
        union all
        select u.project_id, format('the upload "%s" of draft %s is of a blob that does not exist', u.path, u.artifact_id)
          from artifact_upload u
         where ($1 = 0 or u.project_id = $1)
           and not exists (select from artifact_blob b where b.project_id = u.project_id and b.blob_id = u.blob_id)
        union all
        select q.project_id, format('part %s is of an upload %s that does not exist', q.part, q.upload_id)
          from artifact_part q
         where ($1 = 0 or q.project_id = $1)
           and not exists (select from artifact_multipart m
                            where m.project_id = q.project_id and m.upload_id = q.upload_id)
        union all
        select n.project_id, format('its usage counts %s bytes of artifacts, but has %s', coalesce(u.artifact_bytes, 0), n.bytes)
          from (select b.project_id, sum(b.size_bytes)::int8 as bytes
                  from artifact_blob b
                 where ($1 = 0 or b.project_id = $1) and b.counted
                 group by b.project_id) n
          left join project_usage u on u.project_id = n.project_id
         where coalesce(u.artifact_bytes, 0) <> n.bytes) t
  left join project p on p.project_id = t.project_id
  left join entity e on e.entity_id = p.entity_id
 order by t.project_id, t.message
 limit 1000;

-- name: verify_sweep_rows
-- The same for sweeps.
select t.table_name, t.row_name, t.project_id, t.run_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       null::text as name
  from (select 'sweep' as table_name, format('project_id %s, sweep_id %s', t.project_id, t.sweep_id) as row_name, t.project_id, 0::int8 as run_id
          from sweep t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.sweep_id, t.name, t.prior_runs, t.created_by,
                               t.created_at), 0)
                           # hash_record_extended(row(t.state, t.why_ended, t.state_at), 1)
                           # hash_record_extended(row(t.config, t.method, t.seed, t.display_name, t.description,
                               t.changed_at), 2)
                           # hash_record_extended(row(t.controller, t.scheduler), 3)
                           # hash_record_extended(row(t.next_trial), 4)
                           # hash_record_extended(row(t.look_at, t.deleted_at), 5)
        union all
        select 'sweep_agent' as table_name, format('project_id %s, sweep_id %s, agent_id %s', t.project_id, t.sweep_id, t.agent_id) as row_name, t.project_id, 0::int8 as run_id
          from sweep_agent t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.sweep_id, t.agent_id, t.host, t.user_id,
                               t.created_at), 0)
                           # hash_record_extended(row(t.state, t.heard_at), 1)
        union all
        select 'sweep_host' as table_name, format('project_id %s, sweep_id %s, host %s', t.project_id, t.sweep_id, t.host) as row_name, t.project_id, 0::int8 as run_id
          from sweep_host t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.sweep_id, t.host), 0)
                           # hash_record_extended(row(t.failed_in_row, t.finished, t.set_aside_at), 1)
        union all
        select 'sweep_trial' as table_name, format('project_id %s, sweep_id %s, trial %s', t.project_id, t.sweep_id, t.trial) as row_name, t.project_id, 0::int8 as run_id
          from sweep_trial t
         where ($1 = 0 or t.project_id = $1) and $2 = 0
           and t.row_sum <> hash_record_extended(row(t.project_id, t.sweep_id, t.trial, t.run_name, t.source, t.retry_of,
                               t.tries, t.note, t.created_at), 0)
                           # hash_record_extended(row(t.params, t.point), 1)
                           # hash_record_extended(row(t.state, t.agent_id, t.host, t.sent_at, t.sent_count, t.run_id,
                               t.started_at, t.ended_at), 2)
                           # hash_record_extended(row(t.stop_at), 3)
                           # hash_record_extended(row(t.lowest, t.highest, t.latest, t.summary, t.steps, t.curve), 4)) t
  left join project p on p.project_id = t.project_id
  left join entity e on e.entity_id = p.entity_id
 order by t.table_name, t.row_name
 limit 1000;

-- name: verify_sweeps
-- Sweeps that disagree with what else is stored of them; of the project $1 or of all.
select t.project_id, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project, t.message
  from (select q.project_id, format('trial %s (run "%s") is of a sweep %s that does not exist', q.trial, q.run_name,
                                    q.sweep_id) as message
          from sweep_trial q
         where ($1 = 0 or q.project_id = $1)
           and not exists (select from sweep s where s.project_id = q.project_id and s.sweep_id = q.sweep_id)
        union all
        select a.project_id, format('agent %s is of a sweep %s that does not exist', a.agent_id, a.sweep_id)
          from sweep_agent a
         where ($1 = 0 or a.project_id = $1)
           and not exists (select from sweep s where s.project_id = a.project_id and s.sweep_id = a.sweep_id)
        union all
        select h.project_id, format('host "%s" is of a sweep %s that does not exist', h.host, h.sweep_id)
          from sweep_host h
         where ($1 = 0 or h.project_id = $1)
           and not exists (select from sweep s where s.project_id = h.project_id and s.sweep_id = h.sweep_id)
        union all
        select s.project_id, format('the next trial of sweep "%s" is %s, but a trial %s exists', s.name, s.next_trial,
                                    max(q.trial))
          from sweep s
          join sweep_trial q on q.project_id = s.project_id and q.sweep_id = s.sweep_id
         where ($1 = 0 or s.project_id = $1)
         group by s.project_id, s.sweep_id
        having max(q.trial) >= s.next_trial
        union all
        select q.project_id, format('trial %s of sweep "%s" repeats trial %s, which does not exist', q.trial, s.name, q.retry_of)
          from sweep_trial q
          join sweep s on s.project_id = q.project_id and s.sweep_id = q.sweep_id and s.deleted_at is null
         where ($1 = 0 or q.project_id = $1) and q.retry_of is not null
           and not exists (select from sweep_trial o
                            where o.project_id = q.project_id and o.sweep_id = q.sweep_id and o.trial = q.retry_of)
        union all
        select q.project_id, format('trial %s of sweep "%s" was given to agent %s, which does not exist', q.trial, s.name,
                                    q.agent_id)
          from sweep_trial q
          join sweep s on s.project_id = q.project_id and s.sweep_id = q.sweep_id and s.deleted_at is null
         where ($1 = 0 or q.project_id = $1) and q.agent_id is not null
           and not exists (select from sweep_agent a
                            where a.project_id = q.project_id and a.sweep_id = q.sweep_id and a.agent_id = q.agent_id)) t
  left join project p on p.project_id = t.project_id
  left join entity e on e.entity_id = p.entity_id
 order by t.project_id, t.message
 limit 1000;

-- name: verify_artifact_list
-- Versions whose entries are read, after one.
select a.project_id, a.artifact_id, a.manifest_id, a.version, coalesce(c.name, c.deleted_name) as name, a.digest, a.size_bytes,
       a.file_count, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project
  from artifact a
  join artifact_collection c on c.project_id = a.project_id and c.collection_id = a.collection_id
  left join project p on p.project_id = a.project_id
  left join entity e on e.entity_id = p.entity_id
 where ($1 = 0 or a.project_id = $1) and a.state = 2 and a.manifest_id is not null
   and (a.project_id, a.artifact_id) > ($2::int8, $3::int8)
 order by a.project_id, a.artifact_id
 limit $4;

-- name: verify_blob_list
-- Content that is read, after one.
select b.project_id, b.blob_id, b.content, b.md5, b.size_bytes, coalesce(e.name, '?') as entity, coalesce(p.name, '?') as project,
       coalesce((select n.path from artifact_entry n where n.project_id = b.project_id and n.blob_id = b.blob_id limit 1),
                '') as path
  from artifact_blob b
  left join project p on p.project_id = b.project_id
  left join entity e on e.entity_id = p.entity_id
 where ($1 = 0 or b.project_id = $1) and (b.project_id, b.blob_id) > ($2::int8, $3::int8)
 order by b.project_id, b.blob_id
 limit $4;

-- name: verify_server_rows
-- The same for rows that belong to no project.
select t.table_name, t.row_name
  from (select 'entity' as table_name, format('entity_id %s', t.entity_id) as row_name
          from entity t
         where t.row_sum <> hash_record_extended(row(t.entity_id, t.name, t.kind, t.created_at), 0)
                           # hash_record_extended(row(t.quota_bytes), 1)
        union all
        select 'account' as table_name, format('user_id %s', t.user_id) as row_name
          from account t
         where t.row_sum <> hash_record_extended(row(t.user_id, t.is_admin, t.is_service, t.created_at), 0)
                           # hash_record_extended(row(t.password_hash), 1)
                           # hash_record_extended(row(t.default_entity_id), 2)
                           # hash_record_extended(row(t.disabled_at), 3)
        union all
        select 'team_member' as table_name, format('team_id %s, user_id %s', t.team_id, t.user_id) as row_name
          from team_member t
         where t.row_sum <> hash_record_extended(row(t.team_id, t.user_id, t.role, t.created_at), 0)
        union all
        select 'api_key' as table_name, format('key_id %s', t.key_id) as row_name
          from api_key t
         where t.row_sum <> hash_record_extended(row(t.key_id, t.user_id, t.key_hash, t.head, t.hint, t.name, t.scope,
                               t.created_at), 0)
                           # hash_record_extended(row(t.revoked_at), 1)
        union all
        select 'account_session' as table_name, format('token_hash %s', encode(substr(t.token_hash, 1, 8), 'hex')) as row_name
          from account_session t
         where t.row_sum <> hash_record_extended(row(t.token_hash, t.user_id, t.created_at), 0)
                           # hash_record_extended(row(t.seen_at, t.ends_at), 1)
        union all
        select 'account_link' as table_name, format('link_id %s', t.link_id) as row_name
          from account_link t
         where t.row_sum <> hash_record_extended(row(t.link_id, t.kind, t.token_hash, t.user_id, t.is_admin, t.team_id, t.role,
                               t.note, t.made_by, t.created_at, t.ends_at), 0)
        union all
        select 'audit_entry' as table_name, format('audit_id %s', t.audit_id) as row_name
          from audit_entry t
         where t.row_sum <> hash_record_extended(row(t.at, t.actor, t.way, t.key_id, t.address, t.action, t.entity,
                               t.project, t.run, t.subject, t.detail), 0)
        union all
        select 'server_setting' as table_name, format('name %s', t.name) as row_name
          from server_setting t
         where t.row_sum <> hash_record_extended(row(t.name, t.value), 0)
        union all
        select 'disk_sample' as table_name, format('day %s', t.day) as row_name
          from disk_sample t
         where t.row_sum <> hash_record_extended(row(t.day, t.at, t.disk_bytes, t.used_bytes), 0)
        union all
        select 'tail_ring' as table_name, format('id %s', t.id) as row_name
          from tail_ring t
         where t.row_sum <> hash_record_extended(row(t.id, t.slot, t.opened_at), 0)
        union all
        select 'file_content' as table_name, format('content %s', encode(t.content, 'hex')) as row_name
          from file_content t
         where t.row_sum <> hash_record_extended(row(t.content, t.size_bytes, t.look_at), 0)) t
 order by t.table_name, t.row_name
 limit 1000;

-- name: verify_stray_rows
-- Rows of runs that do not exist.
select t.table_name, format('run_id %s', t.run_id) as row_name
  from (select 'run_config' as table_name, t.run_id from run_config t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_sent' as table_name, t.run_id from run_sent t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_overlay' as table_name, t.run_id from run_overlay t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_conflict' as table_name, t.run_id from run_conflict t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_leaf' as table_name, t.run_id from run_leaf t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_merged' as table_name, t.run_id from run_merged t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_change' as table_name, t.run_id from run_change t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_file' as table_name, t.run_id from run_file t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_artifact' as table_name, t.run_id from run_artifact t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_attempt' as table_name, t.run_id from run_attempt t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_left_out' as table_name, t.run_id from run_left_out t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_unread' as table_name, t.run_id from run_unread t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_state' as table_name, t.run_id from run_state t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_branch' as table_name, t.run_id from run_branch t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_alert' as table_name, t.run_id from run_alert t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'alert_delivery' as table_name, t.run_id from alert_delivery t
         where not exists (select from run_hot h where h.run_id = t.run_id)
        union
        select 'run_writer' as table_name, t.run_id from run_writer t
         where not exists (select from run_hot h where h.run_id = t.run_id)) t
 order by t.table_name, t.run_id
 limit 1000;
