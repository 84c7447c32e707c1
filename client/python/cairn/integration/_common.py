"""Metrics of a framework as a row, and a run that a callback starts if the caller has none."""
from __future__ import annotations

from typing import Any, Dict, Mapping, Optional

from .._init import current, init
from .._run import Run


def with_prefix(metrics: Mapping[str, Any], prefix: str) -> Dict[str, Any]:
    return {f"{prefix}{name}": value for name, value in metrics.items()} if prefix else dict(metrics)


class Owner:
    """The run of a callback: the one given, else the newest of the process, else one that is started and finished here."""

    def __init__(self, run: Optional[Run], options: Dict[str, Any]) -> None:
        self._run = run
        self._options = options
        self._is_own = False

    @property
    def run(self) -> Run:
        if self._run is None:
            self._run = current()
        if self._run is None:
            self._run = init(**self._options)
            self._is_own = True
        return self._run

    def end(self, exit_code: int = 0) -> None:
        """Finishes a run that was started here; else waits until its rows are stored."""
        if self._run is None:
            return
        if self._is_own:
            self._run.finish(exit_code)
            self._run, self._is_own = None, False
        else:
            self._run.flush()
