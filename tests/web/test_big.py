"""Among 100,000 runs and among a million lines: everything is found, sorted, counted, and few of it stands in the document."""
import re

import pytest

from big import BEGAN, EACH, HOME, LINES, NEEDLE, RUNS, lowest_loss, make_lines, make_runs
from browsing import SIZES, faults_of, sign_in
from cluster import wait_until
from list_pages import filter_by, head, names, query_of, row_of, until
from rest import Api
from test_logs import in_view, wait_shown


@pytest.fixture(scope="module")
def made(shared_place, keys):
    """REST as ann, with the 100,000 runs, whose columns the server has read: who searches before has the database to wait for."""
    server = shared_place.server(0)
    api = Api(server, keys["ann"])
    make_runs(api, shared_place.db)
    api.get(f"{HOME}/runs", limit=1, filter="has:summary.loss")
    wait_until(lambda: server.metric("cairn_search_loads_total"), seconds=120, what="columns")
    yield api
    api.close()


@pytest.fixture(scope="module")
def send_more(made):
    return make_lines(made)


@pytest.fixture
def come(screen, base):
    """come(path, **options): a Screen at the path, signed in."""
    def at(path, **options):
        one = screen(**{"viewport": SIZES["wide"], **options})
        one.base = base
        sign_in(one.page, base + path)
        one.page.get_by_role("button", name="Account of ann").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def few(page):
    assert page.get_by_role("row").count() <= 61


def scroll_to(page, place):
    page.get_by_role("grid").evaluate("(grid, place) => { grid.scrollTop = place * grid.scrollHeight; }", place)


def group_row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_text(name, exact=True))


@pytest.mark.long
def test_too_many_to_be_sorted_by_a_metric(come, made):
    """It is said above the list, with two ways out: the summary's value, and a filter, in which the dialog takes it, too."""
    page = come("/ann/big?cols=min(loss),summary.loss&sort=min(loss)").page
    said = page.get_by_text("The runs cannot be sorted this way: cannot order 100000 runs by a metric: the limit is 10000.")
    said.wait_for()
    page.get_by_role("button", name="Sort by the summary").click()
    until(page, f"document.querySelector('.virtual a')?.textContent === 'run {lowest_loss()}'")
    said.wait_for(state="hidden")
    assert query_of(page)["sort"] == "summary.loss"
    page.get_by_role("columnheader", name="min(loss)").get_by_role("button").first.click()
    said.wait_for()
    filter_by(page, "config.arch:m7 config.seed>50000")
    head(page, "Runs 5,000")
    row_of(page, "run 50007").wait_for()
    said.wait_for(state="hidden")
    page.locator(".runs-buttons").get_by_role("button", name="min(loss) ↑").click()
    apply = page.get_by_role("dialog").get_by_role("button", name="Apply")
    apply.click()
    page.get_by_role("alert").get_by_text("No run has min(loss).").wait_for()  # these have summaries alone
    apply.click()
    page.get_by_role("dialog").wait_for(state="hidden")


@pytest.mark.long
def test_a_hundred_thousand_runs(come, made):
    """Counted, scrolled through, filtered and sorted; the server does it, the address says it, and one begins at the top."""
    one = come("/ann/big?cols=config.seed,summary.loss")
    page = one.page
    head(page, "Runs 100,000")
    assert page.get_by_role("grid").get_attribute("aria-rowcount") == str(RUNS + 1)
    row_of(page, f"run {RUNS}").wait_for()
    few(page)
    page.get_by_role("button", name="How many runs the charts draw").filter(has_text="10 visualized").wait_for()
    scroll_to(page, 0.5)
    row_of(page, f"run {RUNS // 2}").wait_for()
    few(page)
    scroll_to(page, 1)
    row_of(page, "run 1").wait_for()
    page.locator(".runs-foot").get_by_text("of 100,000").wait_for()
    few(page)
    filter_by(page, "config.arch:m7 config.seed>50000")
    head(page, "Runs 5,000")
    row_of(page, "run 99997").wait_for()
    page.get_by_role("columnheader", name="loss").get_by_role("button").click()
    until(page, "document.querySelector('[aria-sort=ascending]')?.textContent.includes('loss')")
    page.get_by_role("combobox", name="Filter runs").fill("")
    page.keyboard.press("Enter")
    head(page, "Runs 100,000")
    until(page, f"document.querySelector('.virtual a')?.textContent === 'run {lowest_loss()}'")
    assert query_of(page)["sort"] == "summary.loss"
    filter_by(page, "no such run")
    page.get_by_text("100,000 runs without the filter.").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_groups_of_a_hundred_thousand(come, made):
    one = come("/ann/big?group=config.arch,group&cols=summary.loss")
    page = one.page
    page.get_by_text("10 groups · 100,000 runs").wait_for()
    group = group_row(page, "m3")
    assert "10,000" in group.inner_text()
    group.click()
    inner = group_row(page, "g13")
    inner.wait_for()
    assert "1,000" in inner.inner_text()
    inner.click()
    page.locator(".run-row.inner").first.wait_for()
    assert {int(name.split()[1]) % 100 for name in names(page) if name.startswith("run ")} == {13}
    few(page)
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name=re.compile("^All")).click()
    page.get_by_role("button", name="How many runs the charts draw").filter(has_text="first 1,000 of 100,000").wait_for()
    assert faults_of(page) == [] and not one.complaints


@pytest.mark.long
def test_a_million_lines(come, made, send_more):
    """Opened at their end, jumped through, found, followed; at most 400 of them stand in the document."""
    one = come("/ann/big-lines/runs/long/logs")
    page = one.page
    page.get_by_text(f"{LINES:,} lines, 4 labels").wait_for()
    wait_shown(page, f"lines.length && lines.at(-1)[1] === {EACH - 1}")

    def few_lines():
        assert page.locator(".log").count() <= 400
    few_lines()
    page.get_by_role("slider", name="Lines over time").press("Home")
    wait_shown(page, "lines[0]?.[1] === 0")
    few_lines()
    page.goto(f"{one.base}/ann/big-lines/runs/long/logs?at=rank2:{EACH // 2}")
    page.locator(".log.here").wait_for()
    assert ["rank2", EACH // 2] in in_view(page)
    few_lines()
    page.get_by_role("searchbox", name="Find in lines").fill("needle")
    page.get_by_text("4 found").wait_for()
    page.get_by_role("searchbox", name="Find in lines").press("Enter")
    wait_shown(page, f"lines.some(([, line]) => line === {NEEDLE})")
    few_lines()
    page.get_by_role("log").focus()
    page.keyboard.press("End")
    page.get_by_text("following").wait_for()
    send_more(*({"line": EACH + n, "time": BEGAN + EACH / 100 + n, "text": f"more {n}"} for n in range(3000)))
    wait_shown(page, f"lines.at(-1)[1] === {EACH + 2999}")
    page.get_by_text(f"{LINES + 3000:,} lines, 4 labels").wait_for()
    few_lines()
    assert not one.complaints
