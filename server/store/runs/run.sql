-- Runs: the directory, the row that serves as a run's lock, its changes of state.

-- name: run_insert
-- ahead: worker
-- No row if the name is taken, or the project deleted: the lock waits for a delete in progress.
-- Numbers continue from the greatest of the last runs, not of the last one: servers whose clocks
-- differ do not make ids in order.
insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags,
                 visibility, created_by, created_at, color, expected_writers, color_number,
                 row_sum)
select $1::int8, $2::text, $3::int8, $4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb,
       $10::int2, nullif($11::int8, 0), $12::timestamptz, nullif($13::text, ''),
       nullif($14::int4, 0),
       n.color_number,
       hash_record_extended(row($1::int8, $2::text, $3::int8, n.color_number, nullif($11::int8, 0),
            $12::timestamptz), 0)
        # hash_record_extended(row($4::text, $5::text, $6::text, $7::text, $8::text, $9::jsonb, nullif($13::text, ''),
            nullif($14::int4, 0)), 1)
        # hash_record_extended(row(null::timestamptz, null::int8), 2)
        # hash_record_extended(row($10::int2), 3)
        # hash_record_extended(row(null::jsonb), 4)
        # hash_record_extended(row(null::text, null::int8), 5)
        # hash_record_extended(row(null::timestamptz, null::int2, null::int8, null::text), 6)
        # hash_record_extended(row(null::timestamptz, null::int8), 7)
  from project p
 cross join lateral (
       select coalesce(max(last.color_number) + 1, 0) as color_number
         from (select r.color_number from run r where r.project_id = $1 order by r.run_id desc limit 64) last) n
 where p.project_id = $1 and p.deleted_at is null
   for share of p
on conflict (project_id, name) do nothing
returning run_id;

-- name: run_insert_hot
-- ahead: worker
insert into run_hot (run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq,
                     tail_rows, tail_bytes, heard_at, look_at, state, attempt, fallback_state,
                     end_pending, next_writer, next_state, document_seq, started_at,
                     row_sum)
select $1, $2, 0, 0, 0, -1, -1, 0, 0, $3, $4, $7, $5, 0, false, 0, $6, 0, $8,
       hash_record_extended(row($1::int8, 0::int8, 0::int8, 0::int8, 0::int8, -1::int8, $3::timestamptz, $7::int2,
            $5::int4, 0::int2, false, 0::int4, $6::int4, 0::int8, 0::int8, 0::int8, $8::timestamptz,
            null::timestamptz, null::int4, null::timestamptz, null::text, null::text, false), 0)
        # hash_record_extended(row($2::int8, null::timestamptz), 1)
        # hash_record_extended(row(null::timestamptz, null::timestamptz, false), 2)
        # hash_record_extended(row(0::int8), 3)
        # hash_record_extended(row(-2::int8), 4)
        # hash_record_extended(row(0::int4, 0::int4, 0::int8), 5)
        # hash_record_extended(row(0::int8), 6);

-- part: run_infos
-- The directory rows of runs of the project $1.
select r.name, r.run_id, r.display_name, r.job_type, r.group_name, r.sweep, r.notes, r.tags,
       r.visibility, r.color, r.color_number,
       coalesce(r.expected_writers, 0) as expected_writers, e.name as created_by, r.created_at, r.edited_at,
       m.name as edited_by, r.deleted_at,
       coalesce(r.deleted_who, 0::int2) as deleted_who, d.name as deleted_by, r.delete_reason,
       r.forked_from, coalesce(r.forked_step, -1) as forked_step, coalesce(f.visibility, 1::int2) as source_visibility
  from run r
  left join entity e on e.entity_id = r.created_by
  left join entity m on m.entity_id = r.edited_by
  left join entity d on d.entity_id = r.deleted_by
  left join run f on f.project_id = $1 and f.name = r.forked_from

-- name: run_find_info
-- ahead: worker
-- use: run_infos
 where r.project_id = $1 and r.name = $2 and r.moved_to is null;

-- name: run_list_info
-- ahead: worker
-- use: run_infos
 where r.project_id = $1 and r.run_id = any($2) and r.moved_to is null;

