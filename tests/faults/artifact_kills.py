"""Versions of artifacts that writers of every kind make while their server is killed, at any moment and after any step.

Each writer sends every request again until it is answered. At the end each version that was acknowledged is complete and is
read byte by byte, there is no other one, the numbers of a collection have no gap, and what drafts left behind is given up.
"""
import collections
import concurrent.futures
import contextlib
import http.client
import io
import itertools
import mmap
import os
import pathlib
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "api"), str(HERE.parent / "wandb")]

from artifact_wire import COMPLETE, Draft  # noqa: E402
from artifacts_ledger import Ledger  # noqa: E402
from cluster import Cluster, wait_until  # noqa: E402
from rest import Api  # noqa: E402
from server import Server, cairnd, cairnd_run, environment, files_dir  # noqa: E402
from wire import Wire  # noqa: E402

ENTITY, PROJECT = "ann", "digits"
HOME = f"/api/v1/projects/{ENTITY}/{PROJECT}"
PATIENCE_S = 300
SHORT_KILLS = 6
SHARED = "shared"        # the collection that all kinds of writers commit into
ABANDONED = 0.15         # of the drafts
RANKS = 3
MOST_STEPS = 60          # of a server that dies by their count, while all writers write
VERSIONS_BETWEEN = 4     # acknowledged before the next kill
AGAIN = {503, 504}
STEPWISE = 0, 100, 70_000  # bytes of the files, if the server dies after each step
MINUTE, DAY = 60, 86400


class Insisting(Api):
    """Sends the same bytes until they are answered by a server that lives and is not busy."""

    def __init__(self, server, key, answers):
        super().__init__(server, key)
        self.answers = answers

    def raw(self, method, path, body=None, headers=None):
        def answered():
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = super(Insisting, self).raw(method, path, body, headers)
                self.answers[answer.status] += 1
                return None if answer.status in AGAIN else answer
        return wait_until(answered, PATIENCE_S, f"answer to {method} {path}")


class InsistingWire(Wire):
    """The same for the SDK's requests."""

    def __init__(self, api):
        super().__init__("http://127.0.0.1:1", api.key, ENTITY, PROJECT)
        self.api = api

    def send(self, method, path, body=b"", headers=None, key=True):
        sent = {"User-Agent": "wandb-core", **(headers or {})}
        if not key:
            sent["Authorization"] = ""
        return self.api.raw(method, path, body, sent)


# --- writers

class Writer(threading.Thread):
    """Makes version after version; an answer that no writer expects ends it."""

    def __init__(self, scene, name):
        super().__init__(name=name)
        self.scene = scene
        self.random = random.Random(f"{scene.seed} {name}")
        self.api = Insisting(scene.server, scene.key, scene.answers)
        self.count = itertools.count()
        self.failed = None

    def run(self):
        try:
            while not self.scene.stop.is_set():
                self.version()
        except Exception as e:  # which is told at the end
            self.failed = e

    def content(self):
        """New, or such as others send at the same time, too."""
        if self.random.random() < 0.3:
            return b"of many %d" % self.random.randrange(20)
        return self.random.randbytes(self.random.choice([0, 1, 100, 3000, 70_000]))

    def files(self):
        if self.scene.is_stepwise:
            return {f"{self.name}/{size}": self.random.randbytes(size) for size in STEPWISE}
        return {f"{self.name}/{i}{'/ü' * (i % 2)}": self.content() for i in range(self.random.randint(1, 4))}

    def is_abandoned(self):
        return not self.scene.is_stepwise and self.random.random() < ABANDONED

    def version(self):
        raise NotImplementedError

    def note(self, collection, version, files):
        self.scene.ledger.note(collection, version, files)


class ByRest(Writer):
    """The draft is named by the client, so that a repeated request makes no other one."""

    collection = SHARED

    def version(self):
        name, files = f"{self.name} {next(self.count)}", self.files()
        path = f"{HOME}/artifacts/{self.collection}"
        made = self.api.post(f"{path}/versions", {"type": "model", "client": name, **self.asked()}).json
        draft = f"{path}/drafts/{made['draft']}"
        self.send(draft, files)
        if self.is_abandoned():
            return
        answers = {self.api.post(f"{draft}/commit").json["version"] for _ in range(self.random.randint(1, 2))}
        assert len(answers) == 1, f"two numbers of one version: {answers}"
        self.note(self.collection, *answers, self.expected(files))

    def asked(self):
        return {}

    def expected(self, files):
        return files

    def send(self, draft, files):
        for path, content in files.items():
            self.api.put(f"{draft}/files/{urllib.parse.quote(path)}", content, content_type="application/octet-stream")


