"""Artifacts, each figure beside what does the same with plain tools: files sent to and read from nginx on the same disk, with the
sums that the server computes and with the same syncs; tar through the same connection; rows of a manifest by COPY."""
import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import io
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

import host
from sdk_real import Machine
from server import Server

GIB = 1 << 30
AT_ONCE = 4  # connections
SMALL_FILES, SMALL_BYTES = 10_000, 10_000
ENTRIES = 1_000_000
WINDOW = 1 << 20
PROJECT = "/projects/bench/artifacts"


def say(text):
    print(f"  {text}", file=sys.stderr, flush=True)


# ---- connections ------------------------------------------------------------------------------------------

class Sender:
    """Kept connections, one a thread."""

    def __init__(self, port, key=None):
        self.port, self.head, self.local = port, {"Authorization": f"Bearer {key}"} if key else {}, threading.local()

    def connection(self):
        if not hasattr(self.local, "connection"):
            made = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600, blocksize=WINDOW)
            made.connect()
            made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.local.connection = made
        return self.local.connection

    def ask(self, method, path, body=None, kind="application/json", size=None):
        head = {**self.head}
        if body is not None:
            head["Content-Type"] = kind
        if size is not None:
            head["Content-Length"] = str(size)
        connection = self.connection()
        connection.request(method, path, body, head)
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
        return text

    def read(self, path):
        """The bytes of the answer, thrown away."""
        connection = self.connection()
        connection.request("GET", path, headers=self.head)
        answer = connection.getresponse()
        buffer, total = memoryview(bytearray(WINDOW)), 0
        while count := answer.readinto(buffer):
            total += count
        if answer.status != 200:
            raise RuntimeError(f"GET {path}: {answer.status}")
        return total


def in_parallel(work, items):
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(work, items))


# ---- nginx ------------------------------------------------------------------------------------------------

NGINX = """
daemon off; worker_processes 2; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 64; }}
http {{
    access_log off; sendfile on; tcp_nopush on; client_max_body_size 0; keepalive_requests 1000000;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/x; fastcgi_temp_path {folder}/x; uwsgi_temp_path {folder}/x; scgi_temp_path {folder}/x;
    server {{ listen 127.0.0.1:{port}; root {folder}/www; location / {{ dav_methods PUT; create_full_put_path on; }} }}
}}
"""


@contextlib.contextmanager
def nginx(folder):
    """A Sender to an nginx that keeps what is PUT in a folder; (sender, folder of the files, pid)."""
    program = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.path.exists(program):
        raise SystemExit("the plain alternative is nginx: install it (nginx-light)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nginx.", dir=folder))
    (folder / "www").mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "conf").write_text(("user root;" if os.geteuid() == 0 else "") + NGINX.format(folder=folder, port=port))
    process = subprocess.Popen([program, "-c", folder / "conf", "-e", folder / "error"])
    try:
        end = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", port)):
            if time.monotonic() > end or process.poll() is not None:
                raise RuntimeError(f"nginx did not start: {folder}/error")
            time.sleep(0.02)
        yield Sender(port), folder / "www", process.pid
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)


def sum_and_sync(path):
    """What the server does to a file that comes: MD5, BLAKE2b, and on the disk before it is acknowledged."""
    md5, blake = hashlib.md5(), hashlib.blake2b(digest_size=32)
    with open(path, "rb", buffering=0) as file:
        buffer = memoryview(bytearray(WINDOW))
        while count := file.readinto(buffer):
            md5.update(buffer[:count])
            blake.update(buffer[:count])
        os.fsync(file.fileno())


# ---- large files --------------------------------------------------------------------------------------------

def make_files(folder, count, total):
    """Files of random bytes, which nothing can compress or find again."""
    folder.mkdir()
    paths, size = [], total // count
    for number in range(count):
        paths.append(folder / f"part-{number:05}")
        with open(paths[-1], "wb") as file:
            left = size
            while left:
                file.write(os.urandom(min(left, WINDOW)))
                left -= min(left, WINDOW)
    return paths


