-- Moves a run to another project: its address there, and the numbers that keys have there.

-- name: move_come_back
-- The name that the run itself left there.
delete from run where project_id = $1 and run_id = $2 and moved_to is not null;

-- name: move_info
-- No row if the name is taken, be it by a deleted run. Its colour is chosen as that of a new one.
insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags,
                 visibility, color, expected_writers, created_by, created_at, edited_at, edited_by, sent, color_number,
                 row_sum)
select $2::int8, r.name, r.run_id, r.display_name, r.job_type, r.group_name, r.sweep, r.notes, r.tags,
       r.visibility, r.color, r.expected_writers, r.created_by, r.created_at,
       r.edited_at, r.edited_by, r.sent,
       n.color_number,
       hash_record_extended(row($2::int8, r.name, r.run_id, n.color_number, r.created_by, r.created_at), 0)
        # hash_record_extended(row(r.display_name, r.job_type, r.group_name, r.sweep, r.notes, r.tags, r.color,
            r.expected_writers), 1)
        # hash_record_extended(row(r.edited_at, r.edited_by), 2)
        # hash_record_extended(row(r.visibility), 3)
        # hash_record_extended(row(r.sent), 4)
        # hash_record_extended(row(null::text, null::int8), 5)
        # hash_record_extended(row(null::timestamptz, null::int2, null::int8, null::text), 6)
        # hash_record_extended(row(null::timestamptz, null::int8), 7)
  from run r
 cross join lateral (
       select coalesce(max(last.color_number) + 1, 0) as color_number
         from (select o.color_number from run o where o.project_id = $2 order by o.run_id desc limit 64) last) n
 where r.project_id = $1 and r.run_id = $3
on conflict (project_id, name) do nothing
returning run_id;

-- name: move_leave
-- The rest of it: its name, which is reserved for itself, who moved it, and where to.
update run
   set display_name = '', job_type = '', group_name = '', sweep = '', notes = '', tags = '[]',
       sent = null, color = null, expected_writers = null, deleted_at = $4, deleted_who = 3, deleted_by = nullif($5::int8, 0),
       delete_reason = $6, purged_at = $4, moved_to = $3,
       row_sum = row_sum
        # hash_record_extended(row(display_name, job_type, group_name, sweep, notes, tags, color,
            expected_writers), 1)
        # hash_record_extended(row(''::text, ''::text, ''::text, ''::text, ''::text, '[]'::jsonb, null::text,
            null::int4), 1)
        # hash_record_extended(row(sent), 4)
        # hash_record_extended(row(null::jsonb), 4)
        # hash_record_extended(row(deleted_at, deleted_who, deleted_by, delete_reason), 6)
        # hash_record_extended(row($4::timestamptz, 3::int2, nullif($5::int8, 0), $6::text), 6)
        # hash_record_extended(row(purged_at, moved_to), 7)
        # hash_record_extended(row($4::timestamptz, $3::int8), 7)
 where project_id = $1 and run_id = $2;

-- name: move_find_left
-- The row that a run left at the address it was moved away from; not that
-- of one brought back from here.
select run_id, deleted_at as moved_at
  from run
 where project_id = $1 and name = $2 and moved_to is not null and delete_reason = 'moved';

-- name: move_mark_left
-- A run is brought back to an address that it left at $2: addresses that it left since may not
-- bring it back in turn.
update run
   set delete_reason = 'brought back',
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, deleted_who, deleted_by, delete_reason), 6)
        # hash_record_extended(row(deleted_at, deleted_who, deleted_by, 'brought back'::text), 6)
 where run_id = $1 and moved_to is not null and delete_reason = 'moved' and deleted_at >= $2;

-- name: move_show_left
-- The artifacts of a run stay in its old projects, and are seen as the run is.
update run
   set visibility = $2,
       row_sum = row_sum
        # hash_record_extended(row(visibility), 3)
        # hash_record_extended(row($2::int2), 3)
 where run_id = $1 and moved_to is not null;

-- name: move_find_claim
-- When the run last left another entity than $2, whose admins may bring it back for a while.
select r.deleted_at as moved_at
  from run r
  join project p on p.project_id = r.project_id
 where r.run_id = $1 and r.moved_to is not null and r.delete_reason = 'moved' and p.entity_id <> $2
 order by r.deleted_at desc
 limit 1;

-- name: move_hot
-- Its size is measured again: key lists are of another length. $3: not
-- purged before; 'epoch': no such time.
update run_hot
   set project_id = $2, size_seq = -2, kept_until = greatest(kept_until, nullif($3::timestamptz, 'epoch'::timestamptz)),
       row_sum = row_sum
        # hash_record_extended(row(project_id, kept_until), 1)
        # hash_record_extended(row($2::int8, greatest(kept_until, nullif($3::timestamptz, 'epoch'::timestamptz))), 1)
        # hash_record_extended(row(size_seq), 4)
        # hash_record_extended(row(-2::int8), 4)
 where run_id = $1;

-- name: move_deliveries
update alert_delivery set project_id = $2,
       row_sum = coalesce(row_sum # hash_record_extended(row(run_id, number, project_id, due_at, tries), 0), 0)
        # hash_record_extended(row(run_id, number, $2::int8, due_at, tries), 0)
 where run_id = $1;

-- name: move_keys_of
-- The numbers of its keys, and how many chunks each has: of no more than
-- $2 chunks, for a run with so many is refused.
select c.key_id, count(*) as chunks
  from (select key_id from chunk where run_id = $1 limit $2) c
 group by c.key_id;

-- name: move_chunks_aside
-- Keys $2 get the numbers $3: first less than any key has, for one may get the number that another
-- one had. Values are stored out of line and are not written again.
update chunk c
   set key_id = -u.new_id
  from unnest($2::int4[], $3::int4[]) as u (old_id, new_id)
 where c.run_id = $1 and c.key_id = u.old_id;

-- name: move_chunks_home
update chunk set key_id = -key_id where run_id = $1 and key_id < 0;

-- name: move_keys_list
-- Key lists of the run after a position, some at a time.
select stream::int4 as part, writer, document
  from run_keys
 where run_id = $1 and (stream, writer) > ($2::int4, $3::int4)
 order by stream, writer
 limit $4;

-- name: move_keys_save
update run_keys k
   set document = u.document
  from unnest($2::int4[], $3::int4[], $4::bytea[]) as u (part, writer, document)
 where k.run_id = $1 and k.stream = u.part and k.writer = u.writer;

-- name: move_branch_keys_list
select number as part, writer, document
  from run_branch_keys
 where run_id = $1 and (number, writer) > ($2::int4, $3::int4)
 order by number, writer
 limit $4;

-- name: move_branch_keys_save
update run_branch_keys k
   set document = u.document
  from unnest($2::int4[], $3::int4[], $4::bytea[]) as u (part, writer, document)
 where k.run_id = $1 and k.number = u.part and k.writer = u.writer;
