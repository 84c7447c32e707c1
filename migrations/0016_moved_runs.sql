-- A run that is moved back is looked up at all places that it was moved away from.
create index run_moved on run (run_id) where moved_to is not null;
