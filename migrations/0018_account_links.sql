-- One-time links for people: an invitation, with which a person makes their own user (kind 1), and a link that sets the
-- password of a user (kind 2). The token of a link is shown once; token_hash is its keyed hash. A row is deleted when its link
-- is used or revoked.
-- user_id: the user whose password is set. is_admin, team_id, role: what an invited user becomes. note: who it is for, as an
-- admin wrote it. made_by: the admin who made it, without whose rights it does not work; null: made on the server's host.
create table account_link (
    link_id int8 primary key,
    kind int2 not null check (kind in (1, 2)),
    token_hash bytea not null unique,
    user_id int8,
    is_admin bool not null,
    team_id int8,
    role int2 check (role between 1 and 3),
    note text not null,
    made_by int8,
    created_at timestamptz not null,
    ends_at timestamptz not null,
    row_sum int8,
    check ((kind = 2) = (user_id is not null)),
    check ((team_id is null) = (role is null)),
    check (kind = 1 or (not is_admin and team_id is null))
);
create index account_link_end on account_link (ends_at);
