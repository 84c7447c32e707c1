-- A run that is brought back is looked for at all places that it was moved away from.
create index run_moved on run (run_id) where moved_to is not null;
