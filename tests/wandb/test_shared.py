"""Several processes, one run: mode="shared" with real SDKs, and every order of ends with simulated ones."""
import itertools

import pytest
from wire import Wire, new_client_id


def take_part(name, label, primary, count, go):
    """Logs `count` rows, says so, and ends when the file `go` is there."""
    import pathlib
    import time

    import wandb
    settings = wandb.Settings(mode="shared", x_label=label, x_primary=primary, x_update_finish_state=primary)
    run = wandb.init(id=name, config={label: {"rank": count}, "same": 1}, settings=settings)
    run.define_metric(f"{label}/x")
    for value in range(count):
        run.log({f"{label}/x": value, "who": label})
    print("line of", label)
    run.summary[f"{label}/best"] = count
    pathlib.Path(f"{label}.ready").write_text("")
    while not pathlib.Path(go).exists():
        time.sleep(0.02)
    run.finish()


class Crew:
    """Real processes of one run, siblings, and what makes each of them end."""

    def __init__(self, client, name, wait_for):
        self.client = client
        self.name = name
        self.wait_for = wait_for
        self.running = {}

    def join(self, label, count, primary=False):
        (self.client.folder / f"{label}.go").unlink(missing_ok=True)
        self.running[label] = self.client.start(
            take_part, name=self.name, label=label, primary=primary, count=count,
            go=str(self.client.folder / f"{label}.go"))

    def ready(self, *labels):
        for label in labels:
            running = self.running[label]
            file = self.client.folder / f"{label}.ready"
            self.wait_for(lambda: file.exists() or not running.is_running, what=f"rows of {label}")
            assert running.is_running, running.out

    def end(self, label):
        (self.client.folder / f"{label}.go").write_text("")
        done = self.running[label].wait()
        assert done.code == 0, done


@pytest.fixture
def crew(client, wait_for):
    return Crew(client, "r1", wait_for)


def rows_of(run):
    """How many rows each has."""
    counts = {}
    for row in run.rows():
        counts[row["who"]] = counts.get(row["who"], 0) + 1
        assert row["_label"] == row["who"]
    return counts


@pytest.mark.feature("shared mode: roles of primary and workers, a worker before it, one killed, one late")
def test_a_primary_and_workers(crew, read, wait_for):
    run = read("r1")
    crew.join("rank1", 7)
    crew.ready("rank1")
    wait_for(lambda: len(run.rows()) == 7, what="rows of the first worker")
    assert [w["role"] for w in run.writers().values()] == ["worker"]
    crew.join("rank0", 5, primary=True)
    crew.join("rank2", 3)
    crew.ready("rank0", "rank2")
    wait_for(lambda: len(run.rows()) == 15, what="all rows")
    wait_for(lambda: "rank2" in {w["label"] for w in run.writers().values()}, what="the label of who is killed")
    crew.running["rank2"].kill()
    crew.end("rank1")
    assert run.state == "running"
    crew.end("rank0")
    assert (run.state, run.get()["exit_code"]) == ("finished", 0)
    crew.join("rank3", 4)
    crew.ready("rank3")
    crew.end("rank3")
    assert rows_of(run) == {"rank0": 5, "rank1": 7, "rank2": 3, "rank3": 4}
    compare_steps(run, has_own=crew.client.release >= (0, 31))
    compare_documents(run)
    assert {line["label"] for line in run.console() if line["text"] == f"line of {line['label']}"} >= {
        "rank0", "rank1", "rank3"}
    assert {w["label"]: w["role"] for w in run.writers().values()} == {
        "rank0": "primary", "rank1": "worker", "rank2": "worker", "rank3": "worker"}


def sample(name, label, primary, go):
    """Logs system metrics until the file is there."""
    import pathlib
    import time

    import wandb
    settings = wandb.Settings(mode="shared", x_label=label, x_primary=primary, x_stats_sampling_interval=0.5,
                              x_file_stream_transmit_interval=1)
    with wandb.init(id=name, settings=settings) as run:
        run.log({"x": 1})
        pathlib.Path(f"{label}.ready").write_text("")
        while not pathlib.Path(go).exists():
            time.sleep(0.02)


def system_metrics(path):
    import wandb
    run = wandb.Api().run(path)
    listed, = wandb.Api().runs(path.rpartition("/")[0])
    rows = run.history(stream="system", pandas=False)
    return {"rows": sorted({key for row in rows for key in row}), "last": sorted(run.system_metrics),
            "of a page": sorted(listed.system_metrics)}


