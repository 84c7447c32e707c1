-- First and last time of the lines of a console block, microseconds since 1970, so that a read by time skips other
-- blocks. Null for rows and system metrics, and for blocks stored before this migration.
alter table tail add column time_first int8;
alter table tail add column time_last int8;
