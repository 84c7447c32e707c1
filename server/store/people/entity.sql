-- Users, teams and their members.

-- name: entity_insert
-- Changes nothing when the name is taken.
insert into entity (entity_id, name, kind, created_at, row_sum)
values ($1, $2, $3, $4,
        hash_record_extended(row($1::int8, $2::text, $3::int2, $4::timestamptz), 0)
         # hash_record_extended(row(null::int8), 1))
on conflict (name) do nothing;

-- name: entity_lock
select entity_id from entity where entity_id = $1 for update;

-- part: entity_members
-- A user is the only member of their own.
       case when e.kind = 2 then (select count(*) from team_member n where n.team_id = e.entity_id) else 1 end as members,

-- part: entity_usage
  left join lateral (
       select sum(s.size_bytes)::int8 as size_bytes,
              sum(case when p.deleted_at is null then s.deleted_bytes
                       else s.size_bytes end)::int8 as deleted_bytes
         from project p
         join project_usage s on s.project_id = p.project_id
        where p.entity_id = e.entity_id) u on true

-- name: entity_find
select e.entity_id, e.name, e.kind, 0::int2 as role, e.created_at,
-- use: entity_members
       coalesce(e.quota_bytes, -1::int8) as quota_bytes,
       coalesce(u.size_bytes, 0) as size_bytes, coalesce(u.deleted_bytes, 0) as deleted_bytes
  from entity e
-- use: entity_usage
 where e.name = $1;

-- name: entity_list
-- The entities that the user has a role in; all with $2. A user is admin (3) of their own. $4: those of the kind; 0: all.
select e.entity_id, e.name, e.kind,
       case when e.entity_id = $1 then 3::int2 else coalesce(m.role, 0::int2) end as role,
       e.created_at,
-- use: entity_members
       coalesce(e.quota_bytes, -1::int8) as quota_bytes,
       coalesce(u.size_bytes, 0) as size_bytes, coalesce(u.deleted_bytes, 0) as deleted_bytes
  from entity e
  left join team_member m on m.team_id = e.entity_id and m.user_id = $1
-- use: entity_usage
 where ($2 or e.entity_id = $1 or m.role is not null)
   and e.name collate "C" > $3 and ($4::int2 = 0 or e.kind = $4)
 order by e.name collate "C"
 limit $5;

-- name: team_list
select e.entity_id, e.name, e.created_at,
       (select count(*) from team_member m where m.team_id = e.entity_id) as members
  from entity e
 where e.kind = 2
 order by e.name collate "C"
 limit $1;

-- name: team_member_list
select e.name, m.role, m.created_at
  from team_member m
  join entity e on e.entity_id = m.user_id
 where m.team_id = $1 and e.name collate "C" > $2
 order by e.name collate "C"
 limit $3;

-- name: team_admin_there
-- Whether there is an admin who may sign in.
select exists (select from team_member m
                 join account a on a.user_id = m.user_id and a.disabled_at is null
                where m.team_id = $1 and m.role = 3) as there;

-- name: team_member_find
-- The user of this name, if both they and the user $3 are in the team, and may still sign in.
select m.user_id
  from entity e
  join team_member m on m.team_id = $1 and m.user_id = e.entity_id
  join account a on a.user_id = m.user_id and a.disabled_at is null
 where e.name = $2
   and exists (select from team_member s where s.team_id = $1 and s.user_id = $3);

-- name: team_member_save
insert into team_member (team_id, user_id, role, created_at, row_sum)
values ($1, $2, $3, $4,
        hash_record_extended(row($1::int8, $2::int8, $3::int2, $4::timestamptz), 0))
on conflict (team_id, user_id) do update set role = excluded.role,
       row_sum = coalesce(team_member.row_sum # hash_record_extended(row(team_member.team_id, team_member.user_id,
            team_member.role, team_member.created_at), 0), 0)
        # hash_record_extended(row(team_member.team_id, team_member.user_id, excluded.role,
            team_member.created_at), 0)
 where team_member.role <> excluded.role;

-- name: team_member_remove
delete from team_member where team_id = $1 and user_id = $2;

-- name: account_insert
insert into account (user_id, password_hash, is_admin, is_service, default_entity_id, disabled_at,
                     created_at, row_sum)
