"""The contract and the server are one: routes agree, examples replay, a fuzzer finds no stranger."""
import json
import pathlib
import re
import subprocess
import sys

import pytest

from contract import API, Contract, _file
from rest import Api
from runs import PROJECT, Run
from server import cairnd, cairnd_run

pytestmark = pytest.mark.own
RUN = f"{PROJECT}/runs/first-run"
VOLATILE = re.compile(r"(^at|_at|time)$|^(lag_s|etag|request_id|detail|title|hint|reason|version|bytes|link)$")


def example(name):
    return json.loads((API / "examples" / f"{name}.json").read_text())["value"]


def test_routes_and_contract_agree():
    """Paths, methods, and the parameters of the query."""
    printed = subprocess.run([cairnd(), "--print-routes"], capture_output=True, text=True, check=True).stdout
    lines = [line.replace("...}", "}").split() for line in printed.splitlines()]
    routes = {(method, template): set(query) for method, template, _, _, *query in lines}
    written = {(o.method, o.template): {p["name"] for p in o.parameters if p["in"] == "query"}
               for o in Contract().operations}
    assert set(routes) - set(written) == set(), "routes without a contract"
    assert set(written) - set(routes) == set(), "contract without a route"
    assert routes == written


def test_version_in_one_place():
    version = (API.parent / "VERSION").read_text().strip()
    assert _file(API / "openapi.yaml")["info"]["version"] == version


def schemas():
    """Name, file and content of every schema."""
    return [(name, path, schema) for path in (API / "schemas").glob("*.yaml") for name, schema in _file(path).items()]


def nodes(node, inside=()):
    """Every value below a node, with the names that lead to it."""
    yield inside, node
    inner = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in inner:
        yield from nodes(value, (*inside, name))


def test_names_of_generated_clients():
    """Generators make a type of each schema and a function of each operation: names are unique, and a reference is to a schema."""
    names = [name for name, _, _ in schemas()]
    assert [name for name in names if names.count(name) > 1] == []
    assert [name for name in names if not re.fullmatch(r"[A-Z][A-Za-z]+", name)] == []
    operations = [o.spec.get("operationId") for o in Contract().operations]
    assert len(set(operations)) == len(operations) and None not in operations
    inner = [(name, value) for name, path, schema in schemas() for inside, value in nodes(schema)
             if inside[-1:] == ("$ref",) and value.count("/", value.index("#")) > 1]
    assert inner == [], "a reference into a schema becomes a type with the name of its member"


def test_schemas_are_objects():
    """`true` and `false` are schemas of JSON Schema, and generators stop at them."""
    found = [(name, inside) for name, _, schema in schemas() for inside, value in nodes(schema)
             if isinstance(value, bool) and inside[-2:-1] == ("properties",)]
    assert found == []


def test_every_example_is_referred_to():
    used = set()
    for path in (API / "paths").glob("*.yaml"):
        used |= set(re.findall(r"examples/([a-z_.]+)\.json", path.read_text()))
    assert used == {p.name.removesuffix(".json") for p in (API / "examples").iterdir()}


def alike(expected, got, path="$"):
    """Equal but for times, ids and words; numbers by value."""
    if isinstance(expected, dict) and isinstance(got, dict):
        assert set(expected) == set(got), path
        for name in expected:
            if VOLATILE.search(name):
                assert type(expected[name]) is type(got[name]), f"{path}.{name}"
            else:
                alike(expected[name], got[name], f"{path}.{name}")
    elif isinstance(expected, list) and isinstance(got, list):
        assert len(expected) == len(got), path
        for i, pair in enumerate(zip(expected, got)):
            alike(*pair, f"{path}[{i}]")
    else:
        assert expected == got, f"{path}: expected {expected!r}, got {got!r}"


class Replay:
    """Sends an operation's request example and compares with its response example."""

    def __init__(self, api):
        self.api = api
        self.contract = Contract()

    def defaults(self, path):
        """Every parameter of the query of a GET that has a default, with it."""
        found = [(p["name"], p["schema"]["default"]) for p in self.contract.find("GET", path).parameters
                 if p["in"] == "query" and "default" in p["schema"]]
        return {name: str(value).lower() if isinstance(value, bool) else value for name, value in found}

    def __call__(self, name, method, path, expect="response", status=200, query=None, body=None, headers=None):
        request = API / "examples" / f"{name}.request.json"
        body = body or (example(f"{name}.request") if request.exists() else None)
        answer = self.api.request(method, path, body, query=query, headers=headers)
        assert answer.status == status, f"{name}: {answer}"
        if method == "GET":  # clients that are generated from the contract send every default
            full = self.api.request(method, path, query={**self.defaults(path), **(query or {})}, headers=headers)
            assert full.status == status, f"{name}: {full}"
            alike(*[a.lines if a.content_type == "application/x-ndjson" else a.json for a in (answer, full)])
        wanted = example(expect if "." in expect else f"{name}.{expect}")
        alike(wanted, answer.lines[0] if answer.content_type == "application/x-ndjson" else answer.json)


