"""Charts of a run in a real browser: what is drawn, what is told beside it, and what is fetched."""
import json
import random
import re
from urllib.parse import quote

import pytest

from browsing import SIZES, WIDE_LOOK, address, faults_of, sign_in
from cluster import wait_until
from runs import Run

SPIKE = 700_123
STEPS = 1_000_000


def make_run(api, project):
    made = Run(api, "r1", f"/api/v1/projects/ann/{project}")
    made.writer = made.join("rank0")
    return made


@pytest.fixture
def run(api, request):
    return make_run(api, request.node.name.partition("[")[0].replace("_", "-")[:60])


def send_rows(run, rows, size=2000):
    for start in range(0, len(rows), size):
        run.writer.send(history=rows[start:start + size])


def panel(page, key):
    return page.get_by_role("article", name=f"Chart of {key}", exact=True)


def open_charts(screen, base, run, query="", **options):
    one = screen(**{"viewport": {"width": 1440, "height": 900}, **options})
    sign_in(one.page, f"{address(base, run, 'runs', run.name, 'charts')}{query}")
    one.page.locator(".chart-bar").first.wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    return one


def complaints(one):
    """But for what the test's own reading of canvases brings about."""
    return [text for text in one.complaints if "willReadFrequently" not in text]


def drawn(page, key):
    """The panel's canvas, once something is drawn on it."""
    panel(page, key).locator("canvas").wait_for()
    return panel(page, key).locator("canvas")


INK = """(canvas, [left, right, top, bottom]) => {
    const { width, height } = canvas;
    const at = (share, size) => Math.round(share * size);
    const [x, y] = [at(left, width), at(top, height)];
    const data = canvas.getContext('2d').getImageData(x, y, Math.max(1, at(right, width) - x), Math.max(1, at(bottom, height) - y)).data;
    let ink = 0;
    for (let i = 0; i < data.length; i += 4) {
        const [r, g, b, a] = data.slice(i, i + 4);
        if (a > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 30) ink++;
    }
    return ink;
}"""


def ink(page, key, left, right, top, bottom):
    """Coloured dots in a part of the canvas; grid and labels are grey."""
    return drawn(page, key).evaluate(INK, [left, right, top, bottom])


LINES = """canvas => {
    const x = Math.round(canvas.width / 2);
    const { data } = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height);
    const strength = (at) => Math.max(...data.slice(at, at + 3)) - Math.min(...data.slice(at, at + 3));
    let lines = 0;
    for (let at = 0, was = false; at < data.length; at += 4) {
        const isInk = data[at + 3] > 20 && strength(at) > 15;
        lines += isInk && !was;
        was = isInk;
    }
    return lines;
}"""


def lines_at_middle(chart):
    """How many lie above each other there; a band is one."""
    return chart.locator("canvas").evaluate(LINES)


def test_kinds_of_values(screen, base, run):  # noqa: F811
    """NaN, infinities, gaps, nothing but NaN, one point, the greatest numbers and the least: all are seen and told."""
    rows = []
    for step in range(600):
        row = {"_step": step, "ok": 2 + random.random(), "huge": (-1) ** step * 1e300 * (step % 7), "odd": 1.0,
               "all_nan": float("nan"), "all_inf": float("-inf"), "deep": -1e300, "least": 5e-324 * (1 + step % 9)}
        if 200 <= step < 220:
            row["odd"] = float("nan")
        if step == 400:
            row["odd"] = float("inf")
        if not 100 <= step < 400:
            row["gap"] = 5.0
        rows.append(row)
    rows[300]["once"] = 3.0
    send_rows(run, rows)
    one = open_charts(screen, base, run)
    page = one.page
    for key in "ok", "huge", "odd", "all_nan", "all_inf", "deep", "least", "gap", "once":
        drawn(page, key)
    for key in "deep", "least":
        assert ink(page, key, 0.2, 1, 0, 0.9) > 50, f"a line of {key}"
    panel(page, "all_inf").get_by_text("600 Inf").wait_for()
    panel(page, "odd").get_by_text("20 NaN · 1 Inf").wait_for()
    assert ink(page, "odd", 0.4, 0.46, 0.8, 0.9) > 5, "crosses at the lower edge"
    panel(page, "all_nan").get_by_text("600 NaN").wait_for()
    assert ink(page, "all_nan", 0.15, 1, 0.7, 0.95) > 100
    assert ink(page, "gap", 0.15, 0.25, 0, 0.9) > 0 and ink(page, "gap", 0.35, 0.65, 0, 0.9) == 0, "a gap is a gap"
    assert ink(page, "once", 0.4, 0.7, 0, 0.9) > 3, "one point is a dot"
    assert ink(page, "huge", 0.2, 1, 0.1, 0.9) > 500
    assert not complaints(one)


