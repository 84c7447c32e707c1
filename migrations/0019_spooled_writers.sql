-- For clients that keep what they log on disk until it is stored. run_writer.streams: how many records of each of the writer's
-- processes are stored (record_streams.h); its records are rows of history, rows of events and console lines, counted from 0 in
-- the order in which the process logged them. Writers from before have as many of the stream without a name as they have rows and
-- lines. end_reason: why the writer, or the run, ended. late: the writer is of an attempt that had ended when it joined, as its
-- process began before that end; its data is stored, and changes nothing of the run. The checksums of the rows include the new
-- columns.
alter table run_writer
  add column streams bytea not null default '', add column end_reason text, add column late bool not null default false;
update run_writer
   set streams = case when history_rows + event_rows + console_lines > 0
                      then '\x00'::bytea || int8send(history_rows + event_rows + console_lines) else '' end,
       row_sum = row_sum
        # hash_record_extended(row(attempt, batch, history_rows, event_rows, console_lines, dropped_rows,
            last_step, recent, heard_at, data_at, last_event, lines, console_shift, lag_us, repeats), 4)
        # hash_record_extended(row(attempt, batch, history_rows, event_rows, console_lines, dropped_rows,
            last_step, recent, heard_at, data_at, last_event, lines, console_shift, lag_us, repeats,
            case when history_rows + event_rows + console_lines > 0
                 then '\x00'::bytea || int8send(history_rows + event_rows + console_lines) else '' end), 4)
        # hash_record_extended(row(role, parent, session, exit_code, end_state, sessions, info), 5)
        # hash_record_extended(row(role, parent, session, exit_code, end_state, sessions, info, null::text, false), 5);
-- run_hot.end_told: a writer said that the run crashed or was preempted; late data does not make it run again then.
alter table run_hot add column end_reason text, add column end_told bool not null default false;
update run_hot
   set row_sum = row_sum
        # hash_record_extended(row(run_id, version, next_row, next_event, next_seq, last_step, heard_at, state, attempt,
            fallback_state, end_pending, next_writer, next_state, document_seq, unread_lines, hidden_rows, started_at,
            ended_at, exit_code, stop_asked_at, stop_reason), 0)
        # hash_record_extended(row(run_id, version, next_row, next_event, next_seq, last_step, heard_at, state, attempt,
            fallback_state, end_pending, next_writer, next_state, document_seq, unread_lines, hidden_rows, started_at,
            ended_at, exit_code, stop_asked_at, stop_reason, null::text, false), 0)
 where row_sum is not null;
