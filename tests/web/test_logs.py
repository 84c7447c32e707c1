"""What a run printed, in a real browser: 34 labels, hostile texts, a run that goes on."""
import datetime
import re

import pytest

from browsing import NARROW_LOOK, SIZES, address, faults_of, sign_in
from cluster import wait_until
from runs import Run

RANKS = 34
BEGAN = 1772355600.0
HOSTILE = ["<script>document.title = 'taken'</script>", "\u202eright to left\u202c", "\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07", "\x00\x07",
           "\x1b[31munended", "<img src=x onerror=alert(1)>", "日本語 한국어 😀"]


@pytest.fixture
def home(api, request):
    path = f"/api/v1/projects/ann/{re.sub('[^a-z0-9]+', '-', request.node.name)[:60].strip('-')}"
    api.put(path, {"crash_after_s": 600})
    return path


def line(number, text, time, stream="stdout"):
    return {"line": number, "stream": stream, "time": time, "text": text}


def step(rank, n):
    return f"\x1b[90mstep\x1b[0m {n} loss \x1b[1m{2.5 + rank / 100:.4f}\x1b[0m \x1b[32m{418000 + n} tok/s\x1b[0m"


@pytest.fixture
def run(api, home):
    """34 labels with 40 lines each, a second between two; rank27 fails at the 30th."""
    made = Run(api, "r1", home)
    made.made = [made.join(f"w{n}", "primary" if n == 0 else "worker", label=f"rank{n}") for n in range(RANKS)]
    for rank, writer in enumerate(made.made):
        lines = [line(n, step(rank, n), BEGAN + n + rank / 100) for n in range(40)]
        if rank == 27:
            lines[30] = line(30, "\x1b[31mERROR\x1b[0m NCCL watchdog: ALLREDUCE timed out", BEGAN + 30.27, "stderr")
            lines[31] = line(31, "    dist.all_reduce(loss)", BEGAN + 31.27, "stderr")
        writer.send(console=lines)
    return made


@pytest.fixture
def open_logs(screen, base):
    """open_logs(run, query, **options): a Screen at the logs, with its lines."""
    def come(run, query="", **options):
        one = screen(**options)
        sign_in(one.page, address(base, run, "runs", run.name, "logs") + query)
        one.page.get_by_role("log").locator(".log").first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return come


def shown(page):
    """[(label, line), …] in the list."""
    return page.evaluate("[...document.querySelectorAll('.log')].map(one => [one.line.label, one.line.line])")


def in_view(page):
    return page.evaluate("""() => {
        const list = document.querySelector('.log-list');
        return [...list.children].filter(one => one.offsetTop + one.offsetHeight > list.scrollTop
            && one.offsetTop < list.scrollTop + list.clientHeight).map(one => [one.line.label, one.line.line]);
    }""")


def wait_shown(page, condition):
    """Until what is in the list meets a condition of JavaScript on `lines`, pairs of label and line."""
    page.wait_for_function(f"""() => {{
        const lines = [...document.querySelectorAll('.log')].map(one => [one.line.label, one.line.line]);
        return {condition};
    }}""")


def label(page, name):
    return page.get_by_role("group", name="Labels").get_by_role("button", name=re.compile(f"^{name}\\b"))


def test_all_labels_in_order_of_time(run, open_logs):
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    page.get_by_text("1,360 lines, 34 labels").wait_for()
    expected = [[f"rank{rank}", n] for n in range(40) for rank in range(RANKS)]
    assert shown(page) == expected[-len(shown(page)):]
    assert in_view(page)[-1] == ["rank33", 39]
    page.get_by_role("log").evaluate("list => list.scrollTop = 0")
    wait_shown(page, "lines.some(([, line]) => line < 31)")
    assert len(shown(page)) <= 400
    at = expected.index(shown(page)[0])
    assert shown(page) == expected[at:at + len(shown(page))]
    assert label(page, "rank27").locator(".bad-count").inner_text() == "1"
    assert not one.complaints


