-- From when to when the lines of a console block lie, microseconds since 1970, so that who reads by time leaves out the
-- others. Null of rows and system metrics, and of blocks that came before this.
alter table tail add column time_first int8;
alter table tail add column time_last int8;
