-- Several processes of the wandb SDK may write as one writer (domain/sdk_processes.h). common: what all of them have sent
-- that may go on (domain/sdk_common.h); null: as much as stands beside it. Of such a writer run_writer.lines has the
-- list of its processes.
alter table run_config add column common text;
alter table run_sent add column common text;
