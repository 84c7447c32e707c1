"""Panels that people add, say things of, move, size and remove, of all kinds."""
import itertools
import json
import time
from urllib.parse import quote

import pytest

import panel_pages
from browsing import NARROW_LOOK, SIZES, faults_of
from cluster import wait_until
from panel_pages import add, layout_of, menu_of, ordered, tip_at, until
from runs import Run
from test_charts import complaints, drawn, panel, send_rows
from uploads import put

PROJECT = "/api/v1/projects/ann/panels"
api, runs, come = panel_pages.api, panel_pages.runs, panel_pages.come


def test_panels_are_added(come):
    """By an expression, all keys in one panel or one each; Ctrl+Z takes them away again, and the address has them."""
    one = come()
    page = one.page
    add(page, "^train/[ab]$", way="All in one")
    drawn(page, "train/a, train/b")
    both = panel(page, "train/a, train/b")
    both.get_by_text("6 lines; last 49 to 100; lowest r0 train/a.").wait_for(state="attached")
    assert both.locator(".legend").inner_text().split("\n")[:2] == ["r2 train/a", "r2 train/b"]
    ordered(page, "Pinned", [":1"])
    page.keyboard.press("p")
    dialog = page.get_by_role("dialog", name="Add panels")
    assert dialog.get_by_role("button", name="Pick keys first").is_disabled()
    dialog.get_by_role("searchbox").fill("nothing like it")
    dialog.get_by_text("No key matches.").wait_for()
    dialog.get_by_role("searchbox").fill("")
    page.keyboard.press("Escape")
    add(page, "gain", pick="gain")
    ordered(page, "Pinned", [":1", ":2"])
    page.reload()
    drawn(page, "train/a, train/b")
    assert len(layout_of(page)["panels"]) == 2
    add(page, "eval", pick="eval/acc")
    ordered(page, "Pinned", [":1", ":2", ":3"])
    page.keyboard.press("Control+z")
    ordered(page, "Pinned", [":1", ":2"])
    page.go_back()
    ordered(page, "Pinned", [":1", ":2", ":3"])
    assert not complaints(one)


