"""What identifies a line, with simulated SDKs: repeats, gaps, overlaps, writers that know nothing of each other."""
import random

import pytest


def rows(first, count, **more):
    """As a plain process logs them: with steps and times of their own."""
    return [{"_step": step, "_timestamp": 1795000000 + step, "value": step, **more}
            for step in range(first, first + count)]


def bare(first, count, **more):
    """As a process in shared mode logs them: without steps."""
    return [{"_timestamp": 1795000000 + value, "value": value, **more} for value in range(first, first + count)]


def values(run, key="value"):
    return [row[key] for row in run.rows() if key in row]


def test_a_body_twice_is_stored_once(wire, read):
    for shared in False, True:
        name = f"r{shared:d}"
        process = wire.start(name, shared=shared)
        process.history(*(bare if shared else rows)(0, 3))
        process.again()
        process.history(*(bare if shared else rows)(3, 1))
        process.again()
        assert values(read(name)) == [0, 1, 2, 3]


def test_shared_bodies_that_overlap(wire, read):
    process = wire.start("r1", shared=True)
    process.post(history=(0, bare(0, 3)))
    process.post(history=(1, bare(1, 4)))
    assert values(read("r1")) == [0, 1, 2, 3, 4]


def test_a_shared_gap_is_filled_later(wire, read):
    process = wire.start("r1", shared=True)
    process.post(history=(0, bare(0, 2)))
    process.post(history=(5, bare(5, 2)))
    assert [w["gaps"] for w in read("r1").writers().values()] == [3]
    process.post(history=(2, bare(2, 3)))
    assert [w["gaps"] for w in read("r1").writers().values()] == [0]
    process.post(history=(0, bare(0, 7)))
    assert values(read("r1")) == [0, 1, 5, 6, 2, 3, 4]


def test_shared_offsets_are_no_positions(wire, read):
    """A late writer at offset 0, writers at one and the same offset: nobody's row moves or goes."""
    primary = wire.start("r1", shared=True)
    primary.post(history=(0, bare(0, 5, who="primary")))
    late = wire.start("r1", shared=True)
    assert late.inserted is False
    late.post(history=(0, bare(100, 3, who="late")))
    twin = wire.start("r1", shared=True)
    twin.post(history=(5, bare(200, 2, who="twin")))
    primary.post(history=(5, bare(5, 2, who="primary")))
    assert values(read("r1")) == [0, 1, 2, 3, 4, 100, 101, 102, 200, 201, 5, 6]
    assert [row["_step"] for row in read("r1").rows()] == list(range(12))


def test_plain_and_shared_writers_of_one_run(wire, read):
    plain = wire.start("r1")
    plain.history(*rows(0, 3))
    worker = wire.start("r1", shared=True)
    worker.post(history=(0, bare(100, 2)))
    plain.history(*rows(3, 2))
    worker.post(history=(2, bare(102, 2)))
    assert sorted(values(read("r1"))) == [0, 1, 2, 3, 4, 100, 101, 102, 103]
    steps = {row["value"]: row["_step"] for row in read("r1").rows()}
    assert [steps[value] for value in range(5)] == [0, 1, 2, 3, 4]


def test_any_mixture_keeps_every_row(wire, read):
    """Twelve writers, bodies in random order, each sent once, twice or in two pieces that overlap."""
    rng = random.Random(5)
    processes = [wire.start("r1", shared=n > 0) for n in range(12)]
    wanted, bodies = [], []
    for n, process in enumerate(processes):
        process.sent = (bare if n else rows)(1000 * n, 30, writer=n)
        wanted += [row["value"] for row in process.sent]
        for at in range(0, 30, 5):
            bodies.append((process, at, process.sent[at:at + 5]))
    if_plain = [body for body in bodies if body[0] is processes[0]]
    rng.shuffle(bodies)
    for process, at, part in bodies:
        if process is processes[0]:
            process, at, part = if_plain.pop(0)
        process.post(history=(at, part))
        if rng.random() < 0.3:
            process.again()
        if process is not processes[0] and rng.random() < 0.3:
            process.post(history=(at - 2 if at else 0, process.sent[max(at - 2, 0):at + 3]))
    assert sorted(values(read("r1"))) == sorted(wanted)


