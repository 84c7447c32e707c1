-- Who there is and what they own: small tables, read often. Reference tables where there are several nodes.

create table server_setting (
    name text primary key,
    value text not null
);

-- Liveness uses one clock, the database's, shifted by this one row (tests move it; else 0).
create table server_clock (
    id int2 primary key check (id = 1),
    shift_us int8 not null
);
insert into server_clock (id, shift_us) values (1, 0);

-- An entity owns projects: a user (kind 1) or a team (kind 2). quota_bytes: with more than that stored it
-- gets no new runs; 0 no limit, null what the server's settings say.
create table entity (
    entity_id int8 primary key,
    name text not null unique,
    kind int2 not null check (kind in (1, 2)),
    created_at timestamptz not null,
    quota_bytes int8 check (quota_bytes >= 0)
);

-- The account of a user; user_id is the entity_id of the user's own entity. is_service: of a program that
-- works for the members of its teams, and may say for which of them.
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

-- The key itself is shown once and kept nowhere: key_hash is its keyed hash (libsodium generichash).
-- head, hint: its first and last characters. scope: 1 read, 2 write, 3 admin. last_address: from where it was used
-- last, '' while it was not.
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

-- Who signed in with a password, in a browser. token_hash is the keyed hash of what the cookie holds.
-- ends_at: by rule, of when it began and when it was last seen, which is kept to the minute.
create table account_session (
    token_hash bytea primary key,
    user_id int8 not null,
    created_at timestamptz not null,
    seen_at timestamptz not null,
    ends_at timestamptz not null
);
create index account_session_user on account_session (user_id);
create index account_session_end on account_session (ends_at);

-- Who did what, to whom it matters who administers: the audit log, with the deed's own transaction. Names as they were
-- then, '' where there is none. way: how they were known (domain/audit.h); key_id: by which key. No foreign keys: it
-- outlives what it names.
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
-- purge_at: when what a deleted project held is given up; purged_at: when that was done. The row stays,
-- for its name is not given out again.
-- directions: JSON, which way the values of a metric are better (domain/project.h).
-- keep_…_days: how long a run that ended so is kept, 0 for ever. retain_at: when retention looks next.
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

-- Where a project has its alerts sent to. secret: what they are signed with, sealed under the servers' secret;
-- null: they are not.
create table project_webhook (
    project_id int8 primary key,
    url text not null,
    secret bytea,
    changed_at timestamptz not null
);

-- Views of a project's runs that somebody saved (domain/view.h). kind: 1 its owner's, 2 the project's, 3 the
-- default, 4 a draft. state: JSON; what is in it is the page's. version: how often it was saved.
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

-- Alerts (run_alert) that wait to be sent. due_at: when one is tried; a server that tries it puts that off, so
-- that no other does meanwhile.
create table alert_delivery (
    run_id int8 not null,
    number int4 not null,
    project_id int8 not null,
    due_at timestamptz not null,
    tries int4 not null,
    primary key (run_id, number)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);
create index alert_delivery_due on alert_delivery (due_at);

-- What the runs of a project take: the sum of their run_hot.size_bytes, and of it those deleted one by
-- one. heard_at: when a process was last heard, of the runs that were measured. Beside the project, whose row is
-- locked by whoever names a metric.
create table project_usage (
    project_id int8 primary key,
    size_bytes int8 not null,
    deleted_bytes int8 not null,
    heard_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01);

-- What was used of the disk that files lie on, once a day: when it will be full is told by it.
create table disk_sample (
    day date primary key,
    at timestamptz not null,
    disk_bytes int8 not null,
    used_bytes int8 not null
);

-- Names of metrics, counted per project; append-only, so servers may keep them in memory for ever.
create table project_key (
    project_id int8 not null,
    key_id int4 not null,
    name text not null,
    primary key (project_id, key_id),
    unique (project_id, name)
);
