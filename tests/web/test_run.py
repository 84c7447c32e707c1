"""The page of a run in a real browser: what changes while it is looked at, what people do; hostile names; a phone."""
import json
import re
import time

import pytest

from browsing import NARROW_LOOK, SIZES, address, faults_of, goto, region, set_password, sign_in
from rest import Api
from runs import Run
from test_pages import ODD

STATE_LOOK = """badge => ({ color: getComputedStyle(badge).color, shape: badge.querySelector('svg').innerHTML })"""
EVIL = "</td><script>document.title = 'stolen'</script>\u202e\u05d0\U0001f9ea"


@pytest.fixture
def run(api, home):
    """A run of one process with a config, a summary and lines."""
    made = Run(api, "r1", home)
    made.writer = made.join("rank0", host="node7")
    made.writer.send(history=[{"loss": 2.5}, {"loss": 0.5}], config={"lr": 0.01, "model": {"arch": "moe", "layers": [2, 4]}},
                     console=[{"line": 0, "stream": "stderr", "text": "Traceback \x1b[31mof it\x1b[0m"}])
    return made


def pick(page, item):
    page.get_by_role("button", name="More: rename").click()
    page.get_by_role("menuitem", name=item).click()


# ---- what changes ----------------------------------------------------------------------------------


def test_changes_are_seen(screen, base, run):
    """Rows, by the summary, where what is open stays so; a writer that joins, and the end of the run. Nobody reloads."""
    run.writer.send(history=[{"said": "long " * 40}])
    page = screen().page
    goto(page, base, run)
    said = region(page, "Summary").locator("details.long")
    said.locator("summary").click()
    run.writer.send(history=[{"loss": 0.125}])
    region(page, "Summary").get_by_role("row", name="loss 0.125").wait_for()
    assert said.get_attribute("open") is not None
    assert said.locator("summary").evaluate("(node) => node === document.activeElement")
    second = run.join("rank1", "worker")
    region(page, "Writers").get_by_role("row", name=re.compile("^rank1 worker")).wait_for()
    second.finish()
    run.writer.finish()
    page.locator(".run-head").get_by_text("finished").wait_for()
    page.locator(".run-page > [aria-live=polite]").get_by_text("The state of the run: finished.").wait_for(state="attached")


def test_the_end_of_a_job_has_a_reason(screen, base, run):
    """Which job it was; that it is about to be preempted, that it was, and that the next one ran out of time."""
    slurm = {"job_id": "127", "array_job_id": "123", "array_task_id": "4", "nnodes": "2", "job_start_time": "1700000000",
             "job_end_time": "1700014400", "restart_count": "1"}
    run.api.put(f"{run.path}/files/wandb-metadata.json", json.dumps({"slurm": slurm}).encode(), content_type=None)
    page = screen().page
    goto(page, base, run)
    head, facts = page.locator(".run-head"), region(page, "Facts")
    facts.get_by_text("123_4, 2 nodes, time limit 4 h, requeued 1 time").wait_for()

    def end(state, reason):
        run.api.post(f"{run.path}/finish", {"writer": "rank0", "session": run.writer.session, "state": state, "reason": reason})
        head.locator(".state").get_by_text(state, exact=True).wait_for()
        head.get_by_text(reason, exact=True).wait_for()
        facts.get_by_text(f"{state}: {reason}").wait_for()

    run.writer.send(preempting=True)
    head.locator(".state").get_by_text("preempting", exact=True).wait_for()
    end("preempted", "preempted by Slurm")
    run.writer.join()
    head.locator(".state").get_by_text("running", exact=True).wait_for()
    assert head.locator(".end-reason").count() == 0
    end("crashed", "time limit of the Slurm job")


def test_what_is_being_clicked_stays(screen, base, run):
    """While rows come: a link that is pressed is the one that is let go, and a table is scrolled as it was."""
    page = screen(viewport=SIZES["narrow"]).page
    goto(page, base, run)
    page.reload()
    summary, card = region(page, "Summary"), region(page, "Writers")
    summary.get_by_role("row", name="loss 0.5").wait_for()
    table = card.locator(".table-wrap")
    table.evaluate("one => { one.scrollLeft = 60; one.focus(); }")
    run.writer.send(history=[{"loss": 0.25}])
    summary.get_by_role("row", name="loss 0.25").wait_for()
    card.get_by_role("cell", name="3", exact=True).first.wait_for()
    assert table.evaluate("one => [one.scrollLeft, one === document.activeElement]") == [60, True]
    card.get_by_role("link", name="All writers").hover()
    page.mouse.down()
    run.writer.send(history=[{"loss": 0.125}])
    summary.get_by_role("row", name="loss 0.125").wait_for()
    page.mouse.up()
    page.wait_for_url("**/runs/r1/writers")


# ---- what people do --------------------------------------------------------------------------------


