"""The web page in a real Chromium: scripts/bench-web. Each figure stands beside its budget."""
import argparse
import contextlib
import gzip
import json
import math
import pathlib
import random
import re
import shutil
import sys
import tempfile
import urllib.request

from playwright.sync_api import sync_playwright

import host
from server import Server

CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
PROJECT = "bench/page"
BATCH = 10000
KEYS = 100
REPEATS = 30
WIDE = {"width": 1440, "height": 900}

PREPARE = """async () => {
    const folder = document.querySelector('script[type=module]').src.replace('main.js', '');
    const [{ panelGrid }, { LinePanel }, { seriesCache }, { lookOf }] = await Promise.all(
        ['panel_grid', 'line_panel', 'series_cache', 'look'].map((name) => import(`${folder}chart/${name}.js`)));
    Object.assign(window, { panelGrid, LinePanel, seriesCache, lookOf });
    window.frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    window.longest = 0;
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    }).observe({ type: 'longtask' });
}"""

CLICK = """async ([runs, keys]) => {
    const began = performance.now();
    window.grid?.stop();
    window.grid = panelGrid({ entity: 'bench', project: 'page', runs, keys });
    document.querySelector('main').replaceChildren(window.grid.node);
    while (!window.grid.node.querySelector('canvas')) await frame();
    return performance.now() - began;
}"""

DRAW = """async ([runs, repeats, band]) => {
    const page = { look: { ...lookOf(new URLSearchParams('smooth=0.9')), band }, runs, groups: [], cache: seriesCache('projects/bench/page') };
    const panel = new LinePanel('part0/k0', page);
    document.querySelector('main').replaceChildren(panel.node);
    panel.show();
    while (!panel.plot) await frame();
    const times = [];
    for (let at = 0; at < repeats; at++) {
        const began = performance.now();
        panel.drawNow();
        await Promise.resolve();
        times.push(performance.now() - began);
        await frame();
    }
    panel.stop();
    return times.sort((a, b) => a - b)[Math.floor(repeats / 2)];
}"""

SCROLL = """async () => {
    const scroller = document.querySelector('.charts .scroll');
    window.longest = 0;
    for (let top = 0; top < scroller.scrollHeight; top += 400) {
        scroller.scrollTop = top;
        for (let at = 0; at < 12; at++) await frame();
    }
    return [window.longest, document.querySelectorAll('canvas').length];
}"""


def lines(names):
    return [{"id": name, "name": name, "slot": at, "color": None} for at, name in enumerate(names)]


def send(ask, run, rows):
    ask("PUT", f"/projects/{PROJECT}/runs/{run}", "{}")
    for start in range(0, len(rows), BATCH):
        ask("POST", f"/projects/{PROJECT}/runs/{run}/history", json.dumps(rows[start:start + BATCH]))
    ask("POST", f"/projects/{PROJECT}/runs/{run}/finish", '{"state":"finished"}')


def name_of(key):
    """Ten panels a section: all of them are open."""
    return f"part{key // 10}/k{key}"


def curve(steps, keys, number):
    noise = random.Random(number)
    return [{"_step": step, **{name_of(key): 2 + math.exp(-step / steps * 5) + noise.random() / 10 for key in range(keys)}}
            for step in range(steps)]


def fill(server, steps):
    """Ten long runs, forty short ones, and one project that anybody may see."""
    ask = server.connect()
    for number in range(10):
        send(ask, f"long{number}", curve(steps, 1, number))
        send(ask, f"wide{number}", curve(500, KEYS, number))
    for number in range(50):
        send(ask, f"short{number}", curve(2000, 1, number))
    ask("PATCH", f"/projects/{PROJECT}", '{"visibility":"public"}')


def read(server, path):
    question = urllib.request.Request(server.url + path, headers={"Accept": "text/html, */*"})
    with urllib.request.urlopen(question) as answer:
        return answer.read()


def static_bytes(server):
    """Of every script and style sheet of the page, packed as they are sent."""
    folder = re.search(rb'src="([^"]*/static/[^/"]+)/', read(server, "/"))[1].decode()
    names = [str(path.relative_to(host.TOP / "web-static")) for path in (host.TOP / "web-static").rglob("*")]
    found = {".js": 0, ".css": 0}
    for name in [*names, "lib/uplot.js", "lib/uplot.css"]:
        end = pathlib.Path(name).suffix
        if end in found and "node_modules" not in name:
            found[end] += len(gzip.compress(read(server, f"{folder}/{name}"), 9))
    return found


def first_page(browser, server):
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(
        request.sizes()["responseBodySize"] if request.url.endswith(".js") else 0))
    page.goto(f"{server.url}/{PROJECT}/runs/wide0/charts")
    page.locator("canvas").first.wait_for()
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    context.close()
    yield "first-paint", paint, "ms", 300
    yield "js-charts", sum(sizes) / 1024, "KiB gzip", 70


def charts(browser, server):
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    page.goto(f"{server.url}/{PROJECT}/runs/wide0/charts")
    page.locator("canvas").first.wait_for()
    page.evaluate(PREPARE)
    long = lines([f"long{number}" for number in range(10)])
    yield "click-server", page.evaluate(CLICK, [long, [name_of(0)]]), "ms", 250
    yield "click-cached", page.evaluate(CLICK, [long, [name_of(0)]]), "ms", 100
    short = lines([f"short{number}" for number in range(50)])
    yield "draw-10", page.evaluate(DRAW, [short[:10], REPEATS, "none"]), "ms", 11
    yield "draw-3-bands", page.evaluate(DRAW, [short[:3], REPEATS, "minmax"]), "ms", 18
    yield "draw-50", page.evaluate(DRAW, [short, REPEATS, "none"]), "ms", 14
    wide = lines([f"wide{number}" for number in range(10)])
    page.evaluate(CLICK, [wide, [name_of(key) for key in range(KEYS)]])
    longest, canvases = page.evaluate(SCROLL)
    yield "panels-100", longest, "ms longest", 50
    yield "canvases", canvases, "at the end", 30
    context.close()


def figures(server):
    found = static_bytes(server)
    yield "js-all", found[".js"] / 1024, "KiB gzip", 120
    yield "css-all", found[".css"] / 1024, "KiB gzip", 15
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        with contextlib.closing(browser):
            yield from first_page(browser, server)
            yield from charts(browser, server)


def show(name, value, unit, budget, as_json):
    if as_json:
        print(json.dumps({"name": name, "value": value, "unit": unit, "budget": budget}), flush=True)
    else:
        print(f"{name:15} {value:10.4g} {unit:12} budget {budget:6}   {'' if value <= budget else 'above'}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench-web")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=1000000)
    parser.add_argument("--data-dir")
    arguments = parser.parse_args()
    if not CHROMIUM:
        sys.exit("bench-web: no Chromium here")
    host.build()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-bench.", dir=arguments.data_dir or "/var/tmp"))
    folder.chmod(0o755)
    try:
        with Server(folder) as server:
            fill(server, arguments.steps)
            for name, value, unit, budget in figures(server):
                if not arguments.names or name in arguments.names:
                    show(name, value, unit, budget, arguments.json)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
