-- Sweeps, their agents, hosts and trials. The parts of row_sum are named in 0022_sweeps.sql.

-- ---- sweeps ----

-- part: sweep_columns
select s.project_id, s.sweep_id, s.name, s.prior_runs, coalesce(s.created_by, 0::int8) as created_by, u.name as "user",
       s.created_at, s.state, s.why_ended, s.state_at, s.config, s.method, s.seed, s.display_name, s.description,
       s.changed_at, s.controller, s.scheduler, s.next_trial, s.look_at, s.deleted_at
  from sweep s
  left join entity u on u.entity_id = s.created_by

-- name: sweep_insert
insert into sweep (project_id, sweep_id, name, prior_runs, created_by, created_at, state, state_at, config, method, seed,
                   display_name, description, changed_at, controller, scheduler, next_trial, look_at, row_sum)
values ($1, $2, $3, $4, nullif($5::int8, 0), $6, $7, $6, $8, $9, $10, $11, $12, $6, $13, $14, 1, $15,
        hash_record_extended(row($1::int8, $2::int8, $3::text, $4::text, nullif($5::int8, 0), $6::timestamptz), 0)
         # hash_record_extended(row($7::int2, null::text, $6::timestamptz), 1)
         # hash_record_extended(row($8::text, $9::int2, $10::int8, $11::text, $12::text, $6::timestamptz), 2)
         # hash_record_extended(row($13::text, $14::text), 3)
         # hash_record_extended(row(1::int8), 4)
         # hash_record_extended(row($15::timestamptz, null::timestamptz), 5));

-- name: sweep_find
-- use: sweep_columns
 where s.project_id = $1 and s.name = $2 and s.deleted_at is null;

-- name: sweep_get
-- use: sweep_columns
 where s.project_id = $1 and s.sweep_id = $2 and s.deleted_at is null;

-- name: sweep_lock_same
-- Until the transaction ends. Two numbers: other advisory locks have one.
select pg_advisory_xact_lock(hashint8($1), hashtext($2));

-- name: sweep_find_same
-- Made by the same user since $4, with the same texts, and as it was made: no agent came, no trial was given, and neither its user nor a
-- controller changed it. $9: a text that is not given may be any.
-- use: sweep_columns
 where s.project_id = $1 and s.config = $2 and coalesce(s.created_by, 0) = $3 and s.created_at >= $4
   and s.state = $5 and s.state_at = s.created_at and s.changed_at = s.created_at and s.deleted_at is null
   and (s.prior_runs is not distinct from $6 or ($9::bool and $6::text is null))
   and (s.display_name is not distinct from $7 or ($9 and $7::text is null))
   and (s.description is not distinct from $8 or ($9 and $8::text is null))
   and not exists (select from sweep_agent a where a.project_id = $1 and a.sweep_id = s.sweep_id)
   and not exists (select from sweep_trial t
                    where t.project_id = $1 and t.sweep_id = s.sweep_id and t.source in (1, 2, 3) and t.created_at > s.created_at)
 order by s.sweep_id
 limit 1;

-- name: sweep_lock
-- Requests that wait for it do not keep their workers long.
-- use: sweep_columns
 where s.project_id = $1 and s.sweep_id = $2 and s.deleted_at is null
   and (select set_config('lock_timeout', $3::text, true)) is not null
   for update of s;

-- name: sweep_lock_free
-- A deleted one, too.
-- use: sweep_columns
 where s.project_id = $1 and s.sweep_id = $2
   for update of s skip locked;

-- name: sweep_list
-- The newest first. $6: with the texts of controllers. From the one on that takes the texts past $5 bytes, configs are empty: they are on the
-- next page.
select s.project_id, s.sweep_id, s.name, null::text as prior_runs, coalesce(s.created_by, 0::int8) as created_by, u.name as "user",
       s.created_at, s.state, s.why_ended, s.state_at, case when s.before <= $5::int8 then s.config else '' end as config, s.method,
       s.seed, s.display_name, s.description, s.changed_at, case when $6::bool and s.before <= $5 then s.controller end as controller,
       case when $6 and s.before <= $5 then s.scheduler end as scheduler, s.next_trial, s.look_at, s.deleted_at
  from (select l.project_id, l.sweep_id, l.name, l.created_by, l.created_at, l.state, l.why_ended, l.state_at, l.config, l.method,
               l.seed, l.display_name, l.description, l.changed_at, l.controller, l.scheduler, l.next_trial, l.look_at, l.deleted_at,
               coalesce(sum(octet_length(l.config) + coalesce(octet_length(l.description), 0)
                            + case when $6 then coalesce(octet_length(l.controller), 0) + coalesce(octet_length(l.scheduler), 0)
                                   else 0 end)
                        over (order by l.sweep_id desc rows between unbounded preceding and 1 preceding), 0) as before
          from (select o.project_id, o.sweep_id, o.name, o.created_by, o.created_at, o.state, o.why_ended, o.state_at, o.config,
                       o.method, o.seed, o.display_name, o.description, o.changed_at, o.controller, o.scheduler, o.next_trial,
                       o.look_at, o.deleted_at
                  from sweep o
                 where o.project_id = $1 and o.deleted_at is null and ($2::int8 = 0 or o.sweep_id < $2)
                   and ($3::int2 = 0 or o.state = $3)
                 order by o.sweep_id desc
                 limit $4) l) s
  left join entity u on u.entity_id = s.created_by
 order by s.sweep_id desc;

-- name: sweep_count
select count(*) as number from sweep s
 where s.project_id = $1 and s.deleted_at is null and ($2::int2 = 0 or s.state = $2);

-- name: sweep_save_state
update sweep
   set state = $3, why_ended = $4, state_at = $5,
       row_sum = row_sum
        # hash_record_extended(row(state, why_ended, state_at), 1)
        # hash_record_extended(row($3::int2, $4::text, $5::timestamptz), 1)
 where project_id = $1 and sweep_id = $2;

-- name: sweep_save_config
update sweep
   set config = $3, method = $4, seed = $5, display_name = $6, description = $7, changed_at = $8,
       row_sum = row_sum
        # hash_record_extended(row(config, method, seed, display_name, description, changed_at), 2)
        # hash_record_extended(row($3::text, $4::int2, $5::int8, $6::text, $7::text, $8::timestamptz), 2)
 where project_id = $1 and sweep_id = $2;

-- name: sweep_save_controller
update sweep
   set controller = $3, scheduler = $4,
       row_sum = row_sum
        # hash_record_extended(row(controller, scheduler), 3)
        # hash_record_extended(row($3::text, $4::text), 3)
 where project_id = $1 and sweep_id = $2;

-- name: sweep_save_next
update sweep
   set next_trial = $3,
       row_sum = row_sum
        # hash_record_extended(row(next_trial), 4)
        # hash_record_extended(row($3::int8), 4)
 where project_id = $1 and sweep_id = $2;

-- name: sweep_look
update sweep
   set look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(look_at, deleted_at), 5)
        # hash_record_extended(row($3::timestamptz, deleted_at), 5)
 where project_id = $1 and sweep_id = $2;

