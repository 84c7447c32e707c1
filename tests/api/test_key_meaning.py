"""A key has one meaning wherever it is asked for: by columns and by SQL, in lists, orders, groups, values and fields."""
import itertools

import pytest

from cluster import wait_until
from conftest import Place
from rest import Api
from runs import Run
from server import ROOT

# On a busy machine, too, a list waits until it has all runs.
KINDS = {"columns": {"search_fold_ms": 60000}, "sql": {"search_fold_ms": 60000, "search_memory": 0}}
_numbers = itertools.count()
# min, max and mean of v/both; the least is better for v/low
DEFINED = [{"1": "val/loss", "7": [1]}, {"1": "v/both", "7": [1, 2, 3]}, {"1": "v/low", "7": [1, 2], "8": 1}]


class Kinds(Place):
    def new_server(self):
        self.settings = list(KINDS.values())[len(self.servers)]
        return super().new_server()


@pytest.fixture(scope="module")
def place_kind():
    return Kinds


@pytest.fixture(scope="module")
def servers(shared_place, keys):
    made = [Api(shared_place.server(i), keys["ann"]) for i in range(len(KINDS))]
    yield made
    for api in made:
        api.close()


@pytest.fixture
def home(servers):
    """Six runs, all but the last with definitions: val/loss goes down to (6 - i) / 10, and then up to 1."""
    home = f"/api/v1/projects/ann/meaning-{next(_numbers)}"
    servers[0].put(home, {})
    for i in range(6):
        config = {"lr": [0.1, 0.01][i % 2], **({"_wandb": {"m": DEFINED}} if i < 5 else {})}
        servers[0].put(f"{home}/runs/r{i}", {"config": config})
        values = [2, (6 - i) / 10, *([1] if i < 5 else [])]
        writer = Run(servers[0], f"r{i}", home, make=False).join()
        writer.send(history=[{"val/loss": v, "v/both": v, "v/low": v, "plain": v} for v in values])
        writer.finish(0)
    return home


def ids(api, home, **query):
    return [run["id"] for run in api.pages(f"{home}/runs", **query)]


def refused(api, path, **query):
    answer = api.request("GET", path, query=query)
    assert answer.status == 400, answer
    return answer.json


def each(servers):
    return zip(KINDS, servers)


def test_a_defined_metric_is_its_number(servers, home):
    for kind, api in each(servers):
        assert sorted(ids(api, home, filter="summary.val/loss<0.35")) == ["r3", "r4", "r5"], kind
        assert sorted(ids(api, home, filter="summary.val/loss.min<0.35")) == ["r3", "r4"], kind
        assert ids(api, home, filter="summary.val/loss.max<9") == [], kind
        assert sorted(ids(api, home, filter='{"summary_metrics.val/loss": {"$in": [0.6, 0.1]}}')) == ["r0", "r5"], kind
        assert ids(api, home, filter="not has:summary.val/loss") == [], kind
        assert ids(api, home, order="summary.val/loss") == ["r5", "r4", "r3", "r2", "r1", "r0"], kind
        assert ids(api, home, order="-summary.val/loss.min,id")[:5] == ["r0", "r1", "r2", "r3", "r4"], kind
        groups = api.get(f"{home}/groups", by="config.lr", of="summary.val/loss,summary.val/loss.min", order="value").json["items"]
        assert [[n["count"] for n in group["numbers"]] for group in groups] == [[3, 2], [3, 3]], kind
        assert [group["numbers"][0]["mean"] for group in groups] == pytest.approx([0.3, 0.4]), kind
        by = api.get(f"{home}/groups", by="summary.val/loss", order="value").json["items"]
        assert [group["group"] for group in by] == [f"number:0.{i}" for i in range(1, 7)], kind
        assert ids(api, home, group_by="summary.val/loss", group="number:0.6") == ["r0"], kind
        listed = api.get(f"{home}/runs", ids="r0,r5", keys="summary.val/loss,summary.val/loss.min").json["items"]
        assert [run["values"] for run in listed] == [[0.6, 0.6], [0.1, None]], kind
        values = api.get(f"{home}/fields/summary.val%2Floss/values").json
        assert (values["runs"], values["numbers"]) == (6, {"min": 0.1, "max": 0.6}), kind
        fields = {one["field"]: (one["kinds"], one["runs"]) for one in api.get(f"{home}/fields", limit=100).json["items"]}
        assert fields["summary.val/loss"] == (["number"], 6) and fields["summary.val/loss.min"] == (["number"], 5), kind


