-- State of the database as a whole.

-- name: server_now
-- ahead: worker
-- The one clock that decides about runs and writers.
select clock_timestamp() + shift_us * interval '1 microsecond' as now
  from server_clock
 where id = 1;

-- name: server_time
-- The same clock unshifted; for use before there are tables.
select clock_timestamp() as now;

-- name: server_lsn
-- The cluster of the WAL, and its end: after everything that was committed before this query.
select system_identifier as cluster, false as is_replica,
       (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8 as lsn
  from pg_control_system();

-- name: server_replayed
-- For a streaming replica: how far it has replayed that WAL. A promoted
-- one is not a replica any more.
select system_identifier as cluster, pg_is_in_recovery() as is_replica,
       coalesce((pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::int8, 0) as lsn
  from pg_control_system();

-- name: server_cluster
-- Every role may read it unless the site has revoked that.
select system_identifier as number from pg_control_system();

-- name: server_database
select current_database()::text as value;

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
-- New since a time: runs, runs that were written to, users. Each reads the whole table.
select (select count(*) from run where created_at > $1) as runs_made,
       (select count(*) from run_hot where heard_at > $1) as runs_heard,
       (select count(*) from account where created_at > $1) as users_made;

-- name: server_health
-- For cairnd doctor: settings, connections, and the slot that keeps most of the log.
select current_setting('server_encoding') as encoding,
       current_setting('fsync')::boolean as fsync,
       current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       least(current_setting('max_connections')::int8 - current_setting('superuser_reserved_connections')::int8
                 - coalesce(current_setting('reserved_connections', true)::int8, 0),
             nullif(r.rolconnlimit, -1)::int8, nullif(d.datconnlimit, -1)::int8) as connection_limit,
       c.other_connections, c.servers, coalesce(s.slot, '') as slot, coalesce(s.bytes, 0) as slot_bytes
  from pg_roles r
  join pg_database d on d.datname = current_database()
 cross join (select count(*) filter (where datname <> current_database() or application_name not like 'cairnd%')
                        as other_connections,
                    count(*) filter (where datname = current_database() and application_name like 'cairnd live%') as servers
               from pg_stat_activity
              where datname is not null and coalesce(backend_type, 'client backend') = 'client backend') c
  left join (select slot_name::text as slot,
                    pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end,
                                    restart_lsn)::int8 as bytes
               from pg_replication_slots
              where restart_lsn is not null
              order by restart_lsn
              limit 1) s on true
 where r.rolname = current_user;

-- name: server_versions
-- Servers that listen for each other have their version in
-- application_name; those before 0.1.0 do not.
select coalesce(nullif(substr(application_name, 13), ''), 'unknown') as version,
       coalesce(host(client_addr), 'this machine') as host, count(*) as servers
  from pg_stat_activity
 where datname = current_database() and application_name like 'cairnd live%'
 group by 1, 2
 order by 1, 2
 limit 1000;
