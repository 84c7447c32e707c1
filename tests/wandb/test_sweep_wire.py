"""The requests of sweeps as the SDK sends them: what is stored, what is refused, and the answers that agents act on."""
import json

import pytest

UPSERT = """mutation UpsertSweep($id: ID, $config: String, $description: String, $entityName: String, $projectName: String,
    $controller: JSONString, $scheduler: JSONString, $state: String, $priorRunsFilters: JSONString, $displayName: String,
    $launchScheduler: JSONString, $templateVariableValues: JSONString) { upsertSweep(input: { id: $id, config: $config,
    description: $description, entityName: $entityName, projectName: $projectName, controller: $controller,
    launchScheduler: $launchScheduler, templateVariableValues: $templateVariableValues, scheduler: $scheduler, state: $state,
    priorRunsFilters: $priorRunsFilters, displayName: $displayName }) { sweep { id name state displayName description config controller
    scheduler project { id name entity { id name } } } configValidationWarnings } }"""
CREATE = """mutation CreateAgent($host: String!, $projectName: String, $entityName: String, $sweep: String!) { createAgent(input: {
    host: $host, projectName: $projectName, entityName: $entityName, sweep: $sweep }) { agent { id name } } }"""
BEAT = """mutation Heartbeat($id: ID!, $metrics: JSONString, $runState: JSONString) { agentHeartbeat(input: {
    id: $id, metrics: $metrics, runState: $runState }) { agent { id } commands } }"""
WITH_RUNS = """query SweepWithRuns($entity: String, $project: String, $sweep: String!, $specs: [JSONString!]!) {
    project(name: $project, entityName: $entity) { sweep(sweepName: $sweep) { id name method state description config createdAt
    heartbeatAt updatedAt earlyStopJobRunning bestLoss controller scheduler runs { edges { node { name state config exitcode
    heartbeatAt shouldStop failed stopped running summaryMetrics sampledHistory(specs: $specs) } } } } } }"""
GRID = "method: grid\nparameters:\n  x:\n    values: [1, 2, 3]\nmetric:\n  name: loss\n"


class Sweeps:
    def __init__(self, wire):
        self.wire = wire

    def upsert(self, **input_):
        names = {"entityName": self.wire.entity, "projectName": self.wire.project}
        return self.wire.query(UPSERT, **{**names, **input_})["upsertSweep"]

    def refused(self, **input_):
        names = {"entityName": self.wire.entity, "projectName": self.wire.project}
        said = self.wire.ask(UPSERT, **{**names, **input_}).json
        assert said["data"] == {"upsertSweep": None}
        return said["errors"][0]["message"]

    def agent(self, sweep):
        return self.wire.query(CREATE, host="node1", entityName=self.wire.entity, projectName=self.wire.project,
                               sweep=sweep)["createAgent"]["agent"]["id"]

    def beat(self, agent, *runs):
        said = self.wire.query(BEAT, id=agent, metrics="{}", runState=json.dumps({run: True for run in runs}))["agentHeartbeat"]
        assert said["agent"]["id"] == agent
        return json.loads(said["commands"])

    def with_runs(self, sweep, specs="{}"):
        return self.wire.query(WITH_RUNS, entity=self.wire.entity, project=self.wire.project, sweep=sweep,
                               specs=specs)["project"]["sweep"]

    def read(self, sweep, what):
        asked = f"query($e: String, $p: String, $s: String!) {{ project(name: $p, entityName: $e) {{ sweep(sweepName: $s) {{ {what} }} }} }}"
        return self.wire.query(asked, e=self.wire.entity, p=self.wire.project, s=sweep)["project"]["sweep"]

    def list(self, **args):
        asked = """query($e: String, $p: String, $f: JSONString, $c: String, $n: Int) { project(name: $p, entityName: $e) { totalSweeps
            sweeps(filters: $f, after: $c, first: $n) { edges { node { name } } pageInfo { endCursor hasNextPage } } } }"""
        return self.wire.ask(asked, e=self.wire.entity, p=self.wire.project, **args).json


