-- Changes among the runs of a project, for clients that watch all of them.

-- name: watch_running
-- The newest running runs, in order.
select run_id, rows, event_rows, last_step, heard_at
  from (select run_id, next_row - hidden_rows as rows, next_event as event_rows, last_step, heard_at
          from run_hot
         where project_id = $1 and state in (1, 7) and deleted_at is null
         order by run_id desc
         limit $2) newest
 order by run_id;

-- name: watch_changed
-- Runs whose document was changed after $2, up to $3.
select run_id, change, shown
  from run_document
 where project_id = $1 and change > $2 and change <= $3
 order by change
 limit $4;

-- name: watch_names
select run_id, name, visibility, deleted_at is not null as deleted
  from run
 where project_id = $1 and run_id = any($2)
 order by run_id;

-- name: watch_named
select run_id, name, visibility, deleted_at is not null as deleted
  from run
 where project_id = $1 and name = any($2) and deleted_at is null;
