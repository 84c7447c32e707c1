-- One-time links: invitations, and links that set a password.

-- part: link_rows
select l.link_id, l.kind, coalesce(l.user_id, 0::int8) as user_id, coalesce(u.name, '') as user, l.is_admin,
       coalesce(l.team_id, 0::int8) as team_id, coalesce(t.name, '') as team, coalesce(l.role, 0::int2) as role, l.note,
       coalesce(l.made_by, 0::int8) as made_by, coalesce(m.name, '') as maker, l.created_at, l.ends_at
  from account_link l
  left join entity u on u.entity_id = l.user_id
  left join account ua on ua.user_id = l.user_id
  left join entity t on t.entity_id = l.team_id
  left join entity m on m.entity_id = l.made_by
  left join account ma on ma.user_id = l.made_by

-- part: link_works
-- It has not expired at $1, its user may sign in, and the admin who made it still is one.
 where l.ends_at > $1 and (l.user_id is null or ua.disabled_at is null)
   and (l.made_by is null or (ma.is_admin and ma.disabled_at is null))

-- name: link_list
-- use: link_rows
-- use: link_works
   and l.link_id > $2
 order by l.link_id
 limit $3;

-- name: link_find
-- use: link_rows
-- use: link_works
   and l.token_hash = $2;

-- name: link_find_id
-- use: link_rows
-- use: link_works
   and l.link_id = $2;

-- name: link_count
select count(*) as number
  from account_link l
  left join account ua on ua.user_id = l.user_id
  left join account ma on ma.user_id = l.made_by
-- use: link_works
;

-- name: link_insert
insert into account_link (link_id, kind, token_hash, user_id, is_admin, team_id, role, note, made_by, created_at, ends_at,
                          row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
        hash_record_extended(row($1::int8, $2::int2, $3::bytea, $4::int8, $5::bool, $6::int8, $7::int2, $8::text, $9::int8,
             $10::timestamptz, $11::timestamptz), 0));

-- name: link_remove
delete from account_link where link_id = $1;

-- name: link_remove_user
-- All that set the password of the user.
delete from account_link where user_id = $1;

-- name: link_remove_maker
-- All that the user made.
delete from account_link where made_by = $1;

-- name: link_remove_every
delete from account_link;

-- name: link_purge
-- Some of those that have expired.
delete from account_link
 where link_id in (select l.link_id from account_link l where l.ends_at <= $1 order by l.ends_at limit $2
                    for update skip locked);
