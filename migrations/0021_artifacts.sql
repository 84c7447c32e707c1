-- Artifacts: versioned collections of files. All tables but two have project_id as their first column and are distributed by it:
-- an artifact stays in its project. artifact_client is found by the client's id. run_artifact belongs to its run.
-- row_sum: see 0015. The parts of a sum are numbered at each table as [n]; columns that are not listed are in part 0.

-- Types of a project. A type is kept when its last collection is deleted.
create table artifact_type (
    project_id int8 not null,
    name text collate "C" not null,
    description text not null,
    created_at timestamptz not null,
    row_sum int8,
    primary key (project_id, name)
);

-- kind: 1 sequence (versions are made in it), 2 portfolio (versions are linked into it). The row is the lock of the collection:
-- its name, aliases, members and the numbers of its versions change only under it.
-- name: null when it is deleted, so that the name is free again; deleted_name is the name that it had.
-- ttl_s: of versions that have none of their own, 0: they never expire. keep_last: how many versions without an alias are kept,
-- 0: all. look_at: when the artifact job looks (it was deleted, or has too many versions).
-- [1] name, type, description, tags, ttl_s, keep_last, changed_at   [2] next_version   [3] deleted_at, deleted_name, look_at
create table artifact_collection (
    project_id int8 not null,
    collection_id int8 not null,
    kind int2 not null check (kind in (1, 2)),
    name text collate "C",
    type text collate "C" not null,
    description text,
    tags jsonb not null,
    ttl_s int8 not null check (ttl_s >= 0),
    keep_last int4 not null check (keep_last >= 0),
    created_by int8,
    created_at timestamptz not null,
    changed_at timestamptz not null,
    next_version int4 not null,
    deleted_at timestamptz,
    deleted_name text collate "C",
    look_at timestamptz,
    row_sum int8,
    primary key (project_id, collection_id),
    unique (project_id, name)
) with (fillfactor = 70);
create index artifact_collection_type on artifact_collection (project_id, type, name);
create index artifact_collection_look on artifact_collection (look_at) where look_at is not null;

-- A version, or the draft of one. state: 1 pending, 2 committed, 3 deleted. version: given at the commit, null before.
-- digest: the client's while pending, then computed from the entries. asked: a JSON array, the aliases that the commit sets; of
-- a deleted version, those that it had. manifest_id: the current one. base_id: the version it was made from. run_id: the run that
-- made it, if any. user_id: the user. history_step: as sent.
-- ttl_s: null: as the collection, 0: it never expires. metadata: JSON, whose cast to jsonb cannot fail.
-- heard_at: the last request of the draft. look_at: when the artifact job looks (it expires, or is deleted, or was given up).
-- [1] state, version, digest, manifest_id, size_bytes, file_count, committed_at, asked
-- [2] description, metadata, tags, ttl_s, changed_at   [3] deleted_at, look_at, heard_at
create table artifact (
    project_id int8 not null,
    artifact_id int8 not null,
    collection_id int8 not null,
    base_id int8,
    distributed text collate "C",
    region text,
    history_step int8,
    run_id int8,
    user_id int8,
    created_at timestamptz not null,
    state int2 not null check (state between 1 and 3),
    version int4,
    digest text collate "C" not null,
    manifest_id int8,
    size_bytes int8 not null,
    file_count int8 not null,
    committed_at timestamptz,
    asked jsonb not null,
    description text,
    metadata text,
    tags jsonb not null,
    ttl_s int8 check (ttl_s >= 0),
    changed_at timestamptz not null,
    heard_at timestamptz not null,
    deleted_at timestamptz,
    look_at timestamptz,
    row_sum int8,
    primary key (project_id, artifact_id),
    unique (project_id, collection_id, version)
) with (fillfactor = 70);
create index artifact_draft on artifact (project_id, collection_id, distributed) where state = 1;
create index artifact_digest on artifact (project_id, collection_id, digest) where state = 2;
create index artifact_of_run on artifact (project_id, run_id) where run_id is not null;
create index artifact_look on artifact (look_at) where look_at is not null;

-- Names that clients choose before they ask: kind 1 of a draft (then of the version that was found or made for it), 2 of a
-- sequence. They are permanent: values in histories name them.
create table artifact_client (
    client text collate "C" not null,
    kind int2 not null check (kind in (1, 2)),
    project_id int8 not null,
    target_id int8 not null,
    created_at timestamptz not null,
    row_sum int8,
    primary key (client, kind)
);
create index artifact_client_of on artifact_client (project_id);

-- Versions in a collection, and their numbers there: its own, and those that are linked into it, from any project.
-- source_id: the project of the version.
create table artifact_member (
    project_id int8 not null,
    collection_id int8 not null,
    version int4 not null,
    source_id int8 not null,
    artifact_id int8 not null,
    added_by int8,
    added_at timestamptz not null,
    row_sum int8,
    primary key (project_id, collection_id, version),
    unique (project_id, collection_id, source_id, artifact_id)
);
create index artifact_member_of on artifact_member (source_id, artifact_id);

