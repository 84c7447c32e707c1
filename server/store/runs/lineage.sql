-- Artifacts that runs read and wrote.

-- name: lineage_add
-- Under the run's lock. An edge that is there keeps its time.
insert into run_artifact (run_id, way, project_id, artifact_id, used_as, at, row_sum)
values ($1, $2, $3, $4, $5, $6,
        hash_record_extended(row($1::int8, $2::int2, $3::int8, $4::int8, $5::text, $6::timestamptz), 0))
on conflict (run_id, way, project_id, artifact_id) do update
   set used_as = coalesce(excluded.used_as, run_artifact.used_as),
       row_sum = hash_record_extended(row(run_artifact.run_id, run_artifact.way, run_artifact.project_id,
            run_artifact.artifact_id, coalesce(excluded.used_as, run_artifact.used_as), run_artifact.at), 0);

-- part: lineage
select l.run_id, l.way, l.project_id, l.artifact_id, l.used_as, l.at
  from run_artifact l

-- name: lineage_of_run
-- use: lineage
 where l.run_id = $1 and l.way = $2
   and (not $3::bool or (l.at, l.project_id, l.artifact_id) > ($4::timestamptz, $5::int8, $6::int8))
 order by l.at, l.project_id, l.artifact_id
 limit $7;

-- name: lineage_of_run_page
-- $2: one way, 0: both. $3: after ($4, $5, $6, $7).
-- use: lineage
 where l.run_id = $1 and ($2::int2 = 0 or l.way = $2)
   and (not $3::bool
        or (l.at, l.project_id, l.artifact_id, l.way) > ($4::timestamptz, $5::int8, $6::int8, $7::int2))
 order by l.at, l.project_id, l.artifact_id, l.way
 limit $8;

-- name: lineage_find
-- use: lineage
 where l.run_id = $1 and l.way = $2 and l.project_id = $3 and l.artifact_id = $4;

-- name: lineage_of_runs
-- use: lineage
 where l.run_id = any($1)
 order by l.run_id, l.at, l.project_id, l.artifact_id
 limit $2;

-- name: artifacts_used_by
-- $1, $2: projects and numbers of the artifacts.
-- use: lineage
  join unnest($1::int8[], $2::int8[]) as n (project_id, artifact_id)
    on n.project_id = l.project_id and n.artifact_id = l.artifact_id
 order by l.project_id, l.artifact_id, l.at, l.run_id
 limit $3;

-- name: artifact_used_by
-- use: lineage
 where l.project_id = $1 and l.artifact_id = $2 and l.way = $3
 order by l.at, l.run_id
 limit $4;

-- name: lineage_runs
select h.run_id, h.project_id, p.entity_id, e.name as entity, p.name as project, r.name as run, r.display_name, r.job_type, h.state,
       p.visibility as project_visibility, r.visibility as run_visibility, r.created_at
  from run_hot h
  join project p on p.project_id = h.project_id
  join entity e on e.entity_id = p.entity_id
  join run r on r.project_id = h.project_id and r.run_id = h.run_id
 where h.run_id = any($1) and h.deleted_at is null and p.deleted_at is null;
