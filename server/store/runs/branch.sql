-- Branches of runs that were rewound or forked (domain/branch.h).

-- name: branch_insert
insert into run_branch (run_id, number, source_id, source_branch, step, parts, sources, row_first, made_at,
                        user_id, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, nullif($10::int8, 0),
        hash_record_extended(row($1::int8, $2::int4, $3::int8, $4::int4, $5::int8, $7::int8[], $8::int8,
             $9::timestamptz, nullif($10::int8, 0)), 0)
         # hash_record_extended(row($6::text, null::timestamptz, null::int8, null::int8, null::text, null::text), 1));

-- name: branch_leave
-- The state that the run showed when another branch began is kept with the branch.
update run_branch
   set parts = $3, left_at = $4, row_count = $5, last_step = $6, config = $7, summary = $8,
       row_sum = row_sum
        # hash_record_extended(row(parts, left_at, row_count, last_step, config, summary), 1)
        # hash_record_extended(row($3::text, $4::timestamptz, $5::int8, $6::int8, $7::text, $8::text), 1)
 where run_id = $1 and number = $2;

-- name: branch_begin
-- Its size is measured again.
update run_hot set branch = $2, branch_writer = $3, branch_row = $4, size_seq = -2,
       row_sum = row_sum
        # hash_record_extended(row(size_seq), 4)
        # hash_record_extended(row(-2::int8), 4)
        # hash_record_extended(row(branch, branch_writer, branch_row), 5)
        # hash_record_extended(row($2::int4, $3::int4, $4::int8), 5)
 where run_id = $1;

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
-- Writers known by a name are different ones in each branch: these keep their name with the
-- branch's number appended. Hand writers of earlier branches have the number already.
update run_writer w
   set client = w.client || '@' || $2::int4::text,
       row_sum = w.row_sum
        # hash_record_extended(row(w.run_id, w.client, w.joined_at), 0)
        # hash_record_extended(row(w.run_id, w.client || '@' || $2::int4::text, w.joined_at), 0)
  from run_hot h
 where w.run_id = $1 and h.run_id = $1 and (w.client = $3 or (w.role = 3 and w.writer >= h.branch_writer));

-- name: branch_set_aside_one
update run_writer w
   set client = w.client || '@' || (h.branch - 1)::text,
       row_sum = w.row_sum
        # hash_record_extended(row(w.run_id, w.client, w.joined_at), 0)
        # hash_record_extended(row(w.run_id, w.client || '@' || (h.branch - 1)::text, w.joined_at), 0)
  from run_hot h
 where w.run_id = $1 and h.run_id = $1 and w.client = $2 and w.writer < h.branch_writer;

-- name: branch_renumber
-- Renumbers the writers of a run without rows and lines, to make room for those of the run that it
-- goes on from. $2 is added to their numbers, and is more than any of them.
with states as (
	update run_state set writer = writer + $2::int4,
	       row_sum = row_sum
	        # hash_record_extended(row(writer), 1)
	        # hash_record_extended(row(writer + $2), 1)
	 where run_id = $1 and writer is not null),
configs as (
	update run_config set writer = writer + $2,
	       row_sum = row_sum
	        # hash_record_extended(row(run_id, writer, seq, document, common), 0)
	        # hash_record_extended(row(run_id, writer + $2, seq, document, common), 0)
	 where run_id = $1),
sent as (
	update run_sent set writer = writer + $2,
	       row_sum = row_sum
	        # hash_record_extended(row(run_id, writer, summary, waiting, ahead, session, common), 0)
	        # hash_record_extended(row(run_id, writer + $2, summary, waiting, ahead, session, common), 0)
	 where run_id = $1),
leaves as (
	update run_leaf set writer = writer + $2,
	       row_sum = row_sum
	        # hash_record_extended(row(run_id, kind, place, path, writer, shared, value), 0)
	        # hash_record_extended(row(run_id, kind, place, path, writer + $2, shared, value), 0)
	 where run_id = $1),
unread as (
	update run_unread set writer = writer + $2,
	       row_sum = row_sum
	        # hash_record_extended(row(run_id, number, writer, stream, text, came_at), 0)
	        # hash_record_extended(row(run_id, number, writer + $2, stream, text, came_at), 0)
	 where run_id = $1),
alerts as (
	update run_alert set writer = writer + $2,
	       row_sum = row_sum
	        # hash_record_extended(row(writer), 1)
	        # hash_record_extended(row(writer + $2), 1)
	 where run_id = $1 and writer is not null),
conflicts as (
	update run_conflict c
	   set writers = n.writers,
	       row_sum = c.row_sum # hash_record_extended(row(c.writers), 1) # hash_record_extended(row(n.writers), 1)
	  from (select o.kind, o.key,
	               (select json_agg(json_build_object('writer', (v ->> 'writer')::int4 + $2, 'value', v -> 'value'))::text
	                  from json_array_elements(o.writers::json) v) as writers
	          from run_conflict o
	         where o.run_id = $1) n
	 where c.run_id = $1 and c.kind = n.kind and c.key = n.key)
update run_writer set writer = writer + $2,
       row_sum = row_sum
        # hash_record_extended(row(writer), 1)
        # hash_record_extended(row(writer + $2), 1)
 where run_id = $1;

-- name: branch_note_fork
-- The source of the run, in the directory, and its new visibility.
update run set forked_from = $3, forked_step = $4, visibility = $5,
       row_sum = row_sum
        # hash_record_extended(row(visibility), 3)
        # hash_record_extended(row($5::int2), 3)
        # hash_record_extended(row(forked_from, forked_step), 5)
        # hash_record_extended(row($3::text, $4::int8), 5)
 where project_id = $1 and name = $2;
