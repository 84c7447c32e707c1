"""Points of runs as large as a key says, and the front of those that no other one beats, in panels and in Compare."""
import json
import math
from urllib.parse import quote

import pytest

import module_api
from browsing import NARROW_LOOK, SIZES, faults_of, sign_in
from cluster import wait_until
from panel_pages import menu_of, until
from runs import Run
from screen import HOST

api = module_api.api
HOME = "/api/v1/projects/ann/scattered"
KEYS = ["config.cost", "summary.loss"]
NAME = "cost, loss"
LOSS_IS_LOW = {"m": [{"1": "loss", "8": 1}]}
# cost, loss, params: of lower cost and lower loss a, b and d are on the front, of higher cost c, d and e are not beaten
# by what is dearer and worse, and e costs most.
RUNS = {"a": (1, 5, -10), "b": (2, 3, 10), "c": (3, 4, 30), "d": (4, 1, 10), "e": (5, 2, None)}


@pytest.fixture(scope="module")
def runs(api):
    for name, (cost, loss, params) in RUNS.items():
        more = {} if params is None else {"params": params}
        api.put(f"{HOME}/runs/{name}", {"display_name": name, "config": {"cost": cost, "arch": f"arch-{name}", "_wandb": LOSS_IS_LOW, **more}})
        Run(api, name, HOME, make=False).join("rank0").send(history=[{"_step": 0, "loss": loss}])


@pytest.fixture
def come(screen, server, api, runs, wait_for):
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.cost has:summary.loss", count="true", limit=1).json["count"] == len(RUNS),
             timeout=60, what="runs that are found")

    def at(query="", path="/ann/scattered", **options):
        one = screen(**{"viewport": SIZES["wide"], **options})
        sign_in(one.page, f"http://{HOST}:{server.port}{path}{query}")
        one.page.locator(".avatar").wait_for()
        if options.get("viewport") == SIZES["narrow"]:
            one.page.get_by_role("button", name="Charts" if "compare" not in path else "Plots", exact=True).click()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def scatter(**said):
    return "?layout=" + quote(json.dumps({"panels": {":1": {"kind": "scatter", "keys": KEYS, **said}}}))


def chart(page):
    return page.get_by_role("article", name=f"Chart of {NAME}")


def radii(node):
    return node.locator("circle[data-run]:not(.front-ring)").evaluate_all(
        "all => Object.fromEntries(all.map(one => [one.dataset.run, Number(one.getAttribute('r'))]))")


def ringed(node):
    return sorted(node.locator(".front-ring").evaluate_all("all => all.map(one => one.dataset.run)"))


def until_ringed(node, names):
    wait_until(lambda: ringed(node) == sorted(names), what=f"{names} on the front")


def is_by_area(found):
    """b and d lie in the middle between a and c; e has no number."""
    middle = math.sqrt((found["a"] ** 2 + found["c"] ** 2) / 2)
    return found["a"] < found["b"] < found["c"] and math.isclose(found["b"], middle, rel_tol=1e-6) and found["d"] == found["b"] and found["e"] == found["a"]


def stairs(node):
    """Corners of the line along the front as places of points: which of the corners is which run's point."""
    return node.locator(".plot-svg").evaluate("""svg => {
        const places = new Map([...svg.querySelectorAll('circle[data-run]:not(.front-ring)')].map((one) =>
            [`${one.getAttribute('cx')} ${one.getAttribute('cy')}`, one.dataset.run]));
        const corners = svg.querySelector('.front-line').getAttribute('d').slice(1).split('L');
        return corners.map((corner) => places.get(corner) ?? '');
    }""")


