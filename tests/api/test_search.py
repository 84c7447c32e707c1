"""Search by columns and by SQL: the same answers, whichever server changed what is searched."""
import collections
import concurrent.futures
import itertools
import json
import re

import pytest

from cluster import wait_until
from conftest import Place
from rest import Api
from runs import Run

KINDS = ("columns", "columns", "sql", "little")


class Kinds(Place):
    """The first two servers have columns, the third searches by SQL, the fourth has no room for columns."""

    def new_server(self):
        settings = {"sql": {"search_memory": 0}, "little": {"search_memory": "64K"}, "columns": {}}
        self.settings = settings[KINDS[len(self.servers)]]
        return super().new_server()


@pytest.fixture(scope="module")
def place_kind():
    return Kinds


@pytest.fixture(scope="module")
def servers(shared_place, keys):
    """One Api for each kind, as ann."""
    made = [Api(shared_place.server(i), keys["ann"]) for i in range(len(KINDS))]
    yield made
    for api in made:
        api.close()


_numbers = itertools.count()


def make_runs(servers):
    """A public project of 30 runs; every fifth is private."""
    home = f"/api/v1/projects/ann/search-{next(_numbers)}"
    api = servers[0]
    api.put(home, {"visibility": "public"})
    for i in range(30):
        api.put(f"{home}/runs/r{i:02}", {
            "job_type": ("train", "eval", "")[i % 3], "tags": ["odd"] if i % 2 else [],
            "visibility": "project" if i % 5 else "private",
            "config": {"lr": i / 10, "model": f"m{i % 4}", "opt": {"name": "adam" if i % 2 else "sgd"},
                       "mixed": (i, str(i), i % 2 == 0, None, [i % 2], {"x": 1})[i % 6]}})
        if i < 10:
            api.post(f"{home}/runs/r{i:02}/history", [{"train/loss": i, "train/acc": "NaN", "eval/a.b": 1, "note": "x",
                                                       **({"secret/key": 1} if i % 5 == 0 else {})}])
    api.patch(f"{home}/runs/r01/summary", {"best": 1, "deep": {"er": 2}})
    wait_until(lambda: api.get(f"{home}/runs", count="true", limit=1)["count"] == 30)
    wait_until(lambda: api.get(f"{home}/runs", count="true", limit=1, filter="has:summary.note")["count"] == 10)
    wait_until(lambda: api.get(f"{home}/runs", count="true", limit=1, filter="has:summary.best")["count"] == 1)
    for other in servers[:2]:
        load(other, home)
    return home


@pytest.fixture
def there(servers):
    return make_runs(servers)


@pytest.fixture(scope="module")
def kept(servers):
    """Nobody changes these."""
    return make_runs(servers)


def metric(api, name):
    return float(re.search(rf"\n{name} (\S+)", api.get("/metrics").text)[1])


def by_columns(api):
    return metric(api, "cairn_search_by_columns_total")


def load(api, home):
    """Until this server's answers come from columns."""
    def from_columns():
        before = by_columns(api)
        api.get(f"{home}/runs", limit=1)
        return by_columns(api) > before
    wait_until(from_columns, what="columns")


def ids(api, home, **query):
    return [run["id"] for run in api.pages(f"{home}/runs", **query)]


QUESTIONS = [
    {}, {"filter": "config.lr<1.5 tags:odd"}, {"filter": "config.model:/^m[12]$/"}, {"filter": "r1"},
    {"filter": '{"config.mixed": {"$in": [1, "7", true, null]}}'}, {"filter": "not config.opt.name:adam"},
    {"filter": "has:job_type config.mixed>3"}, {"filter": "config.lr:none or job_type:eval"},
]


@pytest.mark.parametrize("order", [
    None, "-config.mixed", *(pytest.param(order, marks=pytest.mark.long) for order in (
        "-config.lr", "config.mixed", "config.opt.name", "tags", "-job_type"))])
def test_every_way_gives_the_same_pages(servers, kept, order):
    more = {"order": order} if order else {}
    for question in QUESTIONS:
        answers = [(ids(api, kept, limit=7, **question, **more),
                    api.get(f"{kept}/runs", limit=1, count="true", **question, **more)["count"])
                   for api in servers]
        assert all(answer == answers[0] for answer in answers), question
        assert len(answers[0][0]) == len(set(answers[0][0])) == answers[0][1]
    assert [by_columns(api) > 0 for api in servers] == [True, True, False, False]


