"""Media of every kind: what a row says of one is intact, and leads to the file that was made, byte for byte."""
import hashlib

import pytest
import sdk


def log_all(name):
    """One of each; what the SDK made of them on its own disk: {name in the run: sha256}."""
    import hashlib
    import pathlib
    import wave

    import numpy
    import plotly.graph_objects
    import wandb
    with wave.open("tone.wav", "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(bytes(range(200)) * 4)
    pathlib.Path("clip.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + bytes(500))
    pathlib.Path("m.pdb").write_text("HEADER    SMALL\nEND\n")
    pathlib.Path("shape.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    pixels = numpy.arange(300, dtype=numpy.uint8).reshape(10, 10, 3)
    box = {"position": {"minX": 0.1, "maxX": 0.5, "minY": 0.2, "maxY": 0.5}, "class_id": 1, "box_caption": "größe",
           "scores": {"acc": 0.5}, "domain": None}
    run = wandb.init(id=name)
    boxed = wandb.Image(pixels, caption="boxed", boxes={"guess": {"box_data": [box], "class_labels": {1: "one"}}},
                        masks={"truth": {"mask_data": pixels[:, :, 0] % 2, "class_labels": {0: "no", 1: "yes"}}})
    run.log({"image": wandb.Image(pixels, caption="one"), "boxed": boxed,
             "images": [wandb.Image(pixels, caption=str(i)) for i in range(3)], "in/a/folder": wandb.Image(pixels)})
    run.log({"tone": wandb.Audio("tone.wav", caption="a tone"), "clip": wandb.Video("clip.mp4", caption="a clip"),
             "page": wandb.Html("<b>bold</b>", inject=False), "molecule": wandb.Molecule("m.pdb", caption="m")})
    run.log({"points": wandb.Object3D(numpy.arange(12).reshape(4, 3)), "shape": wandb.Object3D("shape.obj"),
             "histogram": wandb.Histogram([1, 2, 2, 3], num_bins=4), "loss": 0.5})
    run.log({"chart": plotly.graph_objects.Figure(plotly.graph_objects.Scatter(x=[1, 2], y=[3, 4], name="größe"))})
    media = pathlib.Path(run.dir) / "media"
    files = run.dir
    run.finish()
    return {str(path.relative_to(files)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in media.rglob("*") if path.is_file()}


def read_all(path):
    """Rows through the public API in all its ways, and every file of media."""
    import hashlib
    import pathlib

    import wandb
    run = wandb.Api().run(path)
    files = {}
    for file in run.files():
        if file.name.startswith("media/"):
            file.download(root="back", replace=True).close()
            files[file.name] = hashlib.sha256(pathlib.Path("back", file.name).read_bytes()).hexdigest()
    return {"scan": list(run.scan_history()), "history": run.history(pandas=False), "files": files,
            "keyed": run.history(keys=["boxed"], pandas=False), "summary": run.summary._json_dict,
            "mimetypes": {file.name: file.mimetype for file in run.files()}}


TYPES = {"image": "image-file", "boxed": "image-file", "images": "images/separated", "in/a/folder": "image-file",
         "tone": "audio-file", "clip": "video-file", "page": "html-file", "molecule": "molecule-file",
         "chart": "plotly-file", "points": "object3D-file", "shape": "object3D-file", "histogram": "histogram"}


def paths_of(value):
    """Every file that is named in what a row says."""
    if isinstance(value, list):
        return [path for item in value for path in paths_of(item)]
    if not isinstance(value, dict):
        return []
    own = [value["path"]] if "path" in value else []
    return own + list(value.get("filenames", [])) + [
        path for inner in value.values() if isinstance(inner, dict) for path in paths_of(inner)]


@pytest.mark.long_if_old
@pytest.mark.feature("media: image, boxes, masks, audio, video, html, plotly, molecule, object3D, histogram; references")
def test_media_of_every_kind(client, version, read, project):
    beside = {"PYTHONPATH": str(sdk.packages_beside(version, sdk.PLOTLY))}
    made = client.call(log_all, beside, name="r1").value
    shown = client.call(read_all, path=f"ann/{project}/r1").value
    assert shown["files"] == made
    media = {key: value for row in shown["scan"] for key, value in row.items() if key in TYPES}
    assert {key: value["_type"] for key, value in media.items()} == TYPES
    assert shown["scan"] == shown["history"]
    assert [row["boxed"] for row in shown["keyed"]] == [media["boxed"]]
    named = {path for value in media.values() for path in paths_of(value)}
    assert named == set(made), "each file is named in a row, and each that is named is there"
    check_values(media, made)
    assert {key: shown["summary"][key] for key in TYPES} == media
    check_rest(read("r1"), media, made)
    for name, kind in ("clip.mp4", "video/mp4"), ("tone.wav", "audio/"), (".png", "image/png"):
        assert any(path.endswith(name.split(".")[-1]) and found.startswith(kind)
                   for path, found in shown["mimetypes"].items()), (name, shown["mimetypes"])


def check_values(media, made):
    image = media["image"]
    assert (image["width"], image["height"], image["format"], image["caption"]) == (10, 10, "png", "one")
    assert made[image["path"]] == image["sha256"]
    assert (media["images"]["count"], media["images"]["captions"]) == (3, ["0", "1", "2"])
    assert media["boxed"]["boxes"]["guess"]["_type"] == "boxes2D"
    assert media["boxed"]["masks"]["truth"]["_type"] == "mask"
    assert media["tone"]["caption"] == "a tone" and media["clip"]["caption"] == "a clip"
    assert media["histogram"]["values"] == [1, 0, 2, 1] or sum(media["histogram"]["values"]) == 4


def flat(value, name):
    if not isinstance(value, dict) or not value:
        return {name: value}
    return {key: each for inner, one in value.items() for key, each in flat(one, f"{name}.{inner}").items()}


def check_rest(run, media, made):
    """REST has what is in an object under joined names, and the same bytes."""
    rows = {key: value for row in run.rows() for key, value in row.items()}
    for key, value in media.items():
        parts = flat(value, key)
        assert {name: rows[name] for name in parts} == parts, key
    for name, digest in made.items():
        answer = run.api.raw("GET", f"{run.path}/files/{name}")
        assert (answer.status, hashlib.sha256(answer.body).hexdigest()) == (200, digest), name
