"""Columns of the list of runs, and what rows say in them: small numbers, histories, changes against a baseline, colours, attempts."""
import csv
import re

import pytest

import list_pages
import module_api
from browsing import faults_of
from cluster import wait_until
from list_pages import names, query_of, row_of
from runs import Run

api = module_api.api
come = list_pages.come


@pytest.fixture
def tinted(api, wait_for):
    """Four runs with rows, three of them with a number under lr."""
    home = "/api/v1/projects/ann/tinted"
    for number, (name, config) in enumerate([("low", {"lr": 1e-4}), ("middle", {"lr": 1e-3}), ("high", {"lr": 1e-2}),
                                             ("without", {"lr": "auto"})]):
        run = Run(api, name, home)
        run.join("rank0").send(history=[{"_step": step, "loss": number} for step in range(100)])
        api.patch(f"{run.path}/config", config)
    wait_for(lambda: [api.get(f"{home}/runs", filter=text, count="true", limit=1).json["count"]
                      for text in ("rows>0", "config.lr>0", "config.lr:auto")] == [4, 3, 1], what="runs that are found")


LOOK_OF = """(name) => {
    const colour = (node) => node && getComputedStyle(node).color;
    const named = (selector) => [...document.querySelectorAll(selector)].find((node) => node.textContent.includes(name));
    const row = colour(named('.virtual .run-row')?.querySelector('.swatch i'));
    return row && row === colour(named('.panel .legend span')?.querySelector('i')) ? row : null;
}"""
PAINTED = """(hex) => [...document.querySelectorAll('.panel canvas')].some((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    for (let at = 0; at < data.length; at += 4) if (parts.every((part, nth) => data[at + nth] === part)) return true;
    return false;
})"""


