"""The fate of every kind of value: what is sent, what is read back, what charts count."""
import csv
import json
import math

import pytest

BIG = 2**53 + 1
HUGE = 123456789012345678901234567890

# literal as sent, value of the exact row, kind of the key
FATES = [
    ("0.5", 0.5, "number"),
    ("3", 3, "number"),
    ("-0.0", 0.0, "number"),
    ("1e-320", 1e-320, "number"),
    ("1.7976931348623157e308", 1.7976931348623157e308, "number"),
    ("0.1234567890123456789012345", 0.12345678901234568, "number"),
    (str(2**53), 2**53, "number"),
    (str(BIG), BIG, "integer"),
    (str(-BIG), -BIG, "integer"),
    (str(HUGE), HUGE, "integer"),
    ("NaN", "NaN", "nonfinite"),
    ("Infinity", "Infinity", "nonfinite"),
    ("-Infinity", "-Infinity", "nonfinite"),
    ("1e999", "Infinity", "nonfinite"),
    ("true", True, "bool"),
    ("false", False, "bool"),
    ("null", None, "null"),
    ('""', "", "string"),
    ('"text"', "text", "string"),
    ('"NaN"', "NaN", "string"),
    (r'"\u00fc\n\"\\\ud83d\ude00"', 'ü\n"\\😀', "string"),
    ("[]", [], "array"),
    ('[1,"a",null,{"b":[2]}]', [1, "a", None, {"b": [2]}], "array"),
    ("{}", {}, "object"),
]


@pytest.mark.parametrize("stream", ["history", "events"])
@pytest.mark.parametrize("literal, value, kind", FATES, ids=[f[0][:20] for f in FATES])
def test_fate(run, stream, literal, value, kind):
    run.join().raw('{"writer":"w1","session":1,"batch":1,"%s":[{"k":%s}]}' % (stream, literal))
    got = (run.rows() if stream == "history" else run.events())[0]["k"]
    assert (got, isinstance(got, bool)) == (value, isinstance(value, bool))
    key = run.keys(stream=stream)["k"]
    assert key["count"] == 1
    assert set(key["kinds"]) == ({"number", "integer"} if kind == "integer" else {kind})
    assert key["last"] == value


def test_charts_count_numbers_only(run):
    literals = ",".join('{"k":%s}' % literal for literal, _, _ in FATES)
    run.join().raw('{"writer":"w1","session":1,"batch":1,"history":[%s]}' % literals)
    buckets = run.sampled("k")[0]["buckets"]
    kinds = [kind for _, _, kind in FATES]
    assert sum(b["n"] for b in buckets) == kinds.count("number") + kinds.count("integer")
    assert sum(b["nan"] for b in buckets) == 1
    assert sum(b["pinf"] for b in buckets) == 2
    assert sum(b["ninf"] for b in buckets) == 1
    assert max(b["max"] for b in buckets if b["n"]) == 1.7976931348623157e308
    assert len(run.rows()) == len(FATES)


def test_big_integers_in_charts_are_the_nearest_double(run):
    run.join().send(history=[{"k": BIG}, {"k": HUGE}])
    buckets = run.sampled("k")[0]["buckets"]
    assert [b["max"] for b in buckets] == [float(BIG), float(HUGE)]


def test_means_of_values_whose_sum_is_no_double(run):
    run.join().send(history=[{"a": 1e308, "b": v} for v in (1.7e308, 1.7e308, -1.7e308, -1.7e308)])
    for key, mean in ("a", 1e308), ("b", 0):
        bucket, = run.sampled(key, buckets=1)[0]["buckets"]
        assert (bucket["n"], bucket["mean"]) == (4, mean)


def test_times_keep_their_microseconds(run):
    times = [1795285756 + i / 1e6 for i in range(0, 1000, 7)] + [0.000001, 253402300799]
    run.join().send(console=[{"line": i, "text": "x", "time": t} for i, t in enumerate(times[:-1])],
                    events=[{"k": i, "_timestamp": t} for i, t in enumerate(times)])
    assert [line["time"] for line in run.console()] == times[:-1]
    for t in times[:3] + times[-2:]:
        assert [row["_timestamp"] for row in run.events(**{"from": repr(t), "to": repr(t)})] == [t]
    chart, = run.api.get(f"{run.path}/events", keys="k", buckets=1).json["series"]
    assert (chart["buckets"][0]["x_first"], chart["buckets"][0]["x_last"]) == (0.000001, 253402300799)


def test_every_double_comes_back(run):
    values = [math.pi, 1 / 3, 5e-324, 2.2250738585072014e-308, 1e22, 1e23, 123456.789e3, -1e-7, 0.1 + 0.2]
    run.join().send(history=[{"k": v} for v in values])
    assert run.values("k") == values