create table artifact_alias (
    project_id int8 not null,
    collection_id int8 not null,
    alias text collate "C" not null,
    version int4 not null,
    set_by int8,
    set_at timestamptz not null,
    row_sum int8,
    primary key (project_id, collection_id, alias)
) with (fillfactor = 70);
create index artifact_alias_version on artifact_alias (project_id, collection_id, version);

-- kind: 1 whole, 2 added to base_id, 3 one process's part, 4 merged by the server, 5 references that were added one by one.
-- md5: what its JSON must have, null: not known yet. entry_count, size_bytes, digest: of its entries when all are stored
-- (stored_at), else null. config: storagePolicyConfig as sent.
-- [1] md5, base_id, stored_at, entry_count, size_bytes, digest, config
create table artifact_manifest (
    project_id int8 not null,
    manifest_id int8 not null,
    artifact_id int8 not null,
    kind int2 not null check (kind between 1 and 5),
    created_at timestamptz not null,
    md5 bytea,
    base_id int8,
    stored_at timestamptz,
    entry_count int8,
    size_bytes int8,
    digest text collate "C",
    config text,
    row_sum int8,
    primary key (project_id, manifest_id)
) with (fillfactor = 70);
create index artifact_manifest_of on artifact_manifest (project_id, artifact_id);

-- A file or a reference of a manifest. blob_id: null for a reference, and for a file whose content has not come.
-- digest: as the client wrote it. extra: a JSON object as sent. [1] blob_id.
create table artifact_entry (
    project_id int8 not null,
    manifest_id int8 not null,
    path text collate "C" not null,
    blob_id int8,
    size_bytes int8,
    digest text collate "C" not null,
    ref text,
    extra text,
    row_sum int8,
    primary key (project_id, manifest_id, path)
) with (autovacuum_vacuum_scale_factor = 0.05);
create index artifact_entry_blob on artifact_entry (project_id, blob_id) where blob_id is not null;
create index artifact_entry_open on artifact_entry (project_id, manifest_id) where blob_id is null and ref is null;

-- Files that a draft has: uploaded, or found by their MD5 and held for it. Removed after the commit.
create table artifact_upload (
    project_id int8 not null,
    artifact_id int8 not null,
    path text collate "C" not null,
    blob_id int8 not null,
    came_at timestamptz not null,
    row_sum int8,
    primary key (project_id, artifact_id, path)
);
create index artifact_upload_blob on artifact_upload (project_id, blob_id);

-- Content that a project has, once for all its versions. blob_id: the beginning of content, which is unique by it. content: its
-- name in the content store. birth_id: the artifact that
-- sent it first. look_at: when to look whether an entry or an upload still names it. counted: whether project_usage has it.
-- [1] look_at, counted.
create table artifact_blob (
    project_id int8 not null,
    blob_id int8 not null,
    content bytea not null,
    md5 bytea not null,
    size_bytes int8 not null,
    birth_id int8 not null,
    came_at timestamptz not null,
    look_at timestamptz,
    counted bool not null,
    row_sum int8,
    primary key (project_id, blob_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index artifact_blob_md5 on artifact_blob (project_id, md5);
create index artifact_blob_content on artifact_blob (content);
create index artifact_blob_look on artifact_blob (look_at) where look_at is not null;
create index artifact_blob_new on artifact_blob (project_id, blob_id) where not counted;

-- A file that comes in parts. state: 1 parts come, 2 they are being joined, 3 they were joined. [1] state, blob_id, heard_at.
create table artifact_multipart (
    project_id int8 not null,
    upload_id int8 not null,
    artifact_id int8 not null,
    path text collate "C" not null,
    md5 bytea not null,
    part_count int4 not null,
    state int2 not null check (state between 1 and 3),
    blob_id int8,
    heard_at timestamptz not null,
    row_sum int8,
    primary key (project_id, upload_id)
);
create index artifact_multipart_of on artifact_multipart (project_id, artifact_id);
create index artifact_multipart_heard on artifact_multipart (heard_at);

create table artifact_part (
    project_id int8 not null,
    upload_id int8 not null,
    part int4 not null,
    content bytea not null,
    md5 bytea not null,
    size_bytes int8 not null,
    row_sum int8,
    primary key (project_id, upload_id, part)
);
create index artifact_part_content on artifact_part (content);

-- Artifacts that runs read and wrote. way: 1 input, 2 output. Changed under the run's lock. A draft's output is shown when it is
-- committed. project_id: the artifact's.
create table run_artifact (
    run_id int8 not null,
    way int2 not null check (way in (1, 2)),
    project_id int8 not null,
    artifact_id int8 not null,
    used_as text,
    at timestamptz not null,
    row_sum int8,
    primary key (run_id, way, project_id, artifact_id)
);
create index run_artifact_of on run_artifact (project_id, artifact_id, way);

-- The part of size_bytes that is content of artifacts. Part 1 of row_sum.
alter table project_usage add column artifact_bytes int8 not null default 0;
