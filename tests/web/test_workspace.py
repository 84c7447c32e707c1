"""The list of a project's runs: found, sorted, grouped, changed and deleted, in a browser, among 500 varied runs."""
import csv
import re

import pytest
from playwright.sync_api import expect

import list_pages
import module_api
from browsing import NARROW_LOOK, PASSWORD, SIZES, faults_of, long, shown as as_shown
from cluster import wait_until
from list_pages import HOSTILE, PROJECT, RUNS, body_of, filter_by, head, names, pick, query_of, row_of, shown, until, visualized

api = module_api.api
come, found, runs = list_pages.come, list_pages.found, list_pages.runs


def test_found_and_sorted(come, found):
    """What is typed is the filter and stands in the address; what is wrong is underlined, and what was found stays."""
    one = come()
    page = one.page
    head(page, "Runs 500")
    assert page.get_by_role("grid").get_attribute("aria-rowcount") == "501" and page.get_by_role("row").count() <= 61
    filter_by(page, "config.arch:moe-8x1b config.number<30")
    head(page, "Runs 10")
    assert query_of(page) == {"q": "config.arch:moe-8x1b config.number<30"}
    filter_by(page, "config.arch:moe-8x1b state:nonsense")
    page.get_by_role("alert").filter(has_text="nonsense").wait_for()
    assert page.locator(".mirror u").inner_text() in "state:nonsense"
    assert page.get_by_role("grid").get_attribute("aria-rowcount") == "11"
    filter_by(page, "config.number<30")
    head(page, "Runs 30")
    page.get_by_role("columnheader", name="eval/loss").get_by_role("button").click()
    until(page, f"document.querySelector('.virtual a').textContent === {HOSTILE[0]!r}")
    page.get_by_role("columnheader", name="eval/loss").get_by_role("button").click()
    until(page, "document.querySelector('.virtual a').textContent.endsWith('-29')")
    assert query_of(page)["sort"] == "-summary.eval/loss"
    page.reload()
    head(page, "Runs 30")
    assert names(page)[0].endswith("-29")
    page.go_back()
    row_of(page, HOSTILE[0]).wait_for()
    until(page, f"document.querySelector('.virtual a').textContent === {HOSTILE[0]!r}")
    page.goto(f"{one.base}/ann/llm-pretrain?q=state:nonsense")
    page.get_by_role("alert").filter(has_text="nonsense").wait_for()
    page.locator(".top .live", has_text="Live").wait_for()
    assert page.get_by_text("could not be read").count() == 0
    page.get_by_role("button", name="Filter 1").wait_for()
    filter_by(page, "config.number<30")
    head(page, "Runs 30")
    assert not [words for words in one.complaints if "400" not in words]


def test_what_is_only_begun_finds_nothing_yet(come, found):
    """While the suggestions go on with a word the rows stay; a whole word is found at once, what is begun by Enter or a pause."""
    page = come("?q=config.number<30").page
    head(page, "Runs 30")
    page.clock.install()
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)
    field = page.get_by_role("combobox", name="Filter runs")
    for begun, option in ("config.number<30 config.ar", "config.arch"), ("config.arch:moe", "moe-8x1b"):
        field.fill(begun)
        page.get_by_role("option", name=option, exact=True).wait_for()
        page.clock.run_for(1000)
        assert query_of(page)["q"] == "config.number<30", begun
    field.fill("config.arch:moe-8x1b")
    page.clock.run_for(300)
    wait_until(lambda: query_of(page)["q"] == "config.arch:moe-8x1b", what="a whole word")
    field.fill("config.arch:moe")
    page.keyboard.press("Enter")
    assert query_of(page)["q"] == "config.arch:moe"
    field.fill("config.arch:mo")
    page.get_by_role("option", name="moe-8x1b", exact=True).wait_for()
    page.clock.run_for(2000)
    wait_until(lambda: query_of(page)["q"] == "config.arch:mo", what="a longer pause")


@pytest.mark.long
def test_sorted_by_several_keys(come, found, api):
    """Shift adds a key, by the mouse and by Enter; the address holds all of them."""
    one = come("?q=config.number<30&cols=config.arch,config.number")
    page = one.page
    head(page, "Runs 30")
    page.get_by_role("columnheader", name="arch").get_by_role("button").click()
    until(page, "new URLSearchParams(location.search).get('sort') === '-config.arch'")
    number = page.get_by_role("columnheader", name="number").get_by_role("button")
    number.click(modifiers=["Shift"])
    until(page, "new URLSearchParams(location.search).get('sort') === '-config.arch,-config.number'")
    number.press("Shift+Enter")
    until(page, "new URLSearchParams(location.search).get('sort') === '-config.arch,config.number'")
    runs = api.get(f"{PROJECT}/runs", filter="config.number<30", order="-config.arch,config.number")["items"]
    wanted = [run["display_name"] for run in runs][:8]
    page.wait_for_function("(wanted) => String([...document.querySelectorAll('.virtual a')].map((a) => a.textContent).slice(0, 8)) === String(wanted)",
                           arg=wanted)
    assert page.locator(".sort-mark").all_inner_texts() == ["↓1", "↑2"]
    page.reload()
    head(page, "Runs 30")
    assert names(page)[:8] == wanted
    assert not one.complaints


