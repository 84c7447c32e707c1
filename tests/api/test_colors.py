"""Colours of runs: slots are given in turn, however a run is made; one of its own is a person's."""
from concurrent.futures import ThreadPoolExecutor

import pytest

from runs import Run

SLOTS = 24


def test_slots_are_given_in_turn(api, project):
    made = [api.post(f"{project}/runs").json["color_slot"] for _ in range(SLOTS + 2)]
    assert made == [n % SLOTS for n in range(SLOTS + 2)]


def test_every_way_to_make_a_run(api, project):
    first = Run(api, "a", project).get()
    fork = api.put(f"{project}/runs/b", {"forked_from": {"run": "a", "step": 0}}).json
    api.post(f"{project}/runs/c/history", {"loss": 1})
    runs = [first, fork, api.get(f"{project}/runs/c").json]
    assert [(run["color_slot"], run["color"]) for run in runs] == [(0, None), (1, None), (2, None)]


def test_each_project_counts_for_itself(api, project):
    Run(api, "a", project)
    other = Run(api, "a", f"{project}-other").get()
    assert (other["color_slot"], Run(api, "b", project).get()["color_slot"]) == (0, 1)


def test_a_deleted_run_keeps_its_slot_from_others(api, project):
    for name in "ab":
        Run(api, name, project)
    api.delete(f"{project}/runs/b")
    assert Run(api, "c", project).get()["color_slot"] == 2


def test_a_server_whose_clock_is_ahead(api, project, db):
    """Its runs have the greatest ids: those of others count on all the same."""
    for name in "abc":
        Run(api, name, project)
    db.query("update run set run_id = run_id + (1::int8 << 40) where name = 'a' and project_id = "
             "(select project_id from project where name = %s)", project.rsplit("/", 1)[1])
    assert [Run(api, name, project).get()["color_slot"] for name in "de"] == [3, 4]


def test_runs_made_at_once(api, project):
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda n: Run(api, f"r{n}", project).get()["color_slot"], range(SLOTS)))
    assert set(made) <= set(range(SLOTS))
    assert len(set(made)) > SLOTS // 8


def test_a_colour_of_its_own(api, project, wait_for):
    run = Run(api, "a", project)
    set_to = api.patch(run.path, {"color": "#1F77b4"}).json
    assert (set_to["color"], set_to["color_slot"]) == ("#1f77b4", 0)
    assert api.patch(run.path, {"notes": "x"})["color"] == "#1f77b4"
    wait_for(lambda: api.pages(f"{project}/runs"))
    assert [(r["color"], r["color_slot"]) for r in api.pages(f"{project}/runs")] == [("#1f77b4", 0)]
    back = api.patch(run.path, {"color": None}).json
    assert (back["color"], back["color_slot"]) == (None, 0)


@pytest.mark.parametrize("color", ["slot-0", "slot-23", "#1f77b4-dash", "#1f77b4-dot"])
def test_a_slot_or_a_dash_is_chosen(api, project, color):
    run = Run(api, "a", project)
    chosen = api.patch(run.path, {"color": color}).json
    assert (chosen["color"], chosen["color_slot"], run.get()["color"]) == (color, 0, color)


def test_a_colour_from_the_beginning(api, project):
    assert api.put(f"{project}/runs/a", {"color": "#abcdef"})["color"] == "#abcdef"


@pytest.mark.parametrize("color", ["red", "#12345", "#1234567", "1234567", "#12345g", "#12345G", "slot-24", "slot-5-dash",
                                   "#123456-line", "", 7, ["#123456"]])
def test_refused(api, project, color):
    run = Run(api, "a", project)
    assert api.refused(400, "invalid", "PATCH", run.path, {"color": color})["field"] == "color"
    assert run.get()["color"] is None