@pytest.mark.long_if_old
def test_system_metrics_are_read_with_their_labels(client, read, project, wait_for):
    go = client.folder / "go"
    running = [client.start(sample, name="r1", label=label, primary=label == "rank0", go=str(go))
               for label in ("rank0", "rank1")]
    wait_for(lambda: len(list(client.folder.glob("rank?.ready"))) == 2, what="both processes")
    wait_for(lambda: {w["label"] for w in read("r1").writers().values() if w["event_rows"] > 1} == {"rank0", "rank1"},
             what="system metrics of both")
    go.write_text("")
    assert [one.wait().code for one in running] == [0, 0]
    seen = client.call(system_metrics, path=f"ann/{project}/r1").value
    metrics = {key for key in seen["rows"] if not key.startswith("_")}
    assert metrics == set(seen["last"]) == set(seen["of a page"])
    for label in "rank0", "rank1":
        assert f"system.proc.memory.rssMB/l:{label}" in metrics
    assert {key.partition("/l:")[2] for key in metrics} == {"rank0", "rank1"}


def compare_steps(run, has_own):
    """Newer SDKs count the steps of each process, older ones leave it to the server to count those of the run."""
    steps = {}
    for row in run.rows():
        steps.setdefault(row["who"] if has_own else "", []).append(row["_step"])
    for of_one in steps.values():
        assert of_one == list(range(len(of_one)))


def compare_documents(run):
    config = run.config()
    config.pop("_wandb")
    assert config == {"same": 1, "rank0": {"rank": 5}, "rank1": {"rank": 7}, "rank2": {"rank": 3},
                      "rank3": {"rank": 4}}
    summary = run.summary()
    for label, count in ("rank0", 5), ("rank1", 7), ("rank3", 4):
        assert (summary[f"{label}/best"], summary[f"{label}/x"]) == (count, count - 1)
    writers = {(one["path"][0], one["label"]) for document in ("config", "summary")
               for one in run.api.get(f"{run.path}/{document}/writers").json["items"]}
    assert writers >= {(f"{label}{of}", label) for label in ("rank0", "rank1", "rank3") for of in ("", "/best", "/x")}


def start(wire, name, primary=True):
    """What tells a primary is that it sends its environment."""
    client_id = new_client_id()
    own = {"e": {client_id: {"os": "Linux", "writerId": client_id}}, "m": []} if primary else {"m": []}
    return wire.start(name, client_id=client_id, config={"_wandb": own})


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=lambda o: "".join(map(str, o)))
def test_primaries_end_in_every_order(wire, read, order):
    """The run ends with the last of them, as the worst of them."""
    codes = [0, 3, 0]
    processes = [start(wire, "r1") for _ in codes]
    for n in order:
        assert read("r1").state == "running"
        processes[n].post(history=(0, [{"_timestamp": 1795000000 + n, "n": n}]))
        processes[n].complete(codes[n])
    assert (read("r1").state, read("r1").get()["exit_code"]) == ("failed", 3)
    processes[0].post(history=(1, [{"_timestamp": 1795000009, "n": 9}]))
    assert sorted(row["n"] for row in read("r1").rows()) == [0, 1, 2, 9]
    assert read("r1").state == "failed"


WHERE = "query($entityName: String!) {entity(name: $entityName) {organization {coreWeaveOrganizationId}}}"


def learn_by_environment(process):
    process.upsert(config={"_wandb": {"e": {process.client_id: {"os": "Linux"}}}})


def learn_by_question(process):
    answer = process.wire.query(WHERE, process.headers("X-WANDB-CLIENT-ID"), entityName=process.wire.entity)
    assert answer == {"entity": {"organization": None}}
    process.post()


def learn_by_file(process):
    process.wire.query("mutation($i: CreateRunFilesInput!) {createRunFiles(input: $i) {runID}}",
                       process.headers("X-WANDB-CLIENT-ID"), i={
                           "entityName": process.wire.entity, "projectName": process.wire.project,
                           "runName": process.name, "files": ["wandb-metadata.json"]})


