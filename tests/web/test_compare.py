"""Runs side by side in a real browser: what differs, what changed, plots, hostile names, twenty runs, a phone."""
import csv
import io
import re

import pytest

import module_api
from browsing import NARROW_LOOK, SIZES, faults_of, sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from test_panels import drag_along
from table_files import png
from uploads import put

api = module_api.api
HOME = "/api/v1/projects/ann/compare"
HOSTILE = "</td><script>document.title = 'stolen'</script>\u202e\u05d0\U0001f9ea" + "x" * 180
DIRECTIONS = {"m": [{"1": "eval/loss", "8": 1}, {"1": "eval/acc", "7": [2]}]}
SAME = {f"same.k{n}": n for n in range(30)}


def make(api, name, config, rows, **files):
    run = Run(api, name, HOME)
    writer = run.join(f"{name}-rank0", host=f"host-{name}")
    writer.send(history=rows, config=config)
    writer.finish()
    for file, content in files.items():
        put(run, file.replace("__", "-").replace("_", "."), content.encode())
    return run


def metadata(python, *args):
    return ('{"os": "Linux", "python": "%s", "program": "train.py", "args": [%s], "git": {"remote": "git@x:y", "commit": "%s"}}'
            % (python, ", ".join(f'"{arg}"' for arg in args), python.replace(".", "") * 4))


@pytest.fixture(scope="module")
def runs(api):
    """a, b, c: alike but for their learning rate, what they reached and what they ran in; c has a hostile name and no eval/acc."""
    def rows(loss, acc=None):
        return [{"eval/loss": loss + 1 / (step + 1), **({"eval/acc": acc} if acc else {}), "zero": 0, "steps": 100} for step in range(9)] + [
            {"eval/loss": loss, **({"eval/acc": acc} if acc else {}), "zero": 1 if loss == 4 else 0, "steps": 100}]

    def config(lr, arch, **more):
        return {"lr": lr, "model": {"arch": arch, **more}, "_wandb": DIRECTIONS, **SAME}
    a = make(api, "a", config(0.01, "moe", layers=[2, 4]), rows(2, 0.5), wandb__metadata_json=metadata("3.12.7", "--lr", "0.01"),
             requirements_txt="numpy==1.26.0\ntorch==2.5.0\n", diff_patch="+one\n+two\n")
    b = make(api, "b", config(0.02, "dense", layers=[2, 4]), rows(4, 0.75), wandb__metadata_json=metadata("3.12.7", "--lr", "0.02"),
             requirements_txt="numpy==2.0.0\ntorch==2.5.0\n", diff_patch="+one\n+three\n")
    c = make(api, "c", {**config(0.01, "moe"), "=1+1": "=cmd|' /C calc'!A0", "<b>": "</td><i>"}, rows(1))
    api.patch(c.path, {"display_name": HOSTILE})
    return {"a": a, "b": b, "c": c}


@pytest.fixture(scope="module")
def cookies():
    return {}


@pytest.fixture
def come(screen, server, cookies, runs, api, wait_for):
    """come(query, **options): a Screen at the comparison, signed in once for all; its runs can be found."""
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.lr has:summary.eval/loss", count="true", limit=1).json["count"] >= 3,
             timeout=60, what="runs that are found")

    def at(query="?runs=a,b,c", path="/ann/compare/compare", **options):
        one = screen(storage_state=cookies or None, **options)
        url = f"http://{HOST}:{server.port}{path}{query}"
        if cookies:
            one.page.goto(url)
        else:
            sign_in(one.page, url)
        one.page.locator(".avatar").wait_for()
        cookies.update(cookies or one.context.storage_state())
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def settled(page):
    """All of it is read."""
    page.locator(".compare-page[aria-busy=false]").wait_for()
    page.get_by_role("row").nth(1).wait_for()


def head(page, section):
    return page.get_by_role("row").filter(has=page.get_by_role("button", name=section, exact=True))


def line(page, key):
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader").filter(has=page.locator(f'[title="{key}"]')))


def cells(page, key):
    return line(page, key).get_by_role("cell").all_inner_texts()


