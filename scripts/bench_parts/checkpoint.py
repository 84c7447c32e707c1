"""A second version of a checkpoint of which 1 % changed, as one file and as 100. The server stores content once by the hash of the whole
file, so a file travels and is stored again whole. Plain: rsync into a folder for each version, with links to the files that are
unchanged since the last (--link-dest), which sends the changed parts of files and stores changed files whole."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

from artifacts import PROJECT, draft, in_parallel, make_files, sender_to, upload
from server import Server

PARTS, PART_BYTES = 100, 4 << 20
SETS = {"one": 1, "parts": PARTS}
MIB = 1 << 20


def change(paths):
    """One part of a hundred, as a layer that was trained alone; returns the file."""
    path = paths[len(paths) // 2]
    with open(path, "r+b") as file:
        file.seek(path.stat().st_size // PART_BYTES // 2 * PART_BYTES)
        file.write(os.urandom(PART_BYTES))
    return path


def disk_bytes(folder):
    """Each file once, however many names it has."""
    found = [path.stat() for path in pathlib.Path(folder).rglob("*") if path.is_file()]
    return sum({file.st_ino: file.st_blocks * 512 for file in found}.values())


def md5_of(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


def send_version(sender, name, paths):
    """A version as a client makes it: sums of all files, then those that the server does not have; bytes that travel."""
    sums = in_parallel(md5_of, paths)
    asked = json.dumps({"files": [{"path": path.name, "md5": md5} for path, md5 in zip(paths, sums)]})
    at = draft(sender, name)
    told = sender.ask("POST", at + "/files", asked)
    missing = [(path, item["link"]) for path, item in zip(paths, json.loads(told)["items"]) if item["link"]]

    def put(one):
        path, link = one
        with open(path, "rb") as file:
            sender.ask("PUT", link.split(f":{sender.port}", 1)[1], file, "application/octet-stream", path.stat().st_size)
    in_parallel(put, missing)
    sender.ask("POST", at + "/commit", "{}")
    return len(asked) + len(told) + sum(path.stat().st_size for path, _ in missing)


def rsync(source, kept, version):
    """The same as a folder beside the last one; bytes that travel."""
    last = [f"--link-dest={kept}/{version - 1}"] if version else []
    done = subprocess.run(["rsync", "-a", "--no-whole-file", "--modify-window=-1", "--fsync", "--stats", *last, f"{source}/",
                           f"{kept}/{version}/"], stdout=subprocess.PIPE, text=True, check=True)
    return sum(int(number.replace(",", "")) for number in re.findall(r"^Total bytes (?:sent|received): ([0-9,]+)$", done.stdout, re.M))


def timed(work, folder):
    """(seconds, MiB that travel, MiB of the disk)"""
    before, began = disk_bytes(folder), time.perf_counter()
    sent = work()
    took = time.perf_counter() - began
    return took, sent / MIB, (disk_bytes(folder) - before) / MIB


def check(sender, name, path):
    content = sender.ask("GET", f"/api/v1{PROJECT}/artifacts/{name}/versions/latest/files/{path.name}")
    if hashlib.md5(content).hexdigest() != md5_of(path):
        raise RuntimeError(f"{path.name} of the second version is another file")


def checkpoint(folder, _seconds):
    """400 MiB in one file, and in 100; 4 MiB of them, one of the 100, are changed."""
    if not shutil.which("rsync"):
        raise SystemExit("the plain alternative is rsync: install it")
    work = pathlib.Path(tempfile.mkdtemp(prefix="files.", dir=folder))
    try:
        with Server(folder) as server:
            sender = sender_to(server)
            for suffix, count in SETS.items():
                name, kept = f"checkpoint-{suffix}", work / f"kept-{suffix}"
                paths = make_files(work / suffix, count, PARTS * PART_BYTES)
                kept.mkdir()
                upload(server, sender, name, paths)
                rsync(work / suffix, kept, 0)
                changed = change(paths)
                plain = timed(lambda: rsync(work / suffix, kept, 1), kept)
                ours = timed(lambda: send_version(sender, name, paths), server.folder / "data/files")
                check(sender, name, changed)
                for figure, unit, value, baseline in zip(("", "-sent", "-stored"), ("s", "MiB", "MiB"), ours, plain):
                    yield (f"artifact-checkpoint-{suffix}{figure}", value, unit, baseline)
    finally:
        shutil.rmtree(work)


FIGURES = {f"artifact-checkpoint-{suffix}{figure}": checkpoint for suffix in SETS for figure in ("", "-sent", "-stored")}