@pytest.mark.long
def test_a_logarithm_of_what_is_below_zero(screen, base, run):  # noqa: F811
    """What a logarithm has no place for is counted; a symmetric one is offered there, and draws both sides of zero."""
    send_rows(run, [{"_step": step, "a": (-1) ** (step >= 50) * 10 ** (3 - step % 50 / 8)} for step in range(100)])
    one = open_charts(screen, base, run, query="?log=y")
    page = one.page
    below = panel(page, "a").get_by_role("button", name="50 ≤ 0")
    below.wait_for()
    assert ink(page, "a", 0.15, 0.5, 0, 0.9) > 30 and ink(page, "a", 0.62, 0.95, 0, 0.9) == 0, "half of it has no logarithm"
    below.click()
    page.wait_for_url(re.compile(r"[?&]log=sym(&|$)"))
    below.wait_for(state="detached")
    upper, lower = (0.1, 0.4), (0.55, 0.85)
    wait_until(lambda: ink(page, "a", 0.62, 0.95, *lower) > 30, what="the half below zero")
    assert ink(page, "a", 0.15, 0.45, *upper) > 30
    # Falling by a power of ten at a time is a straight line down, and a straight line back up to zero.
    assert ink(page, "a", 0.15, 0.45, *lower) == 0 and ink(page, "a", 0.62, 0.95, *upper) == 0
    page.go_back()
    below.wait_for()
    assert not complaints(one)


def test_what_failed_in_a_panel(screen, base, run):  # noqa: F811
    """What, since when, the id of the request to copy, and a way to ask again, which brings the lines."""
    send_rows(run, [{"_step": step, "a": step} for step in range(5)])
    one = screen(viewport={"width": 1440, "height": 900})
    page = one.page
    refused = {"status": 422, "detail": "This was not computed.", "request_id": "0123abcd"}
    page.route("**/api/v1/**/series", lambda route: route.fulfill(status=422, json=refused))
    sign_in(page, address(base, run, "runs", run.name, "charts"))
    fault = panel(page, "a").locator(".fault")
    fault.get_by_text(re.compile(r"This was not computed\. Since \d+:\d\d:\d\d.*\.")).wait_for()
    assert fault.locator("code").inner_text() == "0123abcd"
    assert faults_of(page) == []
    fault.get_by_role("button", name="Copy the id of the request").click()
    copied = page.get_by_label("Selected: copy it with Ctrl C")
    assert copied.and_(page.locator("textarea")).input_value() == "0123abcd"
    page.keyboard.press("Escape")
    copied.first.wait_for(state="detached")
    page.unroute("**/api/v1/**/series")
    fault.get_by_role("button", name="Try again").click()
    drawn(page, "a")
    fault.wait_for(state="detached")


def test_a_spike_of_one_row_is_seen(screen, base, run):  # noqa: F811
    """One row in a million steps, at every zoom; and zooming fetches finer buckets."""
    rows = [{"_step": step, "loss": 1 + step // 50 % 5 / 100} for step in range(0, STEPS, 50)]
    rows.append({"_step": SPIKE, "loss": 9.0})
    rows.sort(key=lambda row: row["_step"])
    send_rows(run, rows, 5000)
    one = open_charts(screen, base, run, "?outliers=show")
    page = one.page
    assert ink(page, "loss", 0.6, 0.85, 0.1, 0.5) > 20, "it reaches up"
    assert ink(page, "loss", 0.2, 0.6, 0.1, 0.5) == 0
    page.goto(f"{page.url}&smooth=0.99")
    assert ink(page, "loss", 0.6, 0.85, 0.1, 0.5) > 20, "smoothing does not hide it"
    page.goto(page.url.replace("outliers=show&", ""))
    drawn(page, "loss")
    above = panel(page, "loss").get_by_role("button", name="⌃ 1 above")
    stands = above.element_handle()
    stands.focus()
    before = panel(page, "loss").locator("canvas").element_handle()
    page.keyboard.press("l")
    page.wait_for_url("**log=y*")
    page.wait_for_function("(canvas) => !canvas.isConnected", arg=before)
    assert stands.evaluate("(node) => node === document.activeElement"), "it is not made anew by what is drawn"
    page.keyboard.press("l")
    page.wait_for_function("() => !location.search.includes('log=')")
    above.click()
    page.wait_for_url("**outliers=show*")
    page.go_back()
    page.wait_for_function("() => !location.search.includes('outliers=')")
    clip = page.get_by_role("switch", name="Clip")
    page.wait_for_function("(clip) => clip.getAttribute('aria-checked') === 'true'", arg=clip.element_handle())
    log = page.get_by_role("switch", name="Log y")
    log.click()
    page.wait_for_url("**log=y*")
    page.go_back()
    page.wait_for_function("(log) => log.getAttribute('aria-checked') === 'false'", arg=log.element_handle())
    assert "log=" not in page.url and "outliers=" not in page.url
    page.keyboard.press("c")
    page.wait_for_url("**outliers=show*")
    above.wait_for(state="hidden")
    page.keyboard.press("c")
    page.wait_for_function("() => !location.search.includes('outliers=')")
    above.wait_for()
    clip.click()
    page.wait_for_url("**outliers=show*")
    with page.expect_request(lambda request: '"to":' in (request.post_data or "")) as asked:
        box = panel(page, "loss").locator(".u-over").bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.68, box["y"] + 50)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 0.73, box["y"] + 50, steps=4)
        page.mouse.up()
    question = json.loads(asked.value.post_data)["panels"][0]
    assert STEPS * 0.6 < question["from"] < SPIKE < question["to"] < STEPS * 0.8
    page.wait_for_url("**zoom=*")
    assert ink(page, "loss", 0.2, 0.9, 0.1, 0.5) > 20
    panel(page, "loss").locator(".u-over").dblclick()
    page.wait_for_function("() => !location.search.includes('zoom')")
    assert not complaints(one)


