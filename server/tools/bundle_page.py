#!/usr/bin/env python3
"""Makes of the page's plain modules and style sheets the few small files that are compiled in.

    bundle_page.py --esbuild PROGRAM --out FOLDER SOURCE...

The sources (web-static, and where uPlot lies) are laid over each other. main.js and what is imported when it is used are
the entries; a module that only one of them needs goes into its file. What several need goes into layers, which are a
file each (page_layers.py): without them esbuild makes a file of every set of entries that have something in common, a
few dozen of them.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess

from page_layers import Graph, imported, layers_of

MAIN = "js/main.js"
ALONE = ["js/live_worker.js", "js/theme.js"]
KEPT = ["icon.svg"]
STYLE = re.compile(r'<link rel="stylesheet" href="\{static\}/([^"]+)">\n')
ONE_STYLE = '<link rel="stylesheet" href="{static}/css/page.css">\n'
PRELOAD = '<link rel="modulepreload" href="{static}/%s">\n'
MAIN_SCRIPT = '<script type="module" src="{static}/js/main.js"></script>\n'


def write_layers(work, graph):
    """A module for each layer, and at the head of each entry imports of those that it needs."""
    layers = {f"js/layer_{at}.js": paths for at, paths in enumerate(layers_of(graph))}
    for name, paths in layers.items():
        (work / name).write_text("".join(f"import '../{path}';\n" for path in paths))
    for entry in graph.entries:
        up = "../" * entry.count("/")
        head = [f"import '{up}{name}';" for name in imported(layers, graph, entry)]
        file = work / entry
        file.write_text(" ".join(head) + file.read_text())


def lay_out(sources, work):
    shutil.rmtree(work, ignore_errors=True)
    for source in sources:
        shutil.copytree(source, work, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules"))


class Esbuild:
    def __init__(self, program, work):
        self.program, self.work = program, work

    def __call__(self, *arguments):
        subprocess.run([self.program, *map(str, arguments), "--charset=utf8", "--log-level=warning",
                        "--log-override:import-is-undefined=error"], cwd=self.work, check=True)

    def graph(self):
        """Seen without layers: one file, thrown away."""
        self(MAIN, "--bundle", "--format=esm", "--minify", "--outfile=../graph.js", "--metafile=../graph.json")
        seen = json.loads((self.work / "../graph.json").read_text())
        return Graph(MAIN, seen["inputs"], next(iter(seen["outputs"].values()))["inputs"])

    def scripts(self, out):
        """Those that main.js imports at once, to be asked for together with it."""
        self(MAIN, "--bundle", "--splitting", "--format=esm", "--minify", "--legal-comments=eof", f"--outdir={out}/js",
             "--metafile=../page.json")
        outputs = json.loads((self.work / "../page.json").read_text())["outputs"]
        imports = next(one["imports"] for one in outputs.values() if one.get("entryPoint") == MAIN)
        at_once = [pathlib.Path(one["path"]).name for one in imports if one["kind"] == "import-statement"]
        return [f"js/{name}" for name in at_once]

    def alone(self, out):
        for path in ALONE:
            self(path, "--bundle", "--format=esm", "--minify", f"--outfile={out}/{path}")

    def style(self, sheets, out):
        """In the order of the page, which is the order of who wins."""
        (self.work / "css/page.css").write_text("".join(f'@import "../{path}";\n' for path in sheets))
        self("css/page.css", "--bundle", "--minify", "--legal-comments=eof", f"--outfile={out}/css/page.css")


def as_one(folder, at_once):
    """What main.js would import is main.js: esbuild makes a file beside it that the others import, and of it this one line."""
    main = folder / "main.js"
    found = re.fullmatch(r'import"\./([\w-]+\.js)";\s*', main.read_text())
    if not found:
        return at_once
    (folder / found[1]).replace(main)
    for file in folder.glob("*.js"):
        file.write_text(file.read_text().replace(f'"./{found[1]}"', '"./main.js"'))
    return [path for path in at_once if path != f"js/{found[1]}"]


def page_of(text, preloads):
    if not STYLE.search(text) or MAIN_SCRIPT not in text:
        raise SystemExit("bundle_page.py: index.html names no style sheet, or not main.js")
    text = STYLE.sub(ONE_STYLE, text, count=1)
    text = STYLE.sub(lambda found: found[0] if found[0] == ONE_STYLE else "", text)
    return text.replace(MAIN_SCRIPT, "".join(PRELOAD % path for path in preloads) + MAIN_SCRIPT)


def bundle(esbuild, sources, out):
    work = out.parent / f"{out.name}.work" / "files"
    lay_out(sources, work)
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    run = Esbuild(esbuild, work)
    index = (work / "index.html").read_text()
    run.style(STYLE.findall(index), out)
    run.alone(out)
    write_layers(work, run.graph())
    preloads = as_one(out / "js", run.scripts(out))
    for name in KEPT:
        shutil.copyfile(work / name, out / name)
    (out / "index.html").write_text(page_of(index, preloads))


def main():
    parser = argparse.ArgumentParser(prog="bundle_page.py")
    parser.add_argument("--esbuild", required=True)
    parser.add_argument("--out", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("sources", nargs="+", type=pathlib.Path)
    arguments = parser.parse_args()
    bundle(arguments.esbuild, arguments.sources, arguments.out)


if __name__ == "__main__":
    main()
