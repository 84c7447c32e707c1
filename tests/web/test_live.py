"""What is seen changes as it happens: by one stream for all tabs, over bad ways, and when it ends."""
import asyncio
import re
import time
import urllib.parse

import pytest

from browsing import PASSWORD, faults_of, long, set_password, sign_in
from faults.proxy import Proxy
from rest import Api
from runs import Run
from screen import HOST
from server import Server
from uploads import put

LISTENERS = "cairn_http_live_listeners"
HIDE = """isHidden => {
    Object.defineProperty(document, 'hidden', {configurable: true, get: () => isHidden});
    document.dispatchEvent(new Event('visibilitychange'));
}"""


def make_run(api, project, wait_for, name="r1"):
    home = f"/api/v1/projects/ann/{project}"
    run = Run(api, name, home)
    run.home, run.writer = home, run.join("rank0")
    run.page = f"/ann/{project}/runs/{name}"
    run.writer.send(history=[{"_step": step, "loss": 1.0} for step in range(100)],
                    console=[{"line": n, "stream": "stdout", "time": 1772355600 + n, "text": f"line {n}"} for n in range(5)])
    wait_for(lambda: api.get(f"{home}/runs", filter=f"id:{name} rows:100", count="true").json["count"] == 1, what="a run that is found")
    return run


@pytest.fixture
def run(api, request, wait_for):
    return make_run(api, re.sub(r"[\W_]", "-", request.node.name).strip("-"), wait_for)  # of its own for each parameter


@pytest.fixture
def come(screen, with_password):
    """come(server, path, **options): a Screen at the path, signed in."""
    def at(server, path, **options):
        one = screen(**options)
        one.base = f"http://{HOST}:{server.port}"
        sign_in(one.page, one.base + path)
        one.page.get_by_role("button", name="Account of ann").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def tab(one, path):
    page = one.context.new_page()
    page.on("console", lambda message: one.complaints.append(message.text))
    page.goto(one.base + path)
    return page


def shows(page, words):
    page.locator(".top .live", has_text=words).wait_for(timeout=60_000)


def row_of(page, name):
    return page.get_by_role("row").filter(has_text=name)


# ---- what is seen -------------------------------------------------------------------------------------

@pytest.mark.long
def test_tabs_share_one_stream(come, server, api, run, wait_for):
    """List, overview, charts and logs: each tells of what is written, by one connection of the browser."""
    path, project = run.page, run.page.partition("/runs")[0]
    one = come(server, f"{project}?cols=rows")
    overview, charts, logs = tab(one, path), tab(one, f"{path}/charts"), tab(one, f"{path}/logs")
    for page in one.page, overview, charts, logs:
        shows(page, "Live")
    wait_for(lambda: server.metric(LISTENERS) == 1, what="one stream")
    logs.get_by_text("line 4").wait_for()
    charts.get_by_role("article", name="Chart of loss").locator("canvas").wait_for()
    run.writer.send(history=[{"_step": 100, "loss": 2.0, "fresh": 1.0}],
                    console=[{"line": 5, "stream": "stdout", "time": 1772355700, "text": "the newest line"}])
    row_of(one.page, "r1").get_by_text("101").wait_for()
    overview.get_by_text("101 rows").first.wait_for()
    charts.get_by_role("article", name="Chart of fresh").locator("canvas").wait_for()
    charts.get_by_role("article", name="Chart of loss").get_by_text(re.compile(r"last 2\b")).first.wait_for(state="attached")
    logs.get_by_text("the newest line").wait_for()
    run.writer.finish(1)
    row_of(one.page, "r1").get_by_role("img", name="failed").wait_for()
    for page in overview, charts:
        page.locator(".run-head .state", has_text="failed").wait_for()
    wait_for(lambda: server.metric(LISTENERS) == 1, what="one stream for all")
    for page in overview, charts, logs:
        page.close()
    one.page.goto(f"{one.base}/settings/keys")
    wait_for(lambda: server.metric(LISTENERS) == 0, what="nobody who listens")
    assert not one.complaints


