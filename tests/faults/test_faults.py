"""The campaigns in their short form. The long form is tests/faults/run."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "api")]

from artifact_kills import run_artifacts  # noqa: E402
from branches import run_branches  # noqa: E402
from campaign import CAMPAIGNS, may_run, run_campaign  # noqa: E402


# What test_database.py, and test_replica.py of the suite api, have in a smaller form.
LONG = {"restart-postgres", "stop-postgres", "slow-postgres", "held-locks", "replica"}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long) if name in LONG else name for name in CAMPAIGNS])
def test_campaign(name):
    reason = may_run(name)
    if reason:
        pytest.skip(reason)
    run_campaign(name)


def test_branches():
    run_branches()


def test_artifacts():
    run_artifacts()