def test_two_plain_resumers_lose_nothing(wire, read):
    """Both go on at the same step and line, and log different values."""
    first = wire.start("r1")
    first.history(*rows(0, 3))
    first.complete()
    one, _ = wire.resume("r1")
    two, _ = wire.resume("r1")
    one.history(*rows(3, 2, who="one"))
    two.history(*rows(3, 2, who="two"))
    one.again()
    two.again()
    assert sorted((row["_step"], row.get("who")) for row in read("r1").rows() if row["_step"] > 2) == [
        (3, "one"), (3, "two"), (4, "one"), (4, "two")]
    assert len(read("r1").rows()) == 7


def test_a_second_sync_is_a_repeat(wire, read):
    """From line 0 as older SDKs send it, and from the line count as newer ones do, members in another order."""
    sent = rows(0, 20, loss=0.5)
    wire.start("r1").history(*sent)
    turned = [dict(reversed(row.items())) for row in sent]
    for offset in 0, 20:
        wire.start("r1").post(history=(offset, turned))
        assert len(read("r1").rows()) == 20


def test_lines_that_are_no_rows(wire, read):
    """They are kept apart, and the run lives."""
    process = wire.start("r1", shared=True)
    process.post(history=(0, ['{"value": 1}', "[1]", "nonsense", '"text"', '{"value": 2']))
    process.post(history=(5, ['{"value": 3}']))
    assert values(read("r1")) == [1, 3]


def test_a_repeat_brings_no_old_summary_back(wire, read):
    process = wire.start("r1", shared=True)
    process.post(history=(0, bare(0, 1)), summary=(0, [{"best": 1}]))
    old = process.last
    process.post(history=(1, bare(1, 1)), summary=(0, [{"best": 2}]))
    process.last = old
    process.again()
    assert read("r1").summary()["best"] == 2


def test_repeated_rows_beside_new_lines(wire, read):
    """As when a folder is synced while it is written: the rows are dropped, the lines are not, nor is a summary old."""
    stamp = "2026-11-20T20:49:35.172235 "
    for shared in False, True:
        process = wire.start(f"r{shared:d}", shared=shared)
        made = (bare if shared else rows)(0, 3)
        process.post(history=(0, made[:2]), console=(0, [stamp + "one"]), summary=(0, [{"best": 1}]))
        process.post(history=(0, made), summary=(0, [{"best": 2}]))
        process.post(history=(0, made[:2]), console=(0, [stamp + "one", stamp + "two"]), summary=(0, [{"best": 1}]))
        run = read(process.name)
        assert [line["text"] for line in run.console()] == ["one", "two"]
        assert values(run) == [0, 1, 2] and run.summary()["best"] == 2


def test_console_lines_are_rewritten(wire, read):
    process = wire.start("r1", shared=True)
    stamp = "2026-11-20T20:49:35.172235 "
    process.post(console=(0, [stamp + "0%", stamp + "beside"]))
    process.post(console=(0, [stamp + "50%"]))
    process.post(console=(4, ["ERROR " + stamp + "after a gap"]))
    lines = {line["line"]: (line["text"], line["stream"]) for line in read("r1").console() if line["text"]}
    assert lines == {0: ("50%", "stdout"), 1: ("beside", "stdout"), 4: ("after a gap", "stderr")}


def test_a_run_that_never_was(wire):
    process = wire.start("r1")
    process.name = "never"
    answer = process.raw(b"{}")
    assert answer.status == 404 and "never" in answer.json["error"]


def test_a_run_of_an_id_again(wire, read):
    """Without resume: steps begin at 0 once more, lines of the console too."""
    first = wire.start("r1")
    first.history(*rows(0, 3, attempt=1))
    first.console("2026-11-20T20:49:35.172235 one", "2026-11-20T20:49:36.172235 two")
    first.complete()
    second = wire.start("r1")
    second.history(*rows(0, 2, attempt=2))
    second.console("2026-11-21T20:49:35.172235 three")
    second.console("2026-11-21T20:49:36.172235 four", "2026-11-21T20:49:37.172235 five")
    second.post(console=(2, ["2026-11-21T20:49:38.172235 five again"]))
    second.complete()
    assert values(read("r1"), "attempt") == [1, 1, 1, 2, 2]
    assert [line["text"] for line in read("r1").console()] == ["one", "two", "three", "four", "five again"]