def test_keys_and_values_are_suggested(come, found):
    page = come().page
    box = page.get_by_role("combobox", name="Filter runs")
    page.get_by_role("columnheader", name="eval/loss").wait_for()  # keys of the runs are known
    box.press_sequentially("arch")
    page.get_by_role("option", name="config.arch").wait_for()
    box.press("ArrowDown")
    box.press("Tab")
    page.get_by_role("option", name="dense-3b").wait_for()
    box.press_sequentially("3b")
    page.get_by_role("option", name="dense-1b").wait_for(state="detached")
    box.press("ArrowDown")
    box.press("Enter")
    head(page, "Runs 166")
    assert query_of(page) == {"q": "config.arch:dense-3b"}
    box.press_sequentially(" eval")
    page.get_by_role("option", name="eval/loss").wait_for()
    for _ in "the list", "nothing":
        box.press("Escape")
        page.get_by_role("option").first.wait_for(state="hidden")
        assert box.input_value() == "config.arch:dense-3b eval" and box.get_attribute("aria-expanded") == "false"


GREY = """(() => {
    const bones = [...document.querySelectorAll('.virtual > .wait .bone')];
    const isSeen = (bone) => bone.offsetWidth > 40 && !/, 0\\)$/.test(getComputedStyle(bone).backgroundColor);
    return bones.length > 9 && bones.every(isSeen) && document.querySelectorAll('.virtual > *').length === bones.length;
})()"""


def test_to_the_end_and_back(come, found):
    """All 500 are there to be scrolled through, grey until they are read, and few stand in the document."""
    page, held, is_held = come("?sort=config.number").page, [], True
    head(page, "Runs 500")
    page.locator(".virtual .cell-name a").first.wait_for()
    high = page.evaluate("document.querySelector('.virtual > .run-row').offsetHeight")
    page.route("**/runs?*", lambda route: held.append(route) if is_held else route.continue_())
    page.get_by_role("grid").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    until(page, GREY)
    assert page.evaluate("document.querySelector('.virtual > .wait').offsetHeight") == high
    is_held = False
    for route in held:
        route.continue_()
    row_of(page, f"{body_of(499)['display_name']}").wait_for()
    assert page.get_by_role("row").count() <= 61
    page.locator(".runs-foot").get_by_text("of 500").wait_for()


def test_groups(come, found):
    """A group says how many and the mean of its numbers; it opens to its runs, and within it to groups."""
    page = come("?group=config.arch,job_type&cols=summary.eval/loss").page
    first = page.get_by_role("row").filter(has_text="moe-8x1b")
    first.filter(has_text="2.249").wait_for()
    assert "167" in first.inner_text()
    first.click()
    page.get_by_role("row", expanded=False).filter(has_text="train").click()
    page.locator(".run-row.inner").first.wait_for()
    page.get_by_text("3 groups · 500 runs").wait_for()
    page.get_by_text("largest groups first").wait_for()
    page.get_by_role("row", expanded=True).first.click()
    until(page, "document.querySelectorAll('.virtual .run-row').length === 3")
    groups = page.locator(".run-row.group b")
    page.get_by_role("columnheader", name="loss").get_by_role("button").first.click()
    wait_until(lambda: groups.all_inner_texts() == ["moe-8x1b", "dense-3b", "dense-1b"], what="groups from the least mean on")
    page.get_by_role("columnheader", name="loss").get_by_role("button").first.click()
    wait_until(lambda: groups.all_inner_texts() == ["dense-1b", "dense-3b", "moe-8x1b"], what="groups from the greatest mean on")
    page.get_by_text("largest groups first").wait_for(state="detached")


@pytest.mark.long
def test_groups_have_room_in_the_pane(come, found):
    """A mean and its deviation have the room that the missing age leaves, and stay in their column; all buttons are in the pane."""
    page = come("?group=config.arch", viewport={"width": 1440, "height": 900}).page
    means = page.locator(".run-row.group").filter(has_text="moe-8x1b").locator(".cell-col").last
    wait_until(lambda: re.fullmatch(r"(0\.000\d+|\d(\.\d+)?e−4) ± (0\.000\d+|\de−4)", " ".join(means.inner_text().split())), what="a mean with its deviation")
    assert means.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    assert page.locator(".run-list").evaluate("(node) => node.scrollWidth <= node.clientWidth")
    pane, last = page.locator(".runs").bounding_box(), page.get_by_role("button", name="Save as CSV").bounding_box()
    assert pane["x"] < last["x"] and last["x"] + last["width"] < pane["x"] + pane["width"]
    assert faults_of(page) == []


@pytest.mark.long
def test_different_values_of_groups(come, found, api):
    """Of columns that are no numbers: the value that all runs of a group have, or how many there are, the most frequent on hover."""
    kinds = api.get(f"{PROJECT}/groups", by="job_type", filter="config.arch:moe-8x1b").json["items"]
    one = come("?group=config.arch&cols=job_type,summary.eval/loss,config.arch,tags,config.my%20key", path="/ann/llm-pretrain/table")
    page = one.page
    group = page.locator(".run-row.group").filter(has_text="moe-8x1b")
    group.get_by_text("2 values").wait_for()
    group.get_by_text("2.249").wait_for()
    cells = [one.strip() for one in group.locator(".cell-col").all_inner_texts()]
    assert [cells[0], *cells[2:]] == ["2 values", "moe-8x1b", "1 value", "167 values"] and cells[1].startswith("2.249")
    titles = group.locator(".cell-col span[title]").evaluate_all("all => all.map((one) => one.title)")
    assert titles[0] == ", ".join(f"{kind['value']} ×{kind['count']}" for kind in kinds)
    assert titles[2:] == ["moe-8x1b ×167", 'good ×17, no value ×150', "v 0 ×1, v 102 ×1, v 105 ×1, v 108 ×1, v 111 ×1, 162 more"]
    filter_by(page, "config.number<3")
    page.get_by_text("3 groups · 3 runs").wait_for()
    wait_until(lambda: group.locator(".cell-col").nth(4).inner_text().strip() == "v 0", what="the only value")
    assert faults_of(page) == [] and not one.complaints
    too_many = {"status": 422, "detail": "the keys have too many different values", "field": "different"}
    page.route("**/llm-pretrain/groups?*different=*", lambda route: route.fulfill(status=422, json=too_many))
    page.reload()  # the groups come with their numbers alone
    wait_until(lambda: [one.strip() for one in group.locator(".cell-col").all_inner_texts()] == ["", "2", "", "", ""], what="numbers alone")


