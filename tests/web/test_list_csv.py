"""The list of runs as a file: all runs that the filter finds, whatever was scrolled to or opened."""
import concurrent.futures
import csv

import pytest

import module_api
from browsing import faults_of, sign_in
from cluster import wait_until
from list_pages import head
from runs import Run

api = module_api.api
HOME = "/api/v1/projects/ann/saved"
RUNS = 420


@pytest.fixture(scope="module")
def made(api):
    def make(number):
        path = f"{HOME}/runs/r{number:04}"
        api.put(path, {"display_name": f"run {number:04}", "config": {"number": number, "arch": f"m{number % 3}"}})
    make(0)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(make, range(1, RUNS)))
    for number in 5, 400:
        run = Run(api, f"r{number:04}", HOME).join()
        run.send(history=[{"_step": step, "loss": number + step} for step in range(3)])
    wait_until(lambda: api.get(f"{HOME}/runs", limit=1, filter="has:config.arch", count="true").json["count"] == RUNS, what="runs that are found")
    return api


@pytest.fixture
def come(screen, base, made):
    def at(query):
        one = screen(viewport={"width": 1440, "height": 900})
        sign_in(one.page, f"{base}/ann/saved{query}")
        one.page.locator(".virtual .run-row").first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def save(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_runs_that_nobody_scrolled_to(come):
    one = come("?sort=config.number&cols=config.number,min(loss)&base=r0300&change=absolute")
    rows = save(one.page)
    assert [row["id"] for row in rows] == ["r0300", *(f"r{number:04}" for number in range(RUNS) if number != 300)]
    by_id = {row["id"]: row for row in rows}
    assert (by_id["r0400"]["min(loss)"], by_id["r0005"]["min(loss)"], by_id["r0007"]["min(loss)"]) == ("400", "5", "")
    assert (by_id["r0410"]["config.number"], by_id["r0410"]["config.number change"]) == ("410", "110")
    one.page.get_by_text(f"{RUNS} runs saved.").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_runs_of_groups_and_of_a_filter(come):
    """Of all groups, whichever are open, with their keys; each run once."""
    one = come("?group=config.arch&q=config.number>=10&cols=config.number&sort=-config.number")
    one.page.get_by_text("3 groups · 410 runs").wait_for()
    rows = save(one.page)
    assert [(row["id"], row["config.arch"], row["config.number"]) for row in rows] == [
        (f"r{number:04}", f"m{number % 3}", str(number)) for number in range(RUNS - 1, 9, -1)]
    one.page.get_by_text("410 runs saved, from all groups.").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_how_far_it_is_and_an_end_to_it(come):
    """A page that takes long has a card, which stops it; then nothing is saved. What cannot be read is told."""
    one = come("?sort=config.number&cols=config.number")
    page, held = one.page, []
    head(page, f"Runs {RUNS}")
    page.route("**/ann/saved/runs?*limit=1000*", lambda route: held.append(route))
    page.get_by_role("button", name="Save as CSV").click()
    card = page.get_by_role("dialog", name="Runs as CSV")
    card.wait_for()
    wait_until(lambda: held, what="a page that is asked for")
    assert faults_of(page) == []
    saved = []
    page.on("download", lambda download: saved.append(download))
    card.get_by_role("button", name="Stop").click()
    card.wait_for(state="hidden")
    held.pop().abort()
    page.get_by_role("button", name="Save as CSV").click()
    wait_until(lambda: held, what="a page that is asked for again")
    held.pop().fulfill(status=500, json={"status": 500, "detail": "not now"})
    card.get_by_text("not now").wait_for()
    card.get_by_role("button", name="Close").last.click()
    page.unroute_all()
    assert len(save(page)) == RUNS and len(saved) == 1
