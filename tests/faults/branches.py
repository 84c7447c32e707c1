"""Runs that are rewound, forked, moved, deleted and restored while writers of every kind log into them.

Two servers on one database. Each row has a name of its own. At the end every row that was acknowledged is stored once, in
one branch or another of the run that it was sent to, no other row is, and `cairnd verify` finds no fault.
"""
import collections
import contextlib
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api"), str(HERE.parent / "wandb")]

from cluster import Cluster, wait_until  # noqa: E402
from rest import Api, encode  # noqa: E402
from runs import Run  # noqa: E402
from server import Server, cairnd, cairnd_run, environment  # noqa: E402
from wire import FILES, Wire  # noqa: E402

HOME, OTHER = "/api/v1/projects/ann/digits", "/api/v1/projects/ann/letters"
SERVERS = 2
PATIENCE_S = 120
SHORT_ACTS = 60
ROWS_BETWEEN = 12        # acknowledged in a run before it is changed again
AGAIN = {503, 504}
GONE = {404, 410}        # while the run is deleted or elsewhere; the same bytes are sent when it is back


class Ledger:
    """Names of rows, by the run that acknowledged them."""

    def __init__(self):
        self.changed = threading.Condition()
        self.rows = collections.defaultdict(list)
        self.answers = collections.Counter()

    def note(self, run, names):
        with self.changed:
            self.rows[run] += names
            self.changed.notify_all()

    def wait_for(self, run, count):
        with self.changed:
            goal = len(self.rows[run]) + count
            assert self.changed.wait_for(lambda: len(self.rows[run]) >= goal, PATIENCE_S), f"nothing comes into {run}"


class Writer(threading.Thread):
    """Sends batch after batch, each by way of any server, until it is stored; an answer that no writer expects ends it."""

    def __init__(self, scene, run, name):
        super().__init__(name=f"{run}.{name}")
        self.scene, self.run_name, self.name_of_rows = scene, run, name
        self.random = random.Random(f"{scene.seed} {self.name}")
        self.count = 0
        self.failed = None

    def run(self):
        try:
            self.begin()
            while not self.scene.stop.is_set():
                rows = [self.row() for _ in range(self.random.randint(1, 4))]
                self.send(rows)
                self.scene.ledger.note(self.run_name, [row["u"] for row in rows])
                time.sleep(self.scene.pause(self.run_name) * self.random.random())
        except Exception as e:  # which is told at the end
            self.failed = e

    def begin(self):
        pass

    def row(self):
        self.count += 1
        return {"u": f"{self.name} {self.count}", "v": self.count}

    def insist(self, ask):
        """Sends the same again until it is taken."""
        def taken():
            answer = ask()
            self.scene.ledger.answers[answer.status] += 1
            if answer.status in AGAIN | GONE:
                time.sleep(0.02)
                return None
            return answer
        return wait_until(taken, PATIENCE_S, f"an answer to {self.name}")

    def post(self, tail, body, **headers):
        run = self.scene.run(self.run_name, self.random.choice(self.scene.servers))
        return run.api.request("POST", run.path + tail, body, headers=headers, check=False)


