"""A run that this process writes into."""
from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
import warnings
import weakref
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Type, Union

from . import _artifacts, _lib
from ._artifacts import Artifact
from ._console import Console
from ._documents import Document
from ._errors import AccessError, CairnWarning, Error, UnreachableError
from ._files import Content, Uploader
from ._http import Client, quote
from ._lib import CReportWithSpool
from ._options import encode_text, start
from ._report import Report
from ._row import Rows, learn_types, quick_types
from ._settings import find_authorities, find_login
from ._trial import Told, is_trial
from ._values import EXACT_MAX, RowMaker, encode, split_step

FINISH_TIMEOUT_S = 30.0
EXIT_TIMEOUT_S = 10.0
FILES_SHARE = 0.8  # of the timeout of finish(), before the end itself is sent
WARNINGS_MAX = 100

runs: List["Run"] = []  # started here, or by the parent before a fork, and not finished
_are_quick = quick_types.issuperset


class _Spec(NamedTuple):
    """Everything that another process needs to join the run, except the key."""

    url: Optional[str]
    project: Optional[str]
    id: str
    label: str
    parent: str
    mode: str


class Run:
    """A run, and this process as a writer of it. Made by `cairn.init()`.

    All methods may be called from any thread at any time, and never wait for the network unless they say so. A value that
    cannot be stored costs only itself, with one CairnWarning for each reason. After a fork the child writes into the same run
    as a worker of its own, from its first call on. A run can be sent to a process started by `spawn` as an argument, and is
    a worker there.
    """

    def __init__(self, values: Dict[str, Any], project: Optional[str], mode: str) -> None:
        self.mode = mode
        """"online", "offline" or "disabled"."""
        self.project = project
        """The project as given, "entity/project" or "project", or None for that of the environment."""
        self._values = values
        self._lock = threading.RLock()
        self._warned: Set[str] = set()
        self._definitions: Dict[str, Dict[str, Any]] = {}
        self._console: Optional[Console] = None
        self._uploader: Optional[Uploader] = None
        self._report: Optional[Report] = None
        self._is_forked = False
        self._is_stopped = False  # by the agent of its sweep
        self._media_count = 0
        self._found: Optional[Tuple[Client, str]] = None
        self.config = Document(lambda name, value: self._send_member("config", name, value))
        """Inputs of the run: `run.config.lr = 0.1`, `run.config["lr"]`, `run.config.update(args)`."""
        self.summary = Document(lambda name, value: self._send_member("summary", name, value))
        """Results that are set, and override the last logged values of the same names."""
        self._handle: Optional[int] = None
        self._rows: Optional[Rows] = None
        if mode != "disabled":
            self._lib = _lib.library()
            self._begin(values)

    def _begin(self, values: Dict[str, Any]) -> None:
        self._handle = start(self._lib, values)
        self._rows = Rows(self._lib, self._handle)
        self._free = self._rows.free
        _finish_with_process(self)

    # ---- names

    @property
    def id(self) -> str:
        """The id of the run, which is unique in its project. Other processes join it with `cairn.init(id=…)`."""
        return self._lib.text_of(self._lib.run_id, self._handle) if self._handle else self._values.get("run_id") or "disabled"

    @property
    def name(self) -> str:
        """The display name that was given, else the id."""
        return self._values.get("display_name") or os.environ.get("CAIRN_NAME") or self.id

    @property
    def label(self) -> str:
        """The name of this process in the run, such as "rank0"."""
        return self._lib.text_of(self._lib.label, self._handle) if self._handle else ""

    @property
    def url(self) -> Optional[str]:
        """The address of the run's page. None until the user or team is known: at once if `project` names it, else when the
        server has answered (see `wait`)."""
        if not self._handle:
            return None
        size = self._lib.run_url(self._handle, None, 0)
        text = ctypes.create_string_buffer(size + 1)
        self._lib.run_url(self._handle, text, size + 1)
        return text.value.decode(errors="replace") or None

    # ---- logging

    def log(self, data: Mapping[str, Any], step: Optional[int] = None) -> None:
        """Adds one row to the history, with the time of this call.

        Values are numbers (also of NumPy and PyTorch), booleans, texts, None, lists, nested dicts, `cairn.Image` and
        `cairn.Histogram`. NaN and the infinities are stored as they are. `step`, from 0 to 2^53, is this row's position on
        the x axis; without it the server gives each row the next step of the run.

        Copies the row and returns, in about 2 µs for ten numbers.
        """
        try:
            values = data.values()
            if _are_quick(map(type, values)) and (step is None or type(step) is int and 0 <= step <= EXACT_MAX):
                names = tuple(data)
                free = self._free[names]
                row = free.pop()
                row.pack(*values)
                row.copy()
                if step is None:
                    code = row.call()
                else:
                    row.step.value = step
                    code = row.call_step()
                free.append(row)
                if code:
                    self._tell(code, lambda: self._log_checked(data, step))
                return
        except Exception:  # a set of names that is new, or a value that is not a number: it is looked at closely
            pass
        self._log_checked(data, step)

    def _log_checked(self, data: Mapping[str, Any], step: Optional[int]) -> None:
        if self.mode == "disabled":
            return
        if not isinstance(data, Mapping):
            return self._warn("row", f"log() takes a dict, not {type(data).__name__}: the row is left out")
        try:
            learn_types(data.values())
            row = RowMaker(self._skip, lambda name, value: self._special(name, value, step)).make(data)
        except Exception as error:  # of the caller's mapping
            return self._warn("row", f"the row is left out: {type(error).__name__}: {error}")
        if step is not None:
            row["_step"] = _step_number(step)
        row = split_step(row, self._skip)
        if row:
            self._tell(self._send_row(row), lambda: self._send_row(row))

    def _send_row(self, row: Dict[str, Any]) -> int:
        """By the quick way if it has only numbers."""
        assert self._rows
        step = row.get("_step")
        numbers = {name: value for name, value in row.items() if name != "_step"}
        if numbers and all(type(value) in (float, int) and "\0" not in name for name, value in numbers.items()) \
                and "_timestamp" not in numbers:
            return self._rows.send(numbers, step)
        code: int = self._lib.log_json(self._handle, encode(row))
        return code

    def _special(self, name: str, value: Any, step: Optional[int]) -> Any:
        """The document of a media object, whose file is sent; else the value itself."""
        make = getattr(value, "_cairn_document", None)
        if make is None and isinstance(value, (list, tuple)) and value and hasattr(value[0], "_cairn_list_document"):
            make = value[0]._cairn_list_document(value)
        if make is None:
            return value
        self._media_count += 1
        return make(self._add_file, name, self._media_count if step is None else step)

    def _send_member(self, kind: str, name: str, value: Any) -> None:
        if self.mode != "disabled":
            def send() -> int:
                code: int = getattr(self._lib, f"{kind}_json")(self._handle, encode({name: value}))
                return code
            self._tell(send(), send, f"{kind} {name!r}")

    def define_metric(self, name: str, step_metric: Optional[str] = None, summary: Optional[str] = None,
                      goal: Optional[str] = None) -> None:
        """Says how a metric is shown.

        `name` may end with "*", for all names with that beginning. `step_metric` is the metric on the x axis of its charts.
        `summary` is its value in lists of runs: "min", "max", "mean", "last", "first" or "none", or several, separated by
        commas. `goal` is "minimize" or "maximize". A later call for the same name replaces the earlier one.
        """
        kinds = {"min": 1, "max": 2, "mean": 3, "last": 5, "none": 6, "first": 8}
        goals = {"minimize": 1, "maximize": 2, None: None}
        words = [word.strip() for word in summary.split(",")] if summary else []
        unknown = [word for word in words if word not in kinds]
        if unknown or goal not in goals:
            wrong: List[Optional[str]] = [*unknown, goal]
            raise Error(f'invalid summary or goal {wrong[0]!r}: expected one of {", ".join(kinds)}, and '
                        '"minimize" or "maximize"')
        definition: Dict[str, Any] = {"2" if name.endswith("*") else "1": name}
        definition.update({"4": step_metric} if step_metric else {})
        definition.update({"7": [kinds[word] for word in words]} if words else {})
        definition.update({"8": goals[goal]} if goal else {})
        with self._lock:
            self._definitions[name] = definition
            self._send_member("config", "_wandb", {"m": list(self._definitions.values())})

    def alert(self, title: str, text: str = "", level: str = "info") -> None:
        """Sends an alert at once, which the server forwards to the project's webhook.

        `title` has 1 to 256 bytes, `text` at most 16 KiB, `level` is "info", "warn" or "error". Repeats of a title within a
        minute are counted, not sent.
        """
        if level not in _lib.ALERT_LEVELS:
            raise Error(f'invalid level {level!r}: expected "info", "warn" or "error"')
        if self.mode != "disabled":
            def send() -> int:
                code: int = self._lib.alert(self._handle, _lib.ALERT_LEVELS[level], encode_text(title), encode_text(text) if text else None)
                return code
            self._tell(send(), send, "the alert")

    # ---- files

    def save(self, path: Union[str, "os.PathLike[str]"], name: Optional[str] = None) -> None:
        """Keeps a file with the run, or all files of a folder.

        `name` is its name there, default the path, relative to the current folder if it is below it, else its last part.
        Returns at once: the file is read and sent by a thread, so do not change it before flush() or finish(). The same name
        replaces the file. Raises Error if the file does not exist.
        """
        source = Path(path)
        if not source.exists():
            raise Error(f"the file {str(path)!r} does not exist")
        top = name or _default_name(source)
        if source.is_dir():
            for file in sorted(inner for inner in source.rglob("*") if inner.is_file()):
                self._add_file(f"{top}/{file.relative_to(source).as_posix()}", str(file.absolute()))
        else:
            self._add_file(top, str(source.absolute()))

    # ---- artifacts

    def log_artifact(self, path: Union[str, "os.PathLike[str]"], name: Optional[str] = None, type: str = "dataset", *,
                     aliases: Sequence[str] = (), description: Optional[str] = None,
                     metadata: Optional[Mapping[str, Any]] = None) -> Optional[Artifact]:
        """Stores a file, or all files of a folder, as a new version of an artifact that this run made.

        `name` is the artifact's, default the last part of the path; `type` such as "model" or "dataset". The version gets
        the alias "latest" and `aliases`. Waits until the server has it: content that it has already is not sent, and if no
        file changed, the newest version is returned. None in offline and disabled mode, where artifacts are not kept.
        """
        source = Path(path)
        if not source.exists():
            raise Error(f"the file {str(path)!r} does not exist")
        if not self._has_artifacts():
            return None
        client, run = self._find_run()
        return _artifacts.put(client, run.rpartition("/runs/")[0], source, name or source.absolute().name, type, aliases=aliases,
                              description=description, metadata=metadata, run=self.id)

    def use_artifact(self, artifact: str, used_as: Optional[str] = None) -> Optional[Artifact]:
        """The version "name:version" of the run's project, or "entity/project/name:version", and records that the run uses it.

        The version is "v3" or an alias, by default "latest". `download()` of the result writes its files. None in offline and
        disabled mode.
        """
        if not self._has_artifacts():
            return None
        client, run = self._find_run()
        body = {"artifact": artifact, **({"used_as": used_as} if used_as else {})}
        return Artifact(client, client.ask("POST", f"{run}/artifacts", body=body)["version"])

    def _has_artifacts(self) -> bool:
        if self.mode == "offline":
            self._warn("offline artifacts", "artifacts are not kept in offline mode: they are left out")
        if self.mode == "online" and self._is_forked:
            self._revive()
        return self.mode == "online"

    def _add_file(self, name: str, content: Content) -> None:
        if self.mode == "disabled":
            return
        if self.mode == "offline":
            return self._warn("offline files", "files are not kept in offline mode: they are left out")
        if self._is_forked:
            self._revive()
        with self._lock:
            if self._uploader is None:
                self._uploader = Uploader(self._find_run, self._warn)
        self._uploader.add(name, content)

    def _find_run(self) -> "Tuple[Client, str]":
        """A client, and the path of the run, once the run has been created. Called by the thread that sends files."""
        code = self._lib.wait_joined(self._handle, 60_000)
        error = self._lib.error_of(self._handle) or "the server did not answer"
        if code == _lib.REFUSED:
            raise AccessError(403, "refused", error)
        if code not in (_lib.OK, _lib.FINISHED):
            raise UnreachableError(error)
        if self._found is None:
            client = Client(find_login(self._values["url"], self._values["api_key"]))
            entity, slash, project = (self.project or os.environ.get("CAIRN_PROJECT") or "uncategorized").rpartition("/")
            if not slash:
                entity = client.get("/viewer")["default_entity"]
            self._found = client, f"/projects/{quote(entity)}/{quote(project)}/runs/{quote(self.id)}"
        return self._found

    # ---- state

    @property
    def should_stop(self) -> bool:
        """True after a user asked the run to stop: save your work and finish. Cheap enough for every step."""
        return self._is_stopped or bool(self._handle and self._lib.should_stop(self._handle))

    def wait(self, timeout: float = 60.0) -> bool:
        """Waits until the server has accepted this process, at most `timeout` seconds. Raises Error if it is refused."""
        if not self._handle:
            return False
        code = self._lib.wait_joined(self._handle, _ms(timeout))
        if code == _lib.REFUSED:
            raise Error(self._lib.error_of(self._handle))
        return bool(code == _lib.OK)

    def flush(self, timeout: float = FINISH_TIMEOUT_S) -> bool:
        """Waits until all that was logged and saved before is stored, at most `timeout` seconds. Whether it was."""
        if not self._handle or self._is_forked:
            return self.mode == "disabled"
        end = time.monotonic() + timeout
        done = self._uploader.wait(timeout) if self._uploader else True
        code: int = self._lib.flush(self._handle, _ms(end - time.monotonic()))
        return done and code == _lib.OK

    def _end_with_process(self, status: int, timeout: float) -> None:
        """An exception ends the run here. Otherwise libcairn ends it in exit(), where it learns the exit status."""
        if self._console:
            self._console.stop()
        if status:
            self.finish(status, timeout)
        elif not self.flush(timeout) and not self._is_forked:
            error = self._lib.error_of(self._handle) or "the server did not answer in time"
            self._warn("finish", f"the run {self.id} is not complete: {error}")

    def finish(self, exit_code: int = 0, timeout: float = FINISH_TIMEOUT_S) -> Report:
        """Sends what remains, and ends this process in the run.

        Waits at most `timeout` seconds, and gives up then. The exit code of a primary decides how the run ends: 0 is
        finished, another one failed. What could not be sent is in the result, and reported by one warning. A second call
        returns the first result.
        """
        with self._lock:
            if self._report is None:
                self._report = self._finish(exit_code, timeout)
        return self._report

    def _finish(self, exit_code: int, timeout: float) -> Report:
        if self in runs:
            runs.remove(self)
        if self._console:
            self._console.stop()
        if not self._handle or self._is_forked:
            return Report()
        end = time.monotonic() + timeout
        files_unsent = self._uploader is not None and not self._uploader.wait(timeout * FILES_SHARE)
        if self._uploader:
            self._uploader.close()
        found = CReportWithSpool()
        self._lib.finish(self._handle, exit_code, _ms(end - time.monotonic()), ctypes.addressof(found))
        weakref.finalize(self._rows, self._lib.run_free, self._handle).atexit = False  # no call is in progress without it
        report = Report.of(found, files_unsent)
        if not report.is_complete:
            self._warn("finish", f"the run {self.id} is not complete: {report.losses()}; {report.error or 'no error'}")
        elif report.spool and self.mode == "online":
            self._warn("finish", f'the run {self.id} is not complete on the server: send the rest with "cairn sync {report.spool}"')
        return report

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Any) -> None:
        self._end_by(error)

    def _end_by(self, error: Optional[BaseException]) -> None:
        """Ends it by an exception, or without one. If the agent was told to end, another agent goes on with the trial."""
        if isinstance(error, (KeyboardInterrupt, Told)) and is_trial(self.id) and self._handle:
            self._lib.preempting(self._handle)
        self.finish(status_of(error))

    def __repr__(self) -> str:
        return f"<cairn.Run {self.id} of {self.project or 'the default project'}, {self.mode}>"

    def __reduce__(self) -> "Tuple[Any, Tuple[_Spec]]":
        parent = self._lib.text_of(self._lib.client_id, self._handle) if self._handle else ""
        return _attach, (_Spec(self._values.get("url"), self.project, self.id, self.label, parent, self.mode),)

    # ---- what goes wrong

    def _tell(self, code: int, again: Any, what: str = "the row") -> None:
        """Handles a result of libcairn. In a forked child the call is made again, by a writer of its own."""
        if code == _lib.FORKED and self._report is None:
            self._revive()
            code = again() or _lib.OK
        if code == _lib.FULL and what != "the row":
            self._warn(f"full {what}", f"{what} is left out: there is no room for it")
        elif code == _lib.FULL:
            self._warn("full", "the buffer is full: new data is dropped and counted until the server takes the waiting data")
        elif code == _lib.FINISHED:
            self._warn("finished", f"the run {self.id} is finished: {what} is left out")
        elif code != _lib.OK:
            self._warn(f"code {code}", f"{what} is left out: {'it is too large or not valid' if code == _lib.INVALID else 'out of memory'}")

    def _skip(self, name: str, reason: str) -> None:
        shown = name if len(name) <= 60 else name[:60] + "…"
        self._warn(f"{shown}: {reason}", f"{shown!r} is left out of the row: {reason}")

    def _warn(self, kind: str, text: str) -> None:
        if kind not in self._warned and len(self._warned) < WARNINGS_MAX:
            self._warned.add(kind)
            warnings.warn(text, CairnWarning, stacklevel=_level())

    # ---- fork

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        self._uploader = None
        self._free = {}
        self._is_forked = self._handle is not None
        if self._console:
            self._console.stop()

    def _revive(self) -> None:
        """Joins the run from a forked child, as a worker."""
        with self._lock:
            if not self._is_forked or self._handle is None:
                return
            parent = self._lib.text_of(self._lib.client_id, self._handle)
            values = {**self._values, "run_id": self.id, "role": _lib.WORKER, "label": _label_of_child(self.label),
                      "client_id": None, "parent": parent, "sample_interval_s": 0.0}
            self._is_forked = False
            self._begin(values)