STRENGTH = """canvas => {
    const [left, width] = [Math.round(canvas.width * 0.6), Math.round(canvas.width * 0.35)];
    const { data } = canvas.getContext('2d').getImageData(left, Math.round(canvas.height * 0.4), width, Math.round(canvas.height * 0.2));
    let most = 0;
    for (let at = 0; at < data.length; at += 4) {
        const parts = data.slice(at, at + 3);
        if (Math.max(...parts) - Math.min(...parts) > 90) most = Math.max(most, data[at + 3]);
    }
    return most / 255;
}"""  # of the strongest coloured dot where only what is not smooth reaches


@pytest.mark.long
def test_smoothed_by_hand(screen, base, run):  # noqa: F811
    """By the slider and by + and -; behind the smooth line the raw one stays, at a fifth of its strength."""
    send_rows(run, [{"_step": step, "loss": step % 2} for step in range(100)])
    one = open_charts(screen, base, run, "?band=none&outliers=show")
    page = one.page
    slider, told = page.get_by_role("slider", name="Smoothing"), page.locator(".chart-bar output")

    def smoothed(by, weight, said, strength):
        page.wait_for_function("(weight) => new URLSearchParams(location.search).get('smooth') === weight", arg=weight)
        assert told.inner_text() == said
        wait_until(lambda: abs(drawn(page, "loss").evaluate(STRENGTH) - strength) < 0.1, what=f"what is not smooth at {strength} by {by}")
    smoothed("nothing", None, "0.00", 1)
    slider.press("End")
    smoothed("End", "0.999", "0.999", 0.2)
    slider.press("Home")
    smoothed("Home", None, "0.00", 1)
    for _ in range(10):
        page.keyboard.press("+")
    smoothed("+", "0.9", "0.90", 0.2)
    page.keyboard.press("-")
    smoothed("-", "0.874", "0.87", 0.2)
    assert slider.get_attribute("aria-valuetext") == "0.874"
    page.reload()
    smoothed("the address", "0.874", "0.87", 0.2)
    assert not complaints(one)


def test_rows_that_come(screen, base, run):  # noqa: F811
    """They are fetched from the last bucket on, and a new key gets a panel."""
    send_rows(run, [{"_step": step, "loss": 1.0} for step in range(100)])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "loss")
    with page.expect_request("**/series") as asked:
        send_rows(run, [{"_step": step, "loss": 2.0} for step in range(100, 120)])
    assert json.loads(asked.value.post_data)["panels"][0]["from"] > 90
    panel(page, "loss").get_by_text("last 2").wait_for(state="attached")
    send_rows(run, [{"_step": 130, "accuracy": 0.5}])
    drawn(page, "accuracy")
    assert not complaints(one)


NOTE_ANSWERS = """() => {
    const ask = window.fetch;
    window.whole = []; /* questions for all rows of a panel, and their answers */
    window.fetch = async (url, options) => {
        const answer = await ask(url, options);
        const [panel] = String(url).endsWith('/series') ? JSON.parse(options.body).panels : [{ from: 0 }];
        if (panel.from === undefined) answer.clone().text().then((text) => window.whole.push([panel, text]));
        return answer;
    };
}"""


@pytest.mark.long
def test_who_comes_back_is_sent_no_values_again(screen, base, run):  # noqa: F811
    """The answer at hand is asked by its ETag: it is the same until its run got rows."""
    send_rows(run, [{"_step": step, "loss": 1.0} for step in range(100)])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "loss")
    page.evaluate(NOTE_ANSWERS)

    def go(tab):
        page.get_by_role("navigation", name="Parts of the run").get_by_role("link", name=tab).click()

    def came_back(number):
        """(its panel was asked by its ETag, it is the same)"""
        go("Charts")
        page.wait_for_function(f"() => window.whole.length >= {number}")
        panel_asked, answer = page.evaluate(f"window.whole[{number - 1}]")
        drawn(page, "loss")
        return bool(panel_asked.get("etag")), '"same"' in answer and '"series"' not in answer

    go("Overview")
    assert came_back(1) == (True, True)
    go("Overview")
    send_rows(run, [{"_step": 100, "loss": 2.0}])
    page.get_by_text("step 100", exact=True).wait_for()  # all that is told of them came while the charts were not seen
    assert came_back(2) == (True, False)
    panel(page, "loss").get_by_text("last 2").wait_for(state="attached")
    go("Overview")
    assert came_back(3) == (True, True)
    assert not complaints(one)


