"""The eye of a run within a group takes it out of the group's numbers, wherever they are shown; the count says so."""
import re
from urllib.parse import quote

import pytest

from browsing import SIZES, WIDE_LOOK, faults_of, sign_in
from cluster import wait_until
from runs import Run
from test_panels import add, menu_of

PROJECT = "counted"
HOME = f"/api/v1/projects/ann/{PROJECT}"
COLUMNS = "cols=summary.loss,max(loss),config.opt"


@pytest.fixture
def runs(api, wait_for):
    """Of a small kind three runs, whose loss is 1, 3 and 8; of a large one two of 10."""
    for name, arch, opt, loss in (("a1", "small", "adam", 1), ("a2", "small", "adam", 3), ("a3", "small", "sgd", 8),
                                  ("b1", "large", "adam", 10), ("b2", "large", "adam", 10)):
        api.put(f"{HOME}/runs/{name}", {"display_name": name, "config": {"arch": arch, "opt": opt}})
        run = Run(api, name, HOME, make=False)
        if not run.get()["rows"]:
            run.join("rank0").send(history=[{"_step": step, "loss": loss} for step in range(50)])
    wait_for(lambda: api.get(f"{HOME}/runs", filter="has:config.arch has:summary.loss", count="true").json["count"] == 5,
             what="runs that are found")


@pytest.fixture
def come(screen, base, runs):
    def at(query, path=f"/ann/{PROJECT}", **options):
        one = screen(**{"viewport": {"width": 1440, "height": 900}, **options})
        sign_in(one.page, f"{base}{path}?{query}")
        one.page.locator(".run-list").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def complaints_of(one):
    return [text for text in one.complaints if "willReadFrequently" not in text]


def group_of(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("button", name=f"Show the group {name} in charts"))


def eye_of(page, name):
    return page.get_by_role("button", name=f"Count {name} in its group")


def counts(page, group, count, *means):
    """What the row of a group says: of how many runs, and in its columns, of which means stand without their deviation."""
    row = group_of(page, group)
    row.locator(".count").get_by_text(count, exact=True).wait_for()
    told = lambda: [text.split("±")[0].strip() for text in row.locator(".cell-col").all_inner_texts()]  # noqa: E731
    wait_until(lambda: not means or told() == [*means], what=f"{means} of {group}")


def chart_says(page, words, name="loss"):
    page.get_by_role("article", name=f"Chart of {name}", exact=True).get_by_text(words).first.wait_for(state="attached")


def last_values(page):
    """Of the chart as a table."""
    chart = page.get_by_role("article", name="Chart of loss", exact=True)
    chart.hover()
    chart.get_by_role("button", name="Show as table").click()
    rows = chart.get_by_role("table").locator("tbody tr")
    rows.first.wait_for()
    texts = rows.all_inner_texts()
    chart.get_by_role("button", name="Show as table").click()
    return texts


def test_a_closed_eye_takes_a_run_out_of_its_group(come):
    """In the list and in the charts; the address has it, Back undoes it, and the run stays in the list."""
    one = come(f"group=config.arch&{COLUMNS}")
    page = one.page
    counts(page, "small", "3", "4", "4", "2 values")
    chart_says(page, "2 lines; last 4 to 10; lowest small.")
    assert [row.split("\t")[:2] for row in last_values(page)] == [["small", "4"], ["large", "10"]]
    group_of(page, "small").click()
    assert eye_of(page, "a3").get_attribute("aria-pressed") == "true"
    eye_of(page, "a3").click()
    page.wait_for_url(re.compile(r"[?&]out=a3(&|$)"))

    def is_out():
        counts(page, "small", "2 of 3", "2", "2", "adam")
        chart_says(page, "2 lines; last 2 to 10; lowest small.")
        eye_of(page, "a3").and_(page.locator("[aria-pressed=false]")).wait_for()

    is_out()
    group_of(page, "small").get_by_title("1 run is taken out of the numbers").wait_for()
    assert page.get_by_role("heading", name="Runs 5").count() == 1
    assert page.locator(".runs-foot").get_by_text("2 groups · 5 runs").count() == 1
    assert [row.split("\t")[:2] for row in last_values(page)] == [["small", "2"], ["large", "10"]]
    assert page.get_by_role("row").filter(has=eye_of(page, "a1")).count() == 1, "the group is open still"
    assert faults_of(page) == []
    page.reload()
    counts(page, "small", "2 of 3", "2", "2", "adam")
    group_of(page, "small").click()
    is_out()
    page.go_back()
    counts(page, "small", "3", "4", "4", "2 values")
    chart_says(page, "2 lines; last 4 to 10; lowest small.")
    page.go_forward()
    is_out()
    eye_of(page, "a3").click()
    counts(page, "small", "3", "4", "4", "2 values")
    chart_says(page, "2 lines; last 4 to 10; lowest small.")
    assert "out=" not in page.url
    assert not complaints_of(one)