values ($1, null, $2, $3, $1, null, $4,
        hash_record_extended(row($1::int8, $2::bool, $3::bool, $4::timestamptz), 0)
         # hash_record_extended(row(null::text), 1)
         # hash_record_extended(row($1::int8), 2)
         # hash_record_extended(row(null::timestamptz), 3));

-- name: account_password
-- The password of a user who may sign in; no row for others.
select user_id, password_hash
  from account
 where user_id = (select e.entity_id from entity e where e.name = $1 and e.kind = 1)
   and password_hash is not null and disabled_at is null;

-- name: account_exists
-- Whether there is any.
select exists (select from account) as there;

-- part: account_rows
select a.user_id, e.name, a.is_admin, a.is_service, a.password_hash is not null as has_password,
       a.default_entity_id, d.name as default_entity, a.created_at, a.disabled_at
  from account a
  join entity e on e.entity_id = a.user_id
  join entity d on d.entity_id = a.default_entity_id

-- name: account_list
-- use: account_rows
 where e.name collate "C" > $1
 order by e.name collate "C"
 limit $2;

-- name: account_find
-- use: account_rows
 where e.name = $1;

-- part: account_seen
-- Accounts as admins of the server see them. seen_at: the last use of a key, or of a session that has not been deleted.
select a.user_id, e.name, a.is_admin, a.is_service, a.password_hash is not null as has_password, a.created_at, a.disabled_at,
       (select max(t.at)
          from (select max(k.last_used_at) as at from api_key k where k.user_id = a.user_id
                union all
                select max(s.seen_at) from account_session s where s.user_id = a.user_id) t) as seen_at,
       (select count(*) from api_key k where k.user_id = a.user_id and k.revoked_at is null) as keys,
       (select coalesce(json_agg(t.name order by t.name collate "C"), '[]')::text
          from team_member m
          join entity t on t.entity_id = m.team_id
         where m.user_id = a.user_id) as teams
  from account a
  join entity e on e.entity_id = a.user_id

-- name: account_seen_list
-- use: account_seen
 where e.name collate "C" > $1
 order by e.name collate "C"
 limit $2;

-- name: account_seen_find
-- use: account_seen
 where e.name = $1;

-- name: account_lock_admins
-- Changes of rights are serialised by the rows of all admins, which are locked before those of other users.
select a.user_id from account a where a.is_admin order by a.user_id for update;

-- name: account_other_admin
-- Whether another person than $1 is an admin of the server and can sign in or has a key.
select exists (select from account a
                where a.is_admin and not a.is_service and a.disabled_at is null and a.user_id <> $1
                  and (a.password_hash is not null
                       or exists (select from api_key k where k.user_id = a.user_id and k.revoked_at is null))) as there;

-- name: account_lock
select a.user_id from account a where a.user_id = $1 for update;

-- name: account_find_id
-- use: account_rows
 where a.user_id = $1;

-- name: account_save_admin
update account set is_admin = $2,
       row_sum = row_sum
        # hash_record_extended(row(user_id, is_admin, is_service, created_at), 0)
        # hash_record_extended(row(user_id, $2::bool, is_service, created_at), 0)
 where user_id = $1 and is_admin <> $2;

-- name: account_find_seen
-- The same, for the user $2: themselves, or a user who is in a team with them.
-- use: account_rows
 where e.name = $1
   and (a.user_id = $2
        or exists (select from team_member m
                     join team_member s on s.team_id = m.team_id and s.user_id = $2
                    where m.user_id = a.user_id));

-- name: account_disable
update account set disabled_at = $2,
       row_sum = row_sum
        # hash_record_extended(row(disabled_at), 3)
        # hash_record_extended(row($2::timestamptz), 3)
 where user_id = $1 and disabled_at is null;

-- name: account_enable
update account set disabled_at = null,
       row_sum = row_sum
        # hash_record_extended(row(disabled_at), 3)
        # hash_record_extended(row(null::timestamptz), 3)
 where user_id = $1 and disabled_at is not null;

-- name: account_save_password
update account set password_hash = $2,
       row_sum = row_sum
        # hash_record_extended(row(password_hash), 1)
        # hash_record_extended(row($2::text), 1)
 where user_id = $1;

-- name: account_change_password
-- While it is still the one that was read.
update account
   set password_hash = $3,
       row_sum = row_sum
        # hash_record_extended(row(password_hash), 1)
        # hash_record_extended(row($3::text), 1)
 where user_id = $1 and password_hash = $2 and disabled_at is null;

-- name: account_save_default
update account set default_entity_id = $2,
       row_sum = row_sum
        # hash_record_extended(row(default_entity_id), 2)
        # hash_record_extended(row($2::int8), 2)
 where user_id = $1;
