-- What the library itself asks, where a string of SQL would not do.

-- name: db_begin
-- Whatever the site's defaults: what is read after waiting for a lock must be what was committed before.
begin isolation level read committed read write;

-- name: db_limits
select set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true);

-- name: db_limits_by_key
-- Every statement that follows looks rows up by their keys: it is planned once, and never as a scan of a
-- whole table, however small that was, or its statistics said it was, at the time.
select set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('enable_seqscan', 'off', true),
       set_config('enable_bitmapscan', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true);

-- name: db_planned_once
-- Of the transaction, or of what is sent with it as one.
select set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: db_commit
commit;

-- name: db_written
-- Behind everything that was committed before it is asked.
select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::int8 as place;

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

-- name: db_tables
-- Every table of ours; partitions are tables too. In the same order whatever the database's locale.
select format('%I.%I', n.nspname, c.relname) collate "C" as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r'
   and n.nspname <> 'information_schema'
   and n.nspname not like 'pg\_%'
 order by 1
 limit 100000;

-- name: db_data_bytes
-- What tables take without their indexes: more than a dump of them, compressed, does.
select coalesce(sum(pg_table_size(c.oid)), 0)::int8 as bytes, pg_database_size(current_database()) as all_bytes
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind in ('r', 'm')
   and n.nspname <> 'information_schema'
   and n.nspname not like 'pg\_%';

-- name: db_others
-- Servers and commands that are connected to the database, besides this connection.
select count(*) as count, coalesce(min(pid), 0)::int8 as pid,
       coalesce((array_agg(application_name order by pid))[1], '') as name,
       coalesce((array_agg(host(client_addr) order by pid))[1], 'this machine') as host
  from pg_stat_activity
 where datname = current_database() and pid <> pg_backend_pid() and application_name like 'cairnd%';

-- name: db_schema_name
-- The schema that the tables are in, by the search path.
select n.nspname::text as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.oid = to_regclass('schema_migration');

-- name: db_empty_schema
-- Drops whatever is in that schema, but for what belongs to an extension; sequences of columns go with their tables. What was made of it in other schemas goes too.
do $$
declare
    place oid := (select relnamespace from pg_class where oid = to_regclass('schema_migration'));
    called text;
begin
    for called in
        select format('%s if exists %I.%I',
                      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
                                     when 'S' then 'sequence' else 'table' end,
                      place::regnamespace, c.relname)
          from pg_class c
         where c.relnamespace = place and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
           and not exists (select from pg_depend d
                            where d.classid = 'pg_class'::regclass and d.objid = c.oid
                              and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('i', 'a')))
         union all
        select format('routine if exists %I.%I(%s)', place::regnamespace, p.proname,
                      pg_get_function_identity_arguments(p.oid))
          from pg_proc p
         where p.pronamespace = place
           and not exists (select from pg_depend d
                            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
         union all
        select format('type if exists %I.%I', place::regnamespace, t.typname)
          from pg_type t
          left join pg_class c on c.oid = t.typrelid
         where t.typnamespace = place and (t.typtype in ('d', 'e', 'r') or c.relkind = 'c')
           and not exists (select from pg_depend d
                            where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
    loop
        execute 'drop ' || called || ' cascade';
    end loop;
end
$$;

-- name: db_analyze
analyze;

-- name: db_hold_snapshot
-- The moment that this transaction sees, for another program to see it too; and what is there then.
select pg_export_snapshot() as snapshot, pg_database_size(current_database()) as bytes;

-- name: db_scratch
-- The database that a backup is tried in: its name, quoted and as it is; whether it is there; and whether its comment says whose it is.
select format('%I', n.name) as quoted, n.name, d.oid is not null as is_there,
       coalesce(shobj_description(d.oid, 'pg_database') = $1, false) as is_ours
  from (select left(current_database()::text, 50) || '_drill' as name) n
  left join pg_database d on d.datname = n.name;
