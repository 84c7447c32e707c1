"""Tables of the wandb SDK in a real browser: among the files of a run, and as panels."""
import base64
import csv
import json
import math
import urllib.parse

import pytest

import module_api
from artifacts import Collection
from browsing import address, faults_of, long, sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from table_files import LABELS, grey_png, media, png, predictions, table
from test_run_files import wav
from uploads import put

api = module_api.api
HOME = "/api/v1/projects/ann/tables"


def send(run, name, content):
    put(run, urllib.parse.quote(name), content)


@pytest.fixture(scope="module")
def run(api):
    made = Run(api, "r1", HOME)
    made.join("rank0").finish()
    send(made, "media/table/predictions_0_abc.table.json", predictions(300))
    send(made, "wide.table.json", table([f"c{at}" for at in range(200)], [[row * at for at in range(200)] for row in range(50)]))
    send(made, "bad.table.json", b'{"columns": ["a"], "data": [1, 2]}')
    send(made, "none.table.json", b'{"a": [1, 2]}')
    send(made, "ids.table.json", b'{"columns": ["id", "loss"], "data": [[1234567890123456789, NaN], [1234567890123456788, 1]]}')
    paths = {"image": "media/image.png", "mask": "media/mask.png", "boxes": "media/boxes.json", "sound": "media/tone.wav", "page": "media/page.html"}
    send(made, "media.table.json", media(paths).encode())
    send(made, paths["image"], png(40, 20))
    send(made, paths["mask"], grey_png(40, 20, lambda x, y: 2 if x < 10 else 0))
    send(made, paths["boxes"], json.dumps({"box_data": [{"position": {"middle": [20, 10], "width": 10, "height": 4}, "domain": "pixel", "class_id": 7}],
                                           "class_labels": {"7": "dog"}}).encode())
    send(made, paths["sound"], wav(0.2))
    send(made, paths["page"], b"<h1>Report</h1>")
    return made


@pytest.fixture
def come(screen, server):
    """come(run, file, **options): a Screen at this file."""
    def at(run, file, **options):
        one = screen(**options)
        sign_in(one.page, f"{address(f'http://{HOST}:{server.port}', run, 'runs', run.name, 'files')}?file={urllib.parse.quote(file)}")
        grid(one.page).or_(one.page.locator(".file-json")).first.wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def grid(page):
    return page.locator(".table-grid")


def texts(page, column, rows=5):
    """What the first rows show in a column, by the number of the column."""
    return [page.locator(f".table-line[data-line='{line}'] [data-column='{column}']").inner_text() for line in range(rows)]


def counts(page, words):
    page.locator(".table-view footer").get_by_text(words, exact=True).wait_for()


def test_a_table_among_the_files(come, run):
    one = come(run, "media/table/predictions_0_abc.table.json")
    page = one.page
    counts(page, "300 rows")
    assert (grid(page).get_attribute("aria-rowcount"), grid(page).get_attribute("aria-colcount")) == ("301", "6")
    assert texts(page, 0) == ["0", "1", "2", "3", "4"] and texts(page, 1, 3) == LABELS
    assert page.locator(".table-line").count() < 60
    grid(page).evaluate("node => node.scrollTop = node.scrollHeight")
    page.locator(".table-line[data-line='299']").wait_for()
    page.locator(".column-head", has_text="label").get_by_text("3 different").wait_for()
    page.locator(".column-head", has_text="id").get_by_text("0 to 299").wait_for()
    page.locator(".column-head", has_text="loss").get_by_text("0 to 0.9901, 1 not finite").wait_for()
    grid(page).evaluate("node => node.scrollTop = 0")
    assert faults_of(page) == [] and not one.complaints


