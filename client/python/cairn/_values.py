"""Values of Python as JSON. Scalars and arrays of NumPy and PyTorch are recognised by their methods, so neither is imported."""
from __future__ import annotations

import datetime
import json
import os
import uuid
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Tuple

from ._lib import NAME_MAX_BYTES, ROW_MAX_VALUES

DEPTH_MAX = 30  # libcairn reads 32 levels, of which the row is one
ARRAY_MAX = 10_000  # elements of an array that is logged as a list
LIST_MAX = 250_000  # elements of a list, the server's limit
EXACT_MAX = 2**53  # integers beyond it are stored as doubles by the server

RESERVED = frozenset({"_row", "_label"})

Skip = Callable[[str, str], None]  # name, reason


class Unserializable(Exception):
    """The value has no form in JSON; the text is the reason."""


def _from_integer(value: int) -> Any:
    if -EXACT_MAX <= value <= EXACT_MAX:
        return int(value)
    try:
        return float(value)
    except OverflowError:
        raise Unserializable("the number is too large") from None


def _size_of(value: Any) -> Optional[int]:
    """The number of elements of an array, tensor or scalar of NumPy, PyTorch, JAX or TensorFlow; None for another object."""
    size = getattr(value, "numel", None) or getattr(value, "size", None)
    if callable(size):
        size = size()
    if isinstance(size, int):
        return size
    shape = getattr(value, "shape", None)
    if shape is None:
        return None
    count = 1
    for extent in shape:
        count *= int(extent)
    return count


def _from_array(value: Any, size: int, depth: int) -> Any:
    if size > ARRAY_MAX:
        raise Unserializable(f"it has {size} elements, more than {ARRAY_MAX}: log a histogram of it")
    if hasattr(value, "tolist"):
        return to_json(value.tolist(), depth + 1)
    if hasattr(value, "numpy"):
        return to_json(value.numpy().tolist(), depth + 1)
    raise Unserializable(f"a {type(value).__name__} has no form in JSON")


def _from_number(value: Any) -> Any:
    if hasattr(value, "__index__"):
        return _from_integer(value.__index__())
    if hasattr(value, "__float__"):
        return float(value)
    raise Unserializable(f"a {type(value).__name__} has no form in JSON")


def _from_object(value: Any, depth: int) -> Any:
    """An object of a library."""
    size = _size_of(value)
    if size is None:
        return _from_number(value)
    if size == 1 and hasattr(value, "item"):
        item = value.item()
        if type(item) is type(value):  # such as a long double of NumPy
            return _from_number(value)
        return to_json(item, depth + 1)
    if size == 1 and not getattr(value, "shape", ()):
        return _from_number(value)
    return _from_array(value, size, depth)


def _from_items(value: Sequence[Any], depth: int) -> Any:
    if len(value) > LIST_MAX:
        raise Unserializable(f"it has {len(value)} elements, more than {LIST_MAX}")
    return [to_json(item, depth + 1) for item in value]


def _from_mapping(value: Mapping[Any, Any], depth: int) -> Any:
    return {name_text(name): to_json(item, depth + 1) for name, item in value.items()}


