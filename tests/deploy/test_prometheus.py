"""Alert rules and dashboard, by promtool and a real Prometheus that scrapes a loaded server."""
import json
import math
import re
import shutil
import subprocess
import urllib.parse
import urllib.request

import pytest
import yaml

from cluster import free_port, wait_until
from conftest import DEPLOY
from runs import Run

RULES = DEPLOY / "prometheus/rules.yaml"
RULES_TEST = DEPLOY / "prometheus/rules.test.yaml"
DASHBOARD = json.loads((DEPLOY / "grafana/cairn.json").read_text())
PANELS = {panel["title"]: panel for panel in DASHBOARD["panels"] if panel["type"] != "row"}
WINDOW = "20s"  # of rates, where Prometheus looks once a second

pytestmark = pytest.mark.skipif(not shutil.which("promtool"), reason="needs Debian's package prometheus")


def alerts():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def promtool(*words):
    done = subprocess.run(["promtool", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_rules_alert_when_they_should():
    promtool("check", "rules", RULES)
    promtool("test", "rules", RULES_TEST)


def test_every_alert_has_a_remedy_and_a_test():
    """Each has a series that fires and one that does not."""
    tests = [case for test in yaml.safe_load(RULES_TEST.read_text())["tests"] for case in test["alert_rule_test"]]
    for alert in alerts():
        assert alert["annotations"]["summary"] and alert["annotations"]["remedy"]
        assert alert["labels"]["severity"] in ("critical", "warning")
        fired = {bool(case["exp_alerts"]) for case in tests if case["alertname"] == alert["alert"]}
        assert fired == {True, False}, alert["alert"]


def test_the_scrape_configuration_is_valid():
    promtool("check", "config", DEPLOY / "prometheus/prometheus.yaml")


def expressions():
    return [alert["expr"] for alert in alerts()] + [t["expr"] for p in PANELS.values() for t in p["targets"]]


def test_the_server_has_all_their_metrics(server):
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
        there = set(re.findall(r"^# TYPE (\w+)", answer.read().decode(), re.M))
    asked = {re.sub("_bucket$", "", name) for text in expressions() for name in re.findall(r"\bcairn_\w+", text)}
    assert len(asked) > 30 and asked <= there


class Prometheus:
    """Scrapes the server once a second, with the configuration and the rules of deploy/."""

    def __init__(self, folder, server):
        config = yaml.safe_load((DEPLOY / "prometheus/prometheus.yaml").read_text())
        config["global"] = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        config["scrape_configs"][0]["static_configs"] = [{"targets": [f"127.0.0.1:{server.port}"]}]
        (folder / "prometheus.yaml").write_text(yaml.safe_dump(config))
        shutil.copy(RULES, folder)
        self.url = f"http://127.0.0.1:{free_port()}"
        self.log = folder / "log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address={self.url.removeprefix('http://')}"], stdout=log, stderr=log)

    def query(self, expression):
        """The numbers of the answer; none while it does not answer yet."""
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query?{urllib.parse.urlencode({'query': expression})}") as answer:
                result = json.load(answer)["data"]["result"]
        except urllib.error.HTTPError as e:
            if e.code == 503:
                return []
            raise AssertionError(f"{expression}: {e.read().decode()}") from None
        except OSError:
            assert self.process.poll() is None, self.log.read_text()
            return []
        return [n for n in (float(one["value"][1]) for one in result) if not math.isnan(n)]

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


@pytest.fixture
def prometheus(server, tmp_path):
    made = Prometheus(tmp_path, server)
    yield made
    made.stop()


def filled(expression):
    variables = {"$__rate_interval": WINDOW, "$job": "cairn", "$instance": ".*"}
    for name, value in variables.items():
        expression = expression.replace(name, value)
    assert "$" not in expression, expression
    return expression


def test_every_panel_shows_something(prometheus, api):
    missing = {(title, target["expr"]) for title, panel in PANELS.items() for target in panel["targets"]}
    run = Run(api)
    done = 0

    def all_show():
        nonlocal missing, done
        run.log([{"v": done}])
        run.rows()
        done += 1
        missing = {(title, text) for title, text in missing if not prometheus.query(filled(text))}
        return not missing

    try:
        wait_until(all_show, 120, "data in all panels")
    except TimeoutError:
        raise AssertionError(f"no data: {sorted(missing)}") from None
    assert prometheus.query('sum(up{job="cairn"})') == [1]
    assert prometheus.query('max(rate(cairn_ingest_points_total[20s]))') > [0]
    assert prometheus.query('count(ALERTS{alertstate="firing"})') == []
