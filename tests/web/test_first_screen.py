"""What a team sees first: results before what only counts, panels that fill the screen, and lines that can be read."""
import json
import re
from urllib.parse import quote

import pytest

import first_screen_pages
import module_api
from browsing import SIZES, faults_of, sign_in
from cluster import wait_until
from test_charts import complaints, drawn, ink, panel, point_at, tips
from test_panels import menu_of

api = module_api.api
HOME = first_screen_pages.HOME


@pytest.fixture(scope="module")
def trainings(api):
    first_screen_pages.make_trainings(api, "first-trainings")


@pytest.fixture(scope="module")
def search(api):
    first_screen_pages.make_search(api, "first-search")
    wait_until(lambda: api.get(f"{HOME}/first-search/runs", filter="has:summary.acc has:config.depth", count="true", limit=1).json["count"] == 36,
               what="36 runs that are found")


@pytest.fixture(scope="module")
def ranks(api):
    first_screen_pages.make_ranks(api, "first-ranks")


@pytest.fixture
def come(screen, base):
    def at(path, size="wide"):
        one = screen(viewport=SIZES[size])
        sign_in(one.page, f"{base}/ann/{path}")
        one.page.locator(".chart-bar").first.wait_for(state="attached")
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def headings(page):
    return page.locator(".section h2").all_inner_texts()


def box_of(page, key):
    return panel(page, key).bounding_box()


def right_of(box):
    return box["x"] + box["width"]


def bottom_of(box):
    return box["y"] + box["height"]


def is_within(inner, outer):
    return (inner["x"] >= outer["x"] - 0.5 and inner["y"] >= outer["y"] - 0.5
            and right_of(inner) <= right_of(outer) + 0.5 and bottom_of(inner) <= bottom_of(outer) + 0.5)


def are_in_a_row(page, *keys):
    """The panels stand side by side, are equally wide, and reach from the left to the right edge of their section."""
    boxes = [box_of(page, key) for key in keys]
    room = panel(page, keys[0]).locator("xpath=..").bounding_box()
    widths = [box["width"] for box in boxes]
    return (len({round(box["y"]) for box in boxes}) == 1 and max(widths) - min(widths) < 1
            and abs(boxes[0]["x"] - room["x"]) < 1 and abs(right_of(boxes[-1]) - right_of(room)) < 1)


def test_results_come_first(come, trainings):
    """Loss and accuracy of training and validation are on the first screen; what only counts is last, and closed."""
    one = come("first-trainings")
    page = one.page
    drawn(page, "val/loss")
    wait_until(lambda: headings(page) == ["train", "val", "Charts", "Progress and lr"], what="sections in their order")
    screen = {"x": 0, "y": 0, **SIZES["wide"]}
    for key in "train/loss", "train/acc", "val/loss", "val/acc", "val/f1":
        assert is_within(box_of(page, key), screen), key
    last = page.get_by_role("button", name="Progress and lr", exact=True)
    assert last.get_attribute("aria-expanded") == "false"
    assert panel(page, "epoch").count() == panel(page, "lr").count() == panel(page, "_runtime").count() == 0
    last.click()
    for key in "epoch", "lr", "_runtime":
        drawn(page, key)
    assert faults_of(page) == [] and not complaints(one)


@pytest.mark.long
def test_panels_fill_their_rows(come, trainings, search):
    """Two are halves, three are thirds, one is the whole row; their sizes can be changed as before."""
    page = come("first-trainings").page
    for key in "train/acc", "val/f1", "grad_norm":
        drawn(page, key)
    wait_until(lambda: are_in_a_row(page, "train/loss", "train/acc"), what="halves")
    assert are_in_a_row(page, "val/loss", "val/acc", "val/f1") and are_in_a_row(page, "grad_norm")
    left, right = box_of(page, "train/loss"), box_of(page, "train/acc")
    page.mouse.move(right_of(left) - 5, bottom_of(left) - 5)
    page.mouse.down()
    page.mouse.move(right_of(left) - 85, bottom_of(left) + 60, steps=4)
    page.mouse.up()
    wait_until(lambda: box_of(page, "train/loss")["width"] < left["width"] - 60, what="a panel that is smaller")
    assert abs(box_of(page, "train/acc")["width"] - right["width"]) < 1, "the other one keeps its width"
    one = come("first-search")
    drawn(one.page, "acc")
    wait_until(lambda: are_in_a_row(one.page, "loss", "acc"), what="halves")
    assert box_of(one.page, "loss")["height"] > 260
    assert not complaints(one)


