"""The list of a project's runs: found, sorted, grouped, changed and deleted, in a browser, among 500 varied runs."""
import concurrent.futures
import csv
import random
import re

import pytest

import module_api
from browsing import LOOKS, PASSWORD, SIZES, faults_of, sign_in
from cluster import wait_until
from runs import Run

api = module_api.api
PROJECT = "/api/v1/projects/ann/llm-pretrain"
RUNS = 500
HOSTILE = ["<script>alert(1)</script>", "\u202egnirts a \u05d0\u05d1", "x" * 250, "\U0001f9ea\U0001f1e9\U0001f1ea", "=cmd|' /C calc'!A0", "a,b \"c\""]
ARCHS = ["moe-8x1b", "dense-1b", "dense-3b"]


def body_of(number, dice):
    name = HOSTILE[number] if number < len(HOSTILE) else f"{dice.choice(['mossy', 'amber', 'slate'])}-orchard-{number}"
    return {"display_name": name, "job_type": dice.choice(["train", "eval"]), "group": dice.choice(["", "nightly"]),
            "tags": ["good"] if number % 10 == 0 else [],
            "config": {"lr": dice.choice([2e-4, 6e-4, 1e-3]), "arch": ARCHS[number % 3], "number": number, "my key": f"v {number}"}}


def make_run(api, number):
    path = f"{PROJECT}/runs/r{number:03}"
    api.put(path, body_of(number, random.Random(number)))
    api.patch(f"{path}/summary", {"eval/loss": 2 + number / 1000})
    if number % 4 == 0:
        api.post(f"{path}/finish", {"exit_code": 0})


@pytest.fixture(scope="module")
def runs(api):
    """500 runs, made in their order as far as that goes; r499 is the newest."""
    for number in range(len(HOSTILE)):
        make_run(api, number)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: make_run(api, number), range(len(HOSTILE), RUNS - 1)))
    make_run(api, RUNS - 1)
    return api


@pytest.fixture
def found(runs, wait_for):
    """All of them are found by what they were made with."""
    wait_for(lambda: runs.get(f"{PROJECT}/runs", filter="has:summary.eval/loss has:config.lr", count="true", limit=1).json["count"] == RUNS,
             timeout=90, what="500 runs that are found")


@pytest.fixture
def come(screen, base, api):
    """come(query, path): a Screen at the list, signed in."""
    def at(query="", path="/ann/llm-pretrain", **options):
        one = screen(**options)
        one.base = base
        sign_in(one.page, f"{base}{path}{query}")
        one.page.locator(".run-list").wait_for()
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def head(page, words):
    page.get_by_role("heading", name=words, exact=True).wait_for()


def row_of(page, name):
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page):
    return [one.strip() for one in page.locator(".virtual .run-row .cell-name a").all_inner_texts()]


def query_of(page):
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def until(page, expression):
    wait_until(lambda: page.evaluate(expression), what=expression)


def filter_by(page, text):
    page.get_by_role("combobox", name="Filter runs").fill(text)
    page.keyboard.press("Enter")


def shown(page):
    return page.get_by_role("button", name="How many runs the charts draw").inner_text().strip()


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
    until(page, "document.querySelector('.virtual a').textContent.endsWith('-29')")
    page.get_by_role("columnheader", name="eval/loss").get_by_role("button").click()
    row_of(page, HOSTILE[0]).wait_for()
    assert query_of(page)["sort"] == "summary.eval/loss"
    page.reload()
    head(page, "Runs 30")
    assert names(page)[0] == HOSTILE[0]
    page.go_back()
    until(page, "document.querySelector('.virtual a').textContent.endsWith('-29')")
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


def test_to_the_end_and_back(come, found):
    """All 500 are there to be scrolled through, and few stand in the document."""
    page = come("?sort=config.number").page
    head(page, "Runs 500")
    page.get_by_role("grid").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    row_of(page, f"{body_of(499, random.Random(499))['display_name']}").wait_for()
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
    wait_until(lambda: groups.all_inner_texts() == ["dense-1b", "dense-3b", "moe-8x1b"], what="groups from the greatest mean on")
    page.get_by_role("columnheader", name="loss").get_by_role("button").first.click()
    wait_until(lambda: groups.all_inner_texts() == ["moe-8x1b", "dense-3b", "dense-1b"], what="groups from the least mean on")
    page.get_by_text("largest groups first").wait_for(state="detached")


