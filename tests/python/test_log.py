"""What is logged comes back."""
import math
import threading
import time
import warnings

import pytest
from conftest import TOP

import cairn


def rows_of(api, name, **more):
    return list(api.run(f"me/p/{name}").rows(**more))


def bare(row):
    return {name: value for name, value in row.items() if not name.startswith("_")}


def test_log_and_read_back(api):
    with cairn.init(id="first", name="First", group="g", job_type="train", tags=["a", "b"], notes="n", label="rank0",
                    config={"lr": 0.1, "net": {"depth": 3}}) as run:
        for step in range(50):
            run.log({"loss": 1 / (step + 1), "n": step})
        assert run.flush()
        assert run.url.endswith("/me/p/runs/first") and run.label == "rank0" and run.name == "First"
    assert run.finish() == cairn.Report()
    found = api.run("me/p/first")
    assert (found.state, found.exit_code, found.name, found.group, found.job_type, found.tags, found.notes) == \
        ("finished", 0, "First", "g", "train", ["a", "b"], "n")
    assert found.config == {"lr": 0.1, "net": {"depth": 3}}
    history = found.history(["loss", "n"])
    assert list(history["loss"]) == [1 / (step + 1) for step in range(50)]
    assert list(history["_step"]) == list(range(50)) and set(history["_label"]) == {"rank0"}
    assert found.summary["loss"] == 1 / 50


def test_values_of_every_kind(api):
    with cairn.init(id="kinds") as run:
        run.log({"a": 1, "b": 2.5})
        run.log({"a": 2, "b": float("nan"), "c": -math.inf}, step=10)
        run.log({"flag": True, "text": "é\0\"", "none": None, "list": [1, "x", None], "deep": {"er": {"x": 1}}, "big": 2**60,
                 "half \ud800": 1, 7: 8, "a\0b": 3}, step=20)
        run.log({"_timestamp": 1772355600.5, "_step": 30, "late": 1})
        run.log({"deep": {"er": {"x": 2}}, "empty": {}})
    first, second, third, fourth, last = rows_of(api, "kinds")
    assert bare(first) == {"a": 1, "b": 2.5}
    assert bare(second) == {"a": 2, "b": "NaN", "c": "-Infinity"} and second["_step"] == 10
    assert bare(third) == {"flag": True, "text": third["text"], "none": None, "list": [1, "x", None], "deep.er.x": 1,
                           "big": 2**60, "half ?": 1, "7": 8, "a␀b": 3} and third["_step"] == 20
    assert bare(fourth) == {"late": 1} and (fourth["_step"], fourth["_timestamp"]) == (30, 1772355600.5)
    assert bare(last)["deep.er.x"] == 2


class Scalar:
    """An array without dimensions, by the methods that those of NumPy, PyTorch and JAX share."""

    shape, size = (), 1

    def __init__(self, value):
        self.value = value

    def item(self):
        return self.value

    def __float__(self):
        return float(self.value)


class Long(Scalar):
    """A long double of NumPy, whose item is no number of Python either."""

    def item(self):
        return Long(self.value)


class Array(Scalar):
    def __init__(self, values):
        self.value, self.shape, self.size = values, (len(values),), len(values)

    def __float__(self):
        raise TypeError("only a scalar is a number")

    def tolist(self):
        return self.value


class Broken:
    shape, size = (), 1

    def item(self):
        raise RuntimeError("out of memory on the device")


def test_scalars_and_arrays_of_libraries(api):
    with cairn.init(id="scalars") as run:
        run.log({"loss": Scalar(0.5), "n": Scalar(3), "flag": Scalar(True), "rates": Array([0.5, 1.5]), "long": Long(0.25)})
    assert [bare(row) for row in rows_of(api, "scalars")] == [
        {"loss": 0.5, "n": 3, "flag": True, "rates": [0.5, 1.5], "long": 0.25}]


WRONG = {"": "empty", "k" * 2049: "2048 bytes", "é" * 1025: "2048 bytes", "_row": "reserved", "f": "function", "z": "complex",
         "deep.a": "twice", "device": "RuntimeError", "many": "10001 elements", "huge": "too large", "_step": "-1 is not a number"}


