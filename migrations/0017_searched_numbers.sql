-- A metric of define_metric(summary=…) is a number in the searched document (server/domain/searched_summary.h), where it was
-- an object. Documents with such an object, or one like it, are written again.
insert into run_change (run_id, project_id, seq, noted_at)
select d.run_id, d.project_id, h.document_seq, now()
  from run_document d
  join run_hot h on h.run_id = d.run_id and h.project_id = d.project_id
 where not d.deleted and h.deleted_at is null
   and d.document @? '$.summary.**{1 to last} ? (exists(@.best) || exists(@.max) || exists(@.min) || exists(@.last) || exists(@.mean)
                                      || exists(@.first))'
on conflict (run_id) do nothing;
