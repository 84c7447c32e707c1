-- Config and summary of earlier attempts, which a process of the wandb SDK put others in the place of: it began the run
-- again under its id and did not resume it. state, row_count, ended_at: of the run then.
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