def test_the_console_of_a_folder_synced_again(wire, read):
    lines = [f"2026-11-20T20:49:{i:02}.172235 line {i}" for i in range(5)]
    for _ in range(2):
        process = wire.sync("r1")
        process.console(*lines[:3])
        process.console(*lines[3:])
        process.complete()
    assert [line["text"] for line in read("r1").console()] == [f"line {i}" for i in range(5)]


def test_the_console_of_a_run_that_is_resumed(wire, read):
    first = wire.start("r1")
    first.console("2026-11-20T20:49:35.172235 one", "2026-11-20T20:49:36.172235 two")
    first.complete(1)
    second, _ = wire.resume("r1")
    second.console("2026-11-21T20:49:35.172235 three")
    second.complete()
    assert [line["text"] for line in read("r1").console()] == ["one", "two", "three"]


def test_a_client_id_that_is_not_to_be_had(wire, read):
    """The name of those who have none: who says it is one of them."""
    process = wire.start("r1", client_id="sdk")
    process.post(history=(0, rows(0, 3)))
    wire.start("r1").post(history=(1, rows(0, 4)))
    run = read("r1")
    assert values(run) == [0, 1, 2, 3]
    assert {client: writer["role"] for client, writer in run.writers().items()} == {"sdk": "primary"}


# --- a folder of a process that had a name, synced without it

def stepped(first, count, **more):
    """As a process in shared mode logs them since 0.31: its steps are its own, and others have the same."""
    return [{"_step": n, **row} for n, row in enumerate(bare(first, count, **more), first)]


def beats(first, count, label):
    return [{"_timestamp": 1795000000 + n, f"system/{label}.cpu": n} for n in range(first, first + count)]


def lines(count, label):
    return [f"2026-11-20T20:49:{n:02}.172235 line {n} of {label}" for n in range(count)]


@pytest.mark.parametrize("make", [bare, stepped])
def test_a_folder_of_a_shared_process_is_synced(wire, read, db, wait_for, make):
    """What was sent is found among what all wrote, compacted or not; what was not, is taken."""
    sent = {label: make(0, 1500, who=label) for label in ("rank0", "rank1")}
    for label, rows_of in sent.items():
        process = wire.start("r1", shared=True)
        for at in range(0, 1500, 10):
            process.history(*rows_of[at:at + 10])
        process.events(*beats(0, 30, label))
        process.console(*lines(5, label))
    run_id = db.value("select run_id from run join project using (project_id) where project.name = %s", wire.project)
    wait_for(lambda: db.value("select count(*) from chunk where run_id = %s and kind = 1", run_id))
    before = read("r1").rows()
    assert len(before) == 3000
    for _ in range(2):
        for label in "rank1", "rank0":
            folder = wire.sync("r1")
            folder.history(*sent[label][:700])
            folder.post(history=(700, sent[label][700:]), events=(0, beats(0, 30, label)))
            folder.console(*lines(5, label))
    assert read("r1").rows() == before
    assert len(read("r1").events()) == 60
    assert sorted(line["text"] for line in read("r1").console()) == sorted(
        f"line {n} of {label}" for label in sent for n in range(5))
    folder = wire.sync("r1")
    folder.post(history=(0, sent["rank0"] + make(1500, 3, who="rank0")), events=(0, beats(25, 10, "rank0")))
    assert [row["value"] for row in read("r1").rows()[3000:]] == [1500, 1501, 1502]
    assert len(read("r1").events()) == 65


def test_rows_without_steps_are_synced_twice(wire, read):
    for _ in range(2):
        wire.start("r1").history(*bare(0, 5))
    wire.start("r1").history(*bare(3, 4))
    assert values(read("r1")) == list(range(7))


