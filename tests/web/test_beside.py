"""The list of runs beside the page of one: opened by a key, walked through by keys, on a wide screen and on a phone."""
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import expect

import module_api
from browsing import SIZES, faults_of, sign_in
from runs import Run

api = module_api.api
PROJECT = "/api/v1/projects/ann/beside"
expect.set_options(timeout=60_000)  # as all that is waited for: nothing is said of time
RUNS = 6


@pytest.fixture(scope="module")
def runs(api):
    """Six that log, and one of another kind, which the filter leaves out."""
    made = [Run(api, f"r{number}", PROJECT) for number in range(RUNS + 1)]
    for number, run in enumerate(made):
        api.patch(run.path, {"display_name": f"run {number}", "job_type": "train" if number < RUNS else "eval"})
        run.join("rank0").send(history=[{"loss": number / 8}], config={"lr": number})
    return made


@pytest.fixture
def page(screen, base, api, runs, wait_for):
    """The workspace with a filter and an order, signed in."""
    wait_for(lambda: api.get(f"{PROJECT}/runs", filter="job_type:train has:config.lr", count="true").json["count"] == RUNS,
             what="runs that are found")
    one = screen(viewport=SIZES["wide"])
    sign_in(one.page, f"{base}/ann/beside?q=job_type:train&sort=name")
    one.page.locator(".virtual").get_by_role("link", name="run 0").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    one.page.one = one
    return one.page


def names(page):
    return [one.strip() for one in page.locator(".beside .virtual .cell-name a").all_inner_texts()]


def stands(page, name, tab):
    """The page of that run, at that tab; it is marked in the list, if that is open, and seen there."""
    expect(page.get_by_role("heading", level=1, name=name)).to_be_visible()
    expect(page.get_by_role("navigation", name="Parts of the run").locator("[aria-current=page]")).to_contain_text(tab)


def marked(page, name):
    expect(page.locator(".beside a[aria-current=page]")).to_have_text(name)
    expect(page.locator(".beside .here")).to_be_in_viewport()


@pytest.mark.long
def test_walked_through_by_keys(page, base):
    """It is as the list of the project was left; what is shown is marked; j and k keep the tab, and how it is looked at."""
    page.get_by_role("link", name="run 1", exact=True).click()
    stands(page, "run 1", "Overview")
    assert page.locator(".beside").count() == 0
    page.keyboard.press("2")
    stands(page, "run 1", "Charts")
    page.locator("canvas").first.wait_for()
    page.keyboard.press("[")
    page.keyboard.press("j")  # pressed while the list comes
    stands(page, "run 2", "Charts")
    marked(page, "run 2")
    assert names(page) == [f"run {number}" for number in range(RUNS)]
    page.keyboard.press("l")
    expect(page).to_have_url(f"{base}/ann/beside/runs/r2/charts?log=y")
    page.keyboard.press("j")
    page.keyboard.press("j")  # on, whether the one between stands by now or not
    stands(page, "run 4", "Charts")
    marked(page, "run 4")
    expect(page).to_have_url(f"{base}/ann/beside/runs/r4/charts?log=y")
    page.keyboard.press("j")
    stands(page, "run 5", "Charts")
    page.keyboard.press("j")
    page.get_by_text("No run comes after this one").wait_for()
    page.keyboard.press("k")
    stands(page, "run 4", "Charts")
    page.go_back()
    stands(page, "run 5", "Charts")
    marked(page, "run 5")

    page.keyboard.press("?")
    rows = page.get_by_role("dialog").locator(".key-map > div")
    for key, label in (("[", "Toggle run list"), ("j", "Next run of the list"), ("k", "Previous run of the list")):
        expect(rows.filter(has_text=label)).to_have_text(f"{label}{key}")
    page.keyboard.press("Escape")

    page.locator(".beside .here").focus()  # within the list by arrows, where the focus stays
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    stands(page, "run 4", "Charts")
    marked(page, "run 4")
    expect(page.locator(".beside .here")).to_be_focused()

    page.reload()  # whether it is open is remembered
    stands(page, "run 4", "Charts")
    marked(page, "run 4")
    for scheme in "light", "dark":
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == []
    page.get_by_role("button", name="Toggle run list").click()
    expect(page.locator(".beside")).to_have_count(0)
    page.keyboard.press("j")
    page.reload()
    stands(page, "run 4", "Charts")
    assert page.locator(".beside").count() == 0
    assert page.one.complaints == []


