"""A run of many writers in a real browser: 64 processes of which two are killed; who is slow, lost, ended or never came."""
import json
import os
import pathlib
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from browsing import SIZES, faults_of, goto, module_of, region
from cluster import wait_until
from panel_pages import tip_at
from runs import Run

host_program = module_of("client/probe.py")
BUILD = pathlib.Path(os.environ.get("CAIRN_BUILD", ""))
PROBE = BUILD / "tests/client/client_probe"
RANKS = 64
COLUMNS = 60
CRASH_AFTER_S = 30  # a process tells every nine seconds that it lives


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


def tip_of(page, share, row, words):
    """The mouse at a share of the width of the strip, so far below its top or (negative) above its end, until the tip says so."""
    strip = page.locator("canvas.heat")
    tip = page.locator(".heat-tip").get_by_text(words)

    def is_told():
        box = strip.bounding_box() if strip.count() == 1 else None
        if not box:
            return False  # it is drawn anew
        x, y = box["x"] + box["width"] * share, box["y"] + row + (box["height"] if row < 0 else 0)
        page.mouse.move(x + 1, y)
        page.mouse.move(x, y)
        return tip.count() > 0 and tip.is_visible()
    wait_until(is_told, what=f"a tip that says {words}")


# ---- processes -------------------------------------------------------------------------------------


class Rank(host_program.Probe):
    """A process that trains: with the rows, the lines and the config of one rank, and then alive."""

    def __init__(self, environment, rank, began):
        role = "worker" if rank else "primary"
        super().__init__(environment | {"CAIRN_LABEL": f"rank{rank}", "CAIRN_ROLE": role}, PROBE)
        self.start()
        if rank == 0:
            self.say("config", {"world_size": RANKS, "total_steps": 1000})
        for row in step_times(rank, began):
            self.say("json", row)
        self.ask("console", f"NCCL of rank{rank}\n".encode().hex())
        assert self.ask("flush", 60000)["result"] == "ok"

    def say(self, command, value):
        assert self.ask(command, json.dumps(value))["result"] == "ok"

    def kill(self):
        self.allowed = (0, -signal.SIGKILL)
        self.process.kill()
        self.process.wait(60)


@pytest.fixture
def environment(server, keys, home):
    """Of programs that log to the run `crowd` by libcairn."""
    made = host_program.environment_of(f"http://127.0.0.1:{server.port}", keys["ann"])
    return made | {"CAIRN_PROJECT": "/".join(home.split("/")[-2:]), "CAIRN_RUN": "crowd"}


@pytest.fixture
def ranks(api, home, environment):
    """All 64."""
    api.put(home, {"crash_after_s": CRASH_AFTER_S})
    began = time.time() - COLUMNS * 60
    made = [Rank(environment, 0, began)]
    with ThreadPoolExecutor(4) as pool:
        made += pool.map(lambda rank: Rank(environment, rank, began), range(1, RANKS))
    yield made
    for rank in made:
        rank.kill()


@pytest.mark.long
def test_two_of_64_processes_are_killed(screen, base, api, home, ranks, wait_for):
    """By kill -9, while the page is open: the tab, the table, the strip and what is expected name the two, and the other 62 live
    on. All 64 are processes of their own, which tell by libcairn that they live; nobody reloads."""
    run = Run(api, "crowd", home, make=False)
    wait_for(lambda: {writer["state"] for writer in api.pages(f"{run.path}/writers")} == {"alive"}, timeout=60,
             what="processes that are all heard")
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run, "writers")
    one.complaints.clear()
    page.get_by_role("link", name=re.compile("^Writers 64$")).wait_for()
    strip = page.get_by_role("img", name=re.compile("step_time of 64 labels.*rank19"))
    strip.wait_for()
    for rank in 27, 41:
        ranks[rank].kill()
    page.get_by_role("link", name=re.compile("^Writers 64.*2 lost")).wait_for(timeout=4000 * CRASH_AFTER_S)
    page.get_by_role("img", name=re.compile("step_time of 64 labels.*rank19 .*rank27 lost.*rank41 lost")).wait_for()
    expected = page.get_by_role("region", name="Expected", exact=True)
    expected.get_by_text("64 ranks, from config.world_size").wait_for()
    expected.get_by_text(f"rank27, rank41: beyond the limit of {CRASH_AFTER_S} s").wait_for()
    table = page.locator(".writers-table")
    wait_for(lambda: table.get_by_role("button").all_inner_texts()[:2] == ["rank27", "rank41"], what="the lost ones first")
    slow = page.get_by_role("region", name="Slowest ranks").get_by_role("listitem").first.inner_text()
    assert slow.startswith("rank19") and "slow" in slow
    page.keyboard.press("1")
    page.get_by_text("rank27, rank41 are lost").wait_for()
    page.get_by_text("Last lines of rank27").click()
    page.get_by_text("NCCL of rank27").wait_for()

    def lost():
        return {writer["label"] for writer in api.pages(f"{run.path}/writers") if writer["state"] != "alive"}
    wait_for(lambda: lost() == {"rank27", "rank41"}, what="the other 62 live on")
    assert run.state == "running"
    assert all(rank.process.poll() is None for number, rank in enumerate(ranks) if number not in (27, 41))
    assert not one.complaints


