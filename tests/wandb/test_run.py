"""One run from init to finish: what the program gave is what REST shows."""
import math

import pytest


def train(name):
    import sys

    import wandb
    config = {"lr": 0.1, "net": {"depth": 3, "sizes": [1, 2, 3]}, "name": "größe 😀", "none": None, "yes": True,
              "big": 2 ** 53, "inf": float("inf")}
    run = wandb.init(id=name, name="first of all", group="group a", job_type="train", tags=["a", "b"],
                     notes="a note\nof two lines", config=config)
    run.define_metric("epoch")
    run.define_metric("val/*", step_metric="epoch")
    run.define_metric("loss", summary="min")
    run.define_metric("score", summary="max")
    run.define_metric("both", summary="mean")
    # Before what the SDK warns of: of two threads that print at once it captures one (its lib/console_capture.py).
    print("to stdout")
    print("to stderr", file=sys.stderr)
    for step in range(5):
        run.log({"epoch": step, "loss": 1 / (step + 1), "score": step * 2, "both": step,
                 "val/acc": step / 4, "nest": {"x": step, "deep": {"y": -step}}})
    run.log({"nan": float("nan"), "inf": float("inf"), "minus": float("-inf"), "word": "größe \" \\ 😀",
             "yes": True, "list": [1, "a", None], "tiny": 1e-320, "huge": 1.7976931348623157e308})
    run.log({"later": 1}, step=10)
    run.log({"later": 2}, step=10)
    run.log({"gone back": 1}, step=3)
    run.config["later"] = 5
    run.config.update({"lr": 0.2}, allow_val_change=True)
    run.summary["best"] = 7
    run.summary["deep"] = {"a": {"b": "c"}}
    run.tags += ("c",)
    run.notes = "another note"
    shown = {"name": run.name, "url": run.url, "entity": run.entity, "project": run.project}
    run.finish()
    return shown


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


def again(name):
    """The same id once more, without resume."""
    import wandb
    for value in (1, 2):
        with wandb.init(id=name, config={"attempt": value}) as run:
            run.log({"value": value})
            run.log({"value": value * 10})


LOGGED = [{"epoch": i, "loss": 1 / (i + 1), "score": i * 2, "both": i, "val/acc": i / 4,
           "nest.x": i, "nest.deep.y": -i} for i in range(5)]
OWN = ("_row", "_label", "_step", "_timestamp", "_runtime")


def values(row):
    return {key: value for key, value in row.items() if key not in OWN}


@pytest.mark.feature("init, log, config, summary, tags, notes, group, job type, finish")
def test_everything_arrives(client, read, url, project):
    done = client.call(train, name="r1")
    shown = done.value
    run = read("r1")
    head = run.get()
    assert {key: head[key] for key in ("display_name", "group", "job_type", "notes", "state", "exit_code")} == {
        "display_name": "first of all", "group": "group a", "job_type": "train", "notes": "another note",
        "state": "finished", "exit_code": 0}
    assert sorted(head["tags"]) == ["a", "b", "c"]
    assert shown == {"name": "first of all", "entity": "ann", "project": project,
                     "url": f"{url}/ann/{project}/runs/r1"}
    compare_history(run.rows())
    assert [w["client_version"] for w in run.writers().values()] == [f"wandb {run.config()['_wandb']['cli_version']}"]
    compare_config(run.config())
    compare_summary(run.summary())
    texts = {line["text"]: line["stream"] for line in run.console()}
    assert {text: texts.get(text) for text in ("to stdout", "to stderr")} == {"to stdout": "stdout", "to stderr": "stderr"}, texts


def compare_history(rows):
    assert [values(row) for row in rows[:5]] == LOGGED
    assert [row["_step"] for row in rows] == [0, 1, 2, 3, 4, 5, 10]
    assert values(rows[5]) == {
        "nan": "NaN", "inf": "Infinity", "minus": "-Infinity", "word": 'größe " \\ 😀', "yes": True,
        "list": [1, "a", None], "tiny": 1e-320, "huge": 1.7976931348623157e308}
    assert values(rows[6]) == {"later": 2}
    times = [row["_timestamp"] for row in rows]
    assert times == sorted(times) and all(math.isfinite(t) for t in times)
    assert all(row["_runtime"] >= 0 for row in rows)


def compare_config(config):
    own = config.pop("_wandb")
    assert config == {"lr": 0.2, "net": {"depth": 3, "sizes": [1, 2, 3]}, "name": "größe 😀", "none": None,
                      "yes": True, "big": 2 ** 53, "inf": "Infinity", "later": 5}
    assert own["cli_version"] and "t" in own
    names = [one.get("1") for one in own["m"]]
    steps = [(one.get("1") or one["2"], names[one["5"] - 1]) for one in own["m"] if "5" in one]
    assert steps in ([("val/acc", "epoch")], [("val/*", "epoch")]), "what the page draws val/acc along"


def compare_summary(summary):
    """What the definitions leave of the metrics: of loss its least, of score its greatest, of both the mean."""
    own = summary.pop("_wandb")
    assert own["runtime"] >= 0
    assert {key: value for key, value in summary.items() if key not in OWN} == {
        "epoch": 4, "loss": {"min": 0.2}, "score": {"max": 8}, "both": {"mean": 2}, "val/acc": 1,
        "nest.x": 4, "nest.deep.y": -4, "nan": "NaN", "inf": "Infinity", "minus": "-Infinity",
        "word": 'größe " \\ 😀', "yes": True, "list": [1, "a", None], "tiny": 1e-320,
        "huge": 1.7976931348623157e308, "later": 2, "best": 7, "deep": {"a": {"b": "c"}}}


@pytest.mark.long_if_old
@pytest.mark.feature("names of runs are invented; a process may have several runs")
def test_names_are_invented(client, read):
    shown = client.call(plainly, count=2).value
    assert len({run["id"] for run in shown}) == 2
    for run in shown:
        words = run["name"].split("-")
        assert len(words) == 3 and words[2].isdigit(), run
        assert read(run["id"]).get()["display_name"] == run["name"]


@pytest.mark.long_if_old
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


@pytest.mark.long_if_old
@pytest.mark.feature("the same id again without resume keeps all rows")
def test_an_id_again(client, read):
    assert client.call(again, name="r1").code == 0
    rows = read("r1").rows()
    assert [row["value"] for row in rows] == [1, 10, 2, 20]
    assert read("r1").get()["state"] == "finished"
