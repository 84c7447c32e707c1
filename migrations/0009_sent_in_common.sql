-- Several processes of the wandb SDK may write as one writer (domain/sdk_processes.h). common: what the
-- documents of all of them have in common (domain/sdk_common.h); null: the whole document next to it. For such a writer
-- run_writer.lines has the list of its processes.
alter table run_config add column common text;
alter table run_sent add column common text;
