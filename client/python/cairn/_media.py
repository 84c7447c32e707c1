"""Images and histograms as values of a row. A row has a document that names the file; the page shows both.

The documents are those of the wandb SDK: the page and `wandb.Api()` know them.
"""
from __future__ import annotations

import hashlib
import io
import math
import re
import struct
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from ._errors import Error

AddFile = Callable[[str, bytes], None]

BINS_MAX = 512
EXTENSIONS = ("png", "jpg", "jpeg", "gif", "webp", "bmp")


def _png(width: int, height: int, channels: int, pixels: bytes) -> bytes:
    """A PNG of 8 bits a channel: 1 grey, 2 with alpha, 3 RGB, 4 with alpha."""
    stride = width * channels
    lines = b"".join(b"\0" + pixels[at:at + stride] for at in range(0, stride * height, stride))

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b"")


def _size_in(data: bytes) -> Tuple[Optional[int], Optional[int]]:
    """Width and height of a PNG or GIF."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        width, height = struct.unpack(">II", data[16:24])
        return width, height
    if data[:4] == b"GIF8":
        width, height = struct.unpack("<HH", data[6:10])
        return width, height
    return None, None


def _to_bytes(array: Any) -> bytes:
    """Elements of an array as 0 to 255. Numbers with a fraction are from 0 to 1; others are limited to the range."""
    if str(array.dtype) == "uint8":
        return bytes(array.tobytes())
    if str(array.dtype) == "bool" or "float" in str(array.dtype):
        array = (array * 255).round()
    return bytes(array.clip(0, 255).astype("uint8").tobytes())


def _array_of(value: Any) -> Any:
    """A tensor as an array of height, width, channels; an array as it is."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        if value.dim() == 3 and value.shape[0] in (1, 2, 3, 4) and value.shape[2] not in (1, 2, 3, 4):
            value = value.permute(1, 2, 0)
        value = value.contiguous().numpy()
    return value


class Image:
    """An image: the path of a file, bytes of one, a PIL image, a figure of Matplotlib, or an array or tensor.

    Arrays have the shape (height, width) or (height, width, channels) with 1 to 4 channels, tensors also (channels,
    height, width). Elements are 0 to 255, or with a fraction 0 to 1. The image is copied when it is made. `caption` is
    shown with it. Raises Error if it is not an image.
    """

    def __init__(self, image: Any, caption: Optional[str] = None) -> None:
        self.caption = caption
        self.format = "png"
        self.width: Optional[int] = None
        self.height: Optional[int] = None
        self.data = self._read(image)
        if self.width is None:
            self.width, self.height = _size_in(self.data)

    def _read(self, image: Any) -> bytes:
        if isinstance(image, (str, Path)):
            return self._read_file(Path(image))
        if isinstance(image, (bytes, bytearray)):
            return bytes(image)
        if hasattr(image, "savefig") or hasattr(image, "save"):
            return self._save(image)
        image = _array_of(image)
        if not hasattr(image, "tobytes") or not hasattr(image, "shape"):
            raise Error(f"a {type(image).__name__} is not an image: expected a path, bytes, a PIL image or an array")
        return self._from_array(image)

    def _read_file(self, path: Path) -> bytes:
        self.format = path.suffix[1:].lower()
        if self.format not in EXTENSIONS:
            raise Error(f"the name of an image must end with one of {', '.join('.' + name for name in EXTENSIONS)}: {str(path)!r}")
        try:
            return path.read_bytes()
        except OSError as error:
            raise Error(f"cannot read the image {str(path)!r}: {error.strerror}") from None

    def _save(self, image: Any) -> bytes:
        out = io.BytesIO()
        if hasattr(image, "savefig"):
            image.savefig(out, format="png")
        else:
            image.save(out, format="PNG")
        return out.getvalue()

    def _from_array(self, array: Any) -> bytes:
        shape = tuple(int(extent) for extent in array.shape)
        if len(shape) == 2:
            shape += (1,)
        if len(shape) != 3 or shape[2] not in (1, 2, 3, 4) or 0 in shape:
            raise Error(f"an array of the shape {shape} is not an image: expected (height, width) or (height, width, 1 to 4)")
        self.height, self.width = shape[:2]
        return _png(self.width, self.height, shape[2], _to_bytes(array))

    def _send(self, add: AddFile, key: str, step: Any, index: str = "") -> Dict[str, Any]:
        digest = hashlib.sha256(self.data).hexdigest()
        path = f"media/images/{file_part(key)}_{step}{index}_{digest[:20]}.{self.format}"
        add(path, self.data)
        facts: Dict[str, Any] = {"_type": "image-file", "path": path, "sha256": digest, "size": len(self.data),
                                 "format": self.format}
        more = {"width": self.width, "height": self.height, "caption": self.caption}
        return {**facts, **{name: value for name, value in more.items() if value is not None}}

    def _cairn_document(self, add: AddFile, key: str, step: Any) -> Dict[str, Any]:
        return self._send(add, key, step)

    def _cairn_list_document(self, images: Sequence[Any]) -> Callable[[AddFile, str, Any], Dict[str, Any]]:
        def make(add: AddFile, key: str, step: Any) -> Dict[str, Any]:
            sent = [image._send(add, key, step, f"_{i}") for i, image in enumerate(images) if isinstance(image, Image)]
            document: Dict[str, Any] = {"_type": "images/separated", "count": len(sent), "format": self.format,
                                        "width": self.width, "height": self.height, "filenames": [one["path"] for one in sent]}
            if any("caption" in one for one in sent):
                document["captions"] = [one.get("caption", "") for one in sent]
            return document
        return make


