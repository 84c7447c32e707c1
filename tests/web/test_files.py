"""How the files of the page are served: by version, compressed, kept for ever; pages are not kept."""
import gzip
import os
import pathlib
import re
import threading

import pytest

from rest import Api
from server import Server

PLAIN = pathlib.Path(__file__).resolve().parents[2] / "web-static"
BUNDLED = pathlib.Path(os.environ.get("CAIRN_BUILD", "build/dev")) / "page"
ROOT = BUNDLED if BUNDLED.is_dir() else PLAIN
FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
               if path.is_file() and not path.name.startswith("package"))
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@pytest.fixture
def api(server):
    made = Api(server)
    yield made
    made.close()


def get(api, path, method="GET", **headers):
    return api.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()}, check=False)


def folder_of(api, path="/authorize", **headers):
    return re.search(r'src="([^"]*/static/[0-9a-f]{16})/js/main.js"', get(api, path, **headers).text)[1]


def test_uplot(api):
    """It is fetched by the build and served beside the page's own; what npm has to know is not."""
    folder = folder_of(api)
    module = get(api, f"{folder}/lib/uplot.js")
    assert (module.status, module.content_type) == (200, "text/javascript")
    assert "uPlot" in module.text and module.text.endswith("export default uPlot;\n")
    assert get(api, f"{folder}/lib/uplot.css").status == 200
    assert get(api, f"{folder}/package.json").status == 404


def test_packed_by_the_build(api):
    """What is shipped is smaller than what zlib makes of it at the start."""
    said = (BUNDLED.parent / "CMakeCache.txt").read_text()
    if not re.search(r"^CAIRN_ZOPFLI:\w+=/", said, re.M) or not re.search(r"^CMAKE_BUILD_TYPE:\w+=\w*Rel", said, re.M):
        pytest.skip("built without zopfli, or not to be shipped")
    packed = get(api, f"{folder_of(api)}/css/page.css", Accept_Encoding="gzip")
    plain = (BUNDLED / "css/page.css").read_bytes()
    assert gzip.decompress(packed.body) == plain and len(packed.body) < 0.98 * len(gzip.compress(plain, 9))


def test_every_file(api):
    folder = folder_of(api)
    for name in FILES:
        plain = get(api, f"{folder}/{name}")
        assert (plain.status, plain.content_type) == (200, TYPES[pathlib.Path(name).suffix])
        assert plain.body == (ROOT / name).read_bytes()
        assert "immutable" in plain.headers["Cache-Control"] and plain.headers["X-Content-Type-Options"] == "nosniff"
        packed = get(api, f"{folder}/{name}", Accept_Encoding="gzip")
        if "Content-Encoding" in packed.headers:
            assert gzip.decompress(packed.body) == plain.body and len(packed.body) < len(plain.body)
            assert packed.headers["ETag"] != plain.headers["ETag"] and packed.headers["Vary"] == "Accept-Encoding"
        for answer in (plain, packed):
            known = get(api, f"{folder}/{name}", Accept_Encoding=answer.headers.get("Content-Encoding", "identity"),
                        If_None_Match=f'"x", W/{answer.headers["ETag"]}')
            assert (known.status, known.body) == (304, b"")
        head = get(api, f"{folder}/{name}", method="HEAD")
        assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", str(len(plain.body)))


def test_no_text_becomes_elements():
    """Nor code: what is said by data is text in all of our modules."""
    makes = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function")
    assert {file.name for file in PLAIN.rglob("*.js") if "lib" not in file.parts and makes.search(file.read_text())} == set()


def test_what_is_no_file(api):
    folder = folder_of(api)
    for path in (f"{folder}/js/none.js", f"{folder}/", folder, "/static/js/main.js", "/static", "/static/",
                 f"{folder}/js", f"/static/{'0' * 16}/js/main.js", f"{folder}/../{folder}/js/main.js",
                 f"{folder}//js/main.js", f"{folder}/js%2Fmain.js%00"):
        assert get(api, path).status in (400, 404), path
    assert get(api, f"{folder}/js/main.js", method="POST").status == 405
    assert get(api, f"{folder}/js/main.js", method="OPTIONS").headers["Allow"] == "OPTIONS, GET, HEAD"