-- name: sweep_look_named
-- A run came that has the name of a sweep, at which the job does not look. It does not wait: whatever has the lock sets look_at.
with free as materialized (
	select sweep_id from sweep
	 where project_id = $1 and name = $2 and look_at is null
	   for update skip locked)
update sweep s
   set look_at = $3,
       row_sum = s.row_sum
        # hash_record_extended(row(s.look_at, s.deleted_at), 5)
        # hash_record_extended(row($3::timestamptz, s.deleted_at), 5)
  from free
 where s.project_id = $1 and s.sweep_id = free.sweep_id;

-- name: sweep_delete
update sweep
   set deleted_at = $3, look_at = $3,
       row_sum = row_sum
        # hash_record_extended(row(look_at, deleted_at), 5)
        # hash_record_extended(row($3::timestamptz, $3::timestamptz), 5)
 where project_id = $1 and sweep_id = $2 and deleted_at is null;

-- name: sweep_sums
-- $3: also of private runs. lowest and highest are of the values that trials show: the best of the history, or that of the summary.
select t.sweep_id, count(*) filter (where t.source <> 5) as trials,
       count(*) filter (where t.source <> 5 and t.state = 1) as waiting,
       count(*) filter (where t.source <> 5 and t.state = 2) as running,
       count(*) filter (where t.source <> 5 and t.state = 3) as finished,
       count(*) filter (where t.source <> 5 and t.state in (4, 5)) as failed,
       count(*) filter (where t.source <> 5 and t.state in (6, 9)) as killed,
       count(*) filter (where t.source <> 5 and t.state in (7, 8)) as lost,
       count(*) filter (where t.source = 5) as prior,
       count(distinct t.point) filter (where t.state in (1, 2, 3, 6)) as points,
       coalesce(min(least(t.lowest, t.summary)) filter (where $3::bool or r.visibility is null or r.visibility <> 1),
                'NaN'::float8) as lowest,
       coalesce(max(greatest(t.highest, t.summary)) filter (where $3 or r.visibility is null or r.visibility <> 1),
                'NaN'::float8) as highest,
       max(t.ended_at) as ended_at
  from sweep_trial t
  left join run r on r.project_id = $1 and r.name = t.run_name
 where t.project_id = $1 and t.sweep_id = any($2)
 group by t.sweep_id;

