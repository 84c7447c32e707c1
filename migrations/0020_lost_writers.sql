-- Searched documents have the number of lost writers (attempt_count_lost() of server/domain/attempt.h), if there are any. Documents
-- of runs in which a writer may be lost are written again.
insert into run_change (run_id, project_id, seq, noted_at, row_sum)
select n.run_id, n.project_id, n.document_seq, n.noted_at,
       hash_record_extended(row(n.run_id, n.project_id, n.document_seq, null::timestamptz, n.noted_at), 0)
  from (select h.run_id, h.project_id, h.document_seq, now() as noted_at
          from run_hot h
          join project p on p.project_id = h.project_id
         where h.deleted_at is null
           and exists (select from run_writer w
                        where w.run_id = h.run_id and w.state = 1 and w.role <> 3
                          and w.heard_at <= case when h.state in (3, 4) then h.ended_at
                                                 else coalesce(h.ended_at, now()) - p.crash_after_s * interval '1 second'
                                            end)) n
on conflict (run_id) do nothing;
