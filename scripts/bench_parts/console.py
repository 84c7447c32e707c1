"""Ten million console lines in a run: written, rewritten in every chunk, read anywhere, searched; and each
answer is held against what was sent."""
import multiprocessing
import random
import statistics
import time

import host
from server import Server

LINES = 10_000_000
WRITERS = 4
EACH = LINES // WRITERS
PER_BATCH = 20_000
REWRITE = 1000  # of so many lines one is written again
PAGE = 100
BEGAN = 1_800_000_000
NEEDLE = 777_777
RUN = "/projects/bench/console/runs/long"


def text_of(writer, line, again=False):
    if again:
        return f"epoch {line // 1000}: 100 %|##########| done"
    if line == NEEDLE:
        return f"a needle of rank {writer}"
    if line % 50 == 0:
        return f"\x1b[33mstep {line}\x1b[0m: loss {(line * 7919 % 10007) / 10007:.5f}"
    return f"step {line}: loss {(line * 7919 % 10007) / 10007:.5f}, lr {line % 13}e-4, rank {writer}"


def time_of(writer, line):
    return round(BEGAN + line / 100 + writer / 1000, 3)


def is_again(line):
    return line % REWRITE == 7


def expected(writer, line):
    again = is_again(line)
    return {"label": f"rank{writer}", "writer": writer, "line": line, "stream": "stdout",
            "time": time_of(writer, line), "text": text_of(writer, line, again)}


def items(writer, lines, again=False):
    return ",".join(
        '{"line":%d,"time":%.3f,"text":"%s"}' % (i, time_of(writer, i), text_of(writer, i, again).replace("\x1b", "\\u001b"))
        for i in lines)


def join(ask, writer):
    client = f'"client":"w{writer}","label":"rank{writer}","role":"{"worker" if writer else "primary"}"'
    return ask("POST", RUN + "/join", "{" + client + "}")["session"]


def write_one(server, writer, session):
    """One writer's lines, then some of them again, in every chunk."""
    ask = server.connect()
    firsts = [range(at, min(at + PER_BATCH, EACH)) for at in range(0, EACH, PER_BATCH)]
    rewritten = [i for i in range(EACH) if is_again(i)]
    batches = [(lines, False) for lines in firsts] + [(rewritten, True)]
    for number, (lines, again) in enumerate(batches, 1):
        body = f'{{"writer":"w{writer}","session":{session},"batch":{number},"console":[{items(writer, lines, again)}]}}'
        ask("POST", RUN + "/batch", body)


def write_all(server):
    """All writers, two at a time; seconds and the server's CPU seconds."""
    ask = server.connect()
    ask("PUT", RUN, "{}")
    sessions = [join(ask, writer) for writer in range(WRITERS)]
    before, began = server.cpu(), time.monotonic()
    fork = multiprocessing.get_context("fork")
    for pair in (range(0, 2), range(2, WRITERS)):
        processes = [fork.Process(target=write_one, args=(server, writer, sessions[writer])) for writer in pair]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
            if process.exitcode:
                raise RuntimeError("a writer failed")
    taken = time.monotonic() - began
    server.connect()("POST", RUN + "/finish", '{"writer":"w0","session":1,"exit_code":0}')  # the other one went idle
    waiting = None
    while waiting != (waiting := server.sql("select sum(tail_rows) from run_hot")):
        time.sleep(3)  # a run rests between compactions; what is left at its end may lie in the tail for minutes
    return taken, server.cpu() - before


def check(answer, wanted):
    if answer != wanted:
        raise RuntimeError(f"{answer[:2]} … is not {wanted[:2]} …")


def timed(ask, query):
    began = time.perf_counter()
    answer = ask("GET", f"{RUN}/console?{query}")
    return (time.perf_counter() - began) * 1e3, answer["items"]


def page_by_line(ask, dice):
    writer, first = dice.randrange(WRITERS), dice.randrange(EACH - PAGE)
    taken, found = timed(ask, f"label=rank{writer}&from={first}&limit={PAGE}")
    check(found, [expected(writer, first + i) for i in range(PAGE)])
    return taken


