"""Files of runs: sent with a key or by a link, listed, read, deleted, given up."""
import base64
import hashlib
import http.client
import io
import os
import re
import tarfile
import urllib.parse

import pytest

from artifacts import Collection
from rest import Api
from runs import Run, turn_ring
from server import cairnd_run, files_dir
from uploads import Torn, below, blocks, contents, incoming, links, names, put

HOUR = 3600
MB = 1 << 20


def short(run):
    """The path that the SDK knows."""
    return run.path.replace("/api/v1/projects", "/files").replace("/runs/", "/")


def get(run, name, **headers):
    return run.api.raw("GET", f"{run.path}/files/{name}", headers=headers)


def one_run(place, keys, **settings):
    """On a server with settings of its own."""
    place.settings = settings
    return Run(Api(place.server(0), keys["ann"]))


# --- by a link

def test_upload_by_a_link_list_and_download(run, stranger):
    content = os.urandom(3_000_000)
    [link] = links(run, "media/images/a b%.png")
    assert stranger.raw("PUT", link, content).status == 204
    [file] = run.api.pages(f"{run.path}/files")
    assert file["name"] == "media/images/a b%.png" and file["bytes"] == len(content)
    assert file["md5"] == hashlib.md5(content).hexdigest()
    assert (file["content_type"], file["user"], file["writer"]) == ("image/png", "ann", None)
    assert stranger.raw("GET", below(file["link"])).body == content
    got = run.api.raw("GET", f"{short(run)}/media/images/a%20b%25.png")
    assert (got.status, got.body, got.content_type) == (200, content, "image/png")
    assert stranger.raw("GET", f"{short(run)}/media/images/a%20b%25.png").status == 401


def test_a_link_is_what_it_says_and_no_more(run, stranger, api):
    """Whatever is changed in it: 403. Used again: the name leads to what came last."""
    link, = links(run, "a.txt")
    other = Run(api, "r2", project=run.path.rsplit("/runs/", 1)[0])
    number = re.search(r"/storage/(\d+)/", link)[1]
    other_number = re.search(r"/storage/(\d+)/", links(other, "a.txt")[0])[1]
    flipped = link[:-1] + ("A" if link[-1] != "A" else "B")
    wrong = [link.replace("a.txt", "b.txt"), link.replace(number, other_number), flipped,
             re.sub(r"expires=(\d)", r"expires=9\1", link), re.sub(r"user=\d+", "user=1", link), link + "&client=me",
             re.sub(r"&signature=.*", "", link), re.sub(r"\?.*", "", link), link.replace("a.txt", "a.txt%20")]
    for path in wrong:
        stranger.refused(403, "link-forged", "PUT", path, b"x", content_type=None)
    stranger.refused(403, "link-forged", "GET", link)
    assert names(run) == names(other) == []
    for content in (b"one", b"one", b"another"):
        assert stranger.raw("PUT", link, content).status == 204
        assert get(run, "a.txt").body == content
    [file] = run.api.pages(f"{run.path}/files")
    stranger.refused(403, "link-forged", "PUT", below(file["link"]), b"x", content_type=None)
    api.delete(run.path)
    stranger.refused(410, "gone", "PUT", link, b"x", content_type=None)
    stranger.refused(410, "gone", "GET", below(file["link"]))


@pytest.mark.own
def test_a_link_expires(run, stranger, shift_clock):
    link, = links(run, "a.txt")
    assert stranger.raw("PUT", link, b"x").status == 204
    reading = below(run.api.pages(f"{run.path}/files")[0]["link"])
    shift_clock(25 * HOUR)
    stranger.refused(403, "link-expired", "PUT", link, b"y", content_type=None)
    stranger.refused(403, "link-expired", "GET", reading)
    assert get(run, "a.txt").body == b"x"