def test_groups_have_room_in_the_pane(come, found):
    """A deviation that its column has no room for goes on into the empty cell beside it; all buttons are in the pane."""
    page = come("?group=config.arch", viewport={"width": 1440, "height": 900}).page
    means = page.locator(".run-row.group").filter(has_text="moe-8x1b").locator(".cell-col").last
    wait_until(lambda: re.fullmatch(r"0\.000\d+ ± 0\.000\d+", " ".join(means.inner_text().split())), what="a mean with its deviation")
    assert means.evaluate("(node) => node.scrollWidth <= node.clientWidth")
    pane, last = page.locator(".runs").bounding_box(), page.get_by_role("button", name="Save as CSV").bounding_box()
    assert pane["x"] < last["x"] and last["x"] + last["width"] < pane["x"] + pane["width"]
    assert faults_of(page) == []


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


def test_keys_that_the_server_does_not_know(come, found):
    """Said at the dialog, which stays; of an address above the rows that stay, with a way out; charts draw what they drew."""
    one = come("?cols=summary.eval/loss")
    page = one.page
    head(page, "Runs 500")
    page.get_by_role("button", name="Group", exact=True).click()
    card = page.get_by_role("dialog")
    key = card.get_by_role("combobox", name="Key")
    key.wait_for()
    page.keyboard.type("arch")  # into the one field, which has the focus
    page.keyboard.press("Enter")
    card.get_by_role("alert").get_by_text('unknown key "arch". config.arch?').wait_for()
    assert key.get_attribute("aria-invalid") == "true" and "group" not in query_of(page)
    assert faults_of(page) == []
    key.fill("config.arch")
    key.press("Enter")
    card.wait_for(state="detached")
    page.get_by_text("3 groups · 500 runs").wait_for()
    page.goto(f"{one.base}/ann/llm-pretrain?cols=summary.eval/loss&group=arch")
    said = page.locator(".runs-state")
    said.get_by_text('unknown key "arch". config.arch?').wait_for()
    said.get_by_role("button", name="Take out arch").click()
    said.wait_for(state="hidden")
    assert query_of(page) == {"cols": "summary.eval/loss"}
    wait_until(lambda: shown(page) == "10 visualized", what="runs")
    page.go_back()
    said.get_by_text('unknown key "arch". config.arch?').wait_for()
    assert "Reconnecting" not in said.inner_text() and shown(page) == "10 visualized"
    assert page.locator(".virtual .run-row:not(.off)").count() == 10
    page.goto(f"{one.base}/ann/llm-pretrain?sort=-number")
    said.get_by_text('unknown key "number". config.number?').wait_for()
    said.get_by_role("button", name="Take out number").click()
    said.wait_for(state="hidden")
    head(page, "Runs 500")
    filter_by(page, "tag:good")
    page.get_by_role("alert").get_by_text("tags?").wait_for()


def test_what_is_drawn(come, found):
    """The first 10 by the rule; a hand's choice wins, and both stand in the address."""
    page = come().page
    head(page, "Runs 500")
    assert shown(page) == "10 visualized"
    page.get_by_role("button", name="Show ", exact=False).nth(3).click()
    until(page, "new URLSearchParams(location.search).get('off')")
    assert shown(page) == "9 visualized"
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name="First 25").click()
    until(page, "new URLSearchParams(location.search).get('show') === '25'")
    assert shown(page) == "24 visualized"
    page.get_by_role("button", name="How many runs the charts draw").click()
    page.get_by_role("menuitemradio", name="Only picked by hand").click()
    page.get_by_text("All runs are hidden.").wait_for()
    page.get_by_role("button", name="Show the first 10").click()
    until(page, "location.search === ''")


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


