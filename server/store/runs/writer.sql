-- Writers of runs. Changes by their batches since the run was compacted are in the tail's marks.

-- name: writer_list
-- ahead: worker
select run_id, writer, client, label, role, state, parent, attempt, session, batch, history_rows,
       event_rows, console_lines, dropped_rows, last_step, last_event, lag_us, repeats, streams, console_shift, lines,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, end_state, end_reason, late, recent, sessions, info, joined_at,
       heard_at, data_at, ended_at
  from run_writer
 where run_id = $1 and writer > $3
 order by writer
 limit $2;

-- name: writer_numbers
select run_id, writer, client, label, role, state, parent, attempt, session, batch, history_rows,
       event_rows, console_lines, dropped_rows, last_step, last_event, lag_us, repeats, streams, console_shift, lines,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, end_state, end_reason, late, recent, sessions, info, joined_at,
       heard_at, data_at, ended_at
  from run_writer
 where run_id = $1 and writer = any($2::int4[]);

-- name: writer_find
-- ahead: flusher
select run_id, writer, client, label, role, state, parent, attempt, session, batch, history_rows,
       event_rows, console_lines, dropped_rows, last_step, last_event, lag_us, repeats, streams, console_shift, lines,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, end_state, end_reason, late, recent, sessions, info, joined_at,
       heard_at, data_at, ended_at
  from run_writer
 where (run_id, client) in (select * from unnest($1::int8[], $2::text[]));

-- name: writer_pairs
select run_id, writer, client, label, role, state, parent, attempt, session, batch, history_rows,
       event_rows, console_lines, dropped_rows, last_step, last_event, lag_us, repeats, streams, console_shift, lines,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, end_state, end_reason, late, recent, sessions, info, joined_at,
       heard_at, data_at, ended_at
  from run_writer
 where run_id = any($1::int8[]) and (run_id, writer) in (select * from unnest($1, $2::int4[]));

-- name: writer_primaries
-- ahead: flusher
-- Primaries of pairs of a run and a label: a joining one takes the place of a lost one.
select run_id, writer, client, label, role, state, parent, attempt, session, batch, history_rows,
       event_rows, console_lines, dropped_rows, last_step, last_event, lag_us, repeats, streams, console_shift, lines,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, end_state, end_reason, late, recent, sessions, info, joined_at,
       heard_at, data_at, ended_at
  from run_writer
 where role = 1 and (run_id, label) in (select * from unnest($1::int8[], $2::text[]));

-- name: writer_commits
-- The commits of runs' programs, as their first processes sent them: if
-- many sent none, not all are read.
select r.run_id, w.commit
  from unnest($1::int8[]) as r (run_id)
 cross join lateral (
       select i.info ->> 'commit' as commit
         from run_writer i
        where i.run_id = r.run_id and i.writer < 16 and i.info ? 'commit'
        order by i.writer
        limit 1) w;

-- name: writer_deciders
-- The writers that decide an attempt's end when the client $2 finishes,
-- and its children: no other workers are read.
select w.run_id, w.writer, w.client, w.label, w.role, w.state, w.parent, w.attempt, w.session,
       w.batch, w.history_rows, w.event_rows, w.console_lines, w.dropped_rows, w.last_step,
       w.last_event, w.lag_us, w.repeats, w.streams, w.console_shift, w.lines,
       w.exit_code is not null as has_exit_code, coalesce(w.exit_code, 0) as exit_code,
       w.end_state, w.end_reason, w.late, w.recent, w.sessions, w.info, w.joined_at, w.heard_at, w.data_at, w.ended_at
  from (select writer from run_writer where run_id = $1 and role <> 2
        union
        select writer from run_writer where run_id = $1 and client = $2
        union
        select writer from run_writer where run_id = $1 and parent = $2) d
 cross join lateral (
       select * from run_writer where run_id = $1 and writer = d.writer offset 0) w
 order by w.writer;

-- name: writer_hosts
-- The hosts of the run's processes.
select distinct w.info->>'host' as host
  from run_writer w
 where w.run_id = $1 and w.info->>'host' <> ''
 order by host
 limit $2;

-- name: writer_count
select count(*) as number from run_writer where run_id = $1;

-- name: writer_silent
-- Whether a writer of the run may be lost: $2 is the time of attempt_lost_until(). Marks may show that it was heard since.
select count(*) as number
  from run_writer
 where run_id = $1 and state = 1 and role <> 3 and heard_at <= $2;

-- name: writer_save
-- ahead: flusher
insert into run_writer (run_id, writer, client, label, role, state, parent, attempt, session,
                        batch, history_rows, event_rows, console_lines, dropped_rows, last_step,
                        exit_code, end_state, recent, sessions, info, joined_at, heard_at, data_at,
                        ended_at, last_event, lines, console_shift, lag_us, repeats, streams, end_reason,
                        late, row_sum)
