-- Files of runs: names here, content in the folder of files.

-- name: file_content_claim
-- Before the content is put in its place: from here on no server deletes it before $3.
insert into file_content (content, size_bytes, look_at, row_sum)
values ($1, $2, $3,
        hash_record_extended(row($1::bytea, $2::int8, $3::timestamptz), 0))
on conflict (content) do update
   set look_at = greatest(file_content.look_at, excluded.look_at), size_bytes = excluded.size_bytes,
       row_sum = hash_record_extended(row(excluded.content, excluded.size_bytes,
            greatest(file_content.look_at, excluded.look_at)), 0);

-- name: file_content_look
-- Content that lost a name, perhaps its last. Locked in order, for other
-- transactions may lock some of the same.
with held as materialized (
	select content from file_content where content = any($1) order by content for update)
update file_content c
   set look_at = greatest(c.look_at, $2::timestamptz),
       row_sum = coalesce(c.row_sum # hash_record_extended(row(c.content, c.size_bytes, c.look_at), 0), 0)
        # hash_record_extended(row(c.content, c.size_bytes, greatest(c.look_at, $2::timestamptz)), 0)
  from held
 where c.content = held.content;

-- name: file_content_adopt
-- Adds content that is in the folder without a row.
insert into file_content (content, size_bytes, look_at, row_sum)
values ($1, $2, $3,
        hash_record_extended(row($1::bytea, $2::int8, $3::timestamptz), 0))
on conflict (content) do nothing;

-- name: file_content_due
select content, size_bytes from file_content where look_at <= $1 order by look_at limit $2;

-- name: file_content_lock
-- No row if another transaction holds it, or has claimed it since.
select content, size_bytes
  from file_content
 where content = $1 and look_at <= $2
   for update skip locked;

-- name: file_content_is_named
-- A separate statement, under the lock: the locking one may have read an old state.
select exists (select from run_file where content = $1)
    or exists (select from artifact_blob where content = $1)
    or exists (select from artifact_part where content = $1) as there;

-- name: file_content_settle
update file_content set look_at = null,
       row_sum = coalesce(row_sum # hash_record_extended(row(content, size_bytes, look_at), 0), 0)
        # hash_record_extended(row(content, size_bytes, null::timestamptz), 0)
 where content = $1;

-- name: file_content_delete
delete from file_content where content = $1;

-- name: file_content_list
select content, size_bytes from file_content where content > $1 order by content limit $2;

-- name: file_owner
-- The owner of the run, and the current role of the user $2, by the key $3 or the session $4 at $5:
-- for links, which name them. No row when the run is deleted.
select h.run_id, e.entity_id, e.name as entity, p.project_id, p.name as project, p.visibility,
       a.user_id is not null and (k.key_id is not null or s.there is not null) as is_known,
       coalesce(a.is_admin, false) as is_admin, coalesce(k.scope, 3::int2) as scope,
       case when e.entity_id = $2 then 3::int2 else coalesce(m.role, 0::int2) end as role
  from run_hot h
  join project p on p.project_id = h.project_id
  join entity e on e.entity_id = p.entity_id
  left join account a on a.user_id = $2 and a.disabled_at is null
  left join api_key k on k.key_id = $3 and k.user_id = $2 and k.revoked_at is null
  left join lateral (
       select true as there
         from account_session s
        where s.user_id = $2 and encode(substr(s.token_hash, 1, 8), 'hex') = $4 and s.ends_at > $5
        limit 1) s on true
  left join team_member m on m.team_id = e.entity_id and m.user_id = $2
 where h.run_id = $1 and h.deleted_at is null and p.deleted_at is null;

-- name: file_find
select f.name, f.size_bytes, f.md5, f.content, u.name as user_name, f.client, f.updated_at
  from run_file f
  left join entity u on u.entity_id = f.user_id
 where f.run_id = $1 and f.name = $2;

-- name: file_list
-- In byte order of their names; $2: after this one; $3: a LIKE pattern, null for all.
select f.name, f.size_bytes, f.md5, f.content, u.name as user_name, f.client, f.updated_at
  from run_file f
  left join entity u on u.entity_id = f.user_id
 where f.run_id = $1 and f.name > $2 and ($3::text is null or f.name like $3)
 order by f.name
 limit $4;

-- name: file_list_named
select f.name, f.size_bytes, f.md5, f.content, u.name as user_name, f.client, f.updated_at
  from run_file f
  left join entity u on u.entity_id = f.user_id
 where f.run_id = $1 and f.name = any($2)
 order by f.name;

-- name: file_list_folders
-- The names that other files have before a "/", each with a free name next
-- to it; null: there is none.
select n as name,
       (select n || repeat('_', k)
          from generate_series(1, 16) k
         where not exists (select from run_file f
                            where f.run_id = $1
                              and (f.name = n || repeat('_', k)
                                   or (f.name > n || repeat('_', k) || '/'
                                       and f.name < n || repeat('_', k) || '0')))
         order by k
         limit 1) as beside
  from unnest($2::text[]) n
 where exists (select from run_file f where f.run_id = $1 and f.name > n || '/' and f.name < n || '0');

-- name: file_sum
select count(*) as file_count, coalesce(sum(size_bytes), 0)::int8 as file_bytes
  from run_file
 where run_id = $1;

-- name: file_put
insert into run_file (run_id, name, size_bytes, md5, content, user_id, client, updated_at, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8,
        hash_record_extended(row($1::int8, $2::text, $3::int8, $4::bytea, $5::bytea, $6::int8, $7::text,
             $8::timestamptz), 0))
on conflict (run_id, name) do update
   set size_bytes = excluded.size_bytes, md5 = excluded.md5, content = excluded.content,
       user_id = excluded.user_id, client = excluded.client, updated_at = excluded.updated_at,
       row_sum = excluded.row_sum;

-- name: file_delete
delete from run_file where run_id = $1 and name = any($2) returning content, size_bytes;

-- name: file_purge
delete from run_file
 where run_id = $1
   and ctid = any (array(select ctid from run_file where run_id = $1
                          order by run_id, name limit $2))
returning content, size_bytes;

-- name: file_count
-- Under the run's lock.
update run_hot
   set file_count = file_count + $2::int8, file_bytes = file_bytes + $3::int8,
       size_bytes = size_bytes + $3::int8,
       row_sum = row_sum
        # hash_record_extended(row(size_bytes), 3)
        # hash_record_extended(row(size_bytes + $3::int8), 3)
 where run_id = $1;
