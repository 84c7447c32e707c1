"""An artifact that is refused fails alone and at once: the run goes on, and its end does not wait."""
import pytest
from server import cairnd_run

pytestmark = pytest.mark.own
QUOTA = 1_000_000
PATIENCE = 100  # seconds; what the SDK repeats takes minutes


def log_too_much(name, size):
    import os
    import pathlib
    import time

    import wandb
    said = []

    def log(run, file, size):
        pathlib.Path(file).write_bytes(os.urandom(size))
        artifact = wandb.Artifact(file, type="dataset")
        artifact.add_file(file)
        try:
            run.log_artifact(artifact).wait(timeout=240)
            said.append(artifact.version)
        except Exception as e:  # noqa: BLE001
            said.append(f"{type(e).__name__}: {e}")
    begun = time.monotonic()
    with wandb.init(id=name, resume="allow") as run:
        log(run, "large", size)
        log(run, "small", 1000)
        run.log({"after": 1})
    return said, time.monotonic() - begun


@pytest.mark.long_if_old
@pytest.mark.feature("artifacts: one beyond the quota fails at once, and alone")
def test_over_quota(client, read, db, secret_file):
    """The SDK shows why, if there is no room at all; why it could not send a file is in its log."""
    cairnd_run(db.url, secret_file, "quota", "set", "ann", str(QUOTA))
    (large, small), seconds = client.call(log_too_much, name="r1", size=2 * QUOTA).value
    assert "Error" in large and small == "v0" and seconds < PATIENCE, large
    cairnd_run(db.url, secret_file, "quota", "set", "ann", "1")
    both, seconds = client.call(log_too_much, name="r1", size=1000).value
    assert all('the quota of "ann" is full' in said for said in both) and seconds < PATIENCE, both
    run = read("r1")
    assert (run.state, [row["after"] for row in run.rows() if "after" in row]) == ("finished", [1, 1])
    assert db.value("select count(*) from artifact where state = 2") == 1