-- ---- agents and hosts ----

-- name: sweep_agent_insert
insert into sweep_agent (project_id, sweep_id, agent_id, host, user_id, created_at, state, heard_at, row_sum)
values ($1, $2, $3, $4, nullif($5::int8, 0), $6, 1, $6,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::text, nullif($5::int8, 0), $6::timestamptz), 0)
         # hash_record_extended(row(1::int2, $6::timestamptz), 1));

-- part: sweep_agents
select a.project_id, a.sweep_id, a.agent_id, a.host, coalesce(a.user_id, 0::int8) as user_id, u.name as "user",
       a.created_at, a.state, a.heard_at, coalesce(h.failed_in_row, 0) as failed_in_row,
       coalesce(h.finished, 0::int8) as finished, h.set_aside_at
  from sweep_agent a
  left join sweep_host h on h.project_id = $1 and h.sweep_id = $2 and h.host = a.host
  left join entity u on u.entity_id = a.user_id

-- name: sweep_agent_find
-- use: sweep_agents
 where a.project_id = $1 and a.sweep_id = $2 and a.agent_id = $3;

-- name: sweep_agent_list
-- In order of their numbers, which is that of their start.
-- use: sweep_agents
 where a.project_id = $1 and a.sweep_id = $2 and a.agent_id > $3
 order by a.agent_id
 limit $4;

-- name: sweep_agent_count
select count(*) as number from sweep_agent a where a.project_id = $1 and a.sweep_id = $2;

-- name: sweep_agent_counts
-- How many trials each of these agents was given.
select t.agent_id, count(*) as trials
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2 and t.agent_id = any($3)
 group by t.agent_id;

-- name: sweep_agent_save
update sweep_agent
   set state = $4, heard_at = $5,
       row_sum = row_sum
        # hash_record_extended(row(state, heard_at), 1)
        # hash_record_extended(row($4::int2, $5::timestamptz), 1)
 where project_id = $1 and sweep_id = $2 and agent_id = $3;

-- name: sweep_agent_lose
-- Agents that were not heard since $3.
update sweep_agent
   set state = $4,
       row_sum = row_sum
        # hash_record_extended(row(state, heard_at), 1)
        # hash_record_extended(row($4::int2, heard_at), 1)
 where project_id = $1 and sweep_id = $2 and state = 1 and heard_at < $3;

-- name: sweep_agent_elsewhere
-- A host that was set aside after $5 gets no trials.
select count(*) as number
  from (select from sweep_agent a
         where a.project_id = $1 and a.sweep_id = $2 and a.state = 1 and a.host <> $3 and a.heard_at >= $4
           and not exists (select from sweep_host h
                            where h.project_id = $1 and h.sweep_id = $2 and h.host = a.host and h.set_aside_at > $5)
         limit 1) o;