@pytest.mark.long
def test_many_labels_stand_by_their_hosts(api, home, open_logs):
    """A host's line hides and shows all of its labels."""
    crowd = Run(api, "crowd", home)
    for n in range(202):
        made = crowd.join(f"w{n}", "worker", label=f"r{n:03}", host=f"node{n // 101}")
        if n in (0, 201):
            made.send(console=[line(0, f"of {n}", BEGAN + n)])
    one = open_logs(crowd, viewport=SIZES["wide"])
    page = one.page
    wait_shown(page, "lines.length === 2")
    host = label(page, "node0")
    assert host.get_attribute("aria-pressed") == "true"
    host.click()
    wait_shown(page, "lines.length === 1 && lines[0][0] === 'r201'")
    assert host.get_attribute("aria-pressed") == "false" and label(page, "r000").get_attribute("aria-pressed") == "false"
    label(page, "r000").click()
    wait_shown(page, "lines.length === 2")
    assert host.get_attribute("aria-pressed") == "mixed"
    host.click()
    page.wait_for_function("() => !location.search.includes('label=')")
    assert host.get_attribute("aria-pressed") == "true" and not faults_of(page) and not one.complaints


@pytest.mark.long
def test_labels_are_hidden_and_shown(run, open_logs):
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    label(page, "rank3").click()
    wait_shown(page, "lines.length && lines.every(([label]) => label !== 'rank3')")
    assert "label=-rank3" in page.url and label(page, "rank3").get_attribute("aria-pressed") == "false"
    label(page, "rank5").click(modifiers=["Alt"])
    wait_shown(page, "lines.length === 40 && lines.every(([label, line], i) => label === 'rank5' && line === i)")
    assert "label=rank5" in page.url
    page.get_by_text("order: line number in the label").wait_for()
    page.reload()
    wait_shown(page, "lines.length === 40 && lines[0][0] === 'rank5'")
    page.get_by_role("searchbox", name="Find label").fill("rank1*")
    assert page.get_by_role("group", name="Labels").get_by_role("button").count() == 11
    page.get_by_role("button", name="All", exact=True).click()
    wait_shown(page, "lines.length > 40 && lines.every(([label]) => label === 'rank5' || label.startsWith('rank1'))")
    page.get_by_role("searchbox", name="Find label").fill("")
    page.get_by_role("button", name="None", exact=True).click()
    wait_shown(page, "!lines.length")
    assert page.locator(".empty").inner_text() == "No label is picked."
    assert page.locator(".log-foot").inner_text().strip() == "No label is picked."
    page.get_by_role("button", name="All", exact=True).click()
    wait_shown(page, "lines.length > 100")
    page.locator(".log-foot").get_by_text("1,360 lines, 34 labels").wait_for()
    assert page.locator(".empty").is_hidden() and "label=" not in page.url and not one.complaints


def test_finding(run, open_logs):
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    page.keyboard.press("/")
    page.keyboard.type("NCCL|all_reduce")
    page.get_by_role("button", name="Regular expression").click()
    page.get_by_text("2 found").wait_for()
    assert "find=/NCCL" in page.url
    page.get_by_role("log").focus()
    page.keyboard.press("n")
    page.get_by_text("1 of 2").wait_for()
    page.get_by_text("paused", exact=True).wait_for()
    wait_shown(page, "lines.some(([label, line]) => label === 'rank27' && line === 30)")
    assert ["rank27", 30] in in_view(page)
    assert page.locator(".log mark").first.inner_text() == "NCCL"
    page.keyboard.press("n")
    page.get_by_text("2 of 2").wait_for()
    page.keyboard.press("N")
    page.get_by_text("1 of 2").wait_for()
    page.get_by_role("switch", name="Only matches").click()
    wait_shown(page, "JSON.stringify(lines) === '[[\"rank27\",30],[\"rank27\",31]]'")
    page.get_by_role("group", name="Lines around each").get_by_role("button", name="2").click()
    wait_shown(page, "JSON.stringify(lines.map(([, line]) => line)) === '[28,29,30,31,32,33]'")
    page.get_by_role("switch", name="Only matches").click()
    page.get_by_role("group", name="Stream").get_by_role("button", name="stderr").click()
    wait_shown(page, "JSON.stringify(lines) === '[[\"rank27\",30],[\"rank27\",31]]'")
    assert page.locator(".log").get_by_role("img", name="stderr").count() == 2 and faults_of(page) == []
    page.get_by_role("searchbox", name="Find in lines").fill("(")
    page.get_by_text("invalid regular expression").wait_for()
    assert [text for text in one.complaints if "400" not in text] == []