def test_objects_are_flattened(run):
    w = run.join()
    w.send(history=[{"a": {"b": 1, "c": {"d": [1, {"x": 2}], "e": {}}}, "f": 2}])
    row = {k: v for k, v in run.rows()[0].items() if not k.startswith("_")}
    assert row == {"a.b": 1, "a.c.d": [1, {"x": 2}], "a.c.e": {}, "f": 2}
    assert sorted(run.keys()) == ["a.b", "a.c.d", "a.c.e", "f"]


@pytest.mark.parametrize("row", [
    '{"a":1,"a":2}', '{"a":1,"b":2,"a":1}', '{"a":{"b":1},"a.b":2}', '{"a":{"b":1,"b":2}}',
    '{"_step":1,"_step":1}', r'{"a":1,"\u0061":2}',
])
def test_a_name_twice_in_a_row(run, row):
    """The first is kept, and the answer says that the other one is not."""
    w = run.join()
    answer = w.raw('{"writer":"w1","session":1,"batch":1,"history":[{"a":0},%s]}' % row)
    assert answer["rows"] == 2 and answer["left_out"] == 1
    assert [(each["kind"], each["reason"]) for each in answer["left_out_first"]] == [("history", "name-repeated")]
    rows = run.rows()
    assert len(rows) == 2 and rows[1].get("a", 1) == 1 and rows[1].get("a.b", 1) == 1


def test_mixed_kinds_under_one_key(run):
    w = run.join()
    w.send(history=[{"k": 1}, {"k": "one"}])
    w.send(history=[{"k": None}, {"k": 2.5}, {"k": {"x": 1}}, {"k": BIG}])
    rows = run.rows()
    assert [r.get("k", "none") for r in rows] == [1, "one", None, 2.5, "none", BIG]
    assert rows[4]["k.x"] == 1
    key = run.keys()["k"]
    assert (key["count"], key["last"]) == (5, BIG)
    assert set(key["kinds"]) == {"number", "string", "null", "integer"}
    assert run.sampled("k")[0]["buckets"][0]["n"] == 1
    assert sum(b["n"] for b in run.sampled("k")[0]["buckets"]) == 3


def test_empty_rows_are_rows(run):
    answer = run.join().send(history=[{}, {}])
    assert answer["rows"] == 2
    assert [r["_step"] for r in run.rows()] == [0, 1]


def test_key_names(run):
    names = ["train/loss", "a.b", "ü", "with space", "100%", "x" * 512, "comma,name", "back\\slash", '"q"', "_runtime"]
    run.join().send(history=[{name: i for i, name in enumerate(names)}])
    assert {k: v for k, v in run.rows()[0].items() if k in names} == {n: i for i, n in enumerate(names)}
    assert set(run.keys()) == set(names)
    escaped = r"comma\,name,back\\slash"
    got = run.api.get(f"{run.path}/history", keys=escaped, buckets=1).json["series"]
    assert [s["key"] for s in got] == ["comma,name", "back\\slash"]


ODD = {"a\0b": "a␀b", "a\nb": "a␊b", "\x7f\t": "␡␉", "a␊": "a‛␊", "‛": "‛‛", "_row": "_row_sent", "_label": "_label_sent"}


def test_odd_key_names_are_kept_in_another_form(run):
    """As docs/rest.md has it."""
    answer = run.join().send(history=[{"loss": 1, **{name: i for i, name in enumerate(ODD)}}] * 2)
    assert answer["rows"] == 2 and answer["left_out"] == 0
    assert set(run.keys()) == {"loss", *ODD.values()}
    for i, form in enumerate(ODD.values()):
        assert run.values(form) == [i, i]


def test_long_key_names_are_shortened(run, wait_for):
    """The list of keys has the whole names, also of a run that was moved."""
    long, other = "x" * 513, "x" * 600
    w = run.join()
    w.send(history=[{long: 1, other: 2, "y" * 512: 3}, {other: 4, long: 5, "y" * 512: 6}])
    keys = sorted(run.keys())
    assert keys[2] == "y" * 512 and all(key.startswith("x" * 470) and len(key.encode()) == 512 for key in keys[:2])
    assert sorted(run.values(key) for key in keys[:2]) == [[1, 5], [2, 4]]
    wholes = {run.values(key)[0]: run.keys()[key].get("whole_key") for key in keys}
    assert wholes == {1: long, 2: other, 3: None}
    w.finish()
    run.api.put("/api/v1/projects/ann/long-names", {})
    there = {"entity": "ann", "project": "long-names"}
    wait_for(lambda: run.api.request("POST", f"{run.path}/move", there).status == 200, what="the move")
    moved = run.api.pages(f"/api/v1/projects/ann/long-names/runs/{run.name}/keys")
    assert {each.get("whole_key") for each in moved} == {long, other, None}


LEFT_OUT = {"": "name-empty", "x" * 2049: "name-too-long"}


