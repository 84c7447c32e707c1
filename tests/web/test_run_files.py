"""The files of a run in a real browser: the tree, what each kind is shown as, hostile ones, huge ones, ten thousand."""
import http.server
import json
import struct
import tarfile
import threading
import urllib.parse
import zlib

import pytest

import module_api
from browsing import SIZES, WIDE_LOOK, address, faults_of, shown, sign_in
from cluster import wait_until
from runs import Run
from screen import HOST
from uploads import put

MB = 1 << 20
api = module_api.api
HOME = "/api/v1/projects/ann/files"
HOSTILE = ["<img src=x onerror=alert(1)>.txt", "\u202egnp.exe.txt", "line\nend.txt", "a%2Fb.txt", "日本 語/\U0001f9ea.txt", "__proto__/x.txt", "n" * 900]


def attacks(trap):
    """A page and a drawing that try to run something, to ask another host, and to get out of their frame."""
    script = f"<script>top.document.title = 'stolen'; fetch('{trap}/script')</script>"
    page = (f"<!doctype html><meta http-equiv=refresh content='0;url={trap}/refresh'><link rel=stylesheet href={trap}/style>"
            f"<h1 style='color: rgb(1, 2, 3)'>Report</h1>{script}<img src={trap}/image onerror='top.document.title=1'>"
            f"<form action={trap}/form><button>Go</button></form><a href={trap}/link target=_top>out</a><iframe src={trap}/frame></iframe>")
    drawing = (f"<svg xmlns='http://www.w3.org/2000/svg' width='40' height='40' onload='top.document.title=1'>{script}"
               f"<text y='20'>Drawn</text><image href='{trap}/image'/></svg>")
    return page, drawing


def png(width, height):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"\x20\x60\xa0" * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def wav(seconds, rate=8000):
    samples = bytes([128]) * int(seconds * rate)
    return (b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, rate, rate, 1, 8)
            + b"data" + struct.pack("<I", len(samples)) + samples)


def send(run, name, content):
    put(run, urllib.parse.quote(name), content if isinstance(content, bytes) else content.encode())


