-- Numbers, system metrics and console: columns of many rows as bytes, never a row per point.

-- The tail: blocks that were acknowledged and not yet compacted. A ring of partitions that are truncated, never
-- deleted from. kind: 1 history, 2 events, 3 console. step_base: the run's greatest step before it.
-- size_bytes: its decoded size, for the memory of readers and of the compactor. writer -1: a pack, blocks of
-- several writers, whose rows follow one another. marks: what the flush changed of its writers (run_writer),
-- stored with the last block of the run.
-- The key's first column is the run: every reader except the one that empties a slot asks for a run.
create table tail (
    slot int2 not null,
    run_id int8 not null,
    seq int8 not null,
    kind int2 not null,
    writer int4 not null,
    row_first int8 not null,
    row_count int4 not null,
    step_base int8 not null,
    size_bytes int8 not null,
    data bytea not null,
    marks bytea,
    primary key (run_id, seq, slot)
) partition by list (slot);
alter table tail alter column data set storage external;
alter table tail alter column marks set storage external;

create table tail_0 partition of tail for values in (0) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_1 partition of tail for values in (1) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_2 partition of tail for values in (2) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_3 partition of tail for values in (3) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_4 partition of tail for values in (4) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_5 partition of tail for values in (5) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_6 partition of tail for values in (6) with (autovacuum_enabled = off, toast_tuple_target = 8160);
create table tail_7 partition of tail for values in (7) with (autovacuum_enabled = off, toast_tuple_target = 8160);

-- One row: the slot that blocks are written to, and since when.
create table tail_ring (
    id int2 primary key check (id = 1),
    slot int2 not null,
    opened_at timestamptz not null
);
insert into tail_ring (id, slot, opened_at) values (1, 0, now());

-- Up to 4096 values of one (run, stream, writer, key, kind). kind: 1 numbers, 2 texts.
-- index_first: how many values of the same key and writer precede it.
-- Vacuumed early: space of purged runs is reused before a fifth of a large table is dead.
create table chunk (
    run_id int8 not null,
    stream int2 not null,
    key_id int4 not null,
    kind int2 not null,
    writer int4 not null,
    index_first int8 not null,
    value_count int4 not null,
    row_first int8 not null,
    row_last int8 not null,
    step_min int8 not null,
    step_max int8 not null,
    roll bytea,
    data bytea not null,
    primary key (run_id, stream, key_id, kind, writer, index_first)
) with (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
-- Exact reads go through a run by windows of rows, for any number of keys. The condition is always true: only a
-- statement that repeats it uses the index, and one that has the whole primary key is not led to it.
create index chunk_by_rows on chunk (run_id, stream, row_last, row_first) where kind > 0;
alter table chunk alter column data set storage external;
alter table chunk alter column roll set storage external;

-- 1024 line numbers of one writer's console. time_first, time_last: times of the lines as they are now,
-- microseconds since 1970. arrival_first, arrival_last: the numbers of the tail blocks they arrived
-- in. spread: how many there are in each part of their time, see line_spread.h.
create table console_chunk (
    run_id int8 not null,
    writer int4 not null,
    line_first int8 not null,
    line_count int4 not null,
    seq_last int8 not null,
    time_first int8 not null,
    time_last int8 not null,
    arrival_first int8 not null,
    arrival_last int8 not null,
    spread bytea not null default '',
    data bytea not null,
    primary key (run_id, writer, line_first)
) with (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
-- Everything that a page by time, or by arrival, asks before it reads a chunk, in either direction.
create index console_chunk_by_begin
    on console_chunk (run_id, time_first, writer, line_first, time_last);
create index console_chunk_by_end
    on console_chunk (run_id, time_last, writer, line_first, time_first);
create index console_chunk_by_first_arrival
    on console_chunk (run_id, arrival_first, writer, line_first, arrival_last);
create index console_chunk_by_last_arrival
    on console_chunk (run_id, arrival_last, writer, line_first, arrival_first);
alter table console_chunk alter column data set storage external;
