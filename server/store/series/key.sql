-- API keys, and the owners of requests.

-- name: key_insert
-- Changes nothing if the same key exists already.
insert into api_key (key_id, user_id, key_hash, head, hint, name, scope, created_at, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8,
        hash_record_extended(row($1::int8, $2::int8, $3::bytea, $4::text, $5::text, $6::text, $7::int2,
             $8::timestamptz), 0)
         # hash_record_extended(row(null::timestamptz), 1))
on conflict (key_hash) do nothing;

-- name: key_list
-- For one user, or for all with 0.
select k.key_id, k.user_id, e.name as user, k.name, k.head, k.hint, k.scope, k.created_at, k.last_used_at,
       k.last_address, k.revoked_at
  from api_key k
  join entity e on e.entity_id = k.user_id
 where ($1::int8 = 0 or k.user_id = $1)
 order by e.name collate "C", k.key_id
 limit $2;

-- name: key_list_own
-- The working keys of a user.
select k.key_id, k.user_id, e.name as user, k.name, k.head, k.hint, k.scope, k.created_at, k.last_used_at,
       k.last_address, k.revoked_at
  from api_key k
  join entity e on e.entity_id = k.user_id
 where k.user_id = $1 and k.key_id > $2 and k.revoked_at is null
 order by k.key_id
 limit $3;

-- name: key_count
select count(*) as number from api_key where user_id = $1 and revoked_at is null;

-- name: key_revoke_own
update api_key set revoked_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(revoked_at), 1)
        # hash_record_extended(row($3::timestamptz), 1)
 where user_id = $1 and key_id = $2 and revoked_at is null;

-- name: key_revoke
update api_key set revoked_at = coalesce(revoked_at, $2),
       row_sum = row_sum
        # hash_record_extended(row(revoked_at), 1)
        # hash_record_extended(row(coalesce(revoked_at, $2)), 1)
 where key_id = $1;

-- name: key_find_owner
-- ahead: worker
-- The owner of this key; no row if it was revoked or its owner is disabled.
select k.key_id, k.scope, k.user_id, e.name as user, a.is_admin, a.is_service, a.default_entity_id,
       k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '1 minute' as stale
  from api_key k
  join account a on a.user_id = k.user_id
  join entity e on e.entity_id = k.user_id
 where k.key_hash = $1 and k.revoked_at is null and a.disabled_at is null;

-- name: key_touch
-- The last use, to the minute, and its address ($2).
update api_key
   set last_used_at = clock_timestamp(), last_address = $2
 where key_id = $1
   and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute');