-- name: run_list_after
-- use: run_infos
 where r.project_id = $1 and r.run_id > $2 and r.deleted_at is null
 order by r.run_id
 limit 1;

-- name: run_list_named
-- ahead: worker
-- use: run_infos
 where r.project_id = $1 and r.name = any($2) and r.moved_to is null;

-- name: run_update_info
update run
   set display_name = $3, job_type = $4, group_name = $5, sweep = $6, notes = $7, tags = $8,
       visibility = $9, color = nullif($10::text, ''), expected_writers = nullif($11::int4, 0),
       edited_at = $12, edited_by = nullif($13::int8, 0),
       row_sum = row_sum
        # hash_record_extended(row(display_name, job_type, group_name, sweep, notes, tags, color,
            expected_writers), 1)
        # hash_record_extended(row($3::text, $4::text, $5::text, $6::text, $7::text, $8::jsonb, nullif($10::text, ''),
            nullif($11::int4, 0)), 1)
        # hash_record_extended(row(edited_at, edited_by), 2)
        # hash_record_extended(row($12::timestamptz, nullif($13::int8, 0)), 2)
        # hash_record_extended(row(visibility), 3)
        # hash_record_extended(row($9::int2), 3)
 where project_id = $1 and name = $2 and deleted_at is null;

-- name: run_find_sent
select sent from run where project_id = $1 and name = $2 and sent is not null;

-- name: run_save_sent
update run set sent = $3,
       row_sum = row_sum
        # hash_record_extended(row(sent), 4)
        # hash_record_extended(row($3::jsonb), 4)
 where project_id = $1 and name = $2 and deleted_at is null;

-- name: run_lock
-- The columns that matter are read in a later statement: this one may have
-- waited, and read before it did.
select run_id from run_hot where run_id = any($1) order by run_id for update;

-- name: run_lock_free
select run_id from run_hot where run_id = any($1) order by run_id for update skip locked;

-- name: run_hot_list
-- ahead: worker
select run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq, tail_rows,
       tail_bytes, heard_at, look_at, state, attempt, fallback_state, end_pending, next_writer,
       next_state, document_seq, unread_lines, left_out, started_at, ended_at, exit_code is not null as has_exit_code,
       coalesce(exit_code, 0) as exit_code, stop_asked_at, stop_reason, deleted_at, purge_at,
       purging, size_bytes, file_count, file_bytes, version, branch, branch_writer, branch_row,
       hidden_rows, alerts, kept_until, end_reason, end_told
  from run_hot
 where run_id = any($1);

-- name: run_lock_list
-- ahead: flusher
-- Both at once: a statement returns rows that it locks, and no others, as they are when it has the
-- lock, however long it waited. Only this lock lets document_lock through.
select run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq, tail_rows,
       tail_bytes, heard_at, look_at, state, attempt, fallback_state, end_pending, next_writer,
       next_state, document_seq, unread_lines, left_out, started_at, ended_at, exit_code is not null as has_exit_code,
       coalesce(exit_code, 0) as exit_code, stop_asked_at, stop_reason, deleted_at, purge_at,
       purging, size_bytes, file_count, file_bytes, version, branch, branch_writer, branch_row,
       hidden_rows, alerts, kept_until, end_reason, end_told
  from run_hot
 where run_id = any($1)
 order by run_id
   for no key update;

-- name: run_hot_list_shown
-- ahead: worker
-- The columns that lists show of runs, half of all: writing them is most
-- of the database's work for a page.
select run_id, next_row, next_event, unread_lines, left_out, last_step, heard_at, state, attempt, started_at, ended_at,
       exit_code is not null as has_exit_code, coalesce(exit_code, 0) as exit_code, stop_asked_at,
       stop_reason, deleted_at, purge_at, size_bytes, file_count, branch, hidden_rows, end_reason
  from run_hot
 where run_id = any($1);

