"""/authorize and /login in a real browser: signing in, a key, and whom the page asks."""
import http.server
import re
import threading

import pytest

from browsing import NARROW_LOOK, PASSWORD, SIZES, faults_of, sign_in_by_form, sign_out
from rest import Api
from screen import HOST
from server import Server


def arrive(page, url):
    sign_in_by_form(page, url)
    page.get_by_role("heading", name="Create a key for this machine").wait_for()


def make_key(page, name=None):
    if name:
        page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create key").click()
    return page.get_by_label("Your new key", exact=True).locator("input").input_value()


def viewer(server, key):
    api = Api(server, key)
    try:
        return api.request("GET", "/api/v1/viewer")
    finally:
        api.close()


def test_as_wandb_login_says(screen, base, server):
    """What is shown is a key that works, once; who is known is not asked again."""
    one = screen()
    page = one.page
    arrive(page, f"{base}/authorize?ref=models")
    key = make_key(page)
    assert re.fullmatch("[0-9a-f]{40}", key) and viewer(server, key)["name"] == "ann"
    assert f"wandb login --host {base}" in page.inner_text("pre >> nth=0")
    page.get_by_role("row", name=re.compile(f"^wandb login {key[-4:]} ")).wait_for()
    page.reload()
    page.get_by_role("heading", name="Create a key for this machine").wait_for()
    assert key not in page.content() and page.evaluate("document.cookie") == ""
    assert not one.complaints
    assert {url.split("/")[2] for url in one.asked} == {f"{HOST}:{server.port}"}


def test_a_wrong_password(screen, base):
    page = screen().page
    page.goto(f"{base}/login")
    for name in ("ann", "nobody"):
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_label("Password").fill("wrong")
        page.keyboard.press("Enter")
        page.get_by_role("alert").filter(has_text="Name or password is wrong.").wait_for()
    page.get_by_label("Name", exact=True).fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Create a key for this machine").wait_for()


@pytest.mark.long
def test_by_keyboard_alone(screen, base, server):
    """From the page's address to a revoked key: typing, Tab and Enter."""
    page = screen().page
    page.goto(f"{base}/authorize")
    page.get_by_label("Password").wait_for()
    keys = page.keyboard
    keys.type("ann")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.get_by_role("heading", name="Create a key for this machine").wait_for()
    keys.press("Control+A")
    keys.type("by keyboard")
    keys.press("Enter")
    shown = page.get_by_label("Your new key", exact=True).locator("input")
    shown.wait_for()
    key = shown.input_value()
    assert page.evaluate("document.activeElement.value.slice(...[document.activeElement.selectionStart, "
                         "document.activeElement.selectionEnd])") == key
    keys.press("Tab")
    keys.press("Enter")
    page.get_by_role("button", name="Copied").wait_for()
    page.get_by_role("row").filter(has_text="by keyboard").wait_for()
    for _ in range(12):
        keys.press("Tab")
        if "by keyboard" in (page.evaluate("document.activeElement.getAttribute('aria-label')") or ""):
            break
    keys.press("Enter")
    keys.press("Enter")
    page.get_by_role("row").filter(has_text="by keyboard").wait_for(state="detached")
    assert viewer(server, key).status == 401


def test_signed_out(screen, base):
    page = screen().page
    arrive(page, f"{base}/authorize")
    sign_out(page)
    page.get_by_label("Password").wait_for()
    page.reload()
    page.get_by_label("Password").wait_for()


def test_a_session_that_ends_meanwhile(screen, base, db, wait_for):
    page = screen().page
    arrive(page, f"{base}/authorize")
    page.get_by_role("row", name=re.compile("^first ")).wait_for()  # all that the page reads by itself
    db.query("delete from account_session")
    asked = f"fetch('{base}/api/v1/viewer').then((answer) => answer.status)"
    wait_for(lambda: page.evaluate(asked) == 401, what="the server's forgetting")
    page.get_by_role("button", name="Create key").click()
    again = page.get_by_role("dialog", name="You are signed out")
    again.get_by_label("Name", exact=True).fill("ann")
    again.get_by_label("Password").fill(PASSWORD)
    again.get_by_role("button", name="Sign in").click()
    made = page.get_by_label("Your new key", exact=True).locator("input").input_value()
    assert again.count() == 0
    page.get_by_role("row").filter(has_text=made[-4:]).wait_for()
    db.query("delete from account_session")
    wait_for(lambda: page.evaluate(asked) == 401, what="the server's forgetting")
    page.get_by_role("button", name="Create key").click()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("heading", name="Sign in to Cairn").wait_for()


