"""The profile monitoring of docker/compose.yaml, and what the suite docker says, without an engine; tests/docker runs them."""
import os
import re
import shutil
import subprocess
import sys

import pytest
import yaml

from conftest import DEPLOY, TOP

DOCKER = TOP / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = {name: one for name, one in COMPOSE["services"].items() if "monitoring" in one.get("profiles", [])}


def test_what_the_profile_adds():
    assert set(SERVICES) == {"prometheus", "grafana"}


@pytest.mark.parametrize("name", SERVICES)
def test_has_no_more_rights_than_it_needs(name):
    one = SERVICES[name]
    assert one["read_only"] and one["cap_drop"] == ["ALL"] and one["security_opt"] == ["no-new-privileges:true"]
    assert one["mem_limit"] and one["pids_limit"] and one["logging"] and one["healthcheck"]
    [port] = one["ports"]
    assert re.match(r"\$\{CAIRN_MONITORING_BIND:-127\.0\.0\.1\}:", port)


@pytest.mark.parametrize("name", SERVICES)
def test_mounts_what_is_there(name):
    """The rules and the dashboard are those of deploy/, not copies."""
    paths = [text.split(":")[0] for text in SERVICES[name]["volumes"] if text.startswith(".")]
    assert paths and all((DOCKER / path).exists() for path in paths), paths
    own = {"prometheus": DEPLOY / "prometheus/rules.yaml", "grafana": DEPLOY / "grafana/cairn.json"}[name]
    assert own.resolve() in [(DOCKER / path).resolve() for path in paths]


def test_grafana_has_no_default_password_and_calls_nobody():
    environment = SERVICES["grafana"]["environment"]
    assert SERVICES["grafana"]["networks"] == ["proxy"] and not any("/run/secrets" in text for text in SERVICES["grafana"]["volumes"])
    assert environment["GF_SECURITY_ADMIN_PASSWORD__FILE"] == "/run/grafana/password"
    assert "GF_SECURITY_ADMIN_PASSWORD" not in environment and environment["GF_AUTH_ANONYMOUS_ENABLED"] == "false"
    for name in ("GF_ANALYTICS_REPORTING_ENABLED", "GF_ANALYTICS_CHECK_FOR_UPDATES", "GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES",
                 "GF_NEWS_NEWS_FEED_ENABLED"):
        assert environment[name] == "false"


def test_grafana_finds_prometheus_and_the_dashboard():
    folder = DOCKER / "monitoring/grafana"
    [source] = yaml.safe_load((folder / "datasources/cairn.yaml").read_text())["datasources"]
    assert source["type"] == "prometheus" and source["url"] == "http://prometheus:9090" and source["isDefault"]
    [provider] = yaml.safe_load((folder / "dashboards/cairn.yaml").read_text())["providers"]
    mounted = [text.split(":")[1] for text in SERVICES["grafana"]["volumes"]]
    assert any(path.startswith(provider["options"]["path"]) and path.endswith("cairn.json") for path in mounted)
    told = yaml.safe_load((DOCKER / "monitoring/prometheus.yaml").read_text())
    assert [one["job_name"] for one in told["scrape_configs"]] == ["cairn"] and told["rule_files"] == ["rules.yaml"]


def test_the_suite_says_why_it_has_no_engine(tmp_path):
    """A machine without apt-get; the suite fails, and does not count tests that did not run."""
    for name in ("bash", "dirname", "id"):
        (tmp_path / name).symlink_to(shutil.which(name))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CAIRN_", "PYTEST_"))}
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/docker/test_images.py"], cwd=TOP,
                          env={**env, "PATH": str(tmp_path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, capture_output=True, text=True,
                          timeout=120)
    why = "apt-get" if os.geteuid() == 0 else "root"
    said = done.stdout + done.stderr
    assert done.returncode == 1 and f"no Docker engine can be had here, and no test was run: engine: this needs {why}" in said, said
    assert "Error" not in said and "passed" not in said, said
