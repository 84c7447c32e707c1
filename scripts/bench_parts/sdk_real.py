"""Real processes of the wandb SDK: 64 of them in one run, and one that lists 5,000 runs."""
import collections
import json
import pathlib
import shutil
import sys
import tempfile
import time

import host
from remembering import Remembering
from sdk_door import request, send_all
from server import Server

sys.path.append(str(host.TOP / "tests/wandb"))

from client import Client  # noqa: E402
from sdk import DEFAULT, NEWEST  # noqa: E402

PROCESSES = 64
START_S = 600  # until so many have begun, on few cores
ROWS_A_SECOND = 200
RUNS = 5000
LISTED_S = 600
CONNECTIONS = 16


def take_part(name, label, primary, count, offline):
    """Says that it has begun, waits for the file `go`, logs, ends."""
    import pathlib
    import time

    import wandb
    mode = {"mode": "offline"} if offline else {"mode": "shared", "x_label": label, "x_primary": primary}
    run = wandb.init(id=name, settings=wandb.Settings(x_update_finish_state=primary, **mode))
    pathlib.Path(f"{label}.ready").write_text("")
    while not pathlib.Path("go").exists():
        time.sleep(0.05)
    for i in range(count):
        run.log({"i": i, "loss": 1 / (i + 1), "acc": i / (i + 7), "lr": 0.1})
    run.finish()


def list_runs(path, lazy):
    """Seconds for all of them with their configs; without `lazy` they come in the pages themselves."""
    import time

    import wandb
    began = time.time()
    api = wandb.Api(timeout=60)
    runs = api.runs(path) if lazy else api.runs(path, lazy=False)
    rates = [run.config["lr"] for run in runs]
    return [len(set(rates)), time.time() - began]


class Machine:
    """Where the SDK's processes run; a folder of its own."""

    def __init__(self, folder, server, version=NEWEST, url=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sdk.", dir=folder))
        self.client = Client(version, url or server.url, server.key_file.read_text().strip(), self.folder,
                             WANDB_PROJECT="sdk", WANDB_ENTITY="bench", WANDB_SILENT="true")

    def __enter__(self):
        return self.client

    def __exit__(self, *_):
        self.client.close()
        shutil.rmtree(self.folder)


# ---- 64 processes

def wait_for_all(client):
    end = time.monotonic() + START_S
    while len(list(client.folder.glob("*.ready"))) < PROCESSES:
        ended = [p for p in client.started if not p.is_running]
        if ended or time.monotonic() > end:
            raise RuntimeError(f"not all processes began: {ended[0].out[-2000:] if ended else 'time is over'}")
        time.sleep(0.1)


def log_together(client, count, offline):
    """Rows a second, from the word to go until the last process has ended."""
    for i in range(PROCESSES):
        client.start(take_part, name="together", label=f"rank{i}", primary=i == 0, count=count, offline=offline)
    wait_for_all(client)
    began = time.perf_counter()
    (client.folder / "go").write_text("")
    for process in client.started:
        done = process.wait(START_S)
        if done.code:
            raise RuntimeError(repr(done))
    return PROCESSES * count / (time.perf_counter() - began)


def compare(server, count):
    text = server.connect().raw("GET", "/projects/bench/sdk/runs/together/history?format=ndjson&keys=i")
    found = collections.Counter((row["_label"], row["i"]) for row in map(json.loads, text.splitlines()))
    if found != collections.Counter((f"rank{i}", n) for i in range(PROCESSES) for n in range(count)):
        raise RuntimeError(f"{PROCESSES * count} rows were logged, {sum(found.values())} are there")


def together(folder, seconds):
    """64 real processes in shared mode into one run; beside it the same without a server, into files."""
    count = ROWS_A_SECOND * seconds
    with Server(folder) as server:
        with Machine(folder, server) as client:
            before = server.cpu()
            ours = log_together(client, count, offline=False)
            cpu = server.cpu() - before
        compare(server, count)
        state = server.connect()("GET", "/projects/bench/sdk/runs/together")["state"]
        if state != "finished":
            raise RuntimeError(f"the run is {state}")
        with Machine(folder, server) as client:
            plain = log_together(client, count, offline=True)
    print(f"  {PROCESSES} processes, {PROCESSES * count} rows, all there: the server took {cpu:.1f} s of CPU, with what "
          f"they begin and end with", file=sys.stderr)
    yield ("sdk-64", ours, "rows/s", plain)


# ---- 5,000 runs

def requests_of_run(i, key):
    """A run with a config of 20 values, a few rows, a summary; every second one has ended."""
    path = f"/api/v1/projects/bench/listed/runs/run{i}"
    config = {"lr": (i + 1) / RUNS, "model": f"m{i % 10}", "net": {"depth": i % 7, "width": 64},
              **{f"c{k}": k / (i + 1) for k in range(16)}}
    batch = {"writer": "w", "session": 1, "batch": 1, "config": config, "summary": {"best": i},
             "history": [{"loss": 1 / (n + 1), "acc": n / (i + 1), "epoch": n} for n in range(5)]}
    yield request(path, key, b"{}").replace(b"POST", b"PUT", 1)
    yield request(path + "/join", key, b'{"client":"w","role":"primary"}')
    yield request(path + "/batch", key, json.dumps(batch).encode())
    if i % 2:
        yield request(path + "/finish", key, b'{"writer":"w","session":1,"exit_code":0}')


def fill(server):
    key = "Bearer " + server.key_file.read_text().strip()
    send_all(server.port, [(request_ for i in range(c, RUNS, CONNECTIONS) for request_ in requests_of_run(i, key))
                           for c in range(CONNECTIONS)])


def listed_s(folder, server, version, lazy, url=None):
    with Machine(folder, server, version, url) as client:
        count, seconds = client.start(list_runs, path="bench/listed", lazy=lazy).wait(LISTED_S).value
    if count != RUNS:
        raise RuntimeError(f"{count} of {RUNS} configs were listed")
    return seconds


def listed(folder, server, version, lazy):
    """Seconds, and those of the same client beside a server that has all its answers ready."""
    with Remembering(server.port) as memory:
        listed_s(folder, server, version, lazy, memory.url)
        ready = len(memory.answers)
        plain = listed_s(folder, server, version, lazy, memory.url)
        print(f"  {version}: {ready} different requests, {len(memory.answers) - ready} of them new to memory",
              file=sys.stderr)
    before = server.cpu()
    ours = listed_s(folder, server, version, lazy)
    print(f"  {version}: {ours:.2f} s, of which the server's CPU {server.cpu() - before:.2f} s; answered from memory "
          f"{plain:.2f} s", file=sys.stderr)
    return ours, plain


def wait_for_documents(server):
    while int(server.sql("select count(*) from run_document d join project p using (project_id) "
                         "where p.name = 'listed' and d.document -> 'config' ? 'lr'")) < RUNS:
        time.sleep(0.1)


def runs(folder, _seconds):
    """Seconds for Api().runs() with configs, by the oldest SDK and the newest."""
    with Server(folder) as server:
        fill(server)
        wait_for_documents(server)
        oldest, newest = DEFAULT
        for name, version, lazy in ("sdk-runs-5000-old", oldest, True), ("sdk-runs-5000", newest, False):
            ours, plain = listed(folder, server, version, lazy)
            yield (name, ours, "s", plain)


FIGURES = {"sdk-64": together, "sdk-runs-5000": runs, "sdk-runs-5000-old": runs}
