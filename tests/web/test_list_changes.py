"""The list of runs while runs are added and deleted that it has not read yet: no row twice, none left out."""
import concurrent.futures

import pytest

import module_api
from browsing import sign_in
from cluster import wait_until
from list_pages import head, until

api = module_api.api
RUNS = 420
MORE = 40


def make(api, home, numbers):
    def one(number):
        api.put(f"{home}/runs/r{number:04}", {"display_name": f"run {number:04}", "config": {"number": number}})
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(one, numbers))


def count_of(api, home):
    return api.get(f"{home}/runs", limit=1, filter="has:config.number", count="true").json["count"]


def wait_count(api, home, count):
    wait_until(lambda: count_of(api, home) == count, what=f"{count} runs that are found")


def remove(api, home, numbers):
    for number in numbers:
        api.delete(f"{home}/runs/r{number:04}")


@pytest.fixture
def come(screen, base, api, home):
    """come(query): a page at the list of the test's own runs, of which the first page was read."""
    make(api, home, range(RUNS))
    wait_count(api, home, RUNS)

    def at(query=""):
        one = screen(viewport={"width": 1440, "height": 900})
        sign_in(one.page, f"{base}/ann/{home.split('/')[-1]}{query}")
        head(one.page, f"Runs {RUNS}")
        one.page.locator(".virtual .run-row").first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


SCROLL = """async () => {
    const [grid, found] = [document.querySelector('.run-list'), new Map()];
    const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const isRead = () => document.querySelector('.virtual .run-row') && !document.querySelector('.virtual .run-row.wait, .virtual .wait');
    grid.scrollTop = 0;
    for (let last = -1; last !== grid.scrollTop;) {
        do await drawn(); while (!isRead());
        for (const row of document.querySelectorAll('.virtual [role=row]')) found.set(Number(row.ariaRowIndex), row.dataset.run);
        last = grid.scrollTop;
        grid.scrollTop += grid.clientHeight / 2;
    }
    return [...found].sort((a, b) => a[0] - b[0]);
}"""


def rows_of(page):
    """The ids of all rows in their order, as one scrolls from the top to the end; a row for each place."""
    found = page.evaluate(SCROLL)
    assert [place for place, _ in found] == list(range(2, len(found) + 2))
    return [run for _, run in found]


def ids(api, home, order="-created_at"):
    return [run["id"] for run in api.get(f"{home}/runs", limit=1000, order=order).json["items"]]


def pill(page, words):
    page.get_by_role("button", name=words, exact=True).wait_for()


def test_runs_that_are_added(come, api, home):
    """Rows stand as they did, each once, as far as one scrolls; a click on the pill brings the others."""
    one = come()
    page, before = one.page, ids(api, home)
    make(api, home, range(RUNS, RUNS + MORE))
    wait_count(api, home, RUNS + MORE)
    pill(page, f"{MORE} new runs")
    assert rows_of(page) == before
    head(page, f"Runs {RUNS}")
    page.get_by_role("button", name=f"{MORE} new runs").click()
    head(page, f"Runs {RUNS + MORE}")
    assert rows_of(page) == ids(api, home)
    assert not one.complaints


@pytest.mark.long
def test_runs_that_are_deleted_elsewhere(come, api, home):
    """Of those that were read and of those that were not; beside others that came."""
    one = come()
    page, before = one.page, ids(api, home)
    make(api, home, range(RUNS, RUNS + MORE))
    pill(page, f"{MORE} new runs")
    gone = {*before[10:13], *before[150:160], *before[230:250], *before[390:400], before[-1]}
    remove(api, home, sorted(int(run[1:]) for run in gone))
    wait_count(api, home, RUNS + MORE - len(gone))
    last = before[10:13]  # that were deleted after all others
    until(page, f"![...document.querySelectorAll('.run-row')].some((row) => {last}.includes(row.dataset.run))")
    assert rows_of(page) == [run for run in before if run not in gone]
    head(page, f"Runs {RUNS - len(gone)}")
    pill(page, f"{MORE} new runs")
    assert not one.complaints


@pytest.mark.long
def test_in_another_order_and_with_a_filter(come, api, home):
    """New runs stand at the end, and some of them are not found; one that was jumped to stays where it is."""
    one = come("?sort=config.number&q=config.number>=0")
    page = one.page
    page.evaluate("document.querySelector('.run-list').scrollTop = 1e9")
    page.locator(".run-row[data-run=r0419]").wait_for()
    make(api, home, range(RUNS, RUNS + 10))
    remove(api, home, range(250, 260))
    wait_until(lambda: len(ids(api, home, "config.number")) == RUNS, what="others that are found")
    wanted = [run for run in ids(api, home, "config.number") if int(run[1:]) < RUNS]

    def stands():
        found = rows_of(page)
        return found if [run for run in found if int(run[1:]) < RUNS] == wanted else None
    found = wait_until(stands, what="the rows without those that were deleted, when the page has heard of them")
    assert len(set(found)) == len(found)
    assert not one.complaints
