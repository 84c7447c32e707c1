"""The read side: projects, runs, their rows, documents, files and output."""
from __future__ import annotations

import json
import shutil
from array import array
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Union

from . import _artifacts
from ._artifacts import Artifact
from ._errors import Error
from ._http import Client, Query, list_text, quote
from ._settings import find_login
from ._sweep import Sweep, find_sweep

PAGE = 200
NUMBERS: Dict[Any, float] = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
FORMS = ("dict", "rows", "pandas", "polars", "pyarrow")

Column = Union["array[float]", "array[int]", List[Any]]


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)) or value in NUMBERS


def _number(value: Any) -> float:
    return NUMBERS["NaN"] if value is None else NUMBERS[value] if isinstance(value, str) else float(value)


def _column(key: str, values: List[Any]) -> Column:
    """Integers of 64 bits for `_row` and `_step`. Else doubles, with NaN for a row without the key, if the key has only numbers; else a list, with None."""
    if key in ("_row", "_step") and all(type(value) is int for value in values):
        return array("q", values)
    if all(isinstance(value, (str, int, float, type(None))) and _is_number(value) for value in values) \
            and not all(isinstance(value, (str, type(None))) and value not in NUMBERS for value in values):
        return array("d", (_number(value) for value in values))
    return values


def _columns(rows: Iterable[Mapping[str, Any]], keys: Optional[Sequence[str]]) -> Dict[str, Column]:
    columns: Dict[str, List[Any]] = {key: [] for key in keys or ()}
    count = 0
    for row in rows:
        for key, value in row.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = []
            column.extend([None] * (count - len(column)))
            column.append(value)
        count += 1
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return {key: _column(key, column) for key, column in columns.items()}


def _in_form(rows: Iterable[Mapping[str, Any]], keys: Optional[Sequence[str]], form: str) -> Any:
    if form not in FORMS:
        raise Error(f'invalid form {form!r}: expected one of {", ".join(FORMS)}')
    if form == "rows":
        return list(rows)
    columns = _columns(rows, keys)
    if form == "dict":
        return columns
    try:
        if form == "pandas":
            import pandas
            return pandas.DataFrame({key: list(column) for key, column in columns.items()})
        if form == "polars":
            import polars
            return polars.DataFrame({key: list(column) for key, column in columns.items()}, strict=False)
        import pyarrow
        return pyarrow.table({key: list(column) for key, column in columns.items()})
    except ImportError as error:
        raise Error(f'{form} is not installed: {error}; use as_="dict"') from None


class File:
    """A file of a run."""

    def __init__(self, client: Client, path: str, document: Mapping[str, Any]) -> None:
        self._client = client
        self._path = path
        self.name: str = document["name"]
        self.bytes: int = document["bytes"]
        self.md5: str = document["md5"]
        self.content_type: str = document["content_type"]
        self.updated_at: str = document["updated_at"]

    def read(self) -> bytes:
        """The content, in memory."""
        with self._client.open("GET", self._address, head={"Accept": "*/*"}) as answer:
            return answer.read()

    def download(self, root: Union[str, Path] = ".") -> Path:
        """Writes it below the folder `root`, under its name, and returns its path. An existing file is replaced."""
        target = Path(root, *[part for part in self.name.split("/") if part not in ("", ".", "..")])
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(target.name + ".part")
        with self._client.open("GET", self._address, head={"Accept": "*/*"}) as answer, open(part, "wb") as out:
            shutil.copyfileobj(answer, out, 1 << 20)
        if part.stat().st_size != self.bytes:
            part.unlink()
            raise Error(f"the file {self.name!r} broke off, or was changed on the server: try again")
        part.replace(target)
        return target

    @property
    def _address(self) -> str:
        return f"{self._path}/files/{'/'.join(map(quote, self.name.split('/')))}"

    def __repr__(self) -> str:
        return f"<File {self.name}, {self.bytes} bytes>"


