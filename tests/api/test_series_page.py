"""POST series: panels of runs and groups, in pieces; compared with sums made here of what was sent."""
import json
import math
import random
import statistics
import struct

import pytest

from runs import Run

@pytest.fixture
def project():
    """Of the test alone: what other tests made is not in its groups."""
    return f"/api/v1/projects/ann/charts-{random.getrandbits(48):x}"


def ask(api, project, panels, **more):
    """The pieces, but for the end."""
    pieces = api.post(f"{project}/series", {"panels": panels, **more}).json["pieces"]
    assert pieces[-1] == {"piece": "end"}
    return pieces[:-1]


def with_between(buckets):
    """Of one run: bucket -> (mean, least, greatest) of finite values, and what lies between them where they are near."""
    own = {at: [v for _, v in pairs if math.isfinite(v)] for at, pairs in buckets.items()}
    own = {at: (math.fsum(v) / len(v), min(v), max(v)) if v else None for at, v in sorted(own.items())}
    places = list(own)
    apart = sorted(b - a for a, b in zip(places, places[1:]))
    found = {at: told for at, told in own.items() if told}
    for a, b in zip(places, places[1:]):
        if own[a] and own[b] and b - a <= 5 * apart[len(apart) // 2]:
            for at in range(a + 1, b):
                share = (at - a) / (b - a)
                found[at] = tuple(x * (1 - share) + y * share for x, y in zip(own[a], own[b]))
    return found


def of_kind(pieces, kind):
    return [p for p in pieces if p["piece"] == kind]


class Fleet:
    """Runs whose values are known; some lack keys, some are short."""

    def __init__(self, api, project, count, seed=1):
        self.random = random.Random(seed)
        self.rows = {}
        for i in range(count):
            run = Run(api, f"f{i}", project)
            api.patch(run.path, {"group": "even" if i % 2 == 0 else "odd"})
            self.rows[run.name] = [self.row(i, step) for step in range(40 if i % 3 else 25)]
            run.join().send(history=self.rows[run.name])

    def row(self, run, step):
        r = self.random
        row = {"_step": step * 10 + run, "_timestamp": 1_700_000_000 + step, "loss": r.gauss(run, 1)}
        if run % 4:
            row["acc"] = float("nan") if r.random() < 0.1 else r.random()
        return row

    def buckets(self, name, key, k, least, most):
        found = {}
        for row in self.rows[name]:
            if key in row and least <= row["_step"] <= most:
                found.setdefault((row["_step"] - least) * k // (most - least + 1), []).append((row["_step"], row[key]))
        return found

    def extent(self, names, keys):
        steps = [row["_step"] for n in names for row in self.rows[n] if any(key in row for key in keys)]
        return min(steps), max(steps)

    def group(self, names, key, k, least, most):
        """bucket -> what a group's columns must say there"""
        members = [self.buckets(n, key, k, least, most) for n in sorted(names)]
        lines = [with_between(m) for m in members]
        result = {}
        for at in sorted({at for m in members for at in m}):
            here = [pair for m in members for pair in m.get(at, [])]
            finite = sum(math.isfinite(v) for _, v in here)
            counted = [m[at] for m in lines if at in m] if finite else []
            means = [mean for mean, _, _ in counted]
            result[at] = {
                "runs": len(means), "n": finite, "min": pytest.approx(min(low for _, low, _ in counted)) if means else None,
                "max": pytest.approx(max(high for _, _, high in counted)) if means else None, "mean": pytest.approx(statistics.fmean(means)) if means else None,
                "std": pytest.approx(statistics.stdev(means)) if len(means) > 1 else None,
                "nan": sum(math.isnan(v) for _, v in here), "pinf": sum(v == math.inf for _, v in here),
                "ninf": sum(v == -math.inf for _, v in here),
                "x_first": min(step for step, _ in here), "x_last": max(step for step, _ in here)}
        return result


def check_series(piece, wanted):
    columns = piece["columns"]
    assert columns["at"] == sorted(wanted)
    for i, at in enumerate(columns["at"]):
        finite = [v for _, v in wanted[at] if math.isfinite(v)]
        assert columns["n"][i] == len(finite) and columns["nan"][i] == len(wanted[at]) - len(finite)
        assert (columns["x_first"][i], columns["x_last"][i]) == (wanted[at][0][0], wanted[at][-1][0])
        assert columns["min"][i] == min(finite, default=None) and columns["max"][i] == max(finite, default=None)
        assert columns["mean"][i] == (pytest.approx(statistics.fmean(finite)) if finite else None)


def check_group(piece, wanted):
    columns = piece["columns"]
    assert columns["at"] == sorted(wanted)
    for i, at in enumerate(columns["at"]):
        assert {name: columns[name][i] for name in wanted[at]} == wanted[at]


def test_runs_and_keys_share_a_grid(api, project):
    fleet = Fleet(api, project, 5)
    shown = ["f1", "f3", "f4"]
    pieces = ask(api, project, [{"keys": ["loss", "acc", "none"], "buckets": 12}], runs=shown + ["nobody"])
    least, most = fleet.extent(shown, ["loss", "acc"])
    etag = pieces[0].pop("etag")
    assert len(etag) == 32
    assert pieces[0] == {"piece": "panel", "panel": 0, "x": "_step", "buckets": 12, "from": least, "to": most,
                         "missing": ["nobody"]}
    assert {(p["run"], p["key"]) for p in pieces[1:]} == {(r, k) for r in shown for k in ("loss", "acc")
                                                         if (r, k) != ("f4", "acc")}
    for piece in pieces[1:]:
        check_series(piece, fleet.buckets(piece["run"], piece["key"], 12, least, most))


def test_groups_are_over_all_their_runs(api, project, wait_for):
    fleet = Fleet(api, project, 9)
    even = [f"f{i}" for i in range(0, 9, 2)]
    wait_for(lambda: len(api.get(f"{project}/runs", filter="group:even").json["items"]) == 5)
    groups = [{"name": "even", "filter": "group:even"}, {"name": "three", "runs": ["f1", "f2", "f3", "nobody"]}]
    for shown in ([], ["f0"], ["f5", "f7"]):
        pieces = ask(api, project, [{"keys": ["loss", "acc"], "buckets": 9, "from": 0, "to": 300}], runs=shown, groups=groups)
        panel = pieces[0]
        names = {"even": even, "three": ["f1", "f2", "f3"]}
        found = of_kind(pieces, "group")
        assert [(g["group"], g["runs"]) for g in found] == [("even", 5)] * 2 + [("three", 3)] * 2
        for g in found:
            check_group(g, fleet.group(names[g["group"]], g["key"], 9, panel["from"], panel["to"]))


def test_a_run_of_a_group_that_logs_something_else_now_and_then(api, project):
    """It counts with what lies between its own, not where it was silent for long, nor behind its end."""
    steps = {"each": range(40), "lacks": [n for n in range(30) if n not in (10, 20) and not 22 < n < 29]}
    for name, of in steps.items():
        Run(api, name, project).join().send(history=[{"_step": n, "loss": n if name == "lacks" else 0} for n in of])
    panel = {"keys": ["loss"], "buckets": 40, "from": 0, "to": 39, "percentiles": True}
    [group] = of_kind(ask(api, project, [panel], groups=[{"name": "all", "runs": list(steps)}]), "group")
    columns = group["columns"]
    both = [n for n in range(30) if not 22 < n < 29]
    assert columns["runs"] == [2 if n in both else 1 for n in range(40)]
    assert columns["mean"] == pytest.approx([n / 2 if n in both else 0 for n in range(40)])
    assert columns["p50"] == pytest.approx(columns["mean"])
    assert columns["max"] == pytest.approx([n if n in both else 0 for n in range(40)])
    assert columns["n"] == [2 if n in steps["lacks"] else 1 for n in range(40)]


@pytest.mark.parametrize("form", ["json", "ndjson", "columns"])
@pytest.mark.parametrize("percentiles", [False, True])
def test_runs_of_a_group_that_diverge(api, project, form, percentiles):
    """Two of three from some step on, in the end all: counted, in no mean, and no bucket is left out."""
    ends = {"f0": math.nan, "f1": math.inf, "f2": None}
    for at, (name, odd) in enumerate(ends.items()):
        rows = [{"_step": step, "loss": at + 1 if odd is None or step < 10 else odd} for step in range(20)]
        rows += [{"_step": step, "loss": -math.inf if name == "f1" else math.nan} for step in range(20, 30)]
        Run(api, name, project).join().send(history=rows)
    panel = {"keys": ["loss"], "buckets": 3, "from": 0, "to": 29, "percentiles": percentiles}
    answer = api.post(f"{project}/series", {"panels": [panel], "groups": [{"name": "all", "runs": list(ends)}], "format": form})
    pieces = {"json": lambda: answer.json["pieces"], "ndjson": lambda: answer.lines, "columns": lambda: read_columns(answer.body)}
    [group] = of_kind(pieces[form](), "group")
    columns = group["columns"]
    if form == "columns":
        columns = {c["name"]: [None if math.isnan(v) else v for v in c["values"]] for c in columns}
    wanted = {"at": [0, 1, 2], "x_first": [0, 10, 20], "x_last": [9, 19, 29], "runs": [3, 1, 0], "n": [30, 10, 0],
              "min": [1, 3, None], "max": [3, 3, None], "mean": [2, 3, None], "std": [1, None, None],
              "nan": [0, 10, 20], "pinf": [0, 10, 0], "ninf": [0, 0, 10]}
    between = {"p10": [pytest.approx(1.2), 3, None], "p50": [2, 3, None], "p90": [pytest.approx(2.8), 3, None]}
    assert columns == ({**wanted, **between} if percentiles else wanted)


def test_percentiles_of_groups(api, project):
    """Of the means that all runs have in a bucket, as a sort of them tells; several keys, and groups without a run."""
    fleet = Fleet(api, project, 9)
    groups = [{"name": "five", "runs": [f"f{i}" for i in range(5)]}, {"name": "one", "runs": ["f5"]},
              {"name": "none", "runs": ["nobody"]}]
    panel = {"keys": ["loss", "acc"], "buckets": 9, "from": 0, "to": 300}
    pieces = ask(api, project, [{**panel, "percentiles": True}], groups=groups)
    found = {(g["group"], g["key"]): g["columns"] for g in of_kind(pieces, "group")}
    plain = ask(api, project, [panel], groups=groups)
    for piece in of_kind(plain, "group"):
        assert "p50" not in piece["columns"]
        shared = {name: found[piece["group"], piece["key"]][name] for name in piece["columns"]}
        assert shared == piece["columns"]
    for key in panel["keys"]:
        columns = found["five", key]
        runs = [fleet.buckets(f"f{i}", key, 9, 0, 300) for i in range(5)]
        for at, p10, p50, p90 in zip(columns["at"], columns["p10"], columns["p50"], columns["p90"]):
            finite = [[v for _, v in run.get(at, []) if math.isfinite(v)] for run in runs]
            means = sorted(math.fsum(values) / len(values) for values in finite if values)
            for found_one, share in ((p10, 0.1), (p50, 0.5), (p90, 0.9)):
                low, part = divmod(share * (len(means) - 1), 1)
                above = means[min(int(low) + 1, len(means) - 1)]
                assert found_one == pytest.approx(means[int(low)] * (1 - part) + above * part)
        assert found["one", key]["p10"] == found["one", key]["p90"] == pytest.approx(found["one", key]["mean"])
        assert found["none", key]["p50"] == []


@pytest.mark.long
def test_more_than_percentiles_are_made_of(api, project):
    """An error in the group's place; what is beside it is answered, and so is what just fits."""
    fleet = Fleet(api, project, 1)
    api.post(f"{project}/runs/f0/history", {"loss": 1.5})
    names = [f"many{i}" for i in range(420)]
    for name in names:
        api.put(f"{project}/runs/{name}", {})
    groups = [{"name": "many", "runs": [*names, *fleet.rows]}, {"name": "fits", "runs": names[:419]}]
    pieces = ask(api, project, [{"keys": ["loss"], "buckets": 20000, "percentiles": True}], groups=groups)
    error, = of_kind(pieces, "error")
    assert (error["status"], error["field"]) == (422, "percentiles") and "421 runs in 20000 buckets" in error["detail"]
    assert [piece["group"] for piece in of_kind(pieces, "group")] == ["fits"]


def test_spikes_survive(api, project):
    """In buckets of many cells, of one run and of a group, where means show nothing of them."""
    for name in ("a", "b"):
        writer = Run(api, name, project).join()
        for batch in range(4):
            writer.send(history=[{"v": 1e9 if (name, step) == ("a", 12_345) else -1e9 if (name, step) == ("b", 777) else 0.5}
                                 for step in range(batch * 5000, batch * 5000 + 5000)])
    for k in (1, 7, 30, 5000):
        pieces = ask(api, project, [{"keys": ["v"], "buckets": k}], runs=["a", "b"],
                     groups=[{"name": "both", "runs": ["a", "b"]}])
        a, b = (p["columns"] for p in of_kind(pieces, "series"))
        both, = (p["columns"] for p in of_kind(pieces, "group"))
        assert (max(a["max"]), min(b["min"]), max(both["max"]), min(both["min"])) == (1e9, -1e9, 1e9, -1e9)
        assert sum(a["n"]) == sum(b["n"]) == 20_000 and sum(both["n"]) == 40_000
        assert pieces == ask(api, project, [{"keys": ["v"], "buckets": k}], runs=["a", "b"],
                             groups=[{"name": "both", "runs": ["a", "b"]}])


def test_panels_in_order(api, project):
    fleet = Fleet(api, project, 3)
    panels = [{"keys": ["loss"], "buckets": 4, "x": "_relative"}, {"keys": ["acc"], "split": "writer"},
              {"keys": ["cpu"], "stream": "events"}, {"keys": ["loss"], "x": "acc", "from": 0.25, "to": 0.5}]
    pieces = ask(api, project, panels, runs=list(fleet.rows))
    assert [p["panel"] for p in of_kind(pieces, "panel")] == [0, 1, 2, 3]
    assert [p["panel"] for p in pieces] == sorted(p["panel"] for p in pieces)
    assert (pieces[0]["from"], pieces[0]["to"]) == (0, 39)
    assert {(p["label"], p["writer"]) for p in of_kind(pieces, "series") if p["panel"] == 1} == {("w1", 0)}
    last = [p for p in of_kind(pieces, "series") if p["panel"] == 3]
    for piece in last:
        inside = [r for r in fleet.rows[piece["run"]] if 0.25 <= r.get("acc", math.nan) <= 0.5]
        assert sum(piece["columns"]["n"]) == len(inside)


def read_columns(body, at=0):
    """What the documented format says, byte by byte."""
    pieces = []
    while at < len(body):
        magic, head, data = struct.unpack_from("<4sIQ", body, at)
        assert magic == b"CRN1" and head % 8 == 0 == data % 8
        start = at + 16 + head
        piece = json.loads(body[at + 16:start])
        for column in piece.get("columns", []):
            assert (start + column["offset"]) % 8 == 0
            letter = {"float64": "d", "float32": "f"}[column["type"]]
            column["values"] = struct.unpack_from(f"<{column['count']}{letter}", body, start + column["offset"])
        pieces.append(piece)
        at = start + data
    assert at == len(body)
    return pieces


@pytest.mark.parametrize("numbers", ["float64", "float32"])
def test_columns_say_what_json_says(api, project, numbers):
    Fleet(api, project, 4)
    body = {"panels": [{"keys": ["loss", "acc"], "buckets": 7}], "runs": ["f1", "f2", "gone"],
            "groups": [{"name": "g", "runs": ["f0", "f1", "f3"]}]}
    document = api.post(f"{project}/series", body).json["pieces"]
    lines = api.post(f"{project}/series", {**body, "format": "ndjson"})
    assert lines.content_type == "application/x-ndjson" and lines.lines == document
    answer = api.post(f"{project}/series", {**body, "numbers": numbers}, headers={"Accept": "application/vnd.cairn.columns"})
    assert answer.content_type == "application/vnd.cairn.columns"
    found = read_columns(answer.body)
    assert len(found) == len(document)
    for piece, wanted in zip(found, document):
        assert (piece.pop("etag", None) == wanted.pop("etag", None)) == (numbers == "float64" or piece["piece"] != "panel")
        assert {k: v for k, v in piece.items() if k != "columns"} == {k: v for k, v in wanted.items() if k != "columns"}
        for column in piece.get("columns", []):
            exact = column["name"] in ("at", "x_first", "x_last", "n", "nan", "pinf", "ninf", "runs")
            assert column["type"] == ("float64" if exact else numbers)
            for value, said in zip(column["values"], wanted["columns"][column["name"]], strict=True):
                if said is None or said == "NaN":
                    assert math.isnan(value)
                else:
                    assert value == pytest.approx(said, rel=1e-6 if numbers == "float32" else 0)


def test_more_than_one_batch(api, project):
    """20,000 buckets of a key fill a batch: grids, series and sums go on from batch to batch."""
    fleet = Fleet(api, project, 7)
    panel = {"keys": ["loss", "acc"], "buckets": 20_000}
    pieces = ask(api, project, [panel], runs=list(fleet.rows), groups=[{"name": "all", "runs": list(fleet.rows)}])
    least, most = fleet.extent(fleet.rows, ["loss", "acc"])
    assert (pieces[0]["from"], pieces[0]["to"]) == (least, most)
    assert len(of_kind(pieces, "series")) == 7 + 5
    for piece in of_kind(pieces, "series"):
        check_series(piece, fleet.buckets(piece["run"], piece["key"], 20_000, least, most))
    for piece in of_kind(pieces, "group"):
        check_group(piece, fleet.group(fleet.rows, piece["key"], 20_000, least, most))


def send_machine(run, label, host, rows):
    writer = run.join(label, **({"host": host} if host else {}))
    writer.send(events=[{"_timestamp": 1_700_000_000 + at, **row} for at, row in rows])


def by_name(pieces):
    return {p.get("host") or p["label"]: p["columns"] for p in of_kind(pieces, "series")}


def test_writers_of_a_host_measure_one_machine(api, project):
    """Four processes on two hosts, and one that does not tell where it runs: three series, not five."""
    run = Run(api, "r1", project)
    for label, host, value in (("a", "n1", 10), ("b", "n2", 50), ("c", "n1", 30), ("d", "n1", 20), ("e", None, 70)):
        send_machine(run, label, host, [(at, {"gpu.0.gpu": value + at}) for at in range(10)])
    panel = {"keys": ["gpu.0.gpu"], "stream": "events", "split": "host", "buckets": 10}
    found = by_name(ask(api, project, [panel], runs=["r1"]))
    assert {name: c["mean"][0] for name, c in found.items()} == {"n1": pytest.approx(20), "n2": 50, "e": 70}
    assert (found["n1"]["min"], found["n1"]["max"]) == ([10.0 + at for at in range(10)], [30.0 + at for at in range(10)])
    assert found["n1"]["n"] == [3] * 10 and found["n2"]["n"] == [1] * 10
    apart = by_name(ask(api, project, [{**panel, "split": "writer"}], runs=["r1"]))
    assert {name: c["mean"][0] for name, c in apart.items()} == {"a": 10, "b": 50, "c": 30, "d": 20, "e": 70}


def test_rates_of_counters(api, project):
    """Each writer counts from its own start: their rates have a mean, what they count has none."""
    run = Run(api, "r1", project)
    send_machine(run, "a", "n1", [(at, {"network.sent": 100 * at}) for at in range(0, 10, 3)])
    send_machine(run, "b", "n1", [(at, {"network.sent": 5000 + 300 * at if at < 6 else 30}) for at in range(0, 10, 3)])
    panel = {"keys": ["network.sent"], "stream": "events", "split": "host", "rate": True, "buckets": 10}
    columns = by_name(ask(api, project, [panel], runs=["r1"]))["n1"]
    assert columns["mean"] == pytest.approx([200, (100 + 10) / 2, (100 + 0) / 2])
    assert columns["x_first"] == [1_700_000_003, 1_700_000_006, 1_700_000_009]
    assert by_name(ask(api, project, [{**panel, "x": "_relative"}], runs=["r1"]))["n1"]["mean"] == columns["mean"]
    one = ask(api, project, [{**panel, "from": 1_700_000_003, "to": 1_700_000_003}], runs=["r1"])
    assert not of_kind(one, "series"), "a single value has no rate"


@pytest.mark.parametrize("form", ["json", "columns"])
def test_columns_asked_for(api, project, form):
    run = Run(api, "r1", project)
    send_machine(run, "a", "n1", [(at, {"cpu": at}) for at in range(4)])
    every = ["x_first", "x_last", "first", "last", "min", "max", "mean", "n", "nan", "pinf", "ninf"]
    panels = [{"keys": ["cpu"], "stream": "events", "buckets": 4, "columns": names}
              for names in ([], ["mean"], ["nan", "x_first"], every)]
    answer = api.post(f"{project}/series", {"panels": panels, "runs": ["r1"], "format": form})
    pieces = answer.json["pieces"] if form == "json" else read_columns(answer.body)
    names = [[c["name"] for c in p["columns"]] if form == "columns" else list(p["columns"]) for p in of_kind(pieces, "series")]
    assert names == [["at", *every], ["at", "mean"], ["at", "x_first", "nan"], ["at", *every]]


def test_what_one_may_not_see_is_missing(api, project, keys, wait_for):
    Fleet(api, project, 3)
    api.patch(project, {"visibility": "public"})
    api.patch(f"{project}/runs/f1", {"visibility": "private"})
    stranger = api.as_user(None)
    body = {"panels": [{"keys": ["loss"], "buckets": 3}], "runs": ["f0", "f1"],
            "groups": [{"name": "named", "runs": ["f0", "f1", "f2"]}, {"name": "found", "filter": "name:/^f/"}]}
    wait_for(lambda: len(api.get(f"{project}/runs", filter="name:/^f/").json["items"]) == 3)
    mine = api.post(f"{project}/series", body).json["pieces"]
    assert [p.get("runs") for p in of_kind(mine, "group")] == [3, 3]
    theirs = stranger.post(f"{project}/series", body).json["pieces"]
    assert theirs[0]["missing"] == ["f1"] and {p["run"] for p in of_kind(theirs, "series")} == {"f0"}
    assert [p.get("runs") for p in of_kind(theirs, "group")] == [2, 2]
    api.delete(f"{project}/runs/f0")
    assert ask(api, project, body["panels"], runs=["f0"])[0]["missing"] == ["f0"]


PANEL = {"keys": ["loss"]}


@pytest.mark.parametrize("body, field", [
    ({}, "panels"), ({"panels": []}, "panels"), ({"panels": [{}]}, "panels[0].keys"),
    ({"panels": [{"keys": [""]}]}, "panels[0].keys"), ({"panels": [{**PANEL, "buckets": 0}]}, "panels[0].buckets"),
    ({"panels": [{**PANEL, "buckets": 20_001}]}, "panels[0].buckets"),
    ({"panels": [{**PANEL, "from": -1}]}, "panels[0].from"), ({"panels": [{**PANEL, "colour": 1}]}, "panels[0].colour"),
    ({"panels": [{**PANEL, "split": "label"}]}, "panels[0].split"), ({"panels": [{**PANEL, "rate": 1}]}, "panels[0].rate"),
    ({"panels": [{**PANEL, "rate": True, "x": "_timestamp"}]}, "panels[0].rate"),
    ({"panels": [{**PANEL, "rate": True, "split": "host"}]}, "panels[0].rate"),
    ({"panels": [{**PANEL, "columns": ["at"]}]}, "panels[0].columns"),
    ({"panels": [{**PANEL, "columns": ["n"] * 12}]}, "panels[0].columns"),
    ({"panels": [{**PANEL, "x": "_timestamp", "scale": "log"}]}, "panels[0].scale"), ({"panels": [PANEL], "format": "xml"}, "format"),
    ({"panels": [PANEL] * 65}, "panels"), ({"panels": [PANEL], "runs": ["a/b"]}, "runs"),
    ({"panels": [PANEL], "groups": [{"name": "g"}]}, "groups[0].filter"),
    ({"panels": [PANEL], "groups": [{"name": "g", "filter": "x:(", "runs": []}]}, "groups[0].filter"),
    ({"panels": [PANEL], "groups": [{"name": "f", "filter": ""}, {"name": "g", "filter": "x:("}]}, "groups[1].filter"),
    ({"panels": [PANEL], "groups": [{"name": "g", "filter": '{"x": 1}'}]}, "groups[0].filter.x"),
    ({"panels": [PANEL], "runs": [f"r{i}" for i in range(1001)]}, "runs"),
    ({"panels": [{"keys": [f"k{i}" for i in range(1001)]}]}, "panels[0].keys"),
])
def test_refused(api, project, body, field):
    Run(api, project=project)
    problem = api.refused(400, "invalid", "POST", f"{project}/series", body)
    assert problem["field"].startswith(field)


@pytest.mark.parametrize("key_count, runs, buckets, fits", [
    (20, 1000, 100, True), (21, 1000, 10, False), (10, 10, 20_000, True), (10, 11, 19_000, False),
])
def test_limits_from_both_sides(api, project, key_count, runs, buckets, fits):
    Run(api, "r0", project)
    body = {"panels": [{"keys": [f"k{i}" for i in range(key_count)], "buckets": buckets}],
            "runs": [f"r{i}" for i in range(runs)]}
    if fits:
        assert api.post(f"{project}/series", body).json["pieces"][-1] == {"piece": "end"}
    else:
        api.refused(422, "unprocessable", "POST", f"{project}/series", body)


def test_steps_as_a_key_are_told_beside_what_is_answered(api, project):
    run = Run(api, "stepped", project)
    run.join().send(history=[{"loss": 1.5}])
    pieces = ask(api, project, [{"keys": ["_step", "loss"]}, {"keys": ["loss"], "buckets": 1}], runs=["stepped"])
    assert [(p["piece"], p["panel"]) for p in pieces] == [("panel", 0), ("error", 0), ("panel", 1), ("series", 1)]
    assert pieces[1]["status"] == 422 and "_step" in pieces[1]["detail"]


def etags_of(pieces):
    return [piece["etag"] for piece in pieces if piece["piece"] in ("panel", "same")]


def with_etags(panels, pieces):
    return [{**panel, "etag": etag} for panel, etag in zip(panels, etags_of(pieces), strict=True)]


def kinds_of(pieces):
    return [piece["piece"] for piece in pieces if piece["piece"] in ("panel", "same")]


@pytest.mark.parametrize("form", ["json", "columns"])
def test_what_is_the_same_does_not_come_again(api, project, form):
    """Until its run gets rows: those of another run, samples and an end are no other answer of its history."""
    one, other = Run(api, "r1", project), Run(api, "r2", project)
    writer, apart = one.join(), other.join()
    writer.send(history=[{"_step": at, "loss": at} for at in range(5)])
    apart.send(history=[{"_step": at, "loss": -at} for at in range(5)])
    panels = [{"keys": ["loss"], "buckets": 4}, {"keys": ["loss"], "buckets": 8, "from": 1},
              {"keys": ["cpu"], "stream": "events"}]

    def again(given, **more):
        answer = api.post(f"{project}/series", {"panels": given, "runs": ["r1"], "format": form, **more})
        return answer.json["pieces"] if form == "json" else read_columns(answer.body)

    first = again(panels)
    known = with_etags(panels, first)
    assert len(set(etags_of(first))) == 3
    assert again(known) == [{"piece": "same", "panel": at, "etag": etag} for at, etag in enumerate(etags_of(first))] + \
        [{"piece": "end"}]
    apart.send(history=[{"_step": 5, "loss": -5}])
    assert kinds_of(again(known)) == ["same"] * 3
    writer.send(events=[{"_timestamp": 1_700_000_000, "cpu": 1}])
    assert kinds_of(again(known)) == ["same", "same", "panel"]
    writer.finish()
    assert kinds_of(again(known)) == ["same", "same", "panel"]
    late = one.join()
    late.send(history=[{"_step": 2, "loss": 7}])
    grown = again(known)
    assert kinds_of(grown) == ["panel"] * 3 and not set(etags_of(grown)) & set(etags_of(first))
    if form == "json":
        assert {max(p["columns"]["max"]) for p in of_kind(grown, "series") if p["key"] == "loss"} == {7}
    assert kinds_of(again(with_etags(panels, grown))) == ["same"] * 3


def test_another_question_is_another_answer(api, project):
    """Each of these etags is of its own question alone, and one that is nobody's is none."""
    run = Run(api, "r1", project)
    send_machine(run, "a", "n1", [(at, {"cpu": at}) for at in range(4)])
    Run(api, "r2", project).join().send(history=[{"_step": 1, "loss": 1}])
    plain = {"keys": ["cpu"], "stream": "events"}
    panels = [plain, {**plain, "buckets": 64}, {**plain, "x": "_relative"}, {**plain, "x": "_relative", "scale": "log"},
              {**plain, "from": 1_700_000_001}, {**plain, "to": 1_700_000_001}, {**plain, "split": "writer"},
              {**plain, "split": "host"}, {**plain, "split": "host", "rate": True}, {**plain, "percentiles": True},
              {**plain, "columns": ["mean"]}, {**plain, "keys": ["cp", "u"]}, {**plain, "keys": ["cpu", "u"]},
              {"keys": ["cpu"]}]
    asked = [{"runs": ["r1"]}, {"runs": ["r2"]}, {"runs": ["r1", "r2"]}, {"runs": ["r1", "nobody"]}, {"runs": ["r1"], "numbers": "float32"},
             {"groups": [{"name": "g", "runs": ["r1"]}]}, {"groups": [{"name": "h", "runs": ["r1"]}]},
             {"runs": ["r1"], "groups": [{"name": "g", "runs": []}]}]
    answers = [ask(api, project, panels, **more) for more in asked]
    etags = [etag for pieces in answers for etag in etags_of(pieces)]
    assert len(set(etags)) == len(panels) * len(asked)
    for etag in (etags[1], "x", "x" * 64, ""):
        assert kinds_of(ask(api, project, [{**plain, "etag": etag}], runs=["r1"])) == ["panel"]
    api.refused(400, "invalid", "POST", f"{project}/series", {"panels": [{**plain, "etag": "x" * 65}], "runs": ["r1"]})


@pytest.mark.parametrize("split", ["host", "writer"])
def test_a_fork_split_by_writers_has_no_etag(api, project, split):
    """It shows its parent's writers, whose labels change without it."""
    parent, forked = Run(api, "r1", project), f"{project}/runs/r2"
    parent.join("a", label="old", host="n1").send(history=[{"loss": at} for at in range(5)])
    api.put(forked, {"forked_from": {"run": "r1", "step": 2}})
    panels = [{"keys": ["loss"], "split": split} for split in (split, "run")]
    first = ask(api, project, panels, runs=["r2"])
    whole, plain = [piece for piece in first if piece["piece"] == "panel"]
    assert "etag" not in whole and "etag" in plain
    parent.join("a", label="new", host="n2")
    known = [{**panels[0], "etag": plain["etag"]}, {**panels[1], "etag": plain["etag"]}]
    answer = ask(api, project, known, runs=["r2"])
    assert kinds_of(answer) == ["panel", "same"]
    told, = [piece for piece in of_kind(answer, "series") if piece["panel"] == 0]
    assert told["host" if split == "host" else "label"] in ("n2", "new")


@pytest.mark.parametrize("split, again", [("host", {"host": "n2"}), ("writer", {"host": "n1", "label": "eval"})])
def test_a_writer_that_comes_back_as_another(api, project, split, again):
    """From another host, or with another label: what names it is another answer then, though nothing was written."""
    run = Run(api, "r1", project)
    send_machine(run, "a", "n1", [(0, {"cpu": 1})])
    panels = [{"keys": ["cpu"], "stream": "events", "split": split} for split in (split, "run")]
    first = ask(api, project, panels, runs=["r1"])
    run.join("a", **again)
    assert kinds_of(ask(api, project, with_etags(panels, first), runs=["r1"])) == ["panel", "same"]
