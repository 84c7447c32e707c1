-- Files of runs: a name here leads to content that lies beside the database, once however many names it has.

-- content: the BLAKE2b-256 of the bytes, which names them in the folder of files. user_id: who sent it;
-- client: the writer that did, as it names itself, '' when it was none.
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

-- What lies in the folder, and the lock of it. look_at: it came, or lost a name; then it is looked whether it
-- has one still, and given up if not. Long enough after, for a name is given after its content has come.
create table file_content (
    content bytea primary key,
    size_bytes int8 not null,
    look_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index file_content_look on file_content (look_at) where look_at is not null;