@pytest.mark.long
def test_jumps_say_where_they_led(run, open_logs):
    """Enter waits for the search; a hit and a number are places of the address, and the line is marked."""
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    box = page.get_by_role("searchbox", name="Find in lines")
    here = "() => { const line = document.querySelector('.log.here')?.line; return line && `${line.label}:${line.line}`; }"
    box.fill("watchdog")
    box.press("Enter")
    page.get_by_text("1 of 1").wait_for()
    page.wait_for_function(f"() => ({here})() === 'rank27:30'")
    wait_until(lambda: ["rank27", 30] in in_view(page) and re.search(r"at=rank27(:|%3A)30", page.url), what="the line in view and in the address")
    box.fill(":400")
    box.press("Enter")
    page.wait_for_function(f"() => {{ const now = ({here})(); return now && now !== 'rank27:30'; }}")
    marked = page.evaluate(here)
    page.wait_for_function(f"() => new URLSearchParams(location.search).get('at') === '{marked}'")
    wait_until(lambda: "find=" not in page.url and not page.get_by_text("1 of 1").count() and not page.locator(".log mark").count(),
               what="the end of the search")
    page.get_by_role("button", name="To the end").click()
    page.wait_for_function("() => !location.search.includes('at=')")
    label(page, "rank5").click(modifiers=["Alt"])
    wait_shown(page, "lines.every(([label]) => label === 'rank5')")
    box.fill(":7")
    box.press("Enter")
    page.wait_for_function(f"() => ({here})() === 'rank5:7' && location.search.includes('at=')")
    box.fill(":99999999")
    box.press("Enter")
    page.get_by_role("alert").filter(has_text="rank5 has no line 99,999,999.").wait_for()
    page.get_by_role("button", name="All", exact=True).click()
    wait_shown(page, "lines.some(([label]) => label !== 'rank5')")
    page.get_by_text("rank5 has no line").wait_for(state="detached")
    page.get_by_text("1,360 lines").wait_for()
    box.fill(":99999999")
    box.press("Enter")
    page.get_by_role("alert").filter(has_text="There are only 1,360 lines.").wait_for()
    box.fill("")
    assert not one.complaints
    page.get_by_role("button", name="Regular expression").click()
    box.fill("(")
    told = page.get_by_role("alert").filter(has_text="invalid regular expression")
    told.wait_for()
    assert told.evaluate("node => node.scrollWidth <= node.clientWidth") and box.get_attribute("aria-invalid") == "true"


@pytest.mark.long
def test_a_line_has_an_address(run, open_logs):
    """Of its writer, where another had its label before."""
    run.join("again", "worker", label="rank7").send(console=[line(n, f"again {n}", BEGAN + 60 + n) for n in range(5)])
    one = open_logs(run, "?at=rank7:3", viewport=SIZES["wide"])
    page = one.page
    page.locator(".log.here").wait_for()
    assert ["rank7", 3] in in_view(page)
    page.locator(".log-n").filter(has_text=re.compile("^4$")).first.click()
    page.wait_for_function("() => document.querySelector('.log.here')?.line.line === 4")
    assert "at=rank" in page.url and page.url.endswith(":4")
    page.get_by_role("slider", name="Lines over time").press("Home")
    wait_shown(page, "lines[0][1] === 0")
    page.locator(".log.here").wait_for(state="detached")
    page.get_by_role("searchbox", name="Find in lines").fill("watchdog")
    page.get_by_text("1 found").wait_for()
    assert ["rank0", 0] in in_view(page) and not page.locator(".log.here").count()
    page.goto(page.url.partition("?")[0] + "?at=rank7:34.3")
    page.wait_for_function("() => document.querySelector('.log.here')?.line.text === 'again 3'")
    page.locator(".log").filter(has_text="again 4").locator(".log-n").click()
    page.wait_for_function("() => document.querySelector('.log.here')?.line.text === 'again 4'")
    assert re.search(r"at=rank7(:|%3A)34\.4$", page.url)
    page.goto(page.url.partition("?")[0] + "?at=rank99:3")
    missing = page.get_by_role("alert").filter(has_text="There is no label rank99.")
    missing.wait_for()
    wait_until(lambda: in_view(page)[-1:] == [["rank7", 4]], what="the end")
    assert faults_of(page) == []
    page.get_by_role("slider", name="Lines over time").press("Home")
    missing.wait_for(state="detached")
    assert not one.complaints


