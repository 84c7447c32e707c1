"""A project in which every name that somebody can give is hostile: on each page they are text, and nothing of the page moves."""
import urllib.parse

import pytest

from browsing import SIZES, faults_of, shown, sign_in
from rest import Api
from runs import Run
from uploads import put

SCRIPT = "<script>alert(1)</script>"
EVIL = "\"><img src=x onerror=alert(1)>{{7*7}}${7*7}\u202e\u05d0\u05d1\U0001f9ea\U0001f468\u200d\U0001f469\u200d\U0001f467"
LONG = "w" * 300


def cut(words, size):
    """Its first bytes, no character torn."""
    return words.encode()[:size].decode(errors="ignore")


PROJECT = f"{EVIL} {LONG}"
# The id of a run has no controls of bidirectional text.
FIRST, SECOND = f"{EVIL} {LONG}".replace("\u202e", ""), "\U0001f9ea"
HOME = f"/api/v1/projects/ann/{urllib.parse.quote(PROJECT, safe='')}"
GROUP = cut(EVIL + LONG, 100)
NAMES = {FIRST: cut(EVIL + SCRIPT + LONG, 220), SECOND: "\u202eeman a"}
BAD_LINKS = """() => [...document.querySelectorAll('a[href]')].map((one) => one.protocol).filter((one) => !/^https?:$/.test(one))"""
# Names with characters that are not shown; lines of a console and notes are as they were written.
UNSEEN = """() => {
    const odd = /[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]/;
    const found = [];
    for (const one of document.querySelectorAll('body *')) {
        if (one.closest('script, .log-x, .lines, .notes')) continue;
        const said = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data);
        said.push(...['title', 'alt', 'placeholder', 'aria-label'].map((name) => one.getAttribute(name) ?? ''));
        if (said.some((text) => odd.test(text))) found.push(one.outerHTML.slice(0, 200));
    }
    return odd.test(document.title) ? [document.title, ...found] : found;
}"""
OUTSIDE = """() => [...document.querySelectorAll('.top *, .run-head *, main h1, main h2, .card > header *')].filter((one) => {
    const place = one.getBoundingClientRect();
    const clips = (node) => node && (getComputedStyle(node).overflowX !== 'visible' || clips(node.parentElement));
    return place.width && place.right > innerWidth + 1 && !clips(one.parentElement);
}).map((one) => one.outerHTML.slice(0, 200))"""


def fill(run, number):
    run.api.patch(run.path, {"display_name": NAMES[run.name], "group": GROUP, "job_type": cut(EVIL, 60),
                             "notes": f"{SCRIPT}\n\n[x](javascript:alert(1)) {LONG}", "tags": [cut(EVIL, 40), "w" * 64, SCRIPT]})
    writer = run.join("c1", label=cut(EVIL + LONG, 80), host=cut(EVIL + LONG, 150))
    writer.send(history=[{EVIL: number + step, f"{EVIL}/{LONG}": step, SCRIPT: 1, "_step": step} for step in range(3)],
                config={EVIL: f"{SCRIPT}{LONG}", LONG: {EVIL: [number, SCRIPT]}, "plain": f"{EVIL}{number}"}, summary={SCRIPT: EVIL},
                events=[{EVIL: 1.0, "cpu": 3}, {EVIL: 2.0, "cpu": 4}],
                console=[{"line": 0, "text": f"{SCRIPT} {EVIL}"}, {"line": 1, "stream": "stderr", "text": LONG * 10}])
    put(run, urllib.parse.quote(f"{EVIL}/{LONG}.txt", safe=""), SCRIPT.encode())
    run.api.post(f"{run.path}/alerts", {"title": EVIL, "text": f"{SCRIPT} {LONG}", "level": "error"})
    writer.finish(exit_code=1)


@pytest.fixture(scope="module")
def made(shared_place, keys):
    """REST as ann, with the two runs, a view and a key."""
    api = Api(shared_place.server(0), keys["ann"])
    api.put(HOME, {"description": f"{SCRIPT} {EVIL} {LONG}"})
    for number, name in enumerate((FIRST, SECOND)):
        run = Run(api, urllib.parse.quote(name, safe=""), HOME)
        run.name = name
        fill(run, number)
    api.post("/api/v1/viewer/keys", {"name": cut(EVIL, 50), "scope": "read"})
    yield api
    api.close()


def check(one, what):
    page = one.page
    assert page.evaluate(OUTSIDE) == [], what
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), what
    assert page.evaluate(BAD_LINKS) == [], what
    assert page.evaluate(UNSEEN) == [], what
    assert page.locator("main script, main img, main iframe").count() == 0, what
    assert not one.complaints, what


def quoted(*words):
    return "/".join(urllib.parse.quote(word, safe="") for word in words)


def test_nothing_runs_and_nothing_moves(screen, base, made, wait_for):
    """Narrow, with axe, and wide; and links lead to what they name."""
    wait_for(lambda: made.get(f"{HOME}/runs", count="true", filter="has:config.plain").json["count"] == 2, what="two runs that are found")
    view = made.post(f"{HOME}/views", {"kind": "project", "name": cut(EVIL, 100), "state": {"filter": "has:config.plain"}}).json["id"]
    one = screen(viewport=SIZES["narrow"])
    page = one.page
    page.on("dialog", lambda dialog: one.complaints.append(f"a dialog: {dialog.message}"))
    sign_in(page, f"{base}/")
    page.get_by_role("link", name=shown(f"ann/{PROJECT}"), exact=True).wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    check(one, "projects")
    page.get_by_role("link", name=shown(f"ann/{PROJECT}"), exact=True).click()
    page.locator(".virtual a").filter(has_text="eman a").wait_for()
    check(one, "workspace")
    page.locator(".virtual a").filter(has_text="onerror").click()
    page.locator(".run-head").wait_for()
    assert page.title() == f"{shown(NAMES[FIRST])} · Cairn"
    project, run = f"{base}/{quoted('ann', PROJECT)}", quoted("runs", FIRST)
    places = {"": ".virtual a", "/table": ".virtual a", f"/{quoted('groups', GROUP)}": ".group-head",
              f"?view={view}": ".virtual a", f"?group=group,{urllib.parse.quote('config.plain')}": ".group-row, .run-row[aria-expanded]",
              f"?panels={urllib.parse.quote(SCRIPT)}": ".chart-bar", f"?q=%22{urllib.parse.quote(SCRIPT)}%22": ".virtual a",
              f"/compare?runs={quoted(FIRST)},{quoted(SECOND)}": ".compare-row .cell", "/settings": "h1",
              f"/{run}/overview": ".doc", f"/{run}/charts": ".panel canvas", f"/{run}/writers": ".writers-table", f"/{run}/logs": ".log",
              f"/{run}/system": ".panel", f"/{run}/files?file={urllib.parse.quote(f'{EVIL}/{LONG}.txt')}": ".file-title"}
    everywhere = {f"{base}/settings/keys": "td", f"{base}/ann": "h1", **{f"{project}{path}": seen for path, seen in places.items()}}
    for path, seen in everywhere.items():
        what = urllib.parse.unquote(path)[-60:]
        page.goto(path)
        page.locator(seen).first.wait_for(state="attached")
        check(one, f"narrow {what}")
        assert faults_of(page) == [], what
        page.set_viewport_size(SIZES["wide"])
        page.locator(seen).first.wait_for()
        check(one, f"wide {what}")
        page.set_viewport_size(SIZES["narrow"])