@pytest.mark.long
def test_keys_without_their_section(come, found):
    """Where only one has them: in the filter, whose values are suggested, and in groups; else the fault names the forms."""
    page = come("?cols=summary.eval/loss").page
    head(page, "Runs 500")
    filter_by(page, "number<3 status:finished,failed,running,crashed,killed")
    head(page, "Runs 3")
    field = page.get_by_role("combobox", name="Filter runs")
    field.fill("")
    field.press_sequentially("arch:mo")
    page.get_by_role("option", name="moe-8x1b").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    head(page, "Runs 167")
    assert query_of(page)["q"] == "arch:moe-8x1b"
    page.get_by_role("button", name="Group", exact=True).click()
    page.get_by_role("dialog").get_by_role("combobox", name="Key").fill("arch")
    page.keyboard.press("Enter")
    page.get_by_text("1 group · 167 runs").wait_for()
    assert query_of(page)["group"] == "arch"
    page.locator(".run-row.group").first.click()
    page.locator(".run-row.inner").first.wait_for()
    assert faults_of(page) == []


@pytest.mark.long
def test_keys_that_the_server_does_not_know(come, found):
    """Said at the dialog, which stays; of an address above the rows that stay, with a way out; charts draw what they drew."""
    one = come("?cols=summary.eval/loss")
    page = one.page
    head(page, "Runs 500")
    page.get_by_role("button", name="Group", exact=True).click()
    card = page.get_by_role("dialog")
    key = card.get_by_role("combobox", name="Key")
    key.wait_for()
    page.keyboard.type("archh")  # into the one field, which has the focus
    page.keyboard.press("Enter")
    card.get_by_role("alert").get_by_text('Unknown key "archh". Did you mean config.arch?').wait_for()
    assert key.get_attribute("aria-invalid") == "true" and "group" not in query_of(page)
    assert faults_of(page) == []
    card.get_by_role("button", name="Did you mean config.arch?").click()
    card.wait_for(state="detached")
    page.get_by_text("3 groups · 500 runs").wait_for()
    assert query_of(page)["group"] == "config.arch"
    page.goto(f"{one.base}/ann/llm-pretrain?cols=summary.eval/loss&group=archh")
    said = page.locator(".runs-state")
    said.get_by_text('Unknown key "archh". Did you mean config.arch? ').wait_for()
    said.get_by_role("button", name="Take out archh").click()
    said.wait_for(state="hidden")
    assert query_of(page) == {"cols": "summary.eval/loss"}
    wait_until(lambda: shown(page) == "10 visualized", what="runs")
    page.go_back()
    said.get_by_text('Unknown key "archh". Did you mean config.arch? ').wait_for()
    assert "Reconnecting" not in said.inner_text() and shown(page) == "10 visualized"
    assert page.locator(".virtual .run-row:not(.off)").count() == 10
    page.goto(f"{one.base}/ann/llm-pretrain?sort=-numbr")
    said.get_by_text('Unknown key "numbr". Did you mean config.number? ').wait_for()
    said.get_by_role("button", name="Take out numbr").click()
    said.wait_for(state="hidden")
    head(page, "Runs 500")
    filter_by(page, "tagg:good")
    page.get_by_role("alert").get_by_text("Did you mean tags?").wait_for()
    assert said.is_hidden() and shown(page) == "10 visualized"
    page.reload()
    page.get_by_role("alert").get_by_text("Did you mean tags?").wait_for()
    said.get_by_text("Fix the filter to see runs.").wait_for()
    said.get_by_role("button", name="Clear").click()
    said.wait_for(state="hidden")
    head(page, "Runs 500")
    assert "q" not in query_of(page)


@pytest.mark.long
def test_keys_that_no_run_has(come, found):
    """Said once, with the one that may be meant: a run may have it tomorrow."""
    one = come()
    page = one.page
    head(page, "Runs 500")
    page.get_by_role("button", name="Group", exact=True).click()
    card = page.get_by_role("dialog")
    key = card.get_by_role("combobox", name="Key")
    key.fill("config.archs")
    key.press("Enter")
    card.get_by_role("alert").get_by_text("No run has config.archs. Did you mean config.arch? Apply again to use it anyway.").wait_for()
    assert key.get_attribute("aria-invalid") == "true" and "group" not in query_of(page) and faults_of(page) == []
    key.press("Enter")
    card.wait_for(state="detached")
    assert query_of(page) == {"group": "config.archs"}
    page.goto(f"{one.base}/ann/llm-pretrain")
    head(page, "Runs 500")
    page.get_by_role("button", name="started", exact=False).first.click()
    key = card.get_by_role("combobox", name="Key").first
    key.fill("min(eval/los)")
    card.get_by_role("button", name="Apply").click()
    card.get_by_role("alert").get_by_text("No run has min(eval/los).").wait_for()
    page.keyboard.press("Escape")
    filter_by(page, "config.archs:moe-8x1b")
    said = page.locator(".runs-state")
    said.get_by_text("No run matches. No run has config.archs. Did you mean config.arch?").wait_for()
    filter_by(page, "config.arch:none")
    said.get_by_text("No run has").wait_for(state="detached")
    said.get_by_text("500 runs without the filter.").wait_for()
    assert not one.complaints


