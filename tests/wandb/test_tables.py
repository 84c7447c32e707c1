"""Tables in the history: their rows, in every log mode, and the media, halves and parts inside, read back."""
import json

import pytest


def log_tables(name):
    """Rows as they were logged, and the names of the artifacts that the SDK says it made."""
    import pathlib

    import numpy
    import wandb
    pixels = numpy.arange(300, dtype=numpy.uint8).reshape(10, 10, 3)
    with wandb.init(id=name) as run:
        run.log({"plain": wandb.Table(columns=["a", "größe"], data=[[1, "x"], [None, "ü"], [2.5, ""]])})
        run.log({"val/table": wandb.Table(columns=["image", "score"], data=[
            [wandb.Image(pixels, caption=str(n), boxes={"guess": {"box_data": [{
                "position": {"minX": 0.1, "maxX": 0.5, "minY": 0.2, "maxY": 0.5}, "class_id": 1}]}}), n] for n in range(3)])})
        for rows in 1, 2, 3:
            run.log({"replaced": wandb.Table(columns=["n"], data=[[n] for n in range(rows)])})
        left = wandb.Table(columns=["id", "l"], data=[["1", "a"], ["2", "b"]])
        right = wandb.Table(columns=["id", "r"], data=[["1", "c"], ["2", "d"]])
        joined = wandb.Artifact("joined", type="dataset")
        joined.add(wandb.JoinedTable(left, right, "id"), "both")
        parts = wandb.Artifact("parts", type="dataset")
        for n in range(3):
            parts.add(wandb.Table(columns=["n"], data=[[n]]), f"parts/{n}")
        parts.add(wandb.data_types.PartitionedTable("parts"), "all")
        run.log_artifact(joined).wait(timeout=240)
        run.log_artifact(parts).wait(timeout=240)
    return str(pathlib.Path(run.dir))


def read_tables(path, run):
    """Tables as the public API gives them, through the artifacts that the SDK makes of them."""
    import hashlib
    import pathlib

    import wandb
    api = wandb.Api()
    said = {"tables": {version.name: [version.type, sorted(version.manifest.entries)]
                       for version in api.run(f"{path}/{run}").logged_artifacts()}}
    plain = api.artifact(f"{path}/run-{run}-plain:latest").get("plain")
    said["plain"] = [plain.columns, plain.data]
    said["replaced"] = [api.artifact(f"{path}/run-{run}-replaced:v{n}").get("replaced").data for n in range(3)]
    name, = (name for name in said["tables"] if "valtable" in name)
    images = api.artifact(f"{path}/{name}").get("val/table")
    said["images"] = [[image._caption if hasattr(image, "_caption") else None, image._width, score,
                       hashlib.sha256(pathlib.Path(image._path).read_bytes()).hexdigest()] for image, score in images.data]
    both = api.artifact(f"{path}/joined:latest").get("both")
    said["joined"] = [both._join_key, both._table1.data, both._table2.data]
    said["parts"] = sorted(row for _, row in api.artifact(f"{path}/parts:latest").get("all").iterrows())
    return said


@pytest.mark.long_if_old
@pytest.mark.feature("tables: in the history and in artifacts, with media, joined, partitioned")
def test_tables(client, make_client, version, read, project, stored):
    client.call(log_tables, name="r1").value  # noqa: B018
    shown = make_client(version, WANDB_PROJECT=project).call(read_tables, path=f"ann/{project}", run="r1").value
    assert shown["plain"] == [["a", "größe"], [[1, "x"], [None, "ü"], [2.5, ""]]]
    assert shown["replaced"] == [[[n] for n in range(rows)] for rows in (1, 2, 3)]
    assert [row[1:3] for row in shown["images"]] == [[10, n] for n in range(3)] and len({row[3] for row in shown["images"]}) == 1
    assert shown["joined"] == ["id", [["1", "a"], ["2", "b"]], [["1", "c"], ["2", "d"]]]
    assert shown["parts"] == [[0], [1], [2]]
    check_history(client, read("r1"), shown)
    check_rest(stored, shown)


