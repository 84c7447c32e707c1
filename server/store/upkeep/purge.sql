-- The data of deleted runs and projects is purged: table by table, in
-- portions, each a transaction that holds the run's lock. A portion is
-- found by its place, in the order of the key: no other plan is cheap.

-- name: purge_list
-- Runs whose grace period is over, the longest first; not those that another entity may bring back.
select run_id, project_id
  from run_hot
 where purge_at <= $1 and (kept_until is null or kept_until <= $1)
 order by purge_at
 limit $2;

-- name: purge_begin
-- Due from now on, wherever the clock goes: half a run cannot be restored.
update run_hot set purging = true, purge_at = 'epoch',
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at, purging), 2)
        # hash_record_extended(row(deleted_at, 'epoch'::timestamptz, true), 2)
 where run_id = $1;

-- name: purge_chunk
delete from chunk
 where run_id = $1
   and ctid = any (array(select ctid from chunk where run_id = $1
                          order by run_id, stream, key_id, kind, writer, index_first limit $2));

-- name: purge_console_chunk
delete from console_chunk
 where run_id = $1
   and ctid = any (array(select ctid from console_chunk where run_id = $1
                          order by run_id, writer, line_first limit $2));

-- name: purge_keys
delete from run_keys
 where run_id = $1
   and ctid = any (array(select ctid from run_keys where run_id = $1
                          order by run_id, stream, writer limit $2));

-- name: purge_leaf
delete from run_leaf
 where run_id = $1
   and ctid = any (array(select ctid from run_leaf where run_id = $1
                          order by run_id, kind, place limit $2));

-- name: purge_merged
delete from run_merged
 where run_id = $1
   and ctid = any (array(select ctid from run_merged where run_id = $1
                          order by run_id, kind limit $2));

-- name: purge_config
delete from run_config
 where run_id = $1
   and ctid = any (array(select ctid from run_config where run_id = $1
                          order by run_id, writer limit $2));

-- name: purge_sent
delete from run_sent
 where run_id = $1
   and ctid = any (array(select ctid from run_sent where run_id = $1
                          order by run_id, writer limit $2));

-- name: purge_overlay
delete from run_overlay
 where run_id = $1
   and ctid = any (array(select ctid from run_overlay where run_id = $1
                          order by run_id, kind limit $2));

-- name: purge_conflict
delete from run_conflict
 where run_id = $1
   and ctid = any (array(select ctid from run_conflict where run_id = $1
                          order by run_id, kind, key limit $2));

