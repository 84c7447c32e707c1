-- run_writer.late: the writer is of an attempt that had ended when it joined, as its process began before that end. Its data is
-- stored, and changes nothing of the run. The checksum of its row includes the column.
alter table run_writer add column late bool not null default false;
update run_writer
   set row_sum = row_sum
        # hash_record_extended(row(role, parent, session, exit_code, end_state, sessions, info, end_reason), 5)
        # hash_record_extended(row(role, parent, session, exit_code, end_state, sessions, info, end_reason, false), 5)
 where row_sum is not null;
