"""Artifacts by REST: a version is made, found, read, changed, compared, linked and deleted; and what is refused on the way."""
import base64
import hashlib
import http.client
import io
import os
import tarfile

import pytest

from artifacts import Collection, md5
from uploads import below

HELLO, WORLD = b"hello", b"world"


@pytest.fixture
def model(api, home):
    return Collection(api, home)


def files(api, version_path, **query):
    return {f["path"]: f for f in api.pages(f"{version_path}/files", **query)}


def sdk_digest(contents):
    """As the wandb SDK computes it."""
    made = hashlib.md5(b"wandb-artifact-manifest-v1\n")
    for path, content in sorted(contents.items()):
        made.update(f"{path}:{base64.b64encode(hashlib.md5(content).digest()).decode()}\n".encode())
    return made.hexdigest()


# --- the whole path

def test_make_and_read_a_version(model, api, stranger):
    big = os.urandom(3_000_000)
    contents = {"weights/model.bin": big, "weights/ü a#%?.txt": HELLO, "empty": b""}
    made = model.version(contents, description="Three layers", metadata={"acc": 0.93, "deep": {"a": [1, None]}},
                         aliases=["best"], tags=["x", "y"], ttl_s=86400)
    assert (made["version"], made["state"], made["type"], made["collection"]) == ("v0", "committed", "model", "model")
    assert (made["aliases"], made["tags"], made["ttl_s"]) == (["latest", "best"], ["x", "y"], 86400)
    assert (made["bytes"], made["files"], made["digest"]) == (len(big) + 5, 3, sdk_digest(contents))
    assert made["metadata"] == {"acc": 0.93, "deep": {"a": [1, None]}} and made["user"] == "ann" and made["expires_at"]
    for name in ("v0", "latest", "best"):
        assert model.get(name) == made
    listed = files(api, f"{model.path}/versions/best")
    assert list(listed) == sorted(contents, key=str.encode)
    for path, content in contents.items():
        file = listed[path]
        assert (file["kind"], file["bytes"], file["md5"], file["ref"]) == ("file", len(content), md5(content), None)
        assert stranger.raw("GET", below(file["link"])).body == content
    whole = api.raw("GET", f"{model.path}/versions/v0/files/weights/model.bin")
    assert whole.body == big and whole.headers["ETag"]
    part = api.raw("GET", f"{model.path}/versions/v0/files/weights/model.bin", headers={"Range": "bytes=10-19"})
    assert (part.status, part.body) == (206, big[10:20])
    folder = api.pages(f"{model.path}/versions/v0/files", delimiter="/")
    assert [(f["path"], f["kind"], f["files"], f["bytes"]) for f in folder] == [
        ("empty", "file", 1, 0), ("weights/", "folder", 2, len(big) + 5)]
    assert [f["path"] for f in api.pages(f"{model.path}/versions/v0/files", delimiter="/", limit=1)] == ["empty", "weights/"]
    inner = files(api, f"{model.path}/versions/v0", prefix="weights/", delimiter="/", limit=1)
    assert list(inner) == ["weights/model.bin", "weights/ü a#%?.txt"]


def test_manifest_and_tar(model, api, stranger):
    contents = {f"d{i % 3}/f{i:03}": os.urandom(i) for i in range(200)}
    model.version(contents, references={"far": "s3://bucket/far", "d1/x": "https://example.com/x"})
    lines = api.get(f"{model.path}/versions/latest/manifest", links="true").lines
    assert [line["path"] for line in lines] == sorted([*contents, "far", "d1/x"])
    for line in lines[:5]:
        if line["ref"] is None:
            assert stranger.raw("GET", below(line["link"])).body == contents[line["path"]]
    assert {line["path"]: line["ref"] for line in lines if line["ref"]} == {
        "far": "s3://bucket/far", "d1/x": "https://example.com/x"}
    assert "link" not in api.get(f"{model.path}/versions/latest/manifest").lines[0]
    got = api.raw("GET", f"{model.path}/versions/latest/files.tar")
    with tarfile.open(fileobj=io.BytesIO(got.body)) as tar:
        assert {m.name: tar.extractfile(m).read() for m in tar} == {f"model-v0/{p}": c for p, c in contents.items()}
    got = api.raw("GET", f"{model.path}/versions/latest/files.tar?prefix=d2/")
    with tarfile.open(fileobj=io.BytesIO(got.body)) as tar:
        assert set(tar.getnames()) == {f"model-v0/{p}" for p in contents if p.startswith("d2/")}
    problem = api.refused(409, "conflict", "GET", f"{model.path}/versions/v0/files/far")
    assert "s3://bucket/far" in problem["detail"]


