"""Runs keep the name of the sweep that they are of, though the sweep itself is not kept."""
import pytest


def train(name=None):
    import wandb
    with wandb.init(id=name) as run:
        run.log({"a": 1})
        return run.sweep_id


def resume(name):
    import wandb
    with wandb.init(id=name, resume="must") as run:
        return run.sweep_id


def look(path, name):
    """As the public API shows it: alone, in lists with and without what is of the sweep, and by filters."""
    import wandb
    api = wandb.Api()
    filters = [{"sweep": "s1"}, {"sweep": "s2"}, {"sweep": None}, {"$and": [{"sweep": "s1"}, {"state": "finished"}]}]
    return {"one": api.run(f"{path}/{name}").sweep_name,
            "all": sorted([run.id, run.sweep_name] for run in api.runs(path, include_sweeps=True)),
            "found": [[run.id for run in api.runs(path, filters=one)] for one in filters]}


@pytest.mark.long_if_old
@pytest.mark.feature("runs keep the name of their sweep (`WANDB_SWEEP_ID`)")
def test_the_name_of_a_sweep_is_kept(request, client, make_client, version, api, project, wait_for):
    if (0, 22, 1) <= client.release <= (0, 24, 0):
        request.applymarker(pytest.mark.xfail(strict=True, reason="it reads no run of a sweep that is not kept"))
    agent = make_client(version, WANDB_PROJECT=project, WANDB_SWEEP_ID="s1", WANDB_RUN_ID="r1")
    assert agent.call(train).value == "s1"
    assert client.call(train, name="r2").value is None
    assert client.call(resume, name="r1").value == "s1"
    runs = f"/api/v1/projects/ann/{project}/runs"
    assert [api.get(f"{runs}/{name}").json["sweep"] for name in ("r1", "r2")] == ["s1", ""]
    wait_for(lambda: api.get(runs, filter="sweep:s1 state:finished", count="true").json["count"] == 1)
    wait_for(lambda: api.get(runs, filter="not has:sweep state:finished", count="true").json["count"] == 1)
    assert client.call(look, path=f"ann/{project}", name="r1").value == {
        "one": "s1", "all": [["r1", "s1"], ["r2", None]], "found": [["r1"], [], ["r2"], ["r1"]]}
    assert api.patch(f"{runs}/r1", {"sweep": None})["sweep"] == ""


def test_who_says_no_sweep_takes_none_away(wire, api, project):
    run = wire.start("r1", sweep="s1")
    run.upsert(config={"a": 1})
    assert wire.start("r1").bucket["sweepName"] == "s1"
    assert api.get(f"/api/v1/projects/ann/{project}/runs/r1").json["sweep"] == "s1"