@pytest.mark.long
def test_left_with_the_project(page, base):
    """The keys of the list are of the workspace again when one is back there."""
    page.get_by_role("link", name="run 1", exact=True).click()
    stands(page, "run 1", "Overview")
    page.keyboard.press("[")
    marked(page, "run 1")
    page.get_by_role("link", name="Workspace").first.click()
    page.locator(".runs:not(.aside) .virtual").get_by_role("link", name="run 0").wait_for()
    page.keyboard.press("j")
    expect(page.locator(".runs .virtual .run-row").first).to_be_focused()
    page.keyboard.press("[")
    expect(page.locator(".split.folded")).to_have_count(1)
    assert page.one.complaints == []


def test_on_a_phone(page):
    """It takes the place of the run, until one is chosen."""
    page.set_viewport_size(SIZES["narrow"])
    page.get_by_role("link", name="run 1", exact=True).click()
    stands(page, "run 1", "Overview")
    page.get_by_role("button", name="Toggle run list").click()
    marked(page, "run 1")
    expect(page.get_by_role("navigation", name="Parts of the run")).to_be_hidden()
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["narrow"]["width"]
    page.locator(".beside").get_by_role("link", name="run 3").click()
    stands(page, "run 3", "Overview")
    expect(page.locator(".beside")).to_have_count(0)
    assert page.one.complaints == []


class LongList:
    """The list beside a run as if it were long: the six are the last of its first page, the one that it leaves out the first after."""

    COUNT = 1200

    def __init__(self, page, api):
        self.api, self.first, self.second, self.cursors, self.held = api, "serve", "hold", set(), []
        self.last = api.get(f"{PROJECT}/runs/r{RUNS}").json
        page.route("**/ann/beside/runs?*count=true*", self.answer)

    def answer(self, route):
        query = dict(parse_qsl(urlsplit(route.request.url).query))
        cursor = query.pop("cursor", None)
        mode = self.second if cursor else self.first
        self.cursors.add(cursor)
        if mode == "serve":
            self.serve(route, query, cursor)
        elif mode == "fail":
            route.fulfill(status=500, json={"status": 500, "detail": "not now"})
        else:
            self.held.append((route, query, cursor))

    def let_go(self):
        """What is held, and what comes, is answered."""
        self.first = self.second = "serve"
        while self.held:
            self.serve(*self.held.pop())

    def serve(self, route, query, cursor):
        found = self.api.get(f"{PROJECT}/runs", **query).json["items"]
        if cursor:
            found = [self.last | {"id": name, "values": []} for name in (self.last["id"], *(f"y{number}" for number in range(199)))]
        elif len(found) == RUNS:
            found = [found[0] | {"id": f"x{number}"} for number in range(200 - RUNS)] + found
        route.fulfill(json={"items": found, "count": self.COUNT, "next_cursor": f"after {cursor or 'the first page'}"})


@pytest.mark.long
def test_what_cannot_be_read(page, base, api):
    """
    A key that waits for rows of a list that was closed is forgotten with it; what cannot be read is not the list's end, nor is
    its first run next; nothing is read but what is seen. Where nothing could be read at first the list lives as any other as soon as it is asked again.
    """
    page.goto(f"{base}/ann/beside?q=job_type:train&sort=name&show=all")
    page.get_by_role("link", name="run 5", exact=True).click()
    stands(page, "run 5", "Overview")
    server = LongList(page, api)
    with page.expect_request("**/ann/beside/runs?*cursor=*"):
        page.keyboard.press("[")
    marked(page, "run 5")
    page.keyboard.press("j")
    server.second = "fail"
    for count in (0, 1):
        page.keyboard.press("[")
        expect(page.locator(".beside")).to_have_count(count)
    marked(page, "run 5")
    page.keyboard.press("j")
    page.get_by_text("The list of runs could not be read.").wait_for()
    stands(page, "run 5", "Overview")
    again = page.locator(".beside").get_by_role("button", name="Try again")
    before = again.element_handle()
    with page.expect_response("**/ann/beside/runs?*ids=*"):
        api.patch(f"{PROJECT}/runs/r1", {"notes": "written meanwhile"})
    page.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
    assert before.evaluate("node => node.isConnected")  # that others could be read does not bring these
    server.second = "hold"  # so that they do not come before it is pressed
    again.click()
    page.keyboard.press("j")
    server.let_go()
    stands(page, f"run {RUNS}", "Overview")
    marked(page, f"run {RUNS}")
    assert server.cursors == {None, "after the first page"}

    page.keyboard.press("[")
    expect(page.locator(".beside")).to_have_count(0)
    server.first = "fail"
    page.keyboard.press("[")
    again.wait_for()
    page.keyboard.press("j")
    page.get_by_text("The list of runs could not be read.").wait_for()
    server.first = "hold"  # the list is read by itself when its columns are known, too
    again.click()
    server.let_go()
    page.locator(".beside .virtual").get_by_role("link", name="run 0").first.wait_for()
    page.keyboard.press("k")
    stands(page, "run 5", "Overview")
    marked(page, "run 5")
    api.patch(f"{PROJECT}/runs/r5", {"display_name": "run five"})
    marked(page, "run five")
    api.patch(f"{PROJECT}/runs/r5", {"display_name": "run 5"})
    assert [text for text in page.one.complaints if "500" not in text] == []