@pytest.fixture(scope="module")
def trap():
    """A host that nobody is to ask: its address, and what it was asked for."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://evil.test:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def run(api, trap):
    """One file of each kind, and hostile ones."""
    page, drawing = attacks(trap[0])
    made = Run(api, "r1", HOME)
    writer = made.join("rank0")
    writer.finish()
    send(made, "config.yaml", "lr: 0.01\nmodel: moe\n")
    send(made, "media/plot.png", png(30, 20))
    send(made, "media/wide.png", png(3000, 10))
    send(made, "media/tone.wav", wav(0.3))
    send(made, "media/deep/note.txt", "deep")
    send(made, "data.json", json.dumps({"a": {"b": [1, None, "x" * 2000]}, "many": list(range(150)), "n": {"<i>": True}}))
    send(made, "bad.json", '{"a": NaN}')
    send(made, "table.csv", "step,loss,note\n" + "".join(f'{n},{1 / (n + 1):.4f},"a, ""b"" {n}"\n' for n in range(2500)))
    send(made, "noise.bin", bytes(range(256)) * 100)
    send(made, "sound.wav", b"RIFF\0\0\0\0WAVE")
    send(made, "empty.log", "")
    send(made, "huge.log", "".join(f"line {n:07}\n" for n in range(3 * MB // 13)))
    send(made, "wide.txt", "w" * 200000)
    send(made, "report.html", page)
    send(made, "drawing.svg", drawing)
    for name in HOSTILE:
        send(made, name, f"this is {name}")
    return made


@pytest.fixture(scope="module")
def cookies():
    return {}


@pytest.fixture
def come(screen, server, cookies):
    """come(run, query, **options): a Screen at the files, signed in once for all."""
    base = f"http://{HOST}:{server.port}"

    def at(run, query="", **options):
        one = screen(storage_state=cookies or None, **options)
        url = address(base, run, "runs", run.name, "files") + query
        if cookies:
            one.page.goto(url)
        else:
            sign_in(one.page, url)
        one.page.get_by_role("treegrid").wait_for()
        cookies.update(cookies or one.context.storage_state())
        one.complaints.clear()  # that who is not signed in sees nothing
        return one
    return at


def row(page, name):
    return page.get_by_role("row").filter(has=page.get_by_text(name, exact=True))


def pick(page, name):
    row(page, name).click()
    page.get_by_role("heading", name=name).wait_for()


def preview(page):
    return page.get_by_role("region", name="Preview", exact=True).first


def test_all_of_them_as_a_tar(come, run, api):
    one = come(run)
    with one.page.expect_download() as saved:
        one.page.get_by_role("link", name="All files as tar").click()
    assert saved.value.suggested_filename == f"{run.name}-files.tar"
    with tarfile.open(saved.value.path()) as tar:
        found = sorted(name.partition("/")[2] for name in tar.getnames())
    assert found == sorted(file["name"] for file in api.pages(f"{run.path}/files")) and not one.complaints


ROOM = "(image) => [image.offsetWidth, image.parentElement.clientWidth, image.parentElement.scrollWidth]"


def test_what_each_kind_is_shown_as(come, run):
    one = come(run)
    page = one.page
    page.get_by_text("Choose a file to see it.").wait_for()
    pick(page, "config.yaml")
    text = page.get_by_role("region", name="Text of the file")
    text.get_by_text("model: moe").wait_for()
    assert text.locator(".file-line").all_inner_texts() == ["1\nlr: 0.01", "2\nmodel: moe"]
    assert page.url.endswith("?file=config.yaml")
    facts = preview(page).locator("dl").inner_text()
    assert "20 B" in facts and "text/plain" in facts and "ann" in facts
    row(page, "plot.png").click()
    page.get_by_text("30 × 20 pixels").wait_for()
    row(page, "wide.png").click()
    page.get_by_text("3000 × 10 pixels").wait_for()
    image = page.get_by_role("img", name="wide.png")
    assert image.evaluate(ROOM)[0] <= image.evaluate(ROOM)[1]
    page.get_by_role("button", name="Actual size").click()
    assert image.evaluate(ROOM)[0] == 3000 and image.evaluate(ROOM)[2] >= 3000
    page.get_by_role("button", name="Fit", exact=True).click()
    assert image.evaluate(ROOM)[0] <= image.evaluate(ROOM)[1]
    row(page, "data.json").click()
    tree = page.get_by_role("region", name="JSON of the file")
    tree.locator("summary", has_text="many").click()
    tree.get_by_role("button", name="Show 50 more").click()
    tree.get_by_text("149", exact=True).last.wait_for()
    page.get_by_role("button", name="Text", exact=True).click()
    text.get_by_text('{"a": {"b"').wait_for()
    row(page, "bad.json").click()
    page.get_by_text("Invalid JSON").wait_for()
    text.get_by_text('{"a": NaN}').wait_for()
    row(page, "noise.bin").click()
    page.get_by_text("This file is not text").wait_for()
    row(page, "empty.log").click()
    page.get_by_text("The file is empty.").wait_for()
    row(page, "sound.wav").click()
    page.get_by_text("The browser cannot play this.").wait_for()
    page.go_back()
    page.get_by_text("The file is empty.").wait_for()
    with page.expect_download() as download:
        row(page, "config.yaml").click()
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "config.yaml" and download.value.path().read_bytes() == b"lr: 0.01\nmodel: moe\n"
    assert not one.complaints


FILM = """() => new Promise((done) => {
    const canvas = document.createElement('canvas');
    const context = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(), { mimeType: 'video/webm' });
    recorder.ondataavailable = async ({ data }) => done([...new Uint8Array(await data.arrayBuffer())]);
    recorder.start();
    let frames = 0;
    const draw = () => {
        context.fillRect(frames++ * 9, 0, 9, 99);
        if (frames < 15) requestAnimationFrame(draw);
        else recorder.stop();
    };
    draw();
})"""


@pytest.mark.long
def test_sound_and_films_play(come, run, screen):
    """By the browser's own controls, from the first moment to the end."""
    send(run, "media/film.webm", bytes(screen().page.evaluate(FILM)))
    one = come(run)
    page = one.page
    for name, tag in ("tone.wav", "audio"), ("film.webm", "video"):
        row(page, name).click()
        player = page.locator(f"{tag}[aria-label='media/{name}']")
        player.focus()
        page.keyboard.press("Space")
        wait_until(lambda: player.evaluate("(player) => player.ended && player.currentTime > 0"), what=f"the end of {name}")
    assert player.evaluate("(film) => [film.videoWidth, film.videoHeight]") == [300, 150]
    assert not one.complaints


