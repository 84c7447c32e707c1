"""What a team does all day in the list of runs: read names and numbers, find the best run, filter, and select many."""
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

HOME = "/api/v1/projects/ann/digits-mlp"
WIDE = {"viewport": {"width": 1440, "height": 900}}
DEFINED = [{"1": "val/loss", "7": [1]}, {"1": "val/acc", "7": [2]}]
# Whether all of what an element shows is in its own box and in those around it, up to the list.
WHOLE = """(node) => {
    if (!node.isConnected) return null;
    const box = node.getBoundingClientRect();
    const text = document.createRange();
    text.selectNodeContents(node);
    const all = [...text.getClientRects()];
    for (let one = node; !one.classList.contains('run-list'); one = one.parentElement) {
        const { left, right } = one.getBoundingClientRect();
        if (all.some((rect) => rect.left < left - 1 || rect.right > right + 1)) return false;
    }
    return box.width > 0;
}"""


@pytest.fixture(scope="module")
def digits(api):
    """18 runs of three hands of names, whose learning rates are equal in each group; one run defines no metric."""
    number = 0
    for width in "128x64", "32":
        for lr in "1e-2", "1e-3", "1e-4":
            for seed in range(3):
                run = Run(api, f"r{number:02}", HOME)
                api.patch(run.path, {"display_name": f"mlp-{width}-lr{lr}-s{seed}", "tags": ["sweep"] if seed else ["base line", "sweep"]})
                loss = 0.1 + number / 1000
                run.join("w").send(history=[{"val/loss": loss + 1, "val/acc": 0.5}, {"val/loss": loss, "val/acc": 0.9 - number / 100}],
                                   config={"optim": {"lr": float(lr)}, "data": {"n_val": 360}, "_wandb": {"m": DEFINED}})
                if not number:
                    run.join("w2")
                number += 1
    plain = Run(api, "plain", HOME)
    api.patch(plain.path, {"display_name": "running-now"})
    plain.join("w").send(history=[{"val/loss": 0.5, "score": 3}], config={"optim": {"lr": 1e-3}})
    wait_until(lambda: api.get(f"{HOME}/runs", filter="has:summary.val/loss has:config.optim.lr", count="true", limit=1).json["count"] == 19,
               what="19 runs that are found")
    wait_until(lambda: {"summary.val/loss", "summary.val/acc", "config.data.n_val"} <= {one["field"] for one in api.get(f"{HOME}/fields").json["items"]},
               what="their keys")
    return api


@pytest.fixture
def at(come, digits):
    def at(query="", path="/ann/digits-mlp"):
        return come(query, path=path, **WIDE)
    return at


def is_whole(shown):
    """A row may be drawn anew between its being found and looked at: then it is found again."""
    while (answer := shown.evaluate(WHOLE)) is None:
        pass
    return answer


def shown_parts(link):
    """The letters of a name that are seen, by their places: parts that are cut end with …"""
    return link.evaluate("""(link) => [...link.querySelectorAll('bdi')].map((part) => {
        const [text, shown] = [part.textContent, part.getBoundingClientRect()];
        const range = document.createRange();
        let seen = '';
        for (let at = 0; at < text.length; at++) {
            range.setStart(part.firstChild, at);
            range.setEnd(part.firstChild, at + 1);
            if (range.getBoundingClientRect().right <= shown.right + 0.6) seen += text[at];
        }
        return [text, seen, part.scrollWidth > part.clientWidth && part.clientWidth > 0];
    })""")