@pytest.mark.own
def test_a_link_goes_with_the_right(place, keys, db, secret_file, stranger):
    """Of whom it was made for: who may not write any more, or is disabled, has links that do not, either."""
    server = place.server(0)
    mel, bob = Api(server, keys["mel"]), Api(server, keys["bob"])
    run = Run(mel, project="/api/v1/projects/lab/p")
    writing, other = links(run, "a.txt", "b.txt")
    assert stranger.raw("PUT", writing, b"one").status == 204
    reading = below(run.api.pages(f"{run.path}/files")[0]["link"])
    cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "mel", "--role", "viewer")
    stranger.refused(403, "forbidden", "PUT", writing, b"two", content_type=None)
    assert stranger.raw("GET", reading).body == b"one"
    cairnd_run(db.url, secret_file, "team", "member", "remove", "lab", "mel")
    stranger.refused(403, "forbidden", "GET", reading)
    cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "mel", "--role", "member")
    assert stranger.raw("PUT", other, b"three").status == 204
    cairnd_run(db.url, secret_file, "user", "disable", "mel")
    stranger.refused(403, "forbidden", "PUT", writing, b"two", content_type=None)
    stranger.refused(403, "forbidden", "GET", reading)
    assert bob.raw("GET", f"{run.path}/files/a.txt").body == b"one"
    mel.close()
    bob.close()


@pytest.mark.own
def test_a_link_goes_with_the_key_it_was_made_with(api, db, secret_file, tmp_path, stranger):
    """And with its scope; those made with another key of the same user work on."""
    def key(scope):
        file = tmp_path / scope
        cairnd_run(db.url, secret_file, "key", "create", "--user", "ann", "--scope", scope, "--key-file", str(file))
        return file.read_text().strip(), db.value("select max(key_id) from api_key")

    run = Run(api)
    kept, = links(run, "a.txt")
    made, number = key("write")
    writing, = links(Run(api.as_user(made), make=False), "a.txt")
    assert stranger.raw("PUT", writing, b"one").status == 204
    reading, kept_reading = (below(a.pages(f"{run.path}/files")[0]["link"]) for a in (api.as_user(made), api))
    torn = Torn(api.server, writing)
    cairnd_run(db.url, secret_file, "key", "revoke", str(number))
    stranger.refused(403, "forbidden", "PUT", writing, b"two", content_type=None)
    stranger.refused(403, "forbidden", "GET", reading)
    assert torn.finish() == 403  # it was under way
    assert stranger.raw("GET", kept_reading).body == b"one"
    assert stranger.raw("PUT", kept, b"three").status == 204


