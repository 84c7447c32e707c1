-- Runs. Tables that grow have run_id as their first column and no foreign keys among each other; the two that
-- are searched by project (run, run_document) have project_id as their first column. Every unique index includes the
-- first column, so that all tables can be distributed.

-- The directory: one row per run, its name within the project and what a person edits.
-- visibility: 0 as the project, 1 private, 2 public. The user who deleted it and the reason stay (deleted_who as who
-- of run_state). A purged run keeps nothing but its name, which is not reused.
-- moved_to: the project the run was moved to; this row keeps only the name, as that of a purged run.
-- forked_from: the run of this project whose rows up to forked_step it shares (run_branch).
-- color_number: the run's number within its project, from 0; gives the colour of a run without a color of its own.
-- Runs created at the same moment may have the same number.
-- expected_writers: how many writers are expected, as a user or client set it; null: not set.
create table run (
    project_id int8 not null,
    name text not null,
    run_id int8 not null,
    display_name text not null,
    job_type text not null,
    group_name text not null,
    sweep text not null,
    notes text not null,
    tags jsonb not null,
    visibility int2 not null check (visibility between 0 and 2),
    color_number int4 not null,
    color text,
    expected_writers int4,
    created_by int8,
    created_at timestamptz not null,
    edited_at timestamptz,
    edited_by int8,
    deleted_at timestamptz,
    deleted_who int2,
    deleted_by int8,
    delete_reason text,
    purged_at timestamptz,
    moved_to int8,
    forked_from text,
    forked_step int8,
    primary key (project_id, name)
);
create index run_by_id on run (project_id, run_id);
-- Counts runs that are not deleted.
create index run_there on run (project_id) where deleted_at is null;
-- Finds runs that can be restored; most deleted runs are purged.
create index run_deleted on run (project_id, deleted_at, run_id)
 where deleted_at is not null and purged_at is null;