@pytest.mark.long
def test_a_table_page_by_page(come, run):
    one = come(run, "?file=table.csv")
    page = one.page
    table = page.get_by_role("table", name="Table of the file")
    page.get_by_text("Rows 1–1,000 of 2,500").wait_for()
    assert table.get_by_role("columnheader").all_inner_texts() == ["step", "loss", "note"]
    assert table.get_by_role("row").nth(1).get_by_role("cell").all_inner_texts() == ["0", "1.0000", 'a, "b" 0']
    assert table.get_by_role("row").count() < 70
    page.get_by_role("button", name="Next rows").click()
    page.get_by_text("Rows 1,001–2,000 of 2,500").wait_for()
    page.get_by_role("button", name="Next rows").click()
    page.get_by_text("Rows 2,001–2,500 of 2,500").wait_for()
    table.get_by_role("cell", name="2000", exact=True).wait_for()
    assert page.get_by_role("button", name="Next rows").is_disabled()
    page.get_by_role("button", name="Previous rows").click()
    table.get_by_role("cell", name="1000", exact=True).wait_for()
    assert not one.complaints


@pytest.mark.long
def test_of_a_huge_file_the_first_part_is_read(come, run):
    """And the next when somebody asks; a line without an end is cut where it is shown."""
    one = come(run)
    page = one.page
    asked = []
    page.on("request", lambda request: asked.append(request.headers.get("range")))
    row(page, "huge.log").click()
    foot = page.locator(".file-foot")
    foot.get_by_text("First 1.0 MiB of 3.0 MiB.").wait_for()
    assert [part for part in asked if part] == [f"bytes=0-{MB - 1}"]
    lines = page.locator(".file-line")
    assert lines.count() < 200
    page.get_by_role("button", name="Read on").click()
    foot.get_by_text("First 2.0 MiB of 3.0 MiB.").wait_for()
    page.get_by_role("button", name="Read on").click()
    foot.wait_for(state="hidden")
    page.get_by_role("region", name="Text of the file").evaluate("(node) => { node.scrollTop = node.scrollHeight; }")
    page.get_by_text(f"line {3 * MB // 13 - 1:07}").wait_for()
    row(page, "wide.txt").click()
    page.get_by_text("and 190,000 more characters").wait_for()
    assert not one.complaints


@pytest.mark.parametrize("name,seen", [("report.html", "Report"), ("drawing.svg", "Drawn")])
def test_nothing_runs_in_a_frame(come, run, trap, name, seen):
    """It is shown with its own looks; no script, no request, no form, no way out."""
    one = come(run, f"?file={name}")
    page = one.page
    frame = page.frame_locator(".file-frame")
    frame.get_by_text(seen).wait_for()
    assert page.locator(".file-frame").get_attribute("sandbox") == ""
    if name == "report.html":
        assert frame.locator("h1").evaluate("(node) => getComputedStyle(node).color") == "rgb(1, 2, 3)"
        frame.get_by_role("button", name="Go").click()
        frame.get_by_role("link", name="out").click()
    frame.get_by_text(seen).wait_for()
    assert page.title().endswith("Cairn") and "stolen" not in page.title() and page.url.endswith(f"?file={name}")
    page.get_by_role("button", name="Source").click()
    page.locator(".file-line").get_by_text("onerror" if name == "report.html" else "onload").wait_for()
    assert trap[1] == []


def test_hostile_names(come, run):
    one = come(run)
    page = one.page
    for name in HOSTILE:
        seen = shown(name).replace("\n", "\\u000a")
        page.get_by_role("row").and_(page.locator(f"[title={json.dumps(seen, ensure_ascii=False)}]")).click()
        page.wait_for_function("(name) => document.querySelector('.file-title h2')?.title === name", arg=seen)
        assert page.locator(".file-title h2").inner_text() == seen
        page.locator(".file-text bdi").first.wait_for()
        page.locator(".file-line").filter(has_text="this is").first.wait_for()
        assert page.locator(".file-line").first.inner_text().startswith("1\nthis is")
        wait_until(lambda name=name: urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)["file"] == [name], what="its address")
    page.reload()
    page.wait_for_function("(name) => document.querySelector('.file-title h2')?.title === name", arg=HOSTILE[-1])
    page.wait_for_function("() => document.title.endsWith('Cairn')")
    assert not one.complaints


