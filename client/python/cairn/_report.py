"""How finish() went."""
from __future__ import annotations

from typing import NamedTuple


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
    error: str = ""
    "The last error, empty if there was none."

    @property
    def is_complete(self) -> bool:
        """Whether everything was stored."""
        return not any(self[:-1])