def test_points_have_sizes_and_a_front_in_a_panel(come):
    """Both are chosen over the panel, stand in its layout, and are told in its table, its tip and its files."""
    one = come(scatter())
    page = one.page
    chart(page).locator("circle").nth(4).wait_for()
    assert set(radii(chart(page)).values()) == {5}
    menu_of(page, NAME, "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    bar = full.get_by_role("toolbar", name="Panel")
    size = bar.get_by_label("Size", exact=True)
    size.click()
    bar.locator("datalist option[value='config.params']").wait_for(state="attached")
    size.fill("config.params")
    size.press("Enter")
    full.locator(".size-key").wait_for()
    assert is_by_area(radii(full))
    assert full.locator(".size-key").text_content() == "−1030config.paramsconfig.params"
    full.get_by_text("1 without a number of config.params: hollow").wait_for()
    assert full.locator(".hollow").evaluate_all("all => all.map(one => one.dataset.run)") == ["e"]
    assert bar.get_by_label("Better x").count() == 1 and not bar.get_by_label("Better x").is_visible()
    bar.get_by_role("switch", name="Pareto front").press("Enter")
    full.get_by_text("No front yet: choose which way is better of config.cost", exact=False).wait_for()
    full.get_by_text("better of config.cost and summary.loss").wait_for(state="detached")  # the runs say it of their loss
    assert ringed(full) == []
    bar.get_by_label("Better x").select_option(label="lower")
    until_ringed(full, "abd")
    full.get_by_text("3 of 5 on the front (lower config.cost, lower summary.loss)").wait_for()
    assert [run for run in dict.fromkeys(stairs(full)) if run] == ["a", "b", "d"]
    full.get_by_text("On the front: a, b, d.").wait_for(state="attached")
    full.get_by_role("img", name="sized by config.params, 3 on the front").wait_for()
    full.locator("circle[data-run=b]:not(.front-ring)").hover()
    full.locator(".tip").get_by_text("on the front").wait_for()
    bar.get_by_label("Better y").select_option(label="higher")
    until_ringed(full, "a")
    bar.get_by_label("Better y").select_option(label="as it is defined")
    until_ringed(full, "abd")
    assert faults_of(page) == []
    with page.expect_download() as saved:
        full.get_by_role("button", name="CSV", exact=True).click()
    with open(saved.value.path(), encoding="utf-8") as file:
        assert file.read().splitlines()[0] == "run,id,config.cost,summary.loss,config.params,front"
    page.reload()
    until_ringed(full, "abd")
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    until_ringed(chart(page), "abd")
    assert is_by_area(radii(chart(page)))
    chart(page).hover()
    chart(page).get_by_role("button", name="Show as table").click()
    table = chart(page).get_by_role("table")
    assert table.get_by_role("columnheader").all_inner_texts() == ["Run", *KEYS, "config.params", "Front"]
    fronts = {row.get_by_role("rowheader").inner_text(): row.get_by_role("cell").last.inner_text() for row in table.get_by_role("row").all()[1:]}
    assert fronts == {name: "on the front" if name in "abd" else "" for name in RUNS}
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_axes_of_words_have_no_front(come):
    page = come(scatter(keys=["config.arch", "summary.loss"], pareto=True, lower=["config.arch"])).page
    page.get_by_text("No front: it needs numbers along both axes").wait_for()
    assert page.locator(".front-ring").count() == 0


@pytest.mark.long
def test_points_have_sizes_and_a_front_in_a_comparison(come):
    """All that is chosen stands in the address; which way is better is kept by key, whichever axis it is along."""
    one = come("?runs=a,b,c,d,e&plot=scatter&sx=config.cost&sy=summary.loss", path="/ann/scattered/compare")
    page = one.page
    plots = page.locator(".plots-drawn")
    plots.locator("circle").nth(4).wait_for()
    size = plots.get_by_label("Size", exact=True)
    size.fill("config.params")
    size.press("Enter")
    plots.locator(".size-key").wait_for()
    assert is_by_area(radii(plots))
    plots.get_by_role("switch", name="Pareto front").press("Enter")
    better = plots.get_by_label("Better x")
    assert better.locator("option").first.inner_text() == "as it is defined: not known"
    assert plots.get_by_label("Better y").locator("option").first.inner_text() == "as it is defined: lower"
    better.select_option(label="lower")
    until_ringed(plots, "abd")
    plots.get_by_text("3 of 5 on the front (lower config.cost, lower summary.loss)").wait_for()
    assert page.evaluate("Object.fromEntries([...new URLSearchParams(location.search)].slice(4))") == {
        "size": "config.params", "front": "on", "lower": "config.cost"}
    better.select_option(label="higher")
    until_ringed(plots, "de")
    assert faults_of(page) == []
    page.reload()
    until_ringed(plots, "de")
    assert is_by_area(radii(plots))
    page.get_by_label("Size", exact=True).fill("")
    page.get_by_label("Size", exact=True).press("Enter")
    until(page, "!location.search.includes('size')")
    plots.locator(".size-key").wait_for(state="detached")
    assert not one.complaints


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_anybody_can_use_them(come, size, scheme):
    said = {"size": "config.params", "pareto": True, "lower": ["config.cost"]}
    one = come(scatter(**said), viewport=SIZES[size], color_scheme=scheme)
    page = one.page
    until_ringed(chart(page), "abd")
    assert faults_of(page) == []
    menu_of(page, NAME, "Edit…")
    page.get_by_role("dialog").locator(".front-line").wait_for()
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("Escape")
    page.goto(page.url.split("?")[0] + "/compare?runs=a,b,c,d,e&plot=scatter&sx=config.cost&sy=summary.loss&size=config.params&front=on&lower=config.cost")
    if size == "narrow":
        page.get_by_role("button", name="Plots", exact=True).click()
    until_ringed(page.locator(".plots-drawn"), "abd")
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]