@pytest.mark.parametrize("order", [
    "-job_type,config.mixed,-id", *(pytest.param(order, marks=pytest.mark.long) for order in (
        "job_type,-config.lr", "state,state,state,-state"))])
def test_several_keys_order_what_is_alike(servers, kept, order):
    """Pages of any size, at whichever server, are the list as a whole; so is a window anywhere."""
    for question in QUESTIONS[:4]:
        whole = ids(servers[0], kept, order=order, limit=100, **question)
        assert len(set(whole)) == len(whole) > 2
        assert all(ids(api, kept, order=order, limit=3, **question) == whole for api in servers)
        for api in servers:
            page = api.get(f"{kept}/runs", order=order, offset=len(whole) - 2, limit=5, count="true", **question)
            assert ([run["id"] for run in page["items"]], page["count"]) == (whole[-2:], len(whole))
    found = [(run["job_type"], run["values"][0]) for run in servers[0].pages(f"{kept}/runs", order="job_type,-config.lr", keys="config.lr")]
    assert found == sorted(found, key=lambda run: (run[0] == "", run[0], -run[1]))


@pytest.mark.parametrize("by", [
    "config.mixed", *(pytest.param(by, marks=pytest.mark.long) for by in ("job_type", "config.opt.name", "id"))])
def test_every_way_gives_the_same_groups(servers, kept, by):
    for question, order in itertools.product(QUESTIONS[1:4], ("-count", "count", "value", "-value")):
        answers = [api.pages(f"{kept}/groups", by=by, of="config.lr,config.mixed", order=order, limit=3, **question)
                   for api in servers]
        for answer in answers:
            for group in answer:
                for numbers in group["numbers"]:
                    numbers.update({name: round(numbers[name], 9) for name in ("mean", "std") if name in numbers})
        assert all(answer == answers[0] for answer in answers), (question, order)
        names = [group["group"] for group in answers[0]]
        assert len(names) == len(set(names))
        assert sum(group["count"] for group in answers[0]) == len(ids(servers[0], kept, **question))
        counts = [group["count"] for group in answers[0]]
        assert order.endswith("value") or counts == sorted(counts, reverse=order == "-count")


@pytest.mark.parametrize("by", ["config.mixed", "job_type"])
def test_the_runs_of_a_group(servers, kept, by):
    """Each run is in one; a group within a group, a count and an order are of those alone."""
    groups = servers[0].pages(f"{kept}/groups", by=by)
    seen = []
    for group in groups:
        within = {"group_by": by, "group": group["group"]}
        answers = [(ids(api, kept, order="config.lr", limit=4, **within),
                    api.get(f"{kept}/runs", limit=1, count="true", **within)["count"],
                    api.get(f"{kept}/groups", by="state", **within)["runs"]) for api in servers]
        assert all(answer == answers[0] for answer in answers), group
        assert len(answers[0][0]) == answers[0][1] == answers[0][2] == group["count"]
        assert answers[0][0] == sorted(answers[0][0])
        seen += answers[0][0]
    assert sorted(seen) == sorted(ids(servers[0], kept))


def test_groups_say_what_they_are(servers, kept):
    for api in servers:
        answer = api.get(f"{kept}/groups", by="job_type", of="config.lr", order="value").json
        assert (answer["groups"], answer["runs"]) == (3, 30)
        assert [(g["group"], g["kind"], g["value"], g["count"]) for g in answer["items"]] == [
            ("text:eval", "text", "eval", 10), ("text:train", "text", "train", 10), ("none", "none", None, 10)]
        assert answer["items"][1]["numbers"] == [
            {"count": 10, "min": 0, "max": 2.7, "mean": pytest.approx(1.35), "std": pytest.approx(0.908295106229)}]
        kinds = [g["kind"] for g in api.get(f"{kept}/groups", by="config.mixed", order="value")["items"]]
        assert sorted(set(kinds), key=kinds.index) == ["text", "number", "bool", "list", "object", "none"]


def shown_of(found):
    """The most frequent of the values that runs have, as a group tells them."""
    counts = collections.Counter(json.dumps(value) for value in found)
    return {"count": len(counts), "runs": len(found), "counts": sorted(counts.values(), reverse=True)[:5]}