@pytest.mark.long
def test_panels_without_values_are_hidden(come, trainings):
    """Of the runs that are shown; they are counted, and shown on request, which is in the address."""
    one = come("first-trainings")
    page = one.page
    drawn(page, "train/loss")
    page.get_by_role("button", name="1 hidden").wait_for()
    page.get_by_text("1 panel without values in the runs shown is hidden.").wait_for()
    assert panel(page, "train/loss_dice").count() == 0
    page.get_by_role("button", name="1 hidden").click()
    panel(page, "train/loss_dice").get_by_text("No values in the runs shown.").first.wait_for(state="attached")
    assert "empty=show" in page.url
    wait_until(lambda: are_in_a_row(page, "train/loss", "train/loss_dice", "train/acc"), what="three in a row")
    page.get_by_text("1 panel has no values in the runs shown.").get_by_role("button", name="Hide").click()
    panel(page, "train/loss_dice").wait_for(state="detached")
    page.get_by_role("searchbox", name="Panels").fill("dice")
    panel(page, "train/loss_dice").wait_for()
    page.get_by_role("searchbox", name="Panels").fill("")
    panel(page, "train/loss_dice").wait_for(state="detached")
    page.get_by_role("button", name="10 visualized").click()
    page.get_by_role("menuitemradio", name="First 25").click()
    drawn(page, "train/loss_dice")
    page.get_by_role("button", name="1 hidden").wait_for(state="detached")
    assert not complaints(one)


@pytest.mark.long
def test_many_metrics_are_folded_by_their_first_prefix(come, api):
    first_screen_pages.make_many_metrics(api, "first-metrics")
    one = come("first-metrics")
    page = one.page
    drawn(page, "val/loss")
    wait_until(lambda: headings(page) == ["train", "val", "layers", "perf", "optim", "Progress and lr"], what="few sections")
    assert page.get_by_role("button", name="layers", exact=True).get_attribute("aria-expanded") == "false"
    assert box_of(page, "train/loss")["y"] < 200 and bottom_of(box_of(page, "val/loss")) < SIZES["wide"]["height"]
    assert page.locator("article").count() < 20
    assert not complaints(one)


def test_ten_runs_have_a_legend(come, trainings):
    """Each name is in its panel, above the lines."""
    one = come("first-trainings")
    page = one.page
    drawn(page, "train/loss")
    names = panel(page, "train/loss").locator(".legend > span")
    wait_until(lambda: names.count() == 10, what="ten names")
    frame, plot = box_of(page, "train/loss"), panel(page, "train/loss").locator(".plot").bounding_box()
    for at in range(10):
        box = names.nth(at).bounding_box()
        assert is_within(box, frame) and bottom_of(box) <= plot["y"] + 1
    assert not complaints(one)


def test_one_run_that_diverged_does_not_flatten_the_others(come, trainings):
    """It is counted; a click shows the whole range, in which the others are at the bottom."""
    one = come("first-trainings")
    page = one.page
    outside = panel(page, "train/loss").get_by_role("button", name="1 run outside")
    outside.wait_for()
    assert "mlp-64x64-lr0.0001-s11" in outside.get_attribute("title")
    assert panel(page, "train/acc").get_by_role("button", name="1 run outside").count() == 0
    # From the upper left the lines fall to the lower right: in the middle they are in the lower half.
    assert ink(page, "train/loss", 0.2, 0.3, 0.1, 0.6) > 30 and ink(page, "train/loss", 0.7, 0.95, 0.6, 0.95) > 30
    outside.click()
    page.wait_for_url("**outliers=show**")
    outside.wait_for(state="detached")
    wait_until(lambda: ink(page, "train/loss", 0.2, 0.95, 0.55, 0.72) == 0 and ink(page, "train/loss", 0.2, 0.95, 0.05, 0.5) > 30,
               what="one in the upper half, and nothing between it and the others")
    page.get_by_role("switch", name="Clip outliers").click()
    outside.wait_for()
    assert not complaints(one)


