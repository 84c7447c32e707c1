-- What belongs to the database as a whole.

-- name: server_now
-- The one clock that decides about runs and writers.
select clock_timestamp() + shift_us * interval '1 microsecond' as now
  from server_clock
 where id = 1;

-- name: server_setting_find
select value from server_setting where name = $1;

-- name: server_setting_insert
insert into server_setting (name, value) values ($1, $2) on conflict (name) do nothing;
