-- Statements of the tests of the database library.

-- name: t_types
select $1::boolean as yes, $2::smallint as small, $3::integer as middle, $4::bigint as big,
       $5::double precision as real, $6::text as text, $7::bytea as bytes, $8::jsonb as json,
       $9::timestamptz as time;

-- name: t_arrays
select array_to_json($1::boolean[])::text as yes, array_to_json($2::smallint[])::text as small,
       array_to_json($3::integer[])::text as middle, array_to_json($4::bigint[])::text as big,
       array_to_json($5::float8[])::text as real, array_to_json($6::text[]) as text,
       $7::bytea[]::text as bytes, array_to_json($8::jsonb[])::text as json,
       array_to_json(array(select extract(epoch from t) from unnest($9::timestamptz[]) t))::text
         as time;

-- name: t_rows
select i as number, case when i % 2 = 0 then 'row ' || i end as name
  from generate_series(1, $1::integer) as i;

-- name: t_wrong_type
select 1::bigint as number, 'x'::text as name;

-- name: t_missing_column
select 1 as number;

-- name: t_null
select null::integer as number, 'x'::text as name;

-- name: t_bad_syntax
selec 1;

-- name: t_insert
insert into t (id, name) values ($1, $2);

-- name: t_update
update t set name = $1 where id = any($2);

-- name: t_list
select id as number, name from t order by id;

-- name: t_lock
select id as number, name from t where id = $1 for update;

-- name: t_divide
select 1 / $1::integer as number, 'x'::text as name;

-- name: t_sleep
select pg_sleep($1);

-- name: t_sleepers
select count(*)::integer as number, ''::text as name
  from pg_stat_activity
 where query like '%pg_sleep(%' and state = 'active' and pid <> pg_backend_pid();

-- name: t_pid
select pg_backend_pid() as number, ''::text as name;

-- name: t_prepared
-- Statements that the session has a plan of, by the beginning of their names.
select generic_plans::integer as number, name
  from pg_prepared_statements
 where starts_with(name, $1::text) and generic_plans > 0
 order by name;

-- name: t_jit
select 0 as number, current_setting('jit') as name;

-- name: t_kill
select pg_terminate_backend($1::integer);

-- name: t_idle_limit
select 1 as number,
       current_setting('idle_in_transaction_session_timeout') || ' ' ||
       current_setting('statement_timeout') || ' ' || current_setting('lock_timeout') as name;

-- name: t_isolation
select 1 as number, current_setting('transaction_isolation') as name;
