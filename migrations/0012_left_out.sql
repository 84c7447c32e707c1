-- Members of a request that could not be stored: a metric of a row, a key of the config, a file. Each cost only
-- itself. At most a thousand entries of a run, numbered from 0 in order of arrival; others are only counted.
-- kind: 1 history, 2 events, 3 config, 4 summary, 5 file, 6 a field of the run. reason: a code (base/left_out.h). name:
-- as it can be stored. count: how often it occurred. sample: the first one, up to 16 KiB.
create table run_left_out (
    run_id int8 not null,
    number int4 not null,
    kind int2 not null,
    reason text not null,
    name text not null,
    count int8 not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    sample text not null,
    primary key (run_id, number),
    unique (run_id, kind, reason, name)
);
-- The total number of left-out members.
alter table run_hot add column left_out int8 not null default 0;
-- For a name that is longer than a key may be and was shortened (base/odd_name.h): the full name, as it can be stored.
alter table project_key add column whole_name text;