def test_what_is_drawn(come, found):
    """The first 10 by the rule; a hand's choice wins, and both stand in the address."""
    page = come().page
    head(page, "Runs 500")
    assert shown(page) == "10 visualized"
    page.get_by_role("button", name="Show ", exact=False).nth(3).click()
    until(page, "new URLSearchParams(location.search).get('off')")
    assert shown(page) == "9 visualized"
    other = page.locator(".virtual .run-row").nth(5)
    name = other.locator(".cell-name a").inner_text().strip()
    for item, count in ("Hide in charts", 8), ("Show in charts", 9):
        pick(page, name, item)
        visualized(page, count)
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name="First 25").click()
    until(page, "new URLSearchParams(location.search).get('show') === '25'")
    assert shown(page) == "24 visualized"
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name="Only picked by hand").click()
    page.get_by_text("All runs are hidden.").wait_for()
    page.get_by_role("button", name="Show the first 10").click()
    until(page, "location.search === ''")


def test_columns(come, found):
    page = come("?cols=config.lr", path="/ann/llm-pretrain/table").page
    page.get_by_role("columnheader", name="lr").wait_for()
    page.get_by_role("button", name="Columns 1").click()
    page.get_by_role("searchbox", name="Search keys").fill("^config\\.num")
    page.get_by_role("button", name="Add config.number").click()
    page.get_by_role("button", name="Move config.number up").click()
    page.get_by_role("switch", name="Pin left: config.lr").click()
    search = page.get_by_role("searchbox", name="Search keys")
    search.fill("config.ar")
    page.get_by_role("button", name="Add config.arch").wait_for()
    search.press("Enter")
    page.get_by_role("button", name="Remove config.arch").wait_for()
    page.keyboard.type("e")  # in place of what was typed
    assert search.input_value() == "e"
    offered = page.get_by_role("button", name=re.compile("^Add "))
    second = offered.nth(1).inner_text()
    for key in "ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter":
        page.keyboard.press(key)
    page.get_by_role("button", name=f"Remove {second}", exact=True).wait_for()
    for name in "config.arch", second:
        page.get_by_role("button", name=f"Remove {name}", exact=True).click()
    page.keyboard.press("Escape")
    assert query_of(page)["cols"] == "config.number,*config.lr"
    page.reload()
    page.get_by_role("columnheader", name="number").wait_for()
    heads = page.get_by_role("columnheader").all_inner_texts()
    assert [words.strip() for words in heads][2:4] == ["lr", "number"]


SEEN = """() => {
    const rows = [document.querySelector('.list-head .heads'), document.querySelector('.virtual .run-row')];
    const keys = [...rows[0].children].map((head) => head.dataset.column || head.className);
    const seen = (cell) => {
        const { left, top, width, height } = cell.getBoundingClientRect();
        return [0.1, 0.5, 0.9].every((share) => cell.contains(document.elementFromPoint(left + share * width, top + height / 2)));
    };
    return rows.map((row) => keys.filter((_, at) => seen(row.children[at])));
}"""


@pytest.mark.parametrize("path, width, stay", [long("", 1440, ["config.lr", "summary.eval/loss"]), long("/table", 1000, ["config.lr", "summary.eval/loss"]),
                                               ("/table", 390, ["config.lr"])])
def test_pinned_columns_stay(come, found, path, width, stay):
    """Beside the name while the others are scrolled; where that is narrow, no more than leave room for one of those."""
    page = come("?cols=*config.lr,*summary.eval/loss,state,user,group,job_type,tags,notes,host,created_at", path=f"/ann/llm-pretrain{path}",
                viewport={"width": width, "height": 800}).page
    page.locator(".virtual .cell-col").first.wait_for()
    for to in "grid.scrollWidth", "grid.scrollWidth / 3":
        page.evaluate(f"() => {{ const grid = document.querySelector('.run-list'); grid.scrollLeft = {to}; }}")
        heads, cells = page.evaluate(SEEN)
        assert heads[:1 + len(stay)] == cells[:1 + len(stay)] == ["cell-name", *stay]
        assert "config.lr" not in heads[2:] and ("summary.eval/loss" in heads) == ("summary.eval/loss" in stay)
    page.evaluate("() => { const grid = document.querySelector('.run-list'); grid.scrollLeft = grid.scrollWidth; }")
    assert "cell-age" in page.evaluate(SEEN)[1], "others have room beside them"
    row = page.locator(".virtual .run-row").first
    row.hover()
    colours = row.evaluate("(row) => [row, ...row.querySelectorAll('.stays')].map((node) => getComputedStyle(node).backgroundColor)")
    assert len(set(colours)) == 1 and "rgba" not in colours[0], "what scrolls below is not seen"
    assert faults_of(page) == []


def pasted(page):
    """What Ctrl C copied, as a field gets it."""
    field = page.get_by_role("searchbox", name="Panels (regex)")
    field.fill("")
    page.keyboard.press("Control+V")
    return field.input_value()


def test_cells_are_copied(come, found):
    """By plain http: the whole value of the cell that was clicked; of the row where the keyboard is all of it; selected text as ever."""
    one = come("?cols=summary.eval/loss,config.lr&q=config.number:499&panels=no-such-panel")
    page = one.page
    row = page.locator(".virtual .run-row").first
    loss = row.get_by_text("2.499", exact=True)
    loss.click()
    name = names(page)[0]
    page.keyboard.press("Control+C")
    page.get_by_text("Copied 2.499", exact=True).wait_for()
    assert pasted(page) == "2.499"
    loss.click()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Control+C")
    page.get_by_text("Copied the row").wait_for()
    assert pasted(page).split()[:2] == [name, "2.499"]
    row.locator(".cell-name a").evaluate("one => { one.closest('.run-row').focus(); getSelection().selectAllChildren(one); }")
    page.keyboard.press("Control+C")
    assert pasted(page) == name and not one.complaints