@pytest.fixture
def sweeps(wire):
    return Sweeps(wire)


def test_what_is_stored(sweeps, wire, project, api):
    """The config as it was sent. A request that is repeated is the same sweep; a change leaves what it does not name."""
    made = sweeps.upsert(config=GRID, description="three", templateVariableValues="null")
    sweep = made["sweep"]
    assert (sweep["state"], sweep["config"], sweep["description"], made["configValidationWarnings"]) == ("PENDING", GRID, "three", [])
    assert sweep["project"]["name"] == project and sweep["project"]["entity"]["name"] == "ann"
    forms = [{"description": "three", "templateVariableValues": "null"}, {"description": "three", "launchScheduler": None},
             {"description": "three"}, {"displayName": None}, {}]  # which the SDK tries in turn
    assert {sweeps.upsert(config=GRID, **form)["sweep"]["id"] for form in forms} == {sweep["id"]}
    assert sweeps.upsert(config=GRID, description="four")["sweep"]["id"] != sweep["id"]
    assert sweeps.upsert(id=sweep["id"], state="RUNNING")["sweep"] == {**sweep, "state": "RUNNING"}
    wider = GRID.replace("3]", "3, 4]")
    changed = sweeps.upsert(id=sweep["id"], config=wider + "colour: red\n", displayName="wide", scheduler='{"a": 1}')
    assert changed["sweep"] == {**sweep, "state": "RUNNING", "config": wider + "colour: red\n", "displayName": "wide",
                                "scheduler": '{"a": 1}'}
    assert ["colour" in warning for warning in changed["configValidationWarnings"]] == [True]
    assert sweeps.upsert(id=sweep["name"], state="PAUSED")["sweep"]["state"] == "PAUSED"
    assert api.get(f"/api/v1/projects/ann/{project}/sweeps").json["items"][-1]["id"] == sweep["name"]


def test_places_of_a_config(sweeps, wire):
    """wandb sweep reads them itself; wandb.sweep() only the project."""
    config = GRID + "project: placed\nentity: nobody\n"
    made = sweeps.upsert(config=config, projectName=None, entityName=None)
    assert (made["sweep"]["project"]["name"], made["sweep"]["project"]["entity"]["name"]) == ("placed", "ann")
    assert made["configValidationWarnings"] == ['entity: "nobody" is not used: the sweep is in "ann"']
    made = sweeps.upsert(config=config)
    assert (made["sweep"]["project"]["name"], made["configValidationWarnings"]) == (wire.project, [])


def test_what_is_refused(sweeps, wire, project, api):
    """Before anything is stored, not even the project."""
    assert "config" in sweeps.refused()
    assert "1048576" in sweeps.refused(config=GRID + "#" * (10 << 20))
    assert "method" in sweeps.refused(config="parameters: {x: {values: [1]}}")
    assert "expected PENDING, RUNNING or PAUSED" in sweeps.refused(config=GRID, state="FINISHED")
    assert "launch queues" in sweeps.refused(config=GRID, launchScheduler="{}")
    assert "prior_runs" in sweeps.refused(config=GRID, priorRunsFilters='{"name": "r1"}')
    assert api.request("GET", f"/api/v1/projects/ann/{project}").status == 404
    made = sweeps.upsert(config=GRID)["sweep"]
    assert "does not exist" in sweeps.refused(config=GRID + "\n", priorRunsFilters='{"$or": [{"name": "none"}]}')
    assert "pending" in sweeps.refused(id=made["id"], state="PAUSED")
    assert "does not exist" in sweeps.refused(id="U3dlZXA6MTox", config=GRID)
    assert sweeps.read(made["name"], "config state") == {"config": GRID, "state": "PENDING"}
    assert sweeps.list()["data"]["project"]["totalSweeps"] == 1


