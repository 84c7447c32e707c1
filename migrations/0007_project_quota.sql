-- A project that stores more gets no new runs and files; null: only the entity's quota applies.
alter table project add column quota_bytes int8 check (quota_bytes > 0);