class ReadRun:
    """A run as the server has it. Members of the list are attributes: `id`, `state`, `tags`, `created_at`, `exit_code`, …"""

    def __init__(self, client: Client, document: Dict[str, Any]) -> None:
        self._client = client
        self._document = document
        self._path = f"/projects/{quote(document['entity'])}/{quote(document['project'])}/runs/{quote(document['id'])}"
        self.id: str = document["id"]
        self.entity: str = document["entity"]
        self.project: str = document["project"]
        self.name: str = document["display_name"] or document["id"]
        self.state: str = document["state"]
        self.tags: List[str] = document["tags"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"a run has no attribute {name!r}: expected one of {', '.join(sorted(self._document))}")
        return self._document[name]

    def __repr__(self) -> str:
        return f"<cairn run {self.entity}/{self.project}/{self.id}, {self.state}>"

    @property
    def config(self) -> Dict[str, Any]:
        """The merged config of all processes, with edits of users. One request for each use."""
        document: Dict[str, Any] = self._client.get(f"{self._path}/config")
        return {name: value for name, value in document.items() if name != "_wandb"}

    @property
    def summary(self) -> Dict[str, Any]:
        """The last value of each metric, under the values that were set. One request for each use."""
        document: Dict[str, Any] = self._client.get(f"{self._path}/summary")
        return document

    def reload(self) -> "ReadRun":
        """The run as it is now."""
        return ReadRun(self._client, self._client.get(self._path))

    def keys(self, stream: str = "history") -> List[str]:
        """Names of its metrics; of system metrics with stream="events"."""
        return [item["key"] for item in self._client.pages(f"{self._path}/keys", {"stream": stream, "limit": 10_000})]

    def rows(self, keys: Optional[Sequence[str]] = None, *, stream: str = "history", label: Optional[str] = None,
             every: Optional[int] = None, after: Optional[int] = None) -> Iterator[Dict[str, Any]]:
        """Exact rows as dicts, one by one while they arrive, in order of `_row`.

        keys: only these metrics, and only rows that have one of them. `_row`, `_label`, `_step` and `_timestamp` always come.
        stream: "history", or "events" for system metrics. label: only rows of this process. every: each nth row.
        after: rows after this `_row`, to continue.
        """
        query: Query = {"format": "ndjson", "texts": "whole", "keys": list_text(keys) if keys else None, "label": label,
                        "every": every, "after": after}
        for line in self._client.lines(f"{self._path}/{stream}", query):
            row: Dict[str, Any] = json.loads(line)
            yield row

    def history(self, keys: Optional[Sequence[str]] = None, as_: str = "dict", *, stream: str = "history",
                label: Optional[str] = None, every: Optional[int] = None) -> Any:
        """All exact rows in memory, by columns.

        as_: "dict" has an `array.array` for each metric of numbers, of doubles (NaN where a row lacks it), which
        `numpy.asarray` takes without a copy, and a list for others; "rows" is a list of dicts; "pandas", "polars" and
        "pyarrow" make a table if they are installed. The other arguments are those of `rows()`.
        """
        head = ["_row", "_label", "_step", "_timestamp"] if keys else []
        return _in_form(self.rows(keys, stream=stream, label=label, every=every), [*head, *(keys or ())], as_)

    def system(self, keys: Optional[Sequence[str]] = None, as_: str = "dict", **more: Any) -> Any:
        """`history()` of the system metrics."""
        return self.history(keys, as_, stream="events", **more)

    def files(self, pattern: Optional[str] = None) -> Iterator[File]:
        """Its files by name. `pattern` is one of SQL's LIKE: "media/%"."""
        for item in self._client.pages(f"{self._path}/files", {"pattern": pattern}):
            yield File(self._client, self._path, item)

    def file(self, name: str) -> File:
        """The file of this name. Raises Error if there is none."""
        pattern = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        for file in self.files(pattern):
            if file.name == name:
                return file
        raise Error(f"the run {self.id} has no file {name!r}")

    def console(self, label: Optional[str] = None, stream: Optional[str] = None) -> Iterator[str]:
        """Lines of its output, by process. stream: "stdout" or "stderr"."""
        query: Query = {"format": "ndjson", "label": label, "stream": stream}
        for line in self._client.lines(f"{self._path}/console", query):
            yield json.loads(line)["text"]

    def writers(self) -> List[Dict[str, Any]]:
        """The processes that wrote into it: `label`, `role`, `state`, `host`, `history_rows`, …"""
        return list(self._client.pages(f"{self._path}/writers"))


