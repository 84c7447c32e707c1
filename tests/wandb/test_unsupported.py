"""What the server does not have yet says so, alone: the run that asked goes on."""
import pytest


def ask(name):
    import pathlib

    import wandb
    said = {}

    def attempt(what, call):
        try:
            call()
            said[what] = None
        except Exception as e:  # noqa: BLE001
            said[what] = str(e)
    with wandb.init(id=name) as run:
        run.log({"before": 1})
        attempt("table", lambda: run.log({"table": wandb.Table(columns=["a"], data=[[1]])}))
        pathlib.Path("data.txt").write_text("data")
        artifact = wandb.Artifact("data", type="dataset")
        artifact.add_file("data.txt")
        attempt("log_artifact", lambda: run.log_artifact(artifact).wait(timeout=240))
        attempt("use_artifact", lambda: run.use_artifact("data:latest"))
        run.log({"after": 2})
    config = {"method": "grid", "parameters": {"x": {"values": [1]}}}
    attempt("sweep", lambda: wandb.sweep(config, entity="ann"))
    return said


@pytest.mark.feature("artifacts, tables and sweeps fail with a sentence and leave the run alone")
def test_what_is_missing(client, read):
    said = client.call(ask, name="r1").value
    run = read("r1")
    assert (run.state, run.get()["exit_code"]) == ("finished", 0)
    assert [row["before"] for row in run.rows() if "before" in row] == [1]
    assert [row["after"] for row in run.rows() if "after" in row] == [2]
    artifacts = "artifacts and tables are not supported by this server yet"
    assert said["table"] is None, "a table is logged, and only its artifact is not kept"
    table = next(row for row in run.rows() if "table._type" in row)
    assert (table["table._type"], table["table.nrows"]) == ("table-file", 1)
    assert run.api.raw("GET", f"{run.path}/files/{table['table.path']}").status == 200
    assert artifacts in said["log_artifact"], said
    assert ("not found" if client.version.startswith("0.19") else artifacts) in said["use_artifact"], said
    assert "sweeps are not supported by this server yet" in said["sweep"], said


@pytest.mark.parametrize("mutation, what", [
    ("commitArtifact", "artifacts"), ("agentHeartbeat", "sweeps"), ("createCustomChart", "custom charts"), ("pushToRunQueueByName", "launch queues"),
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
