"""libcairn, called through ctypes.

Calls that only copy their arguments keep the interpreter's lock (PyDLL): giving it back and taking it again costs more than the
call, and another thread may take it for 5 ms in between. Calls that wait give it back (CDLL).
"""
from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from ._errors import SetupError

OK, INVALID, FULL, MEMORY, FINISHED, FORKED, TIMEOUT, REFUSED, SETUP = range(9)
PRIMARY, WORKER = 1, 2
STDOUT, STDERR = 1, 2
ALERT_LEVELS = {"info": 1, "warn": 2, "error": 3}

NAME_MAX_BYTES = 2048
ROW_MAX_VALUES = 9_999  # the server takes 10,000, and the time of the row is one


class Metric(ctypes.Structure):
    _fields_ = [("name", ctypes.c_void_p), ("value", ctypes.c_double)]


class Options(ctypes.Structure):
    """struct cairn_options of a library without offline mode."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("url", ctypes.c_char_p),
        ("api_key", ctypes.c_char_p),
        ("api_key_file", ctypes.c_char_p),
        ("ca_file", ctypes.c_char_p),
        ("project", ctypes.c_char_p),
        ("run_id", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("client_id", ctypes.c_char_p),
        ("parent", ctypes.c_char_p),
        ("role", ctypes.c_int),
        ("display_name", ctypes.c_char_p),
        ("group", ctypes.c_char_p),
        ("job_type", ctypes.c_char_p),
        ("tags", ctypes.c_char_p),
        ("notes", ctypes.c_char_p),
        ("config_json", ctypes.c_char_p),
        ("sample_interval_s", ctypes.c_double),
        ("sample_pid", ctypes.c_int),
        ("sample_disks", ctypes.c_char_p),
        ("sample_gpus", ctypes.c_char_p),
        ("buffer_bytes", ctypes.c_int64),
        ("flush_interval_ms", ctypes.c_int),
        ("request_timeout_ms", ctypes.c_int),
        ("exit_timeout_ms", ctypes.c_int),
    ]


class OptionsWithMode(Options):
    """struct cairn_options of a library that can spool to disk."""

    _fields_ = [("mode", ctypes.c_char_p)]


class CReport(ctypes.Structure):
    _fields_ = [
        ("history_unsent", ctypes.c_uint64),
        ("events_unsent", ctypes.c_uint64),
        ("console_unsent", ctypes.c_uint64),
        ("history_lost", ctypes.c_uint64),
        ("events_lost", ctypes.c_uint64),
        ("console_lost", ctypes.c_uint64),
        ("alerts_unsent", ctypes.c_uint64),
        ("values_left_out", ctypes.c_uint64),
        ("documents_unsent", ctypes.c_bool),
        ("end_unsent", ctypes.c_bool),
        ("error", ctypes.c_char * 256),
    ]


class CReportWithSpool(CReport):
    """struct cairn_report of a library that can spool to disk. An older one leaves the rest as it is: zero."""

    _fields_ = [
        ("history_spooled", ctypes.c_uint64),
        ("events_spooled", ctypes.c_uint64),
        ("console_spooled", ctypes.c_uint64),
        ("alerts_spooled", ctypes.c_uint64),
        ("end_spooled", ctypes.c_bool),
        ("spool", ctypes.c_char * 1024),
    ]


_RUN = ctypes.c_void_p
_TEXT = ctypes.c_char_p
_INT = ctypes.c_int

# name: (keeps the interpreter's lock, result, arguments)
_FUNCTIONS: Dict[str, Tuple[bool, Any, List[Any]]] = {
    "cairn_run_start": (False, _INT, [ctypes.c_void_p, ctypes.POINTER(_RUN)]),
    "cairn_wait_joined": (False, _INT, [_RUN, _INT]),
    "cairn_log": (True, _INT, [_RUN, ctypes.c_size_t, ctypes.c_void_p]),
    "cairn_log_step": (True, _INT, [_RUN, ctypes.c_int64, ctypes.c_size_t, ctypes.c_void_p]),
    "cairn_log_json": (True, _INT, [_RUN, _TEXT]),
    "cairn_config_json": (True, _INT, [_RUN, _TEXT]),
    "cairn_summary_json": (True, _INT, [_RUN, _TEXT]),
    "cairn_console": (True, _INT, [_RUN, _INT, _TEXT, ctypes.c_size_t]),
    "cairn_alert": (True, _INT, [_RUN, _INT, _TEXT, _TEXT]),
    "cairn_preempting": (True, _INT, [_RUN]),
    "cairn_flush": (False, _INT, [_RUN, _INT]),
    "cairn_finish": (False, _INT, [_RUN, _INT, _INT, ctypes.c_void_p]),
    "cairn_run_free": (False, None, [_RUN]),
    "cairn_run_id": (True, _TEXT, [_RUN]),
    "cairn_client_id": (True, _TEXT, [_RUN]),
    "cairn_label": (True, _TEXT, [_RUN]),
    "cairn_run_url": (True, ctypes.c_size_t, [_RUN, ctypes.c_char_p, ctypes.c_size_t]),
    "cairn_should_stop": (True, ctypes.c_bool, [_RUN]),
    "cairn_last_error": (True, ctypes.c_size_t, [_RUN, ctypes.c_char_p, ctypes.c_size_t]),
    "cairn_result_name": (True, _TEXT, [_INT]),
    "cairn_version": (True, _TEXT, []),
}


class Library:
    """The functions of libcairn as attributes, without the prefix: `lib.run_start`."""

    def __init__(self, path: str) -> None:
        try:
            keeping, waiting = ctypes.PyDLL(path), ctypes.CDLL(path)
        except OSError as error:
            raise SetupError(f"cannot load libcairn: {error}") from None
        for name, (keeps, result, arguments) in _FUNCTIONS.items():
            library = keeping if keeps else waiting
            function = getattr(library, f"{name}_v2", None) or getattr(library, name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, name[len("cairn_"):], function)
        # Arguments of these are made once, as objects of ctypes, which are passed faster than those that it has to convert.
        self.bare_log = ctypes.PyDLL(path).cairn_log
        self.bare_log_step = ctypes.PyDLL(path).cairn_log_step

    def __getattr__(self, name: str) -> Any:  # for the type checker; all functions are set above
        raise AttributeError(name)

    def error_of(self, run: Optional[int]) -> str:
        """The text of the last error of a run, or of the last start in this thread that failed."""
        text = ctypes.create_string_buffer(1024)
        self.last_error(run, text, len(text))
        return text.value.decode(errors="replace")

    def text_of(self, function: Any, *arguments: Any) -> str:
        value: Optional[bytes] = function(*arguments)
        return (value or b"").decode(errors="replace")


_loaded: Optional[Library] = None


def _path() -> str:
    """CAIRN_LIBRARY, else the library of the package, else that of the system."""
    own = Path(__file__).parent / "libcairn.so"
    return os.environ.get("CAIRN_LIBRARY") or (str(own) if own.exists() else "libcairn.so.1")


def library() -> Library:
    global _loaded
    if _loaded is None:
        _loaded = Library(_path())
    return _loaded