def test_what_only_looks_like_what_another_wrote_is_kept(wire, read):
    """One value differs, or the moment; lines of a console that says the same, of who brings rows of its own."""
    worker = wire.start("r1", shared=True)
    worker.history(*stepped(0, 5, who="worker"))
    worker.console(*lines(3, "nobody"))
    plain = wire.start("r1")
    plain.history(*stepped(0, 5, who="plain"))
    plain.console(*lines(3, "nobody"))
    plain.history(*[{**row, "_timestamp": row["_timestamp"] + 0.5} for row in stepped(0, 5, who="worker")])
    assert len(read("r1").rows()) == 15
    assert len(read("r1").console()) == 6


# --- the console of a folder, complete or in part

STAMP = "2026-11-20T20:49:35.172235 "


def stamped(texts, at=35):
    return [f"{'ERROR ' if text.startswith('!') else ''}2026-11-20T20:49:{at}.172235 {text}" for text in texts]


def texts(run):
    return [line["text"] for line in run.console() if line["text"]]


def synced(wire, console, history, rng, name="r1"):
    """Syncs a folder from its beginning, in requests of random sizes."""
    process = wire.sync(name)
    process.offsets = {"history": 0, "events": 0, "console": 0}
    while console or history:
        count = rng.randint(1, 60)
        lines_now, console = console[:count], console[count:]
        rows_now, history = history[:count], history[count:]
        files = {}
        if rows_now:
            files["history"] = (process.offsets["history"], rows_now)
        if lines_now:
            files["console"] = (process.offsets["console"], lines_now)
        process.offsets["history"] += len(rows_now)
        process.offsets["console"] += len(lines_now)
        process.post(**files)
        if rng.random() < 0.3:
            process.again()
    process.complete()


@pytest.mark.parametrize("seed", range(6))
def test_a_folder_cut_anywhere(wire, read, seed):
    """The folder is longer each time, its last line torn, and sent in requests of other sizes. Then it is sent twice."""
    rng = random.Random(seed)
    told = [f"{rng.choice(('line', '!error', 'epoch'))} {n // rng.randint(1, 3)} of {n}" for n in range(150)]
    made = rows(0, 100)
    cuts = sorted(rng.sample(range(1, 150), 3))
    for cut in [*cuts, 150, 150]:
        part = told[:cut]
        if cut < 150:
            part[-1] = part[-1][:rng.randint(2, len(part[-1]))]
        synced(wire, stamped(part, 10 + len(part) % 40), made[:max(0, cut - rng.randint(0, 50))], rng)
        assert texts(read("r1")) == part
    synced(wire, stamped(told[:cuts[1]]), made[:cuts[0]], rng)
    assert texts(read("r1")) == told
    synced(wire, stamped(told), made, rng)
    assert texts(read("r1")) == told and len(read("r1").rows()) == 100


def test_a_progress_bar_is_synced(wire, read):
    """The cut left an older state of the progress bar."""
    process = wire.start("r1")
    process.post(history=(0, rows(0, 2)), console=(0, stamped(["begun", "20%"])))
    process.post(console=(1, stamped(["40%"])))
    for _ in range(2):
        folder = wire.sync("r1")
        folder.post(history=(0, rows(0, 3)), console=(0, stamped(["begun", "60%"])))
        folder.post(history=(3, rows(3, 1)), console=(1, stamped(["100%", "done"])))
        assert texts(read("r1")) == ["begun", "100%", "done"]


def test_errors_are_synced_in_another_order(wire, read):
    """Older SDKs send standard output first and standard error behind it."""
    process = wire.start("r1")
    process.post(history=(0, rows(0, 2)), console=(0, stamped(["a", "!b", "c", "!d", "e"])))
    for out, errors in (["a", "c", "e"], ["!b", "!d"]), (["a", "c", "e", "f"], ["!b", "!d", "!g"]), (
            ["a", "c", "e", "f"], ["!b", "!d", "!g"]):
        folder = wire.sync("r1")
        folder.post(history=(0, rows(0, 2)), console=(0, stamped(out)))
        folder.post(console=(len(out), stamped(errors)))
    assert texts(read("r1")) == ["a", "!b", "c", "!d", "e", "f", "!g"]


