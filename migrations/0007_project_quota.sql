-- With more than that stored a project gets no new runs and files; null: what its entity may take alone.
alter table project add column quota_bytes int8 check (quota_bytes > 0);