def test_rename_tags_and_notes(screen, base, run):
    page = screen().page
    goto(page, base, run)
    page.get_by_role("heading", level=1).get_by_role("button").click()
    page.get_by_label("Name", exact=True).fill("another name")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="another name").wait_for()
    pick(page, "Tags")
    page.get_by_label("Tags (one per line)").fill("moe\n\nlr sweep\nmoe")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("link", name="lr sweep").wait_for()
    pick(page, "Edit the notes")
    page.get_by_label("Notes", exact=True).last.fill("# Plan\n- **one**\n- [docs](https://a.example/x)\n- [no](javascript:alert(1))")
    page.keyboard.press("Control+Enter")
    notes = page.get_by_role("region", name="Notes")
    notes.get_by_role("heading", name="Plan").wait_for()
    assert notes.get_by_role("link").all_inner_texts() == ["docs"]
    after = run.get()
    assert (after["display_name"], after["tags"], after["notes"][:6]) == ("another name", ["moe", "lr sweep"], "# Plan")


@pytest.fixture(scope="module")
def team(shared_place, secret_file, tmp_path_factory):
    """Mel of the team has a password, as bob has."""
    set_password(shared_place.db, secret_file, tmp_path_factory.mktemp("password"), "mel")


@pytest.fixture
def two(screen, base, server, keys, team, home):
    """open(tab): bob's and mel's page of a run of their team, each in a browser of its own; and the run, as REST has it for mel."""
    path = home.replace("/ann/", "/lab/")
    api = Api(server, keys["mel"])
    api.put(f"{path}/runs/r1", {"notes": "# Plan\nof both", "tags": ["first"]})

    def open_pages(tab="overview"):
        made = []
        for name in "bob", "mel":
            one = screen()
            sign_in(one.page, f"{base}/lab/{path.split('/')[5]}{tab}", name)
            made.append(one)
        return made
    yield open_pages, api, f"{path}/runs/r1"
    api.close()


def edit_notes(page, words):
    pick(page, "Edit the notes")
    area = region(page, "Notes").get_by_label("Notes", exact=True).last
    area.fill(words)
    return area


def test_two_who_edit_the_notes(two):
    """The second is told while typing, and sees both before anything is written over; of what is saved twice one is sent."""
    open_pages, api, path = two
    first, second = open_pages("/runs/r1/overview")
    area = edit_notes(second.page, "# Plan\nof mel")
    edit_notes(first.page, "# Plan\nof bob")
    patches = []
    first.page.on("request", lambda asked: patches.append(asked) if asked.method == "PATCH" else None)
    first.page.keyboard.press("Control+Enter")
    first.page.keyboard.press("Control+Enter")
    region(first.page, "Notes").get_by_text("of bob").wait_for()
    assert len(patches) == 1
    region(second.page, "Notes").get_by_text("Another user has changed the notes since you began.").wait_for()
    asked = second.page.get_by_role("dialog", name="Another user changed it")
    area.press("Control+Enter")
    asked.get_by_text("The run was edited last by bob, at").wait_for()
    assert asked.locator(".diff .gone").all_inner_texts() == ["- of bob"]
    assert asked.locator(".diff .added").all_inner_texts() == ["+ of mel"]
    assert api.get(path)["notes"] == "# Plan\nof bob"
    for scheme in "light", "dark":
        second.page.emulate_media(color_scheme=scheme)
        assert faults_of(second.page) == []
    asked.get_by_role("button", name="Go on editing").click()
    assert area.input_value() == "# Plan\nof mel"
    area.press("Control+Enter")
    asked.get_by_role("button", name="Save mine over theirs").click()
    region(second.page, "Notes").get_by_text("of mel").wait_for()
    region(first.page, "Notes").get_by_text("of mel").wait_for()
    assert (api.get(path)["notes"], api.get(path)["edited"]["user"]) == ("# Plan\nof mel", "mel")

    edit_notes(first.page, "not to be").press("End")
    api.patch(path, {"notes": "by the program"})
    first.page.keyboard.press("Control+Enter")
    first.page.get_by_role("dialog", name="Another user changed it").get_by_role("button", name="Take theirs").click()
    region(first.page, "Notes").get_by_text("by the program").wait_for()
    assert api.get(path)["notes"] == "by the program"
    api.patch(path, {"group": "g"})
    edit_notes(first.page, "of bob").press("Control+Enter")
    region(first.page, "Notes").get_by_text("of bob").wait_for()
    assert not [words for one in (first, second) for words in one.complaints if "412" not in words and "401" not in words]


@pytest.mark.long
def test_two_who_tag_a_run(two):
    """In dialogs that both opened before, each adds one and takes one off, and so they do by its settings."""
    open_pages, api, path = two
    api.patch(path, {"tags": ["first", "second", "third"]})
    pages = [one.page for one in open_pages("/runs/r1/overview")]
    for page in pages:
        pick(page, "Tags")
    for page, tags in zip(pages, ("first\nsecond\nof bob", "second\nthird\nof mel")):
        page.get_by_label("Tags (one per line)").fill(tags)
        page.get_by_role("button", name="Save").click()
        page.get_by_role("dialog").wait_for(state="detached")
    assert api.get(path)["tags"] == ["second", "of bob", "of mel"]
    for page in pages:
        page.get_by_role("link", name="Settings").last.click()
        region(page, "The run").get_by_label("Tags", exact=True).wait_for()
    for page, more in zip(pages, ("by settings", "by others")):
        area = region(page, "The run").get_by_label("Tags", exact=True)
        area.fill(f"{area.input_value()}\n{more}")
        region(page, "The run").get_by_role("button", name="Save").click()
        region(page, "The run").get_by_role("status").filter(has_text="Saved").wait_for()
    assert api.get(path)["tags"] == ["second", "of bob", "of mel", "by settings", "by others"]