def test_renamed_tagged_deleted_and_back(come, found, api, wait_for):
    """What is done in the menu is so at the server; what was deleted comes back by Undo."""
    page = come("?q=config.number:450&cols=state").page
    path = f"{PROJECT}/runs/r450"

    pick(page, body_of(450)["display_name"], "Rename")
    page.get_by_label("Name", exact=True).fill("renamed <b>")
    page.keyboard.press("Enter")
    row_of(page, "renamed <b>").wait_for()
    assert api.get(path).json["display_name"] == "renamed <b>"
    pick(page, "renamed <b>", "Tags")
    page.get_by_label("Tags (one per line)").fill("keep, always\nnew one")
    page.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["tags"] == ["keep, always", "new one"], what="tags")
    pick(page, "renamed <b>", "Colour")
    dialog = page.get_by_role("dialog", name="Colour of the run")
    expect(dialog.get_by_role("group", name="Colours of the theme").get_by_role("button")).to_have_count(24)
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Colour 3, dashed").click()
    wait_for(lambda: api.get(path).json["color"] == "slot-10", what="a colour")
    row_of(page, "renamed <b>").locator(".swatch i.dash[style*='--s3']").wait_for()
    pick(page, "renamed <b>", "Colour")
    assert dialog.get_by_role("button", name="Colour 3, dashed").get_attribute("aria-pressed") == "true"
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="detached")
    assert api.get(path).json["color"] == "slot-10", "nothing was changed"
    pick(page, "renamed <b>", "Colour")
    dialog.get_by_label("Its line").select_option(label="Dotted")
    dialog.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["color"] == "slot-18", what="the hue that it has, dotted")
    row_of(page, "renamed <b>").locator(".swatch i.dot[style*='--s3']").wait_for()
    pick(page, "renamed <b>", "Colour")
    dialog.get_by_label("A colour of your own").fill("#123456")
    dialog.get_by_label("Its line").select_option(label="Dotted")
    dialog.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["color"] == "#123456-dot", what="a colour of its own")
    row_of(page, "renamed <b>").locator(".swatch i.dot").wait_for()
    pick(page, "renamed <b>", "Colour")
    dialog.get_by_role("button", name="Reset to the default colour").click()
    wait_for(lambda: api.get(path).json["color"] is None, what="the colour that it was given")
    pick(page, "renamed <b>", "Delete")
    dialog = page.get_by_role("dialog", name="Delete renamed <b>?")
    assert api.get(PROJECT).json["grace_s"] == 30 * 86400
    dialog.get_by_text(re.compile(r"^You can restore it in the settings of llm-pretrain until \d{4}-\d\d-\d\d\.$")).wait_for()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    page.get_by_text("No run matches.").wait_for()
    assert api.request("GET", path).status == 410
    page.get_by_role("button", name="Undo").click()
    row_of(page, "renamed <b>").wait_for()
    assert api.get(path).status == 200


# All that is said from now on: what stands there a moment later may be something else.
SAID = """(node) => {
    window.said = [];
    new MutationObserver((all) => all.forEach(({ addedNodes }) => addedNodes.forEach((node) => window.said.push(node.textContent))))
        .observe(node, { childList: true });
}"""


@pytest.mark.long
def test_what_can_be_undone_stays_while_more_is_said(come, found, api, wait_for):
    """Two runs that were deleted one after the other come back by their own Undo, also below what is said of the one."""
    for name in "a", "b":
        api.put(f"/api/v1/projects/ann/two-undos/runs/{name}", {"display_name": f"run {name}"})
    wait_for(lambda: api.get("/api/v1/projects/ann/two-undos/runs", count="true").json["count"] == 2, what="runs that are found")
    page = come(path="/ann/two-undos").page

    def press(node):
        """Without the mouse, which stays where it keeps what is said."""
        node.wait_for()
        node.evaluate("node => node.click()")

    def undo(name):
        return page.locator(".toast").filter(has_text=f"Deleted {name}").get_by_role("button", name="Undo")
    for name in "run a", "run b":
        press(row_of(page, name).get_by_role("button", name="Menu of"))
        press(page.get_by_role("menuitem", name="Delete", exact=True))
        press(page.get_by_role("dialog").get_by_role("button", name="Delete"))
        undo(name).wait_for()
        if name == "run a":
            undo(name).hover()
    page.locator(".toasts").evaluate(SAID)
    press(undo("run b"))
    page.wait_for_function("() => window.said.some((words) => words.includes('Restored 1 run'))")
    undo("run a").click()
    for name in "a", "b":
        row_of(page, f"run {name}").wait_for()
        assert api.get(f"/api/v1/projects/ann/two-undos/runs/{name}").status == 200


@pytest.mark.long
def test_many_are_deleted_with_one_confirmation(come, found, api):
    """They can be restored, so nothing is to be typed."""
    page = come("?q=config.number>=440 config.number<443").page
    head(page, "Runs 3")
    page.get_by_role("checkbox", name="Select all listed").click()
    page.get_by_text("3 selected").wait_for()
    page.get_by_role("group", name="Selected runs").get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete 3 runs?")
    dialog.get_by_text("You can restore it in the settings of llm-pretrain until").wait_for()
    assert dialog.get_by_role("textbox").count() == 0
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    page.get_by_text("No run matches.").wait_for()
    page.get_by_role("button", name="Undo").click()
    head(page, "Runs 3")