@pytest.mark.parametrize("by", ["job_type", "config.mixed"])
def test_the_different_values_of_groups(servers, kept, by):
    """Counted over all runs of each group, whichever way it is answered; a page has them of its own groups."""
    keys = ["config.mixed", "config.lr", "config.opt.name", "id", "summary.best", "config.model"]
    for question in QUESTIONS[1:4]:
        of = {}
        for run in servers[0].pages(f"{kept}/runs", keys=",".join([by, *keys]), **question):
            of.setdefault(json.dumps(run["values"][0]), []).append(run["values"][1:])
        answers = [api.pages(f"{kept}/groups", by=by, different=",".join(keys), limit=2, **question) for api in servers]
        assert all(answer == answers[0] for answer in answers), question
        for group in answers[0]:
            rows = of[json.dumps(group["value"])]
            for at, different in enumerate(group["different"]):
                # What a run has in a list or an object its `values` tell otherwise: config.mixed has a test of its own.
                found = [row[at] for row in rows if row[at] is not None]
                counts = [one["count"] for one in different["values"]]
                assert keys[at] == "config.mixed" or {**different, "counts": counts, "values": 0} == {**shown_of(found), "values": 0}
                assert counts == sorted(counts, reverse=True) and len(counts) == min(different["count"], 5)
        assert [len(group["different"]) for group in answers[0]] == [len(keys)] * len(answers[0])


def test_what_different_values_are(servers, kept):
    """Kinds are told apart, what is not there is none; of those that are alike often the least comes first, five in all."""
    for api in servers:
        answer = api.get(f"{kept}/groups", by="job_type", different="config.mixed,summary.best,tags", order="value")["items"]
        assert [group["value"] for group in answer[:2]] == ["eval", "train"]
        mixed, best, tags = answer[0]["different"]
        assert (mixed["count"], mixed["runs"]) == (6, 10) and best == {
            "count": 1, "runs": 1, "values": [{"kind": "number", "value": 1, "count": 1}]}
        assert mixed["values"] == [{"kind": "list", "value": "[0]", "count": 5},
                                   *({"kind": "text", "value": text, "count": 1} for text in ("1", "13", "19", "25"))]
        assert tags == {"count": 1, "runs": 5, "values": [{"kind": "list", "value": '["odd"]', "count": 5}]}
        mixed, best, _ = answer[1]["different"]
        assert (mixed["count"], mixed["runs"]) == (5, 5) and best == {"count": 0, "runs": 0, "values": []}
        sixteen = ",".join(["config.model"] * 16)
        assert len(api.get(f"{kept}/groups", by="state", different=sixteen)["items"][0]["different"]) == 16
        assert api.get(f"{kept}/groups", by="state", different="state", filter="id:nothing")["items"] == []


def test_a_change_by_one_server_is_seen_by_the_other_at_once(servers, there):
    """What one finds, the next question at the other finds, too."""
    one, other, sql, _ = servers
    for i in range(20):
        one.put(f"{there}/runs/new{i}", {"config": {"new": i}})
        wait_until(lambda: ids(one, there, filter=f"config.new:{i}") == [f"new{i}"])
        assert ids(other, there, filter=f"config.new:{i}") == [f"new{i}"]
        assert ids(sql, there, filter=f"config.new:{i}") == [f"new{i}"]
        other.patch(f"{there}/runs/new{i}", {"job_type": "changed"})
        wait_until(lambda: ids(other, there, filter=f"config.new:{i} job_type:changed"))
        assert ids(one, there, filter=f"config.new:{i} job_type:changed") == [f"new{i}"]
        other.delete(f"{there}/runs/new{i}")
        for api in servers:
            assert ids(api, there, filter="has:config.new") == []
    assert by_columns(one) > 40 and by_columns(other) > 40


def test_private_runs_are_nowhere(servers, there, keys):
    """In no page, count, group, order or statistic; from the moment on that makes them private."""
    outside = [api.as_user(keys["bob"]) for api in servers]
    nobody = [api.as_user(None) for api in servers]
    shown = [f"r{i:02}" for i in range(30) if i % 5]
    for api in outside + nobody:
        assert sorted(ids(api, there)) == shown
        assert api.get(f"{there}/runs", count="true")["count"] == len(shown)
        assert api.get(f"{there}/groups", by="state")["runs"] == len(shown)
        by_id = api.pages(f"{there}/groups", by="id", of="config.lr", limit=7)
        assert sorted(group["value"] for group in by_id) == shown
        assert ids(api, there, filter="id:r05") == ids(api, there, filter="id:/r[01][05]/") == []
    for api in servers:
        assert len(ids(api, there)) == 30
    for i, name in enumerate(shown[:8]):
        servers[i % 2].patch(f"{there}/runs/{name}", {"visibility": "private"})
        for api in outside:
            assert name not in ids(api, there)
            assert api.get(f"{there}/runs", count="true", limit=1)["count"] == len(shown) - i - 1
            assert name not in [g["value"] for g in api.pages(f"{there}/groups", by="id")]
    servers[0].patch(f"{there}/runs/{shown[0]}", {"visibility": "public"})
    for api in outside:
        assert shown[0] in ids(api, there)


