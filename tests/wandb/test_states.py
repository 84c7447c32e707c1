"""States that only the SDK has words for: a run that is about to be preempted, that was, and that waits."""
import pytest


def be_preempted(name, code, resume=None):
    """Until the server says so; then it ends with that exit code."""
    import time

    import wandb
    run = wandb.init(id=name, resume=resume)
    path = f"{run.entity}/{run.project}/{run.id}"
    seen = [wandb.Api().run(path).state]
    run.log({"x": 1})
    run.mark_preempting()
    until = time.monotonic() + 240
    while time.monotonic() < until and seen[-1] != "preempting":
        time.sleep(0.1)
        seen.append(wandb.Api().run(path).state)
    run.log({"x": 2})
    run.finish(exit_code=code)
    seen.append(wandb.Api().run(path).state)
    return [seen[0], seen[-2], seen[-1]]


@pytest.mark.long
@pytest.mark.feature("states: preempting and preempted (mark_preempting)")
def test_preempted(client, read):
    assert client.call(be_preempted, name="r1", code=1).value == ["running", "preempting", "preempted"]
    run = read("r1")
    assert run.state == "preempted" and run.get()["exit_code"] == 1
    assert client.call(be_preempted, name="r1", code=0, resume="allow").value == ["running", "preempting", "finished"]
    assert [(s["from"], s["to"], s["who"]) for s in run.states()] == [
        (None, "running", "user"), ("running", "preempting", "writer"), ("preempting", "preempted", "writer"),
        ("preempted", "running", "writer"), ("running", "preempting", "writer"), ("preempting", "finished", "writer")]
    assert [row["x"] for row in run.rows()] == [1, 2, 1, 2]


def make_pending(project, name):
    """Made to run later; begun; put back; begun again. None: this SDK cannot."""
    import inspect

    import wandb
    make = getattr(wandb.Api, "_create_run", wandb.Api.create_run)
    if "state" not in inspect.signature(make).parameters:
        return None
    path = f"ann/{project}/{name}"
    make(wandb.Api(), run_id=name, project=project, state="pending")
    seen = [wandb.Api().run(path).state]
    run = wandb.init(id=name, project=project, resume="allow")
    seen.append(wandb.Api().run(path).state)
    run.log({"x": 1})
    run.finish(exit_code=1)
    seen.append(wandb.Api().run(path).state)
    told = wandb.Api().run(path).update_state("pending")
    seen.append(wandb.Api().run(path).state)
    listed = [r.id for r in wandb.Api().runs(f"ann/{project}", filters={"state": "pending"})]
    return [seen, told, listed]


@pytest.mark.long
@pytest.mark.feature("states: pending (create_run, update_state)")
def test_pending(client, project, read, wait_for, api):
    shown = client.call(make_pending, project=project, name="r1").value
    if shown is None:
        pytest.skip("makes no run to run later")
    assert shown[:2] == [["pending", "running", "failed", "pending"], True]
    runs = f"/api/v1/projects/ann/{project}/runs"
    wait_for(lambda: [run["id"] for run in api.pages(runs, filter="state:pending")] == ["r1"])
    assert (read("r1").get()["attempt"], read("r1").get()["ended_at"]) == (1, None)


UPDATE = "mutation($i: UpdateRunStateInput!) { updateRunState(input: $i) { success } }"


@pytest.mark.parametrize("before, may", [
    ("pending", {"failed"}), ("running", {"pending", "failed"}), ("preempting", {"pending", "failed"}),
    ("preempted", {"pending"}), ("failed", {"pending"}), ("finished", set())])
@pytest.mark.parametrize("after", ["pending", "failed", "finished", "running", "gone"])
def test_update_state(wire, read, before, may, after):
    """As the SDK says of it; what is not possible is told with what is."""
    run = wire.start("r1")
    if before in ("preempting", "preempted"):
        run.post({"preempting": True})
    if before in ("preempted", "failed", "finished"):
        run.complete(0 if before == "finished" else 1)
    if before == "pending":
        assert wire.query(UPDATE, i={"id": run.bucket["id"], "state": "pending"})["updateRunState"]["success"]
    assert read("r1").state == before
    answer = wire.ask(UPDATE, i={"id": run.bucket["id"], "state": after}).json
    if after in may:
        assert answer["data"]["updateRunState"]["success"] and read("r1").state == after
        return
    message = answer["errors"][0]["message"]
    assert message.startswith(f"invalid state transition: from {before} to {after} (to pending from running, ")
    assert read("r1").state == before


def test_by_hand(wire, read, api):
    wire.start("r1").history({"_step": 0, "x": 1})
    path = read("r1").path
    assert api.post(f"{path}/states", {"state": "pending", "reason": "no room"}).json["state"] == "pending"
    api.refused(409, "conflict", "POST", f"{path}/stop", {})
    api.refused(400, "invalid", "POST", f"{path}/states", {"state": "preempted", "reason": "x"})
    wire.start("r1")
    assert read("r1").state == "running"