def clean_text(text: str) -> str:
    """Without halves of surrogate pairs, which UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode()


def name_text(name: Any) -> str:
    text = name if isinstance(name, str) else str(name)
    return text if text.isascii() else clean_text(text)


_TEXTS = (datetime.datetime, datetime.date, datetime.time)


def to_json(value: Any, depth: int = 0) -> Any:
    """The value with nothing but what the module json writes; NaN and the infinities are kept. Raises Unserializable."""
    if value is None or isinstance(value, (bool, float)):
        return float(value) if isinstance(value, float) else value
    if depth >= DEPTH_MAX:
        raise Unserializable(f"it is nested more than {DEPTH_MAX} levels deep")
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Enum):
        return to_json(value.value, depth + 1)
    if isinstance(value, int):
        return _from_integer(value)
    if isinstance(value, Mapping):
        return _from_mapping(value, depth)
    if isinstance(value, (list, tuple)):
        return _from_items(value, depth)
    if isinstance(value, (set, frozenset)):
        return _from_items(sorted(value, key=str), depth)
    if isinstance(value, _TEXTS):
        return value.isoformat()
    if isinstance(value, (os.PathLike, uuid.UUID)):
        return clean_text(str(value))
    if isinstance(value, (Decimal, Fraction)):
        return float(value)
    return _from_object(value, depth)


def safe_json(value: Any) -> Any:
    """Like to_json(); whatever goes wrong in a foreign object is Unserializable."""
    try:
        return to_json(value)
    except Unserializable:
        raise
    except Exception as error:
        raise Unserializable(f"a {type(value).__name__} has no form in JSON ({type(error).__name__})") from None


def _as_text(value: Any) -> str:
    try:
        return clean_text(str(value))
    except Exception:
        return f"<{type(value).__name__}>"


def document_json(value: Any, depth: int = 0) -> Any:
    """For config: an object without a form in JSON, such as a function or a device, is stored as its text."""
    if depth >= DEPTH_MAX:
        return _as_text(value)
    if isinstance(value, Mapping):
        return {name_text(name): document_json(item, depth + 1) for name, item in value.items()}
    try:
        return safe_json(value)
    except Unserializable:
        if isinstance(value, (list, tuple)):
            return [document_json(item, depth + 1) for item in value]
        return _as_text(value)


def encode(value: Any) -> bytes:
    """JSON as libcairn reads it: UTF-8, with NaN and Infinity as such. U+0000 is escaped by the module json."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def wrong_name(name: str) -> Optional[str]:
    """Why a name, with those of its parents, cannot be used in a row."""
    if not name:
        return "the name is empty"
    if len(name) > NAME_MAX_BYTES // 4 and len(name.encode()) > NAME_MAX_BYTES:
        return f"the name has more than {NAME_MAX_BYTES} bytes"
    if name in RESERVED:
        return "the name is reserved"
    return None


_PLAIN = frozenset({float, bool, type(None)})


class RowMaker:
    """Makes one row: flat names with values. What cannot be stored is left out and reported to `skip`."""

    def __init__(self, skip: Skip, special: Callable[[str, Any], Any]) -> None:
        self.skip = skip
        self.special = special  # (name, value): the document of a media object; else the value itself
        self.row: Dict[str, Any] = {}

    def _add_leaf(self, name: str, value: Any) -> None:
        reason = wrong_name(name)
        if reason is None and name in self.row:
            reason = "the row has the name twice"
        if reason is None and len(self.row) >= ROW_MAX_VALUES:
            reason = f"the row has more than {ROW_MAX_VALUES} values"
        if reason is None:
            self.row[name] = value
        else:
            self.skip(name, reason)

    def _add_tree(self, name: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for inner, item in value.items():
                self._add_tree(f"{name}.{inner}", item)
        else:
            self._add_leaf(name, value)

    def _add_member(self, name: str, value: Any, depth: int) -> None:
        if type(value) in _PLAIN:
            return self._add_leaf(name, value)
        if isinstance(value, Mapping) and value and depth < DEPTH_MAX:
            for inner, item in value.items():
                self._add_member(f"{name}.{name_text(inner)}", item, depth + 1)
            return
        try:
            self._add_tree(name, safe_json(self.special(name, value)))
        except Unserializable as error:
            self.skip(name, str(error))

    def make(self, data: Mapping[Any, Any]) -> Dict[str, Any]:
        for name, value in data.items():
            self._add_member(name_text(name), value, 0)
        return self.row


def split_step(row: Dict[str, Any], skip: Skip) -> Dict[str, Any]:
    """Removes a step or time that the library would refuse together with the whole row."""
    checks: Tuple[Tuple[str, float, float], ...] = (("_step", 0, EXACT_MAX), ("_timestamp", 0, 253402300799))
    for name, least, most in checks:
        value = row.get(name, least)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not least <= value <= most or (name == "_step" and value != int(value)):
            skip(name, f"{value!r} is not a number from {least:g} to {most:g}")
            del row[name]
    return row
