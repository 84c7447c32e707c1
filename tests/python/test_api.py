"""The read side."""
import array

import pytest

import cairn


@pytest.fixture(scope="module")
def filled(server):
    """Runs that the tests of this module only read."""
    options = {"url": server.url, "key": server.key, "sample_interval_s": 0}
    for i in range(5):
        with cairn.init("me/read", id=f"run{i}", config={"lr": i / 10, "a,b": i}, tags=["even"] if i % 2 == 0 else ["odd"], **options) as run:
            for step in range(10):
                run.log({"loss": 1 / (i + step + 1)})
    with cairn.init("me/read", id="mixed", label="rank0", **options) as run:
        run.log({"loss": 1, "text": "NaN", "nan": float("nan")})
        run.log({"acc": 2, "text": "x", "nan": float("inf")})
        run.log({"loss": 3, "a,b": 4})
    return cairn.Api(server.url, server.key)


def test_lists(filled):
    assert [run.id for run in filled.runs("me/read", order="created_at", per_page=2)] == \
        ["run0", "run1", "run2", "run3", "run4", "mixed"]
    assert [run.id for run in filled.runs("read", filters="config.lr>0.15 tags:even", order="-config.lr")] == ["run4", "run2"]
    assert [run.id for run in filled.runs("read", filters={"config.lr": {"$lt": 0.15}}, order="config.lr")] == ["run0", "run1"]
    assert ("me", "read") in [(project.entity, project.name) for project in filled.projects()]
    project = next(project for project in filled.projects("me") if project.name == "read")
    assert len(list(project.runs(filters="tags:odd"))) == 2 and project.visibility


def test_a_run(filled):
    run = filled.run("read/run3")
    assert run.config == {"lr": 0.3, "a,b": 3} and run.summary == {"loss": 1 / 13}
    assert run.rows and run.created_at and run.exit_code == 0 and run.tags == ["odd"] and run.reload().id == "run3"
    assert run.keys() == ["loss"]
    with pytest.raises(AttributeError, match="expected one of"):
        getattr(run, "nothing")  # noqa: B009


def test_history_in_every_form(filled):
    run = filled.run("me/read/mixed")
    columns = run.history()
    assert columns["_step"].typecode == "q" and list(columns["_row"]) == [0, 1, 2]
    assert list(columns["loss"])[::2] == [1, 3] and columns["loss"][1] != columns["loss"][1]
    assert isinstance(columns["loss"], array.array) and columns["text"] == ["NaN", "x", None]
    assert isinstance(columns["nan"], array.array) and columns["nan"][1] == float("inf")
    assert run.history(["a,b", "nothing"], as_="dict")["a,b"][0] == 4 and run.history(["a,b", "nothing"])["nothing"] == [None]
    assert [row["_row"] for row in run.history(["loss"], as_="rows")] == [0, 2]
    assert [row["_row"] for row in run.rows(after=0)] == [1, 2] and len(list(run.rows(label="rank0"))) == 3
    assert list(filled.run("read/run0").history(["loss"], every=5)["_row"]) == [0, 5]
    assert run.system() == {}
    with pytest.raises(cairn.Error, match="expected one of dict"):
        run.history(as_="csv")


def test_a_table_that_is_not_installed(filled, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    with pytest.raises(cairn.Error, match="polars is not installed"):
        filled.run("read/run0").history(as_="polars")


def test_rows_come_one_by_one(filled):
    rows = filled.run("me/read/run0").rows(["loss"])
    assert next(rows)["loss"] == 1 and next(rows)["loss"] == 0.5
    rows.close()


def test_errors_have_the_text_of_the_server(filled, server):
    with pytest.raises(cairn.NotFoundError) as told:
        filled.run("read/nothing")
    assert told.value.status == 404 and told.value.type == "not-found" and "does not exist" in str(told.value)
    with pytest.raises(cairn.ApiError) as told:
        list(filled.runs("read", filters="state:nothing"))
    assert told.value.status == 400 and told.value.field == "filter" and told.value.request_id
    with pytest.raises(cairn.AccessError):
        cairn.Api(server.url, "0" * 40).run("me/read/run0")
    with pytest.raises(cairn.Error, match="entity/project/run"):
        filled.run("run0")
    away = cairn.Api("http://127.0.0.1:9", "k")
    away._client.ask = lambda *_, **__: away._client.open("GET", "/viewer", repeat=False)
    with pytest.raises(cairn.UnreachableError, match="127.0.0.1:9"):
        away.run("me/read/run0")


def test_another_server_is_named(tmp_path):
    """An address that answers, but is not Cairn's."""
    import http.server
    import threading

    class Portal(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status = 200 if "viewer" in self.path else 302
            self.send_response(status)
            self.send_header("Location", "http://127.0.0.1:9/steal")
            self.send_header("Content-Length", "6")
            self.end_headers()
            self.wfile.write(b"<html>")

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Portal) as portal:
        threading.Thread(target=portal.serve_forever, daemon=True).start()
        api = cairn.Api(f"http://127.0.0.1:{portal.server_port}", "k")
        with pytest.raises(cairn.UnreachableError, match="did not answer with JSON"):
            api.runs("p").__next__()
        with pytest.raises(cairn.ApiError, match="CAIRN_URL"):
            api.run("me/p/r")
        portal.shutdown()


def test_the_login_file(server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("CAIRN_URL", "CAIRN_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "cairn/credentials"
    path.parent.mkdir()
    path.write_text(f"# servers\n{server.url} {server.key}\nhttp://other key\n")
    path.chmod(0o600)
    assert cairn.Api().default_entity == "me"
    with cairn.init("me/read", id="login", sample_interval_s=0) as run:
        run.save(__file__, "test.py")
    assert [file.name for file in cairn.Api().run("me/read/login").files()] == ["test.py"]
    path.chmod(0o644)
    with pytest.raises(cairn.SetupError, match="chmod 600"):
        cairn.Api()
    key = tmp_path / "key"
    key.write_text(server.key + "\n")
    monkeypatch.setenv("CAIRN_API_KEY_FILE", str(key))
    monkeypatch.setenv("CAIRN_URL", server.url + "/")
    assert cairn.Api().default_entity == "me"