@pytest.mark.long
def test_two_who_have_the_settings_of_a_run_open(two):
    """What both changed is shown to the second, who says which it is; the rest of the form goes along."""
    open_pages, api, path = two
    first, second = (one.page for one in open_pages("/runs/r1/settings"))
    for page in first, second:
        region(page, "The run").get_by_role("button", name="Save").wait_for()

    def save(page, **fields):
        for label, value in fields.items():
            region(page, "The run").get_by_label(label, exact=True).fill(value)
        region(page, "The run").get_by_role("button", name="Save").click()
    save(first, Name="of bob", Group="g1", Notes="of bob")
    region(first, "The run").get_by_role("status").filter(has_text="Saved").wait_for()
    save(second, Group="g2", Notes="of mel", Tags="of mel")
    asked = second.get_by_role("dialog", name="Another user changed it")
    asked.get_by_role("heading", name="Group").wait_for()
    assert asked.locator(".diff").all_inner_texts() == ["- g1\n+ g2", "- of bob\n+ of mel"]
    asked.get_by_role("button", name="Take theirs").click()
    assert region(second, "The run").get_by_label("Group").input_value() == "g1"
    save(second, Group="g3")
    region(second, "The run").get_by_role("status").filter(has_text="Saved").wait_for()
    now = api.get(path)
    assert (now["display_name"], now["group"], now["notes"], now["tags"]) == ("of bob", "g3", "of bob", ["of mel"])


@pytest.mark.long
def test_notes_in_the_list_that_somebody_changed(two):
    """They are read when they are opened, and again before they are saved."""
    open_pages, api, path = two
    first, second = (one.page for one in open_pages(""))
    for page in first, second:
        page.locator(".virtual .run-row").get_by_role("button", name="Menu of").click()
        page.get_by_role("menuitem", name="Notes").click()
        page.get_by_role("textbox", name="Notes").wait_for()
    first.get_by_role("textbox", name="Notes").fill("of bob")
    first.get_by_role("button", name="Save", exact=True).click()
    first.get_by_role("dialog").wait_for(state="detached")
    second.get_by_role("textbox", name="Notes").fill("of mel")
    second.get_by_role("button", name="Save", exact=True).click()
    asked = second.get_by_role("dialog", name="Another user changed it")
    asked.get_by_role("button", name="Go on editing").click()
    assert (api.get(path)["notes"], second.get_by_role("textbox", name="Notes").input_value()) == ("of bob", "of mel")
    second.get_by_role("button", name="Save", exact=True).click()
    asked.get_by_role("button", name="Save mine over theirs").click()
    second.get_by_role("dialog").wait_for(state="detached")
    assert api.get(path)["notes"] == "of mel"


def test_its_settings(screen, base, run, api):
    """All that people say of it, saved in one go; what the program says meanwhile stays; a wrong field is told where it is."""
    one = screen()
    page = one.page
    goto(page, base, run, "settings")
    one.complaints.clear()  # that who is not signed in sees nothing
    form = region(page, "The run")
    assert form.get_by_label("Group").input_value() == ""
    run.api.patch(run.path, {"job_type": "by-the-program"})
    for label, value in (("Name", ODD), ("Tags", "one\n two \none"), ("Group", "g1"), ("Notes", "# hello")):
        form.get_by_label(label, exact=True).fill(value)
    form.get_by_label("Visible to").select_option("private")
    form.get_by_label("Expected writers").fill("many")
    form.get_by_role("button", name="Save").click()
    form.get_by_text("Enter a whole number from 1 to 16384, or leave it empty.").wait_for()
    form.get_by_label("Expected writers").fill("3")
    form.get_by_role("button", name="Save").click()
    form.get_by_role("status").filter(has_text="Saved").wait_for()
    page.locator(".run-head").get_by_role("heading", name=ODD).wait_for()
    now = run.get()
    assert {name: now[name] for name in ("display_name", "tags", "group", "job_type", "visibility", "expected_writers", "notes")} == {
        "display_name": ODD, "tags": ["one", "two"], "group": "g1", "job_type": "by-the-program", "visibility": "private",
        "expected_writers": 3, "notes": "# hello"}
    form.get_by_label("Visible to").select_option(label="As the project")
    form.get_by_role("status").filter(has_text="Not saved yet").wait_for()
    form.get_by_role("button", name="Save").click()
    form.get_by_role("status").filter(has_text="Saved").wait_for()
    assert run.get()["visibility"] == "project"
    finish = region(page, "Expected end")
    finish.get_by_label("Total steps").fill("1000")
    finish.get_by_role("button", name="Save").click()
    finish.get_by_role("status").filter(has_text="Saved").wait_for()
    assert api.get(f"{run.path}/config")["total_steps"] == 1000
    for scheme in "light", "dark":
        page.emulate_media(color_scheme=scheme)
        assert faults_of(page) == []
    assert [line for line in one.complaints if "400" not in line] == []
    page.get_by_text("A run that is deleted can be restored for 30 d,").wait_for()
    page.get_by_role("button", name="Delete the run…").click()
    page.get_by_role("dialog").get_by_text(re.compile(r"^You can restore it in the settings of \S+ until \d{4}-\d\d-\d\d\.$")).wait_for()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Undo").wait_for()
    run.api.refused(410, "gone", "GET", run.path)


