"""Requests for artifacts that are repeated, contradict each other or say what is not so: a clear error, and no half version.

Each refusal of GraphQL has the status 200, and each of an upload one that the SDK does not repeat.
"""
import concurrent.futures
import hashlib
import secrets

import pytest
from artifact_wire import COMPLETE, CREATE, DONE, FILES, MANIFEST, UPDATE, USE, Draft, digest_of, md5_of
from wire import Wire

RANKS = 12
FINAL = (400, 401, 403, 404, 410, 413, 422)


@pytest.fixture
def two(project):
    """Files that no other test has sent: content of the user's other projects is not sent again."""
    return {"a.txt": f"hello {project}".encode(), "b/c.txt": f"{project}".encode()}


@pytest.fixture
def hello(project):
    return f"HELLO {project}".encode()


def refused(answer):
    """The message of a GraphQL error."""
    assert answer.status == 200, answer
    [error] = answer.json["errors"]
    assert all(value is None for value in answer.json["data"].values()), answer
    return error["message"]


def test_each_request_may_come_twice(wire, two):
    draft = Draft(wire, "data", two)
    assert draft.create() == draft.made and draft.made["state"] == "PENDING" and draft.made["versionIndex"] is None
    assert draft.send_files() == list(two) and draft.send_files() == [], "what came is not requested again"
    assert {draft.send_manifest().status for _ in range(2)} <= set(DONE)
    first = draft.commit()
    assert first == draft.commit() == {"id": draft.id, "state": "COMMITTED", "digest": draft.asked["digest"]}
    again = draft.create()
    assert (again["id"], again["state"], again["artifactSequence"]["latestArtifact"]) == (
        draft.id, "COMMITTED", {"id": draft.id, "versionIndex": 0})
    assert draft.send_manifest().status in (*DONE, *FINAL)
    said = draft.read()
    assert (said["versionIndex"], said["size"], said["fileCount"]) == (0, sum(map(len, two.values())), 2)
    assert [alias["alias"] for alias in said["aliases"]] == ["latest"]


def test_content_is_sent_once(wire, url, keys, two, hello):
    """A project has it; and another user's project is not asked, because an MD5 does not prove possession."""
    Draft(wire, "data", two).send()
    other = Draft(wire, "other", {"x": two["a.txt"], "y": hello})
    assert other.send_files() == ["y"]
    assert other.births["y"] == other.id != other.births["x"]
    other.send_manifest()
    other.commit()
    stranger = Draft(Wire(url, keys["bob"], "bob", wire.project), "data", two)
    assert stranger.send_files() == list(two)


def test_versions_by_digest(wire, two):
    """With an id of the client's own the newest version counts; without one, as the public API asks, any."""
    first = Draft(wire, "data", two)
    first.send()
    same = Draft(wire, "data", two, aliases=["latest", "same"])
    assert (same.id, same.made["state"]) == (first.id, "COMMITTED")
    assert {alias["alias"] for alias in first.read()["aliases"]} == {"latest", "same"}
    second = Draft(wire, "data", {"a.txt": b"other"})
    second.send()
    third = Draft(wire, "data", two)
    assert (third.made["state"], third.made["artifactSequence"]["latestArtifact"]["id"]) == ("PENDING", second.id)
    third.send()
    again = Draft(wire, "data", second.files, clientID=None, sequenceClientID=None, aliases=[])
    assert (again.id, again.made["state"]) == (second.id, "COMMITTED")
    assert third.read()["versionIndex"] == 2


def test_many_processes(wire):
    """Each sends a part under an id of its own; two parts may have a path, and the last one counts."""
    drafts = [Draft(wire, "data", {f"{rank}": b"%d" % rank, "both": b"%d" % (rank % 2)}, distributedID="group", aliases=[f"r{rank}"])
              for rank in range(3)]
    assert len({draft.id for draft in drafts}) == 1
    for draft in drafts:
        draft.send_files()
        assert draft.send_manifest(kind="PATCH").status in DONE
    assert drafts[0].read()["state"] == "PENDING"
    drafts[1].commit()
    entries = drafts[0].entries()
    assert {path: entry["digest"] for path, entry in entries.items()} == {
        **{f"{rank}": md5_of(b"%d" % rank) for rank in range(3)}, "both": md5_of(b"0")}
    assert {alias["alias"] for alias in drafts[0].read()["aliases"]} == {"r0", "r1", "r2"}
    late = Draft(wire, "data", {"late": b""}, distributedID="group")
    assert late.id != drafts[0].id and late.made["state"] == "PENDING"


