"""A run that REST moved to another project, as the SDK sees it: there it is what it was, and who goes on with it here is told."""
import pytest

MOVED = 'the run "r1" was moved to another project'


def log(values, **how):
    import wandb
    run = wandb.init(id="r1", **how)
    for value in values:
        run.log({"value": value})
    run.finish()
    return [run.project, run.resumed]


def look(path):
    import wandb
    run = wandb.Api().run(path)
    return [run.project, run.state, [row["value"] for row in run.scan_history()], run.summary["value"]]


def not_found(path):
    import wandb
    try:
        wandb.Api().run(path)
    except wandb.CommError as e:
        return str(e)


def refused(**how):
    import wandb
    try:
        wandb.init(id="r1", **how)
    except Exception as e:  # noqa: BLE001
        return str(e)


@pytest.mark.long_if_old
def test_a_run_that_was_moved(client, api, read, project):
    """What was started at its old address neither makes a run there nor touches the one that went."""
    kept = f"{project}-kept"
    client.call(log, values=[1, 2])
    api.put(f"/api/v1/projects/ann/{kept}", {})
    api.post(f"{read('r1').path}/move", {"entity": "ann", "project": kept})
    assert client.call(look, path=f"ann/{kept}/r1").value == [kept, "finished", [1, 2], 2]
    assert "Could not find run" in client.call(not_found, path=f"ann/{project}/r1").value
    for how in {}, {"resume": "allow"}:
        assert MOVED in client.call(refused, **how).value
    must = client.call(refused, resume="must").value
    assert "resume" in must  # in the words of the SDK, which asked whether there is one
    api.refused(410, "gone", "GET", read("r1").path)
    assert client.call(log, values=[3], project=kept, resume="must").value == [kept, True]
    assert client.call(look, path=f"ann/{kept}/r1").value == [kept, "finished", [1, 2, 3], 3]
