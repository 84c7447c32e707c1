"""A project of 100,000 runs, written into the database as a server would have left them, and a run of a million console lines."""
from rest import encode

HOME = "/api/v1/projects/ann/big"
RUNS = 100_000
LINES = 1_000_000
WRITERS = 4
EACH = LINES // WRITERS
PER_BATCH = 25_000
BEGAN = 1_772_355_600
NEEDLE = 123_456
FIRST_ID = 1 << 40

FILL = f"""
insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags, visibility,
                 color_number, created_at)
select project_id, 'r' || i, {FIRST_ID} + i, 'run ' || i, 'train', 'g' || i %% 100, '', '', '[]', 0, i %% 24,
       timestamptz '2026-03-01' + i * interval '1 second'
  from project, generate_series(1, {RUNS}) i where project.name = 'big';
insert into run_hot (run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq, tail_rows, tail_bytes,
                     heard_at, look_at, state, attempt, fallback_state, end_pending, next_writer, next_state,
                     document_seq, size_seq, started_at, ended_at)
select {FIRST_ID} + i, project_id, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, false, 0, 2, 1, -1, now(), now()
  from project, generate_series(1, {RUNS}) i where project.name = 'big';
insert into run_document (project_id, run_id, seq, change, visibility, deleted, size_bytes, document)
select project_id, {FIRST_ID} + i, 1, i, 0, false, length(document::text), document
  from project, generate_series(1, {RUNS}) i
 cross join lateral (
       select jsonb_build_object(
                  'id', 'r' || i, 'display_name', 'run ' || i, 'job_type', 'train', 'group', 'g' || i %% 100,
                  'state', 'finished', 'tags', '[]'::jsonb, 'notes', '', 'user', 'ann', 'writers', 1,
                  'created_at', to_char(timestamp '2026-03-01' + i * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                  'config', jsonb_build_object('lr', 1.0 / (1 + i %% 997), 'arch', 'm' || i %% 10, 'seed', i),
                  'summary', jsonb_build_object('loss', (i * 7919 %% 100003) / 1000.0)) as document) d
 where project.name = 'big';
insert into document_count (project_id, change, forgotten) select project_id, {RUNS}, 0 from project where name = 'big'
on conflict (project_id) do update set change = {RUNS};
analyze run;
analyze run_hot;
analyze run_document;
"""


def make_runs(api, db):
    """run 1 to run 100000; the newest is the last."""
    api.put(HOME, {})
    for statement in FILL.split(";\n")[:-1]:
        db.query(statement)


def lowest_loss():
    return min(range(1, RUNS + 1), key=lambda number: number * 7919 % 100_003)


def text_of(rank, line):
    return f"a needle of rank {rank}" if line == NEEDLE else f"step {line}: loss {(line * 7919 % 10007) / 10007:.5f}, rank {rank}"


def lines_of(rank, first):
    return ",".join(f'{{"line":{n},"time":{BEGAN + n / 100 + rank / 1000:.3f},"text":"{text_of(rank, n)}"}}'
                    for n in range(first, first + PER_BATCH))


def make_lines(api):
    """Lines of four ranks, one of each rank a hundredth of a second; returns what sends further ones."""
    path = f"{HOME}-lines/runs/long"
    api.put(path, {})
    sessions = [api.post(f"{path}/join", {"client": f"w{rank}", "label": f"rank{rank}", "role": "worker" if rank else "primary"}).json["session"]
                for rank in range(WRITERS)]
    for number, first in enumerate(range(0, EACH, PER_BATCH), 1):
        for rank, session in enumerate(sessions):
            api.post(f"{path}/batch", f'{{"writer":"w{rank}","session":{session},"batch":{number},"console":[{lines_of(rank, first)}]}}')

    def send_more(*console):
        nonlocal number
        number += 1
        api.post(f"{path}/batch", encode({"writer": "w0", "session": sessions[0], "batch": number, "console": list(console)}))
    return send_more
