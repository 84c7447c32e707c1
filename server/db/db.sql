-- What the library itself asks, where a string of SQL would not do.

-- name: db_begin
begin;

-- name: db_limits
select set_config('statement_timeout', $1, true),
       set_config('lock_timeout', $2, true),
       set_config('idle_in_transaction_session_timeout', $3, true);

-- name: db_commit
commit;

-- name: db_notify
select pg_notify($1, $2);