def draft(sender, name, **more):
    body = json.dumps({"type": "data", **more})
    made = json.loads(sender.ask("POST", f"/api/v1{PROJECT}/artifacts/{name}/versions", body))
    return f"/api/v1{PROJECT}/artifacts/{name}/drafts/{made['draft']}"


def put_all(sender, base, paths):
    def put(path):
        with open(path, "rb") as file:
            sender.ask("PUT", f"{base}/{path.name}", file, "application/octet-stream", path.stat().st_size)
    in_parallel(put, paths)


def upload(server, sender, name, paths):
    """Seconds from the first request to the commit, and the server's CPU."""
    before, began = server.cpu(), time.perf_counter()
    at = draft(sender, name)
    put_all(sender, at + "/files", paths)
    sender.ask("POST", at + "/commit", "{}")
    return time.perf_counter() - began, server.cpu() - before


def plain_upload(sender, www, pid, name, paths):
    """The same of nginx, then of a program that sums and syncs."""
    before, began = host.cpu_seconds(pid), time.perf_counter()
    put_all(sender, "/" + name, paths)
    summing = time.process_time()
    in_parallel(lambda path: sum_and_sync(www / name / path.name), paths)
    return time.perf_counter() - began, host.cpu_seconds(pid) - before + time.process_time() - summing


def download(sender, base, paths):
    began = time.perf_counter()
    total = sum(in_parallel(lambda path: sender.read(f"{base}/{path.name}"), paths))
    if total != sum(path.stat().st_size for path in paths):
        raise RuntimeError(f"{total} bytes came back")
    return time.perf_counter() - began


def sender_to(server):
    sender = Sender(server.port, server.key_file.read_text().strip())
    sender.ask("PUT", "/api/v1" + PROJECT, "{}")
    return sender


