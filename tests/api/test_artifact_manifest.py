"""Manifests and content of artifacts, by links: what is refused, what is kept as it was sent, and servers that die."""
import hashlib
import json
import threading

import pytest

from drafts import COMMIT, COMPLETE, FILES, Draft, digest_of, manifest_of, md5_of
from uploads import Torn, below, incoming

HELLO = {"digest": md5_of(b"hello"), "size": 5}
LINK = {"digest": "etag", "ref": "s3://bucket/key"}


def one(path, **entry):
    return manifest_of({path: {**HELLO, **entry}})


def of_json(contents):
    return b'{"version":1,"contents":' + contents + b"}"


def entry(**more):
    return json.dumps({**HELLO, **more}).encode()


# Each with a word of the message that helps to find it.
REFUSED = {
    "size below zero": (one("a", size=-1), 400, '"a", "size"'),
    "size above 2^53": (one("a", size=2**53 + 1), 400, '"a", "size"'),
    "size is a text": (one("a", size="5"), 400, '"a", "size"'),
    "digest is hex": (one("a", digest=hashlib.md5(b"hello").hexdigest()), 400, "base64"),
    "digest is short": (one("a", digest="XUFAKg=="), 400, "base64"),
    "no digest": (manifest_of({"a": {"size": 5}}), 400, "digest"),
    "reference without digest": (manifest_of({"a": {"ref": "s3://b/k"}}), 400, "digest"),
    "reference too long": (one("a", ref="s3://" + "k" * (8 << 10)), 422, "8192"),
    "digest too long": (manifest_of({"a": {**LINK, "digest": "d" * 1025}}), 422, "1024"),
    "all too large": (manifest_of({"a": {**LINK, "size": 2**53}, "b": {**LINK, "size": 1}}), 422, "9007199254740992"),
    "extra too long": (one("a", extra={"x": "y" * (64 << 10)}), 422, "65536"),
    "extra is a list": (one("a", extra=[]), 400, "object"),
    "an entry is a text": (manifest_of({"a": "b"}), 400, "object"),
    "up": (one("../a"), 400, "../a"),
    "up, inside": (one("a/../b"), 400, '".."'),
    "here": (one("./a"), 400, "./a"),
    "absolute": (one("/etc/passwd"), 400, "/etc/passwd"),
    "empty": (one(""), 400, "is empty"),
    "empty part": (one("a//b"), 400, "a//b"),
    "a folder": (one("a/"), 400, "a/"),
    "2049 bytes": (one("n" * 2049), 400, "2048"),
    "4 KB": (one("n" * 4096), 400, "2048"),
    "2049 bytes of two each": (one("ü" * 1024 + "n"), 400, "2048"),
    "U+0000": (one("a\0b"), 400, "U+0000"),
    "half a pair": (of_json(b'{"a\\ud800":' + entry() + b"}"), 400, "UTF-8"),
    "not UTF-8": (of_json(b'{"a\xff":' + entry() + b"}"), 400, "UTF-8"),
    "twice": (of_json(b'{"a":' + entry() + b',"a":' + entry() + b"}"), 400, 'duplicate path "a"'),
    "twice, apart": (of_json(b'{"a":' + entry() + b',"b":' + entry() + b',"a":' + entry() + b"}"), 400, 'duplicate path "a"'),
    "twice, by escapes": (of_json(b'{"\\u0061":' + entry() + b',"a":' + entry() + b"}"), 400, 'duplicate path "a"'),
    "contents twice": (b'{"version":1,"contents":{},"contents":{}}', 400, 'duplicate "contents"'),
    "no contents": (b'{"version":1}', 400, '"contents"'),
    "contents is a list": (of_json(b"[]"), 400, "object"),
    "no version": (b'{"contents":{}}', 400, '"version"'),
    "version 2": ({**manifest_of({}), "version": 2}, 400, "version 2"),
    "config is a list": ({**manifest_of({}), "storagePolicyConfig": []}, 400, "object"),
    "config too long": ({**manifest_of({}), "storagePolicyConfig": {"x": "y" * 4096}}, 422, "4096"),
    "a file and a folder": (manifest_of({path: LINK for path in ("a", "a-b", "a/b")}), 400, '"a" is a file and also the folder'),
    "the same, not sorted": (manifest_of({path: LINK for path in ("c/d/e", "b", "c/d")}), 400, '"c/d" is a file and also the folder'),
    "not an object": (b"[]", 400, "object"),
    "nothing": (b"", 400, "end"),
    "cut": (json.dumps(one("a")).encode()[:-3], 400, "end"),
    "two": (json.dumps(one("a")).encode() * 2, 400, "unexpected data"),
    "too large a value": (of_json(b'{"a":{"extra":{"x":"' + b"y" * (300 << 10) + b'"}}}'), 422, "larger"),
}


