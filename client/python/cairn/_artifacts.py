"""Artifacts: versions of files, sent and fetched."""
from __future__ import annotations

import base64
import fcntl
import hashlib
import http.client
import io
import json
import os
import secrets
import stat
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, Callable, Dict, FrozenSet, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, TypeVar, Union

from ._errors import ApiError, Error, UnreachableError
from ._http import Client, quote

JOBS = 8  # files at the same time
ASK_FILES = 1000  # of one request
SMALL_BYTES = 64 << 10  # a file that travels with others
PACK_FILES = 1000
PACK_BYTES = 8 << 20
PART_BYTES = 64 << 20
PARTS_LEAST = 4  # a larger file is sent in parts: joining takes the server as long again as receiving
PARTS = 10000  # of a file, at most
ROUNDS = 5  # of a file whose upload is given up meanwhile
PATIENCE_S = 600.0  # for a server that is busy or away
TRIES = 10  # of one file whose answer breaks off without a byte
PART_END = ".cairn-part"  # of a file that is not complete
DEPTH = 64  # of folders in folders
NAME_BYTES = 255  # of a file system
EMPTY = b"wandb-artifact-manifest-v1\n"

T = TypeVar("T")
R = TypeVar("R")


def _at_once(work: Callable[[T], R], items: Iterable[T]) -> List[R]:
    """The results of all; the first error ends it."""
    with ThreadPoolExecutor(JOBS, "cairn-artifact") as pool:
        futures = [pool.submit(work, item) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _path_in_url(path: str) -> str:
    return "/".join(map(quote, path.split("/")))


def _md5(path: Path) -> bytes:
    sums = hashlib.md5()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            sums.update(piece)
    return sums.digest()


class _Local(NamedTuple):
    """A file of this host."""

    path: str  # in the artifact
    file: Path
    size: int
    md5: bytes


def _walk(path: Path, depth: int = 0) -> Iterator[Path]:
    """The file, or all files below the folder. Links are followed; nothing is left out."""
    try:
        mode = path.stat().st_mode
        inner = list(path.iterdir()) if stat.S_ISDIR(mode) else []
    except OSError as error:
        raise Error(f"cannot read {str(path)!r}: {error.strerror}") from None
    if stat.S_ISDIR(mode):
        if depth == DEPTH:
            raise Error(f"{str(path)!r} is nested too deep: a loop?")
        for one in inner:
            yield from _walk(one, depth + 1)
    elif stat.S_ISREG(mode):
        yield path
    else:
        raise Error(f"{str(path)!r} is not a file")


def _find_files(source: Path) -> List[_Local]:
    if not source.exists():
        raise Error(f"the file {str(source)!r} does not exist")
    files = list(_walk(source))
    names = [file.relative_to(source).as_posix() if source.is_dir() else file.name for file in files]
    sums = _at_once(_md5, files)
    found = [_Local(name, file, file.stat().st_size, md5) for name, file, md5 in zip(names, files, sums)]
    return sorted(found, key=lambda local: local.path.encode())


def _digest(files: Iterable[_Local]) -> str:
    made = hashlib.md5(EMPTY)
    for local in files:
        made.update(f"{local.path}:{base64.b64encode(local.md5).decode()}\n".encode())
    return made.hexdigest()


# ---- sending


class _Slice:
    """A part of a file, as the body of a request."""

    def __init__(self, file: IO[bytes], start: int, size: int) -> None:
        self._file, self._left = file, size
        file.seek(start)

    def read(self, size: int = -1, /) -> bytes:
        piece = self._file.read(min(size, self._left) if size >= 0 else self._left)
        self._left -= len(piece)
        return piece


class _Sender:
    """Sends the files of a draft that the server does not have."""

    def __init__(self, client: Client, draft: str) -> None:
        self._client = client
        self._draft = draft

    def send(self, files: Sequence[_Local]) -> None:
        parts = [files[i:i + ASK_FILES] for i in range(0, len(files), ASK_FILES)]
        needed = [local for some in _at_once(self._ask, parts) for local in some]
        for local in needed:
            if local.size > PARTS_LEAST * PART_BYTES:
                self._in_parts(local)
        small = [local for local in needed if local.size <= SMALL_BYTES]
        works: List[Callable[[], None]] = [self._one(local) for local in needed if SMALL_BYTES < local.size <= PARTS_LEAST * PART_BYTES]
        works += [self._pack(pack) for pack in _packs(small)]
        _at_once(lambda work: work(), works)

    def _ask(self, files: Sequence[_Local]) -> List[_Local]:
        asked = {"files": [{"path": local.path, "md5": local.md5.hex()} for local in files]}
        told = self._client.ask("POST", f"{self._draft}/files", body=asked)["items"]
        return [local for local, item in zip(files, told) if item["link"]]

    def _in_parts(self, local: _Local) -> None:
        """Parts that came before a break are not sent again. Another process may complete or give up the same upload."""
        for _ in range(ROUNDS):
            try:
                return self._send_parts(local)
            except ApiError as error:
                if error.status not in (404, 409, 410):
                    raise
            if not self._ask([local]):
                return
        raise Error(f"the server gave up the upload of {local.path!r} again and again")

    def _send_parts(self, local: _Local) -> None:
        size = max(PART_BYTES, -(-local.size // PARTS))
        starts = range(0, local.size, size)
        asked = {"path": local.path, "md5": local.md5.hex(), "parts": len(starts)}
        opened = self._client.ask("POST", f"{self._draft}/uploads", body=asked)
        path = f"{self._draft}/uploads/{quote(opened['upload'])}"
        received = {part["part"]: (part["bytes"], part["md5"]) for part in opened["received"]}

        def send(start: int) -> None:
            number, length = start // size + 1, min(size, local.size - start)
            with open(local.file, "rb") as file:
                sums = hashlib.md5()
                content = _Slice(file, start, length)
                for piece in iter(lambda: content.read(1 << 20), b""):
                    sums.update(piece)
                if received.get(number) == (length, sums.hexdigest()):
                    return
                head = {"Content-Length": str(length), "Content-MD5": base64.b64encode(sums.digest()).decode()}
                self._client.open("PUT", f"{path}/{number}", body=lambda: _Slice(file, start, length), head=head).close()

        _at_once(send, starts)
        self._client.ask("POST", f"{path}/complete", body={})

    def _one(self, local: _Local) -> Callable[[], None]:
        def work() -> None:
            with open(local.file, "rb") as file:
                def again() -> IO[bytes]:
                    file.seek(0)
                    return file
                head = {"Content-Length": str(local.size), "Content-MD5": base64.b64encode(local.md5).decode()}
                self._client.open("PUT", f"{self._draft}/files/{_path_in_url(local.path)}", body=again, head=head).close()
        return work

    def _pack(self, files: Sequence[_Local]) -> Callable[[], None]:
        def work() -> None:
            made = io.BytesIO()
            with tarfile.open(fileobj=made, mode="w", format=tarfile.PAX_FORMAT) as tar:
                for local in files:
                    content = local.file.read_bytes()
                    member = tarfile.TarInfo(local.path)
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))
            body = made.getvalue()
            head = {"Content-Length": str(len(body)), "Content-Type": "application/x-tar"}
            self._client.open("PUT", f"{self._draft}/files.tar", body=lambda: body, head=head).close()
        return work


def _packs(files: Iterable[_Local]) -> Iterator[List[_Local]]:
    pack: List[_Local] = []
    size = 0
    for local in files:
        if pack and (len(pack) == PACK_FILES or size + local.size > PACK_BYTES):
            yield pack
            pack, size = [], 0
        pack.append(local)
        size += local.size + 1024
    if pack:
        yield pack


def put(client: Client, project: str, source: Union[str, Path], name: str, type: str, *, aliases: Sequence[str] = (),
        description: Optional[str] = None, metadata: Optional[Mapping[str, Any]] = None, run: Optional[str] = None) -> "Artifact":
    """Sends files as a version. `project` is its path, run the id of the run that made it."""
    client = client.patient(PATIENCE_S)
    files = _find_files(Path(source))
    digest = _digest(files)
    body: Dict[str, Any] = {"type": type, "digest": digest, "client": secrets.token_hex(12), "aliases": list(aliases),
                            "description": description, "metadata": dict(metadata) if metadata else None, "run": run}
    path = f"{project}/artifacts/{quote(name)}"
    made = client.ask("POST", f"{path}/versions", body={key: value for key, value in body.items() if value is not None})
    if made["state"] == "committed":
        return Artifact(client, made["version"])
    draft = f"{path}/drafts/{quote(made['draft'])}"
    _Sender(client, draft).send(files)
    version = client.ask("POST", f"{draft}/commit", body={})
    if version["digest"] != digest:
        raise Error(f"{name}:{version['version']} was made of other content: a file changed while it was sent")
    return Artifact(client, version)


# ---- fetching


class ArtifactFile(NamedTuple):
    """A file of a version, or a reference to one elsewhere."""

    path: str
    bytes: Optional[int]
    """Its size; None for a reference of unknown size."""
    md5: Optional[str]
    """In hexadecimal; None for a reference."""
    ref: Optional[str]
    """The address of a reference; None for a file."""


def _entry(line: Mapping[str, Any]) -> ArtifactFile:
    md5 = base64.b64decode(line["digest"]).hex() if line["ref"] is None else None
    return ArtifactFile(line["path"], line["bytes"], md5, line["ref"])


def _target(root: Path, path: str) -> Path:
    parts = path.split("/")
    if not path or any(part in ("", ".", "..") for part in parts):
        raise Error(f"the server named a file {path!r}, which is not a path below a folder")
    return root.joinpath(*parts)


def _make_folders(root: Path, folder: Path) -> None:
    """Folders of a file below the root. One that is a link is refused: the file would be written somewhere else."""
    at = root
    for part in folder.relative_to(root).parts:
        at = at / part
        at.mkdir(exist_ok=True)
        if at.is_symlink():
            raise Error(f"cannot write below {str(at)!r}: it is a link, so files would be written somewhere else")


def _open_part(part: Path) -> Optional[IO[bytes]]:
    """The part of an earlier download or an empty one, locked until it is closed. None if another process uses it."""
    file = open(part, "a+b", opener=lambda path, flags: os.open(path, flags | os.O_NOFOLLOW, 0o666))
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file.fileno()), os.lstat(part)):
            return file
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:  # a file system without locks: nobody fills it
        part.unlink()
    file.close()
    return None


