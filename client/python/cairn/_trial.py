"""The trial of a sweep that this process runs, if it runs one."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Optional

_own: Optional["Trial"] = None  # of an agent in this process


class Trial:
    def __init__(self, run: str, project: Optional[str], params: Dict[str, Any]) -> None:
        self.run = run
        self.project = project
        self.params = params
        self.has_run = False  # cairn.init() was called
        self.is_own = False  # of an agent in this process
        self.pid = 0  # of that agent


class Told(SystemExit):
    """Raised in an agent that is sent SIGTERM."""

    def __init__(self) -> None:
        super().__init__(143)


def set_trial(trial: Optional[Trial]) -> None:
    global _own
    _own = trial
    if trial:
        trial.is_own = True
        trial.pid = os.getpid()


def _of_environment() -> Optional[Trial]:
    """As `cairn agent` starts programs."""
    run, text = os.environ.get("CAIRN_RUN"), os.environ.get("CAIRN_PARAMS")
    if not os.environ.get("CAIRN_SWEEP") or not run or not text:
        return None
    try:
        params = json.loads(text)
    except ValueError:
        return None
    return Trial(run, os.environ.get("CAIRN_PROJECT"), params) if isinstance(params, dict) else None


def current_trial() -> Optional[Trial]:
    return _own or _of_environment()


def is_trial(run: str) -> bool:
    """Whether an agent in this process runs this trial. A forked child is another process."""
    return _own is not None and _own.run == run and _own.pid == os.getpid()
