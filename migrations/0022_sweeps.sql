-- Sweeps: a search over parameters, the agents that run its trials, and the trials. All tables have project_id as their first
-- column and are distributed by it: a sweep stays in its project, and a run that leaves the project leaves its sweep.
-- row_sum: see 0015. The parts of a sum are numbered at each table as [n]; columns that are not listed are in part 0.

-- The row is the lock of the sweep: points are handed out only under it. name: 8 characters, as it is in URLs; WANDB_SWEEP_ID.
-- state: 1 pending, 2 running, 3 paused, 4 finished, 5 canceled. why_ended: in words of ours, null: it has not ended.
-- config: YAML or JSON as it was sent. method, seed: of the config; a seed that the config lacks is chosen at random.
-- controller, scheduler: JSON of a controller that is a process of the client. prior_runs: a filter, as it was sent.
-- look_at: when the sweep job looks at it, null: nothing of it changes. deleted_at: its rows are being removed.
-- [1] state, why_ended, state_at   [2] config, method, seed, display_name, description, changed_at   [3] controller, scheduler
-- [4] next_trial   [5] look_at, deleted_at
create table sweep (
    project_id int8 not null,
    sweep_id int8 not null,
    name text collate "C" not null,
    prior_runs text,
    created_by int8,
    created_at timestamptz not null,
    state int2 not null check (state between 1 and 5),
    why_ended text,
    state_at timestamptz not null,
    config text not null,
    method int2 not null,
    seed int8 not null,
    display_name text,
    description text,
    changed_at timestamptz not null,
    controller text,
    scheduler text,
    next_trial int8 not null,
    look_at timestamptz,
    deleted_at timestamptz,
    row_sum int8,
    primary key (project_id, sweep_id),
    unique (project_id, name)
) with (fillfactor = 70);
create index sweep_look on sweep (look_at) where look_at is not null;

-- A process that runs trials. state: 1 running, 2 finished, 3 lost. heard_at: at most 15 s older than its last heartbeat.
-- [1] state, heard_at
create table sweep_agent (
    project_id int8 not null,
    sweep_id int8 not null,
    agent_id int8 not null,
    host text not null,
    user_id int8,
    created_at timestamptz not null,
    state int2 not null check (state between 1 and 3),
    heard_at timestamptz not null,
    row_sum int8,
    primary key (project_id, sweep_id, agent_id)
) with (fillfactor = 70);

-- How trials ended on a host of agents: failed_in_row since the last that finished there. set_aside_at: its agents get no
-- trials, for a time. [1] failed_in_row, finished, set_aside_at
create table sweep_host (
    project_id int8 not null,
    sweep_id int8 not null,
    host text collate "C" not null,
    failed_in_row int4 not null,
    finished int8 not null,
    set_aside_at timestamptz,
    row_sum int8,
    primary key (project_id, sweep_id, host)
) with (fillfactor = 70);

-- A point of the space that was handed out, or that a run has. run_name: the run's id, which the agent's process uses.
-- source: 1 search, 2 by hand, 3 a controller of the client, 4 a run that joined by itself, 5 a prior run.
-- retry_of: the trial that it repeats. tries: 1, or one more than that of the trial that it repeats. note: of the search.
-- params: a JSON object as it is delivered, nested and with values as they were given. point: its number in a finite space.
-- state: 1 handed out, 2 running, 3 finished, 4 failed, 5 crashed, 6 killed, 7 lost (no run came), 8 deleted (its run is gone),
-- 9 preempted. agent_id: that it was given to, null: none yet, or none. sent_at, sent_count: answers that carried it.
-- run_id: null until the run was seen. stop_at: when the run was to stop.
-- lowest, highest, latest: of the finite values of the metric in the history, summary: that of the summary; null: none.
-- steps: how many finite values were logged. curve: those at the bands of the early termination, as far as they were reached, as
-- doubles.
-- [1] params, point   [2] state, agent_id, host, sent_at, sent_count, run_id, started_at, ended_at
-- [3] stop_at   [4] lowest, highest, latest, summary, steps, curve
create table sweep_trial (
    project_id int8 not null,
    sweep_id int8 not null,
    trial int8 not null,
    run_name text collate "C" not null,
    source int2 not null check (source between 1 and 5),
    retry_of int8,
    tries int4 not null,
    note text,
    created_at timestamptz not null,
    params text not null,
    point int8,
    state int2 not null check (state between 1 and 9),
    agent_id int8,
    host text not null,
    sent_at timestamptz,
    sent_count int4 not null,
    run_id int8,
    started_at timestamptz,
    ended_at timestamptz,
    stop_at timestamptz,
    lowest float8,
    highest float8,
    latest float8,
    summary float8,
    steps int8 not null,
    curve bytea,
    row_sum int8,
    primary key (project_id, sweep_id, trial),
    unique (project_id, sweep_id, run_name)
) with (fillfactor = 70);
create index sweep_trial_open on sweep_trial (project_id, sweep_id, agent_id) where state in (1, 2, 9);

create index run_of_sweep on run (project_id, sweep) where sweep <> '';
