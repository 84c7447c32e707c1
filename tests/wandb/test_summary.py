"""What becomes of a summary: definitions of metrics, values taken away, edits, a server that makes it of the history."""
import pytest


def define(name):
    import wandb
    run = wandb.init(id=name)
    defined = run.define_metric
    defined("least", summary="min")
    defined("several", summary="min,max,mean,last")
    defined("unshown", summary="none")
    defined("copied", summary="copy")
    defined("part/*", summary="max")
    defined("part/exact", summary="min")
    defined("hidden", hidden=True)
    defined("twice", summary="min")
    makes_first = tuple(int(part) for part in wandb.__version__.split(".")) >= (0, 30)
    if makes_first:
        defined("begun", summary="first")
    else:  # which its own summary does not make anything of
        defined("best", summary="best", goal="maximize")
    for i, value in enumerate([3, 1, 2]):
        run.log({key: value for key in ("least", "several", "unshown", "copied", "part/a", "part/exact", "hidden",
                                        "twice", "begun", "best", "plain")})
        if i == 1:
            defined("twice", summary="max", overwrite=True)
    run.finish()
    return makes_first


def show(path):
    import wandb
    return wandb.Api().run(path).summary._json_dict


def own(summary):
    return {key: value for key, value in summary.items() if not key.startswith("_")}


@pytest.mark.feature("define_metric: min, max, mean, last, first, best, copy, none, globs, overwrite")
def test_definitions(client, read, project):
    makes_first = client.call(define, name="r1").value
    expected = {"least": {"min": 1}, "several": {"min": 1, "max": 3, "mean": 2, "last": 2}, "copied": 2,
                "part/a": {"max": 3}, "part/exact": {"min": 1}, "hidden": 2, "plain": 2,
                "begun": {"first": 3} if makes_first else 2, "best": 2}
    for summary in own(read("r1").summary()), own(client.call(show, path=f"ann/{project}/r1").value):
        assert set(summary.pop("twice")) == {"max"}
        assert summary == expected
    definitions = read("r1").config()["_wandb"]["m"]
    assert [one["1"] for one in definitions if 2 in one.get("6", [])] == ["hidden"], "what has no panel of its own"


def define_one(name, is_defined):
    import wandb
    run = wandb.init(id=name)
    if is_defined:
        run.define_metric("val/loss", summary="min")
        run.define_metric("acc", summary="max,mean")
    for value in (3, int(name), 9):
        if is_defined or value < 9:
            run.log({"val/loss": value, "acc": value, "in": {"side": value}})
    run.finish()


def ask(project, **how):
    import wandb
    return [(run.id, run.summary._json_dict) for run in wandb.Api().runs(project, **how)]


@pytest.mark.long_if_old
def test_a_defined_metric_is_a_number_where_runs_are_asked_for(client, project):
    """Filters and orders take the one that is defined, whatever others log; what a list reads of the runs is as they have it."""
    for name in ("0", "1", "2"):
        client.call(define_one, name=name, is_defined=name != "2")
    least = [("0", {"min": 0}), ("1", {"min": 1}), ("2", 2)]

    def found(**how):
        return [(run, summary["val/loss"]) for run, summary in client.call(ask, project=f"ann/{project}", **how).value]

    for key in ("summary_metrics.val/loss", "summaryMetrics.val/loss"):
        assert found(filters={key: {"$lt": 2}}, order="name") == least[:2]
        assert found(order=f"+{key}") == least
        assert found(order=f"-{key}") == least[::-1]
    assert found(filters={"val/loss": {"$lt": 2}}, order="-val/loss") == least[1::-1], "where only the summary has it"
    assert found(filters={"summary_metrics.val/loss.min": {"$gte": 0}}, order="name") == least[:2]
    assert found(filters={"summary_metrics.acc": 9, "summary_metrics.acc.max": 9}, order="name") == least[:2]
    whole = client.call(ask, project=f"ann/{project}", filters={"name": "1"}).value[0][1]
    assert own(whole) == {"val/loss": {"min": 1}, "acc": {"max": 9, "mean": 13 / 3}, "in": {"side": 9}}


