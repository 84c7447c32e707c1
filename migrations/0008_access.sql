-- For a run that was moved out of an entity: it is not purged before this time, whoever deletes it in its new project,
-- and admins of the entity it was created in can move it back.
alter table run_hot add column kept_until timestamptz;

-- The view mentions runs that were not visible to everybody when it was saved: it is shown to users who can see
-- private runs of the project. Drafts saved before this migration may mention any run.
alter table project_view add column is_closed bool not null default false;
update project_view set is_closed = true where kind = 4;
create index run_private on run (project_id) where visibility = 1;
