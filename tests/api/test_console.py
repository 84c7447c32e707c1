"""The console: by writer and number, by time, by text; in the tail, in chunks, and in both."""
import json
import random

import pytest

import runs
from runs import compact


def line(number, text, time=None, stream="stdout"):
    made = {"line": number, "stream": stream, "text": text}
    return made if time is None else {**made, "time": time}


@pytest.fixture
def run_id(db, run):
    return runs.run_id(db, run)


@pytest.fixture
def compacted(db, run, wait_for):
    """compacted(): all that was sent lies in chunks."""
    return lambda: compact(db, wait_for, run)


def shown(items):
    return [(c["label"], c["line"], c["text"]) for c in items]


def by_time(run, **query):
    return run.console(order="time", **query)


# ---- by line ----------------------------------------------------------------------------------------

@pytest.mark.long
def test_numbers_far_apart(run, compacted):
    """Whatever the numbers: in the tail, in chunks, and written again after that."""
    numbers = [0, 7, 1023, 1024, 5_000_000, 2**31 - 2, 2**31 - 1]
    w = run.join()
    w.send(console=[line(n, f"first {n}", 1.0) for n in numbers])
    expected = [(w.label, n, f"first {n}") for n in numbers]
    assert shown(run.console()) == expected
    compacted()
    assert shown(run.console()) == shown(run.console(limit=1)) == expected
    w.send(console=[line(n, f"again {n}", 2.0) for n in numbers[::2]])
    expected = [(w.label, n, f"{'again' if i % 2 == 0 else 'first'} {n}") for i, n in enumerate(numbers)]
    assert shown(run.console()) == expected
    compacted()
    assert shown(run.console()) == shown(run.console(limit=2)) == expected
    assert shown(run.console(**{"from": 1025})) == expected[4:]


def test_the_last_lines_are_counted_not_numbered(run, compacted):
    w = run.join()
    numbers = [*range(0, 4000, 40), *range(10_000, 10_010), 2**31 - 1]
    w.send(console=[line(n, str(n), 1.0) for n in numbers])
    for step in ("tail", "chunks", "both"):
        for tail in (1, 2, 11, 12, 50, len(numbers) - 1, len(numbers), 1000):
            asked = run.api.get(f"{run.path}/console", tail=tail).json["items"]
            assert [c["line"] for c in asked] == numbers[-tail:], (step, tail)
        if step == "tail":
            compacted()
        else:
            numbers = sorted({*numbers, 0, 5, 3960, 9000})
            w.send(console=[line(n, str(n), 2.0) for n in (0, 5, 3960, 9000)])


def test_the_last_lines_of_blocks_that_overlap(run):
    """What waits for compaction holds lines anywhere, some again."""
    dice, w, there = random.Random(4), run.join(), set()
    for _ in range(30):
        numbers = sorted(dice.sample(range(200), dice.randrange(1, 9)))
        w.send(console=[line(n, str(n), 1.0) for n in numbers])
        there |= set(numbers)
    for tail in (1, 2, 5, 20, len(there) - 1, len(there), 300):
        asked = run.api.get(f"{run.path}/console", tail=tail).json["items"]
        assert [c["line"] for c in asked] == sorted(there)[-tail:], tail


def test_a_page_reads_no_more_than_it_shows(run, run_id, db):
    """Of a tail that is long: what is damaged elsewhere in it does not matter."""
    w = run.join()
    for at in range(0, 10_000, 2000):
        w.send(console=[line(n, f"{n} {'x' * 100}", 1.0) for n in range(at, at + 2000)])
    db.query("update tail set data = 'x' where row_first = 4000 and run_id = %s", run_id)
    for query, first in (({"from": 0}, 0), ({"from": 8000}, 8000), ({"tail": 10}, 9990)):
        asked = run.api.get(f"{run.path}/console", limit=10, **query).json["items"]
        assert [c["line"] for c in asked] == list(range(first, first + 10))
    there = run.api.request("GET", f"{run.path}/console", query={"from": 4000, "limit": 10})
    assert there.status == 500