@pytest.mark.long
def test_a_name_with_room_is_whole(at):
    """In the table no name is cut; in the pane only what all names begin with, never where they differ."""
    one = at(path="/ann/digits-mlp/table")
    page = one.page
    link = page.get_by_role("link", name="mlp-128x64-lr1e-2-s2", exact=True)
    link.wait_for()
    for name in names(page):
        assert is_whole(row_of(page, name).locator(".cell-name a")), name
        assert not any(cut for _, _, cut in shown_parts(row_of(page, name).locator(".cell-name a"))), name
    page.goto(f"{one.base}/ann/digits-mlp?cols=config.optim.lr,summary.val/loss")
    link.wait_for()
    for name in names(page):
        parts = shown_parts(row_of(page, name).locator(".cell-name a"))
        seen = "".join(text for _, text, _ in parts)
        assert name.endswith(seen[-9:]), name
        if name.startswith("mlp-128"):
            assert "128x64-lr" in "".join(text for whole, text, _ in parts if whole != "mlp-"), parts
        else:
            assert not any(cut for _, _, cut in parts), name
    assert not one.complaints and faults_of(page) == []


MENU = "(row) => row.querySelector('.cell-more').getBoundingClientRect().left"


@pytest.mark.long
def test_names_take_what_numbers_do_not_need(at):
    """Columns are as wide as their numbers before a name is cut, and the number of writers gives way, too."""
    one = at("?cols=summary.val/loss,summary.val/acc,config.optim.lr")
    page = one.page
    first = row_of(page, "mlp-128x64-lr1e-2-s0")
    wait_until(lambda: not any(cut for _, _, cut in shown_parts(first.locator(".cell-name a"))), what="a whole name")
    first.get_by_text("×2", exact=True).wait_for()
    for name in names(page):
        row = row_of(page, name)
        assert is_whole(row.locator(".cell-name a")), name
        assert not any(cut for _, _, cut in shown_parts(row.locator(".cell-name a"))), name
        assert all(is_whole(cell.locator("span").first) for cell in row.locator(".cell-col").all()), name
    last = first.locator(".cell-col").last.bounding_box()
    assert abs(last["x"] + last["width"] - first.evaluate(MENU)) < 2, "nothing is empty between the numbers and the menu"
    page.goto(f"{one.base}/ann/digits-mlp?group=config.optim.lr&cols=summary.val/loss,config.optim.lr")
    page.locator(".run-row.group").filter(has_text="0.01").first.click()
    wait_until(lambda: "mlp-128x64-lr1e-2-s0" in names(page), what="runs of the group")
    for name in [one for one in names(page) if one.startswith("mlp")]:
        assert not any(cut for _, _, cut in shown_parts(row_of(page, name).locator(".cell-name a"))), name
    page.goto(f"{one.base}/ann/digits-mlp?cols=summary.val/loss,summary.val/acc,config.optim.lr,config.data.n_val")
    first.get_by_role("link").and_(page.locator("[title$='2 writers']")).wait_for()
    assert first.get_by_text("×2", exact=True).count() == 0, "the name needs its room"
    assert not one.complaints and faults_of(page) == []


@pytest.mark.long
def test_numbers_of_groups_stay_in_their_columns(at):
    """Equal values have no deviation, and no cell reaches into the next one; a mean of some of the runs says so."""
    one = at("?group=config.optim.lr&cols=summary.val/loss,config.optim.lr,summary.score")
    page = one.page
    groups = page.locator(".run-row.group")
    wait_until(lambda: groups.count() == 3, what="three groups")
    rates = groups.locator(".cell-col:nth-of-type(4)")
    wait_until(lambda: sorted(rates.all_inner_texts()) == ["0.0001", "0.001", "0.01"], what="rates without a deviation")
    losses = groups.locator(".cell-col:nth-of-type(3)")
    wait_until(lambda: all(re.fullmatch(r"0\.\d+ ± 0\.\d+", " ".join(text.split())) for text in losses.all_inner_texts()), what="means")
    for cell in groups.locator(".cell-col").all():
        assert cell.locator("span").count() == 0 or is_whole(cell.locator("span").first), cell.inner_text()
    groups.filter(has_text="7").get_by_title(re.compile(r"mean of 1 of 7 runs$")).wait_for()
    part = groups.filter(has_text="7").locator(".cell-col").nth(2)
    part.get_by_text("1/7", exact=True).wait_for()
    assert is_whole(part.get_by_text("1/7", exact=True)) and groups.get_by_text("1/7", exact=True).count() == 1
    pane = page.locator(".run-list").bounding_box()
    last = groups.first.locator(".cell-col").nth(1).bounding_box()
    assert last["x"] + last["width"] <= pane["x"] + pane["width"] + 1
    assert not one.complaints