def test_sorted_filtered_and_grouped(come, run):
    one = come(run, "media/table/predictions_0_abc.table.json")
    page = one.page
    head = page.get_by_role("columnheader", name="loss")
    head.click()
    wait_until(lambda: texts(page, 2, 3) == ["0", "0", "0"], what="the least first")
    assert head.get_attribute("aria-sort") == "ascending" and texts(page, 0, 3) == ["0", "101", "202"]
    head.click()
    wait_until(lambda: texts(page, 2, 2) == ["0.9901", "0.9901"], what="the greatest first")
    search = page.get_by_role("searchbox", name="Filter of rows")
    search.fill('label:cat,"red cow" loss<0.5 ok:true')
    counts(page, "48 of 300 rows")
    assert set(texts(page, 1, 10)) == {"cat", "red cow"} and set(texts(page, 3, 10)) == {"true"}
    search.fill("label:cat lose<1")
    page.get_by_text('There is no column "lose".').wait_for()
    assert search.get_attribute("aria-invalid") == "true" and texts(page, 1, 3), "what was found before stays"
    search.fill('"ROW 1"')
    counts(page, "11 of 300 rows")
    search.fill("")
    counts(page, "300 rows")
    page.get_by_label("Group by").select_option(label="label")
    counts(page, "3 groups of 300 rows")
    assert grid(page).get_attribute("role") == "treegrid" and texts(page, 0, 3) == ["dog", "cat", "red cow"], "by the mean"
    assert texts(page, 1, 3) == ["100"] * 3 and page.get_by_role("columnheader", name="loss").get_attribute("aria-sort") == "descending"
    page.get_by_label("Numbers of groups").select_option(label="Max")
    wait_until(lambda: sorted(texts(page, 2, 3)) == ["297", "298", "299"], what="the greatest of each group")
    page.get_by_label("Then by").select_option(label="ok")
    counts(page, "6 groups of 300 rows")
    page.locator(".table-line[data-line='0'] [data-column='0']").click()
    page.locator(".table-line[data-line='1'][aria-level='2']").wait_for()
    assert page.locator(".table-line[data-line='0']").get_attribute("aria-expanded") == "true"
    assert grid(page).get_attribute("aria-rowcount") == str(1 + 6 + 50)
    page.goto(page.url.partition("?")[0] + "?file=ids.table.json")
    counts(page, "2 rows")
    assert texts(page, 0, 2) == ["1234567890123456789", "1234567890123456788"], "exact, also next to NaN"
    search.fill("id:1234567890123456789")
    counts(page, "1 of 2 rows")
    assert faults_of(page) == [] and not one.complaints


def current(page):
    """The line and the column of the cell that the grid names as current."""
    named = grid(page).get_attribute("aria-activedescendant")
    wait_until(lambda: page.locator(f"[id='{named}']").count() == 1, what="one cell of the name")
    return named.split("-")[-2:]


@pytest.mark.long
def test_by_keyboard(come, run):
    one = come(run, "wide.table.json")
    page = one.page
    counts(page, "50 rows")
    grid(page).focus()
    assert current(page) == ["0", "0"]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert current(page) == ["1", "1"]
    page.keyboard.press("Control+End")
    wait_until(lambda: current(page) == ["49", "199"], what="the last cell")
    cell = page.locator("[data-current=true]")
    cell.get_by_text("9,751").wait_for()
    assert (cell.get_attribute("aria-colindex"), cell.evaluate("one => one.parentElement.getAttribute('aria-rowindex')")) == ("201", "51")
    box, room = cell.bounding_box(), grid(page).bounding_box()
    assert room["x"] <= box["x"] and box["x"] + box["width"] <= room["x"] + room["width"], "it is scrolled into view"
    assert page.locator(".table-line").first.locator(".table-cell").count() < 40, "only columns that are seen are in the document"
    page.keyboard.press("Home")
    page.keyboard.press("Control+Home")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    assert current(page) == ["head", "1"]
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    wait_until(lambda: texts(page, 1, 2) == ["49", "48"], what="sorted down by its second column")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="c1, row 50").get_by_text("49", exact=True).wait_for()
    page.keyboard.press("Escape")
    wait_until(lambda: page.evaluate("document.activeElement.getAttribute('role')") == "grid", what="the focus where it was")
    assert not one.complaints


