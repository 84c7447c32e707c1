"""Below a path prefix, and behind a proxy that adds another one."""
import pytest

PROJECT = "/cairn/api/v1/projects/ann/digits"


@pytest.fixture(scope="module")
def settings():
    return {"path_prefix": "/cairn", "trusted_proxies": "127.0.0.1"}


def location(api, method, path, headers=None):
    """The contract knows no prefix: nothing else is looked at here."""
    answer = api.request(method, path, {}, headers=headers, check=False)
    assert answer.status == 201
    return answer, answer.headers["Location"]


def test_links_have_the_prefix(api):
    assert location(api, "PUT", PROJECT)[1] == PROJECT
    assert location(api, "PUT", f"{PROJECT}/runs/r1")[1] == f"{PROJECT}/runs/r1"
    made, link = location(api, "POST", f"{PROJECT}/runs")
    assert link == f"{PROJECT}/runs/{made['id']}"


def test_links_have_the_proxys_prefix_too(api):
    link = location(api, "PUT", f"{PROJECT}/runs/r2", {"X-Forwarded-Prefix": "/lab/"})[1]
    assert link == f"/lab{PROJECT}/runs/r2"


def test_nothing_is_beside_the_prefix(api):
    assert api.request("GET", "/api/v1/viewer", check=False).status == 404


def test_who_looks_beside_it_is_told_where_it_is(api):
    for path in ("/", "/cairn/", "/cairn/ann/digits"):
        answer = api.request("GET", path, check=False)
        assert answer.status == 404 and "below /cairn/api/v1" in answer["hint"]
