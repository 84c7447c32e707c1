"""The page of a run in a real browser: many writers, some of which fall silent; what people do; hostile names; a phone."""
import re
import time

import pytest

from browsing import SIZES, address, faults_of, region, set_password, sign_in
from runs import Run
from test_pages import ODD

RANKS = 64
COLUMNS = 60
EVIL = "</td><script>document.title = 'stolen'</script>\u202e\u05d0\U0001f9ea"


@pytest.fixture
def home(request):
    return f"/api/v1/projects/ann/{re.sub('[^a-z0-9]+', '-', request.node.name)[:60].strip('-')}"


@pytest.fixture
def run(api, home):
    """A run of one process with a config, a summary and lines."""
    made = Run(api, "r1", home)
    made.writer = made.join("rank0", host="node7")
    made.writer.send(history=[{"loss": 2.5}, {"loss": 0.5}], config={"lr": 0.01, "model": {"arch": "moe", "layers": [2, 4]}},
                     console=[{"line": 0, "stream": "stderr", "text": "Traceback \x1b[31mof it\x1b[0m"}])
    return made


def step_times(rank, began):
    """One row a minute; rank 19 is slower in the last third, rank 5 silent in the last tenth."""
    rows = []
    for step in range(COLUMNS):
        if rank == 5 and step >= COLUMNS * 0.9:
            continue
        slow = 1.15 if rank == 19 and step > COLUMNS * 0.66 else 1 + 0.004 * ((rank * 7 + step * 13) % 11 - 5)
        rows.append({"_step": step, "_timestamp": began + step * 60, "train/step_time": 0.5 * slow, "loss": 3 / (step + 1)})
    return rows


def crowd(api, home, ranks=RANKS):
    """A run of so many writers on hosts of eight."""
    run = Run(api, "crowd", home)
    began = time.time() - COLUMNS * 60
    run.made = [run.join(f"rank{n}", "primary" if n == 0 else "worker", host=f"gpu-a{n // 8:02}") for n in range(ranks)]
    for rank, writer in enumerate(run.made):
        writer.send(history=step_times(rank, began), console=[{"line": 0, "stream": "stderr", "text": f"NCCL of rank{rank}"}],
                    **({"config": {"world_size": ranks, "total_steps": 1000, "lr": 6e-4}} if rank == 0 else {}))
    return run


def goto(page, base, run, tab="overview"):
    sign_in(page, address(base, run, "runs", run.name, tab))
    page.locator(".run-head").wait_for()


def beat(run, silent=()):
    """A heartbeat of all but some."""
    for number, writer in enumerate(run.made):
        if number not in silent:
            writer.send()


def pick(page, item):
    page.get_by_role("button", name="More: rename").click()
    page.get_by_role("menuitem", name=item).click()


# ---- many writers ----------------------------------------------------------------------------------


def test_two_of_many_writers_die(screen, base, api, home, wait_for):
    """While the page is open: their rows, the tab and the line that says so; nobody reloads."""
    api.put(home, {"crash_after_s": 10})
    run = crowd(api, home)
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run)
    one.complaints.clear()
    page.get_by_role("link", name=re.compile("^Writers 64")).wait_for()

    def is_lost():
        beat(run, silent=(27, 41))
        return page.get_by_text("rank27, rank41 are lost").is_visible()
    wait_for(is_lost, what="the two that are lost")
    page.get_by_role("link", name=re.compile("^Writers 64.*2 lost")).wait_for()
    rows = region(page, "Writers").get_by_role("row").all_inner_texts()[1:]
    assert [row.split("\t")[0] for row in rows[:3]] == ["rank27", "rank41", "rank0"]
    page.get_by_text("Last lines of rank27").click()
    page.get_by_text("NCCL of rank27").wait_for()
    beat(run, silent=(27, 41))
    page.keyboard.press("3")
    page.get_by_role("img", name=re.compile("step_time of 64 labels.*rank19 .*rank27 lost")).wait_for()
    expected = page.get_by_role("region", name="Expected", exact=True)
    expected.get_by_text("64 ranks, from config.world_size").wait_for()
    expected.get_by_text("rank27, rank41: beyond the limit of 10 s").wait_for()
    slow = page.get_by_role("region", name="Slowest ranks").get_by_role("listitem").first.inner_text()
    assert slow.startswith("rank19") and "% of it above 3 MAD" in slow
    assert not one.complaints


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


