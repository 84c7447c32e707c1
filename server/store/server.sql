-- What belongs to the database as a whole.

-- name: server_now
-- ahead: worker
-- The one clock that decides about runs and writers.
select clock_timestamp() + shift_us * interval '1 microsecond' as now
  from server_clock
 where id = 1;

-- name: server_place
-- Whose log it is, and where it ends: behind everything that was committed before this is asked.
select system_identifier as cluster, false as is_replica,
       (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8 as place
  from pg_control_system();

-- name: server_replayed
-- Of a streaming replica: how far it has come in that log. One that was promoted is no replica any more.
select system_identifier as cluster, pg_is_in_recovery() as is_replica,
       coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8, 0) as place
  from pg_control_system();

-- name: server_database_bytes
select pg_database_size(current_database()) as number;

-- name: server_setting_find
select value from server_setting where name = $1;

-- name: server_setting_insert
insert into server_setting (name, value, row_sum)
values ($1, $2, hash_record_extended(row($1::text, $2::text), 0))
on conflict (name) do nothing;

-- name: server_setting_lock
select value from server_setting where name = $1 for update;

-- name: server_since
-- What came since a moment: runs, runs that were written to, users. Each reads the whole table.
select (select count(*) from run where created_at > $1) as runs_made,
       (select count(*) from run_hot where heard_at > $1) as runs_heard,
       (select count(*) from account where created_at > $1) as users_made;
