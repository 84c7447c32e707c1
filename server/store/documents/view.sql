-- Saved views of a project's runs (domain/view.h).

-- name: view_lock
select id from project_view where project_id = $1 and id = $2 for update;

-- name: view_find
-- A view of kind mine is visible only to its owner ($3); a draft made
-- before $4 has expired; $5: closed ones too.
select v.id, v.kind, v.name, v.owner_id, o.name as owner, v.state, v.version, v.created_at, v.changed_at,
       c.name as changed_by
  from project_view v
  left join entity o on o.entity_id = v.owner_id
  left join entity c on c.entity_id = v.changed_by
 where v.project_id = $1 and v.id = $2
   and (v.kind <> 1 or v.owner_id = $3) and (v.kind <> 4 or v.created_at > $4)
   and (not v.is_closed or $5::bool);

-- name: view_list
-- The default first; without their contents, and without drafts; $4: closed ones too.
select v.id, v.kind, v.name, v.owner_id, o.name as owner, ''::text as state, v.version, v.created_at, v.changed_at,
       c.name as changed_by
  from project_view v
  left join entity o on o.entity_id = v.owner_id
  left join entity c on c.entity_id = v.changed_by
 where v.project_id = $1 and v.kind in (1, 2, 3) and (v.kind <> 1 or v.owner_id = $2)
   and (not v.is_closed or $4::bool)
 order by v.kind desc, v.name collate "C", v.id
 limit $3;

-- name: view_count
-- $3: of one owner; 0: of all.
select count(*) as number
  from project_view
 where project_id = $1 and kind = $2 and ($3::int8 = 0 or owner_id = $3);

-- name: view_has_private_runs
select exists (select from run where project_id = $1 and visibility = 1) as there;

-- name: view_insert
-- No row if the id exists, or the project is deleted.
insert into project_view (project_id, id, kind, name, owner_id, state, version, created_at, changed_at, changed_by,
                          is_closed, row_sum)
select $1::int8, $2::text, $3::int2, $4::text, $5::int8, $6::text, 1, $7::timestamptz, $7::timestamptz, $5::int8,
       $8::bool,
       hash_record_extended(row($1::int8, $2::text, $7::timestamptz), 0)
        # hash_record_extended(row($3::int2, $4::text, $5::int8, $6::text, 1::int4, $7::timestamptz, $5::int8,
            $8::bool), 1)
  from project p
 where p.project_id = $1 and p.deleted_at is null
   for share of p
on conflict (project_id, id) do nothing;

-- name: view_save
update project_view
   set kind = $3, name = $4, owner_id = $5, state = $6, version = $7, changed_at = $8, changed_by = $9,
       is_closed = $10,
       row_sum = row_sum
        # hash_record_extended(row(kind, name, owner_id, state, version, changed_at, changed_by, is_closed), 1)
        # hash_record_extended(row($3::int2, $4::text, $5::int8, $6::text, $7::int4, $8::timestamptz, $9::int8,
            $10::bool), 1)
 where project_id = $1 and id = $2;

-- name: view_remove
delete from project_view where project_id = $1 and id = $2;

-- name: view_drop_drafts
-- All but the last $3 of one user in one project, without those that
-- another transaction is about to drop.
with old as materialized (
	select id
	  from project_view
	 where project_id = $1
	   and id in (select id
	                from project_view
	               where project_id = $1 and kind = 4 and owner_id = $2
	               order by created_at desc, id
	              offset $3)
	   for update skip locked)
delete from project_view v using old where v.project_id = $1 and v.id = old.id;

-- name: view_count_drafts
-- For one user, in all projects.
select count(*) as number from project_view where kind = 4 and owner_id = $1;

-- name: view_forget_drafts
-- Drops drafts made until $1, and all but the last $3 of each user; at most $2.
with old as materialized (
	select v.project_id, v.id
	  from (select project_id, id
	          from project_view
	         where kind = 4 and created_at <= $1
	         union
	        select d.project_id, d.id
	          from (select owner_id from project_view where kind = 4 group by owner_id having count(*) > $3) much
	         cross join lateral (select project_id, id
	                               from project_view
	                              where kind = 4 and owner_id = much.owner_id
	                              order by created_at desc, project_id, id
	                             offset $3) d) dropped
	  join project_view v on v.project_id = dropped.project_id and v.id = dropped.id
	 limit $2
	   for update of v skip locked)
delete from project_view v using old where v.project_id = old.project_id and v.id = old.id;
