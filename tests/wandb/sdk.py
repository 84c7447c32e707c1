"""The wandb SDKs under test: each from PyPI, in a virtual environment of its own under build/sdk/VERSION.

    python3 tests/wandb/sdk.py [VERSION...]     makes them; without a name those of the default suite

An environment is made once: its stamp says what it was made from. A lock keeps several workers of pytest
from making one at the same time.
"""
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(os.environ.get("CAIRN_SDK_DIR", TOP / "build/sdk"))

NEWEST = "0.31.0"
ALL = ("0.19.9", "0.19.11", "0.22.3", "0.25.1", "0.28.2", "0.30.0", NEWEST)
DEFAULT = (ALL[0], NEWEST)

# The first and last minor version of Python 3 that a release runs on.
PYTHONS = {"0.19.9": (8, 13), "0.19.11": (8, 13), "0.22.3": (8, 13), "0.25.1": (8, 14),
           "0.28.2": (10, 14), "0.30.0": (10, 14), NEWEST: (10, 14)}

# What the SDK's own media need, and what it needs but does not say: pkg_resources.
BESIDE = ("numpy<3", "pillow<13", "setuptools<81")

# Frameworks that the SDK's integrations are tried with, and what they need: the smallest, and the others.
SMALL = ("lightgbm<5", "scipy<2", "narwhals<3")
OTHERS = ("xgboost-cpu<4", "scikit-learn<2", "joblib<2", "threadpoolctl<4", "pandas<4", "python-dateutil<5", "six<2",
          "tensorboardX<3", "tensorboard<2.20", "absl-py<3", "cloudpickle<4")

# scikit-learn alone, for a training that is soon done.
SKLEARN = ("scikit-learn<2", "scipy<2", "joblib<2", "threadpoolctl<4", "narwhals<3", "cloudpickle<4")

# Of pip with a package index that is slow to answer.
PATIENCE = ("--timeout", "60", "--retries", "10")

# PyTorch comes from Debian: what PyPI has for Linux needs gigabytes of CUDA to be imported.
DEBIAN = pathlib.Path("/usr/lib/python3/dist-packages")
TORCH = ("torch", "torchgen", "functorch", "torch-*.egg-info")

# Frameworks on PyTorch, the last ones for Debian's (1.13), and what they need; then Keras on TensorFlow.
ON_TORCH = ("pytorch-lightning<2.3", "torchmetrics<1.5", "lightning-utilities<0.12", "transformers<4.45", "accelerate<1",
            "tokenizers<0.20", "safetensors<0.6", "huggingface-hub<0.30", "regex<2027", "filelock<4", "fsspec<2027",
            "tqdm<5", "psutil<8", "packaging<27", "numpy<2")
KERAS = ("tensorflow-cpu<2.17", "keras<3.7", "absl-py<3", "astunparse<2", "flatbuffers<26", "gast<0.7", "google-pasta<1",
         "h5py<3.13", "ml-dtypes<0.4", "opt-einsum<4", "termcolor<4", "wrapt<2", "grpcio<2", "optree<1", "namex<1",
         "rich<15", "markdown-it-py<5", "mdurl<1", "pygments<3", "six<2", "packaging<27", "numpy<2")

# Figures that are logged as media, and what makes them.
PLOTLY = ("plotly<8", "narwhals<3")


def python_for(version):
    """A Python that this SDK runs on: ours, else the newest fitting one on the path."""
    first, last = PYTHONS[version]
    if first <= sys.version_info.minor <= last:
        return sys.executable
    names = (f"python3.{minor}" for minor in range(last, first - 1, -1))
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise RuntimeError(f"wandb {version} needs a Python from 3.{first} to 3.{last}")
    return found


def _run(log, *command):
    done = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}; see {log.name}")


def _make(folder, version):
    shutil.rmtree(folder, ignore_errors=True)
    with open(f"{folder}.log", "w") as log:
        _run(log, python_for(version), "-m", "venv", folder)
        _run(log, folder / "bin/python", "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *PATIENCE,
             f"wandb=={version}", *BESIDE)
        _run(log, folder / "bin/python", "-m", "compileall", "-q", folder / "lib")


def _once(folder, packages, make):
    wanted = "\n".join(packages)
    stamp = folder / "made-from"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            make()
            stamp.write_text(wanted)


def environment(version):
    """The folder of the version's environment, made if it is not there."""
    folder = FOLDER / version
    _once(folder, (f"wandb=={version}", *BESIDE), lambda: _make(folder, version))
    return folder


def _add(folder, python, packages):
    shutil.rmtree(folder, ignore_errors=True)
    with open(f"{folder}.log", "w") as log:
        _run(log, python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *PATIENCE, "--no-compile",
             "--no-deps", "--target", folder, *packages)


def _minor(version):
    asked = [environment(version) / "bin/python", "-c", "import sys; print(sys.version_info.minor)"]
    return subprocess.run(asked, check=True, text=True, stdout=subprocess.PIPE).stdout.strip()


def packages_beside(version, packages):
    """A folder for PYTHONPATH with these packages, for all SDKs that run on one Python; made if it is not there."""
    python = environment(version) / "bin/python"
    folder = FOLDER / f"{packages[0].partition('<')[0]}-3.{_minor(version)}"
    _once(folder, packages, lambda: _add(folder, python, packages))
    return folder


def _link(folder, parts):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for part in parts:
        (folder / part.name).symlink_to(part)


def torch_beside(version):
    """The same with Debian's PyTorch alone, out of all that Debian has for Python."""
    minor = _minor(version)
    if not list(DEBIAN.glob(f"torch/_C.cpython-3{minor}-*.so")):
        raise RuntimeError(f"there is no PyTorch for Python 3.{minor}: apt-get install --no-install-recommends python3-torch")
    folder = FOLDER / f"torch-3.{minor}"
    parts = [part for name in TORCH for part in DEBIAN.glob(name)]
    _once(folder, [str(part) for part in parts], lambda: _link(folder, parts))
    return folder


if __name__ == "__main__":
    for name in sys.argv[1:] or DEFAULT:
        print(environment(name))