@pytest.mark.long
def test_coloured_by_a_key(come, tinted):
    """One hue for all, by powers where they are far apart, in the list and in charts; who has no number is grey."""
    one = come(path="/ann/tinted")
    page = one.page
    meaning = page.get_by_role("group", name="Legend of run colours")
    names_all = ["low", "middle", "high", "without"]
    for name in names_all:
        page.wait_for_function(LOOK_OF, arg=name)
    own = [page.evaluate(LOOK_OF, name) for name in names_all]
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitem", name="Colour runs by a key").click()
    page.get_by_label("Key", exact=True).fill("config.lr")
    page.get_by_role("button", name="Apply").click()
    meaning.get_by_text("Coloured by lr").wait_for()
    assert query_of(page) == {"tint": "config.lr"}
    assert meaning.inner_text().split("\n")[1:] == ["0.0001", "0.01", "log scale", "1 without"]
    page.reload()
    for scheme, ends in ("light", ["#5c85c0", "#0c1e54", "#5f6966"]), ("dark", ["#5276ba", "#cee2ff", "#8b9693"]):
        page.emulate_media(color_scheme=scheme)
        for colour in ends:
            page.wait_for_function(PAINTED, arg=colour)
        for name in names_all:
            page.wait_for_function(LOOK_OF, arg=name)
        assert len({page.evaluate(LOOK_OF, name) for name in names_all} - set(own)) == 4
        assert faults_of(page) == []
    page.goto(f"{one.base}/ann/tinted?tint=job_type")
    meaning.get_by_text("no drawn run has a number").wait_for()
    meaning.get_by_role("button", name="Each run its own colour").click()
    meaning.wait_for(state="hidden")
    page.emulate_media(color_scheme="light")
    for name, colour in zip(names_all, own):
        page.wait_for_function(f"(name) => ({LOOK_OF})(name) === {colour!r}", arg=name)
    assert not query_of(page) and not one.complaints
    paints = {name: "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)) for name, colour in zip(names_all, own)}

    def drawn_in_full(*expected):
        for name in names_all:
            page.wait_for_function(f"(hex) => ({PAINTED})(hex) === {'true' if name in expected else 'false'}", arg=paints[name])
    drawn_in_full(*names_all)
    row_of(page, "low").hover()
    drawn_in_full("low")
    place = page.get_by_role("article", name="Chart of loss").locator(".u-over").bounding_box()
    for right in 0, 3:
        page.mouse.move(place["x"] + place["width"] / 2 + right, place["y"] + 3)
    drawn_in_full("without")
    wait_until(lambda: page.locator(".run-row.lit .cell-name a").all_inner_texts() == ["without"], what="a row that is marked")
    page.mouse.move(2, 2)
    drawn_in_full(*names_all)
    assert page.locator(".run-row.lit").count() == 0


def test_a_row_stays_marked_when_the_list_is_drawn_again(come, api):
    home = "/api/v1/projects/ann/marked"
    marked, other = [Run(api, name, home) for name in ("marked", "other")]
    page = come(path="/ann/marked").page
    row_of(page, "marked").hover()
    lit = page.locator(".run-row.lit .cell-name a")
    wait_until(lambda: lit.all_inner_texts() == ["marked"], what="a row that is marked")
    api.patch(other.path, {"display_name": "another"})
    row_of(page, "another").wait_for()
    assert lit.all_inner_texts() == ["marked"]


def test_a_run_that_was_resumed(come, api, wait_for):
    """It stands where it began, by one word and moment in the list, at the button, in the file and in the facts; its attempt is told on hover."""
    home = "/api/v1/projects/ann/resumed"
    old, new = Run(api, "old", home), Run(api, "new", home)
    writers = [old.join(f"rank{number}", role="worker" if number else "primary") for number in range(3)]
    writers[0].finish()
    old.join("again")
    wait_for(lambda: api.get(f"{home}/runs", filter="state:running", count="true").json["count"] == 2, what="runs that are found")
    began = old.get()["created_at"]
    assert began < new.get()["created_at"] < old.get()["started_at"]
    page = come("?cols=created_at", path="/ann/resumed").page
    page.locator(".runs-buttons").get_by_role("button", name="started ↓").wait_for()
    wait_until(lambda: names(page) == ["new", "old"], what="the newest first")
    row = row_of(page, "old")
    age = row.locator(".cell-age time")
    assert age.get_attribute("datetime") == began
    assert "\nAttempt 2 since " in age.get_attribute("title") and "\n" not in row_of(page, "new").locator("time").get_attribute("title")
    assert page.locator("[data-column=created_at]").inner_text().split()[0] == "started"
    row.get_by_title("4 writers").get_by_text("×4").wait_for()
    assert row_of(page, "new").locator(".writers").count() == 0
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    table = list(csv.DictReader(download.value.path().read_text().splitlines()))
    assert [(line["name"], line["started"]) for line in table][1] == ("old", began)
    row.get_by_role("link", name="old").click()
    page.locator(f"dd time[datetime='{began}']").wait_for()


@pytest.mark.long
def test_small_numbers_are_not_cut(come, api, wait_for):
    """The form that the column has room for, whole on hover; two columns of one name have their whole keys; a baseline is counted."""
    place = "/api/v1/projects/ann/small"
    for name, lr in ("first", 6.7612345e-06), ("second", 0.0044091123), ("third", -0.0047932168):
        api.put(f"{place}/runs/{name}", {"config": {"lr": lr, "opt": "adam"}, "tags": ["a", "b"]})
        api.patch(f"{place}/runs/{name}/summary", {"lr": lr})
    wait_for(lambda: api.get(f"{place}/runs", filter="has:summary.lr has:config.lr tags:a", count="true").json["count"] == 3, what="all found")

    def reads(name, *wanted):
        cells = row_of(page, name).locator(".cell-col")
        wait_until(lambda: re.fullmatch(" ".join(wanted), " ".join(one.strip() for one in cells.all_inner_texts())), what=f"{name}: {wanted}")
        cut = cells.locator("span").evaluate_all("all => all.filter((one) => one.offsetLeft + one.offsetWidth > one.parentElement.clientWidth).length")
        assert cut == 0 and cells.nth(0).locator("[title]").get_attribute("title") == cells.nth(0).locator("[data-copied]").get_attribute("data-copied")

    one = come("?cols=config.lr,summary.lr,tags&base=first", path="/ann/small")
    page = one.page
    small = r"(6\.761?e−6|6\.8e−6)"  # as the font has room
    reads("first", small, small, "a, b")
    reads("second", r"0\.00441?(09)?", r"0\.00441?(09)?", "a, b")
    reads("third", r"−0\.00479(3)?", r"−0\.00479(3)?", "a, b")
    assert [one.strip() for one in page.get_by_role("columnheader").all_inner_texts()][2:4] == ["config.lr", "summary.lr"]
    page.get_by_text("1–3 of 3", exact=True).wait_for()
    page.get_by_role("button", name="Columns 3").click()
    page.get_by_role("switch", name="Pin left: config.lr").get_by_text("Pin left").wait_for()
    assert faults_of(page) == []
    page.goto(f"{one.base}/ann/small/table?cols=config.lr@48,summary.lr&group=config.opt")
    mean = page.locator(".run-row.group .cell-col")
    wait_until(lambda: re.fullmatch(r"−(0\.000\d+|1(\.\d+)?e−4) (± \S+|…)", " ".join(mean.nth(1).inner_text().split())), what="a mean with its deviation")
    assert mean.nth(0).inner_text().strip().endswith("…") and " ± " in mean.nth(0).locator("[title]").get_attribute("title")
    page.goto(f"{one.base}/ann/small/table?cols=config.lr,summary.lr@48")
    reads("first", r"0\.00000676\d*", r"(6\.8|7)e−6")
    page.goto(f"{one.base}/ann/small/compare?runs=first,second")
    for shown_there in "0.0000067612345", "0.000006761":  # a config as it was written
        page.locator(".compare-row .cell").get_by_text(shown_there, exact=True).wait_for()
    assert not one.complaints


@pytest.fixture
def measured(api, home, wait_for):
    """Runs with histories in the test's own project: of two writers, with NaN; of more than one cell; without the metric."""
    place = home
    runs = {name: Run(api, name, place) for name in ("two", "long", "none")}
    one, other = runs["two"].join("rank0"), runs["two"].join("rank1", "worker")
    one.send(history=[{"loss": 5}, {"loss": 0.25}, {"loss": 3}])
    other.send(history=[{"loss": float("nan")}, {"loss": 9.5}, {"loss": 2.25}])
    runs["two"].writer = other
    runs["long"].writer = runs["long"].join("w")
    runs["long"].writer.send(history=[{"loss": n * 37 % 1000 / 8} for n in range(1000)])
    runs["none"].join("w").send(history=[{"acc": 1, "hidden": 3}], config={"_wandb": {"m": [{"1": "hidden", "7": [6]}]}})
    wait_for(lambda: api.get(f"{place}/runs", filter="rows>0", count="true", limit=1).json["count"] == 3, timeout=60)
    wait_for(lambda: api.get(f"{place}/runs", filter="has:summary.loss", count="true", limit=1).json["count"] == 2, timeout=60)
    wait_for(lambda: any(one["key"] == "hidden" for one in api.get(f"{place}/keys").json["items"]), timeout=60)
    return runs


def project_of(measured):
    return measured["two"].path.split("/")[5]


def table_of(measured):
    return f"/ann/{project_of(measured)}/table"


@pytest.mark.long
def test_sorted_by_histories(come, measured):
    """By a click on a head, by Enter with Shift, in the dialog; in the address, and still when it is loaded anew."""
    page = come("?sort=name&cols=min(loss),max(loss),loss@best(acc)", path=table_of(measured)).page
    stands = lambda *expected: wait_until(lambda: names(page) == [*expected], what=f"{expected}")  # noqa: E731
    head_of = lambda name: page.get_by_role("columnheader", name=name)  # noqa: E731
    stands("long", "none", "two")
    head_of("min(loss)").get_by_role("button").first.click()
    stands("long", "two", "none")
    assert query_of(page)["sort"] == "min(loss)" and head_of("min(loss)").get_attribute("aria-sort") == "ascending"
    head_of("min(loss)").get_by_role("button").first.press("Enter")
    stands("two", "long", "none")
    head_of("max(loss)").get_by_role("button").first.press("Shift+Enter")
    wait_until(lambda: query_of(page)["sort"] == "-min(loss),max(loss)", what="a further key")
    unsorted = head_of("loss@best(acc)").get_by_role("button").first
    assert unsorted.get_attribute("aria-disabled") == "true"
    unsorted.click(force=True)
    page.locator(".toast").get_by_text("The list cannot be sorted by loss@best(acc)").wait_for()
    page.locator(".toast").get_by_text("Sort by max(acc) or min(acc) instead.").wait_for()
    assert query_of(page)["sort"] == "-min(loss),max(loss)"
    assert faults_of(page) == []
    page.reload()
    stands("two", "long", "none")

    page.get_by_role("button", name="min(loss) ↓ +1").click()
    dialog = page.get_by_role("dialog")
    page.locator('#known-keys option[value="mean(loss)"]').wait_for(state="attached")
    key = dialog.get_by_role("combobox", name="Key", exact=True).first
    page.keyboard.type("median(loss)")  # in place of the key that stood there
    dialog.get_by_role("button", name="Apply").click()
    dialog.get_by_text('Unknown key "median(loss)".').wait_for()
    key.fill("mean(loss)")
    dialog.get_by_role("button", name="Apply").click()
    stands("long", "two", "none")
    assert query_of(page)["sort"] == "-mean(loss),max(loss)"
    measured["two"].writer.send(history=[{"loss": 1000}])
    page.get_by_role("columnheader", name="max(loss)").get_by_role("button").first.wait_for()
    page.reload()
    stands("two", "long", "none")


@pytest.mark.long
def test_columns_of_histories(come, measured):
    """Last, least, greatest and mean of a run's rows, chosen in the dialog; as rows come, and in the file."""
    page = come("?sort=name&cols=min(loss),max(loss),mean(loss),last(loss),summary.loss", path=table_of(measured)).page
    cells = lambda name: [one.strip() for one in row_of(page, name).locator(".cell-col").all_inner_texts()]  # noqa: E731
    reads = lambda name, *values: wait_until(lambda: cells(name) == [*values], what=f"{values} of {name}")  # noqa: E731
    reads("two", "0.25", "9.5", "4", "2.25", "2.25")
    reads("long", "0", "124.9", "62.44", "120.4", "120.4")
    reads("none", "—", "—", "—", "—", "—")
    assert row_of(page, "two").get_by_title("min(loss) of 5 numbers, 1 NaN", exact=True).count() == 1
    assert faults_of(page) == []

    measured["long"].writer.send(history=[{"loss": -7}])
    wait_until(lambda: cells("long")[0] == "−7" and cells("long")[3:] == ["−7", "−7"], what="what came")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        saved = {row["id"]: row for row in csv.DictReader(file)}
    assert [saved["two"][name] for name in ("min(loss)", "mean(loss)", "summary.loss")] == ["0.25", "4", "2.25"]
    assert (saved["long"]["min(loss)"], saved["none"]["min(loss)"]) == ("-7", "")

    page.get_by_role("button", name="Columns 5").click()
    choices = page.get_by_role("dialog").get_by_role("combobox", name="Which value of loss")
    choices.first.wait_for()
    assert choices.evaluate_all("all => all.map((one) => one.value)") == ["min", "max", "mean", "last", ""]
    assert choices.first.get_by_role("option", name="mean").is_disabled()
    page.get_by_role("button", name="Remove mean(loss)").click()
    choices.first.select_option("mean")
    assert page.evaluate("document.activeElement.value") == "mean"
    page.get_by_role("dialog").get_by_role("searchbox").fill("hidden")
    page.get_by_role("button", name="Add last(hidden)").click()  # which its definition keeps out of the summary
    hidden = page.get_by_role("dialog").get_by_role("combobox", name="Which value of hidden")
    assert hidden.get_by_role("option", name="summary").is_disabled()
    hidden.select_option("max")
    reads("none", "—", "—", "—", "—", "3")
    hidden.select_option("at the best step of")
    page.get_by_role("dialog").get_by_role("combobox", name="Metric whose best step is used for hidden").select_option("acc")
    reads("none", "—", "—", "—", "—", "3")
    assert page.evaluate("document.activeElement.value") == "acc"
    title = "hidden@best(acc), of step 0; the max is 1, at step 0"
    row_of(page, "none").get_by_title(title, exact=True).wait_for()
    row_of(page, "two").get_by_title("The run has no hidden@best(acc)", exact=True).wait_for()
    page.get_by_role("dialog").get_by_role("combobox", name="Which acc is the best").select_option("min")
    row_of(page, "none").get_by_title(title.replace("best", "min", 1).replace("the max", "the min"), exact=True).wait_for()
    assert faults_of(page) == []
    page.get_by_role("button", name="Remove hidden@min(acc)").click()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    assert query_of(page)["cols"] == "mean(loss),max(loss),last(loss),summary.loss"
    reads("two", "4", "9.5", "2.25", "2.25")
    page.reload()
    reads("two", "4", "9.5", "2.25", "2.25")

    page.goto(page.url.split("?")[0] + "?group=state&cols=min(loss),max(acc),hidden@best(acc)")
    group = page.get_by_role("row", name="running")
    for title in "−3.375 ± 5.127, mean of 2 of 3 runs", "1, mean of 1 of 3 runs", "3, mean of 1 of 3 runs":
        group.get_by_title(title, exact=True).wait_for()
    assert [one.strip() for one in group.locator(".cell-col").all_inner_texts()] == ["−3.375 ± 5 2/3", "1 1/3", "3 1/3"]
    assert faults_of(page) == []

    page.route(f"**/{project_of(measured)}/metrics?*", lambda route: route.fulfill(status=500, json={"status": 500, "detail": "not now"}))
    page.goto(page.url.split("?")[0] + "?sort=name&cols=min(loss),last(_step)")
    reads("two", "not read", "not read")
    row_of(page, "two").get_by_title("min(loss) could not be read", exact=True).wait_for()
    page.unroute(f"**/{project_of(measured)}/metrics?*")  # asked again by itself; an axis is no metric, and is refused alone
    reads("two", "0.25", "not read")
    reads("none", "—", "not read")
    row_of(page, "none").get_by_title("The run has sent no loss", exact=True).wait_for()


@pytest.mark.long
def test_groups_with_a_defined_metric(come, api, home):
    """A metric that most runs define and others log plainly is one column, and a mean says of how many runs it is."""
    for name, opt, rows, defined in [("a", "adam", [3, 1, 2], 1), ("b", "adam", [4, 2], 0), ("c", "sgd", [8, 6], 1), ("d", "sgd", [], 1)]:
        config = {"opt": opt, **({"_wandb": {"m": [{"1": "val/loss", "7": [1]}]}} if defined else {})}
        Run(api, name, home).join("w").send(history=[{"val/loss": value} for value in rows], config=config)
    page = come("?cols=summary.val/loss,summary.val/loss.min&sort=name", path=f"{home.removeprefix('/api/v1/projects')}/table").page
    cells = lambda row: [one.strip() for one in row.locator(".cell-col").all_inner_texts()]  # noqa: E731
    for name, shown in ("a", ["1", "1"]), ("b", ["2", "—"]), ("c", ["6", "6"]), ("d", ["—", "—"]):
        wait_until(lambda name=name, shown=shown: cells(row_of(page, name)) == shown, what=f"the numbers of {name}")
    page.goto(page.url + "&group=config.opt")
    adam, sgd = (page.locator(".run-row.group").filter(has_text=opt) for opt in ("adam", "sgd"))
    wait_until(lambda: (cells(adam), cells(sgd)) == (["1.5 ± 0.71", "1 1/2"], ["6 1/2", "6 1/2"]), what="means of groups")
    adam.get_by_title("1.5 ± 0.7071, mean of 2 runs", exact=True).wait_for()
    adam.get_by_title("1, mean of 1 of 2 runs", exact=True).wait_for()
    assert sgd.get_by_title("6, mean of 1 of 2 runs", exact=True).count() == 2
    underlined = lambda row: [node.evaluate("(node) => getComputedStyle(node).textDecorationStyle") for node in  # noqa: E731
                              row.locator(".cell-col > span:first-child").all()]
    assert (underlined(adam), underlined(sgd)) == (["solid", "dotted"], ["dotted", "dotted"])
    assert faults_of(page) == []


@pytest.fixture
def apart(api, wait_for):
    """Four runs of two kinds of which "first" is to be the baseline: their loss is better where it is lower, as its config says."""
    place = "/api/v1/projects/ann/apart"
    for name, arch, loss in [("first", "moe", 2), ("lower", "moe", 1.5), ("higher", "dense", 2.5), ("without", "dense", None)]:
        rows = [{"loss": loss + 1, "zero": 0}, {"loss": loss, "zero": loss - 2}] if loss else [{"acc": 1}]
        Run(api, name, place).join("w").send(history=rows, config={"arch": arch, "_wandb": {"m": [{"1": "loss", "8": 1}]}})
    wait_for(lambda: api.get(f"{place}/runs", filter="has:summary.loss rows=2", count="true", limit=1).json["count"] == 3, timeout=60)
    wait_for(lambda: api.get(f"{place}/groups", by="config.arch", of="summary.loss").json["groups"] == 2, timeout=60)
    wait_for(lambda: {"summary.loss", "summary.zero"} <= {one["field"] for one in api.get(f"{place}/fields").json["items"]}, timeout=60)
    return api


@pytest.mark.long
def test_the_change_against_a_baseline(come, apart):
    """Beside each number, of runs and of groups, absolute and relative, better or worse; chosen with the columns, and in the file."""
    one = come("?sort=name&cols=summary.loss,min(loss),summary.zero,config.arch", path="/ann/apart/table")
    page = one.page
    cells = lambda row: [one.strip() for one in row.locator(".cell-col").all_inner_texts()]  # noqa: E731
    reads = lambda name, *values: wait_until(lambda: cells(row_of(page, name))[:3] == [*values], what=f"{values} of {name}")  # noqa: E731
    reads("lower", "1.5", "1.5", "−0.5")
    page.get_by_role("button", name="Columns 4").click()
    page.get_by_role("dialog").get_by_text("To show changes next to numbers, choose Pin as baseline in the menu of a run.").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Menu of first").click()
    page.get_by_role("menuitem", name="Pin as baseline").click()
    row_of(page, "first").locator(".pin").wait_for()
    page.get_by_role("button", name="Columns 4").click()
    change = page.get_by_role("dialog").get_by_role("group", name="Change against the baseline")
    assert change.get_by_role("button", pressed=True).inner_text() == "Off" and page.locator(".run-list .change").count() == 0
    change.get_by_role("button", name="Relative").click()
    reads("lower", "1.5 −25 %", "1.5 −25 %", "−0.5 −0.5")  # of 0 there is no other change than the absolute one
    reads("higher", "2.5 +25 %", "2.5 +25 %", "0.5 +0.5")
    reads("first", "2", "2", "0")
    reads("without", "—", "—", "—")
    row_of(page, "lower").get_by_title("against first: better", exact=True).nth(1).wait_for()
    assert row_of(page, "higher").get_by_title("against first: worse", exact=True).count() == 2
    assert row_of(page, "higher").get_by_title("against first", exact=True).inner_text() == "+0.5"
    change.get_by_role("button", name="Absolute").click()
    reads("lower", "1.5 −0.5", "1.5 −0.5", "−0.5 −0.5")
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    assert {name: query_of(page)[name] for name in ("base", "change")} == {"base": "first", "change": "absolute"}

    apart.patch("/api/v1/projects/ann/apart", {"directions": [{"key": "loss", "better": "higher"}]})
    page.reload()
    row_of(page, "lower").get_by_title("against first: worse", exact=True).nth(1).wait_for()
    reads("lower", "1.5 −0.5", "1.5 −0.5", "−0.5 −0.5")
    assert faults_of(page) == []
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with open(download.value.path(), encoding="utf-8", newline="") as file:
        saved = {row["id"]: row for row in csv.DictReader(file)}
    told = [[saved[name][f"{key}{more}"] for key in ("summary.loss", "min(loss)", "summary.zero") for more in (" change", " relative change")]
            for name in ("lower", "higher", "without")]
    assert told == [["-0.5", "-0.25", "-0.5", "-0.25", "-0.5", ""], ["0.5", "0.25", "0.5", "0.25", "0.5", ""], [""] * 6]
    assert "config.arch change" not in saved["first"]

    page.goto(page.url.replace("change=absolute", "change=relative") + "&group=config.arch")
    group = lambda name: page.locator(".run-row.group").filter(has_text=name)  # noqa: E731
    wait_until(lambda: cells(group("moe"))[:2] == ["1.75 ± 0.35 −12.5 %"] * 2, what="the change of a mean")
    wait_until(lambda: cells(group("dense"))[:2] == ["2.5 1/2 +25 %"] * 2, what="the change of another")
    assert faults_of(page) == [] and not one.complaints