class _BrokenOff(UnreachableError):
    """An answer ended in its middle."""


class Artifact:
    """A version of an artifact, as the server has it. Members are attributes: `name`, `version`, `aliases`, `metadata`, …"""

    def __init__(self, client: Client, document: Mapping[str, Any]) -> None:
        self._client = client
        self._document = document
        self._path = f"/projects/{quote(document['entity'])}/{quote(document['project'])}/artifacts/{quote(document['collection'])}" \
                     f"/versions/{document['version']}"
        self.name: str = f"{document['collection']}:{document['version']}"
        self.type: str = document["type"]
        self.version: str = document["version"]
        self.aliases: List[str] = document["aliases"]
        self.metadata: Dict[str, Any] = document["metadata"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"an artifact has no attribute {name!r}: expected one of {', '.join(sorted(self._document))}")
        return self._document[name]

    def files(self, prefix: str = "") -> Iterator[ArtifactFile]:
        """Its files and references by path."""
        for line in self._client.lines(f"{self._path}/manifest", {}):
            entry = _entry(json.loads(line))
            if entry.path.startswith(prefix):
                yield entry

    def download(self, root: Union[str, Path, None] = None, prefix: str = "") -> Path:
        """Writes its files below the folder `root`, by default "artifacts/NAME:VERSION", and returns the folder.

        Each file is checked by its MD5. Files that are there with the same content are left unchanged, so a download that
        broke off goes on when it is repeated. References are not fetched.
        """
        folder = Path(root) if root is not None else Path("artifacts", self.name)
        folder.mkdir(parents=True, exist_ok=True)
        wanted = [(entry, _target(folder, entry.path)) for entry in self.files(prefix) if entry.ref is None]
        targets = frozenset(target for _, target in wanted)
        _at_once(lambda pair: self._fetch(*pair, folder, targets), wanted)
        return folder

    def _fetch(self, entry: ArtifactFile, target: Path, root: Path, targets: FrozenSet[Path]) -> None:
        if target.is_file() and target.stat().st_size == entry.bytes and _md5(target).hex() == entry.md5:
            return
        _make_folders(root, target.parent)
        part = target.with_name(target.name + PART_END)
        if len(part.name.encode()) > NAME_BYTES:
            part = target.with_name(hashlib.md5(entry.path.encode()).hexdigest() + PART_END)
        file = None if part in targets else _open_part(part)  # a version may have a file of that name
        if file:
            with file:
                self._complete(entry, part, file, target)
            return
        part = target.with_name(f".{secrets.token_hex(12)}{PART_END}")
        try:
            with open(part, "x+b") as file:
                self._complete(entry, part, file, target)
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _complete(self, entry: ArtifactFile, part: Path, file: IO[bytes], target: Path) -> None:
        for _ in range(2):  # a part of an earlier version is given up
            self._fill(entry, file)
            file.flush()
            if _md5(part).hex() == entry.md5:
                part.replace(target)
                return
            file.truncate(0)
        raise Error(f"the content of {entry.path!r} has another MD5 than {self.name} says")

    def _fill(self, entry: ArtifactFile, file: IO[bytes]) -> None:
        assert entry.bytes is not None
        tried, before = 0, -1
        while tried < TRIES:
            start = file.seek(0, os.SEEK_END)
            tried, before = 0 if start > before else tried + 1, start
            if start > entry.bytes:
                file.truncate(0)
                start = file.seek(0)
            if start == entry.bytes:
                return
            try:
                self._append(entry, file, start)
            except _BrokenOff:
                if tried == TRIES - 1:
                    raise
        raise UnreachableError(f"the answer with {entry.path!r} broke off {TRIES} times")

    def _append(self, entry: ArtifactFile, file: IO[bytes], start: int) -> None:
        head = {"Accept": "*/*", "Range": f"bytes={start}-"}
        path = f"{self._path}/files/{_path_in_url(entry.path)}"
        with self._client.patient(PATIENCE_S).open("GET", path, head=head) as answer:
            if answer.status == 200:  # a proxy on the way does not know Range
                file.truncate(0)
            for piece in iter(lambda: self._read(answer), b""):
                file.write(piece)

    def _read(self, answer: http.client.HTTPResponse) -> bytes:
        try:
            return answer.read(1 << 20)
        except (OSError, http.client.HTTPException) as error:
            raise _BrokenOff(f"the answer of {self._client.url} broke off: {error}") from None

    def __repr__(self) -> str:
        return f"<cairn artifact {self._document['entity']}/{self._document['project']}/{self.name}>"


def find(client: Client, entity: str, project: str, address: str) -> Artifact:
    """The version "name:version" of the project, or "entity/project/name:version"; without a version the newest."""
    place, _, word = address.partition(":")[0].rpartition("/")
    if place:
        entity, slash, project = place.partition("/")
        if not slash or not entity or not project or "/" in project:
            raise Error(f'invalid artifact {address!r}: expected "name:version" or "entity/project/name:version"')
    version = address.partition(":")[2] or "latest"
    if not word:
        raise Error(f'invalid artifact {address!r}: expected "name:version" or "entity/project/name:version"')
    path = f"/projects/{quote(entity)}/{quote(project)}/artifacts/{quote(word)}/versions/{quote(version)}"
    return Artifact(client, client.get(path))