def test_numbers_and_aliases(model, api):
    for i in range(3):
        assert model.version({"n": b"%d" % i}, aliases=["moves", f"a{i}"])["version"] == f"v{i}"
    assert [(v["version"], v["aliases"]) for v in api.pages(f"{model.path}/versions", limit=2)] == [
        ("v2", ["latest", "a2", "moves"]), ("v1", ["a1"]), ("v0", ["a0"])]
    assert [v["version"] for v in api.pages(f"{model.path}/versions", order="version")] == ["v0", "v1", "v2"]
    for _ in range(2):
        assert api.put(f"{model.path}/versions/v0/aliases/moves").status == 204
    assert model.get("moves")["version"] == "v0" and model.get("v2")["aliases"] == ["latest", "a2"]
    for _ in range(2):
        assert api.delete(f"{model.path}/versions/v0/aliases/moves").status == 204
    api.refused(404, "not-found", "GET", f"{model.path}/versions/moves")
    api.delete(f"{model.path}/versions/v2/aliases/latest")
    assert model.get("latest")["version"] == "v2"  # without such an alias it is the newest
    for alias in ("a%2Fb:c", "x" * 128):
        api.put(f"{model.path}/versions/v0/aliases/{alias}")
        assert model.get(alias)["version"] == "v0"
    for alias in ("v7", "x" * 129, "%01"):
        api.refused(400, "invalid", "PUT", f"{model.path}/versions/v0/aliases/{alias}")


def test_the_same_content_again(model, api):
    """A digest that the newest version has makes none; a draft is the same by its client's name."""
    first = model.version({"a": HELLO})
    made = api.request("POST", f"{model.path}/versions", {"type": "model", "digest": first["digest"], "aliases": ["again"]})
    assert (made.status, made["state"]) == (200, "committed") and made["version"]["version"] == "v0"
    assert "again" in model.get("v0")["aliases"]
    body = {"type": "model", "client": "draft-1"}
    drafts = [api.request("POST", f"{model.path}/versions", body) for _ in range(2)]
    assert [d.status for d in drafts] == [201, 200] and drafts[0]["draft"] == drafts[1]["draft"]
    draft = f"{model.path}/drafts/{drafts[0]['draft']}"
    model.put(draft, "a", WORLD)
    assert [model.commit(draft)["version"] for _ in range(2)] == ["v1", "v1"]
    late = api.request("POST", f"{model.path}/versions", body)
    assert (late.status, late["state"]) == (200, "committed") and late["version"]["version"] == "v1"
    said = {"Content-MD5": base64.b64encode(hashlib.md5(WORLD).digest()).decode()}
    again = api.put(f"{draft}/files/a", WORLD, content_type="application/octet-stream", headers=said)  # it has that
    assert again["md5"] == md5(WORLD)
    api.refused(409, "conflict", "PUT", f"{draft}/files/a", HELLO, content_type="application/octet-stream")
    assert len(api.pages(f"{model.path}/versions")) == 2


def test_found_by_the_name_of_its_draft(model, api, by, home):
    """Not before it is committed, in any project of who may read it, and by nobody else."""
    name = f"client-of-{home.rpartition('/')[2]}"
    found = f"{home}/artifact-clients/{name}"
    api.refused(404, "not-found", "GET", found)
    draft = model.draft(client=name)
    model.put(draft, "a", HELLO)
    api.refused(409, "conflict", "GET", found)
    version = model.commit(draft)
    assert api.get(found).json == version and version["version"] == "v0"
    api.put("/api/v1/projects/ann/elsewhere", {})
    assert api.get(f"/api/v1/projects/ann/elsewhere/artifact-clients/{name}").json == version
    by_id = f"{home}/artifact-clients/{base64.b64decode(version['id']).hex()}"
    assert api.get(by_id).json == version
    by["bob"].refused(404, "not-found", "GET", by_id)
    by["bob"].refused(404, "not-found", "GET", found)
    by["bob"].put("/api/v1/projects/bob/elsewhere", {})
    by["bob"].refused(404, "not-found", "GET", f"/api/v1/projects/bob/elsewhere/artifact-clients/{name}")
    api.request("DELETE", f"{model.path}/versions/v0", query={"aliases": "true"})
    api.refused(410, "gone", "GET", found)


def test_a_version_on_top_of_another(model, api):
    model.version({"a": HELLO, "b": HELLO}, references={"r": "s3://x/y"})
    made = model.version({"b": WORLD, "c": b""}, base="latest")
    assert (made["version"], made["files"]) == ("v1", 4)
    assert {p: f["md5"] or f["ref"] for p, f in files(api, f"{model.path}/versions/v1").items()} == {
        "a": md5(HELLO), "b": md5(WORLD), "c": md5(b""), "r": "s3://x/y"}
    both = api.get(f"{model.path}/compare", **{"from": "v0", "to": "v1", "count": "true"}).json
    assert [(d["path"], d["change"]) for d in both["items"]] == [("b", "changed"), ("c", "added")]
    assert both["counts"] == {"added": 1, "removed": 0, "changed": 1, "same": 2}
    back = api.get(f"{model.path}/compare", **{"from": "v1", "to": "v0", "limit": 1}).json
    assert [(d["path"], d["change"]) for d in back["items"]] == [("b", "changed")] and back["next_cursor"]
    api.refused(400, "invalid", "GET", f"{model.path}/compare", query={"from": "v0"})
    api.refused(404, "not-found", "GET", f"{model.path}/compare", query={"from": "v0", "to": "v9"})
    api.refused(400, "invalid", "POST", f"{model.path}/versions", {"type": "model", "base": "v9"})


