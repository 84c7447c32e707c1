"""Content of artifacts: sent once, found by its MD5, read by links as long as they may be."""
import concurrent.futures
import hashlib
import io
import json
import os
import tarfile

import pytest

from artifacts import Collection
from drafts import DELETE, Draft, manifest_of, md5_of
from rest import Api
from server import Server, cairnd_run
from uploads import Torn, below

ADD_ALIASES = "mutation M($input: AddAliasesInput!) { addAliases(input: $input) { success } }"
# Two contents with one MD5 (Wang and others, 2004).
FIRST = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab58712467eab4004583eb8fb7f8955ad340609f4b30283e488832571415a085125e8f7cdc99fd91dbdf280373c5b"
    "d8823e3156348f5bae6dacd436c919c6dd53e2b487da03fd02396306d248cda0e99f33420f577ee8ce54b67080a80d1ec69821bcb6a8839396f9652b6ff72a70")
SECOND = bytes.fromhex(
    "d131dd02c5e6eec4693d9a0698aff95c2fcab50712467eab4004583eb8fb7f8955ad340609f4b30283e4888325f1415a085125e8f7cdc99fd91dbd7280373c5b"
    "d8823e3156348f5bae6dacd436c919c6dd53e23487da03fd02396306d248cda0e99f33420f577ee8ce54b67080280d1ec69821bcb6a8839396f965ab6ff72a70")


def test_content_is_sent_once(api, project, by, db):
    """To all projects of an entity, and to each entity for itself."""
    content = project.encode() * 3
    first = Draft(api, project).send_all({"a": content})
    again = Draft(api, project)
    assert again.links({"b": content, "c": content, "d": b"new " + content}) [:2] == [None, None]
    api.put(f"{project}-other", {})
    other = Draft(api, f"{project}-other").send_all({"x": content})
    assert [len(db.query("select distinct content from artifact_blob where md5 = %s", hashlib.md5(content).digest()))] == [1]
    stranger = by["bob"]
    theirs = project.replace("/ann/", "/bob/")
    stranger.put(theirs, {})
    assert None not in Draft(stranger, theirs).links({"a": content})
    for draft, name in (first, "a"), (other, "x"):
        assert api.as_user(None).raw("GET", draft.file_links()[name]).body == content


def test_content_of_other_projects_in_one_request(api, home):
    """Up to a limit: what is beyond it is found by the next request, or sent."""
    contents = {f"{n:04}": f"{home} {n}".encode() for n in range(1001)}
    first = Collection(api, f"{home}-first")
    draft = first.draft()
    api.put(f"{draft}/files.tar", a_tar(contents.items(), tarfile.USTAR_FORMAT), content_type="application/x-tar")
    first.commit(draft)
    api.put(home, {})
    second = Draft(api, home)
    assert [link for link in second.links(dict(list(contents.items())[1:])) if link] == []
    third = Draft(api, f"{home}-third")
    assert [link is None for link in third.links(contents)] == [True] * 1000 + [False]
    assert [link for link in third.links(contents) if link] == []


def test_two_contents_with_one_md5(api, project, stranger):
    """Each version keeps its own, and who has a third is not told that it is there."""
    assert hashlib.md5(FIRST).digest() == hashlib.md5(SECOND).digest() and FIRST != SECOND
    drafts = [Draft(api, project, name) for name in ("one", "two")]
    links = [draft.links({"a": content})[0] for draft, content in zip(drafts, (FIRST, SECOND), strict=True)]
    for draft, link, content in zip(drafts, links, (FIRST, SECOND), strict=True):
        assert draft.send(link, content).status == 204
        assert draft.send_manifest(manifest_of({"a": {"digest": md5_of(content), "size": len(content)}})).status == 204
        draft.commit()
    for draft, content in zip(drafts, (FIRST, SECOND), strict=True):
        assert stranger.raw("GET", draft.file_links()["a"]).body == content
    assert None not in Draft(api, project).links({"a": FIRST})