@pytest.mark.long
def test_moved_and_sized(come):
    """By the mouse at head and corner, by keys after m, pinned and removed; each is undone."""
    one = come()
    page = one.page
    ordered(page, "train", ["train/a", "train/b", "train/c"])
    page.get_by_role("region", name="train", exact=True).scroll_into_view_if_needed()
    head, to = (panel(page, key).locator("header").first.bounding_box() for key in ("train/c", "train/a"))
    page.mouse.move(head["x"] + 20, head["y"] + 10)
    page.mouse.down()
    page.mouse.move(to["x"] + 60, to["y"] + 40, steps=5)
    page.locator(".drop-before").wait_for()
    page.mouse.up()
    ordered(page, "train", ["train/c", "train/a", "train/b"])
    page.keyboard.press("Control+z")
    ordered(page, "train", ["train/a", "train/b", "train/c"])
    panel(page, "train/a").hover()
    box = panel(page, "train/a").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 5, box["y"] + box["height"] - 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 1.6, box["y"] + box["height"] + 60, steps=5)
    page.mouse.up()
    until(page, "location.search.includes('layout')")
    size = layout_of(page)["panels"]["train/a"]
    assert size["w"] in (6, 7) and 220 <= size["h"] <= 260
    assert panel(page, "train/a").bounding_box()["width"] > box["width"] * 1.4
    panel(page, "train/b").focus()
    for key in ("m", "ArrowLeft", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    ordered(page, "train", ["train/b", "train/a", "train/c"])
    until(page, "document.activeElement.dataset.panel === 'train/b'")
    panel(page, "train/b").get_by_role("status").get_by_text("train/b: 1 of 3 in train").wait_for(state="attached")
    page.keyboard.press("Control+z")
    ordered(page, "train", ["train/a", "train/b", "train/c"])
    menu_of(page, "train/c", "Pin to the first section")
    ordered(page, "Pinned", ["train/c"])
    menu_of(page, "gain", "Remove")
    panel(page, "gain").wait_for(state="detached")
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    drawn(page, "gain")
    assert not complaints(one)


@pytest.mark.long
def test_all_that_is_asked_while_a_part_comes(come):
    """Two tables, when the part of them comes at last; two panels are removed, both when what removes them is there."""
    one = come()
    page = one.page
    page.route("**/panel_table*.js", lambda route: route.abort())
    tables = [panel(page, key).get_by_role("table") for key in ("train/a", "train/b")]
    for key in ("train/a", "train/b"):
        panel(page, key).get_by_role("button", name="Show as table").click()
    lost = page.get_by_role("status").filter(has_text="This part of the page could not be loaded.")
    lost.wait_for()
    assert not any(table.count() for table in tables)
    page.unroute("**/panel_table*.js")
    lost.get_by_role("button", name="Try again").click()
    for table in tables:
        table.wait_for()
    held = []
    page.route("**/layout_actions*.js", lambda route: held.append(route))
    with page.expect_request("**/layout_actions*.js"):
        menu_of(page, "train/a", "Remove")
    menu_of(page, "train/c", "Remove")
    held[0].continue_()
    ordered(page, "train", ["train/b"])
    assert layout_of(page)["removed"] == ["train/a", "train/c"]


NEXT_FRAME = "(url) => import(url).then(() => new Promise(requestAnimationFrame))"


@pytest.mark.long
def test_what_was_clicked_on_a_page_that_was_left(come):
    """It is not done on the next one: neither what comes late, nor what is undone there."""
    one = come()
    page = one.page
    held = []
    page.route("**/layout_actions*.js", lambda route: held.append(route))
    with page.expect_request("**/layout_actions*.js"):
        menu_of(page, "train/a", "Remove")

    def leave():
        page.get_by_role("link", name="r0", exact=True).first.click()
        page.get_by_role("heading", level=1, name="r0").wait_for()
        return page.url
    left = leave()
    held[0].continue_()
    page.evaluate(NEXT_FRAME, held[0].request.url)
    assert page.url == left
    page.go_back()
    ordered(page, "train", ["train/a", "train/b", "train/c"])
    menu_of(page, "train/a", "Remove")
    ordered(page, "train", ["train/b", "train/c"])
    until(page, "location.search.includes('layout')")
    left = leave()
    page.get_by_role("status").get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").wait_for(state="detached")
    page.evaluate(NEXT_FRAME, held[0].request.url)
    assert page.url == left
    assert not complaints(one)


@pytest.mark.long
def test_a_part_that_does_not_come(come):
    """One that is looked for at each move of the mouse is told once, and tried by and by; of what was clicked the last is done again."""
    one = come()
    page = one.page
    tries = []
    page.route("**/line_tip*.js", lambda route: (tries.append(time.monotonic()), route.abort()))
    page.route("**/layout_actions*.js", lambda route: route.abort())
    lost = page.get_by_role("status").filter(has_text="This part of the page could not be loaded.")
    box = drawn(page, "train/b").bounding_box()

    def point(at):
        page.mouse.move(box["x"] + box["width"] * (0.3 + at % 40 / 100), box["y"] + box["height"] / 2)
    point(0)
    lost.get_by_role("button", name="Close").click()
    for at in range(40):
        point(at)
    assert all(later - before >= 4.9 for before, later in zip(tries, tries[1:]))
    assert lost.count() == 0
    page.unroute("**/line_tip*.js")
    moves = itertools.count()
    wait_until(lambda: (point(next(moves)), page.locator(".tip:not([hidden])").count())[1], what="numbers under the mouse")

    for key in ("train/a", "train/c"):
        menu_of(page, key, "Remove")
        lost.wait_for()
    page.unroute("**/layout_actions*.js")
    lost.get_by_role("button", name="Try again").click()
    ordered(page, "train", ["train/a", "train/b"])
    assert layout_of(page)["removed"] == ["train/c"]


@pytest.mark.long
def test_said_of_a_panel(come):
    """The bar over a panel in full screen: what is said is seen at once, kept by the address, and undone."""
    one = come()
    page = one.page
    menu_of(page, "train/a", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    bar = full.get_by_role("toolbar", name="Panel")
    bar.get_by_label("Title").fill("My losses")
    full.get_by_role("heading", name="My losses").wait_for()
    zeros = lambda many: wait_until(lambda: drawing_of(page, full).count(">0</text>") == many, what=f"{many} axes with 0")  # noqa: E731
    bar.get_by_label("Axis from").fill("0.5")
    zeros(1)
    bar.get_by_role("button", name="From zero").click()
    zeros(2)
    assert bar.get_by_label("Axis from").input_value() == "0" and layout_of(page)["panels"]["train/a"]["min"] == 0
    bar.get_by_label("y", exact=True).select_option(label="Logarithm")
    bar.get_by_label("Axis from").fill("0.5")
    bar.get_by_label("Axis to").fill("100")
    bar.get_by_label("Smooth").fill("0.9")
    bar.get_by_role("button", name="1 key…").click()
    keys = page.get_by_role("dialog", name="Keys")
    keys.get_by_role("checkbox", name="train/b", exact=True).check()
    page.keyboard.press("Escape")
    bar.get_by_role("button", name="2 keys…").wait_for()
    until(page, "location.search.includes('train/b')")
    said = {"title": "My losses", "y": "log", "min": 0.5, "max": 100, "smooth": 0.9, "keys": ["train/a", "train/b"]}
    assert layout_of(page)["panels"]["train/a"] == said
    with page.expect_request("**/series") as asked:
        bar.get_by_label("x", exact=True).select_option(label="Wall clock")
    assert json.loads(asked.value.post_data)["panels"][0]["x"] == "_timestamp"
    bar.get_by_label("Axis from").fill("nonsense")
    until(page, "!location.search.includes('0.5')")
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    drawn(page, "My losses")
    page.keyboard.press("Control+z")
    until(page, "location.search.includes('0.5')")
    assert not complaints(one)


def drawing_of(page, full):
    with page.expect_download() as download:
        full.get_by_role("button", name="SVG", exact=True).click()
    with open(download.value.path(), encoding="utf-8") as file:
        return file.read()


def share_y(page):
    """All of the section have room for what one of them has to show."""
    page.get_by_role("button", name="Menu of the section train").click()
    page.get_by_role("menuitem", name="One y axis for all").click()
    until(page, "location.search.includes('sameY')")
    panel(page, "train/c").hover()
    panel(page, "train/c").get_by_role("button", name="Full screen").click()
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_role("article", name="Chart of train/c").locator("canvas").wait_for()
    wait_until(lambda: ">500</text>" in drawing_of(page, full), what="the reference line of train/a on the axis of train/c")
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")


def call_lines_by_keys(page):
    """Of the page, and of one panel in its own way; each is asked for once."""
    asked = []
    page.on("request", lambda request: "keys=summary." in request.url and asked.append(request.url))
    page.get_by_role("toolbar", name="Charts").get_by_role("button", name="Legend…").click()
    dialog = page.get_by_role("dialog", name="Names of lines")
    dialog.locator("option[value='summary.only/summary']").wait_for(state="attached")
    dialog.get_by_label("Key", exact=True).fill("summary.only/summary")
    dialog.get_by_role("button", name="Add the key").click()
    assert dialog.get_by_label("Pattern").input_value() == "{name} only/summary={summary.only/summary}"
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Apply").click()
    legend = panel(page, "gain").locator(".legend")
    legend.get_by_text("r2 only/summary=20").wait_for()
    panel(page, "gain").get_by_text("lowest r0 only/summary=0").wait_for(state="attached")
    menu_of(page, "gain", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_role("toolbar", name="Panel").get_by_role("button", name="Legend…").click()
    dialog.get_by_label("Pattern").fill("{id} {summary.train/b} {config.lr}")
    page.keyboard.press("Enter")
    full.locator(".legend").get_by_text("r1 99 —").wait_for()
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    legend.get_by_text("r1 99 —").wait_for()
    page.reload()
    legend.get_by_text("r1 99 —").wait_for()
    panel(page, "eval/acc").locator(".legend").get_by_text("r2 only/summary=20").wait_for()
    assert 3 <= len(asked) <= 5, asked


@pytest.mark.long
def test_reference_lines_and_a_baseline(come):
    """Lines at values and steps, which axes have room for and files have, too; a baseline has dashes of its own, and is named so."""
    one = come()
    page = one.page
    page.get_by_role("button", name="Menu of r0").click()
    page.get_by_role("menuitem", name="Pin as baseline").click()
    legend = panel(page, "train/a").locator(".legend > span").filter(has_text="r0")
    legend.get_by_text("baseline", exact=True).wait_for()
    legend.locator("i.base").wait_for()
    page.get_by_role("row").filter(has_text="r0").locator(".swatch i.base").first.wait_for()
    menu_of(page, "train/a", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    bar = full.get_by_role("toolbar", name="Panel")
    bar.get_by_role("button", name="Reference lines…").click()
    dialog = page.get_by_role("dialog", name="Reference lines")
    dialog.get_by_label("At").fill("five hundred")
    dialog.get_by_role("button", name="Apply").click()
    dialog.get_by_text("The position of a line must be a number.").wait_for()
    dialog.get_by_label("At").fill("500")
    dialog.get_by_label("Name").fill("target <b>")
    dialog.get_by_role("button", name="Add a line").click()
    dialog.get_by_label("Along").nth(1).select_option(label="Step")
    dialog.get_by_label("At").nth(1).fill("80")
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Apply").click()
    dialog.wait_for(state="detached")
    full.get_by_text("Reference lines: target <b> 500, 80.").wait_for(state="attached")
    refs = [{"axis": "y", "at": 500, "label": "target <b>"}, {"axis": "x", "at": 80, "label": ""}]
    assert layout_of(page)["panels"]["train/a"]["refs"] == refs
    drawing = drawing_of(page, full)
    assert ">target &lt;b&gt;</text>" in drawing and ">500</text>" in drawing and ">80</text>" in drawing
    assert "r0 (baseline)" in drawing and 'stroke-dasharray="14 3 2 3"' in drawing
    page.keyboard.press("Escape")
    share_y(page)
    page.keyboard.press("Control+z")
    until(page, "!location.search.includes('sameY')")
    page.keyboard.press("Control+z")
    until(page, "!location.search.includes('target')")
    call_lines_by_keys(page)
    page.get_by_role("toolbar", name="Charts").get_by_role("button", name="Copy the link").click()
    assert page.get_by_role("dialog").get_by_role("textbox").input_value() == page.url
    assert not complaints(one)


def hist_rows(number):
    """As the SDK of wandb sends them, with one that is none."""
    def row(step):
        bins = {"bins": [0, 1, 2, 3]} if step % 2 else {"packedBins": {"min": 0, "size": 0.5, "count": 3}}
        return {"_step": step, "weights": {"_type": "histogram", "values": [number + 1, step, 0], **bins}}
    return [*map(row, range(30)), {"_step": 30, "weights": {"_type": "histogram", "values": [1, 2], "bins": [3, 2, 1]}}]


def test_kinds_of_panels(come, api):
    """Bars of what summaries have, numbers, words; what is said of them is seen at once."""
    one = come()
    page = one.page
    add(page, "only/summary", kind="Bars", pick="summary.only/summary")
    bars = panel(page, "summary.only/summary")
    bars.get_by_role("listitem").filter(has_text="r2").get_by_text("20", exact=True).wait_for()
    widths = [bars.locator(".track i").nth(at).bounding_box()["width"] for at in range(3)]
    assert widths[0] > 1.9 * widths[1] > widths[2] * 10, "r2, r1, r0: 20, 10 and 0"
    menu_of(page, "summary.only/summary", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_role("toolbar", name="Panel").get_by_label("Axis to").fill("40")
    until(page, "document.querySelector('dialog .track i')?.style.width === '50%'")
    full.get_by_role("toolbar", name="Panel").get_by_label("Kind").select_option(label="Lines")
    lines = full.get_by_role("article", name="Chart of only/summary")
    lines.get_by_text("No values in the runs shown.").first.wait_for(state="attached")
    page.keyboard.press("Escape")
    add(page, "eval/acc", kind="Number", pick="eval/acc")
    page.locator(".numbers").get_by_text("2.98", exact=True).wait_for()
    add(page, None, kind="Text")
    page.get_by_label("Text (markdown)").fill("# Findings\n\n<b>plain</b> and **strong**")
    full.get_by_role("heading", name="Findings").wait_for()
    full.locator("strong").get_by_text("strong").wait_for()
    full.get_by_text("<b>plain</b> and").first.wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("article", name="Chart of Text").get_by_role("heading", name="Findings").wait_for()
    assert faults_of(page) == []
    assert not complaints(one)


@pytest.mark.long
def test_histograms(come, api, runs, wait_for):
    """
    A panel of its own for each, a sheet a run; the mouse tells how many lie where; what is none is said to be. Of many
    runs those are drawn that have some.
    """
    run = Run(api, "hist", PROJECT + "-hist")
    run.writer = run.join("rank0")
    send_rows(run, [{"_step": step, "gain": 1.0} for step in range(3)])
    send_rows(run, [{**row, "_step": row["_step"] + 3} for row in hist_rows(0)])
    one = come(path="/ann/panels-hist/runs/hist/charts")
    page = one.page
    sheet = panel(page, "weights").locator("canvas")
    sheet.wait_for()
    panel(page, "weights").get_by_text("1 row is not a histogram.").wait_for()
    panel(page, "weights").get_by_text("hist: 30 histograms; most values of the last in").wait_for(state="attached")
    assert page.locator("article").count() == 2, "its parts have no panels"
    assert panel(page, "weights").locator("span.x").all_inner_texts() == ["3", "32"]
    box = sheet.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.5)
    panel(page, "weights").locator(".tip").get_by_text("% of").wait_for()
    with page.expect_request("**/history?**"):
        send_rows(run, [{"_step": 100, "weights": {"_type": "histogram", "values": [1, 5], "bins": [0, 1, 9]}}])
    panel(page, "weights").get_by_text("hist: 31 histograms").wait_for(state="attached")
    assert faults_of(page) == []
    for number in range(5):
        other = Run(api, f"plain{number}", PROJECT + "-hist")
        other.writer = other.join("rank0")
        send_rows(other, [{"_step": 0, "gain": 1.0}])
    asked = {"keys": "summary.weights._type", "count": "true"}

    def found():
        body = api.get(f"{PROJECT}-hist/runs", **asked).json
        return body["count"] == 6 and ["histogram"] in [item["values"] for item in body["items"]]
    wait_for(found, timeout=60, what="a summary with a histogram among six runs")
    page.goto(page.url.partition("/runs/")[0])
    panel(page, "weights").get_by_text("1 of 6 runs has it.").wait_for()
    panel(page, "weights").locator("figcaption").get_by_text("hist", exact=True).wait_for()
    page.mouse.move(*(lambda box: (box["x"] + 40, box["y"] + 60))(drawn(page, "gain").bounding_box()))
    page.keyboard.press("f")
    page.get_by_role("dialog", name="Full screen").get_by_role("article", name="Chart of gain").wait_for()
    assert not complaints(one)


def as_ranks(page, key):
    """The panel of four labels, of which rank2 is slow, made one of ranks: over the page."""
    drawn(page, key)
    menu_of(page, key, "Edit…")
    page.get_by_role("combobox", name="Kind").select_option(label="Ranks")
    full = page.locator("article.full")
    full.locator("canvas.heat").wait_for()
    full.get_by_text("4 labels against their median: rank2 +50 %.").wait_for(state="attached")
    return full


@pytest.mark.long
def test_ranks(come, api, runs):
    """A key that several writers send as a strip of its labels, which the layout keeps; who is alone has none."""
    run = Run(api, "strip", PROJECT + "-strip")
    for rank in range(4):
        run.writer = run.join(f"rank{rank}", "worker" if rank else "primary")
        send_rows(run, [{"_step": step, "step_time": 1 + (rank == 2) * 0.5, **({} if rank else {"gain": 1.0})} for step in range(40)])
    one = come(path="/ann/panels-strip/runs/strip/charts")
    page = one.page
    full = as_ranks(page, "step_time")
    assert full.locator(".rank-names").inner_text().split() == ["rank0", "rank1", "rank2", "rank3"]
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    until(page, "!new URLSearchParams(location.search).has('panel')")
    assert layout_of(page)["panels"]["step_time"]["kind"] == "ranks"
    page.reload()
    strip = panel(page, "step_time").locator("canvas.heat")
    strip.wait_for()

    def told():
        box = strip.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] * 0.6)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.6)
        return page.locator(".heat-tip").get_by_text("rank2").is_visible()
    wait_until(told, what="a cell of rank2")
    assert "1.5, +50 % of the median step " in page.locator(".heat-tip").inner_text()
    assert faults_of(page) == []
    menu_of(page, "gain", "Edit…")
    page.get_by_role("combobox", name="Kind").select_option(label="Ranks")
    full.get_by_text("Two labels with values of gain are needed to compare them.").wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_ranks_of_the_first_run_that_has_some(come, api, runs):
    """Runs of one label, and one without the key, are passed over; the panel says of whom it is."""
    home = PROJECT + "-strips"
    run = Run(api, "strip", home)
    for rank in range(4):
        run.writer = run.join(f"rank{rank}", "worker" if rank else "primary")
        send_rows(run, [{"_step": step, "step_time": 1 + (rank == 2) * 0.5} for step in range(40)])
    for name, key in ("lonely", "step_time"), ("other", "loss"):
        more = Run(api, name, home)
        more.writer = more.join("rank0")
        send_rows(more, [{"_step": step, "gain": 1.0, key: 1.0} for step in range(10)])
    one = come(path="/ann/panels-strips")
    page = one.page
    full = as_ranks(page, "step_time")
    full.get_by_text("Only strip, the first of 3 runs that has labels to compare.").wait_for()
    assert not complaints(one)


def add_scatter(page, keys):
    page.get_by_role("button", name="Panel", exact=True).click()
    dialog = page.get_by_role("dialog", name="Add panels")
    dialog.get_by_label("Kind").select_option(label="Scatter")
    dialog.get_by_role("button", name="Pick 2 keys first").wait_for()
    for key in keys:
        dialog.get_by_role("searchbox").fill(key)
        dialog.get_by_role("checkbox", name=key, exact=True).check()
    dialog.get_by_role("button", name="Add the panel").click()
    dialog.wait_for(state="detached")


def drag_along(page, axis, to):
    """From the upper end of an axis down to a share of it."""
    place = axis.evaluate("line => line.getBoundingClientRect().toJSON()")
    page.mouse.move(place["x"], place["y"] - 2)
    page.mouse.down()
    page.mouse.move(place["x"], place["y"] + place["height"] * to, steps=4)
    page.locator(".brush").wait_for()
    page.mouse.up()
    page.locator(".brush").wait_for(state="detached")


@pytest.mark.long
def test_runs_by_two_and_more_keys(come):
    """Points of runs, which tell their values, are picked by mouse and keyboard, saved, and coloured by a key."""
    one = come()
    page = one.page
    name = "only/summary, eval/acc"
    add_scatter(page, ["summary.only/summary", "summary.eval/acc"])
    points = panel(page, name).locator("circle")
    points.nth(2).wait_for()
    panel(page, name).get_by_text("3 runs by").wait_for(state="attached")
    points.first.hover()
    panel(page, name).locator(".tip").get_by_text("r2", exact=True).wait_for()
    panel(page, name).locator(".tip").get_by_text("2.98", exact=True).wait_for()
    points.first.click()
    page.get_by_role("row", name="r2", selected=True).wait_for()
    panel(page, name).get_by_role("button", name="Show as table").click()
    values = panel(page, name).get_by_role("region", name=f"Values of {name}")
    values.get_by_role("row", name="r1").get_by_text("1.98", exact=True).wait_for()
    values.get_by_role("button", name="r1").press("Enter")
    page.get_by_role("row", name="r1", selected=True).wait_for()
    menu_of(page, name, "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_role("toolbar", name="Panel").get_by_label("Colour").select_option(label="summary.eval/acc")
    full.get_by_text("Colour: summary.eval/acc, from blue for the lowest value to orange for the highest.").wait_for()
    fill = "[[...document.querySelectorAll('dialog circle')].at({})].some((one) => one && getComputedStyle(one).fill === '{}')"
    until(page, fill.format(-1, "rgb(37, 56, 175)"))  # r0
    until(page, fill.format(0, "rgb(184, 69, 3)"))  # r2
    with page.expect_download() as picture:
        full.get_by_role("button", name="PNG").click()
    with open(picture.value.path(), "rb") as file:
        assert file.read(8) == b"\x89PNG\r\n\x1a\n"
    for kind, part in (("CSV", "r1,r1,10,1.98"), ("SVG", "<circle"), ("NDJSON", '"summary.only/summary":20')):
        with page.expect_download() as saved:
            full.get_by_role("button", name=kind, exact=True).click()
        with open(saved.value.path(), encoding="utf-8") as file:
            assert part in file.read()
    assert faults_of(page) == []
    assert not complaints(one)


@pytest.mark.long
def test_a_drag_along_an_axis_filters(come):
    """Runs as lines across axes; a click on a line picks its run, also beside an axis."""
    keys = ["summary.only/summary", "summary.eval/acc"]
    one = come("?layout=" + quote(json.dumps({"panels": {":1": {"kind": "parallel", "keys": keys}}})))
    page = one.page
    lines = panel(page, "only/summary, eval/acc").locator(".parallel-line")
    lines.nth(2).wait_for()
    lines.first.locator("circle").first.click()
    page.get_by_role("row", name="r2", selected=True).wait_for()
    assert "q=" not in page.url
    drag_along(page, panel(page, "only/summary, eval/acc").locator("line.axis").first, 0.7)
    until(page, "new URLSearchParams(location.search).get('q') === 'summary.only/summary>=10 summary.only/summary<=20'")
    page.get_by_role("heading", name="Runs 2").wait_for()
    lines.nth(2).wait_for(state="detached")
    page.go_back()
    lines.nth(2).wait_for()
    assert faults_of(page) == []
    assert not complaints(one)


@pytest.mark.long
def test_ways_along_x(come, api, runs):
    """Time of each process, the logarithm of steps and of times, labels as one line with a band."""
    run = Run(api, "ways", PROJECT + "-ways")
    for rank in range(2):
        run.writer = run.join(f"rank{rank}")
        send_rows(run, [{"_step": step, "_timestamp": 1_700_000_000 + 3600 * rank + 10 * step, "gain": 1.0 + rank}
                        for step in range(200)])
    one = come(path="/ann/panels-ways/runs/ways/charts")
    page = one.page
    bar = page.get_by_role("toolbar", name="Charts")
    with page.expect_request(lambda request: '"scale":"log"' in (request.post_data or "")) as asked:
        bar.get_by_role("switch", name="Log x").click()
    assert json.loads(asked.value.post_data)["panels"][0]["x"] == "_step"
    tip_at(page, "gain", 0.01, "step 1")
    page.keyboard.press("l")
    until(page, "location.search.includes('log=xy')")
    with page.expect_request(lambda request: '"x":"_process"' in (request.post_data or "")):
        bar.get_by_label("x", exact=True).select_option(label="Process time")
    tip_at(page, "gain", 0.97, "of the process")
    page.go_back()
    until(page, "!location.search.includes('x=proc')")
    tip_at(page, "gain", 0.01, "step 1")
    bar.get_by_label("x", exact=True).select_option(label="Wall clock")
    assert bar.get_by_role("switch", name="Log x").is_disabled()
    menu_of(page, "gain", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    with page.expect_request(lambda request: '"split":"writer"' in (request.post_data or "")):
        full.get_by_label("Writers").select_option(label="mean over labels")
    full.get_by_label("x", exact=True).select_option(label="Step")
    full.get_by_text("ways; last 1.5.").wait_for(state="attached")
    full.get_by_role("article").focus()
    page.keyboard.press("ArrowRight")
    full.locator(".tip").get_by_text("± 0.7071, 2 labels").wait_for()
    assert not complaints(one)


def test_writers_of_a_run_as_lines_of_their_own(come, api, runs):
    """In all panels at once, but one that says otherwise; where there is one writer nobody is asked."""
    run = Run(api, "split", PROJECT + "-split")
    for rank in range(2):
        run.writer = run.join(f"rank{rank}")
        send_rows(run, [{"_step": step, "gain": 1.0 + rank, "loss": 2.0 + rank} for step in range(20)])
    alone = Run(api, "alone", PROJECT + "-split")
    alone.join("rank0").send(history=[{"_step": 0, "gain": 1}, {"_step": 1, "gain": 2}])
    one = come(path="/ann/panels-split/runs/split/charts")
    page = one.page
    bar = page.get_by_role("toolbar", name="Charts")
    page.get_by_role("article", name="Chart of loss").locator("canvas").first.wait_for()
    bar.get_by_label("Writers").select_option(label="a line each")
    until(page, "location.search.includes('split=labels')")
    for key in "gain", "loss":
        tip_at(page, key, 0.5, "rank1")
    page.go_back()
    until(page, "!location.search.includes('split')")
    assert bar.get_by_label("Writers").input_value() == ""
    page.goto(page.url.replace("/split/", "/alone/"))
    page.get_by_role("article", name="Chart of gain").locator("canvas").first.wait_for()
    assert bar.get_by_label("Writers").is_hidden()
    assert not complaints(one)


def test_a_run_is_shown_again_with_what_came_meanwhile(come, api, runs):
    """What was asked for before it was hidden is old by then."""
    hidden, other = [Run(api, name, PROJECT + "-back") for name in ("hidden", "other")]
    for run in hidden, other:
        run.writer = run.join("rank0")
        send_rows(run, [{"_step": step, "gain": 1.0} for step in range(10)])
    page = (one := come("?cols=rows", path="/ann/panels-back")).page
    panel(page, "gain").get_by_text("2 lines; last 1 to 1;").wait_for(state="attached")
    eye = page.get_by_role("button", name="Show hidden in charts")
    eye.click()
    panel(page, "gain").get_by_text("other; last 1.").wait_for(state="attached")
    send_rows(hidden, [{"_step": step, "gain": 5.0} for step in range(10, 20)])
    page.get_by_role("row").filter(has_text="hidden").get_by_text("20", exact=True).wait_for()
    eye.click()
    panel(page, "gain").get_by_text("2 lines; last 1 to 5;").wait_for(state="attached")
    assert not complaints(one)


@pytest.mark.long
def test_events_and_two_axes(come, api, runs):
    """
    Alerts, changes of state, checkpoints and evaluations are thin lines that tell their names; a key has an axis at the
    right.
    """
    run = Run(api, "told", PROJECT + "-told")
    run.writer = run.join("rank0")
    send_rows(run, [{"_step": step, "gain": 1e-3 * step, "loss": 1e6 + step, **({"eval/acc": 0.5} if step == 10 else {})}
                    for step in range(20)])
    api.post(f"{run.path}/alerts", {"title": "loss is high", "level": "warn"})
    for name in ("model.pt", "checkpoint-19/part-0.bin", "checkpoint-19/part-1.bin", "notes.txt"):
        put(run, name, b"weights")
    layout = {"panels": {":1": {"keys": ["gain", "loss"], "title": "two", "right": "loss"}}}
    one = come(f"?layout={quote(json.dumps(layout))}", path="/ann/panels-told/runs/told/charts")
    page = one.page
    over = panel(page, "two").locator(".u-over")
    drawn(page, "two")
    assert panel(page, "two").locator(".u-axis").count() == 3
    box = over.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 20)
    page.mouse.move(box["x"] + box["width"] - 1, box["y"] + 21)
    panel(page, "two").locator(".tip").get_by_text("loss is high").wait_for()
    for name in ("model.pt", "checkpoint-19"):
        tip_at(page, "two", 0.998, f"checkpoint {name}")
    tip_at(page, "two", 10 / 19, "evaluated: eval/acc 0.5")
    page.get_by_role("switch", name="Events").click()
    until(page, "location.search.includes('marks=off')")
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 20)
    panel(page, "two").locator(".tip").get_by_text("loss is high").wait_for(state="detached")
    menu_of(page, "two", "Edit…")
    page.get_by_role("dialog", name="Full screen").get_by_label("Right axis").select_option(label="none")
    until(page, "document.querySelectorAll('dialog .u-axis').length === 2")
    assert not complaints(one)


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_anybody_can_use_them(come, size, scheme):
    by = ["summary.only/summary", "summary.eval/acc"]
    layout = {"panels": {":1": {"keys": ["train/a", "train/b"]}, ":2": {"kind": "scatter", "keys": by, "color": by[1]},
                         ":3": {"kind": "parallel", "keys": by, "title": "across"}}}
    one = come(f"?layout={json.dumps(layout)}", viewport=SIZES[size], color_scheme=scheme)
    page = one.page
    drawn(page, "train/a, train/b")
    panel(page, "only/summary, eval/acc").locator("circle").nth(2).wait_for()
    panel(page, "across").locator(".parallel-line").nth(2).wait_for()
    panel(page, "across").hover()
    page.evaluate("void [globalThis.ownFrame = requestAnimationFrame, globalThis.requestAnimationFrame = () => 0]")
    panel(page, "across").get_by_role("button", name="Show as table").click()
    assert faults_of(page) == [], "before what became lower is drawn anew"
    page.evaluate("void (globalThis.requestAnimationFrame = ownFrame)")
    page.keyboard.press("p")
    page.get_by_role("dialog", name="Add panels").wait_for()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    menu_of(page, "gain", "Edit…")
    page.get_by_role("dialog", name="Full screen").locator("canvas").wait_for()
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not complaints(one)


@pytest.mark.long
def test_lines_are_looked_at_closely(wait_for, come):
    """Shift and drag, Ctrl and wheel, a click on a line; formulas, means, a line a writer, logarithms, files."""
    one = come("?layout=" + quote(json.dumps({"panels": {":1": {"keys": ["train/a", "train/b"], "title": "both"}}})))
    page = one.page
    box = drawn(page, "both").bounding_box()
    over = panel(page, "both").locator(".u-over").bounding_box()
    x, y = (lambda share: over["x"] + over["width"] * share), (lambda share: over["y"] + over["height"] * share)
    page.keyboard.down("Shift")
    page.mouse.move(x(0.2), y(0.2))
    page.mouse.down()
    page.mouse.move(x(0.5), y(0.6), steps=4)
    page.mouse.up()
    page.keyboard.up("Shift")
    until(page, "location.search.includes('zoom=')")
    panel(page, "both").get_by_role("button", name="Reset zoom").wait_for()
    page.keyboard.press("z")
    until(page, "!location.search.includes('zoom=')")
    panel(page, "both").get_by_role("button", name="Reset zoom").wait_for(state="hidden")
    page.mouse.move(x(0.5), y(0.5))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    until(page, "location.search.includes('zoom=')")
    page.mouse.wheel(0, 100)
    page.mouse.wheel(0, 100)
    until(page, "!location.search.includes('zoom=')")
    page.keyboard.up("Control")
    assert box["width"] > 200
    page.mouse.move(x(0.5), y(0.52))
    page.mouse.move(x(0.5), y(0.5))
    page.mouse.click(x(0.5), y(0.5))
    page.get_by_role("row", selected=True).wait_for()
    menu_of(page, "both", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    bar = full.get_by_role("toolbar", name="Panel")
    bar.get_by_label("Formula").fill("a/")
    full.get_by_text("Invalid formula at character 3.").wait_for()
    bar.get_by_label("Formula").fill("a - b")
    full.get_by_text("3 lines; last −49 to −49; lowest").wait_for(state="attached")
    bar.get_by_label("Mean of rows").fill("10")
    until(page, "location.search.includes('window')")

    def saved():
        with page.expect_download() as download:
            full.get_by_role("button", name="NDJSON").click()
        last = json.loads(download.value.path().read_text().splitlines()[49])
        return last["x"], last["mean"], last["smoothed"]

    wait_for(lambda: saved() == (49, -49, -44.5), what="what is drawn anew, and saved so")
    with page.expect_download() as download:
        full.get_by_role("button", name="SVG").click()
    picture = download.value.path().read_text()
    assert picture.startswith("<svg") and picture.count("<path") == 3 and "both" in picture
    bar.get_by_label("Formula").fill("")
    with page.expect_request(lambda request: '"split":"writer"' in (request.post_data or "")):
        bar.get_by_label("Writers").select_option(label="a line each")
    full.get_by_text("6 lines; last").wait_for(state="attached")
    full.locator(".legend").get_by_text("r2 train/a rank0").wait_for()
    with page.expect_request(lambda request: '"scale":"log"' in (request.post_data or "")):
        bar.get_by_label("x", exact=True).select_option(label="gain")
        bar.get_by_role("switch", name="Log x").click()
    full.get_by_text("6 lines; last").wait_for(state="attached")
    assert faults_of(page) == []
    assert not complaints(one)