@pytest.mark.parametrize("pattern", [
    "^(a+)+$", *(pytest.param(pattern, marks=pytest.mark.long) for pattern in ("(a|aa)+[xy]", "(.*)(.*)(.*)(.*)(.*)[xy]"))])
def test_an_expression_that_goes_astray(servers, there, pattern):
    servers[0].put(f"{there}/runs/astray", {"config": {"text": "a" * 3000 + "!"}})
    wait_until(lambda: ids(servers[0], there, filter="has:config.text") == ["astray"])
    for api in servers:
        for path, more in (("runs", {}), ("groups", {"by": "state"}), ("keys", {}), ("fields", {}),
                           ("fields/state/values", {})):
            query = {"filter": f"config.text:/{pattern}/", **more}
            problem = api.refused(422, "unprocessable", "GET", f"{there}/{path}", query=query)
            assert problem["field"] == "filter"
            assert problem["at"] == {"offset": len("config.text:"), "length": len(pattern) + 2}
        assert ids(api, there, filter="config.text:/^a+!$/") == ["astray"]


@pytest.mark.parametrize("path, query, field", [
    ("runs", {"count": "yes"}, "count"),
    ("runs", {"offset": -1}, "offset"), ("runs", {"offset": 10_000_001}, "offset"), ("runs", {"offset": "x"}, "offset"),
    ("runs", {"ids": ""}, "ids"), ("runs", {"ids": "a,,b"}, "ids"), ("runs", {"ids": ",".join(map(str, range(201)))}, "ids"),
    ("runs", {"ids": "a", "order": "state"}, "order"), ("runs", {"ids": "a", "filter": "b"}, "filter"),
    ("runs", {"ids": "a", "limit": 1}, "limit"), ("runs", {"ids": "a", "count": "true"}, "count"),
    ("runs", {"order": "state,id,state,id,state"}, "order"), ("runs", {"order": "state,,id"}, "order"), ("runs", {"order": " "}, "order"),
    ("runs", {"order": "state,id", "cursor": "A"}, "cursor"),
    ("runs", {"filter": " ".join("abcdefghijklmnopq")}, "filter"),
    ("runs", {"filter": "state:/(/"}, "filter"), ("runs", {"filter": "state:/\\C/"}, "filter"),
    ("runs", {"filter": '{"$or": [{"state": "a"}, {"config.x": {"$regex": "("}}]}'}, "filter.$or[1].config.x.$regex"),
    ("runs", {"filter": "state:/" + "a" * 257 + "/"}, "filter"),
    ("runs", {"group": "none"}, "group_by"), ("runs", {"group_by": "state"}, "group"),
    ("runs", {"group_by": "state", "group": "text"}, "group"), ("runs", {"group_by": "id", "group": "number:x"}, "group"),
    ("groups", {}, "by"), ("groups", {"by": "nothing"}, "by"), ("groups", {"by": "-state"}, "by"),
    ("groups", {"by": "state,id"}, "by"), ("groups", {"by": "tags.good"}, "by"),
    ("groups", {"by": "state", "of": "nothing"}, "of"), ("groups", {"by": "state", "of": "config.a,,b"}, "of"),
    ("groups", {"by": "state", "of": ",".join(f"config.k{i}" for i in range(65))}, "of"), ("groups", {"by": "state", "order": "-state"}, "order"),
    ("groups", {"by": "state", "different": ",".join(f"config.k{i}" for i in range(17))}, "different"),
    ("groups", {"by": "state", "different": "nothing"}, "different"), ("groups", {"by": "state", "different": "id,,host"}, "different"),
    ("groups", {"by": "state", "filter": "state:/(/"}, "filter"), ("groups", {"by": "state", "cursor": "A"}, "cursor"),
    ("keys", {"match": "/(/"}, "match"), ("keys", {"match": "a" * 257}, "match"), ("keys", {"limit": 10001}, "limit"),
    ("keys", {"sections": "yes"}, "sections"), ("keys", {"count": "1"}, "count"), ("keys", {"cursor": "A"}, "cursor"),
    ("keys", {"filter": "state:/(/"}, "filter"), ("fields", {"match": "/(/"}, "match"), ("fields", {"limit": 0}, "limit"),
    ("fields", {"limit": 1001}, "limit"), ("fields", {"filter": "("}, "filter"), ("fields", {"group": "none"}, "group_by"),
    ("fields/nothing/values", {}, "field"), ("fields/config./values", {}, "field"),
    ("fields/state/values", {"match": "/[/"}, "match"), ("fields/state/values", {"limit": 1001}, "limit"),
])
def test_what_is_refused(servers, kept, path, query, field):
    for api in (servers[0], servers[2]):
        assert api.refused(400, "invalid", "GET", f"{kept}/{path}", query=query)["field"] == field


