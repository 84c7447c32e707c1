"""scripts/capacity: its constants are figures of scripts/bench, its defaults the server's, its page up to date."""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
CONSTANTS = tomllib.loads((TOP / "scripts/capacity_parts/constants.toml").read_text())


def capacity(*args):
    done = subprocess.run([sys.executable, TOP / "scripts/capacity", *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", CONSTANTS)
def test_each_constant_was_measured(name):
    figures = "".join(path.read_text() for path in (TOP / "scripts/bench_parts").glob("*.py"))
    words = CONSTANTS[name]["command"].split()
    assert words[0] == "scripts/bench" and f'"{words[1]}": ' in figures
    assert CONSTANTS[name]["value"] > 0 and CONSTANTS[name]["unit"]


def test_the_defaults_are_the_servers():
    table = (TOP / "server/config/config_settings.c").read_text()
    model = (TOP / "scripts/capacity_parts/model.py").read_text()
    standard = {name: int(value) for name, value in re.findall(r'INT\((\w+), "(\d+)"', table)}
    workers, flushers = map(int, re.search(r"^WORKERS, FLUSHERS, OTHERS = (\d+), (\d+),", model, re.MULTILINE).groups())
    clients = int(re.search(r"^CLIENTS_OF_A_SERVER = (\d+)$", model, re.MULTILINE)[1])
    assert (workers, flushers, clients) == (
        standard["workers"], standard["flushers"], standard["connection_limit"])


def test_more_writers_need_as_much_more():
    few, many = map(json.loads, capacity("--json", "--writers", "1000,100000").splitlines())
    for name in ("requests_per_s", "points_per_s", "cpu", "disk_gb_per_day", "log_mb_per_s"):
        assert many[name] == pytest.approx(100 * few[name])
    assert many["servers"] >= 100_000 / 4096 and many["database_connections"] > many["pooled_connections"]


def test_processors_go_through_both_measurements():
    """1,000 points in one request, and ten in one, cost what was measured."""
    for metrics, cost in ((1000, CONSTANTS["point_cpu"]["value"] / 1000), (10, CONSTANTS["request_cpu"]["value"] / 1e6)):
        told = json.loads(capacity("--json", "--writers", "1", "--metrics", str(metrics), "--rows-per-s", "1",
                                   "--request-s", "1"))
        assert told["cpu"] == pytest.approx(cost)


def test_the_page_has_what_is_computed():
    page = (TOP / "docs/scale.md").read_text()
    assert capacity().strip() in page, "put the output of scripts/capacity into docs/scale.md"
