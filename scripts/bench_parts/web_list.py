"""The list of a hundred thousand runs: its first rows, what stands in the document, scrolling, sorting, filtering."""
import statistics
import time

import search
import web_bench

REPEATS = 5
TABLE = "search/table?cols=summary.loss"

# From the load of the page, when its first rows stand, and how long before that frame they were asked for.
FIRST = """(async () => {
    const rows = await bench.until(() => document.querySelector('.run-list .virtual a') && performance.now(), 120000);
    const asked = await bench.until(() => performance.getEntriesByType('resource').find(({ name }) => /\\/runs\\?/.test(name)));
    bench.first = { rows, answer: rows - asked.startTime };
})()"""
SCROLL = """async () => {
    const list = document.querySelector('.run-list');
    let most = 0;
    bench.begin();
    for (let at = 0; at < 240; at++) {
        list.scrollTop += 90;
        await bench.frame();
        most = Math.max(most, list.querySelectorAll('.virtual > [role=row]').length);
    }
    return { ...bench.end(), most };
}"""

# Until another run than before is the first; r1 is of the model m1.
CHANGE = """async (change) => {
    const seen = () => document.querySelector('.run-list .virtual > [role=row] a')?.href;
    document.querySelector('.run-list').scrollTop = 0;
    await bench.frames(5);
    const before = seen();
    const began = performance.now();
    if (change === null) [...document.querySelectorAll('.run-list .sorter')].at(-1).click();
    else {
        const input = document.querySelector('.query input');
        input.focus();
        input.value = change;
        input.dispatchEvent(new Event('input', { bubbles: true }));
        input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    }
    await bench.until(() => seen() && seen() !== before);
    return performance.now() - began;
}"""


def first_rows(page):
    """{rows, answer}, as FIRST notes them."""
    return page.evaluate("bench.until(() => bench.first, 120000)")


def loads(server):
    """How many projects' columns the server has read."""
    return search.metric(server, "cairn_search_loads_total")


def wait_read(server, before):
    """Until it has read those of the project, too, for which the first questions wait."""
    end = time.monotonic() + 120
    while loads(server) <= before:
        if time.monotonic() > end:
            raise RuntimeError("the columns are not read")
        time.sleep(0.05)


def looks(bench):
    """As who comes to a project that is looked at: medians."""
    found = []
    for _ in range(REPEATS):
        with bench.open(TABLE, FIRST) as page:
            found.append(first_rows(page))
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def median_change(page, changes):
    return statistics.median(page.evaluate(CHANGE, change) for change in changes)


def measure(bench):
    web_bench.progress(f"{search.RUNS:,} runs")
    search.fill(bench.server)
    bench.publish("search")
    bench.wait_runs("search", search.RUNS)
    before = loads(bench.server)
    with bench.open(TABLE, FIRST) as page:
        yield "list-unread", first_rows(page)["answer"]
    wait_read(bench.server, before)
    first = looks(bench)
    yield "list-first", first["rows"]
    yield "list-answer", first["answer"]
    with bench.open(TABLE) as page:
        page.locator(".run-list .virtual a").first.wait_for()
        page.wait_for_timeout(1000)
        seen = page.evaluate(SCROLL)
        yield "list-rows", seen["most"]
        yield "list-scroll-missed", web_bench.missed(seen["gaps"])
        yield "list-scroll-longest", max(seen["gaps"])
        yield "list-sort", median_change(page, [None] * REPEATS)
        yield "list-filter", median_change(page, [f"config.model:m{number}" for number in range(2, 2 + REPEATS)])


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "list": (measure, {
        "list-unread": ("ms to rows", None),
        "list-first": ("ms to rows", 100),
        "list-answer": ("ms to rows", 100),
        "list-rows": ("in the DOM", 60),
        "list-scroll-missed": ("% of frames", 0),
        "list-scroll-longest": ("ms frame", web_bench.LATE_MS),
        "list-sort": ("ms", 150),
        "list-filter": ("ms", 150),
    }),
}
