"""Values of NumPy and images of Pillow, and beside the wandb SDK in one program: in the environment of its tests, which has them."""
import json
import subprocess
import sys

import pytest
from conftest import PACKAGE, PATIENCE_S, TOP

sys.path.append(str(TOP / "tests/wandb"))
import sdk  # noqa: E402


@pytest.fixture
def with_sdk(settings, tmp_path):
    """with_sdk(text): runs a program there, and returns what it printed last as JSON."""
    def run(text):
        import os
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(PACKAGE), "CAIRN_LIBRARY": os.environ["CAIRN_LIBRARY"],
               "PYTHONWARNINGS": "error::UserWarning:__main__", "WANDB_SILENT": "true", **settings}
        done = subprocess.run([sdk.environment(sdk.NEWEST) / "bin/python", "-c", text], env=env, cwd=tmp_path, capture_output=True,
                              text=True, timeout=PATIENCE_S)
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[-1])
    return run


def test_numpy_and_pillow(with_sdk, api):
    log = """
import json, cairn, numpy, PIL.Image
pixels = numpy.arange(48, dtype=numpy.uint8).reshape(4, 4, 3)
grey = numpy.linspace(0, 1, 16).reshape(4, 4)
with cairn.init(id="numpy", config={"shape": pixels.shape, "rate": numpy.float32(0.5), "type": numpy.float32}) as run:
    for i in range(3):
        run.log({"f32": numpy.float32(0.5), "f64": numpy.float64(i), "i8": numpy.int8(-1), "u64": numpy.uint64(7), "half": numpy.float16(0.25)})
    run.log({"flag": numpy.bool_(True), "array": numpy.array([1.5, 2]), "one": numpy.array([[3]]), "nan": numpy.float32("nan")},
            step=numpy.int64(9))
    run.log({"rgb": cairn.Image(pixels), "grey": cairn.Image(grey), "pil": cairn.Image(PIL.Image.fromarray(pixels)),
             "histogram": cairn.Histogram(numpy.arange(10), bins=5)})
    run.summary["best"] = numpy.float32(0.5)
assert run.finish() == cairn.Report(), run.finish()
found = cairn.Api().run("me/p/numpy")
found.file(found.history(["rgb.path"], as_="rows")[0]["rgb.path"]).download("back")
[path] = __import__("pathlib").Path("back").rglob("*.png")
column = numpy.asarray(found.history(["f64"])["f64"])
print(json.dumps({"same": bool((numpy.asarray(PIL.Image.open(path)) == pixels).all()), "column": column.tolist(), "type": str(column.dtype)}))
"""
    assert with_sdk(log) == {"same": True, "column": [0, 1, 2], "type": "float64"}
    found = api.run("me/p/numpy")
    rows = [{key: value for key, value in row.items() if key[0] != "_"} for row in found.rows()]
    assert rows[:3] == [{"f32": 0.5, "f64": i, "i8": -1, "u64": 7, "half": 0.25} for i in range(3)]
    assert rows[3] == {"flag": True, "array": [1.5, 2], "one": 3, "nan": "NaN"} and list(found.rows())[3]["_step"] == 9
    assert rows[4]["histogram.values"] == [2, 2, 2, 2, 2] and rows[4]["grey.width"] == 4
    assert found.config == {"shape": [4, 4, 3], "rate": 0.5, "type": "<class 'numpy.float32'>"} and found.summary["best"] == 0.5


def test_next_to_the_wandb_sdk(with_sdk, api):
    """Both log in one program, also after the SDK's helper process has begun, and the page shows media of both alike."""
    log = """
import json, os, cairn, numpy, wandb
pixels = numpy.arange(48, dtype=numpy.uint8).reshape(4, 4, 3)
os.environ.update(WANDB_BASE_URL=os.environ["CAIRN_URL"], WANDB_API_KEY=os.environ["CAIRN_API_KEY"])
theirs = wandb.init(entity="me", project="p", id="theirs")
with cairn.init(id="ours") as ours:
    for i in range(20):
        ours.log({"loss": 1 / (i + 1)})
        theirs.log({"loss": 1 / (i + 1)})
    ours.log({"image": cairn.Image(pixels, caption="c"), "histogram": cairn.Histogram([1, 2, 2, 3], bins=4)})
    theirs.log({"image": wandb.Image(pixels, caption="c"), "histogram": wandb.Histogram([1, 2, 2, 3], num_bins=4)})
theirs.finish()
print("{}")
"""
    with_sdk(log)
    ours, theirs = (list(api.run(f"me/p/{name}").rows()) for name in ("ours", "theirs"))
    assert [row["loss"] for row in ours[:20]] == [row["loss"] for row in theirs[:20]]
    media = [{key: value for key, value in rows[20].items() if key.startswith(("image.", "histogram.")) and
              key not in ("image.path", "image.sha256", "image.size")} for rows in (ours, theirs)]
    assert media[0] == media[1]
    assert ours[20]["image.path"].rpartition("_")[0] == theirs[20]["image.path"].rpartition("_")[0].replace("_20", "_1")
