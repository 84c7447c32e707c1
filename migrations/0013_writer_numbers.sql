-- A run could have a writer whose number it did not count: a process of the wandb SDK without a client id whose first
-- batch was refused. The next writer of the run would get the same number; now it gets its own.
update run_hot h
   set next_writer = w.last + 1
  from (select run_id, max(writer) as last from run_writer group by run_id) w
 where w.run_id = h.run_id and h.next_writer <= w.last;
