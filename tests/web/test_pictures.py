"""Every page and tab as people see them, light and dark, wide and narrow; of the main ones pictures, in the folder `pictures` of
the build."""
import os
import pathlib
import re
import urllib.parse

import pytest
from playwright.sync_api import Error as PlaywrightError

from asked_way import AskedWay
from browsing import SIZES, faults_of, set_password, sign_in
from cluster import wait_until
from longer import faults_of_longer_words
from rest import Api
from screen import HOST
from show_artifacts import make_artifacts
from showcase import HOME, make_project

FOLDER = pathlib.Path(os.environ.get("CAIRN_BUILD", "build/dev")) / "pictures"

JS = pathlib.Path(__file__).resolve().parents[2] / "web-static/js"
RANKS = "/ann/tiny-lm/runs/ranks"

# name, as main.js has it, or a tab of a run: where it is; what is there when it is drawn
MAIN = {
    "workspace": ("/ann/tiny-lm", ".panel canvas, .virtual a"),
    "table": ("/ann/tiny-lm/table", ".virtual a"),
    "overview": (f"{RANKS}/overview", "h1"),
    "charts": (f"{RANKS}/charts", ".panel canvas"),
    "writers": (f"{RANKS}/writers", "canvas"),
    "logs": (f"{RANKS}/logs", ".log"),
    "system": (f"{RANKS}/system", "canvas"),
    "compare": ("/ann/tiny-lm/compare?runs=t00,t01,t02,t03", ".compare-page h1"),
    "settings": ("/ann/tiny-lm/settings", "h1"),
}
OTHERS = {
    "sweeps": ("/ann/tiny-lm/sweeps", "h1"),
    "artifacts": ("/ann/tiny-lm/artifacts/model/tiny-lm/v1", "h1"),
    "files": (f"{RANKS}/files", ".run-page"),
    "run-settings": (f"{RANKS}/settings", ".run-page"),
    "group": ("/ann/tiny-lm/groups/lr%20sweep", ".group-head"),
    "projects": ("/", "h1"),
    "keys": ("/authorize", "h1"),
    "settings-keys": ("/settings/keys", "td"),
    "settings-profile": ("/settings/profile", "h1"),
    "none": ("/ann/tiny-lm/runs/none-such", "h1"),
}
OF_ADMINS = {
    "entity-settings-members": ("/lab/settings/members", "td"),
    "admin-users": ("/admin/users", "td"),
    "admin-teams": ("/admin/teams", "td"),
    "admin-server": ("/admin/server", "h1"),
    "admin-audit": ("/admin/audit", "h1"),
}
# In which of the four what is not a main page is walked, too, and held against axe: there are no pictures of it. Main pages have
# tests of their own with axe. The others are walked for pictures.
ALL_OF_IT = [("light", "wide"), ("dark", "narrow")]
FOR_PICTURES = [pytest.param(*look, marks=pytest.mark.pictures) for look in (("light", "narrow"), ("dark", "wide"))]


def test_no_page_is_left_out():
    """Of those that the frame and a run have; a link that can be used once is in test_people.py."""
    pages = re.findall(r"^\t'?([a-z-]+)'?: \[\(\) => import", (JS / "main.js").read_text(), re.M)
    tabs = re.findall(r"^\t{ id: '([a-z]+)'", (JS / "pages/run.js").read_text(), re.M)
    walked = MAIN | OTHERS | OF_ADMINS
    of_run = {name for name, (path, _) in walked.items() if path.startswith(RANKS)}
    assert set(tabs) == {walked[name][0].removeprefix(f"{RANKS}/") for name in of_run} and len(tabs) > 5
    assert set(pages) - {"run", "link"} == set(walked) - of_run - {"group", "none"}


@pytest.fixture(scope="module")
def project(shared_place, keys, secret_file, tmp_path_factory):
    for user in "ann", "root":
        set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"), user)
    api = Api(shared_place.server(0), keys["ann"])
    make_project(api)
    yield api
    api.close()


@pytest.fixture
def counted(project, wait_for):
    wait_for(lambda: project.get(f"{HOME}/runs", filter="has:summary.train/loss", count="true", limit=1).json["count"] == 13,
             timeout=60, what="13 runs that are found")


