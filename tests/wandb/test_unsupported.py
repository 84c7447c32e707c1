"""What the server does not have yet says so, alone: the run that asked goes on."""
import pytest


@pytest.mark.parametrize("mutation, what", [
    ("enqueueSweepRun", "sweep schedulers of the client"), ("createCustomChart", "custom charts"), ("pushToRunQueueByName", "launch queues"),
    ("createFilterTrigger", "automations"), ("createProjectMembers", "registries"),
])
def test_mutations_that_are_missing(wire, mutation, what):
    said = wire.ask(f"mutation M($i: Input) {{ {mutation}(input: $i) {{ success }} }}", i={}).json
    assert said["data"] == {mutation: None}
    [error] = said["errors"]
    assert error["message"].startswith(what) and "not supported by this server yet" in error["message"]