@pytest.mark.long
def test_a_list_next_to_a_run_cuts_no_number(at):
    """It has as many columns as there is room for."""
    page = at().page
    page.get_by_role("link", name="mlp-128x64-lr1e-3-s0", exact=True).click()
    page.locator(".run-head").wait_for()
    page.keyboard.press("[")
    aside = page.locator(".runs.aside")
    row = aside.get_by_role("row").filter(has=page.get_by_role("link", name="mlp-128x64-lr1e-2-s2", exact=True))
    row.locator(".cell-col").first.wait_for()
    wait_until(lambda: aside.locator(".virtual .run-row").count() == 19, what="all rows")
    cells = aside.evaluate(f"""(aside) => [...aside.querySelectorAll('.virtual .run-row')].flatMap((row) => {{
        const [pane, menu] = [aside.querySelector('.run-list'), row.querySelector('.cell-more')].map((one) => one.getBoundingClientRect());
        const shown = [...row.querySelectorAll('.cell-col, .cell-age')].filter((one) => one.offsetWidth);
        return shown.map((cell) => [cell.textContent, cell.getBoundingClientRect().left >= pane.left
            && cell.getBoundingClientRect().right <= menu.left + 1, ({WHOLE})(cell.querySelector('span, time'))]);
    }})""")
    assert len(cells) >= 19 and [cell for cell in cells if not all(cell[1:])] == []
    assert not any(cut for _, _, cut in shown_parts(row.locator(".cell-name a"))), "there is room for the name"
    assert row.locator(".cell-col").all_inner_texts()[0].strip() == "0.102"


def column(page, key):
    return page.locator(f"[data-column='{key}']").get_by_role("button")


@pytest.mark.long
def test_the_first_click_sorts_the_best_first(at, digits):
    """By what the programs defined, by what the project says, and by the name of the metric."""
    one = at("?cols=summary.val/loss,summary.val/acc,config.optim.lr,summary.score")
    page = one.page

    def click(key, sort, first):
        column(page, key).click()
        wait_until(lambda: query_of(page).get("sort") == sort and names(page)[:1] == [first], what=f"{sort} with {first} first")
    click("summary.val/loss", "summary.val/loss", "mlp-128x64-lr1e-2-s0")
    click("summary.val/loss", "-summary.val/loss", "running-now")
    click("summary.val/acc", "-summary.val/acc", "mlp-128x64-lr1e-2-s0")
    click("summary.score", "-summary.score", "running-now")
    try:
        digits.patch(HOME, {"directions": [{"key": "val/acc", "better": "lower"}]})
        page.goto(f"{one.base}/ann/digits-mlp?cols=summary.val/acc")
        click("summary.val/acc", "summary.val/acc", "mlp-32-lr1e-4-s2")
    finally:
        digits.patch(HOME, {"directions": []})
    assert not one.complaints


def box_of(page):
    return page.get_by_role("combobox", name="Filter runs")


