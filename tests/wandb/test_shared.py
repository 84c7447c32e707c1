"""Several processes, one run: every order of ends, with simulated SDKs."""
import itertools

import pytest
from wire import new_client_id


def start(wire, name, primary=True):
    """What tells a primary is that it sends its environment."""
    client_id = new_client_id()
    own = {"e": {client_id: {"os": "Linux", "writerId": client_id}}, "m": []} if primary else {"m": []}
    return wire.start(name, client_id=client_id, config={"_wandb": own})


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=lambda o: "".join(map(str, o)))
def test_primaries_end_in_every_order(wire, read, order):
    """The run ends with the last of them, as the worst of them."""
    codes = [0, 3, 0]
    processes = [start(wire, "r1") for _ in codes]
    for n in order:
        assert read("r1").state == "running"
        processes[n].post(history=(0, [{"_timestamp": 1795000000 + n, "n": n}]))
        processes[n].complete(codes[n])
    assert (read("r1").state, read("r1").get()["exit_code"]) == ("failed", 3)
    processes[0].post(history=(1, [{"_timestamp": 1795000009, "n": 9}]))
    assert sorted(row["n"] for row in read("r1").rows()) == [0, 1, 2, 9]
    assert read("r1").state == "failed"


@pytest.mark.parametrize("order", list(itertools.permutations("pab")), ids="".join)
def test_workers_do_not_end_a_run(wire, read, order):
    """Even those that say complete, whatever they say."""
    processes = {who: start(wire, "r1", primary=who == "p") for who in "pab"}
    for n, who in enumerate(order):
        processes[who].complete(0 if who == "p" else 1)
        assert (read("r1").state == "finished") is ("p" in order[:n + 1])
    assert read("r1").get()["exit_code"] == 0


def test_workers_before_the_primary(wire, read):
    worker = start(wire, "r1", primary=False)
    worker.post(history=(0, [{"_timestamp": 1795000000, "n": 0}]))
    primary = start(wire, "r1")
    primary.complete()
    assert read("r1").state == "finished"
    assert [w["role"] for w in sorted(read("r1").writers().values(), key=lambda w: w["number"])] == [
        "worker", "primary"]


def test_metrics_of_all_processes_stay_defined(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1")
    one.upsert(config={"_wandb": {"m": [{"1": "loss", "5": 2, "6": [1]}, {"1": "epoch"}]}})
    two.upsert(config={"_wandb": {"m": [{"1": "tokens"}, {"1": "loss/b", "5": 1}]}})
    start(wire, "r1", primary=False)
    names = {entry["1"] for entry in read("r1").config()["_wandb"]["m"]}
    assert names == {"loss", "epoch", "tokens", "loss/b"}


def test_what_another_wrote_stays(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1")
    one.upsert(config={"a": 1, "both": {"x": 1}})
    two.upsert(config={"b": 2, "both": {"y": 2}})
    one.summary({"best": 1, "deep": {"x": 1}})
    two.summary({"worst": 2, "deep": {"y": 2}})
    two.summary({"worst": 3, "deep": {"y": 2}})
    one.upsert(config={"both": {"x": 1}})
    config = read("r1").config()
    config.pop("_wandb", None)
    assert config == {"b": 2, "both": {"x": 1, "y": 2}}
    assert read("r1").summary() == {"best": 1, "worst": 3, "deep": {"x": 1, "y": 2}}


def test_the_stop_button_reaches_all(wire, read, api):
    processes = [start(wire, "r1"), start(wire, "r1", primary=False), wire.start("r1")]
    assert not any(process.post()["stopped"] for process in processes)
    api.post(read("r1").path + "/stop", {"reason": "enough"})
    assert all(process.post()["stopped"] for process in processes)


def test_labels_are_learnt(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1", primary=False)
    one.console("2026-11-20T20:49:35.172235 [rank 0] hello")
    two.events({"_wandb": True, "_timestamp": 1795000000, "_runtime": 1, "system.cpu/l:rank1": 5})
    assert {w["label"] for w in read("r1").writers().values()} == {"rank 0", "rank1"}
    line, = read("r1").console()
    assert (line["label"], line["text"]) == ("rank 0", "hello")
