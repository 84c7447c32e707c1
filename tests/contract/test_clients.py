"""Typed clients that are generated from the contract read a real server."""
import importlib
import json
import os
import pathlib
import re
import shutil
import sys

import pytest

from conftest import output_of
from rest import Api

HERE = pathlib.Path(__file__).resolve().parent
RUNS = "/api/v1/projects/me/clients/runs"


@pytest.fixture
def runs(server):
    """Two runs; `quick` has two writers and three rows."""
    api = Api(server, server.key_file.read_text().strip())
    for run, lr in (("quick", 0.1), ("slow", 0.001)):
        api.put(f"{RUNS}/{run}", {"config": {"lr": lr}})
        for rank in range(2):
            api.post(f"{RUNS}/{run}/join", {"client": f"{run}-rank-{rank}", "label": f"rank{rank}",
                                            "role": "worker" if rank else "primary"})
    api.post(f"{RUNS}/quick/history", [{"loss": 3 - i, "_step": i} for i in range(3)])
    return server


@pytest.mark.long
def test_python(runs, bundle, tmp_path, monkeypatch):
    """openapi-python-client: every schema becomes a model, and every operation a function."""
    monkeypatch.setenv("PATH", f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}")  # ruff formats what is made
    printed = output_of(sys.executable, "-m", "openapi_python_client", "generate", "--path", bundle,
                        "--output-path", tmp_path / "made", "--meta", "none")
    assert "Unable to" not in printed and "removal" not in printed, printed
    contract = json.loads(bundle.read_text())
    made = {path.stem for path in (tmp_path / "made/api").rglob("*.py")}
    named = {operation["operationId"] for path in contract["paths"].values() for method, operation in path.items()
             if method in ("get", "put", "post", "patch", "delete")}
    left_out = set(re.findall(r"WARNING parsing (.*) within", printed))
    assert named <= made, named - made
    # Files, rows and manifests as lines, and the form of a row as CSV have no model: their bytes are read as they come.
    bytes_of = ("file", "/storage/", "/history", "/manifest")
    assert all(any(part in operation for part in bytes_of) for operation in left_out), printed

    monkeypatch.syspath_prepend(tmp_path)
    client = importlib.import_module("made").AuthenticatedClient(
        f"http://127.0.0.1:{runs.port}", runs.key_file.read_text().strip(), raise_on_unexpected_status=True)
    call = {name: importlib.import_module(f"made.api.{name}").sync for name in (
        "directory.viewer_show", "runs.run_list", "runs.run_show", "reading.writer_list", "reading.history_show")}
    assert call["directory.viewer_show"](client=client).name == "me"
    found = call["runs.run_list"]("me", "clients", client=client, filter_="config.lr>0.01")
    assert [run.id for run in found.items] == ["quick"]
    run = call["runs.run_show"]("me", "clients", "quick", client=client)
    assert (run.state, run.rows) == ("running", 3)
    writers = call["reading.writer_list"]("me", "clients", "quick", client=client).items
    assert {(w.label, w.role.value) for w in writers} >= {("rank0", "primary"), ("rank1", "worker")}
    history = call["reading.history_show"]("me", "clients", "quick", client=client, keys="loss", buckets=3)
    [series] = history.series
    assert [series.key, [bucket.mean for bucket in series.buckets]] == ["loss", [3, 2, 1]]


def test_typescript(runs, tools, bundle, tmp_path):
    """openapi-typescript: the compiler holds a program against the types, and Node.js runs it."""
    output_of(tools / "openapi-typescript", bundle, "-o", tmp_path / "cairn.d.ts")
    shutil.copy(HERE / "client.ts", tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "node_modules").symlink_to(HERE / "node_modules")
    compile_it = [tools / "tsc", "--strict", "--target", "es2022", "--module", "nodenext", "client.ts"]
    output_of(*compile_it, cwd=tmp_path)
    printed = output_of("node", "client.js", cwd=tmp_path, env={
        **os.environ, "CAIRN_URL": f"http://127.0.0.1:{runs.port}", "CAIRN_API_KEY_FILE": str(runs.key_file)})
    got = json.loads(printed)
    assert got["viewer"] == "me" and got["found"] == ["quick"]
    assert got["run"] == {"state": "running", "rows": 3}
    assert ["rank0", "primary"] in got["writers"] and ["rank1", "worker"] in got["writers"]
    assert got["history"] == [["loss", [3, 2, 1]]]

    source = (tmp_path / "client.ts").read_text()
    (tmp_path / "client.ts").write_text(source.replace("data.rows", "data.row_count"))
    with pytest.raises(AssertionError, match="Property 'row_count' does not exist"):
        output_of(*compile_it, cwd=tmp_path)
