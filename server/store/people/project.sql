-- Projects, and the targets of requests' paths.

-- name: target_find
-- ahead: worker
-- $1: the caller (0: not signed in). A user is admin (3) of their own entity. An entity that owns
-- something public is visible itself.
select e.entity_id, e.kind as entity_kind,
       case when e.entity_id = $1 then 3::int2 else coalesce(m.role, 0::int2) end as role,
       $3 = '' and exists (select from project o
                            where o.entity_id = e.entity_id and o.visibility = 2
                              and o.deleted_at is null) as owns_public,
       p.project_id, p.visibility, p.crash_after_s,
       p.deleted_at is not null as project_deleted
  from entity e
  left join team_member m on m.team_id = e.entity_id and m.user_id = $1
  left join project p on p.entity_id = e.entity_id and p.name = $3
 where e.name = $2;

-- name: target_find_run
-- ahead: worker
-- A run that was moved to another project has only its name here.
select case when moved_to is null then run_id else 0::int8 end as run_id, visibility,
       deleted_at is not null as deleted, moved_to is not null as moved
  from run
 where project_id = $1 and name = $2;

-- name: project_insert
-- Changes nothing when the name is taken, be it by a deleted project.
insert into project (project_id, entity_id, name, description, visibility, crash_after_s, next_key,
                     created_at, keep_finished_days, keep_failed_days, keep_crashed_days,
                     keep_killed_days, retain_at, directions, quota_bytes, row_sum)
values ($1, $2, $3, $4, $5, $6, 1, $7, $8, $9, $10, $11,
        case when $8::int4 + $9::int4 + $10::int4 + $11::int4 > 0 then $7::timestamptz end, $12, nullif($13::int8, 0),
        hash_record_extended(row($1::int8, $2::int8, $3::text, $7::timestamptz), 0)
         # hash_record_extended(row($4::text), 1)
         # hash_record_extended(row($5::int2, $6::int4, $8::int4, $9::int4, $10::int4, $11::int4, $12::text,
             nullif($13::int8, 0)), 2)
         # hash_record_extended(row(case when $8::int4 + $9::int4 + $10::int4 + $11::int4 > 0 then $7::timestamptz end), 3)
         # hash_record_extended(row(null::timestamptz, null::timestamptz), 4)
         # hash_record_extended(row(null::timestamptz), 5)
         # hash_record_extended(row(1::int4), 6)
         # hash_record_extended(row(null::timestamptz), 7))
on conflict (entity_id, name) do nothing;

-- part: project_columns
select p.project_id, p.entity_id, e.name as entity, p.name, p.description, p.visibility,
       p.crash_after_s, p.keep_finished_days, p.keep_failed_days, p.keep_crashed_days,
       p.keep_killed_days, coalesce(p.quota_bytes, 0::int8) as quota_bytes,

-- part: project_listed
-- Lists omit the directions, since those of many projects may be large.
-- use: project_columns
       '' as directions, p.created_at, p.deleted_at, p.purge_at,
       coalesce(u.size_bytes, 0) as size_bytes, coalesce(u.deleted_bytes, 0) as deleted_bytes,

-- part: project_tables
  from project p
  join entity e on e.entity_id = p.entity_id
  left join project_usage u on u.project_id = p.project_id

-- name: project_get
-- The caller decides whether to report what the runs use.
-- use: project_columns
       p.directions, p.created_at, p.deleted_at, p.purge_at,
       coalesce(u.size_bytes, 0) as size_bytes, coalesce(u.deleted_bytes, 0) as deleted_bytes,
       true as tells_usage
-- use: project_tables
 where p.project_id = $1 and p.deleted_at is null;

-- name: project_lock
select project_id from project where project_id = $1 for update;

-- name: project_hold
-- Waits for a delete of the project in progress, and blocks the next one.
select project_id from project where project_id = $1 and deleted_at is null for share;