def test_of_several_numbers_one_is_meant(servers, home):
    """The greatest, or the least where the metric's goal is that; each has a name of its own, too."""
    keys = "summary.v/both,summary.v/both.mean,summary.v/low,summary.v/low.max"
    for kind, api in each(servers):
        [run] = api.get(f"{home}/runs", ids="r0", keys=keys).json["items"]
        assert run["values"] == [2, pytest.approx(1.2), 0.6, 2], kind


def test_the_summary_itself_stays(servers, home):
    for _, api in each(servers):
        assert api.get(f"{home}/runs/r0/summary").json["val/loss"] == {"min": 0.6}


def test_objects_that_look_alike(servers, home):
    """Set by hand, within objects, with NaN, or of something else: by what stands there, not by who wrote it."""
    servers[0].patch(f"{home}/runs/r0/summary", {"acc": {"best": 0.9}, "in": {"side": {"last": 3}}, "step": {"best": 1, "at": 7},
                                                 "odd": {"min": "low"}, "nan": {"max": "NaN"}})
    keys = "summary.acc,summary.acc.best,summary.in.side,summary.in.side.last,summary.step.best,summary.odd.min,summary.nan"
    for kind, api in each(servers):
        [run] = api.get(f"{home}/runs", ids="r0", keys=keys).json["items"]
        assert run["values"] == [0.9, 0.9, 3, 3, 1, "low", "NaN"], kind
        assert ids(api, home, filter="summary.acc>0.8 summary.in.side=3 summary.in.side.last=3 summary.step.best=1") == ["r0"], kind


def test_a_key_needs_no_section_where_one_has_it(servers, home):
    """In filters of both forms, orders, groups, values; the fields of a run go first, and tag and status are names of two."""
    servers[0].patch(f"{home}/runs/r0", {"tags": ["x"]})
    servers[0].patch(f"{home}/runs/r0/config", {"optim": {"lr": 0.5}, "dotted.lr": 3, "rows": 7})
    for kind, api in each(servers):
        for bare, whole in (("val/loss<0.35", "summary.val/loss<0.35"), ("not val/loss.min>0.35", "not summary.val/loss.min>0.35"),
                            ("lr:0.01", "config.lr:0.01"), ("optim.lr=0.5", "config.optim.lr=0.5"), ("dotted.lr:3", "config.dotted.lr:3"),
                            ("has:optim", "has:config.optim"), ("tag:x", "tags:x"), ("status:finished", "state:finished"),
                            ("rows>5", "not has:id"), ('{"lr": 0.01, "val/loss": {"$lt": 0.4}}', "config.lr:0.01 summary.val/loss<0.4")):
            assert ids(api, home, filter=bare) == ids(api, home, filter=whole), (kind, bare)
        assert ids(api, home, filter="tag:x") == ids(api, home, filter="optim.lr:0.5") == ["r0"], kind
        assert ids(api, home, order="-val/loss,lr") == ["r0", "r1", "r2", "r3", "r4", "r5"], kind
        assert ids(api, home, group_by="lr", group="number:0.1", order="val/loss") == ["r4", "r2", "r0"], kind
        assert api.get(f"{home}/groups", by="lr", of="val/loss,plain", different="lr").json == \
            api.get(f"{home}/groups", by="config.lr", of="summary.val/loss,summary.plain", different="config.lr").json, kind
        [run] = api.get(f"{home}/runs", ids="r0", keys="lr,val/loss,optim.lr").json["items"]
        assert run["values"] == [0.1, 0.6, 0.5], kind
        assert api.get(f"{home}/fields/val%2Floss/values").json["runs"] == 6, kind