def sign_in_and_make_a_key(api, do, db, secret_file, tmp_path):
    """The examples of what ann does in a browser."""
    given = tmp_path / "password"
    given.write_text(example("session_post.request")["password"])
    cairnd_run(db.url, secret_file, "user", "passwd", "ann", "--password-file", str(given))
    do("session_show", "GET", "/api/v1/session")
    do("session_post", "POST", "/api/v1/session")
    made = api.post("/api/v1/viewer/keys", example("viewer_key_post.request")).json
    secret = {name: made[name] for name in ("id", "ends_with", "key")}
    alike({**example("viewer_key_post.response"), **secret}, made)
    got = api.get("/api/v1/viewer/keys").json
    wanted = example("viewer_key_list.response")
    for one, other in zip(wanted["items"], got["items"]):
        one.update(id=other["id"], ends_with=other["ends_with"])
    alike(wanted, got)
    there = api.get("/api/v1/viewer/sessions").json
    wanted = example("viewer_session_list.response")
    wanted["items"][0]["id"] = there["items"][0]["id"]
    alike(wanted, there)
    api.put("/api/v1/viewer/password", example("password_put.request"))
    api.delete(f"/api/v1/viewer/keys/{made['id']}")


def read_the_audit_log(api):
    got = api.get("/api/v1/audit", action="project.change").json
    wanted = example("audit_list.response")
    wanted["items"][0].update({name: got["items"][0][name] for name in ("id", "key")})
    alike(wanted, got)


def manage_people(root):
    """The examples of what an admin of the server does."""
    alike(example("user_post.response"), root.post("/api/v1/users", example("user_post.request")).json)
    assert root.patch("/api/v1/users/ci", example("user_patch.request"))["disabled_at"]
    got = root.get("/api/v1/users", limit=2).json
    wanted = example("user_list.response")
    for one, other in zip(wanted["items"], got["items"]):
        one.update(keys=other["keys"], has_password=other["has_password"])
    alike({**wanted, "next_cursor": got["next_cursor"]}, got)
    made = root.post("/api/v1/links", example("link_post.request")).json
    alike({**example("link_post.response"), "id": made["id"], "url": made["url"]}, made)
    got = root.get("/api/v1/links").json
    wanted = example("link_list.response")
    wanted["items"][0]["id"] = made["id"]
    alike(wanted, got)


def save_a_view(api, do):
    made = api.post(f"{PROJECT}/views", example("view_post.request")).json
    alike({**example("view_post.response"), "id": made["id"]}, made)
    got = api.get(f"{PROJECT}/views").json
    got["items"][-1]["id"] = example("view_list.response")["items"][-1]["id"]
    alike(example("view_list.response"), got)
    do("view_show", "GET", f"{PROJECT}/views/default")
    for name, method in ("view_put", "PUT"), ("view_patch", "PATCH"):
        after = api.request(method, f"{PROJECT}/views/{made['id']}", example(f"{name}.request")).json
        alike({**example(f"{name}.response"), "id": made["id"]}, after)


def put_a_version(do, draft, references=None, **contents):
    """Sends files of a draft, and commits it."""
    for name, content in contents.items():
        do.api.put(f"{draft}/files/{name.replace('__', '/').replace('_', '.')}", content, content_type="application/octet-stream")
    do.api.post(f"{draft}/references", references or example("artifact_draft_references.request"))


def without_ids(value, name=""):
    """Ids of artifacts, and names of nodes, which hold numbers that the server chose."""
    if isinstance(value, list):
        return [without_ids(item) for item in value]
    if isinstance(value, dict):
        return {inner: without_ids(item, inner) for inner, item in value.items()}
    if name in ("draft", "node", "root") or isinstance(value, str) and re.match(r"(QXJ0|run-|version-)[\w=-]+$", value):
        return "chosen"
    return value


