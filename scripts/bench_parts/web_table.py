"""A table of 100,000 rows and 50 columns among the files of a run: opened, sorted, filtered, grouped, scrolled."""
import io
import json
import statistics

import web_bench

PROJECT, RUN, NAME = "tables", "r0", "big.table.json"
ROWS, COLUMNS = 100_000, 50
REPEATS = 5

# Notes when the last byte of the table had come, and when the first rows and the number of all stood.
FIRST = """(async () => {
    const own = window.fetch;
    bench.came = 0;
    window.fetch = async (...given) => {
        const answer = await own(...given);
        if (!String(given[0]).includes('big.table.json')) return answer;
        const reader = answer.body.getReader();
        const body = new ReadableStream({ async pull(control) {
            const { done, value } = await reader.read();
            if (done) bench.came = performance.now(), control.close();
            else control.enqueue(value);
        } });
        return new Response(body, answer);
    };
    const found = await bench.until(() => document.querySelector('.table-line') && performance.now(), 120000);
    bench.opened = found - bench.came;
})()"""

SEEN = "document.querySelector(`.table-line[data-line='0'] [data-column='${column}']`)?.textContent"

# Until another value than before is the first of a column; `turn` a number of clicks is counted to.
SORT = """async (column) => {
    const seen = () => %s;
    const before = seen();
    const began = performance.now();
    document.querySelector(`.column-head[data-column='${column}']`).click();
    await bench.until(() => seen() !== before);
    return performance.now() - began;
}""" % SEEN

# Enter sends at once what the pause would send later.
FILTER = """async (typed) => {
    const input = document.querySelector('.table-bar input');
    const counted = () => document.querySelector('.table-view footer span').textContent;
    const before = counted();
    input.value = typed;
    const began = performance.now();
    input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    await bench.until(() => counted() !== before);
    return performance.now() - began;
}"""

GROUP = """async () => {
    const select = document.querySelector('.table-groups select');
    select.value = '0';
    const began = performance.now();
    select.dispatchEvent(new Event('change'));
    await bench.until(() => document.querySelector('.table-line[data-group]'));
    return performance.now() - began;
}"""

SCROLL = """async () => {
    const grid = document.querySelector('.table-grid');
    bench.begin();
    for (let at = 0; at < 240; at++) {
        grid.scrollTop += 90;
        await bench.frame();
    }
    return { ...bench.end(), rows: document.querySelectorAll('.table-line').length };
}"""


def big_table():
    """A fifth of the columns are texts of few values, a fifth whole numbers, and one text is another in each row."""
    out = io.StringIO()
    out.write(json.dumps({"columns": [f"c{at}" for at in range(COLUMNS)]})[:-1] + ', "data": [')
    state = 7
    for row in range(ROWS):
        cells = []
        for column in range(COLUMNS):
            state = state * 48271 % 2147483647
            kind = column % 5
            cells.append(f'"label {state % 1000}"' if kind == 0 else str(row * column) if kind == 1
                         else f'"row {state}"' if column == 2 else str(state / 2147483647))
        out.write(("," if row else "") + "[" + ", ".join(cells) + "]")
    out.write("]}")
    return out.getvalue().encode()


def opened(bench):
    with bench.open(f"{PROJECT}/runs/{RUN}/files?file={NAME}", FIRST) as page:
        return page.evaluate("bench.until(() => bench.opened, 120000)")


def measure(bench):
    bench.send(PROJECT, RUN, ['{"loss": 1}'])
    web_bench.progress("a table of 100,000 rows")
    content = big_table()
    bench.ask.raw("PUT", f"/projects/{web_bench.ENTITY}/{PROJECT}/runs/{RUN}/files/{NAME}", content)
    bench.publish(PROJECT)
    yield "table-bytes", len(content) / 2**20
    yield "table-open", statistics.median(opened(bench) for _ in range(3))
    with bench.open(f"{PROJECT}/runs/{RUN}/files?file={NAME}", FIRST) as page:
        page.locator(".table-line").first.wait_for()
        page.wait_for_timeout(2000)
        yield "table-sort", page.evaluate(SORT, 3)
        yield "table-sort-text", page.evaluate(SORT, 2)
        yield "table-sort-again", statistics.median(page.evaluate(SORT, 3) for _ in range(REPEATS))
        yield "table-filter", statistics.median(page.evaluate(FILTER, f"c3<0.{at}") for at in range(3, 3 + REPEATS))
        yield "table-find", statistics.median(page.evaluate(FILTER, f'"label {at}"') for at in range(10, 10 + REPEATS))
        page.evaluate(FILTER, "")
        page.wait_for_timeout(2000)
        seen = page.evaluate(SCROLL)
        yield "table-rows", seen["rows"]
        yield "table-scroll-missed", web_bench.missed(seen["gaps"])
        yield "table-scroll-longest", max(seen["gaps"])
        yield "table-group", page.evaluate(GROUP)


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "table-100k": (measure, {
        "table-bytes": ("MiB", None),
        "table-open": ("ms from the last byte", 300),
        "table-sort": ("ms, first time", 100),
        "table-sort-text": ("ms, first time", 100),
        "table-sort-again": ("ms", 100),
        "table-filter": ("ms", 100),
        "table-find": ("ms", 100),
        "table-rows": ("in the DOM", 60),
        "table-scroll-missed": ("% of frames", 0),
        "table-scroll-longest": ("ms frame", web_bench.LATE_MS),
        "table-group": ("ms", 300),
    }),
}