def test_an_md5_of_two_contents_of_a_version(by, project):
    """Their paths tell them apart, and what does not is refused."""
    bob, project = by["bob"], project.replace("/ann/", "/bob/")
    bob.put(project, {})
    draft = Draft(bob, project).send_all({"a": FIRST, "dir/b": SECOND})
    for path, content in ("a", FIRST), ("dir/b", SECOND):
        assert bob.raw("GET", draft.file_links()[path]).body == content
    place = f"/artifactsV2/default/bob/{draft.project}/data/{draft.id}/{hashlib.md5(FIRST).hexdigest()}"
    assert [bob.raw("GET", f"{place}/{name}").body for name in ("a", "b")] == [FIRST, SECOND]
    assert bob.raw("GET", f"{place}/c").status == 404


def test_an_md5_finds_no_drafts(by, project):
    """Nor does the address that names the entity alone."""
    bob, project = by["bob"], project.replace("/ann/", "/bob/")
    bob.put(project, {})
    content = project.encode() * 7
    draft = Draft(bob, project)
    draft.send_files({"a": content})
    place = f"/artifacts/bob/{hashlib.md5(content).hexdigest()}"
    assert bob.raw("GET", place).status == 404
    draft.send_all({"a": content})
    assert bob.raw("GET", place).body == content


def test_a_link_to_read(api, project, stranger):
    """Parts, caches and types as files of runs have them; as long as a version has the content."""
    content = project.encode()
    draft = Draft(api, project).send_all({"dir/a.txt": content, "page.html": b"<p>" + content})
    links = draft.file_links()
    whole = stranger.raw("GET", links["dir/a.txt"])
    assert (whole.status, whole.body, whole.content_type) == (200, content, "text/plain")
    assert stranger.raw("GET", links["dir/a.txt"], headers={"Range": "bytes=2-4"}).body == content[2:5]
    assert stranger.raw("GET", links["dir/a.txt"], headers={"If-None-Match": whole.headers["ETag"]}).status == 304
    assert stranger.raw("GET", links["page.html"]).headers["Content-Disposition"].startswith("attachment")
    stranger.refused(403, "link-forged", "GET", links["page.html"].replace("page", "other"))
    stranger.refused(403, "link-forged", "PUT", links["page.html"], b"x", content_type=None)
    manifest = below(draft.read()["currentManifest"]["file"]["directUrl"])
    draft.query(DELETE, input={"artifactID": draft.id, "deleteAliases": True})
    stranger.refused(404, "not-found", "GET", links["dir/a.txt"])
    stranger.refused(410, "gone", "GET", manifest)


@pytest.mark.own
def test_a_link_goes_with_the_right(place, keys, db, secret_file, stranger):
    """Of whom it was made for, also while the body comes."""
    server = place.server(0)
    mel = Api(server, keys["mel"])
    project = "/api/v1/projects/lab/p"
    mel.put(project, {})
    draft = Draft(mel, project).send_all({"a": b"hello"})
    reading, manifest = draft.file_links()["a"], below(draft.read()["currentManifest"]["file"]["directUrl"])
    open_draft = Draft(mel, project)
    writing, = (below(link) for link in open_draft.links({"b": b"x" * 1000}))
    storing = below(open_draft.manifest_link(b"{}"))
    torn = Torn(server, writing, size=1000, sent=400)
    cairnd_run(db.url, secret_file, "team", "member", "add", "lab", "mel", "--role", "viewer")
    assert torn.finish() == 403
    for link in writing, storing:
        stranger.refused(403, "forbidden", "PUT", link, b"x" * 1000, content_type=None)
    assert stranger.raw("GET", reading).body == b"hello"
    cairnd_run(db.url, secret_file, "team", "member", "remove", "lab", "mel")
    for link in reading, manifest:
        stranger.refused(403, "forbidden", "GET", link)
    mel.close()