def make_artifacts(api, do):
    """The examples of artifacts: two versions of a model, made by the run."""
    path = f"{PROJECT}/artifacts/digits-model"

    def same(name, answer):
        alike(without_ids(example(f"{name}.response")), without_ids(answer.json))
        return answer.json

    made = same("artifact_draft_post", api.request("POST", f"{path}/versions", example("artifact_draft_post.request")))
    draft = f"{path}/drafts/{made['draft']}"
    do("artifact_draft_ask", "POST", f"{draft}/files")
    do("artifact_draft_references", "POST", f"{draft}/references")
    put_a_version(do, draft, model_bin=b"hello")
    same("artifact_draft_commit", api.post(f"{draft}/commit"))
    made = api.post(f"{path}/versions", {"type": "model", "metadata": {"accuracy": 0.95}, "run": "first-run"}).json
    put_a_version(do, f"{path}/drafts/{made['draft']}", model_bin=b"world", info__labels_txt=b"world")
    api.post(f"{path}/drafts/{made['draft']}/commit")
    same("artifact_version_show", api.get(f"{path}/versions/v0"))
    same("artifact_version_list", api.get(f"{path}/versions"))
    same("artifact_version_list_all", api.get(f"{PROJECT}/artifact-versions", filter="metadata.accuracy>0.94"))
    same("artifact_list", api.get(f"{PROJECT}/artifacts"))
    same("artifact_show", api.get(path))
    do("artifact_type_list", "GET", f"{PROJECT}/artifact-types")
    do("artifact_manifest_show", "GET", f"{path}/versions/v1/manifest")
    do("artifact_file_list", "GET", f"{path}/versions/v1/files", query={"delimiter": "/"})
    same("artifact_compare", api.get(f"{path}/compare", **{"from": "v0", "to": "v1", "count": "true"}))
    same("artifact_verify", api.post(f"{path}/versions/v0/verify"))
    same("artifact_lineage", api.get(f"{path}/versions/v0/lineage"))
    same("run_artifact_list", api.get(f"{RUN}/artifacts"))
    same("artifact_link_post", api.post(f"{PROJECT}/artifacts/released/links", example("artifact_link_post.request")))
    same("run_artifact_post", api.post(f"{RUN}/artifacts", example("run_artifact_post.request")))
    api.delete(f"{PROJECT}/artifacts/released")
    do("artifact_delete", "DELETE", path, query={"dry_run": "true"})
    same("artifact_patch", api.patch(path, example("artifact_patch.request")))
    same("artifact_version_patch", api.patch(f"{path}/versions/v0", example("artifact_version_patch.request")))
    another = f"{path}/drafts/{api.post(f'{path}/versions', {'type': 'model'}).json['draft']}"
    opened = same("artifact_upload_open", api.post(f"{another}/uploads", example("artifact_upload_open.request")))
    api.put(f"{another}/uploads/{opened['upload']}/1", b"hello", content_type="application/octet-stream")
    same("artifact_upload_complete", api.post(f"{another}/uploads/{opened['upload']}/complete"))
    usage = api.get(f"{PROJECT}/usage").json
    alike(example("project_usage.response")["items"], usage["items"])
    alike({**example("project_delete.response"), "bytes": usage["bytes"]}, api.delete(PROJECT, dry_run="true").json)
    api.delete(path)


def without_chosen(value, name=""):
    """Ids of sweeps, agents and their runs are chosen by the server."""
    if isinstance(value, list):
        return [without_chosen(item) for item in value]
    if isinstance(value, dict):
        return {inner: without_chosen(item, inner) for inner, item in value.items()}
    return "chosen" if name in ("id", "run", "agent", "set_aside_until", "next_cursor") and value else value


def make_sweeps(api):
    """The examples of sweeps: a grid of four points, tried by an agent and by hand."""
    def same(name, method, path, **query):
        request = API / "examples" / f"{name}.request.json"
        answer = api.request(method, path, example(f"{name}.request") if request.exists() else None, query=query)
        assert answer.status < 300, f"{name}: {answer}"
        alike(without_chosen(example(f"{name}.response")), without_chosen(answer.json))
        return answer.json

    sweeps = f"{PROJECT}/sweeps"
    path = f"{sweeps}/{same('sweep_post', 'POST', sweeps)['id']}"
    agent = f"{path}/agents/{same('sweep_agent_post', 'POST', f'{path}/agents')['agent']}"
    same("sweep_agent_beat", "POST", f"{agent}/heartbeat")
    trial = f"{path}/trials/{same('sweep_trial_post', 'POST', f'{path}/trials')['trial']}"
    same("sweep_trial_patch", "PATCH", trial)
    same("sweep_trial_show", "GET", trial)
    for value in 0.5, 0.25:
        api.patch(f"{path}/trials/{api.post(f'{path}/trials', {}).json['trial']}", {"state": "finished", "value": value})
    same("sweep_trial_list", "GET", f"{path}/trials", order="best", limit=2)
    same("sweep_importance", "GET", f"{path}/importance")
    same("sweep_agent_patch", "PATCH", agent)
    same("sweep_agent_list", "GET", f"{path}/agents")
    same("sweep_patch", "PATCH", path)
    same("sweep_show", "GET", path)
    same("sweep_list", "GET", sweeps)
    api.delete(agent)
    api.delete(path)