def at_once(count, call):
    """What each of them returns."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(call, range(count)))


def test_many_processes_at_once(wire, project):
    """Which of them is the first to make the draft, its project and its collection is all the same."""
    def send(rank):
        draft = Draft(wire, "data", {f"{rank}": f"{project} {rank}".encode()}, distributedID="group")
        draft.send_files()
        assert draft.send_manifest(kind="PATCH").status in DONE
        return draft
    drafts = at_once(RANKS, send)
    assert len({draft.id for draft in drafts}) == 1
    ends = at_once(RANKS, lambda rank: drafts[rank].commit())
    assert {end["digest"] for end in ends} == {drafts[0].read()["digest"]}
    assert sorted(drafts[0].entries(), key=int) == [str(rank) for rank in range(RANKS)]
    assert drafts[0].read()["versionIndex"] == 0


@pytest.mark.long
def test_three_hundred_processes(wire, project):
    """Of one training, twelve at a time."""
    def send(rank):
        draft = Draft(wire, "data", {f"{rank}": f"{project} {rank}".encode()}, distributedID="large")
        draft.send_files()
        assert draft.send_manifest(kind="PATCH").status in DONE
        return draft
    with concurrent.futures.ThreadPoolExecutor(RANKS) as pool:
        drafts = list(pool.map(send, range(300)))
    assert len({draft.id for draft in drafts}) == 1
    drafts[7].commit()
    assert sorted(drafts[0].entries(), key=int) == [str(rank) for rank in range(300)]
    said = drafts[0].read()
    assert (said["versionIndex"], said["fileCount"], said["digest"]) == (0, 300, digest_of(
        {f"{rank}": md5_of(f"{project} {rank}".encode()) for rank in range(300)}))


def test_versions_that_are_committed_at_once(wire, project):
    """Their numbers follow each other, and the last one is the latest."""
    drafts = at_once(RANKS, lambda rank: Draft(wire, "data", {"a": f"{project} {rank}".encode()}))
    assert len({end["id"] for end in at_once(RANKS, lambda rank: drafts[rank].send())}) == RANKS
    said = [draft.read() for draft in drafts]
    assert sorted(one["versionIndex"] for one in said) == list(range(RANKS))
    assert [one["versionIndex"] for one in said if one["aliases"]] == [RANKS - 1]


def test_increments_of_two_processes_are_both_kept(wire):
    """Both name the same base; what the other one committed since is kept."""
    base = Draft(wire, "data", {"a": b"a"})
    base.send()
    one, two = (Draft(wire, "data", {name: name.encode()}) for name in "bc")
    one.send("INCREMENTAL", base.id)
    two.send("INCREMENTAL", base.id)
    assert sorted(one.entries()) == ["a", "b"] and sorted(two.entries()) == ["a", "b", "c"]
    assert two.read()["digest"] == digest_of({name: md5_of(name.encode()) for name in "abc"})


def test_a_commit_without_its_files(wire, two):
    draft = Draft(wire, "data", two)
    draft.manifest()
    assert "manifest" in refused(draft.ask_commit())
    draft.births = dict.fromkeys(two, draft.id)
    assert draft.send_manifest().status in DONE
    assert "a.txt" in refused(draft.ask_commit())
    assert draft.read()["state"] == "PENDING"
    draft.send_files()
    assert draft.commit()["state"] == "COMMITTED"


def test_other_bytes_than_were_announced(wire, hello):
    draft = Draft(wire, "data", {"a.txt": hello})
    [node] = draft.ask_files()
    refusal = draft.put(node["uploadUrl"], hello.lower())
    assert refusal.status in FINAL and b"MD5" in refusal.body[:1024], refusal
    assert [node["uploadUrl"] is None for node in draft.ask_files()] == [False]
    assert draft.send() and draft.entries()["a.txt"]["size"] == len(hello)


LIES = {
    "size": ({"a.txt": {"digest": md5_of(b"hello"), "size": 6}}, "a.txt"),
    "no digest": ({"a.txt": {"size": 5}}, "digest"),
    "up": ({"../a": {"digest": md5_of(b"hello"), "size": 5}}, "../a"),
    "absolute": ({"/a": {"digest": md5_of(b"hello"), "size": 5}}, "/a"),
    "digest": ({"a.txt": {"digest": "hello", "size": 5}}, "a.txt"),
    "size below 0": ({"a.txt": {"digest": md5_of(b"hello"), "size": -1}}, "a.txt"),
    "no contents": (None, "expected an object"),
    "version": ({}, "version"),
}


@pytest.mark.parametrize("lie", LIES)
def test_manifests_that_lie(wire, lie):
    contents, named = LIES[lie]
    draft = Draft(wire, "data", {"a.txt": b"hello"})
    draft.send_files()
    body = draft.json_of(contents=contents, version=2 if lie == "version" else 1)
    answer = draft.send_manifest(body)
    if answer.status in DONE:
        assert named in refused(draft.ask_commit())
    else:
        assert answer.status in FINAL and named in answer.body.decode(), answer
        assert "manifest" in refused(draft.ask_commit())
    assert draft.read()["state"] == "PENDING"
    draft.send_manifest()
    assert draft.commit()["state"] == "COMMITTED", "a good one may follow"


BAD = {
    "region": ({"storageRegion": "coreweave-us"}, "coreweave-us"),
    "algorithm": ({"digestAlgorithm": "MANIFEST_XXH128"}, "MANIFEST_MD5"),
    "long name": ({"artifactCollectionName": "n" * 129}, "128 characters or less"),
    "name": ({"artifactCollectionName": "a/b"}, "invalid artifact name"),
    "no name": ({"artifactCollectionName": ""}, "artifactCollectionName"),
    "type": ({"artifactTypeName": "a/b"}, "type"),
    "alias": ({"aliases": [{"artifactCollectionName": "data", "alias": "v3"}]}, "v3"),
    "tag": ({"tags": [{"tagName": "t" * 65}]}, "64"),
    "ttl": ({"ttlDurationSeconds": 0}, "ttlDurationSeconds"),
    "ttl that is none": ({"ttlDurationSeconds": "soon"}, "ttlDurationSeconds"),
    "metadata": ({"metadata": "[1]"}, "metadata"),
    "metadata that is none": ({"metadata": "{"}, "metadata"),
    "run": ({"runName": "none"}, "none"),
    "project": ({"projectName": ""}, "projectName"),
    "client id": ({"clientID": "c" * 129}, "128"),
    "many aliases": ({"aliases": [{"artifactCollectionName": "data", "alias": f"a{n}"} for n in range(101)]}, "100"),
}


def test_bad_input(wire, two):
    good = Draft(wire, "data", two)
    for what, (more, named) in BAD.items():
        answer = wire.ask(CREATE, input={**good.asked, "clientID": secrets.token_hex(64), **more})
        assert "errors" in answer.json, what
        message = refused(answer)
        assert named in message, (what, message)
    message = refused(wire.ask(CREATE, input={**good.asked, "digest": "0" * 32}))
    assert "client id" in message.lower(), "its id is that of other content"
    message = refused(wire.ask(CREATE, input={**good.asked, "clientID": secrets.token_hex(64), "artifactTypeName": "model"}))
    assert "dataset" in message and "data" in message
    named = {"artifactID": good.id, "baseArtifactID": None, "name": "n", "runName": "", "digest": "", "manifestType": "FULL",
             "includeUpload": True, **good.names}
    for more, said in (({"manifestType": "HALF"}, "HALF"), ({"digest": "x"}, "digest"), ({"artifactID": "x"}, "does not exist"),
                       ({"manifestType": "INCREMENTAL", "baseArtifactID": "x"}, "artifact"),
                       ({"manifestType": "PATCH", "baseArtifactID": "x"}, "artifact")):
        assert said in refused(wire.ask(MANIFEST, **{**named, **more})), more
    assert "does not exist" in refused(wire.ask(UPDATE, artifactManifestID="x", digest="", includeUpload=True))
    [spec, _] = good.specs()
    for more, said in (({"md5": "x"}, "md5"), ({"name": "../x"}, "../x"), ({"artifactID": "x"}, "does not exist"),
                       ({"name": "n" * 2049}, "2048")):
        assert said in refused(wire.ask(FILES, artifactFiles=[{**spec, **more}], storageLayout="V2")), more
    use = {**good.names, "runName": "r1", "artifactID": good.id}
    wire.start("r1")
    assert "not committed" in refused(wire.ask(USE, input=use))
    good.send()
    assert "does not exist" in refused(wire.ask(USE, input={**use, "runName": "none"}))
    assert "does not exist" in refused(wire.ask(USE, input={**use, "artifactID": "x"}))
    assert wire.query(USE, input=use)["useArtifact"]["artifact"]["id"] == good.id


ARTIFACTS_OF_A_RUN = """query($p: String!, $e: String!) { project(name: $p, entityName: $e) { run(name: "r1") {
  outputArtifacts(first: 1) { ...RunOutput } inputArtifacts(first: 1) { ...RunInput } } } }