-- name: sweep_host_list
select h.host, h.failed_in_row, h.finished, h.set_aside_at
  from sweep_host h
 where h.project_id = $1 and h.sweep_id = $2
 order by h.host
 limit $3;

-- name: sweep_host_save
insert into sweep_host (project_id, sweep_id, host, failed_in_row, finished, set_aside_at, row_sum)
values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::int8, $3::text), 0)
         # hash_record_extended(row($4::int4, $5::int8, $6::timestamptz), 1))
on conflict (project_id, sweep_id, host) do update
   set failed_in_row = excluded.failed_in_row, finished = excluded.finished, set_aside_at = excluded.set_aside_at,
       row_sum = excluded.row_sum;

-- ---- trials ----

-- part: sweep_trial_begin
select t.project_id, t.sweep_id, t.trial, t.run_name, t.source, coalesce(t.retry_of, 0::int8) as retry_of, t.tries, t.note,
       t.created_at, coalesce(t.point, -1::int8) as point, t.state, coalesce(t.agent_id, 0::int8) as agent_id,
       t.host, t.sent_at, t.sent_count, coalesce(t.run_id, 0::int8) as run_id, t.started_at, t.ended_at, t.stop_at,
       coalesce(t.lowest, 'NaN'::float8) as lowest, coalesce(t.highest, 'NaN'::float8) as highest,
       coalesce(t.latest, 'NaN'::float8) as latest, coalesce(t.summary, 'NaN'::float8) as summary, t.steps, t.curve,

-- part: sweep_trial_columns
-- use: sweep_trial_begin
       t.params

-- name: sweep_trial_insert
insert into sweep_trial (project_id, sweep_id, trial, run_name, source, retry_of, tries, note, created_at, params, point, state,
                         agent_id, host, sent_at, sent_count, run_id, started_at, ended_at, stop_at, lowest, highest, latest,
                         summary, steps, curve, row_sum)
values ($1, $2, $3, $4, $5, nullif($6::int8, 0), $7, $8, $9, $10, nullif($11::int8, -1), $12, nullif($13::int8, 0), $14, $15,
        $16, nullif($17::int8, 0), $18, $19, $20, nullif($21::float8, 'NaN'), nullif($22::float8, 'NaN'),
        nullif($23::float8, 'NaN'), nullif($24::float8, 'NaN'), $25, $26,
        hash_record_extended(row($1::int8, $2::int8, $3::int8, $4::text, $5::int2, nullif($6::int8, 0), $7::int4, $8::text,
             $9::timestamptz), 0)
         # hash_record_extended(row($10::text, nullif($11::int8, -1)), 1)
         # hash_record_extended(row($12::int2, nullif($13::int8, 0), $14::text, $15::timestamptz, $16::int4,
             nullif($17::int8, 0), $18::timestamptz, $19::timestamptz), 2)
         # hash_record_extended(row($20::timestamptz), 3)
         # hash_record_extended(row(nullif($21::float8, 'NaN'), nullif($22::float8, 'NaN'), nullif($23::float8, 'NaN'),
             nullif($24::float8, 'NaN'), $25::int8, $26::bytea), 4));

-- name: sweep_trial_insert_waiting
-- New trials with the numbers $4, made at $3, that no agent has yet.
insert into sweep_trial (project_id, sweep_id, trial, run_name, source, retry_of, tries, created_at, params, point, state, host,
                         sent_count, steps, row_sum)