@pytest.mark.long
def test_ten_thousand(come, api, db):
    """Only what is seen stands in the document; they are found, and walked by keys alone."""
    many = Run(api, "many", HOME)
    send(many, "seed.txt", "seed")
    db.query("insert into run_file (run_id, name, size_bytes, md5, content, user_id, client, updated_at)"
             " select run_id, 'part-' || mod(n, 100) || '/file-' || n || '.txt', size_bytes, md5, content, user_id, client, updated_at"
             " from run_file, generate_series(1, 9999) n where name = 'seed.txt'")
    one = come(many)
    page = one.page
    page.get_by_text("10,000 files").wait_for()
    tree = page.get_by_role("treegrid")
    assert int(tree.get_attribute("aria-rowcount")) == 101 and tree.get_by_role("row").count() < 70
    tree.get_by_role("row").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="part-0/file-100.txt").wait_for()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.activeElement.getAttribute('aria-expanded') === 'false'")
    page.keyboard.press("End")
    page.wait_for_function("() => document.activeElement.title === 'seed.txt'")
    page.get_by_label("Find files").focus()
    tree.evaluate("one => one.scrollTo(0, 0)")
    page.wait_for_function("() => document.querySelector('[role=treegrid]').tabIndex === 0")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.wait_for_function("() => document.activeElement.title === 'seed.txt'")
    page.get_by_label("Find files").fill("file-9999.")
    page.get_by_text("1 of 10,000").wait_for()
    row(page, "file-9999.txt").click()
    page.get_by_role("heading", name="part-99/file-9999.txt").wait_for()
    page.get_by_label("Find files").fill("nothing like it")
    page.get_by_text("No file matches.").wait_for()
    assert not one.complaints


def test_what_is_sent_meanwhile(come, api):
    """New files come by themselves; one that is shown and was sent again says so."""
    live = Run(api, "live", HOME)
    one = come(live)
    page = one.page
    page.clock.install()
    page.reload()
    page.get_by_text("No files have been sent.").wait_for()
    assert not page.get_by_text("Choose a file").is_visible()
    send(live, "a.txt", "first")
    page.clock.fast_forward(5000)  # they are read anew so often
    row(page, "a.txt").wait_for()
    page.get_by_text("Choose a file").wait_for()
    pick(page, "a.txt")
    page.locator(".file-line").get_by_text("first").wait_for()
    send(live, "a.txt", "second one")
    page.clock.fast_forward(5000)
    page.get_by_text("A newer version of the file was sent.").wait_for()
    page.get_by_role("button", name="Show it as it is now").click()
    page.locator(".file-line").get_by_text("second one").wait_for()
    api.delete(f"{live.path}/files/a.txt")
    page.reload()
    page.get_by_text("The file a.txt no longer exists.").wait_for()
    assert not one.complaints


@pytest.mark.long
def test_what_was_sent_last(come, api):
    """Just before the end of the run, which is told sooner than files are read again."""
    brief = Run(api, "brief", HOME)
    writer = brief.join("rank0")
    page = come(brief).page
    page.get_by_text("No files have been sent.").wait_for()
    send(brief, "last.txt", "the last")
    writer.finish()
    page.locator(".run-head").get_by_text("finished").wait_for()
    row(page, "last.txt").wait_for()


@pytest.mark.parametrize("size, scheme", WIDE_LOOK)
def test_for_everybody(come, run, scheme, size):
    one = come(run, color_scheme=scheme, viewport=SIZES[size])
    page = one.page
    for name, seen in (("table.csv", "Rows 1–1,000"), ("data.json", "many"), ("config.yaml", "model: moe"), ("media/plot.png", "pixels"),
                       ("report.html", "Shown without scripts")):
        page.goto(page.url.partition("?")[0] + f"?file={name}")
        page.locator(".file-place").get_by_text(seen).first.wait_for()
        assert faults_of(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    if size == "narrow":
        page.get_by_role("button", name="Files", exact=True).click()
        page.get_by_role("treegrid").wait_for()
        assert faults_of(page) == []
        pick(page, "config.yaml")
