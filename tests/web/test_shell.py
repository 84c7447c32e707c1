"""The frame of the page: going about without loading anew, themes, the box that finds, keys, live events."""
import re

import pytest

from browsing import SIZES, WIDE_LOOK, faults_of, sign_in, sign_in_here, sign_out
from runs import Run
from uploads import put


# Keeps how far the list is scrolled at the moment of a click.
KEEP_PLACE = """() => addEventListener('click', () => {
    window.place = document.querySelector('[data-scroll]').scrollTop;
}, { capture: true, once: true })"""


@pytest.fixture
def run(api, request, wait_for):
    """One that is found by its name, in a project of its own."""
    home = f"/api/v1/projects/ann/{request.node.name.partition('[')[0].replace('_', '-')}"
    made = Run(api, "r1", home)
    made.home, made.project = home, home.rpartition("/")[2]
    api.patch(made.path, {"display_name": "mossy orchard"})
    made.writer = made.join("rank0")
    made.writer.send(history=[{"loss": 0.5}])
    wait_for(lambda: api.get(f"{home}/runs", filter="mossy", count="true").json["count"] == 1, what="a run that is found")
    return made


@pytest.fixture
def signed_in(screen, base):
    """signed_in(path, **options): a Screen at the path."""
    def come(path="/", at=base, **options):
        one = screen(**options)
        page = one.page
        sign_in(page, f"{at}{path}")
        page.get_by_role("button", name="Account of ann").wait_for()
        page.get_by_role("heading", level=1).filter(has_not_text="Sign in").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return come


def theme_of(page):
    return page.evaluate("document.documentElement.dataset.theme")


def test_going_about(signed_in, base, run, api, wait_for):
    """One document from page to page: the title and the focus go along, back finds the place, new tabs are the browser's."""
    for number in range(60):
        Run(run.api, f"n{number}", run.home)
    wait_for(lambda: api.get(f"{run.home}/runs", count="true").json["count"] == 61, timeout=60, what="61 runs that are found")
    one = signed_in(f"/ann/{run.project}/workspace?cols=state", viewport={"width": 1000, "height": 500})
    page = one.page
    page.evaluate("window.mark = 1")
    page.get_by_role("heading", name="Runs 61").wait_for()
    assert page.url == f"{base}/ann/{run.project}?cols=state", "what habit typed is not what one sends on"
    page.get_by_role("grid").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    page.get_by_role("link", name="mossy orchard").wait_for()
    page.evaluate(KEEP_PLACE)  # a click scrolls to what is not whole in view, as when the foot of the list came late
    page.get_by_role("link", name="mossy orchard").click()
    page.get_by_role("heading", name="mossy orchard").wait_for()
    assert page.title() == "mossy orchard · Cairn" and page.evaluate("document.activeElement.tagName") == "H1"
    assert page.get_by_role("status").filter(has_text="mossy orchard").count() == 1
    assert page.get_by_role("navigation", name="Breadcrumb").inner_text().split("\n") == [
        "ann", "/", run.project, "/", "mossy orchard"]
    page.go_back()
    page.get_by_role("heading", name="Runs").wait_for()
    place = page.evaluate("window.place")
    assert place > 0
    wait_for(lambda: page.evaluate(f"Math.abs(document.querySelector('[data-scroll]').scrollTop - {place}) < 2"),
             what="the place")
    page.go_forward()
    page.get_by_role("heading", name="mossy orchard").wait_for()
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    page.go_back()
    page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("button", name="Account of ann").click()
    page.get_by_role("menu").wait_for()
    page.go_back()
    page.get_by_role("menu").wait_for(state="detached")
    page.wait_for_url(f"{base}/ann/{run.project}/runs/*")
    page.get_by_role("heading", name="mossy orchard").wait_for()
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="ann", exact=True).click()
    page.wait_for_url(f"{base}/ann")
    page.get_by_role("heading", name="ann").wait_for()
    assert page.evaluate("window.mark") == 1
    with one.context.expect_page() as opened:
        page.get_by_role("link", name=f"ann/{run.project}").click(modifiers=["Control"])
    opened.value.get_by_role("heading", name="Runs").wait_for()
    assert page.url == f"{base}/ann" and not one.complaints


def test_what_is_not_there_keeps_the_frame(signed_in, run):
    page = signed_in(f"/ann/{run.project}/none-such").page
    page.get_by_role("heading", name="Not found").wait_for()
    page.get_by_role("link", name="All projects", exact=True).click()
    page.get_by_role("heading", name="Projects").wait_for()