def test_processes_that_print_the_same(wire, read):
    """One process begins the run again, one resumes it. Then their folders are synced, and the first one has grown."""
    told = stamped(["epoch 1", "epoch 2"])
    wire.start("r1").post(history=(0, rows(0, 2, attempt=1)), console=(0, told))
    wire.start("r1").post(history=(2, rows(0, 2, attempt=2)), console=(0, told))
    resumed, status = wire.resume("r1")
    resumed.post(history=(status["historyLineCount"], rows(2, 2, attempt=3)), console=(status["logLineCount"], told))
    before = texts(read("r1"))
    assert before == ["epoch 1", "epoch 2"] * 3
    for _ in range(2):
        for attempt, first in (1, 0), (2, 0), (3, 2):
            wire.start("r1").post(history=(0, rows(first, 2, attempt=attempt)), console=(0, told))
            assert texts(read("r1")) == before
    for _ in range(2):
        folder = wire.sync("r1")
        folder.post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped(["epoch 1", "epoch 2", "late", "later"])))
        assert texts(read("r1")) == [*before, "late", "later"]
    assert len(read("r1").rows()) == 6


def test_the_folder_of_a_shared_process_has_grown(wire, read):
    worker = wire.start("r1", shared=True)
    worker.history(*stepped(0, 5, who="worker"))
    worker.console(*lines(3, "worker"))
    for count in 5, 8, 8:
        folder = wire.sync("r1")
        folder.post(history=(0, stepped(0, 5, who="worker")), console=(0, lines(count, "worker")))
        assert sorted(texts(read("r1"))) == [f"line {n} of worker" for n in range(count)]


def test_a_process_whose_console_was_never_stored(wire, read):
    """One process stored rows only, another one a console that begins alike. A sync of the first one is kept separate."""
    wire.start("r1").post(history=(0, rows(0, 2, attempt=1)))
    wire.start("r1").post(history=(2, rows(0, 2, attempt=2)), console=(0, stamped(["start", "20%"])))
    for _ in range(2):
        wire.start("r1").post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped(["start", "30%", "done"])))
        assert texts(read("r1")) == ["start", "20%", "start", "30%", "done"]


def test_processes_that_begin_alike(wire, read):
    """Both stored a console. If it is uncertain whose folder is synced, a line that differs is kept."""
    wire.start("r1").post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped(["start", "20%"])))
    wire.start("r1").post(history=(2, rows(0, 2, attempt=2)), console=(0, stamped(["start", "30%"])))
    wire.start("r1").post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped(["start", "40%", "done"])))
    there = texts(read("r1"))
    assert there[:4] == ["start", "20%", "start", "30%"] and there[-2:] == ["40%", "done"]


def test_a_sync_never_writes_over_another_process(wire, read):
    """The folder of the first of two processes has grown, and its new lines are written again, or sent twice."""
    first = [f"first {n}" for n in range(10)]
    second = [f"second {n}" for n in range(10)]
    wire.start("r1").post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped(first)))
    wire.start("r1").post(history=(2, rows(0, 2, attempt=2)), console=(0, stamped(second)))
    folder = wire.sync("r1")
    folder.post(history=(0, rows(0, 2, attempt=1)), console=(0, stamped([*first, "more", "last"])))
    folder.again()
    assert texts(read("r1")) == [*first, *second, "more", "last"]
    folder.post(console=(9, stamped(["first 9", "more!", "last!"])))
    assert [line for line in texts(read("r1")) if line in {*first, *second}][:20] == [*first, *second]
    assert {"more!", "last!"} <= set(texts(read("r1")))


def test_streams_in_another_order_are_not_written_over(wire, read):
    """Sent line 1 is not stored line 1, so a line that is sent again is kept next to it."""
    wire.start("r1").post(history=(0, rows(0, 2)), console=(0, stamped(["a", "!b", "c"])))
    folder = wire.sync("r1")
    folder.post(history=(0, rows(0, 2)), console=(0, stamped(["a", "c", "!b"])))
    folder.post(console=(1, stamped(["cc"])))
    assert texts(read("r1")) == ["a", "!b", "c", "cc"]


