-- Lists add changes that are not in the searched documents yet: the runs of a project with such changes, and since when.
create index run_change_by_project on run_change (project_id, run_id);
-- noted_at: when the oldest change was recorded that the document lacks.
alter table run_change add column noted_at timestamptz not null default now();
-- next_row: the run's next row when the document was written, to tell a running run with newer rows from others.
-- read_at: when the run was read; the document has everything that was acknowledged before.
alter table run_document add column next_row int8 not null default -1,
                         add column read_at timestamptz not null default now();