def test_refused_with_the_reason(api, project):
    """Nothing of it is kept: the draft can be committed with a good one afterwards."""
    draft = Draft(api, project)
    draft.send_files({"a": b"hello"})
    for what, (body, status, word) in REFUSED.items():
        answer = draft.send_manifest(body)
        assert (answer.status, answer.problem) == (status, "invalid" if status == 400 else "unprocessable"), (what, answer)
        assert word in answer.json["detail"] + answer.json.get("hint", ""), (what, answer)
    link = draft.manifest_link(b"{}")
    answer = draft.send(link, json.dumps(one("a")).encode())
    assert answer.status == 400 and "MD5" in answer.json["detail"], answer
    assert "manifest" in draft.refused(COMMIT, input={"artifactID": draft.id})
    assert draft.send_manifest(one("a")).status == 204
    draft.commit()
    assert draft.manifest()["contents"] == {"a": {**HELLO, "birthArtifactID": draft.id}}


def test_kept_as_it_was_sent(api, project):
    """At the limits; names that look alike, and such as other systems do not take; in any order, of more than a batch."""
    odd = ["n" * 2048, "e\u0301", "\u00e9", "a\\b", "C:\\x", "\U0001f600", "a b", "%2e%2e", "...", "d/.b", "tab\t", "new\nline", "a", "a.b",
           "Z", "\U0010ffff", "\ufeff"]
    contents = {path: {**LINK, "digest": f"d{n}"} for n, path in enumerate(odd)}
    contents["ref"] = {**LINK, "ref": "s3://" + "k" * (8 * 1024 - 5)}
    contents["extra"] = {**LINK, "extra": {"x": "y" * 60000, "n": {"m": [1, 2.5]}}}
    contents["longest extra"] = {**LINK, "extra": {"x": "y" * ((64 << 10) - len('{"x": ""}'))}}
    contents["digest"] = {**LINK, "digest": "d" * 1024}
    for n in range(6000):
        contents[f"many/{(n * 7919) % 6000:05}"] = {**LINK, "size": n}
    for more in contents, {"large": {**LINK, "size": 2**53}}, {}:
        draft = Draft(api, project)
        body = manifest_of(more)
        body["storagePolicyConfig"] |= {"x": "y" * (4096 - len('{"storageLayout": "V2", "x": ""}'))} if more else {}
        assert draft.send_manifest(body).status == 204
        assert draft.commit()["digest"] == digest_of(more)
        assert draft.manifest() == body
        said = draft.read()
        assert (said["fileCount"], said["size"]) == (len(more), sum(entry.get("size", 0) for entry in more.values()))


def test_births_that_are_not_so(api, project, by):
    """The server knows which version sent a content first, and says so, whatever a manifest names."""
    first = Draft(api, project).send_all({"a": project.encode()})
    bob = by["bob"]
    theirs = project.replace("/ann/", "/bob/")
    bob.put(theirs, {})
    hidden = Draft(bob, theirs).send_all({"a": b"hidden " + project.encode()})
    content, new = {"digest": md5_of(project.encode()), "size": len(project)}, {"digest": md5_of(b"2" + project.encode()), "size": len(project) + 1}
    draft = Draft(api, project, "second")
    assert draft.links({"x": project.encode(), "y": project.encode()}) == [None, None]
    draft.send_files({"z": b"2" + project.encode()})
    births = {"x": hidden.id, "y": draft.id, "z": "nobody"}
    assert draft.send_manifest(manifest_of({path: {**(new if path == "z" else content), "birthArtifactID": birth}
                                            for path, birth in births.items()})).status == 204
    draft.commit()
    shown = draft.manifest()["contents"]
    assert {path: entry["birthArtifactID"] for path, entry in shown.items()} == {"x": first.id, "y": first.id, "z": draft.id}
    assert {path: api.as_user(None).raw("GET", link).body for path, link in draft.file_links().items()} == {
        "x": project.encode(), "y": project.encode(), "z": b"2" + project.encode()}
    lied = Draft(api, project, "third")
    stolen = {"digest": md5_of(b"hidden " + project.encode()), "size": len(project) + 7, "birthArtifactID": hidden.id}
    assert lied.send_manifest(manifest_of({"a": stolen})).status == 204
    assert '"a"' in lied.refused(COMMIT, input={"artifactID": lied.id})