def artifact_files(folder, _seconds):
    """1 GiB in 1,000 files and in one, by four connections, up and down."""
    files = pathlib.Path(tempfile.mkdtemp(prefix="files.", dir=folder))
    try:
        sets = {"": make_files(files / "many", 1000, 1000 * (GIB // 1000)), "-one": make_files(files / "one", 1, GIB)}
        with Server(folder) as server, nginx(files) as (plain, www, pid):
            ours = sender_to(server)
            for suffix, paths in sets.items():
                name, size = f"files{suffix}", sum(path.stat().st_size for path in paths) / (1 << 20)
                theirs, their_cpu = plain_upload(plain, www, pid, name, paths)
                seconds, cpu = upload(server, ours, name, paths)
                yield (f"artifact-upload{suffix}", size / seconds, "MiB/s", size / theirs)
                yield (f"artifact-upload{suffix}-cpu", cpu / (size / 1024), "s of CPU per GiB", their_cpu / (size / 1024))
                download(plain, f"/{name}", paths)  # both from the page cache
                theirs = download(plain, f"/{name}", paths)
                at = f"/api/v1{PROJECT}/artifacts/{name}/versions/latest/files"
                download(ours, at, paths)
                yield (f"artifact-download{suffix}", size / download(ours, at, paths), "MiB/s", size / theirs)
    finally:
        shutil.rmtree(files)


# ---- small files --------------------------------------------------------------------------------------------

def small_tar(seed=1):
    """A tar of 10,000 files of 10 kB."""
    out, chance = io.BytesIO(), random.Random(seed)
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for number in range(SMALL_FILES):
            info = tarfile.TarInfo(f"train/{number % 100:02}/{number:05}.bin")
            info.size = SMALL_BYTES
            tar.addfile(info, io.BytesIO(chance.randbytes(SMALL_BYTES)))
    return out.getvalue()


def plain_small(plain, www, folder, packed):
    """The same tar to nginx, unpacked and synced there, and packed and read back."""
    began = time.perf_counter()
    plain.ask("PUT", "/small.tar", packed, "application/x-tar")
    (folder / "unpacked").mkdir()
    subprocess.run(["tar", "-xf", www / "small.tar", "-C", folder / "unpacked"], check=True)
    subprocess.run(["sync", "-f", folder / "unpacked"], check=True)
    up = time.perf_counter() - began
    began = time.perf_counter()
    subprocess.run(["tar", "-cf", www / "back.tar", "-C", folder / "unpacked", "."], check=True)
    plain.read("/back.tar")
    return up, time.perf_counter() - began


def put_and_get(path):
    """By the wandb SDK: seconds until the version is committed, and until all of its files are here again."""
    import time

    import wandb
    with wandb.init(id="small") as run:
        artifact = wandb.Artifact("small-sdk", type="data")
        artifact.add_dir(path)
        began = time.time()
        made = run.log_artifact(artifact).wait()
        up = time.time() - began
    fetched = wandb.Api().artifact(made.qualified_name)
    began = time.time()
    fetched.download(root="back", skip_cache=True)
    return up, time.time() - began


def sdk_small(folder, server):
    """Of the files that plain_small() unpacked."""
    with Machine(folder, server) as client:
        done = client.call(put_and_get, path=str(folder / "unpacked"))
        if len([path for path in (client.folder / "back").rglob("*") if path.is_file()]) != SMALL_FILES:
            raise RuntimeError("not all files came back")
        return done.value


def artifact_small(folder, _seconds):
    """10,000 files of 10 kB as one tar, up and down; then the same files again, which are only named. The wandb SDK sends and fetches them
    one by one, to a server of its own, which has none of them."""
    files = pathlib.Path(tempfile.mkdtemp(prefix="files.", dir=folder))
    try:
        packed = small_tar()
        with Server(folder) as server, nginx(files) as (plain, www, _pid):
            plain_up, plain_down = plain_small(plain, www, files, packed)
            ours = sender_to(server)
            began = time.perf_counter()
            at = draft(ours, "small")
            ours.ask("PUT", at + "/files.tar", packed, "application/x-tar")
            ours.ask("POST", at + "/commit", "{}")
            up = time.perf_counter() - began
            yield ("artifact-small-put", SMALL_FILES / up, "files/s", SMALL_FILES / plain_up)
            began = time.perf_counter()
            ours.read(f"/api/v1{PROJECT}/artifacts/small/versions/latest/files.tar")
            down = time.perf_counter() - began
            yield ("artifact-small-get", SMALL_FILES / down, "files/s", SMALL_FILES / plain_down)
            yield ("artifact-dedupe", SMALL_FILES / name_again(ours, packed), "files/s", SMALL_FILES / up)
        with Server(folder) as server:
            sdk_up, sdk_down = sdk_small(files, server)
        yield ("artifact-small-put-sdk", SMALL_FILES / up, "files/s", SMALL_FILES / sdk_up)
        yield ("artifact-small-get-sdk", SMALL_FILES / down, "files/s", SMALL_FILES / sdk_down)
    finally:
        shutil.rmtree(files)


def name_again(sender, packed):
    """Seconds for a second version of files that are there already."""
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        wanted = [{"path": member.name, "md5": hashlib.md5(tar.extractfile(member).read()).hexdigest()} for member in tar]
    began = time.perf_counter()
    at = draft(sender, "small")
    for first in range(0, len(wanted), 1000):
        told = json.loads(sender.ask("POST", at + "/files", json.dumps({"files": wanted[first:first + 1000]})))
        if any(item["link"] for item in told["items"]):
            raise RuntimeError("a file that is there is asked for")
    sender.ask("POST", at + "/commit", "{}")
    return time.perf_counter() - began


# ---- a manifest -----------------------------------------------------------------------------------------------

def manifest_text():
    """A million references, as the wandb SDK writes them."""
    contents = ", ".join(f'"data/{number // 1000:04}/{number:07}.jpg": {{"digest": "{number:032x}", "ref": "s3://bucket/{number:07}", "size": 12345}}'
                         for number in range(ENTRIES))
    return ('{"version": 1, "storagePolicy": "wandb-storage-policy-v1", "storagePolicyConfig": {"storageLayout": "V2"}, "contents": {'
            + contents + "}}").encode()


def gql(sender, text, **values):
    told = json.loads(sender.ask("POST", "/graphql", json.dumps({"query": text, "variables": values})))
    if told.get("errors"):
        raise RuntimeError(told["errors"])
    return told["data"]


MAKE = """mutation CreateArtifact($in: CreateArtifactInput!) { createArtifact(input: $in) { artifact { id state } } }"""
MANIFEST = """mutation CreateArtifactManifest($in: CreateArtifactManifestInput!) {
  createArtifactManifest(input: $in) { artifactManifest { id file { uploadUrl uploadHeaders } } } }"""
COMMIT = """mutation CommitArtifact($id: ID!) { commitArtifact(input: {artifactID: $id}) { artifact { id digest } } }"""


def send_manifest(sender, port, text):
    """As the SDK does it; seconds of the PUT, of the commit."""
    made = gql(sender, MAKE, **{"in": {"entityName": "bench", "projectName": "artifacts", "artifactTypeName": "data", "clientID": "m" * 32,
                                       "sequenceClientID": "s" * 32, "artifactCollectionName": "million", "digest": "0" * 32,
                                       "aliases": [{"artifactCollectionName": "million", "alias": "latest"}], "enableDigestDeduplication": True}})
    artifact = made["createArtifact"]["artifact"]["id"]
    md5 = base64.b64encode(hashlib.md5(text).digest()).decode()
    told = gql(sender, MANIFEST, **{"in": {"artifactID": artifact, "name": "wandb_manifest.json", "digest": md5, "entityName": "bench",
                                           "projectName": "artifacts", "runName": "none", "type": "FULL"}})
    link = told["createArtifactManifest"]["artifactManifest"]["file"]["uploadUrl"]
    path = link.split(f":{port}", 1)[1]
    began = time.perf_counter()
    sender.ask("PUT", path, text, "application/json")
    put = time.perf_counter() - began
    gql(sender, COMMIT, id=artifact)
    return put, time.perf_counter() - began - put


PLAIN_ROWS = f"""create table plain_entry (manifest_id int8, path text collate "C", ref text, digest text, size_bytes int8, primary key (manifest_id, path));
insert into plain_entry select 1, format('data/%s/%s.jpg', lpad((n / 1000)::text, 4, '0'), lpad(n::text, 7, '0')),
    's3://bucket/' || lpad(n::text, 7, '0'), lpad(to_hex(n), 32, '0'), 12345 from generate_series(0, {ENTRIES - 1}) n;
drop table plain_entry"""


def manifest_1m(folder, _seconds):
    """A commit of a million entries; the plain one is an INSERT of as many rows into a table with the same key, and the size of the
    manifest for the memory."""
    text = manifest_text()
    with Server(folder) as server:
        began = time.perf_counter()
        server.sql(PLAIN_ROWS)
        plain = time.perf_counter() - began
        sender = sender_to(server)
        put, commit = send_manifest(sender, server.port, text)
        yield ("manifest-1m", put + commit, "s", plain)
        yield ("manifest-1m-commit", commit, "s", plain)
        yield ("manifest-1m-memory", host.most_resident_mib(server.process.pid), "MiB", len(text) / (1 << 20))


FIGURES = {name: of for names, of in (
    (("artifact-upload", "artifact-upload-cpu", "artifact-download", "artifact-upload-one", "artifact-upload-one-cpu", "artifact-download-one"),
     artifact_files),
    (("artifact-small-put", "artifact-small-get", "artifact-dedupe", "artifact-small-put-sdk", "artifact-small-get-sdk"), artifact_small),
    (("manifest-1m", "manifest-1m-commit", "manifest-1m-memory"), manifest_1m)) for name in names}
