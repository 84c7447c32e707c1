"""Many panels: a hundred of ten runs each, scrolled through; and a run with five thousand keys."""
import json

import web_bench

PANELS = 100
KEYS, SECTION = 5000, 50  # sections of so few stand open

SCROLL = """async () => {
    const scroller = document.querySelector('.charts .scroll');
    bench.begin();
    for (let top = 0; top < scroller.scrollHeight; top += 400) {
        scroller.scrollTop = top;
        await bench.frames(12);
    }
    return [bench.end().longest, document.querySelectorAll('canvas').length];
}"""

SEARCH = """async ([key]) => {
    const field = document.querySelector('.chart-bar input[type=search], .chart-bar input');
    const began = performance.now();
    field.value = key;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await bench.until(() => document.querySelectorAll('main article').length === 1
        && document.querySelector('main article canvas'));
    return performance.now() - began;
}"""


def hundred(bench):
    keys = [f"part{number // 10}/k{number}" for number in range(PANELS)]
    for run in range(10):
        rows = [{"_step": step, **{key: step * (at + run + 1) % 97 for at, key in enumerate(keys)}} for step in range(500)]
        bench.send("panels", f"r{run}", web_bench.bodies(rows))
    bench.publish("panels")
    bench.wait_runs("panels", 10)
    with bench.open("panels") as page:
        page.locator("canvas").first.wait_for()
        longest, canvases = page.evaluate(SCROLL)
    yield "panels-100", longest
    yield "panels-100-canvases", canvases


def keys(bench):
    names = [f"part{number // SECTION}/k{number}" for number in range(KEYS)]
    rows = [json.dumps([{"_step": step, **dict.fromkeys(names, step)}]) for step in range(20)]
    bench.send("keys", "r0", rows)
    bench.publish("keys")
    with bench.open("keys/runs/r0/charts") as page:
        page.locator("canvas").first.wait_for()
        first = page.evaluate("performance.now()")
        page.evaluate("bench.frames(30)")
        longest = page.evaluate("bench.longest")
        search = page.evaluate(SEARCH, [f"k{KEYS - 1}"])
    yield "keys-5000", longest
    yield "keys-5000-first", first
    yield "keys-5000-search", search


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "panels": (hundred, {
        "panels-100": ("ms longest", 50),
        "panels-100-canvases": ("at the end", 30),
    }),
    "keys": (keys, {
        "keys-5000": ("ms longest", 50),
        "keys-5000-first": ("ms to chart", 1000),
        "keys-5000-search": ("ms", 150),
    }),
}