@pytest.mark.parametrize("order", [
    "-created_at", "-config.mixed", *(pytest.param(order, marks=pytest.mark.long) for order in ("config.lr", "config.opt.name"))])
def test_a_window_anywhere(servers, kept, order):
    """The same as by pages; and its cursor goes on from it."""
    for api in servers:
        for question in QUESTIONS[:3]:
            whole = ids(api, kept, order=order, **question)
            for offset in (0, 1, 7, len(whole) - 1, len(whole), len(whole) + 1, 10_000_000):
                page = api.get(f"{kept}/runs", order=order, offset=offset, limit=4, count="true", **question)
                assert [run["id"] for run in page["items"]] == whole[offset:offset + 4]
                assert page["count"] == len(whole)
                assert bool(page["next_cursor"]) == (offset + 4 < len(whole))
            page = api.get(f"{kept}/runs", order=order, offset=3, limit=2, **question)
            after = api.get(f"{kept}/runs", order=order, limit=2, cursor=page["next_cursor"], **question)
            assert [run["id"] for run in after["items"]] == whole[5:7]


def test_runs_by_their_ids(servers, there, keys):
    """In the order asked for, each once; what is not there, was deleted or is not to be seen is left out."""
    servers[0].delete(f"{there}/runs/r09")
    named = "r07,nobody,r00,r29,r07,r09,r11"
    for api in servers:
        page = api.get(f"{there}/runs", ids=named, keys="config.lr")
        assert [(run["id"], run["values"]) for run in page["items"]] == [
            ("r07", [0.7]), ("r00", [0]), ("r29", [2.9]), ("r11", [1.1])]
        assert page["next_cursor"] is None
        for user in (keys["bob"], None):
            assert [run["id"] for run in api.as_user(user).get(f"{there}/runs", ids=named)["items"]] == ["r07", "r29", "r11"]
        assert len(api.get(f"{there}/runs", ids=",".join(f"r{i:02}" for i in range(200)))["items"]) == 29


def keys_of(api, home, **query):
    return {key.pop("key"): key for key in api.pages(f"{home}/keys", **query)}


KEYS = {
    "eval/a.b": {"section": "eval", "kinds": ["number"], "runs": 10},
    "note": {"section": "", "kinds": ["text"], "runs": 10},
    "secret/key": {"section": "secret", "kinds": ["number"], "runs": 2},
    "train/acc": {"section": "train", "kinds": ["number"], "runs": 10},
    "train/loss": {"section": "train", "kinds": ["number"], "runs": 10},
}


def test_who_counts_waits_until_columns_are_loaded(servers, shared_place, keys):
    """Several at once of a project that nobody asked for yet: the answers of SQL, and one loading."""
    home = f"/api/v1/projects/ann/search-{next(_numbers)}"
    for i in range(5):
        servers[2].put(f"{home}/runs/r{i}", {"config": {"lr": i, "opt": {"name": "adam"}}})
    wait_until(lambda: servers[2].get(f"{home}/runs", count="true", limit=1, filter="has:config.lr")["count"] == 5)
    paths = ["fields", "fields?filter=config.lr<3", "fields/config.lr/values", "fields/config.opt.name/values"] * 2
    loads = metric(servers[1], "cairn_search_loads_total")
    several = [Api(shared_place.server(1), keys["ann"]) for _ in paths]
    with concurrent.futures.ThreadPoolExecutor(len(paths)) as pool:
        answers = list(pool.map(lambda api, path: api.get(f"{home}/{path}").json, several, paths))
    for api in several:
        api.close()
    assert answers == [servers[2].get(f"{home}/{path}").json for path in paths]
    wait_until(lambda: metric(servers[1], "cairn_search_loads_total") == loads + 1, what="columns")