-- name: purge_unread
delete from run_unread
 where run_id = $1
   and ctid = any (array(select ctid from run_unread where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_left_out
delete from run_left_out
 where run_id = $1
   and ctid = any (array(select ctid from run_left_out where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_alert
delete from run_alert
 where run_id = $1
   and ctid = any (array(select ctid from run_alert where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_alert_delivery
delete from alert_delivery
 where run_id = $1
   and ctid = any (array(select ctid from alert_delivery where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_idempotency
delete from run_idempotency
 where run_id = $1
   and ctid = any (array(select ctid from run_idempotency where run_id = $1
                          order by run_id, key limit $2));

-- name: purge_state
delete from run_state
 where run_id = $1
   and ctid = any (array(select ctid from run_state where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_writer
delete from run_writer
 where run_id = $1
   and ctid = any (array(select ctid from run_writer where run_id = $1
                          order by run_id, writer limit $2));

-- name: purge_branch
delete from run_branch
 where run_id = $1
   and ctid = any (array(select ctid from run_branch where run_id = $1
                          order by run_id, number limit $2));

-- name: purge_branch_keys
delete from run_branch_keys
 where run_id = $1
   and ctid = any (array(select ctid from run_branch_keys where run_id = $1
                          order by run_id, number, writer limit $2));

-- name: purge_attempt
delete from run_attempt
 where run_id = $1
   and ctid = any (array(select ctid from run_attempt where run_id = $1
                          order by run_id, attempt limit $2));

-- name: purge_lineage
delete from run_artifact
 where run_id = $1
   and ctid = any (array(select ctid from run_artifact where run_id = $1
                          order by run_id, way, project_id, artifact_id limit $2));

-- name: purge_change
delete from run_change
 where run_id = $1
   and ctid = any (array(select ctid from run_change where run_id = $1 limit $2));

-- name: purge_document
-- A reader that has not followed up to the deletion will miss it, and must start again.
with gone as (
	delete from run_document where project_id = $1 and run_id = $2
	returning change)
update document_count c
   set forgotten = greatest(c.forgotten, gone.change),
       row_sum = coalesce(c.row_sum # hash_record_extended(row(c.project_id, c.change, c.forgotten), 0), 0)
        # hash_record_extended(row(c.project_id, c.change, greatest(c.forgotten, gone.change)), 0)
  from gone
 where c.project_id = $1;

-- name: purge_usage
update project_usage
   set size_bytes = greatest(size_bytes - $2::int8, 0),
       deleted_bytes = greatest(deleted_bytes - $2::int8, 0),
       row_sum = coalesce(row_sum # hash_record_extended(row(project_id, size_bytes, deleted_bytes, heard_at), 0), 0)
        # hash_record_extended(row(project_id, greatest(size_bytes - $2::int8, 0),
            greatest(deleted_bytes - $2::int8, 0), heard_at), 0)
 where project_id = $1;

-- name: purge_info
-- The rest of a run: its name, which is not given out again, and who deleted it.
update run
   set display_name = '', job_type = '', group_name = '', sweep = '', notes = '', tags = '[]',
       sent = null, color = null, expected_writers = null, purged_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(display_name, job_type, group_name, sweep, notes, tags, color,
            expected_writers), 1)
        # hash_record_extended(row(''::text, ''::text, ''::text, ''::text, ''::text, '[]'::jsonb, null::text,
            null::int4), 1)
        # hash_record_extended(row(sent), 4)
        # hash_record_extended(row(null::jsonb), 4)
        # hash_record_extended(row(purged_at, moved_to), 7)
        # hash_record_extended(row($3::timestamptz, moved_to), 7)
 where project_id = $1 and run_id = $2;

-- name: purge_hot
delete from run_hot where run_id = $1;

-- name: purge_project_list
select project_id from project where purge_at <= $1 and purged_at is null order by purge_at limit $2;

-- name: purge_project_lock
select project_id
  from project
 where project_id = $1 and purge_at <= $2 and purged_at is null
   for update skip locked;

-- name: purge_project_begin
update project set purge_at = 'epoch',
       row_sum = row_sum
        # hash_record_extended(row(deleted_at, purge_at), 4)
        # hash_record_extended(row(deleted_at, 'epoch'::timestamptz), 4)
 where project_id = $1;

-- name: purge_project_runs
-- Hands some of its runs to the purge of runs; locked ones come at the next pass.
with held as materialized (
	select run_id
	  from run_hot
	 where project_id = $1 and (purge_at is null or purge_at > $2)
	 order by run_id
	 limit $3
	   for update skip locked)
update run_hot h
   set deleted_at = coalesce(h.deleted_at, $2::timestamptz), purge_at = $2,
       row_sum = h.row_sum
        # hash_record_extended(row(h.deleted_at, h.purge_at, h.purging), 2)
        # hash_record_extended(row(coalesce(h.deleted_at, $2::timestamptz), $2::timestamptz, h.purging), 2)
  from held
 where h.run_id = held.run_id;

-- name: purge_project_has_runs
select exists (select from run_hot where project_id = $1) as there;

-- name: purge_project_names
delete from run
 where project_id = $1
   and ctid = any (array(select ctid from run where project_id = $1
                          order by project_id, name limit $2));

-- name: purge_project_documents
delete from run_document
 where project_id = $1
   and ctid = any (array(select ctid from run_document where project_id = $1
                          order by project_id, run_id limit $2));

-- name: purge_project_keys
delete from project_key
 where project_id = $1
   and ctid = any (array(select ctid from project_key where project_id = $1
                          order by project_id, key_id limit $2));

-- name: purge_project_views
delete from project_view
 where project_id = $1
   and ctid = any (array(select ctid from project_view where project_id = $1
                          order by project_id, id limit $2));

-- name: purge_artifact_entry
delete from artifact_entry
 where project_id = $1
   and (manifest_id, path)
       <= (coalesce((select manifest_id from artifact_entry where project_id = $1 order by manifest_id, path offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select path from artifact_entry where project_id = $1 order by manifest_id, path offset $2 - 1 limit 1),
                repeat(chr(1114111), 600)));

-- name: purge_artifact_manifest
delete from artifact_manifest
 where project_id = $1
   and manifest_id <= coalesce((select manifest_id from artifact_manifest where project_id = $1 order by manifest_id offset $2 - 1 limit 1),
                9223372036854775807);

-- name: purge_artifact_upload
delete from artifact_upload
 where project_id = $1
   and (artifact_id, path)
       <= (coalesce((select artifact_id from artifact_upload where project_id = $1 order by artifact_id, path offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select path from artifact_upload where project_id = $1 order by artifact_id, path offset $2 - 1 limit 1),
                repeat(chr(1114111), 600)));

-- name: purge_artifact_blob
delete from artifact_blob
 where project_id = $1
   and blob_id <= coalesce((select blob_id from artifact_blob where project_id = $1 order by blob_id offset $2 - 1 limit 1),
                9223372036854775807)
returning content;

-- name: purge_artifact_multipart
delete from artifact_multipart
 where project_id = $1
   and upload_id <= coalesce((select upload_id from artifact_multipart where project_id = $1 order by upload_id offset $2 - 1 limit 1),
                9223372036854775807);

-- name: purge_artifact_part
delete from artifact_part
 where project_id = $1
   and (upload_id, part)
       <= (coalesce((select upload_id from artifact_part where project_id = $1 order by upload_id, part offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select part from artifact_part where project_id = $1 order by upload_id, part offset $2 - 1 limit 1),
                2147483647))
returning content;

-- name: purge_artifact_alias
delete from artifact_alias
 where project_id = $1
   and (collection_id, alias)
       <= (coalesce((select collection_id from artifact_alias where project_id = $1 order by collection_id, alias offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select alias from artifact_alias where project_id = $1 order by collection_id, alias offset $2 - 1 limit 1),
                repeat(chr(1114111), 600)));

-- name: purge_artifact_member
delete from artifact_member
 where project_id = $1
   and (collection_id, version)
       <= (coalesce((select collection_id from artifact_member where project_id = $1 order by collection_id, version offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select version from artifact_member where project_id = $1 order by collection_id, version offset $2 - 1 limit 1),
                2147483647));

-- name: purge_artifact
delete from artifact
 where project_id = $1
   and artifact_id <= coalesce((select artifact_id from artifact where project_id = $1 order by artifact_id offset $2 - 1 limit 1),
                9223372036854775807);

-- name: purge_artifact_collection
delete from artifact_collection
 where project_id = $1
   and collection_id <= coalesce((select collection_id from artifact_collection where project_id = $1 order by collection_id offset $2 - 1 limit 1),
                9223372036854775807);

-- name: purge_artifact_type
delete from artifact_type
 where project_id = $1
   and name <= coalesce((select name from artifact_type where project_id = $1 order by name offset $2 - 1 limit 1),
                repeat(chr(1114111), 600));

-- name: purge_sweep_trial
delete from sweep_trial
 where project_id = $1
   and (sweep_id, trial)
       <= (coalesce((select sweep_id from sweep_trial where project_id = $1 order by sweep_id, trial offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select trial from sweep_trial where project_id = $1 order by sweep_id, trial offset $2 - 1 limit 1),
                9223372036854775807));

-- name: purge_sweep_agent
delete from sweep_agent
 where project_id = $1
   and (sweep_id, agent_id)
       <= (coalesce((select sweep_id from sweep_agent where project_id = $1 order by sweep_id, agent_id offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select agent_id from sweep_agent where project_id = $1 order by sweep_id, agent_id offset $2 - 1 limit 1),
                9223372036854775807));

-- name: purge_sweep_host
delete from sweep_host
 where project_id = $1
   and (sweep_id, host)
       <= (coalesce((select sweep_id from sweep_host where project_id = $1 order by sweep_id, host offset $2 - 1 limit 1),
                9223372036854775807),
           coalesce((select host from sweep_host where project_id = $1 order by sweep_id, host offset $2 - 1 limit 1),
                repeat(chr(1114111), 600)));

-- name: purge_sweep
delete from sweep
 where project_id = $1
   and sweep_id <= coalesce((select sweep_id from sweep where project_id = $1 order by sweep_id offset $2 - 1 limit 1),
                9223372036854775807);

-- name: purge_artifact_client
delete from artifact_client
 where ctid = any (array(select ctid from artifact_client where project_id = $1 limit $2));

-- name: purge_artifact_links
-- Versions of the project in portfolios of others, with their aliases there.
with gone as (
	delete from artifact_member
	 where ctid = any (array(select ctid from artifact_member where source_id = $1 and project_id <> $1 limit $2))
	returning project_id, collection_id, version),
aliases as (
	delete from artifact_alias l
	 using gone
	 where l.project_id = gone.project_id and l.collection_id = gone.collection_id and l.version = gone.version)
select count(*) as number from gone;

-- name: purge_project_count
delete from document_count where project_id = $1;

-- name: purge_project_usage
delete from project_usage where project_id = $1;

-- name: purge_project_end
-- Its name stays, and is not given out again.
update project set description = '', retain_at = null, names_at = null, purged_at = $2,
       row_sum = row_sum
        # hash_record_extended(row(description), 1)
        # hash_record_extended(row(''::text), 1)
        # hash_record_extended(row(retain_at), 3)
        # hash_record_extended(row(null::timestamptz), 3)
        # hash_record_extended(row(purged_at), 5)
        # hash_record_extended(row($2::timestamptz), 5)
        # hash_record_extended(row(names_at), 7)
        # hash_record_extended(row(null::timestamptz), 7)
 where project_id = $1;