-- name: project_save
-- Retention runs at once if it was changed ($9: the clock).
update project
   set description = $2, visibility = $3, crash_after_s = $4, keep_finished_days = $5,
       keep_failed_days = $6, keep_crashed_days = $7, keep_killed_days = $8, directions = $10,
       quota_bytes = nullif($11::int8, 0),
       retain_at = case when $5::int4 + $6::int4 + $7::int4 + $8::int4 = 0 then null
                        when (keep_finished_days, keep_failed_days, keep_crashed_days,
                              keep_killed_days) = ($5::int4, $6::int4, $7::int4, $8::int4)
                        then retain_at
                        else $9::timestamptz end,
       row_sum = row_sum
        # hash_record_extended(row(description), 1)
        # hash_record_extended(row($2::text), 1)
        # hash_record_extended(row(visibility, crash_after_s, keep_finished_days, keep_failed_days, keep_crashed_days,
            keep_killed_days, directions, quota_bytes), 2)
        # hash_record_extended(row($3::int2, $4::int4, $5::int4, $6::int4, $7::int4, $8::int4, $10::text,
            nullif($11::int8, 0)), 2)
        # hash_record_extended(row(retain_at), 3)
        # hash_record_extended(row(
            case when $5::int4 + $6::int4 + $7::int4 + $8::int4 = 0 then null
                 when (keep_finished_days, keep_failed_days, keep_crashed_days,
                       keep_killed_days) = ($5::int4, $6::int4, $7::int4, $8::int4)
                 then retain_at
                 else $9::timestamptz end), 3)
 where project_id = $1 and deleted_at is null;

-- name: project_list_of
-- $2: private projects too.
-- use: project_listed
       $2::bool as tells_usage
-- use: project_tables
 where p.entity_id = $1 and p.deleted_at is null and ($2 or p.visibility = 2)
   and p.name collate "C" > $3
 order by p.name collate "C"
 limit $4;

-- name: project_list_visible
-- ahead: worker
-- The projects that the user may see; all projects with $2.
-- use: project_listed
       ($2 or p.entity_id = $1 or m.role is not null) as tells_usage
-- use: project_tables
  left join team_member m on m.team_id = p.entity_id and m.user_id = $1
 where p.deleted_at is null
   and ($2 or p.visibility = 2 or p.entity_id = $1 or m.role is not null)
   and (e.name collate "C", p.name collate "C") > ($3, $4)
 order by e.name collate "C", p.name collate "C"
 limit $5;

-- name: project_list_deleted
-- The projects of an entity that can be restored.
-- use: project_listed
       true as tells_usage
-- use: project_tables
 where p.entity_id = $1 and p.deleted_at is not null and p.purge_at > $2 and p.purged_at is null
   and p.name collate "C" > $3
 order by p.name collate "C"
 limit $4;

-- name: project_activity
-- For the projects $1, in their order: how many runs there are and are running, at most $4 of each,
-- and when a process last sent: in running ones, in the newest, or in one that was measured since.
-- Only for projects that the user $2 sees whole; all with $3.
select coalesce($3 or p.entity_id = $2 or m.role is not null, false) as is_told,
       there.runs, running.runs as running,
       greatest(running.heard_at, newest.heard_at, u.heard_at) as heard_at
  from unnest($1::int8[]) with ordinality as a (project_id, n)
  left join project p on p.project_id = a.project_id
  left join team_member m on m.team_id = p.entity_id and m.user_id = $2
  left join project_usage u on u.project_id = a.project_id
 cross join lateral (
       select count(*) as runs
         from (select from run r where r.project_id = a.project_id and r.deleted_at is null limit $4) r) there
 cross join lateral (
       select count(*) as runs, max(h.heard_at) as heard_at
         from (select h.heard_at
                 from run_hot h
                where h.project_id = a.project_id and h.state in (1, 7) and h.deleted_at is null
                limit $4) h) running
  left join lateral (
       select h.heard_at from run_hot h where h.project_id = a.project_id order by h.run_id desc limit 1) newest on true
 order by a.n;