def test_a_writer_is_looked_at(screen, base, api, home):
    run = crowd(api, home, ranks=12)
    page = screen(viewport=SIZES["wide"]).page
    goto(page, base, run, "writers")
    table = page.locator(".writers-table")
    page.get_by_label("Label, host, state").fill("gpu-a01")
    table.get_by_role("button", name="rank11").wait_for()
    assert table.get_by_role("button").all_inner_texts() == ["rank8", "rank9", "rank10", "rank11"]
    table.get_by_role("button", name="rank9").click()
    page.get_by_text("NCCL of rank9").wait_for()
    page.get_by_label("Label, host, state").fill("")
    page.get_by_role("button", name=re.compile("^Sort")).click()
    page.get_by_role("menuitemradio", name="label").click()
    table.get_by_role("button", name="rank0").first.wait_for()
    assert table.get_by_role("button").all_inner_texts() == [f"rank{n}" for n in range(12)]
    box = page.locator("canvas.heat").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    page.locator(".heat-tip").get_by_text("rank0").wait_for()
    page.get_by_label("Key", exact=True).fill("loss")
    page.keyboard.press("Enter")
    page.wait_for_url("**?key=loss")
    page.get_by_role("img", name=re.compile("^loss of 12 labels")).wait_for()
    page.reload()
    page.get_by_role("img", name=re.compile("^loss of 12 labels")).wait_for()
    page.go_back()
    page.get_by_role("img", name=re.compile("step_time of 12 labels")).wait_for()
    assert page.get_by_label("Key", exact=True).input_value() == "train/step_time"


def test_a_lost_writer_is_ended(screen, base, api, home, wait_for):
    """Its lag and its client's version are told; who knows that it is gone ends it, and the states say who did."""
    api.put(home, {"crash_after_s": 5})
    run = Run(api, "r1", home)
    boss, lost = run.join("rank0", host="node7", client_version="libcairn 9.8.7"), run.join("rank1", "worker")
    lost.send(history=[{"loss": 1, "_timestamp": time.time() - 7200}])
    lost.repeat()
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run)
    one.complaints.clear()
    assert "Client\nlibcairn 9.8.7" in page.get_by_role("region", name="Facts").inner_text()
    page.keyboard.press("3")
    table = page.locator(".writers-table")
    table.get_by_role("row", name=re.compile("^rank1 worker.* 2 h")).wait_for()
    table.get_by_role("button", name="rank1").click()
    page.get_by_text("1 batches sent again").wait_for()
    end = page.get_by_role("button", name="End this writer")

    def is_lost():
        boss.send()
        return end.is_visible()
    wait_for(is_lost, what="the writer that is lost")
    assert not faults_of(page)
    end.click()
    page.get_by_label("Why").fill("its node is gone")
    page.get_by_role("button", name="End the writer").click()
    table.get_by_role("row", name=re.compile("^rank1 worker.*ended")).wait_for()
    assert not end.is_visible()
    states = page.get_by_role("region", name="States").first
    states.get_by_text('the lost writer "rank1" was ended: its node is gone').first.wait_for()
    assert run.writers()["rank1"]["state"] == "ended" and not one.complaints


def test_ranks_that_never_came(screen, base, api, home):
    """By the config, and by what a person says."""
    run = crowd(api, home, ranks=4)
    run.made[0].send(config={"world_size": 6})
    page = screen().page
    goto(page, base, run, "writers")
    expected = page.get_by_role("region", name="Expected", exact=True)
    expected.get_by_text("rank4, rank5").wait_for()
    page.get_by_role("button", name="Set").click()
    page.get_by_label("Writers", exact=True).last.fill("5")
    page.get_by_role("button", name="Save").click()
    expected.get_by_text("5 writers, set by hand").wait_for()
    expected.get_by_text("1 never seen").wait_for()
    assert run.get()["expected_writers"] == 5


def test_one_writer_has_no_strip(screen, base, run):
    page = screen().page
    goto(page, base, run, "writers")
    page.get_by_role("region", name="Conflicts").get_by_text("No key was written differently").wait_for()
    assert page.locator("canvas").count() == 0


def test_who_disagrees(screen, base, run):
    run.join("rank1", "worker").send(config={"lr": 0.5})
    page = screen().page
    goto(page, base, run, "writers")
    row = page.get_by_role("region", name="Conflicts").first.get_by_role("row", name="config.lr")
    assert row.inner_text().split("\t")[:3] == ["config.lr", "0.5 rank1", "0.01 rank0"]


# ---- what people do --------------------------------------------------------------------------------