def test_names_are_text(screen, base):
    page = screen().page
    odd = "<img src=x onerror=alert(1)>"
    arrive(page, f"{base}/authorize")
    make_key(page, odd)
    page.get_by_role("row").filter(has_text=odd).wait_for()


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(screen, base, scheme, size):
    """What axe finds, and whether it fits without scrolling sideways; each in its own colours."""
    one = screen(color_scheme=scheme, viewport=SIZES[size])
    page = one.page

    def look():
        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.goto(f"{base}/authorize")
    page.get_by_label("Password").wait_for()
    look()
    arrive(page, f"{base}/authorize")
    make_key(page)
    page.get_by_role("row").nth(1).wait_for()
    look()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(14, 17, 18)"
    assert dark == (scheme == "dark") and not one.complaints


# ---- other addresses -------------------------------------------------------------------------------


@pytest.fixture
def beside(place, keys):
    """beside(**settings): another server of the database."""
    made = []

    def start(**settings):
        made.append(Server(place.db.url, place.secret_file, **settings).start())
        return made[-1]
    yield start
    for one in made:
        try:
            one.stop()
        finally:
            one.remove()


def test_below_a_prefix(screen, beside, with_password):
    server = beside(path_prefix="/tools/cairn")
    one = screen()
    arrive(one.page, f"http://{HOST}:{server.port}/tools/cairn/authorize")
    assert re.fullmatch("[0-9a-f]{40}", make_key(one.page))
    assert {c["path"] for c in one.context.cookies()} == {"/tools/cairn"}
    assert all("/tools/cairn/" in url for url in one.asked) and not one.complaints


def test_by_https(screen, beside, with_password, tmp_path):
    from test_serving import make_certificate
    cert, key = make_certificate(tmp_path)
    server = beside(tls_cert_file=cert, tls_key_file=key)
    one = screen(ignore_https_errors=True)
    arrive(one.page, f"https://{HOST}:{server.port}/authorize")
    assert re.fullmatch("[0-9a-f]{40}", make_key(one.page))
    cookie = one.context.cookies()[0]
    assert cookie["secure"] and cookie["httpOnly"] and cookie["sameSite"] == "Lax"


# ---- pages of others -------------------------------------------------------------------------------

EVIL = """<!doctype html><script>
const target = %r;
async function tries() {
    const body = JSON.stringify({name: 'stolen'});
    for (const options of [{mode: 'no-cors', body}, {mode: 'no-cors', body: new Blob([body])}, {body}])
        await fetch(target, {method: 'POST', credentials: 'include', ...options}).catch(() => 0);
    await fetch(target, {method: 'DELETE', credentials: 'include'}).catch(() => 0);
    document.title = 'tried';
}
tries();
</script><form method=post enctype=text/plain action=%r><input name='{"name":"stolen", "a' value='"}'></form>"""


@pytest.fixture
def evil():
    """evil(target): the address of a page of somebody else, which does what it can."""
    made = []

    def serve(target):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write((EVIL % (target, target)).encode())

            def log_message(self, *_):
                pass
        made.append(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler))
        threading.Thread(target=made[-1].serve_forever, daemon=True).start()
        return made[-1].server_port
    yield serve
    for one in made:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize("host", ["evil.test", HOST], ids=["another-site", "another-port"])
def test_a_page_of_somebody_else(screen, base, db, evil, host):
    """Of another site, and of another port of the same host, which gets the cookie along."""
    page = screen().page
    arrive(page, f"{base}/authorize")
    before = db.value("select count(*) from api_key")
    page.goto(f"http://{host}:{evil(f'{base}/api/v1/viewer/keys')}/")
    page.wait_for_function("document.title === 'tried'")
    page.evaluate("document.forms[0].submit()")
    page.wait_for_url(f"{base}/**")
    assert db.value("select count(*) from api_key") == before
    page.goto(f"{base}/authorize")
    page.get_by_role("heading", name="Create a key for this machine").wait_for()
