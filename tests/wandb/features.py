"""docs/wandb.md: the table feature x SDK version x state, made by the test run.

A test says `@pytest.mark.feature("...")` what it shows. With --write-features what was seen is written into the
table, and rows that no test speaks of any more go; else a row that is not there, or says something else than
what was seen, fails the run.
"""
import pathlib
import re

import pytest
import sdk

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs/wandb.md"
BEGIN = "<!-- made by scripts/test --all-sdks; do not edit between these lines -->"
END = "<!-- end -->"
WORDS = {"passed": "works", "failed": "fails", "skipped": "not in this SDK"}
RANKS = (WORDS["skipped"], WORDS["passed"], WORDS["failed"])  # what says more of a feature comes later


def table(states, versions):
    """The lines; `states` are {feature: {version: word}}."""
    yield "| feature | " + " | ".join(versions) + " |"
    yield "|---" * (len(versions) + 1) + "|"
    for feature, by_version in states.items():
        yield f"| {feature} | " + " | ".join(by_version.get(v, "") for v in versions) + " |"


def written(page=PAGE):
    """What the page says: {feature: {version: word}}."""
    between = page.read_text().partition(BEGIN)[2].partition(END)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in between.strip().splitlines()]
    if not rows:
        return {}
    return {row[0]: dict(zip(rows[0][1:], row[1:])) for row in rows[2:]}


def marked():
    """Features that the tests name."""
    return {name for path in HERE.glob("test_*.py")
            for name in re.findall(r'^@pytest\.mark\.feature\("([^"]+)"\)', path.read_text(), re.M)}


class Table:
    def __init__(self, config):
        self.config = config
        self.seen = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item):
        """The worker that ran a test tells of it."""
        report = (yield).get_result()
        marks = [mark.args[0] for mark in item.iter_markers("feature")]
        version = getattr(item, "callspec", None) and item.callspec.params.get("version")
        report.user_properties += [("feature", [name, version or ""]) for name in marks]

    def pytest_runtest_logreport(self, report):
        if report.when == "teardown" or (report.when == "setup" and report.passed):
            return
        outcome = "failed" if hasattr(report, "wasxfail") else report.outcome
        for kind, seen in report.user_properties:
            if kind == "feature":
                self.note(*seen, WORDS[outcome])

    def note(self, feature, version, word):
        """Shown by several tests: it fails where one of them did, and is not in an SDK where all were skipped."""
        for each in [version] if version else sdk.ALL:
            by_version = self.seen.setdefault(feature, {})
            by_version[each] = max(word, by_version.get(each, word), key=RANKS.index)

    def stale(self):
        page = written()
        for feature, by_version in sorted(self.seen.items()):
            for version, word in by_version.items():
                said = page.get(feature, {}).get(version)
                if said != word and word != WORDS["failed"]:
                    yield f"{feature}, {version}: the page says {said or 'nothing'}, seen: {word}"

    def write(self):
        text = PAGE.read_text()
        page = written()
        states = {name: {**page.get(name, {}), **self.seen.get(name, {})} for name in sorted(marked())}
        lines = "\n".join(table(states, sdk.ALL))
        made = re.sub(f"{re.escape(BEGIN)}.*{re.escape(END)}", lambda _: f"{BEGIN}\n\n{lines}\n\n{END}", text,
                      flags=re.S)
        PAGE.write_text(made)

    def pytest_sessionfinish(self, session):
        if hasattr(self.config, "workerinput"):
            return
        if self.config.getoption("--write-features"):
            self.write()
        elif list(self.stale()) and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter):
        for line in self.stale():
            terminalreporter.write_line(f"docs/wandb.md is stale: {line}", red=True)
