-- Sessions of users who signed in with a password.

-- name: session_insert
-- Only while the password that was checked is still the user's: a change of it ends all sessions,
-- and one that is being made must not slip through.
insert into account_session (token_hash, user_id, created_at, seen_at, ends_at, row_sum)
select $1, a.user_id, $3, $4, $5,
       hash_record_extended(row($1::bytea, a.user_id, $3::timestamptz), 0)
        # hash_record_extended(row($4::timestamptz, $5::timestamptz), 1)
  from account a
 where a.user_id = $2 and a.password_hash = $6 and a.disabled_at is null and not a.is_service
   for share;

-- name: session_find
-- The session's owner; no row if it has ended or its owner is disabled.
select s.user_id, e.name as user, a.is_admin, a.default_entity_id, s.created_at, s.seen_at, s.ends_at
  from account_session s
  join account a on a.user_id = s.user_id
  join entity e on e.entity_id = s.user_id
 where s.token_hash = $1 and s.ends_at > $2 and a.disabled_at is null;

-- name: session_list
-- A user's working sessions, the latest first. A part of the hash names them.
select encode(substr(s.token_hash, 1, 8), 'hex') as id, s.token_hash = $3 as is_current, s.created_at, s.seen_at, s.ends_at
  from account_session s
 where s.user_id = $1 and s.ends_at > $2
 order by s.seen_at desc, s.token_hash
 limit $4;

-- name: session_end_one
delete from account_session where user_id = $1 and encode(substr(token_hash, 1, 8), 'hex') = $2;

-- name: session_save
update account_session set seen_at = $2, ends_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(seen_at, ends_at), 1)
        # hash_record_extended(row($2::timestamptz, $3::timestamptz), 1)
 where token_hash = $1;

-- name: session_end
delete from account_session where token_hash = $1;

-- name: session_end_all
-- For one user.
delete from account_session where user_id = $1;

-- name: session_end_others
-- All of one user but this one.
delete from account_session where user_id = $1 and token_hash <> $2;

-- name: session_end_surplus
-- All but the user's newest.
delete from account_session
 where user_id = $1
   and token_hash not in (select s.token_hash
                            from account_session s
                           where s.user_id = $1
                           order by s.created_at desc, s.token_hash
                           limit $2);

-- name: session_purge
-- Some of those that have ended.
delete from account_session
 where token_hash in (select s.token_hash
                        from account_session s
                       where s.ends_at <= $1
                       order by s.ends_at
                       limit $2);
