"""Sweeps: they are made, read and controlled here; _agent.py runs their trials."""
from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from ._errors import ApiError, Error
from ._http import Client, Query, quote
from ._settings import find_login

PAGE = 200


class SweepTrial(NamedTuple):
    """A point of the space that was tried."""

    trial: int
    state: str
    """"handed_out", "running", "finished", "failed", "crashed", "killed", "lost", "deleted" or "preempted"."""
    run: Optional[str]
    """Id of its run."""
    params: Optional[Dict[str, Any]]
    """Its parameters; None if the run is private and you cannot see it."""
    value: Optional[float]
    """Best value of the metric; None if there is none."""


def _trial(document: Mapping[str, Any]) -> SweepTrial:
    return SweepTrial(*(document[name] for name in SweepTrial._fields))


class Sweep:
    """A sweep, as the server has it."""

    def __init__(self, client: Client, entity: str, project: str, id: str) -> None:
        self._client = client
        self._path = f"/projects/{quote(entity)}/{quote(project)}/sweeps/{quote(id)}"
        self.id = id
        self.entity = entity
        self.project = project

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"{self._client.url}/{quote(self.entity)}/{quote(self.project)}/sweeps/{self.id}"

    @property
    def state(self) -> str:
        """"pending", "running", "paused", "finished" or "canceled". One request for each use."""
        state: str = self.document()["state"]
        return state

    def document(self) -> Dict[str, Any]:
        """All that the server says of it: `config`, `method`, `metric`, `expected`, `why_ended`, …"""
        document: Dict[str, Any] = self._client.get(self._path)
        return document

    def trials(self, state: Optional[str] = None) -> Iterator[SweepTrial]:
        """Its trials, the oldest first; only those in this state."""
        return map(_trial, self._client.pages(f"{self._path}/trials", {"limit": PAGE, "state": state}))

    def best(self) -> Optional[SweepTrial]:
        """The trial with the best value of the metric; None if no trial has one yet."""
        query: Query = {"order": "best", "limit": 1}
        found = [_trial(item) for item in self._client.get(f"{self._path}/trials", query)["items"]]
        return found[0] if found and found[0].value is not None else None

    def pause(self) -> None:
        """Hands out no more trials until `resume()`; running trials go on."""
        self._set("paused")

    def resume(self) -> None:
        """Hands out trials again, also after `stop()` or `cancel()`."""
        self._set("running")

    def stop(self) -> None:
        """Finishes the sweep: running trials go on to their end, then agents leave."""
        self._set("finished")

    def cancel(self) -> None:
        """Ends the sweep, and agents kill their trials."""
        self._set("canceled")

    def _set(self, state: str) -> None:
        self._client.ask("PATCH", self._path, body={"state": state})

    def __repr__(self) -> str:
        return f"<cairn sweep {self.entity}/{self.project}/{self.id}>"


def find_sweep(client: Client, path: str, project: Optional[str]) -> Sweep:
    """The sweep "sweep", "project/sweep" or "entity/project/sweep". Raises NotFoundError."""
    place, slash, id = path.rpartition("/")
    if not re.fullmatch("[a-z0-9]{8}", id) or place.count("/") > 1 or (slash and not all(place.split("/"))):
        raise Error(f'invalid sweep {path!r}: expected "sweep", "project/sweep" or "entity/project/sweep", where sweep is an id '
                    'such as "k3x9a0bq"')
    entity, last = _place(client, place or project)
    found = Sweep(client, entity, last, id)
    found.document()
    return found


def _place(client: Client, project: Optional[str]) -> Tuple[str, str]:
    """(entity, project)"""
    entity, slash, name = (project or os.environ.get("CAIRN_PROJECT") or "uncategorized").rpartition("/")
    return (entity if slash else client.get("/viewer")["default_entity"]), name


def _read_config(config: Union[Mapping[str, Any], str, Path]) -> Union[Dict[str, Any], str]:
    if isinstance(config, Mapping):
        return dict(config)
    if isinstance(config, str) and ("\n" in config or config.lstrip().startswith("{")):
        return config
    try:
        return Path(config).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Error(f"cannot read the config {str(config)!r}: {error}") from None


def _place_of_config(client: Client, entity: str, project: str, config: Any) -> Tuple[str, str]:
    """The place that the config names, which the server reads; else this one, whose project answers the request."""
    try:
        checked = client.ask("POST", f"/projects/{quote(entity)}/{quote(project)}/sweeps", {"dry_run": True}, {"config": config})
    except ApiError as error:
        if error.status not in (403, 410):
            raise
        text = f'{error}: the config was to be read in {entity}/{project}. Set project="entity/project" or CAIRN_PROJECT.'
        raise type(error)(error.status, error.type, text, error.field, error.request_id) from None
    return checked.get("entity") or entity, checked.get("project") or project


def sweep(config: Union[Mapping[str, Any], str, Path], project: Optional[str] = None, *, name: Optional[str] = None,
          prior_runs: Sequence[str] = (), url: Optional[str] = None, key: Optional[str] = None) -> Sweep:
    """Makes a sweep, a search for good values of parameters. `agent()` and `cairn agent` run its trials.

    config: a dict, a file of YAML or JSON, or its text: `method`, `metric`, `parameters` (docs/sweeps.md).
    project: "entity/project", or "project" of your default entity (CAIRN_PROJECT, else that of the config, else "uncategorized").
    name: its display name. prior_runs: ids of runs of the project from which the search learns.
    url, key: of the server, found like those of `init()`.

    Raises ApiError with the first error of the config.
    """
    client = Client(find_login(url, key))
    entity, last = _place(client, project)
    body: Dict[str, Any] = {"config": _read_config(config)}
    if not (project or os.environ.get("CAIRN_PROJECT")):
        entity, last = _place_of_config(client, entity, last, body["config"])
    body.update({"display_name": name} if name else {})
    body.update({"prior_runs": list(prior_runs)} if prior_runs else {})
    made = client.ask("POST", f"/projects/{quote(entity)}/{quote(last)}/sweeps", body=body)
    return Sweep(client, entity, last, made["id"])