@pytest.mark.long
def test_the_digits_training(screen, base, api, home, environment, wait_for):
    """Four processes learn to read digits: their run is looked at from its first row to its end."""
    run = Run(api, "crowd", home)
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run)
    one.complaints.clear()
    with subprocess.Popen([BUILD / "bin/digits", "--ranks", "4", "--epochs", "6"], env=environment, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as training:
        page.get_by_role("link", name=re.compile("^Writers 4")).wait_for()
        assert training.wait(120) == 0
    page.locator(".run-head").get_by_text("finished").wait_for()
    region(page, "Summary").get_by_role("row", name=re.compile("^accuracy 0")).wait_for()
    page.keyboard.press("2")
    page.get_by_role("article", name="Chart of rank/loss_local").locator("canvas").wait_for()
    page.keyboard.press("3")
    page.get_by_role("img", name=re.compile("of 4 labels")).wait_for()
    page.keyboard.press("4")
    page.get_by_role("log").get_by_text(re.compile("rank 0: epoch 6, step 132, loss 0")).wait_for()
    assert run.state == "finished" and len(run.writers()) == 4 and not one.complaints


# ---- by hand ---------------------------------------------------------------------------------------


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
    keys = page.get_by_role("region", name="Keys of rank9")
    keys.get_by_role("row", name="loss 60 0.05").wait_for()
    assert page.get_by_role("region", name="States of rank9").get_by_role("cell").last.inner_text() == "live"
    assert not faults_of(page)
    page.get_by_label("Label, host, state").fill("")
    page.get_by_role("button", name=re.compile("^Sort")).click()
    page.get_by_role("menuitemradio", name="label").click()
    table.get_by_role("button", name="rank0").first.wait_for()
    assert table.get_by_role("button").all_inner_texts() == [f"rank{n}" for n in range(12)]
    tip_of(page, 1 / 2, 5, "rank0")
    page.get_by_label("Key", exact=True).fill("loss")
    page.keyboard.press("Enter")
    page.wait_for_url("**?key=loss")
    page.get_by_role("img", name=re.compile("^loss of 12 labels")).wait_for()
    page.reload()
    page.get_by_role("img", name=re.compile("^loss of 12 labels")).wait_for()
    page.go_back()
    page.get_by_role("img", name=re.compile("step_time of 12 labels")).wait_for()
    assert page.get_by_label("Key", exact=True).input_value() == "train/step_time"


def paces(api, home):
    """A run of four writers on one host, which have ended: rank3 went half as fast, and one of its two GPUs took less power."""
    run = Run(api, "paces", home)
    began = time.time() - COLUMNS * 60
    made = [run.join(f"rank{n}", "worker" if n else "primary", host="node7") for n in range(4)]
    for n, writer in enumerate(made):
        apart = 120 if n == 3 else 60
        rows = [{"_step": step, "_timestamp": began + step * apart, "loss": 1 / (step + 1)} for step in range(COLUMNS * 60 // apart)]
        samples = [{"_timestamp": began + at * 60, "gpu.0.powerWatts": 400 - n, "gpu.1.powerWatts": 400 - n - (n == 3) * 240}
                   for at in range(COLUMNS)]
        writer.send(history=rows, events=samples)
    for writer in reversed(made):
        writer.finish()  # who is late stands beside the strip as late, whatever its pace
    return run


def compare_by(page, name):
    field = page.get_by_label("Key", exact=True)
    field.fill(name)
    field.press("Enter")


@pytest.mark.long
def test_ranks_by_what_is_no_key_of_rows(screen, base, api, home):
    """Rows a second, the step reached, and a system metric as the mean of each label's devices; the address has which."""
    run = paces(api, home)
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run, "writers")
    one.complaints.clear()
    slow = page.get_by_role("region", name="Slowest ranks")
    for name, query, value in (("Rows/s", "?measure=rows", "rank3 0.00833 rows/s, −50 % of the median"),
                               ("Step reached", "?measure=step", "rank3 step 10, −50 % of the median"),
                               ("GPU power", "?measure=system:gpu.powerWatts", "rank3 277 W, −30 % of the median")):
        compare_by(page, name)
        page.wait_for_url(f"**{query}")
        page.get_by_role("img", name=re.compile(f"^{name.replace('/', '.')} of 4 labels.*: .*rank3 −")).wait_for()
        slow.get_by_text(name, exact=True).wait_for()
        tip_of(page, 1 / 3, -5, value)
    assert slow.get_by_role("listitem").last.inner_text().startswith("rank3")  # of power more is slower
    within = """() => {
        const boxes = (name) => [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
        const [card] = boxes('section:has(.heat-key)');
        return card.right - boxes('.heat-key :last-child')[0].right >= 10 && boxes('.card > header:has(.field) h2').length === 2
            && boxes('.card:has(> header .field)').every((box, at) => boxes('.card > header:has(.field) h2')[at].top - box.top >= 8);
    }"""
    page.wait_for_function(within)
    page.set_viewport_size(SIZES["narrow"])
    page.wait_for_function(within)
    page.set_viewport_size(SIZES["wide"])
    assert not faults_of(page)
    page.reload()
    page.get_by_role("img", name=re.compile("^GPU power of 4 labels")).wait_for()
    assert page.get_by_label("Key", exact=True).input_value() == "GPU power"
    page.go_back()
    page.get_by_role("img", name=re.compile("^Step reached of 4 labels")).wait_for()
    assert not one.complaints


@pytest.mark.long
def test_a_moment_is_picked_on_the_strip(screen, base, api, home, wait_for):
    """By the mouse and by keys; it goes along to the charts, a stretch of time zooms both, Esc lets go of it."""
    run = crowd(api, home, ranks=6)
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run, "writers")
    one.complaints.clear()
    strip = page.get_by_role("img", name=re.compile("step_time of 6 labels"))
    strip.wait_for()
    box = strip.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 5)
    page.wait_for_url(re.compile(r"\?moment=\d+"))
    page.get_by_text("is picked.").wait_for()
    assert not faults_of(page)
    page.keyboard.press("2")
    page.wait_for_url(re.compile(r"charts\?moment=\d+"))
    tip_at(page, "loss", 0.5, "picked on the Writers tab")
    page.get_by_role("link", name=re.compile("^Writers")).click()
    page.wait_for_url(re.compile(r"writers\?moment=\d+"))
    strip.wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile("writers$"))
    page.get_by_text("is picked.").wait_for(state="hidden")

    cells = page.get_by_role("group", name=re.compile("^Cells"))
    wide = int(strip.get_attribute("width"))
    cells.press("ArrowDown")
    page.locator(".heat-tip").get_by_text("rank1").wait_for()
    cells.press("Shift+ArrowRight")
    cells.press("Enter")
    page.wait_for_url(re.compile(r"\?moment=\d+"))
    cells.press("Shift+ArrowRight")
    cells.press("Shift+Enter")
    page.wait_for_url(re.compile(r"\?span=\d+(\.\d+)?\.\.\d+"))
    wait_for(lambda: int(strip.get_attribute("width")) < wide, what="fewer columns of a shorter time")
    assert page.get_by_role("group", name=re.compile("^Cells")).evaluate("node => node === document.activeElement")
    zoomed = page.url
    box = strip.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 5, steps=3)
    page.mouse.up()
    page.wait_for_url(lambda url: "span=" in url and url != zoomed)
    page.go_back()
    page.wait_for_url(zoomed)
    page.locator(".heat-moment").get_by_role("link", name="Charts").click()
    page.wait_for_url(re.compile(r"charts\?x=wall&zoom=(.*)&span=\1$"))
    page.get_by_role("article", name="Chart of loss").get_by_role("button", name="Reset zoom").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"charts\?x=wall$"))
    assert not one.complaints


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
    own = page.get_by_role("region", name="States of rank1")
    assert re.findall("[a-z]+", " ".join(own.locator("td .state").all_inner_texts())) == ["lost", "late", "live"]
    keys = page.get_by_role("region", name="Keys of rank1")
    assert keys.get_by_role("row").all_inner_texts() == ["Key\tRows\tLast", "loss\t1\t1"]
    end.click()
    page.get_by_label("Why").fill("its node is gone")
    page.get_by_role("button", name="End the writer").click()
    table.get_by_role("row", name=re.compile("^rank1 worker.*ended")).wait_for()
    assert not end.is_visible()
    assert own.locator("td .state").first.inner_text().strip() == "ended"
    states = page.get_by_role("region", name="States", exact=True).first
    states.get_by_text('the lost writer "rank1" was ended: its node is gone').first.wait_for()
    assert run.writers()["rank1"]["state"] == "ended" and not one.complaints


