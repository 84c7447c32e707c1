"""A page that follows a run for long holds no more than before: what comes is drawn in the place of what was there."""
import pytest

from browsing import sign_in
from runs import Run

UPDATES, BEFORE = 150, 50
HEAP_MORE = 1 << 20  # bytes; a canvas, or a panel, held for each update would be more
NODES_MORE, LISTENERS_MORE = 30, 10


def held(session):
    """After what nobody holds was taken away."""
    session.send("HeapProfiler.collectGarbage")
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return {name: found[name] for name in ("JSHeapUsedSize", "Nodes", "JSEventListeners")}


def send(run, number):
    line = {"line": number, "stream": "stdout", "time": 1772355600.0 + number, "text": f"step {number}"}
    run.writer.send(history=[{"_step": number, "loss": number + 1}], console=[line])


def follow(page, run, numbers):
    """Each of them is seen before the next is sent, so that each is drawn."""
    panel = page.get_by_role("article", name="Chart of loss", exact=True)
    for number in numbers:
        send(run, number)
        if number % 10 == 0:
            panel.get_by_text(f"last {number + 1:,}.").wait_for(state="attached")


@pytest.mark.long
def test_nothing_grows(screen, base, api):
    run = Run(api, "r1", "/api/v1/projects/ann/growth")
    run.writer = run.join("rank0")
    send(run, 0)
    one = screen()
    page = one.page
    sign_in(page, f"{base}/ann/growth/runs/r1/charts")
    page.locator("article canvas").wait_for()
    page.locator(".live", has_text="Live").wait_for()
    session = one.context.new_cdp_session(page)
    session.send("Performance.enable")
    follow(page, run, range(1, BEFORE + 1))
    before = held(session)
    follow(page, run, range(BEFORE + 1, UPDATES + 1))
    after = held(session)
    more = {name: after[name] - before[name] for name in after}
    assert more["Nodes"] <= NODES_MORE and more["JSEventListeners"] <= LISTENERS_MORE, more
    assert more["JSHeapUsedSize"] <= HEAP_MORE, more