def test_coloured_by_a_key(come, tinted):
    """One hue for all, by powers where they are far apart, in the list and in charts; who has no number is grey."""
    one = come(path="/ann/tinted")
    page = one.page
    meaning = page.get_by_role("group", name="What colours of runs mean")
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
    assert meaning.inner_text().split("\n")[1:] == ["0.0001", "0.01", "by powers", "1 without"]
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
    meaning.get_by_text("no run that is drawn has a number").wait_for()
    meaning.get_by_role("button", name="Each run its own colour").click()
    meaning.wait_for(state="hidden")
    page.emulate_media(color_scheme="light")
    for name, colour in zip(names_all, own):
        page.wait_for_function(f"(name) => ({LOOK_OF})(name) === {colour!r}", arg=name)
    assert not query_of(page) and not one.complaints


def test_columns(come, found):
    page = come("?cols=config.lr", path="/ann/llm-pretrain/table").page
    page.get_by_role("columnheader", name="lr").wait_for()
    page.get_by_role("button", name="Columns 1").click()
    page.get_by_role("searchbox", name="Search keys").fill("^config\\.num")
    page.get_by_role("button", name="Add config.number").click()
    page.get_by_role("button", name="Move config.number up").click()
    page.get_by_role("switch", name="Keep config.lr at the left").click()
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
    page.get_by_role("switch", name="Keep config.lr at the left").get_by_text("at the left").wait_for()
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
    row.locator(".cell-name bdi").evaluate("one => { one.closest('.run-row').focus(); getSelection().selectAllChildren(one); }")
    page.keyboard.press("Control+C")
    assert pasted(page) == name and not one.complaints


def test_sorted_by_histories(come, measured):
    """By a click on a head, by Enter with Shift, in the dialog; in the address, and still when it is loaded anew."""
    page = come("?sort=name&cols=min(loss),max(loss),loss@best(acc)", path=table_of(measured)).page
    stands = lambda *expected: wait_until(lambda: names(page) == [*expected], what=f"{expected}")  # noqa: E731
    head_of = lambda name: page.get_by_role("columnheader", name=name)  # noqa: E731
    stands("long", "none", "two")
    head_of("min(loss)").get_by_role("button").first.click()
    stands("two", "long", "none")
    assert query_of(page)["sort"] == "-min(loss)" and head_of("min(loss)").get_attribute("aria-sort") == "descending"
    head_of("min(loss)").get_by_role("button").first.press("Enter")
    stands("long", "two", "none")
    head_of("max(loss)").get_by_role("button").first.press("Shift+Enter")
    wait_until(lambda: query_of(page)["sort"] == "min(loss),-max(loss)", what="a further key")
    unsorted = head_of("loss@best(acc)").get_by_role("button").first
    assert unsorted.get_attribute("aria-disabled") == "true"
    unsorted.click(force=True)
    page.locator(".toast").get_by_text("The list cannot be sorted by loss@best(acc)").wait_for()
    page.locator(".toast").get_by_text("Sort by max(acc) or min(acc) instead.").wait_for()
    assert query_of(page)["sort"] == "min(loss),-max(loss)"
    assert faults_of(page) == []
    page.reload()
    stands("long", "two", "none")

    page.get_by_role("button", name="min(loss) ↑ +1").click()
    dialog = page.get_by_role("dialog")
    page.locator('#known-keys option[value="mean(loss)"]').wait_for(state="attached")
    key = dialog.get_by_role("combobox", name="Key", exact=True).first
    page.keyboard.type("median(loss)")  # in place of the key that stood there
    dialog.get_by_role("button", name="Apply").click()
    dialog.get_by_text('unknown key "median(loss)"').wait_for()
    key.fill("mean(loss)")
    dialog.get_by_role("button", name="Apply").click()
    stands("two", "long", "none")
    assert query_of(page)["sort"] == "mean(loss),-max(loss)"
    measured["two"].writer.send(history=[{"loss": 1000}])
    page.get_by_role("columnheader", name="max(loss)").get_by_role("button").first.wait_for()
    page.reload()
    stands("long", "two", "none")


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
    assert hidden.get_by_role("option", name="as in the summary").is_disabled()
    hidden.select_option("max")
    reads("none", "—", "—", "—", "—", "3")
    hidden.select_option("at the best step of")
    page.get_by_role("dialog").get_by_role("combobox", name="At whose best step hidden is told").select_option("acc")
    reads("none", "—", "—", "—", "—", "3")
    assert page.evaluate("document.activeElement.value") == "acc"
    title = "hidden@best(acc), of step 0; the greatest is 1, at step 0"
    row_of(page, "none").get_by_title(title, exact=True).wait_for()
    row_of(page, "two").get_by_title("The run has no hidden@best(acc)", exact=True).wait_for()
    page.get_by_role("dialog").get_by_role("combobox", name="Which acc is the best").select_option("the least")
    row_of(page, "none").get_by_title(title.replace("best", "min", 1).replace("greatest", "least"), exact=True).wait_for()
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
    for title in "−3.375 ± 5.127, mean of 2 runs", "1, mean of 1 run", "3, mean of 1 run":
        group.get_by_title(title, exact=True).wait_for()
    assert [one.strip() for one in group.locator(".cell-col").all_inner_texts()] == ["−3.375 ± 5.1", "1", "3"]
    assert faults_of(page) == []

    page.route(f"**/{project_of(measured)}/metrics?*", lambda route: route.fulfill(status=500, json={"status": 500, "detail": "not now"}))
    page.goto(page.url.split("?")[0] + "?sort=name&cols=min(loss),last(_step)")
    reads("two", "not read", "not read")
    row_of(page, "two").get_by_title("min(loss) could not be read", exact=True).wait_for()
    page.unroute(f"**/{project_of(measured)}/metrics?*")  # asked again by itself; an axis is no metric, and is refused alone
    reads("two", "0.25", "not read")
    reads("none", "—", "not read")
    row_of(page, "none").get_by_title("The run has sent no loss", exact=True).wait_for()


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