def test_keys_of_a_project(servers, kept):
    """What was sent in rows, in order, by pages; not what was set in the summary alone."""
    for api in servers:
        for limit in (1, 2, 5, 10000):
            assert keys_of(api, kept, limit=limit) == KEYS
        assert list(keys_of(api, kept)) == sorted(KEYS)
        page = api.get(f"{kept}/keys", limit=2, count="true")
        assert (len(page["items"]), page["count"]) == (2, 5)
        assert api.get(f"{kept}/keys", limit=10000, filter="id:nobody").json == {"items": [], "next_cursor": None}


@pytest.mark.parametrize("match, found", [
    ("LOSS", []), ("loss", ["train/loss"]), ("Loss", []), ("/^t.*s$/", ["train/loss"]), ("/LOSS/i", ["train/loss"]),
    ("/LOSS/", []), ("/", ["eval/a.b", "secret/key", "train/acc", "train/loss"]), ("//", []), ("a.b", ["eval/a.b"]),
    ("a" * 256, []), ("/" + "a" * 254 + "/", []), ("", list(KEYS)),
])
def test_keys_that_match(servers, kept, match, found):
    for api in servers:
        assert list(keys_of(api, kept, match=match)) == found


def test_sections_of_keys(servers, kept):
    sections = [("", 1), ("eval", 1), ("secret", 1), ("train", 2)]
    for api in servers:
        for limit in (1, 3, 1000):
            items = api.pages(f"{kept}/keys", sections="true", limit=limit)
            assert [(item["section"], item["keys"]) for item in items] == sections
        for section, count in sections:
            found = keys_of(api, kept, section=section)
            assert found == {key: said for key, said in KEYS.items() if said["section"] == section}
            assert len(found) == count
        items = api.get(f"{kept}/keys", sections="true", match="train", count="true")
        assert (items["items"], items["count"]) == ([{"section": "train", "keys": 2}], 1)


def test_keys_of_a_filter_and_of_who_asks(servers, kept, keys):
    """What only private runs have is not told to others."""
    for api in servers:
        assert keys_of(api, kept, filter="summary.train/loss<3")["note"]["runs"] == 3
        assert keys_of(api, kept, group_by="job_type", group="text:eval")["note"]["runs"] == 3
        outside = keys_of(api.as_user(keys["bob"]), kept)
        assert "secret/key" not in outside and outside["note"]["runs"] == 8
        assert api.as_user(None).get(f"{kept}/keys", section="secret")["items"] == []


def fields_of(api, home, **query):
    return api.get(f"{home}/fields", **{"limit": 1000, **query}).json


def test_keys_that_no_summary_has(servers):
    """Definitions keep them out of it, or make something else of them: rows have them all the same, and are charted."""
    home = f"/api/v1/projects/ann/search-{next(_numbers)}"
    defined = {"_wandb": {"m": [{"1": "hidden", "7": [6]}, {"1": "least", "7": [1]}, {"2": "deep/*", "7": [6]}]}}
    for name, config in (("plain", {}), ("defined", defined)):
        servers[0].put(f"{home}/runs/{name}", {"config": config})
        servers[0].post(f"{home}/runs/{name}/history", {"hidden": 3, "least": 2, "shown": 1, f"deep/{name}": "text"})
    expected = {"hidden": 2, "least": 2, "shown": 2, "deep/plain": 1, "deep/defined": 1}
    wait_until(lambda: len(keys_of(servers[0], home)) == len(expected))
    for api in servers:
        found = keys_of(api, home)
        assert {key: said["runs"] for key, said in found.items()} == expected
        kinds = {key: said["kinds"] for key, said in found.items()}
        assert kinds["hidden"] == kinds["least"] == kinds["shown"] == ["number"]
        assert kinds["deep/defined"] == ["text"]
        assert list(keys_of(api, home, section="deep", filter="id:defined")) == ["deep/defined"]
        assert ids(api, home, filter="has:summary.hidden") == ["plain"]
        names = [field["field"] for field in fields_of(api, home)["items"]]
        assert "summary.hidden" in names and not any(name.startswith("logged") for name in names)
        api.refused(400, "invalid", "GET", f"{home}/runs", query={"filter": "logged.hidden<5"})