def test_commands(sweeps, wire, api, project, wait_for):
    """An agent is given a run at a time; runs that are not there yet are shown as pending; the last one ends it."""
    made = sweeps.upsert(config=GRID + "program: train.py\n")["sweep"]
    first, second = sweeps.agent(made["name"]), sweeps.agent(made["name"])
    [one] = sweeps.beat(first)
    assert one == {"type": "run", "run_id": one["run_id"], "program": "train.py", "args": {"x": {"value": 1}}}
    [two] = sweeps.beat(second)
    assert two["args"] == {"x": {"value": 2}} and sweeps.beat(second, two["run_id"]) == []
    shown = sweeps.with_runs(made["name"])
    assert (shown["state"], shown["method"]) == ("RUNNING", "grid")
    nodes = [edge["node"] for edge in shown["runs"]["edges"]]
    assert [(node["name"], node["state"], json.loads(node["config"]), json.loads(node["summaryMetrics"])) for node in nodes] == [
        (one["run_id"], "pending", {"x": {"value": 1}}, {}), (two["run_id"], "pending", {"x": {"value": 2}}, {})]
    assert [node[flag] for node in nodes for flag in ("shouldStop", "failed", "stopped", "running", "exitcode")] == 2 * [
        False, False, False, False, None]
    run = wire.start(one["run_id"], sweep=made["name"], config={"x": 1})
    run.history({"_step": 0, "loss": 5}, {"_step": 1, "loss": 4}, {"_step": 2, "other": 1})
    keys = json.dumps({"keys": ["_step", "loss"], "samples": 100000})
    [node, _] = [edge["node"] for edge in sweeps.with_runs(made["name"], keys)["runs"]["edges"]]
    assert (node["state"], node["running"], node["sampledHistory"]) == (
        "running", True, [[{"_step": 0, "loss": 5}, {"_step": 1, "loss": 4}]])
    api.post(f"/api/v1/projects/ann/{project}/sweeps/{made['name']}/trials", {})
    assert sweeps.read(made["name"], "runCount runCountExpected") == {"runCount": 3, "runCountExpected": 3}
    wire.start(two["run_id"])  # a process that does not know its sweep
    runs = api.get(f"/api/v1/projects/ann/{project}/runs", filter=f'sweep = "{made["name"]}"', order="name").json["items"]
    assert {run["id"] for run in runs} == {one["run_id"], two["run_id"]}


def test_an_agent_stops_at_a_404(sweeps, wire, api, project):
    """Only because its sweep or itself does not exist; other errors are not the whole answer's."""
    made = sweeps.upsert(config=GRID)["sweep"]
    agent = sweeps.agent(made["name"])
    sweeps.beat(agent)
    wrong = wire.ask(BEAT, id=agent, runState="[]")
    assert wrong.status == 200 and "runState" in wrong.json["errors"][0]["message"]
    assert wire.ask(BEAT, id=made["id"], runState="{}").status == 404
    assert wire.ask(CREATE, host="", projectName=project, sweep=made["name"]).status == 200
    assert wire.ask(CREATE, host="h", projectName=project, sweep="none").status == 404
    api.delete(f"/api/v1/projects/ann/{project}/sweeps/{made['name']}")
    for _ in range(2):
        gone = wire.ask(BEAT, id=agent, runState="{}")
        assert gone.status == 404 and "does not exist" in gone.json["errors"][0]["message"]
    assert sweeps.read(made["name"], "id") is None