def test_hostile_lines(run, open_logs, api, home):
    odd = Run(api, "odd", home)
    name = "host-7.lan_0"
    writer = odd.join("x", label=name)
    writer.send(console=[line(i, text, BEGAN + i) for i, text in enumerate([*HOSTILE, "x" * 20_000, "a" + "\t" * 50 + "b"])])
    one = open_logs(odd, viewport=SIZES["narrow"])
    page = one.page
    wait_shown(page, "lines.length === 9")
    texts = page.locator(".log-x").all_inner_texts()
    assert texts[0] == HOSTILE[0] and "Logs" not in page.title() and page.title() != "taken"
    assert (texts[2], texts[4], texts[5]) == ("link", "unended", HOSTILE[5])
    assert page.locator(".log-x a, .log-x img, .log-x script").count() == 0
    page.get_by_role("button", name="Show all 20,000 characters").click()
    page.wait_for_function("() => [...document.querySelectorAll('.log-x')].some(one => one.textContent.length === 20000)")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    label(page, "host-7").click()
    wait_shown(page, "!lines.length")
    page.reload()
    label(page, "host-7").click()
    wait_shown(page, "lines.length === 9")
    assert not one.complaints


def test_a_run_that_goes_on(run, open_logs):
    """The end is followed; who scrolled up is told how many are newer; a progress bar is one line that lives."""
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    page.get_by_text("following").wait_for()
    page.locator(".log-list[aria-live=polite]").wait_for()
    first, second = run.made[0], run.made[1]
    first.send(console=[line(40, "a new line", BEGAN + 60)])
    wait_shown(page, "lines.at(-1)[1] === 40")
    assert in_view(page)[-1] == ["rank0", 40]
    for percent in (10, 50, 100):
        first.send(console=[line(41, f"\r{percent - 5} %\r{percent} % of it", BEGAN + 60 + percent / 100)])
        page.locator(".log-x").get_by_text(f"{percent} % of it", exact=True).wait_for()
    assert sum(pair == ["rank0", 41] for pair in shown(page)) == 1
    page.get_by_role("button", name="6 states").click()
    before = page.get_by_role("dialog", name="Line 41 of rank0")
    before.wait_for()
    assert before.get_by_role("listitem").all_inner_texts() == ["5 %", "10 % of it", "45 %", "50 % of it", "95 %", "100 % of it"]
    assert not faults_of(page)
    page.keyboard.press("Escape")
    before.wait_for(state="detached")
    page.get_by_role("log").evaluate("list => list.scrollTop -= 300")
    page.get_by_text("paused", exact=True).wait_for()
    assert page.get_by_role("log").get_attribute("aria-live") == "off"
    before = in_view(page)
    second.send(console=[line(n, f"more {n}", BEGAN + 70 + n) for n in range(40, 90)])
    page.get_by_role("button", name="50 newer lines").wait_for()
    assert in_view(page) == before
    page.keyboard.press("End")
    wait_shown(page, "lines.at(-1)[1] === 89")
    page.get_by_text("following").wait_for()
    page.get_by_text("1,412 lines, 34 labels").wait_for()
    assert page.locator(".log").get_by_role("img", name="stderr").count() == 0
    run.api.post(f"{run.path}/finish", {"exit_code": 0})
    page.get_by_text("at the end; the run has ended").wait_for()
    assert not one.complaints


