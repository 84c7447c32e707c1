-- Branches of runs that were rewound or forked (domain/branch.h).

-- name: branch_insert
insert into run_branch (run_id, number, source_id, source_branch, step, parts, sources, row_first, made_at,
                        user_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, nullif($10::int8, 0));

-- name: branch_leave
-- What the run showed when another branch began is kept beside it.
update run_branch
   set parts = $3, left_at = $4, row_count = $5, last_step = $6, config = $7, summary = $8
 where run_id = $1 and number = $2;

-- name: branch_begin
-- What it takes is measured anew.
update run_hot set branch = $2, branch_writer = $3, branch_row = $4, size_seq = -2 where run_id = $1;

-- name: branch_parts
select parts from run_branch where run_id = $1 and number = $2;

-- name: branch_list
select b.number, coalesce(r.name, '') as source_name,
       coalesce(r.visibility, 1::int2) as source_visibility, b.source_branch, b.step, b.row_first, b.made_at, e.name as user_name,
       b.left_at, coalesce(b.row_count, 0) as row_count, coalesce(b.last_step, -1) as last_step
  from run_branch b
  left join entity e on e.entity_id = b.user_id
  left join run r on r.project_id = $4 and r.run_id = b.source_id
 where b.run_id = $1 and b.number > $2
 order by b.number
 limit $3;

-- name: branch_documents
select b.config, b.summary from run_branch b where b.run_id = $1 and b.number = $2 and b.left_at is not null;

-- name: branch_keys_save
insert into run_branch_keys (run_id, number, writer, document)
select $1::int8, $2::int4, u.writer, u.document
  from unnest($3::int4[], $4::bytea[]) as u (writer, document);

-- name: branch_keys_list
select writer, document from run_branch_keys where run_id = $1 and number = $2 order by writer;

-- name: branch_is_forked
-- Whether another run has rows of this one.
select exists (select from run_branch where sources @> array[$1::int8]) as there;

-- name: branch_set_aside
-- Writers that a name stands for are other ones in each branch: these keep theirs with the branch behind it. Hand
-- writers of earlier branches have their number already.
update run_writer w
   set client = w.client || '@' || $2::int4::text
  from run_hot h
 where w.run_id = $1 and h.run_id = $1 and (w.client = $3 or (w.role = 3 and w.writer >= h.branch_writer));

-- name: branch_set_aside_one
update run_writer w
   set client = w.client || '@' || (h.branch - 1)::text
  from run_hot h
 where w.run_id = $1 and h.run_id = $1 and w.client = $2 and w.writer < h.branch_writer;

-- name: branch_renumber
-- Writers of a run that has no rows and lines yet make room for those of the run that it goes on from. $2 is
-- added to their numbers, and is more than any of them.
with states as (
	update run_state set writer = writer + $2::int4 where run_id = $1 and writer is not null),
configs as (
	update run_config set writer = writer + $2 where run_id = $1),
sent as (
	update run_sent set writer = writer + $2 where run_id = $1),
leaves as (
	update run_leaf set writer = writer + $2 where run_id = $1),
unread as (
	update run_unread set writer = writer + $2 where run_id = $1),
alerts as (
	update run_alert set writer = writer + $2 where run_id = $1 and writer is not null),
conflicts as (
	update run_conflict c
	   set writers = (select json_agg(json_build_object('writer', (v ->> 'writer')::int4 + $2, 'value', v -> 'value'))::text
	                    from json_array_elements(c.writers::json) v)
	 where c.run_id = $1)
update run_writer set writer = writer + $2 where run_id = $1;

-- name: branch_note_fork
-- Where the run came from, in the directory, and who may see it since.
update run set forked_from = $3, forked_step = $4, visibility = $5 where project_id = $1 and name = $2;
