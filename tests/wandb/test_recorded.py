"""What real SDKs sent once (recorder.py), sent again: every document is understood and answered, every line kept.

A field that the server does not know is null. Those of nouns that it does not serve are named below (that none of
them is served is checked in tests/unit/wandb/recorded_test.c); any other is one that some SDK waits for in vain.
"""
import gzip
import json
import pathlib
import re

import pytest
import sdk
from wire import FILES

HERE = pathlib.Path(__file__).resolve().parent
ABSENT = {
    "Project": "runQueue",
    "Run": "internalId",  # asked where introspection did not tell of projectId
}


def recorded(version):
    with gzip.open(HERE / f"recorded/{version}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def documents(version):
    """Each once, with the variables of the last time."""
    asked = {entry["json"]["query"]: entry["json"] for entry in recorded(version)
             if entry["path"] == "/graphql" and "json" in entry}
    return asked.values()


def unknown_fields(api):
    """How often each was asked for; what has no place of its own counts as "other"."""
    found = re.findall(r'^cairn_wandb_unknown_fields_total{field="(\w+)(?:\.(\w+))?"} (\d+)$', api.get("/metrics").text, re.M)
    return {(kind, name, count) for kind, name, count in found if name not in ABSENT.get(kind, "").split()}


def post(wire, entry, path):
    headers = {k: v for k, v in entry["headers"].items() if k.startswith("x-wandb") or k == "content-type"}
    return wire.send("POST", path, json.dumps(entry["json"]).encode(), headers)


@pytest.mark.parametrize("release", sdk.ALL)
def test_documents(wire, api, release):
    """The sweep that they ask for is the one that an earlier of them made here."""
    before = unknown_fields(api)
    made = {}
    for document in documents(release):
        variables = document.get("variables") or {}
        if "s1" in (variables.get("name"), variables.get("sweep")):
            variables |= {name: value for name, value in made.items() if name in variables}
        answer = wire.send("POST", "/graphql", json.dumps(document).encode(), {"Content-Type": "application/json"})
        assert answer.status == 200, (document["query"][:300], answer)
        said = answer.json
        assert "data" in said
        messages = [error["message"] for error in said.get("errors", ())]
        assert all(messages) and not any("fields" in message for message in messages), messages
        if sweep := (said["data"] or {}).get("upsertSweep"):
            name, project = sweep["sweep"]["name"], variables["projectName"]
            made = {"name": name, "sweep": name, "project": project, "projectName": project}
    assert made and unknown_fields(api) == before


def replay(wire, entries):
    """What one program sent, into the test's own project; returns the lines of each of its runs."""
    lines = {}
    for entry in entries:
        if entry["path"] == "/graphql":
            moved = {**entry, "json": json.loads(json.dumps(entry["json"]).replace('"digits"', f'"{wire.project}"'))}
            assert post(wire, moved, "/graphql").status == 200
        elif entry["path"].endswith("/file_stream"):
            answer = post(wire, entry, entry["path"].replace("/digits/", f"/{wire.project}/"))
            assert answer.status == 200 and answer.json["stopped"] is False, answer
            files = entry["json"].get("files", {})
            content = files.get(FILES["history"], {"content": []})["content"]
            lines.setdefault(entry["path"].split("/")[4], []).extend(json.loads(line) for line in content)
    return lines


@pytest.mark.parametrize("program", ["train", "shared primary"])
@pytest.mark.parametrize("release", sdk.ALL)
def test_lines(wire, read, release, program):
    for run, sent in replay(wire, [e for e in recorded(release) if e["program"] == program]).items():
        rows = read(run).rows()
        assert [row["_timestamp"] for row in rows] == pytest.approx([line["_timestamp"] for line in sent], abs=1e-6)
        assert [row["nest.x" if "nest.x" in row else "value"] for row in rows] == [
            line["nest"]["x"] if "nest" in line else line["value"] for line in sent]