def test_repeats(api, project):
    """Until the commit another manifest replaces it; after it the same content is accepted, and no other."""
    draft = Draft(api, project)
    draft.send_files({"a": b"hello"})
    first, second = (json.dumps(one(path)).encode() for path in "ba")
    links = [draft.manifest_link(body) for body in (first, second)]
    assert [draft.send(links[n], (first, second)[n]).status for n in (0, 1, 1)] == [204] * 3
    other = project.encode()
    file_link, = Draft(api, project).links({"x": other})
    early, = draft.links({"a": b"not " + other})
    assert draft.links({"a": b"hello"}) == [None]
    draft.commit()
    assert list(draft.manifest()["contents"]) == ["a"]
    assert draft.send(links[1], second).status == 204
    assert draft.send(links[0], first).status == 204, "it was stored, though another one counts"
    with pytest.raises(AssertionError, match="committed"):
        draft.manifest_link(b"{}")
    assert draft.send(early, b"not " + other).status == 409
    assert draft.send(file_link, other).status == 204, "of another draft"


def test_links_say_what_they_lead_to(api, project, stranger):
    draft = Draft(api, project)
    content = project.encode()
    link, = (below(one) for one in draft.links({"a/b c": content}))
    for wrong in (link.replace("/a/b", "/a/c"), link.replace("wandb_artifacts/", "wandb_artifacts/1"),
                  link.replace(hashlib.md5(content).hexdigest(), hashlib.md5(b"x").hexdigest()), link[:-1] + "!", link.split("?")[0]):
        stranger.refused(403, "link-forged", "PUT", wrong, content, content_type=None)
    stranger.refused(403, "link-forged", "GET", link)
    told = stranger.refused(400, "invalid", "PUT", link, b"other", content_type=None)
    assert "MD5" in told["detail"] and "a/b c" in told["detail"]
    assert stranger.request("PUT", link, content, content_type=None).status == 204
    assert draft.send_manifest(manifest_of({"a/b c": {"digest": md5_of(content), "size": len(content)}})).status == 204
    draft.commit()
    api.delete(project, confirm=project.rsplit("/", 1)[1])
    stranger.refused(410, "gone", "PUT", link, content, content_type=None)


def test_a_server_that_died_while_it_joined_parts(api, project, db):
    """Another request joins them once it was silent for minutes; before that it comes too early."""
    draft = Draft(api, project)
    content = project.encode() * 2
    node, links = ask_parts(draft, "big", content, 2)
    parts = [content[:5], content[5:]]
    tags = [draft.send(link, part).headers["ETag"] for link, part in zip(links, parts, strict=True)]
    asked = {"query": COMPLETE, "variables": {"input": complete(draft, node, tags)}}
    of_this = "where path = 'big' and md5 = %s", hashlib.md5(content).digest()
    for silent, status in ("1 minute", 503), ("6 minutes", 200):
        db.query(f"update artifact_multipart set state = 2, heard_at = now() - interval '{silent}' {of_this[0]} returning 1", of_this[1])
        answer = api.raw("POST", "/graphql", json.dumps(asked), {"Content-Type": "application/json"})
        assert answer.status == status, answer
    assert draft.links({"big": content}) == [None]


def test_as_many_files_and_parts_as_a_request_may_ask_for(api, project):
    draft = Draft(api, project)
    parts = [{"partNumber": n + 1, "hexMD5": ""} for n in range(10_001)]
    node, links = ask_parts(draft, "big", b"", 10_000)
    assert node["uploadUrl"] and len(set(links)) == 10_000
    asked = {"artifactFiles": [{"artifactID": draft.id, "name": f"f{n}", "md5": md5_of(b"")} for n in range(10_001)], "storageLayout": "V2"}
    assert "10000" in draft.refused(FILES, input=asked)
    made = draft.query(FILES, input={**asked, "artifactFiles": asked["artifactFiles"][1:]})
    assert len(made["createArtifactFiles"]["files"]["edges"]) == 10_000
    asked["artifactFiles"] = [{**asked["artifactFiles"][0], "uploadPartsInput": parts}]
    assert "10,000" in draft.refused(FILES, input=asked)


def test_a_torn_upload_changes_nothing(api, project, server, folder, wait_for):
    draft = Draft(api, project)
    content = project.encode().ljust(1000)
    link, = draft.links({"a": content})
    before = len(incoming(folder))
    torn = Torn(server, below(link), size=1000, sent=400)
    wait_for(lambda: len(incoming(folder)) > before, what="the upload")
    torn.close()
    wait_for(lambda: len(incoming(folder)) == before, what="the end of it")
    assert None not in draft.links({"a": content})
    assert draft.send(link, content).status == 204
    assert draft.links({"a": content}) == [None]


def complete(draft, node, tags):
    parts = [{"partNumber": n + 1, "hexMD5": tag} for n, tag in enumerate(tags)]
    return {"completeMultipartAction": "Complete", "artifactID": node["artifact"]["id"], "completedParts": parts,
            "storagePath": "", "uploadID": node["uploadMultipartUrls"]["uploadID"]}


