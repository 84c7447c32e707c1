"""Tables as the wandb SDK writes them: in a run as plain values, in an artifact with media and types."""
import io
import json
import math
import struct
import zlib

LABELS = ["cat", "dog", "red cow"]


def png(width, height, pixel=lambda x, y: (0x20, 0x60, 0xA0)):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + b"".join(bytes(pixel(x, y)) for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def grey_png(width, height, value):
    """As the SDK writes a mask: a pixel is the number of a class."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(value(x, y) for x in range(width)) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def table(columns, data):
    """Python's own JSON, which has NaN."""
    return json.dumps({"columns": columns, "data": data}).encode()


def predictions(rows, shift=0.0):
    """id, label, loss, ok, note: of each third label, losses with NaN and None."""
    def loss(at):
        return math.nan if at == 7 else None if at == 8 else round((at * 37 % 101) / 101 + shift, 6)
    return table(["id", "label", "loss", "ok", "note"],
                 [[at, LABELS[at % 3], loss(at), at % 2 == 0, f"row {at}" if at % 10 == 0 else None] for at in range(rows)])


def wide(rows, columns):
    """Numbers, texts of few values and of many, and times, written a row at a time."""
    out = io.StringIO()
    names = [f"c{at}" for at in range(columns)]
    out.write(f'{{"columns": {json.dumps(names)}, "data": [')
    state = 7
    for row in range(rows):
        cells = []
        for column in range(columns):
            state = state * 48271 % 2147483647
            kind = column % 5
            cells.append(f'"label {state % 1000}"' if kind == 0 else str(row * (column + 1)) if kind == 1
                         else f'"row {state}"' if column == 2 else f"{state / 2147483647:.6f}")
        out.write(f"{',' if row else ''}[{', '.join(cells)}]")
    out.write("]}")
    return out.getvalue().encode()


def media(paths):
    """As in an artifact: images with boxes within the value and masks in files, sound, a page, an image that is not there."""
    box = {"position": {"minX": 0.25, "maxX": 0.75, "minY": 0.5, "maxY": 1}, "class_id": 1, "box_caption": "a car", "scores": {"acc": 0.875},
           "domain": None}
    image = {"_type": "image-file", "path": paths["image"], "format": "png", "width": 40, "height": 20, "sha256": "ab" * 32, "size": 1}
    layered = {**image, "caption": "layered", "boxes": {"guess": [box]}, "masks": {"truth": {"_type": "mask", "path": paths["mask"]}}}
    in_file = {**image, "caption": "in a file", "boxes": {"guess": {"_type": "boxes2D", "path": paths["boxes"]}}}
    const = {"wb_type": "const", "params": {"val": {"0": "sky", "1": "car", "2": "road"}}}
    rows = [[1, layered, {"_type": "audio-file", "path": paths["sound"], "caption": "a tone"}, {"_type": "html-file", "path": paths["page"]}],
            [2, in_file, None, None], [3, {**image, "path": "media/images/none.png", "caption": "gone"}, None, None]]
    return json.dumps({"_type": "table", "columns": ["id", "image", "sound", "page"], "data": rows, "ncols": 4, "nrows": 3, "column_types": {
        "wb_type": "typedDict", "params": {"type_map": {"id": {"wb_type": "number"}, "image": {"wb_type": "image-file", "params": {"class_map": const}}}}}})