@pytest.mark.long
def test_a_table_that_is_higher_than_an_element_can_be(come, run):
    """Browsers cut what is higher than some millions of pixels: its last row is reached by keys and by the scroll bar, and each on the way."""
    rows = 700_000
    send(run, "long.table.json", b'{"columns": ["n"], "data": [' + ",".join(f"[{at}]" for at in range(rows)).encode() + b"]}")
    one = come(run, "long.table.json")
    page = one.page
    counts(page, "700,000 rows")
    grid(page).focus()
    page.keyboard.press("Control+End")
    inside = """(line) => {
        const [row, box] = [`.table-line[data-line='${line}']`, '.table-grid'].map((name) => document.querySelector(name)?.getBoundingClientRect());
        return row && row.top >= box.top && row.bottom <= box.bottom + 1;
    }"""
    page.wait_for_function(inside, arg=rows - 1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("PageUp")
    first = int(current(page)[0])
    assert rows - 200 < first < rows - 2
    page.wait_for_function(inside, arg=first)
    grid(page).evaluate("node => node.scrollTop = 0")
    page.wait_for_function(inside, arg=0)
    grid(page).evaluate("node => node.scrollTop = (node.scrollHeight - node.clientHeight) / 2")
    page.wait_for_function("() => { const line = Number(document.querySelectorAll('.table-line')[12].dataset.line); return Math.abs(line - 350000) < 30; }")
    tops = page.evaluate("[...document.querySelectorAll('.table-line')].map((row) => [Number(row.dataset.line), row.getBoundingClientRect().top]).sort((a, b) => a[0] - b[0])")
    assert all(abs(later[1] - top[1] - 28) < 1.1 and later[0] == top[0] + 1 for top, later in zip(tops, tops[1:]))
    page.keyboard.press("Control+Home")
    page.wait_for_function(inside, arg=0)
    assert not one.complaints


@pytest.mark.parametrize("file, why", [("bad.table.json", "row 1 is not a list"), long("none.table.json", 'it has no "columns"')])
def test_what_is_no_table_is_shown_as_it_is(come, run, file, why):
    one = come(run, file)
    one.page.get_by_text(f"This file is not a table: {why}").wait_for()
    one.page.get_by_role("region", name="JSON of the file").get_by_text("[2]").wait_for()
    assert not one.complaints


def logged(name, rows, **more):
    return {"_type": "table-file", "path": f"media/table/{name}.table.json", "sha256": "ab" * 32, "size": 100, "ncols": 5, "nrows": rows,
            "log_mode": "IMMUTABLE", **more}


@pytest.fixture(scope="module")
def trainings(api, shared_place):
    """Two runs that log predictions, the first at three steps; and one that logs its rows by increments."""
    home = "/api/v1/projects/ann/trainings"
    for nth, name in enumerate(["first", "second"]):
        made = Run(api, name, home)
        writer = made.join("rank0")
        for at, step in enumerate([0, 10, 20] if nth == 0 else [5]):
            send(made, f"media/table/{name}_{step}.table.json", predictions(10 * (at + 1), nth))
            writer.send(history=[{"_step": step, "loss": 1 / (step + 1), "val/predictions": logged(f"{name}_{step}", 10 * (at + 1))}])
        writer.finish()
    made = Run(api, "parts", home)
    writer = made.join("rank0")
    for step in range(3):
        send(made, f"media/table/part_{step}.table.json", table(["a", "b"], [[step * 10 + at, f"text {at}"] for at in range(step + 1)]))
        writer.send(history=[{"_step": step, "log": logged(f"part_{step}", step + 1, _type="incremental-table-file", ncols=2, increment_num=step)}])
    writer.finish()
    return home


@pytest.fixture
def charts(screen, server, trainings, api, wait_for):
    """charts(path, **options): a Screen at charts of the trainings."""
    def at(path, **options):
        wait_for(lambda: api.get(f"{trainings}/runs", count="true").json["count"] == 3, what="three runs")
        one = screen(viewport={"width": 1440, "height": 900}, **options)
        sign_in(one.page, f"http://{HOST}:{server.port}/ann/trainings{path}")
        one.page.locator("article").first.wait_for()
        one.complaints.clear()
        return one
    return at


def test_a_panel_of_a_run_and_its_steps(charts):
    one = charts("/runs/first/charts")
    page = one.page
    panel = page.get_by_role("article", name="Chart of val/predictions")
    panel.get_by_text("30 rows", exact=True).wait_for()
    slider = panel.get_by_role("slider", name="Step of the table")
    panel.get_by_text("Step 20 (3 of 3)").wait_for()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    panel.get_by_text("20 rows", exact=True).wait_for()
    wait_until(lambda: slider.get_attribute("aria-valuetext") == "Step 10 (2 of 3)", what="the step in words")
    slider.press("Home")
    panel.get_by_text("10 rows", exact=True).wait_for()
    assert not panel.get_by_label("Run", exact=True).is_visible() and panel.locator("h3").inner_text() == "val/predictions"
    grid(page).focus()
    page.keyboard.press("Control+End")
    wait_until(lambda: current(page) == ["9", "4"], what="the last cell")
    assert faults_of(page) == [] and not one.complaints


def test_a_panel_follows_its_run(charts, api, trainings):
    """The latest table is shown as it is logged, an earlier one that was chosen stays."""
    made = Run(api, "live", trainings.replace("trainings", "live-tables"))
    made.writer = made.join("rank0")

    def log(step):
        send(made, f"media/table/t_{step}.table.json", table(["n"], [[at] for at in range(step + 1)]))
        made.writer.send(history=[{"_step": step, "t": logged(f"t_{step}", step + 1)}])

    log(0)
    one = charts("/runs/first/charts")
    page = one.page
    page.goto(page.url.replace("/trainings/runs/first", "/live-tables/runs/live"))
    panel = page.get_by_role("article", name="Chart of t", exact=True)
    panel.get_by_text("1 row", exact=True).wait_for()
    search = panel.get_by_role("searchbox", name="Filter of rows")
    search.fill("n<1")
    panel.get_by_role("columnheader", name="n").click()
    sorted_up = panel.locator("[role=columnheader][aria-sort=ascending]").get_by_text("n", exact=True)
    sorted_up.wait_for()  # a table that comes has what was chosen before
    search.focus()
    log(1)
    panel.get_by_text("1 of 2 rows", exact=True).wait_for()
    wait_until(lambda: search.input_value() == "n<1" and search.evaluate("node => node === document.activeElement"), what="what was typed")
    sorted_up.wait_for()
    panel.get_by_text("Step 1 (2 of 2)").wait_for()
    panel.get_by_role("slider").press("Home")
    panel.get_by_text("1 row", exact=True).wait_for()
    log(2)
    panel.get_by_text("Step 0 (1 of 3)").wait_for()
    panel.get_by_text("1 row", exact=True).wait_for()
    assert not one.complaints


def test_an_incremental_table_is_all_of_its_parts(charts):
    one = charts("/runs/parts/charts")
    panel = one.page.get_by_role("article", name="Chart of log")
    panel.get_by_text("6 rows", exact=True).wait_for()
    assert texts(one.page, 0, 6) == ["0", "10", "11", "20", "21", "22"]
    panel.get_by_role("slider").focus()
    one.page.keyboard.press("ArrowLeft")
    panel.get_by_text("3 rows", exact=True).wait_for()
    assert not one.complaints


@pytest.mark.long
def test_tables_of_runs_joined(charts):
    one = charts("?panels=predictions")
    page = one.page
    panel = page.get_by_role("article", name="Chart of val/predictions")
    panel.get_by_text("5 columns", exact=True).wait_for()
    choice = panel.get_by_label("Run", exact=True)
    names = choice.locator("option").all_inner_texts()
    assert sorted(names[:2]) == ["first", "second"] and names[2] == "2 runs, joined"
    choice.select_option(label="first")
    panel.get_by_text("30 rows", exact=True).wait_for()
    choice.select_option(label="2 runs, joined")
    panel.get_by_text("9 columns", exact=True).wait_for()
    panel.get_by_text("30 rows", exact=True).wait_for()
    heads = panel.locator(".column-name").all_inner_texts()
    assert heads[0] == "id" and {"label · first", "label · second", "loss · first", "loss · second"} <= set(heads)
    search = panel.get_by_role("searchbox", name="Filter of rows")
    search.fill('"loss · first"<0.2 "loss · second">1')
    panel.get_by_text("2 of 30 rows", exact=True).wait_for()
    search.fill("")
    panel.get_by_label("Joined by").select_option(label="label")
    page.wait_for_url("**layout=**")
    wait_until(lambda: panel.locator(".column-name").first.inner_text() == "label", what="joined by the label")
    page.reload()
    wait_until(lambda: panel.locator(".column-name").first.inner_text() == "label", what="joined by the label after a reload")
    assert faults_of(page) == [] and not one.complaints


@pytest.mark.long
def test_images_sound_and_pages_in_cells(come, run):
    """With their boxes and masks, which can be hidden, and have the names of their classes."""
    one = come(run, "media.table.json")
    page = one.page
    image = page.get_by_role("img", name="layered")
    cell = page.locator(".table-line[data-line='0'] [data-column='1']")
    cell.locator("rect").wait_for()
    cell.locator("canvas").wait_for()
    assert image.evaluate("one => [one.naturalWidth, one.naturalHeight]") == [40, 20]
    picture, box = image.bounding_box(), cell.locator("rect").bounding_box()
    assert [round((box["x"] - picture["x"]) / picture["width"], 1), round((box["y"] - picture["y"]) / picture["height"], 1)] == [0.2, 0.5]
    assert round(box["width"] / picture["width"], 1) == 0.5 and page.locator("[data-line='1'] rect").get_attribute("x") == "15"
    alphas = cell.locator("canvas").evaluate("""canvas => [5, 20].map((x) => canvas.getContext('2d').getImageData(x, 5, 1, 1).data[3])""")
    assert alphas == [140, 0], "the class is tinted, the background is not"
    page.locator(".table-line[data-line='0'] audio").wait_for()
    page.get_by_role("switch", name="Boxes and masks").click()
    wait_until(lambda: page.locator(".table-grid rect").count() == 0, what="images without boxes")
    page.get_by_text("gone: the image cannot be shown").wait_for()
    image.click()
    card = page.get_by_role("dialog", name="image, row 1")
    card.get_by_text("a car, acc 0.875").wait_for()
    card.get_by_role("checkbox", name="road", exact=True).wait_for()
    card.get_by_role("checkbox", name="car", exact=True).uncheck()
    assert not card.locator("rect").is_visible() and card.locator("canvas").is_visible()
    card.get_by_role("checkbox", name="car", exact=True).check()
    assert card.locator("rect").is_visible()
    card.get_by_role("checkbox", name="Boxes: guess").uncheck()
    assert not card.locator("rect").is_visible() and card.locator("canvas").is_visible()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    page.locator(".table-line[data-line='0'] .link").click()
    page.get_by_role("dialog", name="page, row 1").frame_locator("iframe").get_by_role("heading", name="Report").wait_for()
    page.keyboard.press("Escape")
    missing = [said for said in one.complaints if "404" in said]
    assert [said for said in one.complaints if said not in missing] == [] and all("none.png" in said for said in missing)


def saved(page, word):
    page.get_by_role("button", name="Save").click()
    with page.expect_download() as download:
        page.get_by_role("menuitem", name=word).click()
    return download.value.suggested_filename, download.value.path().read_bytes().decode()


@pytest.mark.long
def test_saved_as_it_is_shown(come, run):
    one = come(run, "media/table/predictions_0_abc.table.json")
    page = one.page
    page.get_by_role("searchbox", name="Filter of rows").fill("id<10")
    counts(page, "10 of 300 rows")
    page.get_by_role("columnheader", name="id").click()
    page.get_by_role("columnheader", name="id").click()
    wait_until(lambda: texts(page, 0, 1) == ["9"], what="the greatest first")
    name, content = saved(page, "As CSV")
    rows = list(csv.reader(content.splitlines()))
    assert name == "media_table_predictions_0_abc.csv" and rows[0] == ["id", "label", "loss", "ok", "note"] and len(rows) == 11
    assert rows[1][:4] == ["9", "cat", "0.29703", "false"] and rows[2][2] == "" and rows[3][2] == "NaN" and rows[10][4] == "row 0"
    name, content = saved(page, "As JSON")
    table = json.loads(content)
    assert name.endswith(".json") and table["columns"] == rows[0] and len(table["data"]) == 10
    assert table["data"][0] == [9, "cat", 0.29703, False, None] and table["data"][2][2] == "NaN" and table["data"][1][2] is None
    page.get_by_label("Group by").select_option(label="label")
    counts(page, "3 groups of 10 rows")
    _, content = saved(page, "As CSV")
    groups = {row[0]: row for row in csv.reader(content.splitlines())}
    assert groups["label"] == ["label", "Rows", "mean(id)", "mean(loss)"] and groups["cat"][1:3] == ["4", "4.5"]
    assert math.isclose(float(groups["cat"][3]), (0 + 0.09901 + 0.19802 + 0.29703) / 4)
    assert not one.complaints


def address_of(client, path):
    return f"wandb-client-artifact://{client}/{path}"


@pytest.fixture(scope="module")
def from_artifacts(api, shared_place):
    """As the SDK logs it: the run's file has names of media alone, the version has the media; tables that are made of others."""
    home = "/api/v1/projects/ann/from-artifacts"
    run = Run(api, "r1", home)
    writer = run.join("rank0")
    send(run, "media/table/pictures.table.json", table(["id", "image"], [[1, "Image"]]))
    paths = {name: f"media/{name}.png" for name in ("image", "mask")} | {"boxes": "b.json", "sound": "media/tone.wav", "page": "p.html"}
    Collection(api, home, "run-r1-pictures", "run_table").version({
        "val/pictures.table.json": media(paths).encode(), paths["image"]: png(40, 20), paths["mask"]: grey_png(40, 20, lambda x, y: 1)}, client="tables-c1")
    sets = Collection(api, home, "sets", "dataset").version({
        "two.joined-table.json": json.dumps({"_type": "joined-table", "table1": "a.table.json", "table2": "b.table.json", "join_key": "id"}).encode(),
        "all.partitioned-table.json": json.dumps({"_type": "partitioned-table", "parts_path": "parts"}).encode(),
        "a.table.json": table(["id", "a"], [[1, "x"], [2, "y"]]), "b.table.json": table(["id", "b"], [[2, "z"]]),
        "parts/1.table.json": table(["n"], [[1]]), "parts/2.table.json": table(["n"], [[2], [3]])}, client="tables-c2")
    Collection(api, home, "run-r1-incr-log", "wandb-run-incremental-table").version({
        "10-5.log.table.json": table(["n"], [[30]]), "9-4.log.table.json": table(["n"], [[10], [20]])}, client="tables-c3")
    row = {"val/pictures": logged("pictures", 1, artifact_path=address_of("tables-c1", "val/pictures.table.json"), ncols=2),
           "two": {"_type": "joined-table", "artifact_path": address_of("tables-c2", "two.joined-table.json")},
           "all": {"_type": "partitioned-table", "artifact_path": f"wandb-artifact://{base64.b64decode(sets['id']).hex()}/all.partitioned-table.json"},
           "log": logged("pictures", 1, _type="incremental-table-file", artifact_path=address_of("tables-c3", "10-5.log.table.json")),
           "kept": logged("pictures", 12345, artifact_path=address_of("tables-none", "kept.table.json"), ncols=2)}
    writer.send(history=[row])
    writer.finish()
    return home


@pytest.mark.long
def test_tables_of_artifacts(screen, server, from_artifacts):
    """The version that the value names has the media; without one the file of the run is shown."""
    one = screen(viewport={"width": 1440, "height": 3000})
    page = one.page
    sign_in(page, f"http://{HOST}:{server.port}/ann/from-artifacts/runs/r1/charts")
    named = lambda key: page.get_by_role("article", name=f"Chart of {key}", exact=True)  # noqa: E731
    pictures = named("val/pictures")
    pictures.get_by_role("img", name="layered").wait_for()
    pictures.locator("rect").first.wait_for()
    named("two").get_by_text("2 rows", exact=True).wait_for()
    assert named("two").locator(".column-name").all_inner_texts() == ["id", "a · a", "b · b"]
    named("all").get_by_text("3 rows", exact=True).wait_for()
    named("log").get_by_text("3 rows", exact=True).wait_for()
    assert [named("log").locator(f".table-line[data-line='{at}'] [data-column='0']").inner_text() for at in range(3)] == ["10", "20", "30"]
    kept = named("kept")
    kept.get_by_text("1 row", exact=True).wait_for()
    kept.get_by_text("The file of the run has the first 1 of 12,345 rows.").wait_for()
    assert pictures.get_by_text("has the first").count() == 0
    kept.locator("[data-line='0'] [data-column='1']").get_by_text("Image", exact=True).wait_for()
    page.goto(page.url.partition("/runs/")[0] + "/artifacts/dataset/sets/v0/files?file=all.partitioned-table.json")
    counts(page, "3 rows")
    assert texts(page, 0, 3) == ["1", "2", "3"]
    assert {said.rpartition("/")[2] for said in one.complaints if "404" in said} <= {"tables-none", "none.png", "b.json"}