def told_at_right_end(page, key, words):
    """What hangs under the panel where its axis ends."""
    over = panel(page, key).locator(".u-over").bounding_box()
    for px in 3, 2:
        page.mouse.move(over["x"] + over["width"] - px, over["y"] + 60)
    panel(page, key).locator(".tip").get_by_text(words, exact=True).wait_for()


CUT = """article => {
    const head = article.querySelector('header').getBoundingClientRect();
    const plot = article.querySelector('.plot').getBoundingClientRect();
    const tools = article.querySelector('.tools');
    const right = getComputedStyle(tools).opacity === '0' ? head.right : tools.getBoundingClientRect().left;
    const isWithin = (box) => box.width && box.left >= head.left && box.right <= right && box.bottom <= Math.min(head.bottom, plot.top) + 1;
    const marks = [...article.querySelectorAll('.mark')];
    const around = article.querySelector('.marks').getBoundingClientRect();
    return marks.filter((mark) => {
        const box = mark.getBoundingClientRect();
        return !isWithin(box) || box.bottom > around.bottom + 1;
    }).map((mark) => mark.textContent);
}"""


@pytest.mark.long
def test_counts_are_not_cut(screen, base, run):  # noqa: F811
    """What is clipped away is told in a panel of usual size, with a hand on it and on paper, too."""
    far = {100: 1e6, 101: 1e6, 102: -1e6}
    send_rows(run, [{"_step": step, "train/grad_norm": float("inf") if step < 10 else far.get(step, step % 5),
                     "train/a": 1, "train/b": 1} for step in range(410)])
    one = open_charts(screen, base, run, viewport={"width": 1000, "height": 900})
    page, chart = one.page, panel(one.page, "train/grad_norm")
    for name in r"^⌃ \d+ above$", r"^⌄ \d+ below$":
        chart.get_by_role("button", name=re.compile(name)).wait_for()
    chart.get_by_text("10 Inf").wait_for()
    assert 250 < chart.bounding_box()["width"] < 330
    assert chart.evaluate(CUT) == []
    top = chart.locator(".plot").bounding_box()
    chart.locator("h3").hover()
    assert chart.evaluate(CUT) == []
    assert chart.locator(".plot").bounding_box() == top, "nothing moves below the hand"
    page.emulate_media(media="print")
    assert chart.evaluate(CUT) == []
    assert not complaints(one)


@pytest.mark.long
def test_the_newest_row_is_drawn(screen, base, run):  # noqa: F811
    """The axis ends with the row that came last, and one behind a gap is a dot at once."""
    send_rows(run, [{"_step": step, "m": step} for step in range(10)])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "m")
    send_rows(run, [{"_step": step, "m": step} for step in range(10, 15)])
    panel(page, "m").get_by_text("last 14").wait_for(state="attached")
    told_at_right_end(page, "m", "step 14")
    page.mouse.move(0, 0)
    send_rows(run, [{"_step": 30, "m": 30}])
    panel(page, "m").get_by_text("last 30").wait_for(state="attached")
    told_at_right_end(page, "m", "step 30")
    page.mouse.move(0, 0)
    panel(page, "m").locator(".tip").wait_for(state="hidden")
    assert ink(page, "m", 0.9, 1, 0, 0.3) > 5
    assert ink(page, "m", 0.6, 0.85, 0, 1) == 0, "and silence between"
    assert not complaints(one)


@pytest.mark.long
def test_sections_and_search(screen, base, run):  # noqa: F811
    """A large section is closed and fetches nothing; search opens what matches; 12 panels are enough at first."""
    run.writer.send(history=[{f"grad/layer{number}": number for number in range(80)} | {"train/loss": 1, "gain": 2}])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "train/loss")
    assert page.get_by_role("button", name="grad", exact=True).get_attribute("aria-expanded") == "false"
    assert not page.locator("[data-panel^='grad/']").count()
    page.get_by_role("searchbox").fill("layer1")
    drawn(page, "grad/layer1")
    assert page.locator("article").count() == 11 and "panels=layer1" in page.url
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="grad", exact=True).click()
    page.get_by_role("button", name="Show 40 more").click()
    page.locator("[data-panel^='grad/']").nth(51).wait_for(state="attached")
    assert page.locator("[data-panel^='grad/']").count() == 52
    page.reload()
    page.get_by_role("searchbox").wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_panels_by_keyboard(screen, base, run):  # noqa: F811
    """The cursor speaks, the table says the same, full screen moves on, and the address keeps it all."""
    send_rows(run, [{"_step": step, "a": step * 2, "b": step} for step in range(50)])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "a")
    panel(page, "a").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    panel(page, "a").get_by_role("status").get_by_text("step 1, r1 2").wait_for(state="attached")
    page.keyboard.press("l")
    page.wait_for_url("**log=y*")
    panel(page, "a").get_by_role("button", name="1 ≤ 0").wait_for()
    page.keyboard.press("f")
    page.wait_for_url("**panel=a*")
    dialog = page.get_by_role("dialog", name="Full screen")
    dialog.get_by_role("button", name="Next").click()
    dialog.get_by_role("article", name="Chart of b").locator("canvas").wait_for()
    dialog.get_by_role("article", name="Chart of b").focus()
    page.keyboard.press("ArrowUp")
    dialog.get_by_role("article", name="Chart of a").locator("canvas").wait_for()
    page.keyboard.press("ArrowDown")
    dialog.get_by_role("article", name="Chart of b").locator("canvas").wait_for()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="CSV").click()
    assert download.value.path().read_text().splitlines()[1].startswith("r1,r1,b,0,0,")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !location.search.includes('panel=')")
    panel(page, "a").hover()
    panel(page, "a").get_by_role("button", name="Show as table").click()
    assert panel(page, "a").get_by_role("row").nth(1).inner_text().split("\t")[:3] == ["r1", "0", "98"]
    page.reload()
    drawn(page, "a")
    assert page.get_by_role("switch", name="Log y").get_attribute("aria-checked") == "true"
    assert not complaints(one)


