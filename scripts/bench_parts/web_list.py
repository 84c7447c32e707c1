"""The list of a hundred thousand runs: what stands in the document, scrolling, sorting, filtering."""
import statistics

import search
import web_bench

REPEATS = 5
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


def median_change(page, changes):
    return statistics.median(page.evaluate(CHANGE, change) for change in changes)


def measure(bench):
    web_bench.progress(f"{search.RUNS:,} runs")
    search.fill(bench.server)
    bench.publish("search")
    bench.wait_runs("search", search.RUNS)
    with bench.open("search/table?cols=summary.loss") as page:
        page.locator(".run-list .virtual a").first.wait_for()
        yield "list-first", page.evaluate("performance.now()")
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
        "list-first": ("ms to rows", 1000),
        "list-rows": ("in the DOM", 60),
        "list-scroll-missed": ("% of frames", 5),
        "list-scroll-longest": ("ms frame", 50),
        "list-sort": ("ms", 150),
        "list-filter": ("ms", 150),
    }),
}
