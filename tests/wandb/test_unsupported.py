"""What the server does not have yet says so, alone: the run that asked goes on."""
import pytest


def ask(name):
    import wandb
    said = None
    with wandb.init(id=name) as run:
        run.log({"before": 1})
        try:
            wandb.sweep({"method": "grid", "parameters": {"x": {"values": [1]}}}, entity="ann")
        except Exception as e:  # noqa: BLE001
            said = str(e)
        run.log({"after": 2})
    return said


@pytest.mark.feature("sweeps fail with a sentence and leave the run alone")
def test_what_is_missing(client, read):
    said = client.call(ask, name="r1").value
    run = read("r1")
    assert (run.state, run.get()["exit_code"]) == ("finished", 0)
    assert [row["before"] for row in run.rows() if "before" in row] == [1]
    assert [row["after"] for row in run.rows() if "after" in row] == [2]
    assert "sweeps are not supported by this server yet" in said


@pytest.mark.parametrize("mutation, what", [
    ("agentHeartbeat", "sweeps"), ("createCustomChart", "custom charts"), ("pushToRunQueueByName", "launch queues"),
    ("createFilterTrigger", "automations"), ("createProjectMembers", "registries"),
])
def test_mutations_that_are_missing(wire, mutation, what):
    said = wire.ask(f"mutation M($i: Input) {{ {mutation}(input: $i) {{ success }} }}", i={}).json
    assert said["data"] == {mutation: None}
    [error] = said["errors"]
    assert error["message"].startswith(what) and "not supported by this server yet" in error["message"]


def test_questions_that_are_missing(wire, project):
    wire.start("r1")
    assert wire.query(f'{{ project(name: "{project}", entityName: "ann") {{ sweep(sweepName: "s") {{ id }} }} }}') == {
        "project": {"sweep": None}}