def test_a_crashed_run_says_who_is_lost(screen, base, api, home, wait_for):
    """The end of the run does not hide them, and the steps that are told are all of theirs."""
    api.put(home, {"crash_after_s": 5})
    run = Run(api, "r1", home)
    now = time.time()
    for label, role, step in (("rank0", "primary", 1239), ("rank1", "worker", 149)):
        run.join(label, role).send(history=[{"loss": 1, "_step": step - ago, "_timestamp": now - ago} for ago in (2, 1, 0)])
    wait_for(lambda: run.state == "crashed", what="the run that nobody speaks for")
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run)
    page.get_by_role("link", name=re.compile("^Writers 2.*2 lost")).wait_for()
    page.get_by_text("rank0, rank1 are lost").wait_for()
    assert ", at steps 149 to 1,239." in page.locator(".note.warn").inner_text()
    page.keyboard.press("3")
    page.get_by_role("img", name=re.compile("^loss of 2 labels.*: rank0 lost; rank1 lost$")).wait_for()
    last = "canvas => [2, 13].map((row) => canvas.getContext('2d').getImageData(canvas.width - 1, row, 1, 1).data[3])"
    assert page.locator("canvas.heat").evaluate(last) == [0, 0], "hatched to the end of the run"


@pytest.mark.long
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
    run.log({"loss": 1})
    expected.get_by_text("1 by hand", exact=True).wait_for()
    expected.get_by_text("4 live").wait_for()
    run.api.post(f"{run.path}/finish", {"exit_code": 0})
    expected.get_by_text("1 by hand, ended").wait_for()
    page.locator(".writers-table").get_by_role("row", name=re.compile("^ann by hand ended")).wait_for()
    assert run.get()["expected_writers"] == 5