def test_long_values_that_no_summary_has(servers, db):
    """What is searched has them cut, so that it does not grow by what nobody is shown; they are found under the same keys."""
    home = f"/api/v1/projects/ann/search-{next(_numbers)}"
    defined = {"_wandb": {"m": [{"2": "deep/*", "7": [6]}]}}
    servers[0].put(f"{home}/runs/r1", {"config": defined})
    long = {"text": "é" * 50000, "bins": list(range(100)), "empty": {}, "table": {"_type": "table", "text": "x" * 50000}}
    servers[0].post(f"{home}/runs/r1/history", {"deep/number": 1.5, **{f"deep/{name}": value for name, value in long.items()}})
    wait_until(lambda: "deep/number" in keys_of(servers[0], home))
    for api in servers:
        found = keys_of(api, home)
        assert found["deep/number"]["kinds"] == ["number"] and found["deep/text"]["kinds"] == ["text"]
        assert {"deep/bins", "deep/table.text"} <= found.keys()
    documents = [one for (one,) in db.query("select document->'logged' from run_document") if one and "deep/number" in one]
    (logged,) = documents
    assert logged["deep/text"] == "é" * 32 and logged["deep/bins"] == [] and logged["deep/table.text"] == "x" * 64
    assert len(json.dumps(logged)) < 1024


def test_fields_of_a_project(servers, kept):
    """The same as a filter finds of each."""
    answers = [fields_of(api, kept) for api in servers]
    assert all(answer == answers[0] for answer in answers)
    items = {item["field"]: item for item in answers[0]["items"]}
    assert len(items) == answers[0]["count"]
    assert {"id", "state", "tags", "job_type", "created_at", "heartbeat_at", "config.lr", "config.opt.name",
            "config.mixed", "summary.train/loss", "summary.eval/a.b", "summary.deep.er"} <= set(items)
    for name, item in items.items():
        assert api_count(servers[0], kept, f"has:{item['term']}") == item["runs"], name
    assert items["config.mixed"]["kinds"] == ["text", "number", "bool", "list", "object"]
    assert (items["tags"]["kinds"], items["tags"]["runs"]) == (["list"], 15)
    assert items["config.opt"]["kinds"] == ["object"]
    runs = [item["runs"] for item in answers[0]["items"]]
    assert runs == sorted(runs, reverse=True)


def api_count(api, home, text):
    return api.get(f"{home}/runs", limit=1, count="true", filter=text)["count"]


def test_fields_that_match(servers, kept, keys):
    for api in servers:
        found = fields_of(api, kept, match="summary.train", limit=1)
        assert (len(found["items"]), found["count"]) == (1, 2)
        assert [item["field"] for item in fields_of(api, kept, match="/^config.o/")["items"]] == [
            "config.opt", "config.opt.name"]
        assert fields_of(api, kept, match="lr", filter="config.lr<1")["items"][0]["runs"] == 10
        outside = api.as_user(keys["bob"])
        assert fields_of(outside, kept, match="secret")["items"] == []
        assert fields_of(outside, kept, match="config.lr")["items"][0]["runs"] == 24


def values_of(api, home, field, **query):
    answer = api.get(f"{home}/fields/{field}/values", **query).json
    return answer, [(item["value"], item["runs"]) for item in answer["items"]]


def test_values_of_a_field(servers, kept, keys):
    for api in servers:
        answer, found = values_of(api, kept, "config.opt.name")
        assert (found, answer["count"], answer["runs"]) == ([("adam", 15), ("sgd", 15)], 2, 30)
        assert "numbers" not in answer
        answer, found = values_of(api, kept, "config.lr", limit=3)
        assert (found, answer["count"], answer["numbers"]) == ([(0, 1), (0.1, 1), (0.2, 1)], 30, {"min": 0, "max": 2.9})
        answer, found = values_of(api, kept, "config.lr", match="2.")
        assert len(found) == 9 and answer["numbers"] == {"min": 0, "max": 2.9}
        assert values_of(api, kept, "tags")[1] == [("odd", 15)]
        assert values_of(api, kept, "job_type")[1] == [("eval", 10), ("train", 10)]
        assert values_of(api, kept, "summary.train%2Floss", filter="config.lr<0.2")[1] == [(0, 1), (1, 1)]
        assert values_of(api, kept, "config.nothing")[0] == {"items": [], "count": 0, "runs": 0}
        assert values_of(api.as_user(keys["bob"]), kept, "id", limit=1000)[0]["count"] == 24
        answer, found = values_of(api, kept, "config.mixed", limit=1000)
        assert dict((str(value), runs) for value, runs in found)["True"] == 5
        assert answer["runs"] == 25  # null takes a member away