select $1, $2, n.trial, n.run_name, n.source, nullif(n.retry_of, 0), n.tries, $3, n.params, nullif(n.point, -1), 1, '', 0, 0,
       hash_record_extended(row($1::int8, $2::int8, n.trial, n.run_name, n.source, nullif(n.retry_of, 0), n.tries, null::text,
            $3::timestamptz), 0)
        # hash_record_extended(row(n.params, nullif(n.point, -1)), 1)
        # hash_record_extended(row(1::int2, null::int8, ''::text, null::timestamptz, 0::int4, null::int8, null::timestamptz,
            null::timestamptz), 2)
        # hash_record_extended(row(null::timestamptz), 3)
        # hash_record_extended(row(null::float8, null::float8, null::float8, null::float8, 0::int8, null::bytea), 4)
  from unnest($4::int8[], $5::text[], $6::int2[], $7::int8[], $8::int4[], $9::text[], $10::int8[])
       as n (trial, run_name, source, retry_of, tries, params, point);

-- name: sweep_trial_insert_prior
-- Trials of the runs $4 with the ids $5, numbered from 1, that have not been read.
insert into sweep_trial (project_id, sweep_id, trial, run_name, source, tries, created_at, params, state, host, sent_at,
                         sent_count, run_id, steps, row_sum)
select $1, $2, p.trial, p.name, 5, 1, $3, '{}', 1, '', $3, 1, p.run_id, 0,
       hash_record_extended(row($1::int8, $2::int8, p.trial, p.name, 5::int2, null::int8, 1::int4, null::text,
            $3::timestamptz), 0)
        # hash_record_extended(row('{}'::text, null::int8), 1)
        # hash_record_extended(row(1::int2, null::int8, ''::text, $3::timestamptz, 1::int4, p.run_id, null::timestamptz,
            null::timestamptz), 2)
        # hash_record_extended(row(null::timestamptz), 3)
        # hash_record_extended(row(null::float8, null::float8, null::float8, null::float8, 0::int8, null::bytea), 4)
  from unnest($4::text[], $5::int8[]) with ordinality as p (name, run_id, trial);

-- name: sweep_trial_save
-- Under the lock of the sweep: what changes of a trial, but for params, point and stop_at.
update sweep_trial
   set state = $4, agent_id = nullif($5::int8, 0), host = $6, sent_at = $7, sent_count = $8, run_id = nullif($9::int8, 0),
       started_at = $10, ended_at = $11,
       lowest = nullif($12::float8, 'NaN'), highest = nullif($13::float8, 'NaN'), latest = nullif($14::float8, 'NaN'),
       summary = nullif($15::float8, 'NaN'), steps = $16, curve = $17,
       row_sum = row_sum
        # hash_record_extended(row(state, agent_id, host, sent_at, sent_count, run_id, started_at, ended_at), 2)
        # hash_record_extended(row($4::int2, nullif($5::int8, 0), $6::text, $7::timestamptz, $8::int4,
             nullif($9::int8, 0), $10::timestamptz, $11::timestamptz), 2)
        # hash_record_extended(row(lowest, highest, latest, summary, steps, curve), 4)
        # hash_record_extended(row(nullif($12::float8, 'NaN'), nullif($13::float8, 'NaN'), nullif($14::float8, 'NaN'),
             nullif($15::float8, 'NaN'), $16::int8, $17::bytea), 4)
 where project_id = $1 and sweep_id = $2 and trial = $3;

-- name: sweep_trial_save_params
update sweep_trial
   set params = $4, point = nullif($5::int8, -1),
       row_sum = row_sum
        # hash_record_extended(row(params, point), 1)
        # hash_record_extended(row($4::text, nullif($5::int8, -1)), 1)
 where project_id = $1 and sweep_id = $2 and trial = $3;

-- name: sweep_trial_save_curve
update sweep_trial
   set curve = $4,
       row_sum = row_sum
        # hash_record_extended(row(lowest, highest, latest, summary, steps, curve), 4)
        # hash_record_extended(row(lowest, highest, latest, summary, steps, $4::bytea), 4)
 where project_id = $1 and sweep_id = $2 and trial = $3;

-- name: sweep_trial_stop
update sweep_trial
   set stop_at = $4,
       row_sum = row_sum
        # hash_record_extended(row(stop_at), 3)
        # hash_record_extended(row($4::timestamptz), 3)
 where project_id = $1 and sweep_id = $2 and trial = $3 and stop_at is null;

