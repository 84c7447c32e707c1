"""Groups in the workspace are lines over all of their runs: a mean and a band, whatever else is shown."""
import base64
import json
import math
import re
from urllib.parse import quote

import pytest

from browsing import SIZES, faults_of, sign_in
from cluster import wait_until
from runs import Run
from test_charts import ink, lines_at_middle
from test_panels import add, add_scatter, menu_of

PROJECT = "grouped"
HOME = f"/api/v1/projects/ann/{PROJECT}"


OPEN_GROUPED = """() => {
    const to = new URLSearchParams(location.search);
    to.set('group', 'config.arch');
    history.pushState({}, '', '?' + to);
    dispatchEvent(new PopStateEvent('popstate'));
}"""


@pytest.fixture(scope="module")
def rows():
    return [{"_step": step} for step in range(50)]


@pytest.fixture
def runs(api, rows, wait_for):
    """Two kinds of two runs; their loss is 1 and 3, and 10 and 10. What is unshown is in rows, and in no summary."""
    made = []
    unshown = {"_wandb": {"m": [{"1": "unshown", "7": [6]}]}}
    for name, arch, opt, loss in (("a1", "small", "adam", 1), ("a2", "small", "sgd", 3), ("b1", "large", "adam", 10),
                                  ("b2", "large", "adam", 10)):
        api.put(f"{HOME}/runs/{name}", {"display_name": name, "config": {"arch": arch, "opt": opt, **unshown}, "group": arch})
        run = Run(api, name, HOME, make=False)
        if not run.get()["rows"]:
            run.join("rank0").send(history=[{**row, "loss": loss, "unshown": loss} for row in rows])
        made.append(run)
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.arch has:summary.loss", count="true").json["count"] == 4, what="runs that are found")
    return made


@pytest.fixture
def come(screen, base, runs):
    def at(query, path=f"/ann/{PROJECT}"):
        one = screen(viewport={"width": 1440, "height": 900})
        sign_in(one.page, f"{base}{path}{query}")
        one.page.locator(".run-list").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def until_texts(items, texts):
    wait_until(lambda: items.all_inner_texts() == texts, what=f"{texts} in place of {items.all_inner_texts()}")


def beside(page, name, item="Draw next to its group"):
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))
    row.hover()
    row.get_by_role("button", name=f"Menu of {name}").click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def says(page, words):
    page.get_by_role("article", name="Chart of loss").get_by_text(words).first.wait_for(state="attached")


def test_lines_of_groups(come, runs, api):
    one = come("?group=config.arch&band=std")
    page = one.page
    says(page, "2 lines; last 2 to 10; lowest small.")
    assert page.get_by_role("button", name="How many runs the charts draw").inner_text() == "2 visualized"
    plot = page.get_by_role("article", name="Chart of loss").locator(".u-over")
    box = plot.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator(".tip:not([hidden])").get_by_text("± 1.414, 2 runs").wait_for()
    assert faults_of(page) == []
    with page.expect_request("**/series"):
        page.get_by_label("Band", exact=True).select_option(label="median, 10 to 90 %")
    page.wait_for_url(re.compile("band=middle"))
    page.mouse.move(box["x"] + box["width"] / 2 + 1, box["y"] + box["height"] / 2)
    page.locator(".tip:not([hidden])").get_by_text("10 to 90 %: 1.2 to 2.8, 2 runs").wait_for()
    page.get_by_role("row").filter(has_text="small").click()
    beside(page, "a1")
    says(page, "3 lines; last 1 to 10; lowest a1.")
    page.get_by_role("button", name="Show the group small in charts").click()
    says(page, "2 lines; last 1 to 10; lowest a1.")
    page.wait_for_url(re.compile("off=~text"))
    page.reload()
    says(page, "2 lines; last 1 to 10; lowest a1.")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