def test_the_change_against_a_baseline(come, apart):
    """Beside each number, of runs and of groups, absolute and relative, better or worse; chosen with the columns, and in the file."""
    one = come("?sort=name&cols=summary.loss,min(loss),summary.zero,config.arch", path="/ann/apart/table")
    page = one.page
    cells = lambda row: [one.strip() for one in row.locator(".cell-col").all_inner_texts()]  # noqa: E731
    reads = lambda name, *values: wait_until(lambda: cells(row_of(page, name))[:3] == [*values], what=f"{values} of {name}")  # noqa: E731
    reads("lower", "1.5", "1.5", "−0.5")
    page.get_by_role("button", name="Columns 4").click()
    page.get_by_role("dialog").get_by_text("With a baseline (Pin as baseline, in the menu of a run)").wait_for()
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
    wait_until(lambda: cells(group("dense"))[:2] == ["2.5 +25 %"] * 2, what="the change of another")
    assert faults_of(page) == [] and not one.complaints


@pytest.fixture
def told_apart(api, wait_for):
    """Of three runs one has no rows, and one is of a worker."""
    home = "/api/v1/projects/ann/told-apart"
    for number, (name, job_type, rows) in enumerate([("trains", "train", [{"loss": 1}]), ("waits", "train", []), ("helps", "worker", [{"loss": 2}])]):
        run = Run(api, name, home)
        run.join("w").send(history=rows, config={"lr": number / 10})
        api.patch(run.path, {"display_name": f"it {name}", "job_type": job_type, "tags": [name]})
    texts = {"rows>0": 2, "job_type:worker": 1, "has:config.lr": 3}
    wait_for(lambda: [api.get(f"{home}/runs", filter=text, count="true", limit=1).json["count"] for text in texts] == [*texts.values()],
             timeout=60, what="runs that are found")
    return home


def open_columns_while_pressed(page, item):
    """What is known of metrics comes while somebody begins to drag: the item stays until it is let go."""
    held, answered = [], []
    page.route("**/keys?**", lambda route: held.append(route))
    page.get_by_role("button", name="Columns 3").click()
    item.get_by_title("tags", exact=True).hover()
    page.mouse.down()
    item.evaluate("(node) => { node.dataset.pressed = 'yes'; }")
    wait_until(lambda: page.evaluate("true") and held, what="a question for metrics")
    page.on("requestfinished", lambda request: "/keys?" in request.url and answered.append(request))
    asked = [route.continue_() for route in list(held)]
    wait_until(lambda: page.evaluate("true") and len(answered) >= len(asked), what="an answer")
    page.unroute("**/keys?**")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert item.get_attribute("data-pressed") == "yes"
    page.mouse.up()
    wait_until(lambda: item.get_attribute("data-pressed") is None, what="what is chosen, as it is known now")