@pytest.mark.long
def test_a_metric_that_comes_while_the_keys_are_read(come, server, api, run, wait_for):
    """The answer under way does not know it, and nothing else comes."""
    project, held, is_held = run.page.partition("/runs")[0], [], True
    one = come(server, "/")
    page = one.page
    page.route("**/keys?*", lambda route: held.append((route, api.get(f"{run.home}/keys").json)) if is_held else route.continue_())
    page.goto(f"{one.base}{project}?cols=rows&base=r1")
    wait_for(lambda: page.title() and held, what="keys that are read")
    shows(page, "Live")
    run.writer.send(history=[{"_step": 100, "fresh": 1.0}])
    row_of(page, "r1").get_by_text("101").wait_for()
    is_held = False
    for route, answer in held:
        route.fulfill(json=answer)
    page.get_by_role("article", name="Chart of fresh").locator("canvas").wait_for()
    assert not one.complaints


def test_projects_of_several_tabs(come, server, api, run, wait_for):
    """One stream of both; each tab is told of what it shows alone."""
    other = make_run(api, "the-other", wait_for)
    one = come(server, run.page)
    second = tab(one, other.page)
    for page in one.page, second:
        shows(page, "Live")
    wait_for(lambda: server.metric(LISTENERS) == 1, what="one stream")
    api.patch(run.path, {"display_name": "told after all that is read as the stream opens"})
    one.page.get_by_role("heading", name="told after all that is read as the stream opens").wait_for()
    before = len(one.asked)
    other.writer.finish(1)
    second.locator(".run-head .state", has_text="failed").wait_for()
    api.patch(run.path, {"display_name": "told after the end of the other"})
    one.page.get_by_role("heading", name="told after the end of the other").wait_for()
    assert one.page.locator(".run-head .state").inner_text() == "running"
    assert not [url for url in one.asked[before:] if "/states" in url], "nobody told it of a state"
    assert second.get_by_role("heading", name="r1", level=1).is_visible()


@pytest.mark.long
def test_as_many_projects_as_tabs(come, server, api, run, wait_for):
    """By HTTP/1.1 a browser has six connections to a server: streams take one of them, and requests go on."""
    others = [make_run(api, f"{run.home.rpartition('/')[2]}-{number}", wait_for) for number in range(6)]
    one = come(server, run.page)
    tabs = [one.page, *(tab(one, other.page) for other in others)]
    for page in tabs:
        shows(page, "Live")
    wait_for(lambda: server.metric(LISTENERS) == 1, what="one stream")
    for page, told in zip(tabs, [run, *others]):
        told.writer.finish(1)
        page.locator(".run-head .state", has_text="failed").wait_for()
    assert server.metric(LISTENERS) == 1
    for page in tabs[1:]:
        page.close()
    api.patch(run.path, {"display_name": "told to the one that is left"})
    tabs[0].get_by_role("heading", name="told to the one that is left").wait_for()
    assert not one.complaints


def test_a_run_deleted_while_it_is_shown(come, server, api, run):
    one = come(server, run.page)
    page, runs = one.page, tab(one, run.page.partition("/runs")[0])
    row_of(runs, "r1").wait_for()
    for each in page, runs:
        shows(each, "Live")
    api.delete(run.path)
    row_of(runs, "r1").wait_for(state="detached")
    page.get_by_role("alert").filter(has_text=re.compile(r'the run "r1" was deleted\. Since \d')).wait_for()
    assert page.get_by_role("heading", name="r1").is_visible()
    assert faults_of(page) == []


@pytest.mark.long
def test_an_own_stream_where_nothing_is_shared(server, with_password, run, wait_for, screen):
    """Without SharedWorker a tab that is hidden has no stream at all."""
    one = screen()
    one.context.add_init_script("delete globalThis.SharedWorker")
    one.base = f"http://{HOST}:{server.port}"
    sign_in(one.page, one.base + run.page)
    one.page.get_by_role("button", name="Account of ann").wait_for()
    second = tab(one, run.page)
    for page in one.page, second:
        shows(page, "Live")
    wait_for(lambda: server.metric(LISTENERS) == 2, what="two streams")
    second.evaluate(HIDE, True)
    wait_for(lambda: server.metric(LISTENERS) == 1, what="one stream")
    run.writer.finish(1)
    one.page.locator(".run-head .state", has_text="failed").wait_for()
    second.evaluate(HIDE, False)
    second.locator(".run-head .state", has_text="failed").wait_for()


