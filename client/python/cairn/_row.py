"""Rows of numbers as libcairn takes them, made once for each set of names.

A row is an array of struct cairn_metric, pointers to names next to doubles. The names are written when the row is made. A call
packs the doubles, copies them through a view that steps over the pointers, and passes arguments of ctypes that were made
before. Assigning members of ctypes one by one takes five times as long, and a row as JSON ten times.
"""
from __future__ import annotations

import ctypes
import struct
from functools import partial
from typing import Any, Dict, Iterable, List, Optional, Set, Tuple

from ._lib import Library, Metric

Names = Tuple[str, ...]
KINDS_MAX = 1000  # sets of names that are kept

# Types whose values become a double by __float__ and nothing else. Those of NumPy are added when they are first seen: bool is
# not one of them, because it is stored as true or false.
quick_types: Set[type] = {float, int}


def learn_types(values: Iterable[Any]) -> None:
    for value in values:
        kind = type(value)
        if isinstance(value, float) or (kind.__module__ == "numpy" and kind.__name__.startswith(("float", "int", "uint"))):
            quick_types.add(kind)


class Row:
    """`pack` takes the numbers, `copy` puts them next to the names, `call` and `call_step` send the row."""

    __slots__ = ("pack", "copy", "call", "call_step", "step", "_kept")

    def __init__(self, lib: Library, handle: int, names: Names) -> None:
        count = len(names)
        texts = [ctypes.create_string_buffer(name.encode()) for name in names]
        memory = bytearray(ctypes.sizeof(Metric) * count)
        metrics = (Metric * count).from_buffer(memory)
        for metric, text in zip(metrics, texts):
            metric.name = ctypes.addressof(text)
        packed = bytearray(8 * count)
        self.pack = partial(struct.Struct(f"{count}d").pack_into, packed, 0)
        self.copy = partial(memoryview(memory).cast("d")[1::2].__setitem__, slice(None), memoryview(packed).cast("d"))
        run, length, at = ctypes.c_void_p(handle), ctypes.c_size_t(count), ctypes.c_void_p(ctypes.addressof(metrics))
        self.step = ctypes.c_int64()
        self.call = partial(lib.bare_log, run, length, at)
        self.call_step = partial(lib.bare_log_step, run, self.step, length, at)
        self._kept = (texts, memory, metrics)


class Rows:
    """Rows that are not in use, by their names. A thread takes one out and puts it back, so no two threads write to the same."""

    def __init__(self, lib: Library, handle: int) -> None:
        self._lib = lib
        self._handle = handle
        self.free: Dict[Names, List[Row]] = {}

    def make(self, names: Names) -> Row:
        if len(self.free) >= KINDS_MAX:
            self.free.clear()
        self.free.setdefault(names, [])
        return Row(self._lib, self._handle, names)

    def send(self, numbers: Dict[str, float], step: Optional[int] = None) -> int:
        """One row by its names; the result of libcairn. Names are checked and have no U+0000."""
        names = tuple(numbers)
        try:
            row = self.free[names].pop()
        except (KeyError, IndexError):
            row = self.make(names)
        row.pack(*numbers.values())
        row.copy()
        if step is None:
            code: int = row.call()
        else:
            row.step.value = step
            code = row.call_step()
        self._put_back(names, row)
        return code

    def _put_back(self, names: Names, row: Row) -> None:
        free = self.free.get(names)
        if free is not None:
            free.append(row)