@pytest.mark.own
def test_a_link_goes_with_the_session_it_was_made_with(api, server, db, secret_file, tmp_path, stranger):
    password = tmp_path / "password"
    password.write_text("correct horse")
    cairnd_run(db.url, secret_file, "user", "passwd", "ann", "--password-file", str(password))
    run = Run(api)
    run.api.put(f"{run.path}/files/a.txt", b"one", content_type=None)

    def sign_in():
        answer = stranger.request("POST", "/api/v1/session", {"name": "ann", "password": "correct horse"},
                                  headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status in (200, 201), answer
        return {"Cookie": answer.headers["Set-Cookie"].split(";")[0], "Sec-Fetch-Site": "same-origin"}

    def reading(cookie):
        return below(stranger.request("GET", f"{run.path}/files", headers=cookie).json["items"][0]["link"])

    one, other = sign_in(), sign_in()
    first, second = reading(one), reading(other)
    assert [stranger.raw("GET", link).body for link in (first, second)] == [b"one", b"one"]
    assert stranger.request("DELETE", "/api/v1/session", headers=one).status == 204
    stranger.refused(403, "forbidden", "GET", first)
    assert stranger.raw("GET", second).body == b"one"


@pytest.mark.own
def test_a_link_goes_with_what_was_public(api, home, stranger, keys):
    """Also one that was made for nobody, or for somebody who has no role there."""
    api.put(home, {"visibility": "public"})
    run = Run(api, project=home)
    run.api.put(f"{run.path}/files/a.txt", b"one", content_type=None)
    mel = api.as_user(keys["mel"])
    theirs = [below(a.pages(f"{run.path}/files")[0]["link"]) for a in (stranger, mel)]
    own = below(api.pages(f"{run.path}/files")[0]["link"])
    for path in home, run.path:
        assert [stranger.raw("GET", link).status for link in theirs] == [200, 200]
        api.patch(path, {"visibility": "private"})
        for link in theirs:
            stranger.refused(403, "forbidden", "GET", link)
        assert stranger.raw("GET", own).body == b"one"
        api.patch(path, {"visibility": "public"})


@pytest.mark.own
def test_links_behind_a_proxy(place, keys):
    """They are as clients write the server."""
    place.settings = {"trusted_proxies": "127.0.0.1", "path_prefix": "/cairn"}
    server = place.server(0)
    api = Api(server, keys["ann"])
    path = "/cairn/api/v1/projects/ann/proxied/runs/r1"
    assert api.raw("PUT", path, b"{}", {"Content-Type": "application/json"}).status == 201
    headers = {"X-Forwarded-Host": "ml.example.org", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/tools",
               "Content-Type": "application/json"}
    answer = api.raw("POST", f"{path}/files", b'{"names":["a"]}', headers)
    link = answer["items"][0]["link"]
    assert link.startswith("https://ml.example.org/tools/cairn/storage/"), link
    assert api.as_user(None).raw("PUT", below(link).removeprefix("/tools"), b"x").status == 204
    plain = api.raw("POST", f"{path}/files", b'{"names":["a"]}', {"Content-Type": "application/json"})
    assert plain["items"][0]["link"].startswith(f"http://127.0.0.1:{server.port}/cairn/storage/")
    api.close()


@pytest.mark.own
def test_links_begin_with_the_public_url(place, keys):
    run = one_run(place, keys, public_url="https://cairn.example.org/x/")
    answer = run.api.post(f"{run.path}/files", {"names": ["a"]}).json
    assert answer["items"][0]["link"].startswith("https://cairn.example.org/x/storage/")
    told = run.api.raw("OPTIONS", f"{short(run)}/a", headers={"Origin": "https://cairn.example.org"})
    assert told.headers["Access-Control-Allow-Origin"] == "https://cairn.example.org"


# --- names

GOOD = ["a", "a b", "%41", "a+b", "ü", "u\u0308", "日本/図.png", ".hidden", "a..b", "x/y/z/" * 8 + "w", "q?x=1#y", "CON",
        "a:b", "~/x", "line\nend", "n" * 1024]


def test_names_are_kept_as_they_are(run):
    for i, name in enumerate(GOOD):
        assert put(run, urllib.parse.quote(name), f"{i}".encode())["name"] == name
    assert names(run) == sorted(GOOD, key=lambda name: name.encode())
    for i, name in enumerate(GOOD):
        assert get(run, urllib.parse.quote(name)).body == f"{i}".encode(), name
        assert get(run, "./" + urllib.parse.quote(name)).body == f"{i}".encode(), name
    assert get(run, "x/./y/%2e/z/" + "x/y/z/" * 7 + "w").status == 200
    run.api.delete(f"{run.path}/files/./a")
    run.api.refused(404, "not-found", "DELETE", f"{run.path}/files/a")
    assert "a" not in names(run)


@pytest.mark.parametrize("name", ["..", "../x", "a/../b", "a/%2e%2e/b", "a%2f..%2fb", "%2fetc/passwd", "a%00b",
                                  "a//b", "a/", "a%2F", "%FF", ".", "./.", "n" * 1025])
def test_names_that_lead_elsewhere(run, name, folder):
    before = contents(folder)
    for method, body in (("PUT", b"x"), ("GET", None), ("DELETE", None)):
        answer = run.api.raw(method, f"{run.path}/files/{name}", body)
        assert answer.status == 400, f"{method} {name}: {answer}"
        assert run.api.raw(method, f"/storage/1/{name}", body).status in (400, 405)
    assert names(run) == [] and contents(folder) == before


def test_a_backslash(run, folder):
    """A file of the wandb SDK can be read by such a name (tests/wandb/test_odd_files.py); none is put or deleted."""
    before = contents(folder)
    run.api.refused(400, "invalid", "PUT", f"{run.path}/files/a%5cb", b"x")
    run.api.refused(404, "not-found", "GET", f"{run.path}/files/a%5cb")
    run.api.refused(400, "invalid", "DELETE", f"{run.path}/files/a%5cb")
    assert names(run) == [] and contents(folder) == before


def test_names_in_a_body(run):
    for bad in ("/etc/passwd", "../x", "", "a\\b", "a//b"):
        run.api.refused(400, "invalid", "POST", f"{run.path}/files", {"names": ["fine", bad]})
    assert run.api.refused(400, "invalid", "POST", f"{run.path}/files", {"names": ["a", ".."]})["field"] == "names[1]"
    run.api.refused(400, "invalid", "POST", f"{run.path}/files", {"names": []})


def test_list_by_pattern_and_page(run):
    made = [f"media/{kind}/{i:02}_{kind}.png" for kind in ("a", "b") for i in range(6)] + ["config.yaml", "100%.txt"]
    for name in made:
        put(run, urllib.parse.quote(name), name.encode())
    assert names(run, limit=5) == sorted(made)
    assert names(run, pattern="media/a/%", limit=4) == sorted(n for n in made if n.startswith("media/a/"))
    assert names(run, pattern="%_a.png") == sorted(n for n in made if n.endswith("a.png"))
    assert names(run, pattern="%.____") == ["config.yaml"]
    assert names(run, pattern=r"100\%%") == ["100%.txt"]
    assert names(run, pattern="") == []
    run.api.refused(400, "invalid", "GET", f"{run.path}/files", query={"pattern": "a\\"})


# --- what is sent back

def test_parts_of_a_file(run):
    content = bytes(range(256)) * 4000
    put(run, "a.bin", content)
    size = len(content)
    for asked, first, last in (("0-0", 0, 0), ("5-9", 5, 9), (f"{size - 1}-", size - 1, size - 1), ("-7", size - 7, size - 1),
                               (f"-{size * 2}", 0, size - 1), (f"100-{size * 2}", 100, size - 1), ("300000-900000", 300000, 900000)):
        got = get(run, "a.bin", Range=f"bytes={asked}")
        assert (got.status, got.headers["Content-Range"]) == (206, f"bytes {first}-{last}/{size}"), asked
        assert got.body == content[first:last + 1], asked
    for asked in (f"{size}-", f"{size + 5}-{size + 9}", "-0"):
        got = get(run, "a.bin", Range=f"bytes={asked}")
        assert (got.status, got.problem, got.headers["Content-Range"]) == (416, "no-range", f"bytes */{size}"), asked
    for asked in ("bytes=0-1,5-6", "bytes=9-5", "bytes=x-y", "bytes=", "lines=0-1", "bytes=--5"):
        assert (get(run, "a.bin", Range=asked).status, get(run, "a.bin", Range=asked).body) == (200, content), asked
    tag = get(run, "a.bin").headers["ETag"]
    assert get(run, "a.bin", Range="bytes=0-1", **{"If-Range": tag}).status == 206
    assert get(run, "a.bin", Range="bytes=0-1", **{"If-Range": '"other"'}).body == content
    put(run, "empty", b"")
    assert (get(run, "empty").status, get(run, "empty").body) == (200, b"")
    assert get(run, "empty", Range="bytes=0-0").status == 416


def test_the_same_is_not_sent_again(run):
    put(run, "a.txt", b"one")
    tag = get(run, "a.txt").headers["ETag"]
    again = get(run, "a.txt", **{"If-None-Match": tag})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
    put(run, "a.txt", b"two")
    changed = get(run, "a.txt", **{"If-None-Match": tag})
    assert changed.body == b"two" and changed.headers["ETag"] != tag
    put(run, "copy.txt", b"one")
    assert get(run, "copy.txt").headers["ETag"] == tag
    head = run.api.raw("HEAD", f"{run.path}/files/a.txt")
    assert (head.status, head.headers["Content-Length"], head.body) == (200, "3", b"")


@pytest.mark.parametrize("name,kind,shown", [
    ("a.png", "image/png", True), ("a.json", "application/json", True), ("a.txt", "text/plain", True),
    ("a.html", "text/html", False), ("a.HTM", "text/html", False), ("a.svg", "image/svg+xml", False),
    ("a.xml", "application/xml", False), ("a.js", "text/javascript", False), ("a.html.zzz", "application/octet-stream", False),
    ("a", "application/octet-stream", False), ("a.pdf", "application/pdf", False)])
def test_no_file_is_a_page_of_ours(run, stranger, name, kind, shown):
    """By its name alone, whatever it holds and its sender says; sandboxed, and nothing is guessed."""
    link, = links(run, name)
    script = b"<html><script>alert(1)</script>"
    assert stranger.raw("PUT", link, script, {"Content-Type": "text/html"}).status == 204
    for got in (get(run, name), stranger.raw("GET", below(run.api.pages(f"{run.path}/files")[0]["link"]))):
        assert got.content_type == kind and got.headers["X-Content-Type-Options"] == "nosniff"
        assert got.headers["Content-Disposition"].split(";")[0] == ("inline" if shown else "attachment")
        policy = got.headers["Content-Security-Policy"]
        assert "sandbox" in policy and "default-src 'none'" in policy and "script-src" not in policy
        assert got.body == script


@pytest.mark.parametrize("name", ["a.html", "a.svg", "a.js", "a.png"])
def test_framed(run, name):
    """Shown in a frame, where nothing runs and nothing is asked for; a page of its own is saved as ever."""
    put(run, name, b"<script>alert(1)</script>")
    got = run.api.raw("GET", f"{run.path}/files/{name}?framed=true")
    assert got.headers["Content-Disposition"].startswith("inline;") and got.headers["X-Content-Type-Options"] == "nosniff"
    assert set(got.headers["Content-Security-Policy"].split("; ")) == {
        "default-src 'none'", "img-src data:", "media-src data:", "font-src data:", "style-src 'unsafe-inline'",
        "frame-ancestors 'self'", "sandbox"}
    inside = run.api.raw("GET", f"{run.path}/files/{name}?framed=true", headers={"Sec-Fetch-Dest": "iframe"})
    assert inside.headers["Content-Security-Policy"] == got.headers["Content-Security-Policy"]
    alone = run.api.raw("GET", f"{run.path}/files/{name}?framed=true", headers={"Sec-Fetch-Dest": "document"})
    usual = get(run, name)
    for header in ("Content-Disposition", "Content-Security-Policy"):
        assert alone.headers[header] == usual.headers[header], header
    run.api.refused(400, "invalid", "GET", f"{run.path}/files/{name}", query={"framed": "yes"})
    runs = run.api.raw("GET", f"{run.path}/files/{name}?framed=true&scripts=true", headers={"Sec-Fetch-Dest": "iframe"})
    policy = runs.headers["Content-Security-Policy"].split("; ")
    assert runs.headers["Content-Disposition"].startswith("inline;") and "frame-ancestors 'self'" in policy
    assert {"default-src 'none'", "sandbox allow-scripts"} <= set(policy), "an origin of its own, and no requests"
    assert not any("self" in part or "http" in part for part in policy if not part.startswith("frame-ancestors")), policy
    alone = run.api.raw("GET", f"{run.path}/files/{name}?framed=true&scripts=true", headers={"Sec-Fetch-Dest": "document"})
    assert alone.headers["Content-Security-Policy"] == usual.headers["Content-Security-Policy"]
    assert "sandbox allow-scripts" in policy and runs.headers["Cache-Control"] == "no-store"
    run.api.refused(400, "invalid", "GET", f"{run.path}/files/{name}", query={"scripts": "true"})


@pytest.mark.parametrize("page, runs", [(None, False), ("http://elsewhere.test/a", False), ("http://127.0.0.1:PORT.elsewhere.test/", False),
                                        ("http://elsewhere.test/http://127.0.0.1:PORT/", False), ("data:text/html,a", False),
                                        ("http://127.0.0.1:PORT/", True), ("http://127.0.0.1:PORT", True), ("http://127.0.0.1:PORT/ann/p?q=a", True)])
def test_scripts_run_for_our_pages_only(run, page, runs):
    """By plain http a browser does not say what it wants to show: a link would make a page under our address."""
    put(run, "a.html", b"<script>alert(1)</script>")
    headers = {} if page is None else {"Referer": page.replace("PORT", str(run.api.server.port))}
    got = run.api.raw("GET", f"{run.path}/files/a.html?framed=true&scripts=true", headers=headers)
    again = run.api.raw("GET", f"{run.path}/files/a.html?framed=true&scripts=true", headers={**headers, "If-None-Match": got.headers["ETag"]})
    assert ("sandbox allow-scripts" in got.headers["Content-Security-Policy"]) == runs
    assert again.status == (200 if runs else 304), "no answer that runs is taken from a cache"


def test_a_name_cannot_add_a_header(run):
    name = 'a"\r\nSet-Cookie: x=1;é.txt'
    put(run, urllib.parse.quote(name), b"x")
    got = get(run, urllib.parse.quote(name))
    assert got.status == 200 and "Set-Cookie" not in got.headers
    assert got.headers["Content-Disposition"] == f"inline; filename*=UTF-8''{urllib.parse.quote(name, safe='')}"


def test_pages_may_ask(run, stranger, server):
    """Our own may read by key, any may follow a link; what others ask is let alone."""
    own, foreign = f"http://127.0.0.1:{server.port}", "https://evil.example"
    asked = {"Origin": own, "Access-Control-Request-Method": "GET"}
    told = stranger.raw("OPTIONS", f"{short(run)}/a.png", headers=asked)
    assert told.status == 204 and told.headers["Access-Control-Allow-Origin"] == own
    put(run, "a.png", b"x")
    assert get(run, "a.png", Origin=own).headers["Access-Control-Allow-Origin"] == own
    assert "Access-Control-Allow-Origin" not in get(run, "a.png", Origin=foreign).headers
    assert "Access-Control-Allow-Origin" not in run.api.raw("GET", run.path, headers={"Origin": own}).headers
    link = below(run.api.pages(f"{run.path}/files")[0]["link"])
    assert stranger.raw("GET", link, headers={"Origin": foreign}).headers["Access-Control-Allow-Origin"] == "*"
    asked = {"Origin": foreign, "Access-Control-Request-Method": "PUT"}
    told = stranger.raw("OPTIONS", link, headers=asked)
    assert told.headers["Access-Control-Allow-Origin"] == "*" and "PUT" in told.headers["Access-Control-Allow-Methods"]


# --- what comes in

def test_a_torn_upload_changes_nothing(run, server, keys, folder, wait_for):
    put(run, "a.bin", b"before")
    kept = contents(folder)
    torn = Torn(server, f"{run.path}/files/a.bin", keys["ann"])
    wait_for(lambda: sum(p.stat().st_size for p in incoming(folder)) > 4 * MB)
    assert get(run, "a.bin").body == b"before"
    torn.close()
    wait_for(lambda: not incoming(folder))
    assert get(run, "a.bin").body == b"before" and contents(folder) == kept


@pytest.mark.own
def test_a_server_that_was_killed_leaves_nothing(place, keys, wait_for, secret_file):
    folder = files_dir(place.db.url, secret_file)
    first, second = place.new_server().start(), place.new_server().start()
    try:
        api = Api(first, keys["ann"])
        run = Run(api)
        torn = [Torn(server, f"{run.path}/files/a.bin", keys["ann"]) for server in (first, second)]
        wait_for(lambda: sum(p.stat().st_size > 4 * MB for p in incoming(folder)) == 2)
        first.kill()
        api.close()
        first.start()
        assert len(incoming(folder)) == 1, "of the server that lives nothing is removed"
        assert "incomplete uploads removed" in first.log()
        assert names(Run(Api(first, keys["ann"]), make=False)) == []
        for one in torn:
            one.close()
        wait_for(lambda: not incoming(folder))
    finally:
        for server in (first, second):
            server.stop()
            server.remove()


@pytest.mark.long
def test_memory_is_bounded(run, server, keys):
    """A file of 300 MiB, of a length that is told and of one that is not, and back."""
    put(run, "warm", b"x" * MB)
    before = server.memory("VmHWM")
    for headers in ({"Content-Length": str(300 * MB)}, {"Transfer-Encoding": "chunked"}):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        connection.request("PUT", f"{run.path}/files/large.bin", blocks(300),
                           {"Authorization": f"Bearer {keys['ann']}", **headers},
                           encode_chunked="Transfer-Encoding" in headers)
        answer = connection.getresponse()
        assert answer.status == 200 and answer.read()
        connection.request("GET", f"{run.path}/files/large.bin", headers={"Authorization": f"Bearer {keys['ann']}"})
        answer, digest, size = connection.getresponse(), hashlib.md5(), 0
        while piece := answer.read(MB):
            digest.update(piece)
            size += len(piece)
        connection.close()
        [file] = run.api.pages(f"{run.path}/files", pattern="large%")
        assert (size, file["bytes"], file["md5"]) == (300 * MB, 300 * MB, digest.hexdigest())
    assert server.memory("VmHWM") - before < 60 * MB


def test_content_is_kept_once(run, api, folder):
    before = set(contents(folder))
    content = os.urandom(MB)
    other = Run(api, "other", project=run.path.rsplit("/runs/", 1)[0])
    for one, name in ((run, "a"), (run, "b"), (other, "a")):
        put(one, name, content)
    [kept] = set(contents(folder)) - before
    assert kept == hashlib.blake2b(content, digest_size=32).hexdigest()
    assert get(other, "a").body == content


def test_md5_that_was_sent(run):
    good = base64.b64encode(hashlib.md5(b"abc").digest()).decode()
    assert put(run, "a", b"abc", **{"Content-MD5": good}).status == 200
    run.api.refused(400, "invalid", "PUT", f"{run.path}/files/a", b"abd", headers={"Content-MD5": good})
    run.api.refused(400, "invalid", "PUT", f"{run.path}/files/a", b"abc", headers={"Content-MD5": "x"})
    assert get(run, "a").body == b"abc"


def test_files_come_as_they_are(run):
    run.api.refused(415, "unsupported-media", "PUT", f"{run.path}/files/a", b"abc", headers={"Content-Encoding": "gzip"})
    run.api.refused(405, "method-not-allowed", "PATCH", f"{run.path}/files/a", b"abc")


@pytest.mark.own
def test_a_file_that_is_too_large(place, keys, folder, wait_for):
    run = one_run(place, keys, max_file="1M")
    assert put(run, "a", b"x" * MB).status == 200
    run.api.refused(413, "too-large", "PUT", f"{run.path}/files/b", b"x" * (MB + 1), content_type=None)
    connection = http.client.HTTPConnection("127.0.0.1", run.api.server.port, timeout=60)
    connection.request("PUT", f"{run.path}/files/b", blocks(3), {"Authorization": f"Bearer {keys['ann']}"},
                       encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()
    assert names(run) == ["a"]
    wait_for(lambda: not incoming(folder))


@pytest.mark.own
def test_many_at_once_within_the_memory(place, keys, folder, wait_for):
    """More than there is room for: who finds none is told to come again, and others are answered meanwhile."""
    run = one_run(place, keys, memory="32M", search_memory=0, max_body="4M")
    torn = [Torn(run.api.server, f"{run.path}/files/{i}", keys["ann"], MB, MB - 1) for i in range(110)]
    wait_for(lambda: len(incoming(folder)) > 20)
    assert run.api.get("/api/v1/server").status == 200
    for one in torn:
        one.close()
    wait_for(lambda: not incoming(folder))
    assert names(run) == [] and put(run, "a", b"x").status == 200


@pytest.mark.own
def test_a_full_disk_is_told(place, keys):
    run = one_run(place, keys, files_reserve="1000000G")
    told = run.api.refused(503, "busy", "PUT", f"{run.path}/files/a", b"x", content_type=None)
    assert "disk for files is full" in told["detail"] and str(place.secret_file.parent) not in told["detail"]
    assert names(run) == []
    model = Collection(run.api, run.path.rpartition("/runs/")[0])
    draft = model.draft()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        member = tarfile.TarInfo("a")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    for path, content in ("files/a", b"x"), ("files.tar", packed.getvalue()):
        told = run.api.refused(503, "busy", "PUT", f"{draft}/{path}", content, content_type=None)
        assert "disk for files is full" in told["detail"]
    model.version(references={"far": "s3://bucket/far"})
    run.join().send(history=[{"a": 1}])
    assert len(run.api.get(f"{run.path}/history", keys="a", format="ndjson").lines) == 1


# --- what it takes, and its end

@pytest.mark.own
def test_files_count(run, db, wait_for):
    put(run, "a", b"x" * 1000)
    put(run, "b", b"y" * 500)
    assert run.get()["bytes"] == 1500
    put(run, "a", b"x" * 100)
    assert run.get()["bytes"] == 600
    run.api.delete(f"{run.path}/files/b")
    assert run.get()["bytes"] == 100
    writer = run.join()
    writer.send(history=[{"a": i} for i in range(5000)])
    writer.finish()
    turn_ring(db, wait_for)
    measured = "select size_bytes from run_hot where file_count = 1 and file_bytes = 100 and size_seq = next_seq - 1"
    wait_for(lambda: db.query(measured))
    assert run.get()["bytes"] == db.value(measured) > 100
    run.api.delete(f"{run.path}/files/a")
    assert run.get()["bytes"] == db.value("select sum(size_bytes) from project_usage")


@pytest.mark.own
def test_what_has_no_name_is_given_up(run, db, folder, shift_clock, wait_for):
    for name, content in (("a", b"one"), ("b", b"one"), ("c", b"two"), ("d", b"three")):
        put(run, name, content)
    put(run, "d", b"four")
    run.api.delete(f"{run.path}/files/a")
    (folder / "content/ab/cd").mkdir(parents=True, exist_ok=True)
    shift_clock(HOUR + 10)
    wait_for(lambda: len(contents(folder)) == 3, what="three is gone")
    assert get(run, "b").body == b"one" and get(run, "d").body == b"four"
    wait_for(lambda: not db.value("select count(*) from file_content where look_at is not null"), what="a look at all of it")
    run.api.delete(run.path, purge="now")
    wait_for(lambda: db.value("select count(*) from run_file") == 0, what="purge")
    assert db.value("select sum(size_bytes) from project_usage") == 0
    assert len(contents(folder)) == 3
    shift_clock(HOUR + 10)
    wait_for(lambda: not contents(folder), what="all of it is gone")
    wait_for(lambda: not db.value("select count(*) from file_content"), what="its rows are gone")


def test_by_two_servers(two_servers, run):
    """What one took the other has; a folder of its own is refused."""
    there = run.at(two_servers[1])
    put(run, "a", b"one")
    assert get(there, "a").body == b"one" and names(there) == ["a"]
    put(there, "a", b"two")
    assert get(run, "a").body == b"two"


@pytest.mark.long
@pytest.mark.own
def test_another_folder_is_refused(place, tmp_path):
    place.server(0)
    place.settings = {"files_dir": tmp_path / "other"}
    with pytest.raises(RuntimeError, match="\" does not contain this database's files"):
        place.new_server().start()