def check_rest(stored, shown):
    """The same tables and pictures over REST."""
    def table(name, file):
        read = json.loads(stored(name).files[file])
        return [read["columns"], read["data"]]
    assert table("run-r1-plain:v0", "plain.table.json") == shown["plain"]
    assert [table(f"run-r1-replaced:v{n}", "replaced.table.json")[1] for n in range(3)] == shown["replaced"]
    name, = (name for name in shown["tables"] if "valtable" in name)
    by_rest = stored(name)
    _, rows = table(name, "val/table.table.json")
    assert [by_rest.hashes[image["path"]] for image, _ in rows] == [row[3] for row in shown["images"]]
    assert sorted([*by_rest.files, *by_rest.refs]) == shown["tables"][name][1]
    assert sorted(row for n in range(3) for row in table("parts:v0", f"parts/{n}.table.json")[1]) == shown["parts"]


def check_history(client, run, shown):
    """Each version is a run's output, and each value of the history names the version that has its table."""
    kinds = {name: kind for name, (kind, _) in shown["tables"].items()}
    assert kinds["run-r1-plain:v0"] == "run_table" and len(kinds) == 1 + 1 + 3 + 2, kinds
    rows = [row for row in run.rows() if "replaced._type" in row]
    assert [row["replaced.nrows"] for row in rows] == [1, 2, 3]
    versions = set()
    for row in rows:
        own, name = row["replaced.artifact_path"].removeprefix("wandb-client-artifact://").split("/")
        assert name == "replaced.table.json"
        versions.add(own)
    assert len(versions) == 3


def log_modes(name):
    """A table that grows in the history: as increments, and again as a whole at each change."""
    import wandb
    with wandb.init(id=name) as run:
        grows = wandb.Table(columns=["n"], log_mode="INCREMENTAL")
        changes = wandb.Table(columns=["n"], log_mode="MUTABLE")
        for n in range(3):
            grows.add_data(n)
            changes.add_data(n)
            run.log({"grows": grows, "changes": changes})


def read_modes(path, run):
    import wandb
    api = wandb.Api()
    grown = api.artifact(f"{path}/run-{run}-incr-grows:latest")
    rows = [grown.get(entry.removesuffix(".table.json")).data for entry in sorted(grown.manifest.entries)]
    return {"version": grown.version, "type": grown.type, "grown": rows,
            "changed": [api.artifact(f"{path}/run-{run}-changes:v{n}").get("changes").data for n in range(3)]}


@pytest.mark.long_if_old
@pytest.mark.feature("tables: log modes INCREMENTAL and MUTABLE")
def test_log_modes(client, make_client, version, project):
    if client.release < (0, 20):
        pytest.skip("has no log modes")
    assert client.call(log_modes, name="r1").code == 0
    shown = make_client(version).call(read_modes, path=f"ann/{project}", run="r1").value
    assert (shown["version"], shown["type"]) == ("v2", "wandb-run-incremental-table")
    assert shown["grown"] == [[[n] for n in range(3)]] * 3, "each increment leads to the others"
    assert shown["changed"] == [[[m] for m in range(n + 1)] for n in range(3)]


MAPPING = "query ClientIDMapping($clientID: ID!) { clientIDMapping(clientID: $clientID) { serverID } }"


@pytest.mark.long_if_old
@pytest.mark.feature("tables: what a history names is found, also after the table is logged again")
def test_values_of_a_history_are_found(client, read, wire):
    """Both ids that a value has stay good: that of its version, and that of the collection."""
    assert client.call(log_twice, name="r1").code == 0
    rows = [row for row in read("r1").rows() if "t._type" in row]
    own, latest = [], []
    for row in rows:
        own.append(row["t.artifact_path"].removeprefix("wandb-client-artifact://").split("/")[0])
        latest.append(row["t._latest_artifact_path"].removeprefix("wandb-client-artifact://").split(":")[0])
    versions = [wire.query(MAPPING, clientID=client_id)["clientIDMapping"]["serverID"] for client_id in own]
    names = wire.query("query A($a: ID!, $b: ID!) { a: artifact(id: $a) { versionIndex } b: artifact(id: $b) { versionIndex } }",
                       a=versions[0], b=versions[1])
    assert [names["a"]["versionIndex"], names["b"]["versionIndex"]] == [0, 1]
    assert len(set(latest)) == 2 and wire.query(MAPPING, clientID="0" * 128)["clientIDMapping"] is None


def log_twice(name):
    import wandb
    with wandb.init(id=name) as run:
        for n in range(2):
            run.log({"t": wandb.Table(columns=["n"], data=[[n]])})