@pytest.mark.long
def test_every_number_of_a_group_leaves_it_out(come):
    """Bars, boxes, members as thin lines, files and the comparison; not what is of all runs of the list."""
    one = come(f"group=config.arch&out=a3&{COLUMNS}")
    page = one.page
    counts(page, "small", "2 of 3", "2", "2", "adam")
    add(page, "summary.loss", kind="Bars", pick="summary.loss")
    bars = page.get_by_role("article", name="Chart of summary.loss", exact=True)
    bars.get_by_role("listitem").filter(has_text="small").get_by_title("2 ± 1.414, 2 runs").wait_for()
    bars.get_by_text("A group is the mean over all of its runs that count.").wait_for()
    page.keyboard.press("Control+z")
    bars.wait_for(state="detached")
    add(page, "summary.loss", kind="Box plot", pick="summary.loss")
    bars.get_by_text("small: 2 runs, median 2").wait_for(state="attached")
    bars.get_by_text("By config.arch, over all runs of the list that count in its groups.").wait_for()
    menu_of(page, "summary.loss", "Edit…")
    full = page.get_by_role("dialog", name="Full screen")
    by = full.get_by_role("toolbar", name="Panel").get_by_label("By", exact=True)
    by.locator("option", has_text="config.opt").wait_for(state="attached")
    by.select_option(label="config.opt")
    full.get_by_text("sgd: 1 run").wait_for(state="attached")
    full.get_by_text("By config.opt, over all runs of the list.").wait_for()
    page.keyboard.press("Escape")
    full.wait_for(state="hidden")
    menu_of(page, "loss", "Members as thin lines")
    page.get_by_role("article", name="Chart of loss", exact=True).get_by_text("4 members of groups as thin lines.").wait_for()
    group_of(page, "small").click()
    eye_of(page, "a3").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    with open(download.value.path(), encoding="utf-8") as file:
        assert sorted(line.split(",")[0] for line in file.read().splitlines()) == ["a1", "a2", "b1", "b2", "id"]
    page.get_by_text("1 run that is taken out of groups is not in the file.").wait_for()
    for name in ("small", "large"):
        group_of(page, name).locator(".count").click(modifiers=["Control"])
    page.get_by_role("button", name="Compare", exact=True).click()
    page.wait_for_url(re.compile("/compare.*out=a3"))
    small = page.get_by_role("columnheader").filter(has_text="small")
    small.get_by_text("2 runs").wait_for()
    chart_says(page, re.compile("last 2 to 10"))
    assert faults_of(page) == []
    page.get_by_text("1 run was taken out of groups by hand").get_by_role("button", name="Count all").click()
    small.get_by_text("3 runs").wait_for()
    chart_says(page, re.compile("last 4 to 10"))
    assert not complaints_of(one)


@pytest.mark.long
def test_by_keyboard(come):
    """v is the eye of the row where one is, and the focus stays; the menu has it, and the line beside the group."""
    one = come(f"group=config.arch&{COLUMNS}")
    page = one.page
    row = group_of(page, "small")
    counts(page, "small", "3", "4", "4", "2 values")
    row.focus()
    page.keyboard.press("Home")
    while "small" not in (page.locator(":focus").get_attribute("title") or ""):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    eye_of(page, "a3").wait_for()
    here = page.locator("[role=row]:focus")
    while here.get_attribute("data-run") != "a3":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("v")
    counts(page, "small", "2 of 3", "2", "2", "adam")
    assert here.get_attribute("data-run") == "a3"

    def pick(item):
        here.get_by_role("button", name="Menu of a3").press("Enter")
        page.get_by_role("menuitem", name=re.compile(f"^{item}")).press("Enter")

    pick("Draw next to its group")
    chart_says(page, "3 lines; last 2 to 10; lowest small.")
    page.wait_for_url(re.compile("on=a3"))
    member = page.get_by_role("row").filter(has=eye_of(page, "a3"))
    member.get_by_title("Drawn next to its group").wait_for()
    counts(page, "small", "2 of 3")
    assert faults_of(page) == []
    member.focus()
    pick("No longer draw next to its group")
    chart_says(page, "2 lines; last 2 to 10; lowest small.")
    member.focus()
    pick("Count in its group again")
    counts(page, "small", "3", "4", "4", "2 values")
    page.keyboard.press("ArrowUp")
    member.focus()
    page.keyboard.press("v")
    counts(page, "small", "2 of 3", "2", "2", "adam")
    while here.get_attribute("data-group") != "text:small":
        page.keyboard.press("ArrowUp")
    page.keyboard.press("v")
    chart_says(page, "large; last 10.")
    page.keyboard.press("v")
    chart_says(page, "2 lines; last 2 to 10; lowest small.")
    assert not complaints_of(one)


