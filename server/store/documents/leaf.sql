-- The merged documents of runs, leaf by leaf.

-- name: leaf_find
-- One lookup in the primary key for each, whatever the planner's estimates.
select l.path, l.writer, l.shared, l.value
  from unnest($3::bytea[]) as u (place)
 cross join lateral (
       select path, writer, shared, value
         from run_leaf
        where run_id = $1 and kind = $2 and place = u.place
       offset 0) l
 order by l.path;

-- name: leaf_list
-- The whole document, in its order; objects only by their leaves.
select path, writer, shared, value
  from run_leaf
 where run_id = $1 and kind = $2 and value is not null
 order by path;

-- name: leaf_definitions
-- The part of configs below "_wandb", where definitions of metrics are, in its order; before it,
-- without a path, the users' edits of it. For runs after $2, by run_id, as long as those before
-- take no more than $3 bytes.
select d.run_id, d.path, d.value
  from (select s.run_id, s.path, s.value,
               sum(octet_length(s.value)) over (order by s.run_id groups between unbounded preceding and 1 preceding) as before
          from (select l.run_id, l.path, l.value
                  from run_leaf l
                 where l.run_id = any($1::int8[]) and l.run_id > $2::int8 and l.kind = 1 and l.value is not null
                   and (l.path = '\x5f77616e6462' or (l.path >= '\x5f77616e646200' and l.path < '\x5f77616e646201'))
                union all
                select o.run_id, ''::bytea, (o.patch::json -> '_wandb')::text
                  from run_overlay o
                 where o.run_id = any($1::int8[]) and o.run_id > $2::int8 and o.kind = 1
                   and (o.patch::json -> '_wandb') is not null) s) d
 where coalesce(d.before, 0) <= $3::int8
 order by d.run_id, d.path;

-- name: leaf_heir
-- The other writer that has the path now, and its value: the newest
-- document with the path. All its rows are of a config whose writers agree
-- on what is an object, so the path leads only through objects.
select u.number, c.writer, c.value
  from unnest($3::int4[], $4::text[]) as u (number, path)
 cross join lateral (
       select o.writer,
              (o.document::json #> array(select json_array_elements_text(u.path::json)))::text as value
         from run_config o
        where o.run_id = $1 and o.writer <> $2
          and o.document::json #> array(select json_array_elements_text(u.path::json)) is not null
        order by o.seq desc
        limit 1) c;

-- name: leaf_save
insert into run_leaf (run_id, kind, place, path, writer, shared, value, row_sum)
select $1::int8, $2::int2, u.place, u.path, u.writer, u.shared, u.value,
       hash_record_extended(row($1::int8, $2::int2, u.place, u.path, u.writer, u.shared, u.value), 0)
  from unnest($3::bytea[], $4::bytea[], $5::int4[], $6::bool[], $7::text[])
       as u (place, path, writer, shared, value)
on conflict (run_id, kind, place) do update
   set writer = excluded.writer, shared = excluded.shared, value = excluded.value,
       row_sum = excluded.row_sum;

-- name: leaf_drop
delete from run_leaf where run_id = $1 and kind = $2 and place = any($3);

-- name: leaf_drop_all
delete from run_leaf where run_id = $1 and kind = $2;

-- name: merged_find
select value_count, size_bytes, path_bytes, tangled
  from run_merged
 where run_id = $1 and kind = $2;

-- name: merged_save
insert into run_merged (run_id, kind, value_count, size_bytes, path_bytes, tangled, row_sum)
values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::int2, $3::int8, $4::int8, $5::int8, $6::bool), 0))
on conflict (run_id, kind) do update
   set value_count = excluded.value_count, size_bytes = excluded.size_bytes,
       path_bytes = excluded.path_bytes, tangled = excluded.tangled,
       row_sum = excluded.row_sum;
