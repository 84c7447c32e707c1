"""Names of lines by a pattern of keys: what a run has as null is another than what it has not."""
import pytest

from browsing import sign_in
from runs import Run
from test_charts import drawn, panel

HOME = "/api/v1/projects/ann/nulls"


@pytest.fixture
def runs(api, wait_for):
    for name, config in {"has-null": {"opt": None}, "has-none": {}, "has-text": {"opt": "adam"}}.items():
        Run(api, name, HOME).join("rank0").send(history=[{"_step": step, "loss": 1.0} for step in range(3)], config={"seed": 1, **config})
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.seed has:summary.loss", count="true").json["count"] == 3, what="runs that are found")


def test_null_is_said_and_what_is_not_there_is_a_dash(screen, base, runs):
    one = screen(viewport={"width": 1440, "height": 900})
    page = one.page
    sign_in(page, f"{base}/ann/nulls?legend={{name}} {{config.opt}}")
    drawn(page, "loss")
    for name in ("has-null null", "has-none —", "has-text adam"):
        panel(page, "loss").locator(".legend").get_by_text(name, exact=True).wait_for()