def page_by_time(ask, dice):
    first = dice.randrange(EACH - PAGE)
    taken, found = timed(ask, f"order=time&time_from={time_of(0, first)}&limit={PAGE}")
    check(found, [expected(i % WRITERS, first + i // WRITERS) for i in range(PAGE)])
    return taken


def page_of_last(ask, dice):
    writer = dice.randrange(WRITERS)
    taken, found = timed(ask, f"label=rank{writer}&tail={PAGE}&limit={PAGE}")
    check(found, [expected(writer, EACH - PAGE + i) for i in range(PAGE)])
    return taken


def page_of_latest(ask, _dice):
    taken, found = timed(ask, f"order=-time&limit={PAGE}")
    check(found, [expected(WRITERS - 1 - i % WRITERS, EACH - 1 - i // WRITERS) for i in range(PAGE)])
    return taken


def pages(ask, read, seconds):
    dice = random.Random(1)
    end = time.monotonic() + seconds
    times = []
    while time.monotonic() < end or len(times) < 20:
        times.append(read(ask, dice))
    return statistics.median(times)


def search(ask, text):
    """Lines looked at in a second, to the end of the search; and what was found."""
    began, found, cursor = time.perf_counter(), [], ""
    while cursor is not None:
        answer = ask("GET", f"{RUN}/console?search={text}{cursor and '&cursor=' + cursor}")
        found += answer["items"]
        cursor = answer["next_cursor"]
    return LINES / (time.perf_counter() - began), found


def plain_table(server):
    """A row a line, and indexes for both orders; medians of pages in ms, lines searched in a second."""
    before, began = server.cpu(), time.monotonic()
    server.sql(f"""create table line (run_id int8 not null, writer int4 not null, line int8 not null,
        at timestamptz not null, text text not null);
        insert into line select 1, w, i, to_timestamp({BEGAN} + i / 100.0 + w / 1000.0), 'step ' || i || ': loss '
        || (i * 7919 % 10007) || ', lr ' || i % 13 || 'e-4, rank ' || w
        from generate_series(0, {WRITERS - 1}) w, generate_series(0::int8, {EACH - 1}) i;
        alter table line add primary key (run_id, writer, line); create index on line (run_id, at);
        vacuum analyze line;""")
    taken, cpu = time.monotonic() - began, server.cpu() - before
    by_line = f"select * from line where run_id = 1 and writer = 2 and line >= 1234567 order by line limit {PAGE};\n"
    by_time = f"select * from line where run_id = 1 and at >= to_timestamp({BEGAN + 12345}) order by at limit {PAGE};\n"
    found = "select count(*) from line where run_id = 1 and strpos(text, 'needle') > 0;\n"
    told = server.sql("\\timing on\n\\o /dev/null\n" + by_line * 9 + by_time * 9 + found)
    times = [float(line.split()[1]) for line in told.splitlines() if line.startswith("Time:")]
    size = int(server.sql("select pg_total_relation_size('line')"))
    server.sql("drop table line")
    return {"line": statistics.median(times[:9]), "time": statistics.median(times[9:18]),
            "search": LINES / times[18] * 1e3, "bytes": size / LINES, "taken": taken, "cpu": cpu}


def console(folder, seconds):
    with Server(folder) as server:
        idle = host.resident_mib(server.process.pid)
        taken, cpu = write_all(server)
        ask = server.connect()
        by_line, by_time = pages(ask, page_by_line, seconds / 4), pages(ask, page_by_time, seconds / 4)
        last, latest = pages(ask, page_of_last, seconds / 4), pages(ask, page_of_latest, seconds / 4)
        rate, found = search(ask, "needle")
        check(found, [expected(writer, NEEDLE) for writer in range(WRITERS)])
        size = int(server.sql("select pg_total_relation_size('console_chunk')")) / LINES
        memory = host.most_resident_mib(server.process.pid)
        plain = plain_table(server)
    yield ("console-10m", by_line, "ms a page", plain["line"])
    yield ("console-10m-time", by_time, "ms a page", plain["time"])
    yield ("console-10m-last", last, "ms a page", plain["line"])
    yield ("console-10m-latest", latest, "ms a page", plain["time"])
    yield ("console-10m-search", rate, "lines/s", plain["search"])
    yield ("console-10m-bytes", size, "bytes a line", plain["bytes"])
    yield ("console-10m-write", LINES / taken, "lines/s", LINES / plain["taken"])
    yield ("console-10m-cpu", cpu / LINES * 1e6, "s/Mline", plain["cpu"] / LINES * 1e6)
    yield ("console-10m-memory", memory, "MiB at most", idle)