@pytest.mark.long
def test_one_run_that_diverged_does_not_flatten_groups(come, trainings):
    """Whatever band they have; the group is named, and the run where members are drawn."""
    one = come("first-trainings?group=config.optim.name")
    page = one.page
    loss = panel(page, "train/loss")
    outside = loss.get_by_role("button", name="1 group outside")
    # The other groups fall from the upper left to the lower right. With the whole range all of them are at the bottom.
    seen = lambda: ink(page, "train/loss", 0.2, 0.3, 0.2, 0.55) > 30 and ink(page, "train/loss", 0.7, 0.95, 0.6, 0.95) > 30  # noqa: E731
    for band in "min–max", "± std", "± standard error", "median, 10 to 90 %", "none":
        page.get_by_label("Band").select_option(label=band)
        drawn(page, "train/loss")
        outside.wait_for()
        wait_until(seen, what=f"lines of groups over the height of the panel with the band {band}")
        assert "Some runs of lion would flatten all others." in outside.get_attribute("title")
    assert panel(page, "train/acc").get_by_role("button", name="1 group outside").count() == 0
    outside.click()
    page.wait_for_url("**outliers=show**")
    outside.wait_for(state="detached")
    wait_until(lambda: ink(page, "train/loss", 0.2, 0.95, 0.4, 0.7) == 0 and ink(page, "train/loss", 0.2, 0.95, 0.05, 0.35) > 30,
               what="one mean at the top, and nothing between it and the others")
    page.get_by_role("switch", name="Clip outliers").click()
    outside.wait_for()
    menu_of(page, "train/loss", "Members as thin lines")
    by_name = loss.get_by_role("button", name="1 run outside")
    by_name.wait_for()
    assert by_name.get_attribute("title").startswith("mlp-64x64-lr0.0001-s11 would flatten all others.")
    wait_until(seen, what="lines of groups and members over the height of the panel")
    assert not complaints(one)


def hue_of(page, name):
    name_of = panel(page, "loss").locator(".legend > span").filter(has_text=re.compile(f"^{name}$"))
    return name_of.locator("i").evaluate("one => getComputedStyle(one).color")


BAND = 0.08  # share of the height of the canvas that the bands of these groups take in the middle, at least


@pytest.mark.long
def test_groups_have_bands_and_names(come, search):
    """Up to eight; beyond that a sentence says why there are none. The key is named."""
    one = come("first-search?group=config.optim.name")
    page = one.page
    drawn(page, "loss")
    legend = panel(page, "loss").locator(".legend")
    legend.get_by_text("optim.name:", exact=True).wait_for()
    assert legend.locator("> span").all_inner_texts() == ["sgd", "lion", "adamw", "adam"]
    assert len({hue_of(page, name) for name in ("sgd", "lion", "adamw", "adam")}) == 4
    tinted = """canvas => {
        const { data } = canvas.getContext('2d').getImageData(Math.round(canvas.width / 2), 0, 1, canvas.height);
        let count = 0;
        for (let at = 0; at < data.length; at += 4) count += data[at + 3] > 40 && data[at + 3] < 250;
        return count / canvas.height;
    }"""
    banded = lambda: drawn(page, "loss").evaluate(tinted)  # noqa: E731
    wait_until(lambda: banded() > BAND, what="bands of four groups")
    page.get_by_label("Band").select_option(label="none")
    wait_until(lambda: banded() < BAND / 3, what="no bands")
    page.goto(page.url.split("?")[0] + "?group=config.model")
    drawn(page, "loss")
    panel(page, "loss").get_by_text("Bands are drawn for up to 8 groups or 3 runs. Point at a line to see its band.").wait_for()
    assert faults_of(page) == [] and not complaints(one)


@pytest.mark.long
def test_parallel_and_correlation_open_wide(come, search):
    """Over the whole row, with short names that do not overlap, and a log axis where values span decades."""
    keys = ["config.optim.lr", "config.depth", "config.dropout", "summary.loss"]
    layout = {"panels": {":1": {"kind": "parallel", "keys": keys}, ":2": {"kind": "correlation", "keys": ["summary.loss"]}}}
    one = come("first-search?layout=" + quote(json.dumps(layout)))
    page = one.page
    parallel = panel(page, "optim.lr, depth, dropout, loss")
    names = parallel.locator(".axis-name")
    wait_until(lambda: names.count() == 4, what="four axes")
    assert [name.split("\n")[-1] for name in names.evaluate_all("all => all.map((one) => one.lastChild.textContent)")] == [
        "optim.lr (log)", "depth", "dropout", "loss"]
    boxes = [names.nth(at).bounding_box() for at in range(4)]
    assert all(right_of(one) < other["x"] for one, other in zip(boxes, boxes[1:])), "they do not overlap"
    assert all(is_within(box, parallel.bounding_box()) for box in boxes)
    assert are_in_a_row(page, "optim.lr, depth, dropout, loss") and are_in_a_row(page, "Correlations with loss")
    page.get_by_text("Over 36 runs with").wait_for()
    # Between 1e-5 and 1e-1 the axis has its powers at equal distances.
    ticks = parallel.locator(".axis-labels").first.locator("text:not(.axis-name)")
    tops = [ticks.nth(at).bounding_box()["y"] for at in range(ticks.count())]
    gaps = [before - after for before, after in zip(tops, tops[1:])]
    assert len(gaps) >= 1 and max(gaps) - min(gaps) < 1.5
    assert faults_of(page) == [] and not complaints(one)


