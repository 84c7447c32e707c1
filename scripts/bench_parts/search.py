"""Search among 100,000 runs with 30 config and 20 summary keys each; beside it one JSONB scan for the same."""
import json
import re
import statistics
import time
import urllib.parse
import urllib.request

from server import Server

PROJECT = "bench/search"
RUNS = 100_000
LIMIT = 50

# Queries over HTTP, and the same queries of a table of JSONB: condition, key.
QUESTIONS = [
    ({}, "true", "created_at", "desc"),
    ({"filter": "config.lr<0.001", "order": "summary.loss"},
     "(document #> '{config,lr}')::float8 < 0.001", "summary,loss", "asc"),
    ({"filter": "config.lr<0.000002 config.model:m7", "order": "summary.loss"},
     "(document #> '{config,lr}')::float8 < 0.000002 and document #>> '{config,model}' = 'm7'", "summary,loss", "asc"),
    ({"order": "-config.c21"}, "true", "config,c21", "desc"),
    ({"filter": "config.c11>0.5 config.c12<0.7 summary.s3>10 summary.s4<60", "order": "-summary.s5"},
     "(document #> '{config,c11}')::float8 > 0.5 and (document #> '{config,c12}')::float8 < 0.7 and "
     "(document #> '{summary,s3}')::float8 > 10 and (document #> '{summary,s4}')::float8 < 60", "summary,s5", "desc"),
    ({"filter": "state:finished config.optimizer:/^ada/ not tags:bad", "order": "display_name", "count": "true"},
     "document ->> 'state' = 'finished' and document #>> '{config,optimizer}' ~ '^ada' "
     "and not document -> 'tags' ? 'bad'", "display_name", "asc"),
]

# Texts that are all different, looked through for something new each time; the last one is asked again and again.
TEXTS = {
    "search-words": (lambda n: {"filter": f"n {n}"}, lambda n: f"document ->> 'display_name' ilike '%n {n}%'"),
    "search-regex": (lambda n: {"filter": f"name:/[{n % 9}].*{n % 97}$/"},
                     lambda n: f"document ->> 'display_name' ~ '[{n % 9}].*{n % 97}$'"),
    "search-again": (lambda _: {"filter": "name:/[7].*77$/"}, lambda _: "document ->> 'display_name' ~ '[7].*77$'"),
}

# How many runs of the project changed since their documents were written: a note each, as an edit leaves it.
PENDING = (0, 1, 64, 1000)
NOTE = """
insert into run_change (run_id, project_id, seq)
select run_id, project_id, document_seq from run_hot
 where run_id in (select run_id from run where project_id = {project} and name like 'p%' order by name limit {count})
on conflict do nothing
"""
TRIES = 15

# The runs are as measured as those of a server that has run for a while: else it would measure them meanwhile.
FILL = """
insert into run (project_id, name, run_id, display_name, job_type, group_name, sweep, notes, tags, visibility,
                 color_number, created_at)
select {project}, 'r' || i, {first} + i, 'run ' || i, 'train', '', '', '', '[]', 0, i, now() + i * interval '1 second'
  from generate_series(1, {runs}) i;
insert into run_hot (run_id, project_id, next_row, next_event, next_seq, last_step, compact_seq, tail_rows, tail_bytes,
                     heard_at, look_at, state, attempt, fallback_state, end_pending, next_writer, next_state,
                     document_seq, size_seq, started_at, ended_at)
select {first} + i, {project}, 0, 0, 0, -1, -1, 0, 0, now(), now(), 2, 1, 0, false, 0, 2, 1, -1, now(), now()
  from generate_series(1, {runs}) i;
select setseed(0.5);
insert into run_document (project_id, run_id, seq, change, visibility, deleted, size_bytes, document)
select {project}, {first} + i, 1, i, 0, false, length(document::text), document
  from generate_series(1, {runs}) i
 cross join lateral (
       select jsonb_build_object(
                  'id', 'r' || i, 'display_name', 'run ' || i, 'job_type', 'train', 'group', 'g' || i % 100,
                  'state', (array['running', 'finished', 'failed', 'crashed'])[1 + i % 4],
                  'tags', case when i % 7 = 0 then '["bad"]' else '["good", "kept"]' end::jsonb, 'notes', '',
                  'user', 'bench', 'writers', 1,
                  'created_at', to_char(now() at time zone 'utc' + i * interval '1 second',
                                        'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                  'config', (select jsonb_object_agg('c' || k, round((random() + i * 0)::numeric, 6))
                               from generate_series(1, 26) k)
                            || jsonb_build_object('lr', exp(-14.0 + 10 * random()), 'model', 'm' || i % 10,
                                                  'optimizer', (array['adam', 'adamw', 'sgd', 'lion'])[1 + i % 4],
                                                  'seed', i),
                  'summary', (select jsonb_object_agg('s' || k, random() * 100 + i * 0)
                                from generate_series(1, 19) k)
                             || jsonb_build_object('loss', random() * 3)) as document) d;
insert into document_count (project_id, change, forgotten) values ({project}, {runs}, 0)
on conflict (project_id) do update set change = {runs};
analyze run; analyze run_hot; analyze run_document;
"""