@pytest.mark.long
def test_full_screen_whatever_comes_first(screen, base, run, api, wait_for):  # noqa: F811
    """The panel of the address is open, also where its keys come before the list of runs; there its lines have names."""
    send_rows(run, [{"_step": step, "a": step} for step in range(5)])
    for number in range(2, 9):
        api.post(f"{run.path.rpartition('/')[0]}/more{number}/history", [{"_step": step, "a": number} for step in range(5)])
    wait_for(lambda: api.get(run.path.rpartition("/")[0], filter="has:summary.a", count="true").json["count"] == 8, what="8 runs that are found")
    one, held = screen(viewport={"width": 1440, "height": 900}), []
    page = one.page
    sign_in(page, address(base, run))
    page.get_by_role("grid").wait_for()
    one.complaints.clear()
    is_held = True
    page.route("**/runs?*", lambda route: held.append(route) if is_held else route.continue_())
    with page.expect_response("**/keys?*"):
        page.goto(f"{address(base, run)}?panel=a")
    wait_for(lambda: page.title() is not None and held, what="the list that is asked for")
    is_held = False
    for route in held:
        route.continue_()
    dialog = page.get_by_role("dialog", name="Full screen")
    dialog.locator("canvas").wait_for()
    assert dialog.locator(".legend > span").count() == 8
    assert not complaints(one)


def point_at(page, chart, x, y):
    """Where these shares of the plot are, as a hand comes there."""
    box = chart.locator(".u-over").bounding_box()
    at = box["x"] + box["width"] * x, box["y"] + box["height"] * y
    page.mouse.move(at[0] - 3, at[1])
    page.mouse.move(*at)
    return at


@pytest.mark.long
def test_x_that_goes_back(screen, base, run, api, wait_for):  # noqa: F811
    """Rows are joined in their order where their x goes back and forth, or along x where that is wanted."""
    send_rows(run, [{"_step": step, "a": step, "turn": 10 - abs(step - 10), "time": step / 2} for step in range(21)])
    project = run.path.rpartition("/")[0]
    wait_for(lambda: api.get(project, filter="has:summary.a", count="true").json["count"] == 1, what="a run that is found")
    one = open_charts(screen, base, run, query="?x=turn")
    page = one.page
    drawn(page, "a")
    chart = panel(page, "a")
    chart.get_by_role("button", name="Sort by x").wait_for()
    wait_until(lambda: lines_at_middle(chart) == 2, what="there and back")
    chart.get_by_text("r1; last 20.").wait_for(state="attached")
    chart.locator(".u-over").hover()
    chart.locator(".tip").get_by_text(re.compile("^(4 to 16|5 to 15)$")).wait_for()
    chart.locator(".tip").get_by_text("2 rows here").wait_for()
    assert faults_of(page) == []
    assert chart.locator(".tip b.clip").count() == 0, "between the ways there and back"
    point_at(page, chart, 0.5, 0.25)
    chart.locator(".tip b.clip").get_by_text("r1").wait_for()
    point_at(page, chart, 0.86, 0.5)

    def by_steps(request):
        return [one for one in json.loads(request.post_data or "{}").get("panels", []) if one["x"] == "_step" and "from" in one]
    with page.expect_request(by_steps) as fine:
        page.mouse.down()
        point_at(page, chart, 0.99, 0.5)
        page.mouse.up()
    asked = {(asked["from"], asked["to"]) for asked in by_steps(fine.value)}
    assert len(asked) == 1 and all(5 <= first <= 8 and 12 <= last <= 15 for first, last in asked), "rows that are seen, and those beside them"
    chart.get_by_role("button", name="Reset zoom").click()
    chart.get_by_role("button", name="Reset zoom").wait_for(state="hidden")
    chart.get_by_role("button", name="Sort by x").click()
    chart.get_by_text("r1; last 10.").wait_for(state="attached")
    chart.get_by_role("button", name="Join in row order").wait_for()
    wait_until(lambda: lines_at_middle(chart) == 1, what="means along x")
    page.reload()
    chart.get_by_role("button", name="Join in row order").click()
    wait_until(lambda: lines_at_middle(chart) == 2, what="there and back")
    chart.hover()
    chart.get_by_role("button", name="Full screen").click()
    full = page.get_by_role("dialog", name="Full screen")
    full.locator("canvas").wait_for()
    wait_until(lambda: lines_at_middle(full) == 2, what="there and back in full screen")
    with page.expect_download() as download:
        full.get_by_role("button", name="SVG").click()
    assert download.value.path().read_text().split('<path d="')[1].count("L") == 20, "all rows"
    page.keyboard.press("Escape")
    page.get_by_role("toolbar", name="Charts").get_by_label("x", exact=True).select_option(label="time")
    page.wait_for_url("**x=time**")
    chart.get_by_text("r1; last 20.").wait_for(state="attached")
    chart.get_by_role("button", name="Sort by x").wait_for(state="detached")
    page.goto(f"{address(base, run)}?x=turn")
    drawn(page, "a")
    chart.get_by_role("button", name="Sort by x").wait_for()
    wait_until(lambda: lines_at_middle(chart) == 2, what="there and back")
    at = point_at(page, chart, 0.5, 0.75)
    chart.locator(".tip b.clip").get_by_text("r1").wait_for()
    page.mouse.click(*at)
    page.get_by_role("row", name="r1", selected=True).wait_for()
    assert not complaints(one)


