-- Statements about the whole database and its server.

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

-- name: db_own_tables
-- Cairn's tables in its schema $1, without those of others in it ($2: see db_strangers), in the same order.
select format('%I.%I', n.nspname, c.relname) collate "C" as name
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'r'
   and n.nspname = $1
   and format('%I.%I', n.nspname, c.relname) <> all ($2::text[])
 order by 1
 limit 100000;

-- name: db_data_bytes
-- The bytes of the tables of our schema without their indexes: more than a compressed dump of them takes.
select coalesce(sum(pg_table_size(c.oid)), 0)::int8 as bytes, pg_database_size(current_database()) as all_bytes
  from pg_class c
 where c.relkind in ('r', 'm')
   and c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('schema_migration'));

-- name: db_others
-- Servers and commands that are connected to the database, besides this connection.
select count(*) as count, coalesce(min(pid), 0)::int8 as pid,
       coalesce((array_agg(application_name order by pid))[1], '') as name,
       coalesce((array_agg(host(client_addr) order by pid))[1], 'this machine') as host
  from pg_stat_activity
 where datname = current_database() and pid <> pg_backend_pid() and application_name like 'cairnd%';

-- name: db_schema_name
-- The schema that the tables are in, by the search path.
select n.nspname::text as schema, quote_ident(n.nspname) as quoted
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.oid = to_regclass('schema_migration');

-- name: db_schema_exists
select to_regnamespace(quote_ident($1)) is not null as yes;

-- name: db_strangers
-- Lists the tables, views and sequences of others in the schema of ours: see db_ours.h. $1: the names of tables in migrations.
select format('%I.%I', n.nspname, c.relname) collate "C" as name
  from pg_class c
  join pg_class m on m.oid = to_regclass('schema_migration') and m.relnamespace = c.relnamespace
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_depend s on s.classid = 'pg_class'::regclass and s.objid = c.oid and c.relkind = 'S'
        and s.refclassid = 'pg_class'::regclass and s.deptype in ('a', 'i')
  left join pg_class t on t.oid = s.refobjid -- the table that owns the sequence
 where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
   and (case when c.relkind in ('v', 'm') then c.relname <> all (select v.name from schema_view v)
             else c.relowner <> m.relowner and coalesce(t.relname, c.relname) <> all ($1::text[]) end
        or exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e'))
 order by 1
 limit 10000;

-- name: db_dependents
-- Lists the objects that are not ours and would be dropped with our tables by "cascade". A view goes with its rule, which depends on a table.
-- $1: see db_strangers.
with recursive our_schema as (
    select c.relnamespace as schema, c.relowner as owner
      from pg_class c
     where c.oid = to_regclass('schema_migration')
), ours as (
    select c.oid
      from our_schema p
      join pg_namespace n on n.oid = p.schema
      join pg_class c on c.relnamespace = p.schema
     where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
       and format('%I.%I', n.nspname, c.relname) <> all ($1::text[])
), gone (classid, objid) as (
    (select 'pg_class'::regclass::oid, o.oid
       from ours o
      union all
     select 'pg_proc'::regclass::oid, f.oid
       from our_schema p
       join pg_proc f on f.pronamespace = p.schema
      where not exists (select from pg_depend d
                         where d.classid = 'pg_proc'::regclass and d.objid = f.oid and d.deptype = 'e')
      union all
     select 'pg_type'::regclass::oid, t.oid
       from our_schema p
       join pg_type t on t.typnamespace = p.schema
      where t.typtype in ('d', 'e', 'r')
        and not exists (select from pg_depend d
                         where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e'))
     union
    select x.classid, x.objid
      from gone g
     cross join lateral (
         select d.classid, d.objid
           from pg_depend d
          where d.refclassid = g.classid and d.refobjid = g.objid
          union all
         select 'pg_class'::regclass::oid, r.ev_class
           from pg_rewrite r
          where g.classid = 'pg_rewrite'::regclass and r.oid = g.objid) x
)
select pg_describe_object(g.classid, g.objid, 0) collate "C" as name
  from gone g
 cross join our_schema p
 where case g.classid::regclass::text
            when 'pg_class' then exists (
                select from pg_class c
                 where c.oid = g.objid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
                   and c.oid not in (select oid from ours))
            when 'pg_constraint' then exists (
                select from pg_constraint k
                 where k.oid = g.objid and k.conrelid <> 0 and k.conrelid not in (select oid from ours))
            when 'pg_trigger' then exists (
                select from pg_trigger t
                 where t.oid = g.objid and not t.tgisinternal and t.tgrelid not in (select oid from ours))
            when 'pg_attrdef' then exists (
                select from pg_attrdef a where a.oid = g.objid and a.adrelid not in (select oid from ours))
            when 'pg_policy' then exists (
                select from pg_policy y where y.oid = g.objid and y.polrelid not in (select oid from ours))
            when 'pg_proc' then exists (
                select from pg_proc f
                 where f.oid = g.objid and (f.pronamespace <> p.schema or f.proowner <> p.owner))
            when 'pg_type' then exists (
                select from pg_type t
                 where t.oid = g.objid and t.typtype in ('d', 'e', 'r')
                   and (t.typnamespace <> p.schema or t.typowner <> p.owner))
            when 'pg_publication_rel' then true
            else false
       end
 order by 1
 limit 1000;

-- name: db_empty_schema
-- Drops what is in the schema of our tables, but for what belongs to an extension, and for the
-- tables and views of others that the setting cairn.others names, one a line; sequences of columns
-- go with their tables. Objects of others that depend on ours are dropped, too: see db_dependents.
do $$
declare
    schema_oid oid := (select relnamespace from pg_class where oid = to_regclass('schema_migration'));
    schema_name name := (select nspname from pg_namespace where oid = schema_oid);
    others text[] := string_to_array(current_setting('cairn.others'), E'\n');
    called text;
begin
    for called in
        select format('%s if exists %I.%I',
                      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
                                     when 'S' then 'sequence' else 'table' end,
                      schema_name, c.relname)
          from pg_class c
         where c.relnamespace = schema_oid and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
           and format('%I.%I', schema_name, c.relname) <> all (others)
           and not exists (select from pg_depend d
                            where d.classid = 'pg_class'::regclass and d.objid = c.oid
                              and c.relkind = 'S' and d.deptype in ('i', 'a'))
         union all
        select format('routine if exists %I.%I(%s)', schema_name, p.proname,
                      pg_get_function_identity_arguments(p.oid))
          from pg_proc p
         where p.pronamespace = schema_oid
           and not exists (select from pg_depend d
                            where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
         union all
        select format('type if exists %I.%I', schema_name, t.typname)
          from pg_type t
          left join pg_class c on c.oid = t.typrelid
         where t.typnamespace = schema_oid and (t.typtype in ('d', 'e', 'r') or c.relkind = 'c')
           and not exists (select from pg_depend d
                            where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')
    loop
        execute 'drop ' || called || ' cascade';
    end loop;
end
$$;

-- name: db_hold_snapshot
-- The snapshot of this transaction, for another program; and the size of the database then.
select pg_export_snapshot() as snapshot, pg_database_size(current_database()) as bytes;