def test_what_the_dialogs_of_the_list_do(come, told_apart, api, wait_for):
    """
    Conditions by one click and by rows; tags, and what is drawn, of all that are selected; of one its notes, its stop, its own
    tab, its id; columns that are dragged.
    """
    one = come("?q=has:config.lr&sort=name&cols=config.lr,tags,notes", path="/ann/told-apart")
    page = one.page

    def finds(text, *wanted):
        until(page, f"new URLSearchParams(location.search).get('q') === {text!r}")
        wait_until(lambda: names(page) == [*wanted], what=f"{wanted} by {text}")
        found = api.get(f"{told_apart}/runs", filter=text, order="name").json["items"]
        assert [run["display_name"] for run in found] == [*wanted]
    finds("has:config.lr", "it helps", "it trains", "it waits")
    dialog = page.get_by_role("dialog", name="Filter")
    page.get_by_role("button", name="Filter 1").click()
    dialog.get_by_role("button", name="Without workers").click()
    finds("has:config.lr job_type!=worker", "it trains", "it waits")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_role("button", name="Only with data").click()
    finds("has:config.lr job_type!=worker rows>0", "it trains")
    page.go_back()
    finds("has:config.lr job_type!=worker", "it trains", "it waits")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_label("Relation").first.select_option(label="<")
    dialog.get_by_label("Value").first.fill("0.05")
    dialog.get_by_role("button", name="Apply").click()
    finds("config.lr<0.05 job_type!=worker", "it trains")
    page.get_by_role("button", name="Filter 2").click()
    dialog.get_by_role("button", name="Remove").first.click()
    dialog.get_by_role("button", name="Apply").click()
    finds("job_type!=worker", "it trains", "it waits")

    rows = page.locator(".virtual .run-row")
    rows.nth(0).locator(".cell-age").click()
    rows.nth(1).locator(".cell-age").click(modifiers=["Shift"])
    page.get_by_text("2 selected").wait_for()
    assert page.evaluate("getSelection().toString()") == ""
    selected = page.get_by_role("group", name="Selected runs")
    selected.get_by_role("button", name="Tags").click()
    page.get_by_label("Tags to add, one to a line").fill("both\nwaits")
    page.get_by_role("button", name="Save", exact=True).click()
    for name, wanted in ("trains", ["trains", "both", "waits"]), ("waits", ["waits", "both"]):
        row_of(page, f"it {name}").get_by_text("both").wait_for()
        assert api.get(f"{told_apart}/runs/{name}").json["tags"] == wanted
    selected.get_by_role("button", name="Hide").click()
    page.get_by_text("All runs are hidden.").wait_for()
    selected.get_by_role("button", name="Show only").click()
    visualized(page, 2)
    assert query_of(page)["show"] == "picked" and set(query_of(page)["on"].split(",")) == {"trains", "waits"}

    def pick(item):
        row_of(page, "it waits").get_by_role("button", name="Menu of").click()
        page.get_by_role("menuitem", name=item).click()
    pick("Notes")
    page.get_by_role("textbox", name="Notes").fill("when there is time")
    page.get_by_role("button", name="Save", exact=True).click()
    row_of(page, "it waits").get_by_text("when there is time").wait_for()
    assert api.get(f"{told_apart}/runs/waits").json["notes"] == "when there is time"
    pick("Stop")
    page.get_by_role("dialog", name="Stop it waits?").get_by_role("button", name="Stop").click()
    page.get_by_text("it waits is asked to stop.").wait_for()
    assert api.get(f"{told_apart}/runs/waits").json["stop_requested_at"]
    with one.context.expect_page() as opened:
        pick("Open in a new tab")
    opened.value.get_by_role("heading", name="it waits", level=1).wait_for()
    opened.value.close()
    pick("Copy id")
    copied = page.get_by_role("dialog").get_by_role("textbox")
    copied.wait_for()
    assert copied.input_value() == "waits" == page.evaluate("getSelection().toString() || document.activeElement.value")
    page.keyboard.press("Escape")

    chosen = page.get_by_role("list", name="Shown, in this order").get_by_role("listitem")
    open_columns_while_pressed(page, chosen.nth(1))
    chosen.nth(1).get_by_title("tags", exact=True).drag_to(chosen.nth(0).get_by_title("config.lr", exact=True))
    until(page, "new URLSearchParams(location.search).get('cols') === 'tags,config.lr,notes'")
    chosen.nth(0).evaluate("""(item) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.setData('text/plain', 'from elsewhere');
        item.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    }""")
    page.keyboard.press("Escape")
    heads = page.get_by_role("columnheader")
    wait_until(lambda: [words.strip() for words in heads.all_inner_texts()][2:4] == ["tags", "lr"], what="columns as they were put")
    assert query_of(page)["cols"] == "tags,config.lr,notes" and not one.complaints