def path_of(question):
    return f"/projects/{PROJECT}/runs?" + urllib.parse.urlencode({"limit": LIMIT, **question})


def asked(ask, question):
    began = time.perf_counter()
    ask.raw("GET", path_of(question))
    return (time.perf_counter() - began) * 1e3


def metric(server, name):
    with urllib.request.urlopen(f"{server.url}/metrics") as answer:
        text = answer.read().decode()
    return float(re.search(rf"\n{name} (\S+)", text)[1])


def texts_ms(server, ask, project, name):
    """A page of what has a text, and one JSONB scan for it."""
    question, condition = TEXTS[name]
    times = [asked(ask, question(n * 331)) for n in range(60)]
    plain = plain_ms(server, project, (None, condition(331), "created_at", "desc"))
    return statistics.median(times), plain


def load(server, ask):
    """The first question, and how long it took until columns answered."""
    began = time.perf_counter()
    first = asked(ask, {})
    while not metric(server, "cairn_search_loads_total"):
        time.sleep(0.01)
    return first, time.perf_counter() - began


def plain_ms(server, project, question):
    """One JSONB scan, as PostgreSQL itself measures it."""
    _, condition, key, direction = question
    said = server.sql(
        f"explain (analyze, timing off) select run_id, document from run_document where project_id = {project} "
        f"and {condition} order by document #> '{{{key}}}' {direction}, run_id limit {LIMIT}")
    return float(re.search(r"Execution Time: (\S+) ms", said)[1])


def fill(server):
    ask = server.connect()
    ask("PUT", f"/projects/{PROJECT}", "{}")
    project = server.sql("select project_id from project where name = 'search'")
    if not int(server.sql(f"select count(*) from run_document where project_id = {project}")):
        server.sql(FILL.format(project=project, runs=RUNS, first=1 << 40))
    return project


def make_pending(ask):
    """Runs as clients make them, with as many keys as the others; when all are in their documents."""
    config = {f"c{k}": k / 7 for k in range(26)} | {"lr": 0.1, "model": "m1", "optimizer": "adam", "seed": 1}
    for i in range(max(PENDING)):
        run = f"/projects/{PROJECT}/runs/p{i:04}"
        ask("PUT", run, json.dumps({"config": config}))
        ask("POST", f"{run}/history", json.dumps([{f"s{k}": k / 3 for k in range(20)}]))
    whole(ask)


def whole(ask):
    """Asks until an answer has all; how often."""
    times = 1
    while "behind_s" in ask("GET", path_of({})):
        times += 1
    return times


def pending_ms(server, ask, project, count):
    """A page when so many runs are pending, whether it has all of them or says how old it is; and one that has all."""
    first, all_in = [], []
    for _ in range(TRIES):
        if count:
            server.sql(NOTE.format(project=project, count=count))
        began = time.perf_counter()
        ask.raw("GET", path_of({}))
        first.append((time.perf_counter() - began) * 1e3)
        whole(ask)
        all_in.append((time.perf_counter() - began) * 1e3)
    return statistics.median(first), statistics.median(all_in)


def pending(folder, _seconds):
    """The newest 50 of the 100,000 runs while 0, 1, 64 and 1,000 of them are in no document yet as they are."""
    with Server(folder) as server:
        project = fill(server)
        ask = server.connect()
        make_pending(ask)
        plain = statistics.median(plain_ms(server, project, QUESTIONS[0]) for _ in range(3))
        load(server, ask)
        for count in PENDING:
            first, all_in = pending_ms(server, ask, project, count)
            yield (f"search-pending-{count}", first, "ms", plain)
            yield (f"search-pending-{count}-all", all_in, "ms", plain)


def search(folder, seconds):
    """Pages of several filters and orders; the first page after a start; memory of the columns."""
    with Server(folder) as server:
        project = fill(server)
        plain = [statistics.median(plain_ms(server, project, q) for _ in range(3)) for q in QUESTIONS]
        table = float(server.sql("select pg_table_size('run_document')"))
    with Server(folder) as server:
        ask = server.connect()
        first, loaded = load(server, ask)
        memory = metric(server, "cairn_search_column_bytes")
        times = [[] for _ in QUESTIONS]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for taken, question in zip(times, QUESTIONS):
                taken.append(asked(ask, question[0]))
        texts = {name: texts_ms(server, ask, project, name) for name in TEXTS}
        if metric(server, "cairn_search_by_sql_total") > 1:
            raise RuntimeError("the database answered, not the columns")
    slowest = max(range(len(QUESTIONS)), key=lambda i: statistics.median(times[i]))
    every = sorted(t for taken in times for t in taken)
    yield ("search-100k", statistics.median(times[slowest]), "ms", plain[slowest])
    yield ("search-100k-p99", every[len(every) * 99 // 100], "ms", max(plain))
    for name, (taken, by_table) in texts.items():
        yield (name, taken, "ms", by_table)
    yield ("search-first", first, "ms", plain[0])
    yield ("search-load", loaded, "s", sum(plain) / len(plain) / 1e3)
    yield ("search-memory", memory / 2**20, "MiB", table / 2**20)