def test_stop_and_correct(screen, base, run, wait_for):
    page = screen().page
    goto(page, base, run)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("is asked to stop within 30 seconds").wait_for()
    page.get_by_label("Reason").fill("good enough")
    page.get_by_role("button", name="Stop the run").click()
    page.get_by_text("Asked to stop").wait_for()
    wait_for(lambda: run.get()["stop_reason"] == "good enough", what="the reason")  # the dialog's text has these words, too
    run.writer.send(console=[{"line": 1, "stream": "stdout", "text": "ERROR on stdout"}, {"line": 2, "stream": "stderr", "text": "10 %"}])
    run.writer.finish(exit_code=1)
    page.locator(".run-head").get_by_text("failed").wait_for()
    errors = page.locator("pre.lines[aria-label='Last error lines'] span")
    errors.get_by_text("ERROR on stdout").wait_for()
    assert errors.all_inner_texts() == ["Traceback of it\n", "ERROR on stdout\n"]
    page.keyboard.press("3")
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("It is").select_option("finished")
    page.get_by_label("Why").fill("it had all it needed")
    page.get_by_role("button", name="Correct the state").click()
    page.get_by_role("row", name="it had all it needed").wait_for()
    assert [change["to"] for change in run.states()] == ["running", "failed", "finished"]


def test_delete_and_undo(screen, base, run, api):
    """Who goes on while it is asked is left where they are, whatever the answer."""
    page = screen().page
    goto(page, base, run)
    held = []
    page.route(f"**{run.path}", lambda route: held.append(route) if route.request.method == "DELETE" else route.fallback())
    pick(page, "Delete")
    with page.expect_request(lambda request: request.method == "DELETE"):
        page.get_by_role("button", name="Delete", exact=True).click()
    page.locator("main[aria-busy][data-slow]").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    page.get_by_role("navigation").get_by_role("link", name=run.path.split("/")[5]).first.click()
    page.locator("main:not([aria-busy]) .run-list").evaluate("(list) => { list.dataset.mark = 'mine'; }")
    with page.expect_event("requestfinished", lambda request: request.method == "DELETE"):
        held[0].fulfill(status=409, json={"title": "conflict", "status": 409, "detail": "it stays"})
    page.evaluate("() => new Promise((done) => setTimeout(() => requestAnimationFrame(done)))")
    assert page.locator("main:not([aria-busy]) .run-list[data-mark]").count() == 1, "this page is not made anew"
    page.unroute_all()
    page.go_back()
    page.locator("main:not([aria-busy]) .run-head").wait_for()
    pick(page, "Delete")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    assert page.url == address(base, run) and api.request("GET", run.path).status == 410
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/runs/r1/overview")
    page.locator(".run-head").wait_for()
    assert run.state == "running"


@pytest.mark.long
def test_moved_and_back(screen, base, run, api, home, wait_for):
    """From its own page, and from the list with one that stays; the project is found by a few letters of its name."""
    names = home.split("/")[-1], f"{home.split('/')[-1]}-kept"
    kept = f"{home}-kept"
    api.put(kept, {})
    Run(api, "r1", "/api/v1/projects/ann/second-choice")
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run)
    one.complaints.clear()  # that who is not signed in sees nothing
    page.get_by_role("button", name="More: rename").click()
    item = page.get_by_role("menuitem", name="Move")
    assert item.get_attribute("aria-disabled") == "true" and "running" in item.get_attribute("title")
    page.keyboard.press("Escape")
    run.writer.finish()
    page.locator(".run-head").get_by_text("finished").wait_for()
    pick(page, "Move")
    dialog = page.get_by_role("dialog", name="Move r1")
    go = dialog.get_by_role("button", name="Move", exact=True)
    dialog.get_by_role("option", name=names[1]).wait_for()
    assert dialog.get_by_role("option", name=names[0], exact=True).count() == 0 and go.is_disabled()
    for theme in "light", "dark":
        page.emulate_media(color_scheme=theme)
        assert faults_of(page) == []
    dialog.get_by_role("option", name="second-choice").click()
    go.click()
    dialog.get_by_role("alert").get_by_text("1 run was not moved: ").wait_for()
    api.patch(run.path, {"tags": ["stayed"]})
    page.locator(".run-head").get_by_text("stayed").wait_for()  # the page reads again where the run stays
    assert "409" in one.complaints.pop() and not one.complaints
    dialog.get_by_role("combobox").fill("movedkept")
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{names[1]}/runs/r1/overview")
    page.get_by_role("status").get_by_role("link", name=f"ann/{names[1]}").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url(f"**/{names[0]}/runs/r1/overview")
    page.locator(".run-head").get_by_text("finished").wait_for()
    assert run.values("loss") == [2.5, 0.5]

    Run(api, "r2", home).join("w")
    wait_for(lambda: len(api.get(f"{home}/runs", filter="id:r1 or id:r2").json["items"]) == 2)
    page.goto(address(base, run))
    rows = page.locator(".virtual .run-row")
    rows.nth(1).wait_for()
    rows.nth(0).locator(".cell-age").click()
    rows.nth(1).locator(".cell-age").click(modifiers=["Shift"])
    page.get_by_role("button", name="More with the selected").click()
    page.get_by_role("menuitem", name="Move").click()
    dialog = page.get_by_role("dialog", name="Move 2 runs")
    dialog.get_by_text("r2: it is running").wait_for()
    dialog.get_by_role("option", name=names[1]).click()
    dialog.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("status").get_by_role("link", name="r1").wait_for()
    page.get_by_role("heading", name="Runs 1", exact=True).wait_for()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("heading", name="Runs 2", exact=True).wait_for()
    page.get_by_role("button", name="Close").last.click()
    page.get_by_role("row").filter(has=page.get_by_role("link", name="r1", exact=True)).wait_for()
    assert not one.complaints


