"""How finish() went."""
from __future__ import annotations

from typing import NamedTuple

from ._lib import CReportWithSpool

LOSSES = ("history_unsent", "events_unsent", "console_unsent", "history_lost", "events_lost", "console_lost", "alerts_unsent",
          "values_left_out", "documents_unsent", "end_unsent", "files_unsent")


class Report(NamedTuple):
    """Data that finish() could not store. All zero and False: everything was stored."""

    history_unsent: int = 0
    "Rows not confirmed by the server, which may have stored a few."
    events_unsent: int = 0
    "Rows of system metrics, likewise."
    console_unsent: int = 0
    "Lines, likewise."
    history_lost: int = 0
    "Rows dropped because the buffer was full, or refused by the server."
    events_lost: int = 0
    console_lost: int = 0
    alerts_unsent: int = 0
    values_left_out: int = 0
    "Values of confirmed rows that the server could not store; the run's page lists them."
    documents_unsent: bool = False
    "The last config or summary."
    end_unsent: bool = False
    "The end of this process. The run is shown as running until the server notices the silence."
    files_unsent: bool = False
    history_spooled: int = 0
    "Rows that are in a folder, which `cairn sync` sends. They and the following ones are not lost."
    events_spooled: int = 0
    console_spooled: int = 0
    alerts_spooled: int = 0
    end_spooled: bool = False
    spool: str = ""
    "The folder, empty if there is none."
    error: str = ""
    "The last error, empty if there was none."

    @classmethod
    def of(cls, found: CReportWithSpool, files_unsent: bool) -> Report:
        """The report of libcairn, and whether files were not sent."""
        values = {name: getattr(found, name) for name in cls._fields if hasattr(found, name)}
        texts = {name: value.decode(errors="replace") for name, value in values.items() if isinstance(value, bytes)}
        return cls(**{**values, **texts, "files_unsent": files_unsent})

    @property
    def is_complete(self) -> bool:
        """Whether everything was stored, by the server or in the spool."""
        return not any(getattr(self, name) for name in LOSSES)

    def losses(self) -> str:
        """The members that are not zero, as a text."""
        return ", ".join(f"{name} {int(getattr(self, name))}" for name in LOSSES if getattr(self, name))