def test_a_burst_is_followed_to_its_end(run, open_logs):
    """More than a page of lines at once: who follows sees the last of them, and goes on following."""
    one = open_logs(run, viewport=SIZES["wide"])
    page = one.page
    page.get_by_text("following").wait_for()
    for began in (40, 640):
        last = began + 599
        run.made[0].send(console=[line(n, f"of many {n}", BEGAN + 60 + n / 100) for n in range(began, last + 1)])
        wait_shown(page, f"lines.at(-1)[1] === {last}")
        page.wait_for_function("() => { const list = document.querySelector('.log-list');"
                               " return list.scrollHeight - list.scrollTop - list.clientHeight < 2; }")
        assert in_view(page)[-1] == ["rank0", last]
        page.get_by_text("following").wait_for()
    assert not one.complaints


def test_downloads(run, open_logs):
    page = open_logs(run, "?label=rank27&stream=stderr", viewport=SIZES["wide"]).page
    sizes = {}
    for item in ("These labels as text", "These labels as NDJSON", "Everything as text", "Everything as NDJSON"):
        page.get_by_role("button", name="Download").click()
        with page.expect_download() as coming:
            page.get_by_role("menuitem", name=item).click()
        sizes[item] = len(coming.value.path().read_text().splitlines())
    assert sizes == {"These labels as text": 2, "These labels as NDJSON": 2, "Everything as text": 1360, "Everything as NDJSON": 1360}


@pytest.mark.parametrize("size, theme", NARROW_LOOK)
def test_the_logs_are_for_all(run, open_logs, theme, size):
    one = open_logs(run, "?find=/NCCL|all_reduce/&at=rank27:30", viewport=SIZES[size], color_scheme=theme)
    page = one.page
    page.locator(".log.here").wait_for()
    page.get_by_text("2 found").wait_for()
    assert not faults_of(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not one.complaints


@pytest.mark.long
def test_lines_go_by_time_or_by_arrival(api, home, open_logs, wait_for):
    """A host whose clock is slow: its lines lie among old ones by time, and behind them as they came."""
    odd = Run(api, "odd", home)
    near, far = (odd.join(name, role, label=name) for name, role in (("near", "primary"), ("far", "worker")))
    near.send(console=[line(n, f"near {n}", BEGAN + n) for n in range(300)])
    far.send(console=[line(n, f"far {n}", BEGAN - 500 + n) for n in range(300)])
    near.send(console=[line(300, "near, late", BEGAN + 300)])
    far.send(console=[line(300, "far and last", BEGAN - 100)])
    wait_for(lambda: len(odd.console(limit=1000)) == 602)
    one = open_logs(odd, viewport=SIZES["wide"])
    page = one.page
    page.get_by_text("order: the latest time that the writer sent for each line").wait_for()
    wait_shown(page, "lines.at(-1).join() === 'near,300'")
    order = page.get_by_role("group", name="Order")
    order.get_by_role("button", name="By arrival").click()
    page.get_by_text("order: arrival at the server").wait_for()
    wait_shown(page, "lines.slice(-4).map(([name, at]) => name + at).join() === 'far298,far299,near300,far300'")
    assert "order=arrival" in page.url and in_view(page)[-1] == ["far", 300]
    far.send(console=[line(301, "of the past", BEGAN - 1000), line(300, "written again", BEGAN - 999)])
    wait_shown(page, "lines.at(-1).join() === 'far,301'")
    page.locator(".log-x").get_by_text("written again", exact=True).wait_for()
    assert sum(pair == ["far", 300] for pair in shown(page)) == 1
    page.reload()
    wait_shown(page, "lines.slice(-3).map(([name, at]) => name + at).join() === 'near300,far300,far301'")
    page.get_by_role("searchbox", name="Find in lines").fill("far 0")
    page.get_by_text("1 found").wait_for()
    page.get_by_role("log").focus()
    page.keyboard.press("n")
    page.locator(".log.here").filter(has_text="far 0").wait_for()
    assert ["far", 0] in in_view(page) and ["near", 299] in in_view(page)
    order.get_by_role("button", name="By time").click()
    page.get_by_text("order: the latest time that the writer sent for each line").wait_for()
    wait_shown(page, "lines.length && lines.findIndex((line) => line.join() === 'far,150') > 0 && !lines.some(([name]) => name === 'near')")
    order.get_by_role("button", name="By arrival").click()
    wait_shown(page, "lines.some(([name]) => name === 'near')")
    page.locator(".log.here").filter(has_text="far 0").wait_for()
    page.get_by_role("slider", name="Lines over time").press("Home")
    page.locator(".log.here").filter(has_text="of the past").wait_for()
    assert in_view(page)[-1] == ["far", 301]
    label(page, "near").click(modifiers=["Alt"])
    page.get_by_text("order: line number in the label").wait_for()
    assert not order.is_visible() and not faults_of(page) and not one.complaints


@pytest.mark.long
def test_how_lines_are_shown(api, home, open_logs):
    """Times, wrapping, what is copied, and the address of a line for somebody else."""
    odd = Run(api, "odd", home)
    writer = odd.join("x", label="x")
    began = int(datetime.datetime.fromisoformat(api.get(odd.path).json["started_at"]).timestamp() * 1000) / 1000
    long = " ".join(["a", "long", "line"] * 60)
    writer.send(console=[line(n, text, began + 5.5004 + n) for n, text in enumerate(["\x1b[31mred\x1b[0m text", long, "10 %\r100 % of it"])])
    one = open_logs(odd, viewport=SIZES["wide"])
    page = one.page
    wait_shown(page, "lines.length === 3")
    times, told = page.get_by_role("group", name="Time"), page.locator(".log-t")
    assert all(re.fullmatch(r"\d\d:\d\d:\d\d\.\d{3}", text) for text in told.all_inner_texts())
    times.get_by_role("button", name="Elapsed").click()
    assert told.all_inner_texts() == ["00:00:05.500", "00:00:06.500", "00:00:07.500"]
    times.get_by_role("button", name="Off").click()
    assert not told.count()
    wrap, log = page.get_by_role("button", name="Wrap lines"), page.get_by_role("log")
    fits = "list => list.scrollWidth <= list.clientWidth"
    assert not log.evaluate(fits)
    wrap.click()
    page.reload()
    wait_shown(page, "lines.length === 3")
    assert wrap.get_attribute("aria-pressed") == "true" and log.evaluate(fits) and not told.count()
    texts = page.locator(".log-x")
    page.get_by_role("button", name="2 states").wait_for()
    first, last = texts.nth(0).bounding_box(), texts.nth(2).bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + 9)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + 9, steps=4)
    page.mouse.up()
    assert page.evaluate("getSelection().toString()") == f"red text\n{long}\n100 % of it"
    wrap.click()
    assert not log.evaluate(fits)
    other = page.context.new_page()
    other.goto(page.locator(".log-n").nth(1).evaluate("link => link.href"))
    other.locator(".log.here").wait_for()
    assert other.locator(".log.here").evaluate("one => one.line.line") == 1
    other.close()
    assert not one.complaints


