"""Files of runs: sent with a key or by a link, listed, read, deleted."""
import hashlib
import os
import urllib.parse

import pytest


def below(link):
    """What follows the host in a link."""
    parts = urllib.parse.urlsplit(link)
    return f"{parts.path}?{parts.query}"


def upload_link(run, name):
    answer = run.api.post(f"{run.path}/files", {"names": [name]}).json
    return answer["items"][0]["link"]


@pytest.fixture
def stranger(api):
    """Somebody without a key."""
    return api.as_user(None)


def test_upload_by_a_link_list_and_download(run, stranger):
    content = os.urandom(3_000_000)
    link = upload_link(run, "media/images/a b%.png")
    assert stranger.raw("PUT", below(link), content).status == 204
    [file] = run.api.pages(f"{run.path}/files")
    assert file["name"] == "media/images/a b%.png" and file["bytes"] == len(content)
    assert file["md5"] == hashlib.md5(content).hexdigest()
    assert (file["content_type"], file["user"], file["writer"]) == ("image/png", "ann", None)
    assert stranger.raw("GET", below(file["link"])).body == content
    path = run.path.replace("/api/v1/projects", "/files").replace("/runs/", "/")
    got = run.api.raw("GET", f"{path}/media/images/a%20b%25.png")
    assert (got.status, got.body, got.content_type) == (200, content, "image/png")
    assert stranger.raw("GET", f"{path}/media/images/a%20b%25.png").status == 401
