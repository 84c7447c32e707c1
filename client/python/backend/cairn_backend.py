"""Builds the wheel and the source archive of cairn-client (PEP 517), with the standard library, CMake and a C compiler.

CAIRN_CURL=PREFIX links libcurl and OpenSSL from the archives in PREFIX/lib, and packs the licences in PREFIX/licences:
scripts/wheel makes such a folder. Otherwise the library needs the libcurl of the machine. The tag of the wheel says which: manylinux if
the library needs nothing but the C library, else linux, which runs where it was built. CAIRN_PYTHON_BUILD=FOLDER keeps the objects
in that folder for the next build.
"""
import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
NAME = "cairn_client"
GLIBC = (2, 36)
C_LIBRARY = re.compile(r"(lib(c|m|dl|pthread|rt)|ld-linux[^/]*)\.so\.\d+$")
PARTS = ("VERSION", "LICENSE", "client", "sampler", "shared")  # without programs, and without this folder
LEFT_OUT = re.compile(r"/source/client/(cli|python)(/|$)|__pycache__|\.(so|pyc)$")


def source():
    """The folder with the C sources: `source` in an unpacked archive, else the repository."""
    own = HERE / "source"
    return own if own.is_dir() else HERE.parents[1]


def version():
    return (source() / "VERSION").read_text().strip().replace("-dev", ".dev0").replace("-", "+", 1)


def epoch():
    return max(int(os.environ.get("SOURCE_DATE_EPOCH") or 315532800), 315532800)  # a zip begins in 1980


def metadata():
    return (HERE / "metadata").read_text().replace("\nSummary:", f"\nVersion: {version()}\nSummary:", 1)


# ---- the library

def run(*command):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout[-8000:])
        raise SystemExit(f"{command[0]} failed: CMake 3.25, a C compiler and libcurl with its header (libcurl4-openssl-dev) are required")
    return done.stdout


def build_library(folder):
    for program in ("cmake", "readelf"):
        if not shutil.which(program):
            raise SystemExit(f"{program} not found: install cmake, a C compiler, binutils and libcurl4-openssl-dev")
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", *generator, "-S", HERE, "-B", folder, f"-DCAIRN_SOURCE={source()}", f"-DCAIRN_CURL={os.environ.get('CAIRN_CURL', '')}")
    run("cmake", "--build", folder, "--parallel", os.cpu_count() or 1)
    return folder / "libcairn.so"


def glibc_of(library):
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", run("readelf", "-V", library))
    return max([GLIBC, *[(int(major), int(minor)) for major, minor in versions]])


def tag_of(library):
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library))
    machine = platform.machine()
    if all(C_LIBRARY.match(name) for name in needed):
        return "py3-none-manylinux_%d_%d_%s" % (*glibc_of(library), machine)
    return f"py3-none-linux_{machine}"


# ---- the wheel

class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, data):
        data = data.encode() if isinstance(data, str) else data
        info = zipfile.ZipInfo(name, time.gmtime(epoch())[:6])
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def close(self, dist_info):
        name = f"{dist_info}/RECORD"
        self.add(name, "\n".join([*self.record, f"{name},,"]) + "\n")
        self.zip.close()


def package_files():
    for path in sorted((HERE / "cairn").rglob("*")):
        if path.suffix in (".py", ".typed"):
            yield f"cairn/{path.relative_to(HERE / 'cairn').as_posix()}", path.read_bytes()


def licences():
    yield "LICENSE", (source() / "LICENSE").read_bytes()
    folder = os.environ.get("CAIRN_CURL")
    for path in sorted(pathlib.Path(folder, "licences").iterdir()) if folder else ():
        yield path.name, path.read_bytes()


def wheel_text(tag):
    return f"Wheel-Version: 1.0\nGenerator: cairn_backend\nRoot-Is-Purelib: false\nTag: {tag}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory(prefix="cairn-wheel.") as folder:
        library = build_library(pathlib.Path(os.environ.get("CAIRN_PYTHON_BUILD") or folder))
        tag, data = tag_of(library), library.read_bytes()
    name, dist_info = f"{NAME}-{version()}-{tag}.whl", f"{NAME}-{version()}.dist-info"
    wheel = Wheel(pathlib.Path(wheel_directory, name))
    for path, text in package_files():
        wheel.add(path, text)
    wheel.add("cairn/libcairn.so", data)
    for path, text in licences():
        wheel.add(f"{dist_info}/licenses/{path}", text)
    wheel.add(f"{dist_info}/METADATA", metadata())
    wheel.add(f"{dist_info}/WHEEL", wheel_text(tag))
    wheel.close(dist_info)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    dist_info = f"{NAME}-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory, dist_info)
    folder.mkdir()
    (folder / "METADATA").write_text(metadata())
    (folder / "WHEEL").write_text(wheel_text(f"py3-none-linux_{platform.machine()}"))
    return dist_info


# ---- the source archive

def build_sdist(sdist_directory, config_settings=None):
    root = f"{NAME}-{version()}"
    name = f"{root}.tar.gz"

    def clean(info):
        if LEFT_OUT.search(info.name):
            return None
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = epoch()
        return info

    with tempfile.TemporaryDirectory(prefix="cairn-sdist.") as folder, \
            tarfile.open(pathlib.Path(sdist_directory, name), "w:gz", format=tarfile.PAX_FORMAT) as tar:
        info = pathlib.Path(folder, "PKG-INFO")
        info.write_text(metadata())
        tar.add(info, f"{root}/PKG-INFO", filter=clean)
        for part in ("CMakeLists.txt", "backend", "cairn", "metadata", "pyproject.toml"):
            tar.add(HERE / part, f"{root}/{part}", filter=clean)
        for part in PARTS:
            tar.add(source() / part, f"{root}/source/{part}", filter=clean)
    return name