def test_content_is_sent_once(model, api, stranger):
    """What the project has need not be sent: the link is null, and the file is in the draft."""
    old, content = os.urandom(10), os.urandom(10)
    model.version({"a": old})
    draft = model.draft()
    asked = {"files": [{"path": "same", "md5": md5(old)}, {"path": "new", "md5": md5(content)}]}
    same, new = api.post(f"{draft}/files", asked).json["items"]
    assert same == {"path": "same", "link": None} and new["path"] == "new"
    stranger.refused(400, "invalid", "PUT", below(new["link"]), old, content_type=None)  # other content than was said
    assert stranger.raw("PUT", below(new["link"]), content).status in (200, 204)
    assert [f["link"] for f in api.post(f"{draft}/files", asked).json["items"]] == [None, None]
    model.commit(draft)
    assert {p: f["md5"] for p, f in files(api, f"{model.path}/versions/v1").items()} == {
        "same": md5(old), "new": md5(content)}


def a_tar(contents):
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for path, content in contents.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return made.getvalue()


def test_files_as_a_tar(model, api):
    contents = {f"d{i % 7}/ü{i}": os.urandom(i) for i in range(150)}
    draft = model.draft()
    sent = api.put(f"{draft}/files.tar", a_tar(contents), content_type="application/x-tar").json
    assert sent == {"files": 150, "bytes": sum(range(150))}
    api.refused(400, "invalid", "PUT", f"{draft}/files.tar", a_tar({"fine": b"", "../x": b""}), content_type="application/x-tar")
    api.refused(400, "invalid", "PUT", f"{draft}/files.tar", b"not a tar" * 100, content_type="application/x-tar")
    model.commit(draft)
    assert {p: f["md5"] for p, f in files(api, f"{model.path}/versions/v0").items()} == {p: md5(c) for p, c in contents.items()}


# --- changes

def test_edit_a_version(model, api):
    model.version({"a": HELLO}, tags=["old"])
    path = f"{model.path}/versions/v0"
    changed = api.patch(path, {"description": "Better", "metadata": {"k": [1]}, "tags": ["b", "a"], "ttl_s": 3600}).json
    assert (changed["description"], changed["metadata"], sorted(changed["tags"]), changed["ttl_s"]) == (
        "Better", {"k": [1]}, ["a", "b"], 3600)
    assert api.patch(path, {}).json["description"] == "Better"
    back = api.patch(path, {"description": None, "ttl_s": None, "tags": []}).json
    assert (back["description"], back["ttl_s"], back["expires_at"], back["tags"]) == (None, None, None, [])
    for body in ({"ttl_s": -1}, {"ttl_s": 1 << 62}, {"tags": ["x" * 65]}, {"tags": [""]}, {"metadata": 1}, {"metadata": None},
                 {"digest": "x"}, {"description": 7}, {"aliases": []}, {"tags": [f"t{i}" for i in range(101)]}):
        api.refused(400, "invalid", "PATCH", path, body)


def test_edit_a_collection(model, api, home):
    model.version({"a": HELLO})
    changed = api.patch(model.path, {"description": "All", "tags": ["t"], "keep_last": 3, "ttl_s": 60}).json
    assert (changed["description"], changed["tags"], changed["keep_last"], changed["ttl_s"]) == ("All", ["t"], 3, 60)
    assert (changed["versions"], changed["bytes"], changed["aliases"]) == (1, 5, [{"alias": "latest", "version": "v0"}])
    assert changed["latest"]["version"] == "v0" and changed["latest"]["files"] == 1
    assert model.get()["expires_at"]
    Collection(api, home, "other", "dataset").version({"a": HELLO})
    api.refused(409, "conflict", "PATCH", model.path, {"name": "other"})
    api.patch(model.path, {"name": "renamed net", "type": "network"})
    api.refused(404, "not-found", "GET", model.path)
    assert api.get(f"{home}/artifacts/renamed%20net/versions/latest").json["type"] == "network"
    for body in ({"name": ""}, {"name": "a/b"}, {"name": "a:b"}, {"name": "x" * 129}, {"type": ""}, {"keep_last": -1},
                 {"ttl_s": -5}, {"kind": "portfolio"}):
        api.refused(400, "invalid", "PATCH", f"{home}/artifacts/other", body)
    assert [c["name"] for c in api.pages(f"{home}/artifacts", limit=1)] == ["other", "renamed net"]
    assert [c["name"] for c in api.pages(f"{home}/artifacts", order="-name")] == ["renamed net", "other"]
    assert [c["name"] for c in api.pages(f"{home}/artifacts", order="created_at", limit=1)] == ["renamed net", "other"]
    assert [c["name"] for c in api.pages(f"{home}/artifacts", type="dataset")] == ["other"]
    assert [c["name"] for c in api.pages(f"{home}/artifacts", pattern="%ed n%")] == ["renamed net"]
    types = {t["name"]: (t["collections"], t["versions"], t["bytes"]) for t in api.pages(f"{home}/artifact-types")}
    assert types["dataset"] == (1, 1, 5) and types["network"] == (1, 1, 5)