def test_not_all_are_selected_that_were_not_read(come, found):
    """The checkbox in the head selects the runs that were read, and the foot says of how many."""
    page = come().page
    head(page, "Runs 500")
    page.get_by_role("checkbox", name="Select all listed").click()
    page.get_by_text(re.compile("^200 of 500 selected$")).wait_for()
    page.locator(".virtual .run-row").first.get_by_role("checkbox").click()
    page.get_by_text("199 selected", exact=True).wait_for()


@pytest.mark.long
def test_a_group_for_those_selected(come, found, api, wait_for):
    """What is selected is put into a group and saved as CSV; how to go on with a run is told in lines for a shell."""
    page = come("?q=config.number>=444 config.number<448&sort=-config.number").page  # they are made side by side
    head(page, "Runs 4")
    rows = page.locator(".virtual .run-row")
    rows.nth(0).locator(".cell-age").click()
    rows.nth(1).locator(".cell-age").click(modifiers=["Shift"])
    selected = page.get_by_role("group", name="Selected runs")

    def more(item):
        selected.get_by_role("button", name="More with the selected").click()
        page.get_by_role("menuitem", name=item).click()

    more("Group")
    page.get_by_label("Group (empty: none)").fill("by hand <b>")
    page.keyboard.press("Enter")
    wait_for(lambda: [api.get(f"{PROJECT}/runs/r44{n}").json["group"] == "by hand <b>" for n in (4, 5, 6, 7)] == [False, False, True, True],
             what="two runs in a group")
    with page.expect_download() as saved:
        more("Save as CSV")
    with open(saved.value.path(), newline="", encoding="utf-8") as file:
        assert [row["id"] for row in csv.DictReader(file)] == ["r447", "r446"]
    selected.get_by_role("button", name="Clear").click()
    page.get_by_text("2 selected").wait_for(state="hidden")
    row_of(page, names(page)[0]).get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Resume").click()
    page.get_by_role("dialog", name="Resume r447").get_by_text("WANDB_RUN_ID=r447 WANDB_RESUME=must").wait_for()
    assert faults_of(page) == []


@pytest.mark.long
def test_by_keyboard_alone(come, found, api):
    """The filter, the rows, the eye, selecting, a baseline, and into a run."""
    page = come().page
    head(page, "Runs 500")
    keys = page.keyboard
    keys.press("/")
    keys.type("config.number<4")
    keys.press("Enter")
    head(page, "Runs 4")
    page.get_by_role("grid").focus()
    keys.press("j")
    keys.press("v")
    until(page, "new URLSearchParams(location.search).get('off')")
    keys.press("x")
    keys.press("k")
    keys.press("X")
    page.get_by_text("2 selected").wait_for()
    keys.press("Escape")
    page.get_by_text("2 selected").wait_for(state="hidden")
    keys.press("b")
    until(page, "new URLSearchParams(location.search).get('base')")
    page.locator(".list-head .run-row.pinned").wait_for()
    page.get_by_role("row").filter(has_text="🧪").wait_for()
    keys.press("[")
    page.get_by_role("grid").wait_for(state="hidden")
    page.get_by_role("separator", name="Width of the list of runs").dblclick()
    page.locator(".list-head .run-row.pinned").wait_for()
    page.get_by_role("grid").focus()
    keys.press("o")
    page.wait_for_url("**/llm-pretrain/runs/*")


@pytest.mark.long
def test_from_login_to_compare_by_keyboard(screen, base, found):
    """The password, the filter, two rows, and what differs between them: no mouse from the address on."""
    page = screen().page
    page.goto(f"{base}/ann/llm-pretrain")
    page.get_by_label("Password").wait_for()
    keys = page.keyboard
    keys.type("ann")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    head(page, "Runs 500")
    page.reload()
    head(page, "Runs 500")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    assert page.get_by_role("link", name="Skip to the content").bounding_box()["x"] >= 0
    keys.press("Enter")
    until(page, "document.activeElement.matches('main')")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")
    keys.press("/")
    keys.type("config.number<4")
    keys.press("Enter")
    head(page, "Runs 4")
    page.locator(".virtual .run-row").nth(3).wait_for()
    for _ in range(40):
        keys.press("Tab")
        if page.evaluate("document.activeElement.closest('[role=grid]') !== null"):
            break
    keys.press("x")
    keys.press("j")
    keys.press("X")
    page.get_by_text("2 selected").wait_for()
    keys.press("C")
    page.wait_for_url("**/compare?runs=*")
    page.locator(".compare-row").get_by_text(re.compile(r"\bnumber\b")).first.wait_for()