class ByTar(ByRest):
    def send(self, draft, files):
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as tar:
            for path, content in files.items():
                member = tarfile.TarInfo(path)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        self.api.put(f"{draft}/files.tar", made.getvalue(), content_type="application/x-tar")


class OnTop(ByRest):
    """Each version has the files of the one before, and more; in a collection of its own, so that it is known which."""

    collection = "on-top"
    last = None

    def asked(self):
        return {"base": "latest"} if self.last is not None else {}

    def expected(self, files):
        self.last = {**(self.last or {}), **files}
        return self.last

    def files(self):
        return {f"{self.name}/{self.random.randrange(30)}": self.content()}


class InParts(Writer):
    """As the SDK sends large files: each in parts, in any order."""

    def version(self):
        files = self.files()
        draft = Draft(InsistingWire(self.api), SHARED, files, type="model", aliases=[])
        if draft.made["state"] == "PENDING":
            self.send(draft, files)
            if self.is_abandoned():
                return
            answer = draft.send_manifest()
            assert answer.status in (200, 204), answer
            draft.commit()
        self.note(SHARED, f"v{draft.read()['versionIndex']}", files)

    def send(self, draft, files):
        parts = {path: [content[:1], content[1:2000], content[2000:]] for path, content in files.items()}
        asked = [{"partNumber": i + 1, "hexMD5": ""} for i in range(3)]
        nodes = draft.ask_files(draft.specs(uploadPartsInput=asked))
        for node, (path, _) in zip(nodes, files.items(), strict=True):
            draft.births[path] = node["artifact"]["id"]
            if node["uploadUrl"]:
                self.send_parts(draft, node, parts[path])

    def send_parts(self, draft, node, parts):
        urls = node["uploadMultipartUrls"]["uploadUrlParts"]
        order = list(range(len(parts)))
        self.random.shuffle(order)
        tags = {}
        for i in order:
            answer = draft.put(urls[i]["uploadUrl"], parts[i])
            assert answer.status in (200, 204), answer
            tags[i] = answer.headers["ETag"]
        draft.wire.query(COMPLETE, completeMultipartAction="Complete", artifactID=draft.id, storagePath="",
                         uploadID=node["uploadMultipartUrls"]["uploadID"],
                         completedParts=[{"partNumber": i + 1, "hexMD5": tags[i]} for i in range(len(parts))])


class Ranks(Writer):
    """Processes that make one version together: each sends a part of it, and each commits."""

    def version(self):
        group = f"{self.name} {next(self.count)}"
        contents = [self.files() for _ in range(RANKS)]
        parts = [{f"rank{rank}/{path}": content for path, content in files.items()} for rank, files in enumerate(contents)]
        with concurrent.futures.ThreadPoolExecutor(RANKS) as pool:
            drafts = list(pool.map(lambda files: self.send(group, files), parts))
            assert len({draft.id for draft in drafts}) == 1, "two drafts of one group"
            if self.is_abandoned():
                return
            list(pool.map(lambda draft: draft.commit(), drafts))
        files = {path: content for part in parts for path, content in part.items()}
        self.note(SHARED, f"v{drafts[0].read()['versionIndex']}", files)

    def send(self, group, files):
        draft = Draft(InsistingWire(self.api), SHARED, files, type="model", aliases=[], distributedID=group)
        draft.send_files()
        answer = draft.send_manifest(kind="PATCH")
        assert answer.status in (200, 204), answer
        return draft


KINDS = {"files": ByRest, "more-files": ByRest, "tar": ByTar, "on-top": OnTop, "parts": InParts, "ranks": Ranks}


# --- the server