def test_examples(api, server, keys, db, wait_for, secret_file, tmp_path):
    """The story the examples tell, from first to last."""
    db.query("insert into team_member select t.entity_id, u.entity_id, 2, now() from entity t, entity u "
             "where t.name = 'lab' and u.name = 'ann'")
    do = Replay(api)
    do("healthz_show", "GET", "/healthz")
    do("ready_show", "GET", "/ready")
    do("server_show", "GET", "/api/v1/server")
    do("viewer_show", "GET", "/api/v1/viewer")
    sign_in_and_make_a_key(api, do, db, secret_file, tmp_path)
    do("entity_list", "GET", "/api/v1/entities")
    do("entity_show", "GET", "/api/v1/entities/lab")
    do("member_list", "GET", "/api/v1/entities/lab/members")
    Api(server, keys["bob"]).put("/api/v1/entities/lab/members/vic", example("member_put.request"))
    do("project_put", "PUT", PROJECT, status=201)
    do("project_show", "GET", PROJECT)
    do("project_list", "GET", "/api/v1/projects/ann")
    do("project_patch", "PATCH", PROJECT)
    read_the_audit_log(Api(server, keys["root"]))
    manage_people(Api(server, keys["root"]))
    do("run_put", "PUT", RUN, status=201)
    do("run_join", "POST", f"{RUN}/join")
    do("run_batch", "POST", f"{RUN}/batch")
    do("run_batch", "POST", f"{RUN}/batch", "batch_gap.problem", 409,
       body={"writer": "trainer-1", "session": 1, "batch": 7})
    do("run_batch", "POST", f"{RUN}/batch", "writer_unknown.problem", 404,
       body={"writer": "nobody", "session": 1, "batch": 1})
    do("history_post", "POST", f"{RUN}/history")
    do("writer_list", "GET", f"{RUN}/writers")
    do("alert_post", "POST", f"{RUN}/alerts", status=201)
    do("alert_list", "GET", f"{RUN}/alerts")
    do("webhook_put", "PUT", f"{PROJECT}/webhook")
    do("webhook_show", "GET", f"{PROJECT}/webhook")
    api.delete(f"{PROJECT}/webhook")
    save_a_view(api, do)
    do("run_show", "GET", RUN)
    wait_for(lambda: api.get(f"{PROJECT}/runs", filter="has:summary.loss").json["items"])
    do("run_list", "GET", f"{PROJECT}/runs")
    do("group_list", "GET", f"{PROJECT}/groups", query={"by": "job_type", "different": "user"})
    do("project_key_list", "GET", f"{PROJECT}/keys")
    do("project_key_list", "GET", f"{PROJECT}/keys", "project_section_list.response",
       query={"sections": "true", "count": "true"})
    do("field_list", "GET", f"{PROJECT}/fields", query={"match": "loss"})
    do("field_value_list", "GET", f"{PROJECT}/fields/job_type/values")
    do("history_show", "GET", f"{RUN}/history", query={"keys": "loss", "buckets": 2})
    do("history_show", "GET", f"{RUN}/history", "history_exact.response",
       query={"format": "ndjson", "from": 1, "to": 1})
    do("series_post", "POST", f"{PROJECT}/series")
    do("metric_list", "GET", f"{PROJECT}/metrics", query={"ids": "first-run", "keys": "loss"})
    do("metric_together", "GET", f"{PROJECT}/metrics/together", query={"keys": "loss"})
    do("metric_best", "GET", f"{PROJECT}/metrics/best", query={"ids": "first-run", "of": "grad.norm", "by": "loss"})
    do("metric_best_together", "GET", f"{PROJECT}/metrics/best/together", query={"of": "grad.norm", "by": "loss"})
    do("rank_show", "GET", f"{RUN}/ranks", query={"key": "loss", "x": "_step", "columns": 1, "to": 1})
    do("event_show", "GET", f"{RUN}/events", query={"keys": "cpu", "split": "writer"})
    do("key_list", "GET", f"{RUN}/keys")
    do("console_show", "GET", f"{RUN}/console")
    do("config_show", "GET", f"{RUN}/config")
    do("config_patch", "PATCH", f"{RUN}/config")
    do("summary_show", "GET", f"{RUN}/summary")
    do("summary_patch", "PATCH", f"{RUN}/summary")
    do("config_writers", "GET", f"{RUN}/config/writers")
    do("summary_writers", "GET", f"{RUN}/summary/writers")
    api.put(f"{RUN}/files/config.yaml", b"lr: 0.1\n", content_type="application/octet-stream")
    do("file_post", "POST", f"{RUN}/files")
    do("file_list", "GET", f"{RUN}/files")
    make_artifacts(api, do)
    make_sweeps(api)
    do("run_patch", "PATCH", RUN)
    do("run_stop", "POST", f"{RUN}/stop")
    do("run_finish", "POST", f"{RUN}/finish")
    do("writer_end", "POST", f"{RUN}/writers/0/end")
    do("state_post", "POST", f"{RUN}/states")
    do("state_list", "GET", f"{RUN}/states")
    api.delete(RUN)
    do("run_restore", "POST", f"{RUN}/restore")

    evaluator = Run(api, "first-run", make=False).join("eval-1", "worker", label="eval")
    evaluator.send(config={"lr": 0.5})
    do("conflict_list", "GET", f"{RUN}/conflicts")
    api.post("/files/ann/digits/first-run/file_stream",
             {"files": {"wandb-history.jsonl": {"offset": 0, "content": ["[1, 2]"]}}}, check=False)
    do("unread_list", "GET", f"{RUN}/unread")
    api.post(f"{RUN}/history", [{"": 2}], check=False)
    do("left_out_list", "GET", f"{RUN}/left-out")
    api.refused(403, "worker-may-not-decide", "POST", f"{RUN}/finish",
                {"writer": "eval-1", "session": evaluator.session, "exit_code": 0, "state": "finished"})
    posted = api.post(f"{PROJECT}/runs", example("run_post.request")).json
    wanted = example("run_post.response")
    alike({**wanted, "id": posted["id"], "display_name": posted["id"]}, posted)
    api.put(f"{PROJECT}/runs/third-run", {})
    api.patch(f"{PROJECT}/runs/third-run/config", {"lr": 0.1})
    api.post(f"{PROJECT}/runs/third-run/finish", {"exit_code": 0})
    api.post("/graphql", {"query": "mutation {upsertBucket(input: {entityName: \"ann\", modelName: \"digits\", "
                                   "name: \"third-run\", host: \"h\", config: \"{}\"}) {bucket {id}}}"})
    do("attempt_list", "GET", f"{PROJECT}/runs/third-run/attempts")
    api.put("/api/v1/projects/ann/best", {})
    api.put(f"{PROJECT}/runs/second-run", {"job_type": "train"})
    api.post(f"{PROJECT}/runs/second-run/finish", {"exit_code": 0})
    do("run_move", "POST", f"{PROJECT}/runs/second-run/move")


@pytest.mark.slow
@pytest.mark.parametrize("phases", ["examples", pytest.param("examples,fuzzing", marks=pytest.mark.long)])
def test_fuzzer(server, api, keys, tmp_path, phases):
    """Schemathesis: requests made from the contract never meet a 5xx or an answer it does not know."""
    bundle = tmp_path / "openapi.json"
    document = Contract().document
    document["paths"] = {k: v for k, v in document["paths"].items() if not k.endswith("/live")}  # they do not end
    bundle.write_text(json.dumps(document))
    program = pathlib.Path(sys.executable).parent / "schemathesis"
    done = subprocess.run(
        [program, "run", str(bundle), "--url", f"http://127.0.0.1:{server.port}", "-H",
         f"Authorization: Bearer {keys['ann']}", "--max-examples", "8", "--phases", phases,
         "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,"
         "response_schema_conformance", "--seed", "1", "--no-color", "--max-failures", "10",
         "--suppress-health-check", "too_slow"],  # how long it thinks about a request is the machine's, not the server's
        capture_output=True, text=True, cwd=tmp_path, timeout=3600)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
