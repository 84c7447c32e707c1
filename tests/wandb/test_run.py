"""One run from init to finish."""
import pytest

OWN = ("_row", "_label", "_step", "_timestamp", "_runtime")


def plainly(count=1, code=None):
    """Runs that were given nothing; how they end."""
    import wandb
    shown = []
    for _ in range(count):
        run = wandb.init()
        run.log({"a": 1})
        shown.append({"id": run.id, "name": run.name})
        run.finish(exit_code=code)
    return shown


def break_off(name):
    import wandb
    wandb.init(id=name).log({"a": 1})
    raise RuntimeError("on purpose")


def values(row):
    return {key: value for key, value in row.items() if key not in OWN}


@pytest.mark.feature("exit codes: failed runs are failed")
def test_an_exit_code(client, read):
    run, = client.call(plainly, code=3).value
    head = read(run["id"]).get()
    assert (head["state"], head["exit_code"]) == ("failed", 3)


@pytest.mark.feature("exit codes: failed runs are failed")
def test_an_exception(client, read):
    done = client.call(break_off, name="r1")
    assert done.code == 1 and "on purpose" in done.out
    head = read("r1").get()
    assert (head["state"], head["exit_code"]) == ("failed", 1)
    assert [values(row) for row in read("r1").rows()] == [{"a": 1}]
