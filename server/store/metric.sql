-- Names of metrics, counted per project; append-only.

-- name: metric_list
select key_id, name from project_key where project_id = $1 and name = any($2);

-- name: metric_names
select key_id, name from project_key where project_id = $1 and key_id = any($2);

-- name: metric_ages
-- What the statistics of runs change with: rows that come, and branches.
select run_id, next_row, branch from run_hot where run_id = any($1) and project_id = $2;

-- name: metric_lock
select next_key from project where project_id = $1 for update;

-- name: metric_insert
insert into project_key (project_id, key_id, name)
select $1::int8, u.key_id, u.name from unnest($2::int4[], $3::text[]) as u (key_id, name);

-- name: metric_count
update project set next_key = $2 where project_id = $1;

-- name: metric_whole_list
select name, whole_name from project_key
 where project_id = $1 and name = any($2) and whole_name is not null;

-- name: metric_whole_save
update project_key k set whole_name = u.whole_name
  from unnest($2::text[], $3::text[]) as u (name, whole_name)
 where k.project_id = $1 and k.name = u.name and k.whole_name is null;
