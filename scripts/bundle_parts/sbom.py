"""Prints a CycloneDX 1.5 document of what is in the folder of a bundle.

    sbom.py FOLDER

Packages of Debian are read from their own control files, wheels from theirs, images from the lists in them, the page's parts from
web-static/package-lock.json.
"""
import base64
import datetime
import email
import gzip
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import uuid
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
FIELDS = "${Package}\t${Version}\t${Architecture}\t${Maintainer}\n"


def sha256(path):
    return [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]


def licence(name):
    return [{"license": {"name": name}}] if name else []


def of_deb(path, release):
    shown = subprocess.run(["dpkg-deb", "--show", f"--showformat={FIELDS}", path], check=True, capture_output=True, text=True)
    name, version, architecture, maintainer = shown.stdout.rstrip("\n").split("\t")
    ours = "cairn" in name
    version_part = urllib.parse.quote(version, safe=".-~+")
    return {"type": "application" if ours else "library", "bom-ref": f"{release}/{path.name}", "name": name, "version": version,
            "supplier": {"name": maintainer}, "hashes": sha256(path), "licenses": licence("Apache-2.0" if ours else None),
            "purl": f"pkg:deb/debian/{name}@{version_part}?arch={architecture}&distro={release}"}


def of_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        head = email.message_from_bytes(wheel.read(name))
    said = head["License-Expression"] or (head["License"] or "").strip().partition("\n")[0]
    return {"type": "library", "bom-ref": f"sdk/{path.name}", "name": head["Name"], "version": head["Version"],
            "hashes": sha256(path), "licenses": licence(said), "purl": f"pkg:pypi/{head['Name'].lower()}@{head['Version']}"}


def of_package(image, name, version, architecture):
    """One that is installed in an image."""
    return {"type": "library", "bom-ref": f"images/{image}/{name}", "name": name, "version": version,
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
    inside = [of_package(image["RepoTags"][0], entry["Package"], entry["Version"], entry["Architecture"]) for entry in installed
              if entry["Status"].endswith(" installed")]
    inside += [of_package(image["RepoTags"][0], *line.split("\t"), architecture)
               for line in lists.get("copied.postgresql", "").splitlines()]
    return {"type": "container", "bom-ref": f"images/{image['RepoTags'][0]}", "name": name, "version": version,
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(config).hexdigest()}], "components": inside}


def of_images(folder):
    for path in sorted(folder.glob("images/*.tar.gz")):
        with tempfile.TemporaryFile() as whole, gzip.open(path) as packed:
            shutil.copyfileobj(packed, whole)
            whole.seek(0)
            with tarfile.open(fileobj=whole) as tar:
                for image in json.load(tar.extractfile("manifest.json")):
                    yield of_image(tar, image)


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
    found += [{"type": "file", "bom-ref": f"tarball/{path.name}", "name": path.name, "hashes": sha256(path)}
              for path in sorted(folder.glob("tarball/*"))]
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
