"""Folders are synced in parts, or after a cut: each console line is stored once, none is lost."""
import pytest


def chatty(name, before, rows, after, mode="offline", **more):
    """Prints lines, then lines and rows, then lines again. One line of ten is an error."""
    import sys
    import time

    import wandb
    run = wandb.init(id=name, mode=mode)

    def say(number):
        print("line", number, file=sys.stderr if number % 10 == 9 and more.get("errors") else sys.stdout, flush=True)
        time.sleep(more.get("pause", 0))
    for number in range(before):
        say(number)
    for number in range(before, before + rows):
        say(number)
        run.log({"value": number})
    for number in range(before + rows, before + rows + after):
        say(number)
    time.sleep(more.get("stays", 0))
    run.finish()


def file_of(client, name, pattern="offline-run-*"):
    path, = (client.folder / "wandb").glob(f"{pattern}-{name}/run-{name}.wandb")
    return path


def sync(client, path):
    """Syncs the folder. If it is cut off, the SDK warns or fails, which is ignored."""
    online = ["--no-skip-online"] if client.release >= (0, 28, 1) else []
    return client.wandb("sync", "--include-synced", *online, path.parent)


def texts(run):
    return [line["text"] for line in run.console() if line["text"]]


def lines(count):
    return [f"line {number}" for number in range(count)]


@pytest.mark.feature("wandb sync in parts, and after a cut: the console")
@pytest.mark.parametrize("before, rows, after, shares", [
    pytest.param(0, 150, 0, (0.4, 0.7, 1, 1), marks=pytest.mark.long),  # rows and lines
    pytest.param(40, 20, 40, (0.3, 0.9, 1, 1), marks=pytest.mark.long_if_old),  # lines alone, first and last
    pytest.param(40, 20, 40, (0.85, 0.95, 1), marks=pytest.mark.long),
])
def test_a_folder_that_grows(client, read, before, rows, after, shares):
    assert client.call(chatty, name="r1", before=before, rows=rows, after=after).code == 0
    path = file_of(client, "r1")
    whole = path.read_bytes()
    for part in shares:
        path.write_bytes(whole[:int(len(whole) * part)])
        sync(client, path)
        there = texts(read("r1"))
        assert len(set(there)) == len(there)
        assert there[:-1] == lines(len(there))[:-1]
    assert there == lines(before + rows + after)
    assert [row["value"] for row in read("r1").rows()] == list(range(before, before + rows))


@pytest.mark.long_if_old
def test_a_run_that_was_cut_off(client, read, db, project, wait_for):
    """The process is killed when a part has arrived. Its folder has the rest."""
    job = client.start(chatty, name="r1", before=5, rows=60, after=10, mode="online", errors=True, pause=0.03, stays=300)
    wait_for(lambda: db.value("select coalesce(max(console_lines), 0) from run_writer where run_id in "
                               "(select run_id from run join project using (project_id) where project.name = %s)", project) > 5)
    wait_for(lambda: "line 74" in job.out)
    job.kill()
    path = file_of(client, "r1", "run-*")
    first = None
    for _ in range(2):
        sync(client, path)
        there = texts(read("r1"))
        assert sorted(there) == sorted(set(there))
        assert set(lines(5)) <= set(there) <= set(lines(75))
        assert first in (None, there)
        first = there
    values = [row["value"] for row in read("r1").rows()]
    assert len(there) >= values[-1] + 1 and values == list(range(5, values[-1] + 1))


def again(name, resume=None, go=None):
    """Before its row it waits for the file."""
    import pathlib
    import time

    import wandb
    run = wandb.init(id=name, resume=resume)
    print("epoch 1")
    while go and not pathlib.Path(go).exists():
        time.sleep(0.02)
    run.log({"value": 1})
    print("done")
    run.finish()


@pytest.mark.parametrize("resume", [
    pytest.param(None, marks=pytest.mark.long_if_old), pytest.param("allow", marks=pytest.mark.long)])
def test_a_run_that_prints_the_same_again(client, read, resume):
    """What a process prints is new. What its folder brings again is a repeat."""
    for _ in range(2):
        assert client.call(again, name="r1", resume=resume).code == 0
    assert texts(read("r1")) == ["epoch 1", "done"] * 2
    for path in sorted((client.folder / "wandb").glob("run-*-r1/run-r1.wandb")) * 2:
        sync(client, path)
        assert texts(read("r1")) == ["epoch 1", "done"] * 2


@pytest.mark.long_if_old
def test_a_run_that_prints_the_same_before_its_row(client, read, wait_for):
    assert client.call(again, name="r1").code == 0
    running = client.start(again, name="r1", go="go", env={"WANDB_X_DISABLE_STATS": "true"})
    wait_for(lambda: texts(read("r1")) == ["epoch 1", "done", "epoch 1"])
    (client.folder / "go").write_text("")
    assert running.wait().code == 0
    assert texts(read("r1")) == ["epoch 1", "done"] * 2