@pytest.mark.long
def test_a_page_that_comes_late_says_nothing(signed_in, run, wait_for):
    """Who has gone on meanwhile sees the title and the trail of where they are."""
    one = signed_in(f"/ann/{run.project}")
    page, held, came = one.page, [], []
    parts = "writers", "states", "config", "summary", "conflicts", "alerts", "files"
    page.route("**/runs/r1", lambda route: held.append(route))
    page.get_by_role("link", name="mossy orchard").click()
    wait_for(lambda: page.title() and held, what="the run to be asked for")
    page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="ann", exact=True).click()
    page.get_by_role("heading", name="ann").wait_for()
    page.on("requestfinished", lambda request: came.append(request.url))
    held[0].continue_()
    wait_for(lambda: page.title() and all(any(f"/runs/r1/{part}" in url for url in came) for part in parts), what="all of the run")
    assert page.title() == "ann · Cairn" and not one.complaints
    assert page.get_by_role("navigation", name="Breadcrumb").inner_text() == "ann"


@pytest.mark.long
def test_the_frame_stands_before_its_list(signed_in, run):
    """With grey rows, until the list comes, or what failed; who goes on meanwhile hears nothing of either."""
    one = signed_in("/ann")
    page, held = one.page, []

    def waiting():
        page.get_by_role("link", name=f"ann/{run.project}").click()
        page.locator(".run-list .bone").first.wait_for()
        page.get_by_role("heading", name="Runs", exact=True).wait_for()
        page.locator(".chart-bar").wait_for()
        assert faults_of(page) == []
        now = list(held)
        held.clear()
        return now

    def back():
        page.get_by_role("navigation", name="Breadcrumb").get_by_role("link", name="ann", exact=True).click()
        page.get_by_role("heading", name="ann").wait_for()
    page.route(re.compile(r"/runs\?"), lambda route: held.append(route))
    for route in waiting():
        route.continue_()
    page.get_by_role("link", name="mossy orchard").wait_for()
    assert page.locator(".bone").count() == 0 and page.locator(".runs-foot").get_by_text("of 1").count() == 1
    back()
    left = waiting()
    back()
    for route in left:
        route.continue_()
    for route in waiting():
        route.fulfill(status=404, json={"kind": "not-found"})
    page.get_by_role("heading", name="Not found").wait_for()
    assert page.title() == "Not found · Cairn" and page.locator(".run-list").count() == 0
    assert [said for said in one.complaints if "404" not in said] == []


def test_themes(signed_in, wait_for):
    """As the system has it until one chooses; kept, and seen in other tabs at once."""
    one = signed_in("/", color_scheme="dark")
    page = one.page
    assert theme_of(page) == "dark"
    page.emulate_media(color_scheme="light")
    wait_for(lambda: page.evaluate("document.documentElement.dataset.theme === 'light'"), what="the page")
    page.get_by_role("button", name="Theme").click()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    wait_for(lambda: page.evaluate("document.documentElement.dataset.theme === 'dark'"), what="the page")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Theme"
    page.reload()
    assert theme_of(page) == "dark"
    other = one.context.new_page()
    other.goto(page.url)
    other.keyboard.press("t")
    wait_for(lambda: page.evaluate("document.documentElement.dataset.theme === 'light'"), what="the page")
    page.get_by_role("button", name="Theme").click()
    assert page.get_by_role("menuitemradio", checked=True).inner_text() == "Light"
    page.keyboard.press("Escape")
    assert page.get_by_role("menu").count() == 0


@pytest.mark.long
def test_finding_by_keyboard(signed_in, base, run, wait_for):
    """Ctrl K: a run by its name, a project by some letters, a page, an action, a metric, a label."""
    run.join("rank1", "worker")
    wait_for(lambda: [key["key"] for key in run.api.get(f"{run.home}/keys").json["items"]] == ["loss"], what="a metric that is found")
    page = signed_in(f"/ann/{run.project}").page

    def find(typed, name):
        page.keyboard.press("Control+k")
        page.get_by_role("dialog").get_by_role("combobox").fill(typed)
        page.get_by_role("option", name=name, selected=True).wait_for()
        page.keyboard.press("Enter")

    find("orchard", "mossy orchard")
    page.wait_for_url(f"{base}/ann/{run.project}/runs/r1")
    page.get_by_role("heading", name="mossy orchard").wait_for()
    find("rank1", "rank1")
    page.wait_for_url(f"{base}/ann/{run.project}/runs/r1/logs?label=rank1")
    find("workspa", "Workspace")
    page.wait_for_url(f"{base}/ann/{run.project}")
    find("loss", "loss")
    page.wait_for_url(f"{base}/ann/{run.project}?panel=loss")
    page.get_by_role("dialog", name="Full screen").get_by_role("article", name="Chart of loss").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url(f"{base}/ann/{run.project}")
    find("copy the l", "Copy the link")
    page.get_by_role("dialog").get_by_role("textbox").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("y")
    assert page.get_by_role("dialog").get_by_role("textbox").input_value() == f"{base}/ann/{run.project}"
    page.keyboard.press("Escape")
    find("account", "Profile")
    page.wait_for_url(f"{base}/settings/profile")
    find("keys", "Keys")
    page.wait_for_url(f"{base}/settings/keys")
    find("toggle th", "Toggle theme")
    wait_for(lambda: page.evaluate("document.documentElement.dataset.theme === 'dark'"), what="the page")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill('"nothing \\ has this')
    page.get_by_text("Nothing found.").wait_for()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    find(f"ann/{run.project[:8]}", f"ann/{run.project}")
    page.wait_for_url(f"{base}/ann/{run.project}")


