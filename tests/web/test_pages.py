"""Addresses that clients print, in a real browser: projects, runs, and a run while it is written."""
import json
import re
from urllib.parse import quote

import pytest

from browsing import NARROW_LOOK, SIZES, address, faults_of, region, sign_in, sign_in_by_form, sign_out
from runs import Run

ODD = "<b>größe</b> \u05d0\u05d1 \U0001f9ea " + "x" * 80


@pytest.fixture
def run(api, request):
    """A run of two processes with all that the page shows, in a project of its own."""
    made = Run(api, "r1", f"/api/v1/projects/ann/{request.node.name.partition('[')[0].replace('_', '-')[:60]}")
    api.patch(made.path, {"display_name": ODD, "tags": ["baseline", "<i>"], "notes": "what it is for", "group": "g1"})
    made.writer = made.join("rank0", host="node7")
    made.writer.send(history=[{"loss": 0.5}, {"loss": 0.12345678}], config={"lr": 0.01, "model": {"layers": [64, 10]}},
                     console=[{"line": 0, "text": "epoch <1>"}])
    made.join("rank1", "worker").send(history=[{"value": 1}])
    made.join("rank2", "worker")  # has sent nothing yet
    return made


def test_from_projects_to_a_run(screen, base, run):
    one = screen()
    page = one.page
    sign_in_by_form(page, f"{base}/")
    one.complaints.clear()  # that who is not signed in sees nothing
    page.get_by_role("link", name=f"ann/{run.path.split('/')[5]}", exact=True).click()
    page.get_by_role("link", name=ODD).click()
    page.get_by_role("heading", name=ODD).wait_for()
    assert page.url == address(base, run, "runs", "r1")
    region(page, "Summary").get_by_role("row", name="loss").get_by_text("rank0").wait_for()
    assert region(page, "Summary").get_by_role("row", name="loss").inner_text() == "loss\t0.1235\trank0"
    region(page, "Config").get_by_role("row", name="layers").get_by_text("rank0").wait_for()
    assert region(page, "Config").get_by_role("row").all_inner_texts()[1:] == [
        "lr\t0.01\trank0", "model.layers\t[64, 10]\trank0"]
    writers = region(page, "Writers").get_by_role("row").all_inner_texts()[1:]
    assert [text.split("\t")[:2] for text in writers] == [
        ["rank0", "primary"], ["rank1", "worker"], ["rank2", "worker"]]
    page.go_back()
    page.get_by_role("link", name=ODD).wait_for()
    assert not one.complaints


def test_a_run_while_it_is_written(screen, base, run):
    """Nobody reloads: its state, its rows and who decided are seen when they change."""
    page = screen().page
    sign_in(page, address(base, run, "runs", "r1", "overview"))
    page.get_by_role("heading", name=ODD).wait_for()
    run.writer.send(history=[{"loss": 7}])
    region(page, "Summary").get_by_role("row", name="loss 7").wait_for()
    run.writer.finish()
    page.locator(".run-head").get_by_text("finished").wait_for()
    region(page, "States").get_by_role("row", name="all primary processes ended").wait_for()
    run.writer.send(history=[{"loss": 8}])
    region(page, "Summary").get_by_role("row", name="loss 8").wait_for()


@pytest.mark.long
def test_nothing_goes_on_behind_a_page_that_was_left(screen, base, run):
    """While it is there it asks for what changed; then, for a minute of its clock, nobody does."""
    one = screen()
    page = one.page
    page.clock.install()
    sign_in(page, address(base, run, "runs", "r1"))
    page.get_by_role("heading", name=ODD).wait_for()
    with page.expect_request("**/runs/r1"):
        run.api.patch(run.path, {"notes": "changed"})
    sign_out(page)
    page.get_by_label("Password").wait_for()
    before = len(one.asked)
    page.clock.run_for(60000)
    page.evaluate("fetch('/healthz').then((answer) => answer.text())")
    assert [url.rpartition("/")[2] for url in one.asked[before:]] == ["healthz"]


def test_the_address_is_kept_by_who_signs_in(screen, base, run):
    """And who may not see it is told so; one that is public is seen by anybody."""
    page = screen().page
    url = address(base, run, "runs", "r1")
    sign_in_by_form(page, url, "bob")
    page.get_by_role("alert").filter(has_text="you (bob) have no access").wait_for()
    page = screen().page
    sign_in_by_form(page, url)
    page.get_by_role("heading", name=ODD).wait_for()
    assert page.url == url
    run.api.patch(run.path.rsplit("/", 2)[0], {"visibility": "public"})
    page = screen().page
    page.goto(url)
    page.get_by_role("heading", name=ODD).wait_for()
    page.get_by_role("link", name="Sign in").wait_for()