@pytest.mark.long
def test_a_picked_suggestion_goes_on_to_a_filter(at):
    """Metrics are offered before configs; what follows a picked key is understood; Esc leaves the field."""
    one = at()
    page = one.page
    page.get_by_role("columnheader", name="val/loss").wait_for()
    page.keyboard.press("/")
    page.keyboard.type("val")
    offered = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    offered.get_by_text("config.data.n_val", exact=True).wait_for()
    keys = offered.all_inner_texts()
    assert keys[0].startswith("summary.val/") and keys[-1] == "config.data.n_val"
    tops = [option.bounding_box()["y"] for option in offered.all()]
    assert tops == sorted(tops) and tops[0] > box_of(page).bounding_box()["y"]
    while offered.and_(page.locator("[aria-selected=true]")).all_inner_texts() != ["summary.val/loss"]:
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert box_of(page).input_value() == "summary.val/loss:"
    page.keyboard.type("<0.103")
    assert box_of(page).input_value() == "summary.val/loss<0.103"
    wait_until(lambda: query_of(page).get("q") == "summary.val/loss<0.103" and len(names(page)) == 3, what="three runs")
    assert page.locator(".filter-fault").inner_text() == "" and not one.complaints
    page.keyboard.press("Enter")
    for _ in "the suggestions", "the field":
        page.keyboard.press("Escape")
    wait_until(lambda: page.evaluate("document.activeElement.getAttribute('role')") == "row", what="the focus in the list")
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()
    assert box_of(page).input_value() == "summary.val/loss<0.103"


@pytest.mark.long
def test_each_suggestion_is_a_filter_that_is_understood(at, digits):
    """Whatever key is picked, with the value that is offered first for it."""
    one = at()
    page = one.page
    page.get_by_role("columnheader", name="val/loss").wait_for()
    for typed in "state", "tags", "optim.lr", "val/acc", "n_val", "created", "writers", "name", "duration":
        box_of(page).fill("")
        box_of(page).press_sequentially(typed)
        page.get_by_role("option").first.wait_for()
        box_of(page).press("ArrowDown")
        box_of(page).press("Enter")
        wait_until(lambda: box_of(page).input_value().endswith(":"), what=f"a key of {typed}")
        key = box_of(page).input_value()
        value = page.get_by_role("option").first
        if key == "created_at:":
            box_of(page).press_sequentially('>"2026-01-01T00:00:00Z"')
        elif key == "duration:":
            box_of(page).press_sequentially(">=0")
        else:
            value.wait_for()
            box_of(page).press("ArrowDown")
        box_of(page).press("Enter")
        wait_until(lambda key=key: query_of(page).get("q", "").startswith(key[:-1]), what=f"a filter by {key}")
        answer = digits.get(f"{HOME}/runs", filter=query_of(page)["q"])
        assert answer.status == 200, query_of(page)["q"]
        assert page.locator(".filter-fault").inner_text() == ""
    assert not one.complaints


def test_what_is_wrong_in_a_filter_is_said_plainly(at):
    """With the key that may be meant as a button, of the filter and of what the list is sorted by."""
    one = at()
    page = one.page
    page.get_by_role("columnheader", name="val/loss").wait_for()
    box_of(page).fill("config.optim.lr:0.001 val/los<0.2")
    box_of(page).press("Enter")
    fault = page.get_by_role("alert").filter(has_text="Unknown key")
    fault.get_by_text('Unknown key "val/los".').wait_for()
    assert page.locator(".mirror u").inner_text() == "val/los"
    meant = fault.get_by_role("button", name="Did you mean summary.val/loss?")
    low, field = meant.bounding_box(), page.locator(".query").bounding_box()
    assert low["y"] >= field["y"] + field["height"] - 1 and low["x"] + low["width"] <= field["x"] + field["width"]
    assert faults_of(page) == []
    meant.click()
    wait_until(lambda: query_of(page).get("q") == "config.optim.lr:0.001 summary.val/loss<0.2" and len(names(page)) == 6, what="six runs")
    fault.wait_for(state="detached")
    box_of(page).fill("state:")
    box_of(page).press("Enter")
    page.get_by_role("alert").get_by_text("Expected a value.", exact=True).wait_for()
    page.goto(f"{one.base}/ann/digits-mlp?sort=val/los")
    page.locator(".runs-state").get_by_role("button", name="Did you mean summary.val/loss?").click()
    wait_until(lambda: query_of(page).get("sort") == "summary.val/loss" and names(page)[:1] == ["mlp-128x64-lr1e-2-s0"], what="sorted runs")