def test_renamed_tagged_deleted_and_back(come, found, api, wait_for):
    """What is done in the menu is so at the server; what was deleted comes back by Undo."""
    page = come("?q=config.number:450&cols=state").page
    path = f"{PROJECT}/runs/r450"

    def pick(run, item):
        row_of(page, run).get_by_role("button", name="Menu of").click()
        page.get_by_role("menuitem", name=item, exact=True).click()

    pick(body_of(450, random.Random(450))["display_name"], "Rename")
    page.get_by_label("Name", exact=True).fill("renamed <b>")
    page.keyboard.press("Enter")
    row_of(page, "renamed <b>").wait_for()
    assert api.get(path).json["display_name"] == "renamed <b>"
    pick("renamed <b>", "Tags")
    page.get_by_label("Tags, one to a line").fill("keep, always\nnew one")
    page.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["tags"] == ["keep, always", "new one"], what="tags")
    pick("renamed <b>", "Colour")
    dialog = page.get_by_role("dialog", name="Colour of the run")
    assert dialog.get_by_role("group", name="Colours of the theme").get_by_role("button").count() == 24
    assert faults_of(page) == []
    dialog.get_by_role("button", name="Colour 3, dashed").click()
    wait_for(lambda: api.get(path).json["color"] == "slot-10", what="a colour")
    row_of(page, "renamed <b>").locator(".swatch i.dash[style*='--s3']").wait_for()
    pick("renamed <b>", "Colour")
    assert dialog.get_by_role("button", name="Colour 3, dashed").get_attribute("aria-pressed") == "true"
    dialog.get_by_role("button", name="Save", exact=True).click()
    dialog.wait_for(state="detached")
    assert api.get(path).json["color"] == "slot-10", "nothing was changed"
    pick("renamed <b>", "Colour")
    dialog.get_by_label("Its line").select_option(label="Dotted")
    dialog.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["color"] == "slot-18", what="the hue that it has, dotted")
    row_of(page, "renamed <b>").locator(".swatch i.dot[style*='--s3']").wait_for()
    pick("renamed <b>", "Colour")
    dialog.get_by_label("A colour of your own").fill("#123456")
    dialog.get_by_label("Its line").select_option(label="Dotted")
    dialog.get_by_role("button", name="Save", exact=True).click()
    wait_for(lambda: api.get(path).json["color"] == "#123456-dot", what="a colour of its own")
    row_of(page, "renamed <b>").locator(".swatch i.dot").wait_for()
    pick("renamed <b>", "Colour")
    dialog.get_by_role("button", name="Back to what it was given").click()
    wait_for(lambda: api.get(path).json["color"] is None, what="the colour that it was given")
    pick("renamed <b>", "Delete")
    dialog = page.get_by_role("dialog", name="Delete renamed <b>?")
    assert api.get(PROJECT).json["grace_s"] == 7 * 86400
    dialog.get_by_text(re.compile(r"^Can be restored until \d.+ \(7 d\), in the settings of llm-pretrain\.$")).wait_for()
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    page.get_by_text("No run matches.").wait_for()
    assert api.request("GET", path).status == 410
    page.get_by_role("button", name="Undo").click()
    row_of(page, "renamed <b>").wait_for()
    assert api.get(path).status == 200


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
    undo("run b").click()
    page.locator(".toast").get_by_text("Restored 1 run").wait_for()
    undo("run a").click()
    for name in "a", "b":
        row_of(page, f"run {name}").wait_for()
        assert api.get(f"/api/v1/projects/ann/two-undos/runs/{name}").status == 200


