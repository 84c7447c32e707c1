"""Every row of a project, run after run, and from a line on."""
import csv
import io
import random

import pytest

from runs import Run


@pytest.fixture
def project(api):
    """Runs of all sizes, and one that nobody else may see."""
    path = f"/api/v1/projects/ann/whole-{random.getrandbits(48):x}"
    for i, rows in enumerate((3, 0, 700, 1, 40)):
        run = Run(api, f"r{i}", path)
        if rows:
            run.join(label=f"rank{i}").send(history=[{"v": i * 1000 + k, f"only{i}": k} for k in range(rows)])
    api.patch(f"{path}/runs/r3", {"visibility": "private"})
    return path


def lines(api, project, **query):
    return api.get(f"{project}/history", **query).lines


def test_every_row_of_every_run(api, project):
    found = lines(api, project)
    assert [(r["_run"], r["_row"], r["v"]) for r in found] == [
        (f"r{i}", k, i * 1000 + k) for i, rows in enumerate((3, 0, 700, 1, 40)) for k in range(rows)]
    assert {(r["_run"], r["_label"]) for r in found} == {(f"r{i}", f"rank{i}") for i in (0, 2, 3, 4)}
    one = Run(api, "r2", project, make=False).rows()
    assert [{k: v for k, v in r.items() if k != "_run"} for r in found if r["_run"] == "r2"] == one


def test_it_goes_on_after_any_line(api, project):
    whole = lines(api, project)
    for at in (0, 1, 2, 3, 350, 702, 703, 704, 742, 743):
        last = whole[at]
        assert lines(api, project, after=f"{last['_run']}/{last['_row']}") == whole[at + 1:]
    api.delete(f"{project}/runs/r2")
    assert lines(api, project, after="r2/350") == whole[703:]


def test_keys_range_and_csv(api, project):
    found = lines(api, project, keys="only2,only4", **{"from": 10, "to": 12})
    assert [(r["_run"], r["_step"]) for r in found] == [(r, s) for r in ("r2", "r4") for s in (10, 11, 12)]
    text = api.get(f"{project}/history", format="csv", keys="v,only4").text
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(table[0])[:4] == ["_run", "_row", "_label", "_step"] and len(table) == 744
    assert [(r["_run"], r["only4"]) for r in table[-2:]] == [("r4", "38"), ("r4", "39")]


def test_what_one_may_not_see_is_left_out(api, project):
    api.patch(project, {"visibility": "public"})
    assert {r["_run"] for r in lines(api.as_user(None), project)} == {"r0", "r2", "r4"}


@pytest.mark.parametrize("query", [{"after": "r0"}, {"after": "r0/x"}, {"after": "nobody/1"}, {"after": "a b/1"},
                                   {"format": "csv"}, {"format": "json"}, {"buckets": 3}, {"from": 0.5}])
def test_refused(api, project, query):
    api.refused(400, "invalid", "GET", f"{project}/history", query=query)