class Steps:
    """The count of steps after which the server dies, in a file that it maps; see steps.c."""

    def __init__(self, folder):
        self.library, self.path = folder / "steps.so", folder / "steps"
        subprocess.run(["cc", "-O", "-shared", "-fPIC", HERE / "steps.c", "-o", self.library], check=True)
        self.path.write_bytes(bytes(8))
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 8)

    def environment(self):
        return {"LD_PRELOAD": str(self.library), "STEPS_FILE": str(self.path),
                "ASAN_OPTIONS": "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")}

    def wait_for_none(self):
        """Workers prepare their statements when a server has started."""
        def are_none():
            before = self.left()
            time.sleep(0.1)
            return self.left() == before
        self.set(1 << 60)
        wait_until(are_none, PATIENCE_S, "the end of what workers prepare")

    def set(self, count):
        self.map[:] = struct.pack("q", count)

    def left(self):
        return struct.unpack("q", self.map[:])[0]


class Scene:
    is_stepwise = False

    def __init__(self, cluster, folder, stack, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.cluster, self.ledger, self.stop = cluster, Ledger(), threading.Event()
        self.answers = collections.Counter()
        self.counts = collections.Counter()
        self.url, self.secret = cluster.create_database(name="artifacts"), folder / "secret"
        cairnd_run(self.url, self.secret, "upgrade")
        cairnd_run(self.url, self.secret, "user", "add", ENTITY, "--key-file", str(folder / "key"))
        self.key = (folder / "key").read_text().strip()
        self.steps = Steps(folder)
        self.server = Server(self.url, self.secret)
        self.server.prefix = ("env", *(f"{name}={value}" for name, value in self.steps.environment().items()))
        stack.enter_context(self.server)
        self.api = Insisting(self.server, self.key, self.answers)
        self.api.put(HOME, {})
        self.writers = []
        stack.callback(self.end)

    def add_writers(self, kinds):
        for name in kinds:
            self.writers.append(KINDS[name](self, name))
            self.writers[-1].start()

    def end(self):
        self.stop.set()
        for writer in self.writers:
            writer.join()

    def check_writers(self):
        failed = [(writer.name, writer.failed) for writer in self.writers if writer.failed]
        assert not failed, f"{len(failed)} writers were refused: {failed[:3]}"

    # --- what is done

    def sql(self, text):
        return self.cluster.psql(text, "artifacts")

    def shift_clock(self, seconds):
        self.sql(f"update server_clock set shift_us = shift_us + {seconds}000000")

    def revive(self):
        """A server that joins parts is taken for dead only after minutes without a sign."""
        self.steps.set(0)
        if self.server.process.poll() is None:
            self.server.kill()
        self.server.process.wait()
        self.shift_clock(6 * MINUTE)
        self.server.start(self.server.port)
        self.counts["kills"] += 1

    def has_died(self):
        self.check_writers()
        return self.server.process.poll() is not None

    def kill(self):
        """At once, or after some steps of whoever takes them."""
        goal = self.ledger.count() + VERSIONS_BETWEEN

        def goes_on():
            if self.has_died():  # by the last step that was counted
                self.revive()
            return self.ledger.count() >= goal
        wait_until(goes_on, PATIENCE_S, "versions")
        if self.random.random() < 0.3:
            time.sleep(self.random.uniform(0, 0.1))
            self.server.kill()
        else:
            self.steps.set(self.random.randint(1, MOST_STEPS))
            wait_until(self.has_died, PATIENCE_S, "the step at which the server dies")
            self.counts["kills after a step"] += 1
        self.revive()

    def kill_at_each_step(self, kind):
        """A writer makes one version after the other, and in each the server dies one step later; until none is left."""
        writer, self.is_stepwise = KINDS[kind](self, f"{kind}-stepwise"), True
        for steps in itertools.count(1):
            self.steps.wait_for_none()
            self.steps.set(steps)
            making = threading.Thread(target=self.one_version, args=[writer])
            making.start()
            wait_until(lambda: self.has_died() or not making.is_alive(), PATIENCE_S, "the end of the server or the version")
            has_died = self.server.process.poll() is not None
            self.steps.set(0)
            if has_died:
                self.revive()
            making.join()
            self.check_writer(writer)
            if not has_died:
                self.is_stepwise = False
                self.counts[f"steps of {kind}, each with a kill"] = steps - 1
                return

    @staticmethod
    def one_version(writer):
        try:
            writer.version()
        except Exception as e:  # which is told by check_writer()
            writer.failed = e

    @staticmethod
    def check_writer(writer):
        assert not writer.failed, f"{writer.name} was refused: {writer.failed!r}"

    # --- what is there afterwards

    def read(self, collection, version):
        """{path: content}, from a tar of all."""
        path = f"{HOME}/artifacts/{collection}/versions/{version}"
        listed = {line["path"]: line["bytes"] for line in self.api.get(f"{path}/manifest").lines}
        with tarfile.open(fileobj=io.BytesIO(self.api.get(f"{path}/files.tar").body)) as tar:
            found = {member.name.partition("/")[2]: tar.extractfile(member).read() for member in tar}
        assert listed == {name: len(content) for name, content in found.items()}, f"{collection}:{version}"
        return found

    def read_one(self, collection, version, path):
        answer = self.api.raw("GET", f"{HOME}/artifacts/{collection}/versions/{version}/files/{urllib.parse.quote(path)}")
        assert answer.status == 200, answer
        return answer.body

    def versions(self, collection):
        return [item["version"] for item in self.api.pages(f"{HOME}/artifacts/{collection}/versions", order="version", limit=1000)]

    def check(self):
        count = 0
        for collection in self.ledger.collections():
            self.ledger.check(collection, self.versions(collection))
            for version, files in self.ledger.versions(collection).items():
                assert self.read(collection, version) == files, f"{collection}:{version} is not what was sent"
                path = self.random.choice(list(files))
                assert self.read_one(collection, version, path) == files[path], f"{collection}:{version}/{path}"
                count += 1
        self.verify()
        return count

    def verify(self):
        done = subprocess.run([cairnd(), "verify"], env=environment(self.url, self.secret), capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        assert done.returncode == 0, f"{done.stdout[-4000:]}{done.stderr[-1000:]}"

    def is_given_up(self):
        """What drafts had and no version has; deleted content needs a later look each."""
        left = self.sql("select (select count(*) from artifact where state <> 2), (select count(*) from artifact_upload),"
                        " (select count(*) from artifact_multipart), (select count(*) from artifact_part),"
                        " (select count(*) from artifact_blob b where not exists (select from artifact_entry e"
                        "   where e.project_id = b.project_id and e.blob_id = b.blob_id))")
        return set(left.replace("|", " ").split()) == {"0"}

    def stored(self):
        return sorted(p.name for p in (files_dir(self.url, self.secret) / "content").glob("??/??/*"))

    def named(self):
        return sorted(set(self.sql("select encode(content, 'hex') from artifact_blob").split()))

    def wait_for_upkeep(self):
        """As days go by. The first server dies in the midst of it; the next finds what others left behind when it starts."""
        self.shift_clock(8 * DAY)
        time.sleep(self.random.uniform(0, 2))
        self.server.kill()
        self.revive()

        def later(is_done):
            def look():
                if is_done():
                    return True
                self.shift_clock(10 * MINUTE)
                time.sleep(0.2)
                return False
            return look
        wait_until(later(self.is_given_up), PATIENCE_S, "the end of what drafts left")
        wait_until(later(lambda: self.stored() == self.named()), PATIENCE_S, "the end of content without a name")
        incoming = list((files_dir(self.url, self.secret) / "incoming").iterdir())
        assert not incoming, f"left by a server that died: {incoming[:5]}"


def run_artifacts(kills=SHORT_KILLS, seed=26, stepwise=(), say=print):
    """`stepwise`: kinds of writers for which the server dies after each of their steps."""
    say(f"artifacts: seed {seed}")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cairn-artifacts.")))
        scene = Scene(stack.enter_context(Cluster()), folder, stack, seed)
        for kind in stepwise:
            scene.kill_at_each_step(kind)
            say(f"artifacts: {scene.counts}")
        scene.add_writers(KINDS)
        for _ in range(kills):
            scene.kill()
        scene.end()
        scene.check_writers()
        scene.check()
        scene.wait_for_upkeep()
        versions = scene.check()
        done = ", ".join(f"{count} {what}" for what, count in scene.counts.items())
        say(f"artifacts: {len(scene.writers)} writers, {versions} versions acknowledged: all complete, none twice; {done};"
            f" answers {dict(scene.answers)}")
