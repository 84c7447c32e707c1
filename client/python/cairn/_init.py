"""Starting a run, the functions of the module that use the newest one, and the end of the process."""
from __future__ import annotations

import atexit
import os
import sys
import time
from typing import Any, Mapping, Optional, Sequence, Type

from . import _lib
from ._documents import members_of
from ._errors import Error
from ._options import mode_of, tags_text
from ._report import Report
from ._run import EXIT_TIMEOUT_S, FINISH_TIMEOUT_S, Run, open_run, runs, status_of
from ._trial import current_trial

_failure = 0  # exit status of an exception that ends the program


def init(project: Optional[str] = None, name: Optional[str] = None, id: Optional[str] = None, group: Optional[str] = None,
         job_type: Optional[str] = None, tags: Optional[Sequence[str]] = None, notes: Optional[str] = None, config: Any = None,
         label: Optional[str] = None, primary: Optional[bool] = None, mode: Optional[str] = None, *,
         console: bool = False, sample_interval_s: Optional[float] = None, url: Optional[str] = None,
         key: Optional[str] = None) -> Run:
    """Starts a run, or joins the run with this id. Returns at once, even if the server is not reachable.

    Arguments that are None are taken from the environment, else from the file written by `cairn login`.

    project: "entity/project", or "project" of your default entity (CAIRN_PROJECT, else "uncategorized").
    name, group, job_type, tags, notes: of a run that this call creates; ignored if it exists (CAIRN_NAME, …).
    id: of the run (CAIRN_RUN, else random).
    config: a dict, argparse.Namespace or dataclass.
    label: the name of this process in the run (CAIRN_LABEL, else the host and random characters).
    primary: only a primary decides how the run ends. False makes this process a worker (CAIRN_ROLE, else True).
    mode: "online"; "offline", which writes to a folder for `cairn sync`; "disabled", where all calls do nothing (CAIRN_MODE).
    console: copies what is written to sys.stdout and sys.stderr into the run. `cairn run` also copies the output of programs
        that are started.
    sample_interval_s: seconds between samples of system metrics, 0.1 or more; 0: none (CAIRN_SAMPLE_INTERVAL, else 15).
    url, key: of the server (CAIRN_URL, CAIRN_API_KEY or CAIRN_API_KEY_FILE).

    In a trial of a sweep (`cairn agent`, `cairn.agent()`) the run is that of the trial: `project` and `id` are ignored, and its
    parameters are in the config, also over members of `config`.

    Raises SetupError if no server or key is set, or an argument is not valid. Nothing else stops the program: a key that the
    server refuses is reported by `run.wait()` and at the end.
    """
    members = members_of(config)
    trial = current_trial()
    if trial and trial.is_own and primary is None:
        primary = True  # the environment may say what this process is in another run
    role = None if primary is None else _lib.PRIMARY if primary else _lib.WORKER
    if trial:
        members = {**members, **trial.params}
        project, id, trial.has_run = trial.project or project, trial.run, True
    run = open_run(mode=mode_of(mode), project=project, url=url, key=key, console=console, id=id, display_name=name, group=group,
                job_type=job_type, tags=tags_text(tags), notes=notes, label=label, role=role,
                sample_interval_s=None if sample_interval_s is None else float(sample_interval_s))
    run.config.update(members)
    return run


def current() -> Optional[Run]:
    """The newest run that is not finished."""
    return runs[-1] if runs else None


def _need() -> Run:
    run = current()
    if run is None:
        raise Error("no run: call cairn.init() first")
    return run


def log(data: Mapping[str, Any], step: Optional[int] = None) -> None:
    """`log()` of the newest run. Raises Error if there is none."""
    _need().log(data, step)


def finish(exit_code: int = 0, timeout: float = FINISH_TIMEOUT_S) -> Optional[Report]:
    """Finishes the newest run. None if there is none."""
    run = current()
    return run.finish(exit_code, timeout) if run else None


# ---- the end of the process

def _at_exit() -> None:
    end = time.monotonic() + EXIT_TIMEOUT_S
    for run in list(runs):
        run._end_with_process(_failure, max(0.1, end - time.monotonic()))


def _watch_exceptions() -> None:
    before = sys.excepthook

    def remember(kind: Type[BaseException], error: BaseException, trace: Any) -> None:
        global _failure
        _failure = status_of(error) or 1
        before(kind, error, trace)

    sys.excepthook = remember


def _after_fork_in_child() -> None:
    for run in runs:
        run._after_fork()


atexit.register(_at_exit)
_watch_exceptions()
os.register_at_fork(after_in_child=_after_fork_in_child)
