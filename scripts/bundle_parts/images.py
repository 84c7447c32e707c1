"""Makes images the same at each build of a commit.

    docker save IMAGE... | images.py >images.tar

Reads what `docker save` writes, of any version, and writes what `docker load` of any version reads: manifest.json, a configuration
for each image, and each layer once. The time of all files is SOURCE_DATE_EPOCH, since the engine may have built some long before
the others, and what names the machine is left out.
Formats: https://github.com/opencontainers/image-spec/blob/main/config.md and its layer.md; manifest.json is of
https://github.com/moby/docker-image-spec.
"""
import datetime
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile

TIMES = ("mtime", "atime", "ctime")
# Members that describe the machine that built the image.
LEFT_OUT = ("container", "container_config", "docker_version", "id", "parent")


def normal_layer(stream, out, time):
    """Owners have numbers only: names differ among machines. Returns the checksum."""
    with tarfile.open(fileobj=stream, mode="r|*") as layer, \
            tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as normal:
        for member in layer:
            member.mtime = time
            member.uname = member.gname = ""
            member.pax_headers = {key: value for key, value in sorted(member.pax_headers.items()) if key not in TIMES}
            normal.addfile(member, layer.extractfile(member) if member.isreg() else None)
    out.seek(0)
    return hashlib.file_digest(out, "sha256").hexdigest()


def normal_config(config, layers, created):
    normal = {key: value for key, value in config.items() if key not in LEFT_OUT}
    normal["created"] = created
    normal["rootfs"] = {"type": "layers", "diff_ids": [f"sha256:{layer}" for layer in layers]}
    normal["history"] = [{**step, "created": created} for step in config.get("history", [])]
    normal["config"] = {key: value for key, value in config["config"].items() if key not in ("Hostname", "Image")}
    return json.dumps(normal, sort_keys=True).encode()


class Archive:
    def __init__(self, out, time):
        self.tar = tarfile.open(fileobj=out, mode="w|", format=tarfile.USTAR_FORMAT)
        self.time, self.written = time, set()

    def add(self, name, stream, size):
        if name in self.written:
            return
        self.written.add(name)
        member = tarfile.TarInfo(name)
        member.size, member.mtime = size, self.time
        self.tar.addfile(member, stream)

    def add_bytes(self, name, data):
        self.add(name, io.BytesIO(data), len(data))


def main(saved, out, time):
    created = datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    archive, manifest, normal = Archive(out, time), [], {}
    with tarfile.open(fileobj=saved) as tar:
        for image in sorted(json.load(tar.extractfile("manifest.json")), key=lambda image: sorted(image["RepoTags"])):
            for name in image["Layers"]:
                if name in normal:
                    continue
                with tempfile.TemporaryFile() as layer:
                    normal[name] = normal_layer(tar.extractfile(name), layer, time)
                    size = layer.seek(0, os.SEEK_END)
                    layer.seek(0)
                    archive.add(f"{normal[name]}.tar", layer, size)
            layers = [normal[name] for name in image["Layers"]]
            config = normal_config(json.load(tar.extractfile(image["Config"])), layers, created)
            name = f"{hashlib.sha256(config).hexdigest()}.json"
            archive.add_bytes(name, config)
            manifest.append({"Config": name, "RepoTags": sorted(image["RepoTags"]), "Layers": [f"{layer}.tar" for layer in layers]})
    archive.add_bytes("manifest.json", json.dumps(manifest).encode())
    archive.tar.close()


if __name__ == "__main__":
    with tempfile.TemporaryFile() as whole:  # it is read here and there
        shutil.copyfileobj(sys.stdin.buffer, whole)
        whole.seek(0)
        main(whole, sys.stdout.buffer, int(os.environ["SOURCE_DATE_EPOCH"]))