def test_members_that_diverge(come, api, wait_for, rows):
    """Half of a group, and all of another: marks at the edge, their count in the head, and of how many runs the mean is."""
    home = "/api/v1/projects/ann/diverged"
    for name, arch, loss in (("a1", "small", lambda _: 1), ("a2", "small", lambda step: 3 if step < 20 else math.nan),
                             ("b1", "large", lambda _: math.nan), ("b2", "large", lambda _: math.inf)):
        history = [{**row, "loss": loss(row["_step"]), "acc": math.nan if arch == "large" else None} for row in rows]
        Run(api, name, home).join("rank0").send(config={"arch": arch}, history=history)
    wait_for(lambda: api.get(f"{home}/runs", filter="has:config.arch has:summary.loss", count="true").json["count"] == 4, what="runs that are found")
    one = come("?group=config.arch&band=std", path="/ann/diverged")
    page = one.page
    loss = page.get_by_role("article", name="Chart of loss")
    loss.get_by_text("80 NaN · 50 Inf").wait_for()
    loss.get_by_title("First at step 0 in large").wait_for()
    says(page, "2 lines; last 1 to 1; lowest small.")
    assert ink(page, "loss", 0.6, 0.9, 0.8, 0.9) > 5, "crosses at the lower edge"
    wholly = page.get_by_role("article", name="Chart of acc")
    wholly.get_by_text("100 NaN").wait_for()
    wholly.get_by_text("1 line; no finite values.").first.wait_for(state="attached")
    assert not wholly.get_by_text("No values in the runs shown.").count()
    box = loss.locator(".u-over").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    tip = page.locator(".tip:not([hidden])")
    tip.get_by_text("small: 1 NaN, finite in 1 of 2 runs").wait_for()
    tip.get_by_text("large: 1 NaN · 1 Inf, finite in 0 of 2 runs").wait_for()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
    tip.get_by_text("± 1.414, 2 runs").wait_for()
    page.get_by_label("Band", exact=True).select_option(label="median, 10 to 90 %")
    page.wait_for_url(re.compile("band=middle"))
    loss.get_by_text("80 NaN · 50 Inf").wait_for()
    page.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2)
    tip.get_by_text("10 to 90 %: 1 to 1, 1 run", exact=True).wait_for()
    loss.hover()
    loss.get_by_role("button", name="Full screen").click()
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_text("80 NaN · 50 Inf").wait_for()
    head, *lines = saved(page, full, "CSV").decode().splitlines()
    at = [head.split(",").index(name) for name in ("run", "nan", "inf")]
    assert {tuple(line.split(",")[i] for i in at) for line in lines} == {("small", "0", "0"), ("small", "1", "0"), ("large", "1", "1")}
    assert len(re.findall(rb'<path d="(?:M[-.0-9 ]+L[-.0-9 ]+){2,}"', saved(page, full, "SVG"))) == 2, "crosses of both groups"
    full.get_by_role("button", name="Show as table").click()
    cells = full.get_by_role("table", name="Values of loss").get_by_role("row").filter(has_text="large").get_by_role("cell")
    until_texts(cells, ["—", "—", "—", "—", "0", "50", "50"])
    assert faults_of(page) == []
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_members_as_thin_lines(come):
    """In one step, by one more question; b1 and b2 lie on the mean of their group."""
    one = come("?group=config.arch&band=none")
    page = one.page
    says(page, "2 lines; last 2 to 10; lowest small.")
    loss = page.get_by_role("article", name="Chart of loss")
    wait_until(lambda: lines_at_middle(loss) == 2, what="two lines")
    asked = set()
    page.on("request", lambda request: request.url.endswith("/series") and asked.add(request.post_data))
    menu_of(page, "loss", "Members as thin lines")
    loss.get_by_text("4 members of groups as thin lines.").wait_for()
    wait_until(lambda: lines_at_middle(loss) == 4, what="four lines")
    says(page, "2 lines; last 2 to 10; lowest small.")
    with_members = [json.loads(body) for body in asked if json.loads(body)["runs"]]
    assert len(with_members) == 1, "asked again at most as rows come"
    assert sorted(with_members[0]["runs"]) == ["a1", "a2", "b1", "b2"] and len(with_members[0]["groups"]) == 2
    assert faults_of(page) == []
    page.reload()
    loss.get_by_text("4 members of groups as thin lines.").wait_for()
    wait_until(lambda: lines_at_middle(loss) == 4, what="four lines")
    page.get_by_role("row").filter(has_text="small").click()
    beside(page, "a1")
    loss.get_by_text("3 members of groups as thin lines.").wait_for()
    menu_of(page, "loss", "Without members")
    wait_until(lambda: lines_at_middle(loss) == 3, what="three lines")
    page.keyboard.press("Control+z")
    loss.get_by_text("3 members of groups as thin lines.").wait_for()
    page.evaluate("to => history.pushState({}, '', to) || dispatchEvent(new PopStateEvent('popstate'))", page.url + "&panel=loss")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_text("3 members of groups as thin lines.").wait_for()
    assert saved(page, full, "SVG").count(b"stroke-opacity") == 3
    assert not [text for text in one.complaints if "willReadFrequently" not in text]
    page.route("**/member_lines*.js", lambda route: route.abort())
    page.reload()
    full.get_by_text("This part of the page could not be loaded.").wait_for()
    page.unroute("**/member_lines*.js")
    page.reload()
    full.get_by_text("3 members of groups as thin lines.").wait_for()


