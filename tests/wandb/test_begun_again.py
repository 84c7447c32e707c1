"""A run that has ended is begun again under its id, without resume: what it had is kept, and can be restored."""
import pytest


def train(name):
    import wandb
    run = wandb.init(id=name, config={"lr": 0.1, "net": {"depth": 3}}, tags=["good"], notes="keep me", name="precious")
    for i in range(5):
        run.log({"loss": 5 - i})
    run.summary["best"] = 1
    run.finish()


def only_look(name):
    """By somebody who wants a file, and kills the script at once."""
    import os

    import wandb
    run = wandb.init(id=name, config={"other": 1})
    run.config.update({"late": 1})
    os.kill(os.getpid(), 9)


def seen(path):
    import wandb
    run = wandb.Api().run(path)
    return [dict(run.config), {k: v for k, v in run.summary.items() if not k.startswith("_")}]


def own(document):
    return {key: value for key, value in document.items() if not key.startswith("_")}


def documents(run, **query):
    return [own(run.api.get(f"{run.path}/{kind}", **query).json) for kind in ("config", "summary")]


@pytest.mark.long_if_old
@pytest.mark.feature("the same id again without resume: the former config and summary are kept and can be restored")
def test_what_it_had_is_kept_and_restored(client, read, wait_for, project):
    run = read("r1")
    assert client.call(train, name="r1").code == 0
    former = documents(run)
    assert former == [{"lr": 0.1, "net": {"depth": 3}}, {"loss": 1, "best": 1}]
    assert list(run.api.pages(f"{run.path}/attempts")) == []
    client.call(only_look, name="r1")
    wait_for(lambda: "other" in run.config(), what="the config of who only looks")
    assert own(run.config()).keys().isdisjoint(former[0])
    one, = run.api.pages(f"{run.path}/attempts")
    assert (one["number"], one["state"], one["rows"]) == (1, "finished", 5)
    assert documents(run, attempt=1) == former
    assert documents(run, attempt=2) == documents(run)
    after = run.api.post(f"{run.path}/attempts/1/restore").json
    assert after["attempt"] == 2 and len(run.rows()) == 5
    config, summary = documents(run)
    assert config.items() >= {**former[0], "other": 1}.items()
    assert summary.items() >= former[1].items()
    assert client.call(seen, path=f"ann/{project}/r1").value == [config, summary]
    assert (after["tags"], after["notes"], after["display_name"]) == (["good"], "keep me", "precious")
    assert [one["edited"] for one in run.api.get(f"{run.path}/config/writers").json["items"]
            if one.get("key", one.get("path")) in ("lr", ["lr"])] == [True]


def begin(wire, config, **more):
    return wire.start("r1", config=config, **more)


def test_who_resumes_or_is_new_keeps_nothing(wire, read):
    run = read("r1")
    begin(wire, {"a": 1}).complete()
    process, _ = wire.resume("r1")
    process.upsert({"a": 1, "b": 1})
    process.complete()
    wire.start("r1", shared=True, config={"c": 1}).complete()
    assert list(run.api.pages(f"{run.path}/attempts")) == []
    run.api.post(f"{run.path}/finish", {"exit_code": 0})
    begin(wire, {"d": 1}).complete()
    assert [one["number"] for one in run.api.pages(f"{run.path}/attempts")] == [run.get()["attempt"] - 1]
    assert documents(run)[0] == {"c": 1, "d": 1}


def test_the_last_twenty_are_kept(wire, read):
    run = read("r1")
    for number in range(23):
        begin(wire, {"n": number}).complete()
    kept = list(run.api.pages(f"{run.path}/attempts", limit=7))
    assert [one["number"] for one in kept] == list(range(3, 23))
    assert [documents(run, attempt=one["number"])[0]["n"] for one in kept] == list(range(2, 22))
    run.api.refused(404, "not-found", "GET", f"{run.path}/config", query={"attempt": 2})
    run.api.refused(404, "not-found", "POST", f"{run.path}/attempts/2/restore")
    run.api.refused(400, "invalid", "GET", f"{run.path}/config", query={"attempt": 3, "branch": 0})


def test_restored_twice_is_as_once_and_a_process_overrides_it(wire, read):
    run = read("r1")
    begin(wire, {"a": {"x": 1, "y": None}, "b": 2}).complete()
    process = begin(wire, {"a": {"z": 1}})
    for _ in range(2):
        run.api.post(f"{run.path}/attempts/1/restore")
        assert documents(run)[0] == {"a": {"x": 1, "z": 1}, "b": 2}
    process.upsert({"a": {"z": 1}, "b": 9})
    assert documents(run)[0] == {"a": {"x": 1, "z": 1}, "b": 9}