def settle(one):
    """What is asked for came, and nothing more is asked for."""
    def asked():
        before = len(one.asked)
        one.page.evaluate("new Promise((done) => setTimeout(done, 300))")
        return len(one.asked) == before
    wait_until(asked, what="a page that stands")


@pytest.fixture
def come(screen, server, scheme, size):
    """come(user): a Screen of somebody who signed in where all projects are."""
    def at(user, **options):
        one = screen(color_scheme=scheme, viewport=SIZES[size], reduced_motion="reduce", **options)
        one.base = f"http://{HOST}:{server.port}"
        sign_in(one.page, f"{one.base}/", user)
        one.page.get_by_role("button", name=f"Account of {user}").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def walk(one, pages, has_axe=False, left_out=()):
    """Gives the name of each when it stands: nothing is wider than the page, and no host but ours is asked."""
    for name, (path, drawn) in pages.items():
        one.page.goto(one.base + path)
        one.page.locator(drawn).first.wait_for(state="attached")
        settle(one)
        assert one.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert not has_axe or faults_of(one.page, left_out) == [], name
        yield name
    hosts = {urllib.parse.urlsplit(url).netloc for url in one.asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {urllib.parse.urlsplit(one.base).netloc}


@pytest.fixture
def way():
    made = AskedWay()
    yield made
    made.stop()


# Whether all of it is in one row, and how wide what stands in its empty field is.
BAR = """() => {
    const bar = document.querySelector('.charts > .chart-bar');
    const places = [...bar.children].filter((node) => !node.hidden).map((node) => node.getBoundingClientRect());
    const isOneRow = Math.max(...places.map(({ top }) => top)) < Math.min(...places.map(({ bottom }) => bottom));
    const input = bar.querySelector('input[type=search]');
    const words = document.createElement('span');
    words.style.cssText = `position: fixed; white-space: pre; font: ${getComputedStyle(input).font}`;
    words.textContent = input.placeholder;
    bar.append(words);
    const { width } = words.getBoundingClientRect();
    words.remove();
    return [isOneRow, width];
}"""


def room_in_field(page):
    """For what stands there while it is empty: a browser keeps some of the field for what empties it."""
    cdp = page.context.new_cdp_session(page)
    root = cdp.send("DOM.getDocument")["root"]["nodeId"]
    field = cdp.send("DOM.querySelector", {"nodeId": root, "selector": ".charts > .chart-bar input[type=search]"})["nodeId"]
    shadow, = cdp.send("DOM.describeNode", {"nodeId": field, "depth": -1, "pierce": True})["node"]["shadowRoots"]
    words, = [node for node in shadow["children"] if "-webkit-input-placeholder" in node["attributes"]]
    return cdp.send("DOM.getBoxModel", {"backendNodeId": words["backendNodeId"]})["model"]["width"]


# Of links in a sentence or a table the line is as high as it is; what is grown by ::after is as large as that.
SMALL_TARGETS = """() => {
    const sizeOf = (node) => {
        const box = node.getBoundingClientRect();
        const after = getComputedStyle(node, '::after');
        const more = after.position === 'absolute' ? [parseFloat(after.width) || 0, parseFloat(after.height) || 0] : [0, 0];
        return [Math.max(box.width, more[0]), Math.max(box.height, more[1])];
    };
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest('.skip, .sr');
    const isInText = (node) => node.matches('a') && getComputedStyle(node).display === 'inline' && node.closest('p, dd, li, td, th');
    return [...document.querySelectorAll('a[href], button, summary, select, textarea, input:not([type=hidden])')]
        .filter((node) => isSeen(node) && !isInText(node))
        .filter((node) => sizeOf(node.matches('input, select') ? node.closest('label, .field, .choice') || node : node).some((px) => px < 43.5))
        .map((node) => `${node.className} ${node.getAttribute('aria-label') || node.textContent} ${sizeOf(node)}`);
}"""
# A first column that stays where it is while what is beside it scrolls.
COLUMN_MOVED = """(wrap) => {
    const first = wrap.querySelector('tbody tr > :first-child');
    const before = first.getBoundingClientRect().left;
    wrap.scrollLeft = 60;
    return [wrap.scrollLeft, Math.abs(first.getBoundingClientRect().left - before)];
}"""
# Whether an edge tells that it goes on, at its beginning and at its end; the edge is no part of what it cuts.
EDGES = """async (wrap) => {
    const isSeen = async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        const { borderRightColor, borderRightWidth, backgroundImage } = getComputedStyle(wrap);
        return parseFloat(borderRightWidth) > 0 && backgroundImage === 'none' && !/, 0\\)$|^transparent$/.test(borderRightColor);
    };
    wrap.scrollLeft = 0;
    const first = await isSeen();
    wrap.scrollLeft = wrap.scrollWidth;
    return [first, await isSeen()];
}"""


class Fingers:
    """On a narrow screen all that is aimed at is 44 px, and tables keep their first column."""

    def __init__(self):
        self.moved, self.edges = {}, {}

    def look(self, page, name):
        assert page.evaluate(SMALL_TARGETS) == [], name
        for wrap in page.locator(".table-wrap:has(.table:not(.doc)), .scroll:has(> .list)").all():
            of = name, wrap.get_attribute("aria-label")
            self.moved[of], self.edges[of] = wrap.evaluate(COLUMN_MOVED), wrap.evaluate(EDGES)
            wrap.evaluate("(wrap) => { wrap.scrollLeft = 0; }")

    def check(self):
        scrolled = {name for (name, _), (left, _) in self.moved.items() if left}
        assert {"overview", "projects", "settings-keys"} <= scrolled, self.moved
        assert all(by < 1 for _, by in self.moved.values()), self.moved
        assert self.edges == {of: [left > 0, False] for of, (left, _) in self.moved.items()}


@pytest.mark.long
@pytest.mark.parametrize("scheme, size", [*ALL_OF_IT, *FOR_PICTURES])
def test_pages(come, counted, server, way, scheme, size):
    """
    Each shows what it is for, nothing scrolls sideways, and nobody complains. No other host is asked, whoever of the browser
    asks: of one walk all goes by a proxy that notes it. Where all that is said is longer by 40 % it fits, too. Fingers hit
    what they aim at.
    """
    FOLDER.mkdir(exist_ok=True)
    proxied = {"proxy": {"server": f"http://127.0.0.1:{way.port}"}} if (scheme, size) == ("light", "wide") else {}
    one = come("ann", **proxied)
    fingers = Fingers()
    for name in walk(one, MAIN):
        one.page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png")
        if name == "workspace" and size == "wide":
            is_one_row, words = one.page.evaluate(BAR)
            assert is_one_row and words <= room_in_field(one.page)
        if size == "narrow":
            fingers.look(one.page, name)
        assert faults_of_longer_words(one.page) == [], name
    assert not one.complaints
    if (scheme, size) not in ALL_OF_IT:
        return
    for name in walk(one, OTHERS, has_axe=True):
        if size == "narrow" and name != "none":
            fingers.look(one.page, name)
    if size == "narrow":
        fingers.check()
    assert all("404" in words for words in one.complaints)  # of the run that is not there
    assert way.hosts == ({f"{HOST}:{server.port}"} if proxied else set())
    if proxied:
        with pytest.raises(PlaywrightError, match="EMPTY_RESPONSE"):
            one.page.goto("http://elsewhere.test/")
        assert "elsewhere.test" in way.hosts
    admin = come("root")
    list(walk(admin, OF_ADMINS, has_axe=True))
    assert not admin.complaints


ARTIFACTS = {
    "artifact-collection": ("/ann/digit-nets/artifacts/model/digit-net", "tbody a"),
    "artifact-lineage": ("/ann/digit-nets/artifacts/model/digit-net/production/lineage", ".lineage-node"),
    "artifact-table": ("/ann/digit-nets/artifacts/evaluation/predictions/v0/files?file=predictions.table.json", ".table-line img"),
}


@pytest.mark.pictures
@pytest.mark.parametrize("scheme, size", [("light", "wide"), ("dark", "wide")])
def test_artifacts(come, project, scheme, size):
    """Pictures of a collection, of the lineage of a version, and of a table of images."""
    FOLDER.mkdir(exist_ok=True)
    if project.request("GET", "/api/v1/projects/ann/digit-nets").status == 404:
        make_artifacts(project)
    one = come("ann")
    for name in walk(one, ARTIFACTS, has_axe=True):
        if name == "artifact-lineage":
            one.page.get_by_role("button", name="Fit").click()
        one.page.wait_for_function("() => [...document.images].every((image) => image.complete && image.naturalWidth > 0)")
        one.page.screenshot(path=FOLDER / f"{name}-{size}-{scheme}.png")
    assert not one.complaints


LOW = [{"width": 320, "height": 256}, {"width": 844, "height": 390}]  # zoomed to 400 %, and a phone on its side
# what it is for, and the least that is seen of it at once
ROOMS = {
    "workspace": (".run-list", ".virtual a"),
    "table": (".run-list", ".virtual a"),
    "overview": (".run-page > .scroll", ".card"),
    "charts": (".charts > .scroll", ".panel canvas"),
    "writers": (".run-page > .scroll", "canvas"),
    "logs": (".log-list", ".log"),
    "system": (".run-page .scroll:has(canvas)", "canvas"),
    "files": (".file-tree", None),
    "run-settings": (".cards", ".card"),
    "compare": (".compare-table", ".compare-row"),
}
IN_VIEW = """(node) => {
    node.scrollIntoView();
    const { top, bottom } = node.getBoundingClientRect();
    return Math.min(bottom, innerHeight) - Math.max(top, 0);
}"""


@pytest.mark.long
@pytest.mark.parametrize("scheme, size", [("light", "wide"), ("dark", "narrow")])
def test_low_screens(come, counted, scheme):
    """Bars scroll away, and there is room for what a page is for; axe finds nothing. Colors are those of the same theme elsewhere, and
    take axe longer than all else."""
    one = come("ann")
    page = one.page
    page.set_viewport_size(LOW[scheme == "dark"])
    pages = {name: place for name, place in (MAIN | OTHERS).items() if name in ROOMS}
    for name in walk(one, pages, has_axe=True, left_out=["color-contrast"]):
        room, drawn = ROOMS[name]
        assert page.locator(room).first.evaluate(IN_VIEW) >= 200, name
        assert not drawn or page.locator(room).first.locator(drawn).first.is_visible(), name
    page.goto(f"{one.base}/ann/tiny-lm")
    page.locator(".mobile-switch").get_by_role("button", name="Charts").click()
    page.locator(".panel canvas").first.wait_for()
    assert page.locator(".charts > .scroll").evaluate(IN_VIEW) >= 200
    assert not one.complaints


CUT = """() => [...document.querySelectorAll('main, main *')]
    .filter((one) => one.scrollHeight > one.clientHeight + 1 && getComputedStyle(one).overflowY !== 'visible').map((one) => one.className)"""


@pytest.mark.long
@pytest.mark.parametrize("scheme, size", [("dark", "wide")])
def test_on_paper(come, counted):
    """It is light, all of it is there, and what leads elsewhere is not; the screen stays as it was."""
    one = come("ann")
    page = one.page
    page.goto(f"{one.base}{RANKS}/overview")
    page.locator(".run-head").wait_for()
    page.evaluate("() => { globalThis.seen = []; addEventListener('theme', () => seen.push(document.documentElement.dataset.theme)); }")
    assert page.pdf().startswith(b"%PDF")
    assert page.evaluate("seen") == ["light", "dark"]
    page.emulate_media(media="print")
    assert not page.get_by_role("banner").is_visible() and page.get_by_role("region", name="Facts", exact=True).is_visible()
    assert page.evaluate(CUT) == []
    page.emulate_media(media="screen")
    for name in walk(one, {name: MAIN[name] for name in ("writers", "compare", "settings")}):
        page.emulate_media(media="print")
        assert not page.get_by_role("banner").is_visible() and page.evaluate(CUT) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        page.emulate_media(media="screen")
    assert not one.complaints
