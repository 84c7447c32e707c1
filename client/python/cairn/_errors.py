"""Errors and warnings of the package."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """A call failed. The text says what is wrong, what was expected and what to do."""


class SetupError(Error):
    """The address of the server, the key, a name or another option is missing or invalid."""


class ApiError(Error):
    """The server refused a request. `str()` is the server's own text.

    `status` is the HTTP status, `type` the server's code such as "not-found", `field` the member or parameter that is wrong
    or None, `request_id` identifies the request in the server's log.
    """

    def __init__(self, status: int, type: str, text: str, field: Optional[str] = None, request_id: Optional[str] = None) -> None:
        super().__init__(text)
        self.status = status
        self.type = type
        self.field = field
        self.request_id = request_id
        self._retry_after_s = 0.0


class NotFoundError(ApiError):
    """The project, run or file does not exist, was deleted, or you do not have access."""


class AccessError(ApiError):
    """The key is not valid, or its user does not have permission."""


class UnreachableError(Error):
    """The server did not answer."""


class CairnWarning(UserWarning):
    """A value or row was left out, or data could not be sent. Each reason is reported once for a run."""