def test_who_may_only_read(screen, base, run, api):
    page = screen().page
    goto(page, base, run)
    page.get_by_role("button", name="Edit").wait_for()
    api.patch(run.path.rsplit("/", 2)[0], {"visibility": "public"})
    page = screen().page
    page.goto(address(base, run, "runs", "r1"))
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    assert page.get_by_role("button", name="Stop", exact=True).is_disabled()
    assert page.get_by_role("button", name="Edit").count() == 0
    page.get_by_role("button", name="More: rename").click()
    items = [page.get_by_role("menuitem", name=name) for name in ("Delete", "Move")]
    assert [one.get_attribute("aria-disabled") for one in items] == ["true", "true"]
    assert len({one.evaluate("(one) => getComputedStyle(one).color") for one in items}) == 1


def test_an_admin_of_the_server_may_write(screen, base, run, shared_place, secret_file, tmp_path):
    set_password(shared_place.db, secret_file, tmp_path, "root")
    page = screen().page
    sign_in(page, address(base, run, "runs", "r1"), "root")
    page.get_by_role("heading", level=1).get_by_role("button").click()
    page.get_by_label("Name", exact=True).fill("named by root")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="named by root").wait_for()
    assert run.get()["display_name"] == "named by root"


# ---- what is shown ---------------------------------------------------------------------------------


def test_config_is_searched_folded_and_copied(screen, base, run):
    run.writer.send(config={"lr": 0.01, "text": "long " * 40, "optim": {f"k{n}": n for n in range(50)}, "zero": "no", "as": {"rate": 0.00012345678, "seed": 9973436836789123457, "steps": 300000}},
                    summary={"rate": 0.00012345678})
    page = screen().page
    goto(page, base, run)
    region(page, "Summary").get_by_role("row", name="rate 0.0001235", exact=True).wait_for()
    config = region(page, "Config")
    config.locator("summary").filter(has_text=re.compile(r"^as\.")).click()
    assert config.get_by_role("row").all_inner_texts() == ["as.rate\t0.00012345678", "as.seed\t9973436836789123457", "as.steps\t300000"], \
        "as they were written"
    config.get_by_text("optim.").first.click()
    config.get_by_role("row", name="optim.k49").wait_for()
    config.get_by_role("searchbox").fill("k49")
    assert config.get_by_role("row").all_inner_texts() == ["optim.k49\t49"]
    config.get_by_role("searchbox").fill("")
    config.get_by_role("button", name="Copy Config").click()
    page.get_by_role("menuitem", name="YAML").click()
    copied = page.get_by_label("Selected: copy it with Ctrl C").get_by_role("textbox").input_value()
    assert "optim:\n  k0: 0\n" in copied and 'zero: "no"\n' in copied and "_wandb" not in copied


def test_lists_histograms_and_nothing(screen, base, run):
    """A list breaks between its values and reads from the left; an empty text is seen; a histogram is its bars, and opens."""
    betas = [0.123456789 + at for at in range(5)]
    run.writer.send(config={"betas": betas, "note": ""}, summary={"grad": {"_type": "histogram", "values": [1, 5, 2], "bins": [-1, 0, 1, 2]}})
    page = screen(viewport={"width": 900, "height": 900}).page
    goto(page, base, run)
    config, summary = region(page, "Config"), region(page, "Summary")
    config.get_by_role("row", name='note ""').wait_for()
    cell = config.locator(".value", has_text="0.123456789")
    assert cell.inner_text() == "[" + ", ".join(map(str, betas)) + "]"
    assert cell.locator("bdi").evaluate(r"""(shown) => {
        const range = document.createRange(), text = shown.firstChild;
        const tops = (from, to) => (range.setStart(text, from), range.setEnd(text, to), new Set([...range.getClientRects()].map(({ top }) => top)).size);
        const numbers = [...text.data.matchAll(/[\d.]+/g)];
        return tops(0, text.length) > 1 && numbers.every(({ 0: number, index }) => tops(index, index + number.length) === 1) && getComputedStyle(shown).textAlign;
    }""") == "left"
    grad = summary.locator("tr", has_text="grad")
    assert grad.locator("summary").inner_text().strip() == "3 bins, −1 to 2"
    grad.locator("svg.bars path").wait_for()
    grad.locator("summary").click()
    grad.get_by_text('"_type": "histogram"').wait_for()