def test_lists(sweeps, wire, project):
    """Pages of sweeps, filtered; agents and their runs, in order and in pages."""
    names = [sweeps.upsert(config=f"{GRID}name: s{number}\n", displayName=f"s{number}")["sweep"]["name"] for number in range(3)]
    sweeps.upsert(id=names[1], state="RUNNING")

    def found(**args):
        page = sweeps.list(**args)["data"]["project"]
        return [edge["node"]["name"] for edge in page["sweeps"]["edges"]], page["sweeps"]["pageInfo"]

    assert found()[0] == names[::-1]
    page, info = found(n=2)
    assert page == names[:0:-1] and info["hasNextPage"]
    assert found(n=2, c=info["endCursor"]) == ([names[0]], {"endCursor": info["endCursor"], "hasNextPage": False}) or (
        found(n=2, c=info["endCursor"])[0] == [names[0]])
    for filters, count in (({"state": "RUNNING"}, 1), ({"$or": [{"name": names[0]}, {"display_name": "s2"}]}, 2),
                           ({"method": {"$ne": "grid"}}, 0), ({"created_at": {"$gt": "2020-01-01"}}, 3), ({}, 3)):
        assert len(found(f=json.dumps(filters))[0]) == count, filters
    assert "not supported in filters" in sweeps.list(f='{"loss": 1}')["errors"][0]["message"]
    agent = sweeps.agent(names[0])
    runs = []
    for _ in range(3):
        [given] = sweeps.beat(agent)
        wire.start(given["run_id"], sweep=names[0], config={"x": given["args"]["x"]["value"]}).complete()
        runs.append(given["run_id"])
    [shown] = [edge["node"] for edge in sweeps.read(names[0], "agents { edges { node { id name host state totalRuns createdAt } } }")[
        "agents"]["edges"]]
    assert (shown["id"], shown["host"], shown["state"], shown["totalRuns"]) == (agent, "node1", "RUNNING", 3)
    pages, after = [], ""
    while after is not None:
        asked = f"""agent(agentName: "{shown['name']}") {{ runs(first: 2, order: "+created_at", after: "{after}") {{
            pageInfo {{ hasNextPage }} edges {{ cursor node {{ name }} }} }} }}"""
        page = sweeps.read(names[0], asked)["agent"]["runs"]
        pages.append([edge["node"]["name"] for edge in page["edges"]])
        after = page["edges"][-1]["cursor"] if page["pageInfo"]["hasNextPage"] else None
    assert pages == [runs[:2], runs[2:]]
    assert sweeps.read(names[1], f'agent(agentName: "{shown["name"]}") {{ id }}') == {"agent": None}


def test_a_local_controller(sweeps, wire):
    """The server suggests nothing itself: it hands out what is scheduled, stops what is named, and ends at null."""
    config = GRID + "controller:\n  type: local\n"
    made = sweeps.upsert(config=config)["sweep"]
    first, second = sweeps.agent(made["name"]), sweeps.agent(made["name"])
    assert sweeps.beat(first) == []

    def control(**controller):
        return json.loads(sweeps.upsert(id=made["id"], config=config, controller=json.dumps(controller))["sweep"]["scheduler"] or "{}")

    def known_before(count):
        return {"id": made["id"], "config": config, "controller": json.dumps({"schedule": []}),
                "scheduler": json.dumps({"scheduled": [{"id": f"e{i}", "runid": "r"} for i in range(count)]})}

    assert json.loads(sweeps.upsert(**known_before(2000))["sweep"]["scheduler"]) == {"scheduled": []}
    assert "more than 2000 items" in sweeps.refused(**known_before(2001))
    entry = {"id": "a1b2c3d4e5", "data": {"args": {"x": {"value": 7}}}}
    [known] = control(schedule=[entry])["scheduled"]
    assert known["id"] == entry["id"] and control(schedule=[entry])["scheduled"] == [known]
    shown = sweeps.with_runs(made["name"])
    assert [(edge["node"]["name"], edge["node"]["state"]) for edge in shown["runs"]["edges"]] == [(known["runid"], "pending")]
    [given] = sweeps.beat(first)
    assert (given["run_id"], given["args"]) == (known["runid"], {"x": {"value": 7}}) and sweeps.beat(second) == []
    wire.start(known["runid"], sweep=made["name"], config={"x": 7})
    assert sweeps.beat(first, known["runid"]) == []
    control(schedule=[], earlystop=[known["runid"]])
    for _ in range(2):
        assert sweeps.beat(first, known["runid"]) == [{"type": "stop", "run_id": known["runid"]}]
    control(schedule=[{"id": "f6", "data": {"args": None}}], earlystop=[])
    assert sweeps.read(made["name"], "state") == {"state": "FINISHED"}
    assert sweeps.beat(second) == [{"type": "exit"}]
