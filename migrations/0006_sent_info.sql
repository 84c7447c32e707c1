-- What processes of the wandb SDK sent last of what people edit: {"displayName", "groupName", "jobType", "sweep", "notes",
-- "tags"}, as far as they did. They send all of it with every change: what differs from this is what they changed.
-- Null: none did.
alter table run add column sent jsonb;