def _step_number(step: Any) -> Any:
    """An integer, also one of NumPy or PyTorch or a float such as 7.0; else the step itself, which is refused later."""
    if isinstance(step, (int, str)):
        return step
    try:
        number = float(step)
        return int(number) if number.is_integer() else step
    except (TypeError, ValueError, OverflowError):
        return step


def _level() -> int:
    """The stack level of the first caller outside of this package, for warnings."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and str(frame.f_globals.get("__name__", "")).split(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    return level


def _ms(seconds: float) -> int:
    return max(0, min(int(seconds * 1000), 2**31 - 1))


def status_of(error: Optional[BaseException]) -> int:
    """The exit status of a program that this exception ends."""
    if error is None:
        return 0
    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        return 1
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _label_of_child(label: str) -> str:
    """At most 128 bytes."""
    return f"{label.encode()[:100].decode(errors='ignore')}-{os.getpid()}"


def _default_name(source: Path) -> str:
    try:
        return source.absolute().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return source.name


def _finish_with_process(run: Run) -> None:
    """A child of multiprocessing ends by os._exit(), after the functions that are registered here. It forgets those that are
    registered before it begins to work, such as when its arguments are read, and calls this again then."""
    process, util = sys.modules.get("multiprocessing.process"), sys.modules.get("multiprocessing.util")
    if process and util:
        util.register_after_fork(run, _finish_with_process)
        if process.parent_process() is not None:
            util.Finalize(None, run.finish, (0, EXIT_TIMEOUT_S), exitpriority=10)


def _attach(spec: _Spec) -> Run:
    """The run of another process, as a worker; in the same process the run itself."""
    for run in runs:
        if run.id == spec.id and run.mode == spec.mode and not run._is_forked:
            return run
    return open_run(mode=spec.mode, project=spec.project, url=spec.url, id=spec.id, role=_lib.WORKER, parent=spec.parent or None,
                 label=_label_of_child(spec.label), sample_interval_s=0.0)


def open_run(*, mode: str, project: Optional[str], url: Optional[str], key: Optional[str] = None, console: bool = False,
          **values: Any) -> Run:
    id = values.pop("id", None)
    ca_file = None if os.environ.get("CAIRN_CA_FILE") else find_authorities()
    run = Run({**values, "url": url, "api_key": key, "project": project, "run_id": id, "ca_file": ca_file,
               "mode": "offline" if mode == "offline" else None, "exit_timeout_ms": 5000}, project, mode)
    runs.append(run)
    if console and mode != "disabled":
        run._console = Console(lambda stream, text: _put_console(run, stream, text))
    return run


def _put_console(run: Run, stream: int, text: str) -> None:
    if isinstance(text, str) and run._handle:
        data = text.encode("utf-8", "replace")
        run._lib.console(run._handle, stream, data, len(data))
