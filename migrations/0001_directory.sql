-- The directory: users, teams, projects and what they own. Small tables, read often. Reference tables where there
-- are several database nodes.

create table server_setting (
    name text primary key,
    value text not null
);

-- Liveness uses one clock, the database's, shifted by this one row. Only tests change it; else it is 0.
create table server_clock (
    id int2 primary key check (id = 1),
    shift_us int8 not null
);
insert into server_clock (id, shift_us) values (1, 0);

-- An entity owns projects: a user (kind 1) or a team (kind 2). quota_bytes: an entity that stores more gets no
-- new runs; 0: no limit; null: the quota in the server's settings.
create table entity (
    entity_id int8 primary key,
    name text not null unique,
    kind int2 not null check (kind in (1, 2)),
    created_at timestamptz not null,
    quota_bytes int8 check (quota_bytes >= 0)
);

-- The account of a user; user_id is the entity_id of the user's own entity. is_service: the account of a program
-- that works for the members of its teams and may name the member it works for.
create table account (
    user_id int8 primary key,
    password_hash text,
    is_admin bool not null,
    is_service bool not null,
    default_entity_id int8 not null,
    disabled_at timestamptz,
    created_at timestamptz not null
);

-- Roles in a team: 1 viewer, 2 member, 3 admin. A user is admin of the entity of their own name.
create table team_member (
    team_id int8 not null,
    user_id int8 not null,
    role int2 not null check (role between 1 and 3),
    created_at timestamptz not null,
    primary key (team_id, user_id)
);
create index team_member_user on team_member (user_id);

-- API keys. A key is shown once and stored nowhere: key_hash is its keyed hash (libsodium generichash).
-- head, hint: its first and last characters. scope: 1 read, 2 write, 3 admin. last_address: the address it was
-- last used from, '' if it was never used.
create table api_key (
    key_id int8 primary key,
    user_id int8 not null,
    key_hash bytea not null unique,
    head text not null default '',
    hint text not null,
    name text not null,
    scope int2 not null check (scope between 1 and 3),
    created_at timestamptz not null,
    last_used_at timestamptz,
    last_address text not null default '',
    revoked_at timestamptz
);
create index api_key_user on api_key (user_id);

-- Sessions of users who signed in with a password in a browser. token_hash is the keyed hash of the cookie's value.
-- ends_at: computed from when the session began and when it was last seen, to the minute.
create table account_session (
    token_hash bytea primary key,
    user_id int8 not null,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    ends_at timestamptz not null
);
create index account_session_user on account_session (user_id);
create index account_session_end on account_session (ends_at);

-- The audit log, written in the transaction of the event itself. Names are as they were at that time, '' if there is
-- none. way: how the user was authenticated (domain/audit.h); key_id: the key, if one was used. No foreign keys:
-- a row outlives what it names.
create table audit_entry (
    audit_id int8 primary key generated always as identity,
    at timestamptz not null,
    actor text not null,
    way int2 not null check (way between 1 and 4),
    key_id int8,
    address text not null,
    action text not null,
    entity text not null,
    project text not null,
    run text not null,
    subject text not null,
    detail text not null
);
create index audit_entry_at on audit_entry (at, audit_id);
create index audit_entry_actor on audit_entry (actor, at, audit_id);
create index audit_entry_entity on audit_entry (entity, at, audit_id);
create index audit_entry_project on audit_entry (project, at, audit_id);

-- visibility: 1 private, 2 public. next_key counts the names of metrics (project_key).
-- purge_at: when the data of a deleted project is purged; purged_at: when that was done. The row stays, because its
-- name is not reused.
-- directions: JSON, for each metric whether lower or higher is better (domain/project.h).
-- keep_…_days: how long a run in that final state is kept, 0: forever. retain_at: when retention looks next.
create table project (
    project_id int8 primary key,
    entity_id int8 not null,
    name text not null,
    description text not null,
    visibility int2 not null check (visibility in (1, 2)),
    crash_after_s int4 not null check (crash_after_s between 5 and 604800),
    next_key int4 not null,
    created_at timestamptz not null,
    deleted_at timestamptz,
    purge_at timestamptz,
    purged_at timestamptz,
    keep_finished_days int4 not null check (keep_finished_days >= 0),
    keep_failed_days int4 not null check (keep_failed_days >= 0),
    keep_crashed_days int4 not null check (keep_crashed_days >= 0),
    keep_killed_days int4 not null check (keep_killed_days >= 0),
    retain_at timestamptz,
    directions text not null default '[]',
    unique (entity_id, name)
);
create index project_purge on project (purge_at) where purge_at is not null and purged_at is null;
create index project_retain on project (retain_at) where retain_at is not null;

-- Webhooks that alerts of a project are sent to. secret: the signing secret, encrypted with the servers' secret;
-- null: messages are not signed.
create table project_webhook (
    project_id int8 primary key,
    url text not null,
    secret bytea,
    changed_at timestamptz not null
);

-- Saved views of a project's runs (domain/view.h). kind: 1 the owner's, 2 the project's, 3 the default, 4 a draft.
-- state: JSON; its content belongs to the page. version: how often it was saved.
create table project_view (
    project_id int8 not null,
    id text not null,
    kind int2 not null check (kind between 1 and 4),
    name text not null,
    owner_id int8 not null,
    state text not null,
    version int4 not null,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    changed_by int8 not null,
    primary key (project_id, id)
);
create index project_view_draft on project_view (created_at) where kind = 4;
create index project_view_draft_owner on project_view (owner_id, created_at) where kind = 4;

-- Alerts (run_alert) that wait to be sent. due_at: when to try next; a server that tries one moves it forward, so
-- that no other server tries at the same time.
create table alert_delivery (
    run_id int8 not null,
    number int4 not null,
    project_id int8 not null,
    due_at timestamptz not null,
    tries int4 not null,
    primary key (run_id, number)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
create index alert_delivery_due on alert_delivery (due_at);

-- The storage that runs of a project take: the sum of run_hot.size_bytes, and the part of runs that were deleted one
-- by one. heard_at: when a process was last heard, among the measured runs. Not a column of project, because that row
-- is locked whenever a metric gets a name.
create table project_usage (
    project_id int8 primary key,
    size_bytes int8 not null,
    deleted_bytes int8 not null,
    heard_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- Bytes used on the disk of the files, once a day: the forecast of when it will be full uses them.
create table disk_sample (
    day date primary key,
    at timestamptz not null,
    disk_bytes int8 not null,
    used_bytes int8 not null
);

-- Names of metrics, numbered per project; append-only, so servers may cache them forever.
create table project_key (
    project_id int8 not null,
    key_id int4 not null,
    name text not null,
    primary key (project_id, key_id),
    unique (project_id, name)
);