def test_members_of_null_and_of_none(come, api, wait_for, rows):
    """What is null and what is not there are two groups, each of its own runs, as lines and as their members."""
    home = "/api/v1/projects/ann/nulls"
    for name, config, loss in (("null", {"n": None}, 1), ("none", {}, 3), ("one", {"n": 1}, 10)):
        run = Run(api, name, home)
        run.join("rank0").send(config=config, history=[{**row, "loss": loss} for row in rows])
    groups = lambda: {one["group"] for one in api.get(f"{home}/groups", by="config.n", filter="has:summary.loss").json["items"]}  # noqa: E731
    wait_for(lambda: groups() == {"null", "none", "number:1"}, what="groups that are found")
    one = come("?group=config.n&band=none", path="/ann/nulls")
    page = one.page
    says(page, re.compile(r"^3 lines; last 1 to 10; lowest null\.$"))
    menu_of(page, "loss", "Members as thin lines")
    loss = page.get_by_role("article", name="Chart of loss")
    loss.get_by_text("3 members of groups as thin lines.").wait_for()
    page.get_by_role("button", name="Show the group (no value) in charts").click()
    says(page, "2 lines; last 1 to 10; lowest null.")
    loss.get_by_text("2 members of groups as thin lines.").wait_for()
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_groups_within_groups(come):
    """Of several keys the innermost groups are lines, whether the list has them open; an eye hides all within it."""
    one = come("?group=config.arch,config.opt")
    page = one.page
    says(page, "3 lines; last 1 to 10; lowest small, adam.")
    page.get_by_role("button", name="How many runs the charts draw").get_by_text("3 visualized").wait_for()
    page.get_by_role("row").filter(has_text="small").click()
    page.get_by_role("button", name="Show the group sgd in charts").click()
    says(page, "2 lines; last 1 to 10; lowest small, adam.")
    page.get_by_role("button", name="Show the group large in charts").click()
    says(page, "small, adam; last 1.")
    page.reload()
    says(page, "small, adam; last 1.")
    page.get_by_role("button", name="Show the group large in charts").click()
    page.get_by_role("row").filter(has_text="small").click()
    page.get_by_role("button", name="Show the group sgd in charts").click()
    says(page, "3 lines; last 1 to 10; lowest small, adam.")
    assert faults_of(page) == []
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


HUES = "nodes => nodes.map(node => node.style.color || node.style.background)"


