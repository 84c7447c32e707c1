"""The wandb SDK's door beside REST: the same through both by 256 simulated processes, in bodies as a real one sends
them (tests/wandb/recorded), which has its summary in each; and through REST as its own clients send it, with what
was set in the summary once. A row that is not there afterwards, or there twice, is an error."""
import base64
import collections
import gzip
import json
import sys
import time

import host
from figures import DRAIN_S
from sdk_door import request, send_all
from server import Server

sys.path.append(str(host.TOP / "tests/wandb"))

from sdk import NEWEST  # noqa: E402
from wire import Wire  # noqa: E402

PROJECT = "sdk"
API = f"/api/v1/projects/bench/{PROJECT}/runs"
PROCESSES = 256
ROWS, LINES = 30, 2  # of a request: what a process logs within 15 s at two rows a second
REQUESTS_A_SECOND = 2
LABEL = b"rank000"  # stands for any
BEGAN = 1795000000


def recorded(program, name):
    """Lines of a file that a real process sent."""
    lines = []
    with gzip.open(host.TOP / f"tests/wandb/recorded/{NEWEST}.jsonl.gz", "rt") as file:
        for entry in map(json.loads, file):
            if entry["program"] == program and entry["path"].endswith("/file_stream"):
                lines += entry["json"].get("files", {}).get(name, {}).get("content", [])
    return [json.loads(line) for line in lines]


def dump(value):
    return json.dumps(value, separators=(",", ":"))


class Bodies:
    """What one process sends, request by request, to either door."""

    def __init__(self):
        self.rows = recorded("train", "wandb-history.jsonl")
        self.event = recorded("shared primary", "wandb-events.jsonl")[0]
        self.line = recorded("shared primary", "output.log")[0]

    def row(self, n):
        """The next one has other numbers under the same names."""
        changed = {"_step": n, "_timestamp": BEGAN + n / 2, "_runtime": n / 2, "epoch": n, "loss": 1 / (n + 1),
                   "val/acc": n / (n + 7), "nest": {"x": n}}
        return {key: changed.get(key, value) for key, value in self.rows[n % len(self.rows)].items()}

    def at(self, first):
        event = {key.replace("/l:rank0", f"/l:{LABEL.decode()}"): value for key, value in self.event.items()}
        event.update(_timestamp=BEGAN + first / 2, _runtime=first / 2)
        return [self.row(n) for n in range(first, first + ROWS)], event

    def set(self, number):
        """What of the summary does not follow from history."""
        return {"best": 7, "deep": {"a": {"b": 1}}, "_wandb": {"runtime": number * 15}}

    def sdk(self, number):
        rows, event = self.at(number * ROWS)
        line = {**self.line, "label": LABEL.decode()}
        summary = {**rows[-1], **self.set(number)}
        return dump({"files": {
            "output.log": {"offset": number * LINES, "content": [dump(line)] * LINES},
            "wandb-history.jsonl": {"offset": number * ROWS, "content": [dump(row) for row in rows]},
            "wandb-events.jsonl": {"offset": number, "content": [dump(event)]},
            "wandb-summary.json": {"offset": 0, "content": [dump(summary)]}}}).encode()

    def rest(self, number):
        return self.batch(number, summary={"_runtime": number * ROWS / 2, **self.set(number)})

    def lean(self, number):
        return self.batch(number, **({} if number else {"summary": self.set(number)}))

    def batch(self, number, **more):
        rows, event = self.at(number * ROWS)
        event = {key.partition("/l:")[0]: value for key, value in event.items()}
        lines = [{"line": number * LINES + i, "time": BEGAN, "stream": "stdout", "text": self.line["content"]}
                 for i in range(LINES)]
        return dump({"writer": LABEL.decode(), "session": 1, "batch": number + 1, "history": rows, "events": [event],
                     "console": lines, **more}).encode()


def label_of(i):
    return b"rank%03d" % i


# ---- the two doors: begin(server, run, i), and the requests of a process