def test_one_writer_has_no_strip(screen, base, api, home):
    run = Run(api, "r1", home)
    run.join("rank0").send(history=[{"loss": 2.5}])
    page = screen().page
    goto(page, base, run, "writers")
    page.get_by_role("region", name="Conflicts").get_by_text("No key has different values").wait_for()
    assert page.locator("canvas").count() == 0


def test_who_disagrees(screen, base, api, home):
    """It comes while one looks, and another one beside it."""
    run = Run(api, "r1", home)
    first, second = run.join("rank0"), run.join("rank1", "worker")
    first.send(config={"lr": 0.01})
    page = screen().page
    goto(page, base, run, "writers")
    page.get_by_role("region", name="Conflicts").get_by_text("No key has different values").wait_for()
    second.send(config={"lr": 0.5})
    row = page.get_by_role("region", name="Conflicts").first.get_by_role("row", name="config.lr")
    assert row.inner_text().split("\t")[:3] == ["config.lr", "0.5 rank1", "0.01 rank0"]
    page.get_by_role("link", name=re.compile("^Writers 2.*[^0-9]1 conflict$")).wait_for()
    second.send(summary={"best": 1})
    first.send(summary={"best": 2})
    page.get_by_role("region", name="Conflicts").first.get_by_role("row", name="summary.best").wait_for()
    page.get_by_role("link", name=re.compile("^Writers 2.*[^0-9]2 conflicts$")).wait_for()


