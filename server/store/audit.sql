-- The audit log: written with what it tells of, read from its end.

-- name: audit_insert
insert into audit_entry (at, actor, way, key_id, address, action, entity, project, run, subject, detail)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- name: audit_list
-- The latest before ($9, $1), of which each text that is not empty holds; an action, or a kind of them. By the time first,
-- so that an index ends the walk at $2.
select a.audit_id, a.at, a.actor, a.way, a.key_id, a.address, a.action, a.entity, a.project, a.run, a.subject, a.detail
  from audit_entry a
 where (a.at, a.audit_id) < ($9::timestamptz, $1::int8) and a.at >= $2 and a.at < $3
   and ($4::text = '' or a.actor = $4) and ($5::text = '' or a.action = $5 or starts_with(a.action, $5 || '.'))
   and ($6::text = '' or a.entity = $6) and ($7::text = '' or a.project = $7)
 order by a.at desc, a.audit_id desc
 limit $8;

-- name: audit_forget
-- Some of what was written until $1.
delete from audit_entry
 where audit_id in (select a.audit_id
                      from audit_entry a
                     where a.at <= $1
                     order by a.at
                     limit $2
                       for update skip locked);