values ($1, $2, $3, $4, $5, $6, nullif($7::text, ''), $8, $9, $10, $11, $12, $13, $14, $15, $16,
        $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30,
        nullif($31::text, ''), $32,
        hash_record_extended(row($1::int8, $3::text, $21::timestamptz), 0)
         # hash_record_extended(row($2::int4), 1)
         # hash_record_extended(row($4::text), 2)
         # hash_record_extended(row($6::int2, $24::timestamptz), 3)
         # hash_record_extended(row($8::int4, $10::int8, $11::int8, $12::int8, $13::int8, $14::int8, $15::int8,
             $18::bytea, $22::timestamptz, $23::timestamptz, $25::int8, $26::bytea, $27::int8, $28::int8,
             $29::int8, $30::bytea), 4)
         # hash_record_extended(row($5::int2, nullif($7::text, ''), $9::int4, $16::int4, $17::int2, $19::bytea,
             $20::jsonb, nullif($31::text, ''), $32::bool), 5))
on conflict (run_id, writer) do update
   set label = excluded.label, role = excluded.role, state = excluded.state,
       parent = excluded.parent, attempt = excluded.attempt, session = excluded.session,
       batch = excluded.batch, history_rows = excluded.history_rows,
       event_rows = excluded.event_rows, console_lines = excluded.console_lines,
       dropped_rows = excluded.dropped_rows, last_step = excluded.last_step,
       exit_code = excluded.exit_code, end_state = excluded.end_state, recent = excluded.recent,
       sessions = excluded.sessions, info = excluded.info, heard_at = excluded.heard_at,
       data_at = excluded.data_at, ended_at = excluded.ended_at, last_event = excluded.last_event,
       lines = excluded.lines, console_shift = excluded.console_shift, lag_us = excluded.lag_us,
       repeats = excluded.repeats, streams = excluded.streams, end_reason = excluded.end_reason,
       late = excluded.late,
       row_sum = excluded.row_sum
        # hash_record_extended(row(excluded.run_id, excluded.client, excluded.joined_at), 0)
        # hash_record_extended(row(run_writer.run_id, run_writer.client, run_writer.joined_at), 0);

-- name: writer_replace
-- Lost writers that were replaced, and those that were ended by a user and send again.
update run_writer w
   set state = u.state, ended_at = nullif(u.ended_at, 'epoch'::timestamptz),
       row_sum = w.row_sum
        # hash_record_extended(row(w.state, w.ended_at), 3)
        # hash_record_extended(row(u.state, nullif(u.ended_at, 'epoch'::timestamptz)), 3)
  from unnest($1::int8[], $2::int4[], $3::int2[], $4::timestamptz[])
       as u (run_id, writer, state, ended_at)
 where w.run_id = u.run_id and w.writer = u.writer;

-- name: writer_label
-- Workers that sent their label.
update run_writer w
   set label = u.label,
       row_sum = w.row_sum
        # hash_record_extended(row(w.label), 2)
        # hash_record_extended(row(u.label), 2)
  from unnest($1::int8[], $2::int4[], $3::text[]) as u (run_id, writer, label)
 where w.run_id = u.run_id and w.writer = u.writer;

-- name: writer_advance
-- Changes that batches make to their writers.
update run_writer w
   set attempt = u.attempt, batch = u.batch, history_rows = u.history_rows,
       event_rows = u.event_rows, console_lines = u.console_lines, dropped_rows = u.dropped_rows,
       last_step = u.last_step, recent = u.recent, heard_at = u.heard_at,
       data_at = nullif(u.data_at, 'epoch'::timestamptz), last_event = u.last_event,
       lines = coalesce(u.lines, ''), console_shift = u.console_shift, lag_us = u.lag_us,
       repeats = u.repeats, streams = coalesce(u.streams, ''),
       row_sum = w.row_sum
        # hash_record_extended(row(w.attempt, w.batch, w.history_rows, w.event_rows, w.console_lines, w.dropped_rows,
            w.last_step, w.recent, w.heard_at, w.data_at, w.last_event, w.lines, w.console_shift, w.lag_us,
            w.repeats, w.streams), 4)
        # hash_record_extended(row(u.attempt, u.batch, u.history_rows, u.event_rows, u.console_lines, u.dropped_rows,
            u.last_step, u.recent, u.heard_at, nullif(u.data_at, 'epoch'::timestamptz), u.last_event,
            coalesce(u.lines, ''), u.console_shift, u.lag_us, u.repeats,
            coalesce(u.streams, '')), 4)
  from unnest($1::int8[], $2::int4[], $3::int4[], $4::int8[], $5::int8[], $6::int8[], $7::int8[],
              $8::int8[], $9::int8[], $10::bytea[], $11::timestamptz[], $12::timestamptz[],
              $13::int8[], $14::bytea[], $15::int8[], $16::int8[], $17::int8[],
              $18::bytea[])
       as u (run_id, writer, attempt, batch, history_rows, event_rows, console_lines, dropped_rows,
             last_step, recent, heard_at, data_at, last_event, lines, console_shift, lag_us, repeats,
             streams)
 where w.run_id = u.run_id and w.writer = u.writer;

-- name: marks_list
-- For some runs, the marks after a block each: one index lookup in the tail for each run.
select t.run_id, t.seq, t.marks
  from unnest($1::int8[], $2::int8[]) as u (run_id, after)
 cross join lateral (
       select run_id, seq, marks
         from tail
        where run_id = u.run_id and seq > u.after and marks is not null
       offset 0) t
 order by t.run_id, t.seq;

-- name: marks_waiting
-- ahead: worker
select t.run_id, t.seq, t.marks
  from run_hot h
  join tail t on t.run_id = h.run_id
 where h.run_id = $1 and t.run_id = $1 and t.seq > h.compact_seq and t.marks is not null
 order by t.seq;