def test_what_terminals_are_told_is_kept(run, compacted):
    """Colours, carriage returns, tabs, any other control character, and all of Unicode."""
    texts = ["\x1b[31mred\x1b[0m", "10 %\r50 %\r100 %", "a\tb", "\x00\x01\x07\x7f", "", " ", "ß€😀\u2028", "x" * 65536]
    w = run.join()
    w.send(console=[line(i, text, 1.0) for i, text in enumerate(texts)])
    assert [c["text"] for c in run.console()] == texts
    compacted()
    assert [c["text"] for c in run.console()] == texts
    assert run.api.get(f"{run.path}/console", format="text").text == "".join(t + "\n" for t in texts)


def test_a_text_that_is_no_utf8_is_refused(run):
    """JSON is UTF-8; clients put U+FFFD where a program prints something else."""
    w = run.join()
    w.refused(400, "invalid", w.body(1, console=[line(0, "x?y", 1.0)]).replace(b"?", b"\xff"))
    w.send(console=[line(0, "x\ufffdy", 1.0)])
    assert run.console()[0]["text"] == "x\ufffdy"


def test_a_progress_bar(run, compacted):
    """A line that is written thousands of times is one line, and its neighbours stay."""
    w = run.join()
    w.send(console=[line(0, "begin", 1.0), line(2, "end", 2.0)])
    for i in range(50):
        w.send(console=[line(1, f"{i} %", 3.0 + i)] * 3)
        if i == 25:
            compacted()
    assert shown(run.console()) == [(w.label, 0, "begin"), (w.label, 1, "49 %"), (w.label, 2, "end")]
    assert [c["line"] for c in by_time(run)] == [0, 2, 1]


# ---- by time ----------------------------------------------------------------------------------------

class Console:
    """What the run's console must be: the line that came last of each number."""

    def __init__(self):
        self.lines = {}
        self.came = {}
        self.sent = 0

    def note(self, w, sent):
        self.sent += 1
        for one in sent:
            self.came[w.number, one["line"]] = self.sent
            self.lines[w.number, one["line"]] = {"label": w.label, "writer": w.number, **one}

    def by_line(self):
        return [self.lines[key] for key in sorted(self.lines)]

    def by_arrival(self, came_from=0, came_to=1e12, latest_first=False):
        """As they came, the batches counted from 1."""
        found = sorted((came, key) for key, came in self.came.items() if came_from <= came <= came_to)
        return [{**self.lines[key], "arrival": came} for came, key in (found[::-1] if latest_first else found)]

    def by_time(self, time_from=0, time_to=1e12, latest_first=False):
        found = [one for one in self.lines.values() if time_from <= one["time"] <= time_to]
        return sorted(found, key=lambda one: (one["time"], one["writer"], one["line"]), reverse=latest_first)


def crowd(run, compacted, most):
    """Four writers whose times overlap, many lines written again, some of it compacted in between; of fewer characters."""
    dice = random.Random(7)
    console = Console()
    writers = [run.join(f"c{i}", "worker", label=f"rank{i % 3}") for i in range(4)]
    for round_ in range(6):
        for w in writers:
            sent = {}
            for i in range(60):
                number = dice.randrange(0, 3000) if dice.random() < 0.4 else 60 * round_ + i
                sent[number] = line(number, f"{w.label} {round_} {number} " + "x" * dice.randrange(most),
                                    1000 + 10 * round_ + dice.randrange(200) / 8)
            w.send(console=list(sent.values()))
            console.note(w, sent.values())
        if round_ == 3:
            compacted()
    return console


@pytest.fixture
def crowded(run, compacted):
    return crowd(run, compacted, 60)


def check_by_time(run, crowded):
    assert by_time(run) == crowded.by_time()
    assert run.console(order="-time", limit=333) == crowded.by_time(latest_first=True)


