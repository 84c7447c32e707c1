-- Members of a run's requests that were left out (run_left_out).

-- name: left_out_add
-- Under the run's lock. In $2 to $6 no kind, reason and name occurs twice; $7: the number of
-- members, with those of no entry; $8: now; $9: the limit of a run's entries.
with came as materialized (
	select u.kind, u.reason, u.name, u.count, u.sample, u.i
	  from unnest($2::int2[], $3::text[], $4::text[], $5::int8[], $6::text[])
	       with ordinality as u (kind, reason, name, count, sample, i)),
counted as (
	update run_hot set left_out = left_out + $7,
	       row_sum = row_sum
	        # hash_record_extended(row(left_out), 6)
	        # hash_record_extended(row(left_out + $7), 6)
	 where run_id = $1),
known as (
	update run_left_out l
	   set count = l.count + c.count, last_at = $8,
	       row_sum = l.row_sum
	        # hash_record_extended(row(l.count, l.last_at), 1)
	        # hash_record_extended(row(l.count + c.count, $8::timestamptz), 1)
	  from came c
	 where l.run_id = $1 and l.kind = c.kind and l.reason = c.reason and l.name = c.name
	returning c.i),
fresh as (
	select c.*, (select count(*) from run_left_out where run_id = $1)
	            + row_number() over (order by c.i) - 1 as number
	  from came c
	 where not exists (select from known k where k.i = c.i))
insert into run_left_out (run_id, number, kind, reason, name, count, first_at, last_at, sample, row_sum)
select $1, f.number::int4, f.kind, f.reason, f.name, f.count, $8, $8, f.sample,
       hash_record_extended(row($1::int8, f.number::int4, f.kind, f.reason, f.name, $8::timestamptz, f.sample), 0)
        # hash_record_extended(row(f.count, $8::timestamptz), 1)
  from fresh f
 where f.number < $9;

-- name: left_out_list
select number, kind, reason, name, count, first_at, last_at, sample
  from run_left_out
 where run_id = $1 and number > $2
 order by number
 limit $3;