@pytest.mark.long
def test_who_wrote_each_value(screen, base, run):
    """Where there are several writers: of conflicts, of history, of a process that came back, of people; as it changes."""
    page = screen().page
    goto(page, base, run)
    config, summary = region(page, "Config"), region(page, "Summary")
    config.get_by_role("row", name="lr 0.01").wait_for()
    assert config.get_by_role("columnheader").count() == 0
    run.api.patch(f"{run.path}/config", {"by_hand": 1})
    config.get_by_role("row", name="by_hand 1 ann, by hand").wait_for()
    run.api.patch(f"{run.path}/config", {"by_hand": None})
    config.get_by_role("columnheader").first.wait_for(state="detached")
    other = run.join("eval", "worker")
    other.send(config={"lr": 0.5, "split": "test"}, history=[{"acc": 0.75}])
    config.get_by_role("row", name="lr 0.5 eval").wait_for()
    config.get_by_role("row", name="split test eval").wait_for()
    disputed = config.get_by_role("row", name="lr 0.5 eval")
    disputed.get_by_text("2 values").click()
    config.get_by_text("0.5 eval, 0.01 rank0").wait_for()
    assert config.locator(".differs").count() == 1 and faults_of(page) == []
    config.get_by_role("link", name="Conflicts in Writers").click()
    region(page, "Conflicts").get_by_role("row", name="config.lr 0.5 eval 0.01 rank0").wait_for()
    page.go_back()
    disputed.get_by_text("2 values").wait_for()
    config.get_by_role("row", name="model.arch moe rank0").wait_for()
    assert config.get_by_title("Other writers have sent this key, too").all_inner_texts() == ["eval"]
    assert config.get_by_role("columnheader").all_inner_texts() == ["Key", "Value", "Writer"]
    summary.get_by_role("row", name="acc 0.75 eval").wait_for()
    summary.get_by_role("row", name="loss 0.5 rank0").wait_for()
    other.send(history=[{"loss": 0.5}])
    summary.get_by_role("row", name="loss 0.5 eval").wait_for()
    again = run.join("rank0-again", label="rank0")
    again.send(history=[{"loss": 0.25}], config={"lr": 0.75})
    summary.get_by_role("row", name="loss 0.25 rank0").wait_for()
    config.get_by_role("row", name="lr 0.75 rank0").wait_for()
    run.api.patch(f"{run.path}/config", {"lr": 3})
    config.get_by_role("row", name="lr 3 ann, by hand").wait_for()
    assert config.get_by_title(re.compile(r"^Set 20\d\d-\d\d-\d\d ")).all_inner_texts() == ["ann, by hand"]
    assert faults_of(page) == []
    again.send(config={"lr": 1})
    config.get_by_role("row", name="lr 1 rank0").wait_for()
    held, is_held = [], True
    page.route("**/summary/writers", lambda route: held.append(route) if is_held else route.continue_())
    other.send(history=[{"loss": 0.125}])
    summary.get_by_role("row", name="loss 0.125 …", exact=True).wait_for()
    is_held = False
    for route in held:
        route.continue_()
    summary.get_by_role("row", name="loss 0.125 eval").wait_for()
    for rank in range(9):
        run.join(f"rank{rank + 1}", "worker").send(config={"nth": rank})
    nth = config.get_by_role("row", name="nth 8 rank9")
    nth.get_by_text("8 or more values").wait_for()
    page.keyboard.press("3")
    kept = "The values of 8 writers are kept; the key was sent differently 8 times."
    region(page, "Conflicts").get_by_role("row", name=re.compile(rf"^config\.nth 8 rank9 .*{re.escape(kept)}")).wait_for()


@pytest.mark.long
def test_what_is_open_in_a_document_stays(screen, base, run):
    """While the summary changes: an opened text, what is selected in it, the focus; an open value that changes stays open."""
    run.writer.send(summary={"long": "word " * 40, "seen": {"list": list(range(60))}})
    page = screen().page
    goto(page, base, run)
    summary = region(page, "Summary")
    opener = summary.get_by_role("row", name=re.compile("^long")).locator("summary")
    opener.click()
    summary.get_by_role("row", name=re.compile("^seen.list")).locator("summary").click()
    opener.focus()
    opener.evaluate("one => getSelection().selectAllChildren(one.nextElementSibling)")
    run.writer.send(history=[{"loss": 0.25}], summary={"seen": {"list": list(range(61))}})
    summary.get_by_role("row", name="loss 0.25").wait_for()
    summary.get_by_text(re.compile(r"\b60\n")).wait_for()
    assert opener.evaluate("one => [one === document.activeElement, one.parentElement.open, getSelection().toString().length > 100]") == [
        True, True, True]