@pytest.mark.own
def test_over_quota(api, project, db, secret_file, stranger, wait_for, shift_clock):
    """Files, parts and their sum; content of another project, which is asked for then."""
    draft = Draft(api, project)
    link, large, other = (below(link) for link in draft.links({"a": b"a" * 600, "b": b"b" * 1001, "c": b"c" * 600}))
    [node] = draft.nodes({"big": b"d" * 1200}, uploadPartsInput=[{"partNumber": n + 1, "hexMD5": ""} for n in range(2)])
    parts = [below(part["uploadUrl"]) for part in node["uploadMultipartUrls"]["uploadUrlParts"]]
    cairnd_run(db.url, secret_file, "quota", "set", "ann", "1000")
    told = stranger.refused(403, "quota-exceeded", "PUT", large, b"b" * 1001, content_type=None)
    assert "1001" in told["detail"] and "1000" in told["detail"]
    assert stranger.raw("PUT", parts[0], b"d" * 600).status == 204
    stranger.refused(403, "quota-exceeded", "PUT", parts[1], b"d" * 600, content_type=None)
    another = f"{project}/artifacts/data/drafts/{Draft(api, project).id}/uploads"
    another += "/" + api.post(another, {"path": "x", "md5": hashlib.md5(b"x").hexdigest(), "parts": 2}).json["upload"]
    told = api.refused(403, "quota-exceeded", "PUT", f"{another}/1", b"e" * 600, content_type=None)
    assert "600" in told["detail"]
    stranger.refused(403, "quota-exceeded", "PUT", link, b"a" * 600, content_type=None)
    api.put(f"{another}/1", b"e" * 300, content_type=None)
    api.delete(another)
    api.delete(f"{project}/artifacts/data/drafts/{draft.id}/uploads/{node['uploadMultipartUrls']['uploadID']}")
    assert stranger.raw("PUT", link, b"a" * 600).status == 204
    wait_for(lambda: db.value("select bool_and(counted) from artifact_blob"), what="the usage to be counted")
    stranger.refused(403, "quota-exceeded", "PUT", other, b"c" * 600, content_type=None)
    assert draft.links({"again": b"a" * 600}) == [None]
    api.put(f"{project}-other", {})
    assert None not in Draft(api, f"{project}-other").links({"a": b"a" * 600})
    cairnd_run(db.url, secret_file, "quota", "set", "ann", "3000")
    assert Draft(api, f"{project}-other").links({"a": b"a" * 600}) == [None]
    shift_clock(7200)
    assert db.value("select max(heard_at - created_at) < interval '1 hour' from artifact")
    assert stranger.raw("PUT", other, b"c" * 600).status == 204
    assert db.value("select max(heard_at - created_at) > interval '1 hour' from artifact"), "the draft is kept from then on"


def a_tar(files, form, more=()):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as tar:
        for path, content in files:
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        for member in more:
            tar.addfile(member)
    return made.getvalue()