class Project:
    """A project, with what its list says of it as attributes: `bytes`, `visibility`, …"""

    def __init__(self, client: Client, document: Dict[str, Any]) -> None:
        self._client = client
        self._document = document
        self.entity: str = document["entity"]
        self.name: str = document.get("project") or document["name"]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._document:
            raise AttributeError(f"a project has no attribute {name!r}")
        return self._document[name]

    def runs(self, filters: Any = None, order: Optional[str] = None, per_page: int = PAGE) -> Iterator[ReadRun]:
        return _runs(self._client, self.entity, self.name, filters, order, per_page)

    def __repr__(self) -> str:
        return f"<cairn project {self.entity}/{self.name}>"


def _runs(client: Client, entity: str, project: str, filters: Any, order: Optional[str], per_page: int) -> Iterator[ReadRun]:
    text = filters if filters is None or isinstance(filters, str) else json.dumps(filters)
    query: Query = {"filter": text or None, "order": order, "limit": per_page}
    for document in client.pages(f"/projects/{quote(entity)}/{quote(project)}/runs", query):
        yield ReadRun(client, document)


class Api:
    """Reads what a key may see.

    url, key: of the server, found like those of `cairn.init()`. timeout: seconds of one request, and of each wait for more of
    its answer. Raises SetupError if no server or key is set; methods raise ApiError with the server's text, NotFoundError,
    AccessError, and UnreachableError.
    """

    def __init__(self, url: Optional[str] = None, key: Optional[str] = None, timeout: float = 60.0) -> None:
        self._client = Client(find_login(url, key), timeout)
        self._entity: Optional[str] = None

    @property
    def default_entity(self) -> str:
        """The user or team of paths that name none."""
        if self._entity is None:
            self._entity = self._client.get("/viewer")["default_entity"]
        return self._entity

    def artifact(self, name: str, project: Optional[str] = None) -> Artifact:
        """The version "name:version" of a project ("project" or "entity/project"), or "entity/project/name:version". The version
        is "v3" or an alias, by default "latest"."""
        entity, slash, last = (project or "").rpartition("/")
        own = entity if slash or "/" in name else self.default_entity
        return _artifacts.find(self._client, own, last, name)

    def artifacts(self, project: str, filters: Any = None, per_page: int = PAGE) -> Iterator[Artifact]:
        """Versions of all artifacts of a project ("project" or "entity/project"), newest first: "type:model metadata.acc>0.9"."""
        entity, slash, last = project.rpartition("/")
        text = filters if filters is None or isinstance(filters, str) else json.dumps(filters)
        path = f"/projects/{quote(entity if slash else self.default_entity)}/{quote(last)}/artifact-versions"
        for document in self._client.pages(path, {"filter": text or None, "limit": per_page}):
            yield Artifact(self._client, document)

    def projects(self, entity: Optional[str] = None) -> Iterator[Project]:
        """Projects of a user or team, by default all that you may see."""
        for document in self._client.pages(f"/projects/{quote(entity)}" if entity else "/projects", {"limit": PAGE}):
            yield Project(self._client, document)

    def runs(self, project: str, filters: Any = None, order: Optional[str] = None, per_page: int = PAGE) -> Iterator[ReadRun]:
        """Runs of "project" or "entity/project", page by page while you iterate.

        filters: the text of the page's filter, "state:finished config.lr<0.01", or a dict such as
        {"config.lr": {"$lt": 0.01}}. order: "-summary.loss", "created_at"; the default is the newest first.
        """
        entity, slash, name = project.rpartition("/")
        return _runs(self._client, entity if slash else self.default_entity, name, filters, order, per_page)

    def sweep(self, path: str) -> Sweep:
        """The sweep "project/sweep" or "entity/project/sweep". Raises NotFoundError."""
        return find_sweep(self._client, path, None)

    def run(self, path: str) -> ReadRun:
        """The run "project/run" or "entity/project/run". Raises NotFoundError."""
        parts = path.split("/")
        if len(parts) not in (2, 3) or not all(parts):
            raise Error(f'invalid path {path!r}: expected "project/run" or "entity/project/run"')
        entity = parts[0] if len(parts) == 3 else self.default_entity
        return ReadRun(self._client, self._client.get(f"/projects/{quote(entity)}/{quote(parts[-2])}/runs/{quote(parts[-1])}"))