-- name: sweep_trial_stop_all
-- The sweep was canceled. Those that wait for an agent are not given while it is; prior runs are not its own. In the order of
-- sweep_trial_hear.
with given as materialized (
	select trial
	  from sweep_trial
	 where project_id = $1 and sweep_id = $2 and state in (1, 2) and sent_count > 0 and source <> 5 and stop_at is null
	 order by trial
	   for update)
update sweep_trial t
   set stop_at = $3,
       row_sum = t.row_sum
        # hash_record_extended(row(t.stop_at), 3)
        # hash_record_extended(row($3::timestamptz), 3)
  from given
 where t.project_id = $1 and t.sweep_id = $2 and t.trial = given.trial;

-- name: sweep_trial_hear
-- The agent has these runs. Without the lock of the sweep: an observation that meets it is repeated by the next heartbeat. Rows
-- are locked in the order in which an observation saves them.
with heard as materialized (
	select trial
	  from sweep_trial
	 where project_id = $1 and sweep_id = $2 and agent_id = $3 and run_name = any($4) and state = 1
	 order by trial
	   for update)
update sweep_trial t
   set state = 2,
       row_sum = t.row_sum
        # hash_record_extended(row(t.state, t.agent_id, t.host, t.sent_at, t.sent_count, t.run_id, t.started_at, t.ended_at), 2)
        # hash_record_extended(row(2::int2, t.agent_id, t.host, t.sent_at, t.sent_count, t.run_id, t.started_at, t.ended_at), 2)
  from heard
 where t.project_id = $1 and t.sweep_id = $2 and t.trial = heard.trial and t.state = 1;

-- name: sweep_trial_of_agent
-- Trials of the agent that are not over.
-- use: sweep_trial_columns
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2 and t.agent_id = $3 and t.state in (1, 2)
 order by t.trial
 limit $4;

-- name: sweep_trial_all
-- The facts that a search learns from, in order. params: $3 = 3: of all, 2: also where the point is not known, 1: only of trials
-- that may be given again, 0: of none. Of all together at most $5 bytes, the newest first.
select t.trial, t.run_name, t.source, coalesce(t.retry_of, 0::int8) as retry_of, t.tries,
       case when ($3::int2 = 3 or (t.point is null and $3 = 2) or ($3 > 0 and t.state in (1, 2, 4, 5, 7)))
                 and sum(octet_length(t.params)) over (order by t.trial desc) <= $5::int8
            then t.params else '{}' end as params, coalesce(t.point, -1::int8) as point, t.state,
       coalesce(t.agent_id, 0::int8) as agent_id, t.host, t.sent_at, t.sent_count, coalesce(t.run_id, 0::int8) as run_id,
       coalesce(t.lowest, 'NaN'::float8) as lowest, coalesce(t.highest, 'NaN'::float8) as highest,
       coalesce(t.latest, 'NaN'::float8) as latest, coalesce(t.summary, 'NaN'::float8) as summary
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2
 order by t.trial
 limit $4;

-- name: sweep_trial_curves
select t.project_id, t.sweep_id, t.trial, t.state, coalesce(t.run_id, 0::int8) as run_id, t.stop_at,
       coalesce(t.lowest, 'NaN'::float8) as lowest, coalesce(t.highest, 'NaN'::float8) as highest, t.steps, t.curve
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2
 order by t.trial
 limit $3;

-- part: sweep_trial_join
-- The row of a run that was purged, or moved to another project, is kept, and shows who may see its values.
       , coalesce(r.run_id, 0::int8) as found_id,
       coalesce(r.deleted_at is not null or r.moved_to is not null, false) as is_deleted,
       coalesce(r.visibility, 0::int2) as visibility, r.display_name,
       coalesce(a.state, 0::int2) as agent_state
  from sweep_trial t
  left join sweep_agent a on a.project_id = $1 and a.sweep_id = $2 and a.agent_id = t.agent_id
  left join run r on r.project_id = $1 and r.name = t.run_name

-- part: sweep_trial_runs
-- use: sweep_trial_columns
-- use: sweep_trial_join