def test_fields_with_hostile_names(servers, there):
    """The term asks for what the field names, whatever stands in it."""
    names = ['a b', 'q"uo\\te', "c:d=e", "(x)", "<script>", "or", "f,g", "h.i", "\u202eabc", "\u65e5\u672c", "/x/", "-x"]
    servers[0].put(f"{there}/runs/odd", {"config": {name: i for i, name in enumerate(names)}})
    wait_until(lambda: ids(servers[0], there, filter="id:odd") == ["odd"])
    for api in servers:
        items = {item["field"]: item for item in fields_of(api, there, filter="id:odd")["items"]}
        for i, name in enumerate(names):
            term = items[f"config.{name}"]["term"]
            assert ids(api, there, filter=f"{term}:{i}") == ["odd"], term


@pytest.mark.parametrize("text, spot", [
    ("state:crashed nokey:5", "nokey"), ("state:crashed config.lr<", ""), ("(a", "("), ("a)", ")"), ('x "open', '"'),
    ("\u65e5\u672c nokey:5 b", "nokey"), ("state:wrong config.lr<1", "wrong"), ("tags.good:no", "no"),
    ("config.a:/(/ b", "/(/"), ("b config.a:/[z/i", "/[z/i"), ("a config.b", ""), ("config.b x", ""), ("not", ""),
    ("created_at>yesterday x", "yesterday"), ("config.a<1,2", ",2"), ("config.x::1", ":1"), ("has:nothing x", "nothing"),
    ("a or", ""), ("!config.a:1", "!config.a:1"),
])
def test_where_a_filter_is_wrong(servers, kept, text, spot):
    for path in ("runs", "groups", "keys", "fields"):
        more = {"by": "state"} if path == "groups" else {}
        problem = servers[0].refused(400, "invalid", "GET", f"{kept}/{path}", query={"filter": text, **more})
        at, raw = problem["at"], text.encode()
        assert problem["field"] == "filter"
        assert raw[at["offset"]:at["offset"] + at["length"]].decode() == spot, problem["detail"]
        assert at["offset"] <= len(raw)
    problem = servers[0].refused(400, "invalid", "GET", f"{kept}/runs", query={"filter": '{"nokey": 1}'})
    assert "at" not in problem


def test_a_cursor_goes_on_at_another_server(servers, kept):
    whole = ids(servers[0], kept, order="-config.mixed")
    found, cursor = [], None
    for api in itertools.cycle(servers):
        page = api.get(f"{kept}/runs", order="-config.mixed", limit=4, **({"cursor": cursor} if cursor else {})).json
        found += [run["id"] for run in page["items"]]
        cursor = page["next_cursor"]
        if not cursor:
            break
    assert found == whole
    page = servers[0].get(f"{kept}/runs", order="-config.mixed", limit=4)
    beside = {"order": "-config.mixed", "cursor": page["next_cursor"], "offset": 0}
    assert servers[0].refused(400, "invalid", "GET", f"{kept}/runs", query=beside)["field"] == "offset"


def test_columns_are_measured(servers, kept):
    load(servers[0], kept)  # what nobody asks for is given up after a while
    assert metric(servers[0], "cairn_search_column_bytes") > 0
    assert metric(servers[0], "cairn_search_column_projects") >= 1
    assert metric(servers[0], "cairn_search_loads_total") >= 1
    for api in servers[2:]:
        api.get(f"{kept}/runs", limit=1)
        assert metric(api, "cairn_search_column_bytes") == 0
        assert metric(api, "cairn_search_by_sql_total") > 0


def test_runs_by_their_end_and_by_their_rows(servers):
    """With those that have not ended last, whichever way is asked."""
    home = f"/api/v1/projects/ann/search-{next(_numbers)}"
    api = servers[0]
    for i, rows in enumerate((3, 1, 7, 5)):
        writer = Run(api, f"r{i}", home).join()
        writer.send(history=[{"x": x} for x in range(rows)])
        if i in (2, 0):
            writer.finish()
    wait_until(lambda: ids(api, home, filter="rows>0 state:finished") == ["r2", "r0"])
    wait_until(lambda: ids(api, home, order="rows") == ["r1", "r0", "r3", "r2"])
    for other in servers:
        assert ids(other, home, order="-rows", filter="rows>=3") == ["r2", "r3", "r0"]
        assert ids(other, home, order="-rows", filter='{"rows": {"$lt": 6}}') == ["r3", "r0", "r1"]
        assert ids(other, home, order="ended_at")[:2] == ["r0", "r2"]
        assert ids(other, home, order="-ended_at")[:2] == ["r2", "r0"]
        assert ids(other, home, order="id", filter="ended_at>2020-01-01") == ["r0", "r2"]
        assert ids(other, home, order="id", filter="not has:ended_at") == ["r1", "r3"]
        assert ids(other, home, filter="ended_at<2020-01-01") == []
