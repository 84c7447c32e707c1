"""Files, images and histograms of a run."""
import hashlib
import struct
import zlib

import pytest

import cairn


def decode_png(data):
    """(width, height, channels, pixels) of a PNG as the package writes it."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0] == zlib.crc32(kind + body)
        parts[kind] = body
        at += 12 + size
    width, height, depth, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    lines = zlib.decompress(parts[b"IDAT"])
    stride = width * channels + 1
    return width, height, channels, b"".join(lines[i + 1:i + stride] for i in range(0, len(lines), stride))


def test_files(api, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "folder/in"
    folder.mkdir(parents=True)
    (folder / "a b.txt").write_text("a")
    (tmp_path / "folder/b.bin").write_bytes(bytes(range(256)) * 10_000)
    with cairn.init(id="files") as run:
        run.save("folder")
        run.save(folder / "a b.txt", "renamed/é.txt")
        assert run.flush()
        with pytest.raises(cairn.Error, match="does not exist"):
            run.save("nothing")
    assert run.finish() == cairn.Report()
    found = api.run("me/p/files")
    files = {file.name: file for file in found.files()}
    assert sorted(files) == ["folder/b.bin", "folder/in/a b.txt", "renamed/é.txt"]
    assert [file.name for file in found.files("folder/%")] == ["folder/b.bin", "folder/in/a b.txt"]
    assert found.file("renamed/é.txt").read() == b"a"
    path = files["folder/b.bin"].download(tmp_path / "back")
    assert path == tmp_path / "back/folder/b.bin" and path.read_bytes() == bytes(range(256)) * 10_000
    assert files["folder/b.bin"].md5 == hashlib.md5(path.read_bytes()).hexdigest()
    with pytest.raises(cairn.Error, match="has no file"):
        found.file("folder/b_bin")


class Pixels:
    """An array of bytes, by the methods that an image needs."""

    dtype = "uint8"

    def __init__(self, shape, data):
        self.shape, self.data = shape, data

    def tobytes(self):
        return self.data


def test_images_and_histograms(api, tmp_path):
    pixels = Pixels((2, 3, 3), bytes(range(18)))
    path = tmp_path / "x.gif"
    path.write_bytes(b"GIF89a\x05\x00\x07\x00rest")
    with cairn.init(id="media") as run:
        run.log({"image": cairn.Image(pixels, caption="one"), "in/a/folder": cairn.Image(path), "loss": 0.5}, step=4)
        run.log({"images": [cairn.Image(Pixels((1, 1), b"\x07"), caption=str(i)) for i in range(3)],
                 "histogram": cairn.Histogram([1, 2, 2, 3, float("nan")], bins=4), "nothing": cairn.Histogram([])})
        run.log({"histogram": cairn.Histogram(counts=[1, 2], edges=[0, 1, 2])})
    assert run.finish() == cairn.Report()
    found = api.run("me/p/media")
    rows = list(found.rows())
    data = found.file(rows[0]["image.path"]).read()
    assert decode_png(data) == (3, 2, 3, bytes(range(18))) and hashlib.sha256(data).hexdigest() == rows[0]["image.sha256"]
    assert (rows[0]["image._type"], rows[0]["image.width"], rows[0]["image.height"], rows[0]["image.caption"]) == \
        ("image-file", 3, 2, "one")
    assert found.file(rows[0]["in/a/folder.path"]).read() == path.read_bytes() and rows[0]["in/a/folder.width"] == 5
    assert rows[0]["image.path"].startswith("media/images/image_4_") and rows[0]["_step"] == 4
    assert (rows[1]["images._type"], rows[1]["images.count"], rows[1]["images.captions"]) == ("images/separated", 3, ["0", "1", "2"])
    for name in rows[1]["images.filenames"]:
        assert decode_png(found.file(name).read()) == (1, 1, 1, b"\x07")
    assert rows[1]["histogram.values"] == [1, 0, 2, 1] and rows[1]["histogram.bins"] == [1, 1.5, 2, 2.5, 3]
    assert rows[1]["histogram._type"] == "histogram" and sum(rows[1]["nothing.values"]) == 0
    assert rows[2]["histogram.values"] == [1, 2]
    assert found.file(rows[0]["image.path"]).content_type == "image/png"


@pytest.mark.parametrize("wrong, text", [
    ("x.txt", "must end with"), ("nothing.png", "cannot read"), (3, "a int is not an image"),
    (Pixels((2, 2, 9), b""), "is not an image"), (Pixels((0, 2), b""), "is not an image")])
def test_what_is_not_an_image(wrong, text):
    with pytest.raises(cairn.Error, match=text):
        cairn.Image(wrong)


def test_what_is_not_a_histogram():
    for wrong in (lambda: cairn.Histogram(["x"]), lambda: cairn.Histogram([1], bins=0), lambda: cairn.Histogram([1], bins=513),
                  lambda: cairn.Histogram(counts=[1, 2], edges=[1, 2])):
        with pytest.raises(cairn.Error):
            wrong()
    assert len(cairn.Histogram([1, 2], bins=512).counts) == 512


def test_files_that_cannot_be_sent(api, tmp_path):
    """Each is reported, and costs only itself."""
    gone = tmp_path / "gone"
    gone.write_text("x")
    with cairn.init(id="unsent") as run:
        run.wait()
        with pytest.warns(cairn.CairnWarning, match="was not sent"):
            run.save(gone, "../outside")
            assert run.flush()
        run.save(gone, "inside")
        run.log({"x": 1})
    assert [file.name for file in api.run("me/p/unsent").files()] == ["inside"]
