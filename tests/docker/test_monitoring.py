"""The profile monitoring: Prometheus scrapes the server and has the rules, Grafana gets its password and the dashboard."""
import json
import urllib.request

import pytest

from cluster import wait_until
from containers import HERE, build, free_port

IMAGES = {"prom/prometheus:v3.5.0": "prometheus", "grafana/grafana:12.0.2": "grafana"}


@pytest.fixture(scope="module")
def stack(engine, make_stack):
    for tag, folder in IMAGES.items():
        build(engine, HERE / folder, HERE / folder / "Dockerfile", tag)
    made = make_stack(CAIRN_PROMETHEUS_PORT=str(free_port()), CAIRN_GRAFANA_PORT=str(free_port()))
    made("--profile", "monitoring", "up", "-d", "--wait", "--wait-timeout", "180", "--no-build")
    return made


def get(stack, port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{stack.env[port]}{path}", timeout=60) as answer:
        return json.load(answer)


def test_prometheus_scrapes_and_has_the_rules(stack):
    def up():
        result = get(stack, "CAIRN_PROMETHEUS_PORT", "/api/v1/query?query=up")["data"]["result"]
        return [one["value"][1] for one in result] == ["1"]
    wait_until(up, 120, "a target that is up")
    groups = get(stack, "CAIRN_PROMETHEUS_PORT", "/api/v1/rules")["data"]["groups"]
    assert len(groups[0]["rules"]) >= 15 and all(rule["health"] in ("ok", "unknown") for rule in groups[0]["rules"])


def test_grafana_is_given_the_dashboard(stack):
    assert get(stack, "CAIRN_GRAFANA_PORT", "/cairn.json")["title"] == "Cairn"


def test_they_do_not_reach_the_database(stack, engine):
    for service in ("prometheus", "grafana"):
        assert set(engine.inspect(stack.container(service))["NetworkSettings"]["Networks"]) == {f"{stack.name}_proxy"}