@pytest.mark.long
def test_a_hidden_tab_asks_for_nothing(come, server, api, run, wait_for):
    """After a minute; seen again it reads what it missed. The machine's clock is two hours wrong meanwhile."""
    one = come(server, run.page)
    page = one.page
    page.clock.install(time=page.evaluate("Date.now()") + 7200_000)
    page.reload()
    shows(page, "Live")
    page.get_by_role("row", name="loss 1").wait_for()
    wait_for(lambda: server.metric(LISTENERS) == 1, what="the stream of before to be gone")
    page.evaluate(HIDE, True)
    page.clock.run_for(30_000)
    assert server.metric(LISTENERS) == 1
    page.clock.run_for(31_000)
    wait_for(lambda: server.metric(LISTENERS) == 0, what="nobody who listens")
    asked = len(one.asked)
    page.clock.run_for(120_000)
    assert not [url for url in one.asked[asked:] if "/api/" in url]
    run.writer.finish(1)
    page.evaluate(HIDE, False)
    page.clock.resume()
    page.locator(".run-head .state", has_text="failed").wait_for()
    shows(page, "Live")


# ---- what goes wrong ----------------------------------------------------------------------------------

class Way(Proxy):
    """Between a browser and the server: cut off, slow, without streams, or with streams that are held back."""
    is_cut, has_streams, is_held, delay = False, True, False, 0

    def __init__(self, *args):
        self.open = set()
        super().__init__(*args)

    async def talk(self, reader, writer):
        self.open.add(writer)
        if not self.is_cut:
            await super().talk(reader, writer)

    async def pour(self, reader, writer, look):
        while data := await reader.read(1 << 16):
            await asyncio.sleep(self.delay)
            while self.is_held and b"/live?" in data:
                await asyncio.sleep(0.02)
            data, goes_on = look(data)
            writer.write(data)
            await writer.drain()
            if not goes_on:
                return

    def ask(self, data):
        return data, not self.is_cut and (self.has_streams or b"/live?" not in data)

    def cut(self):
        """All at once, and whoever comes."""
        self.is_cut = True
        self.loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in self.open])


@pytest.fixture
def way(server):
    made = Way([server])
    yield made
    made.stop()


FRAME = "getComputedStyle(document.querySelector('main'), '::after').borderTopStyle"


def test_cut_off_and_back(come, way, run):
    """What was read stays, what was written meanwhile is there after it, once: in the list, the charts and the logs. The header
    says how it is, and a frame around what is not of now."""
    one = come(way, run.page.partition("/runs")[0] + "?cols=rows")
    page, charts, logs = one.page, tab(one, f"{run.page}/charts"), tab(one, f"{run.page}/logs")
    for each in page, charts, logs:
        shows(each, "Live")
    logs.get_by_text("line 4").wait_for()
    way.cut()
    shows(page, re.compile(r"Reconnecting( in \d s)?"))
    shows(page, re.compile(r"Offline, data of \d"))
    for each in page, charts, logs:
        each.wait_for_function(f"{FRAME} === 'dashed'")
    assert row_of(page, "r1").is_visible() and faults_of(page) == []
    run.writer.send(history=[{"_step": step, "loss": 3.0} for step in range(100, 150)],
                    console=[{"line": n, "stream": "stdout", "time": 1772355600 + n, "text": f"line {n}"} for n in range(5, 25)])
    run.writer.finish(1)
    way.is_cut = False
    for each in page, charts, logs:
        shows(each, "Live")
        assert each.evaluate(FRAME) == "none"
    row_of(page, "r1").get_by_role("img", name="failed").wait_for()
    row_of(page, "r1").get_by_text("150").wait_for()
    charts.get_by_role("article", name="Chart of loss").get_by_text(re.compile(r"last 3\b")).first.wait_for(state="attached")
    logs.get_by_text("line 24").wait_for()
    lines = re.findall(r"\bline (\d+)", " ".join(logs.locator(".log").all_inner_texts()))
    assert [int(line) for line in lines] == list(range(25))