DEFINED = [{"1": "epoch", "6": [3], "7": []}, {"1": "secret", "6": [2, 3]}, {"2": "val/*", "5": 1, "6": [1], "7": [2]}]


def test_x_and_panels_as_the_program_defined_them(screen, base, run, api, wait_for):  # noqa: F811
    """What define_metric() says counts, of the first run that says it, until somebody says an x: also that it be steps."""
    api.patch(f"{run.path}/config", {"_wandb": {"m": DEFINED}})
    send_rows(run, [{"_step": step, "loss": 1.0, "secret": 2.0, **({"epoch": step // 5, "val/acc": step / 20} if step % 5 == 4 else {})}
                    for step in range(20)])
    other = Run(api, "r2", run.path.rpartition("/")[0].rpartition("/")[0])
    other.writer = other.join("rank0")
    send_rows(other, [{"_step": step, "val/acc": step / 3, **{f"many/{at:03}": 1 for at in range(301)}} for step in range(4)])
    count = {"filter": "has:summary.val/acc", "count": "true", "limit": 1}
    wait_for(lambda: api.get(run.path.rpartition("/")[0], **count).json["count"] == 2, what="two runs that are found")
    one = open_charts(screen, base, run)
    page = one.page
    asked = []  # (keys, x) of panels
    page.on("request", lambda request: asked.extend(
        (tuple(one["keys"]), one["x"]) for one in json.loads(request.post_data or "{}").get("panels", [])))
    page.reload()
    acc = panel(page, "val/acc")
    drawn(page, "val/acc")
    drawn(page, "loss")
    acc.get_by_text("along epoch").wait_for()
    assert {(("loss",), "_step"), (("val/acc",), "epoch")} <= set(asked)
    assert not {(("loss",), "epoch"), (("val/acc",), "_step"), (("secret",), "_step")} & set(asked)
    assert panel(page, "loss").get_by_text("along").count() == 0 and panel(page, "secret").count() == 0
    page.get_by_role("searchbox", name="Panels (regex)").fill("secret")
    drawn(page, "secret")
    page.get_by_role("searchbox", name="Panels (regex)").fill("")
    panel(page, "secret").wait_for(state="detached")
    x = page.get_by_role("toolbar", name="Charts").get_by_label("x", exact=True)
    assert x.evaluate("select => select.selectedOptions[0].text") == "As defined"
    with page.expect_request(lambda request: '"x":"_step"' in (request.post_data or "") and "val/acc" in request.post_data):
        x.select_option(label="Step")
    page.wait_for_url("**x=step**")
    acc.get_by_text("along").wait_for(state="detached")
    x.select_option(label="As defined")
    page.wait_for_url(lambda url: "x=" not in url)
    acc.get_by_text("along epoch").wait_for()
    for query in "", "?group=state":
        page.goto(address(base, run) + query)
        acc.get_by_text("along epoch").wait_for()
        panel(page, "secret").wait_for(state="detached")
        assert page.locator(".chart-bar").evaluate("bar => bar.clientHeight") < 60, "one row, beside the list, too"
    page.goto(address(base, run))
    acc.get_by_text('1 of 2 runs has no "epoch". Use step instead.').wait_for()
    assert faults_of(page) == [] and not complaints(one)


def pick_another(page, label, key):
    label.select_option(label="Another key…")
    keys = page.get_by_role("dialog", name="Keys")
    keys.get_by_role("searchbox").fill(key)
    keys.get_by_role("checkbox", name=key, exact=True).click()
    keys.wait_for(state="detached")


@pytest.mark.long
def test_any_of_many_keys_is_x(screen, base, run):  # noqa: F811
    """Those, too, that the list has no room for: of the page, and of a panel."""
    send_rows(run, [{"_step": step, "a": step, **{f"many/{at:03}": step for at in range(310)}} for step in range(4)])
    one = open_charts(screen, base, run)
    page = one.page
    drawn(page, "a")
    x = page.get_by_role("toolbar", name="Charts").get_by_label("x", exact=True)
    assert x.get_by_role("option", name="many/309").count() == 0
    x.select_option(label="Another key…")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    assert x.input_value() == "step"
    pick_another(page, x, "many/309")
    page.wait_for_url("**x=many**309**")
    assert x.input_value() == "many/309"
    chart = panel(page, "a")
    chart.hover()
    chart.get_by_role("button", name="Full screen").click()
    edit = page.get_by_role("toolbar", name="Panel").get_by_label("x", exact=True)
    pick_another(page, edit, "many/308")
    page.get_by_role("dialog", name="Full screen").get_by_text("along many/308").wait_for()
    assert edit.input_value() == "many/308" and "many/308" in page.evaluate("new URLSearchParams(location.search).get('layout')")
    assert not complaints(one)


CURSOR = """panel => {
    const over = panel.querySelector('.u-over');
    const { left, width } = over.getBoundingClientRect();
    return (panel.querySelector('.u-cursor-x').getBoundingClientRect().left - left) / width;
}"""


@pytest.mark.long
def test_cursor_in_panels_of_another_x(screen, base, run):  # noqa: F811
    """The same row: by how many are before it, or by the step; not where x goes back."""
    send_rows(run, [{"_step": step, "_timestamp": 1000 + step * step, "a": step, "far": step * step, "turn": abs(step - 10)} for step in range(21)])
    panels = {":1": {"keys": ["a"], "x": "rel", "title": "by time"}, ":2": {"keys": ["a"], "x": "far", "title": "by far"},
              ":3": {"keys": ["a"], "x": "turn", "title": "by turn"}}
    one = open_charts(screen, base, run, query="?layout=" + quote(json.dumps({"panels": panels})), viewport={"width": 1440, "height": 1400})
    page = one.page
    for name in ("a", "by time", "by far", "by turn"):
        drawn(page, name)
    panel(page, "by turn").get_by_role("button", name="Sort by x").wait_for()

    def shown():
        return {name: panel(page, name).evaluate(CURSOR) for name in ("a", "by time", "by far", "by turn")}

    def follows(name, share, places):
        box = panel(page, name).locator(".u-over").bounding_box()
        x, y = box["x"] + box["width"] * share, box["y"] + box["height"] / 2

        def near():
            page.mouse.move(x + 1, y)
            page.mouse.move(x, y)
            now = shown()
            return all(abs(now[other] - place) < 0.04 if place is not None else now[other] < 0 for other, place in places.items())
        wait_until(near, what=f"{places} of {name}")

    follows("a", 0.5, {"by time": 0.25, "by far": 0.25, "by turn": 0})
    follows("by time", 0.25, {"a": 0.5, "by far": None})
    follows("by far", 0.25, {"a": 0.5, "by time": None})
    follows("by turn", 0.5, {"a": None, "by time": None})
    page.mouse.move(2, 2)
    wait_until(lambda: all(place < 0 for place in shown().values()), what="no cursor")
    assert not complaints(one)


FAR = """(canvas, name) => {
    const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const hue = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let far = Infinity;
    for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 200) far = Math.min(far, Math.hypot(...hue.map((part, nth) => part - data[at + nth])));
    }
    return far;
}"""  # of a name's colour from what is drawn


@pytest.mark.parametrize("size, scheme", WIDE_LOOK)
def test_anybody_can_use_it(screen, base, run, size, scheme):  # noqa: F811
    send_rows(run, [{"_step": step, "train/loss": 1 / (step + 1), "train/odd": float("nan")} for step in range(50)])
    one = open_charts(screen, base, run, viewport=SIZES[size], color_scheme=scheme)
    drawn(one.page, "train/loss")
    assert faults_of(one.page) == []
    one.page.evaluate("localStorage.setItem('cairn-palette', 'strong'); dispatchEvent(new Event('look-chosen'))")
    hue = f"--s{run.get()['color_slot'] % 8 + 1}"
    wait_until(lambda: drawn(one.page, "train/loss").evaluate(FAR, hue) < 45, what="a line in its strong colour")
    assert faults_of(one.page) == []
    assert not complaints(one)


MOUNT = """async ([project, runs, groups]) => {
    const folder = document.querySelector('script[type=module]').src.replace('main.js', '');
    const { panelGrid } = await import(folder + 'chart/panel/panel_grid.js');
    window.grid = panelGrid({ entity: 'ann', project, runs, keys: ['loss', 'gain'], groups });
    document.querySelector('main').replaceChildren(window.grid.node);
}"""


@pytest.fixture
def many(api, request):
    """Ten runs; half of them know no gain."""
    project = request.node.name.partition("[")[0].replace("_", "-")[:60]
    made = [Run(api, f"m{number}", f"/api/v1/projects/ann/{project}") for number in range(10)]
    for number, run in enumerate(made):
        run.writer = run.join("rank0")
        more = {"gain": 0.1} if number % 2 else {}
        send_rows(run, [{"_step": step, "loss": number + step % 2 / 4, **more} for step in range(200)])
    return made


def mount(page, many, runs=range(10), groups=()):
    lines = [{"id": f"m{number}", "name": f"run {number}", "slot": number, "color": None} for number in runs]
    page.evaluate(MOUNT, [many[0].path.split("/")[5], lines, list(groups)])


def tips(page):
    return page.locator(".tip:not([hidden])")


def test_many_runs(screen, plain_base, many):  # noqa: F811
    """One request for all panels; one tooltip, under the panel pointed at; the run pointed at is in focus in all."""
    one = open_charts(screen, plain_base, many[0])
    page = one.page
    drawn(page, "loss")
    before = len(one.asked)
    mount(page, many)
    drawn(page, "gain")
    drawn(page, "loss")
    assert sum(url.endswith("/series") for url in one.asked[before:]) == 1
    panel(page, "loss").get_by_text("10 lines; last 0.25 to 9.25; lowest run 0.").wait_for(state="attached")
    box = panel(page, "loss").locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5)
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] * 0.5)
    tips(page).get_by_text("run 9").wait_for()
    assert tips(page).count() == 1
    assert tips(page).locator(".tip-row").count() == 10
    held = tips(page).inner_text()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + box["height"] * 0.5)
    page.mouse.move(2, 2)
    assert tips(page).inner_text() == held, "with Shift the cursor stays where it is"
    page.keyboard.up("Shift")
    page.wait_for_function("() => !document.querySelector('.tip:not([hidden])')")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.5)
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] * 0.5)
    tips(page).get_by_text("run 9").wait_for()
    page.mouse.move(2, 2)
    page.wait_for_function("() => !document.querySelector('.tip:not([hidden])')")
    assert not complaints(one)