fragment RunOutput on ArtifactConnection { totalCount edges { node { id } } pageInfo { hasNextPage } }
fragment RunInput on InputArtifactConnection { totalCount edges { node { id } } pageInfo { hasNextPage } }"""


def test_artifacts_of_a_run(wire, two):
    """By fragments, as 0.22 asks; a draft is none of them."""
    wire.start("r1")
    first, second = (Draft(wire, name, two, run="r1") for name in ("one", "two"))
    first.send()
    use = {**first.names, "runName": "r1", "artifactID": first.id}
    assert [wire.query(USE, input=use)["useArtifact"]["artifact"]["id"] for _ in range(2)] == [first.id] * 2

    def said():
        run = wire.query(ARTIFACTS_OF_A_RUN, p=wire.project, e=wire.entity)["project"]["run"]
        return [(part["totalCount"], [edge["node"]["id"] for edge in part["edges"]], part["pageInfo"]["hasNextPage"])
                for part in (run["outputArtifacts"], run["inputArtifacts"])]
    assert said() == [(1, [first.id], False)] * 2
    second.send()
    assert said() == [(2, [first.id], True), (1, [first.id], False)]


RUNS_OF = """query($id: ID!) { artifact(id: $id) { createdBy { __typename ... on Run { name } ... on User { username } }
    usedBy { edges { node { name project { name entity { name } } } } } } }"""
DELETE_RUN = "mutation($i: Input) { deleteRun(input: $i) { success } }"


def test_runs_of_an_artifact(wire, two, url, keys):
    """A run that was deleted is none of them; what it made was made by its user then. Others do not see the artifact."""
    run = wire.start("r1").bucket["id"]
    wire.start("r2")
    draft = Draft(wire, "data", two, run="r1")
    draft.send()
    for name in "r1", "r2":
        wire.query(USE, input={**draft.names, "runName": name, "artifactID": draft.id})

    def said(asker=wire):
        artifact = asker.query(RUNS_OF, id=draft.id)["artifact"]
        return artifact and (artifact["createdBy"], [edge["node"]["name"] for edge in artifact["usedBy"]["edges"]])
    assert said() == ({"__typename": "Run", "name": "r1"}, ["r1", "r2"])
    bob = Wire(url, keys["bob"], "bob", wire.project)
    assert said(bob) is None
    assert "does not exist" in refused(bob.ask(USE, input={"entityName": "bob", "projectName": "mine", "runName": "r1",
                                                            "artifactID": draft.id}))
    wire.query(DELETE_RUN, i={"id": run})
    assert said() == ({"__typename": "User", "username": "ann"}, ["r2"])


def test_a_file_in_parts(wire, hello):
    """Parts come in any order and again; the answer to each has its ETag, which the end names."""
    parts = [hello * 100, b"b" * 1000, b"c"]
    whole = b"".join(parts)
    draft = Draft(wire, "data", {"big": whole})
    asked = [{"partNumber": n + 1, "hexMD5": hashlib.md5(part).hexdigest()} for n, part in enumerate(parts)]
    [node] = draft.ask_files(draft.specs(uploadPartsInput=asked))
    urls = {part["partNumber"]: part["uploadUrl"] for part in node["uploadMultipartUrls"]["uploadUrlParts"]}
    assert node["uploadUrl"] and list(urls) == [1, 2, 3]
    tags = {}
    for number in (3, 1, 1, 2):
        answer = draft.put(urls[number], parts[number - 1])
        assert answer.status in DONE, answer
        tags[number] = answer.headers["ETag"]
    end = {"completeMultipartAction": "Complete", "artifactID": node["artifact"]["id"], "storagePath": node["storagePath"],
           "uploadID": node["uploadMultipartUrls"]["uploadID"]}
    few = wire.ask(COMPLETE, completedParts=[{"partNumber": 1, "hexMD5": tags[1]}], **end)
    assert "part" in refused(few)
    for _ in range(2):
        said = wire.query(COMPLETE, completedParts=[{"partNumber": n, "hexMD5": tags[n]} for n in (1, 2, 3)], **end)
        assert said["completeMultipartUploadArtifact"]["digest"] == md5_of(whole)
    assert draft.ask_files()[0]["uploadUrl"] is None
    draft.births["big"] = node["artifact"]["id"]
    draft.send_manifest()
    draft.commit()
    assert draft.entries()["big"]["size"] == len(whole)
