-- The statements of the library itself, where a string of SQL would not do.

-- name: db_begin
-- Independent of the site's defaults: a read after waiting for a lock must see what was committed
-- before.
begin isolation level read committed read write;

-- name: db_limits
select set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true);

-- name: db_limits_by_key
-- Every statement that follows looks rows up by their keys: it is planned once, and never as a scan
-- of a whole table, however small it was, or its statistics said it was, at the time.
select set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);

-- name: db_planned_once
-- For the transaction, or for what is sent with it as one.
select set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: db_by_key
-- For the transaction, or for what is sent with it as one: rows are looked up by their keys, and read in the order of an index,
-- also where the statistics do not know yet how many there are.
select set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);

-- name: db_commit
commit;

-- name: db_written
-- After everything that was committed before this query.
select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8 as lsn;

-- name: db_try_lock
select pg_try_advisory_lock($1) as yes;

-- name: db_unlock
select pg_advisory_unlock($1);

-- name: db_backend
select pg_backend_pid() as pid;

-- name: db_notify
select pg_notify($1, u.payload) as done
  from unnest($2::text[]) as u (payload);

-- name: db_migration_table_exists
select to_regclass('schema_migration') is not null as yes;

-- name: db_migration_list
select number, name, checksum
  from schema_migration
 order by number
 limit 100000;

-- name: db_migration_insert
insert into schema_migration (number, name, checksum)
values ($1, $2, $3);

-- name: db_view_list
select name, checksum
  from schema_view
 order by name
 limit 100000;

-- name: db_view_save
insert into schema_view (name, checksum)
values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum, applied_at = now();

-- name: db_last_migration
select coalesce(max(number), 0)::integer as number
  from schema_migration;

-- name: db_scratch
-- The database that a backup is tried in: its name, quoted and as it is; whether it exists; and
-- whether its comment marks it as ours.
select format('%I', n.name) as quoted, n.name, d.oid is not null as is_there,
       coalesce(shobj_description(d.oid, 'pg_database') = $1, false) as is_ours
  from (select left(current_database()::text, 50) || '_drill' as name) n
  left join pg_database d on d.datname = n.name;