@pytest.mark.parametrize("key", LEFT_OUT, ids=LEFT_OUT.values())
def test_key_names_left_out(run, key):
    """The others of the row are kept; a repeat is answered alike, and nothing is counted twice."""
    w = run.join()
    body = w.body(1, history=[{"loss": 1, key: "bad", "acc": 2}])
    answer = w.raw(body)
    told = [{"kind": "history", "name": answer["left_out_first"][0]["name"], "reason": LEFT_OUT[key], "count": 1}]
    assert (answer["rows"], answer["left_out"], answer["left_out_first"]) == (1, 1, told)
    assert w.raw(body) == answer
    assert run.values("loss") == [1] and run.values("acc") == [2] and run.get()["left_out"] == 1
    listed = run.api.pages(f"{run.path}/left-out")
    assert [(each["name"], each["reason"], each["count"], each["sample"]) for each in listed] == [
        (told[0]["name"], LEFT_OUT[key], 1, '"bad"')]


def test_by_hand_says_what_is_left_out(run):
    answer = run.log([{"loss": 1, "": 2}])
    assert (answer["rows"], answer["left_out"]) == (1, 1) and run.values("loss") == [1]


def test_other_names_in_place_of_the_servers(run):
    """One name cannot have both: what was sent under the other name is kept before what was to be moved there."""
    answer = run.join().send(history=[{"_label": 1, "_label_sent": 2, "_step": "x", "_step_sent": 3, "a": 4}])
    assert answer["left_out"] == 2
    assert {(each["name"], each["reason"]) for each in answer["left_out_first"]} == {
        ("_label", "name-reserved"), ("_step", "name-reserved")}
    assert (run.values("_label_sent"), run.values("_step_sent"), run.values("a")) == ([2], [3], [4])


MIB = 1 << 20


def test_the_largest_text(run):
    """A text that is all of a row of 10 MiB is a value; one of more is left out, and its row is there."""
    w = run.join()
    fits = "x" * (10 * MIB - len('{"k":""}'))
    w.raw('{"writer":"w1","session":1,"batch":1,"history":[{"k":"%s"}]}' % fits)
    assert run.values("k") == [fits]
    answer = w.raw('{"writer":"w1","session":1,"batch":2,"history":[{"k":"%s","a":1}]}' % ("x" * (10 * MIB - 1)))
    assert answer["left_out_first"][0]["reason"] == "value-too-large" and run.values("a") == [1]


def test_a_list_of_two_hundred_thousand_numbers(run):
    numbers = list(range(200_000))
    assert run.join().send(history=[{"loss": 1, "per_sample": numbers}, {"loss": 2}])["left_out"] == 0
    assert run.values("per_sample") == [numbers] and run.values("loss") == [1, 2]


@pytest.mark.long
@pytest.mark.own
def test_large_texts_do_not_take_the_memory(run, server, db, wait_for):
    """Written, compacted and read row by row; of a list of keys only the beginning of the last one is told."""
    w = run.join()
    w.send(history=[{"k": "x", "n": -1}])
    before = server.memory("VmHWM")
    texts = [str(n) * (9 * MIB) for n in range(10)]
    for n, text in enumerate(texts):
        w.send_patiently(history=[{"k": text, "n": n}])
    w.finish()
    wait_for(lambda: db.value("select tail_rows from run_hot order by run_id desc limit 1") == 0, what="compaction")
    assert run.values("k")[1:] == texts
    assert len(json.dumps(run.keys())) < 2 * MIB
    assert server.memory("VmHWM") - before < 512 * MIB



NESTED = r"""[1,
 NaN, {"a b" :
  -Infinity}, " NaN\n"]"""


def refuse_word(word):
    raise AssertionError(f"{word} is no JSON")


def test_what_is_nested_comes_back_as_one_line_of_json(run):
    """NaN in a list and line ends between its values are fine when sent; a reader of JSON, of lines or of
    events wants neither."""
    run.join().raw('{"writer":"w1","session":1,"batch":1,"history":[{"k":%s}],"events":[{"k":%s}]}' % (NESTED, NESTED))
    value = [1, "NaN", {"a b": "-Infinity"}, " NaN\n"]
    for stream in "history", "events":
        answer = run.api.get(f"{run.path}/{stream}", format="ndjson")
        lines = [json.loads(line, parse_constant=refuse_word) for line in answer.body.splitlines()]
        assert [row["k"] for row in lines] == [value]
        keys = run.api.get(f"{run.path}/keys", stream=stream).body
        listed = json.loads(keys, parse_constant=refuse_word)["items"]
        assert [k["last"] for k in listed if k["key"] == "k"] == [value]
    cell = run.api.get(f"{run.path}/history", keys="k", format="csv").text
    assert list(csv.reader(cell.splitlines()))[1][-1] == json.dumps(value, separators=(",", ":"))


def test_many_keys(run):
    w = run.join()
    w.send(history=[{f"k{i}": i for i in range(10_000)}])
    assert len(run.keys(limit=10_000)) == 10_000
    row = run.rows()[0]
    assert row["k9999"] == 9999 and len(row) == 10_004
    assert w.send(history=[{f"k{i}": i for i in range(10_001)}])["left_out_first"][0]["name"] == "k10000"