def test_a_key_that_two_sections_have(servers, home):
    """The error names the forms that are meant, and stands at the key."""
    servers[0].patch(f"{home}/runs/r0/config", {"val/loss": 1, "status": "odd", "my key": 1})
    servers[0].patch(f"{home}/runs/r0/summary", {"my key": 1})
    both = '"val/loss" is a key of config and of summary: write config.val/loss or summary.val/loss'
    status = '"status" is a key of config and another name of state: write config.status or state'
    for _, api in each(servers):
        fault = refused(api, f"{home}/runs", filter="id:r0 val/loss<1")
        assert (fault["detail"], fault["at"]) == (f"{both}, at character 7", {"offset": 6, "length": 8})
        fault = refused(api, f"{home}/runs", filter='{"$or": [{"val/loss": 1}]}')
        assert (fault["detail"], fault["field"]) == (both, "filter.$or[0].val/loss")
        assert refused(api, f"{home}/runs", filter="status:odd")["detail"].startswith(status)
        assert 'write config."my key" or summary."my key"' in refused(api, f"{home}/runs", filter='"my key":1')["detail"]
        for path, asked in ("runs", {"order": "val/loss"}), ("runs", {"keys": "val/loss"}), ("groups", {"by": "val/loss"}), \
                ("groups", {"by": "lr", "of": "val/loss"}):
            fault = refused(api, f"{home}/{path}", **asked)
            assert (fault["detail"], fault["field"]) == (both, list(asked)[-1])
        assert ids(api, home, filter="config.val/loss:1 config.status:odd") == ["r0"]


def test_a_key_that_no_section_has(servers, home, keys):
    """Also one that only runs have which are not to be seen by who asks."""
    for _, api in each(servers):
        assert refused(api, f"{home}/runs", filter="nope<1")["detail"] == 'unknown key "nope", at character 1'
        assert refused(api, f"{home}/runs", order="nope")["field"] == "order"
    servers[0].patch(home, {"visibility": "public"})
    servers[0].put(f"{home}/runs/hidden", {"visibility": "private", "config": {"secret": 1}})
    for _, api in each(servers):
        stranger = Api(api.server, keys["bob"])
        assert ids(api, home, filter="secret:1") == ["hidden"]
        assert refused(stranger, f"{home}/runs", filter="secret:1")["detail"] == 'unknown key "secret", at character 1'
        assert len(ids(stranger, home, filter="lr<1")) == 6
        stranger.close()


def test_documents_of_a_server_before(servers, home, shared_place):
    """Stored as they were, with objects, they are written anew once the database is migrated."""
    db = shared_place.db
    wait_until(lambda: not db.value("select count(*) from run_change"), what="documents")
    whole = db.value("select document -> 'whole' from run_document where document -> 'whole' ? 'val/loss' limit 1")
    assert whole["val/loss"].keys() == {"min"}

    def is_as_before():  # what the job has yet to write of the runs' rows comes in between
        db.query("update run_document set document = (document - 'whole') || jsonb_build_object('summary', document -> 'whole')"
                 " where document ? 'whole'")
        return ids(servers[1], home, filter="summary.val/loss<0.35") == ["r5"]

    wait_until(is_as_before, what="documents as they were")
    db.query((ROOT / "migrations/0017_searched_numbers.sql").read_text())
    wait_until(lambda: not db.value("select count(*) from run_change"), what="documents")
    for kind, api in each(servers):
        assert sorted(ids(api, home, filter="summary.val/loss<0.35")) == ["r3", "r4", "r5"], kind
