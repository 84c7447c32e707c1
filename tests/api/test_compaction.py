"""When the tail of a run becomes chunks."""
import pytest


def tail_rows(db, home, run):
    return db.value("select tail_rows from run join run_hot using (run_id) join project on project.project_id ="
                    " run.project_id where project.name = %s and run.name = %s", home.rsplit("/", 1)[1], run.name)


@pytest.mark.parametrize("state", ["finished", "failed", "killed"])
def test_a_run_that_ends_is_compacted(run, db, home, wait_for, state):
    writer = run.join()
    writer.send(history=[{"loss": 1 / (1 + i)} for i in range(10)], console=[{"line": 0, "text": "a line"}])
    assert tail_rows(db, home, run) == 2
    writer.finish(state=state)
    wait_for(lambda: tail_rows(db, home, run) == 0)
    assert run.values("loss") == [1 / (1 + i) for i in range(10)]


def test_a_run_that_crashed_is_compacted(run, db, home, shift_clock, wait_for):
    run.join().send(history=[{"loss": 1}])
    assert tail_rows(db, home, run) == 1
    shift_clock(3600)
    wait_for(lambda: tail_rows(db, home, run) == 0)
    assert run.values("loss") == [1]


def test_a_run_that_a_person_ends_is_compacted(run, db, home, wait_for):
    run.join().send(history=[{"loss": 1}])
    run.api.request("POST", f"{run.path}/finish", {"state": "finished"})
    wait_for(lambda: tail_rows(db, home, run) == 0)