@pytest.mark.long
def test_values_of_a_panel_that_is_low_on_the_page(screen, plain_base, many):  # noqa: F811
    """They are seen whole, above the panel where there is no room under it."""
    one = open_charts(screen, plain_base, many[0])
    page = one.page
    drawn(page, "loss")
    mount(page, many)
    drawn(page, "loss")

    def sides(height):
        page.set_viewport_size({"width": 1440, "height": round(height)})
        page.mouse.move(2, 2)
        page.wait_for_function("() => !document.querySelector('.tip:not([hidden])')")
        point_at(page, panel(page, "loss"), 0.5, 0.5)
        tips(page).get_by_text("run 9").wait_for()
        tip, frame = tips(page).bounding_box(), panel(page, "loss").bounding_box()
        return tip["y"] - (frame["y"] + frame["height"]), frame["y"] - (tip["y"] + tip["height"]), frame["y"] + frame["height"]
    under, _, end = sides(1400)
    assert 0 < under < 10
    wait_until(lambda: 0 < sides(end + 30)[1] < 10, what="it stands above")
    assert not complaints(one)


STROKES = """() => {
    const { stroke } = CanvasRenderingContext2D.prototype;
    window.strokes = [];
    CanvasRenderingContext2D.prototype.stroke = function (...path) {
        if (path.length && this.canvas.isConnected) window.strokes.push(`${this.lineWidth} px${this.getLineDash().length ? ' dashed' : ''}`);
        stroke.apply(this, path);
    };
}"""  # of lines: what lies along an axis is no path of its own


