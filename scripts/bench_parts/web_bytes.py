"""What is sent: scripts and style sheets of all pages, those of single pages, requests and time to the first paint."""
import gzip
import re
import statistics
import urllib.request

import web_bench

PROJECT = "first"
LOADS = 5
NAMED = re.compile(r'"\./([\w.-]+\.js)"')
SEEN = """() => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0].startTime;
    const began = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < painted);
    return { painted, requests: began.length + 1 };
}"""


def sent(bench, path):
    """The bytes that a browser is sent."""
    headers = {"Accept": "text/html, */*", "Accept-Encoding": "gzip"}
    with urllib.request.urlopen(urllib.request.Request(bench.server.url + path, headers=headers)) as answer:
        return answer.read()


def read(content):
    return (gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content).decode()


def total(contents):
    return sum(map(len, contents)) / 1024


def files(bench):
    """Every script that the page names, or one of those, and every style sheet."""
    index = read(sent(bench, "/"))
    folder = re.search(r'src="([^"]*/static/[^/"]+)/', index)[1]
    scripts, todo = {}, [*re.findall(r'(?:src|modulepreload" href)="[^"]*/js/([^"]+)"', index), "live_worker.js"]
    while todo:
        name = todo.pop()
        if name not in scripts:
            scripts[name] = sent(bench, f"{folder}/js/{name}")
            todo += NAMED.findall(read(scripts[name]))
    sheets = [sent(bench, path) for path in re.findall(r'stylesheet" href="([^"]+)"', index)]
    return scripts.values(), sheets


def first_look(bench, path, shown):
    """KiB of the scripts that a browser which has kept nothing asks for until `shown` stands, and what it saw of time."""
    context = bench.browser.new_context(viewport=web_bench.WIDE)
    page = context.new_page()
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(
        request.sizes()["responseBodySize"] if request.url.endswith(".js") else 0))
    page.goto(f"{bench.server.url}/{path}")
    page.locator(shown).first.wait_for()
    seen = page.evaluate(SEEN)
    context.close()
    return sum(sizes) / 1024, seen


def measure(bench):
    scripts, sheets = files(bench)
    yield "js-all", total(scripts)
    yield "css-all", total(sheets)
    bench.send(PROJECT, "r0", web_bench.bodies([{"_step": step, "loss": 1 / (step + 1)} for step in range(500)]))
    bench.publish(PROJECT)
    bench.wait_runs(PROJECT, 1)
    project = f"{web_bench.ENTITY}/{PROJECT}"
    yield "js-first", first_look(bench, "login", "main form input")[0]
    yield "js-workspace", first_look(bench, project, "canvas")[0]
    loads = [first_look(bench, f"{project}/runs/r0/charts", "canvas") for _ in range(LOADS)]
    yield "js-charts", loads[0][0]
    yield "requests", max(seen["requests"] for _, seen in loads)
    yield "first-paint", statistics.median(seen["painted"] for _, seen in loads)


# {part: what measures it, its figures with their units and budgets}
PARTS = {
    "bytes": (measure, {
        "js-all": ("KiB gzip", 120),
        "css-all": ("KiB gzip", 15),
        "js-first": ("KiB gzip", 70),
        "js-workspace": ("KiB gzip", None),
        "js-charts": ("KiB gzip", 70),
        "requests": ("to paint", 12),
        "first-paint": ("ms", 300),
    }),
}