def query_of(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def keys_of(page):
    return page.locator(".virtual .compare-row .key bdi").evaluate_all("(all) => all.map((one) => one.title)")


def test_what_differs(come):
    one = come()
    page = one.page
    settled(page)
    assert "Compare 3 runs" in page.locator("h1").inner_text()
    assert cells(page, "eval/loss") == ["2", "4\n+100 %", "1\n−50 %"]
    loss = line(page, "eval/loss").get_by_role("cell")
    assert loss.nth(1).locator(".worse").count() == loss.nth(2).locator(".better").count() == 1
    assert line(page, "eval/loss").locator("strong").all_inner_texts() == ["1"]
    assert cells(page, "eval/acc.max") == ["0.5", "0.75\n+50 %", "not set"]
    assert line(page, "eval/acc.max").locator("strong").all_inner_texts() == ["0.75"]
    assert cells(page, "zero") == ["0", "1\n+1", "0"]
    assert "differs" in line(page, "lr").get_by_role("cell").nth(1).get_attribute("class")
    assert "differs" not in line(page, "lr").get_by_role("cell").nth(2).get_attribute("class")
    assert line(page, "steps").count() == 0 and "1 is the same" in head(page, "Summary").inner_text()
    assert "30 are the same" in head(page, "Config").inner_text()
    assert cells(page, "package numpy") == ["1.26.0", "2.0.0", "not set"]
    page.get_by_role("button", name="Absolute").click()
    line(page, "eval/loss").get_by_text("+2", exact=True).wait_for()
    page.get_by_role("button", name="Off", exact=True).click()
    line(page, "eval/loss").locator(".change").first.wait_for(state="detached")
    page.get_by_role("switch", name="Only differences").click()
    page.get_by_role("button", name="Config", exact=True).click()  # folded: its 33 keys leave no room for others
    assert cells(page, "steps") == ["100", "100", "100"]
    assert query_of(page) == {"runs": "a,b,c", "change": "off", "only": "off"}
    page.go_back()
    line(page, "steps").wait_for(state="detached")
    page.get_by_role("button", name="Config", exact=True).click()
    page.get_by_label("Filter keys (regex)").fill("^(lr|eval/.*)$")
    line(page, "zero").wait_for(state="detached")
    assert keys_of(page) == ["lr", "eval/acc.max", "eval/loss"]
    page.get_by_label("Filter keys (regex)").fill("model.arch[")
    page.wait_for_function("() => !document.querySelector('.virtual .compare-row .key')")
    assert not one.complaints


@pytest.mark.long
def test_which_way_the_project_says(come, api, wait_for):
    """It has the last word over what the programs said."""
    api.patch(HOME, {"directions": [{"key": "zero", "better": "lower"}, {"key": "eval/loss", "better": "higher"}]})
    try:
        one = come()
        page = one.page
        settled(page)
        assert line(page, "eval/loss").locator("strong").all_inner_texts() == ["4"]
        assert line(page, "zero").locator("strong").all_inner_texts() == ["0", "0"]
        assert line(page, "zero").get_by_role("cell").nth(1).locator(".worse").count() == 1
        assert line(page, "eval/acc.max").locator("strong").all_inner_texts() == ["0.75"] and not one.complaints
        wait_for(lambda: api.get(f"{HOME}/groups", by="config.model.arch", of="summary.zero").json["groups"] >= 2, what="groups")
        page = come("?groups=config.model.arch~text:moe,config.model.arch~text:dense").page
        settled(page)
        line(page, "eval/loss").locator("strong").get_by_text("4", exact=True).wait_for()
        assert line(page, "zero").get_by_role("cell").nth(1).locator(".worse").count() == 1
    finally:
        api.patch(HOME, {"directions": None})


@pytest.mark.long
def test_configs_first_and_the_baseline_told_apart(come, api, wait_for):
    """Config is above Summary, what is known of images and tables is no row, only the table is a panel, and no name is eaten."""
    table = {"_type": "table-file", "path": "media/table/t.json", "sha256": "cd" * 32, "size": 1468, "ncols": 3, "nrows": 100,
             "artifact_path": "wandb-client-artifact://y", "log_mode": "IMMUTABLE"}
    image = {"_type": "image-file", "path": "media/a.png", "sha256": "ab" * 32, "size": 123, "width": 28, "height": 28, "format": "png"}
    home = "/api/v1/projects/ann/compare-media"
    names = {"with": "mlp-128x64-lr1e-2-s0", "without": "mlp-128x64-lr1e-2-s1"}
    for name, media in ("with", {"conf_mat": table, "plots/mpl": image}), ("without", {}):
        run = Run(api, name, home)
        api.patch(run.path, {"display_name": names[name], "color": "slot-10" if media else "slot-18"})
        put(run, table["path"], b'{"columns": ["a"], "data": [[1]]}')
        put(run, image["path"], png(28, 28))
        run.join("w").send(history=[{"loss": 1 / (step + 1) + len(media), **(media if step == 3 else {})} for step in range(9)], config={"lr": len(media)})
    wait_for(lambda: api.get(f"{home}/keys").json["items"], what="keys")
    one = come("?runs=without,with", path="/ann/compare-media/compare", viewport={"width": 1440, "height": 900})
    page = one.page
    settled(page)
    line(page, "plots/mpl").wait_for()
    tops = [head(page, section).bounding_box()["y"] for section in ("Config", "Summary", "Environment", "Writers")]
    assert tops == sorted(tops) and tops[0] < line(page, "lr").bounding_box()["y"] < tops[1] < line(page, "loss").bounding_box()["y"]
    assert keys_of(page)[:4] == ["lr", "loss", "conf_mat", "plots/mpl"]
    panels = page.get_by_role("article")
    panels.first.locator("canvas").first.wait_for()
    assert [panel.locator("h3").inner_text() for panel in panels.all()] == ["loss", "conf_mat", "plots/mpl"]
    legend = panels.first.locator(".legend > span")
    box = panels.first.bounding_box()
    assert legend.count() == 2 and legend.nth(0).get_by_text("baseline", exact=True).is_visible()
    for nth, name in enumerate([names["without"], names["with"]]):
        for cut in legend.nth(nth).locator("bdi").all() + page.locator(".compare-row.heads .cell").nth(nth).locator("bdi").all():
            assert cut.evaluate("(node) => node.scrollWidth <= node.clientWidth || getComputedStyle(node).display === 'inline'"), name
        place = legend.nth(nth).bounding_box()
        assert place["x"] >= box["x"] and place["x"] + place["width"] <= box["x"] + box["width"]
    strokes = page.locator(".compare-row.heads .swatch i").evaluate_all("all => all.map((one) => one.className)")
    assert strokes == ["stroke base", "stroke dash"], "no other run has the dashes of the baseline"
    assert faults_of(page) == [] and not one.complaints


@pytest.mark.long
def test_baseline_pins_and_columns(come):
    one = come()
    page = one.page
    settled(page)
    page.get_by_role("columnheader").nth(2).hover()
    page.keyboard.press("b")
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'b,a,c'")
    assert cells(page, "eval/loss") == ["4", "2\n−50 %", "1\n−75 %"]
    heads = page.locator(".compare-row.heads .cell")
    heads.nth(2).drag_to(heads.nth(0))
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'c,b,a'")
    assert cells(page, "eval/loss")[0] == "1"
    heads.nth(0).get_by_role("button").click()
    assert page.get_by_role("menuitem", name="Move to the left").count() == 0
    page.get_by_role("menuitem", name="Move to the right").press("Enter")
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'b,c,a'")
    page.get_by_role("button", name="Menu of a", exact=True).click()
    page.get_by_role("menuitem", name="Move to the left").click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'b,a,c'")
    page.get_by_role("button", name="Menu of a", exact=True).click()
    page.get_by_role("menuitem", name="Take it out").click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'b,c'")
    assert cells(page, "eval/loss") == ["4", "1\n−75 %"]
    page.get_by_role("button", name="Add run").click()
    page.get_by_label("Name, id or tag").fill("a")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^a ?a$")).click()
    settled(page)
    assert query_of(page)["runs"] == "b,c,a" and len(cells(page, "eval/loss")) == 3
    line(page, "zero").hover()
    page.get_by_role("button", name="Keep zero on top").click()
    page.wait_for_function("() => document.querySelector('.virtual .compare-row .key bdi').title === 'zero'")
    page.reload()
    settled(page)
    assert keys_of(page)[0] == "zero" and query_of(page)["pin"] == "zero"
    page.get_by_role("article").filter(has_text="zero").first.wait_for()
    page.get_by_role("button", name="Config", exact=True).click()
    line(page, "lr").wait_for(state="detached")
    assert not one.complaints


@pytest.mark.long
def test_a_head_that_is_pressed_stays(come, api):
    """Whatever becomes of its run before it is dragged and let go; then it says that."""
    runs = {name: Run(api, name, "/api/v1/projects/ann/compare-drag") for name in "abc"}
    for run in runs.values():
        run.join("rank0").send(history=[{"loss": 1}])
    one = come("?runs=a,b,c", path="/ann/compare-drag/compare")
    page = one.page
    settled(page)
    read = []
    page.on("requestfinished", lambda request: "/runs?ids=" in request.url and read.append(request.url))
    page.reload()
    settled(page)
    wait_until(lambda: page.evaluate("1") and len(read) >= 2, what="what is read as the stream opens")
    read.clear()
    heads = page.locator(".compare-row.heads .cell")
    [last, first] = [heads.nth(at).bounding_box() for at in (2, 0)]
    page.mouse.move(last["x"] + 40, last["y"] + last["height"] - 6)
    page.mouse.down()
    api.patch(runs["b"].path, {"display_name": "told meanwhile"})
    wait_until(lambda: page.evaluate("1") and len(read) >= 1, what="the runs to be read again")
    settled(page)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert heads.nth(1).locator("bdi").inner_text() == "b"
    page.mouse.move(first["x"] + 60, first["y"] + 20, steps=6)
    page.mouse.up()
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'c,a,b'")
    heads.nth(2).get_by_text("told meanwhile").wait_for()
    assert not one.complaints


def test_runs_as_rows_csv_and_copy(come):
    one = come()
    page = one.page
    settled(page)
    page.get_by_role("button", name="Runs as rows").click()
    row = page.locator("tr[data-run=b]")
    row.wait_for()
    assert [row.locator("td").first.inner_text(), row.locator("td").filter(has_text="0.75").count()] == ["0.02+100 %", 1]
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "compare-compare.csv"
    table = list(csv.reader(io.StringIO(download.value.path().read_bytes().decode())))
    assert table[0] == ["Section", "Key", "a", "b", HOSTILE] and ["config", "lr", "0.01", "0.02", "0.01"] in table
    assert ["config", "'=1+1", "", "", "'=cmd|' /C calc'!A0"] in table and ["config", "model.layers", "[2,4]", "[2,4]", ""] in table
    page.get_by_role("button", name="Copy the table").click()
    assert "config\tlr\t0.01\t0.02\t0.01" in page.locator("textarea").input_value()
    assert not one.complaints


def test_command_and_code(come):
    page = come().page
    settled(page)
    page.get_by_role("button", name="Menu of b", exact=True).click()
    page.get_by_role("menuitem", name="Command and code").click()
    box = page.get_by_role("dialog", name="b against a")
    box.get_by_role("heading", name="Uncommitted changes").wait_for()
    assert box.locator(".gone").all_inner_texts() == ["-   --lr 0.01", "- +two"]
    assert box.locator(".added").all_inner_texts() == ["+   --lr 0.02", "+ +three"]


FILLS = "all => all.map((one) => getComputedStyle(one).fill)"


def test_plots(come):
    one = come("?runs=a,b,c&plot=scatter")
    page = one.page
    settled(page)
    page.get_by_role("img", name="summary.eval/acc.max by config.lr of 2 runs").wait_for()
    page.get_by_text("1 without a value here").wait_for()
    page.get_by_label("Up", exact=True).fill("summary.eval/loss")
    page.get_by_label("Up", exact=True).press("Enter")
    page.get_by_role("img", name="summary.eval/loss by config.lr of 3 runs").wait_for()
    assert page.locator("circle[data-run]").count() == 3

    def fades():  # what is drawn again forgets the pointer until it moves
        page.mouse.move(2, 2)
        page.locator("circle[data-run=b]").hover()
        return page.evaluate("document.querySelector('circle[data-run=a]').classList.contains('faded')")
    wait_until(fades, what="another run that fades")
    fills = lambda: page.locator("circle[data-run]").evaluate_all(FILLS)  # noqa: E731
    own = fills()
    page.get_by_label("Colour", exact=True).fill("config.lr")
    page.get_by_label("Colour", exact=True).press("Enter")
    page.get_by_text("Colour: config.lr, from blue").wait_for()
    assert len(set(own)) == 3
    wait_until(lambda: len(set(fills())) == 2, what="a colour for each value of the key")
    page.get_by_label("Colour", exact=True).fill("")
    page.get_by_label("Colour", exact=True).press("Enter")
    page.get_by_text("Colour: config.lr, from blue").wait_for(state="detached")
    wait_until(lambda: fills() == own, what="the colours of the runs")
    page.get_by_label("Across").fill("config.model.arch")
    page.get_by_label("Across").press("Enter")
    page.get_by_role("img", name="summary.eval/loss by config.model.arch of 3 runs").wait_for()
    page.wait_for_function("() => document.activeElement.value === 'config.model.arch'")
    page.get_by_label("Up", exact=True).fill("summary.zero")
    page.get_by_label("Up", exact=True).press("Enter")
    page.get_by_role("switch", name="Log y").click()
    page.get_by_text("2 without a value here").wait_for()
    at = {"runs": "a,b,c", "plot": "scatter", "sx": "config.model.arch", "sy": "summary.zero", "slog": "y"}
    wait_until(lambda: query_of(page) == at, what="all that was chosen in the address")
    page.get_by_role("button", name="Parallel").click()
    page.get_by_role("img", name=re.compile("^3 runs across config.lr, config.model.arch")).wait_for()
    assert page.locator(".parallel-line").count() == 3
    page.get_by_role("button", name="Remove the axis config.model.arch").click()
    page.get_by_role("img", name=re.compile("^3 runs across config.lr, (?!config.model.arch)")).wait_for()
    page.get_by_role("button", name="Lines", exact=True).click()
    page.get_by_role("article").filter(has_text="loss").first.wait_for()
    assert not one.complaints


@pytest.mark.long
def test_lines_lie_along_what_the_runs_define(come, api):
    """Also of one that is pinned alone, and of groups; what is defined as hidden is there where it is pinned."""
    home = "/api/v1/projects/ann/defined"
    defined = [{"1": "epoch"}, {"2": "val/*", "5": 1}, {"1": "secret", "6": [2]}]
    for name in ("d1", "d2"):
        writer = Run(api, name, home).join("rank0")
        writer.send(config={"_wandb": {"m": defined}, "lr": 1}, history=[
            {"_runtime": step + len(name), "loss": 1 / (step + 1), "secret": 1, **({"epoch": step // 5, "val/loss": step} if step % 5 == 4 else {})} for step in range(20)])
        writer.finish()
    one = come("?runs=d1,d2", path="/ann/defined/compare")
    page = one.page
    chart_of = lambda key: page.get_by_role("article", name=f"Chart of {key}", exact=True)  # noqa: E731
    chart_of("val/loss").get_by_text("along epoch").wait_for()
    assert page.get_by_role("combobox", name="x", exact=True).locator("option").first.inner_text() == "As defined"
    assert chart_of("loss").get_by_text("along").count() == 0 and chart_of("secret").count() == 0
    page.goto(f"{page.url}&pin=val/loss")
    chart_of("val/loss").get_by_text("along epoch").wait_for()
    assert chart_of("loss").count() == 0
    page.goto(page.url.replace("val/loss", "secret"))
    chart_of("secret").wait_for()
    page.get_by_role("button", name="Scatter").click()
    page.get_by_role("img", name="summary.epoch by config.lr of 2 runs").wait_for()  # none of those that begin with _
    chart_of("secret").wait_for(state="detached")
    page.goto(f"{page.url.partition('?')[0]}?groups=config.lr~number:1")
    chart_of("val/loss").get_by_text("along epoch").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_plots_of_all_runs(come, api):
    """Boxes, what goes with a metric, and runs across axes are of all runs that the filter finds; those that are compared stand out."""
    one = come("?runs=a,b&plot=box&q=has:config.lr has:summary.eval/loss&metric=summary.eval/loss")
    page = one.page
    settled(page)
    page.get_by_text("All runs: 3 runs, median 2, half of them 1.5 to 3.").wait_for(state="attached")
    page.get_by_label("By", exact=True).fill("config.model.arch")
    page.get_by_label("By", exact=True).press("Enter")
    page.get_by_text("dense: 1 run, median 4, half of them 4 to 4. moe: 2 runs, median 1.5,").wait_for(state="attached")
    page.get_by_role("button", name="Correlation", exact=True).click()
    chart = page.get_by_role("article", name="Chart of Correlations with eval/loss")
    chart.get_by_text("Over 3 runs with summary.eval/loss.").wait_for()
    chart.get_by_role("listitem").filter(has_text="lr").get_by_text("0.87").wait_for()
    assert chart.get_by_role("listitem").filter(has_text="model.arch").inner_text() == "model.arch\n0.89\n3 runs, in 2 categories, few runs"
    assert chart.get_by_role("listitem").filter(has_text="summary.zero").count() == 0
    page.get_by_role("switch", name="With metrics").click()
    chart.get_by_role("listitem").filter(has_text="summary.zero").get_by_text("0.87").wait_for()
    assert query_of(page) == {"runs": "a,b", "plot": "correlation", "q": "has:config.lr has:summary.eval/loss", "metric": "summary.eval/loss",
                              "by": "config.model.arch", "metrics": "on"}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == [], scheme
    page.goto(page.url.partition("?")[0] + "?runs=a,b&plot=parallel&axes=config.lr,summary.eval/loss&q=has:config.lr has:summary.eval/loss")
    settled(page)
    page.get_by_role("img", name="2 runs across config.lr, summary.eval/loss").wait_for()
    page.get_by_role("switch", name="All runs of the filter").click()
    page.get_by_role("img", name="3 runs across config.lr, summary.eval/loss").wait_for()
    assert page.locator(".parallel-line").evaluate_all("(all) => all.map((one) => one.dataset.run)")[0] == "c", "below the others"
    assert faults_of(page) == []
    drag_along(page, page.locator("line.axis").nth(1), 0.7)
    page.get_by_role("img", name="2 runs across config.lr, summary.eval/loss").wait_for()
    assert query_of(page)["q"] == "has:config.lr has:summary.eval/loss summary.eval/loss>=2 summary.eval/loss<=4"
    page.get_by_label("Filter of all runs").fill("has:config.lr has:summary.eval/loss")
    page.get_by_label("Filter of all runs").press("Enter")
    page.get_by_role("img", name="3 runs across config.lr, summary.eval/loss").wait_for()
    page.locator(".parallel-line[data-run=c] circle").last.click()
    page.wait_for_function("() => new URLSearchParams(location.search).get('runs') === 'a,b,c'")
    page.get_by_role("columnheader").nth(3).wait_for()
    page.get_by_role("switch", name="All runs of the filter").click()
    page.get_by_role("img", name="3 runs across config.lr, summary.eval/loss").wait_for()
    page.get_by_role("button", name="Lines", exact=True).click()
    page.get_by_role("article").filter(has_text="loss").first.wait_for()
    assert not one.complaints


def test_from_the_workspace(come):
    """Selected runs are compared by the bar and by key."""
    one = come("", path="/ann/compare")
    page = one.page
    for name in ("a", "b"):
        page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True)).click(modifiers=["Control"], position={"x": 130, "y": 14})
    page.get_by_text("2 selected").wait_for()
    page.get_by_role("group", name="Selected runs").get_by_role("button", name="Compare").click()
    settled(page)
    assert sorted(query_of(page)["runs"].split(",")) == ["a", "b"]
    page.go_back()
    page.get_by_role("grid").wait_for()
    page.get_by_role("row").filter(has=page.get_by_role("link", name="b", exact=True)).click(position={"x": 130, "y": 14})
    page.keyboard.press("C")
    page.get_by_text("One run is shown.").wait_for()
    page.goto(page.url.partition("?")[0])
    page.get_by_text("Nothing to compare yet.").wait_for()
    assert not one.complaints


def group_row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("button", name=f"Menu of {name}", exact=True))


@pytest.mark.long
def test_groups_beside_runs(come, api, wait_for):
    """Groups are selected in the list and compared over all of their runs; the address holds them."""
    wait_for(lambda: api.get(f"{HOME}/groups", by="config.model.arch", of="summary.eval/loss").json["groups"] >= 2, what="groups")
    one = come("?group=config.model.arch&q=has:config.lr&sort=name", path="/ann/compare")
    page = one.page
    group_row(page, "moe").click(modifiers=["Control"], position={"x": 130, "y": 14})
    page.get_by_text("1 selected").wait_for()
    page.get_by_role("button", name="Menu of dense", exact=True).click()
    page.get_by_role("menuitem", name="Select").click()
    page.get_by_text("2 selected").wait_for()
    assert group_row(page, "dense").get_attribute("aria-selected") == "true"
    page.keyboard.press("C")
    settled(page)
    assert "Compare 2 groups" in page.locator("h1").inner_text()
    groups = "config.model.arch~text:moe,config.model.arch~text:dense"
    assert query_of(page) == {"groups": groups, "q": "has:config.lr"}
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert ["2 runs" in heads[1], "1 run" in heads[2]] == [True, True]
    assert [" ".join(cell.split()) for cell in cells(page, "eval/loss")] == ["1.5 ± 0.7071, 1 to 2", "4 +166.7 %"]
    assert cells(page, "eval/acc.max")[0].replace("\n", "") == "0.5, 1 of 2 runs"
    assert [cell.split("\n")[0] for cell in cells(page, "lr")] == ["0.01", "0.02"]
    assert "30 are the same" in head(page, "Config").inner_text() and line(page, "steps").count() == 0
    page.get_by_role("article", name="Chart of eval/loss").get_by_text(re.compile("^2 lines; ")).first.wait_for(state="attached")
    page.get_by_role("button", name="Add run").click()
    page.get_by_label("Name, id or tag").fill("a")
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^a ?a$")).click()
    page.get_by_role("columnheader").nth(3).wait_for()
    settled(page)
    assert query_of(page) == {"runs": "a", "groups": groups, "q": "has:config.lr"}
    assert [" ".join(cell.split()) for cell in cells(page, "eval/loss")] == ["2", "1.5 ± 0.7071, 1 to 2 −25 %", "4 +100 %"]
    assert "differs" not in line(page, "lr").get_by_role("cell").nth(1).get_attribute("class")
    assert "0 differ" in head(page, "Environment").inner_text()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == [], scheme
    page.reload()
    settled(page)
    assert len(cells(page, "eval/loss")) == 3
    page.get_by_role("button", name="Menu of model.arch: dense").click()
    page.get_by_role("menuitem", name="Take it out").click()
    page.get_by_role("columnheader").nth(3).wait_for(state="detached")
    assert query_of(page)["groups"] == "config.model.arch~text:moe"
    page.get_by_role("button", name="Runs as rows").click()
    page.locator("tr[data-run='group:model.arch: moe']").get_by_text("1.5 ± 0.7071, 1 to 2").wait_for()
    page.goto(f"{page.url.partition('?')[0]}?groups=nonsense,state~list:[1]")
    page.get_by_text("No group is called nonsense.").wait_for()
    page.get_by_text("state: [1] has no line in charts").wait_for()
    assert not one.complaints


def test_what_goes_on_and_what_is_not_there(come, api):
    live = Run(api, "live", HOME)
    writer = live.join("rank0")
    writer.send(history=[{"eval/loss": 8}], config={"lr": 0.5})
    page = come("?runs=a,live,none-such&find=^(eval/loss|lr)$").page
    settled(page)
    page.get_by_text("Not found, or no access: none-such.").wait_for()
    assert cells(page, "eval/loss")[1].startswith("8")
    writer.send(history=[{"eval/loss": 16}])
    line(page, "eval/loss").get_by_text("16", exact=True).wait_for()
    writer.finish()
    for rate in "0.25", "0.125":  # by hand: by the second it has nothing else to tell
        api.patch(f"{live.path}/config", {"lr": float(rate)})
        line(page, "lr").get_by_text(rate, exact=True).wait_for()
    page.goto(page.url.partition("?")[0])
    page.get_by_text("Nothing to compare yet.").wait_for()
    assert not page.get_by_role("table").is_visible() and not page.get_by_text("No metrics").is_visible(), "nothing is told to be missing"


@pytest.mark.long
def test_what_does_not_change_is_not_read(come, api, wait_for):
    """And what does is, without a word of the page's clock: its writers some seconds later."""
    live = Run(api, "told", HOME)
    writer = live.join("rank0")
    writer.send(history=[{"eval/loss": 8}])
    page = come("?runs=a,told&only=off&find=rows|loss").page
    page.clock.install()
    page.reload()
    settled(page)
    asked, under_way = [], set()
    page.on("request", lambda request: (asked.append(request.url), under_way.add(request)))
    for event in "requestfinished", "requestfailed":
        page.on(event, lambda request: under_way.discard(request))

    def pass_time(rounds):
        for _ in range(rounds):
            page.clock.run_for(12_000)
            wait_for(lambda: page.evaluate("1") and not under_way, what="all to be answered")
    writer.send(history=[{"eval/loss": 16}])
    line(page, "eval/loss").get_by_text("16", exact=True).wait_for()
    pass_time(2)
    line(page, "rows sent").get_by_text("2", exact=True).wait_for()

    def nothing_is_read():
        asked.clear()
        pass_time(4)
        return not [url for url in asked if "/compare/runs" in url]
    # The document of a run follows its rows, and is told of once more.
    wait_for(nothing_is_read, what="rest, where nothing changes")


@pytest.mark.long
def test_what_fails_is_asked_for_again(come):
    """Of runs that ended, too; and what another choice of runs cut off."""
    page = come("?runs=a,b").page
    settled(page)
    page.route("**/runs/c/writers?*", lambda route: route.abort())
    page.goto(f"{page.url},c")
    page.get_by_role("alert").filter(has_text="Part of the comparison could not be read").wait_for()
    page.unroute("**/runs/c/writers?*")
    settled(page)
    page.get_by_role("alert").wait_for(state="detached")


@pytest.mark.long
def test_twenty_runs_with_thousands_of_keys(come, api):
    """Only what is seen stands in the document; one more than twenty is said."""
    for number in range(21):
        made = Run(api, f"many{number}", HOME)
        api.patch(f"{made.path}/config", {f"key{n:04}": n * number for n in range(1500)})
    one = come("?runs=" + ",".join(f"many{number}" for number in range(21)))
    page = one.page
    page.get_by_text("At most 20 runs can be compared").wait_for()
    settled(page)
    assert "1,499 differ, 1 is the same" in head(page, "Config").inner_text()
    assert len(cells(page, "key0001")) == 20
    assert page.get_by_role("row").count() < 90
    page.get_by_role("table").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    head(page, "Writers").wait_for()
    page.get_by_role("button", name="Runs as rows").click()
    page.get_by_text("The first 100 of").wait_for()
    assert not one.complaints


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(come, scheme, size):
    one = come(color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    settled(page)

    def look(what):
        assert faults_of(page) == [], what
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), what
    look("table")
    page.get_by_role("button", name="Runs as rows").click()
    page.locator("tr[data-run=b]").wait_for()
    look("rows")
    if size == "narrow":
        page.get_by_role("button", name="Plots", exact=True).click()
    page.wait_for_function("document.querySelector('.panel')?.clientWidth > 300")  # they have what room there is for them
    for kind, seen in (("Scatter", "by config.lr"), ("Parallel", "runs across"), ("Boxes", "in 1 box")):
        page.get_by_role("button", name=kind, exact=True).click()
        page.get_by_role("img", name=re.compile(seen)).wait_for()
        look(kind)
    assert not one.complaints and "stolen" not in page.title()