def selected(page):
    return sorted(page.locator(".virtual .run-row[aria-selected=true] .cell-name a").evaluate_all("all => all.map((one) => one.title)"))


@pytest.mark.long
def test_checkboxes_of_rows(at):
    """One by one, by ranges with Shift, all by that of the head; by keys as in mail programs; what is checked is marked."""
    one = at("?sort=name")
    page = one.page
    wait_until(lambda: len(names(page)) == page.locator(".virtual .run-row").count() == 19, what="all runs")
    shown = names(page)
    boxes = page.get_by_role("checkbox", name=re.compile("^Select (?!all)"))
    off = page.locator(".virtual .run-row").evaluate_all("""(rows) => rows.map((row) => {
        const [own, box] = [row, row.querySelector('input')].map((one) => one.getBoundingClientRect());
        return [box.left - own.left, Math.abs(box.top + box.height / 2 - own.top - own.height / 2)];
    })""")
    assert all(0 <= left < 12 and height <= 2 for left, height in off) and len(off) == boxes.count() == 19
    boxes.nth(1).click()
    boxes.nth(4).click(modifiers=["Shift"])
    page.get_by_text("4 selected").wait_for()
    assert selected(page) == shown[1:5] and [box.is_checked() for box in boxes.all()] == [0 < at < 5 for at in range(19)]
    boxes.nth(3).click()
    boxes.nth(1).click(modifiers=["Shift"])
    page.get_by_text("1 selected").wait_for()
    assert selected(page) == [shown[4]]
    every = page.locator(".list-head").get_by_role("checkbox")
    assert every.evaluate("(node) => node.indeterminate") and faults_of(page) == []
    every.click()
    page.get_by_text("1 selected").wait_for(state="detached")
    page.get_by_role("checkbox", name="Select all listed").click()
    page.get_by_text("19 selected").wait_for()
    every.click()
    page.get_by_text("19 selected").wait_for(state="detached")
    page.locator(".virtual .run-row[tabindex='0']").focus()
    page.keyboard.press("Home")
    for key in "ArrowDown", "ArrowDown", "Space":
        page.keyboard.press(key)
    for _ in range(3):
        page.keyboard.press("Shift+ArrowDown")
    page.get_by_text("4 selected").wait_for()
    page.keyboard.press("Shift+ArrowUp")
    page.get_by_text("3 selected").wait_for()
    assert selected(page) == shown[2:5]
    page.keyboard.press("Control+a")
    page.get_by_text("19 selected").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("19 selected").wait_for(state="detached")
    page.locator(".virtual .run-row").nth(5).locator(".cell-age").click()
    page.locator(".virtual .run-row").nth(7).locator(".cell-age").click(modifiers=["Shift"])
    page.get_by_text("3 selected").wait_for()
    assert boxes.nth(6).is_checked() and not one.complaints


@pytest.mark.long
def test_tags_are_suggested_and_enter_saves(at, digits):
    one = at("?cols=tags&sort=name")
    page = one.page
    row_of(page, "running-now").get_by_role("button", name="Menu of").click()
    page.get_by_role("menuitem", name="Tags").click()
    dialog = page.get_by_role("dialog", name="Tags")
    dialog.get_by_label("Tags (one per line)").fill("base")
    offers = dialog.get_by_role("group", name="Tags of the project").get_by_role("button")
    wait_until(lambda: offers.all_inner_texts() == ["base line"], what="what begins so")
    below, area = offers.first.bounding_box(), dialog.get_by_role("textbox").bounding_box()
    assert below["y"] >= area["y"] + area["height"] and faults_of(page) == []
    offers.first.click()
    page.keyboard.type("by hand")
    page.keyboard.press("Enter")
    dialog.wait_for(state="detached")
    row_of(page, "running-now").get_by_text("base line, by hand").wait_for()
    assert digits.get(f"{HOME}/runs/plain").json["tags"] == ["base line", "by hand"] and not one.complaints