def check_spans_of_time(run, crowded):
    for first, last in ((1012.5, 1030.125), (1000, 1000), (1060, 1e9), (0, 999.9)):
        expected = crowded.by_time(first, last)
        assert by_time(run, time_from=first, time_to=last, limit=1 + len(expected) // 3) == expected
        assert run.console(order="-time", time_from=first, time_to=last) == expected[::-1]


def check_around_a_time(run, crowded):
    """A page on each side of it."""
    at = 1040
    before = run.api.get(f"{run.path}/console", order="-time", time_to=at, limit=20).json["items"]
    after = run.api.get(f"{run.path}/console", order="time", time_from=at, limit=20).json["items"]
    everything = crowded.by_time()
    assert before[::-1] == [one for one in everything if one["time"] <= at][-20:]
    assert after == [one for one in everything if one["time"] >= at][:20]


def check_by_arrival(run, crowded):
    """Whatever the writers' clocks say; pages, spans, and the same numbers in every other way to ask."""
    asked = run.console(order="arrival", limit=100)
    numbers = sorted({one["arrival"] for one in asked})
    counts = dict(zip(numbers, sorted(set(crowded.came.values())), strict=True))

    def counted(items):
        return [{**one, "arrival": counts[one["arrival"]]} for one in items]

    assert counted(asked) == crowded.by_arrival()
    assert counted(run.console(order="-arrival", limit=333)) == crowded.by_arrival(latest_first=True)
    first, last = numbers[3], numbers[-2]
    expected = [one for one in crowded.by_arrival(counts[first], counts[last]) if one["writer"] < 3]
    for order, wanted in (("arrival", expected), ("-arrival", expected[::-1])):
        assert counted(run.console(order=order, arrival_from=first, arrival_to=last, writers="0-2", limit=150)) == wanted
    told = {(one["writer"], one["line"]): one for one in asked}
    for query in ({"order": "time"}, {"order": "line"}, {"search": " 2 1"}):
        found = run.console(arrivals="true", **query)
        assert found and all(one == told[one["writer"], one["line"]] for one in found)
    lines = run.api.get(f"{run.path}/console", format="ndjson", arrivals="true").text.splitlines()
    assert [json.loads(one) for one in lines] == [told[key] for key in sorted(told)]


def check_a_label_by_time(run, crowded):
    expected = [one for one in crowded.by_time() if one["label"] == "rank0"]
    assert {one["writer"] for one in expected} == {0, 3}
    assert by_time(run, label="rank0", limit=100) == expected
    assert by_time(run, label="nobody") == []


def check_search(run, crowded):
    expected = [one for one in crowded.by_line() if "2 1" in one["text"]]
    assert len(expected) > 30
    assert search(run, "2 1") == search(run, "2 1", limit=7) == expected
    assert search(run, "2 1", label="rank1") == [one for one in expected if one["label"] == "rank1"]
    assert search(run, "2 1", **{"from": 900}) == [one for one in expected if one["line"] >= 900]
    assert search(run, "nowhere") == []


def check_context(run, crowded):
    """As many lines on each side as there are, whatever the page and the chunk they lie in."""
    for context in (1, 20):
        expected = []
        for w in range(4):
            mine = [one for one in crowded.by_line() if one["writer"] == w]
            expected += [{**one, "before": mine[max(0, i - context):i], "after": mine[i + 1:i + 1 + context]}
                         for i, one in enumerate(mine) if " 5 1" in one["text"]]
        assert len(expected) > 10
        assert search(run, " 5 1", context=context, limit=3) == expected


@pytest.mark.long
def test_many_writers(run, crowded, compacted):
    """All ways to ask, with some of it in the tail, and when all of it lies in chunks."""
    for _ in range(2):
        assert run.console() == crowded.by_line()
        check_by_time(run, crowded)
        check_spans_of_time(run, crowded)
        check_around_a_time(run, crowded)
        check_by_arrival(run, crowded)
        check_a_label_by_time(run, crowded)
        check_search(run, crowded)
        check_context(run, crowded)
        compacted()


@pytest.mark.long
def test_a_long_tail_of_many_writers(run, run_id, compacted, db):
    """More than is read at once; blocks that came before their times were kept are read as well."""
    crowded = crowd(run, compacted, 1500)
    assert db.value("select sum(size_bytes) from tail where run_id = %s and time_last >= time_first", run_id) > 2**18
    check_spans_of_time(run, crowded)
    check_around_a_time(run, crowded)
    check_by_arrival(run, crowded)
    for _ in range(2):
        check_by_time(run, crowded)
        db.query("update tail set time_first = null, time_last = null where run_id = %s and seq %% 2 = 0", run_id)


def test_a_page_by_time_reads_no_more_than_it_shows(run, run_id, db):
    """Nor of a tail that is long: what is damaged elsewhere in it does not matter."""
    w = run.join()
    for at in range(0, 10_000, 2000):
        w.send(console=[line(n, f"{n} {'x' * 100}", 1000.0 + n) for n in range(at, at + 2000)])
    db.query("update tail set data = 'x' where row_first = 4000 and run_id = %s", run_id)
    first, last = list(range(10)), list(range(9999, 9989, -1))
    for query, expected in (({"order": "time"}, first), ({"order": "-time"}, last), ({"order": "arrival"}, first),
                            ({"order": "-arrival"}, last), ({"order": "time", "time_from": 9000}, range(8000, 8010)),
                            ({"order": "-time", "time_to": 2000}, range(1000, 990, -1))):
        asked = run.api.get(f"{run.path}/console", limit=10, **query).json["items"]
        assert [c["line"] for c in asked] == list(expected), query
    there = run.api.request("GET", f"{run.path}/console", query={"order": "time", "time_from": 5000, "limit": 10})
    assert there.status == 500


def behind_a_chunk(run, compacted):
    """Lines 0 to 99 in a chunk, then more of the tail than is read whatever is asked for."""
    w = run.join()
    w.send(console=[line(n, str(n), 1000.0 + n) for n in range(100)])
    compacted()
    for at in range(100, 6100, 2000):
        w.send(console=[line(n, f"{n} {'x' * 100}", 1000.0 + n) for n in range(at, at + 2000)])


def test_a_page_of_the_latest_is_of_the_tail_first(run, run_id, compacted, db):
    """Chunks that lie behind what it fills are not read."""
    behind_a_chunk(run, compacted)
    db.query("update console_chunk set data = 'x' where run_id = %s", run_id)
    for order in ("-time", "-arrival"):
        asked = run.api.get(f"{run.path}/console", limit=10, order=order)
        assert [c["line"] for c in asked.json["items"]] == list(range(6099, 6089, -1)), order
        assert asked.json["next_cursor"], order
    there = run.api.request("GET", f"{run.path}/console", query={"order": "-time", "time_to": 1100, "limit": 10})
    assert there.status == 500


def test_a_chunk_is_stood_for_by_blocks_with_its_lines(run, run_id, compacted, db):
    """Not by those whose numbers only lie where the chunk could have some."""
    behind_a_chunk(run, compacted)
    db.query("update tail set data = 'x' where row_first = 100 and run_id = %s", run_id)
    for order in ("time", "arrival"):
        asked = run.api.get(f"{run.path}/console", limit=10, order=order).json["items"]
        assert [c["line"] for c in asked] == list(range(10)), order
    there = run.api.request("GET", f"{run.path}/console", query={"order": "time", "limit": 101})
    assert there.status == 500


def test_lines_that_come_late(run, compacted):
    """By time they lie among the others, by arrival behind them; one that is written again comes again."""
    first, second = run.join("a", label="near"), run.join("b", "worker", label="far")
    first.send(console=[line(0, "zero", 100.0), line(1, "10 %", 101.0)])
    compacted()
    second.send(console=[line(0, "of a clock that is slow", 50.0)])
    first.send(console=[line(1, "20 %", 102.0)])
    for _ in range(2):
        asked = run.console(order="arrival", arrivals="false")
        assert [one["text"] for one in asked] == ["zero", "of a clock that is slow", "20 %"]
        assert [one["text"] for one in by_time(run)] == ["of a clock that is slow", "zero", "20 %"]
        newer = run.console(order="arrival", arrival_from=asked[0]["arrival"] + 1)
        assert newer == asked[1:] and "arrival" not in by_time(run)[0]
        compacted()


def test_a_page_by_time_is_bounded(run):
    """By bytes too: no page is much larger than 8 MiB, and none is empty."""
    w = run.join()
    for batch in range(6):
        w.send(console=[line(50 * batch + i, "x" * 60_000, 1.0 + i) for i in range(50)])
    path, seen, cursor = f"{run.path}/console", [], None
    while True:
        page = run.api.get(path, order="time", **({"cursor": cursor} if cursor else {}))
        assert len(page.body) < 9 << 20 and page["items"]
        seen += [(c["time"], c["line"]) for c in page["items"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert seen == sorted((1.0 + i, 50 * batch + i) for batch in range(6) for i in range(50))


# ---- by text ----------------------------------------------------------------------------------------

def search(run, text, **query):
    return run.console(search=text, **query)


@pytest.mark.parametrize("text, query, found", [
    ("Error", {}, [0, 3]),
    ("error", {}, [1]),
    ("ERROR", {"case": "ignore"}, [0, 1, 3]),
    ("an Error: in red", {}, [3]),
    ("\x1b[1;31mError", {}, [3]),
    ("[31m", {}, []),
    ("50 %", {}, [4]),
    ("title", {}, []),
    ("link", {}, [5]),
    ("ß€", {}, [6]),
    ("ÄÖ", {"case": "ignore"}, []),
    ("%", {}, [4]),
    ("a\\b\"c", {}, [7]),
    (" ", {}, [0, 1, 2, 3, 4, 6]),
])
def test_what_matches(run, text, query, found):
    texts = ["an Error here", "no error there", "no err or", "an \x1b[1;31mError\x1b[0m: in red", "10 %\r50 %",
             "\x1b]8;;http://title\x07link\x1b]8;;\x1b\\", "ß€ äö", "a\\b\"c", ""]
    run.join().send(console=[line(i, t, 1.0) for i, t in enumerate(texts)])
    assert [c["line"] for c in search(run, text, **query)] == found


# ---- what is refused --------------------------------------------------------------------------------

@pytest.mark.parametrize("query, field", [
    ({"order": "size"}, "order"), ({"order": "time", "tail": 3}, "tail"), ({"order": "-time", "from": 3}, "from"),
    ({"time_from": 3}, "time_from"), ({"time_to": 3, "search": "x"}, "time_to"),
    ({"order": "time", "time_from": -1}, "time_from"), ({"order": "time", "time_to": "now"}, "time_to"),
    ({"search": ""}, "search"), ({"search": "x" * 257}, "search"), ({"search": "x", "order": "time"}, "order"),
    ({"search": "x", "tail": 1}, "tail"), ({"search": "x", "format": "text"}, "format"),
    ({"search": "x", "case": "any"}, "case"), ({"case": "ignore"}, "case"), ({"context": 1}, "context"),
    ({"search": "x", "context": 21}, "context"), ({"order": "time", "format": "text"}, "format"),
    ({"order": "time", "cursor": "AAAA"}, "cursor"), ({"search": "x", "cursor": "AAAA"}, "cursor"),
])
def test_what_does_not_go_together(run, query, field):
    assert run.api.refused(400, "invalid", "GET", f"{run.path}/console", query=query)["field"] == field


def test_a_cursor_is_of_its_question(run):
    w = run.join()
    w.send(console=[line(i, "x", 1.0) for i in range(5)])
    cursor = run.api.get(f"{run.path}/console", limit=2)["next_cursor"]
    run.api.refused(400, "invalid", "GET", f"{run.path}/console",
                    query={"order": "time", "limit": 2, "cursor": cursor})


# ---- who and what -----------------------------------------------------------------------------------

def streams_of(crowded, keep):
    return [one for one in crowded if one["stream"] == keep]


@pytest.fixture
def mixed(run, compacted):
    """Three writers, every third line to stderr, part of it in chunks and part in the tail."""
    console = Console()
    writers = [run.join(f"m{i}", "worker", label=f"rank{i}") for i in range(3)]
    for part in range(2):
        for w in writers:
            sent = [line(n, f"{w.label} line {n}", 1000 + n + w.number / 8, "stderr" if n % 3 == 0 else "stdout")
                    for n in range(part * 1500 - 10 * part, part * 1500 + 1500)]
            w.send(console=sent)
            console.note(w, sent)
        if not part:
            compacted()
    return console


@pytest.mark.parametrize("writers, numbers", [
    ("0,2", {0, 2}), ("0-1,1-1,5", {0, 1}), *(pytest.param(*case, marks=pytest.mark.long) for case in (
        ("0", {0}), ("1-2", {1, 2}), ("0-99", {0, 1, 2}), ("7", set())))])
def test_some_writers(run, mixed, writers, numbers):
    """Named by number and span, in every way of asking."""
    mine = [one for one in mixed.by_line() if one["writer"] in numbers]
    assert run.console(writers=writers) == mine
    assert by_time(run, writers=writers) == [one for one in mixed.by_time() if one["writer"] in numbers]
    assert search(run, "line 14", writers=writers) == [one for one in mine if "line 14" in one["text"]]


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_one_stream(run, mixed, stream):
    mine = streams_of(mixed.by_line(), stream)
    assert run.console(stream=stream) == run.console(stream=stream, limit=700) == mine
    assert by_time(run, stream=stream) == streams_of(mixed.by_time(), stream)
    assert search(run, "line 14", stream=stream) == [one for one in mine if "line 14" in one["text"]]
    texts = run.api.get(f"{run.path}/console", format="text", stream=stream).text
    assert texts == "".join(one["text"] + "\n" for one in mine)


def test_lines_as_ndjson(run, mixed):
    lines = run.api.get(f"{run.path}/console", format="ndjson", writers="1").text.splitlines()
    assert [json.loads(one) for one in lines] == [one for one in mixed.by_line() if one["writer"] == 1]


# ---- by expression ----------------------------------------------------------------------------------

@pytest.mark.parametrize("pattern, query, found", [
    ("^step \\d+$", {}, [0]), ("step [0-9]+", {}, [0, 1]), ("STEP", {}, []), ("STEP", {"case": "ignore"}, [0, 1, 4]),
    ("NCCL|all_reduce", {}, [2, 3]), ("an? error in", {}, [5]), ("ÄÖ", {"case": "ignore"}, [6]), ("^$", {}, [7]),
    ("(?<=loss )\\S+", {}, [1]), ("[31m", {}, None), ("(a", {}, None), ("a\\Cb", {}, None),
])
def test_expressions(run, pattern, query, found):
    texts = ["step 12", "step 13 loss 0.5", "NCCL watchdog", "dist.all_reduce(x)", "Step", "an \x1b[1;31merror\x1b[0m in it",
             "äö", ""]
    run.join().send(console=[line(i, t, 1.0) for i, t in enumerate(texts)])
    if found is None:
        query = {"search": pattern, "syntax": "regex", **query}
        assert run.api.refused(400, "invalid", "GET", f"{run.path}/console", query=query)["field"] == "search"
    else:
        assert [c["line"] for c in search(run, pattern, syntax="regex", **query)] == found


def test_an_expression_that_never_ends(run):
    """Lines at which it takes too many steps are given up, and told."""
    w = run.join()
    w.send(console=[line(0, "a" * 30 + "b", 1.0), line(1, "c", 1.0), line(2, "aaac", 1.0)])
    page = run.api.get(f"{run.path}/console", search="(a+)+(a+)+(a+)+[cd]", syntax="regex")
    assert ([c["line"] for c in page["items"]], page["looked_at"], page["given_up"]) == ([2], 3, 1)


@pytest.mark.long
def test_a_slow_expression_is_searched_in_parts(run):
    """Each page takes some seconds at most, and the cursor goes on."""
    w = run.join()
    w.send(console=[line(n, "a" * 3000 if n % 100 else "aab", 1.0) for n in range(1000)])
    found, cursor, pages = [], None, 0
    while cursor or not pages:
        page = run.api.get(f"{run.path}/console", search="a[^b]{0,500}[bx]", syntax="regex", **({"cursor": cursor} if cursor else {}))
        assert page["looked_at"] > 0
        found += [c["line"] for c in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1
    assert found == list(range(0, 1000, 100))


# ---- levels and density -----------------------------------------------------------------------------

@pytest.mark.parametrize("text, error", [
    ("ERROR x", True), ("[ERROR] x", True), ("\x1b[31mERROR\x1b[0m x", True), ("ERRORS", False), ("MY_ERROR", False),
    ("Traceback (most recent call last):", True), ("ValueError: x", True), ("torch.distributed.DistBackendError: x", True),
    ("Error: x", True), ("Validation Error: 0.3", False), ("mean squared error: 0.3", False), ("CRITICAL", True),
    ("FATAL:", True), ("java.lang.Exception: x", True), ("", False), ("0 errors", False), ("MERROR ERROR", True),
])
def test_lines_that_tell_of_an_error(run, text, error):
    run.join().send(console=[line(0, text, 1.0)])
    assert ("level" in run.console()[0], run.console()[0].get("level", "error")) == (error, "error")


def density(run, **query):
    return run.api.get(f"{run.path}/console/density", **query).json


def tallies(console):
    """(writer, lines, errors, lines and errors of stderr) of each writer."""
    made = {}
    for one in console.by_line():
        tally = made.setdefault(one["writer"], [0, 0, 0, 0])
        bad, second = "ERROR" in one["text"], one["stream"] == "stderr"
        for at, more in enumerate((1, bad, second, bad and second)):
            tally[at] += more
    return [(w, *made[w]) for w in sorted(made)]


def told(found):
    return [(w["writer"], w["lines"], w["errors"], w["stderr_lines"], w["stderr_errors"]) for w in found["writers"]]


@pytest.mark.long
def test_density(run, compacted):
    """Exact sums whatever lies in chunks, in the tail, or in both."""
    dice, console = random.Random(11), Console()
    writers = [run.join(f"d{i}", "worker", label=f"rank{i}") for i in range(3)]
    for part in range(4):
        for w in writers:
            sent = [line(n, "ERROR" if dice.random() < 0.1 else "fine", 1000 + part * 100 + dice.randrange(100),
                         dice.choice(["stdout", "stderr"]))
                    for n in sorted(dice.sample(range(2500), 700))]
            w.send(console=sent)
            console.note(w, sent)
        if part % 2:
            compacted()
        check_density(run, console)
    compacted()
    check_density(run, console)


def check_density(run, console):
    found = density(run, buckets=50)
    lines = console.by_time()
    assert told(found) == tallies(console)
    assert (found["time_first"], found["time_last"]) == (lines[0]["time"], lines[-1]["time"])
    assert (len(found["lines"]), sum(found["lines"])) == (50, len(lines))
    assert sum(found["errors"]) == sum("ERROR" in one["text"] for one in lines)
    for query, keep in (({"writers": "1"}, lambda one: one["writer"] == 1),
                        ({"stream": "stderr", "writers": "0-1"}, lambda one: one["writer"] < 2 and one["stream"] == "stderr"),
                        ({"writers": "9"}, lambda one: False)):
        part = density(run, **query)
        assert told(part) == told(found)
        assert (len(part["lines"]), sum(part["lines"])) == (240, sum(map(keep, lines)))


def test_density_over_time(run, compacted):
    """Bursts and silence stay where they are, before and after a compaction."""
    w = run.join()
    times = [*range(100), *range(900, 1000), 1999]
    w.send(console=[line(i, "x", 5000 + t) for i, t in enumerate(times)])
    expected = [100, 0, 0, 0, 0, 0, 0, 0, 0, 100, *[0] * 9, 1]
    assert density(run, buckets=20)["lines"] == expected
    compacted()
    after = density(run, buckets=20)["lines"]
    assert (sum(after), after[1:9], after[10:19]) == (201, [0] * 8 if not after[8] else after[1:9], [0] * 9)
    assert max(after[0], after[9]) >= 75


def test_density_of_nothing(run):
    found = density(run, buckets=3)
    assert found == {"time_first": None, "time_last": None, "lines": [0, 0, 0], "errors": [0, 0, 0], "writers": []}


@pytest.mark.parametrize("query, field", [
    ({"writers": ""}, "writers"), ({"writers": "1-"}, "writers"), ({"writers": "a"}, "writers"), ({"writers": "3-1"}, "writers"),
    ({"writers": "1,,2"}, "writers"), ({"writers": "2147483648"}, "writers"), ({"stream": "stdin"}, "stream"),
    ({"writers": ",".join(map(str, range(1025)))}, "writers"),
])
def test_who_and_what_is_checked(run, query, field):
    for path in ("console", "console/density"):
        assert run.api.refused(400, "invalid", "GET", f"{run.path}/{path}", query=query)["field"] == field


def test_bounds_of_what_is_asked(run):
    density(run, writers=",".join(map(str, range(1024))))
    for buckets in (0, 2001, "x"):
        refused = run.api.refused(400, "invalid", "GET", f"{run.path}/console/density", query={"buckets": buckets})
        assert refused["field"] == "buckets"
    assert len(density(run, buckets=2000)["lines"]) == 2000
    for query, field in (({"label": "a", "writers": "1"}, "writers"), ({"syntax": "regex"}, "syntax"),
                         ({"search": "x", "syntax": "glob"}, "syntax"), ({"search": "x", "format": "ndjson"}, "format"),
                         ({"order": "arrival", "time_from": 1}, "time_from"), ({"order": "time", "arrival_to": 1}, "arrival_to"),
                         ({"order": "arrival", "arrival_from": 2**53}, "arrival_from"), ({"order": "late"}, "order"),
                         ({"order": "arrival", "arrival_to": -1}, "arrival_to"), ({"arrivals": "yes"}, "arrivals"),
                         ({"arrivals": "true", "format": "text"}, "arrivals"),
                         ({"order": "arrival", "format": "text"}, "format")):
        assert run.api.refused(400, "invalid", "GET", f"{run.path}/console", query=query)["field"] == field