@pytest.mark.long
def test_a_way_without_streams(come, way, run):
    """It is read every ten seconds instead."""
    way.has_streams = False
    page = come(way, run.page).page
    shows(page, "Read every 10 s")
    run.writer.finish(1)
    page.locator(".run-head .state", has_text="failed").wait_for()
    way.has_streams = True
    shows(page, "Live")


@pytest.mark.long
def test_what_changes_before_the_stream_is_there(come, server, way, run):
    """All that was read before is read once more then, not only what rows change."""
    other = Run(run.api, "other", run.home)
    other.join("rank0")
    way.is_held = True
    one = come(way, run.page)
    runs, page, logs = come(server, run.page.partition("/runs")[0]).page, one.page, tab(one, f"{run.page}/logs")
    shows(runs, "Live")
    page.get_by_role("row", name="loss 1").wait_for()
    logs.get_by_text("line 4").wait_for()
    run.writer.send(console=[{"line": 0, "stream": "stdout", "time": 1772355600, "text": "written again"}])
    run.api.patch(f"{run.path}/config", {"by_hand": 1})
    for name in "later", "latest":  # that a stream which begins now is not told of the config
        run.api.patch(other.path, {"display_name": name})
        row_of(runs, name).wait_for()
    way.is_held = False
    shows(page, "Live")
    page.get_by_role("row", name="by_hand 1 ann, by hand").wait_for()
    logs.get_by_text("written again").wait_for()
    assert logs.locator(".log").count() == 5


@pytest.mark.long
def test_a_slow_server(come, way, run):
    one = come(way, "/settings/keys")
    way.delay = 1.5
    one.page.goto(one.base + run.page)
    shows(one.page, "Catching up")
    shows(one.page, "Live")
    run.writer.finish(1)
    one.page.locator(".run-head .state", has_text="failed").wait_for()