def test_links(model, api, home):
    model.version({"a": HELLO}, aliases=["best"])
    model.version({"a": WORLD})
    path = f"{home}/artifacts/released"
    made = api.post(f"{path}/links", {"source": "model:best", "aliases": ["production"]}).json
    assert (made["collection"], made["version"], made["aliases"]) == ("released", "v0", ["latest", "production"])
    assert made["source"]["collection"] == "model" and made["source"]["version"] == "v0"
    assert api.post(f"{path}/links", {"source": "model:v0"}).json["version"] == "v0"
    assert api.post(f"{path}/links", {"source": f"{home.removeprefix('/api/v1/projects/')}/model"}).json["version"] == "v1"
    assert [(v["version"], v["source"]["version"]) for v in api.pages(f"{path}/versions")] == [("v1", "v1"), ("v0", "v0")]
    assert api.raw("GET", f"{path}/versions/production/files/a").body == HELLO
    listed = {c["name"]: (c["kind"], c["versions"]) for c in api.pages(f"{home}/artifacts")}
    assert listed == {"model": ("sequence", 2), "released": ("portfolio", 2)}
    freed = api.delete(f"{path}/versions/v0").json
    assert (freed["deleted"], freed["versions"], freed["restore"]) == (True, 0, None)
    assert [v["version"] for v in api.pages(f"{path}/versions")] == ["v1"] and model.get("v0")["state"] == "committed"
    for source in ("", "nope:v0:", "a/b:c"):
        api.refused(404 if source == "nope:v0:" else 400, "not-found" if source == "nope:v0:" else "invalid", "POST",
                    f"{path}/links", {"source": source})
    api.refused(409, "conflict", "POST", f"{model.path}/links", {"source": "model:v0"})
    Collection(api, home, "data", "dataset").version({"a": HELLO})
    api.refused(409, "conflict", "POST", f"{path}/links", {"source": "data"})


def test_links_across_projects(by, home):
    """A link shows a version to those who may read the project that it is of; others do not learn of it."""
    team, closed = (f"{home}{end}".replace("/ann/", "/lab/") for end in ("", "-closed"))
    by["bob"].put(team, {"visibility": "public"})
    source = Collection(by["bob"], closed, "data", "dataset")
    source.version({"a": HELLO})
    Collection(by["ann"], home, "mine", "dataset").version({"a": HELLO})
    address = f"{closed.removeprefix('/api/v1/projects/')}/data:v0"
    path = f"{team}/artifacts/shared"
    by["ann"].refused(404, "not-found", "POST", f"{home}/artifacts/stolen/links", {"source": address})
    by["bob"].refused(404, "not-found", "POST", f"{path}/links", {"source": f"{home.removeprefix('/api/v1/projects/')}/mine:v0"})
    made = by["bob"].post(f"{path}/links", {"source": address}).json
    assert made["source"] == {"entity": "lab", "project": closed.rsplit("/", 1)[1], "collection": "data", "version": "v0"}
    assert by["vic"].raw("GET", f"{path}/versions/v0/files/a").body == HELLO
    for who, status in (("ann", 404), ("nobody", 401)):
        assert by[who].pages(f"{path}/versions") == []
        for tail in ("", "/files", "/files/a", "/files.tar", "/manifest", "/lineage"):
            assert by[who].request("GET", f"{path}/versions/v0{tail}").status == status
    by["vic"].refused(403, "forbidden", "PATCH", f"{path}/versions/v0", {"tags": ["x"]})
    assert by["mel"].patch(f"{path}/versions/v0", {"tags": ["x"]}).json["tags"] == ["x"]
    by["bob"].delete(f"{source.path}/versions/v0", aliases="true")
    assert by["bob"].pages(f"{path}/versions") == []
    by["bob"].patch(team, {"visibility": "private"})


def test_delete_while_somebody_reads(model, api, stranger):
    """A download goes on; the next request does not find it; links that were made before end with it, too."""
    content = os.urandom(200_000)
    model.version({"a": content})
    link = below(files(api, f"{model.path}/versions/v0")["a"]["link"])
    version = model.path + "/versions/v0"
    first = api.raw("GET", f"{version}/files/a", headers={"Range": "bytes=0-99999"})
    api.delete(version, aliases="true")
    assert first.body == content[:100_000]
    api.refused(404, "not-found", "GET", f"{version}/files/a")
    assert stranger.raw("GET", link).status in (200, 404)  # the content is there until the job has looked