-- The run's lock and sequencer, and what is decided under it. Every transaction that changes a run locks
-- this row first. No other index has a column that a flush changes: every flush is a HOT update.
-- state: 1 running, 2 finished, 3 failed, 4 crashed, 5 killed, 6 pending, 7 preempting, 8 preempted. look_at: when
-- the sweeper must look next. tail_bytes: decoded size of its blocks that are not compacted. fallback_state: how the
-- previous attempt ended, 0 none. end_pending: a primary of this attempt ended while other writers are awaited, so
-- that a flush does not move look_at.
-- console_chunks, console_lines: how much of its console is in chunks, so that a lost chunk is noticed.
-- size_bytes: size of its chunks and documents (usage.sql) when it was compacted up to size_seq, plus the current
-- size of its files (file_bytes, for file_count names). purge_at: when a deleted run is purged;
-- purging: the purge has begun and the run cannot be restored.
-- unread_lines: how many lines arrived that could not be read (run_unread).
-- branch: the branch that writers append to (run_branch), 0: never rewound nor forked; branch_writer: its
-- first writer; branch_row: of a fork, the first row stored in this run. hidden_rows: how many of
-- next_row belong to no part of the branch.
-- version: a new random number each time the row is saved, and with it any of its writers: a cache that holds a
-- writer of this version need not read it again.
create table run_hot (
    run_id int8 primary key,
    project_id int8 not null,
    next_row int8 not null,
    next_event int8 not null,
    next_seq int8 not null,
    last_step int8 not null,
    compact_seq int8 not null,
    tail_rows int4 not null,
    tail_bytes int8 not null,
    heard_at timestamptz not null,
    look_at timestamptz not null,
    state int2 not null check (state between 1 and 8),
    attempt int4 not null,
    fallback_state int2 not null,
    end_pending bool not null,
    next_writer int4 not null,
    next_state int4 not null,
    document_seq int8 not null,
    version int8 not null default 0,
    started_at timestamptz not null,
    ended_at timestamptz,
    exit_code int4,
    stop_asked_at timestamptz,
    stop_reason text,
    deleted_at timestamptz,
    purge_at timestamptz,
    purging bool not null default false,
    console_chunks int8 not null default 0,
    console_lines int8 not null default 0,
    size_bytes int8 not null default 0,
    size_seq int8 not null default -2,
    file_count int8 not null default 0,
    file_bytes int8 not null default 0,
    unread_lines int8 not null default 0,
    alerts int4 not null default 0,
    branch int4 not null default 0,
    branch_writer int4 not null default 0,
    branch_row int8 not null default 0,
    hidden_rows int8 not null default 0
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
-- The sweeper looks at running runs every second, among any number of ended ones; live streams of a project look at
-- the running runs of the project.
create index run_hot_running on run_hot (project_id, run_id) where state in (1, 7) and deleted_at is null;
-- Retention and purge walk through a project's runs.
create index run_hot_project on run_hot (project_id, run_id);
create index run_hot_purge on run_hot (purge_at) where purge_at is not null;

-- One row per process that writes. client: the name it gives itself. recent: digests of the last batches and their
-- answers, to tell a repeat from a conflict. sessions: the last batch of earlier sessions.
-- role: 1 primary, 2 worker, 3 by hand. state: 1 alive, 2 ended, 3 replaced, 4 ended by its parent,
-- 5 ended by a person.
-- end_state: the run state it asked for when it ended, 0 none. parent: the client that started it.
-- console_shift: what is added to the numbers of its console lines, see writer.h.
-- last_event: the greatest time of its events, microseconds since 1970. lag_us: for its last rows, from the time of
-- the newest one until they were stored. repeats: batches that arrived again. lines: for a process of the wandb SDK
-- in shared mode, the numbers of the lines that are stored.
create table run_writer (
    run_id int8 not null,
    writer int4 not null,
    client text not null,
    label text not null,
    role int2 not null check (role between 1 and 3),
    state int2 not null check (state between 1 and 5),
    parent text,
    attempt int4 not null,
    session int4 not null,
    batch int8 not null,
    history_rows int8 not null,
    event_rows int8 not null,
    console_lines int8 not null,
    dropped_rows int8 not null,
    last_step int8 not null,
    last_event int8 not null default -1,
    lag_us int8 not null default 0,
    repeats int8 not null default 0,
    console_shift int8 not null default 0,
    lines bytea not null default '',
    exit_code int4,
    end_state int2 not null,
    recent bytea not null,
    sessions bytea not null,
    info jsonb not null,
    joined_at timestamptz not null,
    heard_at timestamptz not null,
    data_at timestamptz,
    ended_at timestamptz,
    primary key (run_id, writer),
    unique (run_id, client)
) with (fillfactor = 30, autovacuum_vacuum_scale_factor = 0.01);
-- A join looks for primaries of its label, a finish for the writers that decide and for its children.
create index run_writer_deciders on run_writer (run_id, label) where role <> 2;
create index run_writer_children on run_writer (run_id, parent) where parent is not null;

-- Every change of state. who: 1 writer, 2 sweeper, 3 user, 4 server.
create table run_state (
    run_id int8 not null,
    number int4 not null,
    from_state int2,
    to_state int2 not null,
    attempt int4 not null,
    changed_at timestamptz not null,
    who int2 not null,
    writer int4,
    user_id int8,
    reason text not null,
    primary key (run_id, number)
);

-- Each writer's last config document, in order of last change (seq of run_hot.document_seq).
create table run_config (
    run_id int8 not null,
    writer int4 not null,
    seq int8 not null,
    document text not null,
    primary key (run_id, writer)
);

create index run_config_by_change on run_config (run_id, seq);

-- The whole summary that a writer of the wandb SDK sent last; its next one is compared with it to find the changes.
-- session: the writer's session then. waiting: a newer summary, processed when the rows it includes have arrived;
-- ahead: values it has logged that are not in the summary yet (domain/sdk_summary.h).
create table run_sent (
    run_id int8 not null,
    writer int4 not null,
    summary text,
    waiting text,
    ahead text not null,
    session int4 not null default 0,
    primary key (run_id, writer)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- The merged documents, leaf by leaf: the config of all writers, and what was set explicitly in the summary.
-- A change costs no more than the document that changes. kind: 1 config, 2 summary. path: the names on
-- the way to the leaf, separated by NUL; place is its hash, because names may be longer than an index allows.
-- writer: the writer that set it last, or for a config one of those that hold the value; shared: others sent it, too.
-- value: JSON; null: an object that holds other leaves.
create table run_leaf (
    run_id int8 not null,
    kind int2 not null check (kind in (1, 2)),
    place bytea not null,
    path bytea not null,
    writer int4 not null,
    shared bool not null,
    value text,
    primary key (run_id, kind, place)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);

-- Sums over the leaves of a merged document. tangled: a leaf of one writer is an object of another, so
-- that the config is merged from all writers' documents at each change.
create table run_merged (
    run_id int8 not null,
    kind int2 not null check (kind in (1, 2)),
    value_count int8 not null,
    size_bytes int8 not null,
    path_bytes int8 not null,
    tangled bool not null,
    primary key (run_id, kind)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);

-- Edits by people. kind: 1 config, 2 summary. patch is a merge patch (null is a tombstone); rows has
-- for each of its keys the run's next row at the time of the edit; editors has the user and time of each edit
-- (domain/edit_log.h).
create table run_overlay (
    run_id int8 not null,
    kind int2 not null check (kind in (1, 2)),
    seq int8 not null,
    patch text not null,
    rows text not null,
    editors text not null,
    primary key (run_id, kind)
);

-- Two writers, one key, different values. kind: 1 config, 2 summary. writers: at most eight values.
create table run_conflict (
    run_id int8 not null,
    kind int2 not null check (kind in (1, 2)),
    key text not null,
    count int8 not null,
    writers text not null,
    changed_at timestamptz not null,
    primary key (run_id, kind, key)
);

-- Statistics of each writer's keys up to compact_seq: counts, last value, kinds (series/key_stats).
-- stream: 1 history, 2 events.
create table run_keys (
    run_id int8 not null,
    stream int2 not null check (stream in (1, 2)),
    writer int4 not null,
    document bytea not null,
    primary key (run_id, stream, writer)
);

-- Branches of runs that were rewound or forked (domain/branch.h); other runs have none. The content of a branch
-- is in `parts`: "run_id writer_first writer_end row_end step_last", separated by commas; sources:
-- the other runs among them, which are not purged before this one. It continues from `step` of source_branch of
-- source_id. What the run showed when the branch was left is kept for its history.
create table run_branch (
    run_id int8 not null,
    number int4 not null,
    source_id int8 not null,
    source_branch int4 not null,
    step int8 not null,
    parts text not null,
    sources int8[] not null,
    row_first int8 not null,
    made_at timestamptz not null,
    user_id int8,
    left_at timestamptz,
    row_count int8,
    last_step int8,
    config text,
    summary text,
    primary key (run_id, number)
);
create index run_branch_sources on run_branch using gin (sources);

-- Statistics of the keys that a branch inherited, as in run_keys. They do not change.
create table run_branch_keys (
    run_id int8 not null,
    number int4 not null,
    writer int4 not null,
    document bytea not null,
    primary key (run_id, number, writer)
);

-- Lines from a client in no form the server knows, as they arrived; the first thousand of a
-- run, from number 0. stream: 1 history, 2 events, 4 something else.
create table run_unread (
    run_id int8 not null,
    number int8 not null,
    writer int4 not null,
    stream int2 not null,
    text text not null,
    came_at timestamptz not null,
    primary key (run_id, number)
);

-- Alerts that processes of the run, or people, sent; at most a thousand. number: from 1.
-- level: 1 info, 2 warn, 3 error. writer: the writer of the process; null: none. repeats: how many more with
-- that title arrived within the wait they asked for. delivery: 0 nowhere, 1 waiting (alert_delivery), 2 sent,
-- 3 given up; tries, tried_at, status (the webhook's answer) and fault: of the last try.
create table run_alert (
    run_id int8 not null,
    number int4 not null,
    title text not null,
    text text not null,
    level int2 not null check (level between 1 and 3),
    writer int4,
    user_id int8,
    created_at timestamptz not null,
    repeats int8 not null,
    repeated_at timestamptz,
    delivery int2 not null check (delivery between 0 and 3),
    tries int4 not null,
    tried_at timestamptz,
    status int4,
    fault text not null,
    primary key (run_id, number)
);

-- Answers to bare rows sent with an Idempotency-Key; dropped after a week.
create table run_idempotency (
    run_id int8 not null,
    key text not null,
    digest bytea not null,
    row_first int8 not null,
    row_count int8 not null,
    created_at timestamptz not null,
    primary key (run_id, key)
);
create index run_idempotency_by_age on run_idempotency (created_at);

-- For search, by project: state, names, config and summary of a run as one document. Written after the
-- run's own transaction, from run_change; search may lag by two seconds. change: the project's count when
-- it was written (document_count); shown: the count when the run's visibility was changed last. size_bytes: the
-- document's length as text. The row of a deleted run stays, empty, until the run is purged, so that servers that
-- cache columns of the documents see the deletion; so does the row of a run that was moved to another project.
create table run_document (
    project_id int8 not null,
    run_id int8 not null,
    seq int8 not null,
    change int8 not null,
    shown int8 not null default 0,
    visibility int2 not null,
    deleted bool not null,
    size_bytes int8 not null,
    document jsonb not null,
    primary key (project_id, run_id)
);
create index run_document_by_change on run_document (project_id, change);

-- How often a project's documents were changed. Counted under its row's lock, which is the last lock a
-- transaction takes: a reader that sees a count sees all changes up to it. forgotten: the greatest count of
-- a row that was removed.
create table document_count (
    project_id int8 primary key,
    change int8 not null,
    forgotten int8 not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Runs whose document is older than the run: inserted in the run's transaction, removed by the job that
-- writes documents. not_before: the document could not be written; when to try again.
create table run_change (
    run_id int8 primary key,
    project_id int8 not null,
    seq int8 not null,
    not_before timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