@pytest.mark.long
def test_colours_of_groups(come):
    """Each has a hue of its own, and the same in the list, in lines, in bars and where they are compared."""
    one = come("?group=config.arch,config.opt")
    page = one.page
    says(page, "3 lines; last 1 to 10; lowest small, adam.")
    legend = page.get_by_role("article", name="Chart of loss").locator(".legend")
    hues = {"small, adam": "var(--s8)", "small, sgd": "var(--s5)", "large, adam": "var(--s1)"}  # in the order of their names
    for name, hue in hues.items():
        legend.locator("span").filter(has_text=name).locator(f"i[style*='{hue}']").wait_for()
    assert not legend.locator("i").and_(page.locator(".dash, .dot")).count()
    page.get_by_role("combobox", name="Filter runs").fill("config.arch=small")
    page.get_by_role("combobox", name="Filter runs").press("Enter")
    says(page, "2 lines; last 1 to 3; lowest small, adam.")
    for name in ("small, adam", "small, sgd"):
        legend.locator("span").filter(has_text=name).locator(f"i[style*='{hues[name]}']").wait_for()
    page.reload()
    says(page, "2 lines; last 1 to 3; lowest small, adam.")
    legend.locator("span").filter(has_text="small, adam").locator(f"i[style*='{hues['small, adam']}']").wait_for()
    page.get_by_role("row").filter(has_text="small").click()
    inner = page.get_by_role("row").filter(has=page.get_by_role("button", name="Show the group adam in charts"))
    inner.locator(".swatch i").wait_for()
    assert inner.locator(".swatch i").evaluate_all(HUES) == [hues["small, adam"]]
    add(page, "summary.loss", kind="Bars", pick="summary.loss")
    bar = page.get_by_role("article", name="Chart of summary.loss").get_by_role("listitem").filter(has_text="small, adam")
    bar.locator(".track i").wait_for()
    assert bar.locator(".track i").evaluate_all(HUES) == [hues["small, adam"]]
    page.goto(page.url.partition("?")[0] + "/compare?groups=config.arch~text:small~config.opt~text:adam,"
              "config.arch~text:large~config.opt~text:adam")
    compared = page.get_by_role("columnheader").filter(has_text="small").locator(".swatch i[style*='" + hues["small, adam"] + "']")
    compared.wait_for()
    page.locator(f".compare-plots .legend i[style*='{hues['large, adam']}']").first.wait_for()
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_beside_a_filter_of_a_program(come):
    """JSON in the address: the groups within its groups, their lines, their runs, and a baseline that stands on top alone."""
    own = quote(json.dumps({"config.arch": {"$in": ["small", "large"]}, "config.opt": {"$exists": True}}))
    one = come(f"?q={own}&group=config.arch,config.opt&base=b1")
    page = one.page
    says(page, "4 lines; last 1 to 10; lowest small, adam.")
    for name in "small", "sgd":
        page.get_by_role("row").filter(has=page.get_by_role("button", name=f"Show the group {name} in charts")).click()
    page.get_by_role("link", name="a2", exact=True).wait_for()
    page.goto(page.url.replace("group=config.arch,config.opt", "").replace("group=config.arch%2Cconfig.opt", ""))
    page.get_by_role("heading", name="Runs 4").wait_for()
    for name in "a1", "a2", "b1", "b2":
        wait_until(lambda name=name: page.get_by_role("link", name=name, exact=True).count() == 1, what=f"{name} once")
    page.get_by_role("button", name="Filter 1", exact=True).click()
    dialog = page.get_by_role("dialog")
    more = dialog.get_by_role("button", name="Add a condition")
    dialog.get_by_role("button", name="Only with data").wait_for()
    assert more.count() == 0  # hidden: a row beside it would make neither JSON nor text
    dialog.get_by_role("button", name="Only with data").click()
    page.wait_for_url(re.compile("rows"))
    page.get_by_role("heading", name="Runs 4").wait_for()
    assert not page.get_by_role("combobox", name="Filter runs").get_attribute("aria-invalid")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]
    page.get_by_role("button", name="Filter 1", exact=True).click()
    dialog.get_by_role("button", name="Remove", exact=True).click()
    more.click()
    dialog.get_by_label("Key").fill("config.arch")


