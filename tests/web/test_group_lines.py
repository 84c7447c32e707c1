"""Groups in the workspace are lines over all of their runs: a mean and a band, whatever else is shown."""
import re

import pytest

from browsing import SIZES, faults_of, sign_in
from runs import Run

PROJECT = "grouped"
HOME = f"/api/v1/projects/ann/{PROJECT}"


@pytest.fixture(scope="module")
def rows():
    return [{"_step": step} for step in range(50)]


@pytest.fixture
def runs(api, rows, wait_for):
    """Two kinds of two runs; their loss is 1 and 3, and 10 and 10. What is unshown is in rows, and in no summary."""
    made = []
    unshown = {"_wandb": {"m": [{"1": "unshown", "7": [6]}]}}
    for name, arch, loss in (("a1", "small", 1), ("a2", "small", 3), ("b1", "large", 10), ("b2", "large", 10)):
        api.put(f"{HOME}/runs/{name}", {"display_name": name, "config": {"arch": arch, **unshown}, "group": arch})
        run = Run(api, name, HOME, make=False)
        if not run.get()["rows"]:
            run.join("rank0").send(history=[{**row, "loss": loss, "unshown": loss} for row in rows])
        made.append(run)
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.arch has:summary.loss", count="true").json["count"] == 4, what="runs that are found")
    return made


@pytest.fixture
def come(screen, base, runs):
    def at(query, path=f"/ann/{PROJECT}"):
        one = screen(viewport={"width": 1440, "height": 900})
        sign_in(one.page, f"{base}{path}{query}")
        one.page.locator(".run-list").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def says(page, words):
    page.get_by_role("article", name="Chart of loss").get_by_text(words).first.wait_for(state="attached")


def test_lines_of_groups(come, runs, api):
    one = come("?group=config.arch&band=std")
    page = one.page
    says(page, "2 lines; last 2 to 10; lowest small.")
    assert page.get_by_role("button", name="How many runs the charts draw").inner_text() == "2 visualized"
    plot = page.get_by_role("article", name="Chart of loss").locator(".u-over")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".tip:not([hidden])").get_by_text("± 1.414, 2 runs").wait_for()
    assert faults_of(page) == []
    page.get_by_role("row").filter(has_text="small").click()
    page.get_by_role("button", name="Show a1 in charts").click()
    says(page, "3 lines; last 1 to 10; lowest a1.")
    page.get_by_role("button", name="Show the group small in charts").click()
    says(page, "2 lines; last 1 to 10; lowest a1.")
    page.wait_for_url(re.compile("off=~text"))
    page.reload()
    says(page, "2 lines; last 1 to 10; lowest a1.")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


def test_what_no_summary_has_is_drawn(come, api, wait_for):
    """As define_metric(summary="none") has it: the keys of rows make the panels, of runs and of groups."""
    def keys():
        return [(key["key"], key["runs"]) for key in api.get(f"{HOME}/keys").json["items"]]
    wait_for(lambda: keys() == [("loss", 4), ("unshown", 4)], what="keys of the project")
    page = come("").page
    chart = page.get_by_role("article", name="Chart of unshown")
    chart.get_by_text("4 lines; last 1 to 10").first.wait_for(state="attached")
    page.get_by_role("button", name="Panel", exact=True).click()
    page.get_by_role("dialog", name="Add panels").get_by_role("checkbox", name="unshown", exact=True).wait_for()


def test_rows_of_any_member_move_the_line(come, runs, api):
    """Also of one that is not in the list that is seen."""
    one = come("?group=group&show=10")
    says(one.page, "2 lines")
    one.page.locator(".top .live", has_text="Live").wait_for()
    runs[0].join("rank1").send(history=[{"_step": 50, "loss": 7.5}])
    says(one.page, "last 7.5 to 10")


def test_the_page_of_a_group(come, runs, api):
    """Its facts on top, its runs below; they change with its runs."""
    one = come("", f"/ann/{PROJECT}/groups/large")
    page = one.page
    facts = page.get_by_role("region", name="Facts of the group large")
    facts.get_by_text("10 to 10, 2 runs").wait_for()
    page.wait_for_url(re.compile(r"/groups/large\?q=group:"))
    page.get_by_role("row").filter(has_text="b2").wait_for()
    assert page.get_by_role("row").filter(has_text="a1").count() == 0
    page.get_by_text("2 visualized").wait_for()
    page.locator(".top .live", has_text="Live").wait_for()
    api.post(f"{HOME}/runs/b2/finish", {"exit_code": 1})
    facts.get_by_text("failed").wait_for()
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert faults_of(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]
