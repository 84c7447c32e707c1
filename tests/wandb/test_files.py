"""Files of a run: what the SDK keeps by itself, what one saves, media; read back through both doors, byte for byte."""
import hashlib

import pytest


def save(name):
    import pathlib

    import numpy
    import wandb
    pathlib.Path("deep").mkdir(exist_ok=True)
    pathlib.Path("deep/größe 100%.txt").write_text("kept")
    pathlib.Path("empty.bin").write_bytes(b"")
    pathlib.Path("large.bin").write_bytes(bytes(range(256)) * 8192)
    run = wandb.init(id=name)
    run.save("deep/größe 100%.txt", base_path=".", policy="now")
    run.save("empty.bin", policy="end")
    run.save("large.bin", policy="live")
    pixels = numpy.arange(300, dtype=numpy.uint8).reshape(10, 10, 3)
    run.log({"image": wandb.Image(pixels, caption="c"), "page": wandb.Html("<b>bold</b>"),
             "histogram": wandb.Histogram([1, 2, 2, 3])})
    print("a line")
    run.finish()


def read_back(path):
    import hashlib
    import pathlib

    import wandb
    run = wandb.Api().run(path)
    files = {}
    for file in run.files():
        got = file.download(root="back", replace=True)
        got.close()
        content = pathlib.Path("back", file.name).read_bytes()
        files[file.name] = [file.size, hashlib.sha256(content).hexdigest()]
    return [files, run.metadata["host"] if run.metadata else None]


@pytest.mark.feature("files: saved ones, media, what the SDK keeps by itself, downloads")
def test_files(client, read, project):
    done = client.call(save, name="r1")
    assert done.code == 0, done
    run = read("r1")
    listed = {file["name"]: file for file in run.api.pages(f"{run.path}/files")}
    assert {"wandb-metadata.json", "wandb-summary.json", "config.yaml", "requirements.txt", "output.log",
            "deep/größe 100%.txt", "empty.bin", "large.bin"} <= set(listed)
    seen, host = client.call(read_back, path=f"ann/{project}/r1").value
    assert host == "node1"
    assert {name: size for name, (size, _) in seen.items()} == {name: f["bytes"] for name, f in listed.items()}
    for name, content in ("deep/größe 100%.txt", b"kept"), ("empty.bin", b""), ("large.bin", bytes(range(256)) * 8192):
        assert seen[name] == [len(content), hashlib.sha256(content).hexdigest()]
    row, = run.rows()
    assert (row["image._type"], row["page._type"], row["histogram._type"]) == (
        "image-file", "html-file", "histogram")
    assert listed[row["image.path"]]["bytes"] == row["image.size"]
    assert row["page.path"] in listed