@pytest.fixture
def late(api, base, screen, wait_for):
    """A run whose primary has ended it, a worker of it that has not said its end, and its page, signed in."""
    run = Run(api, "late", "/api/v1/projects/ann/late-rows")
    boss, worker = run.join("boss"), run.join("c1", "worker")
    for writer in boss, worker:
        writer.send(history=[{"loss": 1 / step} for step in range(1, 6)])
    api.raw("PUT", f"{run.path}/files/notes.txt", b"kept")
    boss.finish(0)
    wait_for(lambda: api.get("/api/v1/projects/ann/late-rows/runs", filter="state:finished has:summary.loss", count="true").json["count"] == 1, what="a run that is found as it ended")
    one = screen(viewport=SIZES["wide"])
    one.page.add_init_script("localStorage.setItem('cairn-beside', 'open')")
    sign_in(one.page, f"{base}/ann/late-rows/runs/late/charts")
    one.page.locator(".beside .here").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    return run, worker, one


@pytest.mark.long
def test_after_the_end(late, shared_place):
    """
    Rows that come are told at the run and at its row, as many as came since the page is open, and lines go on in the panel
    that is there. Tabs count keys and files; that a writer never said its end is no warning until the run goes on.
    """
    run, worker, one = late
    page = one.page
    tabs = page.get_by_role("navigation", name="Parts of the run")
    expect(tabs.get_by_role("link", name="Charts")).to_have_text("Charts1")
    expect(tabs.get_by_role("link", name="Files")).to_have_text("Files1")
    canvas = page.locator(".panel canvas").first
    canvas.wait_for()
    before = page.wait_for_function("""() => {
        const canvas = document.querySelector('.panel canvas');
        window.drawn = canvas;
        return canvas && canvas.toDataURL();
    }""").json_value()
    head, row = page.locator(".run-head"), page.locator(".beside .here")
    expect(head).to_contain_text("finished")
    assert page.locator(".late-rows").count() == 0
    worker.send(history=[{"loss": 2.0}, {"loss": 3.0}])
    expect(head.locator(".late-rows")).to_have_text("+2 late rows")
    expect(row.locator(".late-rows")).to_have_text("+2 late")
    worker.send(history=[{"loss": 4.0}])
    expect(head.locator(".late-rows")).to_have_text("+3 late rows")
    expect(row.locator(".late-rows")).to_have_text("+3 late")
    page.wait_for_function("(before) => window.drawn.isConnected && window.drawn.toDataURL() !== before", arg=before)
    assert run.state == "finished"
    for scheme in "light", "dark":
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == []
    shared_place.db.query("update run_writer set heard_at = heard_at - interval '1 hour' where client = 'c1' returning run_id")
    assert run.writers()["c1"]["state"] == "lost"
    page.keyboard.press("3")
    page.get_by_role("row").filter(has_text="c1").filter(has_text="lost").first.wait_for()
    expect(tabs.get_by_role("link", name="Writers")).to_have_text("Writers21 lost")
    run.join("c2").send(history=[{"loss": 5.0}])  # it goes on: what comes now is not late
    expect(head).to_contain_text("running")
    expect(page.locator(".late-rows")).to_have_count(0)
    expect(tabs.get_by_role("link", name="Writers")).to_have_text("Writers31 lost")
    assert one.complaints == []