def take_away(name):
    """Values that were logged and set, and are then deleted; the summary as its file has it."""
    import json
    import pathlib

    import wandb
    run = wandb.init(id=name)
    run.log({"logged": 1, "kept": 1, "nest": {"a": 1, "b": 2}, "again": 1})
    run.summary["by hand"] = 7
    run.summary["deep"] = {"x": 1, "y": {"z": 2}}
    run.log({"kept": 2})
    for key in ("logged", "by hand", "again"):
        del run.summary[key]
    del run.summary["deep"]["x"]
    run.log({"kept": 3, "again": 5})
    folder = run.dir
    run.finish()
    return json.loads(pathlib.Path(folder, "wandb-summary.json").read_text())


@pytest.mark.long_if_old
@pytest.mark.feature("run.summary: values deleted by the run stay away until they are logged again")
def test_values_taken_away(client, read, project):
    said = own(client.call(take_away, name="r1").value)
    assert not {"logged", "by hand"} & set(said)
    assert (said["again"], said["kept"], said["nest"]) == (5, 3, {"a": 1, "b": 2})
    shown = own(client.call(show, path=f"ann/{project}/r1").value)
    rest = own(read("r1").summary())
    assert shown == said
    assert rest == {**{key: value for key, value in said.items() if key != "nest"}, "nest.a": 1, "nest.b": 2}
    assert [row.get("logged") for row in read("r1").rows()] == [1, None, None]


def derive(name):
    import wandb
    run = wandb.init(id=name, settings=wandb.Settings(x_server_side_derived_summary=True))
    run.log({"loss": 3, "nest": {"x": 1}, "word": "first"})
    run.summary["by hand"] = 7
    run.log({"loss": 2, "nest": {"x": 2}})
    run.log({"far": float("inf")}, step=10)
    run.finish()


@pytest.mark.long_if_old
@pytest.mark.feature("a summary that the server makes of the history, where it is asked to")
def test_a_derived_summary(client, read, project):
    assert client.call(derive, name="r1").code == 0
    shown = client.call(show, path=f"ann/{project}/r1").value
    assert own(shown) == {"loss": 2, "nest.x": 2, "word": "first", "by hand": 7, "far": float("inf")}
    assert shown["_step"] == 10 and shown["_wandb"]["runtime"] >= 0
    assert own(read("r1").summary()) == {
        "loss": 2, "nest.x": 2, "word": "first", "by hand": 7, "far": "Infinity"}


def edit(path):
    """Edits of a run that has ended, one after the other, each read back."""
    import copy

    import wandb
    seen = []

    def again():
        run = wandb.Api().run(path)
        summary = {key: value for key, value in run.summary._json_dict.items() if key[0] != "_"}
        seen.append(copy.deepcopy([dict(run.config), summary]))
        return run
    run = again()
    run.config["added"] = {"deep": [1, {"x": None}]}
    run.config["lr"] = 0.5
    run.update()
    run = again()
    del run.config["added"]
    run.config["net"]["depth"] = 9
    run.summary["new"] = {"a": {"b": 1}}
    run.summary["loss"] = 0
    run.update()
    run = again()
    del run.summary["new"]
    run.summary.update({"odd": float("inf"), "text": "größe"})
    again()
    return seen


def train(name):
    import wandb
    with wandb.init(id=name, config={"lr": 0.1, "net": {"depth": 3, "wide": 4}}) as run:
        run.log({"loss": 2})


@pytest.mark.long_if_old
@pytest.mark.feature("public API: edits of config, summary, tags and names, and deletes")
def test_edits_one_after_the_other(client, read, project):
    assert client.call(train, name="r1").code == 0
    seen = client.call(edit, path=f"ann/{project}/r1").value
    net = {"depth": 3, "wide": 4}
    added = {"deep": [1, {"x": None}]}
    assert [config for config, _ in seen] == [
        {"lr": 0.1, "net": net}, {"lr": 0.5, "net": net, "added": added},
        {"lr": 0.5, "net": {"depth": 9, "wide": 4}}, {"lr": 0.5, "net": {"depth": 9, "wide": 4}}]
    assert [summary for _, summary in seen] == [
        {"loss": 2}, {"loss": 2}, {"loss": 0, "new": {"a": {"b": 1}}},
        {"loss": 0, "odd": float("inf"), "text": "größe"}]
    config = {key: value for key, value in read("r1").config().items() if key != "_wandb"}
    assert config == seen[-1][0]
    assert own(read("r1").summary()) == {"loss": 0, "odd": "Infinity", "text": "größe"}