class Native(Writer):
    """Joins again now and then, and so comes into the newest branch."""

    def begin(self):
        self.join_run()

    def join_run(self):
        answer = self.insist(lambda: self.post("/join", {"client": self.name, "role": "worker", "label": self.name}))
        assert answer.status == 200, answer
        self.session, self.batch = answer.json["session"], 0

    def send(self, rows):
        if self.random.random() < 0.1:
            self.join_run()
        self.batch += 1
        body = encode({"writer": self.name, "session": self.session, "batch": self.batch, "history": rows,
                       "events": [{"e": self.count}], "config": {self.name_of_rows: self.count // 10},
                       "console": [{"line": self.count, "stream": "stdout", "time": 1.0, "text": self.name}]})
        answer = self.insist(lambda: self.post("/batch", body))
        assert answer.status == 200 and answer.json["rows"] == len(rows), answer


class ByHand(Writer):
    def send(self, rows):
        key = f"{self.name}.{self.count}"
        answer = self.insist(lambda: self.post("/history", rows, **{"Idempotency-Key": key}))
        assert answer.status == 200 and answer.json["rows"] == len(rows), answer


class Sdk(Writer):
    """A process of the wandb SDK, which begins again now and then."""

    shared = True

    def begin(self):
        def started():
            with contextlib.suppress(AssertionError):  # the run is deleted, or elsewhere
                return self.scene.wire(self.random).start(self.run_name, shared=self.shared)
        self.process = wait_until(started, PATIENCE_S, f"start of {self.name}")
        self.process.offsets = dict.fromkeys(FILES, 0)

    def row(self):
        return {**super().row(), "_timestamp": 1.8e9 + self.count}

    def send(self, rows):
        if self.random.random() < 0.05:
            self.begin()
        files = {"history": rows, "events": [{"_timestamp": 1.8e9 + self.count, "system.e": self.count}]}
        body = json.dumps({"files": {
            FILES[kind]: {"offset": self.process.offsets[kind], "content": [json.dumps(line) for line in lines]}
            for kind, lines in files.items()}}).encode()

        def ask():
            self.process.wire = self.scene.wire(self.random)
            return self.process.raw(body)
        answer = self.insist(ask)
        assert answer.status == 200, answer
        for kind, lines in files.items():
            self.process.offsets[kind] += len(lines)


class PlainSdk(Sdk):
    """Without a client id, and with steps of its own."""

    shared = False

    def row(self):
        return {**super().row(), "_step": 10 * self.count}


KINDS = {"native": Native, "other": Native, "shared": Sdk, "worker": Sdk, "plain": PlainSdk, "hand": ByHand}


class Scene:
    def __init__(self, cluster, folder, stack, seed):
        self.seed, self.random, self.ledger = seed, random.Random(seed), Ledger()
        self.stop, self.slow = threading.Event(), None
        self.url, self.secret = cluster.create_database(name="branches"), folder / "secret"
        cairnd_run(self.url, self.secret, "upgrade")
        cairnd_run(self.url, self.secret, "user", "add", "ann", "--key-file", str(folder / "key"))
        self.key = (folder / "key").read_text().strip()
        self.servers = [stack.enter_context(Server(self.url, self.secret)) for _ in range(SERVERS)]
        self.apis = [Api(server, self.key) for server in self.servers]
        self.counts = collections.Counter()
        self.forks = {}  # name: the run it was forked from
        self.writers = []
        stack.callback(self.end)
        Run(self.api, "seed", OTHER).log({"z": 1, "v": 1})  # numbers of keys differ there
        for name in "stays", "moves":
            self.run(name, make=True)
            self.add_writers(name, KINDS)

    @property
    def api(self):
        return self.random.choice(self.apis)

    def run(self, name, server=None, home=HOME, make=False):
        api = self.apis[self.servers.index(server)] if server else self.api
        return Run(api, name, home, make=make)

    def wire(self, chance):
        return Wire(f"http://127.0.0.1:{chance.choice(self.servers).port}", self.key, "ann", "digits")

    def pause(self, run):
        """The longest pause between two batches: longer where a run is to be moved, which waits for its compaction."""
        return 1.5 if self.slow == run else 0.05

    def add_writers(self, run, kinds):
        for name in kinds:
            self.writers.append(KINDS[name](self, run, name))
            self.writers[-1].start()

    def end(self):
        self.stop.set()
        for writer in self.writers:
            writer.join()

    def drain(self):
        self.end()
        failed = [(writer.name, writer.failed) for writer in self.writers if writer.failed]
        assert not failed, f"{len(failed)} writers were refused: {failed[:3]}"

    def insist(self, method, path, body=None):
        """A move waits for a compaction, and a server may take a run for deleted for a second after it was restored."""
        def done():
            answer = self.api.request(method, path, body)
            return None if answer.status in AGAIN | GONE else answer
        answer = wait_until(done, PATIENCE_S, f"an answer to {method} {path}")
        assert answer.status < 300, answer
        return answer

    # --- what is done

    def last_step(self, run):
        return self.insist("GET", run.path).json["last_step"] or 0

    def rewind(self):
        run = self.run(self.random.choice(["stays", "moves", *self.forks]))
        last = self.last_step(run)
        step = self.random.randint(last // 2, last)
        if self.random.random() < 0.5:
            self.insist("POST", f"{run.path}/rewind", {"step": step})
            return

        def rewound():
            with contextlib.suppress(AssertionError):
                return self.wire(self.random).rewind(run.name, step)
        wait_until(rewound, PATIENCE_S, "a rewind")

    def fork(self):
        source = self.run(self.random.choice(["stays", *self.forks]))
        name = f"fork{len(self.forks)}"
        step = self.random.randint(0, self.last_step(source))
        if self.random.random() < 0.5:
            self.insist("PUT", f"{HOME}/runs/{name}", {"forked_from": {"run": source.name, "step": step}})
        else:
            self.fork_late(name, source.name, step)
        self.forks[name] = source.name
        if len(self.forks) <= 2:
            self.add_writers(name, ["native", "plain"])

    def started(self, name, **more):
        """A process of the SDK in shared mode."""
        def answered():
            with contextlib.suppress(AssertionError):  # busy, or the source is taken for deleted
                return self.wire(self.random).start(name, shared=True, **more)
        return wait_until(answered, PATIENCE_S, f"a start in {name}")

    def fork_late(self, name, source, step):
        """As the SDK does it: a run that has writers already, one of whom servers know."""
        early = self.started(name)
        early.summary({"early": 1})
        self.started(name, config={"_wandb": {"branch_point": {"run_id": source, "step": step}}})
        rows = [{"u": f"{name}.early {n}", "_timestamp": 1.8e9 + n} for n in range(2)]
        for row in rows:
            early.history(row)
        self.ledger.note(name, [row["u"] for row in rows])
        self.counts["fork with writers"] += 1

    def move(self):
        """There and back: a run that has ended, whose writers go on all the same, and may begin it again."""
        def moved():
            self.insist("POST", f"{HOME}/runs/moves/states", {"state": "killed", "reason": "to be moved"})
            answer = self.api.request("POST", f"{HOME}/runs/moves/move", {"entity": "ann", "project": "letters"})
            assert answer.status in {200, 409} | AGAIN | GONE, answer
            return answer.status == 200
        self.slow = "moves"
        wait_until(moved, PATIENCE_S, "the move")
        self.insist("POST", f"{OTHER}/runs/moves/move", {"entity": "ann", "project": "digits"})
        self.insist("POST", f"{HOME}/runs/moves/states", {"state": "running", "reason": "it is back"})
        self.slow = None

    def delete(self):
        run = self.run(self.random.choice(["stays", "moves"]))
        self.insist("DELETE", run.path)
        time.sleep(self.random.uniform(0, 0.2))
        self.insist("POST", f"{run.path}/restore")

    def act(self):
        for name in "stays", "moves":
            self.ledger.wait_for(name, ROWS_BETWEEN)
        what, = self.random.choices(["rewind", "fork", "move", "delete"], [8, 2, 1, 2])
        getattr(self, what)()
        self.counts[what] += 1

    # --- what is there afterwards

    def rows_of(self, name):
        """Rows of all branches, by their numbers in the run."""
        run = self.run(name)
        first = 1 if name in self.forks else 0
        rows = {}
        for branch in range(first, run.get()["branch"] + 1):
            for row in run.rows(branch=branch):
                assert rows.setdefault(row["_row"], row["u"]) == row["u"], f"{name} has two rows {row['_row']}"
        return rows

    def check_run(self, name):
        stored = collections.Counter(self.rows_of(name).values())
        sent = self.ledger.rows[name]
        source, inherited = self.forks.get(name), set()
        while source:
            inherited |= set(self.ledger.rows[source])
            source = self.forks.get(source)
        faults = {
            "lost": [u for u in sent if not stored[u]],
            "doubled": [u for u, times in stored.items() if times > 1],
            "never sent": [u for u in stored if u not in inherited and u not in set(sent)],
        }
        told = {what: rows[:5] for what, rows in faults.items() if rows}
        assert not told, f"rows of {name}: {told}"
        return len(sent)

    def verify(self):
        done = subprocess.run([cairnd(), "verify"], env=environment(self.url, self.secret), capture_output=True, text=True,
                              timeout=300, check=False)
        assert done.returncode == 0, f"{done.stdout[-4000:]}{done.stderr[-1000:]}"

    def check(self):
        self.verify()
        return sum(self.check_run(name) for name in ["stays", "moves", *self.forks])


def run_branches(acts=SHORT_ACTS, seed=26, say=print):
    say(f"branches: seed {seed}")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cairn-branches.")))
        scene = Scene(stack.enter_context(Cluster()), folder, stack, seed)
        for _ in range(acts):
            scene.act()
        scene.drain()
        rows = scene.check()
        done = ", ".join(f"{count} of {what}" for what, count in scene.counts.items())
        say(f"branches: {len(scene.writers)} writers, {rows} rows acknowledged: 0 lost, 0 doubled; {done};"
            f" answers {dict(scene.ledger.answers)}")
