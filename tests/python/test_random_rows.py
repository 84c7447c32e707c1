"""Rows of random names and values: what can be stored comes back as it was, and no other row suffers."""
import math

import pytest
from hypothesis import HealthCheck, given, settings, strategies

import cairn

ROWS = 300
TOO_LARGE = 10**400

numbers = strategies.one_of(strategies.integers(-2**53, 2**53), strategies.floats(width=64), strategies.integers(0, 3))
scalars = strategies.one_of(numbers, strategies.booleans(), strategies.none(), strategies.text(max_size=20))
names = strategies.one_of(strategies.sampled_from(["a", "b", "loss", "a.b", "train/loss", "é", "_x"]), strategies.text(min_size=1, max_size=12))
values = strategies.recursive(scalars, lambda inner: strategies.one_of(
    strategies.lists(inner, max_size=3), strategies.dictionaries(names, inner, max_size=3)), max_leaves=6)
odd = strategies.sampled_from([object(), 1j, TOO_LARGE, {1, 2}, b"bytes", float, "\ud800", (1, 2), math])
rows = strategies.dictionaries(names, strategies.one_of(numbers, numbers, values, odd), max_size=6)
WHOLE = set("_row _label _step _timestamp".split())


def stored_text(value):
    """As the server writes a number that JSON has not."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def expected(name, value, found):
    """Flat names with simple values, in their order; without what is not simple to say."""
    if isinstance(value, dict) and value:
        for inner, one in value.items():
            expected(f"{name}.{inner}", one, found)
    elif isinstance(value, (int, float)) and value != TOO_LARGE:
        found.setdefault(name, stored_text(value))
    elif value != TOO_LARGE:
        found.setdefault(name, ...)


def is_plain(name):
    """The server keeps it as it is."""
    return name.isascii() and name.isprintable() and "\\" not in name and name not in WHOLE


@pytest.mark.filterwarnings("ignore::cairn.CairnWarning")
def test_random_rows(api):
    with cairn.init(id="random") as run:
        logged = []

        @settings(max_examples=ROWS, database=None, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
        @given(rows)
        def log(row):
            row = {"number": len(logged), **{name: value for name, value in row.items() if name not in WHOLE and name != "number"}}
            logged.append(row)
            run.log(row)
        log()
    report = run.finish()
    assert report.history_lost == report.history_unsent == 0 and not report.end_unsent
    stored = {row["number"]: row for row in api.run("me/p/random").rows()}
    assert sorted(stored) == list(range(len(logged))), "each row is there, whatever its other values"
    for row in logged:
        found = {}
        for name, value in row.items():
            expected(name, value, found)
        got = stored[row["number"]]
        for name, value in found.items():
            if is_plain(name) and value is not ...:
                same = got[name] == value if isinstance(value, str) else float(got[name]) == float(value)
                assert same and isinstance(got[name], bool) == isinstance(value, bool), (name, row, got)