def test_many_are_deleted_by_the_name_of_the_project(come, found, api):
    page = come("?q=config.number>=440 config.number<443").page
    head(page, "Runs 3")
    rows = page.locator(".virtual .run-row")
    rows.nth(0).locator(".cell-age").click()
    rows.nth(2).locator(".cell-age").click(modifiers=["Shift"])
    page.get_by_text("3 selected").wait_for()
    page.get_by_role("group", name="Selected runs").get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog", name="Delete 3 runs?")
    assert dialog.get_by_role("button", name="Delete").is_disabled()
    dialog.get_by_role("textbox").fill("llm-pretrain")
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    page.get_by_text("No run matches.").wait_for()
    page.get_by_role("button", name="Undo").click()
    head(page, "Runs 3")


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
    assert names(page) == [name.strip() for name in HOSTILE]
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
    said = page.locator(".split-page > [aria-live=polite]")
    heard = set()

    def all_is_said():
        """Together, or the second as soon as something may be said again."""
        heard.update(said.text_content().split(", "))
        return {"1 run failed", "1 new run"} <= heard
    wait_for(all_is_said, timeout=30, what="what came is said")
    assert heard - {""} == {"1 run failed", "1 new run"}


def test_a_click_on_what_is_drawn_anew(come, found, api):
    """Nothing is lost of a click when the row changes between its press and its end, nor what is open of a list read anew."""
    page = come("?group=config.arch&q=config.number>=480").page
    page.get_by_text("3 groups · 20 runs").wait_for()
    group = page.get_by_role("row").filter(has_text="dense-1b")
    group.click()
    run = page.locator(".run-row.inner").first
    run.wait_for()
    place, path = run.bounding_box(), f"{PROJECT}/runs/{run.get_attribute('data-run')}"
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
    page.get_by_role("columnheader", name="Started").get_by_role("button").click()
    page.locator("[aria-sort=ascending]").wait_for()
    run.wait_for()
    assert group.get_attribute("aria-expanded") == "true"


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


@pytest.mark.parametrize("size, scheme", LOOKS)
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


def visualized(page, count):
    """Its name begins with what it shows: who speaks to the page says what they see."""
    page.get_by_role("button", name=re.compile(f"^{count} visualized: how many")).wait_for()


def test_a_long_address(come, found, api, screen):
    """Hundreds of runs that a hand picked: the address stays short, and says the same to who gets it, and after going back."""
    ids = [f"r{number:03}" for number in range(RUNS)]
    one = come(f"?q=config.number%3E=0&on={','.join(ids[:450])}&show=picked")
    page = one.page
    visualized(page, 450)
    page.get_by_role("button", name="Show ", exact=False).nth(3).click()
    visualized(page, 451)
    first = copied_by(page)
    assert len(first) < 200
    page.get_by_role("columnheader", name="eval/loss").get_by_role("button").click()
    until(page, f"location.href === '{first}&sort=-summary.eval/loss'")
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
    colleague, stranger = come(first[first.index("?"):]), screen()
    api.patch(PROJECT, {"visibility": "public"})
    stranger.page.goto(first)
    for other in colleague, stranger:
        visualized(other.page, 451)
        other.page.get_by_role("button", name="How many runs the charts draw").click()
        other.page.get_by_role("menuitem", name="Forget").click()
        until(other.page, "new URLSearchParams(location.search).get('q') === 'config.number>=0'")
        visualized(other.page, 0)
        assert not other.complaints
    api.patch(PROJECT, {"visibility": "private"})
    assert not one.complaints
    page.goto(f"{one.base}/ann/llm-pretrain?view=~gone1234&q=config.number<30")
    page.get_by_text("What this address stood for is kept no more").wait_for()
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
            dialog.get_by_role("alert").filter(has_text="A view of ann/views-from-elsewhere is called Losses already").wait_for()
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
