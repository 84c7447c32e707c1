-- Names of metrics and their numbers, which are never reused.

-- name: metric_list
-- ahead: worker
select key_id, name, unused_at from project_key where project_id = $1 and name = any($2);

-- name: metric_names
select key_id, name, unused_at from project_key where project_id = $1 and key_id = any($2);

-- name: metric_ages
-- The versions of runs' statistics: they change with new rows, and with branches.
select run_id, next_row, branch from run_hot where run_id = any($1) and project_id = $2;

-- name: metric_lock
-- ahead: flusher
select next_key, key_count from project where project_id = $1 for update;

-- name: metric_brought
-- How many names of the project the run brought after a time.
select count(*) as number from project_key where project_id = $1 and run_id = $2 and made_at > $3;

-- name: metric_insert
-- ahead: flusher
insert into project_key (project_id, key_id, name, run_id, made_at, row_sum)
select $1::int8, u.key_id, u.name, nullif($4::int8, 0), $5::timestamptz,
       hash_record_extended(row($1::int8, u.key_id, u.name, nullif($4::int8, 0), $5::timestamptz), 0)
        # hash_record_extended(row(null::text), 1)
        # hash_record_extended(row(null::timestamptz), 2)
  from unnest($2::int4[], $3::text[]) as u (key_id, name);

-- name: metric_count
update project set next_key = $2, key_count = $3,
       row_sum = row_sum
        # hash_record_extended(row(next_key), 6)
        # hash_record_extended(row($2::int4), 6)
 where project_id = $1;

-- name: metric_use
-- Marks these names as used again.
update project_key k
   set unused_at = null,
       row_sum = k.row_sum
        # hash_record_extended(row(k.unused_at), 2)
        # hash_record_extended(row(null::timestamptz), 2)
  from unnest($2::int4[]) as u (key_id)
 where k.project_id = $1 and k.key_id = u.key_id and k.unused_at is not null;

-- name: metric_used
-- How many of these numbers have a name that is not marked as unused.
select count(*) as number
  from project_key k
  join unnest($2::int4[]) as u (key_id) on u.key_id = k.key_id
 where k.project_id = $1 and k.unused_at is null;

-- name: metric_due_list
select project_id from project where names_at <= $1 and purged_at is null order by names_at limit $2;

-- name: metric_due_take
-- Another server takes the project only if this one has not finished by $3.
update project set names_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(names_at), 7)
        # hash_record_extended(row($3::timestamptz), 7)
 where project_id = $1 and names_at <= $2;

-- name: metric_due_next
-- Sets the next check to $3 (null: none), unless a run left the project
-- since metric_due_take set names_at to $2.
update project set names_at = nullif($3::timestamptz, 'epoch'::timestamptz),
       row_sum = row_sum
        # hash_record_extended(row(names_at), 7)
        # hash_record_extended(row(nullif($3::timestamptz, 'epoch'::timestamptz)), 7)
 where project_id = $1 and names_at = $2;

-- name: metric_look
-- A run has left the project, and perhaps names that no other run has: checked now, or, if it was
-- checked before, within an hour, so that a project that loses run after run is not read all the
-- time. The microsecond makes a check in progress (metric_due_next) see that it has to run again.
update project set names_at = case when names_at is null then $2
                                else least(names_at, $2 + interval '1 hour') + interval '1 microsecond' end,
       row_sum = row_sum
        # hash_record_extended(row(names_at), 7)
        # hash_record_extended(row(case when names_at is null then $2::timestamptz
                                      else least(names_at, $2 + interval '1 hour') + interval '1 microsecond' end), 7)
 where project_id = $1 and (names_at is null or names_at > $2);

-- name: metric_runs
select run_id from run where project_id = $1 and run_id > $2 and purged_at is null order by run_id limit $3;

-- name: metric_mark
-- $2: the numbers that runs have, $3: when they began to be read. Later names are not judged.
update project_key k
   set unused_at = $3,
       row_sum = k.row_sum
        # hash_record_extended(row(k.unused_at), 2)
        # hash_record_extended(row($3::timestamptz), 2)
 where k.project_id = $1 and k.made_at < $3 and k.unused_at is null
   and not exists (select from unnest($2::int4[]) as u (key_id) where u.key_id = k.key_id);

-- name: metric_delete
-- Drops some of the names that were unused before $2 and still are.
with gone as (
	delete from project_key
	 where project_id = $1
	   and ctid = any (array(select ctid from project_key
	                          where project_id = $1 and unused_at <= $2::timestamptz
	                          order by key_id limit $3))
	returning key_id)
update project set key_count = key_count - (select count(*) from gone)::int4 where project_id = $1
returning (select count(*) from gone) as number;

-- name: metric_unused_since
-- The time since which the longest unused name has been so; epoch: there is none.
select coalesce(min(unused_at), 'epoch'::timestamptz) as at from project_key where project_id = $1;

-- name: metric_whole_list
select name, whole_name from project_key
 where project_id = $1 and name = any($2) and whole_name is not null;

-- name: metric_whole_save
update project_key k set whole_name = u.whole_name,
       row_sum = k.row_sum
        # hash_record_extended(row(k.whole_name), 1)
        # hash_record_extended(row(u.whole_name), 1)
  from unnest($2::text[], $3::text[]) as u (name, whole_name)
 where k.project_id = $1 and k.name = u.name and k.whole_name is null;