@pytest.mark.long
def test_tips_are_seen_whole(come, trainings):
    """Of the lowest panel, too; within the window and over all panels."""
    one = come("first-trainings")
    page = one.page
    for key in "train/loss", "val/f1":
        drawn(page, key)

        def has_ten(key=key):
            point_at(page, panel(page, key), 0.5, 0.5)
            return tips(page).locator(".tip-row").count() == 10
        wait_until(has_ten, what="ten values")
        tip = tips(page).bounding_box()
        assert tip["y"] >= 0 and bottom_of(tip) <= SIZES["wide"]["height"] and right_of(tip) <= SIZES["wide"]["width"]
        places = [(tip["x"] + 4, tip["y"] + 4), (right_of(tip) - 4, bottom_of(tip) - 4)]
        # Tips take no pointer events; without that rule the point belongs to what is drawn on top.
        seen = page.evaluate("""places => {
            const tip = document.querySelector('.tip:not([hidden])');
            tip.style.setProperty('pointer-events', 'auto');
            const found = places.map(([x, y]) => tip.contains(document.elementFromPoint(x, y)));
            tip.style.removeProperty('pointer-events');
            return found;
        }""", places)
        assert seen == [True, True], key
        page.mouse.move(2, 2)
    assert not complaints(one)


def tip_at_end(page):
    """The tip of the strip with the pointer at its right end, in the row of rank3, once it is there."""
    strip = page.locator("canvas.heat").first
    strip.wait_for()
    tip = page.locator(".heat-tip")

    def is_there():
        box = strip.bounding_box()
        page.mouse.move(right_of(box) - 8, box["y"] + box["height"] * 3.5 / 8)
        page.mouse.move(right_of(box) - 4, box["y"] + box["height"] * 3.5 / 8)
        return tip.is_visible() and "rank3" in tip.inner_text()
    wait_until(is_there, what="the tip of rank3")
    return tip


RANKS = {"panels": {":1": {"kind": "ranks", "keys": ["perf/step_time"], "w": 3}}}


@pytest.mark.long
@pytest.mark.parametrize("path, words", [
    ("first-ranks?layout=" + quote(json.dumps(RANKS)), r"rank3 0.30\d+, \+\d+ % of the median step 9\d"),
    ("first-ranks/runs/ddp/writers", r"rank3 0.30\d+, \+\d+ % of the median 2023-11-14 22:14:5\d"),
], ids=["panel", "writers"])
def test_the_tip_of_a_strip_is_seen_whole(screen, base, ranks, path, words):
    """It is over its panel and what is beside it, within the window, with all of its words."""
    one = screen(viewport=SIZES["wide"], timezone_id="UTC")
    sign_in(one.page, f"{base}/ann/{path}")
    one.page.locator("canvas.heat").first.wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    tip = tip_at_end(one.page)
    assert re.fullmatch(words, tip.inner_text()), tip.inner_text()
    box = tip.bounding_box()
    assert box["x"] >= 0 and right_of(box) <= SIZES["wide"]["width"] and box["height"] < 40, "one line, within the window"
    assert tip.evaluate("one => one.scrollWidth <= one.clientWidth")
    seen = tip.evaluate("""one => {
        one.style.setProperty('pointer-events', 'auto');
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const found = [left + 3, right - 3].every((x) => one.contains(document.elementFromPoint(x, (top + bottom) / 2)));
        one.style.removeProperty('pointer-events');
        return found;
    }""")
    assert seen, "nothing lies over it, and nothing cuts it off"
    assert not complaints(one)
