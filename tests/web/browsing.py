"""What every test of a page does: a password, the form that asks for it, addresses, what axe finds."""
import http.cookies
import importlib.util
import json
import pathlib
import re
import urllib.parse
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe

from server import cairnd_run

PASSWORD = "correct horse battery"
SIZES = {"wide": {"width": 1440, "height": 900}, "narrow": {"width": 390, "height": 844}}
# Each size and each theme: what people cannot use depends on the one or the other.
LOOKS = [("wide", "light"), ("narrow", "dark")]


def long(*values):
    """A case of a parametrized test that a run of the whole suite leaves out."""
    return pytest.param(*values, marks=pytest.mark.long)


# Each page has one look in a run of the whole suite, and both with --long. Both looks have about half of the pages.
WIDE_LOOK, NARROW_LOOK = [LOOKS[0], long(*LOOKS[1])], [long(*LOOKS[0]), LOOKS[1]]


def module_of(path):
    """A module of another suite. Its folder stays out of sys.path: names there are those of other suites, too."""
    place = pathlib.Path(__file__).resolve().parent.parent / path
    spec = importlib.util.spec_from_file_location(place.stem, place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_password(db, secret_file, folder, user="ann"):
    given = folder / "password"
    given.write_text(PASSWORD)
    cairnd_run(db.url, secret_file, "user", "passwd", user, "--password-file", str(given))


def session_cookies(url, name, password):
    """What the server gives a browser that signs in. The host of the URL is this machine."""
    whole = urllib.parse.urlsplit(url)
    asked = urllib.request.Request(f"http://127.0.0.1:{whole.port}/api/v1/session", json.dumps({"name": name, "password": password}).encode(),
                                   {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=120) as answer:
        given = http.cookies.SimpleCookie("; ".join(answer.headers.get_all("Set-Cookie")))
    return [{"name": one.key, "value": one.value, "domain": whole.hostname, "path": one["path"], "httpOnly": True, "sameSite": "Lax"}
            for one in given.values()]


def sign_in(page, url, name="ann", password=PASSWORD):
    """Comes to the URL signed in. A session from the REST API: the form, which is a page more in each test, has tests of its own."""
    page.context.add_cookies(session_cookies(url, name, password))
    page.goto(url)


def sign_in_by_form(page, url, name="ann", password=PASSWORD):
    page.goto(url)
    sign_in_here(page, name, password)


def sign_in_here(page, name="ann", password=PASSWORD):
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def sign_out(page):
    page.get_by_role("button", name="Account of").click()
    page.get_by_role("menuitem", name="Sign out").click()


def address(base, run, *more):
    return "/".join([base, "ann", run.path.split("/")[5], *more])


def goto(page, base, run, tab="overview"):
    """Somebody who is not signed in yet."""
    sign_in(page, address(base, run, "runs", run.name, tab))
    page.locator(".run-head").wait_for()


def region(page, name):
    return page.get_by_role("region", name=name, exact=True).first


def shown(name):
    """The name as the page shows it: with escapes for characters that are not shown, or turn the text around them."""
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]",
                  lambda sign: f"\\u{ord(sign[0]):04x}", name)


AXE = Axe().axe_script
# Of a page with an open dialog or menu only that: the rest stands behind it, and has been looked at before.
RUN_AXE = """async (left_out) => {
    const open = [...document.querySelectorAll('dialog[open], [role=menu]')].filter((part) => part.checkVisibility()).at(-1);
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const { violations } = await axe.run(open ?? document,
        { runOnly: tags, rules: Object.fromEntries(left_out.map((rule) => [rule, { enabled: false }])), resultTypes: ['violations'], preload: false });
    return violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)]);
}"""


def faults_of(page, left_out=()):
    """What axe finds in the open dialog or menu, else in the page, but by the rules that are left out, and where. A document is given axe once; what passed stays in the browser."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    return page.evaluate(RUN_AXE, list(left_out))
