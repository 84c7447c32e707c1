-- Documents of earlier attempts.

-- name: attempt_insert
-- The same process may begin twice, if it got no answer.
insert into run_attempt (run_id, attempt, state, row_count, ended_at, kept_at, config, summary, row_sum)
values ($1, $2, $3, $4, $5, $6, $7, $8,
        hash_record_extended(row($1::int8, $2::int4, $3::int2, $4::int8, $5::timestamptz, $6::timestamptz, $7::text,
             $8::text), 0))
on conflict (run_id, attempt) do nothing;

-- name: attempt_trim
-- All but the last $2.
delete from run_attempt
 where run_id = $1
   and attempt <= (select attempt from run_attempt where run_id = $1 order by attempt desc offset $2 limit 1);

-- name: attempt_list
select attempt, state, row_count, ended_at, kept_at
  from run_attempt
 where run_id = $1 and attempt > $2
 order by attempt
 limit $3;

-- name: attempt_documents
select config, summary from run_attempt where run_id = $1 and attempt = $2;
