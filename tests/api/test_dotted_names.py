"""Names with dots in config and summary: "a.b" and "b" within "a" are two things, kept, merged, edited and found apart."""
import pytest

from runs import Run

BOTH = {"a.b": 1, "a": {"b": 2, "c.d": 3}, ".": 4, "e.": {".f": 5}}


@pytest.mark.parametrize("document", ["config", "summary"])
def test_they_come_back_as_they_were_sent(run, document):
    run.join().send(**{document: BOTH})
    assert getattr(run, document)() == BOTH


@pytest.mark.parametrize("document", ["config", "summary"])
def test_an_edit_is_of_one_of_them(run, document):
    run.join().send(**{document: BOTH})

    def patch(edit):
        return run.api.patch(f"{run.path}/{document}", edit).json
    assert patch({"a.b": 7}) == {**BOTH, "a.b": 7}
    assert patch({"a": {"b": None}}) == {**BOTH, "a.b": 7, "a": {"c.d": 3}}
    patch({"a.b": None, "a": {"b": 8}})
    shown = getattr(run, document)()
    assert "a.b" not in shown and shown["a"] == {"b": 8, "c.d": 3} and shown["e."] == {".f": 5}


def test_writers_that_mean_different_ones_do_not_meet(run):
    one, two = run.join("c1"), run.join("c2", "worker")
    one.send(config={"a.b": 1}, summary={"a.b": 1})
    two.send(config={"a": {"b": 2}}, summary={"a": {"b": 2}})
    assert run.config() == run.summary() == {"a.b": 1, "a": {"b": 2}}
    assert run.conflicts() == []
    two.send(config={"a.b": 3})
    assert run.config() == {"a.b": 3}
    (conflict,) = run.conflicts()
    assert sorted(each["value"] for each in conflict["writers"]) == [1, 3]


def test_what_is_logged_overlays_what_it_is_called(run):
    """History's objects are named with dots; so the summary has the metric beside what was set as an object."""
    writer = run.join()
    writer.send(history=[{"a": {"b": 1}, "loss.x": 2}], summary={"a": {"b": 9}})
    assert run.summary() == {"a.b": 1, "loss.x": 2, "a": {"b": 9}}
    writer.send(history=[{"a.b": 3}])
    assert run.summary() == {"a.b": 3, "loss.x": 2, "a": {"b": 9}}
    assert run.values("a.b") == [1, 3]


def test_both_are_found(run, api, home, wait_for):
    """A filter's dots may be those of a name or stand between names: both count."""
    for name, config in (("flat", {"a.b": 1}), ("nested", {"a": {"b": 2}}), ("none", {"a": 4})):
        Run(api, name, project=home).join().send(config=config, summary={f"s.{name}": 1})
    path = f"{home}/runs"

    def found(filter):
        return sorted(each["id"] for each in api.pages(path, filter=filter))
    wait_for(lambda: len(found("has:config.a or has:config.a.b")) == 3)
    assert found("has:config.a.b") == ["flat", "nested"]
    assert found("config.a.b:1") == ["flat"] and found("config.a.b>1") == ["nested"]
    assert found('{"config.a.b": {"$gte": 1}}') == ["flat", "nested"]
    wait_for(lambda: found("summary.s.flat:1") == ["flat"])