-- name: run_hot_save
-- ahead: flusher
-- All but the columns that deletes, compaction, measuring and branches save themselves. An element
-- of each array is fetched by its number, for unnest() puts each of many arrays into a table first,
-- which takes as long as the update.
update run_hot h
   set version = $23, next_row = ($2::int8[])[u.i], next_event = ($3::int8[])[u.i],
       next_seq = ($4::int8[])[u.i], last_step = ($5::int8[])[u.i], tail_rows = ($6::int4[])[u.i],
       tail_bytes = ($7::int8[])[u.i], heard_at = ($8::timestamptz[])[u.i],
       look_at = ($9::timestamptz[])[u.i], state = ($10::int2[])[u.i],
       attempt = ($11::int4[])[u.i], fallback_state = ($12::int2[])[u.i],
       end_pending = ($13::bool[])[u.i], next_writer = ($14::int4[])[u.i],
       next_state = ($15::int4[])[u.i], document_seq = ($16::int8[])[u.i],
       unread_lines = ($24::int8[])[u.i], hidden_rows = ($25::int8[])[u.i],
       started_at = ($22::timestamptz[])[u.i],
       ended_at = nullif(($17::timestamptz[])[u.i], 'epoch'::timestamptz),
       exit_code = case when ($18::bool[])[u.i] then ($19::int4[])[u.i] end,
       stop_asked_at = nullif(($20::timestamptz[])[u.i], 'epoch'::timestamptz),
       stop_reason = nullif(($21::text[])[u.i], ''),
       end_reason = nullif(($26::text[])[u.i], ''), end_told = ($27::bool[])[u.i],
       row_sum = h.row_sum
        # hash_record_extended(row(h.run_id, h.version, h.next_row, h.next_event, h.next_seq, h.last_step, h.heard_at,
            h.state, h.attempt, h.fallback_state, h.end_pending, h.next_writer, h.next_state, h.document_seq,
            h.unread_lines, h.hidden_rows, h.started_at, h.ended_at, h.exit_code, h.stop_asked_at, h.stop_reason,
            h.end_reason, h.end_told), 0)
        # hash_record_extended(row(h.run_id, $23::int8, ($2::int8[])[u.i], ($3::int8[])[u.i], ($4::int8[])[u.i],
            ($5::int8[])[u.i], ($8::timestamptz[])[u.i], ($10::int2[])[u.i], ($11::int4[])[u.i], ($12::int2[])[u.i],
            ($13::bool[])[u.i], ($14::int4[])[u.i], ($15::int4[])[u.i], ($16::int8[])[u.i], ($24::int8[])[u.i],
            ($25::int8[])[u.i], ($22::timestamptz[])[u.i], nullif(($17::timestamptz[])[u.i], 'epoch'::timestamptz),
            case when ($18::bool[])[u.i] then ($19::int4[])[u.i] end,
            nullif(($20::timestamptz[])[u.i], 'epoch'::timestamptz), nullif(($21::text[])[u.i], ''),
            nullif(($26::text[])[u.i], ''), ($27::bool[])[u.i]), 0)
  from unnest($1::int8[]) with ordinality as u (run_id, i)
 where h.run_id = u.run_id;

-- name: run_count
-- Deleted ones, too: a number is not given again.
select count(*) as number from run where project_id = $1;

-- name: run_state_insert
-- ahead: worker
insert into run_state (run_id, number, from_state, to_state, attempt, changed_at, who, writer,
                       user_id, reason, row_sum)