def test_a_tar_of_files(api, home):
    """In each form that tars have; the last of a name counts; the draft gets all of it, or nothing."""
    model = Collection(api, home)
    folder = tarfile.TarInfo("./dir")
    folder.type = tarfile.DIRTYPE
    link = tarfile.TarInfo("dir/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    long = "/".join(["n" * 60] * 3)
    files = [("./a", b"old"), ("dir/b", b""), (long, home.encode() * 400), ("./a", b"new"), ("c", b"new")]
    wanted = {"a": b"new", "dir/b": b"", long: home.encode() * 400, "c": b"new"}

    def send(draft, body):
        return api.request("PUT", f"{draft}/files.tar", body, content_type="application/x-tar")

    for form in tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT:
        draft = model.draft()
        for bad in (a_tar(files, form, [link]), a_tar([*files, ("../up", b"")], form), a_tar([*files, ("a//b", b"")], form),
                    a_tar(files, form)[:-12000], a_tar(files, form)[:100]):
            assert (send(draft, bad).status, send(draft, bad).problem) == (400, "invalid")
        assert send(draft, a_tar([], form)).json == {"files": 0, "bytes": 0}
        assert send(draft, a_tar(files, form, [folder])).json == {"files": 4, "bytes": sum(map(len, wanted.values()))}
        assert model.commit(draft)["files"] == 4
        assert send(draft, a_tar(files, form)).status == 409
        got = tarfile.open(fileobj=io.BytesIO(api.get(f"{model.path}/versions/latest/files.tar").body))
        assert {m.name.partition("/")[2]: got.extractfile(m).read() for m in got} == wanted


def is_waited_for(db, wait_for):
    wait_for(lambda: db.value("select count(*) from pg_locks where not granted"), what="the wait for a lock")


def test_a_tar_locks_content_in_order(api, home, db, wait_for):
    """By the content, not by the path: tars with the same files under other names do not wait for each other."""
    model = Collection(api, home)
    contents = [b"%d %s" % (n, home.encode()) for n in range(2)]
    model.version({str(n): content for n, content in enumerate(contents)})
    numbers = {content: db.value("select blob_id from artifact_blob where md5 = %s", hashlib.md5(content).digest()) for content in contents}
    first, second = sorted(contents, key=numbers.get)
    tar = a_tar([("a", second), ("b", first)], tarfile.USTAR_FORMAT)
    draft = model.draft()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with db.hold(f"select from artifact_blob where blob_id = {numbers[first]} for update"):
            sent = pool.submit(api.put, f"{draft}/files.tar", tar, content_type="application/x-tar")
            is_waited_for(db, wait_for)
            db.query("select from artifact_blob where blob_id = %s for update nowait", numbers[second])
        assert sent.result().json["files"] == 2


def test_aliases_lock_collections_in_order(api, project, db, wait_for):
    """Whatever the order in which a client names them."""
    version = Collection(api, project).version({"a": b"hello"})
    api.post(f"{project}/artifacts/last/links", {"source": "model:v0"})
    numbers = [db.value("select max(collection_id) from artifact_collection where name = %s", name) for name in ("model", "last")]
    names = dict(zip(numbers, ("model", "last"), strict=True))
    first, second = sorted(numbers)
    entity, name = project.split("/")[-2:]
    aliases = [{"entityName": entity, "projectName": name, "artifactCollectionName": names[number], "alias": "best"} for number in (second, first)]
    asked = {"query": ADD_ALIASES, "variables": {"input": {"artifactID": version["id"], "aliases": aliases}}}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        with db.hold(f"select from artifact_collection where collection_id = {first} for update"):
            sent = pool.submit(api.raw, "POST", "/graphql", json.dumps(asked), {"Content-Type": "application/json"})
            is_waited_for(db, wait_for)
            db.query("select from artifact_collection where collection_id = %s for update nowait", second)
        sent.result()
    assert api.raw("POST", "/graphql", json.dumps(asked), {"Content-Type": "application/json"}).json.get("errors") is None
    assert "best" in api.get(f"{project}/artifacts/last/versions/v0").json["aliases"]


@pytest.mark.own
def test_tars_share_the_files_that_wait(place, keys, home, wait_for):
    """However many come at once: the server has files left for others, and takes all of the tars."""
    server = Server(place.db.url, place.secret_file, connection_limit=32)
    server.prefix = ("prlimit", "--nofile=256:8192")  # it raises this to what it says that it needs
    tar = a_tar([*((f"f{n}", b"") for n in range(255)), ("large", b"x" * 4_000_000)], tarfile.USTAR_FORMAT)
    with server:
        api = Api(server, keys["ann"])
        api.put(home, {})
        drafts = [Collection(api, home, f"m{n}").draft() for n in range(8)]
        coming = [Torn(server, f"{draft}/files.tar", keys["ann"], body=tar, sent=3_000_000) for draft in drafts]
        wait_for(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) > 700, what="files that wait")
        Collection(api, home).version({"a": b"hello"})
        assert [torn.finish() for torn in coming] == [200] * 8
        api.close()


@pytest.mark.slow
def test_a_tar_has_a_limit(api, home):
    """In members, of which those of one name count each."""
    model = Collection(api, home)
    tar = a_tar([("f", b"")] * 10_001, tarfile.USTAR_FORMAT)
    assert api.put(f"{model.draft()}/files.tar", tar[512:], content_type="application/x-tar").json == {"files": 1, "bytes": 0}
    told = api.refused(422, "unprocessable", "PUT", f"{model.draft()}/files.tar", tar, content_type="application/x-tar")
    assert "10000" in told["detail"]
