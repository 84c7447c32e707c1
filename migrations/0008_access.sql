-- A run that was moved out of an entity: until then it is not purged, whoever deletes it where it is now, and admins of
-- the entity that it was made in may bring it back.
alter table run_hot add column kept_until timestamptz;

-- The view tells of runs that not everybody could see when it was saved: it is shown to those who see what is private in
-- the project. Drafts of before may hold anything.
alter table project_view add column is_closed bool not null default false;
update project_view set is_closed = true where kind = 4;
create index run_private on run (project_id) where visibility = 1;
