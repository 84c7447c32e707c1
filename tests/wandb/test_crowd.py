"""Many real processes in one run, of every kind at once: not a row is lost, doubled or another's."""
import collections

import pytest
import sdk


def take_part(name, label, kind, count, go):
    """Logs `count` rows, says so, and ends when the file `go` is there; one that begins twice does so in between.

    Its label is known by the lines that it prints.
    """
    import pathlib
    import time

    import wandb

    def begin():
        if kind == "plain":
            return wandb.init(id=name)
        return wandb.init(id=name, settings=wandb.Settings(
            mode="shared", x_label=label, x_primary=kind == "primary", x_update_finish_state=kind == "primary"))

    def log(run, first, last):
        for value in range(first, last):
            run.log({"who": label, "value": value, f"{label}/x": value / 2})
        print("line of", label)
    run = begin()
    if kind == "twice":
        log(run, 0, count // 2)
        run.finish()
        run = begin()
    log(run, count // 2 if kind == "twice" else 0, count)
    pathlib.Path(f"{label}.ready").write_text("")
    while not pathlib.Path(go).exists():
        time.sleep(0.02)
    run.finish()


def scan(path):
    import wandb
    run = wandb.Api().run(path)
    return {"rows": list(run.scan_history()), "environments": run.rawconfig["_wandb"].get("e")}


class Crowd:
    """Real processes of one run."""

    def __init__(self, client, name, wait_for):
        self.client = client
        self.name = name
        self.wait_for = wait_for
        self.running = {}
        self.wanted = collections.Counter()

    def begin(self, label, kind, count, **env):
        self.running[label] = self.client.start(take_part, env, name=self.name, label=label, kind=kind, count=count,
                                                go=f"{label}.go")
        self.wanted.update((label, value) for value in range(count))

    def ready(self, timeout=300):
        for label, running in self.running.items():
            file = self.client.folder / f"{label}.ready"
            self.wait_for(lambda: file.exists() or not running.is_running, timeout=timeout, what=f"rows of {label}")
            assert file.exists(), running.out

    def end(self, *labels):
        for label in labels:
            (self.client.folder / f"{label}.go").write_text("")
        for label in labels:
            done = self.running.pop(label).wait()
            assert done.code == 0, done

    def compare(self, read):
        """REST and the public API show the same rows, each once."""
        rows = read(self.name).rows()
        assert collections.Counter((row["who"], row["value"]) for row in rows) == self.wanted
        path = f"ann/{self.client.env['WANDB_PROJECT']}/{self.name}"
        scanned = self.client.call(scan, path=path).value
        shown = [{key: value for key, value in row.items() if key not in ("_row", "_label")} for row in rows]
        assert sorted(scanned["rows"], key=by_place) == sorted(shown, key=by_place)
        assert scanned["environments"] == read(self.name).config()["_wandb"].get("e")
        return rows


def by_place(row):
    return row["who"], row["value"]


def in_order(rows):
    """The rows of each process came in the order in which it logged them, under its label."""
    by_label = {}
    for row in rows:
        by_label.setdefault((row["_label"], row["who"]), []).append(row["value"])
    assert all(label == who for label, who in by_label if who != "plain"), set(by_label)
    assert all(values == list(range(len(values))) for values in by_label.values())


def primaries(run):
    return {w["label"] for w in run.writers().values() if w["role"] == "primary"}


def labels(run):
    return {w["label"] for w in run.writers().values()}


def check_environments(run):
    """One of each primary, under its id; that of the process that is not in shared mode is under an id, too."""
    environments = run.config()["_wandb"]["e"]
    ids = {client for client, w in run.writers().items() if w["role"] == "primary" and w["label"] != "node1"}
    assert len(ids) == 3 and set(environments) >= ids and len(environments) == 4
    assert all(one["writerId"] == key and one["python"] and one["os"] for key, one in environments.items())
    assert all(one["host"] == "node1" for one in environments.values())


@pytest.fixture
def crowd(client, wait_for):
    return Crowd(client, "r1", wait_for)


@pytest.mark.long_if_old
@pytest.mark.feature("shared mode: every kind of process at once, re-init, attempts, an environment of each primary")
def test_eight_processes_of_every_kind(crowd, read, wait_for):
    """Two primaries, workers, one that begins twice, one that is killed, one not in shared mode; then a primary again."""
    kinds = {"p0": "primary", "p1": "primary", "w0": "worker", "w1": "worker", "w2": "worker", "again": "twice",
             "lost": "worker", "plain": "plain"}
    for label, kind in kinds.items():
        crowd.begin(label, kind, 40)
    crowd.ready()
    wait_for(lambda: len(read("r1").rows()) == 320, what="all rows")
    wait_for(lambda: primaries(read("r1")) >= {"p0", "p1"}, what="both primaries to say that they are")
    wait_for(lambda: labels(read("r1")) >= kinds.keys() - {"plain"}, what="all to tell their labels")
    crowd.running.pop("lost").kill()
    crowd.end("w2", "again", "p1", "plain")
    assert read("r1").state == "running"
    crowd.end("p0")
    assert read("r1").state == "finished"
    crowd.end("w0", "w1")
    assert read("r1").state == "finished"
    crowd.begin("p0b", "primary", 10)
    crowd.ready()
    assert (read("r1").state, read("r1").get()["attempt"]) == ("running", 2)
    crowd.end("p0b")
    assert (read("r1").state, read("r1").get()["exit_code"]) == ("finished", 0)
    if crowd.client.release >= (0, 20):  # older ones send none
        check_environments(read("r1"))
    in_order(crowd.compare(read))


@pytest.mark.minutes
def test_sixty_four_processes(make_client, project, wait_for, read):
    crowd = Crowd(make_client(sdk.NEWEST, WANDB_PROJECT=project), "r1", wait_for)
    for i in range(64):
        crowd.begin(f"rank{i}", "worker" if i else "primary", 200)
    crowd.ready(900)
    crowd.end(*(f"rank{i}" for i in range(63, -1, -1)))
    assert read("r1").state == "finished"
    in_order(crowd.compare(read))
    assert len(read("r1").writers()) == 64
