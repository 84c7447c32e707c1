"""The ledger of the campaigns finds what it is there to find."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api")]

import artifacts_ledger  # noqa: E402
from ledger import Ledger  # noqa: E402

BATCHES = [("a", 1, 1, 2), ("b", 1, 1, 3), ("a", 1, 2, 1), ("a", 2, 1, 2)]


@pytest.fixture
def told():
    """(a ledger of four batches, the rows as they are to be read)"""
    ledger, rows = Ledger(), []
    for writer, session, batch, count in BATCHES:
        ledger.note_sent(writer, session, batch, count)
        ledger.note_told(writer, session, batch, {"row_first": len(rows), "rows": count})
        rows += [{**row, "_row": len(rows) + row["i"]} for row in Ledger.rows(writer, session, batch, count)]
    return ledger, rows


def numbered(rows):
    return [{**row, "_row": i} for i, row in enumerate(rows)]


def swapped(rows, i, j):
    rows = list(rows)
    rows[i], rows[j] = rows[j], rows[i]
    return numbered(rows)


def test_all_is_well(told):
    ledger, rows = told
    assert ledger.check(rows) == 8


@pytest.mark.parametrize("says, damage", [
    ("was acknowledged at 7, is at None", lambda rows: rows[:-1]),
    ("stored in part", lambda rows: numbered(rows[:-1])),
    ("row numbers are not", lambda rows: rows[:3] + rows[4:]),
    ("stands at 7 and at 8", lambda rows: numbered(rows + rows[-1:])),
    ("stands behind", lambda rows: swapped(rows, 1, 5)),
    ("stands behind", lambda rows: swapped(rows, 6, 7)),
    ("was never sent so", lambda rows: [*rows[:-1], {**rows[-1], "v": 0}]),
    ("was never sent so", lambda rows: numbered([*rows, {"w": "c", "s": 1, "b": 1, "i": 0, "v": 1}])),
])
def test_damage_is_found(told, says, damage):
    ledger, rows = told
    with pytest.raises(AssertionError, match=says):
        ledger.check(damage(rows))


def test_two_answers_to_one_batch(told):
    ledger, rows = told
    ledger.note_told("a", 1, 1, {"row_first": 3, "rows": 2})
    with pytest.raises(AssertionError, match="told"):
        ledger.check(rows)


@pytest.mark.parametrize("fate, says", [("stored", 0), ("unsent", 1)])
def test_a_join_that_said_the_opposite(told, fate, says):
    ledger, rows = told
    ledger.note_sent("b", 1, 2, 1)
    getattr(ledger, fate).add(("b", 1, 2))
    more = [{**row, "_row": 8} for row in Ledger.rows("b", 1, 2, says)]
    with pytest.raises(AssertionError, match="the opposite"):
        ledger.check(rows + more)


@pytest.mark.parametrize("says, there", [
    ("numbers of net", ["v0", "v2"]),
    ("numbers of net", ["v0", "v1", "v1"]),
    ("not there: net ..v1", ["v0"]),
    ("never acknowledged: net ..v2", ["v0", "v1", "v2"]),
])
def test_versions(says, there):
    ledger = artifacts_ledger.Ledger()
    for version, files in ("v0", {"a": b"1"}), ("v1", {}), ("v1", {}):
        ledger.note("net", version, files)
    ledger.check("net", ["v0", "v1"])
    with pytest.raises(AssertionError, match=says):
        ledger.check("net", there)
    ledger.note("net", "v1", {"a": b"2"})
    with pytest.raises(AssertionError, match="two contents"):
        ledger.check("net", ["v0", "v1"])