values ($1, $2, nullif($3::int2, 0::int2), $4, $5, $6, $7, nullif($8::int4, -1),
        nullif($9::int8, 0), $10,
        hash_record_extended(row($1::int8, $2::int4, nullif($3::int2, 0::int2), $4::int2, $5::int4, $6::timestamptz,
             $7::int2, nullif($9::int8, 0), $10::text), 0)
         # hash_record_extended(row(nullif($8::int4, -1)), 1));

-- name: run_state_list
select s.number, coalesce(s.from_state, 0::int2) as from_state, s.to_state, s.attempt,
       s.changed_at, s.who, coalesce(s.writer, -1) as writer, w.label as label,
       u.name as user_name, s.reason
  from run_state s
  left join run_writer w on w.run_id = s.run_id and w.writer = s.writer and w.run_id = $1
  left join entity u on u.entity_id = s.user_id
 where s.run_id = $1 and s.number > $3
 order by s.number
 limit $2;

-- name: run_sweep_list
-- Running runs that are due, by the shifted clock; $3, $4: after this look_at and run. Also those
-- whose look_at is later than their project's limit allows: a server that did not know the lower
-- limit yet has set it.
select h.run_id, h.project_id, p.crash_after_s, h.look_at
  from run_hot h
  join project p on p.project_id = h.project_id
 where h.state in (1, 7) and h.deleted_at is null
   and (h.look_at <= $1
        or h.look_at > $1 + (p.crash_after_s + 1) * interval '1 second')
   and (h.look_at, h.run_id) > ($3::timestamptz, $4::int8)
 order by h.look_at, h.run_id
 limit $2;

-- name: run_sweep_next
-- When the next run is due; no row if no run is running.
select min(look_at) as look_at from run_hot where state in (1, 7) and deleted_at is null
having min(look_at) is not null;

-- name: run_crash_after
-- The seconds of silence after which writers of the project are lost; 0 if the project is gone.
select coalesce((select crash_after_s from project where project_id = $1), 0)::int8 as number;

-- name: run_sweep_project
-- The limit of a project changed: every running run of it is checked again.
with running as materialized (
	select run_id from run_hot
	 where project_id = $1 and state in (1, 7) and deleted_at is null order by run_id for update)
update run_hot h set look_at = $2 from running r where h.run_id = r.run_id;

-- name: run_change_note
-- ahead: flusher
-- ahead: worker
-- The time of the first note stays.
insert into run_change (run_id, project_id, seq, noted_at, row_sum)
select u.run_id, u.project_id, u.seq, $4::timestamptz,
       hash_record_extended(row(u.run_id, u.project_id, u.seq, null::timestamptz, $4::timestamptz), 0)
  from unnest($1::int8[], $2::int8[], $3::int8[]) as u (run_id, project_id, seq)
on conflict (run_id) do update set seq = excluded.seq, project_id = excluded.project_id,
       row_sum = hash_record_extended(row(run_change.run_id, excluded.project_id, excluded.seq, run_change.not_before,
            run_change.noted_at), 0)
 where run_change.seq < excluded.seq;

-- name: run_change_list
select run_id, project_id, seq
  from run_change
 where run_id > $2 and (not_before is null or not_before <= $1)
 order by run_id
 limit $3;

-- name: run_change_put_off
insert into run_change (run_id, project_id, seq, not_before, noted_at, row_sum)
values ($1, $2, $3, $4, $5,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::timestamptz, $5::timestamptz), 0))
on conflict (run_id) do update set not_before = excluded.not_before,
       row_sum = hash_record_extended(row(run_change.run_id, run_change.project_id, run_change.seq,
            excluded.not_before, run_change.noted_at), 0);

-- name: run_change_done
delete from run_change where run_id = $1 and seq <= $2;

-- name: run_unread_insert
insert into run_unread (run_id, number, writer, stream, text, came_at, row_sum)
select $1::int8, u.number, $2::int4, u.stream, u.text, $6::timestamptz,
       hash_record_extended(row($1::int8, u.number, $2::int4, u.stream, u.text, $6::timestamptz), 0)
  from unnest($3::int8[], $4::int2[], $5::text[]) as u (number, stream, text);

-- name: run_unread_list
select u.number, u.writer, u.stream, u.text, u.came_at
  from run_unread u
 where u.run_id = $1 and u.number > $2
 order by u.number
 limit $3;

-- name: run_idempotency_find
select digest, row_first, row_count from run_idempotency where run_id = $1 and key = $2;

-- name: run_idempotency_insert
insert into run_idempotency (run_id, key, digest, row_first, row_count, created_at, row_sum)
values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::text, $3::bytea, $4::int8, $5::int8, $6::timestamptz), 0));

-- name: run_idempotency_forget
with old as materialized (
	select run_id, key
	  from run_idempotency
	 where created_at < $1
	 order by created_at
	 limit $2
	   for update skip locked)
delete from run_idempotency i using old where i.run_id = old.run_id and i.key = old.key;
