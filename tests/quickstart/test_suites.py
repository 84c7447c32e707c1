"""What scripts/test makes of its suites: tests that failed run once more, alone, and the flaky ones are named."""
import os
import pathlib
import subprocess

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]

DRIVER = """#!/usr/bin/env bash
set -euo pipefail
. {top}/scripts/lib.sh
. {top}/scripts/test_parts/suites.sh
results={folder}
abreast=1
suite_tests() {{ run_pytest -c /dev/null {folder}/tests; }}
suite_program() {{ {program}; }}
run_suites tests program
run_again tests program
sum_up tests program
"""
# The test fails in the first run only: it leaves a file there.
FLAKY = """
import pathlib, pytest
@pytest.mark.parametrize("n", {numbers})
def test_flaky(n):
    seen = pathlib.Path(__file__).with_name("seen-%s" % n)
    if not seen.exists():
        seen.touch()
        raise AssertionError("the machine is busy")
"""


@pytest.fixture
def run(tmp_path):
    def run(tests, program="true"):
        (tmp_path / "tests").mkdir()
        (tmp_path / "tests/test_it.py").write_text(tests)
        driver = tmp_path / "driver"
        driver.write_text(DRIVER.format(top=TOP, folder=tmp_path, program=program.format(folder=tmp_path)))
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_XDIST")}
        done = subprocess.run(["bash", driver], capture_output=True, text=True, env=env, timeout=120)
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout.splitlines()

    return run


def row(lines, suite):
    """The last table's row of a suite: passed, failed, skipped."""
    found = [line.split() for line in lines if line.split()[:1] == [suite] and " passed " in line][-1]
    return int(found[1]), int(found[3]), int(found[5])


def test_good_suites(run):
    status, lines = run("def test_one():\n    pass\n")
    assert (status, lines[-1]) == (0, "2 passed, 0 failed")
    assert "== once more, alone: what failed" not in lines


def test_flaky_tests_pass_and_are_named(run):
    status, lines = run(FLAKY.format(numbers=[1, 2]) + "def test_good():\n    pass\n")
    assert (status, lines[-1]) == (0, "4 passed, 0 failed")
    assert lines[-3:-1] == ["flaky: tests: test_it::test_flaky[1]", "flaky: tests: test_it::test_flaky[2]"]
    assert "failed: tests: test_it::test_flaky[1]" in lines  # as the suite ended
    assert row(lines, "tests") == (3, 0, 0)


@pytest.mark.long
def test_flaky_suite_without_tests(run):
    status, lines = run("def test_good():\n    pass\n", "[ -e {folder}/seen ] || {{ touch {folder}/seen; false; }}")
    assert (status, lines[-2:]) == (0, ["flaky: program: program", "2 passed, 0 failed"])


@pytest.mark.long
@pytest.mark.parametrize("count, status", [(5, 0), (6, 1)])
def test_number_of_flaky_tests(run, count, status):
    got, lines = run(FLAKY.format(numbers=list(range(count))))
    assert (got, lines[-1]) == (status, f"{count + 1} passed, 0 failed")
    assert sum(line.startswith("flaky: ") for line in lines) == count
    assert ("6 tests are flaky: more than 5 fail the run" in lines) == bool(status)


def test_what_fails_twice_fails_the_run(run):
    status, lines = run("def test_good():\n    pass\ndef test_bad():\n    assert not 'good'\n" + FLAKY.format(numbers=[1]))
    assert (status, lines[-1]) == (1, "3 passed, 1 failed")
    assert lines[-3:-1] == ["failed: tests: test_it::test_bad", "flaky: tests: test_it::test_flaky[1]"]


@pytest.mark.long
def test_second_run_has_only_what_failed(run, tmp_path):
    good = "import pathlib\ndef test_good():\n    pathlib.Path(%r).open('a').write('x')\n" % str(tmp_path / "runs")
    assert run(good + FLAKY.format(numbers=[1]))[0] == 0
    assert (tmp_path / "runs").read_text() == "x"


@pytest.mark.long
def test_file_that_cannot_be_imported(run):
    status, lines = run("import nothing_of_this_name\n")
    assert status == 1 and lines[-1] == "1 passed, 1 failed"


def test_suite_without_tests_has_failed(run):
    status, lines = run("")
    assert (status, lines[-2:]) == (1, ["failed: tests: tests", "1 passed, 1 failed"])


@pytest.mark.long
def test_many_failures_are_not_run_again(run):
    status, lines = run(FLAKY.format(numbers=list(range(31))))
    assert (status, lines[-1]) == (1, "1 passed, 31 failed")
    assert "31 tests failed: more than 30, so they are not run again" in lines