def test_a_collection_that_is_locked_for_long(model, api, db):
    """As by a commit of very many files: the client is asked to come again before its own time is over."""
    model.version({"a": HELLO})
    with db.hold("select from artifact_collection where collection_id = (select max(collection_id) from artifact_collection) for update"):
        api.refused(503, "busy", "POST", f"{model.path}/versions", {"type": "model"})
    model.version({"a": WORLD})


def test_what_lost_entries_does_not_end_as_if_whole(model, api, keys, server, db):
    """As when the job removes entries of a deleted version, the first ones first, while it is sent."""
    draft = model.draft()
    model.put(draft, "a", os.urandom(16_000_000))
    model.put(draft, "z", b"z")
    api.post(f"{draft}/references", {"references": [{"path": f"b{n:03}", "ref": f"s3://bucket/{n}"} for n in range(100)]})
    model.commit(draft)
    slow = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    slow.request("GET", f"{model.path}/versions/v0/files.tar", headers={"Authorization": f"Bearer {keys['ann']}"})
    answer = slow.getresponse()
    db.query("delete from artifact_entry where manifest_id = (select max(manifest_id) from artifact) and path < 'z'")
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        answer.read()
    slow.close()
    assert api.request("GET", f"{model.path}/versions/v0/manifest").status == 410


def test_delete_and_restore(model, api, home, by):
    """What is freed does not depend on what others have: nobody learns of it by guessing content."""
    shared, only = os.urandom(5), os.urandom(8)
    by["bob"].put("/api/v1/projects/bob/secrets", {})
    Collection(by["bob"], "/api/v1/projects/bob/secrets").version({"only": only})
    model.version({"a": shared, "only": only}, aliases=["keep"])
    model.version({"a": shared})
    path = f"{model.path}/versions/v0"
    dry = api.delete(path, dry_run="true").json
    assert (dry["deleted"], dry["versions"], dry["files"], dry["bytes"], dry["freed_bytes"]) == (False, 1, 2, 13, 8)
    assert dry["held_by"] == [{"reason": "alias", "name": "keep"}] and dry["restore"] is None
    api.refused(409, "conflict", "DELETE", path)
    done = api.delete(path, aliases="true").json
    assert done["deleted"] and done["freed_by"] and done["restore_until"] and done["freed_bytes"] is None
    for name in ("v0", "keep"):
        assert api.request("GET", f"{model.path}/versions/{name}").status in (404, 410)
    assert [v["version"] for v in api.pages(f"{model.path}/versions")] == ["v1"]
    for _ in range(2):
        api.post(f"{home}/artifact-restore", {"restore": done["restore"]})
    assert model.get("keep")["version"] == "v0"
    assert api.raw("GET", f"{path}/files/only").body == only
    whole = api.delete(model.path, dry_run="true").json
    assert (whole["versions"], whole["files"], whole["freed_bytes"]) == (2, 3, 13)
    done = api.delete(model.path).json
    api.refused(404, "not-found", "GET", model.path)
    assert api.pages(f"{home}/artifacts") == [] and api.pages(f"{home}/artifact-versions") == []
    api.post(f"{home}/artifact-restore", {"restore": done["restore"]})
    assert model.get("keep")["version"] == "v0" and model.get()["version"] == "v1"
    for restore in ("", "x", "QXJ0aWZhY3Q6MTox"):
        api.refused(400, "invalid", "POST", f"{home}/artifact-restore", {"restore": restore})
    done = api.delete(model.path).json
    model.version({"a": WORLD})
    api.refused(409, "conflict", "POST", f"{home}/artifact-restore", {"restore": done["restore"]})


def test_a_deletion_counts_nothing(model, api, db):
    """What is freed is counted by dry_run alone, and up to a limit: a deletion of many files does not wait for it."""
    shared = [os.urandom(5) for _ in range(3)]
    for n in range(8):
        model.version({**{f"{k}.bin": content for k, content in enumerate(shared)}, "own": bytes([n])})
    manifests = "update artifact_manifest set entry_count = %s, row_sum = null where manifest_id in (select manifest_id from artifact)"
    for entries, freed in ((250_000, 23), (250_001, None), (4, 23)):
        db.query(manifests, entries)
        assert api.delete(model.path, dry_run="true").json["freed_bytes"] == freed
        assert api.delete(f"{model.path}/versions/v0", dry_run="true").json["freed_bytes"] == 1
    with db.hold("lock table artifact_upload, artifact_blob in access exclusive mode"):  # which are read to count
        gone = api.delete(f"{model.path}/versions/v0", aliases="true").json
        assert (gone["versions"], gone["files"], gone["bytes"], gone["freed_bytes"]) == (1, 4, 16, None)
        gone = api.delete(model.path).json
        assert (gone["versions"], gone["files"], gone["bytes"], gone["freed_bytes"]) == (7, 28, 112, None)