def test_bad_values_cost_only_themselves(api):
    cyclic = []
    cyclic.append(cyclic)
    row = {"": 1, "k" * 2049: 1, "é" * 1025: 1, "_row": 1, "f": test_log_and_read_back, "z": 1j, "deep": {"a": 1}, "deep.a": 2,
           "device": Broken(), "many": Array([0] * 10001), "huge": 10**400, "_step": -1, "cyclic": cyclic, "good": 1,
           "k" * 2048: 2}
    with cairn.init(id="bad") as run:
        with pytest.warns(cairn.CairnWarning) as told:
            run.log(row)
            run.log(row)
            run.log([1])
        run.log({"good": 2})
    said = [str(warning.message) for warning in told]
    assert len(said) == len(WRONG) + 2, said  # once for each
    for name, reason in WRONG.items():
        assert [text for text in said if reason in text and (name[:50] or "''") in text], (name, said)
    assert all(warning.filename == __file__ for warning in told), [warning.filename for warning in told]
    first, second, third = rows_of(api, "bad")
    assert bare(first).pop("good") == 1 and bare(first)["deep.a"] == 1 and len(bare(first)) == 3
    assert bare(third) == {"good": 2} and bare(second) == bare(first)


def test_steps_that_are_not_steps(api):
    with cairn.init(id="steps") as run:
        for step in (2**53, Scalar(5), 7.0):
            run.log({"x": 1}, step=step)
        for step in (-1, 2**53 + 1, 2**70, 1.5, "1", True):
            with pytest.warns(cairn.CairnWarning, match="_step"):
                run.log({"y": 1}, step=step)
    rows = rows_of(api, "steps")
    assert [row["_step"] for row in rows[:3]] == [2**53, 5, 7] and len(rows) == 9


def test_large_rows(api):
    with cairn.init(id="large") as run:
        run.log({f"m{i}": i for i in range(9_999)}, step=3)
        with pytest.warns(cairn.CairnWarning, match="more than 9999 values"):
            run.log({f"m{i}": i for i in range(10_000)})
        with pytest.warns(cairn.CairnWarning, match="the row is left out"):
            run.log({"text": "x" * (11 << 20)})
    assert run.finish() == cairn.Report() and [len(bare(row)) for row in rows_of(api, "large")] == [9_999, 9_999]


class Silent:
    def __str__(self):
        raise RuntimeError("no text")


def test_config_and_summary(api):
    import argparse
    with cairn.init(id="documents", config=argparse.Namespace(lr=0.1, path="x")) as run:
        run.config.depth = 3
        run.config["name"] = "é"
        run.config.update({"seed": 1}, device=Scalar, layers=[1, test_log_and_read_back])
        run.config.setdefaults(seed=2, other=3)
        cyclic = {"a": 1}
        cyclic["itself"] = cyclic
        run.config["cyclic"] = cyclic
        run.config["silent"] = Silent()
        assert run.config.depth == 3 and run.config["seed"] == 1 and "other" in run.config and len(run.config) == 10
        with pytest.raises(AttributeError):
            getattr(run.config, "nothing")  # noqa: B009
        run.log({"acc": 0.5})
        run.summary["acc"] = 0.9
        run.summary.best = {"epoch": 3}
        with pytest.warns(cairn.CairnWarning, match="config 'large'"):
            run.config["large"] = "x" * (2 << 20)
    found = api.run("me/p/documents")
    config = found.config
    assert {"lr": 0.1, "path": "x", "depth": 3, "name": "é", "seed": 1, "other": 3}.items() <= config.items()
    assert config["cyclic"]["itself"]["itself"]["a"] == 1 and config["silent"] == "<Silent>"
    assert "Scalar" in config["device"] and config["layers"][0] == 1
    assert found.summary == {"acc": 0.9, "best": {"epoch": 3}}


def test_definitions_and_alerts(api, server):
    with cairn.init(id="defined") as run:
        run.define_metric("val/*", step_metric="epoch", summary="min", goal="minimize")
        run.define_metric("acc", summary="max")
        for i in range(3):
            run.log({"val/loss": [3, 1, 2][i], "acc": [1, 3, 2][i], "epoch": i})
        run.alert("high", "text", level="warn")
        with pytest.raises(cairn.Error, match='expected "info"'):
            run.alert("x", level="bad")
        with pytest.raises(cairn.Error, match="median"):
            run.define_metric("x", summary="median")
    found = api.run("me/p/defined")
    assert found.summary["val/loss"] == {"min": 1} and found.summary["acc"] == {"max": 3} and "_wandb" not in found.config
    assert [item["title"] for item in api._client.get("/projects/me/p/runs/defined/alerts")["items"]] == ["high"]


def test_many_threads(api):
    with cairn.init(id="threads") as run:
        def work(number):
            for i in range(500):
                run.log({"thread": number, "i": i})
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    rows = rows_of(api, "threads")
    for number in range(8):
        assert [row["i"] for row in rows if row["thread"] == number] == list(range(500))