@pytest.mark.long
def test_a_strip_comes_with_the_first_rows(screen, base, api, home):
    """Its keys come while the tab is open, and are read again where they could not be read."""
    run = Run(api, "r1", home)
    made = run.join("rank0"), run.join("rank1", "worker")
    page = screen().page
    goto(page, base, run, "writers")
    page.get_by_role("region", name="Conflicts").get_by_text("No key has different values").wait_for()
    assert page.locator("canvas").count() == 0
    page.route("**/keys?limit=1000", lambda route: route.fulfill(status=500), times=1)
    for writer in made:
        writer.send(history=[{"loss": step} for step in range(3)])
    page.get_by_role("img", name=re.compile("^loss of 2 labels")).wait_for()
    page.get_by_role("region", name="Slowest ranks").wait_for()


def many_ranks(api, home, name, on_host):
    """A run of 304 writers, so many on a host, of which rank19 is slow. Their run has ended, so nobody is late, however long it takes."""
    run = Run(api, name, home)
    began = time.time() - 600
    made = []
    for n in range(304):
        rows = [{"_step": step, "_timestamp": began + step * 60, "step_time": 0.5 * (2 if n == 19 else 1)} for step in range(10)]
        made.append(run.join(f"rank{n}", "worker" if n else "primary", host=f"gpu-a{n // on_host:02}"))
        made[n].send(history=rows)
    made[0].finish()
    return run


@pytest.mark.long
def test_ranks_of_many_hosts_are_a_row_a_host(screen, base, api, home):
    """Beyond 300 labels; one that is opened has a row for each label, and closes again."""
    run = many_ranks(api, home, "hosts", on_host=8)
    one = screen(viewport=SIZES["wide"])
    page = one.page
    goto(page, base, run, "writers")
    one.complaints.clear()
    page.get_by_role("img", name=re.compile("^step_time of 304 labels.*gpu-a02 .100 %")).wait_for()
    canvas = page.locator("canvas.heat")
    assert canvas.bounding_box()["height"] == 38 * 24
    assert not faults_of(page)
    host = page.get_by_role("button", name="gpu-a02", exact=True)
    host.focus()
    page.keyboard.press("Enter")
    page.get_by_role("img", name=re.compile("^step_time of 304 labels.*rank19 .100 %")).wait_for()
    assert canvas.bounding_box()["height"] == (37 + 8) * 24
    assert host.get_attribute("aria-expanded") == "true" and host.evaluate("node => node === document.activeElement")
    page.keyboard.press("Enter")
    page.get_by_role("img", name=re.compile("^step_time of 304 labels.*gpu-a02 .100 %")).wait_for()
    assert not one.complaints


@pytest.mark.long
def test_a_host_among_many_is_opened_by_its_name(screen, base, api, home):
    """Where rows are too low to be hit."""
    run = many_ranks(api, home, "low", on_host=4)
    one = screen(viewport=SIZES["narrow"])
    page = one.page
    goto(page, base, run, "writers")
    one.complaints.clear()
    folded, opened = (re.compile(f"^step_time of 304 labels.*{name} .100 %") for name in ("gpu-a04", "rank19"))
    page.get_by_role("img", name=folded).wait_for()
    canvas = page.locator("canvas.heat")
    assert canvas.bounding_box()["height"] == 76 * 3
    field = page.get_by_label("Open or fold a host")
    for seen, rows in ((opened, 75 + 4), (folded, 76)):
        field.fill("gpu-a04")
        field.press("Enter")
        page.get_by_role("img", name=seen).wait_for()
        assert canvas.bounding_box()["height"] == rows * 3 and field.input_value() == ""
        assert field.evaluate("node => node === document.activeElement")
    assert not faults_of(page) and not one.complaints