@pytest.mark.long
def test_a_collection_of_more_versions_than_are_counted(model, api, db):
    """Drafts count, too."""
    model.version({"a": HELLO})
    for _ in range(60):  # so that PostgreSQL has plans for any parameters
        api.delete(model.path, dry_run="true")
    made = "select max(artifact_id) from artifact"
    for first, last, freed in ((1, 99_999, 5), (100_000, 100_000, None)):
        db.query(f"""insert into artifact (project_id, artifact_id, collection_id, created_at, state, digest, size_bytes, file_count, asked, tags,
                     changed_at, heard_at) select project_id, artifact_id - n, collection_id, created_at, 1, '', 0, 0, '[]', '[]', changed_at, heard_at
                     from artifact, generate_series({first}, {last}) n where artifact_id = ({made})""")
        db.query("analyze artifact")  # as autovacuum does within a minute
        dry = api.delete(model.path, dry_run="true").json
        assert (dry["versions"], dry["freed_bytes"]) == (100_000, freed)
    db.query(f"delete from artifact where state = 1 and collection_id = (select collection_id from artifact where artifact_id = ({made}))")


def test_what_holds_a_version_is_named_up_to_a_limit(model, api, home):
    """Aliases, then links: the first hundred of all."""
    model.version({"a": HELLO}, aliases=[f"a{n}" for n in range(98)])  # and "latest"
    api.post(f"{home}/artifacts/first/links", {"source": "model:v0"})
    for path in model.path, f"{model.path}/versions/v0":
        held = api.delete(path, dry_run="true").json["held_by"]
        assert len(held) == 100 and held[-1] == {"reason": "link", "name": f"{home.removeprefix('/api/v1/projects/')}/first:v0"}
    api.post(f"{home}/artifacts/second/links", {"source": "model:v0"})
    for path in model.path, f"{model.path}/versions/v0":
        assert len(api.delete(path, dry_run="true").json["held_by"]) == 100
    for alias in "b", "c":
        api.put(f"{model.path}/versions/v0/aliases/{alias}")
    for path in model.path, f"{model.path}/versions/v0":
        assert [held["reason"] for held in api.delete(path, dry_run="true").json["held_by"]] == ["alias"] * 100


def test_usage(model, api, home):
    model.version({"a": HELLO, "b": b"1234567"})
    model.version({"a": HELLO})
    Collection(api, home, "data", "dataset").version({"c": HELLO})
    usage = {u["collection"]: u for u in api.pages(f"{home}/usage", limit=1)}
    assert usage["model"] == {"collection": "model", "type": "model", "versions": 2, "files": 3, "bytes": 12,
                              "only_here_bytes": 7, "shared_bytes": 5}
    assert (usage["data"]["bytes"], usage["data"]["only_here_bytes"]) == (5, 0)


# --- what is refused

@pytest.mark.parametrize("body, field", [
    ({}, "type"), ({"type": ""}, "type"), ({"type": "a/b"}, "type"), ({"type": "x" * 129}, "type"),
    ({"type": "model", "aliases": ["v1"]}, "aliases"), ({"type": "model", "aliases": ["x" * 129]}, "aliases"),
    ({"type": "model", "tags": [""]}, "tags"), ({"type": "model", "ttl_s": -1}, "ttl_s"),
    ({"type": "model", "digest": "abc"}, "digest"), ({"type": "model", "digest": "x" * 32}, "digest"),
    ({"type": "model", "metadata": []}, "metadata"), ({"type": "model", "metadata": {"a": "x" * (1 << 20)}}, "metadata"),
    ({"type": "model", "client": "a b\n"}, "client"), ({"type": "model", "unknown": 1}, "unknown"),
    ({"type": "model", "description": "x" * 65537}, "description"),
    ({"type": "model", "base": "v0"}, "base"),
])
def test_drafts_that_are_refused(model, api, project, body, field):
    problem = api.refused(400, "invalid", "POST", f"{model.path}/versions", body)
    assert problem["field"].split("[")[0] == field
    assert api.pages(f"{project}/artifacts") == []