@pytest.mark.long
def test_within_groups_and_none_left(come):
    """Of groups within groups each says so, also one of which none is left; its menu puts all of its runs back."""
    one = come(f"group=config.arch,config.opt&{COLUMNS}")
    page = one.page
    counts(page, "small", "3", "4", "4", "2 values")
    chart_says(page, "3 lines; last 2 to 10; lowest small, adam.")
    group_of(page, "small").click()
    group_of(page, "sgd").click()
    eye_of(page, "a3").click()
    counts(page, "small", "2 of 3", "2", "2", "adam")
    counts(page, "sgd", "0 of 1", "", "", "")
    chart_says(page, "2 lines; last 2 to 10; lowest small, adam.")
    page.reload()
    counts(page, "small", "2 of 3", "2", "2", "adam")
    group_of(page, "small").click()
    counts(page, "sgd", "0 of 1", "", "", "")
    counts(page, "adam", "2", "2", "2", "adam")
    group_of(page, "adam").hover()
    group_of(page, "adam").get_by_role("button", name="Menu of adam").click()
    page.get_by_role("menuitem", name="Count all of its runs again", disabled=True).wait_for()
    page.keyboard.press("Escape")
    group_of(page, "sgd").hover()
    group_of(page, "sgd").get_by_role("button", name="Menu of sgd").click()
    page.get_by_role("menuitem", name="Count all of its runs again").click()
    counts(page, "small", "3", "4", "4", "2 values")
    counts(page, "sgd", "1", "8", "8", "sgd")
    chart_says(page, "3 lines; last 2 to 10; lowest small, adam.")
    assert not complaints_of(one)


@pytest.mark.long
def test_filters_of_programs_and_several_at_once(come):
    """A filter in JSON has the group without them as well; runs that are selected go at once; a view has a limit of them."""
    own = quote('{"config.arch": "small"}')
    one = come(f"q={own}&group=config.arch&out=a3&{COLUMNS}")
    page = one.page
    counts(page, "small", "2 of 3", "2", "2", "adam")
    page.goto(f"{page.url.split('?')[0]}?q={quote('config.arch:small or name:b1')}&group=config.arch&{COLUMNS}")
    counts(page, "small", "3", "4", "4", "2 values")
    group_of(page, "small").click()
    for name in ("a2", "a3"):
        page.get_by_role("row").filter(has=eye_of(page, name)).get_by_role("checkbox").click()
    page.locator(".runs-foot").get_by_role("button", name="Take out of groups").click()
    counts(page, "small", "1 of 3", "1", "1", "adam")
    chart_says(page, "2 lines; last 1 to 10; lowest small.")
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitem", name="Clear choices made by hand").click()
    counts(page, "small", "3", "4", "4", "2 values")
    many = ",".join(f"other{number}" for number in range(64))
    page.goto(f"{page.url.split('?')[0]}?group=config.arch&out={many}&{COLUMNS}")
    counts(page, "small", "3", "4", "4", "2 values")
    group_of(page, "small").click()
    eye_of(page, "a3").click()
    page.get_by_text("At most 64 runs can be taken out of groups").wait_for()
    counts(page, "small", "3", "4", "4", "2 values")
    assert eye_of(page, "a3").get_attribute("aria-pressed") == "true"
    assert not complaints_of(one)


@pytest.mark.long
def test_baselines_and_lists_without_groups(come):
    """A baseline's own eye hides its line and takes nothing out; without groups a run that is out of them is drawn as ever."""
    one = come(f"group=config.arch&base=a3&{COLUMNS}")
    page = one.page
    counts(page, "small", "3", "4", "4", "2 values")
    chart_says(page, "3 lines; last 4 to 10; lowest small.")
    page.get_by_role("button", name="Show a3 in charts").click()
    chart_says(page, "2 lines; last 4 to 10; lowest small.")
    counts(page, "small", "3", "4", "4", "2 values")
    page.get_by_role("button", name="Show a3 in charts").click()
    group_of(page, "small").click()
    eye_of(page, "a3").click()
    counts(page, "small", "2 of 3", "2", "2", "adam")
    chart_says(page, "3 lines; last 2 to 10; lowest small.")
    page.goto(f"{page.url.split('?')[0]}?out=a3&{COLUMNS}")
    chart_says(page, "5 lines; last 1 to 10; lowest a1.")
    page.get_by_role("button", name="Show a3 in charts").and_(page.locator("[aria-pressed=true]")).wait_for()
    assert page.get_by_role("heading", name="Runs 5").count() == 1
    page.get_by_role("button", name="Show a3 in charts").click()
    chart_says(page, "4 lines; last 1 to 10; lowest a1.")
    assert not complaints_of(one)


@pytest.mark.parametrize("size, scheme", WIDE_LOOK)
def test_for_everybody(come, scheme, size):
    one = come(f"group=config.arch&out=a3&on=a3,a1&{COLUMNS}", path=f"/ann/{PROJECT}/table", color_scheme=scheme,
               viewport=SIZES[size])
    page = one.page
    counts(page, "small", "2 of 3")
    group_of(page, "small").click()
    eye_of(page, "a3").wait_for()
    assert faults_of(page) == [] and page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    wait_until(lambda: page.get_by_title("Drawn next to its group").count() == 2, what="marks of what is drawn beside")
    assert not complaints_of(one)