def test_rename_tags_and_notes(screen, base, run):
    page = screen().page
    goto(page, base, run)
    page.get_by_role("heading", level=1).get_by_role("button").click()
    page.get_by_label("Name", exact=True).fill("another name")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="another name").wait_for()
    pick(page, "Tags")
    page.get_by_label("Tags", exact=True).fill("moe\n\nlr sweep\nmoe")
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


def test_stop_and_correct(screen, base, run):
    page = screen().page
    goto(page, base, run)
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_text("The program decides when it ends").wait_for()
    page.get_by_label("Reason").fill("good enough")
    page.get_by_role("button", name="Stop the run").click()
    page.get_by_text("Asked to stop").wait_for()
    assert run.get()["stop_reason"] == "good enough"
    run.writer.finish(exit_code=1)
    page.locator(".run-head").get_by_text("failed").wait_for()
    page.get_by_role("region", name="Last error lines").first.get_by_text("Traceback of it").wait_for()
    page.keyboard.press("3")
    page.get_by_role("button", name="Correct").click()
    page.get_by_label("It is").select_option("finished")
    page.get_by_label("Why").fill("it had all it needed")
    page.get_by_role("button", name="Correct the state").click()
    page.get_by_role("row", name="it had all it needed").wait_for()
    assert [change["to"] for change in run.states()] == ["running", "failed", "finished"]


def test_delete_and_undo(screen, base, run, api):
    page = screen().page
    goto(page, base, run)
    pick(page, "Delete")
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Undo").hover()  # so it stays
    assert page.url == address(base, run) and api.request("GET", run.path).status == 410
    page.get_by_role("button", name="Undo").click()
    page.wait_for_url("**/runs/r1/overview")
    page.locator(".run-head").wait_for()
    assert run.state == "running"


def test_moved_and_back(screen, base, run, api, home, wait_for):
    """From its own page, and from the list with one that stays; the project is found by a few letters of its name."""
    names = home.split("/")[-1], f"{home.split('/')[-1]}-kept"
    kept = f"{home}-kept"
    api.put(kept, {})
    api.put("/api/v1/projects/ann/second-choice", {})
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
    page.get_by_role("group", name="Selected runs").get_by_role("button", name="Move").click()
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
    # What was under way to the old address when the run went is answered 410, which a browser tells.
    assert [words for words in one.complaints if "410" not in words] == []


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
    assert page.get_by_role("menuitem", name="Delete").get_attribute("aria-disabled") == "true"


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
    run.writer.send(config={"lr": 0.01, "text": "long " * 40, "optim": {f"k{n}": n for n in range(50)}, "zero": "no"})
    page = screen().page
    goto(page, base, run)
    config = region(page, "Config")
    config.get_by_text("optim.").first.click()
    config.get_by_role("row", name="optim.k49").wait_for()
    config.get_by_role("searchbox").fill("k49")
    assert config.get_by_role("row").all_inner_texts() == ["optim.k49\t49"]
    config.get_by_role("searchbox").fill("")
    config.get_by_role("button", name="Copy Config").click()
    page.get_by_role("menuitem", name="YAML").click()
    copied = page.get_by_label("Selected: copy it with Ctrl C").get_by_role("textbox").input_value()
    assert "optim:\n  k0: 0\n" in copied and 'zero: "no"\n' in copied and "_wandb" not in copied


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


def test_facts(screen, base, run, api):
    metadata = {"os": "Linux-6.8", "python": "CPython 3.12.7", "executable": "/opt/venv/bin/python", "program": "train.py",
                "args": ["--lr", "6e-4"], "git": {"remote": "git@a:b.git", "commit": "4f1c92e0aa11"}, "cpuCountLogical": 768,
                "gpu": "H100", "gpuCount": 8, "memory": {"total": str(8 << 40)}}
    api.request("PUT", f"{run.path}/files/wandb-metadata.json", metadata)
    page = screen().page
    goto(page, base, run)
    facts = page.get_by_role("region", name="Facts").inner_text()
    for words in ("CPython 3.12.7", "train.py --lr 6e-4", "git@a:b.git @ 4f1c92e0aa", "8 × H100, 768 cores, 8.0 TiB", "node7", "ann"):
        assert words in facts, words
    assert "Client\nnot sent" in facts


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


def test_addresses_of_a_run(screen, base, run):
    page = screen().page
    goto(page, base, run)
    page.goto(address(base, run, "runs", "r1", "workspace"))
    page.wait_for_url(re.compile("/runs/r1/(overview|charts)$"))
    page.goto(address(base, run, "runs", "r1", "none-such"))
    page.get_by_role("alert").filter(has_text="not found").wait_for()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
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