@pytest.mark.parametrize("count", (1, 2, 3, 4))
def test_a_sync_that_resumes(wire, read, count):
    """The sync of a process that could resume numbers its lines from the end of the stored ones."""
    told = ["begun", "epoch 1", "epoch 2", "done"]
    for attempt in 1, 2:
        process, status = wire.resume("r1") if attempt == 2 else (wire.start("r1"), None)
        part = told if attempt == 2 else told[:count]
        process.post(history=(status["historyLineCount"] if status else 0, rows(2 * attempt, 2)),
                     console=(status["logLineCount"] if status else 0, stamped(part)))
    before = texts(read("r1"))
    assert before == told[:count] + told
    for attempt in 1, 2, 2, 1:
        folder, status = wire.resume("r1")
        folder.post(history=(status["historyLineCount"], rows(2 * attempt, 2)),
                    console=(status["logLineCount"], stamped(told if attempt == 2 else told[:count])))
        folder.again()
        assert texts(read("r1")) == before


def test_a_sync_that_resumes_has_grown(wire, read):
    wire.start("r1").post(history=(0, rows(0, 2)), console=(0, stamped(["a", "b", "c li"])))
    for told in ["a", "b", "c line", "d"], ["a", "b", "c line", "d", "e"], ["a", "b", "c line", "d", "e"]:
        folder, status = wire.resume("r1")
        end = status["logLineCount"]
        folder.post(history=(2, rows(0, 2)), console=(end, stamped(told[:2])))
        folder.post(console=(end + 2, stamped(told[2:])))
        assert texts(read("r1")) == told


# --- console lines that come before the rows that tell whose they are

SYNCS = pytest.mark.parametrize("program", [None, "/opt/sdk/bin/wandb"])


def twice(process, **files):
    """Each request comes again, as if its first answer was lost."""
    process.post(**files)
    process.again()


def test_a_process_prints_the_same_before_its_rows(wire, read):
    """A program that is no sync sends nothing again: its lines are stored when they come."""
    wire.start("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(["epoch 1", "done"])))
    second = wire.start("r1")
    twice(second, console=(0, stamped(["epoch 1"])))
    assert texts(read("r1")) == ["epoch 1", "done", "epoch 1"]
    twice(second, history=(1, rows(0, 1, attempt=2)))
    twice(second, console=(1, stamped(["done"])))
    second.complete()
    assert texts(read("r1")) == ["epoch 1", "done"] * 2
    assert values(read("r1"), "attempt") == [1, 2]


@SYNCS
@pytest.mark.parametrize("are_alone", [True, False])
def test_a_sync_brings_its_stored_rows_later(wire, read, program, are_alone):
    told = stamped(["start", "epoch 1", "done"])
    wire.start("r1").post(history=(0, rows(0, 1)), console=(0, told))
    for _ in range(2):
        folder = wire.sync("r1", program=program)
        twice(folder, console=(0, told[:2]))
        if are_alone:
            twice(folder, history=(0, rows(0, 1)))
            twice(folder, console=(2, told[2:]))
        else:
            twice(folder, history=(0, rows(0, 1)), console=(2, told[2:]))
        folder.complete()
        assert texts(read("r1")) == ["start", "epoch 1", "done"]


@SYNCS
@pytest.mark.parametrize("are_alone", [True, False])
def test_a_sync_of_another_process_brings_its_rows_later(wire, read, program, are_alone):
    """Two processes ran offline under one id. New rows prove that the second folder is not the first one."""
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(["start", "epoch 1", "done", "end"])))
    second = stamped(["start", "epoch 1", "done", "other", "end"], 40)
    for _ in range(2):
        folder = wire.sync("r1", program=program)
        twice(folder, console=(0, second[:1]))
        twice(folder, console=(1, second[1:2]))
        if are_alone:
            twice(folder, history=(0, rows(0, 1, attempt=2)))
            assert texts(read("r1"))[4:6] == ["start", "epoch 1"]
            twice(folder, console=(2, second[2:]))
        else:
            twice(folder, history=(0, rows(0, 1, attempt=2)), console=(2, second[2:]))
        folder.complete()
        assert texts(read("r1")) == ["start", "epoch 1", "done", "end", "start", "epoch 1", "done", "other", "end"]
    assert values(read("r1"), "attempt") == [1, 2]


