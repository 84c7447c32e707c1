"""What the build makes of the page's modules: few files, and each of them asked for only where it is needed."""
import pathlib
import re

import pytest

import sweep_pages
from artifact_pages import version
from browsing import sign_in
from runs import Run
from test_files import BUNDLED
from uploads import put

pytestmark = pytest.mark.skipif(not BUNDLED.is_dir(), reason="built without esbuild")
FILES_OF_A_PAGE = 12  # the budget of requests for the first paint: here the document and its files until all of it stands
UPLOT_LICENCE = "/*! https://github.com/leeoniya/uPlot"
ASKED = """performance.getEntriesByType('resource').map(({ name, encodedBodySize }) => [new URL(name).pathname, encodedBodySize])
    .filter(([path]) => path.includes('/static/'))"""
# {where: what is seen when all of it stands, how many KiB of scripts that takes at most, packed by gzip}
PAGES = {
    "": ("h1", 31),
    "/ann/bundle": ("canvas", 125),
    "/ann/bundle/runs/r1": ("h1", 53),
    "/ann/bundle/runs/r1/charts": ("canvas", 91),
    "/ann/bundle/runs/r1/writers": ("h1", 58),
    "/ann/bundle/runs/r1/logs": ("h1", 47),
    "/ann/bundle/runs/r1/files": ("h1", 41),
    "/ann/bundle/sweeps": ("h1", 34),
    "/ann/bundle/artifacts": ("h1", 36),
    "/ann/bundle/artifacts/model/m/v0/files": (".file-item", 46),
    "/ann/bundle/artifacts/model/m/v0/lineage": (".lineage-node", 40),
    "/ann/bundle/artifacts/model/m/v0/compare": ("select", 39),
    "/ann/bundle/settings": ("h1", 36),
    "/settings/keys": ("h1", 30),
}
# What comes to a page when it is used: {where: what is seen then, how many KiB of scripts that takes at most with those of the page}
USED = {
    "/ann/bundle/runs/r1/files?file=t.table.json": (".table-grid", 60),
    "/ann/bundle/sweeps/SWEEP": ("circle", 57),
    "/ann/bundle/sweeps/SWEEP/charts": (".heat-cell", 141),
    "/ann/bundle/sweeps/SWEEP/trials": ("tbody tr", 59),
    "/ann/bundle/sweeps/SWEEP/config": ("pre.lines", 68),
}
WITH_CHARTS = ["/ann/bundle", "/ann/bundle/runs/r1/charts", "/ann/bundle/sweeps/SWEEP/charts"]


def texts_of(kind):
    return {path.name: path.read_text() for path in (BUNDLED / kind).iterdir()}


def named_by(text):
    return set(re.findall(r'\b(?:from|import|import\()"\./([\w.-]+\.js)"', text))


def test_what_is_compiled_in():
    """One style sheet; scripts that name none that is not there; the words of uPlot's licence stay."""
    scripts = texts_of("js")
    assert {"main.js", "live_worker.js", "theme.js"} <= set(scripts) and list(texts_of("css")) == ["page.css"]
    named = set().union(*map(named_by, scripts.values()))
    assert set(scripts) - named - {"main.js"} == {"live_worker.js", "theme.js"} and named <= set(scripts)
    assert not re.fullmatch(r'import"[^"]*";\s*', scripts["main.js"]), "what it needs stands in it, and in no file beside it"
    assert sum(UPLOT_LICENCE in text for text in scripts.values()) == 1
    index = (BUNDLED / "index.html").read_text()
    assert set(re.findall(r'modulepreload" href="{static}/js/([^"]+)"', index)) <= named
    assert re.findall(r'stylesheet" href="([^"]+)"', index) == ["{static}/css/page.css"]


def test_what_pages_ask_for(screen, base, api, wait_for):
    """Few files and not too large, and uPlot only where there are charts."""
    run = Run(api, "r1", "/api/v1/projects/ann/bundle")
    run.writer = run.join("rank0")
    run.writer.send(history=[{"loss": 1 / (step + 1)} for step in range(50)])
    for text in "one", "two":
        version(api, "m", {"a.txt": text}, home="/api/v1/projects/ann/bundle")
    sweep = sweep_pages.sweep(api, "ann/bundle", 3).rpartition("/")[2]
    put(run, "t.table.json", b'{"columns": ["a"], "data": [[1]]}')
    wait_for(lambda: api.get("/api/v1/projects/ann/bundle/runs", count="true").json["count"] == 1, what="a run that is counted")
    uplot = {name for name, text in texts_of("js").items() if UPLOT_LICENCE in text}
    one = screen()
    page = one.page
    sign_in(page, base)
    page.get_by_role("button", name="Account of ann").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    for path, (seen, most) in {**PAGES, **USED}.items():
        page.goto(base + path.replace("SWEEP", sweep))
        page.locator(f"main {seen}").first.wait_for()
        files = {name.rpartition("/")[2]: size for name, size in page.evaluate(ASKED)}
        assert 3 < len(files) + 1 and (path in USED or len(files) + 1 <= FILES_OF_A_PAGE), (path, files)
        assert sum(size for name, size in files.items() if name.endswith(".js")) < most * 1024, (path, files)
        assert bool(uplot & set(files)) == (path in WITH_CHARTS), path
    assert not one.complaints


def test_a_page_has_its_own_words():
    """Those that are said in logs alone are in one file."""
    source = (pathlib.Path(__file__).resolve().parents[2] / "web-static/js/text/logs.js").read_text()
    said = re.search(r"^\tlogs: \{.*?^\t\},", source, re.M | re.S)[0]
    words = max(re.findall(r"^\t\t\w+: '([^'\\]{20,})',$", said, re.M), key=len)
    assert sum(words in text for text in texts_of("js").values()) == 1


def test_uplot_is_whole():
    """It is the package of the lock: also with what no chart of the page has."""
    uplot = next(text for text in texts_of("js").values() if UPLOT_LICENCE in text)
    assert all(name in uplot for name in ("January", ".stepped=", ".bars=", ".spline=", ".tzDate=", "addSeries", "u-legend"))
    assert ".u-legend" in texts_of("css")["page.css"]
