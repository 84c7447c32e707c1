-- Config and summary of earlier attempts that a process of the wandb SDK replaced: it began the run again under the same
-- id and did not resume it. state, row_count, ended_at: those of the run at that time.
create table run_attempt (
    run_id int8 not null,
    attempt int4 not null,
    state int2 not null check (state between 1 and 8),
    row_count int8 not null,
    ended_at timestamptz,
    kept_at timestamptz not null,
    config text not null,
    summary text not null,
    primary key (run_id, attempt)
);