@pytest.mark.long
def test_a_sort_beside_a_wrong_filter_of_a_program(come):
    """Its fault is told at the filter, and is none of the sort's."""
    page = come(f"?q={quote(json.dumps({'$or': [{'state': {'$near': 1}}]}))}").page
    page.locator("[aria-invalid=true]").first.wait_for()
    page.get_by_role("button", name="started ↓", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Add a key").click()
    dialog.get_by_label("Key").last.fill("config.arch")
    dialog.get_by_role("button", name="Apply").click()
    page.wait_for_url(re.compile("sort="))


def act_as(page, *roles):
    page.get_by_role("button", name="Group: ", exact=False).click()
    dialog = page.get_by_role("dialog")
    for at, role in enumerate(roles):
        dialog.get_by_label("In charts").nth(at).select_option(label=role)
    dialog.get_by_role("button", name="Apply").click()
    dialog.wait_for(state="detached")


def axis_of(page, full, name):
    page.get_by_role("article", name=name).hover()
    page.get_by_role("article", name=name).get_by_role("button", name="Full screen").click()
    full.get_by_role("heading", name=name.removeprefix("Chart of ")).wait_for()
    full.locator("canvas").wait_for()
    labels = re.findall(rb'text-anchor="end"[^>]*>([^<]+)<', saved(page, full, "SVG"))
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    return labels


@pytest.mark.long
def test_what_keys_of_groups_act_as(come):
    """A key is told by colour, by dash or by panels over the same axes; the address has it, and views keep it."""
    one = come("?group=config.arch,config.opt")
    page = one.page
    says(page, "3 lines; last 1 to 10; lowest small, adam.")
    act_as(page, "Colour", "Dash")
    page.wait_for_url(re.compile("as=color,dash"))
    legend = page.get_by_role("article", name="Chart of loss").locator(".legend")
    legend.get_by_text("Colour: arch, Dash: opt").wait_for()
    small = legend.locator("span").filter(has_text="small").locator("i")
    assert len(set(small.evaluate_all(HUES))) == 1 and small.and_(page.locator(".dash")).count() == 1
    act_as(page, "Colour", "Panel")
    adam, sgd = (page.get_by_role("article", name=f"Chart of loss · opt={opt}") for opt in ("adam", "sgd"))
    adam.get_by_text("2 lines; last 1 to 10; lowest small, adam.").wait_for(state="attached")
    sgd.get_by_text("small, sgd; last 3.").wait_for(state="attached")
    adam.locator(".legend").get_by_text("Colour: arch, Panel: opt").wait_for()
    assert faults_of(page) == []
    full = page.get_by_role("dialog", name="Full screen")
    labels = [axis_of(page, full, f"Chart of loss · opt={opt}") for opt in ("adam", "sgd")]
    assert labels[0] == labels[1] and len(labels[0]) > 2, "the same axes"
    sgd.hover()
    sgd.get_by_role("button", name="Full screen").click()
    page.wait_for_url(re.compile("[?&]panel=loss"))
    page.reload()
    full.get_by_role("heading", name="loss · opt=sgd").wait_for()
    full.locator("canvas").wait_for()
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    sgd.hover()
    sgd.get_by_role("button", name="Menu of the panel").click()
    page.get_by_role("menuitem", name="Pin to the first section").click()
    page.get_by_role("region", name="Pinned", exact=True).get_by_role("article", name="Chart of loss · opt=adam").wait_for()
    page.reload()
    adam.get_by_text("2 lines; last 1 to 10").wait_for(state="attached")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_marks_in_panels_of_a_key(come):
    """Bars, points and boxes stand once for each of its values, as lines do, over the same axes."""
    one = come("?group=config.arch,config.opt&as=color,panel")
    page = one.page
    page.get_by_role("article", name="Chart of loss · opt=sgd").get_by_text("small, sgd; last 3.").wait_for(state="attached")

    def both(name):
        return [page.get_by_role("article", name=f"Chart of {name} · opt={opt}", exact=True) for opt in ("adam", "sgd")]

    add(page, "summary.loss", kind="Bars", pick="summary.loss")
    adam, sgd = both("summary.loss")
    sgd.get_by_role("listitem").filter(has_text="small, sgd").locator(".track i").wait_for()
    adam.get_by_role("listitem").nth(1).wait_for()
    assert [adam.get_by_role("listitem").count(), sgd.get_by_role("listitem").count()] == [2, 1]
    assert sgd.locator(".track i").evaluate("node => node.style.width") == "30%", "of the greatest, which is in the other"
    add_scatter(page, ["config.arch", "summary.loss"])
    adam, sgd = both("arch, loss")
    adam.locator("circle").nth(1).wait_for()
    sgd.locator("circle").first.wait_for()
    assert sgd.locator("circle").count() == 1
    assert len({" ".join(part.locator("svg.plot-svg text").all_text_contents()) for part in (adam, sgd)}) == 1, "the same axes"
    page.keyboard.press("Control+z")
    sgd.wait_for(state="detached")
    adam, sgd = both("summary.loss")
    page.keyboard.press("Control+z")
    sgd.wait_for(state="detached")
    add(page, "summary.loss", kind="Box plot", pick="summary.loss")
    adam.get_by_text("large, adam: 2 runs, median 10, half of them 10 to 10. small, adam: 1 run").wait_for(state="attached")
    sgd.get_by_text("small, sgd: 1 run").wait_for(state="attached")
    assert sgd.locator(".box").count() == 1
    menu_of(page, "summary.loss · opt=sgd", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    by = full.get_by_role("toolbar", name="Panel").get_by_label("By", exact=True)
    by.locator("option", has_text="config.opt").wait_for(state="attached")
    assert faults_of(page) == []
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_groups_as_marks(come):
    """Points and bars of a list that is grouped are means over all runs of each, and say of how many."""
    one = come("?group=config.arch")
    page = one.page
    add(page, "summary.loss", kind="Bars", pick="summary.loss")
    bars = page.get_by_role("article", name="Chart of summary.loss")
    small = bars.get_by_role("listitem").filter(has_text="small")
    small.get_by_title("2 ± 1.414, 2 runs").wait_for()
    bars.get_by_text("A group is the mean over all of its runs.").wait_for()
    add_scatter(page, ["config.arch", "summary.loss"])
    points = page.get_by_role("article", name="Chart of arch, loss")
    points.get_by_text("The means of 2 groups by config.arch, summary.loss.").wait_for(state="attached")
    point = points.locator("circle").filter(has_text="small")
    point.hover()
    points.locator(".tip").get_by_text("± 1.414, 2 runs").wait_for()
    page.get_by_role("row").filter(has_text="small").click()
    beside(page, "a2")
    points.get_by_text("The means of 2 groups and 1 run by config.arch, summary.loss.").wait_for(state="attached")
    page.get_by_role("button", name="Show the group large in charts").click()
    points.locator("circle").filter(has_text="large").wait_for(state="detached")
    assert faults_of(page) == []
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


def saved(page, full, kind):
    with page.expect_download() as download:
        full.get_by_role("button", name=kind, exact=True).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


def more_of(page, full, item):
    full.get_by_role("button", name="More files").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=item, exact=True).click()
    with open(download.value.path(), "rb") as file:
        return file.read()


IS_LIGHT = """async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))]));
    const ctx = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
    ctx.drawImage(image, 0, 0);
    return ctx.getImageData(2, 2, 1, 1).data[0] > 250;
}"""


COLOURS = """async (bytes) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))]));
    const { width, height } = image;
    const ctx = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    ctx.drawImage(image, 0, 0);
    const [left, right, top, bottom] = [0.3 * width, 0.9 * width, 0.2 * height, 0.8 * height].map(Math.round);
    let fewest = Infinity;
    for (let y = top; y < bottom; y++) {
        const row = new Uint32Array(ctx.getImageData(left, y, right - left, 1).data.buffer);
        const count = new Set(row).size;
        if (count > 1) fewest = Math.min(fewest, count);
    }
    return fewest;
}"""


def colours(page, picture):
    """Of a row of pixels, the fewest that are no ground alone: where the lines of the grid are sharp there are two."""
    return page.evaluate(COLOURS, base64.b64encode(picture).decode())


def corners(page, *pictures):
    """Whether they are white there."""
    return [page.evaluate(IS_LIGHT, base64.b64encode(picture).decode()) for picture in pictures]


@pytest.mark.long
def test_files_of_what_is_drawn(come):
    """A picture as seen or light; the buckets that are drawn, or all rows, of groups those of their runs."""
    one = come("?panel=loss")
    page = one.page
    page.emulate_media(color_scheme="dark")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_text("4 lines; last 1 to 10; lowest a1.").wait_for(state="attached")
    picture = saved(page, full, "PNG")
    assert corners(page, picture, more_of(page, full, "PNG, light")) == [False, True]
    assert (page.evaluate("devicePixelRatio"), colours(page, picture)) == (1, 2)
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    head, *rows = more_of(page, full, "CSV of all rows").decode().splitlines()
    assert head == "_run,_name,_row,_label,_step,_timestamp,loss" and len(rows) == 200
    assert {tuple(row.split(",")[at] for at in (0, 1, 3, 6)) for row in rows} \
        == {("a1", "a1", "rank0", "1"), ("a2", "a2", "rank0", "3"), ("b1", "b1", "rank0", "10"), ("b2", "b2", "rank0", "10")}
    page.get_by_role("dialog", name="All rows").wait_for(state="detached")
    full.get_by_role("button", name="More files").click()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    page.emulate_media(color_scheme="light")
    full.get_by_role("button", name="More files").click()
    page.get_by_role("menuitem", name="PNG, light", disabled=True).wait_for()
    page.keyboard.press("Escape")
    page.evaluate(OPEN_GROUPED)
    full.get_by_text("2 lines; last 2 to 10; lowest small.").wait_for(state="attached")
    rows = [json.loads(row) for row in more_of(page, full, "NDJSON of all rows").splitlines()]
    assert {(row["_run"], row["loss"]) for row in rows} == {("a1", 1), ("a2", 3), ("b1", 10), ("b2", 10)} and len(rows) == 200
    first, *_ = re.findall(rb'<polygon points="([^"]+)"', saved(page, full, "SVG"))
    assert len(set(first.split())) == 2 * 50, "a band of two edges over 50 steps"
    card = page.get_by_role("dialog", name="All rows")
    page.route("**/b1/history?*", lambda route: None)
    full.get_by_role("button", name="More files").click()
    page.get_by_role("menuitem", name="CSV of all rows").click()
    card.get_by_role("progressbar", name="All rows").wait_for()
    card.get_by_role("status").get_by_text("of 4, ").wait_for(state="attached")
    assert faults_of(page) == []
    card.get_by_role("button", name="Stop").click()
    card.wait_for(state="detached")
    page.unroute("**/b1/history?*")
    page.route("**/b1/history?*", lambda route: route.fulfill(status=404, json={"detail": "b1 is not there any more"}))
    head, *rows = more_of(page, full, "CSV of all rows").decode().splitlines()
    assert head.startswith("_run,_name,") and {row.split(",")[0] for row in rows} == {"a1", "a2", "b2"}
    card.get_by_role("status").get_by_text("b1 was deleted while the file was made and is not in the file.").wait_for()
    assert faults_of(page) == []
    card.locator("footer").get_by_role("button", name="Close").click()
    card.wait_for(state="detached")
    assert "404" in one.complaints.pop()
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_boxes(come):
    """How a number lies in all runs of each group or by a key, drawn and as a table; hidden runs are in it, too."""
    one = come("?show=picked")
    page = one.page
    add(page, "summary.loss", kind="Box plot", pick="summary.loss")
    boxes = page.get_by_role("article", name="Chart of summary.loss")
    boxes.get_by_text("All runs: 4 runs, median 6.5, half of them 2.5 to 10.").wait_for(state="attached")
    page.evaluate(OPEN_GROUPED)
    boxes.get_by_text("large: 2 runs, median 10, half of them 10 to 10. small: 2 runs, median 2,").wait_for(state="attached")
    boxes.get_by_text("By config.arch, over all runs of the list.").wait_for()
    boxes.locator(".box circle").nth(3).wait_for()
    assert boxes.locator(".box circle").count() == 4, "each value of so few"
    assert faults_of(page) == []
    menu_of(page, "summary.loss", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    by = full.get_by_role("toolbar", name="Panel").get_by_label("By", exact=True)
    by.locator("option", has_text="config.opt").wait_for(state="attached")
    by.select_option(label="config.opt")
    full.get_by_text("adam: 3 runs, median 10").wait_for(state="attached")
    full.get_by_role("button", name="Show as table").click()
    row = full.get_by_role("table", name="Values of summary.loss").get_by_role("row").filter(has_text="adam")
    assert row.get_by_role("cell").all_inner_texts() == ["3", "1", "5.5", "10", "10", "10", "7"]
    assert faults_of(page) == []
    points = full.get_by_role("table", name="Runs of summary.loss that are drawn as points")
    points.get_by_role("button", name="a2").click()
    page.locator(".runs-foot").get_by_text("1 selected").wait_for(state="attached")
    full.get_by_role("button", name="Show as table").click()
    assert b"a2,a2,sgd,3" in saved(page, full, "CSV")
    assert b'class="median"' in saved(page, full, "SVG")
    assert saved(page, full, "PNG")[:8] == b"\x89PNG\r\n\x1a\n"
    page.emulate_media(color_scheme="dark")
    assert corners(page, saved(page, full, "PNG"), more_of(page, full, "PNG, light")) == [False, True]
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert not [text for text in one.complaints if "willReadFrequently" not in text]


@pytest.mark.long
def test_what_goes_with_a_metric(come):
    """Of all runs of the list, also hidden ones: the share of variance that lies between categories, as a picture, a table and a file."""
    one = come("?show=picked")
    page = one.page
    add(page, "summary.loss", kind="Correlation", pick="summary.loss")
    chart = page.get_by_role("article", name="Chart of Correlations with loss")
    chart.get_by_text("Over 4 runs with summary.loss.").wait_for()
    items = chart.get_by_role("listitem")
    until_texts(items, ["arch\n0.97\n4 runs, in 2 categories, few runs", "opt\n0.18\n4 runs, in 2 categories, few runs"])
    page.get_by_role("combobox", name="Filter runs").fill("config.opt:adam")
    page.get_by_role("combobox", name="Filter runs").press("Enter")
    chart.get_by_text("Over 3 runs with summary.loss.").wait_for()
    until_texts(items, ["arch\n1.00\n3 runs, in 2 categories, few runs", "opt\n—\n3 runs, the same in all runs"])
    assert faults_of(page) == []
    chart.get_by_role("button", name="Show as table").click()
    row = chart.get_by_role("table").get_by_role("row").filter(has_text="config.arch")
    assert row.get_by_role("cell").all_inner_texts() == ["η²", "1.0000", "3", "few runs"]
    menu_of(page, "Correlations with loss", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    full.get_by_text("Over 3 runs with summary.loss.").wait_for()
    assert saved(page, full, "CSV").decode().splitlines()[1] == "config.arch,eta_squared,1,3,few"
    assert not full.get_by_role("button", name="PNG").is_visible()
    page.emulate_media(color_scheme="dark")
    assert faults_of(page) == []
    assert not one.complaints


@pytest.mark.long
def test_what_no_summary_has_is_drawn(come, api, wait_for):
    """As define_metric(summary="none") has it: the keys of rows make the panels, of runs and of groups."""
    def keys():
        return [(key["key"], key["runs"]) for key in api.get(f"{HOME}/keys").json["items"]]
    wait_for(lambda: keys() == [("loss", 4), ("unshown", 4)], what="keys of the project")
    page = come("").page
    chart = page.get_by_role("article", name="Chart of unshown")
    chart.get_by_text("4 lines; last 1 to 10").first.wait_for(state="attached")
    page.get_by_role("button", name="Panel", exact=True).click()
    page.get_by_role("dialog", name="Add panels").get_by_role("checkbox", name="unshown", exact=True).wait_for()


def test_rows_of_any_member_move_the_line(come, runs, api):
    """Also of one that is not in the list that is seen."""
    one = come("?group=group&show=10")
    says(one.page, "2 lines")
    one.page.locator(".top .live", has_text="Live").wait_for()
    runs[0].join("rank1").send(history=[{"_step": 50, "loss": 7.5}])
    says(one.page, "last 7.5 to 10")


def test_the_page_of_a_group(come, runs, api):
    """Its facts on top, its runs below; they change with its runs."""
    one = come("", f"/ann/{PROJECT}/groups/large")
    page = one.page
    facts = page.get_by_role("region", name="Facts of the group large")
    facts.get_by_text("10 to 10, 2 runs").wait_for()
    page.wait_for_url(re.compile(r"/groups/large\?q=group:"))
    page.get_by_role("row").filter(has_text="b2").wait_for()
    assert page.get_by_role("row").filter(has_text="a1").count() == 0
    page.get_by_text("2 visualized").wait_for()
    page.locator(".top .live", has_text="Live").wait_for()
    api.post(f"{HOME}/runs/b2/finish", {"exit_code": 1})
    facts.get_by_text("failed").wait_for()
    for size in SIZES.values():
        page.set_viewport_size(size)
        assert faults_of(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not [text for text in one.complaints if "willReadFrequently" not in text]