def test_hostile_names_are_text(come, found, wait_for):
    one = come("?q=config.number<6&sort=config.number")
    page = one.page
    head(page, "Runs 6")
    assert names(page) == [as_shown(name.strip()) for name in HOSTILE]
    held, is_held = [], True
    page.route("**/runs?*eval*", lambda route: held.append(route) if is_held else route.continue_())
    page.reload()
    wait_for(lambda: page.title() is not None and held, what="columns whose values are asked for")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").click()  # which waits for them
        is_held = False
        for route in held:
            route.continue_()
    with open(saved.value.path(), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == [*HOSTILE[:4], f"'{HOSTILE[4]}", HOSTILE[5]]
    assert [row["summary.eval/loss"] for row in rows][:2] == ["2", "2.001"]
    assert not one.complaints


def test_new_runs_are_counted_and_come_when_asked(come, found, api, wait_for):
    """Nothing moves under the mouse: a pill says that there is more. A state changes in its place, when its menu is closed."""
    api.put("/api/v1/projects/ann/news/runs/first", {"display_name": "the first"})
    wait_for(lambda: api.get("/api/v1/projects/ann/news/runs", count="true").json["count"] == 1, timeout=90, what="a run that is found")
    page = come(path="/ann/news").page
    row_of(page, "the first").get_by_role("img", name="running").wait_for()
    page.locator(".split-page > [aria-live=polite]").evaluate(SAID)
    row_of(page, "the first").get_by_role("button", name="Menu of").click()
    with page.expect_response(lambda answer: "ids=" in answer.url and '"failed"' in answer.text()):
        api.put("/api/v1/projects/ann/news/runs/second", {"display_name": "the second"})
        api.post("/api/v1/projects/ann/news/runs/first/finish", {"exit_code": 1})
    assert page.get_by_role("menu").is_visible()
    page.keyboard.press("Escape")
    row_of(page, "the first").get_by_role("img", name="failed").wait_for()
    page.get_by_role("button", name="1 new run").click()
    row_of(page, "the second").wait_for()
    assert names(page) == ["the second", "the first"]
    # Together, or the second as soon as something may be said again.
    heard = lambda: sorted(", ".join(page.evaluate("said")).split(", "))  # noqa: E731
    wait_for(lambda: heard() == ["1 new run", "1 run failed"], what="what came is said, once")


def test_a_click_on_what_is_drawn_anew(come, found, api, wait_for):
    """Nothing is lost of a click when the row changes between its press and its end, nor what is open of a list read anew."""
    page = come("?group=config.arch&q=config.number>=480").page
    page.get_by_text("3 groups · 20 runs").wait_for()
    group = page.get_by_role("row").filter(has_text="dense-1b")
    group.click()
    run = page.locator(".run-row.inner").first
    run.wait_for()
    place, path = wait_for(run.bounding_box, what="the row stays"), f"{PROJECT}/runs/{run.get_attribute('data-run')}"
    page.mouse.move(place["x"] + place["width"] - 60, place["y"] + 8)
    page.mouse.down()
    before = api.get(path).json["display_name"]
    with page.expect_response(lambda answer: "ids=" in answer.url and "pressed meanwhile" in answer.text()):
        api.patch(path, {"display_name": "pressed meanwhile"})
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.mouse.up()
    page.locator(".run-row.inner[aria-selected=true]").wait_for()
    row_of(page, "pressed meanwhile").wait_for()
    api.patch(path, {"display_name": before})
    page.get_by_role("columnheader", name="Name").get_by_role("button").click()
    page.locator("[aria-sort=ascending]").wait_for()
    run.wait_for()
    assert group.get_attribute("aria-expanded") == "true"


@pytest.mark.long
def test_a_column_is_dragged(come, found):
    one = come("?cols=config.arch")
    page = one.page
    column = page.locator("[data-column='config.arch']")
    column.wait_for()
    before = column.bounding_box()["width"]
    place = column.locator(".handle").bounding_box()
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for moved in 10, 25, 40:
        page.mouse.move(x + moved, y)
    page.mouse.up()
    assert column.bounding_box()["width"] == before + 40
    until(page, "new URLSearchParams(location.search).get('cols').includes('config.arch')")


@pytest.mark.long
def test_edges_are_moved_by_keys(come, found):
    """Of a column and between the list and the charts: arrows, Home and End; the focus stays, and rows are not moved among."""
    one = come("?cols=config.arch")
    page = one.page
    page.locator("[data-column='config.arch']").wait_for()
    edge = page.get_by_role("separator", name="Width of arch")
    edge.focus()
    width = int(edge.get_attribute("aria-valuenow"))
    for key, wanted in (("ArrowRight", width + 8), ("Shift+ArrowRight", width + 40), ("ArrowLeft", width + 32),
                        ("Home", 48), ("End", 480)):
        page.keyboard.press(key)
        until(page, f"document.activeElement.getAttribute('aria-valuenow') === '{wanted}'")
        assert page.locator("[data-column='config.arch']").bounding_box()["width"] == wanted
    until(page, "new URLSearchParams(location.search).get('cols') === 'config.arch@480'")
    assert faults_of(page) == []
    edge = page.get_by_role("separator", name="Width of the list of runs")
    edge.focus()
    for key, wanted in (("Home", 280), ("ArrowRight", 300), ("ArrowLeft", 280)):
        page.keyboard.press(key)
        until(page, f"document.querySelector('.side').getBoundingClientRect().width === {wanted}")
        assert edge.get_attribute("aria-valuenow") == str(wanted)
    page.keyboard.press("End")
    until(page, "document.activeElement.getAttribute('aria-valuenow') === '900'")


@pytest.mark.long
def test_what_of_a_filter_removes_most(come, found):
    page = come("?q=config.number>=440 config.arch:nothing config.number<443").page
    page.get_by_text("500 runs without the filter.").wait_for()
    page.get_by_text("config.arch:nothing removes most: 3 runs without it.").wait_for()
    assert faults_of(page) == []
    takes = page.get_by_role("button", name="Take out config.arch:nothing")
    field = page.get_by_role("combobox", name="Filter runs")
    written = field.input_value()
    field.fill("name:/[/")
    takes.wait_for(state="hidden")
    page.locator("input[aria-invalid=true]").wait_for()
    assert not takes.is_visible()
    field.fill(written)
    until(page, "new URLSearchParams(location.search).get('q').includes('nothing')")
    takes.click()
    head(page, "Runs 3")
    until(page, "new URLSearchParams(location.search).get('q') === 'config.number>=440 config.number<443'")


def test_a_server_that_is_away(come, found, api):
    """What was read stays, and since when it is old is said; back again it is as before."""
    page = come().page
    head(page, "Runs 500")
    page.locator(".top .live", has_text="Live").wait_for()
    page.route("**/api/v1/**", lambda route: route.abort())
    api.patch(f"{PROJECT}/runs/r499", {"notes": "written meanwhile"})
    page.get_by_text("Reconnecting, data of").wait_for()
    assert len(names(page)) > 10
    page.unroute("**/api/v1/**")
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("Reconnecting, data of").wait_for(state="hidden")


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_for_everybody(come, found, scheme, size):
    one = come("?group=config.arch&base=r001", color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    page.get_by_text("3 groups · 500 runs").wait_for()
    page.get_by_role("row").filter(has_text="moe-8x1b").click()
    page.locator(".run-row.inner").first.wait_for()
    for path in "", "/table":
        page.goto(f"{one.base}/ann/llm-pretrain{path}")
        page.locator(".virtual a").first.wait_for()
        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("button", name="Add a condition").click()
    assert faults_of(page) == []
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Columns").click()
    assert faults_of(page) == []
    assert not one.complaints


def copied_by(page):
    """The address once what was typed into it is kept: short enough for a mail."""
    until(page, "location.href.length <= 2000 && location.search.startsWith('?view=~')")
    return page.url


@pytest.mark.long
def test_a_long_address(come, found, api, screen):
    """Hundreds of runs that a hand picked: the address stays short, and says the same to who gets it, and after going back."""
    ids = [f"r{number:03}" for number in range(RUNS)]
    one = come(f"?q=config.number%3E=0&on={','.join(ids[:450])}&show=picked")
    page = one.page
    visualized(page, 450)
    api.patch(PROJECT, {"visibility": "public"})  # what an address of a private project stands for stays private
    page.get_by_role("button", name="Show ", exact=False).nth(3).click()
    visualized(page, 451)
    first = copied_by(page)
    assert len(first) < 200
    page.get_by_role("columnheader", name="eval/loss").get_by_role("button").click()
    until(page, f"location.href === '{first}&sort=summary.eval/loss'")
    page.go_back()
    until(page, f"location.href === '{first}'")
    visualized(page, 451)
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name="First 25").click()
    until(page, f"location.href === '{first}&show=25'")
    page.reload()
    visualized(page, 475)
    page.go_back()
    visualized(page, 451)
    page.get_by_role("link", name="Show as a full table").click()
    until(page, "location.pathname.endsWith('/table')")
    visualized(page, 451)
    api.patch(PROJECT, {"visibility": "private"})
    colleague, stranger = come(first[first.index("?"):]), screen()
    api.patch(PROJECT, {"visibility": "public"})
    stranger.page.goto(first)
    for other in colleague, stranger:
        visualized(other.page, 451)
        other.page.get_by_role("button", name="How many runs the charts draw").click()
        other.page.get_by_role("menuitem", name="Clear choices made by hand").click()
        until(other.page, "new URLSearchParams(location.search).get('q') === 'config.number>=0'")
        visualized(other.page, 0)
        assert not other.complaints
    api.patch(PROJECT, {"visibility": "private"})
    assert not one.complaints
    page.goto(f"{one.base}/ann/llm-pretrain?view=~gone1234&q=config.number<30")
    page.get_by_text("This link has expired.").wait_for()
    head(page, "Runs 30")
    assert all("404" in words for words in one.complaints)


def copy_view(page, to, name):
    page.get_by_role("button", name="Saved views").click()
    page.get_by_role("menuitem", name="Copy to project").click()
    dialog = page.get_by_role("dialog", name="Copy the view to another project")
    dialog.get_by_role("combobox", name="To the project").fill(to)
    dialog.get_by_role("option", name=to).click()
    dialog.get_by_label("Name of the view").fill(name)
    return dialog


@pytest.mark.long
def test_a_view_goes_to_another_project(come, found, api, wait_for):
    """What is seen, without the runs that a hand picked; a name that is taken there is replaced only when one says so."""
    other = "/api/v1/projects/ann/views-from-elsewhere"
    api.put(other)
    api.put(f"{other}/runs/r1", {"config": {"number": 1}})
    wait_for(lambda: api.get(f"{other}/runs", filter="has:config.number", count="true", limit=1).json["count"] == 1, timeout=60, what="its run")
    one = come("?q=config.number>=0&cols=config.arch,config.nowhere&on=r001&base=r002")
    page = one.page
    for query, wanted in (("", "Losses"), ("?q=has:id", "Losses")):
        if query:
            page.goto(f"{one.base}/ann/llm-pretrain{query}")
            head(page, "Runs 500")
        dialog = copy_view(page, "views-from", wanted)
        assert faults_of(page) == []
        dialog.get_by_role("button", name="Copy", exact=True).click()
        if query:
            dialog.get_by_role("alert").filter(has_text="ann/views-from-elsewhere already has a view Losses").wait_for()
            assert faults_of(page) == []
            dialog.get_by_label("Replace Losses").check()
            dialog.get_by_role("button", name="Copy", exact=True).click()
        page.get_by_text("copied to ann/views-from-elsewhere").wait_for()
        views = [view for view in api.get(f"{other}/views").json["items"] if view["name"] == "Losses"]
        state = api.get(f"{other}/views/{views[0]['id']}").json["state"]
        assert len(views) == 1 and state == ({"q": "has:id"} if query else {"q": "config.number>=0", "cols": "config.arch,config.nowhere"})
    page.get_by_role("link", name="Losses", exact=True).click()
    head(page, "Runs 1")
    page.get_by_role("button", name="Saved views").get_by_text("Losses").wait_for()
    assert not one.complaints