def test_a_sync_of_another_process_prints_more_before_its_rows(wire, read):
    """Its lines go on behind the stored ones: until its rows come, it may be the same folder, which has grown."""
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(["start", "end"])))
    folder = wire.sync("r1")
    twice(folder, console=(0, stamped(["start", "end", "more"])))
    twice(folder, history=(0, rows(0, 1, attempt=2)), console=(3, stamped(["last"])))
    assert texts(read("r1")) == ["start", "end", "more", "start", "end", "more", "last"]


def test_a_sync_of_another_process_differs_before_its_rows(wire, read):
    told = ["start", "epoch 1", "done", "end"]
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(told)))
    folder = wire.sync("r1")
    twice(folder, console=(0, stamped(["start", "epoch 1"])))
    twice(folder, console=(2, stamped(["failed"])))
    assert texts(read("r1")) == [*told, "start", "epoch 1", "failed"]
    twice(folder, history=(0, rows(0, 1, attempt=2)), console=(3, stamped(["end"])))
    assert texts(read("r1")) == [*told, "start", "epoch 1", "failed", "end"]


def test_a_sync_of_another_process_mixes_its_streams(wire, read):
    """Older SDKs send standard output first and standard error behind it."""
    told = ["a", "!b", "c", "!d", "e"]
    wire.start("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(told)))
    folder = wire.sync("r1")
    twice(folder, console=(0, stamped(["a", "c", "e"])))
    twice(folder, history=(0, rows(0, 1, attempt=2)), console=(3, stamped(["!b", "!d"])))
    assert texts(read("r1")) == [*told, "a", "c", "e", "!b", "!d"]


def test_a_sync_of_another_process_goes_on_in_two_pieces(wire, read):
    """The first folder grew after another process: its end is a piece of its own."""
    first = stamped(["start", "end", "late"])
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, first[:2]))
    wire.start("r1").post(history=(1, rows(0, 1, attempt=2)), console=(0, stamped(["x", "y", "z"])))
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, first))
    before = ["start", "end", "x", "y", "z", "late"]
    assert texts(read("r1")) == before
    folder = wire.sync("r1")
    twice(folder, console=(0, first))
    assert texts(read("r1")) == before
    twice(folder, history=(2, rows(0, 1, attempt=3)))
    assert texts(read("r1")) == [*before, "start", "end", "late"]


def test_a_sync_without_rows_is_a_repeat(wire, read):
    """Nothing tells whether its lines are of another process."""
    wire.start("r1").post(history=(0, rows(0, 1)), console=(0, stamped(["start", "end"])))
    folder = wire.sync("r1")
    twice(folder, console=(0, stamped(["start"])))
    folder.complete()
    assert texts(read("r1")) == ["start", "end"]


@pytest.mark.parametrize("count", [10_000, 10_001])
def test_so_many_lines_are_restored(wire, read, count):
    told = stamped([f"line {n}" for n in range(count)])
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, told))
    folder = wire.sync("r1")
    folder.post(console=(0, told))
    folder.post(history=(1, rows(0, 1, attempt=2)), console=(count, stamped(["last"])))
    there = texts(read("r1"))
    assert there[:count] == [f"line {n}" for n in range(count)]
    assert there[count:] == [f"line {n}" for n in range(10_000)] + ["last"]


@pytest.mark.parametrize("brings_rows", [True, False])
def test_a_sync_that_was_followed_before_its_first_line_changed(wire, read, brings_rows):
    """A progress bar, which writes the first line again, shows that the stored lines are of another process."""
    first = ["0%", "start", "epoch 1", "done"]
    wire.sync("r1").post(history=(0, rows(0, 1, attempt=1)), console=(0, stamped(first)))
    folder = wire.sync("r1")
    twice(folder, console=(0, stamped(["0%"])))
    twice(folder, console=(0, stamped(["50%"])))
    twice(folder, console=(1, stamped(["start"])))
    twice(folder, console=(2, stamped(["epoch 1"])), **({"history": (0, rows(0, 1, attempt=2))} if brings_rows else {}))
    twice(folder, console=(3, stamped(["failed"])))
    assert texts(read("r1")) == [*first, "50%", "start", "epoch 1", "failed"]