def ask_parts(draft, path, content, count):
    [node] = draft.nodes({path: content}, uploadPartsInput=[{"partNumber": n + 1, "hexMD5": ""} for n in range(count)])
    return node, [part["uploadUrl"] for part in node["uploadMultipartUrls"]["uploadUrlParts"]]


def test_a_file_in_parts_goes_on_after_a_break(api, project, db):
    """The parts that came are there when the client asks again; the end needs all of them, and the bytes that were announced."""
    draft = Draft(api, project)
    parts = [b"a" * 3000, b"b", b""]
    node, links = ask_parts(draft, "big", b"".join(parts), 3)
    tags = [f'"{hashlib.md5(part).hexdigest()}"' for part in parts]
    assert draft.send(links[0], parts[0]).headers["ETag"] == tags[0]
    assert draft.send(links[2], b"wrong").status == 204
    assert draft.send(links[1], parts[1], **{"Content-MD5": md5_of(b"other")}).status == 400
    again, links = ask_parts(draft, "big", b"".join(parts), 3)
    assert again["uploadMultipartUrls"]["uploadID"] == node["uploadMultipartUrls"]["uploadID"]
    assert "part 2" in draft.refused(COMPLETE, input=complete(draft, node, tags))
    assert draft.send(links[1], parts[1]).status == 204
    assert "ETag of part 3" in draft.refused(COMPLETE, input=complete(draft, node, tags))
    wrong = [*tags[:2], hashlib.md5(b"wrong").hexdigest()]
    assert "MD5" in draft.refused(COMPLETE, input=complete(draft, node, wrong))
    assert draft.send(links[2], parts[2]).status == 204
    assert "in order" in draft.refused(COMPLETE, input={**complete(draft, node, tags), "completedParts": [
        {"partNumber": 1, "hexMD5": tags[0]}] * 3})
    for _ in range(2):
        said = draft.query(COMPLETE, input=complete(draft, node, [tag.upper() for tag in tags]))
        assert said["completeMultipartUploadArtifact"]["digest"] == md5_of(b"".join(parts))
    assert draft.send(links[0], parts[0]).status == 409
    assert draft.links({"big": b"".join(parts)}) == [None]
    assert db.value("select count(*) from artifact_part p join artifact_multipart m using (project_id, upload_id)"
                    " where m.path = 'big'") == 0


def test_an_upload_that_is_heard_of_while_it_is_given_up(api, project, db, wait_for):
    """The job looks again when it has the upload: the parts stay."""
    draft = Draft(api, project)
    parts = [b"h" * 3000, b"eard of"]
    node, links = ask_parts(draft, "big", b"".join(parts), 2)
    assert draft.send(links[0], parts[0]).status == 204
    heard = "update artifact_multipart set heard_at = now() - make_interval(days => %s), row_sum = null where path = 'big'"
    with db.hold("lock table artifact_part in access exclusive mode") as other:
        db.query(heard, 8)
        wait_for(lambda: db.value("select count(*) from pg_locks where not granted"), what="the job")
        db.query(heard, 0)
        other.rollback()
    wait_for(lambda: not db.value("select count(*) from pg_locks where not granted"), what="the job")
    assert draft.send(links[1], parts[1]).status == 204
    tags = [f'"{hashlib.md5(part).hexdigest()}"' for part in parts]
    assert draft.query(COMPLETE, input=complete(draft, node, tags))["completeMultipartUploadArtifact"]["digest"] == md5_of(b"".join(parts))


@pytest.mark.own
def test_a_server_that_dies_while_it_stores_a_manifest(place, server, api, project, db, wait_for):
    """All of a manifest is there, or nothing."""
    draft = Draft(api, project)
    contents = {f"{n:05}": {**LINK, "size": n} for n in range(6000)}
    body = json.dumps(manifest_of(contents)).encode()
    link = draft.manifest_link(body)
    with db.hold("lock table artifact_manifest in share row exclusive mode"):
        sending = threading.Thread(target=lambda: pytest.raises(OSError, draft.send, link, body))
        sending.start()
        wait_for(lambda: db.value("select count(*) from pg_locks where not granted"), what="the manifest to be stored")
        server.kill()
        sending.join()
    wait_for(lambda: not db.value("select count(*) from pg_stat_activity where state = 'idle in transaction'"), what="its end")
    assert db.value("select count(*) from artifact_entry") == 0
    server.start()
    assert "manifest" in draft.refused(COMMIT, input={"artifactID": draft.id})
    assert draft.send(link, body).status == 204
    assert draft.commit()["digest"] == digest_of(contents)
