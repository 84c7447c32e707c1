"""Requests to the REST API, by the standard library."""
from __future__ import annotations

import copy
import http.client
import json
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import IO, Any, Callable, Dict, Iterator, Mapping, Optional, Protocol, Union

from ._errors import AccessError, ApiError, NotFoundError, UnreachableError
from ._settings import Login, find_authorities

PAUSES_S = (0.2, 0.5, 1.0, 2.0, 4.0)  # between tries of a request that may be repeated
PATIENT_S = 10.0  # between tries of a client that is patient, after these
RETRY_AFTER_S = 300.0  # at most, of what a server asks for
BUSY = frozenset({429, 502, 503, 504})
ERRORS = {401: AccessError, 403: AccessError, 404: NotFoundError, 410: NotFoundError}

Query = Mapping[str, Optional[Union[str, int, float, bool]]]


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...


Body = Union[bytes, IO[bytes], Readable]
MakeBody = Callable[[], Body]


def quote(part: str) -> str:
    """One segment of a path."""
    return urllib.parse.quote(part, safe="")


def list_text(names: Any) -> str:
    """Names of keys as one parameter."""
    import re

    texts = [names] if isinstance(names, str) else list(names)
    return ",".join(re.sub(r"\\(?=[,\\]|$)", r"\\\\", text).replace(",", r"\,") for text in texts)


def _encode(query: Query) -> str:
    words = {name: str(value).lower() if isinstance(value, bool) else value for name, value in query.items()
             if value is not None}
    return "?" + urllib.parse.urlencode(words) if words else ""


def _problem(error: urllib.error.HTTPError) -> ApiError:
    """The server's problem document as an exception."""
    with error:
        text = error.read(1 << 16).decode(errors="replace")
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if not isinstance(document, dict) or "title" not in document:
        hint = "check that CAIRN_URL is the address of a Cairn server"
        return ERRORS.get(error.code, ApiError)(error.code, "unknown", f"HTTP status {error.code} {error.reason}: {hint}")
    kind = str(document.get("type", "")).rpartition(":")[2]
    problem = ERRORS.get(error.code, ApiError)(error.code, kind, document.get("detail") or document["title"],
                                               document.get("field"), document.get("request_id"))
    after = str(error.headers.get("Retry-After", ""))
    problem._retry_after_s = min(float(after), RETRY_AFTER_S) if after.isdigit() else 0.0
    return problem


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Client:
    """`timeout_s` is of one request, and of each wait for the next bytes of its answer."""

    def __init__(self, login: Login, timeout_s: float = 60) -> None:
        self.url = login.url
        self.timeout_s = timeout_s
        self._patience_s = 0.0
        self._authorization = f"Bearer {login.key}"
        handlers: list[Any] = [_NoRedirect()]
        if login.url.startswith("https://"):
            context = ssl.create_default_context(cafile=login.ca_file or find_authorities())
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def patient(self, patience_s: float) -> Client:
        """The same for large transfers: requests are repeated for so long while the server is busy or away."""
        other = copy.copy(self)
        other._patience_s = patience_s
        return other

    def _pauses(self) -> Iterator[float]:
        yield from PAUSES_S
        until = time.monotonic() + self._patience_s
        while time.monotonic() < until:
            yield PATIENT_S

    def _open(self, method: str, path: str, query: Query, body: Optional[Body], head: Mapping[str, str]) -> http.client.HTTPResponse:
        request = urllib.request.Request(f"{self.url}/api/v1{path}{_encode(query)}", data=body, method=method)
        for name, value in {"Authorization": self._authorization, "Accept": "application/json", **head}.items():
            request.add_header(name, value)
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=self.timeout_s)
            return answer
        except urllib.error.HTTPError as error:
            raise _problem(error) from None
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise UnreachableError(f"cannot reach {self.url}: {reason}") from None

    def open(self, method: str, path: str, query: Optional[Query] = None, body: Optional[MakeBody] = None,
             head: Optional[Mapping[str, str]] = None, repeat: bool = True) -> http.client.HTTPResponse:
        """The answer, to be read and closed. A request that may be repeated is sent again while the server is busy or away."""
        pauses = self._pauses() if repeat else iter(())
        while True:
            try:
                return self._open(method, path, query or {}, body() if body else None, head or {})
            except (ApiError, UnreachableError) as error:
                pause = next(pauses, None)
                if pause is None or (isinstance(error, ApiError) and error.status not in BUSY):
                    raise
                asked = error._retry_after_s if isinstance(error, ApiError) and self._patience_s else 0.0
                time.sleep(max(pause, asked))

    def ask(self, method: str, path: str, query: Optional[Query] = None, body: Any = None, repeat: bool = True) -> Any:
        """JSON for JSON."""
        head: Dict[str, str] = {}
        make: Optional[MakeBody] = None
        if body is not None:
            text = json.dumps(body).encode()
            head, make = {"Content-Type": "application/json"}, lambda: text
        with self.open(method, path, query, make, head, repeat) as answer:
            text = answer.read()
        try:
            return json.loads(text) if text else None
        except ValueError:
            raise UnreachableError(f"{self.url} did not answer with JSON: check that it is a Cairn server") from None

    def get(self, path: str, query: Optional[Query] = None) -> Any:
        return self.ask("GET", path, query)

    def _current_page(self, path: str, query: Query) -> Any:
        """A page. A busy server says that a list of runs lacks the newest data: it is asked again for a while."""
        for pause in (*PAUSES_S, 0):
            page = self.get(path, query)
            if "behind_s" not in page or "cursor" in query:
                break
            time.sleep(pause)
        return page

    def pages(self, path: str, query: Optional[Query] = None) -> Iterator[Any]:
        """Items of all pages of a list."""
        query = dict(query or {})
        while True:
            page = self._current_page(path, query)
            yield from page["items"]
            if not page.get("next_cursor"):
                return
            query["cursor"] = page["next_cursor"]

    def lines(self, path: str, query: Query) -> Iterator[bytes]:
        """Lines of an answer as they come. An answer that breaks off raises UnreachableError."""
        with self.open("GET", path, query, head={"Accept": "*/*"}) as answer:
            try:
                yield from answer
            except (OSError, http.client.HTTPException) as error:
                raise UnreachableError(f"the answer of {self.url} broke off: {error}") from None