def file_part(key: str) -> str:
    """The name of a metric as a part of a path; "/" makes folders."""
    clean = re.sub(r"[\x00-\x1f\x7f\\]", "_", key)
    return "/".join(part.strip(".") or "_" for part in clean[:200].split("/"))


class Histogram:
    """Counts of values in bins of equal width. The page shows it as bars, and over steps as a heat map.

    `values` are numbers: a list, an array or a tensor of any shape. NaN and the infinities are not counted. `bins`, from
    1 to 512, is their number. `Histogram(counts=…, edges=…)` takes counts and their edges, one more than counts.
    """

    def __init__(self, values: Optional[Iterable[Any]] = None, bins: int = 64, *, counts: Optional[Sequence[Any]] = None,
                 edges: Optional[Sequence[Any]] = None) -> None:
        if counts is not None and edges is not None:
            self.counts = [_whole(float(count)) for count in counts]
            self.edges = [float(edge) for edge in edges]
            if len(self.edges) != len(self.counts) + 1 or not 1 <= len(self.counts) <= BINS_MAX:
                raise Error(f"a histogram of {len(self.counts)} counts needs one more edge, and has 1 to {BINS_MAX} counts")
            return
        if not 1 <= bins <= BINS_MAX:
            raise Error(f"invalid bins {bins}: expected 1 to {BINS_MAX}")
        self.counts, self.edges = _count(_numbers(values if values is not None else []), bins)

    def _cairn_document(self, add: AddFile, key: str, step: Any) -> Dict[str, Any]:
        return {"_type": "histogram", "values": self.counts, "bins": self.edges}


def _whole(number: float) -> Any:
    return int(number) if number.is_integer() else number


def _numbers(values: Any) -> List[float]:
    if hasattr(values, "detach"):
        values = values.detach().cpu().flatten()
    elif hasattr(values, "ravel"):
        values = values.ravel()
    if hasattr(values, "tolist"):
        values = values.tolist()
    try:
        numbers = [float(value) for value in values]
    except (TypeError, ValueError) as error:
        raise Error(f"a histogram is made of numbers: {error}") from None
    return [number for number in numbers if math.isfinite(number)]


def _count(numbers: List[float], bins: int) -> Tuple[List[Any], List[float]]:
    least, most = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    if least == most:
        least, most = least - 0.5, most + 0.5
    width = most / bins - least / bins
    counts: List[Any] = [0] * bins
    for number in numbers:
        counts[min(int((number - least) / width), bins - 1)] += 1
    return counts, [least + width * i for i in range(bins)] + [most]
