"""Who wrote the NaN and infinities of a run of several writers, where one line stands for all of them."""
import json

import pytest

from browsing import faults_of
from cluster import wait_until
from runs import Run
from test_charts import complaints, drawn, open_charts, panel

HOME = "/api/v1/projects/ann/odd-writers"
NAN = float("nan")


def send(run, label, values):
    """values: by step, the others are 1."""
    run.join(label).send(history=[{"_step": step, "loss": values.get(step, 1.0)} for step in range(400)])


@pytest.fixture
def run(api, request):
    return Run(api, request.node.name.partition("[")[0].replace("_", "-")[:60], HOME)


def rest_at(page, key, share):
    """The mouse rests at a share of the width: who moves on from bucket to bucket asks nobody."""
    box = panel(page, key).locator(".u-over").bounding_box()
    for nudge in (0, 1):
        page.mouse.move(box["x"] + box["width"] * share + nudge, box["y"] + 30)


def splits(asked):
    return [one for one in asked if any(panel.get("split") == "writer" for panel in json.loads(one)["panels"])]


def test_the_hover_says_who_wrote_it(screen, base, run):
    """Of two labels the one that did, and its first step; by one question a bucket, and by keys as by the mouse."""
    send(run, "rank0", {})
    send(run, "rank1", {step: NAN for step in range(201, 204)})
    one = open_charts(screen, base, run)
    page = one.page
    asked = []
    page.on("request", lambda request: request.url.endswith("/series") and asked.append(request.post_data))
    drawn(page, "loss")
    panel(page, "loss").get_by_text("3 NaN", exact=True).wait_for()
    rest_at(page, "loss", 202 / 400)
    panel(page, "loss").locator(".tip-more").get_by_text(f"{run.name}: 1 NaN, first at step 202, by rank1", exact=True).wait_for()
    assert len(splits(asked)) == 1 and len(json.loads(splits(asked)[0])["runs"]) == 1
    assert faults_of(page) == []
    page.mouse.move(2, 2)
    panel(page, "loss").focus()
    page.keyboard.press("ArrowRight")
    for _ in range(20):
        page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("ArrowRight")
    panel(page, "loss").get_by_role("status").get_by_text(f"step 201, {run.name} 1, {run.name}: 1 NaN, first at step 201, by rank1").wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_the_first_three_labels_and_how_many_more(screen, base, run):
    for rank in range(5):
        send(run, f"rank{rank}", {step: NAN if rank % 2 else float("-inf") for step in range(400)})
    one = open_charts(screen, base, run)
    drawn(one.page, "loss")
    wait_until(lambda: panel(one.page, "loss").get_by_text("800 NaN · 1,200 Inf").count() == 1, what="all of them")
    rest_at(one.page, "loss", 0.3)
    panel(one.page, "loss").locator(".tip-more").get_by_text("by rank0, rank1, rank2 and 2 more").wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_of_one_writer_nobody_is_asked(screen, base, run):
    send(run, "rank0", {step: NAN for step in range(400)})
    one = open_charts(screen, base, run)
    page = one.page
    asked = []
    page.on("request", lambda request: request.url.endswith("/series") and asked.append(request.post_data))
    drawn(page, "loss")
    rest_at(page, "loss", 0.3)
    panel(page, "loss").locator(".tip-more").get_by_text(f"{run.name}: 1 NaN", exact=True).wait_for()
    with page.expect_response("**/series"):  # of rows that come, long after somebody rested there
        run.join("rank0").send(history=[{"_step": 400, "loss": 2.0}])
    assert splits(asked) == []
    assert not complaints(one)
