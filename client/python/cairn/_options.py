"""Arguments of cairn.init() as struct cairn_options."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Optional, Sequence

from . import _lib
from ._errors import SetupError
from ._lib import Library, Options, OptionsWithMode

MODES = {"online": "online", "offline": "offline", "dryrun": "offline", "disabled": "disabled"}


def encode_text(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else str(value).encode("utf-8", "replace")


def tags_text(tags: Optional[Sequence[str]]) -> Optional[str]:
    if tags is None or isinstance(tags, str):
        return tags
    for tag in tags:
        if "," in tag:
            raise SetupError(f"invalid tag {tag!r}: a tag cannot contain a comma")
    return ",".join(tags)


def mode_of(mode: Optional[str]) -> str:
    mode = mode or os.environ.get("CAIRN_MODE") or "online"
    if mode not in MODES:
        raise SetupError(f'invalid mode {mode!r}: expected "online", "offline" or "disabled"')
    return MODES[mode]


def start(lib: Library, values: Dict[str, Any]) -> int:
    """Starts a run; its handle. Raises SetupError."""
    for kind in (OptionsWithMode, Options):
        options = kind(sample_interval_s=-1, sample_pid=-1, buffer_bytes=-1, flush_interval_ms=-1, request_timeout_ms=-1,
                       exit_timeout_ms=-1)
        options.size = ctypes.sizeof(kind)
        for name, value in values.items():
            if value is not None and (name != "mode" or kind is OptionsWithMode):
                setattr(options, name, encode_text(value) if isinstance(value, str) else value)
        handle = ctypes.c_void_p()
        code = lib.run_start(ctypes.addressof(options), ctypes.byref(handle))
        if code == _lib.OK and handle.value:
            return handle.value
        text = lib.error_of(None)
        if "CAIRN_OPTIONS_INIT" not in text:
            break
        if values.get("mode") == "offline":
            raise SetupError("this libcairn has no offline mode: install a newer one")
    raise SetupError(text or f"cannot start the run: {lib.text_of(lib.result_name, code)}")