@pytest.mark.long
def test_facts(screen, base, run, api):
    metadata = {"os": "Linux-6.8", "python": "CPython 3.12.7", "executable": "/opt/venv/bin/python", "program": "train.py",
                "args": ["--lr", "6e-4"], "git": {"remote": "git@a:b.git", "commit": "4f1c92e0aa11"}, "cpuCountLogical": 768,
                "gpu": "H100", "gpuCount": 8, "memory": {"total": str(8 << 40)}}
    api.request("PUT", f"{run.path}/files/wandb-metadata.json", metadata)
    page = screen().page
    goto(page, base, run)
    facts = page.get_by_role("region", name="Facts").inner_text()
    assert re.search(r"State\s+running since \d\d:\d\d:\d\d", facts), facts
    for words in ("CPython 3.12.7", "train.py --lr 6e-4", "git@a:b.git @ 4f1c92e0aa", "8 × H100, 768 cores, 8.0 TiB", "node7", "ann"):
        assert words in facts, words
    assert "Client\nnot sent" in facts
    page.get_by_role("button", name="Copy the facts as JSON").click()
    copied = json.loads(page.get_by_label("Selected: copy it with Ctrl C").get_by_role("textbox").input_value())
    told = page.locator(".fact-card dt").all_inner_texts()
    assert list(copied) == told and copied["State"] == "running" and copied["Client"] is None
    assert copied["Command"] == "train.py --lr 6e-4" and copied["Hardware"] == "8 × H100, 768 cores, 8.0 TiB"


@pytest.mark.long
def test_where_it_ran_and_how_it_ended(screen, base, run, api, wait_for):
    """What comes as files comes while one looks; what there is more of is a link: hosts, the diff, the run it goes on from."""
    page = screen().page
    goto(page, base, run)
    facts = page.locator(".fact-card")
    facts.locator("dt:text-is('Git') + dd", has_text="not sent").wait_for()
    others = [run.join(f"w{number}", "worker", host=f"gpu{number}") for number in range(4)]
    api.request("PUT", f"{run.path}/files/wandb-metadata.json", {"git": {"remote": "git@a:b.git", "commit": "4f1c92e0aa11", "branch": "moe"}})
    api.request("PUT", f"{run.path}/files/diff_4f1c.patch", b"--- a\n+++ b\n-old line\n+new line\n")
    for writer in others:
        writer.finish()
    run.writer.finish(exit_code=137)
    facts.locator("dt:text-is('End') + dd", has_text="failed, exit code 137 (signal 9, SIGKILL), ended by writer rank0").wait_for()
    facts.locator("dt:text-is('Git') + dd", has_text="git@a:b.git @ 4f1c92e0aa, branch moe, diff_4f1c.patch").wait_for()
    facts.locator("dt:text-is('Host') + dd", has_text="node7, gpu0, gpu1 and 2 more").wait_for()
    assert facts.locator("dt:text-is('Origin') + dd").inner_text() == "first attempt"
    facts.get_by_role("link", name="diff_4f1c.patch").click()
    page.wait_for_url("**/runs/r1/files?file=diff_4f1c.patch")
    page.get_by_text("+new line").first.wait_for()
    page.go_back()
    facts.get_by_role("link", name="and 2 more").click()
    page.wait_for_url("**/runs/r1/writers")

    api.put(f"{run.path.rpartition('/')[0]}/f1", {"forked_from": {"run": "r1", "step": 1}})
    page.goto(address(base, run, "runs", "f1", "overview"))
    facts.locator("dt:text-is('Origin') + dd", has_text="forked from r1 at step 1").wait_for()
    assert faults_of(page) == []
    facts.get_by_role("link", name="r1", exact=True).click()
    page.get_by_role("heading", name="r1", level=1).wait_for()
    run.join("rank0", host="node7")
    facts.get_by_role("link", name="resumed, attempt 2").wait_for()


@pytest.mark.long
@pytest.mark.own
def test_preempted(screen, base, run, api, shift_clock, wait_for, place, secret_file, tmp_path):
    """By its scheduler, as the SDK tells it: a shape, a word and a colour of its own, in the head, the list and the bar of states."""
    set_password(place.db, secret_file, tmp_path)
    sent = run.path.removeprefix("/api/v1/projects/").replace("/runs/", "/")
    by_sdk = lambda **body: api.post(f"/files/{sent}/file_stream", body)  # noqa: E731
    page = screen().page
    goto(page, base, run)
    head = page.locator(".run-head .state")
    head.get_by_text("running").wait_for()
    running = head.evaluate(STATE_LOOK)
    by_sdk(preempting=True)
    head.get_by_text("preempting").wait_for()
    preempting = head.evaluate(STATE_LOOK)
    shift_clock(301)
    wait_for(lambda: run.state == "preempted")
    head.get_by_text("preempted", exact=True).wait_for()
    preempted = head.evaluate(STATE_LOOK)
    assert len({running["shape"], preempting["shape"], preempted["shape"]}) == 3
    assert preempting["color"] == preempted["color"] != running["color"]
    bar = page.locator(".state-bar .stretch")
    wait_for(lambda: bar.evaluate_all("all => all.map(one => one.classList[1])")[-3:] == ["running", "preempting", "preempted"])
    page.get_by_role("row", name=re.compile("running preempting writer")).first.wait_for()
    page.get_by_role("row", name=re.compile("preempting preempted sweeper")).first.wait_for()
    assert faults_of(page) == []
    page.goto(address(base, run))
    page.get_by_role("row", name=re.compile("preempted.*r1")).wait_for()