@pytest.mark.long
def test_a_page_that_does_not_come_is_asked_for_more_seldom(screen, base, run):
    """While it stays away nothing is said or moved again, and who is at the button stays there. Then it comes by itself."""
    page = screen().page
    page.clock.install()
    sign_in(page, f"{base}/")
    page.get_by_role("link", name=f"ann/{run.path.split('/')[5]}", exact=True).wait_for()
    tries = []
    page.route(f"**{run.path}", lambda route: tries.append(1) or route.fulfill(status=504, body="<h1>proxy</h1>"))
    page.goto(address(base, run, "runs", "r1"))
    alert = page.get_by_role("alert").filter(has_text="The server answered 504.")
    alert.filter(has_text=re.compile(r"^The server answered 504\. Since \d\d:\d\d:\d\d\. Retrying automatically\.$")).wait_for()
    page.get_by_role("button", name="Try again").focus()
    page.evaluate("""() => {
        globalThis.seen = [];
        const note = (all) => globalThis.seen.push(...all.map((one) => one.type + " " + (one.attributeName || one.target.className)));
        const all = { childList: true, subtree: true, characterData: true, attributes: true };
        for (const node of document.querySelectorAll("main, .top, [role=status]")) new MutationObserver(note).observe(node, all);
    }""")
    answered = len(tries)
    for ms in (5000, 10000):
        with page.expect_response(f"**{run.path}"):
            page.clock.run_for(ms)
        page.evaluate("fetch('/healthz').then((answer) => answer.text())")
    assert len(tries) == answered + 2
    page.clock.run_for(15000)  # now it waits longer
    page.evaluate("fetch('/healthz').then((answer) => answer.text())")
    assert len(tries) == answered + 2 and page.evaluate("globalThis.seen") == []
    assert page.evaluate("document.activeElement.textContent") == "Try again"
    page.unroute(f"**{run.path}")
    page.clock.run_for(5000)
    page.get_by_role("heading", name=ODD).wait_for()


@pytest.mark.long
def test_what_failed_and_the_id_of_its_request(screen, base, run):
    """Of a whole page, and of a list that was never read."""
    page = screen().page
    sign_in(page, f"{base}/")
    page.get_by_role("heading", name="Projects").wait_for()
    refused = {"status": 409, "detail": "This was not read.", "request_id": "0123abcd"}
    for path, to in ((run.path, address(base, run, "runs", "r1")), (f"{run.path.rsplit('/', 1)[0]}?*", address(base, run))):
        page.route(f"**{path}", lambda route: route.fulfill(status=409, content_type="application/problem+json", body=json.dumps(refused)))
        page.goto(to)
        page.locator("main").get_by_text(re.compile(r"This was not read\. Since \d\d:\d\d:\d\d\. 0123abcd")).first.wait_for()
        page.get_by_role("button", name="Copy the id of the request").first.click()
        page.get_by_text("Copied").or_(page.get_by_text("Selected: copy it")).first.wait_for()


@pytest.mark.long
def test_filters_and_pages_of_runs(screen, base, run, wait_for):
    home = run.path.rsplit("/", 2)[0]
    run.api.put(f"{home}/runs/astray", {"config": {"text": "a" * 3000 + "!"}})
    for number in range(204):
        Run(run.api, f"n{number}", home)
    wait_for(lambda: run.api.get(f"{home}/runs", count="true").json["count"] == 206, what="runs that can be found")
    page = screen().page
    sign_in(page, address(base, run))
    page.get_by_role("heading", name="Runs 206").wait_for()
    page.get_by_role("grid").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    page.get_by_role("link", name=ODD).wait_for()
    page.get_by_role("combobox", name="Filter runs").fill("config.lr<1")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Runs 1", exact=True).wait_for()
    assert page.url.endswith("?q=config.lr%3C1") or page.url.endswith("?q=config.lr<1")
    page.get_by_role("combobox", name="Filter runs").fill("state:none-such")
    page.keyboard.press("Enter")
    page.get_by_role("alert").filter(has_text="none-such").wait_for()
    for refused, said in (("config.text:/^(a+)+$/", "a regular expression needs too much backtracking"), ('{"$or": [{"state": {"$near": 1}}]}', "$near"),
                          ("config.text:/(a/", "invalid regular expression")):
        page.goto(f"{address(base, run)}?q={quote(refused)}")
        page.get_by_role("alert").filter(has_text=said).wait_for()
        filter_ = page.get_by_role("combobox", name="Filter runs")
        assert filter_.input_value() == refused and filter_.get_attribute("aria-invalid") == "true"
        page.get_by_role("toolbar", name="Charts").wait_for()
    filter_.fill("config.lr<1")
    page.get_by_role("heading", name="Runs 1", exact=True).wait_for()


def test_what_is_not_there(screen, base, run, api):
    """For a browser the page, for programs JSON."""
    page = screen().page
    sign_in(page, address(base, run, "runs", "none"))
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    page.goto(address(base, run, "nothing"))
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    plain = api.request("GET", f"/ann/{run.path.split('/')[5]}/runs/r1")
    assert (plain.status, plain.problem) == (404, "not-found")
    for path in "/api/none", "/sdk/x", "/graphql/x", "/static/x", "/files/x":
        assert api.request("GET", path, headers={"Accept": "text/html"}).status == 404, path


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(screen, base, run, scheme, size):
    one = screen(color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    sign_in(page, f"{base}/")
    page.get_by_role("heading", name="Projects").wait_for()
    one.complaints.clear()
    for url in f"{base}/", address(base, run), address(base, run, "runs", "r1"):
        page.goto(url)
        page.get_by_role("heading", level=1).wait_for()
        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), url
    assert not one.complaints