-- part: sweep_trial_bare
-- Without the parameters, which are large and do not change.
-- use: sweep_trial_begin
       '{}'::text as params
-- use: sweep_trial_join

-- name: sweep_trial_offers
-- Trials that wait for an agent: never given, or preempted. Runs that joined or came before the sweep are not resumed by agents.
-- use: sweep_trial_columns
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2 and t.state in (1, 9) and (t.state = 9 or t.sent_count = 0)
   and t.source in (1, 2, 3)
 order by t.trial
 limit $3;

-- name: sweep_trial_waiting
-- The first that was never given, or that its agent left before it began.
-- use: sweep_trial_columns
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2 and t.source in (1, 2, 3)
   and ((t.state = 1 and t.sent_count = 0) or (t.state = 9 and t.run_id is null))
 order by t.trial
 limit 1;

-- name: sweep_trial_canceled
-- Trials that were asked to stop when the sweep was canceled at $3, had not ended, and were not given again: those after $4.
-- use: sweep_trial_columns
  from sweep_trial t
 where t.project_id = $1 and t.sweep_id = $2 and t.stop_at = $3 and t.trial > $4 and t.state in (1, 2, 6, 7) and t.source in (1, 2)
   and (t.state in (1, 2) or t.ended_at >= $3)
   and t.trial not in (select o.retry_of from sweep_trial o where o.project_id = $1 and o.sweep_id = $2 and o.retry_of > $4)
 order by t.trial
 limit $5;

-- name: sweep_trial_find
-- use: sweep_trial_runs
 where t.project_id = $1 and t.sweep_id = $2 and t.trial = $3;

-- name: sweep_trial_find_run
-- use: sweep_trial_runs
 where t.project_id = $1 and t.sweep_id = $2 and t.run_name = $3;

-- name: sweep_trial_open_list
-- Trials after $5 that are not over, each with its run, but for prior runs that have not been read: those of the agent $4 first.
-- use: sweep_trial_bare
 where t.project_id = $1 and t.sweep_id = $2 and t.trial > $5 and t.state in (1, 2) and (t.state = 2 or t.source <> 5)
 order by t.agent_id is distinct from $4::int8, t.trial
 limit $3;

-- name: sweep_trial_prior_list
-- Prior runs that have not been read.
-- use: sweep_trial_bare
 where t.project_id = $1 and t.sweep_id = $2 and t.state = 1 and t.source = 5
 order by t.trial
 limit $3;

-- name: sweep_trial_changed_list
-- The same, and those that were over when they were observed last, but may not be any more, or whose run is gone or is back.
-- $3: a run that ended since then may run again. Those after the trial $5, up to $6.
-- use: sweep_trial_bare
 where t.project_id = $1 and t.sweep_id = $2 and t.trial > $5 and t.trial <= $6
   and (t.state in (1, 2, 9)
        or (t.state in (3, 4, 5, 6) and t.run_id is not null
            and (r.run_id is null or r.deleted_at is not null or r.moved_to is not null))
        or (t.state in (7, 8) and r.run_id is not null and r.deleted_at is null and r.moved_to is null)
        or (t.state in (3, 4, 5, 6) and t.run_id is not null and t.ended_at >= $3))
 order by t.trial
 limit $4;

-- name: sweep_trial_list
-- A page: $3: of this state, 0: all; after $4; of the agent $5, 0: all; $6: descending.
-- use: sweep_trial_runs
 where t.project_id = $1 and t.sweep_id = $2 and ($3::int2 = 0 or t.state = $3)
   and ($5::int8 = 0 or t.agent_id = $5)
   and ($4::int8 = 0 or case when $6::bool then t.trial < $4 else t.trial > $4 end)
 order by case when $6 then t.trial end desc, t.trial
 limit $7;