def test_at_the_limits(model, api):
    """All texts and lists as long as they may be, and one longer."""
    draft = {"type": "t" * 128, "client": "c" * 128, "description": "d" * 65536, "metadata": {"a": "m" * ((1 << 20) - len('{"a":""}'))},
             "tags": [f"{n:064}" for n in range(100)], "aliases": [f"{n:0128}" for n in range(99)] + ["ü" * 128], "ttl_s": 36500 * 86400}
    net = Collection(api, model.home, "n" * 128, "t" * 128)
    made = net.version({"a": HELLO}, **draft)
    assert (made["description"], made["metadata"], made["ttl_s"]) == (draft["description"], draft["metadata"], draft["ttl_s"])
    assert sorted(made["tags"]) == draft["tags"] and set(draft["aliases"]) <= set(made["aliases"])
    for more in ({"client": "c" * 129}, {"description": "d" * 65537}, {"metadata": {"a": draft["metadata"]["a"] + "m"}},
                 {"tags": [*draft["tags"], "x"]}, {"tags": ["x" * 65]}, {"aliases": [*draft["aliases"], "x"]}, {"ttl_s": draft["ttl_s"] + 1}):
        assert api.refused(400, "invalid", "POST", f"{net.path}/versions", {**draft, "client": "x", **more})["field"].startswith([*more][0])
    assert api.patch(net.path, {"keep_last": 1_000_000, "ttl_s": draft["ttl_s"]}).json["keep_last"] == 1_000_000
    for more in {"keep_last": 1_000_001}, {"ttl_s": draft["ttl_s"] + 1}:
        api.refused(400, "invalid", "PATCH", net.path, more)
    for change in ({"description": draft["description"], "tags": draft["tags"]}, {"metadata": draft["metadata"]}):
        assert api.patch(f"{net.path}/versions/v0", change).status == 200
    for more in {"description": "d" * 65537}, {"metadata": {"a": draft["metadata"]["a"] + "m"}}:
        api.refused(400, "invalid", "PATCH", f"{net.path}/versions/v0", more)


@pytest.mark.parametrize("name", ["a%2Fb", "a:b", "x" * 129, "a%00b", "a%0Ab", "%ff"])
def test_names_that_are_refused(project, api, name):
    api.refused(400, "invalid", "POST", f"{project}/artifacts/{name}/versions", {"type": "model"})


@pytest.mark.parametrize("path", ["..", "a/../b", "a//b", "a/", "%2e%2e/x", "x" * 2049, "a%00b", "%ff"])
def test_paths_that_are_refused(model, api, path):
    draft = model.draft()
    api.refused(400, "invalid", "PUT", f"{draft}/files/{path}", HELLO, content_type="application/octet-stream")


def test_references_that_are_refused(model, api):
    draft = model.draft()
    fine = {"path": "a", "ref": "s3://b/a"}
    for bad in ({"path": "../a"}, {"path": "/a"}, {"path": ""}, {"path": "x" * 2049}, {"ref": ""}, {"ref": "x" * 8193},
                {"bytes": -1}, {"bytes": 1 << 60}, {"size": 1}, {"digest": "x" * 1025}):
        api.refused(400, "invalid", "POST", f"{draft}/references", {"references": [{**fine, **bad}]})
    for body in ({}, {"references": []}, {"references": [fine] * 1001}):
        api.refused(400, "invalid", "POST", f"{draft}/references", body)
    at_the_limit = {"path": "ü" * 1024, "ref": "s3://" + "x" * 8187, "bytes": 1 << 53, "digest": "d" * 1024}
    api.post(f"{draft}/references", {"references": [at_the_limit, {**fine, "ref": "http://169.254.169.254/latest"}]})
    made = model.commit(draft)
    assert (made["files"], made["bytes"]) == (2, 1 << 53)  # nothing was asked for at that host: it would have hung


def test_verify_a_version(model, api, db, folder):
    """Each file is read again: what is missing or changed on the disk is named, and what the database says of it wrongly."""
    names = ["cut", "fine", "flipped", "gone", "named"]
    contents = {name: os.urandom(3000) for name in names}
    model.version(contents, references={"ref": "s3://b/k"})
    path = f"{model.path}/versions/v0/verify"
    assert api.post(path).json == {"items": [], "next_cursor": None, "files": 5, "bytes": 15000}

    def stored(name):
        hash_ = hashlib.blake2b(contents[name], digest_size=32).hexdigest()
        [found] = [p for p in (folder / "content").glob("??/??/*") if hash_ in "".join(p.parts[-3:]) or p.name in hash_]
        return found

    for name, content in (("cut", contents["cut"][:-1]), ("flipped", contents["flipped"][:-1] + bytes([contents["flipped"][-1] ^ 1]))):
        stored(name).chmod(0o600)
        stored(name).write_bytes(content)
    stored("gone").unlink()
    db.query("update artifact_blob set md5 = %s, row_sum = null where md5 = %s", bytes(16), hashlib.md5(contents["named"]).digest())
    faults = [("cut", "size"), ("flipped", "hash"), ("gone", "missing"), ("named", "md5")]
    assert [(f["path"], f["fault"]) for f in api.post(path).json["items"]] == faults
    pages, cursor = [], None
    while not pages or cursor:
        answer = api.request("POST", path, query={"limit": 2, **({"cursor": cursor} if cursor else {})}).json
        pages.append(answer)
        cursor = answer["next_cursor"]
    assert len(pages) == 3 and [(f["path"], f["fault"]) for page in pages for f in page["items"]] == faults
    for limit, status in ((10000, 200), (10001, 400)):
        assert api.request("POST", path, query={"limit": limit}).status == status