@pytest.mark.long
def test_a_search_waits_after_a_while(api, home, open_logs, wait_for):
    """After 20 s it has to be told to go on; the clock of the page is put forward while an answer is on its way."""
    odd = Run(api, "odd", home)
    writer = odd.join("x", label="x")
    writer.send(console=[line(n, f"of many {n}", BEGAN + n / 100) for n in range(2500)])
    one = open_logs(odd, viewport=SIZES["wide"])
    page, held = one.page, []
    page.evaluate("() => { const now = performance.now.bind(performance); window.ahead = 0; performance.now = () => now() + ahead; }")
    page.route(lambda url: "search=" in url and "cursor=" in url,
               lambda route: route.continue_() if held else held.append(route))
    page.get_by_role("searchbox", name="Find in lines").fill("of many")
    page.get_by_text("1,000+ found").wait_for()
    wait_for(lambda: page.evaluate("true") and held, what="the next page of the search")
    page.evaluate("ahead = 20000")
    held[0].continue_()
    page.get_by_text("2,000+ found").wait_for()
    page.get_by_role("button", name=re.compile("lines searched. Continue$")).click()
    page.get_by_text("2,500 found").wait_for()
    page.get_by_role("button", name=re.compile("Continue$")).wait_for(state="hidden")
    assert not faults_of(page) and not one.complaints
