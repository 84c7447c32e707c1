"""Files of artifacts as the documents of all releases ask for them, and by the addresses that the SDK makes itself."""
import hashlib

import pytest
from artifact_wire import Draft, md5_of, path_of

FILES = {f"in/{number:03}.txt": f"{number}".encode() for number in range(12)} | {"größe 1=2#?.bin": bytes(range(256)) * 40, "empty": b""}
REFERENCE = {"digest": "s3://bucket/key", "ref": "s3://bucket/key", "size": 7, "extra": {"etag": "e"}}
FIELDS = "pageInfo { hasNextPage endCursor } edges { cursor node { id name displayName url sizeBytes storagePath mimetype digest md5 directUrl } }"
# Each with the path of its list in the answer.
DOCUMENTS = {
    "0.19.9 and later: of a membership": ("""query($e: String!, $p: String!, $c: String!, $v: String!, $after: String, $first: Int, $names: [String!]) {
        project(name: $p, entityName: $e) { artifactCollection(name: $c) { artifactMembership(aliasName: $v) {
          files(names: $names, after: $after, first: $first) { totalCount %s } } } } }""", "project artifactCollection artifactMembership files"),
    "to 0.28.0: of a type": ("""query($e: String!, $p: String!, $t: String!, $n: String!, $after: String, $first: Int, $names: [String!]) {
        project(name: $p, entityName: $e) { artifactType(name: $t) { artifact(name: $n) {
          files(names: $names, after: $after, first: $first) { totalCount %s } } } } }""", "project artifactType artifact files"),
    "wandb-core: by id": ("""query($id: ID!, $after: String, $first: Int, $names: [String!]) { artifact(id: $id) {
          files(names: $names, after: $after, first: $first) { totalCount %s } } }""", "artifact files"),
}
ENTRIES = """query($id: ID!, $entries: [ArtifactManifestEntryInput!]) { artifact(id: $id) { filesByManifestEntries(
    storageLayout: "V2", manifestVersion: "1", entries: $entries, storageRegion: null) { pageInfo { hasNextPage } edges { node { name directUrl } } } } }"""


@pytest.fixture
def made(wire):
    """A version with a reference beside the files."""
    wire.start("r1")
    draft = Draft(wire, "data", FILES)
    draft.send_files()
    body = draft.json_of()
    body["contents"]["ref"] = REFERENCE
    draft.send_manifest(body)
    draft.commit()
    return draft


def test_lists(wire, made, project):
    """All documents show the same files, page by page; names that the version does not have are left out."""
    names = {"e": "ann", "p": project, "c": "data", "v": "v0", "t": "dataset", "n": "data:v0", "id": made.id}
    expected = sorted([*FILES, "ref"], key=lambda name: name.encode())
    shown = []
    for document, path in DOCUMENTS.values():
        def ask(document=document, path=path, **more):
            found = wire.query(document % FIELDS, **names, **more)
            for step in path.split():
                found = found[step]
            return found
        pages, after = [], None
        while not pages or pages[-1]["pageInfo"]["hasNextPage"]:
            pages.append(ask(first=4, after=after))
            assert pages[-1]["totalCount"] == len(expected)
            after = pages[-1]["pageInfo"]["endCursor"]
            assert after == pages[-1]["edges"][-1]["cursor"]
        assert [len(page["edges"]) for page in pages] == [4, 4, 4, 3]
        shown.append([edge["node"] for page in pages for edge in page["edges"]])
        named = ask(names=["empty", "never", "in/001.txt", "ref"])
        assert named["totalCount"] == 3 and [edge["node"]["name"] for edge in named["edges"]] == ["empty", "in/001.txt", "ref"]
        assert ask(first=0)["edges"] == []
        assert len(ask(first=2_000_000)["edges"]) == len(expected)
    assert [node["name"] for node in shown[0]] == expected
    for nodes in shown:
        for node in nodes:
            body = FILES.get(node["name"])
            if body is None:
                assert (node["url"], node["directUrl"], node["sizeBytes"], node["md5"], node["storagePath"]) == (
                    "s3://bucket/key", "s3://bucket/key", 7, None, None)
                continue
            assert (node["sizeBytes"], node["md5"], node["digest"]) == (len(body), md5_of(body), md5_of(body))
            assert node["displayName"] == node["name"] and node["storagePath"].startswith("wandb_artifacts/")
            assert node["storagePath"] in node["directUrl"]
            assert wire.send("GET", path_of(node["directUrl"]), key=False).body == body
            assert wire.send("GET", path_of(node["url"])).body == body
    by_entries = wire.query(ENTRIES, id=made.id, entries=[{"name": name, "digest": "any", "birthArtifactID": made.id, "size": 1}
                                                          for name in ("in/003.txt", "never", "empty")])
    found = {edge["node"]["name"]: edge["node"]["directUrl"] for edge in by_entries["artifact"]["filesByManifestEntries"]["edges"]}
    assert set(found) == {"in/003.txt", "empty"}
    assert wire.send("GET", path_of(found["in/003.txt"]), key=False).body == b"3"


def test_addresses(wire, made, project):
    """Whatever stands for the birth and the name; parts of files by Range."""
    body = FILES["größe 1=2#?.bin"]
    digest = hashlib.md5(body).hexdigest()
    place = f"/artifactsV2/default/ann/{project}/data"
    paths = [f"{place}/{made.id}/{digest}/x", f"{place}/{made.id.replace('=', '%3D')}/{digest}/x", f"{place}//{digest}/", f"{place}/{made.id}//{digest}/x",
             f"{place}/{made.id}/{made.id}/{digest}/x", f"/artifactsV2/region-1/ann/{made.id}/{digest}", f"/artifactsV2/default/ann//{digest}",
             f"/artifacts/ann/{digest}"]
    for path in paths:
        answer = wire.send("GET", path)
        assert (answer.status, answer.body) == (200, body), path
        part = wire.send("GET", path, headers={"Range": "bytes=100-199"})
        assert (part.status, part.body) == (206, body[100:200]), path
        bearer = wire.send("GET", path, headers={"Authorization": f"Bearer {wire.key}"}, key=False)
        assert (bearer.status, bearer.body) == (200, body), path
        assert wire.send("GET", path.replace(digest, "0" * 32)).status == 404
        assert wire.send("GET", path.replace(digest, digest[1:])).status == 404
    for path in (f"{place}", f"/artifactsV2/default/ann/{project}", f"{place}/a/b/c/d/e/f/g", "/artifactsV2/default", f"/artifacts/ann/{digest}/more"):
        assert wire.send("GET", path).status == 404, path


BAD_FILTERS = ('{"name": 1}', '{"size": 3}', '{"name": {"$gt": "a"}}', "[]", "nonsense", '{"state": {"$where": 1}}', '{"$and": {}}',
               '{"tags": {"$in": "a"}}')


def test_bad_filters(wire, made, project):
    """An error that says what is accepted."""
    for filters in BAD_FILTERS:
        for list_ in ("artifactCollections(filters: $f) { totalCount }",
                      'artifactCollection(name: "data") { artifacts(filters: $f) { totalCount } }'):
            said = wire.ask('query($p: String!, $f: JSONString) { project(name: $p, entityName: "ann") { %s } }' % list_,
                            p=project, f=filters).json
            [fault] = said["errors"]
            assert "filters" in fault["message"], (filters, list_, fault)
