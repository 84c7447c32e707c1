"""The web page in a real Chromium: scripts/bench-web. Each figure stands beside its budget."""
import argparse
import contextlib
import json
import pathlib
import shutil
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

import host
import web_bench
import web_bytes
import web_charts
import web_list
import web_live
import web_log
import web_memory
import web_panels
import web_strip
import web_table
import web_writers
from server import Server

MODULES = [web_bytes, web_charts, web_panels, web_list, web_live, web_log, web_strip, web_writers, web_table, web_memory]
PARTS = {part: found for module in MODULES for part, found in module.PARTS.items()}
BY_NAME = ["memory"]  # is not measured unless somebody says so


def parts_of(names):
    """{part: figures of it that are wanted}; a part's name stands for all of them."""
    wanted = {}
    for part, (_, known) in PARTS.items():
        figures = [one for one in known if one in names or part in names or (not names and part not in BY_NAME)]
        if figures:
            wanted[part] = figures
    return wanted


def figures(bench, wanted):
    for part, names in wanted.items():
        web_bench.progress(part)
        began = time.monotonic()
        measure, known = PARTS[part]
        for name, value in measure(bench):
            if name in names:
                yield name, value, *known[name]
        web_bench.progress(f"{part}: {time.monotonic() - began:.0f} s")


def show(name, value, unit, budget, as_json):
    if as_json:
        print(json.dumps({"name": name, "value": value, "unit": unit, "budget": budget}), flush=True)
    else:
        ratio = f"{value / budget:6.2f}" if budget else " " * 6
        beside = "" if budget is None else f"budget {budget:6}   {ratio} {'above' if value > budget else ''}"
        print(f"{name:20} {value:10.4g} {unit:14} {beside}".rstrip(), flush=True)


def options():
    known = list(dict.fromkeys([*PARTS, *(name for _, names in PARTS.values() for name in names)]))
    parser = argparse.ArgumentParser(prog="scripts/bench-web")
    parser.add_argument("names", nargs="*", metavar="NAME", help=" ".join(known))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=1000000)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--data-dir")
    found = parser.parse_args()
    unknown = [name for name in found.names if name not in known]
    if unknown:
        parser.error(f"no figure is called {unknown[0]}; there are {', '.join(known)}")
    return found


def run(arguments, folder):
    with Server(folder) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=web_bench.CHROMIUM)
        with contextlib.closing(browser):
            bench = web_bench.Bench(server, browser, arguments.steps, arguments.minutes)
            for one in figures(bench, parts_of(arguments.names)):
                show(*one, arguments.json)


def main():
    arguments = options()
    if not web_bench.CHROMIUM:
        sys.exit("bench-web: no Chromium here")
    host.build("cairnd")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-bench.", dir=arguments.data_dir or "/var/tmp"))
    folder.chmod(0o755)
    try:
        run(arguments, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