-- name: sweep_trial_list_by_value
-- The same in order of the value: the better of the history and the summary, by the goal ($6: the greatest is the best); those without one
-- last. $4, $5: after this value and trial; $4 null: from the first, NaN: among those without.
-- use: sweep_trial_runs
  cross join lateral (select coalesce(case when $6::bool then -greatest(t.highest, t.summary) else least(t.lowest, t.summary) end,
                                      'NaN'::float8) as value) v
 where t.project_id = $1 and t.sweep_id = $2 and ($3::int2 = 0 or t.state = $3)
   and ($8::bool or r.visibility is null or r.visibility <> 1)
   and ($4::float8 is null or (v.value, t.trial) > ($4, $5::int8))
 order by v.value, t.trial
 limit $7;

-- name: sweep_name_of_trial
-- ahead: worker
-- Name of the sweep whose trial was given with this run. A run may be a prior run of several sweeps: it is of none of them.
select s.name
  from sweep_trial t
  join sweep s on s.project_id = $1 and s.sweep_id = t.sweep_id and s.deleted_at is null
 where t.project_id = $1 and t.run_name = $2 and t.source in (1, 2, 3)
 limit 1;

-- name: sweep_trial_samples
-- Finished trials with a value, the newest first: at most $4, and of these as many as have $5 bytes of parameters together. $3: also of
-- private runs.
select f.trial, f.params, coalesce(f.lowest, 'NaN'::float8) as lowest, coalesce(f.highest, 'NaN'::float8) as highest,
       coalesce(f.latest, 'NaN'::float8) as latest, coalesce(f.summary, 'NaN'::float8) as summary
  from (select n.trial, n.params, n.lowest, n.highest, n.latest, n.summary,
               sum(octet_length(n.params)) over (order by n.trial desc) as bytes
          from (select t.trial, t.params, t.lowest, t.highest, t.latest, t.summary
                  from sweep_trial t
                  left join run r on r.project_id = $1 and r.name = t.run_name
                 where t.project_id = $1 and t.sweep_id = $2 and t.state = 3
                   and coalesce(t.lowest, t.highest, t.summary) is not null
                   and ($3::bool or r.visibility is null or r.visibility <> 1)
                 order by t.trial desc
                 limit $4) n) f
 where f.bytes <= $5::int8
 order by f.trial desc;

-- name: sweep_joined
-- Runs that have the name of the sweep ($3) and are no trial of it yet.
select r.name, r.run_id
  from run r
 where r.project_id = $1 and r.sweep = $3 and r.sweep <> '' and r.deleted_at is null and r.moved_to is null
   and not exists (select from sweep_trial t where t.project_id = $1 and t.sweep_id = $2 and t.run_name = r.name)
 order by r.run_id
 limit $4;

-- name: sweep_clear_points
-- The config changed: points have other numbers, and bands are others.
update sweep_trial
   set point = null, curve = null,
       row_sum = row_sum
        # hash_record_extended(row(params, point), 1)
        # hash_record_extended(row(params, null::int8), 1)
        # hash_record_extended(row(lowest, highest, latest, summary, steps, curve), 4)
        # hash_record_extended(row(lowest, highest, latest, summary, steps, null::bytea), 4)
 where project_id = $1 and sweep_id = $2 and (point is not null or curve is not null);

-- ---- the job ----

-- name: sweep_due
select s.project_id, s.sweep_id from sweep s
 where s.look_at <= $1
 order by s.look_at
 limit $2;

-- name: sweep_remove_trials
delete from sweep_trial
 where project_id = $1 and sweep_id = $2
   and trial <= coalesce((select trial from sweep_trial where project_id = $1 and sweep_id = $2
                           order by trial offset $3 - 1 limit 1), 9223372036854775807);

-- name: sweep_remove_agents
delete from sweep_agent
 where project_id = $1 and sweep_id = $2
   and agent_id <= coalesce((select agent_id from sweep_agent where project_id = $1 and sweep_id = $2
                              order by agent_id offset $3 - 1 limit 1), 9223372036854775807);

-- name: sweep_remove_hosts
delete from sweep_host where project_id = $1 and sweep_id = $2;

-- name: sweep_remove
delete from sweep where project_id = $1 and sweep_id = $2 and deleted_at is not null;
