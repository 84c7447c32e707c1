"""What the build makes of the page's modules: few files, and each of them asked for only where it is needed."""
import importlib.util
import pathlib
import re

import pytest

from browsing import sign_in
from runs import Run
from test_files import BUNDLED

pytestmark = pytest.mark.skipif(not BUNDLED.is_dir(), reason="built without esbuild")
TOOLS = pathlib.Path(__file__).resolve().parents[2] / "server/tools"
FILES_OF_A_PAGE = 12  # the budget of requests for the first paint: here the document and its files until all of it stands
UPLOT_LICENCE = "/*! https://github.com/leeoniya/uPlot"
ASKED = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)"
PAGES = {
    "": "h1",
    "/ann/bundle": "canvas",
    "/ann/bundle/runs/r1": "h1",
    "/ann/bundle/runs/r1/charts": "canvas",
    "/ann/bundle/runs/r1/writers": "h1",
    "/ann/bundle/runs/r1/logs": "h1",
    "/ann/bundle/runs/r1/files": "h1",
    "/ann/bundle/settings": "h1",
    "/settings/keys": "h1",
}
WITH_CHARTS = ["/ann/bundle", "/ann/bundle/runs/r1/charts"]


def tool(name):
    """A module of the build."""
    path = TOOLS / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    """Few files, and uPlot only where there are charts."""
    run = Run(api, "r1", "/api/v1/projects/ann/bundle")
    run.writer = run.join("rank0")
    run.writer.send(history=[{"loss": 1 / (step + 1)} for step in range(50)])
    wait_for(lambda: api.get("/api/v1/projects/ann/bundle/runs", count="true").json["count"] == 1, what="a run that is counted")
    uplot = {name for name, text in texts_of("js").items() if UPLOT_LICENCE in text}
    one = screen()
    page = one.page
    sign_in(page, base)
    page.get_by_role("button", name="Account of ann").wait_for()
    one.complaints.clear()  # that who is not signed in sees nothing
    for path, seen in PAGES.items():
        page.goto(base + path)
        page.locator(f"main {seen}").first.wait_for()
        files = [name for name in page.evaluate(ASKED) if "/static/" in name]
        assert 3 < len(files) + 1 <= FILES_OF_A_PAGE, (path, files)
        assert bool(uplot & {name.rpartition("/")[2] for name in files}) == (path in WITH_CHARTS), path
    assert not one.complaints


def test_words_are_told_apart():
    """Of an object of words each by itself, whatever stands in it: brackets, commas, quotes, templates within templates."""
    entries = tool("page_literal").entries_of
    assert entries("""{
        /* Of, and: */
        plain: 'a, b', quoted: 'it\\'s {', both: "'(",
        more: (n) => `${n ? `${n}, }` : ','} \\` , ${[n, { n }]}`,
        deep: { a: 1, b: [2, 3] }, long: 'a'
            + `b`,
    }""") == {"plain": "'a, b'", "quoted": "'it\\'s {'", "both": "\"'(\"",
              "more": "(n) => `${n ? `${n}, }` : ','} \\` , ${[n, { n }]}`",
              "deep": "{ a: 1, b: [2, 3] }", "long": "'a'\n            + `b`"}
    with pytest.raises(SystemExit, match="not NAME: VALUE"):
        entries("{ a() { return 1; } }")


def test_a_page_has_its_own_words():
    """Those that are said in logs alone are in one file."""
    source = (pathlib.Path(__file__).resolve().parents[2] / "web-static/js/text/logs.js").read_text()
    said = re.search(r"^\tlogs: \{.*?^\t\},", source, re.M | re.S)[0]
    words = max(re.findall(r"^\t\t\w+: '([^'\\]{20,})',$", said, re.M), key=len)
    assert sum(words in text for text in texts_of("js").values()) == 1


def test_of_uplot_there_is_what_is_used(monkeypatch):
    """Ways to draw lines that no chart has are left out, to the closing bracket; one that is not found is told."""
    monkeypatch.syspath_prepend(TOOLS)
    lean = tool("page_uplot").without
    text = ("m.sync=1,m.join=function(l){return{a:[l]}};{let l=m.paths={};l.linear=f,"
            "l.bars=function(l,{e}){if(l){e()}},l.more=g}")
    kept = "m.sync=1;{let l=m.paths={};l.linear=f,l.more=g}"
    assert lean(lean(text, "paths.bars"), "join") == kept
    with pytest.raises(SystemExit, match="no paths.stepped"):
        lean(text, "paths.stepped")
    whole = '/*! L */var uPlot=function(){"use strict";f();return en}();\nexport default uPlot;\n'
    assert tool("page_uplot").opened(whole) == "/*! L */f();\nexport default en;\n"
    for never in (tool("page_uplot").without_never, tool("page_uplot").with_always, tool("page_uplot").without_cuts):
        with pytest.raises(SystemExit, match="written in another way: .* is there 0 times"):
            never(whole)
    always = tool("page_uplot").with_always
    names = "a.b?1==q:2;const k={},q=k.mode;let t=i.show,e=c.show,u=i.markers;"
    assert always(f"{names}if(t)f(),t&&g(2==q,1==q,12==qq,1==l.q,tt&&h)") == (
        f"{names}if(!1)f(),!1&&g(!1,!0,12==qq,1==l.q,tt&&h)")
    uplot = next(text for text in texts_of("js").values() if UPLOT_LICENCE in text)
    gone = (r"\.(stepped|bars|spline|tzDate|pub|batch|addSeries)=function|January|YYYY|getFullYear|u-inline|unsub|NumberFormat"
            r"|fmtNum|rangeNum|setLegend|plugins|Segoe")
    assert ".posToVal=" in uplot and not re.search(gone, uplot)


def test_of_uplot_is_cut_what_is_written_by_whatever_names(monkeypatch):
    """Short names stand for any, the same for the same; texts, properties and long words for themselves."""
    monkeypatch.syspath_prepend(TOOLS)
    uplot = tool("page_uplot")
    monkeypatch.setattr(uplot, "CUTS", [('function f(a){if(a.b)a("x",…)}g', "h(a,f);g")])
    kept = "function q(x){if(x.b)y(\"x\",1)};function q(x){if(x.c)x(\"x\",1)}k;"
    assert uplot.without_cuts(kept + 'function q1(Z$){if(Z$.b)Z$("x",{n(){}})}k(2)') == kept + "h(Z$,q1);k(2)"
    for other in (kept, 2 * 'function q(a){if(a.b)a("x",2)}k;'):
        with pytest.raises(SystemExit, match="written in another way"):
            uplot.without_cuts(other)
