-- Files of runs: a name here refers to content in the content store, which holds it once for any number of names.

-- content: the BLAKE2b-256 of the bytes, which is their name in the content store. user_id: the user who sent it;
-- client: the writer that sent it, by the name it gives itself, '' if it was no writer.
-- Names are compared byte by byte: forms of Unicode that look alike are different names.
create table run_file (
    run_id int8 not null,
    name text collate "C" not null,
    size_bytes int8 not null,
    md5 bytea not null,
    content bytea not null,
    user_id int8 not null,
    client text not null,
    updated_at timestamptz not null,
    primary key (run_id, name)
);
-- Whether content still has a name.
create index run_file_by_content on run_file (content);

-- The content in the store, and its lock. look_at: when to check whether it still has a name after it arrived or lost
-- one; if not, it is removed. The delay is long enough, because a name is given after the content has arrived.
create table file_content (
    content bytea primary key,
    size_bytes int8 not null,
    look_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index file_content_look on file_content (look_at) where look_at is not null;