def test_a_file_cannot_be_a_folder_too(model, api):
    """Of files that came one by one, and on top of a base: refused when the version is made."""
    draft = model.draft()
    for path in "a", "a/b":
        model.put(draft, path, HELLO)
    told = api.refused(422, "unprocessable", "POST", f"{draft}/commit")
    assert '"a" is a file and also the folder' in told["detail"]
    model.version({"a": HELLO})
    draft = model.draft(base="v0")
    api.post(f"{draft}/references", {"references": [{"path": "a/b", "ref": "s3://b/a"}]})
    api.refused(422, "unprocessable", "POST", f"{draft}/commit")


def test_as_many_aliases_as_a_version_may_have(model, api, home, db):
    """In a collection; and as a draft may ask for in several requests."""
    model.version({"a": HELLO})
    api.post(f"{home}/artifacts/all/links", {"source": "model:v0"})
    db.query("insert into artifact_alias (project_id, collection_id, alias, version, set_at)"
             " select project_id, collection_id, 'a' || n, version, now() from artifact_member, generate_series(1, 998) n"
             " where collection_id in (select collection_id from artifact_collection order by collection_id desc limit 2)")
    path = f"{model.path}/versions/v0"
    api.put(f"{path}/aliases/last")  # with "latest" it is the 1000th
    told = api.refused(422, "unprocessable", "PUT", f"{path}/aliases/more")
    assert "1000" in told["detail"] and told["field"] == "aliases"
    api.put(f"{path}/aliases/last")
    api.delete(f"{path}/aliases/last")
    api.put(f"{path}/aliases/more")
    api.post(f"{home}/artifacts/all/links", {"source": "model:v0", "aliases": ["last"]})
    api.refused(422, "unprocessable", "POST", f"{home}/artifacts/all/links", {"source": "model:v0", "aliases": ["more"]})
    asked = {"type": "model", "client": hashlib.md5(home.encode()).hexdigest()}
    for n in range(11):  # 999, and "latest"
        api.post(f"{model.path}/versions", {**asked, "aliases": [f"{n}-{k}" for k in range(99 if n < 10 else 9)]})
    told = api.refused(422, "unprocessable", "POST", f"{model.path}/versions", {**asked, "aliases": ["more"]})
    assert "1000" in told["detail"]


def test_drafts_stay_where_they_are(model, api, by, home):
    """A draft is not a version; it is found in its own collection alone, and by those who may write."""
    draft = model.draft()
    assert api.pages(f"{model.path}/versions") == [] and api.pages(f"{home}/artifact-versions") == []
    Collection(api, home, "other").version({"a": HELLO})
    api.refused(404, "not-found", "POST", draft.replace("/model/", "/other/") + "/commit")
    for text in ("x", "QXJ0aWZhY3Q6MTox", "%01"):
        api.refused(404, "not-found", "POST", f"{model.path}/drafts/{text}/commit")
    by["bob"].refused(404, "not-found", "POST", f"{draft}/commit")
    by["nobody"].refused(401, "unauthorized", "POST", f"{draft}/commit")
    model.put(draft, "a", HELLO)
    other = Collection(api, home, "other")
    before = other.get()
    more = other.draft(aliases=["best"])
    other.put(more, "a", WORLD)
    assert other.get() == before and other.get()["version"] == "v0", "the commit moves aliases and numbers, the draft does not"
    api.refused(404, "not-found", "GET", f"{other.path}/versions/best")
    assert other.commit(more)["aliases"] == ["latest", "best"] and other.get()["version"] == "v1"
    answer = api.request("PUT", f"{draft}/files/b", HELLO, content_type="application/octet-stream",
                         headers={"Content-MD5": base64.b64encode(hashlib.md5(WORLD).digest()).decode()})
    assert (answer.status, answer.problem) == (400, "invalid")
    assert list(files(api, f"{model.path}/versions/v0") if model.commit(draft) else {}) == ["a"]


def test_another_type(model, api, project):
    model.version({"a": HELLO})
    problem = api.refused(409, "conflict", "POST", f"{model.path}/versions", {"type": "dataset"})
    assert "model" in problem["detail"]
    api.refused(400, "invalid", "GET", f"{project}/artifacts", query={"order": "size"})
    api.refused(400, "invalid", "GET", f"{project}/artifacts", query={"cursor": "nonsense"})
    api.refused(400, "invalid", "GET", f"{model.path}/versions/v0/files", query={"delimiter": "x"})
    api.refused(400, "invalid", "GET", f"{model.path}/versions/v0/files", query={"delimiter": "/", "prefix": "a"})
    for path in ("nothing", f"{model.name}/versions/v1", f"{model.name}/versions/no", f"{model.name}/versions/v0/files/b",
                 f"{model.name}/versions/v99999999999"):
        api.refused(404, "not-found", "GET", f"{project}/artifacts/{path}")