class Sdk:
    name = "sdk"

    def __init__(self, server, bodies):
        self.key = server.key_file.read_text().strip()
        self.basic = "Basic " + base64.b64encode(f"api:{self.key}".encode()).decode()
        self.wire = Wire(server.url, self.key, "bench", PROJECT)
        self.bodies = bodies

    def begin(self, run, i):
        self.wire.start(run, client_id=f"{i:032}", config={"lr": 0.1, "rank": i})

    def requests(self, run, i):
        for body in self.bodies:
            yield request(f"/files/bench/{PROJECT}/{run}/file_stream", self.basic, body.replace(LABEL, label_of(i)),
                          X_Wandb_Use_Async_Filestream="true", X_Wandb_Async_Client_Id=f"{i:032}")


class Rest:
    def __init__(self, server, name, bodies):
        self.name = name
        self.ask = server.connect()
        self.key = "Bearer " + server.key_file.read_text().strip()
        self.bodies = bodies

    def begin(self, run, i):
        path = f"{API}/{run}".removeprefix("/api/v1")
        self.ask("PUT", path, "{}")
        self.ask("POST", path + "/join", dump({"client": label_of(i).decode(), "role": "worker",
                                               "label": label_of(i).decode()}))

    def requests(self, run, i):
        for body in self.bodies:
            yield request(f"{API}/{run}/batch", self.key, body.replace(LABEL, label_of(i)))


def compare(server, runs, per_process):
    """Every row is there once, under its process's label."""
    ask = server.connect()
    found = collections.Counter()
    for run in runs:
        text = ask.raw("GET", f"{API}/{run}/history?format=ndjson&keys=epoch".removeprefix("/api/v1"))
        found.update((row["_label"], row["epoch"]) for row in map(json.loads, text.splitlines()))
    expected = collections.Counter((label_of(i).decode(), n) for i in range(PROCESSES) for n in range(per_process))
    if found != expected:
        raise RuntimeError(f"{sum(expected.values())} rows were acknowledged, {sum(found.values())} are there, of them "
                           f"{sum((found - expected).values())} that should not be")


def finish(server, runs):
    """Ends the runs and waits until all is compacted, which belongs to what they cost."""
    ask, began = server.connect(), time.monotonic()
    for run in runs:
        ask("POST", f"{API}/{run}/finish".removeprefix("/api/v1"), '{"state":"finished"}')
    while int(server.sql("select coalesce(sum(tail_rows), 0) from run_hot where state <> 1")):
        if time.monotonic() - began > DRAIN_S:
            raise RuntimeError(f"the tail was not compacted within {DRAIN_S} s")
        time.sleep(0.1)


def through(door, server, run_count, requests):
    """(rows/s, CPU µs per row) of one door."""
    runs = [f"{door.name}-{run_count}-{i}" for i in range(run_count)]
    for i in range(PROCESSES):
        door.begin(runs[i % run_count], i)
    before = server.cpu()
    taken, refused = send_all(server.port, [door.requests(runs[i % run_count], i) for i in range(PROCESSES)])
    finish(server, runs)
    cpu = server.cpu() - before
    compare(server, runs, requests * ROWS)
    rows = PROCESSES * requests * ROWS
    print(f"  {door.name}, {run_count} runs: {rows} rows in {taken:.2f} s, {1e6 * cpu / rows:.2f} µs each, "
          f"{refused} requests to come again", file=sys.stderr)
    return rows / taken, 1e6 * cpu / rows


def rows(folder, seconds):
    """256 simulated processes in shared mode into one run, and into 16; the same through REST."""
    made, requests = Bodies(), REQUESTS_A_SECOND * seconds
    with Server(folder) as server:
        doors = (Sdk(server, [made.sdk(n) for n in range(requests)]),
                 Rest(server, "rest", [made.rest(n) for n in range(requests)]),
                 Rest(server, "lean", [made.lean(n) for n in range(requests)]))
        for run_count, name in (1, "sdk-rows"), (16, "sdk-rows-16"):
            (ours, our_cpu), (rest, rest_cpu), (lean, lean_cpu) = (
                through(door, server, run_count, requests) for door in doors)
            yield (name, ours, "rows/s", rest)
            yield (f"{name}-cpu", our_cpu, "µs/row", rest_cpu)
            yield (f"{name}-lean", ours, "rows/s", lean)
            yield (f"{name}-lean-cpu", our_cpu, "µs/row", lean_cpu)


FIGURES = dict.fromkeys(
    (f"sdk-rows{runs}{what}{kind}" for runs in ("", "-16") for what in ("", "-lean") for kind in ("", "-cpu")), rows)
