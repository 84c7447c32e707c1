-- The audit log: written with the actions it records, read from its end.

-- name: audit_insert
insert into audit_entry (at, actor, way, key_id, address, action, entity, project, run, subject, detail,
                         row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
        hash_record_extended(row($1::timestamptz, $2::text, $3::int2, $4::int8, $5::text, $6::text, $7::text,
             $8::text, $9::text, $10::text, $11::text), 0));

-- part: audit_asked
-- The latest before ($9, $1) that match each text that is not empty; an action, or a kind of them.
-- By the time first, so that an index ends the walk at $2.
select a.audit_id, a.at, a.actor, a.way, a.key_id, a.address, a.action, a.entity, a.project, a.run, a.subject, a.detail
  from audit_entry a
 where (a.at, a.audit_id) < ($9::timestamptz, $1::int8) and a.at >= $2 and a.at < $3
   and ($4::text = '' or a.actor = $4) and ($5::text = '' or a.action = $5 or starts_with(a.action, $5 || '.'))
   and ($6::text = '' or a.entity = $6) and ($7::text = '' or a.project = $7)

-- part: audit_order
 order by a.at desc, a.audit_id desc
 limit $8;

-- name: audit_list
-- use: audit_asked
-- use: audit_order

-- name: audit_list_actor
-- use: audit_asked
   and a.actor = $4
-- use: audit_order

-- name: audit_list_entity
-- use: audit_asked
   and a.entity = $6
-- use: audit_order

-- name: audit_list_project
-- use: audit_asked
   and a.project = $7
-- use: audit_order

-- name: audit_forget
-- Some of the entries until $1.
delete from audit_entry
 where audit_id in (select a.audit_id
                      from audit_entry a
                     where a.at <= $1
                     order by a.at
                     limit $2
                       for update skip locked);

-- name: audit_forget_surplus
-- Some of the oldest, while there are more than $1 ids; unused ids count as well.
delete from audit_entry
 where audit_id in (select a.audit_id
                      from audit_entry a
                     where a.audit_id <= (select max(last.audit_id) from audit_entry last) - $1
                     order by a.audit_id
                     limit $2
                       for update skip locked);