@pytest.mark.long
def test_how_long_it_takes(screen, base, run):
    """An end is told only where it is known, and from what."""
    page = screen().page
    goto(page, base, run)
    page.get_by_text("step 1", exact=True).wait_for()
    assert page.get_by_text("Finish").count() == 0
    now = time.time()
    run.writer.send(config={"total_steps": 1000}, history=[{"_step": n, "_timestamp": now - 100 + n, "loss": 1} for n in range(2, 100)])
    page.get_by_text(re.compile("at this pace, by total_steps")).wait_for()
    page.get_by_text(re.compile("10 % of 1,000")).wait_for()


@pytest.mark.long
def test_a_run_by_hand_says_how_it_ends(screen, base, api, home, wait_for):
    """Nobody is awaited, so there is no limit."""
    run = Run(api, "by-hand", home)
    run.log([{"loss": 1}])
    page = screen().page
    goto(page, base, run)
    health = region(page, "Health")
    health.get_by_text("sent by hand: it runs until you end it with cairn finish by-hand").wait_for()
    assert "limit" not in health.inner_text()


@pytest.mark.long
def test_a_run_that_stands_still(screen, base, run, api, home, wait_for):
    """Whatever rows come, and while it is heard: its step does not move. With the next step it goes on."""
    api.patch(home, {"crash_after_s": 5})
    page = screen().page
    goto(page, base, run)
    clocks = page.locator(".clocks")
    clocks.get_by_text("step 1", exact=True).wait_for()
    still = clocks.get_by_text("stalled: alive, its step has not moved for")
    assert still.count() == 0

    def stands_still():
        run.writer.send(history=[{"_step": 1, "loss": 0.5}])
        return still.is_visible()
    wait_for(stands_still, what="the run to be called stalled")
    assert run.state == "running" and "step 1" in clocks.inner_text()
    run.writer.send(history=[{"_step": 2, "loss": 0.25}])
    clocks.get_by_text("step 2", exact=True).wait_for()
    still.wait_for(state="hidden")


@pytest.mark.long
def test_addresses_of_a_run(screen, base, run):
    page = screen().page
    goto(page, base, run)
    page.goto(address(base, run, "runs", "r1", "workspace"))
    page.wait_for_url(re.compile("/runs/r1/(overview|charts)$"))
    page.goto(address(base, run, "runs", "r1", "none-such"))
    page.get_by_role("alert").filter(has_text="does not exist").wait_for()
    page.goto(address(base, run, "runs", "r1"))
    page.locator(".run-head").wait_for()
    page.keyboard.press("3")
    page.wait_for_url("**/runs/r1/writers")
    page.locator("[aria-current]").filter(has_text="Writers").wait_for()
    page.keyboard.press("1")
    page.wait_for_url("**/runs/r1/overview")
    page.go_back()
    page.wait_for_url("**/runs/r1/writers")


@pytest.fixture
def hostile(api, home):
    """Names that break pages, wherever a name may stand."""
    made = Run(api, "r1", home)
    api.patch(made.path, {"display_name": ODD, "tags": [EVIL[:40], "x" * 64], "group": EVIL, "job_type": "<b>", "sweep": EVIL,
                          "notes": f"{EVIL}\n\n[x](javascript:alert(1)) <img src=x onerror=alert(1)> " + "y" * 300})
    one = made.join("c1", label=EVIL.replace("/", ""), host=f"<b>{'h' * 200}")
    two = made.join("c2", "worker", label="l" * 128)
    for number, writer in enumerate((one, two)):
        writer.send(history=[{EVIL: number, "_step": 0}, {EVIL: 2, "_step": 1}],
                    config={EVIL: EVIL * 20, "n" * 200: {EVIL: number}}, summary={EVIL: [EVIL]},
                    console=[{"line": 0, "stream": "stderr", "text": EVIL}, {"line": 1, "text": "w" * 5000}])
    api.post(f"{made.path}/alerts", {"title": EVIL, "text": "t" * 2000, "level": "error"})
    one.finish(exit_code=1)
    return made


@pytest.mark.parametrize("size, scheme", NARROW_LOOK)
def test_hostile_names_for_everybody(screen, base, hostile, scheme, size):
    """They are text; and axe finds nothing, nothing scrolls sideways, and the console is quiet, on every tab."""
    one = screen(color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    goto(page, base, hostile)
    one.complaints.clear()
    for tab in "overview", "writers":
        page.goto(address(base, hostile, "runs", "r1", tab))
        page.locator(".writers-table").wait_for()
        if tab == "writers":
            page.locator(".writers-table").get_by_role("button").first.click()
            page.get_by_text("w" * 5000).wait_for()
        assert faults_of(page) == [], tab
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), tab
        assert page.locator("main script, main img, main b b, a[href^=javascript]").count() == 0
        assert page.title() == f"{ODD} · Cairn"
    assert not one.complaints