@pytest.mark.parametrize("path", ["/login", "/authorize", "/authorize?ref=models&signup=true&x"])
def test_pages(api, path):
    page = get(api, path)
    assert (page.status, page.content_type) == (200, "text/html")
    assert page.headers["Cache-Control"] == "no-store"
    policy = page.headers["Content-Security-Policy"]
    assert {"default-src 'self'", "img-src 'self' data: blob:", "frame-ancestors 'self'", "object-src 'none'",
            "base-uri 'none'", "form-action 'self'"} == set(policy.split("; "))
    assert not re.search(r"<script(?![^>]* src=)|<style| style=| on[a-z]+=", page.text)
    assert "{" not in page.text


def test_pages_know_where_they_are(place, keys):
    with Server(place.db.url, place.secret_file, path_prefix="/cairn", trusted_proxies="127.0.0.1") as server:
        api = Api(server)
        assert folder_of(api, "/cairn/login").startswith("/cairn/static/")
        outer = folder_of(api, "/cairn/login", X_Forwarded_Prefix="/lab")
        assert outer.startswith("/lab/cairn/static/")
        odd = get(api, "/cairn/login", X_Forwarded_Prefix='/"><script>alert(1)</script>').text
        assert "alert(1)" not in odd and folder_of(api, "/cairn/login") in odd
        assert get(api, folder_of(api, "/cairn/login") + "/js/main.js").status == 200
        assert get(api, folder_of(api, "/cairn/login").removeprefix("/cairn") + "/js/main.js").status == 404
        api.close()


def test_a_file_that_goes_while_it_is_asked_for(place, tmp_path):
    """An editor takes a file away and puts it back: it is there or not, and the server goes on."""
    file = tmp_path / "index.js"
    stop = threading.Event()

    def replace():
        while not stop.is_set():
            file.write_text("there")
            file.unlink()

    with Server(place.db.url, place.secret_file, web_dir=tmp_path) as server:
        api = Api(server)
        editor = threading.Thread(target=replace)
        editor.start()
        try:
            seen = {get(api, "/static/folder/index.js").status for _ in range(3000)}
        finally:
            stop.set()
            editor.join()
        assert seen <= {200, 404}
        api.close()


def test_from_a_folder(place, tmp_path):
    """What is saved is served; no link leads out of it; what it lacks is compiled in."""
    (tmp_path / "secret.js").write_text("outside")
    web = tmp_path / "web"
    (web / "js").mkdir(parents=True)
    (web / "js/main.js").write_text("first")
    (web / "js/out.js").symlink_to(tmp_path / "secret.js")
    (web / "away").symlink_to(tmp_path)
    (web / "js/.hidden.js").write_text("hidden")
    (web / "large.js").open("wb").truncate((16 << 20) + 1)
    with Server(place.db.url, place.secret_file, web_dir=web) as server:
        api = Api(server)
        assert 'src="/static/folder/js/main.js"' in get(api, "/login").text
        for text in "first", "second", "":
            (web / "js/main.js").write_text(text)
            answer = get(api, "/static/folder/js/main.js", Accept_Encoding="gzip")
            assert (answer.status, answer.text, answer.headers["Cache-Control"]) == (200, text, "no-store")
            assert answer.content_type == "text/javascript"
        for path in ("js/out.js", "away/secret.js", "away/web/js/main.js", "js/.hidden.js", "js", "", "js/", "js//main.js",
                     "../secret.js", "%2e%2e/secret.js", "js/main.js/", "large.js", "js/main.js%00", "x" * 300):
            assert get(api, f"/static/folder/{path}").status in (400, 404), path
        assert get(api, "/static/folder/icon.svg").body == (PLAIN / "icon.svg").read_bytes()
        (web / "index.html").write_text("<p>{static}</p>")
        assert get(api, "/login").text == "<p>/static/folder</p>"
        api.close()


def test_a_folder_that_is_not_there(place, tmp_path):
    with pytest.raises(RuntimeError, match="web_dir"):
        Server(place.db.url, place.secret_file, web_dir=tmp_path / "none").start()


def test_one_version_of_all(api, place, keys):
    """Servers of one release answer for each other."""
    with Server(place.db.url, place.secret_file) as other:
        at_other = Api(other)
        assert folder_of(at_other) == folder_of(api)
        at_other.close()