class Torn(Way):
    """Answers to what has `torn` in its first line end in the middle, and the connection with them."""
    torn = b"nothing"

    def looks(self):
        asked = [b""]

        def ask(data):
            if data.startswith((b"GET ", b"POST ")):
                asked[0] = data.split(b"\r\n")[0]
            return data, True

        def answer(data):
            head, blank, body = data.partition(b"\r\n\r\n") if data.startswith(b"HTTP/") else (b"", b"", data)
            if self.torn not in asked[0] or not body:
                return data, True
            self.counts[self.torn] += 1
            return head + blank + body[:len(body) // 2], False
        return ask, answer


@pytest.fixture
def torn_way(server):
    made = Torn([server])
    yield made
    made.stop()


@pytest.mark.long
def test_answers_that_end_in_the_middle(come, torn_way, run, wait_for):
    """Documents, columns, lines, a part of a file, the stream: each is told where it was to stand, and is had by trying again."""
    put(run, "notes.txt", b"what is noted\n" * 20)
    one = come(torn_way, "/settings/keys")
    page = one.page
    again = page.get_by_role("button", name="Try again")
    for torn, tab, seen in ((b"/writers", "", ".writers-table"), (b"/series", "/charts", ".panel canvas"),
                            (b"/files/notes", "/files?file=notes.txt", ".file-line")):
        torn_way.torn = torn
        page.goto(f"{one.base}{run.page}{tab}")
        again.first.wait_for()
        page.get_by_text("The server does not answer.").first.wait_for()
        assert torn_way.counts[torn] and faults_of(page) == [], torn
        torn_way.torn = b"nothing"
        again.first.click()
        page.locator(seen).first.wait_for()
    torn_way.torn = b"/console"
    page.goto(f"{one.base}{run.page}/logs")
    page.get_by_text("The server does not answer.").first.wait_for()
    torn_way.torn = b"/live?"
    run.writer.send(console=[{"line": 5, "stream": "stdout", "time": 1772355700, "text": "while streams end"}])
    page.goto(f"{one.base}{run.page}")
    wait_for(lambda: torn_way.counts[b"/live?"] > 2, timeout=60, what="streams that end")
    torn_way.torn = b"nothing"
    shows(page, "Live")
    run.writer.finish(1)
    page.locator(".run-head .state", has_text="failed").wait_for()


WRONG_CLOCK = """(() => {
    const Right = Date;
    globalThis.Date = class extends Right {
        constructor(...given) { given.length ? super(...given) : super(Right.now() + %d); }
        static now() { return Right.now() + %d; }
    };
})()"""


@pytest.mark.parametrize("hours", [long(-3), 3])
def test_a_clock_that_is_wrong(screen, base, api, run, hours):
    """The browser's, behind and ahead: ages are by the server's, of all that is shown. Those of hosts: their rows say so."""
    behind, ahead = run.join("rank1", "worker"), run.join("rank2", "worker")
    one = screen()
    one.context.add_init_script(WRONG_CLOCK % (hours * 3600_000, hours * 3600_000))
    sign_in(one.page, f"{base}{run.page}/writers")
    page = one.page
    shows(page, "Live")
    one.complaints.clear()
    now = time.time()
    behind.send(history=[{"_step": 100, "_timestamp": now - 2 * 3600, "loss": 1.0}])
    ahead.send(history=[{"_step": 101, "_timestamp": now + 2 * 3600, "loss": 1.0}])
    run.writer.send()
    table = page.locator(".writers-table")
    table.get_by_role("row", name=re.compile(r"^rank1 worker.* 2 h\b(?! ahead)")).wait_for()
    table.get_by_role("row", name=re.compile(r"^rank2 worker.* 2 h ahead\b")).wait_for()
    assert "3 h" not in table.inner_text()  # when each was heard
    page.keyboard.press("1")
    heart = page.get_by_role("region", name="Health").locator(".clock").first
    heart.get_by_text(re.compile(r"^\d+ (s|min) ago$")).wait_for()
    assert not re.search(r"\b[23] h\b", page.get_by_role("region", name="Facts").inner_text())
    run.writer.finish(1)
    page.locator(".run-head .state", has_text="failed").wait_for()
    assert not one.complaints


@pytest.mark.own
def test_a_server_killed_and_back(come, place, keys, secret_file, tmp_path, wait_for):
    set_password(place.db, secret_file, tmp_path)
    with Server(place.db.url, secret_file) as server:
        api = Api(server, keys["ann"])
        run = make_run(api, "killed", wait_for)
        page = come(server, run.page).page
        shows(page, "Live")
        server.kill()
        shows(page, re.compile("Reconnecting|Offline"))
        server.start(port=server.port)
        shows(page, "Live")
        run.writer.finish(1)
        page.locator(".run-head .state", has_text="failed").wait_for()
        api.close()


@pytest.mark.long
@pytest.mark.own
def test_pages_that_are_opened_while_the_server_is_away(come, place, keys, secret_file, tmp_path, wait_for):
    """They say so, and come by themselves when it is back: one whose modules are there, and one whose are not."""
    set_password(place.db, secret_file, tmp_path)
    with Server(place.db.url, secret_file) as server:
        api = Api(server, keys["ann"])
        run = make_run(api, "away", wait_for)
        page = come(server, run.page).page
        shows(page, "Live")
        for tab, seen in ("Writers", page.locator(".writers-table")), ("System", page.get_by_text("No system metrics.")):
            server.kill()
            page.get_by_role("link", name=re.compile(f"^{tab}")).click()
            page.get_by_role("alert").filter(has_text="The server does not answer.").wait_for()
            server.start(port=server.port)
            seen.first.wait_for()
            shows(page, "Live")
        api.close()


def test_signed_out_in_the_middle(come, server, run, wait_for):
    """The session went: a card asks, and what was shown goes on."""
    one = come(server, run.page)
    page = one.page
    shows(page, "Live")
    page.evaluate("fetch('/api/v1/session', {method: 'DELETE'}).then((answer) => answer.status)")
    box = page.get_by_role("dialog", name="You are signed out")
    box.wait_for()
    box.get_by_label("Name", exact=True).fill("ann")
    box.get_by_label("Password").fill(PASSWORD)
    box.get_by_role("button", name="Sign in").click()
    box.wait_for(state="hidden")
    shows(page, "Live")
    run.writer.finish(1)
    page.locator(".run-head .state", has_text="failed").wait_for()
    assert urllib.parse.urlsplit(page.url).path == run.page