@pytest.mark.parametrize("learn", [learn_by_environment, learn_by_question, learn_by_file])
def test_a_primary_that_is_known_late(wire, read, learn):
    """Those that were known ended the run meanwhile: it runs again, and ends with the last; no row is lost."""
    known, late = start(wire, "r1"), start(wire, "r1", primary=False)
    run = read("r1")
    known.complete()
    late.post(history=(0, [{"_timestamp": 1795000000, "n": 0}]))
    assert run.state == "finished"
    learn(late)
    assert (run.state, run.get()["exit_code"], run.get()["ended_at"]) == ("running", None, None)
    late.post(history=(1, [{"_timestamp": 1795000001, "n": 1}]))
    late.complete(3)
    assert (run.state, run.get()["exit_code"]) == ("failed", 3)
    assert run.values("n") == [0, 1] and run.get()["attempt"] == 1
    assert [(s["from"], s["to"]) for s in run.states()] == [
        (None, "running"), ("running", "finished"), ("finished", "running"), ("running", "failed")]


def test_who_asks_nothing_stays_a_worker(wire, read):
    asks, other = start(wire, "r1", primary=False), start(wire, "r1", primary=False)
    learn_by_question(asks)
    other.post()
    assert {client: w["role"] for client, w in read("r1").writers().items()} == {
        asks.client_id: "primary", other.client_id: "worker"}


def test_who_asks_in_the_name_of_anothers_process_makes_it_no_primary(wire, read, url, keys):
    """Client ids are seen by all who read a run; nobody is made a primary by what another account asks."""
    primary, worker = start(wire, "r1"), start(wire, "r1", primary=False)
    other = Wire(url, keys["bob"], "bob", wire.project)
    other.query(WHERE, worker.headers("X-WANDB-CLIENT-ID"), entityName="bob")
    worker.post(history=(0, [{"_timestamp": 1795000000, "n": 0}]))
    assert read("r1").writers()[worker.client_id]["role"] == "worker"
    worker.complete(3)
    assert read("r1").state == "running"
    primary.complete()
    assert read("r1").state == "finished"


@pytest.mark.long_if_old
@pytest.mark.feature("shared mode: several primaries, which end one by one")
def test_several_primaries(crew, read, wait_for):
    """Known for what they are while they run, and soon: the first one's end does not end the run."""
    for rank in 0, 1:
        crew.join(f"rank{rank}", 3, primary=True)
    crew.ready("rank0", "rank1")
    run = read("r1")
    wait_for(lambda: [w["role"] for w in run.writers().values()] == ["primary"] * 2, what="two primaries")
    crew.end("rank0")
    assert run.state == "running"
    crew.end("rank1")
    assert (run.state, run.get()["exit_code"]) == ("finished", 0)
    assert rows_of(run) == {"rank0": 3, "rank1": 3}
    assert [(s["from"], s["to"]) for s in run.states()] == [(None, "running"), ("running", "finished")]


@pytest.mark.parametrize("order", list(itertools.permutations("pab")), ids="".join)
def test_workers_do_not_end_a_run(wire, read, order):
    """Even those that say complete, whatever they say."""
    processes = {who: start(wire, "r1", primary=who == "p") for who in "pab"}
    for n, who in enumerate(order):
        processes[who].complete(0 if who == "p" else 1)
        assert (read("r1").state == "finished") is ("p" in order[:n + 1])
    assert read("r1").get()["exit_code"] == 0


def test_workers_before_the_primary(wire, read):
    worker = start(wire, "r1", primary=False)
    worker.post(history=(0, [{"_timestamp": 1795000000, "n": 0}]))
    primary = start(wire, "r1")
    primary.complete()
    assert read("r1").state == "finished"
    assert [w["role"] for w in sorted(read("r1").writers().values(), key=lambda w: w["number"])] == [
        "worker", "primary"]


