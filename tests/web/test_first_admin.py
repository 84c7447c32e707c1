"""A server without users, in a real browser: whoever can read its log makes the first one."""
import re

import pytest

from browsing import PASSWORD, SIZES, faults_of
from screen import HOST
from server import Server, cairnd_run


@pytest.fixture
def nobody(cluster, secret_file):
    """A server that has no user, and its database."""
    url = cluster.create_database()
    cairnd_run(url, secret_file, "upgrade")
    with Server(url, secret_file) as server:
        server.base, server.url = f"http://{HOST}:{server.port}", url
        [server.token] = re.findall(r"no users yet token=([0-9a-f]{32}) ", server.log_path.read_text())
        yield server


def test_the_first_user(screen, nobody):
    """By keyboard alone, from an address that one asked for to that address; what is wrong is said where it is."""
    one = screen()
    page, keys = one.page, one.page.keyboard
    page.goto(f"{nobody.base}/authorize")
    page.get_by_role("heading", name="Create the first user").wait_for()
    assert "cairnd user add NAME --admin" in page.content()
    for size in SIZES.values():
        page.set_viewport_size(size)
        for scheme in "light", "dark":
            page.emulate_media(color_scheme=scheme)
            page.locator(f"html[data-theme={scheme}]").wait_for(state="attached")
            assert faults_of(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    assert not one.complaints
    for part in "metrics", PASSWORD:
        keys.type(part)
        keys.press("Tab")
    keys.type("0" * 32)
    keys.press("Enter")
    page.get_by_role("alert").filter(has_text=re.compile("^Invalid name: use .* a letter or digit first")).wait_for()
    keys.type("ann")
    keys.press("Enter")
    page.get_by_role("alert").filter(has_text="Invalid setup token").wait_for()
    keys.type(nobody.token)
    keys.press("Enter")
    page.get_by_role("heading", name="Create a key for this machine").wait_for()
    page.get_by_role("button", name="Account of ann").wait_for()
    assert page.url == f"{nobody.base}/authorize"
    page.goto(f"{nobody.base}/")
    page.get_by_role("heading", name="Projects").wait_for()


def test_somebody_else_was_first(screen, nobody, secret_file):
    """While the form stood open: one is asked to sign in."""
    page = screen().page
    page.goto(f"{nobody.base}/")
    page.get_by_label("Name", exact=True).fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Token").fill(nobody.token)
    cairnd_run(nobody.url, secret_file, "user", "add", "bob", "--admin")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Sign in to Cairn").wait_for()