def test_of_the_module(api):
    with pytest.raises(cairn.Error, match="cairn.init"):
        cairn.log({"x": 1})
    run = cairn.init(id="module")
    assert cairn.run is run
    cairn.log({"x": 1})
    cairn.log({"x": 2}, step=9)
    assert cairn.finish(3) == cairn.Report() and cairn.run is None and cairn.finish() is None
    with pytest.warns(cairn.CairnWarning, match="is finished"):
        run.log({"x": 3})
    assert api.run("me/p/module").state == "failed"
    assert [row["x"] for row in rows_of(api, "module")] == [1, 2]


def test_disabled():
    """Without any server."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with cairn.init(mode="disabled", config={"lr": 1}, console=True) as run:
            run.log({"x": 1})
            run.log({"x": object()})
            run.summary["y"] = 2
            run.define_metric("x", summary="min")
            run.alert("a")
            run.save(__file__)
            assert run.flush() and run.config.lr == 1 and run.url is None and not run.should_stop
        assert run.finish() == cairn.Report()


def test_setup(monkeypatch):
    for name in ("CAIRN_URL", "CAIRN_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(cairn.SetupError, match="CAIRN_URL"):
        cairn.init()
    with pytest.raises(cairn.SetupError, match="API key"):
        cairn.init(url="http://127.0.0.1:9")
    with pytest.raises(cairn.SetupError, match="CAIRN_URL"):
        cairn.Api()
    for wrong in ({"project": "a/b/c"}, {"id": "a/b"}, {"label": "a/b"}, {"tags": ["a,b"]}, {"mode": "sometimes"}):
        with pytest.raises(cairn.SetupError):
            cairn.init(url="http://127.0.0.1:9", key="k", **wrong)
    assert cairn.run is None


def test_a_wrong_key_is_reported(settings):
    run = cairn.init(id="refused", key="0" * 40)
    run.log({"x": 1})
    with pytest.raises(cairn.Error):
        run.wait(120)
    with pytest.warns(cairn.CairnWarning, match="was not sent"):
        run.save(__file__)
        began = time.monotonic()
        run._uploader.wait(120)
    with pytest.warns(cairn.CairnWarning, match="is not complete"):
        report = run.finish()
    assert time.monotonic() - began < 60, "neither waits for a server that has refused"
    assert report.history_unsent + report.history_spooled == 1 and report.end_unsent + report.end_spooled == 1 and report.error
    assert report.is_complete == bool(report.spool)


class Changing(dict):
    def values(self):
        raise RuntimeError("dictionary changed size during iteration")


def test_no_mapping_of_the_caller_raises(api):
    with cairn.init(id="changing") as run:
        with pytest.warns(cairn.CairnWarning, match="RuntimeError"):
            run.log(Changing(x=1))
        run.log({"x": 2})
    assert [row["x"] for row in rows_of(api, "changing")] == [2]


@pytest.mark.parametrize("mode", ["offline", "dryrun"])
def test_offline(tmp_path, monkeypatch, mode):
    """Rows go to a folder, without any server. A library that cannot do that says so."""
    monkeypatch.setenv("CAIRN_SPOOL_DIR", str(tmp_path))
    monkeypatch.setenv("CAIRN_MODE", mode)
    options = {"url": "http://127.0.0.1:9", "key": "k", "sample_interval_s": 0}
    if "const char *mode;" not in (TOP / "client/include/cairn.h").read_text():
        with pytest.raises(cairn.SetupError, match="no offline mode"):
            cairn.init(**options)
        return
    run = cairn.init(**options)
    for i in range(10):
        run.log({"x": i})
    with pytest.warns(cairn.CairnWarning, match="files are not kept"):
        run.save(__file__)
    report = run.finish()
    assert report.is_complete and report.history_spooled == 10 and report.end_spooled and str(tmp_path) in report.spool


def test_rows_of_numbers_take_the_quick_way(api, monkeypatch):
    """From the second row with the same names on, with and without a step."""
    with cairn.init(id="quick") as run:
        run.log({"a": 0.5, "b": 1})
        monkeypatch.setattr(cairn.Run, "_log_checked", lambda *_: pytest.fail("the slow way"))
        for step in (None, 7, 0):
            run.log({"a": 1.5, "b": 2}, step=step)
        monkeypatch.undo()
    assert [bare(row) for row in rows_of(api, "quick")] == [{"a": 0.5, "b": 1}, *[{"a": 1.5, "b": 2}] * 3]