def test_metrics_of_all_processes_stay_defined(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1")
    one.upsert(config={"_wandb": {"m": [{"1": "loss", "5": 2, "6": [1]}, {"1": "epoch"}]}})
    two.upsert(config={"_wandb": {"m": [{"1": "tokens"}, {"1": "loss/b", "5": 1}]}})
    worker = start(wire, "r1", primary=False)
    for nothing in [], {}, None:
        worker.upsert(config={"_wandb": {"m": nothing, "t": {"3": nothing}}})
        names = {entry["1"] for entry in read("r1").config()["_wandb"]["m"]}
        assert names == {"loss", "epoch", "tokens", "loss/b"}


def test_numbers_that_json_does_not_have_come_back(wire, read):
    """In a string they are bare words, as the SDK sends them and reads them."""
    one = start(wire, "r1")
    one.upsert(config={"far": float("inf")})
    one.summary({"lost": float("nan"), "low": float("-inf")})
    run = wire.query("query($p: String, $e: String) {project(name: $p, entityName: $e) {run(name: \"r1\") {"
                     "config summaryMetrics}}}", p=wire.project, e=wire.entity)
    run = run["project"]["run"]
    assert '"far":{"value":Infinity}' in run["config"]
    assert run["summaryMetrics"] == '{"lost":NaN,"low":-Infinity}'
    assert read("r1").summary() == {"lost": "NaN", "low": "-Infinity"}


def test_what_another_wrote_stays(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1")
    one.upsert(config={"a": 1, "both": {"x": 1}})
    two.upsert(config={"b": 2, "both": {"y": 2}})
    one.summary({"best": 1, "deep": {"x": 1}})
    two.summary({"worst": 2, "deep": {"y": 2}})
    two.summary({"worst": 3, "deep": {"y": 2}})
    one.upsert(config={"both": {"x": 1}})
    config = read("r1").config()
    config.pop("_wandb", None)
    assert config == {"b": 2, "both": {"x": 1, "y": 2}}
    assert read("r1").summary() == {"best": 1, "worst": 3, "deep": {"x": 1, "y": 2}}


def test_what_processes_say_again_is_nobodys_edit(wire, read):
    """Each of them sends what it was started with."""
    said = {"notes": "of the script", "tags": ["a", "b"], "displayName": "one", "groupName": "g"}
    first = wire.start("r1", shared=True, **said)
    before = read("r1").get()
    wire.start("r1", shared=True, **said)
    assert before["edited"] is None and read("r1").get()["edited"] is None
    first.upsert(tags=["b"])
    after = read("r1").get()
    assert (after["tags"], after["notes"], after["edited"]["user"]) == (["b"], "of the script", "ann")


def test_the_stop_button_reaches_all(wire, read, api):
    processes = [start(wire, "r1"), start(wire, "r1", primary=False), wire.start("r1")]
    assert not any(process.post()["stopped"] for process in processes)
    api.post(read("r1").path + "/stop", {"reason": "enough"})
    assert all(process.post()["stopped"] for process in processes)


def test_labels_are_learnt(wire, read):
    one, two = start(wire, "r1"), start(wire, "r1", primary=False)
    one.console("2026-11-20T20:49:35.172235 [rank 0] hello")
    two.events({"_wandb": True, "_timestamp": 1795000000, "_runtime": 1, "system.cpu/l:rank1": 5})
    assert {w["label"] for w in read("r1").writers().values()} == {"rank 0", "rank1"}
    line, = read("r1").console()
    assert (line["label"], line["text"]) == ("rank 0", "hello")


CREATE_FILES = """mutation($f: [String!]!, $e: String!, $p: String!, $r: String!) {
    createRunFiles(input: {files: $f, entityName: $e, projectName: $p, runName: $r}) { files { name } } }"""


def test_a_process_that_tells_too_early_is_learnt_later(wire, read):
    """Who asks for what only a primary does, before it has joined, is a primary when it asks again."""
    wire.start("r1")
    client_id = new_client_id()

    def tell():
        wire.query(CREATE_FILES, {"X-WANDB-CLIENT-ID": client_id}, f=["wandb-metadata.json"], e=wire.entity,
                   p=wire.project, r="r1")
    tell()
    assert client_id not in read("r1").writers()
    wire.start("r1", client_id=client_id)
    assert read("r1").writers()[client_id]["role"] == "worker"
    tell()
    assert read("r1").writers()[client_id]["role"] == "primary"


@pytest.mark.parametrize("shared", [False, True])
def test_a_repeat_is_a_sign_of_life(wire, read, api, wait_for, shared):
    process = wire.start("r1", shared=shared)
    process.history({"_step": 0, "_timestamp": 1795000000, "value": 1})
    heard_at = read("r1").get()["heard_at"]
    assert process.again()["stopped"] is False
    assert read("r1").get()["heard_at"] > heard_at
    assert [w["repeats"] for w in read("r1").writers().values()] == [1]
    api.post(read("r1").path + "/stop", {"reason": "enough"})
    assert process.again()["stopped"] is True
    api.post(read("r1").path + "/states", {"state": "crashed", "reason": "nobody was heard"})
    process.again()
    run = read("r1").get()
    assert (run["state"], run["attempt"], run["rows"]) == ("running", 2, 1)
