-- Fields that people can edit, as processes of the wandb SDK sent them last: {"displayName", "groupName", "jobType",
-- "sweep", "notes", "tags"}, as far as they did. They send all of it with every change: a difference from this is what
-- they changed. Null: no process sent any.
alter table run add column sent jsonb;
