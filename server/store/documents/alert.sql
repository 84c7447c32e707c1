-- Alerts of runs, and the queue of those to be sent to the webhook of their project.

-- name: alert_count
-- Numbers count from 1 and are not reused while the run exists. Under the run's lock.
update run_hot set alerts = $2 where run_id = $1;

-- name: alert_find_last
-- The last alert of the title that was not a repeat.
select number, created_at from run_alert
 where run_id = $1 and title = $2
 order by number desc
 limit 1;

-- name: alert_insert
insert into run_alert (run_id, number, title, text, level, writer, user_id, created_at, repeats,
                       repeated_at, delivery, tries, tried_at, status, fault, row_sum)
values ($1, $2, $3, $4, $5, nullif($6::int4, -1), nullif($7::int8, 0), $8, 0, null, $9, 0, null,
        null, '',
        hash_record_extended(row($1::int8, $2::int4, $3::text, $4::text, $5::int2, nullif($7::int8, 0),
             $8::timestamptz), 0)
         # hash_record_extended(row(nullif($6::int4, -1)), 1)
         # hash_record_extended(row(0::int8, null::timestamptz), 2)
         # hash_record_extended(row($9::int2, 0::int4, null::timestamptz, null::int4, ''::text), 3));

-- name: alert_repeat
update run_alert set repeats = repeats + 1, repeated_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(repeats, repeated_at), 2)
        # hash_record_extended(row(repeats + 1, $3::timestamptz), 2)
 where run_id = $1 and number = $2;

-- name: alert_list
select a.number, a.title, a.text, a.level, coalesce(a.writer, -1) as writer, w.label,
       u.name as user_name, a.created_at, a.repeats, a.repeated_at, a.delivery, a.tries,
       a.tried_at, d.due_at, coalesce(a.status, 0) as status, a.fault
  from run_alert a
  left join run_writer w on w.run_id = a.run_id and w.writer = a.writer and w.run_id = $1
  left join entity u on u.entity_id = a.user_id
  left join alert_delivery d on d.run_id = a.run_id and d.number = a.number
 where a.run_id = $1 and a.number > $2
 order by a.number
 limit $3;

-- name: alert_tried
-- The result of the last try.
update run_alert
   set delivery = $3, tries = $4, tried_at = $5, status = nullif($6::int4, 0), fault = $7,
       row_sum = row_sum
        # hash_record_extended(row(delivery, tries, tried_at, status, fault), 3)
        # hash_record_extended(row($3::int2, $4::int4, $5::timestamptz, nullif($6::int4, 0), $7::text), 3)
 where run_id = $1 and number = $2;

-- name: alert_delivery_insert
insert into alert_delivery (run_id, number, project_id, due_at, tries, row_sum)
values ($1, $2, $3, $4, 0,
        hash_record_extended(row($1::int8, $2::int4, $3::int8, $4::timestamptz, 0::int4), 0));

-- name: alert_delivery_take
-- Takes one that is due, of a project not among $3; no other server takes it before $2.
update alert_delivery
   set due_at = $2, tries = tries + 1,
       row_sum = coalesce(row_sum # hash_record_extended(row(run_id, number, project_id, due_at, tries), 0), 0)
        # hash_record_extended(row(run_id, number, project_id, $2::timestamptz, tries + 1), 0)
 where (run_id, number) = (select run_id, number
                             from alert_delivery
                            where due_at <= $1 and project_id <> all ($3::int8[])
                            order by due_at
                            limit 1
                              for update skip locked)
returning run_id, number, project_id, tries;

-- name: alert_delivery_end
-- Unless another server has taken it since.
delete from alert_delivery where run_id = $1 and number = $2 and tries = $3;

-- name: alert_delivery_put_off
update alert_delivery set due_at = $4,
       row_sum = coalesce(row_sum # hash_record_extended(row(run_id, number, project_id, due_at, tries), 0), 0)
        # hash_record_extended(row(run_id, number, project_id, $4::timestamptz, tries), 0)
 where run_id = $1 and number = $2 and tries = $3;

-- name: alert_delivery_hurry
-- The webhook was changed: waiting alerts are tried at once.
update alert_delivery set due_at = $2,
       row_sum = coalesce(row_sum # hash_record_extended(row(run_id, number, project_id, due_at, tries), 0), 0)
        # hash_record_extended(row(run_id, number, project_id, $2::timestamptz, tries), 0)
 where project_id = $1 and due_at > $2;

-- name: webhook_find
select url, secret, changed_at from project_webhook where project_id = $1;

-- name: webhook_save
insert into project_webhook (project_id, url, secret, changed_at, row_sum)
values ($1, $2, $3, $4,
        hash_record_extended(row($1::int8, $2::text, $3::bytea, $4::timestamptz), 0))
on conflict (project_id) do update
   set url = excluded.url, secret = excluded.secret, changed_at = excluded.changed_at,
       row_sum = excluded.row_sum;

-- name: webhook_remove
delete from project_webhook where project_id = $1;
