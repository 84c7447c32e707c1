"""Large files of drafts in parts, by REST: in any order, again, after a break with another draft, and all that is wrong."""
import base64
import hashlib
import json

import pytest

from artifacts import Collection, md5
from drafts import FILES

PARTS = [b"first" * 2000, b"second", b"third" * 3000]
WHOLE = b"".join(PARTS)


@pytest.fixture
def model(api, project):
    return Collection(api, project)


def asked(content=WHOLE, parts=3, path="big/file.bin"):
    return {"path": path, "md5": md5(content), "parts": parts}


def received(opened):
    return [(part["part"], part["bytes"], part["md5"]) for part in opened["received"]]


class Upload:
    def __init__(self, api, draft, **members):
        self.api, self.draft = api, draft
        self.opened = api.post(f"{draft}/uploads", asked(**members)).json
        self.path = f"{draft}/uploads/{self.opened['upload']}"

    def put(self, part, content, **headers):
        return self.api.raw("PUT", f"{self.path}/{part}", content, headers)

    def complete(self):
        return self.api.request("POST", f"{self.path}/complete", {})


def test_parts_in_any_order(model, api):
    draft = model.draft()
    upload = Upload(api, draft)
    assert received(upload.opened) == [] and (upload.opened["path"], upload.opened["parts"]) == ("big/file.bin", 3)
    assert upload.put(3, PARTS[2]).headers["ETag"] == f'"{md5(PARTS[2])}"'
    assert upload.put(1, b"wrong").status == 204
    assert upload.put(1, PARTS[0], **{"Content-MD5": base64.b64encode(hashlib.md5(PARTS[0]).digest()).decode()}).status == 204
    assert "part 2" in api.refused(422, "unprocessable", "POST", f"{upload.path}/complete", {})["detail"]
    again = Upload(api, draft)
    assert again.path == upload.path and received(again.opened) == [(i + 1, len(PARTS[i]), md5(PARTS[i])) for i in (0, 2)]
    upload.put(2, PARTS[1])
    assert [upload.complete().json for _ in range(2)] == [{"path": "big/file.bin", "md5": md5(WHOLE)}] * 2
    assert upload.put(2, PARTS[1]).status == 409
    api.refused(409, "conflict", "DELETE", upload.path)
    assert model.commit(draft)["bytes"] == len(WHOLE)
    assert api.raw("GET", f"{model.path}/versions/v0/files/big/file.bin").body == WHOLE


def test_another_draft_goes_on(model, api, db):
    """A client that was started again has another draft, which gets the file, too."""
    first = Upload(api, model.draft())
    for part in (1, 2):
        first.put(part, PARTS[part - 1])
    assert Upload(api, model.draft(), path="another").path.rpartition("/")[2] != first.opened["upload"]
    draft = model.draft()
    second = Upload(api, draft)
    assert second.opened["upload"] == first.opened["upload"] and len(received(second.opened)) == 2
    second.put(3, PARTS[2])
    assert second.complete().json["md5"] == md5(WHOLE) and first.complete().json["md5"] == md5(WHOLE)
    for made in (draft, first.draft):
        version = model.commit(made)
        assert api.raw("GET", f"{model.path}/versions/{version['version']}/files/big/file.bin").body == WHOLE
    [answer] = api.post(f"{model.draft()}/files", {"files": [{"path": "x", "md5": md5(WHOLE)}]}).json["items"]
    assert answer["link"] is None


def test_an_upload_that_is_given_up(model, api, by):
    upload = Upload(api, model.draft())
    upload.put(1, PARTS[0])
    assert [api.request("DELETE", upload.path).status for _ in range(2)] == [204, 204]
    assert upload.put(2, PARTS[1]).status == 410 and upload.complete().status == 410
    anew = Upload(api, upload.draft)
    assert anew.path != upload.path and received(anew.opened) == []


def test_wrong_content(model, api):
    draft = model.draft()
    upload = Upload(api, draft, parts=1)
    assert upload.put(1, b"x", **{"Content-MD5": base64.b64encode(hashlib.md5(b"y").digest()).decode()}).status == 400
    upload.put(1, b"other")
    wrong = api.refused(400, "invalid", "POST", f"{upload.path}/complete", {})
    assert wrong["field"] == "md5" and md5(b"other") in wrong["detail"]
    upload.put(1, WHOLE)
    assert upload.complete().status == 200


@pytest.mark.parametrize("body, field", [
    ({"parts": 0}, "parts"), ({"parts": 10001}, "parts"), ({"parts": "3"}, "parts"), ({"md5": "x"}, "md5"), ({"path": "../x"}, "path"),
    ({"path": ""}, "path"), ({"more": 1}, "more"),
])
def test_what_is_refused(model, api, body, field):
    assert api.refused(400, "invalid", "POST", f"{model.draft()}/uploads", {**asked(), **body})["field"] == field


def test_addresses_of_parts(model, api, by, project):
    upload = Upload(api, model.draft(), parts=10000)
    assert [upload.put(part, b"x").status for part in (10000, 10001, 0, "x", "1.5")] == [204, 400, 400, 400, 400]
    small = Upload(api, model.draft(), parts=3)
    assert small.put(4, b"x").status == 400
    for text in ("x", upload.opened["upload"][1:], model.draft().rpartition("/")[2]):
        api.refused(404, "not-found", "POST", f"{upload.draft}/uploads/{text}/complete", {})
    other = Collection(api, f"{project}-other")
    draft = other.draft()
    assert api.raw("PUT", f"{draft}/uploads/{upload.opened['upload']}/1", b"x").status == 404
    bob = by["bob"]
    assert bob.raw("PUT", f"{upload.path}/1", b"x").status in (403, 404)


def test_open_uploads_of_a_draft(model, api, db):
    """Have a limit, which is the same for the wandb SDK."""
    draft = model.draft()
    first = Upload(api, draft)
    db.query("insert into artifact_multipart select project_id, upload_id + n, artifact_id, path || n, md5, part_count, state, blob_id,"
             " heard_at, null from artifact_multipart, generate_series(1, 9998) n where path = 'big/file.bin' and artifact_id ="
             " (select max(artifact_id) from artifact)")
    last = Upload(api, draft, path="last")
    spec = {"artifactID": draft.rpartition("/")[2], "name": "more", "md5": base64.b64encode(bytes(16)).decode(),
            "uploadPartsInput": [{"partNumber": 1, "hexMD5": ""}]}

    def by_sdk():
        body = json.dumps({"query": FILES, "variables": {"input": {"artifactFiles": [spec], "storageLayout": "V2"}}})
        return api.raw("POST", "/graphql", body, {"Content-Type": "application/json"})

    assert "10000" in api.refused(422, "unprocessable", "POST", f"{draft}/uploads", asked(path="more"))["detail"]
    assert "10000" in by_sdk().text
    assert Upload(api, draft).path == first.path and Upload(api, draft, path="last").path == last.path
    api.delete(last.path)
    assert "uploadMultipartUrls" in by_sdk().text
    api.refused(422, "unprocessable", "POST", f"{draft}/uploads", asked(path="last"))
