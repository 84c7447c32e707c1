"""Keys with commas in the list of runs, its file, its groups, its panels, and in Compare."""
import csv
import urllib.parse

import pytest

import module_api
from browsing import sign_in
from cluster import wait_until
from list_pages import names, query_of, row_of

api = module_api.api
HOME = "/api/v1/projects/ann/commas"
LR, KIND, LOSS = "config.lr, base", "config.kind\\,of", "loss, total"
LISTED = {LR: r"config.lr\, base", KIND: r"config.kind\\\,of", LOSS: r"loss\, total"}


@pytest.fixture(scope="module")
def made(api):
    """Six runs; the greater the number, the lower the loss."""
    for number in range(6):
        path = f"{HOME}/runs/r{number}"
        api.put(path, {"config": {"lr, base": number / 8, "kind\\,of": "ab"[number % 2]}})
        api.post(f"{path}/history", [{"_step": step, LOSS: 10 - number - step} for step in range(2)])
    wait_until(lambda: len(api.get(f"{HOME}/runs", filter='has:summary."loss, total"').json["items"]) == 6, what="runs that are found")
    return api


@pytest.fixture
def address(base):
    return lambda path, query: f"{base}/ann/commas{path}?{urllib.parse.quote(query, safe='=&')}"


@pytest.fixture
def come(screen, base, made, address):
    def at(path, query, seen):
        one = screen(viewport={"width": 1440, "height": 900})
        sign_in(one.page, base)
        one.page.get_by_role("button", name="Account of ann").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        one.page.goto(address(path, query))
        one.page.locator(seen).first.wait_for()
        return one
    return at


def save(page):
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_columns_order_and_file(come):
    columns = f"*{LISTED[LR]}@96,summary.{LISTED[LOSS]},min({LISTED[LOSS]}),{LISTED[KIND]}"
    one = come("/table", f"sort=-{LISTED[LR]},name&cols={columns}", ".virtual .run-row")
    page = one.page
    assert names(page) == [f"r{number}" for number in range(5, -1, -1)]
    for text in "0.625", "4", "b":
        row_of(page, "r5").get_by_text(text, exact=True).first.wait_for()
    rows = save(page)
    assert [row["id"] for row in rows] == [f"r{number}" for number in range(5, -1, -1)]
    last = {"config.lr, base": "0.625", "summary.loss, total": "4", "min(loss, total)": "4", KIND: "b"}
    assert rows[0].items() >= last.items()
    page.get_by_role("columnheader", name="lr, base").get_by_role("button").first.click()
    wait_until(lambda: names(page)[0] == "r0", what="the other order")
    assert query_of(page)["sort"] == LISTED[LR] and query_of(page)["cols"] == columns
    assert not one.complaints


@pytest.mark.long
def test_groups(come):
    one = come("/table", f"group={LISTED[KIND]}&cols={LISTED[LR]},mean({LISTED[LOSS]})&sort={LISTED[LR]}", ".virtual .run-row")
    page = one.page
    page.get_by_text("2 groups · 6 runs").wait_for()
    for mean in "0.25", "0.375":
        page.locator(".virtual").get_by_text(mean).first.wait_for()
    rows = save(page)
    assert [(row[KIND], row[LR], row["mean(loss, total)"]) for row in rows] == [
        ("ab"[number % 2], str(number / 8) if number else "0", str(9.5 - number)) for number in range(6)]
    assert not one.complaints


@pytest.mark.long
def test_plots_of_all_runs(come, address):
    """Boxes and correlations, which left out such keys before."""
    one = come("/compare", f"runs=r0,r1&plot=correlation&metric=summary.{LOSS}", ".correlations li")
    page = one.page
    lr = page.locator(".correlations li").filter(has_text="lr, base")
    lr.get_by_text("−1.00").wait_for()
    page.goto(address("/compare", f"runs=r0,r1&plot=box&metric=summary.{LOSS}&by={KIND}"))
    page.get_by_text(f"by {KIND}").first.wait_for()
    page.locator(".run-plot svg").wait_for()
    page.goto(address("/compare", f"runs=r0,r1&plot=parallel&all=on&axes={LISTED[LR]},summary.{LISTED[LOSS]}"))
    page.get_by_role("button", name="Remove").first.wait_for()
    assert [chip.strip() for chip in page.locator(".plot-tools .chip bdi").all_inner_texts()] == [LR, f"summary.{LOSS}"]
    page.locator(".run-plot svg, .parallel svg, .plots-drawn svg").first.wait_for()
    assert not one.complaints
