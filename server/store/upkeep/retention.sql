-- Projects that do not keep all runs, and their runs that have expired.

-- name: retention_take
-- Takes a project that is due for a check, and sets the next time: until
-- then other servers leave it alone.
update project
   set retain_at = $2,
       row_sum = row_sum
        # hash_record_extended(row(retain_at), 3)
        # hash_record_extended(row($2::timestamptz), 3)
 where project_id = (select project_id
                       from project
                      where retain_at <= $1 and deleted_at is null
                      order by retain_at
                      limit 1
                        for update skip locked)
returning project_id;

-- name: retention_runs
-- The runs after $2 that ended in such a state before then, by run_id; the
-- rule decides again, under the lock.
select run_id
  from run_hot
 where project_id = $1 and run_id > $2 and deleted_at is null
   and ((state = 2 and ended_at <= $3) or (state = 3 and ended_at <= $4)
        or (state in (4, 8) and ended_at <= $5) or (state = 5 and ended_at <= $6))
 order by run_id
 limit $7;
