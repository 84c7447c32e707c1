"""An agent in this process: a function runs the trials of a sweep, one after the other."""
from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional, Union

from ._errors import ApiError, Error, UnreachableError
from ._http import Client, quote
from ._init import init
from ._run import runs, status_of
from ._settings import find_login
from ._sweep import Sweep, find_sweep
from ._trial import Told, Trial, set_trial

BEAT_S = 5.0
REQUEST_TIMEOUT_S = 20.0
PATIENCE_S = 600.0  # for a server that is away when a trial begins
FAILURES_MAX = 5  # in a row


def _is_away(error: Union[ApiError, UnreachableError]) -> bool:
    """Whether a later attempt may succeed."""
    return isinstance(error, UnreachableError) or error.status in (408, 429) or error.status >= 500


class _Agent:
    def __init__(self, sweep: Sweep, client: Client, failures_max: int) -> None:
        self._pid = os.getpid()
        self._client = client
        self._project = f"{sweep.entity}/{sweep.project}"
        self._runs_path = f"/projects/{quote(sweep.entity)}/{quote(sweep.project)}/runs"
        self._sweep = sweep
        self._failures_max = failures_max
        self._failures = 0
        self._has_ended = False  # the sweep
        self._away = False  # the server
        self._stopped: Optional[str] = None  # the run that was asked to stop
        made = client.ask("POST", f"{sweep._path}/agents", body={"host": socket.gethostname() or "unknown"})
        self._path = f"{sweep._path}/agents/{made['agent']}"

    # ---- heartbeats

    def _beat(self, run: Optional[str]) -> List[Dict[str, Any]]:
        """Commands; nothing if the server is busy or away. A refusal during a trial is raised after it."""
        try:
            body = {"runs": [run] if run else []}
            commands: List[Dict[str, Any]] = self._client.ask("POST", f"{self._path}/heartbeat", body=body, repeat=False)["commands"]
        except (ApiError, UnreachableError) as error:
            if not self._wait_for(error) and run is None:
                raise
            return []
        self._away = False
        for command in commands:
            if command["type"] == "exit":
                self._has_ended = True
            if command["type"] in ("exit", "stop"):
                self._stop(command.get("run") or run)
        return commands

    def _wait_for(self, error: Union[ApiError, UnreachableError]) -> bool:
        """Whether the server is busy or away, which is said once."""
        if _is_away(error) and not self._away:
            self._away = True
            print(f"cairn: {error}; trying again every {BEAT_S:.0f} seconds", file=sys.stderr)
        return _is_away(error)

    def _stop(self, run: Optional[str]) -> None:
        self._stopped = run
        for open_run in list(runs):
            if open_run.id == run:
                open_run._is_stopped = True

    def _beat_while(self, run: str, over: threading.Event) -> None:
        while not over.wait(BEAT_S):
            if self._has_ended:
                self._stop(run)  # the function may have started it only now
            else:
                self._beat(run)

    def _next(self) -> Optional[Dict[str, Any]]:
        """Waits for a trial; None if the sweep has ended."""
        while True:
            begun = time.monotonic()
            for command in self._beat(None):
                if command["type"] in ("run", "resume"):
                    return command
            if self._has_ended:
                return None
            time.sleep(max(0.0, BEAT_S - (time.monotonic() - begun)))

    # ---- trials

    def run(self, function: Callable[[], Any], count: Optional[int]) -> None:
        done = 0
        try:
            while not self._has_ended and (count is None or done < count):
                command = self._next()
                if command is None:
                    break
                self._make_run(command["run"])
                self._run_trial(Trial(command["run"], self._project, command["params"]), function)
                done += 1
        finally:
            self._leave()

    def _make_run(self, run: str) -> None:
        """Makes the run of a trial, or finds it. Without an answer it may be there all the same: the same request is repeated."""
        while True:
            try:
                self._client.patient(PATIENCE_S).ask("PUT", f"{self._runs_path}/{quote(run)}", body={"sweep": self._sweep.id})
                return
            except (ApiError, UnreachableError) as error:
                if not self._wait_for(error):
                    raise
            time.sleep(BEAT_S)

    def _run_trial(self, trial: Trial, function: Callable[[], Any]) -> None:
        over = threading.Event()
        thread = threading.Thread(target=self._beat_while, args=(trial.run, over), name="cairn-agent", daemon=True)
        thread.start()
        failure: Optional[BaseException] = None
        set_trial(trial)
        try:
            function()
        except BaseException as error:
            failure = error
        finally:
            self._end_child(failure)
            try:
                self._finish(trial, failure)
            finally:
                set_trial(None)
                over.set()
                thread.join()
        self._judge(trial, failure)

    def _end_child(self, failure: Optional[BaseException]) -> None:
        """A forked child that leaves the function does not go on as an agent."""
        if os.getpid() != self._pid:
            raise failure or SystemExit(0)

    def _finish(self, trial: Trial, failure: Optional[BaseException]) -> None:
        """Ends the run, if the function did not; a function that started none has one, too."""
        if not trial.has_run:
            init()
        for run in [run for run in runs if run.id == trial.run]:
            run._end_by(failure)

    def _judge(self, trial: Trial, failure: Optional[BaseException]) -> None:
        if failure is None or status_of(failure) == 0:
            self._failures = 0
            return
        if isinstance(failure, Told) or not isinstance(failure, (Exception, SystemExit)):  # Ctrl-C
            raise failure
        if self._stopped == trial.run:
            return
        traceback.print_exception(type(failure), failure, failure.__traceback__, file=sys.stderr)
        self._failures += 1
        if self._failures_max and self._failures >= self._failures_max:
            raise Error(f"{self._failures} trials in a row failed: the agent ends; max_failures= changes the limit") from failure

    def _leave(self) -> None:
        if os.getpid() != self._pid:
            return
        try:
            self._client.ask("DELETE", self._path, repeat=False)
        except (ApiError, UnreachableError):
            pass  # the server notices the silence


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends an agent as Ctrl-C does, unless the program handles it."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    pid = os.getpid()

    def end(number: int, _frame: Any) -> None:
        if os.getpid() == pid:
            raise Told
        signal.signal(number, signal.SIG_DFL)  # a forked child ends as without an agent
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def agent(sweep: Union[Sweep, str], function: Callable[[], Any], count: Optional[int] = None, *, project: Optional[str] = None,
          max_failures: int = FAILURES_MAX, url: Optional[str] = None, key: Optional[str] = None) -> None:
    """Runs trials of a sweep by a function, in this thread, one after the other, until the sweep has ended.

    sweep: of `cairn.sweep()`, or "sweep", "project/sweep" or "entity/project/sweep".
    function: called without arguments. `cairn.init()` in it starts the run of the trial, whose `config` has the parameters. Its
        return ends the run, an exception makes it failed.
    count: at most so many trials. max_failures: raises Error after so many failed trials in a row; 0: never.
    project: of a sweep without one (CAIRN_PROJECT, else "uncategorized"). url, key: of the server, found like those of `init()`.

    While the server is away, the trial goes on, and the next one waits. A trial that is stopped, by a user or the search, has
    `run.should_stop`: save your work and return. Raises NotFoundError if the sweep was deleted.

    Ctrl-C and SIGTERM end the agent, by KeyboardInterrupt and SystemExit. Another agent goes on with the run of the trial.
    """
    login = find_login(url, key)
    found = sweep if isinstance(sweep, Sweep) else find_sweep(Client(login), sweep, project)
    client = found._client if isinstance(sweep, Sweep) and not (url or key) else Client(login, REQUEST_TIMEOUT_S)
    with _terminable():
        _Agent(found, client, max_failures).run(function, count)