def test_enter_waits_for_what_is_found(signed_in, base, run):
    """Who types and presses Enter at once goes where all of the words lead."""
    page = signed_in(f"/ann/{run.project}").page
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("option", selected=True).wait_for()
    page.get_by_role("dialog").get_by_role("combobox").fill("orchard")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{base}/ann/{run.project}/runs/r1")
    page.get_by_role("heading", name="mossy orchard").wait_for()


@pytest.mark.long
def test_what_is_loaded_when_it_is_used(signed_in, run):
    """Keys pressed while a part of the page comes are for it; one that does not come is told, and asked for again."""
    one = signed_in(f"/ann/{run.project}/runs/r1")
    page = one.page
    held = []
    page.route("**/actions*.js", lambda route: held.append(route))
    with page.expect_request("**/actions*.js"):
        page.get_by_role("heading", name="mossy orchard").get_by_role("button").click()
    page.keyboard.type("birch 7")
    page.keyboard.press("Enter")
    assert page.get_by_role("dialog").count() == 0
    held[0].continue_()
    page.get_by_role("heading", name="birch 7").wait_for()
    assert page.get_by_role("dialog").count() == 0 and not one.complaints
    page.route("**/jump*.js", lambda route: route.abort())
    page.keyboard.press("Control+k")
    lost = page.get_by_role("status").filter(has_text="This part of the page could not be loaded.")
    lost.wait_for()
    page.unroute("**/jump*.js")
    lost.get_by_role("button", name="Try again").click()
    page.get_by_role("dialog").get_by_role("combobox").wait_for()


def test_the_next_user_finds_nothing_of_the_last(signed_in, run):
    page = signed_in(f"/ann/{run.project}").page
    project = page.get_by_role("dialog").get_by_role("option", name=f"ann/{run.project}")
    page.keyboard.press("Control+k")
    project.wait_for()
    page.keyboard.press("Escape")
    sign_out(page)
    sign_in_here(page, "bob")
    page.get_by_role("button", name="Account of bob").wait_for()
    page.get_by_role("heading", name="Not found").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("dialog").get_by_role("combobox").fill(run.project)
    page.get_by_text("Nothing found.").wait_for()
    assert project.count() == 0


def test_no_other_host_is_asked(signed_in, run):
    """Whatever a script tried: the browser refuses what the policy does not name."""
    one = signed_in(f"/ann/{run.project}")
    asked = """async (tries) => {
        const refused = [];
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.push(effectiveDirective));
        const image = document.createElement('img');
        image.src = 'http://elsewhere.test/a.png';
        document.head.append(Object.assign(document.createElement('script'), { src: 'http://elsewhere.test/a.js' }), image,
            Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = true' }));
        await fetch('http://elsewhere.test/').catch(() => {});
        while (refused.length < 4) await new Promise(requestAnimationFrame);
        return [refused.sort(), globalThis.ran];
    }"""
    assert one.page.evaluate(asked) == [["connect-src", "img-src", "script-src-elem", "script-src-elem"], None]


@pytest.mark.long
def test_the_map_of_keys(signed_in, run, base):
    page = signed_in(f"/ann/{run.project}/runs/r1").page
    page.keyboard.press("?")
    box = page.get_by_role("dialog", name="Keyboard shortcuts")
    assert "Toggle theme" in box.inner_text()
    assert faults_of(page) == []
    box.get_by_role("switch", name="Single keys").click()
    page.keyboard.press("Escape")
    before = theme_of(page)
    page.keyboard.press("t")
    page.keyboard.press("?")
    assert theme_of(page) == before and page.get_by_role("dialog").count() == 0
    page.get_by_role("button", name="Account of ann").click()
    page.get_by_role("menuitem", name="Keyboard shortcuts").click()
    page.get_by_role("switch", name="Single keys").click()
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("w")
    page.wait_for_url(f"{base}/ann/{run.project}")