@pytest.mark.long
def test_above_a_hundred_lines(screen, plain_base, many, api):  # noqa: F811
    """They are thin and have no dashes, and the one that is pointed at is told also where it is none of the greatest."""
    for number in range(10, 120):
        value = 50 if number == 60 else 100 + number / 100
        api.post(f"{many[0].path.rpartition('/')[0]}/m{number}/history", [{"_step": step, "loss": value, "gain": value} for step in (0, 199)])
    one = open_charts(screen, plain_base, many[0], "?outliers=show")
    page = one.page
    drawn(page, "loss")
    page.evaluate(STROKES)

    def looks(runs, words):
        page.evaluate("window.strokes = []")
        mount(page, many, runs)
        panel(page, "loss").get_by_text(words).wait_for(state="attached")
        drawn(page, "gain")
        return set(page.evaluate("strokes"))
    assert looks(range(100), "100 lines;") == {"1.5 px", "1.5 px dashed"}
    assert looks(range(120), "120 lines;") == {"1 px"}
    point_at(page, panel(page, "loss"), 0.5, 0.5)
    tips(page).locator("b.clip").get_by_text("run 60", exact=True).wait_for()
    assert tips(page).locator("b.clip").count() == 1 and tips(page).locator(".tip-row").count() == 10
    tips(page).get_by_text("and 110 more", exact=True).wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_groups_of_runs(screen, plain_base, many, wait_for):  # noqa: F811
    """The mean over all runs of a group, whatever else is shown."""
    one = open_charts(screen, plain_base, many[0])
    page = one.page
    mount(page, many, (), [{"name": "low", "members": ["m0", "m1"], "slot": 0},
                           {"name": "high", "members": ["m8", "m9"], "slot": 1}])
    drawn(page, "loss")
    panel(page, "loss").get_by_text("2 lines; last 0.75 to 8.75; lowest low.").wait_for(state="attached")
    assert panel(page, "loss").locator(".legend").inner_text().split() == ["low", "high"]
    assert not complaints(one)
