-- Names of metrics that no run uses any more are deleted. Their numbers are never reused: caches of servers and
-- batches that are about to be stored may still have them.

-- project_key.run_id: the run that introduced the name, at made_at; null: not known. unused_at: since when no run uses it.
-- A name is deleted some hours later (store/series/metric_store.h), unless a batch uses it again, which sets it to null.
alter table project_key
    add column run_id int8,
    add column made_at timestamptz not null default '2000-01-01 00:00:00+00',
    add column unused_at timestamptz;
create index project_key_by_run on project_key (project_id, run_id, made_at) where run_id is not null;

-- next_key: the next number. key_count: how many names there are. names_at: when a job looks next for names that no run
-- uses; null: no run left the project since the last time.
alter table project
    add column key_count int4 not null default 0,
    add column names_at timestamptz;
create index project_names on project (names_at) where names_at is not null;

update project p
   set key_count = k.count
  from (select project_id, count(*)::int4 as count from project_key group by project_id) k
 where k.project_id = p.project_id;
update project p
   set names_at = now()
 where p.purged_at is null
   and exists (select from run r where r.project_id = p.project_id and r.purged_at is not null);