SEARCH = {"overview": "Search config", "charts": "Panels (regex)", "writers": "Label, host, state", "logs": "Find in lines", "system": "Metrics (regex)",
          "files": "Find files"}


@pytest.mark.long
def test_the_key_that_searches(signed_in, run, api, wait_for):
    """On each tab of a run; where there is nothing to search in, the map has no such key."""
    run.writer.send(events=[{"cpu": 12.5}], config={"lr": 0.1})
    put(run, "notes.txt", b"words")
    page = signed_in(f"/ann/{run.project}/runs/r1").page
    for number, (tab, label) in enumerate(SEARCH.items(), 1):
        page.keyboard.press(str(number))
        page.get_by_role("navigation", name="Parts of the run").locator(f"a[href$='{tab}'][aria-current]").wait_for()
        field = page.locator("main label.field").filter(has_text=label)
        field.first.wait_for()
        page.keyboard.press("/")
        wait_for(lambda field=field: field.first.locator("input").evaluate("(node) => node === document.activeElement"), timeout=30,
                 what=f"the focus in the search of {tab}")
        page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard shortcuts").get_by_text("Search or filter of the page").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("7")
    page.get_by_role("region", name="Silence").wait_for()
    page.keyboard.press("?")
    box = page.get_by_role("dialog", name="Keyboard shortcuts")
    assert "Toggle theme" in box.inner_text() and "Search or filter" not in box.inner_text()


FOLLOW = """async ([project, run]) => {
    const folder = document.querySelector('script[type=module]').src.replace(/main.js$/, '');
    const live = await import(folder + 'live.js');
    window.seen = [];
    window.stops = ['rows', 'state'].map((stream) =>
        live.follow({entity: 'ann', project, run, streams: [stream]}, (event) => window.seen.push([stream, event.type])));
}"""


@pytest.mark.long
def test_live_events(signed_in, plain_base, run, wait_for):
    """Two followers share a stream, each is told what it asked for; the header says so while it lasts."""
    one = signed_in("/", at=plain_base)
    page = one.page
    assert page.locator(".live").is_hidden()
    page.evaluate(FOLLOW, [run.project, "r1"])
    page.locator(".live", has_text="Live").wait_for()
    wait_for(lambda: page.evaluate("window.seen.filter(([, type]) => type === 'open').length >= 2"), what="the page")
    run.writer.send(history=[{"loss": 0.25}])
    has = "window.seen.some(([stream, type]) => stream === '%s' && type === '%s')"
    wait_for(lambda: page.evaluate(has % ("rows", "rows")), what="rows")
    run.writer.finish()
    wait_for(lambda: page.evaluate(has % ("state", "state")), what="the state")
    assert not page.evaluate(has % ("state", "rows"))
    page.evaluate("window.stops.forEach((stop) => stop())")
    page.locator(".live").wait_for(state="hidden")
    assert not one.complaints


NO_DATES = """() => {
    const get = Headers.prototype.get;
    Headers.prototype.get = function (name) {
        return name === 'Date' ? null : get.call(this, name);
    };
}"""


@pytest.mark.long
def test_ages_count_by_themselves(signed_in, run):
    """By the server's clock: a machine whose own is wrong by hours shows no other age."""
    one = signed_in("/")
    page = one.page
    page.clock.install(time=page.evaluate("Date.now()") + 7200_000)
    page.goto(page.url + f"ann/{run.project}")
    page.get_by_role("heading", name="Runs").wait_for()
    age = page.locator("time").first
    assert age.inner_text().endswith((" s", "1 min"))
    page.evaluate(NO_DATES)  # an answer would set the clock right, also one that was asked for before
    page.clock.run_for(150_000)
    assert age.inner_text() in ("2 min", "3 min")


@pytest.mark.parametrize("size, scheme", WIDE_LOOK)
def test_for_everybody(signed_in, run, scheme, size):
    """The box that finds, and both menus."""
    one = signed_in(f"/ann/{run.project}", color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    page.get_by_role("button", name="Search or jump").click()
    page.get_by_role("dialog").get_by_role("option").first.wait_for()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    for name in "Account of ann", "Theme":
        page.get_by_role("button", name=name).click()
        page.get_by_role("menu").wait_for()
        assert faults_of(page) == []
        page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth") and not one.complaints
